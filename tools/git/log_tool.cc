#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/git/git_scope.h"
#include "tools/git/git_tools.h"

namespace stile {
namespace {

constexpr int64_t kDefaultLimit = 10;
constexpr int64_t kMaxLimit = 200;
constexpr size_t kMaxSubjectBytes = 300;

class GitLogTool : public Tool {
 public:
  GitLogTool() {
    spec_.name = "git.log";
    spec_.description = "Latest commits.";
    spec_.parameters =
        ObjectSchema({Optional("path", "string", "Only commits that touch it; default: all."),
                      Optional("limit", "integer", "Most commits to show.", kDefaultLimit)});
    Json commit = ObjectSchema({Required("id", "string"), Required("author", "string"),
                                Required("time", "string"), Required("subject", "string")});
    spec_.output = ObjectSchema({{"commits", ArraySchema(std::move(commit)), true}});
    spec_.read_only = true;
    spec_.permission_argument = "path";
    spec_.argument_aliases = {{"file", "path"},
                              {"filePath", "path"},
                              {"count", "limit"},
                              {"n", "limit"},
                              {"maxCount", "limit"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const int64_t limit = JsonInt(arguments, "limit").value_or(kDefaultLimit);
    if (limit < 1) return ToolResult::Error("limit must be at least 1.");
    auto scope = GitScope::Open(context);
    if (!scope.ok()) return ToolResult::FromStatus(scope.status());
    auto paths = scope->Paths(JsonString(arguments, "path").value_or(""));
    if (!paths.ok()) return ToolResult::FromStatus(paths.status());
    auto commits = scope->repository().Log(static_cast<int>(std::min(limit, kMaxLimit)), *paths);
    if (!commits.ok()) return ToolResult::FromStatus(commits.status());
    std::string text;
    Json list = Json::array();
    for (const GitCommit& commit : *commits) {
      const std::string subject = TruncateMiddle(ToUtf8(commit.subject), kMaxSubjectBytes);
      absl::StrAppend(&text, commit.id.substr(0, 12), " ", commit.time, " ", ToUtf8(commit.author),
                      ": ", subject, "\n");
      list.push_back({{"id", commit.id},
                      {"author", ToUtf8(commit.author)},
                      {"time", commit.time},
                      {"subject", subject}});
    }
    if (commits->empty()) text = "No commits.";
    return ToolResult::Success(std::move(text), {{"commits", std::move(list)}});
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewGitLogTool() { return std::make_unique<GitLogTool>(); }

}  // namespace stile
