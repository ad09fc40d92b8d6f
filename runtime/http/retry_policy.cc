#include "runtime/http/retry_policy.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace stile {
namespace {

constexpr int kRetriesWithAlternative = 2;
constexpr double kLongestWaitS = 120;

int MaxRetries(const FailedExchange& exchange) {
  if (exchange.has_alternative) return kRetriesWithAlternative;
  const int status = exchange.status;
  if (status == 0) return 3;
  return status == 429 || status == 503 || status == 529 ? 12 : 5;
}

const std::string* Header(const FailedExchange& exchange, const std::string& name) {
  const auto found = exchange.headers.find(name);
  return found == exchange.headers.end() ? nullptr : &found->second;
}

bool MayRetry(const FailedExchange& exchange) {
  if (const std::string* verdict = Header(exchange, "x-should-retry")) {
    if (*verdict == "true") return true;
    if (*verdict == "false") return false;
  }
  const int status = exchange.status;
  return status == 0 || status == 408 || status == 409 || status == 429 || status >= 500;
}

std::optional<double> Number(absl::string_view text) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<absl::Duration> ServerWait(const FailedExchange& exchange) {
  std::optional<absl::Duration> wait;
  if (const std::string* ms = Header(exchange, "retry-after-ms")) {
    if (const auto value = Number(*ms)) wait = absl::Milliseconds(*value);
  }
  if (const std::string* after = Header(exchange, "retry-after"); !wait && after != nullptr) {
    absl::Time date;
    if (const auto value = Number(*after)) {
      wait = absl::Seconds(*value);
    } else if (absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", *after, &date, nullptr)) {
      wait = date - exchange.now;
    }
  }
  if (wait && *wait <= absl::ZeroDuration()) return std::nullopt;
  return wait;
}

std::optional<absl::Duration> RetryWait(const FailedExchange& exchange) {
  if (exchange.retries_done >= MaxRetries(exchange) || !MayRetry(exchange)) return std::nullopt;
  if (const auto wait = ServerWait(exchange)) return wait;
  const double seconds = std::min(0.5 * std::ldexp(1.0, exchange.retries_done), kLongestWaitS);
  return absl::Seconds(seconds * (1 - 0.25 * std::clamp(exchange.jitter, 0.0, 1.0)));
}

bool MayWait(const FailedExchange& exchange, absl::Duration wait) {
  if (exchange.has_alternative && wait > kLongestWaitWithAlternative) return false;
  return exchange.time_left == absl::InfiniteDuration() ? wait <= kLongestServerWait
                                                        : wait < exchange.time_left;
}

}  // namespace stile
