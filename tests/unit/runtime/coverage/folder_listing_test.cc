#include "runtime/coverage/folder_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FolderListingTest : public testing::Test {
 protected:
  void List(const Observation& observed) {
    listings = ListFolders(workspace.path(), observed, absl::Now());
  }
  std::vector<std::string> Appeared() {
    return AppearedFiles(workspace.path(), listings,
                         [](absl::string_view name) { return absl::EndsWith(name, ".word"); });
  }
  TempDir workspace;
  FolderListings listings;
};

Observation Listed(std::set<std::string> folders) {
  Observation observed;
  observed.listed = std::move(folders);
  return observed;
}

TEST_F(FolderListingTest, NamesFilesThatWereNotThere) {
  workspace.Write("src/a.word", "");
  List(Listed({".", "src"}));
  EXPECT_THAT(Appeared(), IsEmpty());
  workspace.Write("src/b.word", "");
  workspace.Write("src/c.txt", "");
  workspace.Write("top.word", "");
  EXPECT_THAT(Appeared(), ElementsAre("src/b.word", "top.word"));
}

TEST_F(FolderListingTest, ChangedAndDeletedFilesHaveNotAppeared) {
  workspace.Write("a.word", "");
  workspace.Write("b.word", "");
  List(Listed({"."}));
  workspace.Write("a.word", "changed");
  std::filesystem::remove(workspace.Path("b.word"));
  EXPECT_THAT(Appeared(), IsEmpty());
}

TEST_F(FolderListingTest, NamesAFileOfAFolderThatHasAppeared) {
  List(Listed({"."}));
  workspace.Write("empty/notes.txt", "");
  EXPECT_THAT(Appeared(), IsEmpty());
  workspace.Write("new/deep/a.word", "");
  EXPECT_THAT(Appeared(), ElementsAre("new/deep/a.word"));
}

TEST_F(FolderListingTest, FoldersDoNotMatterWhereTheBuildUsedNone) {
  workspace.Write("doc/a.txt", "");
  List(Listed({"."}));
  workspace.Write("new/a.word", "");
  EXPECT_THAT(Appeared(), IsEmpty());
  Observation observed = Listed({"."});
  observed.read.insert("doc/a.txt");
  std::filesystem::remove_all(workspace.Path("new"));
  List(observed);
  workspace.Write("new/a.word", "");
  EXPECT_THAT(Appeared(), ElementsAre("new/a.word"));
}

TEST_F(FolderListingTest, ALinkToAFolderCounts) {
  List(Listed({"."}));
  std::filesystem::create_directory_symlink("/usr", workspace.Path("link"));
  EXPECT_THAT(Appeared(), ElementsAre("link"));
}

TEST_F(FolderListingTest, FilesThatOthersPutThereMeanwhileHaveAppeared) {
  Observation observed = Listed({"."});
  observed.written.insert("made.word");
  workspace.Write("old.word", "");
  // A file system's clock is coarser than ours.
  absl::SleepFor(absl::Milliseconds(20));
  const absl::Time began = absl::Now();
  absl::SleepFor(absl::Milliseconds(20));
  workspace.Write("made.word", "by the build");
  workspace.Write("put.word", "by another process");
  listings = ListFolders(workspace.path(), observed, began);
  EXPECT_THAT(Appeared(), ElementsAre("put.word"));
}

TEST_F(FolderListingTest, ManyNewFilesCountAsFilesOfTheBuild) {
  List(Listed({"."}));
  for (int i = 0; i < 20'001; ++i) {
    workspace.Write("new/" + std::to_string(i) + ".txt", "");
  }
  EXPECT_THAT(Appeared(), ElementsAre("new"));
}

}  // namespace
}  // namespace stile
