#include "agents/api/pipeline_inputs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using ::testing::StartsWith;

Json Given(const Json& more = Json::object()) {
  Json given = {{"source", "a.app"}, {"validate", "check"}, {"transpile", "make"}};
  given.update(more);
  return given;
}

std::string Error(const absl::StatusOr<Json>& inputs) {
  return std::string(inputs.status().message());
}

TEST(PipelineInputsTest, FillsInWhatIsLeftOut) {
  const auto inputs = AppInputs(Given());
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ((*inputs)["attempts"], 3);
  EXPECT_EQ((*inputs)["smoke"], "L1");
  EXPECT_EQ((*inputs)["out"], "output");
  EXPECT_EQ((*inputs)["run_instructions"], "cd output && npm start");
  EXPECT_EQ((*inputs)["mcp"], "");
  EXPECT_EQ((*inputs)["resources"], Json::array());
  const auto cycle = CycleInputs({{"cycle", "05"}});
  ASSERT_TRUE(cycle.ok()) << cycle.status();
  EXPECT_EQ((*cycle)["branch"], "feature/cycle-05");
  EXPECT_EQ((*cycle)["paths"], Json({"src"}));
}

TEST(PipelineInputsTest, TellsResourcesFromFiles) {
  const auto inputs = AppInputs(
      Given({{"references",
              {"docs/a.md", "air:air://spec", "air:memo:x", "./a:b:c", "c:d", "docs/a:b:c"}}}));
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ((*inputs)["resources"], Json({"air:air://spec", "air:memo:x"}));
  EXPECT_EQ((*inputs)["references"], Json({"docs/a.md", "./a:b:c", "c:d", "docs/a:b:c"}));
  EXPECT_EQ((*inputs)["mcp"], "air:air://spec air:memo:x");
}

TEST(PipelineInputsTest, NamesTheToolsOfMcpServersThatCommandsCall) {
  const auto inputs = AppInputs(Given(
      {{"validate", "stile mcp call air.check source=@$SOURCE && stile mcp call 'x.y' a=b"},
       {"lint", "stile mcp read air air://rules | grep x; stile mcp call --json z.lint"},
       {"transpile", "echo stile mcp list; mystile mcp call no.tool; stile mcp call all.*"}}));
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ((*inputs)["mcp"], "air.check air:air://rules x.y z.lint");
}

TEST(PipelineInputsTest, RefusesPathsOutsideOfTheWorkspace) {
  for (const char* path : {"", ".", "..", "../a", "/a", "a/../../b", "-a", "\xff"}) {
    EXPECT_THAT(Error(AppInputs(Given({{"out", path}}))), StartsWith("out '")) << path;
    if (*path != '\0') {
      EXPECT_THAT(Error(AppInputs(Given({{"source", path}}))), StartsWith("source '")) << path;
    }
  }
  EXPECT_THAT(Error(AppInputs(Given({{"out", "a.app/b"}}))), StartsWith("out and source"));
  EXPECT_THAT(Error(CycleInputs({{"cycle", "1"}, {"paths", {"../src"}}})), StartsWith("paths: '"));
  EXPECT_THAT(Error(CycleInputs({{"cycle", "1"}, {"spec", "/etc/hostname"}})),
              StartsWith("spec '"));
}

TEST(PipelineInputsTest, RefusesWhatCannotWork) {
  EXPECT_THAT(Error(AppInputs({{"source", "a"}})), StartsWith("source, validate and transpile"));
  EXPECT_THAT(Error(AppInputs(Given({{"probe", "curl"}}))), StartsWith("probe asks a server"));
}

}  // namespace
}  // namespace stile
