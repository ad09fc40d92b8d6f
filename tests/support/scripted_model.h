#ifndef STILE_TESTS_SUPPORT_SCRIPTED_MODEL_H_
#define STILE_TESTS_SUPPORT_SCRIPTED_MODEL_H_

#include <functional>
#include <utility>
#include <vector>

#include "runtime/model/chat_model.h"

namespace stile {

// A model that says what a test told it to, and remembers what it was asked. When its replies run
// out it answers OutOfRange, as a cassette does. Header-only: only tests of rooms above
// runtime/model may include it.
class ScriptedModel : public ChatModel {
 public:
  explicit ScriptedModel(std::vector<ModelReply> replies) : replies_(std::move(replies)) {}

  const ModelInfo& info() const override { return info_; }

  absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener*,
                                      const Cancellation* cancellation) override {
    if (cancellation != nullptr && cancellation->cancelled()) {
      return absl::CancelledError("cancelled");
    }
    requests_.push_back(request);
    if (next_ >= replies_.size()) return end_;
    ModelReply reply = replies_[next_++];
    for (size_t i = 0; i < reply.tool_calls.size(); ++i) {
      reply.tool_calls[i].id = "call-" + std::to_string(next_) + "-" + std::to_string(i);
    }
    return reply;
  }

  const std::vector<ModelRequest>& requests() const { return requests_; }
  // What it answers when its replies have run out.
  void set_end(absl::Status end) { end_ = std::move(end); }

 private:
  const ModelInfo info_{"scripted", "test", true};
  const std::vector<ModelReply> replies_;
  absl::Status end_ = absl::OutOfRangeError("no more replies");
  size_t next_ = 0;
  std::vector<ModelRequest> requests_;
};

// A reply with one tool call.
inline ModelReply CallReply(std::string tool, Json arguments = Json::object()) {
  ModelReply reply;
  ToolCall call;
  call.name = std::move(tool);
  call.arguments = std::move(arguments);
  reply.tool_calls.push_back(std::move(call));
  reply.usage = {10, 5, 0, 0};
  reply.finish_reason = FinishReason::kToolCalls;
  return reply;
}

inline ModelReply FinishReply(std::string answer = "done") {
  return CallReply("finish", {{"answer", std::move(answer)}});
}

inline ModelReply TextReply(std::string text) {
  ModelReply reply;
  reply.text = std::move(text);
  reply.usage = {10, 5, 0, 0};
  return reply;
}

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_SCRIPTED_MODEL_H_
