// The conversation partner of the loop: one interface for every provider, and what is told about a
// reply while it is awaited.
#ifndef STILE_RUNTIME_MODEL_CHAT_MODEL_H_
#define STILE_RUNTIME_MODEL_CHAT_MODEL_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/model/message.h"
#include "runtime/model/model_catalog.h"
#include "runtime/model/model_settings.h"

namespace stile {

// Something that a user should know about a request, though the run goes on.
struct ModelNotice {
  enum class Kind {
    kWaiting,           // before the next attempt
    kParameterDropped,  // the provider refuses an optional parameter; the run goes on without it
    kApiChanged,        // the provider answers this model at another of its APIs only
    kFallback,          // from now on another model answers
  };
  Kind kind = Kind::kWaiting;
  std::string text;                            // one sentence, without keys
  absl::Duration wait = absl::ZeroDuration();  // kWaiting
};
absl::string_view ModelNoticeKindName(ModelNotice::Kind kind);  // "waiting", "parameter_dropped", …

// Is told what happens between a request and its reply, on the thread that called Complete.
class ReplyListener {
 public:
  virtual ~ReplyListener() = default;
  // The next piece of text as it streams in. After a notice, pieces begin anew.
  virtual void OnText(absl::string_view /*piece*/) {}
  virtual void OnNotice(const ModelNotice& /*notice*/) {}
};

struct ModelInfo {
  std::string provider;  // "openai", "anthropic", "gemini", …, "replay"
  std::string model;
  bool native_tools = true;  // whether tool calls can be sent and received natively
  // From the catalogue; the catalogue may not know the model.
  int64_t context_tokens = 0;       // 0: unknown
  int64_t output_tokens = 0;        // 0: unknown
  std::optional<ModelPrice> price;  // by which ModelReply::usage has a cost
  bool takes_images = false;
};

// A conversation partner. Not thread-safe: one conversation at a time per object.
class ChatModel {
 public:
  virtual ~ChatModel() = default;
  virtual const ModelInfo& info() const = 0;

  // One reply to the whole conversation. Blocks; waits and retries what may be retried, inside.
  // `listener` and `cancellation` may be null. Errors: Cancelled, Unavailable and DeadlineExceeded
  // (after all retries), Unauthenticated, PermissionDenied, InvalidArgument (the provider refused
  // the request; see IsContextOverflow), ResourceExhausted (rate limit, quota, billing), OutOfRange
  // (a cassette has no more replies), DataLoss (the reply broke the protocol). Messages say what to
  // do, and never contain a key.
  virtual absl::StatusOr<ModelReply> Complete(const ModelRequest& request, ReplyListener* listener,
                                              const Cancellation* cancellation) = 0;
};

// Whether an error of Complete says that the conversation is longer than the model takes: with a
// shorter one, the request may be made again.
bool IsContextOverflow(const absl::Status& status);

// Whether an error of Complete says that the same request can be made again later: the provider's
// wait is longer than any that is made, or does not end before ModelRequest::ends_at.
bool IsForLater(const absl::Status& status);
// Whether only the second is true: the limit of the run's time is the reason.
bool IsPastEnd(const absl::Status& status);
// `status` with another message, for which IsForLater, and IsPastEnd if `is_past_end`, are true.
absl::Status ForLater(const absl::Status& status, bool is_past_end, absl::string_view message);

// Makes the model that `settings` name, wrapped for its protocol, fallback and recording.
// `environment` holds the providers' keys and addresses (see provider_endpoint.h). InvalidArgument
// says which provider is unknown or which key is missing and how to give it; NotFound names a
// missing cassette. `clock` not owned.
absl::StatusOr<std::unique_ptr<ChatModel>> NewChatModel(
    const ModelSettings& settings, const std::map<std::string, std::string>& environment,
    Clock* clock);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_CHAT_MODEL_H_
