#include "runtime/workspace/ignore_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/workspace/ignore_pattern.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

bool Ignored(const std::string& patterns, absl::string_view path) {
  return IgnoreRules::FromTexts({{".", patterns}}, {}).IsIgnoredFile(path);
}

TEST(IgnoreRules, FollowsTheManual) {
  EXPECT_TRUE(Ignored("hello.*", "a/hello.c"));
  EXPECT_FALSE(Ignored("/hello.*", "a/hello.c"));
  EXPECT_TRUE(Ignored("/hello.*", "hello.c"));
  EXPECT_TRUE(Ignored("foo/", "foo/x"));
  EXPECT_TRUE(Ignored("foo/", "a/foo/x"));
  EXPECT_FALSE(Ignored("foo/", "foo"));
  EXPECT_FALSE(Ignored("doc/frotz", "a/doc/frotz"));
  EXPECT_TRUE(Ignored("**/doc/frotz", "a/b/doc/frotz"));
  EXPECT_TRUE(Ignored("abc/**", "abc/x/y"));
  EXPECT_FALSE(Ignored("abc/**", "abc"));
  EXPECT_TRUE(Ignored("a/**/b", "a/b"));
  EXPECT_TRUE(Ignored("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(Ignored("foo/*", "a/foo/x"));
  EXPECT_TRUE(Ignored("foo/*", "foo/bar/hello.c"));
  EXPECT_TRUE(Ignored("*.log\n!keep.log", "x.log"));
  EXPECT_FALSE(Ignored("*.log\n!keep.log", "a/keep.log"));
  EXPECT_TRUE(Ignored("dir/\n!dir/keep", "dir/keep"));
  EXPECT_FALSE(Ignored("# a comment", "# a comment"));
  EXPECT_TRUE(Ignored("\\#x", "#x"));
  EXPECT_TRUE(Ignored("\\!x", "!x"));
  EXPECT_TRUE(Ignored("x  \r\n", "x"));
  EXPECT_TRUE(Ignored("x\\ ", "x "));
  EXPECT_FALSE(Ignored("x\\ ", "x"));
  EXPECT_TRUE(Ignored("\xef\xbb\xbfx", "x"));
  EXPECT_TRUE(Ignored("[a-c]?[!d]", "b-e"));
  EXPECT_FALSE(Ignored("[a-c]?[!d]", "b-d"));
  EXPECT_TRUE(Ignored("*.o\n*.[[:digit:]]", "x.7"));
  EXPECT_FALSE(Ignored("/*\n!/foo\n/foo/*\n!/foo/bar", "foo/bar/x"));
  EXPECT_TRUE(Ignored("/*\n!/foo\n/foo/*\n!/foo/bar", "foo/other"));
}

TEST(IgnoreRules, DeeperFilesTakePrecedence) {
  const auto rules =
      IgnoreRules::FromTexts({{".", "*.txt\n/a/anchored\n"}, {"a", "!b.txt\n/c\n"}}, {});
  EXPECT_TRUE(rules.IsIgnoredFile("b.txt"));
  EXPECT_FALSE(rules.IsIgnoredFile("a/b.txt"));
  EXPECT_TRUE(rules.IsIgnoredFile("a/anchored"));
  EXPECT_TRUE(rules.IsIgnoredFile("a/c"));
  EXPECT_FALSE(rules.IsIgnoredFile("c"));
  EXPECT_FALSE(rules.IsIgnoredFile("ab/c"));
}

TEST(IgnoreRules, TrackedFilesAreNeverIgnored) {
  const auto rules = IgnoreRules::FromTexts({{".", "out/\n*.gen\n"}}, {"out/deep/kept", "x.gen"});
  EXPECT_FALSE(rules.IsIgnoredFile("out/deep/kept"));
  EXPECT_TRUE(rules.IsIgnoredFile("out/deep/other"));
  EXPECT_FALSE(rules.IsIgnoredFile("x.gen"));
  EXPECT_FALSE(rules.CanSkipFolder("out"));
  EXPECT_FALSE(rules.CanSkipFolder("out/deep"));
  EXPECT_TRUE(rules.CanSkipFolder("out/else"));
  EXPECT_FALSE(rules.CanSkipFolder("src"));
}

TEST(IgnoreRules, IgnoresNothingByDefault) {
  const IgnoreRules rules;
  EXPECT_FALSE(rules.IsIgnoredFile("node_modules/x"));
  EXPECT_FALSE(rules.CanSkipFolder("node_modules"));
}

TEST(IgnoreRules, DefaultPatternsLeaveSourcesAlone) {
  TempDir dir;
  const auto rules = IgnoreRules::Load(dir.path(), DefaultIgnorePatterns(), {});
  ASSERT_TRUE(rules.ok()) << rules.status();
  for (const char* path : {"node_modules/a/index.js", "x/__pycache__/a.pyc", "target/debug/x",
                           "a/obj/x.cs", "lib/bin/Debug/x.dll", "build/x.o", ".venv/lib/x.py"}) {
    EXPECT_TRUE(rules->IsIgnoredFile(path)) << path;
  }
  for (const char* path : {"src/main.c", "go.mod", "package-lock.json", "Cargo.lock", "bin/run.sh",
                           "vendor/x/y.go", "CMakeLists.txt", "lib/x.rb", "deps/x.c"}) {
    EXPECT_FALSE(rules->IsIgnoredFile(path)) << path;
  }
}

TEST(IgnoreRules, SlowPatternsAreMatchedInReasonableTime) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "**/*a";
  EXPECT_FALSE(WildMatch(pattern + "/b", std::string(2000, 'a'), true));
  pattern.clear();
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(WildMatch(pattern + "b", std::string(2000, 'a'), false));
}

// --- against git itself ---

void RunGit(const std::string& folder, const std::string& command) {
  ASSERT_EQ(std::system(absl::StrCat("cd '", folder, "' && ", command).c_str()), 0) << command;
}

// The paths of `candidates` that `git check-ignore` calls ignored. Nothing is tracked.
std::set<std::string> IgnoredByGit(const TempDir& dir, const TempDir& scratch,
                                   const std::vector<std::string>& candidates) {
  scratch.Write("in", absl::StrJoin(candidates, absl::string_view("\0", 1)));
  const int status = std::system(absl::StrCat("cd '", dir.path(),
                                              "' && git check-ignore -z --no-index --stdin < '",
                                              scratch.Path("in"), "' > '", scratch.Path("out"), "'")
                                     .c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
  const std::string out = scratch.Read("out");
  const std::vector<std::string> lines = absl::StrSplit(out, '\0', absl::SkipEmpty());
  return {lines.begin(), lines.end()};
}

class Differential {
 public:
  explicit Differential(unsigned seed) : random_(seed) {}

  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  template <size_t kSize>
  std::string OneOf(const char* const (&choices)[kSize]) {
    return choices[Below(kSize)];
  }

  std::string Name() {
    static constexpr const char* kNames[] = {"a",   "b",     "ab",  "abc", "a.c", "b.c", "foo",
                                             "bar", "foo.c", "a b", "a-c", "x ",  "[a]", "a*"};
    return OneOf(kNames);
  }
  std::string Path() {
    std::string path = Name();
    for (int depth = Below(4); depth > 0; --depth) absl::StrAppend(&path, "/", Name());
    return path;
  }
  std::string Piece() {
    static constexpr const char* kPieces[] = {
        "a",           "b",         "c",     "foo",   "bar",   ".c",    "*",
        "**",          "?",         "[ab]",  "[!a]",  "[a-c]", "[^bc]", "[]a]",
        "[[:alpha:]]", "\\a",       "\\*",   "\\[",   "[a",    "[",     "]",
        " ",           "***",       "[a-]",  "[\\]]", "-",     "\\",    "[[:alpha:]b]",
        "[[:foo:]]",   "[[:alpha]", "[!-a]", "{a,b}"};
    return OneOf(kPieces);
  }
  std::string Component() {
    if (Below(4) == 0) return "**";
    std::string text;
    for (int pieces = 1 + Below(3); pieces > 0; --pieces) text += Below(3) == 0 ? Name() : Piece();
    return text;
  }
  std::string Pattern() {
    std::string text = Below(4) == 0 ? "!" : "";
    if (Below(4) == 0) text += "/";
    text += Component();
    for (int more = Below(3); more > 0; --more) text += "/" + Component();
    if (Below(4) == 0) text += "/";
    if (Below(8) == 0) text += "  ";
    if (Below(12) == 0) text += "\r";
    return text;
  }
  std::string IgnoreFile() {
    std::string text;
    for (int lines = 1 + Below(4); lines > 0; --lines) absl::StrAppend(&text, Pattern(), "\n");
    return text;
  }

 private:
  std::mt19937 random_;
};

class IgnoreRulesAgainstGit : public ::testing::TestWithParam<int> {};

TEST_P(IgnoreRulesAgainstGit, AgreesOnRandomRules) {
  TempDir scratch;
  for (int round = 0; round < 25; ++round) {
    Differential random(static_cast<unsigned>(GetParam() * 1000 + round));
    TempDir dir;
    RunGit(dir.path(), "git init -q .");
    std::set<std::string> files;
    while (files.size() < 40) {
      const std::string path = random.Path();
      bool clashes = false;  // one path's file would be another's folder
      for (const std::string& other : files) {
        clashes |= IsWithin(path, other) || IsWithin(other, path);
      }
      if (!clashes) files.insert(path);
    }
    std::string rules_text;
    const auto add_rules = [&](const std::string& path) {
      const std::string text = random.IgnoreFile();
      dir.Write(path, text);
      absl::StrAppend(&rules_text, "--- ", path, "\n", text);
    };
    for (const std::string& path : files) dir.Write(path, "");
    add_rules(".gitignore");
    add_rules(".git/info/exclude");
    for (const std::string& path : files) {
      if (DirName(path) != "." && random.Below(6) == 0) add_rules(DirName(path) + "/.gitignore");
    }
    const auto rules = IgnoreRules::Load(dir.path(), {}, {});
    ASSERT_TRUE(rules.ok()) << rules.status();
    const std::vector<std::string> candidates(files.begin(), files.end());
    const std::set<std::string> by_git = IgnoredByGit(dir, scratch, candidates);
    for (const std::string& path : candidates) {
      ASSERT_EQ(rules->IsIgnoredFile(path), by_git.count(path) > 0)
          << "'" << path << "' round " << round << "\n"
          << rules_text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IgnoreRulesAgainstGit, ::testing::Range(1, 5));

TEST(IgnoreRules, ReadsTheRulesOfTheWholeRepositoryFromASubfolder) {
  TempDir dir;
  TempDir scratch;
  RunGit(dir.path(), "git init -q .");
  dir.Write(".gitignore", "*.top\n/ws/anchored\n/other\n");
  dir.Write(".git/info/exclude", "*.excluded\n");
  dir.Write("ws/.gitignore", "*.inner\n!keep.top\n");
  dir.Write("ws/sub/x", "");
  const auto rules = IgnoreRules::Load(dir.Path("ws"), {"*.extra", "!x.excluded"}, {});
  ASSERT_TRUE(rules.ok()) << rules.status();
  for (const char* path :
       {"a.top", "anchored", "x.excluded", "sub/a.inner", "sub/a.extra", "keep.top", "other"}) {
    const bool expected = absl::string_view(path) == "sub/a.extra" ||
                          !IgnoredByGit(dir, scratch, {absl::StrCat("ws/", path)}).empty();
    EXPECT_EQ(rules->IsIgnoredFile(path), expected) << path;
  }
}

TEST(IgnoreRules, AWorktreeSharesTheExcludeFile) {
  TempDir dir;
  TempDir elsewhere;
  RunGit(dir.path(), absl::StrCat("git init -q . && git -c user.name=x -c user.email=x commit -q "
                                  "--allow-empty -m x && git worktree add -q '",
                                  elsewhere.Path("tree"), "'"));
  dir.Write(".git/info/exclude", "*.excluded\n");
  const auto rules = IgnoreRules::Load(elsewhere.Path("tree"), {}, {});
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_TRUE(rules->IsIgnoredFile("a.excluded"));
}

TEST(IgnoreRules, LaterEditsDoNotCount) {
  TempDir dir;
  dir.Write(".gitignore", "*.old\n");
  const auto rules = IgnoreRules::Load(dir.path(), {}, {});
  dir.Write(".gitignore", "*.new\n");
  EXPECT_TRUE(rules->IsIgnoredFile("x.old"));
  EXPECT_FALSE(rules->IsIgnoredFile("x.new"));
}

TEST(IgnoreRules, ASymlinkedIgnoreFileDoesNotCount) {
  TempDir dir;
  dir.Write("rules", "*.x\n");
  ASSERT_EQ(symlink("rules", dir.Path(".gitignore").c_str()), 0);
  EXPECT_FALSE(IgnoreRules::Load(dir.path(), {}, {})->IsIgnoredFile("a.x"));
}

TEST(IgnoreRules, AnotherProcessReadsTheSameRules) {
  TempDir dir;
  dir.Write(".git/info/exclude", "*.local\n");
  dir.Write(".gitignore", "*.x\n!keep.x\n# \xff\n");
  dir.Write("sub/.gitignore", "*.y\n");
  dir.Write("inner/.gitignore", "/only\n");
  const auto before = IgnoreRules::Load(dir.Path("."), {"*.user"}, {});
  ASSERT_TRUE(before.ok()) << before.status();
  const auto after = IgnoreRules::Parse(before->Serialize(), {"tracked.x"});
  ASSERT_TRUE(after.ok()) << after.status();
  for (const char* path : {"a.local", "a.x", "keep.x", "a.user", "sub/a.y", "a.y", "inner/only",
                           "inner/sub/only", "sub/keep.x"}) {
    EXPECT_EQ(after->IsIgnoredFile(path), before->IsIgnoredFile(path)) << path;
  }
  EXPECT_FALSE(after->IsIgnoredFile("tracked.x"));
  for (const char* text :
       {"", "[]", "{}", R"({"outer": [], "folders": [["a"]]})",
        R"({"outer": [], "folders": [["?", "?"]]})", R"({"outer": 1, "folders": []})"}) {
    EXPECT_EQ(IgnoreRules::Parse(text, {}).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace stile
