#include "agents/api/run_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/toolchain_env.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

class RunsDiffTest : public ::testing::Test {
 protected:
  RunsDiffTest() : store_(DiskFileSystem(), folder_.Path("state")) {
    run_ = *store_.Create("20260101T000000-00000000");
  }
  std::optional<Sha256Digest> Stored(absl::string_view text) { return *store_.blobs()->Put(text); }
  void Record(const std::vector<RecordedChange>& changes) {
    ASSERT_TRUE(WriteChanges(DiskFileSystem(), run_, changes).ok());
  }
  absl::StatusOr<std::string> Diff() {
    return DiffChanges(&store_, run_, *ReadChanges(run_), TestEnvironment());
  }

  TempDir folder_;
  RunStore store_;
  RunPaths run_;
};

TEST_F(RunsDiffTest, ShowsAddedModifiedAndDeletedFiles) {
  Record({{"added.txt", std::nullopt, Stored("new\n"), 0, 0100644},
          {"dir/changed.txt", Stored("a\nb\n"), Stored("a\nc\n"), 0100644, 0100644},
          {"gone.txt", Stored("old\n"), std::nullopt, 0100755, 0}});
  const auto diff = Diff();
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("diff --git a/added.txt b/added.txt\nnew file mode 100644\n"));
  EXPECT_THAT(
      *diff,
      HasSubstr("--- a/dir/changed.txt\n+++ b/dir/changed.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
  EXPECT_THAT(*diff, HasSubstr("diff --git a/gone.txt b/gone.txt\ndeleted file mode 100755\n"));
}

TEST_F(RunsDiffTest, OddNamesAndBinaryContentArePartOfThePatch) {
  Record({{"a \"b\\\n\xff", std::nullopt, Stored("x\n"), 0, 0100644},
          {".gitattributes", std::nullopt, Stored("*.bin text eol=crlf\n"), 0, 0100644},
          {"data.bin", std::nullopt, Stored(absl::string_view("\0\1\2", 3)), 0, 0100644},
          {"link", std::nullopt, Stored("target"), 0, 0120777}});
  const auto diff = Diff();
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("\"b/a \\\"b\\\\\\n\\377\""));
  EXPECT_THAT(*diff, HasSubstr("GIT binary patch"));
  EXPECT_THAT(*diff, HasSubstr("new file mode 120000"));
}

TEST_F(RunsDiffTest, WithoutChangesThePatchIsEmpty) {
  Record({});
  const auto diff = Diff();
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_EQ(*diff, "");
}

TEST_F(RunsDiffTest, AHostilePathIsRefused) {
  for (const char* path : {"../outside", "/etc/passwd", ".git/config"}) {
    Record({{path, std::nullopt, Stored("x"), 0, 0100644}});
    EXPECT_FALSE(Diff().ok()) << path;
  }
}

TEST_F(RunsDiffTest, MissingContentIsNamed) {
  Record({{"a.txt", std::nullopt, Sha256Of("never stored"), 0, 0100644}});
  EXPECT_THAT(std::string(Diff().status().message()), HasSubstr("a.txt"));
}

TEST_F(RunsDiffTest, WithoutGitItSaysHowToGetIt) {
  Record({});
  const auto diff = DiffChanges(&store_, run_, *ReadChanges(run_), EmptyPathEnvironment());
  EXPECT_THAT(std::string(diff.status().message()), HasSubstr("install git"));
}

}  // namespace
}  // namespace stile
