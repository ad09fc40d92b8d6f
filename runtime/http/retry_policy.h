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
};

// How long to wait before the next try; nothing means give up. At most two retries, of connection
// failures and of 408, 409, 429 and 5xx answers; x-should-retry overrules the status. The server's
// retry-after-ms or Retry-After is honoured up to two minutes, and above that there is no retry;
// otherwise the wait is 0.5 s doubled with each retry, 8 s at most.
std::optional<absl::Duration> RetryWait(const FailedExchange& exchange);

}  // namespace stile

#endif  // STILE_RUNTIME_HTTP_RETRY_POLICY_H_
