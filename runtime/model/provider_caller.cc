#include "runtime/model/provider_caller.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/http/retry_policy.h"
#include "runtime/model/provider_error.h"

namespace stile {
namespace {

bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsDataLoss(status);
}

double RandomFraction() {
  uint32_t bits = 0;
  [[maybe_unused]] const bool parsed = absl::SimpleHexAtoi(RandomHex(4), &bits);
  return static_cast<double>(bits) / 4294967296.0;
}

}  // namespace

// What one attempt came to.
struct ProviderCaller::Attempt {
  absl::StatusOr<ModelReply> reply = absl::InternalError("not run");
  int http_status = 0;
  std::map<std::string, std::string> headers;
};

ProviderCaller::ProviderCaller(ProviderEndpoint endpoint, std::unique_ptr<HttpClient> http,
                               Clock* clock)
    : endpoint_(std::move(endpoint)), http_(std::move(http)), clock_(clock) {}

absl::StatusOr<ModelReply> ProviderCaller::Call(const Json& body, const NewReader& new_reader,
                                                const Cancellation* cancellation) {
  const std::string text = DumpJson(body);
  const std::string idempotency_key = absl::StrCat("stile-", RandomHex(16));
  for (int retries = 0;; ++retries) {
    const std::unique_ptr<ReplyReader> reader = new_reader();
    Attempt attempt;
    Try(text, idempotency_key, reader.get(), cancellation, &attempt);
    if (attempt.reply.ok()) return attempt.reply;
    absl::Status status = Redacted(attempt.reply.status());
    if (absl::IsCancelled(status)) return status;

    FailedExchange exchange{attempt.http_status, attempt.headers, retries, clock_->Now(),
                            RandomFraction()};
    if (attempt.http_status / 100 == 2) {
      // A stream that broke after a good status counts like a lost connection.
      exchange.status = 0;
      exchange.headers.clear();
    }
    std::optional<absl::Duration> wait;
    if (exchange.status != 0 || IsTransient(status)) wait = RetryWait(exchange);
    if (reader->has_complete_call()) {
      return absl::Status(
          status.code(),
          absl::StrCat(status.message(), "; not tried again, because a tool call had arrived"));
    }
    if (!wait) {
      if (retries == 0) return status;
      return absl::Status(status.code(),
                          absl::StrCat(status.message(), " (", retries + 1, " attempts)"));
    }
    if (!clock_->Sleep(*wait, cancellation)) {
      return absl::CancelledError("cancelled while waiting to ask the model again");
    }
  }
}

void ProviderCaller::Try(const std::string& body, const std::string& idempotency_key,
                         ReplyReader* reader, const Cancellation* cancellation, Attempt* attempt) {
  absl::Status read_status;
  HttpRequest request;
  request.url = endpoint_.url;
  request.headers = endpoint_.headers;
  request.headers["Content-Type"] = "application/json";
  request.headers["Idempotency-Key"] = idempotency_key;
  request.body = body;
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
    attempt->reply =
        HttpErrorStatus(endpoint_, attempt->http_status, response.ok() ? response->body : "");
  } else if (!response.ok() && !reader->whole()) {
    attempt->reply = WithContext(response.status(), endpoint_.provider);
  } else {
    attempt->reply = reader->Finish();
  }
}

absl::Status ProviderCaller::Redacted(const absl::Status& status) const {
  return absl::Status(status.code(), Redact(endpoint_, status.message()));
}

}  // namespace stile
