// How the result of a run is shown to a peer.
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/api/provider_secrets.h"
#include "agents/mcp/mcp_tool.h"
#include "runtime/agent_loop/run_state.h"
#include "runtime/base/text.h"
#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"
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
      return absl::StrCat("turn ", ReadRecord<TurnStartedEvent>(event).turn);
    case EventType::kToolStarted:
      return ReadRecord<ToolStartedEvent>(event).tool;
    case EventType::kValidationStarted:
      return "validating";
    case EventType::kValidationFinished:
      return absl::StrCat("validation: ", ReadRecord<ValidationFinishedEvent>(event).verdict);
    case EventType::kGateRejected:
      return absl::StrCat("gate refused: ", ReadRecord<GateRejectedEvent>(event).reason);
    case EventType::kStepStarted: {
      const auto started = ReadRecord<StepStartedEvent>(event);
      return absl::StrCat("step ", started.step, ": ", started.name);
    }
    case EventType::kWorkflowStepStarted:
      return absl::StrCat("step ", ReadRecord<WorkflowStepStartedEvent>(event).step);
    case EventType::kRoundStart: {
      const auto round = ReadRecord<RoundStartEvent>(event);
      return absl::StrCat("round ", round.round, ", ", round.role, ", session ", event.run_id);
    }
    case EventType::kIssueRaised: {
      const auto raised = ReadRecord<IssueRaisedEvent>(event);
      return absl::StrCat("raised ", raised.issue_id, ": ", raised.summary);
    }
    case EventType::kIssueResolved:
      return absl::StrCat("resolved ", ReadRecord<IssueResolvedEvent>(event).issue_id);
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
