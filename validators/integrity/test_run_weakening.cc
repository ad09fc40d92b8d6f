#include "validators/integrity/test_run_weakening.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

using Weight = Weakening::Weight;

class RunComparison {
 public:
  RunComparison(const TestSide& before, const TestSide& after,
                const std::set<std::string>& existing, const TestCounterparts& counterparts)
      : before_(before), after_(after), existing_(existing), counterpart_(counterparts) {}

  std::vector<Weakening> Run() {
    CompareSkips();
    CompareControls();
    CompareConstraints();
    return std::move(result_);
  }

 private:
  void Report(Weight weight, const char* rule, const std::string& path, int line,
              std::string what) {
    Weakening weakening{weight, path, line, std::move(what)};
    weakening.rule = rule;
    result_.push_back(std::move(weakening));
  }

  void CompareSkips() {
    std::map<std::pair<std::string, std::string>, int> known = before_.skips;
    for (const auto& [path, file] : after_.files) {
      for (const TestSkip& skip : file.skips) {
        if (known[{skip.text, skip.unit}]-- > 0) continue;
        const bool is_grave = !skip.is_foreign && SkipsOldTest(path, file, skip);
        if (!is_grave && !skip.is_foreign && !HoldsTests(file, skip)) continue;
        Report(is_grave ? Weight::kGrave : Weight::kMinor, "test-skipped", path, skip.line,
               absl::StrCat("'", skip.text, "' keeps tests from running"));
      }
    }
  }

  static bool HoldsTests(const FileTests& file, const TestSkip& skip) {
    return skip.in_helper ||
           std::any_of(file.units.begin(), file.units.end(), [&skip](const TestUnit& unit) {
             return unit.kind == TestUnit::Kind::kTest && skip.begin <= unit.begin &&
                    unit.end <= skip.end;
           });
  }

  // Whether it keeps a test from running that ran before.
  bool SkipsOldTest(const std::string& path, const FileTests& file, const TestSkip& skip) const {
    const bool is_setup = BaseName(path) == "conftest.py";
    const bool is_new_file = existing_.count(path) == 0;
    if (is_setup || absl::StartsWith(skip.text, "Skip =")) return true;
    if (skip.of_others) return !is_new_file;
    if (skip.in_helper) {
      const auto helper = std::find_if(file.units.begin(), file.units.end(), [&](const auto& unit) {
        return unit.begin == skip.begin && unit.end == skip.end;
      });
      if (helper == file.units.end()) return !is_new_file;
      const auto was = before_.functions.find(helper->last_name);
      if (was != before_.functions.end()) return true;
      return std::any_of(after_.tests.begin(), after_.tests.end(), [&](const TestPlace& place) {
        return place.unit->kind == TestUnit::Kind::kTest && counterpart_.count(&place) > 0 &&
               place.unit->names.count(helper->last_name) > 0;
      });
    }
    return std::any_of(after_.tests.begin(), after_.tests.end(), [&](const TestPlace& place) {
      if (place.path != path || place.unit->kind != TestUnit::Kind::kTest) return false;
      if (place.unit->begin < skip.begin || skip.end < place.unit->end) return false;
      const auto was = counterpart_.find(&place);
      return was != counterpart_.end() && was->second->unit->dead.empty();
    });
  }

  void CompareControls() {
    std::map<std::string, int> known;
    for (const TestControl& control : before_.controls) ++known[control.what];
    for (const TestControl& control : after_.controls) {
      if (known[control.what]-- > 0) continue;
      if (control.of_product && existing_.count(control.path) == 0) continue;
      Report(Weight::kGrave, "run-controlled", control.path, control.line, control.what);
    }
  }

  void CompareConstraints() {
    for (const auto& [path, constraint] : after_.build_constraints) {
      const auto was = before_.build_constraints.find(path);
      if (was == before_.build_constraints.end() || was->second == constraint ||
          constraint.empty() || !was->second.empty()) {
        continue;
      }
      if (IsUsualCondition(constraint)) continue;
      Report(Weight::kGrave, "test-skipped", path, 1,
             absl::StrCat("'//go:build ", ToUtf8(constraint), "' keeps tests from running"));
    }
  }

  const TestSide& before_;
  const TestSide& after_;
  const std::set<std::string>& existing_;
  const TestCounterparts& counterpart_;
  std::vector<Weakening> result_;
};

}  // namespace

std::vector<Weakening> CompareTestRuns(const TestSide& before, const TestSide& after,
                                       const std::set<std::string>& existing,
                                       const TestCounterparts& counterparts) {
  return RunComparison(before, after, existing, counterparts).Run();
}

bool HasNewSkip(const TestSide& before, const TestSide& after, const TestPlace& place) {
  const auto file = after.files.find(place.path);
  if (file == after.files.end()) return false;
  return std::any_of(
      file->second.skips.begin(), file->second.skips.end(), [&](const TestSkip& skip) {
        return !skip.is_foreign && !skip.of_others && (skip.begin != 0 || !skip.unit.empty()) &&
               skip.begin <= place.unit->begin && place.unit->end <= skip.end &&
               before.skips.count({skip.text, skip.unit}) == 0;
      });
}

}  // namespace stile
