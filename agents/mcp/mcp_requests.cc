#include "agents/mcp/mcp_requests.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

constexpr size_t kMaxPending = 256;

}  // namespace

std::string McpRequests::Add(const Pending& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Answered at once; a peer needs them to end what it has begun.
  const bool is_brief = request->method == "ping" || request->method == "tasks/get" ||
                        request->method == "tasks/cancel" || request->method == "tasks/update";
  if (pending_.size() >= kMaxPending && !is_brief) {
    return absl::StrCat("more than ", kMaxPending, " requests are under way");
  }
  const bool is_new = pending_.emplace(DumpJson(request->id), request).second;
  return is_new ? "" : "a request with this id is under way";
}

void McpRequests::End(const Pending& request, const Json& answer) {
  request->is_answered = true;
  // Before the request is forgotten: then the transport may close.
  request->reply(request->cancellation->cancelled() ? Json() : answer);
  const std::lock_guard<std::mutex> lock(mutex_);
  pending_.erase(DumpJson(request->id));
  ended_.notify_all();
}

void McpRequests::Enqueue(JobQueue* queue, const Pending& request, const std::string& lane,
                          std::function<void()> work) {
  request->waits = true;
  queue->Add(lane, [request, work = std::move(work)] {
    // One that was cancelled while it waited has ended, and perhaps its session with it.
    if (!request->is_taken.exchange(true)) work();
  });
}

void McpRequests::Cancel(const Json& id) {
  Pending request;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pending_.find(DumpJson(id));
    if (found != pending_.end()) request = found->second;
  }
  if (request != nullptr) CancelOne(request);
}

void McpRequests::CancelAll() {
  std::vector<Pending> requests;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, request] : pending_) requests.push_back(request);
  }
  for (const Pending& request : requests) CancelOne(request);
}

std::vector<McpRequests::Pending> McpRequests::Of(absl::string_view method) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Pending> requests;
  for (const auto& [id, request] : pending_) {
    if (request->method == method) requests.push_back(request);
  }
  return requests;
}

void McpRequests::CancelOne(const Pending& request) {
  // The others are answered at once.
  // A call can go on after its request was answered with a question.
  if (!request->waits || request->is_answered) return;
  request->cancellation->Cancel();
  if (!request->is_taken.exchange(true)) End(request, Json());
}

bool McpRequests::WaitFor(absl::Duration timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_over = [this] { return pending_.empty(); };
  if (timeout != absl::InfiniteDuration()) {
    return ended_.wait_for(lock, absl::ToChronoMilliseconds(timeout), is_over);
  }
  ended_.wait(lock, is_over);
  return true;
}

}  // namespace stile
