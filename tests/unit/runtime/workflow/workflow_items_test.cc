// Steps that run for the items of lists.
#include "tests/unit/runtime/workflow/workflow_run.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

class WorkflowItemsTest : public WorkflowRunTest {};

TEST_F(WorkflowItemsTest, OnSuccessRunsForItemsAndOnceForAll) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list:
    type: script
    content: "return ['a', 'b', 'c']"
    forEach: true
    on_success:
      run:
        - {step: per-item, fanout: map}
        - {step: aggregate, fanout: reduce}
  per-item: {type: script, manual: true, content: "return outputs.list + forEach.index"}
  aggregate: {type: script, manual: true, content: "return outputs['per-item']"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs,
              UnorderedElementsAre(Pair("list", 1), Pair("per-item", 3), Pair("aggregate", 1)));
  EXPECT_EQ(result.outputs.at("aggregate"), Json({"a0", "b1", "c2"}));
}

TEST_F(WorkflowItemsTest, TheSameWhereTheyAlsoDependOnTheList) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return [1, 2, 3]", forEach: true, on_success: {run: [per-item, aggregate]}}
  per-item: {type: noop, depends_on: [list]}
  aggregate: {type: noop, fanout: reduce, depends_on: [per-item]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs,
              UnorderedElementsAre(Pair("list", 1), Pair("per-item", 3), Pair("aggregate", 1)));
}

TEST_F(WorkflowItemsTest, MapAndReduce) {
  steps.replies["work"] = {Passes("x"), Passes(), Passes("z")};
  const WorkflowResult result = Run(R"yaml(
max_parallelism: 1
steps:
  list: {type: script, content: "return ['a', 'b', 'c']", forEach: true}
  work: {type: command, depends_on: [list], exec: ["w", "{{ outputs.list }}", "{{ forEach.index }}/{{ forEach.total }}"]}
  then: {type: script, depends_on: [work], content: "return [outputs.list, outputs.work, outputs_raw.list.length]"}
  gather: {type: script, depends_on: [then], fanout: reduce, content: "return {works: outputs.work, raw: outputs.list}"}
  last: {type: noop, depends_on: [gather]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("list", 1), Pair("work", 3), Pair("then", 3),
                                                Pair("gather", 1), Pair("last", 1)));
  EXPECT_THAT(steps.calls(), ElementsAre("list[0]:work", "list[1]:work", "list[2]:work"));
  EXPECT_EQ(steps.settings()[1].at("exec"), Json({"w", "b", "1/3"}));
  // An item without output keeps its place.
  EXPECT_EQ(result.outputs.at("gather"),
            Json({{"works", {"x", nullptr, "z"}}, {"raw", {"a", "b", "c"}}}));
  EXPECT_EQ(result.outputs.at("then")[1], Json({"b", nullptr, 3}));
}

TEST_F(WorkflowItemsTest, ListsWithinLists) {
  const WorkflowResult result = Run(R"yaml(
steps:
  outer: {type: script, content: "return [[1, 2], [3]]", forEach: true}
  inner: {type: script, depends_on: [outer], content: "return outputs.outer", forEach: true}
  leaf:
    type: script
    depends_on: [inner]
    content: "return forEach.parent.index + '.' + forEach.index + '=' + outputs.inner"
  row: {type: script, depends_on: [leaf], fanout: reduce, content: "return outputs.leaf.join(' ')"}
  all: {type: script, depends_on: [row], fanout: reduce, content: "return outputs.row"}
  deep: {type: script, depends_on: [all], content: "return outputs.leaf"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("outer", 1), Pair("inner", 2), Pair("leaf", 3),
                                                Pair("row", 2), Pair("all", 1), Pair("deep", 1)));
  EXPECT_EQ(result.outputs.at("all"), Json({"0.0=1 0.1=2", "1.0=3"}));
  EXPECT_EQ(result.outputs.at("deep"), Json({{"0.0=1", "0.1=2"}, {"1.0=3"}}));
}

TEST_F(WorkflowItemsTest, AnEmptyListSkipsWhatRunsForItsItems) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return []", forEach: true, on_finish: {run: [note]}}
  work: {type: noop, depends_on: [list]}
  gather: {type: noop, depends_on: [work], fanout: reduce}
  direct: {type: noop, depends_on: [list], fanout: reduce}
  note: {type: noop, manual: true}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  for (const char* step : {"work", "gather", "direct"}) {
    EXPECT_EQ(StepOf(result, step).reason, kSkipEmpty) << step;
  }
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("list", 1), Pair("note", 1)));
}

TEST_F(WorkflowItemsTest, WhatIsNoListFails) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return 'a'", forEach: true}
  work: {type: noop, depends_on: [list]}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(StepOf(result, "list").message, HasSubstr("wants a list"));
  EXPECT_EQ(StepOf(result, "work").reason, kSkipDependencyFailed);
}

TEST_F(WorkflowItemsTest, OneItemThatFailsFailsTheStep) {
  steps.replies["work"] = {Passes(1), Fails("bad", 2), Passes(3)};
  const std::string text = R"yaml(
max_parallelism: 1
steps:
  list: {type: script, content: "return ['a', 'b', 'c']", forEach: true}
  work: {type: command, depends_on: [list], exec: [x]WHAT}
  then: {type: noop, depends_on: [work]}
  gather: {type: script, depends_on: [then], fanout: reduce, content: "return outputs.work"}
)yaml";
  std::string strict = text;
  strict.replace(strict.find("WHAT"), 4, "");
  WorkflowResult result = Run(strict);
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(result.message, HasSubstr("work in list[1]: bad"));
  EXPECT_EQ(StepOf(result, "work").verdict, StepVerdict::kFailed);
  EXPECT_EQ(result.runs.at("then"), 2);
  EXPECT_EQ(StepOf(result, "gather").reason, kSkipDependencyFailed);

  std::string lenient = text;
  lenient.replace(lenient.find("WHAT"), 4, ", continue_on_failure: true");
  steps.replies["work"] = {Passes(1), Passes(1), Passes(1), Passes(1), Fails("bad", 2), Passes(3)};
  result = Run(lenient);
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.runs.at("then"), 3);
  EXPECT_EQ(result.outputs.at("gather"), Json({1, 2, 3}));
}

TEST_F(WorkflowItemsTest, EachItemHasItsOwnRoutesRetriesAndBudget) {
  // For each item: check fails once, is mended and passes.
  steps.replies["check"] = {Fails(), Fails(), Fails(), Passes(), Passes(), Passes()};
  const std::string text = R"yaml(
routing: {max_loops: LOOPS}
steps:
  list: {type: script, content: "return ['a', 'b', 'c']", forEach: true}
  write: {type: command, depends_on: [list], exec: [x]}
  check: {type: command, depends_on: [write], exec: [x], on_fail: {goto: write}}
  flaky: {type: command, depends_on: [check], exec: [x], on_fail: {retry: {max: 1}}}
  gather: {type: noop, depends_on: [flaky], fanout: reduce}
)yaml";
  std::string one = text;
  one.replace(one.find("LOOPS"), 5, "1");
  steps.replies["flaky"] = {Passes(), Fails(), Passes(), Passes()};
  WorkflowResult result = Run(one);
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("list", 1), Pair("write", 6), Pair("check", 6),
                                                Pair("flaky", 4), Pair("gather", 1)));
  std::string none = text;
  none.replace(none.find("LOOPS"), 5, "0");
  steps.replies["check"] = {Fails()};
  result = Run(none);
  EXPECT_EQ(result.reason, StopReason::kLoopBudget);
  EXPECT_THAT(result.message, HasSubstr("in list[0]"));
}

TEST_F(WorkflowItemsTest, ItemsRunInParallelUpToMaxParallelism) {
  const auto of_type = [&](const std::string& type, int expected) {
    CountCallsAtOnce(expected);
    const WorkflowResult result = Run(absl::StrCat(R"yaml(
max_parallelism: 4
steps:
  list: {type: script, content: "return [[1, 2], [3, 4], [5, 6]]", forEach: true}
  inner: {type: script, depends_on: [list], content: "return outputs.list", forEach: true}
  work: {type: )yaml",
                                                   type, R"yaml(, depends_on: [inner]}
  gather: {type: script, depends_on: [work], fanout: reduce, content: "return outputs_raw.inner"}
)yaml"));
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.runs.at("work"), 6);
    EXPECT_EQ(result.outputs.at("gather"), Json({{1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(most_at_once, expected);
  };
  of_type("command, exec: [x]", 4);
  of_type("agent, prompt: x", 1);  // they work on the same files
}

// Takes minutes where the cost of an item grows with the number of items.
TEST_F(WorkflowItemsTest, ManyItemsAreNoTrouble) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return Array.from({length: 20000}, (_, i) => i)", forEach: true}
  one: {type: noop, depends_on: [list]}
  two: {type: noop, depends_on: [one]}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.runs.at("two"), 20000);
}

TEST_F(WorkflowItemsTest, RoutesOfItemsAreFollowedInTheirOrder) {
  steps.on_call = [](const StepCall& call) {
    // The first item ends last.
    if (call.scope == "list[0]") absl::SleepFor(absl::Milliseconds(60));
  };
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return ['a', 'b', 'c']", forEach: true}
  work: {type: command, depends_on: [list], exec: [x], on_success: {run: [note]}}
  note: {type: memory, manual: true, operation: append, key: order, value: "{{ outputs.list }}"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.memory.at("order"), Json({"a", "b", "c"}));
}

TEST_F(WorkflowItemsTest, AnItemThatLeadsOutDoesNotHideTheEndsOfTheOthers) {
  steps.replies["work"] = {Fails(), Fails(), Passes(), Passes(), Passes()};
  const WorkflowResult result = Run(R"yaml(
steps:
  seed: {type: noop}
  list: {type: script, depends_on: [seed], content: "return ['a', 'b']", forEach: true}
  work: {type: command, depends_on: [list], exec: [x], on_fail: {goto: {to: seed, then: forward}}}
  then: {type: noop, depends_on: [work]}
  gather: {type: noop, depends_on: [then], fanout: reduce}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  // Both items lead to the same place: that is one jump.
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("seed", 2), Pair("list", 2), Pair("work", 4),
                                                Pair("then", 2), Pair("gather", 1)));
}

TEST_F(WorkflowItemsTest, AnItemMayLeadOutAndTheListRunsAgain) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return attempt === 1 ? [1, 2] : [3]", forEach: true}
  work: {type: script, depends_on: [list], content: "return outputs.list", on_success: {transitions: [{when: "output === 1", to: list}]}}
  gather: {type: script, depends_on: [work], fanout: reduce, content: "return outputs.work"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.outputs.at("gather"), Json::array({3}));
  EXPECT_THAT(result.runs,
              UnorderedElementsAre(Pair("list", 2), Pair("work", 3), Pair("gather", 1)));
}

TEST_F(WorkflowItemsTest, ScriptsOfItemsCountAsCommandsDo) {
  for (const char* work : {"type: script, content: 'return 1'", "type: command, exec: [x]"}) {
    steps.replies["work"] = {Passes(1)};
    const WorkflowResult result = Run(absl::StrCat(R"yaml(
steps:
  list: {type: script, content: "return [1, 2, 3]", forEach: true}
  work: {)yaml",
                                                   work, R"yaml(, depends_on: [list],
         on_success: {transitions: [{when: "outputs.list === 2 && outputs_history.list.length === 1", to: list}]}}
)yaml"));
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("list", 2), Pair("work", 6)));
  }
}

TEST_F(WorkflowItemsTest, ARouteOfAListLeadsToItsTargetOnceUnlessItSaysMap) {
  const auto runs = [&](const std::string& route, const std::string& more) {
    const WorkflowResult result = Run(absl::StrCat(R"yaml(
steps:
  list: {type: script, content: "return [1, 2, 3]", forEach: true, )yaml",
                                                   route, R"yaml(}
  each: {type: script, depends_on: [list], content: "return outputs.list"}
  target: {type: script, manual: true, )yaml",
                                                   more, "content: \"return outputs.each\"}\n"));
    EXPECT_TRUE(result.ok()) << result.message;
    const auto found = result.runs.find("target");
    return found == result.runs.end() ? 0 : found->second;
  };
  EXPECT_EQ(runs("on_finish: {run: [target]}", ""), 1);
  EXPECT_EQ(runs("on_success: {run: [target]}", ""), 1);
  EXPECT_EQ(runs("on_finish: {run: [{step: target, fanout: map}]}", ""), 3);
  EXPECT_EQ(runs("on_finish: {run: [target]}", "fanout: map, "), 3);
  EXPECT_EQ(runs("on_finish: {run: [target]}", "depends_on: [list], "), 3);
}

TEST_F(WorkflowItemsTest, AStepOutsideMayLeadToAllItems) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return [1, 2]", forEach: true}
  work: {type: noop, depends_on: [list]}
  then: {type: noop, depends_on: [work]}
  gather:
    type: script
    depends_on: [then]
    fanout: reduce
    content: "return attempt"
    on_success: {transitions: [{when: "output === 1", to: other}]}
  other: {type: noop, manual: true, on_success: {goto: work}}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("list", 1), Pair("work", 4), Pair("then", 4),
                                                Pair("gather", 2), Pair("other", 1)));
}

TEST_F(WorkflowItemsTest, OnFinishOfAListComesAfterItsItems) {
  steps.replies["work"] = {Fails(), Passes(), Passes(), Passes()};
  const WorkflowResult result = Run(R"yaml(
max_parallelism: 1
steps:
  list:
    type: script
    content: "return ['a', 'b']"
    forEach: true
    on_finish: {transitions: [{when: "errors.work", to: list}]}
  work: {type: command, depends_on: [list], exec: ["{{ outputs.list }}"]}
  gather: {type: noop, depends_on: [work], fanout: reduce}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(steps.calls(),
              ElementsAre("list[0]:work", "list[1]:work", "list[0]:work", "list[1]:work"));
  EXPECT_EQ(result.runs.at("gather"), 1);
}

TEST_F(WorkflowItemsTest, TheItemsOfTwoListsDoNotMeet) {
  const auto workflow = ParseWorkflow(R"yaml(
steps:
  one: {type: noop, forEach: true}
  two: {type: noop, forEach: true}
  both: {type: noop, depends_on: [one, two]}
)yaml",
                                      "w.yaml");
  EXPECT_THAT(workflow.status().message(),
              HasSubstr("both depends on the items of both one and two"));
}

TEST_F(WorkflowItemsTest, StepsBetweenAListAndItsGatheringMayNeedTheGathered) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return [1, 2, 3]", forEach: true}
  size: {type: script, depends_on: [list], content: "return outputs.list * 10"}
  sum: {type: script, depends_on: [size], fanout: reduce, content: "return outputs.size.reduce(function (a, b) { return a + b; })"}
  share: {type: script, depends_on: [size, sum], content: "return outputs.size / outputs.sum"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.outputs.at("sum"), 60);
  EXPECT_EQ(result.outputs.at("share"), Json({10.0 / 60, 20.0 / 60, 0.5}));
}

TEST_F(WorkflowItemsTest, AnItemCannotRunTheListAroundIt) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return [1]", forEach: true}
  each: {type: noop, depends_on: [list], on_success: {run: [list]}}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(result.message, HasSubstr("only goto leads back to it"));
  EXPECT_EQ(result.runs.at("list"), 1);
}

TEST_F(WorkflowItemsTest, NorByWayOfAStepOutside) {
  const WorkflowResult result = Run(R"yaml(
steps:
  seed: {type: noop}
  list: {type: script, depends_on: [seed], forEach: true, content: "return ['a', 'b', 'c']"}
  each: {type: noop, depends_on: [list], on_success: {run: [outside]}}
  outside: {type: noop, manual: true, depends_on: [seed], on_success: {run: [list]}}
)yaml");
  EXPECT_EQ(result.reason, StopReason::kStepFailed);
  EXPECT_THAT(result.message, HasSubstr("only goto leads back to it"));
  EXPECT_EQ(result.runs.at("list"), 1);
}

TEST_F(WorkflowItemsTest, WhatHasAPlaceRunsThereAndTheRestForTheItem) {
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: script, content: "return ['a', 'b']", forEach: true}
  each: {type: noop, depends_on: [list], on_success: {run: [mine, ours]}}
  mine: {type: script, manual: true, content: "return outputs.list"}
  base: {type: noop}
  ours: {type: script, manual: true, depends_on: [base], content: "return typeof forEach"}
)yaml");
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.outputs.at("mine"), Json({"a", "b"}));
  EXPECT_EQ(result.outputs.at("ours"), "object");
  EXPECT_THAT(result.runs, UnorderedElementsAre(Pair("list", 1), Pair("each", 2), Pair("mine", 2),
                                                Pair("base", 1), Pair("ours", 2)));
}

TEST_F(WorkflowItemsTest, AGateDoesNotAskTheAlternativeThatWasSkipped) {
  Json input;
  steps.on_call = [&](const StepCall& call) {
    if (call.step->name == "ready") input = call.input;
  };
  steps.replies["b"] = {Passes("ran")};
  Run(R"(
steps:
  a: {type: command, exec: [x], if: "false"}
  b: {type: command, exec: [x]}
  ready: {type: gate, depends_on: [a|b]}
)");
  EXPECT_EQ(input, Json({{"b", "ran"}}));
}

}  // namespace
}  // namespace stile
