// The dispatcher of the MCP server: lines of a peer, valid or not, in both eras.
#include <map>
#include <mutex>
#include <string>

#include "agents/mcp/mcp_session.h"
#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

// A tool that changes nothing, so that calls are answered at once.
stile::McpTool EchoTool() {
  stile::McpTool tool;
  tool.name = "echo";
  tool.input = {{"type", "object"}};
  tool.takes_long = true;
  tool.run = [](const stile::Json& arguments, const stile::McpCall& call) {
    if (call.on_progress) call.on_progress("working");
    return stile::ToolResult::Success(stile::DumpJson(arguments));
  };
  return tool;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static stile::McpWorkspaces workspaces({"/nonexistent", {}, {}, {}, false, "0"});
  std::mutex mutex;
  std::map<std::string, int> expected;  // answers by id: one for each request
  stile::OpenCalls calls;
  stile::McpTasks tasks;
  stile::ResourceWatch watch(&workspaces);
  stile::McpServices services = {&workspaces, nullptr, &calls, &tasks, &watch, {EchoTool()}};
  stile::JobQueue queue(2);
  services.queue = &queue;
  {
    stile::McpSession session(&services);
    const auto reply = [&](const stile::Json& message) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!message.is_object() || message.contains("method")) return;
      STILE_CHECK(message.contains("result") != message.contains("error"));
      if (!message["id"].is_null()) --expected[stile::DumpJson(message["id"])];
    };
    stile::FuzzInput input(data, size);
    while (!input.rest().empty()) {
      const absl::string_view line = input.TakeLine();
      const auto message = stile::ParseJson(line);
      if (!message.ok()) continue;
      const stile::Json* const id = stile::JsonMember(*message, "id");
      const bool has_id = id != nullptr && (id->is_string() || id->is_number_integer());
      const bool is_asked = has_id && stile::JsonString(*message, "method").has_value() &&
                            stile::JsonString(*message, "jsonrpc") == "2.0";
      if (is_asked) {
        const std::lock_guard<std::mutex> lock(mutex);
        ++expected[stile::DumpJson(*id)];
      }
      session.Handle(*message, reply);
      session.WaitFor(absl::Seconds(5));
    }
  }
  for (const auto& [id, missing] : expected) STILE_CHECK(missing == 0);
  return 0;
}
