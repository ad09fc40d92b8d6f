#include "runtime/workflow/workflow_runner.h"

#include "tests/unit/runtime/workflow/workflow_run.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class WorkflowRunnerTest : public WorkflowRunTest {};

// The plan of the agent builder: everything leads to refine, and refine to write.
constexpr char kBuilder[] = R"yaml(
routing: {max_loops: 10}
steps:
  write: {type: agent, prompt: Write.}
  lint: {type: command, depends_on: [write], exec: [lint], on_fail: {goto: refine}}
  validate: {type: command, depends_on: [write], exec: [validate], on_fail: {goto: refine}}
  verify:
    type: command
    depends_on: [lint, validate]
    exec: [verify]
    output_format: json
    fail_if: "output && Number(output.failures || 0) > 0"
    on_fail: {goto: refine}
  ready: {type: script, depends_on: [verify], content: "return {ready: outputs.verify.failures === 0}"}
  review: {type: agent, depends_on: [ready], if: "outputs.ready.ready === true", prompt: Review.}
  cleanup: {type: command, depends_on: [ready], if: "outputs.ready.ready === true", exec: [clean]}
  refine: {type: agent, manual: true, prompt: "Mend {{ outputs.verify | default: 'it' | json }}.", on_success: {goto: write}}
)yaml";

TEST_F(WorkflowRunnerTest, ThreeCyclesOfRefining) {
  steps.replies["verify"] = {Passes({{"failures", 2}}), Passes({{"failures", 1}}),
                             Passes({{"failures", 1}}), Passes({{"failures", 0}})};
  const WorkflowResult result = Run(kBuilder);
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs,
              UnorderedElementsAre(Pair("write", 4), Pair("lint", 4), Pair("validate", 4),
                                   Pair("verify", 4), Pair("refine", 3), Pair("ready", 1),
                                   Pair("review", 1), Pair("cleanup", 1)));
  // What refine was told: the output that had just failed.
  EXPECT_THAT(steps.settings()[4].at("prompt").get<std::string>(), HasSubstr("{\"failures\":2}"));
}

TEST_F(WorkflowRunnerTest, TwoStepsOfALayerThatJumpToOnePlaceJumpOnce) {
  steps.replies["lint"] = {Fails(), Passes()};
  steps.replies["validate"] = {Fails(), Passes()};
  steps.replies["verify"] = {Passes({{"failures", 0}})};
  const WorkflowResult result = Run(kBuilder);
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.runs.at("refine"), 1);
  EXPECT_EQ(result.runs.at("write"), 2);
  EXPECT_EQ(result.runs.at("verify"), 1);
}

TEST_F(WorkflowRunnerTest, NothingIsReadyBehindARedResult) {
  steps.replies["verify"] = {Fails("crashed")};
  steps.replies["refine"] = {Fails("no idea")};
  const WorkflowResult result = Run(kBuilder);
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(result.message, HasSubstr("refine: no idea"));
  EXPECT_EQ(StepOf(result, "review").reason, kSkipDependencyFailed);
  EXPECT_EQ(result.runs.count("review"), 0U);
}

TEST_F(WorkflowRunnerTest, NoTransitionWithoutABudget) {
  steps.replies["refine"] = {Fails()};
  const WorkflowResult result = Run(R"yaml(
routing: {max_loops: 0}
steps:
  refine: {type: agent, prompt: p, on_fail: {goto: after}}
  after: {type: noop, manual: true}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kLoopBudget);
  EXPECT_THAT(result.message, HasSubstr("refine"));
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("refine", 1)));
}

TEST_F(WorkflowRunnerTest, ExceedingTheLoopBudgetNamesTheStep) {
  const WorkflowResult result = Run(R"yaml(
routing: {max_loops: 3}
steps:
  a: {type: noop}
  b: {type: noop, depends_on: [a], on_success: {goto: a}}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kLoopBudget);
  EXPECT_THAT(result.message, HasSubstr("b leads on once more"));
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("a", 4), Pair("b", 4)));
}

TEST_F(WorkflowRunnerTest, MaxRunsOfAStep) {
  const WorkflowResult result = Run(R"yaml(
routing: {max_loops: 100}
steps:
  a: {type: noop, max_runs: 5, on_success: {goto: a}}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kLoopBudget);
  EXPECT_THAT(result.message, HasSubstr("a has run 5 times"));
  EXPECT_EQ(result.runs.at("a"), 5);
}

TEST_F(WorkflowRunnerTest, ARetryThatPassesIsASuccess) {
  steps.replies["flaky"] = {Fails(), Passes("fine")};
  const WorkflowResult result = Run(R"yaml(
routing: {max_loops: 0}
steps:
  flaky: {type: command, exec: [x], on_fail: {retry: {max: 1}}}
  after: {type: noop, depends_on: [flaky]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("flaky", 2), Pair("after", 1)));
}

TEST_F(WorkflowRunnerTest, BackoffIsAwaited) {
  steps.replies["flaky"] = {Fails()};
  Run(R"yaml(
steps:
  flaky:
    type: command
    exec: [x]
    on_fail: {retry: {max: 3, backoff: {mode: exponential, delay_ms: 100}}}
)yaml");
  EXPECT_THAT(clock.sleeps(), ElementsAre(absl::Milliseconds(100), absl::Milliseconds(200),
                                          absl::Milliseconds(400)));
  steps.replies["flaky"] = {Fails()};
  Run("steps: {flaky: {type: command, exec: [x], on_fail: {retry: {max: 2, backoff: {delay_ms: "
      "30}}}}}");
  EXPECT_THAT(clock.sleeps().back(), absl::Milliseconds(30));
  EXPECT_EQ(clock.sleeps().size(), 5U);
}

TEST_F(WorkflowRunnerTest, RunThenRetryThenTransitionsThenGoto) {
  steps.replies["work"] = {Fails("1"), Fails("2"), Passes()};
  const WorkflowResult result = Run(R"yaml(
steps:
  work:
    type: command
    exec: [x]
    on_fail:
      run: [mend]
      retry: {max: 1}
      transitions: [{when: "errors.work === 'no'", to: never}, {when: "errors.work === '2'", to: way}]
      goto: never
  mend: {type: command, manual: true, exec: [m]}
  way: {type: command, manual: true, exec: [w], on_success: {goto: work}}
  never: {type: command, manual: true, exec: [n]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(steps.calls(), ElementsAre("work", "mend", "work", "mend", "way", "work"));
}

TEST_F(WorkflowRunnerTest, ATransitionToNullStopsThere) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: noop, on_success: {transitions: [{when: "true", to: null}], goto: b}}
  b: {type: noop, manual: true}
)yaml");
  EXPECT_TRUE(result.ok());
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("a", 1)));
}

TEST_F(WorkflowRunnerTest, ScriptsChooseTheWay) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a:
    type: script
    content: "return {next: 'c'}"
    on_success: {run_js: "return ['b', 'b']", goto_js: "return output.next"}
  b: {type: noop, manual: true}
  c: {type: noop, manual: true, on_success: {goto_js: "return null", goto: d}}
  d: {type: noop, manual: true}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs,
              UnorderedElementsAre(Pair("a", 1), Pair("b", 2), Pair("c", 1), Pair("d", 1)));
}

TEST_F(WorkflowRunnerTest, ARouteThatFailsFailsItsStep) {
  for (const char* routing :
       {"goto_js: 'return missing.name'", "goto_js: 'return \"nowhere\"'", "run_js: 'return [1]'",
        "transitions: [{when: 'nothing.here', to: b}]", "run_js: 'throw 1'"}) {
    const WorkflowResult result =
        Run(absl::StrCat("steps:\n  a:\n    type: noop\n    on_success:\n      ", routing,
                         "\n  b: {type: noop, depends_on: [a]}\n"));
    EXPECT_EQ(result.reason, StopReason::kStepFailed) << routing;
    EXPECT_EQ(StepOf(result, "b").reason, kSkipDependencyFailed) << routing;
  }
}

TEST_F(WorkflowRunnerTest, AnAncestorRunsAloneThenTheStepThatJumped) {
  steps.replies["c"] = {Fails(), Passes()};
  const char* const text = R"yaml(
steps:
  a: {type: command, exec: [x]}
  b: {type: command, depends_on: [a], exec: [x]}
  c: {type: command, depends_on: [b], exec: [x], on_fail: {goto: a}}
  d: {type: command, depends_on: [c], exec: [x]}
  e: {type: command, depends_on: [a], exec: [x]}
)yaml";
  EXPECT_TRUE(Run(text).ok());
  std::vector<std::string> calls = steps.calls();
  calls.erase(std::remove(calls.begin(), calls.end(), "e"), calls.end());
  EXPECT_EQ(steps.calls().size(), calls.size() + 1);
  EXPECT_THAT(calls, ElementsAre("a", "b", "c", "a", "c", "d"));
}

TEST_F(WorkflowRunnerTest, ForwardRunsWhatLiesBetweenToo) {
  steps.replies["c"] = {Fails(), Passes()};
  const WorkflowResult result = Run(R"yaml(
max_parallelism: 1
steps:
  a: {type: command, exec: [x]}
  b: {type: command, depends_on: [a], exec: [x]}
  c: {type: command, depends_on: [b], exec: [x], on_fail: {goto: {to: a, then: forward}}}
  e: {type: command, depends_on: [a], exec: [x]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(steps.calls(), ElementsAre("a", "b", "e", "c", "a", "b", "c"));
}

TEST_F(WorkflowRunnerTest, WhatWaitedIsNotDroppedByAJump) {
  steps.replies["check"] = {Fails(), Passes()};
  const WorkflowResult result = Run(R"yaml(
max_parallelism: 1
steps:
  prepare: {type: command, exec: [x]}
  check: {type: command, exec: [x], on_fail: {goto: mend}}
  other: {type: command, depends_on: [prepare], exec: [x]}
  last: {type: command, depends_on: [other, check], exec: [x]}
  mend: {type: command, manual: true, exec: [x], on_success: {goto: check}}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  // `last` is in the forward run of `check` and needs `other`, which had not had its turn.
  EXPECT_THAT(steps.calls(), ElementsAre("prepare", "check", "mend", "check", "other", "last"));
}

TEST_F(WorkflowRunnerTest, WhatTheForwardRunHasDoneIsNotDoneAgain) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: noop}
  first: {type: script, content: "return attempt", on_success: {transitions: [{when: "output === 1", to: b}]}}
  b: {type: noop, depends_on: [a]}
  c: {type: noop, depends_on: [b]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs,
              UnorderedElementsAre(Pair("a", 1), Pair("first", 1), Pair("b", 1), Pair("c", 1)));
}

TEST_F(WorkflowRunnerTest, ExpressionsThatFailFailClosed) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: noop, if: "missing.member"}
  b: {type: noop, assume: "throw_me()"}
  c: {type: noop, fail_if: "missing.member", continue_on_failure: true}
  d: {type: noop, guarantee: "missing.member", continue_on_failure: true}
  e: {type: noop, if: "false"}
  f: {type: noop, depends_on: [e]}
  g: {type: noop, fail_if: "while (true) {}", continue_on_failure: true}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(StepOf(result, "a").verdict, StepVerdict::kSkipped);
  EXPECT_THAT(StepOf(result, "a").message, HasSubstr("missing"));
  EXPECT_EQ(StepOf(result, "b").reason, kSkipAssume);
  EXPECT_EQ(StepOf(result, "c").verdict, StepVerdict::kFailed);
  EXPECT_THAT(StepOf(result, "c").message, HasSubstr("fail_if: "));
  EXPECT_EQ(StepOf(result, "d").verdict, StepVerdict::kFailed);
  EXPECT_EQ(StepOf(result, "e").reason, kSkipCondition);
  EXPECT_EQ(StepOf(result, "f").reason, kSkipDependencySkipped);
  EXPECT_THAT(StepOf(result, "g").message, HasSubstr("did not end"));
}

TEST_F(WorkflowRunnerTest, SchemaAndGuaranteeDecideAfterwards) {
  steps.replies["a"] = {Passes({{"n", "three"}})};
  steps.replies["b"] = {Passes({{"n", 3}})};
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: tool, tool: t, schema: {type: object, properties: {n: {type: integer}}}}
  b: {type: tool, tool: t, guarantee: "output.n > 3"}
  c: {type: tool, tool: t, guarantee: "output === null"}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(StepOf(result, "a").message, HasSubstr("does not fit the schema"));
  EXPECT_THAT(StepOf(result, "b").message, HasSubstr("guarantee: output.n > 3"));
  EXPECT_EQ(StepOf(result, "c").verdict, StepVerdict::kPassed);
}

TEST_F(WorkflowRunnerTest, DependenciesAreAllOfAndAnyOf) {
  steps.replies["a"] = {Fails()};
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: command, exec: [x]}
  b: {type: noop}
  all: {type: noop, depends_on: [a, b]}
  any: {type: noop, depends_on: ["a|b"]}
  behind: {type: noop, depends_on: [all]}
  allowed: {type: command, exec: [x], continue_on_failure: true, fail_if: "true"}
  after: {type: noop, depends_on: [allowed]}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_EQ(StepOf(result, "all").reason, kSkipDependencyFailed);
  EXPECT_EQ(StepOf(result, "behind").reason, kSkipDependencyFailed);
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("a", 1), Pair("b", 1), Pair("any", 1),
                                                Pair("allowed", 1), Pair("after", 1)));
}

TEST_F(WorkflowRunnerTest, ManualStepsWakeWhatDependsOnThem) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: noop, on_success: {run: [m]}}
  m: {type: noop, manual: true}
  d: {type: noop, depends_on: [m]}
  n: {type: noop, manual: true}
  e: {type: noop, depends_on: [n]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("a", 1), Pair("m", 1), Pair("d", 1)));
  EXPECT_EQ(StepOf(result, "e").reason, kSkipDependencyNotRun);
}

TEST_F(WorkflowRunnerTest, StepsOfOtherEventsTakeNoPart) {
  const char* const text = R"yaml(
steps:
  a: {type: noop}
  b: {type: noop, on: [pull_request]}
  c: {type: noop, on: [manual, pull_request], if: "event.name === 'pull_request'"}
)yaml";
  EXPECT_THAT(Run(text).runs, UnorderedElementsAre(Pair("a", 1)));
  options.event = "pull_request";
  options.variables.event = {{"name", "pull_request"}};
  EXPECT_THAT(Run(text).runs, UnorderedElementsAre(Pair("a", 1), Pair("b", 1), Pair("c", 1)));
}

TEST_F(WorkflowRunnerTest, ALayerRunsInParallelUpToTheLimit) {
  CountCallsAtOnce(2);
  std::string text = "max_parallelism: 2\nsteps:\n";
  for (int i = 0; i < 8; ++i) absl::StrAppend(&text, "  s", i, ": {type: command, exec: [x]}\n");
  EXPECT_TRUE(Run(text).ok());
  EXPECT_EQ(most_at_once, 2);
  CountCallsAtOnce(1);
  text = "steps:\n";
  for (int i = 0; i < 4; ++i) absl::StrAppend(&text, "  s", i, ": {type: agent, prompt: x}\n");
  EXPECT_TRUE(Run(text).ok());
  EXPECT_EQ(most_at_once, 1);  // they work on the same files
}

TEST_F(WorkflowRunnerTest, MemoryIsSharedBySteps) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: memory, operation: set, key: n, value_js: "({deep: [1, 2]})"}
  b: {type: memory, operation: increment, key: count, depends_on: [a]}
  c: {type: memory, operation: increment, key: count, value: 2, depends_on: [b]}
  d: {type: memory, operation: append, key: list, value: "{{ memory.n.deep | json }}", depends_on: [a]}
  e: {type: memory, operation: get, key: n, depends_on: [a]}
  f: {type: memory, operation: delete, key: n, depends_on: [e, d]}
  g: {type: memory, operation: append, key: count, value: x, depends_on: [c]}
)yaml");
  EXPECT_EQ(result.memory, Json({{"count", 3}, {"list", {"[1,2]"}}}));
  EXPECT_EQ(result.outputs.at("e"), Json({{"deep", {1, 2}}}));
  EXPECT_EQ(StepOf(result, "g").verdict, StepVerdict::kFailed);
}

TEST_F(WorkflowRunnerTest, ATemplateThatCannotBeFilledLeadsNowhere) {
  const WorkflowResult result = Run(R"yaml(
routing: {max_loops: 5}
steps:
  a: {type: script, content: "return {n: 1}"}
  b: {type: command, depends_on: [a], exec: "echo {{ outputs.a.typo }}", on_fail: {retry: {max: 3}, run: [note], goto: a}}
  note: {type: noop, manual: true}
  last: {type: noop, depends_on: [b]}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(result.message, HasSubstr("b: exec: line 1: there is no outputs.a.typo"));
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("a", 1), Pair("b", 1)));
  EXPECT_EQ(StepOf(result, "last").verdict, StepVerdict::kSkipped);
}

TEST_F(WorkflowRunnerTest, TemplatesThatFailFailTheirStepAlone) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: command, exec: ["echo", "{{ outputs.nothing }}"]}
  b: {type: command, exec: "echo {{ outputs.nothing | default: 'none' }} {{ slug }}", env: {X: "{{ inputs.slug }}"}}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(StepOf(result, "a").message, HasSubstr("exec: "));
  EXPECT_THAT(StepOf(result, "b").message, HasSubstr("slug"));
  options.variables.inputs = {{"slug", "abc"}};
  EXPECT_THAT(StepOf(Run("steps: {b: {type: command, exec: 'x {{ slug }}'}}"), "b").verdict,
              StepVerdict::kPassed);
  EXPECT_EQ(steps.settings().back().at("exec"), "x abc");
}

TEST_F(WorkflowRunnerTest, OurOwnFailuresAndCancellationEndTheRun) {
  steps.broken = absl::DataLossError("the disk is full");
  WorkflowResult result = Run("steps: {a: {type: command, exec: [x], on_fail: {goto: a}}}");
  EXPECT_EQ(result.reason, StopReason::kInternal);
  EXPECT_THAT(result.message, HasSubstr("a: the disk is full"));
  steps.broken = absl::CancelledError("");
  EXPECT_EQ(Run("steps: {a: {type: command, exec: [x]}}").reason, StopReason::kCancelled);
  steps.broken = absl::OkStatus();
  options.on_progress = [] { return absl::DataLossError("no space"); };
  EXPECT_EQ(Run("steps: {a: {type: command, exec: [x]}}").reason, StopReason::kInternal);
  EXPECT_EQ(Run("steps: {a: {type: agent, prompt: x}}").reason, StopReason::kInternal);
  EXPECT_EQ(Run("steps: {a: {type: noop}}").reason, StopReason::kNone);
  Cancellation cancellation;
  cancellation.Cancel();
  options.cancellation = &cancellation;
  result = Run("steps: {a: {type: noop}}");
  EXPECT_EQ(result.reason, StopReason::kCancelled);
  EXPECT_THAT(result.runs, IsEmpty());
}

TEST_F(WorkflowRunnerTest, StepsThatRunEachOtherEnd) {
  const WorkflowResult result = Run(R"yaml(
routing: {max_loops: 1000000}
steps:
  a: {type: noop, max_runs: 1000000, on_success: {run: [b]}}
  b: {type: noop, max_runs: 1000000, manual: true, on_success: {run: [a]}}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kLoopBudget);
  EXPECT_THAT(result.message, HasSubstr("nested more than"));
}

TEST_F(WorkflowRunnerTest, NestedWorkflows) {
  steps.workflows["inner.yaml"] =
      "steps: {x: {type: script, content: 'return inputs.n + 1'}, y: {type: noop, depends_on: "
      "[x]}}";
  steps.workflows["self.yaml"] = "steps: {again: {type: workflow, file: self.yaml}}";
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: workflow, file: inner.yaml, inputs: {n: 41}}
  b: {type: script, depends_on: [a], content: "return outputs.a.x"}
  c: {type: workflow, file: self.yaml}
  d: {type: workflow, file: gone.yaml}
)yaml");
  EXPECT_EQ(result.outputs.at("b"), 42);
  EXPECT_EQ(result.runs.at("a/x"), 1);
  EXPECT_THAT(StepOf(result, "c").message, HasSubstr("nested 3 deep"));
  EXPECT_THAT(StepOf(result, "d").message, HasSubstr("gone.yaml"));
}

TEST_F(WorkflowRunnerTest, JumpsOfOneLayerToOnePlaceAreJoinedWithoutLosingAny) {
  WorkflowResult result = Run(R"yaml(
steps:
  T: {type: script, content: "return attempt"}
  A: {type: script, depends_on: [T], content: "return outputs.T", fail_if: "output < 2", on_fail: {goto: T}}
  B: {type: script, depends_on: [T], content: "return outputs.T", fail_if: "output < 2", on_fail: {goto: T}}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("T", 2), Pair("A", 2), Pair("B", 2)));
  // One of them runs its ancestor alone, the other one all that depends on it.
  result = Run(R"yaml(
steps:
  T: {type: script, content: "return attempt"}
  A: {type: script, depends_on: [T], content: "return outputs.T", on_success: {transitions: [{when: "attempt==1", to: T}]}}
  D: {type: script, depends_on: [T], content: "return outputs.T"}
  x: {type: noop}
  C: {type: script, depends_on: [x], content: "return 1", on_success: {transitions: [{when: "attempt==1", to: T}]}}
  DD: {type: script, depends_on: [D], content: "return outputs.D"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.outputs.at("DD"), 2);
  EXPECT_EQ(result.runs.at("D"), 2);
}

TEST_F(WorkflowRunnerTest, TheLatestRunOfAStepHasTheLastWord) {
  const WorkflowResult result = Run(R"yaml(
steps:
  A: {type: noop, on_success: {run: [B]}}
  B: {type: script, content: "if (attempt < 2) throw new Error('x'); return attempt"}
  C: {type: script, depends_on: [B], content: "return outputs_history.B"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.outputs.at("C"), Json({nullptr, 2}));
}

TEST_F(WorkflowRunnerTest, WhatIsRunBeforeItsTurnIsNotLost) {
  const WorkflowResult result = Run(R"yaml(
steps:
  A: {type: noop, on_success: {run: [B]}}
  Y: {type: noop, depends_on: [A]}
  B: {type: noop, depends_on: [Y]}
  C: {type: noop, depends_on: [B]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs,
              UnorderedElementsAre(Pair("A", 1), Pair("Y", 1), Pair("B", 1), Pair("C", 1)));
}

TEST_F(WorkflowRunnerTest, ExpressionsSeeAllStepsWhereTheyMayNameAny) {
  const WorkflowResult result = Run(R"yaml(
steps:
  t-1: {type: script, content: "return 1"}
  a: {type: noop, depends_on: [t-1], if: "outputs.hasOwnProperty('t-1')"}
  b: {type: noop, depends_on: [t-1], if: "outputs.valueOf()['t-1'] === 1"}
  c: {type: noop, depends_on: [t-1], if: "globalThis['out' + 'puts']['t-1'] === 1"}
  d: {type: noop, depends_on: [t-1], if: "var o = outputs; o['t-' + '1'] === 1"}
  e: {type: noop, depends_on: [t-1], if: "outputs /* x */ ['t-1'] === 1 && Object.keys(outputs).length > 0"}
  f: {type: log, depends_on: [t-1], message: "{{ outputs.size }} {{ outputs.t-1 }}"}
)yaml");
  for (const char* step : {"a", "b", "c", "d", "e"}) EXPECT_EQ(result.runs.count(step), 1U) << step;
  EXPECT_EQ(result.outputs.at("f"), "1 1");
}

TEST_F(WorkflowRunnerTest, StepsWhoseInputCannotBeMadeFail) {
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: log, message: "{{ nope }}"}
  b: {type: memory, operation: increment, key: n, value_js: "'x'"}
  c: {type: memory, operation: get, key: n, depends_on: [d]}
  d: {type: memory, operation: increment, key: big, value: 1.7e308}
  e: {type: memory, operation: increment, key: big, value: 1.7e308, depends_on: [d]}
)yaml");
  EXPECT_THAT(StepOf(result, "a").message, HasSubstr("nope"));
  EXPECT_EQ(StepOf(result, "b").verdict, StepVerdict::kFailed);
  EXPECT_EQ(result.outputs.at("c"), nullptr);
  EXPECT_EQ(StepOf(result, "e").verdict, StepVerdict::kFailed);
}

TEST_F(WorkflowRunnerTest, InputsHideNothing) {
  options.variables.inputs = {{"count", 3}, {"JSON", 4}, {"slug", "x"}};
  const WorkflowResult result = Run(R"yaml(
steps:
  a: {type: script, content: "return count([1]) + JSON.stringify(inputs.count) + slug"}
)yaml");
  EXPECT_EQ(result.outputs.at("a"), "13x");
}

constexpr char kReporting[] = R"yaml(
steps:
  a: {type: agent, prompt: x, on_fail: {retry: {max: 1}}}
  b: {type: noop, if: "false"}
report:
  content: |
    return {ok: result.ok, why: result.reason, failed: result.failed, skipped: result.skipped, runs: result.runs.a,
            ms: result.duration_ms, steps: Object.keys(result.step_ms), spent: result.step_ms.a >= 0, tokens: tokens_history.a, all: result.tokens, door: result.door,
            before: count(earlier, function (one) { return one.ok; }), n: inputs.n, a: outputs.a};
  schema: {type: object, required: [ok], properties: {n: {type: integer}}}
)yaml";

TEST_F(WorkflowRunnerTest, ReportsHoweverItEnds) {
  steps.replies["a"] = {Fails("no"), Passes("yes")};
  for (StepReply& reply : steps.replies["a"]) reply.usage.input_tokens = 5;
  options.about = {{"door", "open"}};
  options.earlier = {{{"ok", true}}, {{"ok", false}}};
  options.spent = absl::Milliseconds(40);
  options.variables.inputs = {{"n", 1}};
  WorkflowResult result = Run(kReporting);
  EXPECT_TRUE(result.ok()) << result.message;
  const Json wanted = {
      {"ok", true},       {"why", ""}, {"failed", Json::array()}, {"skipped", {{"b", "condition"}}},
      {"runs", 2},        {"ms", 40},  {"steps", {"a"}},          {"spent", true},
      {"tokens", {5, 5}}, {"all", 10}, {"door", "open"},          {"before", 1},
      {"n", 1},           {"a", "yes"}};
  EXPECT_EQ(result.report, wanted);

  steps.replies["a"] = {Fails("no")};
  result = Run(kReporting);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.report["why"], "step_failed");
  EXPECT_EQ(result.report["failed"], Json({"a"}));
}

TEST_F(WorkflowRunnerTest, AReportThatIsNoneFailsTheRun) {
  options.variables.inputs = {{"n", "many"}};
  WorkflowResult result = Run(kReporting);
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(result.message, HasSubstr("there is no report: the report does not fit the schema"));
  EXPECT_TRUE(result.report.is_null());
  result = Run("steps: {a: {type: noop}}\nreport: {content: \"throw new Error('oops')\"}");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(result.message, HasSubstr("oops"));
  // What failed before keeps its reason.
  result =
      Run("routing: {max_loops: 0}\nsteps: {a: {type: noop, on_success: {goto: a}}}\n"
          "report: {content: \"throw 1\"}");
  EXPECT_EQ(result.reason, StopReason::kLoopBudget);
}

TEST_F(WorkflowRunnerTest, ANestedWorkflowGivesItsReport) {
  steps.workflows["inner.yaml"] =
      "steps: {x: {type: script, content: return 2}}\nreport: {content: return outputs.x * 3}";
  const WorkflowResult result = Run("steps: {in: {type: workflow, file: inner.yaml}}");
  EXPECT_EQ(result.outputs.at("in"), 6);
}

}  // namespace
}  // namespace stile
