#include "tools/code/refactor_operation.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/code_text.h"
#include "tools/index/es_modules.h"
#include "tools/resolve/named_place.h"

namespace stile {
namespace {

// A server that reads its project for the first time may need as long.
constexpr absl::Duration kPlaceTime = absl::Seconds(60);

std::vector<OperationPointer> AllOperations() {
  std::vector<OperationPointer> all;
  all.push_back(NewRename());
  all.push_back(NewExtractMethod());
  all.push_back(NewExtractVariable());
  all.push_back(NewExtractConstant());
  all.push_back(NewExtractParameter());
  all.push_back(NewExtractInterface());
  all.push_back(NewInlineVariable());
  all.push_back(NewInlineConstant());
  all.push_back(NewInlineFunction());
  all.push_back(NewPullUp());
  all.push_back(NewPushDown());
  all.push_back(NewMoveDeclaration("move_type"));
  all.push_back(NewMoveDeclaration("move_symbol"));
  all.push_back(NewMoveFile());
  all.push_back(NewSafeDelete());
  all.push_back(NewChangeSignature());
  all.push_back(NewApplyFix());
  all.push_back(NewOrganizeImports());
  return all;
}

}  // namespace

const std::vector<OperationPointer>& RefactorOperations() {
  static const auto* const kAll = new std::vector<OperationPointer>(AllOperations());
  return *kAll;
}

ToolResult SymbolOperation::Run(const Json& arguments, const RefactorHost& host) const {
  const auto query = QueryFromArguments(arguments, *host.context);
  if (!query.ok()) return ToolResult::FromStatus(query.status());
  auto resolution = ResolvePlace(*query, host.index, host.resolvers, kPlaceTime);
  if (absl::IsCancelled(resolution.status())) return ToolResult::Fatal(resolution.status());
  if (!resolution.ok()) return NothingResolved(resolution.status(), *query, *host.index);
  if (const std::string why = NotOnLine(*query, *resolution); !why.empty()) {
    return ToolResult::Error(absl::StrCat("Nothing was changed: ", why));
  }
  const Declaration& target = resolution->targets[0];
  if (target.symbol >= 0 && IsExportAlias(target) &&
      JsonString(arguments, "operation") != "rename") {
    return ToolResult::Error(absl::StrCat(
        "Nothing was changed: ", ToUtf8(target.name()), " at ", ToUtf8(target.file->path), ":",
        target.place().line, " is the name that an export gives. Edit the export itself."));
  }
  return RunOn(*std::move(resolution), arguments, host);
}

// An operation that a language does not have is no defect of ours.
ToolResult NoPlan(const absl::Status& status) {
  if (absl::IsUnimplemented(status)) return ToolResult::Error(std::string(status.message()));
  return ToolResult::FromStatus(status);
}

absl::StatusOr<std::string> FileOf(const Json& arguments, const ToolContext& context) {
  const auto path = JsonString(arguments, "filePath");
  if (!path.has_value() || path->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(*JsonString(arguments, "operation"), " needs filePath."));
  }
  STILE_ASSIGN_OR_RETURN(const WorkspacePath place, ResolveInWorkspace(context.workspace, *path));
  return place.relative;
}

}  // namespace stile
