// Sessions of one agent: the agent loop as the body of a session, and how runs begin and go on.
#ifndef STILE_AGENTS_API_AGENT_BODY_H_
#define STILE_AGENTS_API_AGENT_BODY_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "agents/api/run_plan.h"
#include "agents/api/session_context.h"
#include "runtime/model/chat_model.h"
#include "runtime/session/external_body.h"
#include "runtime/session/program_body.h"
#include "runtime/session/session_body.h"
#include "runtime/story/story_runner.h"

namespace stile {

// A model with tools works on a task until the gate accepts its finish.
class AgentBody : public SessionBody {
 public:
  // `context` is not owned. The plan of a run that goes on comes from its journal, not from `task`.
  AgentBody(const SessionContext* context, AgentTask task)
      : context_(*context), task_(std::move(task)) {}

  absl::Status Begin(const RunPaths& run, GatedWorkspace* workspace, Json* start) override;
  absl::Status CheckCanGoOn(const RunPaths& run, const RunHistory& history) const override;
  absl::Status Resume(const RunHistory& history, Json* resumed) override;
  SessionEnd Work(const SessionView& session, std::optional<RunHistory> history) override;
  const ModelInfo& author() const override { return model_->info(); }

 private:
  // What the executor is given, but for its tools. `session` outlives the result.
  ExecutorOptions OptionsFor(const SessionView& session) const;

  const SessionContext& context_;
  const AgentTask task_;
  RunPlan plan_;
  std::unique_ptr<ChatModel> model_;
};

// Begins a run under `run_id` ("": a new id); where a run of that id was interrupted, goes on with
// it; of one that has ended gives the stored result, or goes on if the task says so and it did not
// succeed. AlreadyExists: the run came from another request. Other errors as StartSession and
// ContinueSession.
absl::StatusOr<RunResult> RunAgent(const SessionContext& context, const std::string& run_id,
                                   const AgentTask& task, const EventSink& sink);

// The same for edits of which no model is asked.
absl::StatusOr<RunResult> RunEdits(const SessionContext& context, const MergeTask& task,
                                   const EventSink& sink);

// A new run of a program.
absl::StatusOr<RunResult> RunProgram(const SessionContext& context, const std::string& workspace,
                                     const GatedProgram& program, const EventSink& sink);

// Begins a session that stays open, and gives its id.
absl::StatusOr<std::string> OpenExternal(const SessionContext& context,
                                         const std::string& workspace, const ExternalWork& work,
                                         const EventSink& sink);
// Works on such a session; one that has ended gives its stored result. `step`: kFinish or kGiveUp.
absl::StatusOr<RunResult> ContinueExternal(const SessionContext& context, const RunPaths& run,
                                           ExternalBody::Step step, const EventSink& sink);

// Goes on with a run of an agent; `go_on`: also with one that ended without success.
absl::StatusOr<RunResult> ContinueRun(const SessionContext& context, const RunPaths& run,
                                      bool go_on, const EventSink& sink);

// Whether ContinueRun with `go_on` would go on. FailedPrecondition says what has to change; OK also
// where the stored result would be returned.
absl::Status CheckCanGoOn(const SessionContext& context, const RunPaths& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_AGENT_BODY_H_
