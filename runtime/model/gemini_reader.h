// Replies of Google's streamGenerateContent.
#ifndef STILE_RUNTIME_MODEL_GEMINI_READER_H_
#define STILE_RUNTIME_MODEL_GEMINI_READER_H_

#include <string>

#include "runtime/http/sse_reader.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// Reads the event stream of a reply. Its provider_data is {"gemini_parts": […]}: the parts as they
// must be sent back, thought signatures included; pieces of text without one are joined.
class GeminiReader : public ReplyReader {
 public:
  // `url`: where it was asked. `endpoint` and `listener`, which may be null, outlive the reader.
  GeminiReader(const ProviderEndpoint& endpoint, std::string url, ReplyListener* listener);

  absl::Status Push(absl::string_view bytes) override;
  absl::StatusOr<ModelReply> Finish() override;
  bool finished() const override { return false; }  // the stream has no last event
  bool whole() const override { return !finish_reason_.empty() || !block_reason_.empty(); }

 private:
  absl::Status OnData(absl::string_view data);
  void OnPart(const Json& part);
  void OnUsage(const Json& usage);
  absl::Status WrongAnswer(absl::string_view why) const;

  const ProviderEndpoint& endpoint_;
  const std::string url_;
  ReplyListener* const listener_;
  SseReader events_;
  std::string excerpt_;  // the first bytes, for the message about a wrong answer
  Json parts_ = Json::array();
  std::string text_;
  std::string finish_reason_;
  std::string finish_message_;
  std::string block_reason_;  // why the request was refused
  Usage usage_;
  bool any_event_ = false;
};

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_GEMINI_READER_H_
