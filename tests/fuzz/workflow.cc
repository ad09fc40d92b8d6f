// Workflow files, their order and their pictures, their tests; and runs of those without scripts.
#include "runtime/workflow/workflow.h"

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/workflow/graph.h"
#include "runtime/workflow/name_check.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/workflow_runner.h"
#include "runtime/workflow/workflow_tests.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

constexpr int kMaxEvents = 300;

// Every other step fails.
class Steps : public stile::StepExecutor {
  absl::StatusOr<stile::StepReply> Execute(const stile::StepCall& call,
                                           const stile::Cancellation*) override {
    stile::StepReply reply;
    reply.ok = call.number.back() % 2 == 0;
    reply.output = {1, {2, 3}};
    return reply;
  }
  absl::StatusOr<stile::Workflow> LoadWorkflow(const std::string&) override {
    return absl::InvalidArgumentError("there are no files here");
  }
};

bool HasScripts(const stile::Routing& routing) {
  return !routing.transitions.empty() || !routing.run_js.empty() || !routing.goto_js.empty() ||
         routing.delay_ms > 0;
}

// Scripts may take their time, which is another target's business.
bool IsQuick(const stile::Workflow& workflow) {
  for (const stile::WorkflowStep& step : workflow.steps) {
    if (!step.condition.empty() || !step.assume.empty() || !step.fail_if.empty() ||
        !step.guarantee.empty() || !step.transform_js.empty() || !step.failure_conditions.empty() ||
        step.type == stile::StepType::kScript || step.settings.contains("value_js") ||
        HasScripts(step.on_success) || HasScripts(step.on_fail) || HasScripts(step.on_finish)) {
      return false;
    }
  }
  for (const stile::Workflow::Output& output : workflow.outputs) {
    if (!output.value_js.empty()) return false;
  }
  return workflow.steps.size() < 200;
}

void Run(const stile::Workflow& workflow) {
  Steps steps;
  stile::Cancellation cancellation;
  stile::EventStream events("r", stile::SystemClock());
  int seen = 0;
  events.AddSink([&](const stile::Event&) {
    if (++seen > kMaxEvents) cancellation.Cancel();
  });
  stile::WorkflowOptions options;
  options.clock = stile::SystemClock();
  options.events = &events;
  options.cancellation = &cancellation;
  stile::Workflow alone = workflow;
  alone.max_parallelism = 1;
  const auto result = stile::WorkflowRunner(&alone, &steps, std::move(options)).Run();
  STILE_CHECK(result.ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const stile::FuzzInput input(data, size);
  const stile::CheckedWorkflow checked = stile::CheckWorkflow(input.rest(), "w.yaml");
  for (const std::string& line : stile::CheckNames(checked.workflow, "w.yaml", {})) {
    STILE_CHECK(absl::StartsWith(line, "w.yaml:"));
  }
  const auto workflow = stile::ParseWorkflow(input.rest(), "w.yaml");
  STILE_CHECK(workflow.ok() == checked.errors.empty());
  if (!workflow.ok()) {
    STILE_CHECK(absl::StrContains(workflow.status().message(), "w.yaml"));
    // Some of what could be read may be in a cycle.
    stile::WorkflowPlan::Make(checked.workflow).status().IgnoreError();
    return 0;
  }
  STILE_CHECK(!workflow->steps.empty());
  const auto plan = stile::WorkflowPlan::Make(*workflow);
  STILE_CHECK(plan.ok());
  size_t placed = 0;
  for (const auto& layer : plan->layers()) placed += layer.size();
  STILE_CHECK(placed == workflow->steps.size());
  STILE_CHECK(absl::StartsWith(stile::MermaidGraph(*workflow), "flowchart TD\n"));
  STILE_CHECK(absl::EndsWith(stile::DotGraph(*workflow), "}\n"));
  if (workflow->has_tests) {
    const auto tests = stile::ParseWorkflowTests(input.rest(), "w.yaml", &*workflow);
    STILE_CHECK(tests.ok() || absl::StrContains(tests.status().message(), "w.yaml"));
  }
  if (IsQuick(*workflow)) Run(*workflow);
  return 0;
}
