// The work of one step: whether it may run, what it is given, and whether what it gave will do.
#ifndef STILE_RUNTIME_WORKFLOW_STEP_WORK_H_
#define STILE_RUNTIME_WORKFLOW_STEP_WORK_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/script/expression.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/scope.h"
#include "runtime/workflow/step_executor.h"
#include "runtime/workflow/step_record.h"

namespace stile {

// Thread-safe as long as nobody changes scopes and variables, but for Compute.
class StepWork {
 public:
  // Nothing is owned.
  StepWork(const Workflow* workflow, const WorkflowPlan* plan, WorkflowVariables* variables)
      : workflow_(*workflow), plan_(*plan), variables_(*variables) {}

  struct Skip {
    std::string reason;  // kSkip…
    std::string message;
  };
  // Dependencies, `if` and `assume`; an expression that fails is as good as false.
  std::optional<Skip> WhyNot(const Scope& scope, int step) const;

  // Settings, environment and input with every template filled in. InvalidArgument names the
  // setting whose template fails.
  absl::StatusOr<StepCall> Prepare(const Scope& scope, int step) const;

  // Whether the step only computes: its effect lies in the run itself, and is had by Compute.
  static bool IsComputed(StepType type);
  // script, memory, log and noop.
  StepReply Compute(const Scope& scope, int step, const StepCall& call) const;

  // Gives the output the form that `transform` of the step says; a failure of it fails the reply.
  void Transform(const Scope& scope, int step, StepReply* reply) const;

  // Sets verdict and message by the reply: list and schema, fail_if, guarantee. An expression that
  // fails is a failure.
  void Judge(const Scope& scope, int step, StepRecord* record) const;

  // What a text of the step may name: VariablesFor, and what only Visor has.
  Json Variables(const std::string& text, const Scope& scope, int step, const Json* output) const;
  // In the variables of the step.
  absl::StatusOr<Json> Value(const Scope& scope, int step, const std::string& expression,
                             const Json* output) const;
  // Runs a script, which may change memory.
  absl::StatusOr<ScriptResult> Result(const Scope& scope, int step, const std::string& script,
                                      const Json* output) const;
  // What a declared output of the workflow is once the run has ended.
  absl::StatusOr<Json> Output(const Scope& root, const Workflow::Output& output) const;
  // What a script gives once the run has ended; `facts` are variables of their own.
  absl::StatusOr<Json> Report(const Scope& root, const std::string& script,
                              const Json& facts) const;

 private:
  const WorkflowStep& Step(int step) const { return workflow_.steps[static_cast<size_t>(step)]; }
  std::optional<Skip> UnmetDependency(const Scope& scope, int step) const;
  bool IsEmptyList(const Scope& scope, int step, StepVerdict verdict) const;
  static int Attempt(const Scope& scope, int step);
  ScriptGlobals Globals(Json variables) const;
  ScriptOptions Options() const;
  absl::Status Fill(const Scope& scope, int step, Json* value) const;
  absl::Status MeetsConditions(const Scope& scope, int step, StepReply* reply) const;
  StepReply Remember(const Scope& scope, int step, const StepCall& call) const;

  const Workflow& workflow_;
  const WorkflowPlan& plan_;
  WorkflowVariables& variables_;
};

// The facts of Report.
inline constexpr const char* kReportVariables[] = {"result", "earlier"};

// InvalidArgument naming the first violations when the schema is not null and `value` does not fit.
absl::Status CheckFits(const Json& schema, const Json& value, absl::string_view what);

// Why what depends on a step in this state is skipped.
absl::string_view SkipBehind(StepVerdict verdict, absl::string_view reason);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_STEP_WORK_H_
