// Tasks: calls of tools that go on after they were answered, so that a peer need not wait.
// Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and the
// extension io.modelcontextprotocol/tasks of revision 2026-07-28.
#ifndef STILE_AGENTS_MCP_TASKS_H_
#define STILE_AGENTS_MCP_TASKS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/json.h"

namespace stile {

// How the peer of a request supports tasks.
enum class TaskProtocol {
  kNone,
  kRequested,  // a request asks for one by `task` in its params (2025-11-25)
  kExtension,  // the peer declares the extension (2026-07-28), and the server decides
};

enum class McpTaskState { kWorking, kCompleted, kFailed, kCancelled };

// What a task asks its peer, one question at a time.
struct TaskQuestion {
  std::condition_variable changed;
  uint64_t asked = 0;  // questions so far: each has a key of its own
  std::string key;     // of the one that is open; "": none
  Json requests;       // `inputRequests`
  Json responses;      // `inputResponses`; null: none yet
};

// One call of a tool. Thread-safe.
class McpTask {
 public:
  // `owner`: of the session that began it; "": none. `ttl`: how long it is kept.
  McpTask(std::string id, std::string owner, absl::Duration ttl);

  const std::string& id() const { return id_; }
  const std::string& owner() const { return owner_; }
  const Cancellation* cancellation() const { return &cancellation_; }

  void SetMessage(const std::string& text);
  // For kExtension. The peer finds the question by `tasks/get`; waits until TakeAnswers brings the
  // answer, ten minutes at most. Errors as PeerQuestions::Ask. Blocks.
  absl::StatusOr<Json> Ask(const std::string& method, const Json& params);
  // `inputResponses` of the peer. Dropped if they do not answer the question that is open.
  void TakeAnswers(const Json& responses);
  // The end of the call: `result` is what `tools/call` would have answered. A task that was
  // cancelled stays so.
  void End(Json result);
  // False: it has ended already.
  bool Cancel();
  // Calls `use` with the result, now or at the end, on the thread that ends the task. The result
  // of a cancelled task is null.
  void WhenEnded(std::function<void(const Json& result)> use);

  bool is_over() const;
  // Whether it may be forgotten.
  bool IsStale(absl::Time now) const;
  // As `tasks/get` answers for kRequested and kExtension.
  Json ToJson(TaskProtocol era) const;

 private:
  // False: it has ended already.
  bool EndAs(McpTaskState state, Json result);
  const char* StatusName() const;  // with mutex_ held

  const std::string id_;
  const std::string owner_;
  const absl::Time created_;
  const absl::Duration ttl_;
  Cancellation cancellation_;
  mutable std::mutex mutex_;
  McpTaskState state_ = McpTaskState::kWorking;  // guarded by mutex_, as all below
  std::string message_;
  absl::Time updated_;
  Json result_;
  std::vector<std::function<void(const Json&)>> waiting_;
  TaskQuestion question_;
};

// The tasks of all sessions of a server. A peer that knows the id of one, 128 random bits, may use
// it. The oldest that have ended are forgotten when there are too many. Thread-safe.
class McpTasks {
 public:
  // ResourceExhausted: too many are under way.
  absl::StatusOr<std::shared_ptr<McpTask>> Start(const std::string& owner, absl::Duration ttl);
  // Null: there is none.
  std::shared_ptr<McpTask> Find(const std::string& id);
  // Of the owner, the oldest first.
  std::vector<std::shared_ptr<McpTask>> Of(const std::string& owner);
  // For the end of the server: also cancels tasks that begin later.
  void CancelAll();

 private:
  void ForgetStale();  // with mutex_ held

  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<McpTask>> tasks_;  // by age; guarded by mutex_
  uint64_t last_ = 0;                                   // guarded by mutex_
  bool is_ending_ = false;                              // guarded by mutex_
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_TASKS_H_
