// A run that was killed goes on, and many steps cost what they are.
#include "tests/unit/runtime/workflow/workflow_run.h"

namespace stile {
namespace {

using testing::HasSubstr;

constexpr char kLoop[] = R"yaml(
max_parallelism: 1
steps:
  list: {type: command, exec: [l], forEach: true}
  work: {type: command, depends_on: [list], exec: ["{{ outputs.list }}"], on_fail: {retry: {max: 1, backoff: {delay_ms: 10}}}}
  note: {type: memory, operation: increment, key: n, depends_on: [work]}
  gather: {type: command, depends_on: [note], fanout: reduce, exec: [g], on_fail: {goto: mend}}
  mend: {type: agent, manual: true, prompt: "{{ outputs.work | json }} {{ memory.n }}", on_success: {goto: list}}
  inner: {type: workflow, depends_on: [gather], file: inner.yaml}
)yaml";

class WorkflowResumeTest : public WorkflowRunTest {
 protected:
  void Script(ScriptedSteps* scripted) {
    scripted->replies["list"] = {Passes({"a", "b"})};
    scripted->replies["work"] = {Passes(1), Fails(), Passes(2), Passes(3), Passes(4)};
    scripted->replies["gather"] = {Fails("no"), Passes("yes")};
    scripted->workflows["inner.yaml"] = "steps: {x: {type: command, exec: [x]}}";
  }

  struct Outcome {
    absl::Status status;
    WorkflowResult result;
    std::vector<Event> events;
    std::vector<std::string> calls;
  };

  // Ends as a killed process does after so many calls of steps (-1: never).
  Outcome Play(int calls_before_death, const std::vector<Event>& before) {
    ScriptedSteps scripted;
    Script(&scripted);
    // What ran before the kill has had its replies.
    for (const Event& event : before) {
      if (event.type != EventType::kWorkflowStepFinished) continue;
      auto& replies = scripted.replies[event.data.at("step")];
      if (replies.size() > 1) replies.erase(replies.begin());
    }
    Outcome outcome;
    EventStream events("r", &clock);
    int calls = 0;
    bool dead = false;
    events.AddSink([&](const Event& event) {
      if (!dead) outcome.events.push_back(event);
    });
    scripted.on_call = [&](const StepCall&) { dead = dead || calls++ == calls_before_death; };
    auto workflow = ParseWorkflow(kLoop, "w.yaml");
    EXPECT_TRUE(workflow.ok());
    WorkflowOptions settings;
    settings.clock = &clock;
    settings.events = &events;
    auto records = StepRecords::FromEvents(before);
    EXPECT_TRUE(records.ok()) << records.status();
    settings.records = std::make_shared<const StepRecords>(*std::move(records));
    auto result = WorkflowRunner(&*workflow, &scripted, std::move(settings)).Run();
    outcome.status = result.status();
    if (result.ok()) outcome.result = *std::move(result);
    outcome.calls = scripted.calls();
    return outcome;
  }
};

TEST_F(WorkflowResumeTest, KilledAnywhereItComesToTheSameEnd) {
  const Outcome whole = Play(-1, {});
  ASSERT_TRUE(whole.result.ok()) << whole.result.message;
  EXPECT_EQ(whole.result.runs.at("work"), 5);
  EXPECT_EQ(whole.result.runs.at("mend"), 1);
  EXPECT_EQ(whole.result.runs.at("inner/x"), 1);
  const int calls = static_cast<int>(whole.calls.size());
  EXPECT_EQ(calls, 11);
  for (int kill = 0; kill < calls; ++kill) {
    const Outcome first = Play(kill, {});
    const Outcome second = Play(-1, first.events);
    EXPECT_EQ(second.result.runs, whole.result.runs) << kill;
    EXPECT_EQ(second.result.outputs, whole.result.outputs) << kill;
    EXPECT_EQ(second.result.memory, whole.result.memory) << kill;
    // Nothing that had ended is done again.
    EXPECT_EQ(static_cast<int>(second.calls.size()), calls - kill) << kill;
    // And once more, killed in its second life.
    if (kill + 1 == calls) continue;
    std::vector<Event> events = first.events;
    for (const Event& event : Play(1, first.events).events) events.push_back(event);
    EXPECT_EQ(Play(-1, events).result.runs, whole.result.runs) << kill;
  }
}

TEST_F(WorkflowResumeTest, RecordsOfAnotherInputAreNotUsed) {
  Outcome first = Play(3, {});
  for (Event& event : first.events) {
    if (event.type == EventType::kWorkflowStepFinished) event.data["input_sha256"] = "0";
  }
  const Outcome second = Play(-1, first.events);
  EXPECT_EQ(second.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(second.status.message(), HasSubstr("another input"));
}

TEST_F(WorkflowResumeTest, DamagedRecordsAreAnError) {
  Event event;
  event.type = EventType::kWorkflowStepFinished;
  event.data = {{"scope", 1}};
  EXPECT_EQ(StepRecords::FromEvents({event}).status().code(), absl::StatusCode::kDataLoss);
}

// Ten thousand steps in a row, beside each other, and for items; see tests/bench for how fast.
TEST_F(WorkflowResumeTest, ManySteps) {
  std::string chain = "steps:\n  s0: {type: noop}\n";
  std::string wide = "steps:\n";
  for (int i = 1; i < 10'000; ++i) {
    absl::StrAppend(&chain, "  s", i, ": {type: noop, depends_on: [s", i - 1, "]}\n");
    absl::StrAppend(&wide, "  s", i, ": {type: noop}\n");
  }
  EXPECT_EQ(Run(chain).runs.size(), 10'000U);
  EXPECT_EQ(Run(wide).runs.size(), 9'999U);
  const WorkflowResult items = Run(R"yaml(
steps:
  list: {type: script, content: "var l = []; for (var i = 0; i < 5000; i++) l.push(i); return l", forEach: true}
  a: {type: noop, depends_on: [list]}
  b: {type: noop, depends_on: [a]}
  all: {type: script, depends_on: [b], fanout: reduce, content: "return outputs.list.length"}
)yaml");
  EXPECT_EQ(items.runs.at("b"), 5000);
  EXPECT_EQ(items.outputs.at("all"), 5000);
}

}  // namespace
}  // namespace stile
