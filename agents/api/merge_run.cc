#include "agents/api/merge_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr char kToolName[] = "story.merge";

class MergeModel : public ChatModel {
 public:
  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, const DeltaSink& /*on_delta*/,
                                      const Cancellation* cancellation) override {
    if (cancellation != nullptr && cancellation->cancelled()) {
      return absl::CancelledError("cancelled");
    }
    ToolCall call;
    const Message& last = request.messages.back();
    // Once more after an error: of a call that was interrupted nobody knows what came of it.
    const auto refused = std::count_if(
        request.messages.begin(), request.messages.end(),
        [](const Message& message) { return message.is_error && message.tool_name == kToolName; });
    const bool again = last.is_error && last.tool_name == kToolName && refused < 2;
    if (last.role != Role::kTool || again) {
      call.name = kToolName;
      call.arguments = Json::object();
    } else {
      call.name = "finish";
      call.arguments = {{"answer", last.text}};
      if (last.is_error) call.arguments["status"] = "gave_up";
    }
    call.id = absl::StrCat("merge-", request.messages.size());
    ModelReply reply;
    reply.tool_calls.push_back(std::move(call));
    reply.finish_reason = FinishReason::kToolCalls;
    return reply;
  }

 private:
  const ModelInfo info_{kMergeModel, kMergeModel, true};
};

bool Holds(const std::string& path, const std::optional<std::string>& content) {
  if (!FileExists(path)) return !content.has_value();
  const auto now = DiskFileSystem()->ReadFile(path, kMaxFileBytes);
  return content.has_value() && now.ok() && *now == *content;
}

class MergeTool : public Tool {
 public:
  explicit MergeTool(const MergedWork* work) : work_(*work) {
    spec_.name = kToolName;
    spec_.description = "Take over what was done in another working tree.";
    spec_.parameters = ObjectSchema({});
  }
  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& /*arguments*/, const ToolContext& context) override {
    if (!work_.obstacle.empty()) return ToolResult::Error(ToUtf8(work_.obstacle));
    EditTransaction edits(context.file_system, context.workspace, context.journal_dir);
    std::vector<std::string> paths;
    for (const MergedFile& file : work_.files) {
      if (Holds(JoinPath(context.workspace, file.path), file.after)) continue;
      edits.Expect(file.path, file.before);
      const absl::Status status = file.after.has_value()
                                      ? edits.Write(file.path, *file.after, file.mode)
                                      : edits.Delete(file.path);
      if (!status.ok()) return ToolResult::FromStatus(status);
      paths.push_back(file.path);
    }
    if (paths.empty()) return ToolResult::Success("Nothing had to be changed.");
    if (context.may_change) {
      if (const absl::Status status = context.may_change(paths); !status.ok()) {
        return ToolResult::FromStatus(status);
      }
    }
    if (const absl::Status status = edits.Commit(); !status.ok()) {
      return ToolResult::FromStatus(status);
    }
    std::string text = absl::StrCat("Took over ", Count(paths.size(), "file"), ":");
    for (const std::string& path : paths) absl::StrAppend(&text, "\n", DisplayPath(path));
    return ToolResult::Success(std::move(text));
  }

 private:
  const MergedWork& work_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<ChatModel> NewMergeModel() { return std::make_unique<MergeModel>(); }

std::unique_ptr<Tool> NewMergeTool(const MergedWork* work) {
  return std::make_unique<MergeTool>(work);
}

}  // namespace stile
