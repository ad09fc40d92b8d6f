// How strict the gate is.
#ifndef STILE_RUNTIME_GATE_GATE_SETTINGS_H_
#define STILE_RUNTIME_GATE_GATE_SETTINGS_H_

#include <string>
#include <vector>

#include "runtime/base/json.h"
#include "runtime/validation/validation_settings.h"

namespace stile {

// What the task of a run, or the user, lets it weaken.
struct Allowance {
  std::string kind;  // "removed_tests", "weakened_tests", "suppressions", "settings" or "uncovered"
  std::string glob;  // of paths, relative to the workspace (GlobMatch)
};

// `gate:` of stile.yaml. Read once, at run start.
struct GateSettings {
  enum class Mode { kEnforce, kObserve } mode = Mode::kEnforce;
  Level level = Level::kBuild;
  enum class OnFinish { kReject, kValidate } on_finish = OnFinish::kReject;
  int max_failures = 5;
  int max_infra_errors = 3;
  enum class Baseline { kAuto, kStrict, kNoNewErrors } baseline = Baseline::kAuto;
  enum class Policy { kReject, kReport } no_validator = Policy::kReject;
  // Whole-file suppressions, lost tests, loosened settings (weakening.h).
  Policy weakening = Policy::kReject;
  // How it is shown that changed code was part of what passed (coverage.h): by what the judge lists
  // where that is enough, by planted errors always, or not at all.
  enum class Coverage { kListing, kCanary, kOff } coverage = Coverage::kListing;
  // Changed code that was not shown to be part of what passed (coverage.h).
  Policy uncovered = Policy::kReject;
  bool allow_flaky = false;
  std::vector<std::string> watch;  // globs of further watched files
  // Tests that must run and pass (IsTestNamed). With one, `level` is kTest.
  std::vector<std::string> expect_tests;
  std::vector<Allowance> allow;  // what the task lets a run weaken
  // In no file: the session's body says whether who is refused can call code.validate. Refusals
  // name that tool only then.
  bool names_tools = true;
};

Json ToJson(const GateSettings& settings);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_GATE_SETTINGS_H_
