#include "tools/shell/execute_tool.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

using testing::HasSubstr;
using testing::Not;

class ShellTest : public ToolFixture {
 protected:
  ShellTest() { Add(NewShellExecuteTool()); }
};

TEST_F(ShellTest, RunsInTheWorkspaceAndMergesOutput) {
  const ToolResult result = Ok("shell.execute", {{"cmd", "pwd; echo err >&2; echo done"}});
  EXPECT_EQ(result.data["output"], absl::StrCat(context_.workspace, "\nerr\ndone\n"));
  EXPECT_EQ(result.data["exitCode"], 0);
  EXPECT_THAT(result.text, HasSubstr("exit status 0"));
}

TEST_F(ShellTest, AFailingCommandIsAResult) {
  const ToolResult result = Ok("shell.execute", {{"command", "exit 3"}});
  EXPECT_EQ(result.data["exitCode"], 3);
  EXPECT_THAT(result.text, HasSubstr("exit status 3"));
  EXPECT_THAT(result.text, HasSubstr("(no output)"));
  EXPECT_EQ(Ok("shell.execute", {{"command", "kill -SEGV $$"}}).data["end"], "signalled");
}

TEST_F(ShellTest, UsesBashWhereThereIsOne) {
  EXPECT_EQ(Ok("shell.execute", {{"command", "[[ a == a ]] && echo bash"}}).data["output"],
            "bash\n");
}

TEST_F(ShellTest, HugeOutputIsCutKeptAndStreamedWithinBounds) {
  size_t live = 0;
  context_.on_output = [&](absl::string_view piece) { live += piece.size(); };
  const ToolResult result =
      Ok("shell.execute",
         {{"command", "echo first; head -c 100000000 /dev/zero | tr '\\0' 'x'; echo; echo last"}});
  EXPECT_LT(result.text.size(), 40'000u);
  EXPECT_THAT(result.text, HasSubstr("first\n"));
  EXPECT_THAT(result.text, HasSubstr("\nlast\n"));
  EXPECT_EQ(result.data["truncated"], true);
  EXPECT_GE(*JsonInt(result.data, "outputBytes"), 100'000'000);
  const std::string file = *JsonString(result.data, "outputFile");
  EXPECT_THAT(file, testing::StartsWith(context_.output_dir));
  const auto kept = DiskFileSystem()->ReadFile(file, kMaxFileBytes);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(static_cast<int64_t>(kept->size()), *JsonInt(result.data, "outputBytes"));
  EXPECT_LT(live, 2u << 20);
}

TEST_F(ShellTest, ShortOutputMakesNoFile) {
  EXPECT_FALSE(Ok("shell.execute", {{"command", "echo x"}}).data.contains("outputFile"));
  EXPECT_FALSE(outside_.Exists("state/output"));
}

TEST_F(ShellTest, ACommandThatIgnoresSigtermIsKilled) {
  const ToolResult result =
      Ok("shell.execute",
         {{"command", "trap '' TERM; echo on; while :; do sleep 1; done"}, {"timeoutSeconds", 1}});
  EXPECT_EQ(result.data["end"], "timed_out");
  EXPECT_THAT(result.text, HasSubstr("raise timeoutSeconds"));
  EXPECT_THAT(result.text, HasSubstr("on\n"));
}

TEST_F(ShellTest, NothingKeepsRunning) {
  const ToolResult result =
      Ok("shell.execute", {{"command",
                            "(sleep 300; touch late) >/dev/null 2>&1 & setsid sleep 300 >/dev/null "
                            "2>&1 & echo started"}});
  EXPECT_EQ(result.data["output"], "started\n");
  EXPECT_GE(*JsonInt(result.data, "leftovers"), 1);
  EXPECT_THAT(result.text, HasSubstr("nothing keeps running"));
}

TEST_F(ShellTest, OutputThatIsNotUtf8IsShown) {
  const ToolResult result = Ok("shell.execute", {{"command", "printf 'a\\xff\\n'"}});
  EXPECT_TRUE(IsUtf8(result.text));
  EXPECT_THAT(result.text, HasSubstr("a\xEF\xBF\xBD"));
}

TEST_F(ShellTest, BadArgumentsAreErrorsForTheModel) {
  Error("shell.execute", {{"command", "x"}, {"timeoutSeconds", 0}});
  Error("shell.execute", {{"command", "x"}, {"timeoutSeconds", 3601}});
  Error("shell.execute", {{"command", std::string("a\0b", 3)}});
  EXPECT_THAT(Error("shell.execute", {{"command", std::string(200000, 'x')}}), HasSubstr("script"));
}

TEST_F(ShellTest, CancellationEndsTheRun) {
  context_.on_output = [&](absl::string_view) { cancellation_.Cancel(); };
  EXPECT_TRUE(absl::IsCancelled(Call("shell.execute", {{"command", "echo x; sleep 300"}}).fatal));
}

}  // namespace
}  // namespace stile
