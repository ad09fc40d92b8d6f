#include "runtime/gate/gate_red_tests.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/scratch_validation.h"
#include "runtime/event/loop_events.h"
#include "runtime/gate/gate_changes.h"
#include "runtime/validation/run_marks.h"
#include "runtime/validation/run_through.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kShown = 3;

std::string PlaceOf(const ChangedFunction& function) {
  return absl::StrCat(ToUtf8(function.name), " (", ToUtf8(function.path), ":", function.line, ")");
}

std::string PlacesOf(const std::vector<const ChangedFunction*>& functions) {
  std::vector<std::string> places;
  for (const ChangedFunction* function : functions) {
    if (places.size() < kShown) places.push_back(PlaceOf(*function));
  }
  return absl::StrCat(absl::StrJoin(places, ", "), functions.size() > kShown ? ", …" : "");
}

MarkedFunctions Marked(const std::vector<const ChangedFunction*>& functions) {
  std::random_device random;
  MarkedFunctions marked;
  for (const ChangedFunction* function : functions) {
    marked[RunMark((uint64_t{random()} << 32) | random())] = function;
  }
  return marked;
}

// The changed files as they are now, with the marks.
std::map<std::string, std::string> MarkedTexts(const std::vector<ContentPair>& changes,
                                               const MarkedFunctions& marked) {
  std::map<std::string, std::string> texts;
  for (const ContentPair& change : changes) {
    if (!change.after.has_value()) continue;
    texts[change.path] = WithMarks(change.path, *change.after, marked);
  }
  return texts;
}

void KeepInputs(const Target& target, std::vector<ContentPair>* changes) {
  changes->erase(std::remove_if(changes->begin(), changes->end(),
                                [&target](const ContentPair& change) {
                                  return target.inputs.count(change.path) == 0;
                                }),
                 changes->end());
}

bool NamesRedTests(const NamedTests& tests) {
  return std::any_of(tests.begin(), tests.end(),
                     [](const auto& test) { return test.second.outcome == TestOutcome::kFailed; });
}

std::string Refusal(const std::vector<RunThrough::Reached>& reached,
                    const std::vector<const ChangedFunction*>& functions) {
  std::vector<std::string> tests;
  for (const RunThrough::Reached& entry : reached) {
    if (tests.size() == kShown) {
      tests.push_back(absl::StrCat("and ", reached.size() - kShown, " more"));
      break;
    }
    tests.push_back(
        absl::StrCat(ToUtf8(entry.test), " runs through ",
                     entry.function != nullptr ? PlaceOf(*entry.function) : PlacesOf(functions)));
  }
  return absl::StrCat(
      "tests that failed before this run still fail, and they run through code that it changed: ",
      absl::StrJoin(tests, "; "), ". Make ", reached.size() == 1 ? "the test" : "these tests",
      " pass, or take the change back. Only a person can excuse the failure: gate.baseline: "
      "no_new_errors in the user's configuration or in a trusted stile.yaml");
}

}  // namespace

static void WarnOfRedTests(const GateState& gate, const Target& target, const std::string& why) {
  if (gate.options.events == nullptr) return;
  gate.options.events->Emit(Warning(absl::StrCat(
      "cannot tell whether tests of ", ToUtf8(target.project.root), " (", target.validator_id(),
      "), which failed before this run as well, run through the code that it changed: ", why)));
}

// Runs the tests on copies in which each changed function reports a mark, until the report names
// all red tests. nullopt: none of them runs through changed code, or it cannot be told.
static absl::StatusOr<std::optional<std::string>> AskRedTests(GateState* gate,
                                                              const Target& target) {
  constexpr int kMaxRuns = 4;
  STILE_ASSIGN_OR_RETURN(std::vector<ContentPair> changes, ChangedContents(gate));
  KeepInputs(target, &changes);
  const std::vector<ChangedFunction> changed = gate->options.functions->Find(changes);
  std::vector<const ChangedFunction*> open;
  for (const ChangedFunction& function : changed) open.push_back(&function);
  if (open.empty()) return std::nullopt;

  const NamedTests now = gate->StateOf(target.key).details->named_tests;
  if (!NamesRedTests(now)) {
    WarnOfRedTests(*gate, target, "the report does not name them");
    return std::nullopt;
  }
  std::vector<const ChangedFunction*> unasked;
  // Go tells by its place which test printed something, so no two may run at the same time.
  Environment one_by_one = *gate->scratch.environment;
  one_by_one["GOMAXPROCS"] = "1";
  ScratchContext context = gate->scratch;
  context.environment = &one_by_one;
  WorkspaceContent present(gate->options.file_system, gate->options.workspace);
  for (int run = 0; run < kMaxRuns && !open.empty(); ++run) {
    const MarkedFunctions marked = Marked(open);
    const std::map<std::string, std::string> texts = MarkedTexts(changes, marked);
    ContentOverlay overlay(&present, &texts);
    const absl::StatusOr<ValidationResult> result =
        ValidateCopy(context, *target.validator, target.project, gate->current, &overlay);
    if (absl::IsCancelled(result.status())) return result.status();
    if (!result.ok()) {
      WarnOfRedTests(*gate, target, std::string(result.status().message()));
      return std::nullopt;
    }
    const RunThrough judged = JudgeRunThrough(now, result->named_tests, marked);
    if (!judged.reached.empty()) return Refusal(judged.reached, open);
    if (judged.lost.empty()) {
      if (!unasked.empty()) {
        WarnOfRedTests(*gate, target,
                       absl::StrCat("they did not run with a trial error in ", PlacesOf(unasked)));
      }
      return std::nullopt;
    }
    const std::vector<const ChangedFunction*> in_the_way = FunctionsInTheWay(*result, marked);
    if (in_the_way.empty()) {
      WarnOfRedTests(
          *gate, target,
          result->message.empty() ? "the trial run does not name them" : ToUtf8(result->message));
      return std::nullopt;
    }
    for (const ChangedFunction* function : in_the_way) {
      open.erase(std::find(open.begin(), open.end(), function));
      unasked.push_back(function);
    }
  }
  WarnOfRedTests(*gate, target,
                 absl::StrCat("they did not run with a trial error in ", PlacesOf(unasked)));
  return std::nullopt;
}

absl::StatusOr<std::vector<Blocker>> RedTestsOnChangedCode(GateState* gate) {
  std::vector<Blocker> open;
  if (gate->options.settings.level != Level::kTest || gate->options.functions == nullptr ||
      gate->options.settings.baseline == GateSettings::Baseline::kNoNewErrors) {
    return open;
  }
  for (const Target& target : gate->map.targets()) {
    TargetState& state = gate->StateOf(target.key);
    if (target.level != Level::kTest || !state.details.has_value() ||
        !state.details->excused_errors || !gate->tracker.HasPassed(target.key, target.inputs)) {
      continue;
    }
    const std::string content = ContentFingerprint(target.inputs);
    if (state.red_tests.content != content) {
      STILE_ASSIGN_OR_RETURN(state.red_tests.refusal, AskRedTests(gate, target));
      state.red_tests.content = content;
      ++state.red_tests.asked;
    }
    if (!state.red_tests.refusal.has_value()) continue;
    Blocker entry{target.key, target.validator_id(), target.project.root, target.level, {}, ""};
    entry.explanation = *state.red_tests.refusal;
    open.push_back(std::move(entry));
  }
  return open;
}

}  // namespace stile
