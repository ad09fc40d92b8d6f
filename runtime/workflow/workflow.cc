#include "runtime/workflow/workflow.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/script/expression.h"
#include "runtime/template/template.h"
#include "runtime/tool/json_schema.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/visor_dialect.h"
#include "runtime/workflow/workflow_reader.h"

namespace stile {
namespace {

void ReadReport(const Yaml& yaml, YamlErrors* errors, std::optional<WorkflowReport>* out) {
  const Yaml* const value = yaml.Find("report");
  if (value == nullptr) return;
  errors->Add(CheckKeys(*value, {"content", "schema"}));
  WorkflowReport report;
  report.line = value->line;
  if (errors->Add(ReadScript(*value, "content", &report.content)) && report.content.empty()) {
    errors->Add(value->Error("wants `content`, a script"));
  }
  ReadSchema(*value, errors, &report.schema);
  *out = std::move(report);
}

// What names other steps, with the place of the name.
class References {
 public:
  explicit References(const Workflow& workflow) {
    for (const WorkflowStep& step : workflow.steps) names_.push_back(step.name);
    known_.insert(names_.begin(), names_.end());
  }

  // Dependencies that Check refuses.
  void DropUnknown(WorkflowStep* step) const {
    const auto drop = [](auto* list, const auto& is_wrong) {
      list->erase(std::remove_if(list->begin(), list->end(), is_wrong), list->end());
    };
    for (std::vector<std::string>& any_of : step->depends_on) {
      drop(&any_of,
           [&](const std::string& name) { return known_.count(name) == 0 || name == step->name; });
    }
    drop(&step->depends_on, [](const std::vector<std::string>& any_of) { return any_of.empty(); });
  }

  // `yaml` is what the step was read from.
  void Check(const WorkflowStep& step, const Yaml& yaml, YamlErrors* errors) const {
    for (const std::vector<std::string>& any_of : step.depends_on) {
      for (const std::string& name : any_of) {
        errors->Add(Exists(name, *yaml.Find("depends_on"), 0));
        if (name == step.name) {
          errors->Add(
              yaml.Find("depends_on")->Error(absl::StrCat(step.name, " depends on itself")));
        }
      }
    }
    for (const auto& [key, routing] :
         {std::pair<const char*, const Routing*>("on_success", &step.on_success),
          {"on_fail", &step.on_fail},
          {"on_finish", &step.on_finish}}) {
      const Yaml* const place = yaml.Find(key);
      if (place == nullptr) continue;
      for (const Routing::Run& run : routing->run) {
        errors->Add(Exists(run.step, *place, run.line));
      }
      for (const Routing::Transition& transition : routing->transitions) {
        if (transition.to.has_value()) {
          errors->Add(Exists(*transition.to, *place, transition.line));
        }
      }
      if (routing->go.has_value()) {
        errors->Add(Exists(routing->go->to, *place, routing->go->line));
      }
    }
    if (step.type == StepType::kGate && step.settings.contains("from")) {
      errors->Add(Exists(TextOf(step.settings["from"]), *yaml.Find("from"), 0));
    }
  }

 private:
  static std::string TextOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : DumpJson(value);
  }

  absl::Status Exists(const std::string& name, const Yaml& place, int line) const {
    if (known_.count(name) > 0) return absl::OkStatus();
    const std::string nearest = Nearest(name, names_);
    Yaml at = place;
    if (line > 0) at.line = line;
    return at.Error(absl::StrCat("there is no step '", ToUtf8(name), "'",
                                 nearest.empty() ? "" : ", did you mean '", nearest,
                                 nearest.empty() ? "" : "'?"));
  }

  std::vector<std::string> names_;
  std::set<std::string> known_;
};

// A jump to an ancestor alone leaves what lies between as it was.
template <typename Warn>
void WarnOfStale(const Goto& go, const WorkflowStep& step, const WorkflowPlan& plan,
                 const Workflow& workflow, const Warn& warn) {
  const int target = workflow.Find(go.to);
  const int from = workflow.Find(step.name);
  if (go.then_forward || workflow.goes_forward || !plan.IsAncestor(target, from)) return;
  std::vector<std::string> between;
  for (const int other : plan.Between(target, from)) {
    if (other == target || other == from) continue;
    between.push_back(workflow.steps[static_cast<size_t>(other)].name);
  }
  if (between.empty()) return;
  warn(step, absl::StrCat("goes back to ", go.to, " alone: ", absl::StrJoin(between, ", "),
                          between.size() == 1 ? " keeps its output" : " keep their outputs",
                          " of before; `goto: {to: ", go.to, ", then: forward}` runs ",
                          between.size() == 1 ? "it" : "them", " again"));
}

void AddWarnings(const std::string& file, const WorkflowPlan& plan, Workflow* workflow) {
  std::set<std::string> led_to;
  for (const WorkflowStep& step : workflow->steps) {
    for (const Routing* routing : {&step.on_success, &step.on_fail, &step.on_finish}) {
      for (const Routing::Run& run : routing->run) led_to.insert(run.step);
      for (const Routing::Transition& transition : routing->transitions) {
        if (transition.to.has_value()) led_to.insert(*transition.to);
      }
      if (routing->go.has_value()) led_to.insert(routing->go->to);
    }
  }
  const bool has_scripts =
      std::any_of(workflow->steps.begin(), workflow->steps.end(), [](const WorkflowStep& step) {
        return !step.on_success.goto_js.empty() || !step.on_fail.goto_js.empty() ||
               !step.on_finish.goto_js.empty() || !step.on_success.run_js.empty() ||
               !step.on_fail.run_js.empty() || !step.on_finish.run_js.empty();
      });
  const auto warn = [&](const WorkflowStep& step, absl::string_view text) {
    workflow->warnings.push_back(absl::StrCat(file, ":", step.line, ": ", step.name, " ", text));
  };
  for (const WorkflowStep& step : workflow->steps) {
    if (step.manual && led_to.count(step.name) == 0 && !has_scripts) {
      warn(step, "is manual, and nothing leads to it");
    }
    if (step.type == StepType::kCommand && !step.settings.contains("exec")) {
      warn(step, "has no exec: it does nothing");
    }
    if (step.type == StepType::kAgent && !step.settings.contains("prompt")) {
      warn(step, "has no prompt: the agent gets what its dependencies gave");
    }
    if (step.type == StepType::kForeign) {
      warn(step, absl::StrCat("is of type ", JsonString(step.settings, "kind").value_or(""),
                              ", which Stile cannot run: it fails unless a test mocks it"));
    }
    for (const Routing* routing : {&step.on_success, &step.on_fail, &step.on_finish}) {
      if (routing->go.has_value()) WarnOfStale(*routing->go, step, plan, *workflow, warn);
    }
  }
}

// `inputs: [{name, default, required, schema}]`, or by name.
void ReadInputs(const Yaml& yaml, YamlErrors* errors, Workflow* workflow) {
  const Yaml* const inputs = yaml.Find("inputs");
  if (inputs == nullptr) return;
  const auto read = [&](const std::string& name, const Yaml& input) {
    Json* const value = &workflow->input_defaults[name];
    if (input.kind != Yaml::Kind::kMap) {
      *value = input.AsJson();
      return;
    }
    errors->Add(CheckKeys(input, {"name", "default", "required", "schema", "description", "type"}));
    if (const Yaml* otherwise = input.Find("default")) *value = otherwise->AsJson();
  };
  for (const Yaml::Entry& entry : inputs->keys) read(entry.first, entry.second);
  for (const Yaml& item : inputs->items) {
    std::string name;
    if (!errors->Add(ReadKey(item, "name", &name))) continue;
    if (name.empty()) {
      errors->Add(item.Error("wants `name`"));
    } else {
      read(name, item);
    }
  }
}

void ReadOutputs(const Yaml& yaml, YamlErrors* errors, Workflow* workflow) {
  const Yaml* const outputs = yaml.Find("outputs");
  if (outputs == nullptr) return;
  if (outputs->kind != Yaml::Kind::kList) {
    errors->Add(outputs->Error("wants a list of {name, value or value_js}"));
  }
  for (const Yaml& item : outputs->items) {
    errors->Add(CheckKeys(item, {"name", "value", "value_js", "description", "schema"}));
    Workflow::Output output;
    output.line = item.line;
    const Yaml* const value = item.Find("value");
    const bool has_one = (value != nullptr) != (item.Find("value_js") != nullptr);
    const bool is_nameless =
        errors->Add(ReadKey(item, "name", &output.name)) && output.name.empty();
    if (!has_one || is_nameless) {
      errors->Add(item.Error("wants `name`, and `value` or `value_js`"));
    }
    errors->Add(ReadKey(item, "value", &output.value));
    errors->Add(ReadExpression(item, "value_js", &output.value_js));
    if (value != nullptr) CheckTemplates(*value, errors);
    workflow->outputs.push_back(std::move(output));
  }
}

void ReadHead(const Yaml& yaml, YamlErrors* errors, Workflow* workflow) {
  errors->Add(CheckKeys(yaml, {"version", "name", "routing", "max_parallelism", "env", "memory",
                               "inputs", "outputs", "steps", "report", "tests", "mcp_servers"}));
  if (errors->Add(ReadKey(yaml, "version", &workflow->version)) &&
      !absl::StartsWith(workflow->version, "1")) {
    errors->Add(yaml.Find("version")->Error("only versions 1.0 and 2.0 are known"));
  }
  errors->Add(ReadKey(yaml, "name", &workflow->name));
  errors->Add(ReadKey(yaml, "env", &workflow->env));
  workflow->has_tests = yaml.Find("tests") != nullptr;
  if (const Yaml* routing = yaml.Find("routing")) {
    errors->Add(CheckKeys(*routing, {"max_loops", "goto"}));
    errors->Add(ReadCount(*routing, "max_loops", 0, 1'000'000, &workflow->max_loops));
    std::string way = "alone";
    if (errors->Add(ReadKey(*routing, "goto", &way)) && way != "alone" && way != "forward") {
      errors->Add(routing->Find("goto")->Error("wants alone or forward"));
    }
    workflow->goes_forward = way == "forward";
  }
  if (const Yaml* servers = yaml.Find("mcp_servers");
      servers != nullptr && servers->file != yaml.file) {
    errors->Add(servers->Error("counts only in the file that is run; name the servers there"));
  }
  if (const Yaml* memory = yaml.Find("memory")) {
    errors->Add(CheckKeys(*memory, {"namespace"}));
    errors->Add(ReadKey(*memory, "namespace", &workflow->memory_namespace));
  }
  ReadInputs(yaml, errors, workflow);
  ReadOutputs(yaml, errors, workflow);
  errors->Add(ReadCount(yaml, "max_parallelism", 1, 64, &workflow->max_parallelism));
  ReadReport(yaml, errors, &workflow->report);
}

}  // namespace

int Workflow::Find(absl::string_view step) const {
  const auto found = by_name.find(std::string(step));
  return found == by_name.end() ? -1 : found->second;
}

CheckedWorkflow CheckWorkflow(absl::string_view text, absl::string_view file,
                              const WorkflowFileReader& read) {
  CheckedWorkflow checked;
  checked.errors = YamlErrors(file);
  YamlErrors* const errors = &checked.errors;
  Workflow& workflow = checked.workflow;
  Yaml yaml;
  if (!errors->Add(ParseYaml(text, file), &yaml)) return checked;
  // Of this file, and of all that it names.
  std::string texts(text);
  WorkflowFileReader keep;
  if (read) {
    keep = [&](const std::string& from, const std::string& path) -> absl::StatusOr<std::string> {
      STILE_ASSIGN_OR_RETURN(std::string other, read(from, path));
      absl::StrAppend(&texts, std::string(1, '\0'), path, std::string(1, '\0'), other);
      return other;
    };
  }
  checked.has_all = TranslateVisor(keep, &yaml, &workflow.warnings, errors);
  workflow.sha256 = Sha256Hex(texts);
  ReadHead(yaml, errors, &workflow);
  const Yaml* const all = yaml.Find("steps");
  if (all == nullptr || all->kind != Yaml::Kind::kMap || all->keys.empty()) {
    if (all != nullptr || checked.has_all) {
      errors->Add((all != nullptr ? *all : yaml).Error("wants `steps`, by their names"));
    }
    return checked;
  }
  for (const Yaml::Entry& entry : all->keys) {
    workflow.by_name[entry.first] = static_cast<int>(workflow.steps.size());
    workflow.steps.push_back(ReadStep(entry.first, entry.second, checked.has_all, errors));
  }
  const References references(workflow);
  for (size_t i = 0; i < workflow.steps.size(); ++i) {
    WorkflowStep* const step = &workflow.steps[i];
    if (checked.has_all) references.Check(*step, all->keys[i].second, errors);
    references.DropUnknown(step);
  }
  std::vector<WorkflowPlan::Problem> problems;
  const auto plan = WorkflowPlan::Make(workflow, &problems);
  for (const WorkflowPlan::Problem& problem : problems) {
    errors->Add(all->keys[static_cast<size_t>(problem.step)].second.Error(problem.message));
  }
  if (errors->empty() && plan.ok()) AddWarnings(std::string(file), *plan, &workflow);
  return checked;
}

absl::StatusOr<Workflow> ParseWorkflow(absl::string_view text, absl::string_view file,
                                       const WorkflowFileReader& read) {
  CheckedWorkflow checked = CheckWorkflow(text, file, read);
  STILE_RETURN_IF_ERROR(checked.errors.status());
  return std::move(checked.workflow);
}

}  // namespace stile
