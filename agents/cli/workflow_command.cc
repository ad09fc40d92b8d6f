#include "agents/cli/workflow_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "agents/api/workflow_session.h"
#include "agents/cli/output.h"
#include "agents/cli/workflow_run.h"
#include "agents/cli/workflow_test.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
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

int LintTests(const CliContext& context, const std::string& file) {
  const auto tested = ReadWorkflowTests(file);
  if (!tested.ok() && !context.json) return ReportStatus(tested.status());
  if (context.json) {
    Json report = {{"file", ToUtf8(file)}, {"ok", tested.ok()}};
    if (tested.ok()) {
      report["cases"] = tested->tests.cases.size();
    } else {
      report["error"] = ToUtf8(tested.status().message());
    }
    PrintJson(report);
    return tested.ok() ? 0 : 2;
  }
  Print(absl::StrCat(OneLine(file), ": ", Count(tested->tests.cases.size(), "case"), " for ",
                     OneLine(tested->path), "\n"));
  return 0;
}

int Lint(const CliContext& context, const std::string& file) {
  if (HoldsTestsAlone(file)) return LintTests(context, file);
  auto workflow = ReadWorkflow(file);
  if (workflow.ok() && workflow->has_tests) {
    if (const auto tested = ReadWorkflowTests(file); !tested.ok()) workflow = tested.status();
  }
  if (workflow.ok()) {
    for (std::string& warning : MissingParts(*workflow, file)) {
      workflow->warnings.push_back(std::move(warning));
    }
  }
  if (context.json) {
    Json report = {{"file", ToUtf8(file)}, {"ok", workflow.ok()}, {"warnings", Json::array()}};
    if (workflow.ok()) {
      for (const std::string& warning : workflow->warnings) {
        report["warnings"].push_back(ToUtf8(warning));
      }
      report["steps"] = workflow->steps.size();
    } else {
      report["error"] = ToUtf8(workflow.status().message());
    }
    PrintJson(report);
    return workflow.ok() ? 0 : 2;
  }
  if (!workflow.ok()) return ReportStatus(workflow.status());
  std::string text;
  for (const std::string& warning : workflow->warnings) {
    absl::StrAppend(&text, OneLine(warning), "\n");
  }
  const auto plan = WorkflowPlan::Make(*workflow);
  absl::StrAppend(&text, OneLine(file), ": ", Count(workflow->steps.size(), "step"));
  if (plan.ok()) absl::StrAppend(&text, " in ", Count(plan->layers().size(), "layer"));
  absl::StrAppend(&text, ", ", Count(workflow->warnings.size(), "warning"), "\n");
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
  CLI::App* const graph = app->add_subcommand("graph", "Draws a workflow as text");
  graph->add_option("FILE", *file, "A workflow (YAML)")->required();
  graph->add_option("--format", *format, "mermaid or dot")
      ->check(CLI::IsMember({"mermaid", "dot"}));
  OnCommand(graph, [file, format] { return Graph(*file, *format); });
}

}  // namespace stile
