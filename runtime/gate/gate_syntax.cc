// The part of the gate that checks syntax where a language has a grammar and no working validator.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/gate/gate.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

// The new errors of one changed file of a target; nullopt: its syntax cannot be checked.
std::optional<std::vector<Diagnostic>> Gate::NewSyntaxErrors(const FileRecord& now) const {
  if (now.kind != FileRecord::Kind::kRegular) return std::nullopt;
  const auto after =
      options_.file_system->ReadFile(JoinPath(options_.workspace, now.path), kMaxFileBytes);
  if (!after.ok()) return std::nullopt;
  std::string before;
  const FileRecord* const known = accepted_snapshot_.Find(now.path);
  if (known != nullptr && known->kind == FileRecord::Kind::kRegular) {
    absl::StatusOr<std::string> content = options_.baseline_content->Read(*known);
    if (!content.ok()) return std::nullopt;
    before = *std::move(content);
  }
  return options_.syntax->NewSyntaxErrors(now.path, before, *after);
}

// Turns a no_validator into what the syntax of the changed files says: fail, if one has new errors,
// or syntax_only, if all of them could be checked.
void Gate::ApplySyntaxRule(const Target& target, ValidationResult* result) {
  if (options_.syntax == nullptr || target.level != Level::kBuild) return;
  std::vector<Diagnostic> errors;
  size_t checked = 0;
  bool is_complete = true;
  for (const std::string& path : DirtyPaths(target)) {
    const FileRecord* const now = current_.Find(path);
    if (now == nullptr) continue;  // deleted
    auto of_file = NewSyntaxErrors(*now);
    if (!of_file.has_value()) {
      is_complete = false;
      continue;
    }
    ++checked;
    std::move(of_file->begin(), of_file->end(), std::back_inserter(errors));
  }
  if (errors.empty() && (!is_complete || checked == 0)) return;
  result->is_syntax_check = true;
  result->verdict = errors.empty() ? Verdict::kSyntaxOnly : Verdict::kFail;
  result->diagnostics = std::move(errors);
  absl::StrAppend(&result->message, result->message.empty() ? "" : "; ", "only the syntax of ",
                  Count(checked, "changed file"), " was checked");
}

}  // namespace stile
