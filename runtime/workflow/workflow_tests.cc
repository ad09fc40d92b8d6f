#include "runtime/workflow/workflow_tests.h"

#include <re2/re2.h>

#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/template/template_value.h"

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
    STILE_RETURN_IF_ERROR(CheckKeys(tests, {"defaults", "cases", "fixtures"}));
    if (const Yaml* fixtures = tests.Find("fixtures");
        fixtures != nullptr && !fixtures->items.empty()) {
      return fixtures->Error(
          "fixtures of a file are not known: put their `overrides` into the cases");
    }
    if (const Yaml* defaults = tests.Find("defaults")) {
      // The last ones are settings of Visor's own runner.
      STILE_RETURN_IF_ERROR(CheckKeys(
          *defaults, {"strict", "event", "inputs", "memory", "max_loops", "mocks", "fixture",
                      "ai_provider", "prompt_max_chars", "ai_include_code_context",
                      "fail_on_unexpected_calls", "frontends", "tags", "exclude_tags"}));
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
    STILE_RETURN_IF_ERROR(CheckKeys(
        yaml, {"name", "event", "inputs", "memory", "max_loops", "strict", "mocks", "expect",
               "flow", "description", "skip", "fixture", "workflow_input", "routing"}));
    WorkflowCase test;
    if (const Yaml* skip = yaml.Find("skip")) {
      STILE_ASSIGN_OR_RETURN(test.skip, skip->AsBool());
    }
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
      STILE_RETURN_IF_ERROR(
          CheckKeys(item, {"name", "event", "inputs", "memory", "max_loops", "strict", "mocks",
                           "expect", "description", "fixture", "workflow_input", "routing"}));
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
    STILE_RETURN_IF_ERROR(ReadFixture(yaml, stage));
    for (const auto& [key, out] : {std::pair<const char*, Json*>("inputs", &stage->inputs),
                                   {"workflow_input", &stage->inputs},
                                   {"memory", &stage->memory}}) {
      const Yaml* const value = yaml.Find(key);
      if (value == nullptr) continue;
      if (value->kind != Yaml::Kind::kMap) return value->Error("wants names and values");
      out->update(value->AsJson());
    }
    const Yaml* loops = yaml.Find("max_loops");
    if (const Yaml* routing = yaml.Find("routing")) {
      STILE_RETURN_IF_ERROR(CheckKeys(*routing, {"max_loops"}));
      loops = routing->Find("max_loops");
    }
    if (loops != nullptr) {
      STILE_ASSIGN_OR_RETURN(const int64_t number, loops->AsInt());
      if (number < 0 || number > 1'000'000) return loops->Error("wants a number from 0 to 1000000");
      stage->max_loops = static_cast<int>(number);
    }
    if (const Yaml* mocks = yaml.Find("mocks")) STILE_RETURN_IF_ERROR(ReadMocks(*mocks, stage));
    if (const Yaml* expect = yaml.Find("expect")) return ReadExpect(*expect, stage);
    return absl::OkStatus();
  }

  // `name`, or {builtin: name, overrides: {"pr.title": …}}.
  static absl::Status ReadFixture(const Yaml& yaml, WorkflowStage* stage) {
    const Yaml* const fixture = yaml.Find("fixture");
    if (fixture == nullptr) return absl::OkStatus();
    stage->repeats_last = true;
    stage->mocks_models = true;
    stage->plays_expected = true;
    Json request = {{"number", 1},
                    {"title", "feat: add user search"},
                    {"author", "test-user"},
                    {"base", "main"},
                    {"head", "feature"}};
    if (fixture->kind == Yaml::Kind::kMap) {
      STILE_RETURN_IF_ERROR(CheckKeys(*fixture, {"builtin", "overrides"}));
      if (const Yaml* overrides = fixture->Find("overrides")) {
        for (const Yaml::Entry& entry : overrides->keys) {
          absl::string_view key = entry.first;
          if (absl::ConsumePrefix(&key, "pr.")) request[std::string(key)] = entry.second.AsJson();
        }
      }
    }
    stage->event_data["pr"] = std::move(request);
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
    STILE_RETURN_IF_ERROR(CheckKeys(yaml, {"calls", "no_calls", "outputs", "report", "skipped",
                                           "fail", "prompts", "workflow_output"}));
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
        STILE_RETURN_IF_ERROR(AddCalls(name, {0, 0}, item, stage));
      }
    }
    if (const Yaml* skipped = yaml.Find("skipped")) {
      if (skipped->kind != Yaml::Kind::kMap) return skipped->Error("wants steps and reasons");
      for (const Yaml::Entry& entry : skipped->keys) {
        STILE_RETURN_IF_ERROR(CheckOwnStep(entry.first, entry.second));
        STILE_ASSIGN_OR_RETURN(stage->skipped[entry.first], entry.second.AsString());
      }
    }
    using Of = ExpectedOutput::Of;
    for (const auto& [key, of] : {std::pair<const char*, Of>("outputs", Of::kStep),
                                  {"prompts", Of::kPrompt},
                                  {"report", Of::kReport},
                                  {"workflow_output", Of::kWorkflow}}) {
      const Yaml* const list = yaml.Find(key);
      if (list == nullptr) continue;
      if (list->kind != Yaml::Kind::kList) return list->Error("wants a list");
      if (of == Of::kReport && workflow_ != nullptr && !workflow_->report.has_value()) {
        return list->Error("the workflow makes no report");
      }
      for (const Yaml& item : list->items) {
        STILE_ASSIGN_OR_RETURN(ExpectedOutput output, ReadOutput(item, of));
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

  static absl::Status ReadNumber(const Yaml& yaml, int* out) {
    STILE_ASSIGN_OR_RETURN(const int64_t number, yaml.AsInt());
    if (number < 0 || number > 1'000'000) return yaml.Error("wants a number from 0 to 1000000");
    *out = static_cast<int>(number);
    return absl::OkStatus();
  }

  absl::Status ReadCalls(const Yaml& yaml, WorkflowStage* stage) {
    if (yaml.kind == Yaml::Kind::kMap) {
      for (const Yaml::Entry& entry : yaml.keys) {
        int number = 0;
        STILE_RETURN_IF_ERROR(ReadNumber(entry.second, &number));
        STILE_RETURN_IF_ERROR(AddCalls(entry.first, {number, number}, entry.second, stage));
      }
      return absl::OkStatus();
    }
    if (yaml.kind != Yaml::Kind::kList) return yaml.Error("wants steps and how often they run");
    for (const Yaml& item : yaml.items) {
      STILE_RETURN_IF_ERROR(CheckKeys(item, {"step", "exactly", "at_least", "at_most"}));
      std::string name;
      STILE_RETURN_IF_ERROR(ReadKey(item, "step", &name));
      ExpectedCalls calls{0, std::numeric_limits<int>::max()};
      if (const Yaml* least = item.Find("at_least")) {
        STILE_RETURN_IF_ERROR(ReadNumber(*least, &calls.least));
      }
      if (const Yaml* most = item.Find("at_most")) {
        STILE_RETURN_IF_ERROR(ReadNumber(*most, &calls.most));
      }
      if (const Yaml* exactly = item.Find("exactly")) {
        STILE_RETURN_IF_ERROR(ReadNumber(*exactly, &calls.least));
        calls.most = calls.least;
      }
      if (item.keys.size() < 2) return item.Error("wants `exactly`, `at_least` or `at_most`");
      STILE_RETURN_IF_ERROR(AddCalls(name, calls, item, stage));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExpectedOutput> ReadOutput(const Yaml& yaml, ExpectedOutput::Of of) {
    std::vector<std::string> keys = {"path",         "equals",  "contains",  "contains_unordered",
                                     "not_contains", "matches", "equalsDeep"};
    const bool of_step = of == ExpectedOutput::Of::kStep || of == ExpectedOutput::Of::kPrompt;
    if (of_step) keys.insert(keys.end(), {"step", "index", "where"});
    STILE_RETURN_IF_ERROR(CheckKeys(yaml, keys));
    ExpectedOutput output;
    output.of = of;
    output.place = absl::StrCat(yaml.file, ":", yaml.line);
    if (of_step) {
      STILE_RETURN_IF_ERROR(ReadKey(yaml, "step", &output.step));
      STILE_RETURN_IF_ERROR(CheckOwnStep(output.step, yaml));
      STILE_RETURN_IF_ERROR(ReadWhich(yaml, &output));
    }
    STILE_RETURN_IF_ERROR(ReadPath(yaml, "path", &output.path));
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "contains", &output.contains));
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "not_contains", &output.not_contains));
    STILE_RETURN_IF_ERROR(ReadKey(yaml, "matches", &output.matches));
    if (!output.matches.empty()) {
      const RE2 regex(output.matches, RE2::Quiet);
      if (!regex.ok()) return yaml.Find("matches")->Error(regex.error());
    }
    for (const char* key : {"equals", "equalsDeep"}) {
      if (const Yaml* equals = yaml.Find(key)) output.equals = equals->AsJson();
    }
    if (const Yaml* members = yaml.Find("contains_unordered")) {
      if (members->kind != Yaml::Kind::kList) return members->Error("wants a list");
      for (const Yaml& member : members->items) output.members.push_back(member.AsJson());
    }
    if (!output.equals.has_value() && output.contains.empty() && output.not_contains.empty() &&
        output.matches.empty() && output.members.empty()) {
      return yaml.Error("wants `equals`, `contains`, `not_contains` or `matches`");
    }
    return output;
  }

  // Of several runs.
  static absl::Status ReadWhich(const Yaml& yaml, ExpectedOutput* output) {
    if (const Yaml* index = yaml.Find("index")) {
      int number = index->scalar == "last" ? -1 : 0;
      if (index->scalar != "last" && index->scalar != "first") {
        STILE_RETURN_IF_ERROR(ReadNumber(*index, &number));
      }
      output->index = number;
    }
    const Yaml* const where = yaml.Find("where");
    if (where == nullptr) return absl::OkStatus();
    STILE_RETURN_IF_ERROR(CheckKeys(*where, {"path", "equals"}));
    STILE_RETURN_IF_ERROR(ReadPath(*where, "path", &output->where_path));
    if (where->Find("equals") == nullptr) return where->Error("wants `equals`");
    output->where = where->Find("equals")->AsJson();
    return absl::OkStatus();
  }

  static absl::Status ReadPath(const Yaml& yaml, absl::string_view key, std::string* out) {
    STILE_RETURN_IF_ERROR(ReadKey(yaml, key, out));
    if (out->empty()) return absl::OkStatus();
    const auto path = ParseTemplateExpression(
        absl::StrCat("output", absl::StartsWith(*out, "[") ? "" : ".", *out));
    if (!path.ok() || !path->filters.empty()) return yaml.Find(key)->Error("is no path");
    return absl::OkStatus();
  }

  absl::Status AddCalls(const std::string& name, ExpectedCalls calls, const Yaml& place,
                        WorkflowStage* stage) {
    STILE_RETURN_IF_ERROR(CheckStep(name, place));
    if (stage->calls.emplace(name, calls).second) return absl::OkStatus();
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
