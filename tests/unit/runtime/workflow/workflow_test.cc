#include "runtime/workflow/workflow.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workflow/graph.h"
#include "runtime/workflow/plan.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The steps around those of Visor's looping plan; its own three are as it gives them.
constexpr char kLooping[] = R"yaml(version: "1.0"
routing: {max_loops: 4}
checks:
  agent-write: {type: ai, prompt: "Write {{ slug | default: 'it' }}."}
  config-lint: {type: command, depends_on: [agent-write], exec: ["true"], on_fail: {goto: agent-refine}}
  tests-validate: {type: command, depends_on: [agent-write], exec: "true", on_fail: {goto: agent-refine}}
  agent-refine: {type: ai, manual: true, prompt: Refine., on_success: {goto: agent-write}}
  agent-verify-tests:
    type: command
    on: [manual, issue_opened]
    depends_on: [agent-write, config-lint, tests-validate]
    exec: node dist/index.js test --config tmp/{{ slug }}.tests.yaml --json - --bail
    output_format: json
    fail_if: "output && Number(output.failures||0) > 0"
    on_fail: { goto: agent-refine }
  tests-ready:
    type: command
    group: agent-quality
    depends_on: [agent-verify-tests]
    on: [manual, issue_opened]
    exec: |
      node <<'NODE'
      const fs=require('fs');
      try {
        const s=JSON.parse(process.env.INPUT||'{}');
        process.stdout.write(JSON.stringify({ ready: !!s.results }));
      } catch { process.stdout.write('{"ready":false,"failures":-1}'); }
      NODE
    env:
      INPUT: "{{ outputs['agent-verify-tests'] | json }}"
    output_format: json
  agent-code-review:
    type: ai
    depends_on: [tests-ready]
    if: "outputs['tests-ready'] && outputs['tests-ready'].ready === true"
  agent-cleanup:
    type: command
    depends_on: [tests-ready]
    if: "outputs['tests-ready'] && outputs['tests-ready'].ready === true"
)yaml";

std::string Wrong(const std::string& text) {
  const auto workflow = ParseWorkflow(text, "f.yaml");
  return workflow.ok() ? "it parses" : std::string(workflow.status().message());
}

// One step "a" with these lines below it, and a step "b".
std::string WrongStep(const std::string& lines) {
  return Wrong(absl::StrCat("steps:\n  b: {type: noop}\n  a:\n    type: noop\n", lines));
}

std::vector<std::string> NamesOf(const Workflow& workflow, const std::vector<int>& steps) {
  std::vector<std::string> names;
  for (const int step : steps) names.push_back(workflow.steps[static_cast<size_t>(step)].name);
  return names;
}

TEST(WorkflowTest, ReadsTheLoopingPlan) {
  const auto workflow = ParseWorkflow(kLooping, "plan.yaml");
  ASSERT_TRUE(workflow.ok()) << workflow.status();
  EXPECT_EQ(workflow->max_loops, 4);
  EXPECT_EQ(workflow->max_parallelism, 3);
  const WorkflowStep& verify =
      workflow->steps[static_cast<size_t>(workflow->Find("agent-verify-tests"))];
  EXPECT_EQ(verify.type, StepType::kCommand);
  EXPECT_TRUE(verify.output_json);
  EXPECT_EQ(verify.on_fail.go->to, "agent-refine");
  EXPECT_THAT(verify.events, ElementsAre("manual", "issue_opened"));
  EXPECT_EQ(workflow->steps[0].type, StepType::kAgent);
  EXPECT_THAT(workflow->warnings, ElementsAre(HasSubstr("agent-code-review has no prompt"),
                                              HasSubstr("agent-cleanup has no exec")));
  const auto plan = WorkflowPlan::Make(*workflow);
  ASSERT_TRUE(plan.ok());
  std::vector<std::vector<std::string>> layers;
  for (const auto& layer : plan->layers()) layers.push_back(NamesOf(*workflow, layer));
  EXPECT_THAT(layers, ElementsAre(ElementsAre("agent-write", "agent-refine"),
                                  ElementsAre("config-lint", "tests-validate"),
                                  ElementsAre("agent-verify-tests"), ElementsAre("tests-ready"),
                                  ElementsAre("agent-code-review", "agent-cleanup")));
  EXPECT_TRUE(plan->IsAncestor(0, workflow->Find("agent-cleanup")));
  EXPECT_FALSE(plan->IsAncestor(workflow->Find("agent-cleanup"), 0));
  EXPECT_FALSE(plan->IsAncestor(0, 0));
  EXPECT_THAT(NamesOf(*workflow, plan->Forward(workflow->Find("config-lint"))),
              ElementsAre("config-lint", "agent-verify-tests", "tests-ready", "agent-code-review",
                          "agent-cleanup"));
}

TEST(WorkflowTest, ReadsEverythingOfAStep) {
  const auto workflow = ParseWorkflow(R"yaml(steps:
  one: {type: noop, forEach: true}
  two: {type: noop}
  all:
    type: http
    description: Tells.
    depends_on: [one|two, two]
    if: "true"
    assume: "1"
    fail_if: "false"
    guarantee: "1 == 1"
    schema: {type: object}
    fanout: reduce
    continue_on_failure: true
    max_runs: 7
    timeout_s: 30
    tags: [x, y]
    url: "http://127.0.0.1/{{ outputs.two }}"
    method: POST
    headers: {A: "{{ 1 }}"}
    on_success:
      run: [one, {step: two, fanout: map}]
      run_js: return ['two'];
      transitions: [{when: "output.ok", to: one}, {when: "true", to: null}]
      goto: {to: one, then: forward}
    on_fail: {retry: {max: 2, backoff: {mode: exponential, delay_ms: 5}}, goto_js: "return 'two'"}
    on_finish: {run: two}
)yaml",
                                      "f.yaml");
  ASSERT_TRUE(workflow.ok()) << workflow.status();
  EXPECT_TRUE(workflow->steps[0].for_each);
  const WorkflowStep& all = workflow->steps[2];
  EXPECT_THAT(all.depends_on, ElementsAre(ElementsAre("one", "two"), ElementsAre("two")));
  EXPECT_EQ(all.fanout, Fanout::kReduce);
  EXPECT_EQ(all.max_runs, 7);
  EXPECT_EQ(all.settings["headers"]["A"], "{{ 1 }}");
  EXPECT_EQ(all.on_success.run.size(), 2u);
  EXPECT_EQ(all.on_success.run[1].fanout, Fanout::kMap);
  EXPECT_EQ(all.on_success.transitions[0].to, "one");
  EXPECT_FALSE(all.on_success.transitions[1].to.has_value());
  EXPECT_TRUE(all.on_success.go->then_forward);
  EXPECT_EQ(all.on_fail.max_retries, 2);
  EXPECT_EQ(all.on_fail.backoff, Routing::Backoff::kExponential);
  EXPECT_EQ(all.on_fail.delay_ms, 5);
  EXPECT_EQ(all.on_finish.run[0].step, "two");
}

TEST(WorkflowTest, SaysWhereAndWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"    dependson: [b]\n", "f.yaml:5: unknown key 'dependson', did you mean 'depends_on'?"},
      {"    depends_on: [c]\n", "f.yaml:5: steps.a.depends_on: there is no step 'c'"},
      {"    depends_on: [b|bb]\n", "there is no step 'bb', did you mean 'b'?"},
      {"    depends_on: [a]\n", "a depends on itself"},
      {"    if: \"a ===\"\n", "f.yaml:5: steps.a.if: "},
      {"    if: \"\"\n", "the expression is empty"},
      {"    on_fail:\n      goto: gone\n", "f.yaml:6: steps.a.on_fail: there is no step 'gone'"},
      {"    on_fail: {goto: {to: b, then: back}}\n", "wants forward"},
      {"    on_fail: {retry: {max: -1}}\n", "wants a number from 0 to 100"},
      {"    on_success: {retry: {max: 1}}\n", "unknown key 'retry'"},
      {"    on_success: {transitions: [{to: b}]}\n", "wants `when`"},
      {"    on_success: {transitions: [{when: x}]}\n", "wants `to`"},
      {"    on_success: {goto_js: \"return (\"}\n", "steps.a.on_success.goto_js: "},
      {"    on_success: {run: [{fanout: map}]}\n", "wants `step`"},
      {"    fanout: both\n", "wants map or reduce"},
      {"    manual: perhaps\n", "steps.a.manual"},
      {"    exec: x\n", "unknown key 'exec'"},
      {"    env: {A: \"{{ a\"}\n", "steps.a.env.A: line 1: '{{' is not closed"},
      {"    env: [x]\n", "wants names and values"},
      {"    max_runs: 0\n", "wants a number from 1"},
      {"    output_format: xml\n", "wants json or text"},
      {"    schema: x\n", "wants a JSON Schema"},
      {"    cache: {ttl_s: 5}\n", "f.yaml:5: steps.a.cache: is of steps of type command"},
  };
  for (const auto& [lines, message] : cases) {
    EXPECT_THAT(WrongStep(lines), HasSubstr(message)) << lines;
  }
  EXPECT_THAT(Wrong("steps: {a: {type: nop}}"),
              HasSubstr("there is no type 'nop'; there are agent"));
  EXPECT_THAT(Wrong("steps: {a: {}}"), HasSubstr("wants `type`"));
  EXPECT_THAT(Wrong("steps: {a: {type: script}}"), HasSubstr("wants `content`"));
  EXPECT_THAT(Wrong("steps: {a: {type: gate, from: x}}"), HasSubstr("there is no step 'x'"));
  EXPECT_THAT(Wrong("steps: {a: {type: command, cache: {paths: [../x]}}}"),
              HasSubstr("wants names of files or folders in $STILE_ARTIFACTS"));
  EXPECT_THAT(Wrong("steps: {a: {type: command, cache: {ttl_s: 0}}}"), HasSubstr("from 1 to"));
  EXPECT_THAT(Wrong("steps: {a: {type: noop}}\nreport: {}"), HasSubstr("wants `content`"));
  EXPECT_THAT(Wrong("steps: {a: {type: noop}}\nreport: {content: \"return (\"}"),
              HasSubstr("f.yaml:2: report.content: "));
  EXPECT_THAT(Wrong("steps: {a: {type: noop}}\nreport: {content: x, schema: {pattern: a}}"),
              HasSubstr("report.schema.pattern: is not checked"));
  EXPECT_THAT(Wrong("steps: {\"a b\": {type: noop}}"), HasSubstr("no name of a step"));
  EXPECT_THAT(Wrong("steps: {}"), HasSubstr("wants `steps`"));
  EXPECT_THAT(Wrong("{}"), HasSubstr("wants `steps`"));
  EXPECT_THAT(Wrong("steps: [1]"), HasSubstr("wants `steps`"));
  EXPECT_THAT(Wrong("steps: {a: {type: noop}}\nchecks: {a: {type: noop}}"),
              HasSubstr("another name"));
  EXPECT_THAT(Wrong("version: \"3.0\"\nsteps: {a: {type: noop}}"),
              HasSubstr("f.yaml:1: version: only"));
  EXPECT_THAT(
      Wrong("steps:\n  a: {type: noop, depends_on: [c]}\n  b: {type: noop, depends_on: [a]}\n"
            "  c: {type: noop, depends_on: [b]}\n  d: {type: noop, depends_on: [a]}\n"),
      HasSubstr("steps depend on each other: a → c → b → a"));
}

TEST(WorkflowTest, PlansManySteps) {
  constexpr int kSteps = 10'000;
  Workflow workflow;
  for (int i = 0; i < kSteps; ++i) {
    WorkflowStep step;
    step.name = absl::StrCat("s", i);
    if (i > 0) step.depends_on.push_back({absl::StrCat("s", i - 1)});
    workflow.steps.push_back(std::move(step));
  }
  const auto plan = WorkflowPlan::Make(workflow);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->layers().size(), static_cast<size_t>(kSteps));
  EXPECT_TRUE(plan->IsAncestor(0, kSteps - 1));
}

TEST(WorkflowTest, Draws) {
  const auto workflow = ParseWorkflow(
      "steps:\n  a: {type: noop, if: \"1 < 2\"}\n  b: {type: noop, manual: true}\n"
      "  c: {type: log, message: x, depends_on: [a, a|b], on_fail: {goto: b}, "
      "on_success: {transitions: [{when: 'output == \"x\"', to: a}]}}\n",
      "f.yaml");
  ASSERT_TRUE(workflow.ok()) << workflow.status();
  EXPECT_EQ(MermaidGraph(*workflow),
            "flowchart TD\n"
            "  s0[\"a<br/><small>noop, if</small>\"]\n"
            "  s1[\"b<br/><small>noop, manual</small>\"]\n"
            "  s2[\"c<br/><small>log</small>\"]\n"
            "  s0 --> s2\n  s0 -- or --> s2\n  s1 -- or --> s2\n"
            "  s2 -. \"on_success: output == #quot;x#quot;\" .-> s0\n"
            "  s2 -. \"on_fail\" .-> s1\n");
  EXPECT_THAT(
      DotGraph(*workflow),
      HasSubstr("\"c\" -> \"a\" [style=dotted, constraint=false, label=\"on_success: output == "
                "\\\"x\\\"\"];"));
}

}  // namespace
}  // namespace stile
