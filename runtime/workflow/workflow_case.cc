// Playing one case of workflow_tests.h.
#include <re2/re2.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/template/template_value.h"
#include "runtime/workflow/workflow_tests.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 300;

std::string Shown(const Json& value) { return TruncateMiddle(DumpJson(value), kMaxShown); }

// The mocks of a stage, played.
class Mocks {
 public:
  explicit Mocks(const WorkflowStage* stage) : stage_(*stage) {}

  std::optional<StepReply> Reply(const StepCall& call) {
    const std::string& name = call.step->name;
    if (const auto value = stage_.mocks.find(name); value != stage_.mocks.end()) {
      return ReplyOfMock(*call.step, value->second);
    }
    const auto values = stage_.each.find(name);
    if (values == stage_.each.end()) return stage_.mocks_models ? Nothing(call) : std::nullopt;
    const std::lock_guard<std::mutex> lock(mutex_);
    size_t turn = turns_[name]++;
    if (stage_.repeats_last) turn = std::min(turn, values->second.size() - 1);
    if (turn < values->second.size()) return ReplyOfMock(*call.step, values->second[turn]);
    StepReply reply;
    reply.ok = false;
    reply.message = absl::StrCat("there is no mock for call ", turn + 1, " of ", name);
    return reply;
  }

  // Of a model or a service that is not there.
  static std::optional<StepReply> Nothing(const StepCall& call) {
    const StepType type = call.step->type;
    if (type != StepType::kAgent && type != StepType::kForeign) return std::nullopt;
    StepReply reply;
    reply.output = Json::object();
    return reply;
  }

  // Mocks that were asked for too often, or not all of them.
  void Check(std::vector<std::string>* failures) {
    for (const auto& [name, values] : stage_.each) {
      const size_t calls = turns_[name];
      if (calls == values.size() || stage_.repeats_last) continue;
      failures->push_back(absl::StrCat(name, " was called ", Count(calls, "time"), ", and has ",
                                       Count(values.size(), "mock")));
    }
  }

 private:
  const WorkflowStage& stage_;
  std::mutex mutex_;
  std::map<std::string, size_t> turns_;
};

void CheckCalls(const WorkflowStage& stage, const WorkflowResult& result,
                std::vector<std::string>* failures) {
  for (const auto& [name, wanted] : stage.calls) {
    const auto found = result.runs.find(name);
    const int ran = found == result.runs.end() ? 0 : found->second;
    if (ran >= wanted.least && ran <= wanted.most) continue;
    const bool is_exact = wanted.least == wanted.most;
    failures->push_back(absl::StrCat(name, " ran ", Count(static_cast<size_t>(ran), "time"),
                                     ", expected ",
                                     is_exact             ? ""
                                     : ran < wanted.least ? "at least "
                                                          : "at most ",
                                     ran < wanted.least ? wanted.least : wanted.most));
  }
  if (!stage.strict) return;
  for (const auto& [name, ran] : result.runs) {
    if (stage.calls.count(name) > 0) continue;
    failures->push_back(absl::StrCat(name, " ran ", Count(static_cast<size_t>(ran), "time"),
                                     " and is not expected"));
  }
}

void CheckSkipped(const WorkflowStage& stage, const WorkflowResult& result,
                  std::vector<std::string>* failures) {
  for (const auto& [name, reason] : stage.skipped) {
    for (const WorkflowResult::Step& step : result.steps) {
      if (step.name != name) continue;
      const bool skipped = step.verdict == StepVerdict::kSkipped;
      if (skipped && step.reason == reason) continue;
      failures->push_back(absl::StrCat(name, " was expected to be skipped as ", reason, ", and ",
                                       skipped
                                           ? absl::StrCat("was skipped as ", step.reason)
                                           : absl::StrCat("is ", StepVerdictName(step.verdict))));
    }
  }
}

// What a stage gave: the result, and what agents and people were asked.
struct Played {
  WorkflowResult result;
  std::map<std::string, std::vector<Json>> prompts;
};

std::string NameOf(const ExpectedOutput& expected) {
  switch (expected.of) {
    case ExpectedOutput::Of::kStep:
      return expected.step;
    case ExpectedOutput::Of::kPrompt:
      return absl::StrCat("the prompt of ", expected.step);
    case ExpectedOutput::Of::kReport:
      return "the report";
    case ExpectedOutput::Of::kWorkflow:
      return "the output of the workflow";
  }
  return "";
}

// nullopt where there is nothing at the path.
std::optional<Json> ValueAt(const Json& output, const std::string& path) {
  if (path.empty()) return output;
  const Json scope = {{"output", output}};
  const auto parsed =
      ParseTemplateExpression(absl::StrCat("output", absl::StartsWith(path, "[") ? "" : ".", path));
  return parsed.ok() ? parsed->operand.Value(TemplateScope(&scope)) : std::nullopt;
}

// The run of the step that is meant.
absl::StatusOr<Json> RunOf(const ExpectedOutput& expected,
                           const std::map<std::string, std::vector<Json>>& history) {
  const auto found = history.find(expected.step);
  if (found == history.end() || found->second.empty()) {
    return absl::NotFoundError(absl::StrCat(NameOf(expected), " is not there: it did not run"));
  }
  const std::vector<Json>& runs = found->second;
  if (expected.where.has_value()) {
    for (const Json& run : runs) {
      if (ValueAt(run, expected.where_path) == expected.where) return run;
    }
    return absl::NotFoundError(absl::StrCat("no run of ", expected.step, " has ",
                                            expected.where_path, " ", Shown(*expected.where)));
  }
  const int index = expected.index.value_or(-1);
  if (index < 0) return runs.back();
  if (static_cast<size_t>(index) < runs.size()) return runs[static_cast<size_t>(index)];
  return absl::NotFoundError(absl::StrCat(expected.step, " has no run ", index));
}

// The value that is judged; an error says why there is none.
absl::StatusOr<Json> ValueOf(const ExpectedOutput& expected, const Played& played) {
  const WorkflowResult& result = played.result;
  Json output;
  switch (expected.of) {
    case ExpectedOutput::Of::kReport:
      if (result.report.is_null()) return absl::NotFoundError("there is no report");
      output = result.report;
      break;
    case ExpectedOutput::Of::kWorkflow:
      output = result.output;
      break;
    case ExpectedOutput::Of::kPrompt: {
      STILE_ASSIGN_OR_RETURN(output, RunOf(expected, played.prompts));
      break;
    }
    case ExpectedOutput::Of::kStep:
      if (expected.index.has_value() || expected.where.has_value()) {
        STILE_ASSIGN_OR_RETURN(output, RunOf(expected, result.history));
      } else if (result.outputs.contains(expected.step)) {
        output = result.outputs[expected.step];
      } else {
        return absl::NotFoundError(absl::StrCat(expected.step, " has no output"));
      }
      break;
  }
  auto value = ValueAt(output, expected.path);
  if (!value.has_value()) {
    return absl::NotFoundError(
        absl::StrCat(NameOf(expected), " has no ", expected.path, " in ", Shown(output)));
  }
  return *std::move(value);
}

// What is wrong with the value; "" where nothing is.
std::string Difference(const ExpectedOutput& expected, const Json& value) {
  const std::string text = TemplateText(value);
  if (expected.equals.has_value() && value != *expected.equals) {
    return absl::StrCat("is not ", Shown(*expected.equals));
  }
  for (const std::string& part : expected.contains) {
    if (!absl::StrContains(text, part)) return absl::StrCat("does not contain ", part);
  }
  for (const std::string& part : expected.not_contains) {
    if (absl::StrContains(text, part)) return absl::StrCat("contains ", part);
  }
  for (const Json& member : expected.members) {
    const bool has =
        value.is_array() && std::find(value.begin(), value.end(), member) != value.end();
    if (!has) return absl::StrCat("has no member ", Shown(member));
  }
  if (!expected.matches.empty() && !RE2::PartialMatch(text, RE2(expected.matches))) {
    return absl::StrCat("does not match ", expected.matches);
  }
  return "";
}

void CheckOutput(const ExpectedOutput& expected, const Played& played,
                 std::vector<std::string>* failures) {
  const auto value = ValueOf(expected, played);
  if (!value.ok()) {
    failures->push_back(absl::StrCat(expected.place, ": ", value.status().message()));
    return;
  }
  const std::string wrong = Difference(expected, *value);
  if (wrong.empty()) return;
  failures->push_back(absl::StrCat(expected.place, ": ", NameOf(expected),
                                   expected.path.empty() ? "" : " ", expected.path, " ", wrong,
                                   " but ", Shown(*value)));
}

// What failed on the way, so that a wrong count explains itself.
void AddStepFailures(const WorkflowResult& result, std::vector<std::string>* failures) {
  if (failures->empty()) return;
  for (const WorkflowResult::Step& step : result.steps) {
    if (step.verdict == StepVerdict::kFailed) {
      failures->push_back(absl::StrCat(step.name, " failed: ", step.message));
    } else if (step.verdict == StepVerdict::kSkipped) {
      failures->push_back(
          absl::StrCat(step.name, " was skipped (", step.reason, "): ", step.message));
    }
  }
}

void CheckEnd(const WorkflowStage& stage, const WorkflowResult& result,
              std::vector<std::string>* failures) {
  const absl::string_view reason = StopReasonName(result.reason);
  if (!stage.fails) {
    if (!result.ok()) failures->push_back(absl::StrCat("failed (", reason, "): ", result.message));
    return;
  }
  if (result.ok()) {
    failures->push_back("passed, and was expected to fail");
    return;
  }
  if (!stage.fail_reason.empty() && stage.fail_reason != reason) {
    failures->push_back(absl::StrCat("failed as ", reason, ", and was expected to fail as ",
                                     stage.fail_reason, ": ", result.message));
  }
  if (!absl::StrContains(result.message, stage.message_contains)) {
    failures->push_back(absl::StrCat("its message does not contain ", stage.message_contains, ": ",
                                     result.message));
  }
}

}  // namespace

StepReply ReplyOfMock(const WorkflowStep& step, const Json& mock) {
  StepReply reply;
  if (mock.is_object() && mock.contains("$fail")) {
    reply.ok = false;
    reply.message = TemplateText(mock["$fail"]);
    reply.output = mock.value("$output", Json());
    return reply;
  }
  const bool is_process =
      step.type == StepType::kCommand && mock.is_object() &&
      (mock.contains("exit_code") || mock.contains("stdout") || mock.contains("stderr"));
  if (!is_process) {
    reply.output = mock;
    return reply;
  }
  const int64_t code = JsonInt(mock, "exit_code").value_or(0);
  reply.ok = code == 0;
  const Json out = mock.value("stdout", Json(""));
  if (out.is_string()) {
    const absl::Status fits = SetOutput(step, out.get<std::string>(), &reply);
    if (!fits.ok() && reply.ok) {
      reply.ok = false;
      reply.message = std::string(fits.message());
    }
  } else {
    reply.output = out;
  }
  if (code != 0) {
    reply.message = absl::StrCat("exit status ", code);
    const std::string words = JsonString(mock, "stderr").value_or("");
    if (!words.empty()) absl::StrAppend(&reply.message, "\n", words);
  }
  return reply;
}

bool WorkflowCaseResult::passed() const {
  for (const Stage& stage : stages) {
    if (!stage.failures.empty()) return false;
  }
  return true;
}

absl::StatusOr<WorkflowCaseResult> PlayCase(const WorkflowCase& test, const Workflow& workflow,
                                            StepExecutor* executor,
                                            const WorkflowOptions& options) {
  WorkflowCaseResult report;
  report.name = test.name;
  report.skipped = test.skip;
  if (test.skip) return report;
  const absl::Duration start = options.clock->Monotonic();
  Json memory = Json::object();
  for (const WorkflowStage& stage : test.stages) {
    Workflow chosen = workflow;
    chosen.max_loops = stage.max_loops.value_or(workflow.max_loops);
    Mocks mocks(&stage);
    WorkflowOptions played = options;
    played.event = stage.event;
    played.variables.event = stage.event_data;
    played.variables.event["name"] = stage.event;
    played.variables.inputs = stage.inputs;
    played.variables.memory = memory;
    played.variables.memory.update(stage.memory);
    played.keep_history = true;
    if (stage.plays_expected) {
      for (const auto& [name, calls] : stage.calls) played.only.insert(name);
    }
    Played stage_played;
    std::mutex mutex;
    played.mock = [&](const StepCall& call) {
      const char* const key = call.step->type == StepType::kHuman ? "question" : "prompt";
      if (call.settings.contains(key)) {
        const std::lock_guard<std::mutex> lock(mutex);
        stage_played.prompts[call.step->name].push_back(call.settings[key]);
      }
      return mocks.Reply(call);
    };
    STILE_ASSIGN_OR_RETURN(stage_played.result,
                           WorkflowRunner(&chosen, executor, std::move(played)).Run());
    const WorkflowResult& result = stage_played.result;
    if (result.reason == StopReason::kCancelled) return absl::CancelledError(result.message);
    WorkflowCaseResult::Stage outcome;
    outcome.name = stage.name;
    outcome.runs = result.runs;
    CheckEnd(stage, result, &outcome.failures);
    mocks.Check(&outcome.failures);
    CheckCalls(stage, result, &outcome.failures);
    CheckSkipped(stage, result, &outcome.failures);
    for (const ExpectedOutput& expected : stage.outputs) {
      CheckOutput(expected, stage_played, &outcome.failures);
    }
    AddStepFailures(result, &outcome.failures);
    report.stages.push_back(std::move(outcome));
    memory = result.memory;
  }
  report.duration = options.clock->Monotonic() - start;
  return report;
}

}  // namespace stile
