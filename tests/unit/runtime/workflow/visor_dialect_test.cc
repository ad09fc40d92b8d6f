// What files of Visor come to. The files are written for these tests, in the form of its examples.
#include "runtime/workflow/visor_dialect.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workflow/workflow.h"
#include "runtime/workflow/workflow_tests.h"
#include "tests/unit/runtime/workflow/workflow_run.h"

namespace stile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Files = std::map<std::string, std::string>;

absl::StatusOr<Workflow> Parsed(const std::string& text, const Files& files = {}) {
  return ParseWorkflow(
      text, "folder/w.yaml",
      [&](const std::string& from, const std::string& path) -> absl::StatusOr<std::string> {
        const auto found = files.find(from + " " + path);
        if (found == files.end()) return absl::NotFoundError("no " + path);
        return found->second;
      });
}

std::string Wrong(const std::string& text, const Files& files = {}) {
  const auto workflow = Parsed(text, files);
  return workflow.ok() ? "it parses" : std::string(workflow.status().message());
}

const WorkflowStep& Step(const Workflow& workflow, const std::string& name) {
  return workflow.steps.at(static_cast<size_t>(workflow.Find(name)));
}

TEST(VisorDialectTest, TypesAndKeysGetOurNames) {
  const auto workflow = Parsed(R"yaml(
version: "2.0"
ai_provider: anthropic
memory: {storage: memory, namespace: mine}
env: {TOKEN: "${TOKEN}"}
checks:
  ask: {type: human-input, prompt: "What?", placeholder: x, allow_empty: true, timeout: 300}
  review:
    type: claude-code
    criticality: internal
    schema: code-review
    prompt: {content: "Look."}
    depends_on: [ask]
  fetch: {type: http_client, url: "http://x", timeout: 30000}
  build: {type: command, exec: make, working_directory: sub, timeout: 60}
  note: {type: logger, message: hi}
  keep: {type: memory, op: set, key: k, value: 1}
  call: {type: mcp, transport: stdio, command: x, method: y, depends_on: [note]}
)yaml");
  ASSERT_TRUE(workflow.ok()) << workflow.status();
  EXPECT_EQ(Step(*workflow, "ask").type, StepType::kHuman);
  EXPECT_EQ(Step(*workflow, "ask").settings["question"], "What?");
  EXPECT_EQ(Step(*workflow, "review").type, StepType::kAgent);
  EXPECT_EQ(Step(*workflow, "review").settings["prompt"], "Look.");
  EXPECT_EQ(Step(*workflow, "review").schema["properties"]["issues"]["type"], "array");
  EXPECT_EQ(Step(*workflow, "fetch").type, StepType::kHttp);
  EXPECT_EQ(Step(*workflow, "fetch").timeout_s, 30);
  EXPECT_EQ(Step(*workflow, "build").timeout_s, 60);
  EXPECT_EQ(Step(*workflow, "build").settings["cwd"], "sub");
  EXPECT_EQ(Step(*workflow, "note").type, StepType::kLog);
  EXPECT_EQ(Step(*workflow, "keep").settings["operation"], "set");
  EXPECT_EQ(Step(*workflow, "call").type, StepType::kForeign);
  EXPECT_EQ(Step(*workflow, "call").settings["kind"], "mcp");
  EXPECT_EQ(workflow->memory_namespace, "mine");
  EXPECT_THAT(workflow->env, ElementsAre("TOKEN"));
  EXPECT_TRUE(workflow->goes_forward);
  EXPECT_THAT(workflow->warnings,
              Contains(HasSubstr("folder/w.yaml:3: `ai_provider` means nothing here")));
  EXPECT_THAT(workflow->warnings, Contains(HasSubstr("call is of type mcp")));
}

TEST(VisorDialectTest, OurOwnFilesStayAsTheyAre) {
  const auto workflow = Parsed("steps: {a: {type: ai, prompt: x}, b: {type: noop}}");
  ASSERT_TRUE(workflow.ok());
  EXPECT_FALSE(workflow->goes_forward);
  EXPECT_TRUE(workflow->warnings.empty());
}

TEST(VisorDialectTest, FilesExtendOthers) {
  const std::string text = R"yaml(
extends: [base.yaml, middle.yaml]
steps:
  build: {exec: make all}
)yaml";
  const Files files = {
      {"folder/w.yaml base.yaml",
       "version: '1.0'\nmax_parallelism: 2\n"
       "steps: {build: {type: command, exec: make, tags: [fast]}, lint: {type: noop}}"},
      {"folder/w.yaml middle.yaml", "max_parallelism: 5\nsteps: {lint: {type: log, message: m}}"}};
  const auto workflow = Parsed(text, files);
  ASSERT_TRUE(workflow.ok()) << workflow.status();
  EXPECT_EQ(Step(*workflow, "build").settings["exec"], "make all");
  EXPECT_THAT(Step(*workflow, "build").tags, ElementsAre("fast"));
  EXPECT_EQ(Step(*workflow, "lint").type, StepType::kLog);
  EXPECT_EQ(workflow->max_parallelism, 5);
  // A change of any of them is another workflow.
  Files changed = files;
  changed["folder/w.yaml middle.yaml"] += "\n";
  EXPECT_NE(Parsed(text, changed)->sha256, workflow->sha256);

  EXPECT_THAT(Wrong("extends: gone.yaml\nsteps: {a: {type: noop}}"),
              HasSubstr("folder/w.yaml:1: extends: no gone.yaml"));
  EXPECT_THAT(Wrong("extends: self.yaml", {{"folder/w.yaml self.yaml", "extends: self.yaml"},
                                           {"folder/self.yaml self.yaml", "extends: self.yaml"}}),
              HasSubstr("more than 20 files name each other"));
  EXPECT_FALSE(ParseWorkflow("extends: x.yaml\nsteps: {a: {type: noop}}", "w.yaml").ok());
}

TEST(VisorDialectTest, WhatTheFileSaysGoesToItsSteps) {
  const auto workflow = Parsed(R"yaml(
routing: {max_loops: 3, defaults: {on_fail: {goto: mend}}}
fail_if: "output.bad"
failure_conditions:
  many: {condition: "issues.length > 3", message: too many, severity: warning}
steps:
  work: {type: command, exec: x}
  own: {type: command, exec: x, fail_if: "false", on_fail: {retry: {max: 1}}}
  mend: {type: noop, manual: true}
)yaml");
  ASSERT_TRUE(workflow.ok()) << workflow.status();
  EXPECT_EQ(Step(*workflow, "work").fail_if, "output.bad");
  EXPECT_EQ(Step(*workflow, "work").on_fail.go->to, "mend");
  EXPECT_EQ(Step(*workflow, "own").fail_if, "false");
  EXPECT_FALSE(Step(*workflow, "own").on_fail.go.has_value());
  ASSERT_EQ(Step(*workflow, "work").failure_conditions.size(), 1);
  EXPECT_TRUE(Step(*workflow, "work").failure_conditions[0].only_warns);
}

TEST(VisorDialectTest, SaysWhatItCannotTake) {
  EXPECT_THAT(Wrong("steps: {a: {type: noop, on_init: {run: [x]}}}"),
              HasSubstr("steps.a.on_init: is not known here"));
  EXPECT_THAT(Wrong("steps: {a: {type: ai, schema: nothing-known, prompt: x}}"),
              HasSubstr("there is no schema 'nothing-known'"));
  EXPECT_THAT(Wrong("steps: {a: {type: workflow, workflow: w, sandbox: x, nonsense: y}}"),
              HasSubstr("unknown key 'nonsense'"));
  EXPECT_THAT(Wrong("steps: {a: {type: noop, failure_conditions: {x: {message: y}}}}"),
              HasSubstr("wants `condition`"));
  // All errors of a file at once.
  const std::string two =
      Wrong("steps:\n  a: {type: nop}\n  b: {type: noop, depends_on: [c]}\n  d: {type: log}\n");
  EXPECT_THAT(two, HasSubstr("there is no type 'nop'"));
  EXPECT_THAT(two, HasSubstr("there is no step 'c'"));
  EXPECT_THAT(two, HasSubstr("wants `message`"));
}

class VisorRunTest : public WorkflowRunTest {};

TEST_F(VisorRunTest, TransformsAndConditionsDecide) {
  steps.replies["list"] = {Passes({{"items", {1, 2}}})};
  steps.replies["text"] = {Passes("  a,b  ")};
  steps.replies["warned"] = {Passes({{"issues", {{{"severity", "error"}}}}})};
  steps.replies["failed"] = {Passes({{"issues", {{{"severity", "critical"}}}}})};
  const WorkflowResult result = Run(R"yaml(
steps:
  list: {type: command, exec: x, transform: "{{ output.items | json }}"}
  text: {type: command, exec: x, transform_js: "output.trim().split(',')"}
  warned:
    type: command
    exec: x
    failure_conditions: {few: {condition: "issues.length > 0", severity: warning}}
  failed:
    type: command
    exec: x
    failure_conditions: {none: "hasIssue(output.issues, 'severity', 'critical')"}
)yaml");
  EXPECT_EQ(result.outputs["list"], Json({1, 2}));
  EXPECT_EQ(result.outputs["text"], Json({"a", "b"}));
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(result.message, HasSubstr("failure_conditions: none"));
  EXPECT_THAT(result.message, Not(HasSubstr("few")));
}

TEST_F(VisorRunTest, MemoryHasNamespacesForStepsScriptsAndTemplates) {
  const WorkflowResult result = Run(R"yaml(
memory: {namespace: main}
steps:
  a: {type: memory, operation: set, key: n, value: 1}
  b: {type: memory, operation: set, key: n, value: 5, namespace: other, depends_on: [a]}
  c:
    type: script
    depends_on: [b]
    content: |
      const list = memory.append('list', memory.get('n') + memory.get('n', 'other'));
      memory.increment('n', 1, 'other');
      return list.length;
  d: {type: log, depends_on: [c], message: "{{ 'n' | memory_get }} {{ 'n' | memory_get: 'other' }} {{ memory.list | json }}"}
  e: {type: memory, operation: list, depends_on: [d]}
  f: {type: memory, operation: clear, namespace: other, depends_on: [d]}
  g: {type: memory, operation: has, key: n, namespace: other, depends_on: [f]}
)yaml");
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.outputs["d"], "1 6 [6]");
  EXPECT_EQ(result.outputs["e"], Json({"list", "n"}));
  EXPECT_EQ(result.outputs["g"], false);
}

TEST_F(VisorRunTest, JumpsRunWhatLiesBetweenWhereTheFileSaysSo) {
  steps.replies["check"] = {Fails(), Passes()};
  const std::string text = R"yaml(
steps:
  plan: {type: command, exec: x}
  ask: {type: command, exec: x, depends_on: [plan]}
  check: {type: command, exec: x, depends_on: [ask], on_fail: {goto: plan}}
)yaml";
  EXPECT_THAT(Parsed(text)->warnings,
              Contains(HasSubstr("check goes back to plan alone: ask keeps its output")));
  Run(text);
  EXPECT_THAT(steps.calls(), ElementsAre("plan", "ask", "check", "plan", "check"));
  ScriptedSteps fresh;
  const auto workflow = Parsed("routing: {goto: forward}\n" + text);
  EXPECT_TRUE(workflow->warnings.empty());
  fresh.replies["check"] = {Fails(), Passes()};
  ASSERT_TRUE(WorkflowRunner(&*workflow, &fresh, options).Run().ok());
  EXPECT_THAT(fresh.calls(), ElementsAre("plan", "ask", "check", "plan", "ask", "check"));
}

TEST_F(VisorRunTest, AJumpCanHaveAnEventOfItsOwn) {
  options.event = "opened";
  steps.replies["work"] = {Fails()};
  const WorkflowResult result = Run(R"yaml(
steps:
  work: {type: command, exec: x, on: [opened], continue_on_failure: true, on_fail: {goto: mend, goto_event: updated}}
  mend: {type: command, exec: x, manual: true, on: [updated]}
  after: {type: command, exec: x, depends_on: [mend], on: [updated]}
)yaml");
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_THAT(steps.calls(), ElementsAre("work", "mend", "after"));
}

TEST_F(VisorRunTest, HistoriesErrorsAndInputsHaveVisorsNames) {
  steps.replies["work"] = {Fails("lint failed"), Passes()};
  const WorkflowResult result = Run(R"yaml(
inputs: [{name: times, default: 2}]
outputs: [{name: both, value_js: "outputs.history['work'].length + inputs.times"}]
steps:
  work:
    type: command
    exec: x
    on_fail:
      goto_js: |
        log('failed with', error.message);
        return error.message.includes('lint') ? 'mend' : null;
  mend: {type: command, manual: true, exec: x, on_success: {goto: work}}
  never: {type: command, exec: x, manual: true}
  count: {type: script, depends_on: [work], content: "return outputs_history.never.length"}
)yaml");
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.outputs["count"], 0);
  EXPECT_EQ(result.output, Json({{"both", 4}}));
}

TEST(VisorCaseTest, CasesOfVisorArePlayed) {
  const std::string text = R"yaml(
version: "1.0"
steps:
  ask: {type: human-input, prompt: "What?"}
  plan: {type: ai, depends_on: [ask], prompt: "Do {{ outputs.ask.text }}."}
  run: {type: command, depends_on: [plan], exec: x, output_format: json, fail_if: "output.failed > 0", on_fail: {goto: plan}}
tests:
  defaults: {strict: true, ai_provider: mock}
  cases:
    - name: again
      description: The first try fails.
      event: manual
      fixture: {builtin: local.minimal, overrides: {pr.title: t}}
      mocks:
        ask: tests
        plan: {commands: [make]}
        run[]: [{stdout: '{"failed": 1}'}, {stdout: '{"failed": 0}'}]
      expect:
        calls: [{step: ask, exactly: 1}, {step: plan, at_least: 2}, {step: run, at_most: 2}]
        prompts: [{step: plan, index: last, contains: ["Do tests"], not_contains: [never]}]
        outputs:
          - {step: plan, path: commands.length, equals: 1}
          - {step: plan, path: commands, contains_unordered: [make]}
          - {step: run, where: {path: failed, equals: 1}, path: failed, equals: 1}
        workflow_output: [{path: run.failed, equals: 0}]
    - name: wrong
      event: manual
      fixture: local.minimal
      mocks: {ask: x, run: {stdout: '{"failed": 0}'}}
      expect:
        calls: [{step: ask, exactly: 1}, {step: plan, exactly: 2}, {step: run, exactly: 1}]
    - {name: later, skip: true, mocks: {ask: x}}
)yaml";
  const auto workflow = Parsed(text);
  ASSERT_TRUE(workflow.ok()) << workflow.status();
  const auto tests = ParseWorkflowTests(text, "w.yaml", &*workflow);
  ASSERT_TRUE(tests.ok()) << tests.status();
  ScriptedSteps steps;
  FakeClock clock;
  WorkflowOptions options;
  options.clock = &clock;
  const auto play = [&](size_t i) {
    return *PlayCase(tests->cases[i], *workflow, &steps, options);
  };
  EXPECT_TRUE(play(0).passed()) << testing::PrintToString(play(0).stages[0].failures);
  const WorkflowCaseResult wrong = play(1);
  EXPECT_THAT(wrong.stages[0].failures, ElementsAre("plan ran 1 time, expected 2"));
  EXPECT_TRUE(play(2).skipped);
  EXPECT_TRUE(steps.calls().empty());
}

}  // namespace
}  // namespace stile
