#include "runtime/gate/gate_syntax.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

// The new errors of one changed file of a target; nullopt: its syntax cannot be checked.
static std::optional<std::vector<Diagnostic>> NewSyntaxErrors(const GateState& gate,
                                                              const FileRecord& now) {
  if (now.kind != FileRecord::Kind::kRegular) return std::nullopt;
  const auto after =
      gate.options.file_system->ReadFile(JoinPath(gate.options.workspace, now.path), kMaxFileBytes);
  if (!after.ok()) return std::nullopt;
  std::string before;
  const FileRecord* const known = gate.accepted_snapshot.Find(now.path);
  if (known != nullptr && known->kind == FileRecord::Kind::kRegular) {
    absl::StatusOr<std::string> content = gate.options.baseline_content->Read(*known);
    if (!content.ok()) return std::nullopt;
    before = *std::move(content);
  }
  return gate.options.syntax->NewSyntaxErrors(now.path, before, *after);
}

void ApplySyntaxRule(GateState* gate, const Target& target, ValidationResult* result) {
  if (gate->options.syntax == nullptr || target.level != Level::kBuild) return;
  std::vector<Diagnostic> errors;
  size_t checked = 0;
  bool is_complete = true;
  for (const std::string& path : DirtyPaths(*gate, target)) {
    const FileRecord* const now = gate->current.Find(path);
    if (now == nullptr) continue;  // deleted
    auto of_file = NewSyntaxErrors(*gate, *now);
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
