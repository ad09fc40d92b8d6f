// Resources of MCP servers, listed and read by agents.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/mcp/mcp_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 200;

class ListResourcesTool : public Tool {
 public:
  ListResourcesTool(McpServers* servers, std::vector<std::string> names)
      : servers_(servers), names_(std::move(names)) {
    spec_.name = "mcp.list_resources";
    spec_.description = absl::StrCat("The resources of the MCP servers ",
                                     absl::StrJoin(names_, ", "), ". mcp.read_resource reads one.");
    spec_.parameters = ObjectSchema({Optional("server", "string", "Only of this server.")});
    spec_.read_only = true;
    spec_.permission_argument = "server";
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& /*context*/) override {
    const std::string wanted = JsonString(arguments, "server").value_or("");
    std::string text;
    for (const std::string& name : names_) {
      if (!wanted.empty() && name != wanted) continue;
      const auto resources = servers_->ListResources(name);
      if (!resources.ok() && (!wanted.empty() || absl::IsCancelled(resources.status()))) {
        return FailureOfServer(name, resources.status());
      }
      if (!resources.ok()) {
        absl::StrAppend(&text, name, ": ", TruncateMiddle(resources.status().message(), 500), "\n");
        continue;
      }
      absl::StrAppend(&text, name, ": ", resources->size(), " resources\n");
      for (size_t i = 0; i < resources->size() && i < kMaxListed; ++i) {
        const McpResourceInfo& resource = (*resources)[i];
        absl::StrAppend(&text, "  ", resource.uri, "  ", resource.name,
                        resource.description.empty() ? "" : ": ", resource.description, "\n");
      }
      if (resources->size() > kMaxListed) {
        absl::StrAppend(&text, "  … and ", resources->size() - kMaxListed, " more\n");
      }
    }
    if (text.empty()) {
      return ToolResult::Error(
          absl::StrCat("no server '", wanted,
                       "' has resources; those that have: ", absl::StrJoin(names_, ", ")));
    }
    return ToolResult::Success(ToUtf8(TruncateMiddle(text, kMaxServerTextBytes)));
  }

 private:
  McpServers* const servers_;
  const std::vector<std::string> names_;
  ToolSpec spec_;
};

class ReadResourceTool : public Tool {
 public:
  explicit ReadResourceTool(McpServers* servers) : servers_(servers) {
    spec_.name = "mcp.read_resource";
    spec_.description = "Read a resource of an MCP server.";
    spec_.parameters =
        ObjectSchema({Required("server", "string", "A server that mcp.list_resources names."),
                      Required("uri", "string", "A URI that mcp.list_resources gave.")});
    spec_.read_only = true;
    spec_.permission = DefaultPermission::kAsk;  // the URI, which a server gets, is the model's
    spec_.permission_argument = "server";
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& /*context*/) override {
    const auto text = servers_->ReadResource(JsonString(arguments, "server").value_or(""),
                                             JsonString(arguments, "uri").value_or(""));
    if (!text.ok()) return FailureOfServer(spec_.name, text.status());
    return ToolResult::Success(ToUtf8(TruncateMiddle(*text, kMaxServerTextBytes)));
  }

 private:
  McpServers* const servers_;
  ToolSpec spec_;
};

}  // namespace

void AddMcpResourceTools(McpServers* servers, const McpServers::Listing& listing,
                         std::vector<std::unique_ptr<Tool>>* tools) {
  if (listing.with_resources.empty()) return;
  tools->push_back(std::make_unique<ListResourcesTool>(servers, listing.with_resources));
  tools->push_back(std::make_unique<ReadResourceTool>(servers));
}

}  // namespace stile
