#include "tools/refactor/rename.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/baseline.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/error_attribution.h"
#include "tools/refactor/receiver_guess.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

// How often the compiler is asked at most. Where it builds parts one after the other, each may need
// a round of its own.
constexpr int kMaxRounds = 8;
// What a place may be moved before the compiler is taken to contradict itself.
constexpr int kMaxMoves = 2;

using Place = std::pair<std::string, uint32_t>;

// One thing: one rename, from its plan to the verdict; each round decides what the next one tries.
class Renamer {
 public:
  Renamer(RenamePlan plan, const std::set<DocExample>& examples, const TrialContext& trial)
      : plan_(std::move(plan)), examples_(examples), trial_(trial) {}

  absl::StatusOr<RenameOutcome> Run() {
    plan_.SetLikely([&](const RenameCandidate& candidate) { return Guess(candidate); });
    STILE_ASSIGN_OR_RETURN(ProbeReport report, Ask(plan_.Edits()));
    ProbeReport whole = report;
    if (!whole.judged) {
      STILE_ASSIGN_OR_RETURN(unjudged_, FilesOfUnjudgedLanguages(plan_.Edits(), trial_, &whole));
      if (unjudged_.empty()) return WithoutCompiler(whole);
      for (const auto& [now, before] : moved_) {
        if (unjudged_.count(now) > 0) unjudged_.insert(before);
      }
      STILE_ASSIGN_OR_RETURN(report, Ask(plan_.Edits()));
    }
    for (;;) {
      if (!report.judged) return WithoutCompiler(report);
      std::vector<Diagnostic> errors = Fresh(report.errors);
      if (errors.empty()) break;
      if (outcome_.rounds >= kMaxRounds || !Learn(errors)) {
        if (!baseline_.has_value()) {
          STILE_RETURN_IF_ERROR(AskBaseline());
          if (!baseline_->empty()) continue;
        }
        outcome_.breaks_style =
            std::all_of(errors.begin(), errors.end(),
                        [&](const Diagnostic& error) { return IsAboutStyle(error); });
        outcome_.is_external = !outcome_.breaks_style &&
                               !IsGradual(plan_.symbol().targets[0].file->language) &&
                               (IsAtDeclaration(errors[0]) || IsMissed(errors[0]));
        outcome_.errors = std::move(errors);
        outcome_.plan = plan_.Edits();
        return std::move(outcome_);
      }
      STILE_ASSIGN_OR_RETURN(report, Ask(plan_.Edits()));
    }
    if (!unjudged_.empty()) return WithoutCompiler(whole, /*passed=*/true);
    if (!report.errors.empty()) {
      STILE_ASSIGN_OR_RETURN(
          report.unjudged, VerifyErrorsAreReported(plan_.Edits(), report, PossibleUsers(), trial_));
      if (!report.unjudged.empty()) return WithoutCompiler(report);
    }
    outcome_.judged = true;
    outcome_.unanswered = report.unanswered;
    STILE_RETURN_IF_ERROR(FindUnproven(report));
    STILE_ASSIGN_OR_RETURN(outcome_.examples, TryExamples(examples_, trial_, &plan_));
    outcome_.plan = plan_.Edits();
    outcome_.mentions = plan_.Mentions();
    outcome_.other_uses = value_uses_.Unblamed(plan_.candidates());
    outcome_.unread = UnreadFiles(outcome_.plan, report, *trial_.languages);
    STILE_RETURN_IF_ERROR(TryPlan(outcome_.plan, trial_));
    outcome_.applied = true;
    return std::move(outcome_);
  }

 private:
  bool IsAboutStyle(const Diagnostic& error) const {
    const Language& language = plan_.symbol().targets[0].file->language;
    const std::vector<std::string>& codes = LanguageBackendOf(language.id).naming.style_codes;
    return std::find(codes.begin(), codes.end(), error.code) != codes.end();
  }

  bool Guess(const RenameCandidate& candidate) const {
    if (plan_.resolved() != nullptr) return candidate.is_renamed;
    return GuessByReceiver(plan_.symbol(), candidate).value_or(false);
  }

  absl::StatusOr<ProbeReport> Ask(const EditPlan& plan) {
    STILE_RETURN_IF_ERROR(TryPlan(plan, trial_));
    ++outcome_.rounds;
    moved_.clear();
    for (const auto& [path, file] : plan.files()) moved_[file.NewPath()] = path;
    STILE_ASSIGN_OR_RETURN(ProbeReport report, trial_.service->Probe(Judged(plan.NewPaths())));
    AddHints(&report);
    for (Diagnostic& error : report.errors) error.message = WithPlainQuotes(error.message);
    return report;
  }

  // Without the files, under their new paths or the old ones, that no compiler is asked about.
  std::vector<std::string> Judged(std::vector<std::string> paths) const {
    std::erase_if(paths, [&](const std::string& path) { return unjudged_.count(path) > 0; });
    return paths;
  }

  // A call that came to mean the function around it is an error of the rename. A requirement that
  // is not met is one, too: the error it belongs to is reported elsewhere.
  void AddHints(ProbeReport* report) const {
    const Language& language = plan_.symbol().targets[0].file->language;
    const std::vector<std::string>& codes = LanguageBackendOf(language.id).naming.meaning_codes;
    for (const Diagnostic& warning : report->warnings) {
      const bool counts = std::find(codes.begin(), codes.end(), warning.code) != codes.end();
      if (counts) report->errors.push_back(warning);
    }
    if (report->errors.empty()) return;
    std::copy_if(report->notes.begin(), report->notes.end(), std::back_inserter(report->errors),
                 IsUnmetRequirement);
  }

  static std::set<std::string> ReadFiles(const ProbeReport& report) {
    if (!report.files_read.has_value()) return {};
    return {report.files_read->begin(), report.files_read->end()};
  }

  // Files that may use the symbol.
  std::map<std::string, std::string> PossibleUsers() const {
    std::map<std::string, std::string> possible_users;
    for (const RenameCandidate& candidate : plan_.candidates()) {
      if (!candidate.is_text) possible_users.emplace(candidate.file->path, candidate.file->text);
    }
    return possible_users;
  }

  absl::Status AskBaseline() {
    STILE_RETURN_IF_ERROR(trial_.edits->Try({}));
    ++outcome_.rounds;
    STILE_ASSIGN_OR_RETURN(ProbeReport report,
                           trial_.service->Probe(Judged(plan_.Edits().OldPaths())));
    AddHints(&report);
    // Without a judgement nothing is known to have been there before.
    baseline_.emplace();
    if (report.judged) baseline_ = report.errors;
    for (Diagnostic& error : *baseline_) error.message = WithPlainQuotes(error.message);
    return absl::OkStatus();
  }

  // Errors that were not there before.
  std::vector<Diagnostic> Fresh(const std::vector<Diagnostic>& errors) const {
    if (!baseline_.has_value()) return errors;
    std::vector<Diagnostic> as_before = errors;
    std::vector<Diagnostic> known = *baseline_;
    for (Diagnostic& error : as_before) error.file = OldPath(error.file);
    // The new name may stand in messages that have nothing to do with it.
    for (std::vector<Diagnostic>* list : {&as_before, &known}) {
      for (Diagnostic& error : *list) {
        error.message = WithoutNames(error.message, plan_.old_name(), plan_.new_name());
      }
    }
    // Those of them that are new, in the words they have now.
    std::vector<Diagnostic> fresh = NewErrors(known, as_before);
    std::vector<Diagnostic> found;
    for (size_t i = 0; i < errors.size(); ++i) {
      const auto same = std::find(fresh.begin(), fresh.end(), as_before[i]);
      if (same == fresh.end()) continue;
      found.push_back(errors[i]);
      fresh.erase(same);
    }
    return found;
  }

  // Renames the places that certainly mean the symbol, and those that nothing else can mean.
  // `passed`: also those in files of the other languages, which a compiler accepted.
  absl::StatusOr<RenameOutcome> WithoutCompiler(const ProbeReport& report, bool passed = false) {
    outcome_.unjudged = report.unjudged;
    if (report.is_stuck) return std::move(outcome_);
    plan_.SetLikely([&](const RenameCandidate& candidate) {
      const bool is_judged = passed && unjudged_.count(candidate.file->path) == 0;
      return candidate.is_renamed && (plan_.resolved() != nullptr || is_judged);
    });
    for (const RenameCandidate& candidate : plan_.candidates()) {
      const bool is_open = candidate.certainty == Certainty::kLikely && !candidate.is_renamed &&
                           !candidate.is_other_declaration &&
                           (!candidate.is_text || candidate.may_be_key);
      if (is_open || candidate.is_left_unseen()) outcome_.uncertain.push_back(candidate);
    }
    outcome_.plan = plan_.Edits();
    outcome_.mentions = plan_.Mentions();
    STILE_ASSIGN_OR_RETURN(outcome_.errors, ErrorsByLanguage(outcome_.plan, trial_));
    if (!outcome_.errors.empty()) return std::move(outcome_);
    STILE_RETURN_IF_ERROR(TryPlan(outcome_.plan, trial_));
    outcome_.applied = true;
    return std::move(outcome_);
  }

  const std::string& OldPath(const std::string& path) const {
    const auto found = moved_.find(path);
    return found == moved_.end() ? path : found->second;
  }

  // 1-based column of a candidate in the file as it is now.
  int ColumnNow(const RenameCandidate& candidate) const {
    const int line = candidate.line();
    int column = candidate.file->PlaceOf(candidate.occurrence.begin).column;
    for (const RenameCandidate& other : plan_.candidates()) {
      if (other.is_renamed && other.file->path == candidate.file->path && other.line() == line &&
          other.occurrence.begin < candidate.occurrence.begin) {
        column +=
            static_cast<int>(plan_.new_name().size()) - static_cast<int>(plan_.old_name().size());
      }
    }
    return column;
  }

  // … where those in `open` have the name `asked`.
  int ColumnWith(const RenameCandidate& candidate, const std::string& asked,
                 const std::set<Place>& open) const {
    int column = candidate.file->PlaceOf(candidate.occurrence.begin).column;
    for (const RenameCandidate& other : plan_.candidates()) {
      if (other.file->path != candidate.file->path || other.line() != candidate.line() ||
          other.occurrence.begin >= candidate.occurrence.begin) {
        continue;
      }
      const std::string& name = open.count(PlaceOf(other)) > 0 ? asked : NameNow(other);
      column += static_cast<int>(name.size()) - static_cast<int>(plan_.old_name().size());
    }
    return column;
  }

  // The error, with the column that its place had before the rename.
  Diagnostic AsBefore(Diagnostic error) const {
    std::set<int> renamed;  // columns of the line before the rename
    for (const RenameCandidate& candidate : plan_.candidates()) {
      const bool is_on_line = candidate.is_renamed && candidate.line() == error.line &&
                              candidate.file->path == OldPath(error.file);
      if (is_on_line) renamed.insert(candidate.file->PlaceOf(candidate.occurrence.begin).column);
    }
    const int growth =
        static_cast<int>(plan_.new_name().size()) - static_cast<int>(plan_.old_name().size());
    for (const int column : renamed) {
      if (column < error.column) error.column -= growth;
    }
    return error;
  }

  const std::string& NameNow(const RenameCandidate& candidate) const {
    return candidate.is_renamed ? plan_.new_name() : plan_.old_name();
  }

  // Moves candidates in and out by what the compiler says. False when nothing moved.
  bool Learn(const std::vector<Diagnostic>& errors) {
    if (TakeBackGuesses(errors)) return true;
    std::set<Place> to_move;
    has_added_ = false;
    for (const Diagnostic& error : errors) {
      std::vector<size_t> blamed = OnLine(error);
      const auto is_right = [&](size_t index) { return plan_.candidates()[index].is_known(); };
      // Another type of a union may lack the new name where a known use has it.
      if (std::all_of(blamed.begin(), blamed.end(), is_right)) {
        if (auto others = ElsewhereBy(error); !others.empty()) blamed = std::move(others);
      }
      // A place of which the syntax tree knew nothing.
      if (blamed.empty() && HoldsWord(error.message, plan_.old_name())) {
        has_added_ = plan_.AddPlace(OldPath(error.file), error.line, error.column) || has_added_;
      }
      for (const size_t index :
           WithSiblings(plan_.candidates(), Open(), std::move(blamed), &parsed_)) {
        to_move.insert(PlaceOf(plan_.candidates()[index]));
      }
    }
    std::set<Place> moved;  // what is tied moves at once, and once
    for (const Place& place : to_move) {
      for (size_t i = 0; i < plan_.candidates().size() && moved.count(place) == 0; ++i) {
        const RenameCandidate candidate = plan_.candidates()[i];
        if (PlaceOf(candidate) != place) continue;
        if (++moves_[place] > kMaxMoves) break;
        for (const RenameCandidate& other : plan_.candidates()) {
          if (IsTied(candidate, other)) moved.insert(PlaceOf(other));
        }
        plan_.Set(i, !candidate.is_renamed);  // may classify all anew
      }
    }
    return has_added_ || !moved.empty();
  }

  bool MayMove(const RenameCandidate& candidate) const {
    // What is the symbol by its declaration or by scope is not up to the compiler.
    return !candidate.is_renamed || !candidate.is_declaration ||
           candidate.certainty == Certainty::kLikely;
  }

  // At a declaration of the symbol, or an annotation right above it.
  bool IsAtDeclaration(const Diagnostic& error) const {
    const std::string& path = OldPath(error.file);
    return std::any_of(
        plan_.candidates().begin(), plan_.candidates().end(),
        [&](const RenameCandidate& candidate) {
          return candidate.is_declaration && candidate.is_renamed && !MayMove(candidate) &&
                 candidate.file->path == path &&
                 (candidate.line() == error.line || candidate.line() == error.line + 1);
        });
  }

  // Somewhere else a method of the old name is missed, which no declaration of the project is: an
  // interface of a library wants it, and not one of the project.
  bool IsMissed(const Diagnostic& error) const {
    const Declaration& first = plan_.symbol().targets[0];
    const bool is_method = first.symbol >= 0 && (first.AsSymbol().kind == SymbolKind::kMethod ||
                                                 first.AsSymbol().kind == SymbolKind::kProperty);
    const bool names_own = std::any_of(
        plan_.symbol().all.begin(), plan_.symbol().all.end(), [&](const Declaration& declaration) {
          if (declaration.symbol < 0) return false;
          const int parent = declaration.AsSymbol().parent;
          const SourceFile& file = *declaration.file;
          return parent >= 0 &&
                 file.symbols[static_cast<size_t>(parent)].kind == SymbolKind::kInterface &&
                 HoldsWord(error.message, file.symbols[static_cast<size_t>(parent)].name);
        });
    return is_method && !names_own && HoldsWord(error.message, plan_.old_name()) &&
           std::none_of(plan_.candidates().begin(), plan_.candidates().end(),
                        [&](const RenameCandidate& candidate) {
                          return candidate.file->path == OldPath(error.file) &&
                                 candidate.line() == error.line;
                        });
  }

  std::vector<size_t> OnLine(const Diagnostic& error) const {
    const std::string& path = OldPath(error.file);
    std::vector<size_t> named;
    std::vector<size_t> behind_path;
    size_t nearest = 0;
    int distance = -1;
    for (size_t i = 0; i < plan_.candidates().size(); ++i) {
      const RenameCandidate& candidate = plan_.candidates()[i];
      if (candidate.file->path != path || candidate.line() != error.line) continue;
      const std::string& name = NameNow(candidate);
      const int column = ColumnNow(candidate);
      // A string begins with its quotation mark.
      const int begin = column - (candidate.is_text ? 1 : 0);
      const bool is_at =
          error.column >= begin && error.column < column + static_cast<int>(name.size());
      const bool is_named = HoldsWord(error.message, name);
      if (!MayMove(candidate)) continue;
      if (is_at && (is_named || (!candidate.is_other_declaration && !candidate.is_text)))
        return {i};
      const bool may_be_meant = !candidate.is_other_declaration && !candidate.is_text;
      if (may_be_meant && IsBehindPath(candidate, column - error.column)) behind_path.push_back(i);
      if (!is_named) continue;
      named.push_back(i);
      const int away = std::abs(error.column - column);
      if (distance < 0 || away < distance) {
        distance = away;
        nearest = i;
      }
    }
    if (named.empty()) return behind_path;
    if (error.column == 0) return named;
    return {nearest};
  }

  // The compiler misses the new name somewhere else: another declaration is part of the symbol.
  std::vector<size_t> ElsewhereBy(const Diagnostic& error) {
    const bool misses_new = HoldsWord(error.message, plan_.new_name());
    const bool misses_old = HoldsWord(error.message, plan_.old_name());
    if (!misses_new && !misses_old) return {};
    std::vector<size_t> found;
    for (size_t i = 0; i < plan_.candidates().size(); ++i) {
      const RenameCandidate& candidate = plan_.candidates()[i];
      if (!candidate.is_other_declaration || candidate.is_renamed) continue;
      const SourceFile& file = *candidate.file;
      const int symbol = file.SymbolAround(candidate.occurrence.begin);
      if (symbol < 0) continue;
      const std::string& container = file.symbols[static_cast<size_t>(symbol)].container;
      const std::string owner = container.substr(container.rfind('.') + 1);
      const bool is_around = file.path == OldPath(error.file) &&
                             LiesBeside(file, static_cast<size_t>(symbol), error.line);
      // A message that names the owner means the symbol's own where both are called so. Of types
      // that should implement an interface, it means the one that lacks the new name.
      const bool is_namesake = std::any_of(
          plan_.symbol().targets.begin(), plan_.symbol().targets.end(),
          [&](const Declaration& target) {
            return target.symbol >= 0 && LastComponent(target.AsSymbol().container) == owner;
          });
      const bool is_implicit = LanguageBackendOf(file.language.id).facts.implicit_interfaces;
      const bool is_named = !owner.empty() && ((is_implicit && misses_new) || !is_namesake) &&
                            HoldsWord(error.message, owner) &&
                            (!is_implicit || NamesTypeOf(file, owner, error));
      if (is_around || is_named) found.push_back(i);
    }
    if (!found.empty()) return found;
    const std::vector<RenameCandidate>& all = plan_.candidates();
    std::vector<size_t> open = Open();
    std::erase_if(open, [&](size_t i) { return all[i].is_renamed; });
    const std::string& path = OldPath(error.file);
    found = MacroArguments(plan_, open, path, error);
    // Methods of interfaces without a name (Go).
    if (found.empty() && absl::StrContains(error.message, "interface{")) {
      std::copy_if(open.begin(), open.end(), std::back_inserter(found),
                   [&](size_t i) { return all[i].is_of_unnamed; });
    }
    if (found.empty()) found = KeysOfValueAt(error, open);
    if (found.empty() && misses_new && !has_added_) found = KeysBehind(all, open, path, error);
    found = WithSiblings(all, open, std::move(found), &parsed_);
    for (const size_t index : found) {
      guesses_[FormatDiagnostic(error)].insert(PlaceOf(all[index]));
    }
    return found;
  }

  // Of those in `open`; others are added.
  std::vector<size_t> KeysOfValueAt(const Diagnostic& error, const std::vector<size_t>& open) {
    std::vector<size_t> found;
    const std::string path = OldPath(error.file);
    const auto& files = plan_.symbol().files;
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const auto& other) { return other->path == path; });
    if (file == files.end()) return found;
    const NamedValue value = KeysOfNamedValue(**file, plan_.old_name(), AsBefore(error), &parsed_);
    value_uses_.Note(*file, value);
    for (const uint32_t key : value.keys) {
      const Place place{path, key};
      const auto known = std::find_if(open.begin(), open.end(), [&](size_t i) {
        return PlaceOf(plan_.candidates()[i]) == place;
      });
      const TextPlace at = (*file)->PlaceOf(key);
      if (known != open.end()) {
        found.push_back(*known);
      } else if (refuted_.count(place) == 0 && plan_.AddPlace(path, at.line, at.column)) {
        has_added_ = true;
        guesses_[FormatDiagnostic(error)].insert(place);
      }
    }
    return found;
  }

  // Keys that were taken for the cause of an error which is still there: they mean something else.
  bool TakeBackGuesses(const std::vector<Diagnostic>& errors) {
    bool moved = false;
    for (const Diagnostic& error : errors) {
      const auto guess = guesses_.find(FormatDiagnostic(error));
      if (guess == guesses_.end()) continue;
      for (size_t i = 0; i < plan_.candidates().size(); ++i) {
        const RenameCandidate& candidate = plan_.candidates()[i];
        if (!candidate.is_renamed || guess->second.count(PlaceOf(candidate)) == 0) continue;
        refuted_.insert(PlaceOf(candidate));
        plan_.Set(i, false);
        moved = true;
      }
      guesses_.erase(guess);
    }
    return moved;
  }

  // Candidates that the compiler may still move.
  std::vector<size_t> Open() const {
    std::vector<size_t> found;
    for (size_t i = 0; i < plan_.candidates().size(); ++i) {
      const RenameCandidate& candidate = plan_.candidates()[i];
      const bool is_refuted = !refuted_.empty() && refuted_.count(PlaceOf(candidate)) > 0;
      if (MayMove(candidate) && !is_refuted) found.push_back(i);
    }
    return found;
  }

  // Whether the compiler has decided the place, or another of its group: what is imported in a file
  // has one name in all of it.
  bool WasMoved(const RenameCandidate& candidate) const {
    return std::any_of(plan_.candidates().begin(), plan_.candidates().end(),
                       [&](const RenameCandidate& other) {
                         return IsTied(candidate, other) && moves_.count(PlaceOf(other)) > 0;
                       });
  }

  static bool IsTied(const RenameCandidate& a, const RenameCandidate& b) {
    return PlaceOf(a) == PlaceOf(b) ||
           (a.group >= 0 && a.group == b.group && a.file->path == b.file->path);
  }

  // After the fixed point: which of the likely ones the compiler has said nothing about at all.
  absl::Status FindUnproven(const ProbeReport& report) {
    const bool gradual = IsGradual(plan_.symbol().targets[0].file->language);
    const std::set<std::string> read = ReadFiles(report);
    std::map<std::string, std::string> new_path;
    for (const auto& [now, before] : moved_) new_path[before] = now;
    std::set<Place> open;
    for (const RenameCandidate& candidate : plan_.candidates()) {
      if (candidate.is_left_unseen()) outcome_.uncertain.push_back(candidate);
      if (candidate.certainty == Certainty::kExact || candidate.is_declaration) continue;
      if (candidate.is_text) {
        // What takes the key away from a type says nothing when there is none.
        if (candidate.may_be_key && !candidate.is_renamed) outcome_.uncertain.push_back(candidate);
        continue;
      }
      if (WasMoved(candidate)) continue;
      const auto moved = new_path.find(candidate.file->path);
      const std::string& path = moved == new_path.end() ? candidate.file->path : moved->second;
      const bool unread = report.files_read.has_value() && read.count(path) == 0;
      // A resolver that does not know the place leaves it to people.
      if (plan_.resolved() != nullptr && !candidate.is_renamed) {
        open.insert(PlaceOf(candidate));
        continue;
      }
      // A key that goes where the symbol is wanted would have been missed there.
      const bool is_key = (candidate.occurrence.role != OccurrenceRole::kMember ||
                           candidate.occurrence.receiver_end == 0) &&
                          LanguageBackendOf(candidate.file->language.id).naming.keys_are_members;
      if ((gradual && !is_key) || unread) open.insert(PlaceOf(candidate));
    }
    if (open.empty()) return absl::OkStatus();
    if (gradual) STILE_RETURN_IF_ERROR(ProbeUndefinedName(&open));
    for (size_t i = 0; i < plan_.candidates().size(); ++i) {
      const RenameCandidate candidate = plan_.candidates()[i];
      if (open.count(PlaceOf(candidate)) == 0) continue;
      const bool renamed = Guess(candidate);
      if (renamed != candidate.is_renamed) plan_.Set(i, renamed);
      if (!renamed) outcome_.uncertain.push_back(plan_.candidates()[i]);
    }
    return absl::OkStatus();
  }

  // Gives the open places a name that nothing has. Where the compiler does not even notice that, it
  // knows nothing of the place.
  absl::Status ProbeUndefinedName(std::set<Place>* open) {
    const std::string nonsense = absl::StrCat(plan_.new_name(), "_stile_unknown");
    const EditPlan edits = plan_.Edits(nonsense, [&](const RenameCandidate& candidate) {
      return open->count(PlaceOf(candidate)) > 0;
    });
    STILE_ASSIGN_OR_RETURN(const ProbeReport report, Ask(edits));
    if (!report.judged) return absl::OkStatus();
    for (const Diagnostic& error : report.errors) {
      if (!HoldsWord(error.message, nonsense)) continue;
      // Of several on the line, the one at the column.
      std::vector<const RenameCandidate*> on_line;
      for (const RenameCandidate& candidate : plan_.candidates()) {
        if (candidate.file->path != OldPath(error.file) || candidate.line() != error.line) continue;
        const bool is_asked =
            open->count(PlaceOf(candidate)) > 0 && !IsNarrowedByName(candidate, plan_.old_name());
        if (is_asked) on_line.push_back(&candidate);
      }
      std::vector<const RenameCandidate*> at_column = on_line;
      at_column.erase(std::remove_if(at_column.begin(), at_column.end(),
                                     [&](const RenameCandidate* candidate) {
                                       const int column = ColumnWith(*candidate, nonsense, *open);
                                       return error.column < column ||
                                              error.column >=
                                                  column + static_cast<int>(nonsense.size());
                                     }),
                      at_column.end());
      std::vector<Place> noticed;
      for (const RenameCandidate* candidate : at_column.empty() ? on_line : at_column) {
        for (const RenameCandidate& other : plan_.candidates()) {
          if (IsTied(*candidate, other)) noticed.push_back(PlaceOf(other));
        }
      }
      for (const Place& place : noticed) open->erase(place);
    }
    return absl::OkStatus();
  }

  RenamePlan plan_;
  const std::set<DocExample>& examples_;
  const TrialContext& trial_;
  RenameOutcome outcome_;
  std::optional<std::vector<Diagnostic>> baseline_;
  std::map<Place, int> moves_;
  std::map<std::string, std::set<Place>> guesses_;  // by the error that they were to remove
  std::set<Place> refuted_;
  ValueUses value_uses_;
  ParsedFiles parsed_;                        // as they were before the rename
  bool has_added_ = false;                    // in this round: places that were no candidates
  std::map<std::string, std::string> moved_;  // new path: old path
  std::set<std::string> unjudged_;            // files of the plan that no compiler is asked about
};

}  // namespace

absl::StatusOr<RenameOutcome> ApplyRename(RenamePlan plan, const std::set<DocExample>& examples,
                                          const TrialContext& trial) {
  return Renamer(std::move(plan), examples, trial).Run();
}

}  // namespace stile
