#include "agents/api/merge_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/edit_record.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr char kToolName[] = "story.merge";

class MergeModel : public ChatModel {
 public:
  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* /*listener*/,
                                      const Cancellation* cancellation) override {
    if (cancellation != nullptr && cancellation->cancelled()) {
      return absl::CancelledError("cancelled");
    }
    ToolCall call;
    const Message& last = request.messages.back();
    if (last.role != Role::kTool) {
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

class MergeTool : public Tool {
 public:
  explicit MergeTool(const MergedWork* work) : work_(*work) {
    spec_.name = kToolName;
    spec_.description = "Take over what was done in another working tree.";
    spec_.parameters = ObjectSchema({});
    spec_.idempotent = true;  // files that have their content already are left alone
  }
  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& /*arguments*/, const ToolContext& context) override {
    if (!work_.obstacle.empty()) return ToolResult::Error(ToUtf8(work_.obstacle));
    EditTransaction edits(context.file_system, context.workspace, context.journal_dir);
    std::vector<std::string> paths;
    for (const MergedFile& file : work_.files) {
      const auto now = ReadIfExists(context.file_system, JoinPath(context.workspace, file.path));
      if (now.ok() && *now == file.after) continue;
      edits.Expect(file.path, file.before);
      const absl::Status status = file.after.has_value()
                                      ? edits.Write(file.path, *file.after, file.mode)
                                      : edits.Delete(file.path);
      if (!status.ok()) return ToolResult::FromStatus(status);
      paths.push_back(file.path);
    }
    if (paths.empty()) return ToolResult::Success("Nothing had to be changed.");
    // Nobody is asked whether the files may be changed: where it was done, that was allowed.
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
