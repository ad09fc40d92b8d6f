// The order in which the steps of a workflow run.
#ifndef STILE_RUNTIME_WORKFLOW_PLAN_H_
#define STILE_RUNTIME_WORKFLOW_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// Steps by their index in the workflow. Immutable; takes time and memory linear in steps and
// dependencies, but for IsAncestor, which walks.
class WorkflowPlan {
 public:
  // What is wrong, at a step by its index.
  struct Problem {
    int step = 0;
    std::string message;
  };
  // InvalidArgument with the names of a cycle, and for a step that would run for the items of two
  // lists of which none lies within the other. Every name in depends_on has to be a step.
  // `problems`, unless null, gets each of them, the status the first.
  static absl::StatusOr<WorkflowPlan> Make(const Workflow& workflow,
                                           std::vector<Problem>* problems = nullptr);

  // Layers (Kahn): each step comes behind all that it depends on, in the order of the file.
  const std::vector<std::vector<int>>& layers() const { return layers_; }
  const std::vector<int>& DependenciesOf(int step) const { return before_[Index(step)]; }
  const std::vector<int>& DependentsOf(int step) const { return after_[Index(step)]; }
  bool IsAncestor(int ancestor, int step) const;
  // The step and all that depends on it, in the order in which they run.
  std::vector<int> Forward(int step) const;
  // The steps that both depend on `ancestor` and lead to `step`, these two among them, in the order
  // in which they run.
  std::vector<int> Between(int ancestor, int step) const;
  // By step: whether `step` depends on it, directly or not.
  std::vector<bool> AncestorsOf(int step) const;

  int LayerOf(int step) const { return layer_of_[Index(step)]; }
  // The forEach steps for whose items the step runs, the outermost first; empty: it runs once. A
  // step that depends on a forEach step, or on one that runs for its items, runs for them too,
  // unless its fanout is reduce: then once, after all of them.
  const std::vector<int>& ListsOf(int step) const { return lists_[Index(step)]; }

  // How deep forEach steps may be nested.
  static constexpr size_t kMaxLists = 8;

 private:
  static size_t Index(int step) { return static_cast<size_t>(step); }
  std::vector<int> InOrder(const std::vector<bool>& steps) const;
  void FindLists(const Workflow& workflow, std::vector<Problem>* problems);

  std::vector<std::vector<int>> layers_;
  std::vector<std::vector<int>> before_;  // by step
  std::vector<std::vector<int>> after_;
  std::vector<int> layer_of_;
  std::vector<std::vector<int>> lists_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_PLAN_H_
