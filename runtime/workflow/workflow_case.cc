// Playing one case of workflow_tests.h.
#include <re2/re2.h>

#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workflow/template_value.h"
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
    if (values == stage_.each.end()) return std::nullopt;
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t turn = turns_[name]++;
    if (turn < values->second.size()) return ReplyOfMock(*call.step, values->second[turn]);
    StepReply reply;
    reply.ok = false;
    reply.message = absl::StrCat("there is no mock for call ", turn + 1, " of ", name);
    return reply;
  }

  // Mocks that were asked for too often, or not all of them.
  void Check(std::vector<std::string>* failures) {
    for (const auto& [name, values] : stage_.each) {
      const size_t calls = turns_[name];
      if (calls == values.size()) continue;
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
    if (ran == wanted) continue;
    failures->push_back(absl::StrCat(name, " ran ", Count(static_cast<size_t>(ran), "time"),
                                     ", expected ", wanted));
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

std::string NameOf(const ExpectedOutput& expected) {
  return expected.step.empty() ? "the report" : expected.step;
}

// The value that is judged; an error says why there is none.
absl::StatusOr<Json> ValueOf(const ExpectedOutput& expected, const WorkflowResult& result) {
  Json output;
  if (expected.step.empty()) {
    if (result.report.is_null()) return absl::NotFoundError("there is no report");
    output = result.report;
  } else if (expected.index.has_value()) {
    const auto history = result.history.find(expected.step);
    const auto index = static_cast<size_t>(*expected.index);
    if (history == result.history.end() || index >= history->second.size()) {
      return absl::NotFoundError(absl::StrCat(expected.step, " has no run ", index));
    }
    output = history->second[index];
  } else if (result.outputs.contains(expected.step)) {
    output = result.outputs[expected.step];
  } else {
    return absl::NotFoundError(absl::StrCat(expected.step, " has no output"));
  }
  if (expected.path.empty()) return output;
  const Json scope = {{"output", output}};
  STILE_ASSIGN_OR_RETURN(
      const TemplateExpression path,
      ParseTemplateExpression(
          absl::StrCat("output", absl::StartsWith(expected.path, "[") ? "" : ".", expected.path)));
  auto value = path.operand.Value(TemplateScope(&scope));
  if (!value.has_value()) {
    return absl::NotFoundError(
        absl::StrCat(NameOf(expected), " has no ", expected.path, " in ", Shown(output)));
  }
  return *std::move(value);
}

void CheckOutput(const ExpectedOutput& expected, const WorkflowResult& result,
                 std::vector<std::string>* failures) {
  const auto value = ValueOf(expected, result);
  if (!value.ok()) {
    failures->push_back(absl::StrCat(expected.place, ": ", value.status().message()));
    return;
  }
  const std::string text = TemplateText(*value);
  std::string wrong;
  if (expected.equals.has_value() && *value != *expected.equals) {
    wrong = absl::StrCat("is not ", Shown(*expected.equals));
  } else if (!absl::StrContains(text, expected.contains)) {
    wrong = absl::StrCat("does not contain ", expected.contains);
  } else if (!expected.matches.empty() && !RE2::PartialMatch(text, RE2(expected.matches))) {
    wrong = absl::StrCat("does not match ", expected.matches);
  }
  if (wrong.empty()) return;
  failures->push_back(absl::StrCat(expected.place, ": ", NameOf(expected),
                                   expected.path.empty() ? "" : " ", expected.path, " ", wrong,
                                   " but ", Shown(*value)));
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
  const absl::Duration start = options.clock->Monotonic();
  Json memory = Json::object();
  for (const WorkflowStage& stage : test.stages) {
    Workflow chosen = workflow;
    chosen.max_loops = stage.max_loops.value_or(workflow.max_loops);
    Mocks mocks(&stage);
    WorkflowOptions played = options;
    played.event = stage.event;
    played.variables.event = {{"name", stage.event}};
    played.variables.inputs = stage.inputs;
    played.variables.memory = memory;
    played.variables.memory.update(stage.memory);
    played.keep_history = true;
    played.mock = [&mocks](const StepCall& call) { return mocks.Reply(call); };
    STILE_ASSIGN_OR_RETURN(const WorkflowResult result,
                           WorkflowRunner(&chosen, executor, std::move(played)).Run());
    if (result.reason == StopReason::kCancelled) return absl::CancelledError(result.message);
    WorkflowCaseResult::Stage outcome;
    outcome.name = stage.name;
    outcome.runs = result.runs;
    CheckEnd(stage, result, &outcome.failures);
    mocks.Check(&outcome.failures);
    CheckCalls(stage, result, &outcome.failures);
    CheckSkipped(stage, result, &outcome.failures);
    for (const ExpectedOutput& expected : stage.outputs) {
      CheckOutput(expected, result, &outcome.failures);
    }
    report.stages.push_back(std::move(outcome));
    memory = result.memory;
  }
  report.duration = options.clock->Monotonic() - start;
  return report;
}

}  // namespace stile
