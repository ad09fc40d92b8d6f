#include "runtime/validation/validator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

absl::string_view LevelName(Level level) {
  switch (level) {
    case Level::kBuild:
      return "build";
    case Level::kTest:
      return "test";
  }
  return "";
}

absl::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kFlakyPass:
      return "flaky_pass";
    case Verdict::kTimeout:
      return "timeout";
    case Verdict::kInfraError:
      return "infra_error";
    case Verdict::kNoValidator:
      return "no_validator";
    case Verdict::kSyntaxOnly:
      return "syntax_only";
    case Verdict::kChangedDuringRun:
      return "changed_during_run";
    case Verdict::kRemoved:
      return "removed";
  }
  return "";
}

std::optional<Verdict> VerdictFromName(absl::string_view name) {
  for (int i = 0; i <= static_cast<int>(Verdict::kRemoved); ++i) {
    if (VerdictName(static_cast<Verdict>(i)) == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

bool IsAgainst(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kTimeout ||
         verdict == Verdict::kInfraError || verdict == Verdict::kFlakyPass;
}

std::string Project::absolute_root() const {
  return root == "." ? workspace : JoinPath(workspace, root);
}

bool Project::Has(absl::string_view path_relative_to_root) const {
  const std::string path =
      root == "." ? std::string(path_relative_to_root) : JoinPath(root, path_relative_to_root);
  return std::binary_search(files.begin(), files.end(), path) ||
         FileExists(JoinPath(workspace, path));
}

absl::StatusOr<ValidationResult> Validator::CheckExamples(
    const ValidationRequest& request, const std::vector<DocExample>& examples) const {
  static_cast<void>(request);
  static_cast<void>(examples);
  ValidationResult result;
  result.verdict = Verdict::kNoValidator;
  return result;
}

ValidatorRegistry::ValidatorRegistry(std::vector<std::unique_ptr<Validator>> validators)
    : validators_(std::move(validators)) {}

const Validator* ValidatorRegistry::Find(absl::string_view id) const {
  for (const auto& validator : validators_) {
    if (validator->id() == id) return validator.get();
  }
  return nullptr;
}

const Validator* ValidatorRegistry::ForProject(const Project& project, Level level) const {
  const auto& ids = level == Level::kBuild ? project.language->build_validators
                                           : project.language->test_validators;
  for (const std::string& id : ids) {
    const Validator* validator = Find(id);
    if (validator != nullptr && validator->level() == level && validator->Applies(project)) {
      return validator;
    }
  }
  return nullptr;
}

}  // namespace stile
