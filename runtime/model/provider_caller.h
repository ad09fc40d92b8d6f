#ifndef STILE_RUNTIME_MODEL_PROVIDER_CALLER_H_
#define STILE_RUNTIME_MODEL_PROVIDER_CALLER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/http/http_client.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {

// Turns the body of one answer into a reply. One object for one attempt.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  // The next bytes. An error ends the attempt; Unavailable, DeadlineExceeded and DataLoss mean that
  // another one may help.
  virtual absl::Status Push(absl::string_view bytes) = 0;
  // The bytes have ended, properly or not. Unavailable when the reply is not whole.
  virtual absl::StatusOr<ModelReply> Finish() = 0;
  // All of the reply has arrived; more bytes would not change it.
  virtual bool finished() const = 0;
  // The reply can be used, though its usage may still come. Finish() succeeds then.
  virtual bool whole() const = 0;
  // A tool call arrived in full: from then on a failure is final.
  virtual bool has_complete_call() const = 0;
};

// Sends requests to one provider over kept connections, retries as protocols allow, and keeps the
// key out of every error. Not thread-safe.
class ProviderCaller {
 public:
  using NewReader = std::function<std::unique_ptr<ReplyReader>()>;

  ProviderCaller(ProviderEndpoint endpoint, std::unique_ptr<HttpClient> http, Clock* clock);

  const ProviderEndpoint& endpoint() const { return endpoint_; }

  // The errors of ChatModel::Complete.
  absl::StatusOr<ModelReply> Call(const Json& body, const NewReader& new_reader,
                                  const Cancellation* cancellation);

 private:
  struct Attempt;
  void Try(const std::string& body, const std::string& idempotency_key, ReplyReader* reader,
           const Cancellation* cancellation, Attempt* attempt);
  absl::Status Redacted(const absl::Status& status) const;

  const ProviderEndpoint endpoint_;
  const std::unique_ptr<HttpClient> http_;
  Clock* const clock_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PROVIDER_CALLER_H_
