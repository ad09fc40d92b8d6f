#include "tools/mcp/mcp_tools.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/tool_registry.h"

namespace stile {
namespace {

constexpr size_t kMaxNameBytes = 64;  // of the whole, as models take it
constexpr size_t kMaxSchemaBytes = size_t{64} << 10;
constexpr size_t kMaxAllSchemaBytes = size_t{512} << 10;

bool IsToolName(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') {
      return false;
    }
  }
  return !name.empty();
}

class RemoteTool : public Tool {
 public:
  RemoteTool(McpServers* servers, const McpServers::Offer& offer, std::string name)
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
    if (!answer.ok()) return FailureOfServer(spec_.name, answer.status());
    const std::string text = ToUtf8(TruncateMiddle(answer->text, kMaxServerTextBytes));
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

ToolResult FailureOfServer(const std::string& name, const absl::Status& status) {
  if (absl::IsCancelled(status)) return ToolResult::Fatal(status);
  return ToolResult::Error(
      absl::StrCat(name, " gave no answer: ", ToUtf8(TruncateMiddle(status.message(), 2000)),
                   "\nGo on without it, or try again later."));
}

void AddMcpTools(McpServers* servers, const McpServers::Listing& listing,
                 std::vector<std::unique_ptr<Tool>>* tools, std::vector<std::string>* warnings) {
  std::set<std::string> keys;
  for (const auto& tool : *tools) keys.insert(ToolNameKey(tool->spec().name));
  size_t all_schemas = 0;
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
    if (JsonString(offer.tool.input_schema, "type") != "object") {
      leave_out("its inputSchema is not of type object");
      continue;
    }
    const size_t size = DumpJson(offer.tool.input_schema).size();
    if (size > kMaxSchemaBytes || all_schemas + size > kMaxAllSchemaBytes) {
      leave_out(absl::StrCat("its inputSchema is larger than ", kMaxSchemaBytes >> 10,
                             " KiB, or those of all tools than ", kMaxAllSchemaBytes >> 10,
                             " KiB"));
      continue;
    }
    all_schemas += size;
    if (!keys.insert(ToolNameKey(name)).second) {
      leave_out("another tool has this name, or one that differs in '.', '_', '-' or case only");
      continue;
    }
    tools->push_back(std::make_unique<RemoteTool>(servers, offer, name));
  }
}

}  // namespace stile
