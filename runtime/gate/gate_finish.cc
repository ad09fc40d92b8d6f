#include "runtime/gate/gate_finish.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/compiler_integrity.h"
#include "runtime/coverage/installed_packages.h"
#include "runtime/gate/allowance.h"
#include "runtime/gate/files_now.h"
#include "runtime/gate/gate_changes.h"
#include "runtime/gate/gate_observation.h"
#include "runtime/gate/gate_old_suite.h"
#include "runtime/gate/gate_planted_failures.h"
#include "runtime/gate/gate_red_tests.h"
#include "runtime/gate/gate_syntax.h"
#include "runtime/gate/gate_tests.h"
#include "runtime/gate/gate_validation.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

bool IsRequired(Level level, const GateSettings& settings) {
  return level == Level::kBuild || settings.level == Level::kTest;
}

// Whether the judge that a target has now tells as much as the one before: meaning, syntax,
// nothing.
bool JudgesAsMuch(const Target& now, const Target& before) {
  return before.validator == nullptr ||
         (now.validator != nullptr && now.validator->canary() >= before.validator->canary());
}

Json ShownPaths(const std::vector<std::string>& paths) {
  Json list = Json::array();
  for (const std::string& path : paths) list.push_back(ToUtf8(path));
  return list;
}

std::string NameOf(const Blocker& open) {
  if (open.key.empty()) return "workspace";
  return absl::StrCat(open.root, " (", open.validator.empty() ? "no validator" : open.validator,
                      ")");
}

}  // namespace

static std::vector<std::string> UncoveredChanges(const GateState& gate);

std::string ReasonOf(const Blocker& open) {
  if (!open.explanation.empty()) return open.explanation;
  if (!open.paths.empty() || !open.refusal.has_value()) {
    return ToUtf8(absl::StrJoin(open.paths, ", "));
  }
  return absl::StrCat("its last validation ended with ", VerdictName(*open.refusal),
                      " and none has passed since");
}

std::string LineOf(const Blocker& open) { return absl::StrCat(NameOf(open), ": ", ReasonOf(open)); }

// A target of the start that is no target any more. Nothing to answer for when its code is gone, or
// when other projects have taken all of it over; else its project file was taken away from under
// it.
static std::optional<Blocker> VanishedTarget(const GateState& gate, const Target& before) {
  std::vector<std::string> orphans;
  std::vector<std::string> judged = before.code_files;
  if (before.project.language->declared && judged.empty()) {
    for (const auto& [path, hash] : before.inputs) {
      if (IsWithin(path, before.project.root) && path != "stile.yaml") judged.push_back(path);
    }
  }
  for (const std::string& path : judged) {
    if (!gate.current.Contains(path)) continue;
    const bool adopted = std::any_of(
        gate.map.targets().begin(), gate.map.targets().end(), [&](const Target& target) {
          return target.level == before.level && !target.project.loose &&
                 JudgesAsMuch(target, before) &&
                 std::find(target.code_files.begin(), target.code_files.end(), path) !=
                     target.code_files.end();
        });
    if (!adopted) orphans.push_back(path);
  }
  if (orphans.empty() || before.project.loose) return std::nullopt;
  std::vector<std::string> missing;
  std::vector<std::string> paths = orphans;
  for (const std::string& path : before.project.files) {
    if (gate.current.Contains(path)) continue;
    missing.push_back(ToUtf8(path));
    paths.push_back(path);
  }
  Blocker open{before.key,   before.validator_id(), before.project.root,
               before.level, std::move(paths),      ""};
  open.explanation =
      absl::StrCat(missing.empty() ? "its project settings no longer select a validator"
                                   : absl::StrCat(absl::StrJoin(missing, ", "), " was removed"),
                   ", so ", Count(orphans.size(), "code file"), " below ", before.project.root,
                   " can no longer be validated. Restore it, or remove the code as well");
  return open;
}

// What no snapshot and no git can look into: a link to a folder whose files no snapshot shows, so
// that whatever is built through it can change unseen; a FIFO that git would wait for.
static std::optional<Blocker> BlindSpot(const GateState& gate, const FileChange& change) {
  const FileRecord* record = gate.current.Find(change.path);
  if (record == nullptr) return std::nullopt;
  if (record->kind == FileRecord::Kind::kSpecial &&
      absl::StartsWith(BaseName(change.path), ".git")) {
    Blocker open{"", "", DirName(change.path), Level::kBuild, {change.path}, ""};
    open.explanation =
        absl::StrCat(ToUtf8(change.path), " is no file, so that git could not be used; remove it");
    return open;
  }
  if (record->kind != FileRecord::Kind::kSymlink) return std::nullopt;
  const absl::StatusOr<std::string> real = RealPath(JoinPath(gate.options.workspace, change.path));
  if (!real.ok() || !DirectoryExists(*real)) return std::nullopt;
  if (absl::StartsWith(*real, gate.options.workspace + "/")) {
    const std::string inside = real->substr(gate.options.workspace.size() + 1);
    const auto& files = gate.current.files();
    const bool seen = std::any_of(files.begin(), files.end(), [&](const FileRecord& file) {
      return IsWithin(file.path, inside);
    });
    if (seen) return std::nullopt;
  }
  Blocker open{"", "", DirName(change.path), Level::kBuild, {change.path}, ""};
  open.explanation = absl::StrCat(
      ToUtf8(change.path), " is a link to a folder that the gate cannot watch; put the files ",
      "themselves there, or remove the link");
  return open;
}

// Whether the package was put where no packages were when the run began, as a lock file says that
// no run has touched: nothing was there to be patched.
static bool IsInstalledByLock(const GateState& gate, const std::string& path) {
  const std::string folder = PackageFolderOf(path);
  if (gate.without_packages.count(folder) == 0) return false;
  return std::any_of(gate.pre_run_snapshot.files().begin(), gate.pre_run_snapshot.files().end(),
                     [&](const FileRecord& lock) {
                       const FileRecord* now = gate.current.Find(lock.path);
                       if (!IsLockOfPackages(BaseName(lock.path)) || now == nullptr ||
                           now->hash != lock.hash ||
                           !IsWithin(DirName(folder), DirName(lock.path))) {
                         return false;
                       }
                       const auto text = gate.options.file_system->ReadFile(
                           JoinPath(gate.options.workspace, lock.path), kMaxFileBytes);
                       return text.ok() && LockNames(*text, PackageNameOf(path));
                     });
}

// A package that the judge read and that was written in this run, though nothing asks for other
// packages than before: a type stub made to fit the code.
static std::optional<Blocker> PatchedPackage(const GateState& gate, const Target& target) {
  if (target.level != Level::kBuild) return std::nullopt;
  const std::optional<CoverageQuestion> question = QuestionOf(gate, target);
  if (!question.has_value() || question->build_files_changed || gate.baseline.taken_at_ns() == 0) {
    return std::nullopt;
  }
  const absl::Time run_began = absl::FromUnixNanos(gate.baseline.taken_at_ns());
  std::map<std::string, bool> excused;  // by package
  for (const auto& [path, stamp] : gate.StateOf(target.key).read.files) {
    if (!IsOfInstalledPackage(path) ||
        !ChangedSince(JoinPath(gate.options.workspace, path), run_began)) {
      continue;
    }
    const auto known =
        excused.try_emplace(absl::StrCat(PackageFolderOf(path), " ", PackageNameOf(path)));
    if (known.second) known.first->second = IsInstalledByLock(gate, path);
    if (known.first->second) continue;
    Blocker open{target.key, target.validator_id(), target.project.root, target.level, {path}, ""};
    open.explanation = absl::StrCat(
        ToUtf8(path), " belongs to an installed package and was written during this run, while no ",
        "project or lock file asks for another one; install the packages again as they were, and ",
        "leave them alone");
    return open;
  }
  return std::nullopt;
}

std::vector<Blocker> UnvalidatedTargets(GateState* gate) {
  std::vector<Blocker> open;
  for (const FileChange& change : ChangesSinceStart(*gate)) {
    if (std::optional<Blocker> blind = BlindSpot(*gate, change)) open.push_back(*std::move(blind));
  }
  for (const Target& target : gate->map.targets()) {
    const bool is_refused = IsRefused(*gate, target.key);
    if (!IsRequired(target.level, gate->options.settings) && !is_refused) continue;
    std::vector<std::string> paths = DirtyPaths(*gate, target);
    if (paths.empty() && !is_refused) {
      if (auto patched = PatchedPackage(*gate, target)) open.push_back(*std::move(patched));
      continue;
    }
    Blocker entry{target.key,   target.validator_id(), target.project.root,
                  target.level, std::move(paths),      ""};
    if (is_refused) entry.refusal = gate->tracker.RefusalOf(target.key);
    const bool missing = target.validator == nullptr || !ToolchainOf(gate, target).available;
    if (missing && !is_refused &&
        gate->options.settings.no_validator == GateSettings::Policy::kReport) {
      ValidationResult syntax;
      syntax.verdict = Verdict::kNoValidator;
      ApplySyntaxRule(gate, target, &syntax);
      if (syntax.verdict != Verdict::kFail) continue;
      entry.explanation = absl::StrCat("an error of syntax that was not there before: ",
                                       ToUtf8(FormatDiagnostic(syntax.diagnostics.front())));
    } else if (missing) {
      entry.explanation = absl::StrCat(
          "no working validator for ", target.project.language->name, " on this machine: ",
          target.validator == nullptr ? target.project.language->install_hint
                                      : ToolchainOf(gate, target).install_hint);
    }
    open.push_back(std::move(entry));
  }
  for (const auto& [key, state] : gate->states) {
    if (!state.at_start.has_value() || gate->map.Find(key) != nullptr) continue;
    if (!IsRequired(state.at_start->level, gate->options.settings)) continue;
    if (auto entry = VanishedTarget(*gate, *state.at_start)) open.push_back(*std::move(entry));
  }
  return open;
}

// The last sentence of a refusal over files that are not validated.
static std::string WayToPass(const GateState& gate) {
  const bool names_tools = gate.options.settings.names_tools;
  if (gate.tracker.failures() == 0) return names_tools ? " Run code.validate." : "";
  return absl::StrCat(names_tools ? " Run code.validate after fixing what it reported ("
                                  : " Fix what the last validation reported (",
                      gate.tracker.failures(), " of ", gate.options.settings.max_failures,
                      " failures used).");
}

static std::string RejectionText(const GateState& gate, const std::vector<Blocker>& open) {
  constexpr size_t kMaxNames = 12;
  std::set<std::string> paths;
  std::vector<std::string> others;
  for (const Blocker& target : open) {
    if (!target.explanation.empty()) {
      others.push_back(absl::StrCat(NameOf(target), ": ", target.explanation, "."));
    } else if (target.paths.empty()) {
      others.push_back(
          absl::StrCat(NameOf(target), ": ", ReasonOf(target), ". Fix what it reported",
                       gate.options.settings.names_tools ? ", then run code.validate." : "."));
    } else {
      for (const std::string& path : target.paths) paths.insert(ToUtf8(path));
    }
  }
  std::string text = "Cannot finish: ";
  if (!paths.empty()) {
    std::vector<std::string> names(paths.begin(), paths.end());
    const size_t total = names.size();
    if (total > kMaxNames) names.resize(kMaxNames);
    absl::StrAppend(&text, total, total == 1 ? " changed file is" : " changed files are",
                    " not validated (", absl::StrJoin(names, ", "),
                    total > kMaxNames ? absl::StrCat(", and ", total - kMaxNames, " more") : "",
                    ").", WayToPass(gate));
  }
  if (!others.empty()) {
    absl::StrAppend(&text, paths.empty() ? "" : "\n", absl::StrJoin(others, "\n"));
  }
  return text;
}

std::optional<CoverageQuestion> QuestionOf(const GateState& gate, const Target& target) {
  if (target.validator == nullptr || !gate.tracker.HasPassed(target.key, target.inputs)) {
    return std::nullopt;
  }
  CoverageQuestion question;
  question.target = &target;
  question.distrusts_listings = gate.options.settings.coverage == GateSettings::Coverage::kCanary;
  question.before = gate.AtStart(target.key);
  const TargetState& state = gate.StateOf(target.key);
  if (state.details.has_value()) {
    question.listed = state.details->files_read;
    question.excused_errors = state.details->excused_errors;
    question.compiled = CompiledOf(gate, target);
    question.ways = state.compiler_ways;
    if (question.compiled.has_value()) {
      question.failed = FilesOf(gate, target, state.failed, /*with_unseen=*/false);
    }
    if (state.evidence.has_value()) {
      question.command = JsonString(*state.evidence, "command").value_or("");
    }
  }
  const ContentMap* const reference = gate.tracker.ReferenceOf(target.key);
  const bool is_new = reference == nullptr;
  const ContentMap nothing;
  const std::set<std::string> code(target.code_files.begin(), target.code_files.end());
  for (std::string& path : DiffContent(is_new ? nothing : *reference, target.inputs)) {
    if (code.count(path) > 0) {
      question.changed.insert(std::move(path));
    } else if (!is_new && gate.options.languages->OfFile(path) == nullptr) {
      question.build_files_changed = true;  // builds read lists and settings from files of any name
    }
  }
  if (!state.read.files.empty() && !is_new && !question.build_files_changed) {
    for (const FileChange& change : DiffSnapshots(gate.accepted_snapshot, gate.current)) {
      question.build_files_changed |= state.read.files.count(change.path) > 0 &&
                                      gate.options.languages->OfFile(change.path) == nullptr;
    }
  }
  return question;
}

// What the build leaves out, the build of the tests may hold. Returns whether there is one to ask.
static bool AddTestBuilds(const GateState& gate, const std::vector<CoverageGap>& gaps,
                          std::vector<CoverageQuestion>* questions) {
  bool any = false;
  for (const Target& target : gate.map.targets()) {
    if (target.level != Level::kTest) continue;
    std::optional<CoverageQuestion> question = QuestionOf(gate, target);
    if (!question.has_value() || question->before == nullptr || !question->compiled.has_value()) {
      continue;
    }
    const bool compiles = std::any_of(gaps.begin(), gaps.end(), [&](const CoverageGap& gap) {
      const bool is_read = gate.StateOf(target.key).read.files.count(gap.path) > 0;
      return (is_read || question->compiled->count(gap.path) > 0) &&
             question->failed.count(gap.path) == 0;
    });
    if (!compiles) continue;
    questions->push_back(*std::move(question));
    any = true;
  }
  return any;
}

// Changed code that the passes of this run did not cover. May run validators on copies.
static absl::StatusOr<std::vector<Blocker>> UncoveredTargets(GateState* gate,
                                                             Judgement* judgement) {
  if (gate->options.settings.coverage == GateSettings::Coverage::kOff)
    return std::vector<Blocker>();
  std::vector<CoverageQuestion> questions;
  for (const Target& target : gate->map.targets()) {
    if (target.level != Level::kBuild) continue;
    if (auto question = QuestionOf(*gate, target)) questions.push_back(*std::move(question));
  }
  STILE_ASSIGN_OR_RETURN(std::vector<CoverageGap> gaps,
                         gate->coverage->Judge(questions, gate->current));
  if (AddTestBuilds(*gate, gaps, &questions)) {
    STILE_ASSIGN_OR_RETURN(gaps, gate->coverage->Judge(questions, gate->current));
  }
  std::set<TargetKey> asked;
  for (const CoverageGap& gap : gaps) {
    if (ShouldAskAlike(gate, gap)) asked.insert(gap.target);
  }
  for (const TargetKey& key : asked) {
    STILE_RETURN_IF_ERROR(ValidateTarget(gate, key, /*force_cold=*/true).status());
  }
  if (!asked.empty()) return UncoveredTargets(gate, judgement);
  for (const auto& [key, shown] : gate->coverage->evidence()) {
    TargetState& state = gate->StateOf(key);
    if (!state.evidence.has_value()) continue;
    const bool listed = state.details.has_value() && state.details->files_read.has_value();
    (*state.evidence)["coverage"] = {
        {"by", shown.by},
        {"files_read", listed ? Json(state.details->files_read->size()) : Json()},
        {"compiled", ShownPaths(CompiledChanges(*gate, key))},
        {"reported", ShownPaths(shown.reported)},
        {"alone", ShownPaths(shown.alone)}};
    if (!shown.switched.empty()) (*state.evidence)["coverage"]["switched"] = shown.switched;
  }
  std::vector<Blocker> open;
  judgement->uncovered.clear();
  for (const CoverageGap& gap : gaps) {
    if (gate->options.settings.uncovered == GateSettings::Policy::kReport ||
        IsAllowedUncovered(gate->options.settings.allow, gap.path)) {
      judgement->uncovered.push_back(gap.path);
      continue;
    }
    const Target& target = *gate->map.Find(gap.target);
    Blocker entry{gap.target, target.validator_id(), target.project.root, target.level, {gap.path},
                  ""};
    entry.explanation = absl::StrCat(ToUtf8(gap.path), ": ", gap.why);
    open.push_back(std::move(entry));
  }
  return open;
}

static absl::StatusOr<std::vector<Blocker>> WeakenedTargets(GateState* gate, Judgement* judgement) {
  STILE_ASSIGN_OR_RETURN(const std::vector<Weakening> lost, LostTests(gate));
  STILE_ASSIGN_OR_RETURN(std::vector<Weakening> weakenings, FindWeakenings(gate));
  weakenings = gate->red_tests.Judge(std::move(weakenings));
  weakenings.insert(weakenings.end(), lost.begin(), lost.end());
  STILE_ASSIGN_OR_RETURN(const std::vector<Weakening> broken, BrokenTests(gate));
  weakenings.insert(weakenings.end(), broken.begin(), broken.end());
  return RefusedWeakenings(gate, std::move(weakenings), judgement);
}

std::vector<Blocker> RefusedWeakenings(GateState* gate, std::vector<Weakening> weakenings,
                                       Judgement* judgement) {
  std::vector<Blocker> open;
  for (Weakening& weakening : weakenings) {
    if (weakening.weight == Weakening::Weight::kMinor ||
        gate->options.settings.weakening == GateSettings::Policy::kReport ||
        IsAllowed(gate->options.settings.allow, weakening)) {
      judgement->tolerated.push_back(std::move(weakening));
      continue;
    }
    Blocker entry{"", "", DirName(weakening.path), Level::kBuild, {weakening.path}, ""};
    entry.explanation = absl::StrCat(
        ToUtf8(weakening.path), weakening.line > 0 ? absl::StrCat(":", weakening.line) : "", ": ",
        weakening.what, weakening.rule == "old-test-broken" ? "" : "; take it back");
    if (const std::string kind = KindOf(weakening); !kind.empty()) {
      const bool is_of_workspace = weakening.path.empty() || weakening.path == ".";
      absl::StrAppend(&entry.explanation, ". Only the task can allow it: --allow ", kind, "=",
                      is_of_workspace ? "**" : ToUtf8(weakening.path));
    }
    open.push_back(std::move(entry));
  }
  return open;
}

// How many times validators ran on copies to show something about a finish.
static size_t CountExperiments(const GateState& gate) {
  auto experiments = static_cast<size_t>(gate.coverage->experiments());
  for (const auto& [key, state] : gate.states) {
    experiments += (state.tests_before.asked ? 1 : 0) +
                   static_cast<size_t>(state.red_tests.asked + state.old_suite.asked) +
                   (state.planted_before.asked ? 1 : 0) + static_cast<size_t>(state.planted.asked);
  }
  return experiments;
}

// Judged on the files as they are when it returns: showing what was covered takes time, in which
// they can change.
static absl::StatusOr<Judgement> FindBlockers(GateState* gate) {
  STILE_RETURN_IF_ERROR(RefreshWorkspace(gate).status());
  STILE_RETURN_IF_ERROR(RevalidateUnseenChanges(gate));
  while (true) {
    Judgement judgement;
    std::vector<Blocker>& open = judgement.blockers;
    open = UnvalidatedTargets(gate);
    if (!open.empty()) return judgement;
    const size_t experiments = CountExperiments(*gate);
    open = UnmetTests(gate);
    if (!open.empty()) return judgement;
    STILE_ASSIGN_OR_RETURN(open, WeakenedTargets(gate, &judgement));
    if (!open.empty()) return judgement;
    STILE_ASSIGN_OR_RETURN(open, UncoveredTargets(gate, &judgement));
    if (open.empty()) {
      STILE_ASSIGN_OR_RETURN(open, RedTestsOnChangedCode(gate));
    }
    if (open.empty()) {
      STILE_ASSIGN_OR_RETURN(open, TestsThatCannotFail(gate, &judgement));
    }
    if (CountExperiments(*gate) == experiments) return judgement;
    STILE_ASSIGN_OR_RETURN(const std::vector<FileChange> changes, RefreshWorkspace(gate));
    if (changes.empty() && UnvalidatedTargets(gate).empty()) return judgement;
  }
}

absl::StatusOr<Judgement> JudgeWorkspace(GateState* gate, bool validated) {
  STILE_ASSIGN_OR_RETURN(Judgement judgement, FindBlockers(gate));
  const std::vector<Blocker>& open = judgement.blockers;
  for (const Blocker& blocker : open) {
    judgement.remaining.push_back(LineOf(blocker));
  }
  if (gate->options.settings.mode == GateSettings::Mode::kObserve) {
    judgement.kind = Judgement::Kind::kUngated;
    return judgement;
  }
  if (open.empty()) {
    judgement.kind =
        ChangesSinceStart(*gate).empty() ? Judgement::Kind::kUnchanged : Judgement::Kind::kAccepted;
    const std::vector<std::string> unknown = UncoveredChanges(*gate);
    judgement.uncovered.insert(judgement.uncovered.begin(), unknown.begin(), unknown.end());
    judgement.evidence = EvidenceOf(*gate);
    return judgement;
  }
  const bool validation_can_help =
      std::any_of(open.begin(), open.end(), [](const Blocker& blocker) {
        return blocker.explanation.empty() || blocker.validation_helps;
      });
  if (gate->options.settings.on_finish == GateSettings::OnFinish::kValidate && !validated &&
      validation_can_help) {
    judgement.kind = Judgement::Kind::kNeedsValidation;
    return judgement;
  }
  judgement.observation = RejectionText(*gate, open);
  return judgement;
}

// Changed files that no validator covers: unknown languages, or no_validator: report.
static std::vector<std::string> UncoveredChanges(const GateState& gate) {
  std::vector<std::string> paths;
  for (const FileChange& change : ChangesSinceStart(gate)) {
    if (change.kind == FileChange::Kind::kDeleted) continue;
    const bool covered = std::any_of(gate.map.targets().begin(), gate.map.targets().end(),
                                     [&](const Target& target) {
                                       return gate.tracker.HasPassed(target.key, target.inputs) &&
                                              target.inputs.count(change.path) > 0;
                                     });
    if (!covered) paths.push_back(change.path);
  }
  return paths;
}

}  // namespace stile
