#include "tools/mcp/mcp_tools.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/json_schema.h"
#include "runtime/tool/tool_registry.h"

namespace stile {
namespace {

constexpr size_t kMaxNameBytes = 64;  // of the whole, as models take it
constexpr size_t kMaxSchemaBytes = size_t{64} << 10;
constexpr size_t kMaxTextBytes = size_t{30} << 10;  // that a model gets of an answer

bool IsToolName(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') {
      return false;
    }
  }
  return !name.empty();
}

class McpTool : public Tool {
 public:
  McpTool(McpServers* servers, const McpServers::Offer& offer, std::string name)
      : servers_(servers), server_(offer.server->name), tool_(offer.tool.name) {
    spec_.name = std::move(name);
    spec_.server = server_;
    spec_.description =
        absl::StrCat(offer.tool.description.empty() ? tool_ : offer.tool.description,
                     "\n(From the MCP server ", server_, ".)");
    spec_.parameters = offer.tool.input_schema;
    spec_.read_only = offer.read_only;
    spec_.idempotent = offer.read_only;
    spec_.permission = offer.read_only ? DefaultPermission::kAllow : DefaultPermission::kAsk;
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    absl::StatusOr<McpToolAnswer> answer =
        servers_->CallTool(server_, tool_, arguments, context.on_output);
    if (absl::IsCancelled(answer.status())) return ToolResult::Fatal(answer.status());
    if (!answer.ok()) {
      return ToolResult::Error(absl::StrCat(
          spec_.name, " gave no answer: ", ToUtf8(TruncateMiddle(answer.status().message(), 2000)),
          "\nGo on without it, or try again later."));
    }
    const std::string text = ToUtf8(TruncateMiddle(answer->text, kMaxTextBytes));
    if (answer->is_error) return ToolResult::Error(absl::StrCat(spec_.name, " failed: ", text));
    ToolResult result = ToolResult::Success(text);
    result.pictures = std::move(answer->pictures);
    return result;
  }

 private:
  McpServers* const servers_;
  const std::string server_;
  const std::string tool_;  // as the server calls it
  ToolSpec spec_;
};

}  // namespace

void AddMcpTools(McpServers* servers, const McpServers::Listing& listing,
                 std::vector<std::unique_ptr<Tool>>* tools, std::vector<std::string>* warnings) {
  std::set<std::string> keys;
  for (const auto& tool : *tools) keys.insert(ToolNameKey(tool->spec().name));
  for (const McpServers::Offer& offer : listing.tools) {
    const std::string name = absl::StrCat(offer.server->name, ".", offer.tool.name);
    const auto leave_out = [&](absl::string_view why) {
      warnings->push_back(absl::StrCat(offer.server->source, ": the tool ",
                                       ToUtf8(TruncateMiddle(name, 200)), " is left out: ", why));
    };
    if (!IsToolName(offer.tool.name) || name.size() > kMaxNameBytes) {
      leave_out(absl::StrCat("models take names of letters, digits, '_', '-' and '.', at most ",
                             kMaxNameBytes, " characters"));
      continue;
    }
    const bool is_small = DumpJson(offer.tool.input_schema).size() <= kMaxSchemaBytes;
    if (!is_small || !JsonSchema(offer.tool.input_schema).status().ok()) {
      leave_out("its inputSchema is no JSON Schema that can be read");
      continue;
    }
    if (!keys.insert(ToolNameKey(name)).second) {
      leave_out("another tool has this name, or one that differs in '.', '_', '-' or case only");
      continue;
    }
    tools->push_back(std::make_unique<McpTool>(servers, offer, name));
  }
}

}  // namespace stile
