#include "runtime/model/provider_caller.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/model/provider_error.h"

namespace stile {
namespace {

constexpr int kBrokenStream = 502;
constexpr absl::Duration kLongestShownWait = absl::Hours(24 * 365);

bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsDataLoss(status);
}

double RandomFraction() {
  uint32_t bits = 0;
  [[maybe_unused]] const bool parsed = absl::SimpleHexAtoi(RandomHex(4), &bits);
  return static_cast<double>(bits) / 4294967296.0;
}

std::string Trouble(const ProviderEndpoint& endpoint, int status) {
  if (status / 100 == 2) return absl::StrCat("the reply of ", endpoint.provider, " broke off");
  switch (status) {
    case 0:
      return absl::StrCat("the connection to ", endpoint.provider, " failed");
    case 429:
      return absl::StrCat(endpoint.provider, ": rate limited");
    case 503:
    case 529:
      return absl::StrCat(endpoint.provider, ": overloaded");
    default:
      return absl::StrCat(endpoint.provider, ": HTTP ", status);
  }
}

std::string Seconds(absl::Duration wait) {
  const double seconds = absl::ToDoubleSeconds(wait);
  return seconds < 10 ? absl::StrCat(std::round(seconds * 10) / 10, " s")
                      : absl::StrCat(std::llround(seconds), " s");
}

// The error for a wait that is not made. When the provider wants to be asked again is the first
// thing to know.
absl::Status TooLong(const absl::Status& status, const FailedExchange& exchange,
                     absl::Duration wait) {
  const bool is_past_end = exchange.time_left != absl::InfiniteDuration();
  std::string text = std::string(status.message());
  if (ServerWait(exchange).has_value()) {
    const absl::Duration shown = std::min(wait, kLongestShownWait);
    absl::StrAppend(
        &text, "; it asks to wait ", shown < wait ? "more than " : "", Seconds(shown), ", until ",
        absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", exchange.now + shown, absl::UTCTimeZone()));
  } else {
    absl::StrAppend(&text, "; the next attempt would be in ", Seconds(wait));
  }
  if (exchange.has_alternative && wait > kLongestWaitWithAlternative) {
    return ForLater(status, false, text);
  }
  if (is_past_end) {
    const absl::Duration left = std::max(exchange.time_left, absl::ZeroDuration());
    absl::StrAppend(&text, ", but ", Seconds(left), " are left of limits.wall_time_s");
  } else {
    absl::StrAppend(&text, "; a run without limits.wall_time_s waits ", Seconds(kLongestServerWait),
                    " at most");
  }
  return ForLater(status, is_past_end, text);
}

}  // namespace

// What one attempt came to.
struct ProviderCaller::Attempt {
  absl::StatusOr<ModelReply> reply = absl::InternalError("not run");
  int http_status = 0;
  std::map<std::string, std::string> headers;
  std::string error_body;  // of an answer that is not 2xx
};

ProviderCaller::ProviderCaller(ProviderEndpoint endpoint, std::unique_ptr<HttpClient> http,
                               Clock* clock)
    : endpoint_(std::move(endpoint)), http_(std::move(http)), clock_(clock) {}

absl::StatusOr<ModelReply> ProviderCaller::Call(const ProviderRequest& request,
                                                absl::Duration ends_at, ReplyListener* listener,
                                                const Cancellation* cancellation) {
  const std::string url = request.Url();
  std::string body = DumpJson(request.Body(refused_));
  std::string idempotency_key = absl::StrCat("stile-", RandomHex(16));
  for (int retries = 0;; ++retries) {
    const std::unique_ptr<ReplyReader> reader = request.NewReader(listener);
    Attempt attempt;
    Try(url, body, idempotency_key, reader.get(), cancellation, &attempt);
    if (attempt.reply.ok()) {
      Json& kept = attempt.reply->provider_data;
      if (kept.is_object()) kept["by"] = absl::StrCat(endpoint_.provider, ":", endpoint_.model);
      return attempt.reply;
    }
    const absl::Status status = Redacted(attempt.reply.status());
    if (absl::IsCancelled(status)) return status;
    // Of a model that answers at another API, no parameter is the reason.
    if (!WantsResponsesApi(status) && DropRefused(request, body, attempt, listener)) {
      body = DumpJson(request.Body(refused_));
      idempotency_key = absl::StrCat("stile-", RandomHex(16));
      --retries;
      continue;
    }
    const FailedExchange exchange = ExchangeOf(attempt, retries, ends_at);
    const std::optional<absl::Duration> wait = WaitAfter(attempt, exchange);
    if (!wait.has_value()) {
      return WithMessage(
          status, absl::StrCat(status.message(),
                               retries == 0 ? "" : absl::StrCat(" (", retries + 1, " attempts)"),
                               AdviceAfter(attempt)));
    }
    if (!MayWait(exchange, *wait)) return TooLong(status, exchange, *wait);
    if (listener != nullptr) {
      listener->OnNotice({ModelNotice::Kind::kWaiting,
                          absl::StrCat(Trouble(endpoint_, attempt.http_status),
                                       ", next attempt in ", Seconds(*wait)),
                          *wait});
    }
    if (!clock_->Sleep(*wait, cancellation)) {
      return absl::CancelledError("cancelled while waiting to ask the model again");
    }
  }
}

std::string ProviderCaller::AdviceAfter(const Attempt& attempt) const {
  const absl::Status& status = attempt.reply.status();
  if (attempt.http_status == 0 && absl::IsUnavailable(status)) return UnreachableAdvice(endpoint_);
  if (attempt.http_status / 100 == 2 && absl::IsDataLoss(status)) {
    return WrongAnswerAdvice(endpoint_);
  }
  return "";
}

FailedExchange ProviderCaller::ExchangeOf(const Attempt& attempt, int retries_done,
                                          absl::Duration ends_at) const {
  FailedExchange exchange{attempt.http_status, attempt.headers,  retries_done,
                          clock_->Now(),       RandomFraction(), has_alternative_};
  if (ends_at != absl::InfiniteDuration()) exchange.time_left = ends_at - clock_->Monotonic();
  if (attempt.http_status / 100 == 2) {
    // A stream that broke off after a good status counts like an error of the server; silence and
    // an answer that cannot be read count like a lost connection.
    exchange.status = absl::IsUnavailable(attempt.reply.status()) ? kBrokenStream : 0;
    exchange.headers.clear();
  }
  return exchange;
}

std::optional<absl::Duration> ProviderCaller::WaitAfter(const Attempt& attempt,
                                                        const FailedExchange& exchange) {
  const bool has_answer = attempt.http_status != 0 && attempt.http_status / 100 != 2;
  if (!has_answer && !IsTransient(attempt.reply.status())) return std::nullopt;
  if (IsQuotaExhausted(attempt.error_body) || RefusesTools(attempt.reply.status())) {
    return std::nullopt;
  }
  return RetryWait(exchange);
}

bool ProviderCaller::DropRefused(const ProviderRequest& request, const std::string& body,
                                 const Attempt& attempt, ReplyListener* listener) {
  if (attempt.http_status != 400 && attempt.http_status != 422) return false;
  for (const std::string& name : request.OptionalParameters()) {
    if (refused_.count(name) > 0 || !NamesParameter(attempt.error_body, name)) continue;
    if (!absl::StrContains(body, absl::StrCat("\"", name, "\""))) continue;  // it was not sent
    refused_.insert(name);
    if (listener != nullptr) {
      listener->OnNotice({ModelNotice::Kind::kParameterDropped,
                          absl::StrCat(endpoint_.provider, " refuses '", name, "' for ",
                                       endpoint_.model, "; the run goes on without it (",
                                       ErrorMessage(endpoint_, attempt.error_body), ")")});
    }
    return true;
  }
  return false;
}

void ProviderCaller::Try(const std::string& url, const std::string& body,
                         const std::string& idempotency_key, ReplyReader* reader,
                         const Cancellation* cancellation, Attempt* attempt) {
  absl::Status read_status;
  HttpRequest request;
  request.url = url;
  request.headers = endpoint_.headers;
  request.headers["Content-Type"] = "application/json";
  request.headers["Idempotency-Key"] = idempotency_key;
  request.body = body;
  request.tls = endpoint_.tls;
  request.timeout = endpoint_.timeout;
  request.idle_timeout = endpoint_.timeout;  // models may think for minutes without a word
  request.cancellation = cancellation;
  request.on_headers = [&](int status, const std::map<std::string, std::string>& headers) {
    attempt->http_status = status;
    attempt->headers = headers;
  };
  request.on_body = [&](absl::string_view piece) {
    read_status = reader->Push(piece);
    return read_status.ok();
  };
  request.body_complete = [&] { return reader->finished(); };

  absl::StatusOr<HttpResponse> response = http_->Run(request);
  if (absl::IsCancelled(response.status())) {
    attempt->reply = absl::CancelledError("cancelled while waiting for the model");
  } else if (!read_status.ok()) {
    attempt->reply = read_status;
  } else if (attempt->http_status != 0 && attempt->http_status / 100 != 2) {
    // An error answer counts even when its body did not come to an end.
    if (response.ok()) attempt->error_body = response->body;
    attempt->reply = HttpErrorStatus(endpoint_, url, attempt->http_status, attempt->error_body);
  } else if (!response.ok() && !reader->whole()) {
    attempt->reply = WithContext(response.status(), endpoint_.provider);
  } else {
    attempt->reply = reader->Finish();
  }
}

absl::Status ProviderCaller::Redacted(const absl::Status& status) const {
  return WithMessage(status, Redact(endpoint_, status.message()));
}

}  // namespace stile
