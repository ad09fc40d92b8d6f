#include "tools/code/refactor_host.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

// Files that somebody else wrote meanwhile keep what they have: part of it may be ours.
ToolResult TakenBack(const absl::Status& status, const std::vector<std::string>& foreign) {
  if (foreign.empty()) {
    return ToolResult::Error(
        absl::StrCat(absl::StripSuffix(status.message(), "."), ". Nothing was changed."));
  }
  std::vector<std::string> shown;
  for (const std::string& path : foreign) shown.push_back(DisplayPath(path));
  return ToolResult::Error(absl::StrCat(
      status.message(), ". Everything was put back but ", absl::StrJoin(shown, ", "),
      ", which somebody else changed at the same time: parts of the attempt are in there still, "
      "look at the diff."));
}

}  // namespace

TentativeEdits RefactorHost::NewEdits() const {
  return TentativeEdits(context->file_system, context->workspace, context->journal_dir);
}

TrialContext RefactorHost::OracleFor(TentativeEdits* edits) const {
  return {service, edits, &index->languages(), context->workspace, context->may_change};
}

ProbeEdits RefactorHost::Probe() const {
  return [host = *this](const EditPlan& plan) -> absl::StatusOr<ProbeReport> {
    TentativeEdits edits = host.NewEdits();
    STILE_RETURN_IF_ERROR(TryPlan(plan, host.OracleFor(&edits)));
    auto report = host.service->Probe(plan.NewPaths());
    STILE_RETURN_IF_ERROR(edits.TakeBack().status());
    return report;
  };
}

bool IsPreview(const Json& arguments) { return JsonBool(arguments, "preview").value_or(false); }

std::optional<ToolResult> Settle(const absl::Status& status, bool applied, TentativeEdits* edits) {
  if (!status.ok() && !absl::IsAborted(status) && !absl::IsPermissionDenied(status)) {
    return ToolResult::Fatal(status);
  }
  if (status.ok() && applied) {
    const absl::Status kept = edits->Keep();
    if (!kept.ok()) return ToolResult::Fatal(kept);
    return std::nullopt;
  }
  const auto foreign = edits->TakeBack();
  if (!foreign.ok()) return ToolResult::Fatal(foreign.status());
  if (!status.ok()) return TakenBack(status, *foreign);
  return std::nullopt;
}

}  // namespace stile
