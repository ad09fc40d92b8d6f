#include "tools/git/git_tools.h"

#include "absl/strings/str_cat.h"
#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

using testing::HasSubstr;
using testing::Not;

class GitToolsTest : public ToolFixture {
 protected:
  GitToolsTest() {
    Add(NewGitStatusTool());
    Add(NewGitDiffTool());
    Add(NewGitLogTool());
    Add(NewGitBranchTool());
    Add(NewGitCommitTool());
  }
  void Git(const std::string& command, const std::string& folder) {
    ProcessRequest request;
    request.argv = {
        "sh", "-c",
        absl::StrCat("set -e; g() { git -c user.name=T -c user.email=t@x \"$@\"; }; ", command)};
    request.cwd = folder;
    request.env = InheritedEnvironment();
    const auto result = runner_->Run(request);
    ASSERT_TRUE(result.ok() && result->ok()) << (result.ok() ? result->err : "");
  }
  void InitWorkspace() {
    Write("a.txt", "one\n");
    Git("git init -q -b main; g add -A; g commit -qm first", context_.workspace);
  }
};

TEST_F(GitToolsTest, WithoutARepositoryEveryToolSaysSo) {
  for (const char* name : {"git.status", "git.diff", "git.log", "git.branch"}) {
    EXPECT_THAT(Error(name, Json::object()), HasSubstr("not in a git repository")) << name;
  }
  EXPECT_THAT(Error("git.commit", {{"message", "x"}}), HasSubstr("not in a git repository"));
}

TEST_F(GitToolsTest, StatusDiffAndLogShowTheWork) {
  InitWorkspace();
  EXPECT_EQ(Ok("git.status", Json::object()).data["clean"], true);
  EXPECT_THAT(Ok("git.diff", Json::object()).text, HasSubstr("No differences"));
  Write("a.txt", "two\n");
  Write("b \"q\".txt", "new\n");
  const ToolResult status = Ok("git.status", Json::object());
  EXPECT_THAT(status.text, HasSubstr("On branch main"));
  EXPECT_THAT(status.text, HasSubstr(" M a.txt"));
  EXPECT_EQ(status.data["files"].size(), 2u);
  EXPECT_THAT(Ok("git.diff", Json::object()).text, HasSubstr("-one\n+two"));
  EXPECT_THAT(Ok("git.diff", {{"path", "b \"q\".txt"}}).text, HasSubstr("No differences"));
  EXPECT_THAT(Ok("git.diff", {{"staged", true}}).text, HasSubstr("No differences"));
  Error("git.diff", {{"path", "../x"}});
  EXPECT_EQ(Ok("git.log", {{"path", "a.txt"}}).data["commits"][0]["subject"], "first");
  Error("git.log", {{"limit", 0}});
}

TEST_F(GitToolsTest, ABigDiffIsCutAndKept) {
  InitWorkspace();
  std::string text;
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&text, "line ", i, "\n");
  Write("a.txt", text);
  const ToolResult diff = Ok("git.diff", Json::object());
  EXPECT_LT(diff.text.size(), 30'000u);
  EXPECT_EQ(diff.data["truncated"], true);
  EXPECT_THAT(diff.text, HasSubstr(context_.output_dir));
}

TEST_F(GitToolsTest, BranchListsSwitchesAndCreates) {
  InitWorkspace();
  EXPECT_EQ(Ok("git.branch", Json::object()).text, "* main\n");
  EXPECT_EQ(Ok("git.branch", {{"name", "work"}, {"create", true}}).data["current"], "work");
  EXPECT_EQ(Ok("git.branch", {{"name", "main"}}).data["current"], "main");
  Error("git.branch", {{"name", "nowhere"}});
  Error("git.branch", {{"name", "--detach"}});
  Error("git.branch", {{"create", true}});
}

TEST_F(GitToolsTest, CommitTakesChosenOrAllChanges) {
  InitWorkspace();
  Write("src/b.txt", "b\n");
  Write("src/c.txt", "c\n");
  Write("a.txt", "two\n");
  const ToolResult some = Ok("git.commit", {{"message", "some"}, {"paths", Json::array({"src"})}});
  EXPECT_EQ(some.data["paths"], Json::array({"src/b.txt", "src/c.txt"}));
  EXPECT_EQ(Ok("git.status", Json::object()).data["total"], 1);
  Ok("git.commit", {{"message", "rest"}});
  EXPECT_EQ(Ok("git.status", Json::object()).data["clean"], true);
  EXPECT_EQ(Ok("git.log", {{"limit", 1}}).data["commits"][0]["subject"], "rest");
  EXPECT_THAT(Error("git.commit", {{"message", "x"}}), HasSubstr("nothing changed"));
  EXPECT_THAT(Error("git.commit", {{"message", "x"}, {"paths", Json::array({"a.txt"})}}),
              HasSubstr("no changes to commit"));
  Error("git.commit", {{"message", " \n"}});
  Error("git.commit", {{"message", "x"}, {"paths", Json::array({"../x"})}});
}

TEST_F(GitToolsTest, AWorkspaceInsideARepositorySeesOnlyItself) {
  Write("a.txt", "one\n");
  outside_.Write("other.txt", "o\n");
  Git("git init -q -b main; g add -A; g commit -qm first", outside_.path());
  Write("a.txt", "two\n");
  outside_.Write("other.txt", "changed\n");
  const ToolResult status = Ok("git.status", Json::object());
  ASSERT_EQ(status.data["files"].size(), 1u) << status.text;
  EXPECT_EQ(status.data["files"][0]["path"], "a.txt");
  EXPECT_THAT(Ok("git.diff", Json::object()).text, Not(HasSubstr("other.txt")));
  EXPECT_EQ(Ok("git.commit", {{"message", "mine"}}).data["paths"], Json::array({"a.txt"}));
}

}  // namespace
}  // namespace stile
