// What passes between the loop and a model, independent of any provider.
#ifndef STILE_RUNTIME_MODEL_MESSAGE_H_
#define STILE_RUNTIME_MODEL_MESSAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/model/model_settings.h"

namespace stile {

struct ToolCall {
  std::string
      id;  // the provider's, or made up by the reader of the reply; unique in a conversation
  std::string name;  // as the model wrote it: dots or underscores
  Json arguments = Json::object();
  // Set when the model's arguments were not valid JSON (`arguments` is then {}): what was wrong,
  // fit for the model to read. The call must not be executed.
  std::string malformed;
};

// A picture in a message.
struct ImageData {
  std::string media_type;  // "image/png", "image/jpeg", "image/gif" or "image/webp"
  std::string base64;      // of the file's bytes
  std::string file;        // where a run keeps them; "" : nowhere
};

enum class Role { kSystem, kUser, kAssistant, kTool };

struct Message {
  Role role = Role::kUser;
  std::string text;
  std::vector<ToolCall> tool_calls;  // kAssistant
  std::string tool_call_id;          // kTool: the call it answers
  std::string tool_name;             // kTool
  bool is_error = false;             // kTool
  std::vector<ImageData> images;     // kUser, kTool; left out where the model takes none
  // kAssistant: what the provider needs back unchanged (thinking blocks and signatures, reasoning
  // items, raw argument text), an object with "by": "PROVIDER:MODEL", and "shortened": true where
  // messages before it were left out since. Otherwise opaque outside the model that made it, which
  // is the only one that gets it back.
  Json provider_data;
};

struct ToolDefinition {
  std::string name;  // with dots; each model spells it as its provider allows
  std::string description;
  Json parameters;  // JSON Schema, draft 7
};

// kRefusal: the model declined; kContentFilter: the provider stopped the reply.
enum class FinishReason { kStop, kToolCalls, kLength, kContentFilter, kRefusal };
absl::string_view FinishReasonName(FinishReason reason);  // "stop", "tool_calls", "length", …

struct ModelRequest {
  // Only appended to between two requests of one conversation, so that prompt caches hit; until the
  // budget runs short, see runtime/agent_loop/compaction.h.
  std::vector<Message> messages;
  std::vector<ToolDefinition> tools;
  double temperature = -1;        // < 0: the provider's default
  int64_t max_output_tokens = 0;  // 0: the provider's default, or 16 384 where one must be given
  // When the run's time is up, by Clock::Monotonic(): no pause before another attempt may reach it.
  absl::Duration ends_at = absl::InfiniteDuration();
};

struct ModelReply {
  std::string text;
  std::vector<ToolCall> tool_calls;
  Usage usage;
  FinishReason finish_reason = FinishReason::kStop;
  Json provider_data;  // for Message::provider_data
  // Set by the text and JSON protocols when the reply fits no form: an explanation with the
  // expected form, fit for the model. Such a reply has no tool calls and is never a finish.
  std::string unparsable;
};

// Neither calls nor a finish can be read from it: unparsable, without text and calls, or ended (by
// length, by a filter, by a refusal) before its first call.
bool IsUnusable(const ModelReply& reply);

// The reply as the next message of the conversation.
Message ToMessage(const ModelReply& reply);

// Lossless JSON forms for journal and cassettes (shape of a cassette line: docs/settings.md).
Json ToJson(const ModelReply& reply);
absl::StatusOr<ModelReply> ModelReplyFromJson(const Json& json);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_MESSAGE_H_
