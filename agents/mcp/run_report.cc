// How the result of a run is shown to a peer.
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/api/provider_secrets.h"
#include "agents/mcp/mcp_tool.h"
#include "runtime/agent_loop/run_state.h"
#include "runtime/base/text.h"
#include "runtime/tool/tool_registry.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 20;

std::string FileList(const std::vector<std::string>& changed) {
  std::string text;
  for (size_t i = 0; i < changed.size() && i < kMaxListed; ++i) {
    absl::StrAppend(&text, "\n  ", ToUtf8(changed[i]));
  }
  if (changed.size() > kMaxListed) {
    absl::StrAppend(&text, "\n  … and ", changed.size() - kMaxListed, " more");
  }
  return text;
}

std::string TextOf(const RunResult& result, const std::string& run_id) {
  std::string text = absl::StrCat(RunStateName(result.outcome));
  if (result.reason != StopReason::kNone) {
    absl::StrAppend(&text, " (", StopReasonName(result.reason), ")");
  }
  if (!run_id.empty()) absl::StrAppend(&text, ", run ", run_id);
  if (!result.message.empty()) absl::StrAppend(&text, "\n", ToUtf8(result.message));
  if (!result.answer.empty() && result.answer != result.message)
    absl::StrAppend(&text, "\n", ToUtf8(result.answer));
  absl::StrAppend(&text, "\nChanged files: ", result.changed.size(), FileList(result.changed));
  if (!result.changed.empty() && !run_id.empty()) {
    absl::StrAppend(&text, "\nTheir contents: stile://runs/", run_id, "/files");
  }
  if (result.certificate.has_value()) {
    absl::StrAppend(&text, "\nCertificate: ", ToUtf8(result.certificate->path));
  }
  if (result.stays_open) {
    absl::StrAppend(&text,
                    "\nThe session stays open: mend what is named here, then call gate_finish "
                    "again.");
  }
  return text;
}

Json DataOf(const RunResult& result, const std::string& run_id) {
  Json data = ToJson(result);
  data["runId"] = run_id;
  data["accepted"] = result.ok();
  return data;
}

}  // namespace

absl::Status CheckArguments(const McpTool& tool, const Json& arguments) {
  return CheckSchema(tool.input, arguments);
}

ToolResult ReportRun(const McpWorkspaces& workspaces, const RunResult& result,
                     const std::string& run_id) {
  const SecretMasker secrets = ProviderSecrets(workspaces.options().environment);
  RunResult shown = result;
  shown.message = secrets.Mask(result.message);
  shown.answer = secrets.Mask(result.answer);
  ToolResult report = ToolResult::Success(TextOf(shown, run_id), DataOf(shown, run_id));
  report.ok = result.ok();
  return report;
}

std::string ProgressText(const Event& event) {
  switch (event.type) {
    case EventType::kTurnStarted:
      return absl::StrCat("turn ", JsonInt(event.data, "turn").value_or(0));
    case EventType::kToolStarted:
      return JsonString(event.data, "tool").value_or("");
    case EventType::kValidationStarted:
      return "validating";
    case EventType::kValidationFinished:
      return absl::StrCat("validation: ", JsonString(event.data, "verdict").value_or(""));
    case EventType::kGateRejected:
      return absl::StrCat("gate refused: ", JsonString(event.data, "reason").value_or(""));
    case EventType::kStepStarted:
      return absl::StrCat("step ", JsonInt(event.data, "step").value_or(0), ": ",
                          JsonString(event.data, "name").value_or(""));
    case EventType::kWorkflowStepStarted:
      return absl::StrCat("step ", JsonString(event.data, "step").value_or(""));
    case EventType::kRoundStart:
      return absl::StrCat("round ", JsonInt(event.data, "round").value_or(0), ", ",
                          JsonString(event.data, "role").value_or(""), ", session ", event.run_id);
    case EventType::kIssueRaised:
      return absl::StrCat("raised ", JsonString(event.data, "issueId").value_or(""), ": ",
                          JsonString(event.data, "summary").value_or(""));
    case EventType::kIssueResolved:
      return absl::StrCat("resolved ", JsonString(event.data, "issueId").value_or(""));
    default:
      return "";
  }
}

Json RunSchema() {
  return {{"type", "object"},
          {"properties",
           {{"runId", {{"type", "string"}}},
            {"accepted",
             {{"type", "boolean"}, {"description", "Whether the gate accepted what changed"}}},
            {"outcome", {{"type", "string"}}},
            {"reason", {{"type", "string"}}},
            {"exit_code", {{"type", "integer"}}},
            {"changed", {{"type", "array"}, {"items", {{"type", "string"}}}}},
            {"certificate", {{"type", {"object", "null"}}}}}},
          {"required", {"runId", "accepted", "outcome", "exit_code", "changed"}}};
}

}  // namespace stile
