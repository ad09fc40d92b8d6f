#include "agents/mcp/open_call.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/text.h"
#include "runtime/mcp/mcp_message.h"
#include "runtime/rpc/json_rpc_channel.h"

namespace stile {
namespace {

constexpr auto kSlice = std::chrono::milliseconds(100);
constexpr int kRefused = -1;           // of sampling, by the user
constexpr char kOnlyKey[] = "answer";  // of inputRequests: one is asked at a time

// Whether a peer offers the capability, with a member of that name if one is given.
bool Offers(const Json& capabilities, const char* capability, const char* member = nullptr) {
  const Json* const found = JsonMember(capabilities, capability);
  if (found == nullptr || !found->is_object()) return false;
  return member == nullptr || JsonMember(*found, member) != nullptr;
}

absl::Status PeerError(const Json& error) {
  const std::string message = ToUtf8(JsonString(error, "message").value_or("no reason given"));
  if (JsonInt(error, "code") == kRefused) {
    return absl::PermissionDeniedError(absl::StrCat("the user of the MCP host refused: ", message));
  }
  return absl::UnavailableError(absl::StrCat("the MCP host answered with an error: ", message));
}

absl::Status NoAnswer() {
  return absl::DeadlineExceededError("the MCP host gave no answer for ten minutes");
}

}  // namespace

Json InputRequests(const std::string& key, const std::string& method, const Json& params) {
  return {{key, {{"method", method}, {"params", params}}}};
}

absl::StatusOr<Json> InputResponse(const Json& responses, const std::string& key) {
  const Json* const answer = JsonMember(responses, key.c_str());
  if (answer == nullptr || !answer->is_object()) {
    return absl::UnavailableError("the MCP host sent inputResponses without the answer");
  }
  if (const Json* const error = JsonMember(*answer, "error")) return PeerError(*error);
  return *answer;
}

void LetAsk(
    const Json& capabilities,
    const std::function<absl::StatusOr<Json>(const std::string& method, const Json& params)>& ask,
    McpCall* call) {
  if (Offers(capabilities, "sampling")) {
    call->sampling.create_message = [ask](const Json& params) {
      return ask("sampling/createMessage", params);
    };
    call->sampling.has_tools = Offers(capabilities, "sampling", "tools");
  }
  // Without members, the capability is that of forms.
  if (Offers(capabilities, "elicitation", "form") ||
      (Offers(capabilities, "elicitation") && capabilities["elicitation"].empty())) {
    call->elicit = [ask](const Json& params) { return ask("elicitation/create", params); };
  }
}

absl::StatusOr<Json> PeerQuestions::Ask(const std::string& method, const Json& params,
                                        const McpRequest::Reply& send,
                                        const Cancellation& cancellation) {
  std::string id;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    id = absl::StrCat("stile-", ++last_);
    answers_[id] = nullptr;
  }
  send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoSeconds(kPeerPatience);
  std::unique_lock<std::mutex> lock(mutex_);
  while (answers_[id].is_null() && !cancellation.cancelled() &&
         std::chrono::steady_clock::now() < deadline) {
    answered_.wait_for(lock, kSlice);
  }
  const Json answer = std::move(answers_[id]);
  answers_.erase(id);
  lock.unlock();
  if (answer.is_null()) {
    send(RpcNotification("notifications/cancelled", {{"requestId", id}}));
    return cancellation.cancelled() ? absl::CancelledError("cancelled") : NoAnswer();
  }
  if (const Json* const error = JsonMember(answer, "error")) return PeerError(*error);
  return answer.value("result", Json());
}

void PeerQuestions::TakeAnswer(const Json& message) {
  const auto id = JsonString(message, "id");
  if (!id.has_value()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = answers_.find(*id);
    if (found == answers_.end()) return;
    found->second = message;
  }
  answered_.notify_all();
}

void OpenCall::Progress(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!waiting_.has_value()) return;
  const McpRequest& request = *waiting_->request;
  const Json* const meta = JsonMember(request.params, "_meta");
  const Json* const token = meta == nullptr ? nullptr : JsonMember(*meta, "progressToken");
  if (token == nullptr || (!token->is_string() && !token->is_number_integer())) return;
  request.reply(RpcNotification(
      "notifications/progress",
      {{"progressToken", *token}, {"progress", ++sent_}, {"message", ToUtf8(text)}}));
}

void OpenCall::Log(const std::string& level, const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!waiting_.has_value() || LogSeverity(level) < waiting_->request->log_severity) return;
  waiting_->request->reply(RpcNotification(
      "notifications/message", {{"level", level}, {"logger", "stile"}, {"data", ToUtf8(text)}}));
}

absl::StatusOr<Json> OpenCall::AskPeer(const std::string& method, const Json& params) {
  if (questions_ == nullptr) return AskWithoutHandshake(method, params);
  McpRequest::Reply send;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!waiting_.has_value()) return absl::CancelledError("the call has ended");
    send = waiting_->request->reply;
  }
  return questions_->Ask(method, params, send, *cancellation_);
}

absl::StatusOr<Json> OpenCall::AskWithoutHandshake(const std::string& method, const Json& params) {
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoSeconds(kPeerPatience);
  const auto must_wait = [&] {
    return !cancellation_->cancelled() && std::chrono::steady_clock::now() < deadline;
  };
  std::unique_lock<std::mutex> lock(mutex_);
  // Steps that run at the same time ask one by one.
  while (is_asking_ && must_wait()) changed_.wait_for(lock, kSlice);
  if (is_asking_ || !waiting_.has_value()) {
    return cancellation_->cancelled()
               ? absl::CancelledError("cancelled")
               : absl::UnavailableError("no request of the MCP host waits for this call");
  }
  if (state_.empty()) state_ = calls_.Add(shared_from_this());
  is_asking_ = true;
  responses_ = nullptr;
  const Waiting asked = *std::exchange(waiting_, std::nullopt);
  const Json question = {{"resultType", "input_required"},
                         {"inputRequests", InputRequests(kOnlyKey, method, params)},
                         {"requestState", state_}};
  lock.unlock();
  asked.answer(asked.request, question);
  lock.lock();
  while (!waiting_.has_value() && must_wait()) changed_.wait_for(lock, kSlice);
  is_asking_ = false;
  changed_.notify_all();
  if (!waiting_.has_value()) {
    // No request waits for the result any more, and none could cancel the work.
    cancellation_->Cancel();
    return absl::CancelledError("the MCP host did not repeat its request within ten minutes");
  }
  if (cancellation_->cancelled()) return absl::CancelledError("cancelled");
  return InputResponse(responses_, kOnlyKey);
}

void OpenCall::Answer(Json result) {
  std::optional<Waiting> asked;
  std::string state;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    asked = std::exchange(waiting_, std::nullopt);
    state = state_;
  }
  if (!state.empty()) calls_.Remove(state);
  if (asked.has_value()) asked->answer(asked->request, std::move(result));
}

bool OpenCall::GoOn(Waiting waiting, const Json& responses) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_asking_ || waiting_.has_value()) return false;
    waiting_ = std::move(waiting);
    responses_ = responses;
  }
  changed_.notify_all();
  return true;
}

std::string OpenCalls::Add(std::shared_ptr<OpenCall> call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string state = RandomHex(16);
  if (is_ending_) call->cancellation()->Cancel();
  calls_[state] = std::move(call);
  return state;
}

void OpenCalls::Remove(const std::string& state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  calls_.erase(state);
}

std::shared_ptr<OpenCall> OpenCalls::Find(const std::string& state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = calls_.find(state);
  return found == calls_.end() ? nullptr : found->second;
}

void OpenCalls::CancelAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_ending_ = true;
  for (const auto& [state, call] : calls_) call->cancellation()->Cancel();
}

}  // namespace stile
