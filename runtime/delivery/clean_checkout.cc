#include "runtime/delivery/clean_checkout.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/validation/diagnostic.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// A working tree that goes with this object.
class ScratchCheckout {
 public:
  ScratchCheckout(const Repository& repository, std::string folder)
      : repository_(repository), folder_(std::move(folder)) {}
  ~ScratchCheckout() { repository_.RemoveWorktree(folder_).IgnoreError(); }
  ScratchCheckout(const ScratchCheckout&) = delete;
  ScratchCheckout& operator=(const ScratchCheckout&) = delete;

 private:
  const Repository& repository_;
  const std::string folder_;
};

// What is wrong most, as a person would tell it.
std::string WorstFailure(const ValidationReport& report) {
  for (const TargetReport& target : report.targets) {
    const ValidationResult& result = target.result;
    if (report.verdict == Verdict::kPass || result.verdict != report.verdict) continue;
    std::string what = result.message;
    for (const Diagnostic& diagnostic : result.diagnostics) {
      if (diagnostic.severity != Severity::kError) continue;
      what = FormatDiagnostic(diagnostic);
      break;
    }
    return absl::StrCat(target.validator.empty() ? target.language : target.validator, " in ",
                        target.root == "." ? "the workspace" : ToUtf8(target.root), ": ",
                        VerdictName(result.verdict), what.empty() ? "" : ", ", ToUtf8(what));
  }
  return report.remaining[0];
}

}  // namespace

absl::StatusOr<std::string> ValidateCleanCheckout(const Repository& repository,
                                                  const std::string& prefix,
                                                  const std::string& tree,
                                                  const std::string& scratch_dir,
                                                  CheckoutValidator* validator) {
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(scratch_dir));
  STILE_ASSIGN_OR_RETURN(const std::string rooms, RealPath(scratch_dir));
  const ScratchFolder scratch(rooms);  // sweeps the rooms of killed processes
  STILE_RETURN_IF_ERROR(repository.ForgetWorktrees(rooms));
  const std::string folder = scratch.Sub("checkout");
  const ScratchCheckout checkout(repository, folder);
  STILE_RETURN_IF_ERROR(repository.AddDetachedWorktree(folder, "HEAD"));
  // By git itself, as everybody will get it who checks the commit out.
  STILE_RETURN_IF_ERROR(
      repository.Run({"-C", folder, "read-tree", "--reset", "-u", tree}).status());
  STILE_ASSIGN_OR_RETURN(const ValidationReport report,
                         validator->ValidateTree({CleanPath(JoinPath(folder, prefix)),
                                                  CleanPath(JoinPath(repository.root(), prefix)),
                                                  scratch.Sub("state")}));
  return report.remaining.empty() ? "" : WorstFailure(report);
}

}  // namespace stile
