#include "tools/refactor/example_trial.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/refactor/error_attribution.h"

namespace stile {
namespace {

constexpr int kMaxRounds = 6;
// A crate may have hundreds of examples, and each is compiled as a program. Errors that remain
// after this time are listed.
constexpr absl::Duration kLearningTime = absl::Minutes(2);
constexpr size_t kMaxDocumentBytes = size_t{4} << 20;

// Whether a path, as a compiler names it, leaves the workspace.
bool IsOutside(const std::string& path) {
  const std::string clean = CleanPath(path);
  return clean.empty() || clean[0] == '/' || clean == ".." || clean.rfind("../", 0) == 0;
}

class ExampleTrial {
 public:
  ExampleTrial(const std::set<DocExample>& examples, const TrialContext& trial, RenamePlan* plan)
      : examples_(examples), trial_(trial), plan_(*plan) {}

  absl::StatusOr<ExampleOutcome> Run() {
    ExampleOutcome outcome;
    if (examples_.empty()) return outcome;
    outcome.has_any = true;
    const absl::Time end = absl::Now() + kLearningTime;
    std::optional<std::vector<Diagnostic>> before;  // of the files as they were
    for (int round = 0;; ++round) {
      STILE_RETURN_IF_ERROR(TryPlan(plan_.Edits(), trial_));
      STILE_ASSIGN_OR_RETURN(ExampleReport report, Ask());
      outcome.judged = report.judged;
      outcome.unjudged = report.unjudged;
      if (!report.judged) return outcome;
      outcome.errors = std::move(report.errors);
      if (!outcome.errors.empty() && !before.has_value()) {
        STILE_RETURN_IF_ERROR(trial_.edits->Try({}));
        STILE_ASSIGN_OR_RETURN(const ExampleReport as_it_was, Ask());
        before = as_it_was.errors;
      }
      if (before.has_value()) outcome.known_errors = DropKnown(*before, &outcome.errors);
      if (outcome.errors.empty()) return outcome;
      if (round == kMaxRounds || absl::Now() > end || !Learn(outcome.errors)) break;
    }
    return outcome;
  }

 private:
  // An error by what stays of it where lines do not move.
  using Key = std::tuple<std::string, int, std::string>;
  static Key KeyOf(const Diagnostic& error) { return {error.file, error.line, error.code}; }

  absl::StatusOr<ExampleReport> Ask() {
    return trial_.service->ProbeExamples({examples_.begin(), examples_.end()});
  }

  // Removes errors that were there before, by either name. Returns how many.
  size_t DropKnown(const std::vector<Diagnostic>& before, std::vector<Diagnostic>* errors) const {
    const auto words = [this](const Diagnostic& error) {
      return std::make_tuple(error.file, error.line, error.code,
                             WithoutNames(error.message, plan_.old_name(), plan_.new_name()));
    };
    std::multiset<std::tuple<std::string, int, std::string, std::string>> known;
    for (const Diagnostic& error : before) known.insert(words(error));
    return std::erase_if(*errors, [&](const Diagnostic& error) {
      const auto same = known.find(words(error));
      if (same == known.end()) return false;
      known.erase(same);
      return true;
    });
  }

  // Takes back the renamed place that is nearest to an error on its line. False if there is none.
  bool TakeBack(const Diagnostic& error) {
    std::optional<size_t> nearest;
    int distance = 0;
    for (size_t i = 0; i < plan_.candidates().size(); ++i) {
      const RenameCandidate& candidate = plan_.candidates()[i];
      const bool is_there = candidate.is_example && candidate.is_renamed &&
                            candidate.file->path == error.file && candidate.line() == error.line;
      if (!is_there) continue;
      const int away =
          std::abs(candidate.file->PlaceOf(candidate.occurrence.begin).column - error.column);
      if (nearest.has_value() && distance <= away) continue;
      nearest = i;
      distance = away;
    }
    if (nearest.has_value()) plan_.Set(*nearest, false);
    return nearest.has_value();
  }

  // The old name on the line of a file that is not code, whose examples the code includes.
  bool AddInDocument(const Diagnostic& error) {
    if (trial_.languages->OfFile(error.file) != nullptr) return false;
    std::string& text = documents_[error.file];
    if (IsOutside(error.file)) return false;
    const std::string path = JoinPath(trial_.workspace, error.file);
    if (text.empty() && !ReadRegularFile(path, kMaxDocumentBytes, &text)) return false;
    const std::vector<absl::string_view> lines = SplitLines(text);
    if (error.line < 1 || static_cast<size_t>(error.line) > lines.size()) return false;
    const absl::string_view line = lines[static_cast<size_t>(error.line - 1)];
    const size_t column = error.column < 1 ? 0 : static_cast<size_t>(error.column - 1);
    const size_t at = FindWord(line, plan_.old_name(), column);
    const size_t begin = static_cast<size_t>(line.data() - text.data());
    const bool is_new =
        at != absl::string_view::npos && document_places_.insert({error.file, begin + at}).second;
    if (is_new) {
      plan_.AddDocumentPlace(error.file, text, static_cast<uint32_t>(begin + at));
    }
    return is_new;
  }

  bool Learn(const std::vector<Diagnostic>& errors) {
    bool moved = false;
    std::set<Key> seen;                                // several examples may report one line
    std::set<std::pair<std::string, int>> misses_old;  // lines
    for (const Diagnostic& error : errors) {
      if (HoldsWord(error.message, plan_.old_name())) misses_old.insert({error.file, error.line});
    }
    for (const Diagnostic& error : errors) {
      if (error.line == 0 || !seen.insert(KeyOf(error)).second) continue;
      const bool names_old = HoldsWord(error.message, plan_.old_name());
      const bool names_new = HoldsWord(error.message, plan_.new_name());
      const bool was_guessed = guesses_.count(KeyOf(error)) > 0;
      // Errors of one line may name both: a field that is missing, and one that is not there.
      if (names_new && !names_old && misses_old.count({error.file, error.line}) > 0) continue;
      if (was_guessed || (names_new && !names_old)) {
        moved = TakeBack(error) || moved;
        continue;
      }
      if (plan_.AddPlace(error.file, error.line, error.column, /*in_example=*/true)) {
        // What the message does not name is a guess.
        if (!names_old) guesses_.insert(KeyOf(error));
        moved = true;
      } else {
        moved = (names_old && AddInDocument(error)) || moved;
      }
    }
    return moved;
  }

  const std::set<DocExample>& examples_;
  const TrialContext& trial_;
  RenamePlan& plan_;
  std::map<std::string, std::string> documents_;  // their content before the rename, by path
  std::set<std::pair<std::string, size_t>> document_places_;  // path and offset
  std::set<Key> guesses_;  // errors for which a place was renamed that they do not name
};

}  // namespace

absl::StatusOr<ExampleOutcome> TryExamples(const std::set<DocExample>& examples,
                                           const TrialContext& trial, RenamePlan* plan) {
  return ExampleTrial(examples, trial, plan).Run();
}

}  // namespace stile
