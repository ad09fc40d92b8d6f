// Replies of Chat Completions.
#ifndef STILE_RUNTIME_MODEL_OPENAI_READER_H_
#define STILE_RUNTIME_MODEL_OPENAI_READER_H_

#include <map>
#include <string>

#include "runtime/http/sse_reader.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// Reads a Chat Completions answer: a stream of server-sent events, or one JSON object from servers
// that do not stream.
// One thing: one reply while it arrives; pieces of text and of calls come mixed.
class OpenAiReader : public ReplyReader {
 public:
  // `url`: where it was asked. `endpoint` and `listener`, which may be null, outlive the reader.
  OpenAiReader(const ProviderEndpoint& endpoint, std::string url, ReplyListener* listener);

  absl::Status Push(absl::string_view bytes) override;
  absl::StatusOr<ModelReply> Finish() override;
  bool finished() const override { return done_; }
  bool whole() const override { return done_ || !finish_reason_.empty(); }

 private:
  struct Call {
    std::string id;
    std::string name;
    std::string arguments;
    Json extra;  // extra_content, which some servers want back (thought signatures)
  };

  absl::Status OnData(absl::string_view data);
  absl::Status OnChunk(const Json& chunk);
  absl::Status OnMessage(const Json& message, bool whole);
  void OnToolCall(const Json& piece, int64_t position, bool whole);
  void OnReasoning(const Json& message);
  void OnUsage(const Json& usage);
  Json ProviderData() const;
  absl::Status WrongAnswer(absl::string_view why, absl::string_view text) const;

  const ProviderEndpoint& endpoint_;
  const std::string url_;
  ReplyListener* const listener_;
  SseReader events_;
  std::string plain_;  // the body so far, while it looks like one JSON object
  enum class Shape { kUnknown, kEvents, kPlain } shape_ = Shape::kUnknown;
  bool any_chunk_ = false;
  bool done_ = false;  // [DONE] came
  std::string finish_reason_;
  std::string text_;
  std::string refusal_;
  std::map<std::string, std::string> reasoning_;  // "reasoning_content", "reasoning": as sent
  Json reasoning_details_;                        // OpenRouter's; null: none came
  std::map<int64_t, Call> calls_;                 // by index
  Usage usage_;
  int64_t cache_write_ = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_OPENAI_READER_H_
