#include "agents/cli/workflow_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "agents/api/workflow_files.h"
#include "agents/api/workflow_outcome.h"
#include "agents/cli/output.h"
#include "agents/cli/workflow_author.h"
#include "agents/cli/workflow_run.h"
#include "agents/cli/workflow_test.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/base/yaml_errors.h"
#include "runtime/workflow/graph.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/workflow.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{2} << 20;

// A file of tests, which names its workflow.
bool HoldsTestsAlone(const std::string& file) {
  const auto text = DiskFileSystem()->ReadFile(file, kMaxBytes);
  if (!text.ok()) return false;
  const auto yaml = ParseYaml(*text, file);
  return yaml.ok() && yaml->Find("workflow") != nullptr;
}

// The errors of the status, on standard error or in the report. The exit code.
int ReportErrors(const CliContext& context, const absl::Status& status, Json report) {
  if (!context.json) return ReportStatus(status);
  report["error"] = ToUtf8(status.message());
  report["errors"] = Json::array();
  for (const YamlError& error : ErrorsOfStatus(status)) {
    report["errors"].push_back(ToUtf8(error.Text()));
  }
  PrintJson(report);
  return 2;
}

int LintTests(const CliContext& context, const std::string& file) {
  const auto tested = ReadWorkflowTests(file);
  Json report = {{"file", ToUtf8(file)}, {"ok", tested.ok()}};
  if (!tested.ok()) return ReportErrors(context, tested.status(), std::move(report));
  if (context.json) {
    report["cases"] = tested->tests.cases.size();
    PrintJson(report);
    return 0;
  }
  Print(absl::StrCat(OneLine(file), ": ", Count(tested->tests.cases.size(), "case"), " for ",
                     OneLine(tested->path), "\n"));
  return 0;
}

int Lint(const CliContext& context, const std::string& file) {
  if (HoldsTestsAlone(file)) return LintTests(context, file);
  const LintedWorkflow linted = LintWorkflow(file);
  const bool ok = linted.status.ok();
  const size_t steps = linted.workflow.steps.size();
  Json report = {{"file", ToUtf8(file)}, {"ok", ok}, {"warnings", Json::array()}};
  std::string text;
  for (const std::string& warning : linted.warnings) {
    report["warnings"].push_back(ToUtf8(warning));
    absl::StrAppend(&text, OneLine(warning), "\n");
  }
  if (!ok) {
    if (!context.json) Print(text);
    return ReportErrors(context, linted.status, std::move(report));
  }
  if (context.json) {
    report["steps"] = steps;
    PrintJson(report);
    return 0;
  }
  const auto plan = WorkflowPlan::Make(linted.workflow);
  absl::StrAppend(&text, OneLine(file), ": ", Count(steps, "step"));
  if (plan.ok()) absl::StrAppend(&text, " in ", Count(plan->layers().size(), "layer"));
  absl::StrAppend(&text, ", ", Count(linted.warnings.size(), "warning"), "\n");
  Print(text);
  return 0;
}

int Graph(const std::string& file, const std::string& format) {
  const auto workflow = ReadWorkflow(file);
  if (!workflow.ok()) return ReportStatus(workflow.status());
  Print(format == "dot" ? DotGraph(*workflow) : MermaidGraph(*workflow));
  return 0;
}

}  // namespace

void DeclareWorkflow(CLI::App* app, CliContext* context) {
  app->require_subcommand(1);
  auto file = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("mermaid");
  DeclareWorkflowRun(app->add_subcommand("run", "Runs a workflow"), context);
  DeclareWorkflowTest(app->add_subcommand("test", "Runs the tests of a workflow"), context);
  CLI::App* const lint =
      app->add_subcommand("lint", "Checks a workflow and its tests without running them");
  lint->add_option("FILE", *file, "A workflow (YAML)")->required();
  OnCommand(lint, [context, file] { return Lint(*context, *file); });
  DeclareWorkflowAuthor(
      app->add_subcommand("author", "Lets an agent write a workflow and its tests"), context);
  CLI::App* const graph = app->add_subcommand("graph", "Draws a workflow as text");
  graph->add_option("FILE", *file, "A workflow (YAML)")->required();
  graph->add_option("--format", *format, "mermaid or dot")
      ->check(CLI::IsMember({"mermaid", "dot"}));
  OnCommand(graph, [file, format] { return Graph(*file, *format); });
}

}  // namespace stile
