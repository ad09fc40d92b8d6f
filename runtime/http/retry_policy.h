// When a request that failed is sent again.
#ifndef STILE_RUNTIME_HTTP_RETRY_POLICY_H_
#define STILE_RUNTIME_HTTP_RETRY_POLICY_H_

#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace stile {

// What is known about an exchange that failed.
struct FailedExchange {
  int status = 0;                              // 0: no answer, or the connection broke
  std::map<std::string, std::string> headers;  // names in lower case
  int retries_done = 0;
  absl::Time now;     // for Retry-After dates
  double jitter = 0;  // in [0, 1): 0 waits the full backoff, close to 1 three quarters of it
  // Something else can answer: two retries are enough.
  bool has_alternative = false;
};

// The longest wait that a server may ask for; beyond it there is no retry.
constexpr absl::Duration kLongestServerWait = absl::Minutes(10);

// How long to wait before the next try; nothing means give up. Retried are lost connections (three
// times), 408, 409 and 5xx answers (five times), and those that say that there is too much to do,
// 429, 503 and 529 (twelve times, ten minutes of waiting in all); x-should-retry overrules the
// status. The server's retry-after-ms or Retry-After is honoured; otherwise the wait is 0.5 s,
// doubled with each retry, two minutes at most.
std::optional<absl::Duration> RetryWait(const FailedExchange& exchange);

// What the server asked for with retry-after-ms or Retry-After, if it is a time to come.
std::optional<absl::Duration> ServerWait(const FailedExchange& exchange);

}  // namespace stile

#endif  // STILE_RUNTIME_HTTP_RETRY_POLICY_H_
