#include "runtime/coverage/switched_build.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/validation/diagnostic.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// A header that this machine does not have ends the compiler's look at the file.
bool MissesAHeader(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::kError &&
         (absl::StrContains(diagnostic.message, "No such file or directory") ||
          absl::StrContains(diagnostic.message, "file not found"));
}

bool MissesAHeaderIn(const std::vector<Diagnostic>& diagnostics, const std::string& path) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& diagnostic) {
    return MissesAHeader(diagnostic) && diagnostic.file == path;
  });
}

const Diagnostic* FirstError(const std::vector<Diagnostic>& diagnostics) {
  const auto found = std::find_if(
      diagnostics.begin(), diagnostics.end(),
      [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::kError; });
  return found == diagnostics.end() ? nullptr : &*found;
}

}  // namespace

SwitchedBuild::SwitchedBuild(ScratchContext context, const ConditionFinder* finder)
    : context_(std::move(context)), finder_(finder) {}

absl::StatusOr<ValidationResult> SwitchedBuild::Run(const Target& target, const Content& content,
                                                    const BuildSwitches& switches,
                                                    std::map<std::string, std::string> texts) {
  for (const FileRecord& file : content.files->files()) {
    if (file.kind != FileRecord::Kind::kRegular || !IsWithin(file.path, target.project.root) ||
        finder_->Set(file.path, "", switches).empty()) {
      continue;
    }
    if (texts.count(file.path) == 0) {
      STILE_ASSIGN_OR_RETURN(texts[file.path], content.source->Read(file));
    }
    texts[file.path] = finder_->Set(file.path, texts[file.path], switches);
  }
  ContentOverlay overlay(content.source, &texts);
  ++experiments_;
  return ValidateCopy(context_, *target.validator, target.project, *content.files, &overlay,
                      &switches);
}

absl::StatusOr<ValidationResult> SwitchedBuild::RunOnce(const std::string& key,
                                                        const Target& target,
                                                        const Content& content,
                                                        const BuildSwitches& switches) {
  const std::string full = absl::StrCat(key, "\n", target.key, "\n", BuildSwitchText(switches));
  const auto known = known_.find(full);
  if (known != known_.end()) return known->second;
  STILE_ASSIGN_OR_RETURN(ValidationResult result, Run(target, content, switches, {}));
  return known_[full] = std::move(result);
}

absl::StatusOr<SwitchedBuild::Answer> SwitchedBuild::Ask(const Question& question,
                                                         const BuildSwitches& switches) {
  const bool settable = std::all_of(switches.begin(), switches.end(), [&](const BuildSwitch& one) {
    return question.target->validator->Sets(one.kind);
  });
  if (!settable) return Answer();
  STILE_ASSIGN_OR_RETURN(const ValidationResult now,
                         RunOnce(question.fingerprint, *question.target, question.now, switches));
  if (now.verdict == stile::Verdict::kPass) return Answer{Verdict::kPasses, ""};
  const Diagnostic* first = FirstError(now.diagnostics);
  if (first == nullptr) return Answer{Verdict::kUnknown, ToUtf8(now.message)};
  std::vector<Diagnostic> before;
  if (question.before != nullptr && question.before->validator != nullptr) {
    STILE_ASSIGN_OR_RETURN(const ValidationResult result,
                           RunOnce("before", *question.before, question.old, switches));
    before = result.diagnostics;
  }
  const std::vector<Diagnostic> fresh = NewErrors(before, now.diagnostics);
  const Diagnostic* error = FirstError(fresh);
  if (error == nullptr) {
    Answer answer{Verdict::kUnknown, ToUtf8(FormatDiagnostic(*first))};
    answer.is_as_before =
        std::none_of(now.diagnostics.begin(), now.diagnostics.end(), MissesAHeader);
    return answer;
  }
  const bool gives_up = absl::StartsWith(error->message, "#error") ||
                        (MissesAHeader(*error) && MissesAHeaderIn(before, error->file));
  return Answer{gives_up ? Verdict::kUnknown : Verdict::kFails, ToUtf8(FormatDiagnostic(*error)),
                error->file, error->line};
}

}  // namespace stile
