// HttpClient on libcurl's multi interface: one easy handle, used again for each request, on one
// multi handle, which keeps the connections. Polling ourselves lets cancellation interrupt any
// wait.
#include <curl/curl.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/http/http_client.h"

namespace stile {
namespace {

constexpr absl::Duration kLinger = absl::Seconds(1);
constexpr int64_t kLongestPollMs = 1000;
constexpr size_t kMaxHeaderBytes = size_t{1} << 20;

// One exchange as the callbacks see it. A callback that fails sets `stopped` and ends the transfer.
struct Exchange {
  const HttpRequest* request = nullptr;
  HttpResponse response;
  size_t header_bytes = 0;
  size_t body_bytes = 0;
  bool headers_done = false;
  curl_off_t progress = 0;
  absl::Duration last_activity;
  absl::Status stopped;
};

bool IsOneLine(absl::string_view text) {
  return text.find_first_of(absl::string_view("\r\n\0", 3)) == absl::string_view::npos;
}

// "https://user:password@host/path?query" without what may be secret.
std::string Place(const std::string& url) {
  std::string place = url.substr(0, url.find_first_of("?#"));
  const size_t start = place.find("://");
  const size_t at = place.rfind('@', place.find('/', start == std::string::npos ? 0 : start + 3));
  if (start != std::string::npos && at != std::string::npos) {
    place.erase(start + 3, at - start - 2);
  }
  return place;
}

size_t OnHeader(char* data, size_t size, size_t count, void* user) {
  auto* exchange = static_cast<Exchange*>(user);
  const size_t bytes = size * count;
  absl::string_view line = absl::StripTrailingAsciiWhitespace(absl::string_view(data, bytes));
  exchange->header_bytes += bytes;
  if (exchange->header_bytes > kMaxHeaderBytes) {
    exchange->stopped = absl::ResourceExhaustedError("the answer's headers are too large");
    return 0;
  }
  if (exchange->headers_done) return bytes;  // trailers
  if (absl::StartsWith(line, "HTTP/")) {     // a new answer: after 100 Continue, or a proxy's
    exchange->response.headers.clear();
    exchange->response.status = 0;
    const size_t space = line.find(' ');
    if (space != absl::string_view::npos) {
      [[maybe_unused]] const bool number =
          absl::SimpleAtoi(line.substr(space + 1, 3), &exchange->response.status);
    }
  } else if (line.empty()) {
    if (exchange->response.status < 200) return bytes;
    exchange->headers_done = true;
    if (exchange->request->on_headers) {
      exchange->request->on_headers(exchange->response.status, exchange->response.headers);
    }
  } else if (const size_t colon = line.find(':'); colon != absl::string_view::npos) {
    exchange->response.headers[absl::AsciiStrToLower(line.substr(0, colon))] =
        std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return bytes;
}

size_t OnBody(char* data, size_t size, size_t count, void* user) {
  auto* exchange = static_cast<Exchange*>(user);
  const size_t bytes = size * count;
  exchange->body_bytes += bytes;
  if (exchange->body_bytes > exchange->request->max_response_bytes) {
    exchange->stopped = absl::ResourceExhaustedError(absl::StrCat(
        "the answer is larger than ", exchange->request->max_response_bytes, " bytes"));
    return 0;
  }
  const bool streams = exchange->request->on_body && exchange->response.status / 100 == 2;
  if (!streams) {
    exchange->response.body.append(data, bytes);
  } else if (!exchange->request->on_body(absl::string_view(data, bytes))) {
    exchange->stopped = absl::AbortedError("the reader ended the exchange");
    return 0;
  }
  return bytes;
}

int OnProgress(void* user, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
  auto* exchange = static_cast<Exchange*>(user);
  const curl_off_t progress = received + sent + static_cast<curl_off_t>(exchange->header_bytes);
  if (progress != exchange->progress) {
    exchange->progress = progress;
    exchange->last_activity = SystemClock()->Monotonic();
  }
  return 0;
}

// The functions of libcurl, without "curl_" before their names.
struct CurlLibrary {
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

// Loads libcurl and the 33 libraries that it needs, which take a quarter of the start of a program
// that is linked with them. It stays loaded.
absl::StatusOr<CurlLibrary> LoadCurl() {
  void* const handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  const auto failure = [] {
    const char* const why = dlerror();
    return absl::FailedPreconditionError(
        absl::StrCat("no HTTP without libcurl (apt-get install libcurl4): ",
                     why == nullptr ? "it has no such function" : why));
  };
  if (handle == nullptr) return failure();
  CurlLibrary curl;
  const auto find = [&](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(handle, name));
    return *function != nullptr;
  };
  const bool is_complete =
      find("curl_easy_cleanup", &curl.easy_cleanup) && find("curl_easy_init", &curl.easy_init) &&
      find("curl_easy_reset", &curl.easy_reset) && find("curl_easy_setopt", &curl.easy_setopt) &&
      find("curl_easy_strerror", &curl.easy_strerror) &&
      find("curl_global_init", &curl.global_init) &&
      find("curl_multi_add_handle", &curl.multi_add_handle) &&
      find("curl_multi_cleanup", &curl.multi_cleanup) &&
      find("curl_multi_info_read", &curl.multi_info_read) &&
      find("curl_multi_init", &curl.multi_init) &&
      find("curl_multi_perform", &curl.multi_perform) &&
      find("curl_multi_poll", &curl.multi_poll) &&
      find("curl_multi_remove_handle", &curl.multi_remove_handle) &&
      find("curl_slist_append", &curl.slist_append) &&
      find("curl_slist_free_all", &curl.slist_free_all);
  if (!is_complete) return failure();
  STILE_CHECK(curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
  return curl;
}

// Where libcurl could not be loaded.
class NoHttpClient : public HttpClient {
 public:
  explicit NoHttpClient(absl::Status why) : why_(std::move(why)) {}
  absl::StatusOr<HttpResponse> Run(const HttpRequest&) override { return why_; }

 private:
  const absl::Status why_;
};

class CurlHttpClient : public HttpClient {
 public:
  // `curl` outlives the client.
  explicit CurlHttpClient(const CurlLibrary* curl)
      : curl_(curl), multi_(curl->multi_init()), easy_(curl->easy_init()) {
    STILE_CHECK(multi_ != nullptr && easy_ != nullptr);
  }
  ~CurlHttpClient() override {
    curl_->easy_cleanup(easy_);
    curl_->multi_cleanup(multi_);
  }

  absl::StatusOr<HttpResponse> Run(const HttpRequest& request) override {
    if (request.cancellation != nullptr && request.cancellation->cancelled()) {
      return absl::CancelledError("cancelled before the request was sent");
    }
    STILE_RETURN_IF_ERROR(CheckRequest(request));
    Exchange exchange;
    exchange.request = &request;
    exchange.last_activity = SystemClock()->Monotonic();
    curl_slist* headers = SetUp(request, &exchange);
    curl_->multi_add_handle(multi_, easy_);
    const absl::Status status = Drive(request, &exchange);
    curl_->multi_remove_handle(multi_, easy_);
    curl_->slist_free_all(headers);
    if (!status.ok()) return status;
    return std::move(exchange.response);
  }

 private:
  absl::Status CheckRequest(const HttpRequest& request) {
    const std::string url = absl::AsciiStrToLower(request.url);
    if ((!absl::StartsWith(url, "http://") && !absl::StartsWith(url, "https://")) ||
        !IsOneLine(url)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", Place(request.url), "' is no http or https URL"));
    }
    for (const auto& [name, value] : request.headers) {
      if (name.empty() || !IsOneLine(name) || !IsOneLine(value)) {
        return absl::InvalidArgumentError(
            absl::StrCat("header '", absl::CHexEscape(name), "' holds a line break"));
      }
    }
    return absl::OkStatus();
  }

  // Returns the header list, to be freed after the transfer.
  curl_slist* SetUp(const HttpRequest& request, Exchange* exchange) {
    curl_->easy_reset(easy_);  // keeps connections and name cache
    curl_slist* headers = nullptr;
    for (const auto& [name, value] : request.headers) {
      headers = curl_->slist_append(headers, absl::StrCat(name, ": ", value).c_str());
    }
    headers = curl_->slist_append(headers, "Expect:");  // no round trip before a large body
    error_[0] = 0;
    curl_->easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_);
    curl_->easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
    curl_->easy_setopt(easy_, CURLOPT_QUICK_EXIT,
                       1L);  // cancelling does not wait for a name lookup
    curl_->easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_->easy_setopt(easy_, CURLOPT_URL, request.url.c_str());
    curl_->easy_setopt(easy_, CURLOPT_HTTPHEADER, headers);
    curl_->easy_setopt(easy_, CURLOPT_USERAGENT, "stile");
    curl_->easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
    const auto set_file = [this](CURLoption option, const std::string& file) {
      if (!file.empty()) curl_->easy_setopt(easy_, option, file.c_str());
    };
    set_file(CURLOPT_CAINFO, request.tls.ca_file);
    set_file(CURLOPT_SSLCERT, request.tls.client_certificate);
    set_file(CURLOPT_SSLKEY, request.tls.client_key);
    // No proxy ever leads to this machine itself; any other address follows the environment.
    curl_->easy_setopt(easy_, CURLOPT_NOPROXY, NoProxy().c_str());
    curl_->easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(request.connect_timeout));
    curl_->easy_setopt(easy_, CURLOPT_TIMEOUT_MS, Milliseconds(request.timeout));
    if (request.method == "POST") {
      curl_->easy_setopt(easy_, CURLOPT_POST, 1L);
    } else if (request.method != "GET") {
      curl_->easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    if (request.method == "POST" || !request.body.empty()) {
      curl_->easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.data());
      curl_->easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(request.body.size()));
    }
    curl_->easy_setopt(easy_, CURLOPT_HEADERFUNCTION, OnHeader);
    curl_->easy_setopt(easy_, CURLOPT_HEADERDATA, exchange);
    curl_->easy_setopt(easy_, CURLOPT_WRITEFUNCTION, OnBody);
    curl_->easy_setopt(easy_, CURLOPT_WRITEDATA, exchange);
    curl_->easy_setopt(easy_, CURLOPT_NOPROGRESS, 0L);
    curl_->easy_setopt(easy_, CURLOPT_XFERINFOFUNCTION, OnProgress);
    curl_->easy_setopt(easy_, CURLOPT_XFERINFODATA, exchange);
    return headers;
  }

  // Runs the transfer to its end, or to the first reason to stop it.
  absl::Status Drive(const HttpRequest& request, Exchange* exchange) {
    const Cancellation* cancellation = request.cancellation;
    while (true) {
      int running = 0;
      curl_->multi_perform(multi_, &running);
      if (cancellation != nullptr && cancellation->cancelled()) {
        return absl::CancelledError("cancelled while waiting for the answer");
      }
      int left = 0;
      while (const CURLMsg* message = curl_->multi_info_read(multi_, &left)) {
        if (message->msg == CURLMSG_DONE) return Outcome(request, *exchange, message->data.result);
      }
      const bool complete =
          request.body_complete && exchange->body_bytes > 0 && request.body_complete();
      const absl::Duration patience =
          complete ? std::min(kLinger, request.idle_timeout) : request.idle_timeout;
      const absl::Duration rest = exchange->last_activity + patience - SystemClock()->Monotonic();
      if (rest <= absl::ZeroDuration()) {
        if (complete) return absl::OkStatus();
        return absl::DeadlineExceededError(
            absl::StrCat("not a byte from ", Place(request.url), " for ",
                         absl::FormatDuration(request.idle_timeout)));
      }
      curl_waitfd extra{cancellation == nullptr ? -1 : cancellation->fd(), CURL_WAIT_POLLIN, 0};
      const int64_t wait_ms =
          std::clamp<int64_t>(absl::ToInt64Milliseconds(rest) + 1, 1, kLongestPollMs);
      curl_->multi_poll(multi_, &extra, cancellation == nullptr ? 0 : 1, static_cast<int>(wait_ms),
                        nullptr);
    }
  }

  absl::Status Outcome(const HttpRequest& request, const Exchange& exchange, CURLcode code) {
    if (!exchange.stopped.ok()) return exchange.stopped;
    if (code == CURLE_OK && exchange.headers_done) return absl::OkStatus();
    if (request.body_complete && exchange.body_bytes > 0 && request.body_complete()) {
      return absl::OkStatus();
    }
    const std::string reason = absl::StrCat(Place(request.url), ": ",
                                            error_[0] != 0 ? error_ : curl_->easy_strerror(code));
    switch (code) {
      case CURLE_URL_MALFORMAT:
        return absl::InvalidArgumentError(reason);
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_CERTPROBLEM:
        return absl::InvalidArgumentError(absl::StrCat("TLS: ", reason));
      case CURLE_PEER_FAILED_VERIFICATION:
        return absl::PermissionDeniedError(absl::StrCat(
            reason, "; if the server's authority is your own, name its file in SSL_CERT_FILE"));
      case CURLE_OPERATION_TIMEDOUT:
        return absl::DeadlineExceededError(reason);
      case CURLE_SSL_CONNECT_ERROR:
        return absl::UnavailableError(absl::StrCat(
            "TLS: ", reason, "; if the server has no TLS, write http:// in its address"));
      case CURLE_COULDNT_CONNECT:
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
        return absl::UnavailableError(absl::StrCat("cannot connect to ", reason));
      default:
        return absl::UnavailableError(absl::StrCat("the connection broke: ", reason));
    }
  }

  static long Milliseconds(absl::Duration duration) {
    return static_cast<long>(std::clamp<int64_t>(absl::ToInt64Milliseconds(duration), 1, 1 << 30));
  }

  static const std::string& NoProxy() {
    static const std::string* const list = [] {
      const char* lower = std::getenv("no_proxy");
      const char* upper = std::getenv("NO_PROXY");
      const char* given = lower != nullptr ? lower : upper;
      return new std::string(
          given != nullptr && absl::string_view(given) == "*"
              ? "*"
              : absl::StrCat("localhost,127.0.0.1,::1,", given == nullptr ? "" : given));
    }();
    return *list;
  }

  const CurlLibrary* const curl_;
  CURLM* const multi_;
  CURL* const easy_;
  char error_[CURL_ERROR_SIZE] = {};
};

}  // namespace

absl::Status CheckTlsFiles(const TlsFiles& files) {
  for (const std::string* file : {&files.ca_file, &files.client_certificate, &files.client_key}) {
    if (file->empty() || access(file->c_str(), R_OK) == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("TLS: cannot read ", *file, " (named by ",
                                                   file == &files.ca_file
                                                       ? "SSL_CERT_FILE, CURL_CA_BUNDLE or ca_file"
                                                       : "client_certificate or client_key",
                                                   ")"));
  }
  if (!files.client_key.empty() && files.client_certificate.empty()) {
    return absl::InvalidArgumentError("TLS: client_key needs client_certificate beside it");
  }
  return absl::OkStatus();
}

std::unique_ptr<HttpClient> NewCurlHttpClient() {
  static const auto* const library = new absl::StatusOr<CurlLibrary>(LoadCurl());
  if (!library->ok()) return std::make_unique<NoHttpClient>(library->status());
  return std::make_unique<CurlHttpClient>(&**library);
}

}  // namespace stile
