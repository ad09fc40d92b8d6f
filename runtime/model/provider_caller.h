// One provider's requests: sent, retried, mended where an optional parameter is refused.
#ifndef STILE_RUNTIME_MODEL_PROVIDER_CALLER_H_
#define STILE_RUNTIME_MODEL_PROVIDER_CALLER_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/http/http_client.h"
#include "runtime/http/retry_policy.h"
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
};

// Names of optional parameters that the provider has refused, as its errors name them.
using RefusedParameters = std::set<std::string>;

// One request in a provider's dialect.
class ProviderRequest {
 public:
  virtual ~ProviderRequest() = default;
  virtual std::string Url() const = 0;
  // Without the parameters that are refused.
  virtual Json Body(const RefusedParameters& refused) const = 0;
  // What a request can do without, as the provider's errors name it; for Body to leave out.
  virtual const std::vector<std::string>& OptionalParameters() const = 0;
  // For one attempt. `listener` may be null and outlives the reader.
  virtual std::unique_ptr<ReplyReader> NewReader(ReplyListener* listener) const = 0;
};

// Sends requests to one provider over kept connections, retries as protocols allow, and keeps the
// key out of every error. A 400 or 422 answer that names an optional parameter is answered by the
// same request without it; what was refused stays left out. Not thread-safe.
class ProviderCaller {
 public:
  // `clock` not owned.
  ProviderCaller(ProviderEndpoint endpoint, std::unique_ptr<HttpClient> http, Clock* clock);

  const ProviderEndpoint& endpoint() const { return endpoint_; }
  // Another model stands by: two retries are enough.
  void set_has_alternative() { has_alternative_ = true; }

  // The errors of ChatModel::Complete. `ends_at`: see ModelRequest. `listener` may be null.
  absl::StatusOr<ModelReply> Call(const ProviderRequest& request, absl::Duration ends_at,
                                  ReplyListener* listener, const Cancellation* cancellation);

 private:
  struct Attempt;
  void Try(const std::string& url, const std::string& body, const std::string& idempotency_key,
           ReplyReader* reader, const Cancellation* cancellation, Attempt* attempt);
  // Whether `attempt` named an optional parameter, which is left out from now on.
  bool DropRefused(const ProviderRequest& request, const std::string& body, const Attempt& attempt,
                   ReplyListener* listener);
  // What the retry policy looks at.
  FailedExchange ExchangeOf(const Attempt& attempt, int retries_done, absl::Duration ends_at) const;
  // How long to wait before the next attempt; nothing: give up.
  static std::optional<absl::Duration> WaitAfter(const Attempt& attempt,
                                                 const FailedExchange& exchange);
  // What to do about an attempt that was the last; "" where its status says it.
  std::string AdviceAfter(const Attempt& attempt) const;
  absl::Status Redacted(const absl::Status& status) const;

  const ProviderEndpoint endpoint_;
  const std::unique_ptr<HttpClient> http_;
  Clock* const clock_;
  RefusedParameters refused_;
  bool has_alternative_ = false;
};

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PROVIDER_CALLER_H_
