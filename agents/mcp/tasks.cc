#include "agents/mcp/tasks.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agents/mcp/open_call.h"
#include "runtime/base/ids.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr int kIdBytes = 16;
constexpr size_t kMaxTasks = 200;  // that are kept
constexpr int64_t kPollMs = 1000;
constexpr auto kSlice = std::chrono::milliseconds(100);

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

}  // namespace

McpTask::McpTask(std::string id, std::string owner, absl::Duration ttl)
    : id_(std::move(id)),
      owner_(std::move(owner)),
      created_(absl::Now()),
      ttl_(ttl),
      updated_(created_) {}

void McpTask::SetMessage(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != McpTaskState::kWorking) return;
  message_ = ToUtf8(text);
  updated_ = absl::Now();
}

absl::StatusOr<Json> McpTask::Ask(const std::string& method, const Json& params) {
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoSeconds(kPeerPatience);
  const auto must_wait = [&] {
    return !cancellation_.cancelled() && std::chrono::steady_clock::now() < deadline;
  };
  std::unique_lock<std::mutex> lock(mutex_);
  // Steps that run at the same time ask one by one.
  while (!question_.key.empty() && must_wait()) question_.changed.wait_for(lock, kSlice);
  const bool is_mine = question_.key.empty() && must_wait();
  if (is_mine) {
    question_.key = absl::StrCat("answer-", ++question_.asked);
    question_.requests = InputRequests(question_.key, method, params);
    updated_ = absl::Now();
    while (question_.responses.is_null() && must_wait()) question_.changed.wait_for(lock, kSlice);
  }
  const std::string key = is_mine ? std::exchange(question_.key, "") : "";
  const Json responses = is_mine ? std::exchange(question_.responses, nullptr) : Json();
  updated_ = absl::Now();
  lock.unlock();
  question_.changed.notify_all();
  if (cancellation_.cancelled()) return absl::CancelledError("cancelled");
  if (responses.is_null()) {
    return absl::DeadlineExceededError("the MCP host gave no answer for ten minutes");
  }
  return InputResponse(responses, key);
}

void McpTask::TakeAnswers(const Json& responses) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (question_.key.empty() || JsonMember(responses, question_.key.c_str()) == nullptr) return;
    question_.responses = responses;
  }
  question_.changed.notify_all();
}

void McpTask::End(Json result) {
  const bool failed = JsonBool(result, "isError").value_or(false);
  EndAs(failed ? McpTaskState::kFailed : McpTaskState::kCompleted, std::move(result));
}

bool McpTask::Cancel() {
  if (!EndAs(McpTaskState::kCancelled, Json())) return false;
  cancellation_.Cancel();
  return true;
}

bool McpTask::EndAs(McpTaskState state, Json result) {
  std::vector<std::function<void(const Json&)>> waiting;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (state_ != McpTaskState::kWorking) return false;
    state_ = state;
    updated_ = absl::Now();
    result_ = std::move(result);
    waiting.swap(waiting_);
  }
  // The result does not change any more.
  for (const auto& use : waiting) use(result_);
  return true;
}

void McpTask::WhenEnded(std::function<void(const Json& result)> use) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == McpTaskState::kWorking) {
      waiting_.push_back(std::move(use));
      return;
    }
  }
  use(result_);
}

bool McpTask::is_over() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return state_ != McpTaskState::kWorking;
}

bool McpTask::IsStale(absl::Time now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return state_ != McpTaskState::kWorking && now > updated_ + ttl_;
}

const char* McpTask::StatusName() const {
  switch (state_) {
    case McpTaskState::kWorking:
      return "working";
    case McpTaskState::kCompleted:
      return "completed";
    case McpTaskState::kFailed:
      return "failed";
    case McpTaskState::kCancelled:
      return "cancelled";
  }
  return "";
}

Json McpTask::ToJson(TaskProtocol era) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_extension = era == TaskProtocol::kExtension;
  // The extension keeps `failed` for errors of the protocol.
  const bool is_answered = state_ == McpTaskState::kCompleted || state_ == McpTaskState::kFailed;
  const bool is_asking = is_extension && state_ == McpTaskState::kWorking &&
                         !question_.key.empty() && question_.responses.is_null();
  const char* const status = is_asking                     ? "input_required"
                             : is_extension && is_answered ? "completed"
                                                           : StatusName();
  Json json = {{"taskId", id_},
               {"status", status},
               {"createdAt", TimeText(created_)},
               {"lastUpdatedAt", TimeText(updated_)},
               {is_extension ? "ttlMs" : "ttl", absl::ToInt64Milliseconds(ttl_)},
               {is_extension ? "pollIntervalMs" : "pollInterval", kPollMs}};
  if (!message_.empty()) json["statusMessage"] = message_;
  if (is_extension && is_answered) {
    json["result"] = result_;
    json["result"]["resultType"] = "complete";
  }
  if (is_asking) json["inputRequests"] = question_.requests;
  return json;
}

absl::StatusOr<std::shared_ptr<McpTask>> McpTasks::Start(const std::string& owner,
                                                         absl::Duration ttl) {
  const auto task = std::make_shared<McpTask>(RandomHex(kIdBytes), owner, ttl);
  const std::lock_guard<std::mutex> lock(mutex_);
  ForgetStale();
  if (tasks_.size() >= kMaxTasks) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there are ", kMaxTasks, " tasks; try again when some have ended"));
  }
  tasks_[++last_] = task;
  if (is_ending_) task->Cancel();
  return task;
}

std::shared_ptr<McpTask> McpTasks::Find(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ForgetStale();
  const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                  [&](const auto& entry) { return entry.second->id() == id; });
  return found == tasks_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<McpTask>> McpTasks::Of(const std::string& owner) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ForgetStale();
  std::vector<std::shared_ptr<McpTask>> own;
  for (const auto& [age, task] : tasks_) {
    if (task->owner() == owner) own.push_back(task);
  }
  return own;
}

void McpTasks::CancelAll() {
  std::vector<std::shared_ptr<McpTask>> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
    for (const auto& [age, task] : tasks_) all.push_back(task);
  }
  for (const auto& task : all) task->Cancel();
}

void McpTasks::ForgetStale() {
  const absl::Time now = absl::Now();
  for (auto it = tasks_.begin(); it != tasks_.end();) {
    it = it->second->IsStale(now) ? tasks_.erase(it) : std::next(it);
  }
  // Room for new ones: the oldest that have ended go first.
  for (auto it = tasks_.begin(); it != tasks_.end() && tasks_.size() >= kMaxTasks;) {
    it = it->second->is_over() ? tasks_.erase(it) : std::next(it);
  }
}

}  // namespace stile
