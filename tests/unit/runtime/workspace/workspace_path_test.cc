#include "runtime/workspace/workspace_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

class WorkspacePathTest : public ::testing::Test {
 protected:
  WorkspacePathTest() : root_(dir_.Path("ws")) { dir_.Write("ws/src/a.c", ""); }

  void Link(const std::string& target, const std::string& name) {
    ASSERT_EQ(symlink(target.c_str(), dir_.Path(name).c_str()), 0);
  }
  // The relative path, or "!" and the code of the error.
  std::string Resolve(absl::string_view path) {
    const auto resolved = ResolveInWorkspace(root_, path);
    if (!resolved.ok())
      return absl::StrCat("!", absl::StatusCodeToString(resolved.status().code()));
    EXPECT_EQ(resolved->absolute,
              resolved->relative == "." ? root_ : JoinPath(root_, resolved->relative));
    return resolved->relative;
  }

  TempDir dir_;
  std::string root_;
};

TEST_F(WorkspacePathTest, ResolvesPathsInside) {
  EXPECT_EQ(Resolve("src/a.c"), "src/a.c");
  EXPECT_EQ(Resolve("./src//a.c"), "src/a.c");
  EXPECT_EQ(Resolve("src/../src/a.c"), "src/a.c");
  EXPECT_EQ(Resolve("."), ".");
  EXPECT_EQ(Resolve("src/"), "src");
  EXPECT_EQ(Resolve(JoinPath(root_, "src/a.c")), "src/a.c");
  EXPECT_EQ(Resolve(root_), ".");
  EXPECT_EQ(Resolve("new/deep/file"), "new/deep/file");
  EXPECT_EQ(Resolve("new/../file"), "file");
  EXPECT_EQ(Resolve("\n\xff"), "\n\xff");
  EXPECT_EQ(Resolve("..."), "...");
  EXPECT_EQ(Resolve(".gitignore"), ".gitignore");
}

TEST_F(WorkspacePathTest, RefusesPathsOutside) {
  EXPECT_EQ(Resolve(".."), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("../ws2/x"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("src/../../x"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("/etc/passwd"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("/"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve(root_ + "2/x"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("new/../../x"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve(""), "!INVALID_ARGUMENT");
  EXPECT_EQ(Resolve(absl::string_view("a\0b", 3)), "!INVALID_ARGUMENT");
  EXPECT_EQ(Resolve(std::string(5000, 'x')), "!INVALID_ARGUMENT");
}

TEST_F(WorkspacePathTest, FollowsSymlinksToTheirEnd) {
  Link("src", "ws/inside");
  Link("inside/a.c", "ws/chain");
  Link(dir_.path(), "ws/outside");
  Link("/etc/passwd", "ws/file-outside");
  Link("../../elsewhere/new", "ws/src/dangling-outside");
  Link("missing/new", "ws/dangling-inside");
  Link("loop", "ws/loop");
  Link(root_, "alias");
  EXPECT_EQ(Resolve("inside/b.c"), "src/b.c");
  EXPECT_EQ(Resolve("chain"), "src/a.c");
  EXPECT_EQ(Resolve("inside/.."), ".");
  EXPECT_EQ(Resolve("outside/x"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("outside/ws/src/a.c"), "src/a.c");
  EXPECT_EQ(Resolve("file-outside"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("src/dangling-outside"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("dangling-inside"), "missing/new");
  EXPECT_EQ(Resolve("loop"), "!INVALID_ARGUMENT");
  EXPECT_EQ(Resolve(dir_.Path("alias/src/a.c")), "src/a.c");
  const auto refused = ResolveInWorkspace(root_, "outside/x");
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("outside/x leads outside the workspace through a symlink"));
}

TEST_F(WorkspacePathTest, RefusesGitFolders) {
  dir_.Write("ws/.git/config", "");
  dir_.Write("ws/sub/.git", "gitdir: x");
  Link(".git", "ws/alias");
  EXPECT_EQ(Resolve(".git/config"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve(".git"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("new/.git/hooks/x"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("sub/.git"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve(".GIT/config"), "!PERMISSION_DENIED");
  EXPECT_EQ(Resolve("alias/config"), "!PERMISSION_DENIED");
}

TEST(PathText, CleansJoinsAndSplits) {
  EXPECT_EQ(CleanPath("a/b/../c"), "a/c");
  EXPECT_EQ(CleanPath("./a//c/"), "a/c");
  EXPECT_EQ(CleanPath(""), ".");
  EXPECT_EQ(CleanPath("a/.."), ".");
  EXPECT_EQ(CleanPath("../../a"), "../../a");
  EXPECT_EQ(CleanPath("a/../../b"), "../b");
  EXPECT_EQ(CleanPath("/../a"), "/a");
  EXPECT_EQ(CleanPath("/"), "/");
  EXPECT_EQ(JoinPath(".", "a"), "a");
  EXPECT_EQ(JoinPath("", "a"), "a");
  EXPECT_EQ(JoinPath("/", "a"), "/a");
  EXPECT_EQ(JoinPath("a", "b/c"), "a/b/c");
  EXPECT_EQ(DirName("a/b/c"), "a/b");
  EXPECT_EQ(DirName("a"), ".");
  EXPECT_EQ(DirName("/a"), "/");
  EXPECT_EQ(BaseName("a/b"), "b");
  EXPECT_EQ(BaseName("b"), "b");
  EXPECT_TRUE(IsWithin("a/b", "a"));
  EXPECT_TRUE(IsWithin("a", "a"));
  EXPECT_TRUE(IsWithin("a", "."));
  EXPECT_FALSE(IsWithin("ab", "a"));
  EXPECT_FALSE(IsWithin("a", "a/b"));
}

}  // namespace
}  // namespace stile
