#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/output_spill.h"
#include "runtime/tool/schema_builder.h"
#include "tools/git/git_scope.h"
#include "tools/git/git_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxTextBytes = size_t{24} << 10;

class GitDiffTool : public Tool {
 public:
  GitDiffTool() {
    spec_.name = "git.diff";
    spec_.description = "Diff to HEAD; untracked left out.";
    spec_.parameters = ObjectSchema({Optional("path", "string", "File or folder; default: all."),
                                     Optional("staged", "boolean", "Only what is staged.", false)});
    spec_.output = ObjectSchema({Required("diff", "string"), Required("bytes", "integer"),
                                 Required("truncated", "boolean")});
    spec_.read_only = true;
    spec_.permission_argument = "path";
    spec_.argument_aliases = {{"file", "path"}, {"filePath", "path"}, {"cached", "staged"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    auto scope = GitScope::Open(context);
    if (!scope.ok()) return ToolResult::FromStatus(scope.status());
    auto paths = scope->Paths(JsonString(arguments, "path").value_or(""));
    if (!paths.ok()) return ToolResult::FromStatus(paths.status());
    auto diff = scope->repository().Diff(*paths, JsonBool(arguments, "staged").value_or(false));
    if (!diff.ok()) return ToolResult::FromStatus(diff.status());
    const std::string shown = ToUtf8(
        ShortenWithFile(context.file_system, context.output_dir, "diff", *diff, kMaxTextBytes));
    Json data = {
        {"diff", shown}, {"bytes", diff->size()}, {"truncated", diff->size() > kMaxTextBytes}};
    return ToolResult::Success(diff->empty() ? "No differences from HEAD in tracked files." : shown,
                               std::move(data));
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewGitDiffTool() { return std::make_unique<GitDiffTool>(); }

}  // namespace stile
