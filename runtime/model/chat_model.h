#ifndef STILE_RUNTIME_MODEL_CHAT_MODEL_H_
#define STILE_RUNTIME_MODEL_CHAT_MODEL_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/model/message.h"

namespace stile {

// Pieces of text while a reply streams in; may be empty.
using DeltaSink = std::function<void(absl::string_view text)>;

struct ModelInfo {
  std::string provider;  // "openai", "anthropic", "ollama", "replay"
  std::string model;
  bool native_tools = true;  // whether tool calls can be sent and received natively
};

// A conversation partner. Not thread-safe: one conversation at a time per object.
class ChatModel {
 public:
  virtual ~ChatModel() = default;
  virtual const ModelInfo& info() const = 0;

  // One reply to the whole conversation. Retries what may be retried, inside. Errors: Cancelled,
  // Unavailable and DeadlineExceeded (after all retries), Unauthenticated, PermissionDenied,
  // InvalidArgument (the provider refused the request), ResourceExhausted (quota, billing),
  // OutOfRange (a cassette has no more replies), DataLoss (the reply broke the protocol). Messages
  // say what to do, and never contain a key.
  virtual absl::StatusOr<ModelReply> Complete(const ModelRequest& request,
                                              const DeltaSink& on_delta,
                                              const Cancellation* cancellation) = 0;
};

// What --model, --base-url and the environment say about a model.
struct ModelSettings {
  std::string model;     // "PROVIDER:MODEL", e.g. "anthropic:claude-sonnet-4-5", "replay:FILE"
  std::string base_url;  // "" : the provider's variable in `environment`, then its public address
  std::string protocol = "auto";  // auto | native | json | text
  std::string record_file;        // "" : do not record
  bool replay_strict = false;     // a recorded request that differs ends the run
  absl::Duration timeout = absl::Seconds(600);
  size_t replay_skip = 0;      // replay: replies an interrupted run consumed before this process
  std::string cassette_step;   // replay:DIR plays DIR/<this>.jsonl
  int64_t context_tokens = 0;  // Ollama's num_ctx; 0: 65 536, its own default being too small
};

// Makes the model that `settings` name, wrapped for its protocol and recording. `environment` holds
// OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OLLAMA_HOST.
// InvalidArgument says which provider is unknown or which key is missing and how to give it;
// NotFound names a missing cassette. `clock` not owned.
absl::StatusOr<std::unique_ptr<ChatModel>> NewChatModel(
    const ModelSettings& settings, const std::map<std::string, std::string>& environment,
    Clock* clock);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_CHAT_MODEL_H_
