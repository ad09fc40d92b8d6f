#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/git/git_scope.h"
#include "tools/git/git_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 50;

// The changed paths at or below the wanted ones; all changed paths when none are wanted.
absl::StatusOr<std::vector<std::string>> ChangedPaths(const GitScope& scope, const Json* wanted,
                                                      const ToolContext& context) {
  STILE_ASSIGN_OR_RETURN(const GitStatus status, scope.Status());
  std::set<std::string> chosen;
  if (wanted == nullptr || wanted->empty()) {
    for (const GitStatusEntry& entry : status.entries) chosen.insert(entry.path);
    return std::vector<std::string>(chosen.begin(), chosen.end());
  }
  for (const Json& item : *wanted) {
    const std::string given = item.is_string() ? item.get<std::string>() : "";
    STILE_ASSIGN_OR_RETURN(const WorkspacePath path, ResolveInWorkspace(context.workspace, given));
    // A symlink is committed itself, so its own name counts as well as where it leads.
    const std::string named = CleanPath(given);
    bool found = false;
    for (const GitStatusEntry& entry : status.entries) {
      if (IsWithin(entry.path, path.relative) || IsWithin(entry.path, named)) {
        chosen.insert(entry.path);
        found = true;
      }
    }
    if (!found) {
      return absl::FailedPreconditionError(absl::StrCat(
          DisplayPath(path.relative), " has no changes to commit. Use git.status to see what has"));
    }
  }
  return std::vector<std::string>(chosen.begin(), chosen.end());
}

class GitCommitTool : public Tool {
 public:
  GitCommitTool() {
    spec_.name = "git.commit";
    spec_.description = "Commit changes.";
    spec_.parameters = ObjectSchema(
        {Required("message", "string", "Commit message."),
         {"paths", ArraySchema({{"type", "string"}}, "Paths to commit; default: every change.")}});
    spec_.output = ObjectSchema(
        {Required("commit", "string"), {"paths", ArraySchema({{"type", "string"}}), true}});
    spec_.permission = DefaultPermission::kAsk;
    spec_.argument_aliases = {{"msg", "message"}, {"files", "paths"}, {"path", "paths"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string message = *JsonString(arguments, "message");
    if (absl::StripAsciiWhitespace(message).empty()) {
      return ToolResult::Error("the commit message is empty.");
    }
    auto scope = GitScope::Open(context);
    if (!scope.ok()) return ToolResult::FromStatus(scope.status());
    auto changed = ChangedPaths(*scope, JsonMember(arguments, "paths"), context);
    if (!changed.ok()) return ToolResult::FromStatus(changed.status());
    if (changed->empty()) return ToolResult::Error("nothing changed: there is nothing to commit.");
    std::vector<std::string> paths;
    for (const std::string& path : *changed) paths.push_back(scope->ToGit(path));
    auto id = scope->repository().Commit(paths, message);
    if (!id.ok()) return ToolResult::FromStatus(id.status());

    std::string text = absl::StrCat("Committed ", Count(changed->size(), "file"), " as ",
                                    id->substr(0, 12), ":\n");
    Json list = Json::array();
    for (const std::string& path : *changed) {
      list.push_back(ToUtf8(path));
      if (list.size() <= kMaxShown) absl::StrAppend(&text, DisplayPath(path), "\n");
    }
    if (list.size() > kMaxShown) absl::StrAppend(&text, "[", list.size() - kMaxShown, " more]\n");
    return ToolResult::Success(std::move(text), {{"commit", *id}, {"paths", std::move(list)}});
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewGitCommitTool() { return std::make_unique<GitCommitTool>(); }

}  // namespace stile
