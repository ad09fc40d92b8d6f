#ifndef STILE_TESTS_FUZZ_PROVIDER_FUZZ_H_
#define STILE_TESTS_FUZZ_PROVIDER_FUZZ_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/http/http_client.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/provider_caller.h"
#include "runtime/model/provider_endpoint.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/fake_clock.h"

namespace stile {

constexpr char kFuzzKey[] = "sk-fuzz-0123456789";

// A server whose every answer is the same, in pieces of one size, and may break off at the end.
class FixedHttpClient : public HttpClient {
 public:
  FixedHttpClient(int status, std::string body, size_t piece_bytes, bool breaks)
      : status_(status), body_(std::move(body)), piece_bytes_(piece_bytes), breaks_(breaks) {}

  absl::StatusOr<HttpResponse> Run(const HttpRequest& request) override {
    if (request.on_headers) request.on_headers(status_, {});
    HttpResponse response;
    response.status = status_;
    if (status_ / 100 != 2 || !request.on_body) {
      response.body = body_;
    } else {
      for (size_t at = 0; at < body_.size(); at += piece_bytes_) {
        if (!request.on_body(absl::string_view(body_).substr(at, piece_bytes_))) {
          return absl::AbortedError("stopped");
        }
      }
    }
    if (breaks_) return absl::UnavailableError("the connection broke");
    return response;
  }

 private:
  const int status_;
  const std::string body_;
  const size_t piece_bytes_;
  const bool breaks_;
};

using NewProviderModel =
    std::function<std::unique_ptr<ChatModel>(std::unique_ptr<ProviderCaller> caller)>;

class DeltaListener : public ReplyListener {
 public:
  void OnText(absl::string_view piece) override { text.append(piece.data(), piece.size()); }
  std::string text;
};

// One answer of a provider: the first byte chooses the HTTP status, the second the size of pieces,
// the third whether the connection breaks. A reply must be sound, must not depend on the pieces it
// came in, and no error may hold the key.
inline void FuzzProvider(const std::string& provider, const uint8_t* data, size_t size,
                         const NewProviderModel& new_model, const std::string& api = "") {
  constexpr int kStatuses[] = {200, 200, 200, 200, 400, 401, 404, 429, 500, 529};
  constexpr size_t kPieces[] = {1, 2, 3, 7, 16, 100};
  FuzzInput input(data, size);
  const int status = kStatuses[input.TakeChoice(std::size(kStatuses))];
  const size_t piece_bytes = kPieces[input.TakeChoice(std::size(kPieces))];
  const bool breaks = input.TakeChoice(2) == 1;
  const std::string body(input.rest());

  ProviderEndpoint endpoint;
  endpoint.provider = provider;
  endpoint.model = "test-model";
  endpoint.api = api;
  endpoint.base_url = "http://127.0.0.1/v1";
  endpoint.headers = {{"Authorization", kFuzzKey}};
  endpoint.api_key = kFuzzKey;
  endpoint.key_variable = "FUZZ_API_KEY";
  endpoint.timeout = absl::Seconds(10);
  ModelRequest request;
  request.messages.resize(1);
  request.messages[0].text = "Do it.";
  request.tools = {{"file.read", "Reads a file.", {{"type", "object"}}}};

  const auto ask = [&](size_t bytes, std::string* deltas) {
    FakeClock clock;
    const std::unique_ptr<ChatModel> model = new_model(std::make_unique<ProviderCaller>(
        endpoint, std::make_unique<FixedHttpClient>(status, body, bytes, breaks), &clock));
    DeltaListener listener;
    auto reply = model->Complete(request, &listener, nullptr);
    *deltas += listener.text;
    return reply;
  };
  std::string whole_deltas;
  std::string piece_deltas;
  const absl::StatusOr<ModelReply> whole = ask(body.size() + 1, &whole_deltas);
  const absl::StatusOr<ModelReply> pieces = ask(piece_bytes, &piece_deltas);
  STILE_CHECK(whole.status().code() == pieces.status().code());
  if (!whole.ok()) {
    STILE_CHECK(!absl::StrContains(whole.status().message(), kFuzzKey));
    return;
  }
  STILE_CHECK(status / 100 == 2);
  STILE_CHECK(DumpJson(ToJson(*whole)) == DumpJson(ToJson(*pieces)));
  STILE_CHECK(whole_deltas == piece_deltas);
  std::set<std::string> ids;
  for (const ToolCall& call : whole->tool_calls) {
    STILE_CHECK(!call.id.empty() && ids.insert(call.id).second);
    STILE_CHECK(call.arguments.is_object());
  }
  // What the journal keeps of the reply is all of it, and it can be sent back.
  const absl::StatusOr<ModelReply> again = ModelReplyFromJson(ToJson(*whole));
  STILE_CHECK(again.ok());
  STILE_CHECK(DumpJson(ToJson(*again)) == DumpJson(ToJson(*whole)));
  request.messages.push_back(ToMessage(*whole));
  ask(body.size() + 1, &whole_deltas).IgnoreError();
}

}  // namespace stile

#endif  // STILE_TESTS_FUZZ_PROVIDER_FUZZ_H_
