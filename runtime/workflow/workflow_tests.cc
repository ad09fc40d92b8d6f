#include "runtime/workflow/workflow_tests.h"

#include <re2/re2.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/workflow/template_value.h"

namespace stile {
namespace {

// Reads cases, with a look at the workflow for the names of steps.
class Reader {
 public:
  explicit Reader(const Workflow* workflow) : workflow_(workflow) {
    if (workflow_ == nullptr) return;
    for (const WorkflowStep& step : workflow_->steps) names_.push_back(step.name);
  }

  absl::StatusOr<std::vector<WorkflowCase>> Cases(const Yaml& tests) {
    STILE_RETURN_IF_ERROR(CheckKeys(tests, {"defaults", "cases"}));
    if (const Yaml* defaults = tests.Find("defaults")) {
      STILE_RETURN_IF_ERROR(
          CheckKeys(*defaults, {"strict", "event", "inputs", "memory", "max_loops", "mocks"}));
      STILE_RETURN_IF_ERROR(ReadStage(*defaults, &defaults_));
    }
    const Yaml* const list = tests.Find("cases");
    if (list == nullptr || list->kind != Yaml::Kind::kList || list->items.empty()) {
      return (list != nullptr ? *list : tests).Error("wants `cases`, a list");
    }
    std::vector<WorkflowCase> cases;
    for (const Yaml& item : list->items) {
      STILE_ASSIGN_OR_RETURN(WorkflowCase one, Case(item));
      for (const WorkflowCase& other : cases) {
        if (other.name == one.name) {
          return item.Error(absl::StrCat("another case has the name ", ToUtf8(one.name)));
        }
      }
      cases.push_back(std::move(one));
    }
    return cases;
  }

 private:
  absl::StatusOr<WorkflowCase> Case(const Yaml& yaml) {
    STILE_RETURN_IF_ERROR(CheckKeys(yaml, {"name", "event", "inputs", "memory", "max_loops",
                                           "strict", "mocks", "expect", "flow"}));
    WorkflowCase test;
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "name", &test.name));
    if (test.name.empty()) return yaml.Error("wants `name`");
    WorkflowStage common = defaults_;
    STILE_RETURN_IF_ERROR(ReadStage(yaml, &common));
    const Yaml* const flow = yaml.Find("flow");
    if (flow == nullptr) {
      test.stages.push_back(std::move(common));
      return test;
    }
    if (yaml.Find("expect") != nullptr) {
      return yaml.Find("expect")->Error("a case with `flow` expects in its stages");
    }
    if (flow->kind != Yaml::Kind::kList || flow->items.empty()) {
      return flow->Error("wants a list of stages");
    }
    for (const Yaml& item : flow->items) {
      STILE_RETURN_IF_ERROR(CheckKeys(
          item, {"name", "event", "inputs", "memory", "max_loops", "strict", "mocks", "expect"}));
      WorkflowStage stage = common;
      // What stages before it left goes on instead.
      if (!test.stages.empty()) stage.memory = Json::object();
      STILE_RETURN_IF_ERROR(ReadKey(item, "name", &stage.name));
      if (stage.name.empty()) return item.Error("wants `name`");
      STILE_RETURN_IF_ERROR(ReadStage(item, &stage));
      test.stages.push_back(std::move(stage));
    }
    return test;
  }

  absl::Status ReadCommon(const Yaml& yaml, WorkflowStage* stage) {
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "event", &stage->event));
    if (const Yaml* strict = yaml.Find("strict")) {
      STILE_ASSIGN_OR_RETURN(stage->strict, strict->AsBool());
    }
    return absl::OkStatus();
  }

  absl::Status ReadStage(const Yaml& yaml, WorkflowStage* stage) {
    STILE_RETURN_IF_ERROR(ReadCommon(yaml, stage));
    for (const auto& [key, out] :
         {std::pair<const char*, Json*>("inputs", &stage->inputs), {"memory", &stage->memory}}) {
      const Yaml* const value = yaml.Find(key);
      if (value == nullptr) continue;
      if (value->kind != Yaml::Kind::kMap) return value->Error("wants names and values");
      out->update(value->AsJson());
    }
    if (const Yaml* loops = yaml.Find("max_loops")) {
      STILE_ASSIGN_OR_RETURN(const int64_t number, loops->AsInt());
      if (number < 0 || number > 1'000'000) return loops->Error("wants a number from 0 to 1000000");
      stage->max_loops = static_cast<int>(number);
    }
    if (const Yaml* mocks = yaml.Find("mocks")) STILE_RETURN_IF_ERROR(ReadMocks(*mocks, stage));
    if (const Yaml* expect = yaml.Find("expect")) return ReadExpect(*expect, stage);
    return absl::OkStatus();
  }

  absl::Status ReadMocks(const Yaml& yaml, WorkflowStage* stage) {
    if (yaml.kind != Yaml::Kind::kMap) return yaml.Error("wants steps and what they give");
    for (const Yaml::Entry& entry : yaml.keys) {
      absl::string_view name = entry.first;
      const bool each = absl::ConsumeSuffix(&name, "[]");
      STILE_RETURN_IF_ERROR(CheckOwnStep(std::string(name), entry.second));
      if (yaml.Find(each ? name : absl::StrCat(name, "[]")) != nullptr) {
        return entry.second.Error("the step has mocks by both `name` and `name[]`");
      }
      if (!each) {
        STILE_RETURN_IF_ERROR(CheckMock(std::string(name), entry.second));
        stage->mocks[std::string(name)] = entry.second.AsJson();
        stage->each.erase(std::string(name));
        continue;
      }
      if (entry.second.kind != Yaml::Kind::kList || entry.second.items.empty()) {
        return entry.second.Error("wants a list, one value for each call");
      }
      std::vector<Json> values;
      for (const Yaml& value : entry.second.items) {
        STILE_RETURN_IF_ERROR(CheckMock(std::string(name), value));
        values.push_back(value.AsJson());
      }
      stage->each[std::string(name)] = std::move(values);
      stage->mocks.erase(std::string(name));
    }
    return absl::OkStatus();
  }

  absl::Status ReadExpect(const Yaml& yaml, WorkflowStage* stage) {
    STILE_RETURN_IF_ERROR(
        CheckKeys(yaml, {"calls", "no_calls", "outputs", "report", "skipped", "fail"}));
    stage->calls.clear();
    if (const Yaml* calls = yaml.Find("calls")) STILE_RETURN_IF_ERROR(ReadCalls(*calls, stage));
    if (const Yaml* none = yaml.Find("no_calls")) {
      const bool is_list = none->kind == Yaml::Kind::kList;
      if (!is_list) return none->Error("wants a list of steps");
      for (const Yaml& item : none->items) {
        std::string name;
        if (item.kind == Yaml::Kind::kMap) {
          STILE_RETURN_IF_ERROR(CheckKeys(item, {"step"}));
          STILE_RETURN_IF_ERROR(ReadKey(item, "step", &name));
        } else {
          STILE_ASSIGN_OR_RETURN(name, item.AsString());
        }
        STILE_RETURN_IF_ERROR(AddCalls(name, 0, item, stage));
      }
    }
    if (const Yaml* skipped = yaml.Find("skipped")) {
      if (skipped->kind != Yaml::Kind::kMap) return skipped->Error("wants steps and reasons");
      for (const Yaml::Entry& entry : skipped->keys) {
        STILE_RETURN_IF_ERROR(CheckOwnStep(entry.first, entry.second));
        STILE_ASSIGN_OR_RETURN(stage->skipped[entry.first], entry.second.AsString());
      }
    }
    if (const Yaml* outputs = yaml.Find("outputs")) {
      if (outputs->kind != Yaml::Kind::kList) return outputs->Error("wants a list");
      for (const Yaml& item : outputs->items) {
        STILE_ASSIGN_OR_RETURN(ExpectedOutput output, ReadOutput(item, /*of_report=*/false));
        stage->outputs.push_back(std::move(output));
      }
    }
    if (const Yaml* report = yaml.Find("report")) {
      if (report->kind != Yaml::Kind::kList) return report->Error("wants a list");
      if (workflow_ != nullptr && !workflow_->report.has_value()) {
        return report->Error("the workflow makes no report");
      }
      for (const Yaml& item : report->items) {
        STILE_ASSIGN_OR_RETURN(ExpectedOutput output, ReadOutput(item, /*of_report=*/true));
        stage->outputs.push_back(std::move(output));
      }
    }
    const Yaml* const fail = yaml.Find("fail");
    if (fail == nullptr) return absl::OkStatus();
    STILE_RETURN_IF_ERROR(CheckKeys(*fail, {"reason", "message_contains"}));
    stage->fails = true;
    STILE_RETURN_IF_ERROR(ReadKey(*fail, "reason", &stage->fail_reason));
    return ReadKey(*fail, "message_contains", &stage->message_contains);
  }

  absl::Status ReadCalls(const Yaml& yaml, WorkflowStage* stage) {
    const auto add = [&](const std::string& name, const Yaml* count,
                         const Yaml& place) -> absl::Status {
      if (count == nullptr) return place.Error("wants `exactly`, a number");
      STILE_ASSIGN_OR_RETURN(const int64_t number, count->AsInt());
      if (number < 0 || number > 1'000'000) return count->Error("wants a number from 0 to 1000000");
      return AddCalls(name, static_cast<int>(number), place, stage);
    };
    if (yaml.kind == Yaml::Kind::kMap) {
      for (const Yaml::Entry& entry : yaml.keys) {
        STILE_RETURN_IF_ERROR(add(entry.first, &entry.second, entry.second));
      }
      return absl::OkStatus();
    }
    if (yaml.kind != Yaml::Kind::kList) return yaml.Error("wants steps and how often they run");
    for (const Yaml& item : yaml.items) {
      STILE_RETURN_IF_ERROR(CheckKeys(item, {"step", "exactly"}));
      std::string name;
      STILE_RETURN_IF_ERROR(ReadKey(item, "step", &name));
      STILE_RETURN_IF_ERROR(add(name, item.Find("exactly"), item));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExpectedOutput> ReadOutput(const Yaml& yaml, bool of_report) {
    std::vector<std::string> keys = {"path", "equals", "contains", "matches"};
    if (!of_report) keys.insert(keys.end(), {"step", "index"});
    STILE_RETURN_IF_ERROR(CheckKeys(yaml, keys));
    ExpectedOutput output;
    output.place = absl::StrCat(yaml.file, ":", yaml.line);
    if (!of_report) {
      STILE_RETURN_IF_ERROR(ReadKey(yaml, "step", &output.step));
      STILE_RETURN_IF_ERROR(CheckOwnStep(output.step, yaml));
    }
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "path", &output.path));
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "contains", &output.contains));
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "matches", &output.matches));
    if (!output.path.empty()) {
      const auto path = ParseTemplateExpression(PathIn(output));
      if (!path.ok() || !path->filters.empty()) return yaml.Find("path")->Error("is no path");
    }
    if (!output.matches.empty()) {
      const RE2 regex(output.matches, RE2::Quiet);
      if (!regex.ok()) return yaml.Find("matches")->Error(regex.error());
    }
    if (const Yaml* index = yaml.Find("index")) {
      STILE_ASSIGN_OR_RETURN(const int64_t number, index->AsInt());
      if (number < 0 || number > 1'000'000) return index->Error("wants a number from 0");
      output.index = static_cast<int>(number);
    }
    if (const Yaml* equals = yaml.Find("equals")) output.equals = equals->AsJson();
    if (!output.equals.has_value() && output.contains.empty() && output.matches.empty()) {
      return yaml.Error("wants `equals`, `contains` or `matches`");
    }
    return output;
  }

  absl::Status AddCalls(const std::string& name, int number, const Yaml& place,
                        WorkflowStage* stage) {
    STILE_RETURN_IF_ERROR(CheckStep(name, place));
    if (stage->calls.emplace(name, number).second) return absl::OkStatus();
    return place.Error(absl::StrCat("the calls of ", ToUtf8(name), " are given twice"));
  }

  absl::Status CheckMock(const std::string& name, const Yaml& mock) const {
    if (mock.kind != Yaml::Kind::kMap) return absl::OkStatus();
    bool is_special = false;
    for (const Yaml::Entry& entry : mock.keys) {
      is_special = is_special || absl::StartsWith(entry.first, "$");
    }
    if (is_special) {
      STILE_RETURN_IF_ERROR(CheckKeys(mock, {"$fail", "$output"}));
      if (mock.Find("$fail") == nullptr) return mock.Error("wants `$fail`, a message");
      return mock.Find("$fail")->AsString().status();
    }
    const bool is_process = mock.Find("exit_code") != nullptr || mock.Find("stdout") != nullptr ||
                            mock.Find("stderr") != nullptr;
    const bool is_command =
        workflow_ != nullptr && workflow_->Find(name) >= 0 &&
        workflow_->steps[static_cast<size_t>(workflow_->Find(name))].type == StepType::kCommand;
    if (!is_process || !is_command) return absl::OkStatus();
    STILE_RETURN_IF_ERROR(CheckKeys(mock, {"exit_code", "stdout", "stderr"}));
    const Yaml* const code = mock.Find("exit_code");
    return code == nullptr ? absl::OkStatus() : code->AsInt().status();
  }

  // Not one of a nested workflow, "step/inner step".
  absl::Status CheckOwnStep(const std::string& name, const Yaml& place) const {
    if (absl::StrContains(name, "/")) {
      return place.Error("only the calls of a nested workflow's steps are known here");
    }
    return CheckStep(name, place);
  }

  absl::Status CheckStep(const std::string& name, const Yaml& place) const {
    if (name.empty()) return place.Error("wants the name of a step");
    // What a nested workflow runs is named behind the step.
    const std::string own = name.substr(0, name.find('/'));
    if (workflow_ == nullptr || workflow_->Find(own) >= 0) return absl::OkStatus();
    const std::string nearest = Nearest(own, names_);
    return place.Error(
        absl::StrCat("the workflow has no step '", ToUtf8(name), "'",
                     nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?")));
  }

  static std::string PathIn(const ExpectedOutput& output) {
    return absl::StrCat("output", absl::StartsWith(output.path, "[") ? "" : ".", output.path);
  }

  const Workflow* const workflow_;
  std::vector<std::string> names_;
  WorkflowStage defaults_;
};

}  // namespace

absl::StatusOr<WorkflowTests> ParseWorkflowTests(absl::string_view text, absl::string_view file,
                                                 const Workflow* workflow) {
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  WorkflowTests tests;
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "workflow", &tests.workflow));
  if (!tests.workflow.empty()) {
    STILE_RETURN_IF_ERROR(CheckKeys(yaml, {"version", "workflow", "tests"}));
  }
  const Yaml* const list = yaml.Find("tests");
  if (list == nullptr) return yaml.Error("the file has no `tests:`");
  STILE_ASSIGN_OR_RETURN(tests.cases, Reader(workflow).Cases(*list));
  return tests;
}

}  // namespace stile
