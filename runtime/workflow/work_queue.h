// Which steps run next: layer by layer, again after a jump, once for each item of a list.
#ifndef STILE_RUNTIME_WORKFLOW_WORK_QUEUE_H_
#define STILE_RUNTIME_WORKFLOW_WORK_QUEUE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/scope.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// Works on the `now` and `later` of scopes. Steps by their index in the workflow.
class WorkQueue {
 public:
  // Nothing is owned. `active`, by step: whether it takes part at all.
  WorkQueue(const Workflow* workflow, const WorkflowPlan* plan, std::vector<bool> active);

  // Everything that runs by itself.
  void Begin(Scope* root);

  // The layer that is due in the scope or in one of its items; nullopt: nothing waits.
  static std::optional<int> DueLayer(const Scope& scope);
  // The steps of the scope itself that wait in its first layer, in the order of the file. Empty
  // where that layer lies behind `limit`, or where items come first.
  static std::vector<int> Due(const Scope& scope, int limit);
  // Items within `scope`, at any depth, of the same lists, whose own steps are due in the first
  // layer that waits in an item; in their order. Empty where that layer lies behind `limit`.
  static std::vector<Scope*> DueItems(Scope* scope, int limit);
  // The lists that the scope is an item of, the innermost first.
  static std::vector<int> ListsAround(const Scope& scope);
  // They run now, for whatever reason: they wait no longer, in no item either.
  static void Forget(Scope* scope, int step, int layer);
  static bool Waits(const Scope& scope, int step, int layer);

  // The output of a forEach step becomes scopes, one an item, in which all that runs for items
  // waits. What was known of earlier items is gone.
  void MakeItems(Scope* scope, int list, const Json& output);
  // There are no items: what would have run for them is skipped for this reason.
  void SkipItems(Scope* scope, int list, absl::string_view reason);
  // Steps that run for the items of `list`, directly or within further lists.
  const std::vector<int>& RunForItemsOf(int list) const {
    return run_for_items_[static_cast<size_t>(list)];
  }

  // The innermost scope, `scope` or one around it, to which the step belongs.
  Scope* HomeOf(Scope* scope, int step) const;

  struct Jump {
    Scope* home = nullptr;  // where work was queued
    bool is_new = true;     // false: it joined a jump to the same place that has not begun
    bool has_work = false;  // false: the target runs for items of which there are none
  };
  // From a step that ended in `scope` to `target`. An ancestor of the step runs alone, then the
  // step (with `forward`, all that lies between too); any other target runs with all that depends
  // on it. What waited and is not among these waits further, behind them, unless one of them
  // depends on it. `active`, by step: which steps run by themselves then; null: those of the run.
  Jump JumpTo(Scope* scope, int step, int target, bool forward,
              const std::vector<bool>* active = nullptr);
  // What depends on `step` and was skipped, or has not come to its turn, because it had not run.
  void Wake(Scope* scope, int step);

 private:
  bool Schedule(Scope* scope, int step);
  std::vector<int> StepsOfJump(int step, int target, bool forward,
                               const std::vector<bool>* active) const;
  void BringDependencies(Scope* home, const std::vector<int>& steps);
  bool RunsByItself(int step, const std::vector<bool>* active = nullptr) const;
  Scope::Place PlaceOf(int step) const { return {plan_.LayerOf(step), step}; }

  const Workflow& workflow_;
  const WorkflowPlan& plan_;
  const std::vector<bool> active_;
  std::vector<std::vector<int>> run_for_items_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_WORK_QUEUE_H_
