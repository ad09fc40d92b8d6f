// HTTP over TLS or plain, one exchange at a time, with limits and cancellation.
#ifndef STILE_RUNTIME_HTTP_HTTP_CLIENT_H_
#define STILE_RUNTIME_HTTP_HTTP_CLIENT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"

namespace stile {

// Files of a TLS connection; "" for the usual ones.
struct TlsFiles {
  std::string ca_file;             // PEM: authorities that are trusted instead of the system's
  std::string client_certificate;  // PEM
  std::string client_key;          // PEM; "" : in client_certificate
};
// InvalidArgument: a file that is named and cannot be read, or a key without a certificate.
absl::Status CheckTlsFiles(const TlsFiles& files);

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  std::map<std::string, std::string> headers;
  std::string body;
  TlsFiles tls;
  absl::Duration connect_timeout = absl::Seconds(5);
  absl::Duration timeout = absl::Seconds(600);       // of the whole exchange
  absl::Duration idle_timeout = absl::Seconds(300);  // without a single byte
  size_t max_response_bytes = size_t{64} << 20;
  const Cancellation* cancellation = nullptr;  // not owned; may be null

  // Called once with status and headers when they are complete, before any body.
  std::function<void(int status, const std::map<std::string, std::string>& headers)> on_headers;
  // With it, the body of a 2xx answer goes here piece by piece and not into the response. Returning
  // false ends the exchange (Run then returns Aborted).
  std::function<bool(absl::string_view piece)> on_body;
  // Asked after each piece: true when all that matters has arrived. The end of the body is then
  // awaited for one more second only, so that the connection can be kept; either way it is a
  // success.
  std::function<bool()> body_complete;
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// Keeps connections open between requests. Not thread-safe.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Any complete answer is a response, whatever its status. Unavailable: no connection, or it
  // broke; DeadlineExceeded; Cancelled; ResourceExhausted: past max_response_bytes;
  // InvalidArgument: bad URL; FailedPrecondition: libcurl cannot be loaded. Only http and https;
  // redirects are not followed.
  virtual absl::StatusOr<HttpResponse> Run(const HttpRequest& request) = 0;
};

// Never null. The first call loads libcurl.
std::unique_ptr<HttpClient> NewCurlHttpClient();

}  // namespace stile

#endif  // STILE_RUNTIME_HTTP_HTTP_CLIENT_H_
