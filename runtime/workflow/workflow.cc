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
#include "runtime/tool/json_schema.h"
#include "runtime/workflow/name_check.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/template.h"
#include "runtime/workflow/visor_dialect.h"
#include "runtime/workflow/workflow_reader.h"

namespace stile {
namespace {

absl::Status ReadReport(const Yaml& yaml, std::optional<WorkflowReport>* out) {
  const Yaml* const value = yaml.Find("report");
  if (value == nullptr) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckKeys(*value, {"content", "schema"}));
  WorkflowReport report;
  STILE_RETURN_IF_ERROR(ReadScript(*value, "content", &report.content));
  if (report.content.empty()) return value->Error("wants `content`, a script");
  STILE_RETURN_IF_ERROR(ReadSchema(*value, &report.schema));
  *out = std::move(report);
  return absl::OkStatus();
}

// What names other steps, with the place of the name.
class References {
 public:
  explicit References(const Workflow& workflow) {
    for (const WorkflowStep& step : workflow.steps) names_.push_back(step.name);
    known_.insert(names_.begin(), names_.end());
  }

  // `yaml` is what the step was read from.
  absl::Status Check(const WorkflowStep& step, const Yaml& yaml) const {
    for (const std::vector<std::string>& any_of : step.depends_on) {
      for (const std::string& name : any_of) {
        STILE_RETURN_IF_ERROR(Exists(name, *yaml.Find("depends_on"), 0));
        if (name == step.name) {
          return yaml.Find("depends_on")->Error(absl::StrCat(step.name, " depends on itself"));
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
        STILE_RETURN_IF_ERROR(Exists(run.step, *place, run.line));
      }
      for (const Routing::Transition& transition : routing->transitions) {
        if (!transition.to.has_value()) continue;
        STILE_RETURN_IF_ERROR(Exists(*transition.to, *place, transition.line));
      }
      if (routing->go.has_value()) {
        STILE_RETURN_IF_ERROR(Exists(routing->go->to, *place, routing->go->line));
      }
    }
    if (step.type == StepType::kGate && step.settings.contains("from")) {
      return Exists(TextOf(step.settings["from"]), *yaml.Find("from"), 0);
    }
    return absl::OkStatus();
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
    for (const std::string& line : UnknownNamesOf(step, *workflow)) warn(step, line);
    for (const Routing* routing : {&step.on_success, &step.on_fail, &step.on_finish}) {
      if (routing->go.has_value()) WarnOfStale(*routing->go, step, plan, *workflow, warn);
    }
  }
}

// `inputs: [{name, default, required, schema}]`, or by name.
absl::Status ReadInputs(const Yaml& yaml, Workflow* workflow) {
  const Yaml* const inputs = yaml.Find("inputs");
  if (inputs == nullptr) return absl::OkStatus();
  const auto read = [&](const std::string& name, const Yaml& input) -> absl::Status {
    Json* const value = &workflow->input_defaults[name];
    if (input.kind != Yaml::Kind::kMap) {
      *value = input.AsJson();
      return absl::OkStatus();
    }
    STILE_RETURN_IF_ERROR(
        CheckKeys(input, {"name", "default", "required", "schema", "description", "type"}));
    if (const Yaml* otherwise = input.Find("default")) *value = otherwise->AsJson();
    return absl::OkStatus();
  };
  for (const Yaml::Entry& entry : inputs->keys) {
    STILE_RETURN_IF_ERROR(read(entry.first, entry.second));
  }
  for (const Yaml& input : inputs->items) {
    std::string name;
    STILE_RETURN_IF_ERROR(ReadKey(input, "name", &name));
    if (name.empty()) return input.Error("wants `name`");
    STILE_RETURN_IF_ERROR(read(name, input));
  }
  return absl::OkStatus();
}

absl::Status ReadOutputs(const Yaml& yaml, Workflow* workflow) {
  const Yaml* const outputs = yaml.Find("outputs");
  if (outputs == nullptr) return absl::OkStatus();
  if (outputs->kind != Yaml::Kind::kList) {
    return outputs->Error("wants a list of {name, value or value_js}");
  }
  for (const Yaml& item : outputs->items) {
    STILE_RETURN_IF_ERROR(CheckKeys(item, {"name", "value", "value_js", "description", "schema"}));
    Workflow::Output output;
    STILE_RETURN_IF_ERROR(ReadKey(item, "name", &output.name));
    STILE_RETURN_IF_ERROR(ReadKey(item, "value", &output.value));
    STILE_RETURN_IF_ERROR(ReadKey(item, "value_js", &output.value_js));
    if (output.name.empty() || output.value.empty() == output.value_js.empty()) {
      return item.Error("wants `name`, and `value` or `value_js`");
    }
    if (!output.value_js.empty()) {
      STILE_RETURN_IF_ERROR(AtPlace(*item.Find("value_js"), CheckExpression(output.value_js)));
    } else {
      STILE_RETURN_IF_ERROR(AtPlace(*item.Find("value"), Template::Parse(output.value).status()));
    }
    workflow->outputs.push_back(std::move(output));
  }
  return absl::OkStatus();
}

absl::Status ReadHead(const Yaml& yaml, Workflow* workflow) {
  STILE_RETURN_IF_ERROR(
      CheckKeys(yaml, {"version", "name", "routing", "max_parallelism", "env", "memory", "inputs",
                       "outputs", "steps", "report", "tests"}));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "version", &workflow->version));
  if (!absl::StartsWith(workflow->version, "1")) {
    return yaml.Find("version")->Error("only versions 1.0 and 2.0 are known");
  }
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "name", &workflow->name));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "env", &workflow->env));
  workflow->has_tests = yaml.Find("tests") != nullptr;
  if (const Yaml* routing = yaml.Find("routing")) {
    STILE_RETURN_IF_ERROR(CheckKeys(*routing, {"max_loops", "goto"}));
    STILE_RETURN_IF_ERROR(ReadCount(*routing, "max_loops", 0, 1'000'000, &workflow->max_loops));
    std::string way = "alone";
    STILE_RETURN_IF_ERROR(ReadKey(*routing, "goto", &way));
    if (way != "alone" && way != "forward") {
      return routing->Find("goto")->Error("wants alone or forward");
    }
    workflow->goes_forward = way == "forward";
  }
  if (const Yaml* memory = yaml.Find("memory")) {
    STILE_RETURN_IF_ERROR(CheckKeys(*memory, {"namespace"}));
    STILE_RETURN_IF_ERROR(ReadKey(*memory, "namespace", &workflow->memory_namespace));
  }
  STILE_RETURN_IF_ERROR(ReadInputs(yaml, workflow));
  STILE_RETURN_IF_ERROR(ReadOutputs(yaml, workflow));
  STILE_RETURN_IF_ERROR(ReadCount(yaml, "max_parallelism", 1, 64, &workflow->max_parallelism));
  return ReadReport(yaml, &workflow->report);
}

}  // namespace

int Workflow::Find(absl::string_view step) const {
  const auto found = by_name.find(std::string(step));
  return found == by_name.end() ? -1 : found->second;
}

absl::StatusOr<Workflow> ParseWorkflow(absl::string_view text, absl::string_view file,
                                       const WorkflowFileReader& read) {
  STILE_ASSIGN_OR_RETURN(Yaml yaml, ParseYaml(text, file));
  Workflow workflow;
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
  STILE_ASSIGN_OR_RETURN(yaml, TranslateVisor(std::move(yaml), keep, &workflow.warnings));
  workflow.sha256 = Sha256Hex(texts);
  STILE_RETURN_IF_ERROR(ReadHead(yaml, &workflow));
  const Yaml* const all = yaml.Find("steps");
  if (all == nullptr || all->kind != Yaml::Kind::kMap || all->keys.empty()) {
    return (all != nullptr ? *all : yaml).Error("wants `steps`, by their names");
  }
  std::vector<std::string> errors;
  for (const Yaml::Entry& entry : all->keys) {
    absl::StatusOr<WorkflowStep> step = ReadStep(entry.first, entry.second);
    if (!step.ok()) {
      errors.emplace_back(step.status().message());
      // Others may still name it.
      step = WorkflowStep();
      step->name = entry.first;
    }
    workflow.by_name[step->name] = static_cast<int>(workflow.steps.size());
    workflow.steps.push_back(*std::move(step));
  }
  const References references(workflow);
  for (size_t i = 0; i < workflow.steps.size(); ++i) {
    const absl::Status status = references.Check(workflow.steps[i], all->keys[i].second);
    if (!status.ok()) errors.emplace_back(status.message());
  }
  if (!errors.empty()) return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
  const auto plan = WorkflowPlan::Make(workflow);
  STILE_RETURN_IF_ERROR(AtPlace(*all, plan.status()));
  AddWarnings(std::string(file), *plan, &workflow);
  return workflow;
}

}  // namespace stile
