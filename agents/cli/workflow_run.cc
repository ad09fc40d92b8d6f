#include "agents/cli/workflow_run.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "agents/api/workflow_files.h"
#include "agents/cli/run_console.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 40;

int RunWorkflowFile(const CliContext& context, const WorkflowRunFlags& flags) {
  WorkflowRequest request;
  request.event = flags.event;
  auto inputs = ParseInputs(flags.inputs);
  if (!inputs.ok()) return ReportStatus(inputs.status());
  request.inputs = *std::move(inputs);
  return RunAndShow(context, flags.agent, flags.file, request, flags.report_file);
}

// Before anything runs: whether the report can be written there, over nothing but a file.
absl::Status CheckReportFile(const std::string& file) {
  if (file.empty()) return absl::OkStatus();
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("--report ", ToUtf8(file), ": ", what));
  };
  if (file[0] == '-') return wrong("give the name of a file");
  if (!DirectoryExists(DirName(file))) return wrong("there is no such folder");
  struct stat info {};
  if (lstat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return wrong("is there already, and is no file");
  }
  return absl::OkStatus();
}

}  // namespace

ShownWorkflow RunAndShow(const CliContext& context, const AgentFlags& flags,
                         const std::string& file, const WorkflowRequest& request) {
  auto options = MakeAgentOptions(context, flags);
  if (!options.ok()) return {ReportRefusal(context, options.status()), std::nullopt};
  options->alone = !flags.alongside;
  RunConsole console(context, context.json, &*options);
  if (const absl::Status used = UseAnswers(flags, &*options); !used.ok()) {
    return {console.Finish(used), {}};
  }
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return {console.Finish(agent.status()), std::nullopt};
  auto result = (*agent)->RunWorkflow(file, request);
  const int code = console.Finish(result);
  if (!result.ok()) return {code, std::nullopt};
  return {code, *std::move(result)};
}

int RunAndShow(const CliContext& context, const AgentFlags& flags, const std::string& file,
               const WorkflowRequest& request, const std::string& report_file) {
  if (const absl::Status status = CheckReportFile(report_file); !status.ok()) {
    return ReportStatus(status);
  }
  const auto [code, outcome] = RunAndShow(context, flags, file, request);
  if (!outcome.has_value() || report_file.empty()) return code;
  const Json& report = outcome->workflow.report;
  if (report.is_null()) {
    ReportStatus(absl::NotFoundError("--report: the run ended without a report"));
    return code;
  }
  const absl::Status written =
      WriteFileAtomically(DiskFileSystem(), report_file, absl::StrCat(DumpJson(report, 2), "\n"));
  return written.ok() ? code : ReportStatus(WithContext(written, "--report"));
}

void DeclareReportFlag(CLI::App* app, std::string* report_file) {
  app->add_option("--report", *report_file, "Writes the report there too (JSON)")
      ->type_name("FILE");
}

int PrintReportSchema(const std::string& file) {
  const auto workflow = ReadWorkflow(file);
  if (!workflow.ok()) return ReportStatus(workflow.status());
  Print(absl::StrCat(DumpJson(workflow->report ? workflow->report->schema : Json(), 2), "\n"));
  return 0;
}

absl::StatusOr<Json> ParseInputs(const std::vector<std::string>& inputs) {
  Json object = Json::object();
  for (const std::string& input : inputs) {
    const size_t equals = input.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("--input ", ToUtf8(input), ": give NAME=VALUE"));
    }
    const std::string value = input.substr(equals + 1);
    auto parsed = ParseJson(value);
    object[ToUtf8(input.substr(0, equals))] =
        parsed.ok() && !parsed->is_string() ? *std::move(parsed) : Json(ToUtf8(value));
  }
  return object;
}

std::string FormatSteps(const WorkflowResult& result, const Terminal& terminal) {
  std::string text = "\nSteps:\n";
  size_t listed = 0;
  for (const WorkflowResult::Step& step : result.steps) {
    if (listed++ == kMaxListed) {
      absl::StrAppend(&text, "  … and ", result.steps.size() - kMaxListed, " more\n");
      break;
    }
    const auto runs = result.runs.find(step.name);
    const std::string times =
        runs == result.runs.end()
            ? ""
            : absl::StrCat(", ", Count(static_cast<size_t>(runs->second), "run"));
    switch (step.verdict) {
      case StepVerdict::kPassed:
        absl::StrAppend(&text, Styled(terminal, Style::kGreen, "  ✓ "));
        break;
      case StepVerdict::kFailed:
        absl::StrAppend(&text, Styled(terminal, Style::kRed, "  ✗ "));
        break;
      case StepVerdict::kSkipped:
      case StepVerdict::kNotRun:
        absl::StrAppend(&text, "  - ");
        break;
    }
    absl::StrAppend(
        &text, OneLine(step.name), ": ",
        step.verdict == StepVerdict::kNotRun ? "not run" : StepVerdictName(step.verdict),
        step.reason.empty() ? "" : absl::StrCat(" (", OneLine(step.reason), ")"), times, "\n");
  }
  return text;
}

void DeclareWorkflowRun(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<WorkflowRunFlags>();
  app->add_option("FILE", flags->file, "A workflow (YAML)")->required();
  app->add_option("--input", flags->inputs, "A value for `inputs`; may be given often")
      ->type_name("NAME=VALUE")
      ->take_all();
  app->add_option("--event", flags->event, "Runs the steps whose `on` lists NAME (manual)")
      ->type_name("NAME");
  DeclareAnswersFlag(app, &flags->agent);
  DeclareReportFlag(app, &flags->report_file);
  DeclareAgentFlags(app, &flags->agent);
  DeclareAlongsideFlag(app, &flags->agent);
  app->footer(
      "Commands run in the workspace, in its sandbox; agents are gated runs. A run that was "
      "killed\n"
      "goes on with `stile runs resume ID`.");
  OnCommand(app, [flags, context] { return RunWorkflowFile(*context, *flags); });
}

}  // namespace stile
