#include "runtime/coverage/coverage.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/canary.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Enough for chains of projects in which an error in one keeps the next from being built.
constexpr int kMaxProbes = 8;

std::set<std::string> Without(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}

// False when opens are observed and no compiler opened the changed file.
bool WasOpened(const CoverageQuestion& question, const std::string& path) {
  return !question.compiled.has_value() || question.compiled->count(path) > 0;
}

// Why a file that was listed, or in which a planted error was reported, does not count.
std::string UnopenedText(const CoverageQuestion& question, const std::string& path) {
  if (question.failed.count(path) == 0) {
    return absl::StrCat(
        "the build of ", question.target->validator_id(),
        " passes, but no process of its compiler opened this file in the "
        "workspace: a script stands between them, or the build replaces the file; let the build "
        "compile the file itself");
  }
  return absl::StrCat("the compiler ended with an error when it read ", ToUtf8(path),
                      ", and the build went on; see what `", ToUtf8(question.command),
                      "` says there, mend it, and let the build fail when its compiler fails");
}

bool NeedsCanary(const CoverageQuestion& question) {
  return !question.listed.has_value() || question.excused_errors || question.build_files_changed ||
         question.distrusts_listings;
}

// Whether errors are planted in its files.
bool Plants(const CoverageQuestion& question) {
  return NeedsCanary(question) && question.target->validator->canary() != CanaryKind::kNone;
}

// Of everything that the gaps of the open files depend on.
std::string FingerprintOf(const CoverageQuestion& question, const std::set<std::string>& open) {
  const Target& target = *question.target;
  std::string fingerprint = absl::StrCat(target.key, " ", ContentFingerprint(target.inputs), " ",
                                         question.excused_errors);
  for (const std::string& path : open) {
    absl::StrAppend(&fingerprint, "\n", WasOpened(question, path), question.failed.count(path), " ",
                    path);
    const auto ways = question.ways.find(path);
    if (ways == question.ways.end()) continue;
    for (const auto& way : ways->second)
      absl::StrAppend(&fingerprint, "\n ", absl::StrJoin(*way, " "));
  }
  return fingerprint;
}

}  // namespace

CoverageJudge::CoverageJudge(ScratchContext context, const LanguageRegistry* languages,
                             const ValidatorRegistry* validators, const ConditionFinder* conditions,
                             const Snapshot* reference, BaselineContent* old_content)
    : context_(std::move(context)),
      languages_(languages),
      validators_(validators),
      reference_(reference),
      old_content_(old_content),
      conditional_(context_, conditions, reference, old_content) {}

// Validators that are declared for files judge beside the compilers: neither answers for the other.
absl::StatusOr<std::vector<CoverageGap>> CoverageJudge::Judge(
    const std::vector<CoverageQuestion>& questions, const Snapshot& now) {
  evidence_.clear();
  std::map<std::string, std::vector<CoverageQuestion>> groups;
  for (const CoverageQuestion& question : questions) {
    const Language& language = *question.target->project.language;
    groups[language.declared ? language.id : ""].push_back(question);
  }
  std::vector<CoverageGap> result;
  for (const auto& [declared, group] : groups) {
    STILE_ASSIGN_OR_RETURN(std::vector<CoverageGap> gaps, JudgeGroup(group, now));
    std::move(gaps.begin(), gaps.end(), std::back_inserter(result));
  }
  return result;
}

absl::StatusOr<std::vector<CoverageGap>> CoverageJudge::JudgeGroup(
    const std::vector<CoverageQuestion>& questions, const Snapshot& now) {
  Files covered;
  for (const CoverageQuestion& question : questions) {
    const bool listed = question.listed.has_value();
    const bool canary = NeedsCanary(question);
    CoverageEvidence& evidence = evidence_[question.target->key];
    if (listed && !canary) {
      for (const std::string& path : *question.listed) {
        if (question.changed.count(path) == 0) covered.insert(path);
      }
    }
    for (const std::string& path : question.changed) {
      const bool opened = WasOpened(question, path);
      if (canary && CanPlant(*question.target, path)) {
        evidence.by = "canary";
      } else if (!listed) {
        // This validator neither lists files nor reports planted errors.
        if (opened) covered.insert(path);
        evidence.by = question.compiled.has_value() ? "observation" : "none";
      } else if (opened &&
                 std::binary_search(question.listed->begin(), question.listed->end(), path)) {
        covered.insert(path);
      }
    }
    if (evidence.by.empty()) evidence.by = listed ? "listing" : "none";
  }
  std::map<std::string, CoverageGap> gaps;
  for (const CoverageQuestion& question : questions) {
    STILE_ASSIGN_OR_RETURN(const auto found, GapsOf(question, covered, now));
    for (const std::string& path : question.changed) {
      if (found.why.count(path) == 0) covered.insert(path);
    }
    if (question.target->level == Level::kTest) {  // what the build of the tests holds besides
      const std::vector<std::string>& reported = evidence_[question.target->key].reported;
      covered.insert(reported.begin(), reported.end());
    }
    for (const auto& [path, why] : found.why) {
      gaps[path] = {question.target->key, path, why, found.otherwise.count(path) > 0};
    }
  }
  std::vector<CoverageGap> result;
  std::set<std::string> told;
  for (auto& [path, gap] : gaps) {
    if (covered.count(path) > 0) continue;
    told.insert(path);
    result.push_back(std::move(gap));
  }
  for (const CoverageQuestion& question : questions) {
    if (question.target->project.language->declared) continue;  // conditions are for compilers
    STILE_ASSIGN_OR_RETURN(const auto found, ConditionalGaps(question, now));
    for (const auto& [path, why] : found) {
      if (told.insert(path).second) result.push_back({question.target->key, path, why});
    }
  }
  return result;
}

// Files that were judged by themselves are asked about by themselves, too.
absl::StatusOr<std::map<std::string, std::string>> CoverageJudge::ConditionalGaps(
    const CoverageQuestion& question, const Snapshot& now) {
  CoverageQuestion together = question;
  const std::vector<std::string>& alone = evidence_[question.target->key].alone;
  for (const std::string& path : alone) together.changed.erase(path);
  STILE_ASSIGN_OR_RETURN(ConditionalCoverage::Finding finding, conditional_.Gaps(together, now));
  for (const std::string& path : alone) {
    Target target = *question.target;
    absl::StrAppend(&target.key, " ", path);
    target.validator = SingleFileJudge(path);
    target.project = AloneProject(path);
    target.code_files = {path};
    CoverageQuestion by_itself;
    by_itself.target = &target;
    if (reference_->Contains(path)) by_itself.before = &target;
    by_itself.changed = {path};
    STILE_ASSIGN_OR_RETURN(const ConditionalCoverage::Finding found,
                           conditional_.Gaps(by_itself, now));
    finding.gaps.insert(found.gaps.begin(), found.gaps.end());
    finding.compiled.insert(found.compiled.begin(), found.compiled.end());
  }
  evidence_[question.target->key].switched.insert(finding.compiled.begin(), finding.compiled.end());
  return finding.gaps;
}

const Validator* CoverageJudge::SingleFileJudge(const std::string& path) const {
  const Language* language = languages_->OfFile(path);
  if (language == nullptr) return nullptr;
  const Validator* judge = nullptr;
  for (const std::string& id : language->build_validators) {
    const Validator* candidate = validators_->Find(id);
    if (candidate != nullptr && candidate->judges_single_files()) judge = candidate;
  }
  return judge;
}

Project CoverageJudge::AloneProject(const std::string& path) const {
  return {languages_->OfFile(path), context_.workspace, ".", /*loose=*/true, {path}};
}

bool CoverageJudge::CanPlant(const Target& target, const std::string& path) const {
  const Language* language = languages_->OfFile(path);
  return language != nullptr &&
         PlantCanary(*language, target.validator->canary(), "", 0, false).has_value();
}

// What the search for gaps knows of one question's files.
struct CoverageJudge::OpenFiles {
  Files open;      // that nothing covers so far
  Files unopened;  // listed or reported, but not opened
  Files listed;
  Files old;         // open ones that the reference has
  Files built_then;  // of these: the build held them before this run
};

// Files of the target that need a proof. `covered`: what needs no further one.
absl::StatusOr<CoverageJudge::Files> CoverageJudge::Uncovered(const CoverageQuestion& question,
                                                              const Files& covered,
                                                              const Snapshot& now) {
  Files open = Without(question.changed, covered);
  if (question.before == nullptr) return open;
  if (Plants(question)) {
    if (!question.build_files_changed) return open;
    // A build file can take any file out of the build.
    for (const std::string& path : question.before->code_files) {
      if (now.Contains(path) && CanPlant(*question.target, path)) open.insert(path);
    }
    return open;
  }
  STILE_ASSIGN_OR_RETURN(const Files dropped, PerhapsDropped(question, covered, now));
  open.insert(dropped.begin(), dropped.end());
  return open;
}

// Plants errors in the open files; those where one is reported are covered, if compilers opened
// them in the same way in the workspace.
absl::Status CoverageJudge::TakeReported(const CoverageQuestion& question, const Snapshot& now,
                                         OpenFiles* files, Gaps* found) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  TrialWays ways;
  STILE_ASSIGN_OR_RETURN(const Files reported,
                         Reported(*question.target, {&now, &present}, files->open,
                                  {question.excused_errors, nullptr,
                                   question.compiled.has_value() ? &ways : nullptr}));
  files->open = Without(files->open, reported);
  for (const std::string& path : reported) {
    if (question.changed.count(path) == 0) continue;
    if (!WasOpened(question, path)) {
      files->unopened.insert(path);
    } else if (std::string why = OtherWay(question, path, ways); !why.empty()) {
      found->why[path] = std::move(why);
      found->otherwise.insert(path);
    }
  }
  const Files shown = Without(Without(reported, files->unopened), found->otherwise);
  evidence_[question.target->key].reported.assign(shown.begin(), shown.end());
  return absl::OkStatus();
}

// Finds out which of the open files the build held before this run.
absl::Status CoverageJudge::FindBuiltThen(const CoverageQuestion& question, OpenFiles* files) {
  if (question.before == nullptr) return absl::OkStatus();
  for (const std::string& path : files->open) {
    if (reference_->Contains(path)) files->old.insert(path);
  }
  if (files->old.empty() || question.excused_errors) return absl::OkStatus();
  if (Plants(question)) {
    STILE_ASSIGN_OR_RETURN(files->built_then,
                           Reported(*question.before, {reference_, old_content_}, files->old, {}));
  } else {
    STILE_ASSIGN_OR_RETURN(files->built_then, ListedBefore(*question.before));
  }
  return absl::OkStatus();
}

// Why nothing covers an open file; "": it is covered, or need not be.
absl::StatusOr<std::string> CoverageJudge::GapOf(const CoverageQuestion& question,
                                                 const OpenFiles& files, const std::string& path,
                                                 const Snapshot& now) {
  const std::string judge = question.target->validator_id();
  if (question.failed.count(path) > 0) return UnopenedText(question, path);
  const bool is_changed = question.changed.count(path) > 0;
  if (is_changed && question.target->validator->compilers() ==
                        std::vector<std::string>{std::string(kAnyProgram)}) {
    // Its command says nothing of files that it leaves out, whatever else judges them.
    return absl::StrCat(
        "the command of ", judge,
        " passes, but no program that it started opened this file; its declaration in stile.yaml "
        "needs `each: true` (for programs that read one file at a time), or `files` that name "
        "only what it reads");
  }
  if (question.excused_errors) {
    return absl::StrCat("errors that were there before keep ", judge,
                        " from checking it; mend them, or leave the file as it was");
  }
  if (files.built_then.count(path) > 0) {
    return absl::StrCat("it was part of the build of ", judge,
                        " before this run and is not checked any more; put it back, or "
                        "delete it");
  }
  const bool is_as_before = files.listed.count(path) > 0 && files.old.count(path) > 0;
  if (!is_changed || is_as_before) return "";  // no less is looked at than before
  STILE_ASSIGN_OR_RETURN(const auto under, JudgeUnderCondition(question, path, now));
  if (under.has_value()) return *under;
  STILE_ASSIGN_OR_RETURN(const std::string why, JudgeAlone(path, now));
  if (!why.empty()) return absl::StrCat("it is not part of the build of ", judge, why);
  evidence_[question.target->key].alone.push_back(path);
  return "";
}

// Files of the target that nothing covers, with the reason. `covered`: what needs no further proof.
absl::StatusOr<CoverageJudge::Gaps> CoverageJudge::GapsOf(const CoverageQuestion& question,
                                                          const Files& covered,
                                                          const Snapshot& now) {
  OpenFiles files;
  STILE_ASSIGN_OR_RETURN(files.open, Uncovered(question, covered, now));
  if (files.open.empty()) return Gaps();
  CoverageEvidence& evidence = evidence_[question.target->key];
  const std::string fingerprint = FingerprintOf(question, files.open);
  const auto known = known_.find(fingerprint);
  if (known != known_.end()) {
    evidence.reported = known->second.reported;
    evidence.alone = known->second.alone;
    evidence.switched = known->second.switched;
    return known->second.gaps;
  }
  Gaps found;
  const bool plants = Plants(question);
  if (plants) STILE_RETURN_IF_ERROR(TakeReported(question, now, &files, &found));
  STILE_RETURN_IF_ERROR(FindBuiltThen(question, &files));
  if (question.listed.has_value())
    files.listed = Files(question.listed->begin(), question.listed->end());
  if (!plants) {
    for (const std::string& path : files.open) {
      if (files.listed.count(path) > 0 && question.changed.count(path) > 0 &&
          !WasOpened(question, path)) {
        files.unopened.insert(path);
      }
    }
    files.open = Without(files.open, files.unopened);
  }
  for (const std::string& path : files.unopened) found.why[path] = UnopenedText(question, path);
  for (const std::string& path : files.open) {
    STILE_ASSIGN_OR_RETURN(std::string why, GapOf(question, files, path, now));
    if (!why.empty()) found.why[path] = std::move(why);
  }
  known_[fingerprint] = {found, evidence.reported, evidence.alone, evidence.switched};
  return found;
}

// Unchanged files that the judge did not read this time, if code that changed named one of them
// before: a module that its crate no longer names, an import that is gone. Whether they were read
// before is another question, and a dear one.
absl::StatusOr<CoverageJudge::Files> CoverageJudge::PerhapsDropped(const CoverageQuestion& question,
                                                                   const Files& covered,
                                                                   const Snapshot& now) {
  Files unread;
  for (const std::string& path : question.before->code_files) {
    if (now.Contains(path) && covered.count(path) == 0 && question.changed.count(path) == 0) {
      unread.insert(path);
    }
  }
  if (unread.empty() || !question.listed.has_value()) return Files();
  for (const std::string& changed : question.changed) {
    const FileRecord* record = reference_->Find(changed);
    if (record == nullptr) continue;
    STILE_ASSIGN_OR_RETURN(const std::string old_text, old_content_->Read(*record));
    for (const std::string& path : unread) {
      const std::string name = BaseName(path);
      const std::string stem = name.substr(0, name.find('.'));
      // "order/mod.rs", "order/index.ts" go by the name of their folder.
      if (absl::StrContains(old_text, stem) ||
          absl::StrContains(old_text, BaseName(DirName(path)))) {
        return unread;
      }
    }
  }
  return Files();
}

// Those of `files` in which the judge reports an error planted there. An error in one project can
// keep those that build on it from being looked at, so what is not reported is tried again alone.
// `only_at_end`: an older error may end the compiler's look at the file somewhere in its middle.
absl::StatusOr<CoverageJudge::Files> CoverageJudge::Reported(const Target& target,
                                                             const Content& content,
                                                             const Files& files,
                                                             const Trial& trial) {
  Files open = files;
  Files reported;
  int probes = 0;
  for (const bool at_start : {false, true}) {
    if (at_start && trial.only_at_end) break;
    for (bool progress = true; progress && !open.empty() && probes < kMaxProbes; ++probes) {
      progress = false;
      std::map<std::string, Canary> planted;
      std::map<std::string, std::string> texts;
      for (const std::string& path : open) {
        const FileRecord* file = content.files->Find(path);
        const Language* language = languages_->OfFile(path);
        if (file == nullptr || language == nullptr) continue;
        STILE_ASSIGN_OR_RETURN(const std::string text, content.source->Read(*file));
        auto canary =
            PlantCanary(*language, target.validator->canary(), text, RandomBits(), at_start);
        if (!canary.has_value()) continue;
        texts[path] = canary->content;
        planted.emplace(path, *std::move(canary));
      }
      if (planted.empty()) break;
      ValidationResult result;
      TrialObservation observation;
      if (trial.switches != nullptr) {
        STILE_ASSIGN_OR_RETURN(result, conditional_.switched()->Run(
                                           target, content, *trial.switches, std::move(texts)));
      } else {
        ContentOverlay overlay(content.source, &texts);
        STILE_ASSIGN_OR_RETURN(result,
                               RunCopy(*target.validator, target.project, *content.files, &overlay,
                                       trial.ways == nullptr ? nullptr : &observation));
      }
      for (const auto& [path, canary] : planted) {
        if (!IsReported(canary, path, result)) continue;
        open.erase(path);
        reported.insert(path);
        progress = true;
        if (trial.ways == nullptr) continue;
        if (!observation.seen.has_value()) {
          trial.ways->unobserved.insert(path);
        } else if (const auto file = observation.seen->compiled.find(path);
                   file != observation.seen->compiled.end()) {
          trial.ways->of[path] = FailedWays(file->second);
        }
      }
    }
  }
  return reported;
}

// Why the build of the workspace does not judge the file as that of the trial copy did, which
// reported an error planted there: "" if it does. A definition can hide the code, a switch can keep
// the compiler from looking at it, another program can have read it.
std::string CoverageJudge::OtherWay(const CoverageQuestion& question, const std::string& path,
                                    const TrialWays& trial) const {
  if (trial.unobserved.count(path) > 0) {
    return "a program of the build of a trial copy could not be observed, so it is not known how "
           "the "
           "file is compiled; run the build without a supervisor of its own";
  }
  const auto real = question.ways.find(path);
  const auto tried = trial.of.find(path);
  if (real == question.ways.end() || real->second.empty()) return "";  // it is a link
  if (tried == trial.of.end() || tried->second.empty()) {
    // Other compilers may report errors and end with success.
    const bool is_known =
        std::any_of(real->second.begin(), real->second.end(),
                    [](const auto& way) { return ComparesArguments(way->front()); });
    return is_known ? "an error planted in a trial copy was reported, but by no process of the "
                      "compiler that opened the file there; let the build compile the file itself"
                    : "";
  }
  if (HaveOneInCommon(real->second, tried->second)) return "";
  return absl::StrCat(
      "it was compiled with other arguments (", WayDifference(real->second, tried->second),
      ") than the trial copy, in which an error was planted; let the build compile it "
      "in the same way whatever it holds");
}

absl::StatusOr<CoverageJudge::Files> CoverageJudge::ListedBefore(const Target& before) {
  const auto known = listed_before_.find(before.key);
  if (known != listed_before_.end()) return known->second;
  Files files;
  if (before.validator != nullptr) {
    STILE_ASSIGN_OR_RETURN(const ValidationResult result,
                           RunCopy(*before.validator, before.project, *reference_, old_content_));
    if (result.files_read.has_value()) {
      files.insert(result.files_read->begin(), result.files_read->end());
    }
  }
  return listed_before_[before.key] = std::move(files);
}

// A file that conditions of the project keep out of the build, where they hold: "" when it passes,
// why not when it does not. nullopt where that cannot be found out here.
absl::StatusOr<std::optional<std::string>> CoverageJudge::JudgeUnderCondition(
    const CoverageQuestion& question, const std::string& path, const Snapshot& now) {
  const Target& target = *question.target;
  STILE_ASSIGN_OR_RETURN(const std::vector<BuildSwitches> ways,
                         conditional_.WaysInto(target, now, path));
  WorkspaceContent present(context_.file_system, context_.workspace);
  for (const BuildSwitches& switches : ways) {
    STILE_ASSIGN_OR_RETURN(const auto answer, conditional_.AskUnder(question, now, switches));
    if (answer.verdict == SwitchedBuild::Verdict::kUnknown) continue;
    STILE_ASSIGN_OR_RETURN(const Files reported, Reported(target, {&now, &present}, {path},
                                                          {/*only_at_end=*/false, &switches}));
    const bool is_its_own = answer.file == path;
    if (reported.empty() && !is_its_own) continue;
    if (answer.verdict == SwitchedBuild::Verdict::kFails) {
      return std::optional<std::string>(
          absl::StrCat("it is part of the build with ", BuildSwitchText(switches),
                       " only, and that does not compile: ", answer.words));
    }
    evidence_[target.key].switched.insert(
        absl::StrCat(ToUtf8(path), ": ", BuildSwitchText(switches)));
    return std::optional<std::string>("");
  }
  return std::optional<std::string>();
}

// A file that no build knows, by itself: "" when a judge of single files passes it, or finds
// nothing new in it; else the rest of a sentence that says why not.
absl::StatusOr<std::string> CoverageJudge::JudgeAlone(const std::string& path,
                                                      const Snapshot& now) {
  const Validator* judge = SingleFileJudge(path);
  if (judge == nullptr) return std::string("; make it part of it, or leave it out");
  const Project alone = AloneProject(path);
  ++experiments_;
  STILE_ASSIGN_OR_RETURN(ValidationResult result, ValidateInPlace(context_, *judge, alone));
  std::vector<Diagnostic> fresh = result.diagnostics;
  if (result.verdict == Verdict::kFail && reference_->Contains(path)) {
    STILE_ASSIGN_OR_RETURN(const ValidationResult before,
                           RunCopy(*judge, alone, *reference_, old_content_));
    fresh = NewErrors(before.diagnostics, result.diagnostics);
    if (fresh.empty()) {
      fresh = result.diagnostics;
      // Old errors (a header of another system) must not be what hides new ones.
      Target target;
      target.validator = judge;
      target.project = alone;
      WorkspaceContent present(context_.file_system, context_.workspace);
      STILE_ASSIGN_OR_RETURN(const Files reported,
                             Reported(target, {&now, &present}, {path}, {/*only_at_end=*/true}));
      if (!reported.empty()) return std::string();
    }
  }
  if (result.verdict == Verdict::kPass) return std::string();
  std::string first = result.message;
  for (const Diagnostic& diagnostic : fresh) {
    if (diagnostic.severity != Severity::kError) continue;
    first = FormatDiagnostic(diagnostic);
    break;
  }
  return absl::StrCat(", and ", judge->id(), " does not pass it by itself: ", ToUtf8(first));
}

absl::StatusOr<ValidationResult> CoverageJudge::RunCopy(const Validator& validator,
                                                        const Project& project,
                                                        const Snapshot& content,
                                                        BaselineContent* source,
                                                        TrialObservation* observation) {
  ++experiments_;
  if (observation == nullptr) return ValidateCopy(context_, validator, project, content, source);
  observation->compilers = validator.compilers();
  ScratchContext observed = context_;
  observed.observation = observation;
  return ValidateCopy(observed, validator, project, content, source);
}

}  // namespace stile
