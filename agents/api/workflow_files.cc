#include "agents/api/workflow_files.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/catalog.h"
#include "agents/api/file_servers.h"
#include "agents/api/workflow_text.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/story/story.h"
#include "runtime/workflow/name_check.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

CheckedWorkflow CheckFile(const std::string& file) {
  const auto text = ReadWorkflowText(file);
  if (text.ok()) return CheckWorkflow(*text, file, ReadWorkflowTextBeside);
  CheckedWorkflow checked;
  checked.errors.Add(text.status());
  return checked;
}

// What is wrong with a file that a step names, in one line.
std::string FirstError(const absl::Status& status) {
  const std::vector<YamlError> errors = ErrorsOfStatus(status);
  const size_t more = errors.size() - 1;
  return absl::StrCat(errors.front().Text(),
                      more == 0 ? "" : absl::StrCat("; and ", Count(more, "more error")));
}

void AddMissingParts(const Workflow& workflow, const std::string& file,
                     std::vector<std::string>* warnings) {
  for (const WorkflowStep& step : workflow.steps) {
    const char* const key = step.type == StepType::kAgent      ? "agent"
                            : step.type == StepType::kWorkflow ? "file"
                                                               : nullptr;
    const std::string name = key == nullptr ? "" : JsonString(step.settings, key).value_or("");
    if (name.empty() || absl::StrContains(name, "{{") || absl::StrContains(name, "{%")) continue;
    const absl::Status status = step.type == StepType::kAgent
                                    ? LoadProfile(name).status()
                                    : ReadWorkflow(WorkflowBeside(DirName(file), name)).status();
    if (status.ok()) continue;
    warnings->push_back(
        absl::StrCat(file, ":", step.line, ": ", step.name, ".", key, ": ", FirstError(status)));
  }
}

}  // namespace

absl::StatusOr<Workflow> ReadWorkflow(const std::string& file) {
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadWorkflowText(file));
  return ParseWorkflow(text, file, ReadWorkflowTextBeside);
}

absl::StatusOr<TestedWorkflow> ReadWorkflowTests(const std::string& file) {
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadWorkflowText(file));
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  std::string named;
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "workflow", &named));
  TestedWorkflow tested;
  tested.path = named.empty() ? file : WorkflowBeside(DirName(file), named);
  CheckedWorkflow checked = CheckFile(tested.path);
  YamlErrors errors(file);
  errors.Add(checked.errors.status());
  // Of a workflow that cannot be read as a whole, names are not known.
  auto tests = ParseWorkflowTests(text, file, checked.has_all ? &checked.workflow : nullptr);
  errors.Add(std::move(tests), &tested.tests);
  STILE_RETURN_IF_ERROR(errors.status());
  tested.workflow = std::move(checked.workflow);
  return tested;
}

std::set<std::string> InputsOf(const WorkflowTests& tests) {
  std::set<std::string> names;
  for (const WorkflowCase& test : tests.cases) {
    for (const WorkflowStage& stage : test.stages) {
      for (auto it = stage.inputs.begin(); it != stage.inputs.end(); ++it) names.insert(it.key());
    }
  }
  return names;
}

LintedWorkflow LintWorkflow(const std::string& file) {
  CheckedWorkflow checked = CheckFile(file);
  LintedWorkflow linted;
  // An error of the syntax is among them already.
  if (const auto text = ReadWorkflowText(file); text.ok() && ReadStoryHead(*text, file).ok()) {
    checked.errors.Add(ServersIn(*text, file).status());
  }
  linted.status = checked.errors.status();
  std::set<std::string> inputs;
  if (checked.workflow.has_tests) {
    const auto tested = ReadWorkflowTests(file);
    linted.status = tested.status();
    if (tested.ok()) inputs = InputsOf(tested->tests);
  }
  linted.warnings = std::move(checked.workflow.warnings);
  // The names that an unreadable file defines are unknown.
  if (checked.has_all) {
    for (std::string& warning : CheckNames(checked.workflow, file, inputs)) {
      linted.warnings.push_back(std::move(warning));
    }
  }
  AddMissingParts(checked.workflow, file, &linted.warnings);
  linted.workflow = std::move(checked.workflow);
  return linted;
}

}  // namespace stile
