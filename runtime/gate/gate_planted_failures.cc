#include "runtime/gate/gate_planted_failures.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/gate/gate_finish.h"
#include "runtime/gate/gate_tests.h"
#include "runtime/gate/planted_failures.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kShown = 3;

Weakening Refusal(const Target& target, const std::string& path,
                  const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kShown) shown.push_back(ToUtf8(name));
  }
  const std::string tests =
      names.empty()
          ? absl::StrCat("the tests (", target.validator_id(), ")")
          : absl::StrCat(
                names.size() == 1 ? "test " : "tests ", absl::StrJoin(shown, ", "),
                names.size() > kShown ? absl::StrCat(" and ", names.size() - kShown, " more") : "");
  const bool is_one = names.size() == 1;
  return {Weakening::Weight::kGrave, path, 0,
          absl::StrCat(tests, is_one ? " cannot fail: it passes" : " cannot fail: they pass",
                       " on a copy in which ", is_one ? "it ends" : "each of them ends",
                       " with a failing statement. Something reports their success for them: code "
                       "that ends the process, changes the test library or writes the report, or "
                       "a command that hides the exit status"),
          "test-cannot-fail"};
}

}  // namespace

// Where it cannot be told whether the tests can fail.
static void NoteUnknownFailing(const GateState& gate, const Target& target, absl::string_view why) {
  if (gate.options.events == nullptr) return;
  gate.options.events->Emit(
      LogEvent{.text = absl::StrCat("cannot tell whether the tests of ", ToUtf8(target.key),
                                    " can fail: ", ToUtf8(why))});
}

static absl::StatusOr<std::vector<Weakening>> AskPlanted(GateState* gate, const Target& target) {
  std::vector<Weakening> unfailing;
  TargetState& state = gate->StateOf(target.key);
  const bool ran_none = state.details.has_value() && state.details->tests.has_value() &&
                        state.details->tests->passed + state.details->tests->failed == 0;
  if (ran_none) return unfailing;  // as it did before this run, see ApplyReportRule
  const NamedTests plain = state.details.has_value() ? state.details->named_tests : NamedTests();
  WorkspaceContent present(gate->options.file_system, gate->options.workspace);
  PlantedQuestion question{&target, &gate->current, &present, gate->options.weakening};
  STILE_ASSIGN_OR_RETURN(const PlantedRun planted, RunPlanted(gate->scratch, question));
  ++state.planted.asked;
  if (!planted.result.has_value()) {
    NoteUnknownFailing(
        *gate, target,
        planted.why.empty() ? "no place for a failing statement is known in them" : planted.why);
    return unfailing;
  }
  if (!planted.HasPassed() && PassedWithPlants(plain, planted).empty()) {
    if (!plain.empty() && planted.result->named_tests.empty()) {
      NoteUnknownFailing(*gate, target, "none of them runs where each has to fail");
    }
    return unfailing;
  }

  STILE_ASSIGN_OR_RETURN(const auto* const before, TestsBefore(gate, target.key));
  const Target* const old = gate->AtStart(target.key);
  const bool was_there =
      old != nullptr && old->validator != nullptr && state.verdict_before.has_value();
  const NamedTests none;
  PlantedReference reference;
  if (was_there) {
    auto& known = state.planted_before;
    if (!known.asked) {
      PlantedQuestion then{old, &gate->accepted_snapshot, gate->options.baseline_content,
                           gate->options.weakening};
      STILE_ASSIGN_OR_RETURN(known.value, RunPlanted(gate->scratch, then));
      known.asked = true;
    }
    reference.plain = before == nullptr ? &none : &before->named;
    reference.has_passed = state.verdict_before == Verdict::kPass;
    reference.planted = &*known.value;
    if (!known.value->result.has_value() && !known.value->why.empty()) {
      NoteUnknownFailing(*gate, target,
                         absl::StrCat("as they were before this run, ", known.value->why));
    }
  }
  const UnfailingTests judged = JudgePlanted(plain, planted, was_there ? &reference : nullptr);
  std::map<std::string, std::vector<std::string>> by_path;
  for (const std::string& name : judged.names) {
    const std::string path = planted.PathOf(plain.at(name));
    by_path[path.empty() ? target.project.root : path].push_back(name);
  }
  if (judged.any && by_path.empty()) {
    by_path[planted.files.size() == 1 ? planted.files.begin()->first : target.project.root] = {};
  }
  for (const auto& [path, names] : by_path) unfailing.push_back(Refusal(target, path, names));
  return unfailing;
}

absl::StatusOr<std::vector<Blocker>> TestsThatCannotFail(GateState* gate, Judgement* judgement) {
  std::vector<Weakening> unfailing;
  if (gate->options.weakening == nullptr || gate->options.settings.level != Level::kTest) {
    return std::vector<Blocker>();
  }
  const std::vector<FileChange> changes = DiffSnapshots(gate->pre_run_snapshot, gate->current);
  const std::string content = SnapshotWithoutOutputs(*gate).RootHash();
  for (const Target& target : gate->map.targets()) {
    TargetState& state = gate->StateOf(target.key);
    if (target.level != Level::kTest || target.validator == nullptr ||
        !gate->tracker.HasPassed(target.key, target.inputs)) {
      continue;
    }
    const Target* const old = gate->AtStart(target.key);
    const bool is_changed =
        old == nullptr ||
        std::any_of(changes.begin(), changes.end(), [&](const FileChange& change) {
          return target.inputs.count(change.path) > 0 || state.read.files.count(change.path) > 0 ||
                 old->inputs.count(change.path) > 0;
        });
    if (!is_changed) continue;
    if (state.planted.content != content) {
      STILE_ASSIGN_OR_RETURN(state.planted.unfailing, AskPlanted(gate, target));
      state.planted.content = content;
    }
    unfailing.insert(unfailing.end(), state.planted.unfailing.begin(),
                     state.planted.unfailing.end());
  }
  return RefusedWeakenings(gate, std::move(unfailing), judgement);
}

}  // namespace stile
