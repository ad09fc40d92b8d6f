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
#include "agents/cli/command.h"
#include "agents/cli/progress_view.h"

namespace stile {

// Shows one run, story or workflow in the way the flags ask for: events as JSON lines on stdout, or
// progress on stderr and a summary on stdout. Used on one thread.
class RunConsole {
 public:
  // Sets on_event, on_ask and on_question of `options`, which must not outlive this object;
  // `context` must outlive it. With `json`, events go to stdout whatever the flags say.
  RunConsole(const CliContext& context, bool json, AgentOptions* options);
  ~RunConsole();

  // The last word: a summary, or why the run could not begin. Returns the exit code.
  int Finish(const absl::StatusOr<RunResult>& result);
  int Finish(const absl::StatusOr<StoryResult>& result);
  int Finish(const absl::StatusOr<WorkflowOutcome>& result);
  int Finish(const absl::Status& why_not);

 private:
  void OnEvent(const Event& event);
  bool Ask(const ToolSpec& spec, const Json& arguments);
  std::optional<std::string> AskText(const std::string& question);
  void StopProgress();
  int Summarize(const RunResult& result, const std::string& details);

  const CliContext& context_;
  const bool json_;
  const Cancellation* const cancellation_;
  Cancellation* const switch_;    // turned when stdout is closed
  std::string run_id_;            // of the outermost run: the first that is seen
  std::set<std::string> always_;  // tools that may run without asking again
  std::unique_ptr<ProgressView> view_;

  std::mutex asking_;
  std::thread ticker_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
};

// What a person reads at the end of a run: outcome, answer, changed files, certificate, and how to
// look further.
std::string FormatSummary(const RunResult& result, const std::string& run_id,
                          const std::string& details, const Terminal& terminal);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_RUN_CONSOLE_H_
