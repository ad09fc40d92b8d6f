// git.branch: lists, switches, creates. It asks even where it would only list, because a permission
// is decided by the tool, and the listing is also in git.status.
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/git/git_scope.h"
#include "tools/git/git_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 200;

class GitBranchTool : public Tool {
 public:
  GitBranchTool() {
    spec_.name = "git.branch";
    spec_.description = "List branches, or switch to one.";
    spec_.parameters =
        ObjectSchema({Optional("name", "string", "Branch to switch to; default: list them."),
                      Optional("create", "boolean", "Make the branch first.", false)});
    spec_.output = ObjectSchema(
        {Required("current", "string"), {"branches", ArraySchema({{"type", "string"}}), true}});
    spec_.permission = DefaultPermission::kAsk;
    spec_.permission_argument = "name";
    spec_.argument_aliases = {
        {"branch", "name"}, {"branchName", "name"}, {"switch", "name"}, {"new", "create"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string name = JsonString(arguments, "name").value_or("");
    const bool create = JsonBool(arguments, "create").value_or(false);
    if (create && name.empty())
      return ToolResult::Error("create needs the name of the new branch.");
    auto scope = GitScope::Open(context);
    if (!scope.ok()) return ToolResult::FromStatus(scope.status());
    const Repository& repository = scope->repository();
    if (!name.empty()) {
      const absl::Status status = create ? repository.CreateBranch(name) : repository.Switch(name);
      if (!status.ok()) {
        return ToolResult::FromStatus(
            status, create ? "" : "Call git.branch without a name to see the branches there are");
      }
    }
    auto current = repository.CurrentBranch();
    if (!current.ok()) return ToolResult::FromStatus(current.status());
    auto branches = repository.Branches();
    if (!branches.ok()) return ToolResult::FromStatus(branches.status());

    std::string text;
    if (!name.empty()) {
      text = absl::StrCat(create ? "Created and switched to " : "Switched to ", ToUtf8(*current),
                          "\n");
    }
    Json list = Json::array();
    for (const std::string& branch : *branches) {
      if (list.size() >= kMaxShown) break;
      list.push_back(ToUtf8(branch));
      if (name.empty()) {
        absl::StrAppend(&text, branch == *current ? "* " : "  ", ToUtf8(branch), "\n");
      }
    }
    if (branches->size() > list.size()) {
      absl::StrAppend(&text, "[", branches->size() - list.size(), " more]\n");
    }
    if (text.empty()) text = "No branches yet.\n";
    return ToolResult::Success(std::move(text),
                               {{"current", ToUtf8(*current)}, {"branches", std::move(list)}});
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewGitBranchTool() { return std::make_unique<GitBranchTool>(); }

}  // namespace stile
