// The order in which the steps of a workflow run.
#ifndef STILE_RUNTIME_WORKFLOW_PLAN_H_
#define STILE_RUNTIME_WORKFLOW_PLAN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// Steps by their index in the workflow. Immutable; takes time and memory linear in steps and
// dependencies, but for IsAncestor, which walks.
class WorkflowPlan {
 public:
  // InvalidArgument with the names of a cycle. Every name in depends_on has to be a step.
  static absl::StatusOr<WorkflowPlan> Make(const Workflow& workflow);

  // Layers (Kahn): each step comes behind all that it depends on, in the order of the file.
  const std::vector<std::vector<int>>& layers() const { return layers_; }
  const std::vector<int>& DependenciesOf(int step) const { return before_[Index(step)]; }
  const std::vector<int>& DependentsOf(int step) const { return after_[Index(step)]; }
  bool IsAncestor(int ancestor, int step) const;
  // The step and all that depends on it, in the order in which they run.
  std::vector<int> Forward(int step) const;

 private:
  static size_t Index(int step) { return static_cast<size_t>(step); }
  std::vector<bool> Reach(int from, const std::vector<std::vector<int>>& edges) const;

  std::vector<std::vector<int>> layers_;
  std::vector<std::vector<int>> before_;  // by step
  std::vector<std::vector<int>> after_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_PLAN_H_
