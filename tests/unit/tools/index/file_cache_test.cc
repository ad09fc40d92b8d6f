#include "tools/index/file_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tools/index/identifier_filter.h"
#include "tools/index/search_index.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kLongAfter = 10'000'000'000;

FileCache::Entry EntryOf(const std::string& payload, int64_t mtime_ns = 1) {
  FileCache::Entry entry;
  entry.stamp = {payload.size(), 7, mtime_ns, mtime_ns};
  entry.looked_at_ns = mtime_ns + kLongAfter;
  entry.owner = std::make_shared<const std::string>(payload);
  entry.payload = *entry.owner;
  return entry;
}

std::string PayloadOf(const std::string& file, const std::string& path, uint32_t version = 1) {
  FileCache cache({file, version});
  const FileCache::Entry* entry = cache.Find(path);
  return entry == nullptr ? "none" : std::string(entry->payload);
}

class FileCacheTest : public ::testing::Test {
 protected:
  FileCacheTest() {
    FileCache cache({file_, 1});
    cache.Put("a.py", EntryOf("alpha"));
    cache.Put("b/c.py", EntryOf(""));
    cache.Put("b/d.py", EntryOf("delta"));
  }
  TempDir dir_;
  const std::string file_ = dir_.Path("deep/cache");
};

TEST_F(FileCacheTest, WhatWasPutIsThereForTheNext) {
  FileCache cache({file_, 1});
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.Find("b/d.py")->payload, "delta");
  EXPECT_EQ(cache.Find("a.py")->payload, "alpha");
  EXPECT_EQ(cache.Find("b/c.py")->payload, "");
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_TRUE(cache.Find("a.py")->IsOf(EntryOf("alpha").stamp));
}

TEST_F(FileCacheTest, AnotherVersionIsNothing) {
  EXPECT_EQ(PayloadOf(file_, "a.py", 2), "none");
  FileCache({file_, 2}).Put("a.py", EntryOf("new"));
  EXPECT_EQ(PayloadOf(file_, "a.py", 2), "new");
  EXPECT_EQ(PayloadOf(file_, "a.py", 1), "none");
}

TEST_F(FileCacheTest, DamageIsSeenAndMended) {
  const std::string whole = dir_.Read("deep/cache");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    dir_.Write("deep/cache", damaged);
    // Either nothing, or what was put there.
    const std::string found = PayloadOf(file_, "a.py");
    EXPECT_TRUE(found == "none" || found == "alpha") << i << found;
    dir_.Write("deep/cache", absl::string_view(whole).substr(0, i));
    EXPECT_EQ(PayloadOf(file_, "a.py"), "none") << i;
  }
  FileCache({file_, 1}).Put("a.py", EntryOf("mended"));
  EXPECT_EQ(PayloadOf(file_, "a.py"), "mended");
}

TEST_F(FileCacheTest, ItsSizeIsBounded) {
  FileCache::Options options{file_, 1};
  options.max_bytes = 100;
  {
    FileCache cache(options);
    for (int i = 0; i < 50; ++i) cache.Put(absl::StrCat("f", i), EntryOf(std::string(40, 'x')));
  }
  EXPECT_LT(FileCache(options).size(), 10u);
}

TEST_F(FileCacheTest, FilesThatAreGoneAreForgotten) {
  {
    FileCache cache({file_, 1});
    cache.KeepOnly({"a.py", "new.py"});
  }
  EXPECT_EQ(FileCache({file_, 1}).size(), 1u);
}

TEST_F(FileCacheTest, AStampMustBeEqualAndSafelyOld) {
  FileCache::Entry entry = EntryOf("x", 1'000'000'001);
  EXPECT_TRUE(entry.IsOf(entry.stamp));
  for (int i = 0; i < 4; ++i) {
    DiskStamp other = entry.stamp;
    if (i == 0) ++other.size;
    if (i == 1) ++other.inode;
    if (i == 2) ++other.mtime_ns;
    if (i == 3) ++other.ctime_ns;
    EXPECT_FALSE(entry.IsOf(other)) << i;
  }
  // Written in the same moment in which it was looked at: it may have been written again since.
  entry.looked_at_ns = entry.stamp.mtime_ns + 1000;
  EXPECT_FALSE(entry.IsOf(entry.stamp));
}

TEST_F(FileCacheTest, WritersDoNotDisturbEachOtherOrReaders) {
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      for (int i = 0; i < 50; ++i) {
        FileCache cache({file_, 1});
        const FileCache::Entry* known = cache.Find("a.py");
        if (known == nullptr || known->payload.substr(0, 5) != "alpha") _exit(1);
        cache.Put("a.py",
                  EntryOf("alpha" + std::string(static_cast<size_t>(child * 1000 + i), 'x')));
        cache.Save();
      }
      _exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(PayloadOf(file_, "a.py").substr(0, 5), "alpha");
}

TEST(FileCacheWithoutAFileTest, ForgetsAndNeverFails) {
  FileCache nowhere({"", 1});
  nowhere.Put("a", EntryOf("b"));
  EXPECT_EQ(nowhere.Find("a")->payload, "b");
  nowhere.Save();
  FileCache forbidden({"/proc/none/cache", 1});
  forbidden.Put("a", EntryOf("b"));
  forbidden.Save();
}

// A workspace whose files are old enough to be trusted by their stamps.
class RememberedWorkspaceTest : public ::testing::Test {
 protected:
  RememberedWorkspaceTest() : clock_(absl::Now() + absl::Hours(1)) {}

  void Write(const std::string& path, const std::string& text) {
    dir_.Write(path, text);
    paths_.insert(path);
  }
  struct Found {
    std::vector<std::string> paths;
    size_t read = 0;
  };
  // Each in a process of its own, as far as files tell.
  Found Search(const std::string& query) {
    CodeIndex code = Open();
    SearchIndex index(&code);
    const SearchAnswer answer = index.Search({query, "", 10});
    Found found{{}, answer.files_read};
    for (const SearchHit& hit : answer.hits) found.paths.push_back(hit.path);
    return found;
  }
  Found FilesWith(const std::string& word) {
    CodeIndex code = Open();
    Found found;
    for (const auto& file : code.FilesWith(word)) found.paths.push_back(file->path);
    found.read = code.files_read();
    return found;
  }
  CodeIndex Open() {
    return CodeIndex(dir_.path(), &languages_,
                     [this](const auto& use) {
                       for (const std::string& path : paths_) use(path);
                     },
                     {memory_.path(), &clock_});
  }

  TempDir dir_;
  TempDir memory_;
  FakeClock clock_;
  std::set<std::string> paths_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
};

TEST_F(RememberedWorkspaceTest, UnchangedFilesAreNotReadAgain) {
  Write("a.py", "def apple():\n    pass\n");
  Write("b.py", "def banana():\n    pass\n");
  EXPECT_EQ(Search("apple").read, 2u);
  const Found again = Search("banana");
  EXPECT_EQ(again.read, 0u);
  EXPECT_THAT(again.paths, ElementsAre("b.py"));
}

TEST_F(RememberedWorkspaceTest, WhatChangedIsReadWhateverItsTimeSays) {
  Write("a.py", "def apple():\n    pass\n");
  Search("apple");
  struct stat before {};
  ASSERT_EQ(stat(dir_.Path("a.py").c_str(), &before), 0);
  Write("a.py", "def grape():\n    pass\n");  // of equal size
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, dir_.Path("a.py").c_str(), times, 0), 0);
  EXPECT_THAT(Search("apple").paths, IsEmpty());
  EXPECT_THAT(Search("grape").paths, ElementsAre("a.py"));
}

TEST_F(RememberedWorkspaceTest, TouchedFilesAreReadButNotTakenApartAgain) {
  Write("a.py", "def apple():\n    pass\n");
  Search("apple");
  ASSERT_EQ(utimensat(AT_FDCWD, dir_.Path("a.py").c_str(), nullptr, 0), 0);
  EXPECT_EQ(Search("apple").read, 1u);
  EXPECT_EQ(Search("apple").read, 0u);
}

TEST_F(RememberedWorkspaceTest, DeletedAndRenamedFilesLeaveNothing) {
  Write("a.py", "def apple():\n    pass\n");
  Write("b.py", "def banana():\n    pass\n");
  Search("apple");
  paths_ = {"c.py"};
  ASSERT_EQ(rename(dir_.Path("a.py").c_str(), dir_.Path("c.py").c_str()), 0);
  EXPECT_THAT(Search("apple").paths, ElementsAre("c.py"));
  EXPECT_THAT(Search("banana").paths, IsEmpty());
  EXPECT_EQ(FileCache({memory_.Path("search"), 1}).size(), 1u);
}

TEST_F(RememberedWorkspaceTest, RacilyWrittenFilesAreReadAgain) {
  clock_.Advance(-absl::Hours(1));
  Write("a.py", "def apple():\n    pass\n");
  Search("apple");
  EXPECT_EQ(Search("apple").read, 1u);
}

TEST_F(RememberedWorkspaceTest, ADamagedMemoryIsMadeAnew) {
  Write("a.py", "def apple():\n    pass\n");
  Search("apple");
  memory_.Write("search", "nonsense");
  EXPECT_THAT(Search("apple").paths, ElementsAre("a.py"));
  EXPECT_EQ(Search("apple").read, 0u);
}

TEST_F(RememberedWorkspaceTest, FilesThatCannotHoldAWordAreNotRead) {
  for (int i = 0; i < 20; ++i) {
    Write(absl::StrCat("f", i, ".py"), absl::StrCat("name", i, " = other", i, "\n"));
  }
  EXPECT_EQ(FilesWith("name3").read, 20u);
  EXPECT_EQ(FilesWith("name3").read, 20u);  // what is looked at twice gets a filter
  const Found found = FilesWith("name3");
  EXPECT_THAT(found.paths, ElementsAre("f3.py"));
  EXPECT_LT(found.read, 5u);
  Write("f4.py", "name3 = other4\n");
  EXPECT_THAT(FilesWith("name3").paths, ElementsAre("f3.py", "f4.py"));
  EXPECT_THAT(FilesWith("name4").paths, IsEmpty());
  // What is no identifier is looked for by those in it, or everywhere.
  EXPECT_THAT(FilesWith("name3 = other4").paths, ElementsAre("f4.py"));
  EXPECT_EQ(FilesWith("=").read, 20u);
}

TEST(IdentifierFilterTest, NeverMissesAndSeldomMistakes) {
  std::string text = "operator== ~Server a.b größe $scope x";
  for (int i = 0; i < 400; ++i) {
    absl::StrAppend(&text, " some_name", i, "(argument_of_it, ", std::string(30, '.'), ")");
  }
  const std::string filter = MakeIdentifierFilter(text);
  EXPECT_LT(filter.size(), text.size() / 15);
  for (const char* word : {"operator==", "~Server", "a.b", "a", "größe", "$scope", "x", "==", ""}) {
    EXPECT_TRUE(IdentifierProbe(word).MayBeIn(filter)) << word;
  }
  int mistaken = 0;
  for (int i = 0; i < 400; ++i) {
    EXPECT_TRUE(IdentifierProbe(absl::StrCat("some_name", i)).MayBeIn(filter)) << i;
    mistaken += IdentifierProbe(absl::StrCat("somename", i)).MayBeIn(filter) ? 1 : 0;
  }
  EXPECT_LT(mistaken, 80);
  EXPECT_TRUE(IdentifierProbe("any").MayBeIn(""));
  EXPECT_TRUE(IdentifierProbe("any").MayBeIn("damaged"));
}

// Every way of cutting a text into identifiers gives the same ones.
TEST(IdentifierFilterTest, EveryIdentifierOfAnyTextIsFound) {
  uint64_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::vector<std::string> words(1);
    for (size_t size = state % 300; text.size() < size;) {
      state = state * 6364136223846793005 + 1442695040888963407;
      const char c = state >> 62 == 0 ? " .(\n"[state >> 40 & 3] : static_cast<char>(state >> 33);
      text.push_back(c);
      if (IsIdentifierByte(c)) {
        words.back().push_back(c);
      } else {
        words.emplace_back();
      }
    }
    state = state * 6364136223846793005 + 1;
    const std::string filter = MakeIdentifierFilter(text);
    for (const std::string& word : words) {
      EXPECT_TRUE(IdentifierProbe(word).MayBeIn(filter)) << round;
    }
  }
}

}  // namespace
}  // namespace stile
