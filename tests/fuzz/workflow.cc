// Workflow files, their order and their pictures.
#include "runtime/workflow/workflow.h"

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/workflow/graph.h"
#include "runtime/workflow/plan.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const stile::FuzzInput input(data, size);
  const auto workflow = stile::ParseWorkflow(input.rest(), "w.yaml");
  if (!workflow.ok()) {
    STILE_CHECK(absl::StrContains(workflow.status().message(), "w.yaml"));
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
  return 0;
}
