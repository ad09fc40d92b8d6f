#include "tools/fix/compiler_fix.h"

#include <algorithm>
#include <optional>

#include "absl/strings/string_view.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxFixedBytes = size_t{16} << 20;

std::optional<uint32_t> OffsetOf(absl::string_view text, int line, int column) {
  size_t at = 0;
  for (int i = 1; i < line; ++i) {
    const size_t newline = text.find('\n', at);
    if (newline == absl::string_view::npos) return std::nullopt;
    at = newline + 1;
  }
  at += static_cast<size_t>(std::max(column - 1, 0));
  if (line < 1 || at > text.size()) return std::nullopt;
  return static_cast<uint32_t>(at);
}

}  // namespace

absl::StatusOr<EditPlan> PlanFix(const Diagnostic& error, FileSystem* fs,
                                 const std::string& workspace) {
  EditPlan plan;
  for (const SuggestedFix& fix : error.fixes) {
    STILE_ASSIGN_OR_RETURN(const WorkspacePath path, ResolveInWorkspace(workspace, fix.file));
    STILE_ASSIGN_OR_RETURN(const std::string text, fs->ReadFile(path.absolute, kMaxFixedBytes));
    const auto begin = OffsetOf(text, fix.start_line, fix.start_column);
    const auto end = OffsetOf(text, fix.end_line, fix.end_column);
    if (!begin.has_value() || !end.has_value() || *end < *begin) {
      return absl::FailedPreconditionError("the compiler's fix does not fit the file");
    }
    plan.EditText(path.relative, text, {*begin, *end, fix.replacement});
  }
  return plan;
}

}  // namespace stile
