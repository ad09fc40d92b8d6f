// Operations on one file: move_file, apply_fix, organize_imports.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/carry_plan.h"
#include "tools/code/code_text.h"
#include "tools/code/fix_operation.h"
#include "tools/code/move_file_operation.h"
#include "tools/code/refactor_operation.h"
#include "tools/code/refactor_text.h"

namespace stile {
namespace {

class MoveFile : public RefactorOperation {
 public:
  MoveFile() : RefactorOperation("move_file") {}

  ToolResult Run(const Json& arguments, const RefactorHost& host) const override {
    const auto path = FileOf(arguments, *host.context);
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const auto to = JsonString(arguments, "newName");
    if (!to.has_value() || to->empty()) {
      return ToolResult::Error("move_file needs newName: the new path.");
    }
    const std::string given = *JsonString(arguments, "filePath");
    const std::string absolute =
        absl::StartsWith(given, "/") ? given : JoinPath(host.context->workspace, given);
    if (ReadLink(CleanPath(absolute)).ok()) {
      return ToolResult::Error(absl::StrCat("Nothing was changed: ", DisplayPath(given),
                                            " is a symbolic link to ", DisplayPath(*path), "."));
    }
    return RunMoveFile(*path, *to, arguments, host);
  }
};

// A change that mends something in one file.
class MendFile : public RefactorOperation {
 public:
  using RefactorOperation::RefactorOperation;

  ToolResult Run(const Json& arguments, const RefactorHost& host) const final {
    const auto path = FileOf(arguments, *host.context);
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const auto planned = Plan(*path, arguments, host);
    if (absl::IsFailedPrecondition(planned.status())) {
      return ToolResult::Error(std::string(planned.status().message()));
    }
    if (absl::IsCancelled(planned.status()) || absl::IsInternal(planned.status())) {
      return ToolResult::Fatal(planned.status());
    }
    if (!planned.ok()) return ToolResult::FromStatus(planned.status());
    std::string kept;
    if (!planned->kept.empty()) {
      kept = absl::StrCat("Unused names that stay:\n", absl::StrJoin(planned->kept, "\n"), "\n");
    }
    if (planned->plan.empty()) {
      return ToolResult::Success(absl::StrCat("Nothing to do: the imports of ", DisplayPath(*path),
                                              " are in order, says ", planned->by, ".\n", kept),
                                 ResultJson(false, planned->plan, {}));
    }
    const std::string what = absl::StrCat("a change of ", planned->by, " (", planned->title, ")");
    CarriedPlan carried{planned->plan, absl::StrCat("Applied ", what),
                        absl::StrCat("Would apply ", what)};
    carried.revealed = planned->revealed;
    carried.judged_by = planned->judged_by;
    ToolResult result = CarryPlan(std::move(carried), arguments, host);
    if (!result.ok) return result;
    absl::StrAppend(&result.text, kept);
    if (!planned->kept.empty()) result.data["kept"] = planned->kept;
    if (!planned->revealed.empty()) {
      absl::StrAppend(&result.text, "Errors that the compiler did not come to before:\n");
      AppendErrors(planned->revealed, &result.text);
    }
    return result;
  }

 protected:
  virtual absl::StatusOr<PlannedFix> Plan(const std::string& path, const Json& arguments,
                                          const RefactorHost& host) const = 0;
};

class ApplyFix : public MendFile {
 public:
  ApplyFix() : MendFile("apply_fix") {}

 protected:
  absl::StatusOr<PlannedFix> Plan(const std::string& path, const Json& arguments,
                                  const RefactorHost& host) const override {
    return PlanErrorFix(path, static_cast<int>(JsonInt(arguments, "line").value_or(0)),
                        JsonString(arguments, "fix").value_or(""), host);
  }
};

class OrganizeImports : public MendFile {
 public:
  OrganizeImports() : MendFile("organize_imports") {}

 protected:
  absl::StatusOr<PlannedFix> Plan(const std::string& path, const Json&,
                                  const RefactorHost& host) const override {
    return PlanOrganizeImports(path, host);
  }
};

}  // namespace

OperationPointer NewMoveFile() { return std::make_unique<MoveFile>(); }
OperationPointer NewApplyFix() { return std::make_unique<ApplyFix>(); }
OperationPointer NewOrganizeImports() { return std::make_unique<OrganizeImports>(); }

}  // namespace stile
