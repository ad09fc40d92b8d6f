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
    auto branch = scope->repository().CurrentBranch();
    if (!branch.ok()) return ToolResult::FromStatus(branch.status());
    auto head = scope->repository().Head();
    if (!head.ok()) return ToolResult::FromStatus(head.status());
    auto entries = scope->Status();
    if (!entries.ok()) return ToolResult::FromStatus(entries.status());

    std::string text = absl::StrCat(
        branch->empty() ? "No branch (detached)" : absl::StrCat("On branch ", ToUtf8(*branch)),
        ", ", head->empty() ? "no commit yet" : absl::StrCat("at ", head->substr(0, 12)), "\n");
    Json files = Json::array();
    for (const GitStatusEntry& entry : *entries) {
      if (files.size() >= kMaxShown) break;
      absl::StrAppend(&text, entry.code, " ", DisplayPath(entry.path), "\n");
      Json file = {{"code", entry.code}};
      SetPath(&file, "path", entry.path);
      files.push_back(std::move(file));
    }
    if (entries->empty()) absl::StrAppend(&text, "Nothing changed.\n");
    if (entries->size() > files.size()) {
      absl::StrAppend(&text, "[", entries->size() - files.size(), " more]\n");
    }
    Json data = {{"branch", ToUtf8(*branch)},
                 {"head", *head},
                 {"clean", entries->empty()},
                 {"total", entries->size()},
                 {"files", std::move(files)}};
    return ToolResult::Success(std::move(text), std::move(data));
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewGitStatusTool() { return std::make_unique<GitStatusTool>(); }

}  // namespace stile
