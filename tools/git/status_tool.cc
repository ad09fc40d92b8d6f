#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/git/git_scope.h"
#include "tools/git/git_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 300;

class GitStatusTool : public Tool {
 public:
  GitStatusTool() {
    spec_.name = "git.status";
    spec_.description = "Branch and changed files.";
    spec_.parameters = ObjectSchema({});
    Json file = ObjectSchema(
        {Required("path", "string"), Optional("pathBase64", "string"), Required("code", "string")});
    spec_.output = ObjectSchema({Required("branch", "string"),
                                 Required("head", "string"),
                                 Required("clean", "boolean"),
                                 Required("total", "integer"),
                                 {"files", ArraySchema(std::move(file)), true}});
    spec_.read_only = true;
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json&, const ToolContext& context) override {
    auto scope = GitScope::Open(context);
    if (!scope.ok()) return ToolResult::FromStatus(scope.status());
    const auto status = scope->Status();
    if (!status.ok()) return ToolResult::FromStatus(status.status());
    const std::vector<GitStatusEntry>& entries = status->entries;

    std::string text =
        absl::StrCat(status->branch.empty() ? "No branch (detached)"
                                            : absl::StrCat("On branch ", ToUtf8(status->branch)),
                     ", ",
                     status->commit.empty() ? "no commit yet"
                                            : absl::StrCat("at ", status->commit.substr(0, 12)),
                     "\n");
    Json files = Json::array();
    for (const GitStatusEntry& entry : entries) {
      if (files.size() >= kMaxShown) break;
      absl::StrAppend(&text, entry.code, " ", DisplayPath(entry.path), "\n");
      Json file = {{"code", entry.code}};
      SetPath(&file, "path", entry.path);
      files.push_back(std::move(file));
    }
    if (entries.empty()) absl::StrAppend(&text, "Nothing changed.\n");
    if (entries.size() > files.size()) {
      absl::StrAppend(&text, "[", entries.size() - files.size(), " more]\n");
    }
    Json data = {{"branch", ToUtf8(status->branch)},
                 {"head", status->commit},
                 {"clean", entries.empty()},
                 {"total", entries.size()},
                 {"files", std::move(files)}};
    return ToolResult::Success(std::move(text), std::move(data));
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewGitStatusTool() { return std::make_unique<GitStatusTool>(); }

}  // namespace stile
