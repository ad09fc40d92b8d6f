// What ReactExecutor and its model exchange: the request, pictures, a conversation that is too
// long.
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/agent_loop/compaction.h"
#include "runtime/agent_loop/model_events.h"
#include "runtime/agent_loop/model_refusal.h"
#include "runtime/agent_loop/react_executor.h"
#include "runtime/base/check.h"
#include "runtime/base/picture.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr int kMaxOverflows = 4;

}  // namespace

absl::StatusOr<ModelReply> ReactExecutor::Ask() {
  ModelEvents listener(turn_, [this](EventType type, Json data) { Emit(type, std::move(data)); });
  request_.ends_at = options_.limits.wall_time_s > 0
                         ? started_ + absl::Seconds(options_.limits.wall_time_s)
                         : absl::InfiniteDuration();
  for (int overflows = 0;; ++overflows) {
    absl::StatusOr<ModelReply> reply =
        options_.model->Complete(request_, &listener, options_.cancellation);
    if (reply.ok() || !IsContextOverflow(reply.status())) return reply;
    if (overflows < kMaxOverflows && Compact()) continue;
    return absl::Status(
        reply.status().code(),
        absl::StrCat(reply.status().message(),
                     ". The conversation cannot be shortened further: choose a model with a longer "
                     "context (--model), or a smaller task"));
  }
}

void ReactExecutor::FailToAsk(const absl::Status& status) {
  if (!IsForLater(status)) {
    result_.is_final = IsFinalRefusal(status, /*is_first=*/turns_ == 1);
    return FailBecause(status, StopReason::kModelError);
  }
  // With another limit of time, another attempt may wait as long as it takes.
  result_.is_final = !IsPastEnd(status);
  const std::string& id = options_.events->run_id();
  const std::string text = absl::StrCat(status.message(), "; then go on with `stile runs resume ",
                                        id.substr(0, id.find('.')), "`");
  FailBecause(ForLater(status, IsPastEnd(status), text), StopReason::kModelError);
}

std::vector<ImageData> ReactExecutor::Show(const ToolResult& result, int index, std::string* text) {
  std::vector<ImageData> images;
  for (const auto& [media_type, bytes] : result.pictures) {
    if (!options_.model->info().takes_images || bytes.size() > kMaxPictureBytes) {
      absl::StrAppend(text, "\n[A picture, ", media_type, ", ", bytes.size(), " bytes: ",
                      bytes.size() > kMaxPictureBytes ? "too large to be shown]"
                                                      : "this model takes no pictures]");
      continue;
    }
    images.push_back({media_type, Base64Encode(bytes)});
    images.back().file = JoinPath(options_.tool_context.output_dir,
                                  absl::StrCat("turn-", turn_, "-", index, "-", images.size()));
    // Without the file a resumed run has the text alone.
    options_.tool_context.file_system->WriteFile(images.back().file, bytes, 0600, /*sync=*/false)
        .IgnoreError();
  }
  return images;
}

// Pictures of an interrupted run, as far as their files are still there.
std::vector<ImageData> ReactExecutor::Reloaded(std::vector<ImageData> images) const {
  std::vector<ImageData> found;
  for (ImageData& image : images) {
    const auto bytes = options_.tool_context.file_system->ReadFile(image.file, kMaxPictureBytes);
    if (!bytes.ok()) continue;
    image.base64 = Base64Encode(*bytes);
    found.push_back(std::move(image));
  }
  return found;
}

void ReactExecutor::CompactIfDue(const Usage& usage) {
  if (IsCompactionDue(*budget_, options_.limits.context_tokens, usage, request_.messages)) {
    Compact();
  }
}

bool ReactExecutor::Compact() {
  const std::optional<size_t> first_kept = FirstKept(request_.messages);
  if (!first_kept.has_value()) return false;
  Json record = MakeContextRecord(request_.messages, *first_kept, context_record_, ChangedPaths(),
                                  options_.gate->last_report());
  if (!IsWorthwhile(request_.messages, *first_kept, record)) return false;
  const size_t before = request_.messages.size();
  STILE_CHECK(LeaveOut(*first_kept, record, &request_.messages));
  Emit(ContextCompactedEvent{turn_, *first_kept, before - request_.messages.size() + 1, record});
  context_record_ = std::move(record);
  return true;
}

}  // namespace stile
