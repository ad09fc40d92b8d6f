#include "validators/compiler/cold_retry.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"

namespace stile {
namespace {

constexpr size_t kMaxNoteBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<bool> ClaimState(const std::string& state_dir, const std::vector<Toolchain>& tools) {
  std::string note;
  for (const Toolchain& tool : tools) {
    absl::StrAppend(&note, tool.program, "\t", tool.version, "\n");
  }
  const std::string file = JoinPath(state_dir, "toolchain");
  const auto before = DiskFileSystem()->ReadFile(file, kMaxNoteBytes);
  if (before.ok() && *before == note) return false;
  STILE_RETURN_IF_ERROR(ClearState(state_dir));
  STILE_RETURN_IF_ERROR(DiskFileSystem()->WriteFile(file, note, 0644, false));
  return true;
}

absl::StatusOr<ValidationResult> WithColdRetry(
    const ValidationRequest& request, const std::vector<Toolchain>& tools,
    const std::function<absl::StatusOr<ValidationResult>(const ValidationRequest&)>& validate) {
  if (request.cold) STILE_RETURN_IF_ERROR(ClearState(request.state_dir));
  STILE_ASSIGN_OR_RETURN(const bool fresh, ClaimState(request.state_dir, tools));
  ValidationRequest first = request;
  first.cold = fresh;
  STILE_ASSIGN_OR_RETURN(ValidationResult result, validate(first));
  if (first.cold || result.verdict != Verdict::kInfraError) return result;

  STILE_RETURN_IF_ERROR(ClearState(request.state_dir));
  STILE_RETURN_IF_ERROR(ClaimState(request.state_dir, tools).status());
  ValidationRequest again = request;
  again.cold = true;
  again.timeout = request.timeout - result.duration;
  STILE_ASSIGN_OR_RETURN(ValidationResult second, validate(again));
  second.duration += result.duration;
  return second;
}

}  // namespace stile
