#include "agents/cli/workflow_test.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "agents/api/workflow_files.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "runtime/base/text.h"
#include "runtime/workflow/name_check.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct WorkflowTestFlags {
  AgentFlags agent;
  std::string file;
  std::string filter;
  std::string junit;
};

// What XML 1.0 may hold, with its own characters escaped.
std::string XmlText(absl::string_view text) {
  std::string escaped;
  for (const char c : ToUtf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    }
  }
  // These two are characters, but not of XML.
  absl::StrReplaceAll({{"\xEF\xBF\xBE", "?"}, {"\xEF\xBF\xBF", "?"}}, &escaped);
  return escaped;
}

// Its failures, each behind the name of its stage.
std::vector<std::string> FailuresOf(const WorkflowCaseResult& result) {
  std::vector<std::string> lines;
  for (const WorkflowCaseResult::Stage& stage : result.stages) {
    for (const std::string& failure : stage.failures) {
      lines.push_back(stage.name.empty() ? failure : absl::StrCat(stage.name, ": ", failure));
    }
  }
  return lines;
}

size_t CountSkipped(const std::vector<WorkflowCaseResult>& results) {
  return static_cast<size_t>(
      std::count_if(results.begin(), results.end(),
                    [](const WorkflowCaseResult& result) { return result.skipped; }));
}

size_t CountFailed(const std::vector<WorkflowCaseResult>& results) {
  return static_cast<size_t>(
      std::count_if(results.begin(), results.end(),
                    [](const WorkflowCaseResult& result) { return !result.passed(); }));
}

void ShowCase(const WorkflowCaseResult& result, const Terminal& terminal) {
  if (result.skipped) {
    Print(absl::StrCat("- ", OneLine(result.name), "  skipped\n"));
    return;
  }
  std::string text = absl::StrCat(
      Styled(terminal, result.passed() ? Style::kGreen : Style::kRed, result.passed() ? "✓" : "✗"),
      " ", OneLine(result.name), "  ",
      Styled(terminal, Style::kDim, FormatElapsed(result.duration)), "\n");
  for (const std::string& failure : FailuresOf(result)) {
    for (const absl::string_view line : SplitLines(failure)) {
      absl::StrAppend(&text, "    ", OneLine(line), "\n");
    }
  }
  Print(text);
}

int Test(const CliContext& context, const WorkflowTestFlags& flags) {
  auto options = MakeAgentOptions(context, flags.agent);
  if (!options.ok()) return ReportStatus(options.status());
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  const Terminal terminal = DescribeTerminal(1, context.environment);
  const bool show = !context.json && !context.quiet;
  const auto tested = ReadWorkflowTests(flags.file);
  if (!tested.ok()) return ReportStatus(tested.status());
  const std::vector<std::string> warnings =
      CheckNames(tested->workflow, tested->path, InputsOf(tested->tests));
  for (const std::string& warning : warnings) {
    if (show) Print(absl::StrCat(Styled(terminal, Style::kYellow, OneLine(warning)), "\n"));
  }
  const auto results =
      (*agent)->TestWorkflow(flags.file, flags.filter, [&](const WorkflowCaseResult& result) {
        if (show) ShowCase(result, terminal);
      });
  if (!results.ok()) return ReportStatus(results.status());
  const size_t failed = CountFailed(*results);
  if (!flags.junit.empty()) {
    const absl::Status written =
        WriteFileAtomically(DiskFileSystem(), flags.junit, JunitReport(flags.file, *results), 0644);
    if (!written.ok()) return ReportStatus(written);
  }
  if (context.json) {
    Json report = TestReport(flags.file, *results);
    report["workflow"] = ToUtf8(CleanPath(tested->path));
    report["warnings"] = warnings;
    PrintJson(report);
  } else {
    const size_t skipped = CountSkipped(*results);
    Print(absl::StrCat(results->size() - failed - skipped, " passed, ", failed, " failed",
                       skipped == 0 ? "" : absl::StrCat(", ", skipped, " skipped"), "\n"));
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

Json TestReport(const std::string& file, const std::vector<WorkflowCaseResult>& results) {
  Json list = Json::array();
  for (const WorkflowCaseResult& result : results) {
    Json stages = Json::array();
    for (const WorkflowCaseResult::Stage& stage : result.stages) {
      Json failures = Json::array();
      for (const std::string& failure : stage.failures) failures.push_back(ToUtf8(failure));
      stages.push_back(
          {{"name", stage.name}, {"runs", stage.runs}, {"failures", std::move(failures)}});
    }
    list.push_back({{"name", result.name},
                    {"passed", result.passed() && !result.skipped},
                    {"skipped", result.skipped},
                    {"duration_ms", absl::ToInt64Milliseconds(result.duration)},
                    {"stages", std::move(stages)}});
  }
  const size_t failed = CountFailed(results);
  return {{"file", ToUtf8(file)},
          {"passed", results.size() - failed - CountSkipped(results)},
          {"failures", failed},
          {"skipped", CountSkipped(results)},
          {"results", std::move(list)}};
}

std::string JunitReport(const std::string& file, const std::vector<WorkflowCaseResult>& results) {
  absl::Duration total;
  for (const WorkflowCaseResult& result : results) total += result.duration;
  const auto head = [](const char* element, absl::string_view name, absl::Duration time) {
    return absl::StrFormat("<%s name=\"%s\" time=\"%.3f\"", element, XmlText(name),
                           absl::ToDoubleSeconds(time));
  };
  std::string xml =
      absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", head("testsuite", file, total),
                   " tests=\"", results.size(), "\" failures=\"", CountFailed(results),
                   "\" skipped=\"", CountSkipped(results), "\">\n");
  for (const WorkflowCaseResult& result : results) {
    absl::StrAppend(&xml, "  ", head("testcase", result.name, result.duration), " classname=\"",
                    XmlText(file), "\"");
    if (result.skipped) {
      absl::StrAppend(&xml, ">\n    <skipped/>\n  </testcase>\n");
      continue;
    }
    const std::vector<std::string> failures = FailuresOf(result);
    if (failures.empty()) {
      absl::StrAppend(&xml, "/>\n");
      continue;
    }
    std::string all;
    for (const std::string& failure : failures) absl::StrAppend(&all, failure, "\n");
    absl::StrAppend(&xml, ">\n    <failure message=\"", XmlText(failures.front()), "\">",
                    XmlText(all), "</failure>\n  </testcase>\n");
  }
  absl::StrAppend(&xml, "</testsuite>\n");
  return xml;
}

void DeclareWorkflowTest(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<WorkflowTestFlags>();
  app->add_option("FILE", flags->file, "A workflow with `tests`, or a file of tests that names one")
      ->required();
  app->add_option("--filter", flags->filter, "Only cases with this in their names")
      ->type_name("TEXT");
  app->add_option("--junit", flags->junit, "Write a JUnit report, too")->type_name("FILE");
  DeclareAgentFlags(app, &flags->agent);
  app->footer(
      "tests:\n"
      "  cases:\n"
      "    - name: refines once\n"
      "      mocks: {write: done, \"verify[]\": [{failures: 1}, {failures: 0}]}\n"
      "      expect: {calls: {write: 2, verify: 2, refine: 1}}\n"
      "A mock is what the step gives; steps without one run. Every step that runs has to be "
      "counted\n"
      "in `calls`, unless `strict: false`. Further: no_calls, outputs, skipped, fail, flow.");
  OnCommand(app, [flags, context] { return Test(*context, *flags); });
}

}  // namespace stile
