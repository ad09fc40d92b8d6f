#include "runtime/validation/run_through.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/validation/run_marks.h"

namespace stile {

std::string WithMarks(const std::string& path, absl::string_view text,
                      const MarkedFunctions& functions) {
  std::vector<MarkEdit> edits;
  for (const auto& [mark, function] : functions) {
    if (function->path != path) continue;
    const auto [first, second] = HalvesOfMark(mark);
    for (MarkEdit edit : function->edits) {
      edit.text = absl::StrReplaceAll(edit.text, {{"$1", first}, {"$2", second}});
      if (std::find(edits.begin(), edits.end(), edit) == edits.end()) edits.push_back(edit);
    }
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const MarkEdit& a, const MarkEdit& b) { return a.begin < b.begin; });
  std::string marked;
  size_t at = 0;
  for (const MarkEdit& edit : edits) {
    if (edit.begin < at || edit.end < edit.begin || edit.end > text.size()) continue;
    absl::StrAppend(&marked, text.substr(at, edit.begin - at), edit.text);
    at = edit.end;
  }
  absl::StrAppend(&marked, text.substr(at));
  return marked;
}

RunThrough JudgeRunThrough(const NamedTests& now, const NamedTests& in_copy,
                           const MarkedFunctions& functions) {
  RunThrough judged;
  for (const auto& [name, test] : now) {
    if (test.outcome != TestOutcome::kFailed) continue;
    const auto copied = in_copy.find(name);
    if (copied == in_copy.end()) {
      judged.lost.push_back(name);
      continue;
    }
    RunThrough::Reached reached;
    for (const std::string& mark : copied->second.marks) {
      const auto function = functions.find(mark);
      if (function != functions.end() && reached.function == nullptr) {
        reached.function = function->second;
      }
    }
    if (reached.function == nullptr && copied->second.outcome == TestOutcome::kFailed) continue;
    reached.test = name;
    judged.reached.push_back(std::move(reached));
  }
  return judged;
}

std::vector<const ChangedFunction*> FunctionsInTheWay(const ValidationResult& in_copy,
                                                      const MarkedFunctions& functions) {
  std::set<std::string> marks = RunMarksIn(in_copy.output);
  marks.merge(RunMarksIn(in_copy.message));
  for (const Diagnostic& diagnostic : in_copy.diagnostics) {
    marks.merge(RunMarksIn(diagnostic.message));
  }
  for (const auto& [name, test] : in_copy.named_tests) {
    marks.insert(test.marks.begin(), test.marks.end());
  }
  std::vector<const ChangedFunction*> found;
  for (const auto& [mark, function] : functions) {
    const bool has_error = std::any_of(in_copy.diagnostics.begin(), in_copy.diagnostics.end(),
                                       [function = function](const Diagnostic& diagnostic) {
                                         return diagnostic.severity == Severity::kError &&
                                                diagnostic.file == function->path &&
                                                diagnostic.line >= function->line &&
                                                diagnostic.line <= function->last_line;
                                       });
    if (has_error || marks.count(mark) > 0) found.push_back(function);
  }
  return found;
}

}  // namespace stile
