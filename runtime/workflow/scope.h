// What a workflow that runs knows: the state of its steps, once for the whole and once for each
// item of a forEach step.
#ifndef STILE_RUNTIME_WORKFLOW_SCOPE_H_
#define STILE_RUNTIME_WORKFLOW_SCOPE_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/workflow.h"

namespace stile {

enum class StepVerdict { kNotRun, kPassed, kFailed, kSkipped };
absl::string_view StepVerdictName(StepVerdict verdict);  // "not_run", "passed", …

// Why a step was skipped, as journals say it.
inline constexpr absl::string_view kSkipCondition = "condition";  // `if`
inline constexpr absl::string_view kSkipAssume = "assume";
inline constexpr absl::string_view kSkipDependencyFailed = "dependency_failed";
inline constexpr absl::string_view kSkipDependencySkipped = "dependency_skipped";
inline constexpr absl::string_view kSkipDependencyNotRun = "dependency_not_run";
inline constexpr absl::string_view kSkipEmpty = "foreach_empty";

// A step in a scope, as of its last run.
struct StepState {
  StepVerdict verdict = StepVerdict::kNotRun;
  std::string reason;         // of a skip
  std::string message;        // what failed, or which expression decided
  Json output;                // null: none
  std::vector<Json> history;  // outputs of all its runs
  std::vector<Json> tokens;   // of models, by run
  std::vector<Json> changed;  // lists of paths that agents changed, by run
  int runs = 0;
};

// The root, or one item of a forEach step. Steps by their index in the workflow. Not thread-safe,
// but for reading.
// One thing: what one level of a run knows; steps and expressions read all of it.
class Scope {
 public:
  Scope() = default;
  // `parent` outlives it. `list`: the forEach step whose output holds the item.
  Scope(Scope* parent, int list, size_t index, size_t total, std::string name, Json item);

  Scope* parent() const { return parent_; }
  // "" for the root, else like "list[0]/inner[2]".
  const std::string& name() const { return name_; }
  int list() const { return list_; }
  size_t index() const { return index_; }
  size_t total() const { return total_; }
  const Json& item() const { return item_; }
  size_t depth() const { return depth_; }

  std::map<int, StepState>& steps() { return steps_; }
  const std::map<int, StepState>& steps() const { return steps_; }
  // By forEach step. Pointers to scopes stay valid until their list is made anew.
  std::map<int, std::vector<std::unique_ptr<Scope>>>& items() { return items_; }
  const std::map<int, std::vector<std::unique_ptr<Scope>>>& items() const { return items_; }

  // How the step stands as this scope sees it: here, or in a scope around it, or, where it ran for
  // items, all of them together: failed if one of them failed (unless it says
  // continue_on_failure), else skipped if one had a dependency that failed.
  StepState Look(const Workflow& workflow, int step) const;
  // The output where the step did not run for items; null where it did, or did not run.
  const Json* OwnOutput(int step) const;
  // Look without what takes time to copy.
  std::pair<StepVerdict, std::string> Verdict(const Workflow& workflow, int step) const;

  // Work that waits: by layer, then by step. `now` before `later`.
  using Place = std::pair<int, int>;
  std::set<Place> now;
  std::set<Place> later;
  int wave = 1;
  int transitions = 0;            // of the present loop budget
  bool jumped = false;            // and nothing has run since
  std::set<int> targets;          // of the jumps since something ran
  std::set<int> lists_to_finish;  // forEach steps whose on_finish waits for their items

 private:
  Scope* parent_ = nullptr;
  int list_ = -1;
  size_t index_ = 0;
  size_t total_ = 0;
  size_t depth_ = 0;
  std::string name_;
  Json item_;
  std::map<int, StepState> steps_;
  std::map<int, std::vector<std::unique_ptr<Scope>>> items_;
};

// What all scopes of a run share.
struct WorkflowVariables {
  Json memory = Json::object();  // of the namespace of steps that name none
  std::string memory_namespace = "default";
  Json memory_spaces = Json::object();  // the other namespaces: {name: {key: value}}
  Json env = Json::object();
  Json event = Json::object();
  Json inputs = Json::object();
  absl::Time now = absl::UnixEpoch();  // when the run began; what scripts see as the present

  // The values of a namespace; "": those of steps that name none. Made where there are none.
  Json& Memory(const std::string& space);
};

// The variables that a text of a step (an expression, a script or a template) may name:
//
//   outputs          by step: the last output; in an item of the list, that item
//   outputs_raw      by step: the same, where lists are whole lists
//   outputs_history  by step: the outputs of all runs, the oldest first
//   changed_history  by step: the files that an agent changed in each of them
//   tokens_history   by step: the tokens that models took in each of them
//   errors           by step: what failed
//   output           of the step itself, once it has run
//   attempt          as given: 1 for the first run of the step in this scope
//   memory           of the default namespace; scripts get `$memory` of expression.h instead
//   env, event, inputs; and each input by its own name, where none of these has it
//   forEach          {step, index, total, item, parent}: null outside of lists
//
// Steps that `text` does not name are left out, so that many steps cost nothing.
Json VariablesFor(absl::string_view text, const Workflow& workflow, const Scope& scope, int attempt,
                  const WorkflowVariables& shared, const Json* output);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_SCOPE_H_
