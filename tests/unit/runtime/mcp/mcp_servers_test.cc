#include "runtime/mcp/mcp_servers.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace stile {
namespace {

using testing::HasSubstr;

// Starts no program: each attempt fails, and is counted.
class CountingRunner : public ProcessRunner {
 public:
  absl::StatusOr<ProcessResult> Run(const ProcessRequest&) override {
    ++starts;
    return absl::NotFoundError("no such program");
  }
  int starts = 0;
};

TEST(McpServersTest, AServerThatFailsIsTriedAgainAfterAPause) {
  FakeClock clock;
  CountingRunner runner;
  McpServerSettings settings;
  settings.name = "x";
  settings.command = {"x"};
  McpServers::Host host;
  host.workspace = "/";
  host.open_runner = [&runner] { return absl::StatusOr<ProcessRunner*>(&runner); };
  host.clock = &clock;
  McpServers servers({settings}, std::move(host));
  const auto call = [&] { return servers.CallTool("x", "t", Json::object(), nullptr).status(); };
  EXPECT_THAT(call().message(), HasSubstr("the MCP server x: no such program"));
  int expected = 1;
  for (const int pause_s : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    clock.Advance(absl::Seconds(pause_s) - absl::Milliseconds(1));
    EXPECT_TRUE(absl::IsUnavailable(call()));
    EXPECT_EQ(runner.starts, expected) << pause_s;
    clock.Advance(absl::Milliseconds(1));
    EXPECT_TRUE(absl::IsUnavailable(call()));
    EXPECT_EQ(runner.starts, ++expected) << pause_s;
  }
  EXPECT_THAT(servers.CallTool("y", "t", Json::object(), nullptr).status().message(),
              HasSubstr("there is no MCP server 'y'"));
}

}  // namespace
}  // namespace stile
