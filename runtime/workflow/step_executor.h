// What a workflow needs from its host: the work of steps that reach beyond the runner.
#ifndef STILE_RUNTIME_WORKFLOW_STEP_EXECUTOR_H_
#define STILE_RUNTIME_WORKFLOW_STEP_EXECUTOR_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/json.h"
#include "runtime/model/message.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// One run of a step, with every template filled in.
struct StepCall {
  // Of this call among all of the run: the same when the run is resumed. Of a nested workflow with
  // the numbers of the steps around it, "3.1".
  std::string number;
  std::string scope;  // Scope::name, behind those of the workflows around it
  const WorkflowStep* step = nullptr;
  Json settings;                           // see WorkflowStep::settings
  std::map<std::string, std::string> env;  // see WorkflowStep::env
  Json input;  // gate, and agent without a prompt: outputs of what it depends on, by step
  // Turns of the model that the run, and this step in it, took before: where cassettes go on.
  int turns_before = 0;
  int step_turns_before = 0;
};

struct StepReply {
  bool ok = true;
  Json output;          // null: none
  std::string message;  // what went wrong, for people; "" where ok
  Usage usage;
  int turns = 0;
  std::vector<std::string> changed;  // paths in the workspace
  std::vector<std::string> log;      // lines that a script logged; not on record
};

// Whether the output has to be JSON: it says so, is a list, or has a schema.
bool WantsJson(const WorkflowStep& step);
// Text as the step wants it: without its last line breaks, or as JSON. InvalidArgument when it is
// none; the text is the output then.
absl::Status SetOutput(const WorkflowStep& step, absl::string_view text, StepReply* reply);

// Thread-safe, but for agents, tools and resources: those come one at a time.
class StepExecutor {
 public:
  virtual ~StepExecutor() = default;

  // Of types agent, command, gate, tool, resource, http, verify and human. A status means that our
  // own machinery failed and ends the run; Cancelled when `cancellation` did; Unauthenticated when
  // the model's provider refuses or cannot be reached (RunResult::is_final): a model error ends the
  // run. What merely went wrong is a reply.
  virtual absl::StatusOr<StepReply> Execute(const StepCall& call,
                                            const Cancellation* cancellation) = 0;
  // The workflow in `file`, which a step of type workflow names. InvalidArgument with the place of
  // what is wrong.
  virtual absl::StatusOr<Workflow> LoadWorkflow(const std::string& file) = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_STEP_EXECUTOR_H_
