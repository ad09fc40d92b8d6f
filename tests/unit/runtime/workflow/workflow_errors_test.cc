// All errors of a workflow file at once.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workflow/plan.h"
#include "runtime/workflow/workflow.h"

namespace stile {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Files = std::map<std::string, std::string>;

std::vector<std::string> ErrorsIn(const std::string& text, const Files& files = {}) {
  const auto workflow = ParseWorkflow(
      text, "w.yaml",
      [&](const std::string& from, const std::string& path) -> absl::StatusOr<std::string> {
        const auto found = files.find(path);
        if (found != files.end()) return found->second;
        return absl::NotFoundError(absl::StrCat("no ", path, " beside ", from));
      });
  if (workflow.ok()) return {};
  return absl::StrSplit(std::string(workflow.status().message()), '\n');
}

TEST(WorkflowErrorsTest, OfOneStepAreAllNamed) {
  EXPECT_THAT(
      ErrorsIn(R"yaml(steps:
  a:
    type: command
    iff: x
    dependson: [b]
    depends_on: [zzz, a]
    if: "1 +"
    fail_if: "(("
    env: {A: "{{ b", B: [1]}
    exec: "{{ oops"
    on_fail: {goto: nowhere, retry: {max: 1000, backof: 1}}
    on_success:
      run: [{step: yyy}, {fanout: both}]
      transitions: [{to: xxx}, {when: "(", to: null}]
    schema: {properties: {p: {pattern: x}, q: {$ref: y}}}
    failure_conditions:
      one: "("
      two: {message: x, severity: loud}
    timeout_s: 0
    cache: {ttl_s: 0, paths: [../x, .y]}
)yaml"),
      ElementsAre(StartsWith("w.yaml:4: unknown key 'iff'"),
                  StartsWith("w.yaml:5: unknown key 'dependson'"),
                  "w.yaml:6: steps.a.depends_on: there is no step 'zzz'",
                  "w.yaml:6: steps.a.depends_on: a depends on itself",
                  StartsWith("w.yaml:7: steps.a.if: SyntaxError"),
                  StartsWith("w.yaml:8: steps.a.fail_if: SyntaxError"),
                  "w.yaml:9: steps.a.env.A: line 1: '{{' is not closed",
                  "w.yaml:9: steps.a.env.B: expected text",
                  "w.yaml:10: steps.a.exec: line 1: '{{' is not closed",
                  "w.yaml:11: steps.a.on_fail: there is no step 'nowhere'",
                  "w.yaml:11: steps.a.on_fail.retry.max: wants a number from 0 to 100",
                  "w.yaml:11: unknown key 'backof', did you mean 'backoff'?",
                  "w.yaml:13: steps.a.on_success: there is no step 'yyy'",
                  "w.yaml:13: steps.a.on_success.run[1]: wants `step`, the name of a step",
                  "w.yaml:13: steps.a.on_success.run[1].fanout: wants map or reduce",
                  "w.yaml:14: steps.a.on_success: there is no step 'xxx'",
                  "w.yaml:14: steps.a.on_success.transitions[0]: wants `when`, an expression",
                  StartsWith("w.yaml:14: steps.a.on_success.transitions[1].when: Syntax"),
                  StartsWith("w.yaml:15: steps.a.schema.properties.p.pattern: is not"),
                  StartsWith("w.yaml:15: steps.a.schema.properties.q.$ref: schemas"),
                  StartsWith("w.yaml:17: steps.a.failure_conditions.one: SyntaxError"),
                  "w.yaml:18: steps.a.failure_conditions.two: wants `condition`, an "
                  "expression",
                  "w.yaml:18: steps.a.failure_conditions.two.severity: wants info, warning, "
                  "error or critical",
                  "w.yaml:19: steps.a.timeout_s: wants a number from 1 to 86400",
                  "w.yaml:20: steps.a.cache.ttl_s: wants a number from 1 to 86400",
                  "w.yaml:20: steps.a.cache.paths: wants names of files or folders in "
                  "$STILE_ARTIFACTS"));
}

TEST(WorkflowErrorsTest, OfTheHeadAndAllStepsComeInTheOrderOfTheFile) {
  EXPECT_THAT(ErrorsIn(R"yaml(report: {content: "return (", more: 1}
nam: x
steps:
  a: {depends_on: [b]}
  b: {type: nop, prompt: x, wrong: y}
  "c d": {type: memory, operation: sett, value: 1, value_js: "1"}
  e: {type: script}
  f: 7
  g: {type: gate, from: ee}
routing: {max_lops: 3, goto: sideways}
max_parallelism: 0
outputs:
  - {name: a, value: "{{ x"}
  - {value_js: "1 +"}
inputs: [{default: 1}, {name: n, defalt: 1}]
)yaml"),
              ElementsAre(StartsWith("w.yaml:1: report.content: SyntaxError"),
                          StartsWith("w.yaml:1: unknown key 'more'"),
                          "w.yaml:2: unknown key 'nam', did you mean 'name'?",
                          "w.yaml:4: steps.a: wants `type`",
                          StartsWith("w.yaml:5: steps.b.type: there is no type 'nop'"),
                          StartsWith("w.yaml:5: unknown key 'wrong'"),
                          StartsWith("w.yaml:6: steps.c d: 'c d' is no name of a step"),
                          StartsWith("w.yaml:6: steps.c d.operation: wants get, has"),
                          StartsWith("w.yaml:6: steps.c d.value_js: `value_js` says what"),
                          "w.yaml:7: steps.e: a step of type script wants `content`",
                          "w.yaml:8: steps.f: wants `type`",
                          "w.yaml:9: steps.g.from: there is no step 'ee', did you mean 'e'?",
                          "w.yaml:10: unknown key 'max_lops', did you mean 'max_loops'?",
                          "w.yaml:10: routing.goto: wants alone or forward",
                          "w.yaml:11: max_parallelism: wants a number from 1 to 64",
                          "w.yaml:13: outputs[0].value: line 1: '{{' is not closed",
                          "w.yaml:14: outputs[1]: wants `name`, and `value` or `value_js`",
                          StartsWith("w.yaml:14: outputs[1].value_js: SyntaxError"),
                          "w.yaml:15: inputs[0]: wants `name`",
                          "w.yaml:15: unknown key 'defalt', did you mean 'default'?"));
}

TEST(WorkflowErrorsTest, WhatSeveralStepsShareIsToldOnce) {
  EXPECT_THAT(ErrorsIn("x-common: &common\n  type: noop\n  if: '1 +'\nfail_if: '('\n"
                       "steps:\n  a: {<<: *common}\n  b: *common\n  c: {<<: *common, if: '2 +'}\n"),
              ElementsAre(StartsWith("w.yaml:3: steps.a.if: SyntaxError"),
                          StartsWith("w.yaml:4: fail_if: SyntaxError"),
                          StartsWith("w.yaml:8: steps.c.if: SyntaxError")));
}

TEST(WorkflowErrorsTest, EachCycleIsNamed) {
  EXPECT_THAT(
      ErrorsIn("steps:\n  a: {type: noop, depends_on: [b]}\n  b: {type: noop, depends_on: [a, x]}\n"
               "  x: {type: nop}\n  behind: {type: noop, depends_on: [a, d, behind2]}\n"
               "  behind2: {type: noop, depends_on: [d]}\n"
               "  d: {type: noop, depends_on: [e]}\n  e: {type: noop, depends_on: [d, a]}\n"),
      ElementsAre("w.yaml:2: steps.a: steps depend on each other: a → b → a",
                  StartsWith("w.yaml:4: steps.x.type: there is no type"),
                  "w.yaml:7: steps.d: steps depend on each other: d → e → d"));
  EXPECT_THAT(
      ErrorsIn("steps:\n  l: {type: noop, forEach: true}\n  m: {type: noop, forEach: true}\n"
               "  n: {type: noop, depends_on: [l, m]}\n"
               "  o: {type: noop, depends_on: [m, l]}\n"
               "  p: {type: noop, depends_on: [o]}\n"),
      ElementsAre(StartsWith("w.yaml:4: steps.n: n depends on the items of both l and m"),
                  StartsWith("w.yaml:5: steps.o: o depends on the items of both m and l")));
}

TEST(WorkflowErrorsTest, OfFilesThatItNamesComeToo) {
  const Files files = {
      {"base.yaml", "steps:\n  a: {type: noop, manual: perhaps}\n  b: {type: noop, wrong: 1}\n"},
      {"no-id.yaml", "steps: {}\n"},
      {"bad.json", "{\"type\": \"object\",\n \"pattern\": \"x\"}"}};
  EXPECT_THAT(ErrorsIn(R"yaml(extends: base.yaml
imports: [no-id.yaml, gone.yaml]
steps:
  a: {if: "("}
  c: {type: noop, schema: bad.json, on_init: {run: a}}
  d: {type: noop, schema: "{type: 1, pattern: x}", fail_if: ")"}
  e: {type: noop, schema: "{type: ["}
  f: {type: noop, schema: unheard-of}
  g: {type: ai, prompt: {fil: x}}
  h: {type: command, timeout: soon}
)yaml",
                       files),
              ElementsAre("w.yaml:2: imports: no gone.yaml beside w.yaml",
                          StartsWith("w.yaml:4: steps.a.if: SyntaxError"),
                          StartsWith("w.yaml:5: steps.c.on_init: is not known here"),
                          StartsWith("w.yaml:6: steps.d.schema.pattern: is not checked"),
                          StartsWith("w.yaml:6: steps.d.fail_if: SyntaxError"),
                          StartsWith("w.yaml:7: steps.e.schema: invalid YAML"),
                          StartsWith("w.yaml:8: steps.f.schema: there is no schema 'unheard-of'"),
                          StartsWith("w.yaml:9: steps.g.prompt: wants a text"),
                          StartsWith("w.yaml:10: steps.h.timeout: expected a whole number"),
                          StartsWith("no-id.yaml:1: wants `id`"),
                          "base.yaml:2: steps.a.manual: expected true or false",
                          StartsWith("base.yaml:3: unknown key 'wrong'"),
                          StartsWith("bad.json:2: pattern: is not checked")));
}

// What a file that cannot be read may hold is not missed: its own error is the one to mend.
TEST(WorkflowErrorsTest, WhatAnUnreadFileMayHoldIsNotMissed) {
  EXPECT_THAT(ErrorsIn("extends: gone.yaml\nsteps:\n  a: {depends_on: [b], if: '('}\n"
                       "  c: {type: script, on_fail: {goto: b}}\n"
                       "  d: {type: memory, operation: set}\n"),
              ElementsAre("w.yaml:1: extends: no gone.yaml beside w.yaml",
                          StartsWith("w.yaml:3: steps.a.if: SyntaxError")));
  EXPECT_THAT(ErrorsIn("extends: [gone.yaml]\nnam: x"),
              ElementsAre(StartsWith("w.yaml:1: extends: no gone.yaml"),
                          StartsWith("w.yaml:2: unknown key 'nam'")));
  EXPECT_THAT(ErrorsIn("extends: bad.yaml\nsteps: {a: {type: noop, depends_on: [b]}}",
                       {{"bad.yaml", "steps: [\n"}}),
              ElementsAre(AllOf(StartsWith("bad.yaml:2: invalid YAML"))));
}

TEST(WorkflowErrorsTest, AYamlErrorIsTheOnlyOne) {
  EXPECT_THAT(ErrorsIn("nam: x\nsteps: {a: [}\n"),
              ElementsAre(HasSubstr("w.yaml:2: invalid YAML")));
}

TEST(WorkflowErrorsTest, ACheckKeepsWhatCouldBeRead) {
  const CheckedWorkflow checked = CheckWorkflow(
      "steps:\n  a: {type: noop, if: '('}\n  b: {type: log, message: hi, depends_on: [a, z]}\n",
      "w.yaml");
  EXPECT_EQ(checked.errors.Sorted().size(), 2u);
  EXPECT_TRUE(checked.has_all);
  ASSERT_EQ(checked.workflow.steps.size(), 2u);
  EXPECT_EQ(checked.workflow.Find("b"), 1);
  EXPECT_THAT(checked.workflow.steps[1].depends_on, ElementsAre(ElementsAre("a")));
  EXPECT_TRUE(WorkflowPlan::Make(checked.workflow).ok());
  const CheckedWorkflow good = CheckWorkflow("steps: {a: {type: noop}}", "w.yaml");
  EXPECT_TRUE(good.errors.empty());
  EXPECT_THAT(good.workflow.warnings, IsEmpty());
}

}  // namespace
}  // namespace stile
