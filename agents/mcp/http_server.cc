#include "agents/mcp/http_server.h"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "agents/mcp/exchange.h"
#include "agents/mcp/http_sessions.h"
#include "agents/mcp/job_queue.h"
#include "runtime/base/sha256.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"

namespace stile {
namespace {

constexpr char kEndpoint[] = "/mcp";
constexpr char kJsonType[] = "application/json";
constexpr char kEventsType[] = "text/event-stream";
constexpr char kSessionHeader[] = "Mcp-Session-Id";
constexpr size_t kMaxBodyBytes = size_t{16} << 20;
constexpr size_t kMaxBatch = 50;
constexpr int kMaxRequests = 200;        // under way at the same time
constexpr int kMaxStreams = 100;         // on which peers listen
constexpr size_t kMaxConnections = 360;  // served at the same time
constexpr absl::Duration kSlice = absl::Milliseconds(100);
constexpr absl::Duration kStreamSlice = absl::Milliseconds(500);
constexpr absl::Duration kKeepAlive = absl::Seconds(15);
constexpr int kHeaderMismatch = -32020;

// Connections on threads that are started when they are needed.
class ConnectionQueue : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> work) override { queue_->Add("", std::move(work)); }
  void shutdown() override { queue_.reset(); }

 private:
  std::unique_ptr<JobQueue> queue_ = std::make_unique<JobQueue>(kMaxConnections);
};

bool IsLoopbackHost(absl::string_view host) {
  return absl::EqualsIgnoreCase(host, "localhost") || host == "127.0.0.1" || host == "::1";
}

// Host, or host and port, as in the header Host: of this machine.
bool IsLoopbackAuthority(absl::string_view authority) {
  absl::string_view host = authority;
  const size_t colon = authority.rfind(':');
  if (colon != absl::string_view::npos && authority.back() != ']') {
    const absl::string_view port = authority.substr(colon + 1);
    const bool is_number = !port.empty() && port.size() <= 5 &&
                           std::all_of(port.begin(), port.end(), absl::ascii_isdigit);
    if (!is_number) return false;
    host = authority.substr(0, colon);
  }
  if (absl::ConsumePrefix(&host, "[")) return absl::ConsumeSuffix(&host, "]") && host == "::1";
  return host != "::1" && IsLoopbackHost(host);
}

bool IsLoopbackOrigin(absl::string_view origin) {
  if (!absl::ConsumePrefix(&origin, "http://") && !absl::ConsumePrefix(&origin, "https://")) {
    return false;
  }
  return IsLoopbackAuthority(origin);
}

bool IsJsonType(absl::string_view type) {
  return absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(type.substr(0, type.find(';'))),
                                kJsonType);
}

bool IsBearer(const std::string& header, const std::string& token) {
  // Hashes, so that the time says nothing about where the two differ.
  return Sha256Hex(header) == Sha256Hex(absl::StrCat("Bearer ", token));
}

bool Accepts(const std::string& accept, absl::string_view type) {
  const absl::string_view kind = type.substr(0, type.find('/'));
  return absl::StrContains(accept, type) || absl::StrContains(accept, "*/*") ||
         absl::StrContains(accept, absl::StrCat(kind, "/*"));
}

void SetError(httplib::Response* response, int status, const Json& id, int code,
              const std::string& message) {
  response->status = status;
  response->set_content(DumpJson(ErrorMessage(id, {code, message, nullptr})), kJsonType);
}

bool IsRequest(const Json& message) {
  return JsonMember(message, "id") != nullptr && JsonMember(message, "method") != nullptr;
}

// The revision that a message names; nullopt: none.
std::optional<std::string> RevisionOf(const Json& message) {
  const Json* const params = JsonMember(message, "params");
  const Json* const meta = params == nullptr ? nullptr : JsonMember(*params, "_meta");
  return meta == nullptr ? std::nullopt : JsonString(*meta, kMetaRevision);
}

// "=?base64?…?=" holds what a header cannot.
std::string DecodeHeader(const std::string& value) {
  absl::string_view encoded = value;
  if (!absl::ConsumePrefix(&encoded, "=?base64?") || !absl::ConsumeSuffix(&encoded, "?=")) {
    return value;
  }
  return Base64Decode(encoded).value_or(value);
}

// What is wrong with the headers of a request that names its revision; "": nothing.
std::string HeaderMismatch(const httplib::Request& request, const Json& message,
                           const std::string& revision) {
  const auto differs = [&](const char* header, const std::string& wanted) {
    return !request.has_header(header) || DecodeHeader(request.get_header_value(header)) != wanted;
  };
  if (differs("MCP-Protocol-Version", revision)) return "MCP-Protocol-Version";
  const std::string method = JsonString(message, "method").value_or("");
  if (differs("Mcp-Method", method)) return "Mcp-Method";
  const char* const member = method == "resources/read" ? "uri" : "name";
  const bool has_name =
      method == "tools/call" || method == "prompts/get" || method == "resources/read";
  const Json* const params = JsonMember(message, "params");
  const auto name = params == nullptr ? std::nullopt : JsonString(*params, member);
  if (has_name && name.has_value() && differs("Mcp-Name", *name)) return "Mcp-Name";
  return "";
}

int StatusOfStateless(const Json& answer) {
  const Json* const error = JsonMember(answer, "error");
  if (error == nullptr) return 200;
  switch (JsonInt(*error, "code").value_or(0)) {
    case kMethodNotFound:
      return 404;
    case kUnsupportedVersion:
    case kInvalidParams:
    case kInvalidRequest:
      return 400;
    default:
      return 200;
  }
}

class HttpServer {
 public:
  HttpServer(const McpServices& services, const HttpOptions& options,
             const Cancellation* cancellation)
      : services_(services),
        options_(options),
        cancellation_(*cancellation),
        sessions_(&services_) {
    server_.new_task_queue = [] { return new ConnectionQueue; };
    server_.set_payload_max_length(kMaxBodyBytes);
    server_.set_read_timeout(absl::ToChronoMicroseconds(options_.read_timeout));
    server_.set_tcp_nodelay(true);
    // One request a connection. The body of a request that is refused is not read, and would be
    // taken for the next request.
    server_.set_keep_alive_max_count(1);
    // The default lets a second server take the same port.
    server_.set_socket_options([this](socket_t socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
      listener_ = socket;
    });
    server_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return IsAllowed(request, &response) ? httplib::Server::HandlerResponse::Unhandled
                                               : httplib::Server::HandlerResponse::Handled;
        });
    server_.Post(kEndpoint, [this](const httplib::Request& request, httplib::Response& response,
                                   const httplib::ContentReader& read) {
      // The library limits only bodies that announce their length.
      std::string body;
      const bool is_whole = read([&body](const char* data, size_t size) {
        body.append(data, size);
        return body.size() <= kMaxBodyBytes;
      });
      if (body.size() > kMaxBodyBytes) {
        SetError(&response, 413, nullptr, kInvalidRequest, "the body has more than 16 MiB");
      } else if (is_whole) {
        Post(request, body, &response);
      }
    });
    server_.Delete(kEndpoint, [this](const httplib::Request& request, httplib::Response& response) {
      // Peers without a handshake have no session to end.
      const std::string id = request.get_header_value(kSessionHeader);
      response.status = id.empty() ? 405 : sessions_.Close(id) ? 204 : 404;
    });
    server_.Get(kEndpoint, [this](const httplib::Request& request, httplib::Response& response) {
      Get(request, &response);
    });
  }

  absl::Status Serve() {
    const HttpAddress& address = options_.address;
    int port = address.port;
    if (port == 0) {
      port = server_.bind_to_any_port(address.host);
    } else if (!server_.bind_to_port(address.host, port)) {
      port = -1;
    }
    if (port < 0) {
      return absl::UnavailableError(absl::StrCat("cannot listen on ", address.host, ":",
                                                 address.port,
                                                 "; is another program using the port?"));
    }
    // The library lets five connections wait, and the kernel resets others.
    listen(listener_, SOMAXCONN);
    if (options_.on_ready) {
      const bool is_six = absl::StrContains(address.host, ":");
      options_.on_ready(absl::StrCat("http://", is_six ? "[" : "", address.host, is_six ? "]" : "",
                                     ":", port, kEndpoint));
    }
    std::atomic<bool> has_ended{false};
    std::thread stopper = TryStartThread([&] {
      while (!has_ended && !cancellation_.WaitFor(kSlice)) {
      }
      sessions_.CancelAll();
      services_.calls->CancelAll();
      services_.tasks->CancelAll();
      // It has no effect on a server that does not listen yet.
      while (!has_ended) {
        server_.stop();
        cancellation_.WaitFor(absl::ZeroDuration());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    if (!stopper.joinable()) return absl::ResourceExhaustedError("no thread can be started");
    server_.listen_after_bind();
    has_ended = true;
    stopper.join();
    return cancellation_.cancelled() ? absl::CancelledError("cancelled")
                                     : absl::UnavailableError("the server stopped listening");
  }

 private:
  bool IsAllowed(const httplib::Request& request, httplib::Response* response) const {
    const std::string origin = request.get_header_value("Origin");
    const bool is_local = IsLoopback(options_.address);
    if (request.get_header_value_count("Origin") > 1 ||
        request.get_header_value_count("Host") > 1) {
      SetError(response, 400, nullptr, kInvalidRequest, "the header Origin or Host is there twice");
      return false;
    }
    if (!origin.empty() && !IsLoopbackOrigin(origin)) {
      SetError(response, 403, nullptr, kInvalidRequest, "requests from this origin are refused");
      return false;
    }
    // A page whose name resolves to the loopback would be a page of this machine.
    if (is_local && !IsLoopbackAuthority(request.get_header_value("Host"))) {
      SetError(response, 403, nullptr, kInvalidRequest,
               "the header Host has to name localhost, 127.0.0.1 or [::1]");
      return false;
    }
    if (!options_.token.empty() &&
        !IsBearer(request.get_header_value("Authorization"), options_.token)) {
      response->set_header("WWW-Authenticate", "Bearer");
      SetError(response, 401, nullptr, kInvalidRequest, "the bearer token is missing or wrong");
      return false;
    }
    return true;
  }

  void Post(const httplib::Request& request, const std::string& text, httplib::Response* response) {
    if (!IsJsonType(request.get_header_value("Content-Type"))) {
      return SetError(response, 415, nullptr, kInvalidRequest,
                      "the header Content-Type has to be application/json");
    }
    const std::string accept = request.get_header_value("Accept");
    if (!Accepts(accept, kJsonType) || !Accepts(accept, kEventsType)) {
      return SetError(response, 406, nullptr, kInvalidRequest,
                      "the header Accept has to name application/json and text/event-stream");
    }
    const absl::StatusOr<Json> body = ParseJson(text);
    if (!body.ok()) {
      return SetError(response, 400, nullptr, kParseError, std::string(body.status().message()));
    }
    const std::vector<Json> messages =
        body->is_array() ? body->get<std::vector<Json>>() : std::vector<Json>{*body};
    const bool is_plain = std::none_of(messages.begin(), messages.end(), RevisionOf);
    if (messages.empty() || messages.size() > kMaxBatch || (messages.size() > 1 && !is_plain)) {
      return SetError(response, 400, nullptr, kInvalidRequest,
                      absl::StrCat("a batch has 1 to ", kMaxBatch,
                                   " messages, and none of them names a protocol revision"));
    }
    const bool is_stateless =
        request.get_header_value("MCP-Protocol-Version") == kStatelessRevision;
    if (is_stateless && messages.size() == 1 && !IsRequest(messages.front())) {
      response->status = 202;  // a notification, and there is no session that it could concern
      return;
    }
    const bool is_listening =
        !is_plain && JsonString(messages.front(), "method") == "subscriptions/listen";
    std::atomic<int>* const slots = is_listening ? &streams_ : &running_;
    if (!(is_listening ? TakeStream(response) : TakeRequest(response))) return;
    const std::shared_ptr<McpSession> session = SessionOf(request, messages, response);
    if (session == nullptr) {
      --*slots;
    } else {
      Run(session, messages, is_listening ? kStreamSlice : kSlice, slots, response);
    }
  }

  // The stream of a session for messages that belong to no request. A peer that gets an error
  // continues without it.
  void Get(const httplib::Request& request, httplib::Response* response) {
    const std::string id = request.get_header_value(kSessionHeader);
    if (id.empty() || request.method != "GET") {
      response->set_header("Allow", "POST, DELETE");
      response->status = 405;
      return;
    }
    if (!Accepts(request.get_header_value("Accept"), kEventsType)) {
      return SetError(response, 406, nullptr, kInvalidRequest,
                      "the header Accept has to name text/event-stream");
    }
    const std::shared_ptr<McpSession> session = sessions_.Find(id);
    if (session == nullptr) {
      return SetError(response, 404, nullptr, kInvalidRequest,
                      "there is no such session; send initialize again");
    }
    if (!TakeStream(response)) return;
    const auto exchange = std::make_shared<Exchange>(1);  // the end of the stream
    const int stream =
        session->notices()->Attach([exchange](const Json& message) { exchange->Add(message); });
    Stream(
        exchange, kStreamSlice,
        [this, session, stream] {
          session->notices()->Detach(stream);
          --streams_;
        },
        response);
  }

  bool TakeRequest(httplib::Response* response) {
    return TakeSlot(&running_, kMaxRequests, "requests", response);
  }
  bool TakeStream(httplib::Response* response) {
    return TakeSlot(&streams_, kMaxStreams, "streams", response);
  }

  // False, with the error, where all slots are taken.
  static bool TakeSlot(std::atomic<int>* taken, int limit, absl::string_view of,
                       httplib::Response* response) {
    if (++*taken <= limit) return true;
    --*taken;
    response->set_header("Retry-After", "1");
    SetError(response, 503, nullptr, kInternalError,
             absl::StrCat("the server serves at most ", limit, " ", of, " at the same time"));
    return false;
  }

  // The session to which messages belong; null: they were refused.
  std::shared_ptr<McpSession> SessionOf(const httplib::Request& request,
                                        const std::vector<Json>& messages,
                                        httplib::Response* response) {
    const Json& first = messages.front();
    const Json* const id = JsonMember(first, "id");
    const Json known_id = id == nullptr ? Json() : *id;
    if (const auto revision = RevisionOf(first)) {
      const std::string mismatch = HeaderMismatch(request, first, *revision);
      if (mismatch.empty()) return std::make_shared<McpSession>(&services_);
      SetError(response, 400, known_id, kHeaderMismatch,
               absl::StrCat("the header ", mismatch, " is missing, or differs from the body"));
      return nullptr;
    }
    if (JsonString(first, "method") == "initialize" && IsRequest(first)) {
      std::string session_id;
      std::shared_ptr<McpSession> session = sessions_.Open(&session_id);
      response->set_header(kSessionHeader, session_id);
      return session;
    }
    const std::string revision = request.get_header_value("MCP-Protocol-Version");
    const std::vector<std::string>& known = HandshakeRevisions();
    if (!revision.empty() && std::find(known.begin(), known.end(), revision) == known.end()) {
      SetError(response, 400, known_id,
               revision == kStatelessRevision ? kHeaderMismatch : kInvalidRequest,
               absl::StrCat("MCP-Protocol-Version ", ToUtf8(revision),
                            " does not fit this request; supported with a session: ",
                            absl::StrJoin(known, ", ")));
      return nullptr;
    }
    const std::string session_id = request.get_header_value(kSessionHeader);
    std::shared_ptr<McpSession> session = sessions_.Find(session_id);
    if (session == nullptr) {
      SetError(response, session_id.empty() ? 400 : 404, known_id, kInvalidRequest,
               session_id.empty() ? "the header Mcp-Session-Id is missing; send initialize first"
                                  : "there is no such session; send initialize again");
    }
    return session;
  }

  // Hands the messages to the session and sends what comes back; gives the slot back at the end.
  void Run(const std::shared_ptr<McpSession>& session, const std::vector<Json>& messages,
           absl::Duration slice, std::atomic<int>* slots, httplib::Response* response) {
    const auto answers =
        static_cast<size_t>(std::count_if(messages.begin(), messages.end(), IsAnswered));
    const auto exchange = std::make_shared<Exchange>(answers);
    const McpSession::Reply reply = [exchange](const Json& message) { exchange->Add(message); };
    for (const Json& message : messages) session->Handle(message, reply);
    const bool is_stateless = RevisionOf(messages.front()).has_value();
    if (answers == 0) {
      response->status = 202;
      --*slots;
    } else if (messages.size() == 1 && exchange->IsComplete()) {
      AnswerAtOnce(exchange.get(), is_stateless, response);
      --*slots;
    } else {
      // A peer that names its revision cancels a request by closing the stream; for others, that
      // means nothing.
      Stream(
          exchange, slice,
          [session, slots, is_stateless] {
            if (is_stateless) session->CancelAll();
            --*slots;
          },
          response);
    }
  }

  void AnswerAtOnce(Exchange* exchange, bool is_stateless, httplib::Response* response) {
    Json answer;
    do {
      if (exchange->Next(absl::ZeroDuration(), &answer) != Exchange::Wait::kMessage) {
        return SetError(response, 503, nullptr, kInternalError, "the request was cancelled");
      }
    } while (!answer.contains("id") || answer.contains("method"));
    response->status = is_stateless ? StatusOfStateless(answer) : 200;
    response->set_content(DumpJson(answer), kJsonType);
  }

  // Server-sent events until every answer has been sent, or the peer has closed the stream, which
  // is noticed within a slice.
  void Stream(const std::shared_ptr<Exchange>& exchange, absl::Duration slice,
              const std::function<void()>& on_end, httplib::Response* response) {
    response->set_header("Cache-Control", "no-cache");
    response->set_header("X-Accel-Buffering", "no");
    const auto quiet = std::make_shared<absl::Duration>();
    response->set_chunked_content_provider(
        kEventsType,
        [this, exchange, slice, quiet](size_t, httplib::DataSink& sink) {
          Json message;
          const Exchange::Wait wait = exchange->Next(slice, &message);
          if (wait == Exchange::Wait::kDone) {
            sink.done();
            return true;
          }
          if (cancellation_.cancelled() || !sink.is_writable()) return false;
          *quiet = wait == Exchange::Wait::kTimeout ? *quiet + slice : absl::ZeroDuration();
          std::string text;
          if (wait == Exchange::Wait::kMessage) {
            text = absl::StrCat("event: message\ndata: ", DumpJson(message), "\n\n");
          } else if (*quiet >= kKeepAlive) {
            *quiet = absl::ZeroDuration();
            text = ": keep-alive\n\n";
          }
          return text.empty() || sink.write(text.data(), text.size());
        },
        [on_end](bool) { on_end(); });
  }

  const McpServices& services_;
  const HttpOptions& options_;
  const Cancellation& cancellation_;
  HttpSessions sessions_;
  std::atomic<int> running_{0};  // requests that do not listen
  std::atomic<int> streams_{0};  // on which peers listen
  socket_t listener_ = -1;
  httplib::Server server_;  // its threads end before the sessions do
};

}  // namespace

bool IsLoopback(const HttpAddress& address) { return IsLoopbackHost(address.host); }

absl::StatusOr<HttpAddress> ParseHttpAddress(const std::string& text) {
  HttpAddress address;
  absl::string_view port = text;
  if (const size_t colon = text.rfind(':'); colon != std::string::npos) {
    absl::string_view host = absl::string_view(text).substr(0, colon);
    if (absl::ConsumePrefix(&host, "[") && !absl::ConsumeSuffix(&host, "]")) host = "";
    address.host = std::string(host);
    port = absl::string_view(text).substr(colon + 1);
  }
  const bool is_number = absl::SimpleAtoi(port, &address.port);
  if (address.host.empty() || !is_number || address.port < 0 || address.port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--http ", ToUtf8(text), ": give a port, or HOST:PORT; port 0 takes a free one"));
  }
  return address;
}

absl::Status ServeHttp(const McpServices& services, const HttpOptions& options,
                       const Cancellation* cancellation) {
  if (!IsLoopback(options.address) && options.token.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.address.host,
                     " is reached by other machines: set STILE_MCP_TOKEN to a secret that peers "
                     "send as bearer token, or serve 127.0.0.1"));
  }
  return HttpServer(services, options, cancellation).Serve();
}

}  // namespace stile
