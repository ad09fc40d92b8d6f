// Replies of Anthropic Messages.
#ifndef STILE_RUNTIME_MODEL_ANTHROPIC_READER_H_
#define STILE_RUNTIME_MODEL_ANTHROPIC_READER_H_

#include <map>
#include <string>
#include <vector>

#include "runtime/http/sse_reader.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"

namespace stile {

// Reads the event stream of an Anthropic message. The reply's provider_data is
// {"anthropic_content": […], "stop_reason": "…"}: the content blocks as they must be sent back,
// thinking and signatures included.
// One thing: one reply while it arrives; events name blocks that earlier ones began.
class AnthropicReader : public ReplyReader {
 public:
  // `url`: where it was asked. `endpoint` and `listener`, which may be null, outlive the reader.
  AnthropicReader(const ProviderEndpoint& endpoint, std::string url, ReplyListener* listener);

  absl::Status Push(absl::string_view bytes) override;
  absl::StatusOr<ModelReply> Finish() override;
  bool finished() const override { return stopped_; }
  bool whole() const override { return stopped_ || !stop_reason_.empty(); }

 private:
  struct Block {
    Json content;       // as content_block_start gave it, with text and thinking appended
    std::string input;  // tool_use: the pieces of its input
    bool stopped = false;
  };

  absl::Status OnEvent(absl::string_view data);
  void OnDelta(Block* block, const Json& delta);
  void OnUsage(const Json& usage);
  void AppendTo(Block* block, const char* key, const std::string& text);
  ToolCall MakeCall(Block* block) const;

  const ProviderEndpoint& endpoint_;
  const std::string url_;
  ReplyListener* const listener_;
  SseReader events_;
  std::string excerpt_;  // the first bytes, for the message about a wrong answer
  std::map<int64_t, Block> blocks_;
  std::string stop_reason_;
  bool started_ = false;
  bool stopped_ = false;
  int64_t plain_input_ = 0;
  int64_t cache_read_ = 0;
  int64_t cache_write_ = 0;
  int64_t output_ = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_ANTHROPIC_READER_H_
