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
  // Until the caller's own limit of time; infinite without one.
  absl::Duration time_left = absl::InfiniteDuration();
};

// The longest waits that a server may ask for where the caller has no limit of time, and where
// something else can answer.
constexpr absl::Duration kLongestServerWait = absl::Hours(1);
constexpr absl::Duration kLongestWaitWithAlternative = absl::Minutes(10);

// How long to wait before the next try; nothing means give up. Retried are lost connections (three
// times), 408, 409 and 5xx answers (five times), and those that say that there is too much to do,
// 429, 503 and 529 (twelve times); x-should-retry overrules the status. The wait is the server's
// retry-after-ms or Retry-After, however long; without them it is 0.5 s, doubled with each retry,
// two minutes at most: ten minutes for twelve retries.
std::optional<absl::Duration> RetryWait(const FailedExchange& exchange);

// Whether the wait ends before `time_left` does, and is not longer than the longest one.
bool MayWait(const FailedExchange& exchange, absl::Duration wait);

// What the server asked for with retry-after-ms or Retry-After, if it is a time to come.
std::optional<absl::Duration> ServerWait(const FailedExchange& exchange);

}  // namespace stile

#endif  // STILE_RUNTIME_HTTP_RETRY_POLICY_H_
