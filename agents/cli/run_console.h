#ifndef STILE_AGENTS_CLI_RUN_CONSOLE_H_
#define STILE_AGENTS_CLI_RUN_CONSOLE_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "agents/api/agent.h"
#include "agents/api/verification_outcome.h"
#include "agents/api/workflow_outcome.h"
#include "agents/cli/command.h"
#include "agents/cli/progress_view.h"
#include "runtime/event/event.h"
#include "runtime/story/story_runner.h"

namespace stile {

// Shows one run, story or workflow in the way the flags ask for: events as JSON lines on stdout, or
// progress on stderr and a summary on stdout. Used on one thread.
// One thing: the output of one command; its parts (events, questions, summary) share the terminal.
class RunConsole {
 public:
  // Sets on_event, on_ask and on_question of `options`, which must not outlive this object;
  // `context` must outlive it. With `json`, events go to stdout whatever the flags say.
  // `request_id`: "id" of the last event, run_finished; "": it has none. `run_id`: of the run,
  // where it is known before its first event.
  RunConsole(const CliContext& context, bool json, AgentOptions* options,
             std::string request_id = "", std::string run_id = "");
  ~RunConsole();

  // The last word: a summary, or why the run could not begin (with JSON as run_finished, unless one
  // was printed). Returns the exit code.
  int Finish(const absl::StatusOr<RunResult>& result);
  int Finish(const absl::StatusOr<StoryResult>& result);
  int Finish(const absl::StatusOr<WorkflowOutcome>& result);
  int Finish(const absl::StatusOr<VerificationOutcome>& result);
  int Finish(const absl::Status& why_not);

 private:
  void OnEvent(const Event& event);
  bool Ask(const ToolSpec& spec, const Json& arguments);
  std::optional<std::string> AskText(const std::string& question);
  void StopProgress();
  // For a full disk: with the command that goes on with the run.
  absl::Status WithWayOn(const absl::Status& why_not) const;
  int Summarize(const RunResult& result, const std::string& details);

  const CliContext& context_;
  const bool json_;
  const Cancellation* const cancellation_;
  Cancellation* const switch_;  // turned when stdout is closed
  const std::string request_id_;
  std::string run_id_;            // of the outermost run: the first that is seen
  uint64_t last_seq_ = 0;         // of its events
  bool is_finished_ = false;      // whether run_finished was printed
  std::set<std::string> always_;  // tools that may run without asking again
  std::unique_ptr<ProgressView> view_;

  std::mutex asking_;
  std::thread ticker_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
};

// Prints the run_finished of a run that could not begin, or go on, because of `why_not`, as one
// line of JSON on stdout. `seq`: its number; `request_id` as in RunConsole.
void PrintRefusal(const absl::Status& why_not, const std::string& run_id, uint64_t seq,
                  const std::string& request_id);

// ReportStatus, and before it PrintRefusal where the flags ask for JSON.
int ReportRefusal(const CliContext& context, const absl::Status& why_not);

// What a person reads at the end of a run: outcome, answer, changed files, certificate, and how to
// look further.
std::string FormatSummary(const RunResult& result, const std::string& run_id,
                          const std::string& details, const Terminal& terminal);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUN_CONSOLE_H_
