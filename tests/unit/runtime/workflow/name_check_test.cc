#include "runtime/workflow/name_check.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/template/template.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Findings(const std::string& text,
                                  const std::set<std::string>& inputs = {}) {
  const auto workflow = ParseWorkflow(text, "w.yaml");
  if (!workflow.ok()) return {std::string(workflow.status().message())};
  return CheckNames(*workflow, "w.yaml", inputs);
}

// Steps "a" and "b-1", and a step "s" with these lines below it.
std::vector<std::string> FindingsIn(const std::string& lines, const std::string& head = "") {
  return Findings(absl::StrCat(head, "steps:\n  a: {type: noop}\n  b-1: {type: noop}\n  s:\n",
                               "    type: command\n    exec: \"true\"\n", lines));
}

TEST(NameCheckTest, WhatAnExpressionGetsIsKnown) {
  // Before the step works, and in what it is made of.
  const std::string before =
      "outputs, outputs_raw, outputs_history, changed_history, tokens_history, errors, attempt, "
      "memory, env, event, inputs, forEach, pr, files, filesCount, filesChanged, branch, "
      "baseBranch";
  const std::string after = absl::StrCat(before, ", output, checkName, step, error, issues");
  EXPECT_THAT(
      FindingsIn(absl::StrCat("    if: \"[", before, "]\"\n    assume: \"[", before, "]\"\n")),
      IsEmpty());
  EXPECT_THAT(
      FindingsIn(absl::StrCat(
          "    fail_if: \"[", after, "]\"\n    guarantee: \"[", after, "]\"\n    transform_js: \"[",
          after, "]\"\n    failure_conditions: {x: \"[", after,
          "]\"}\n    on_fail: {run_js: \"return [", after, "]\", goto_js: \"return [", after,
          "]\", transitions: [{when: \"[", after, "]\", to: a}]}\n")),
      IsEmpty());
  EXPECT_THAT(FindingsIn("    if: \"output.x\"\n    assume: \"error\"\n"),
              ElementsAre(HasSubstr("s if names 'output', which nothing defines"),
                          HasSubstr("s assume names 'error', which nothing defines")));
  EXPECT_THAT(Findings(absl::StrCat("steps:\n  s: {type: script, content: \"return [", before,
                                    ", checkName, step, error, issues]\"}\n  m: {type: memory, "
                                    "operation: set, key: k, value_js: \"[",
                                    before, ", checkName]\"}\n")),
              IsEmpty());
  EXPECT_THAT(Findings("steps:\n  s: {type: script, content: \"return output\"}\n"),
              ElementsAre(HasSubstr("s content names 'output', which nothing defines")));
  EXPECT_THAT(Findings(absl::StrCat("steps: {a: {type: noop}}\noutputs:\n- {name: o, value_js: \"[",
                                    before, "]\"}\nreport: {content: \"return [", before,
                                    ", result, earlier]\"}\n")),
              IsEmpty());
}

TEST(NameCheckTest, StepsBehindOutputsHaveToBeThere) {
  EXPECT_THAT(FindingsIn("    if: \"outputs.a && outputs['b-1'] && outputs?.a?.x && "
                         "outputs.hasOwnProperty('x') && outputs_history.a.length && errors.s\"\n"),
              IsEmpty());
  EXPECT_THAT(FindingsIn("    if: \"outputs.history.a[0] && outputs.history['zzz']\"\n"),
              ElementsAre("w.yaml:4: s if names a step 'zzz' that there is not"));
  EXPECT_THAT(
      FindingsIn("    if: \"outputs['b_1'] + changed_history.ccc\"\n"),
      ElementsAre("w.yaml:4: s if names a step 'b_1' that there is not, did you mean 'b-1'?",
                  "w.yaml:4: s if names a step 'ccc' that there is not"));
  // A variable of the script, a comment and a text are none of them.
  EXPECT_THAT(FindingsIn("    if: \"const o = {outputs: {x: 1}}; o.outputs.x /* outputs.y */ + "
                         "'outputs.z'\"\n"),
              IsEmpty());
  EXPECT_THAT(FindingsIn("    if: \"(outputs => outputs.y)({})\"\n"), IsEmpty());
}

TEST(NameCheckTest, AStepIsNoVariable) {
  EXPECT_THAT(
      FindingsIn("    if: \"a.x\"\n    env: {E: \"{{ b-1.x }}\"}\n"),
      ElementsAre(
          "w.yaml:4: s if names 'a', which nothing defines; the output of the step is outputs.a",
          "w.yaml:4: s env.E names 'b-1', which nothing defines; the output of the step is "
          "outputs['b-1']"));
}

TEST(NameCheckTest, ATypeofIsNoFinding) {
  EXPECT_THAT(FindingsIn("    if: \"typeof limit === 'undefined' || limit > 1\"\n"), IsEmpty());
}

TEST(NameCheckTest, EachNameOfATextIsToldOnceWithItsLine) {
  EXPECT_THAT(
      FindingsIn("    on_fail:\n      goto_js: |\n        const x = 1;\n"
                 "        if (why > x) return 'a';\n        return why ? 'gone' : 's';\n"),
      ElementsAre("w.yaml:4: s on_fail.goto_js names 'why', which nothing defines (line 2); "
                  "`inputs:` declares what callers give",
                  "w.yaml:4: s on_fail.goto_js returns 'gone', which is no step (line 3)"));
}

TEST(NameCheckTest, ConstantsThatRoutesReturnAreSteps) {
  EXPECT_THAT(
      FindingsIn("    on_success: {goto_js: \"return output ? 'a' : null\", run_js: \"return "
                 "['a', 'b-1', '']\"}\n"),
      IsEmpty());
  EXPECT_THAT(
      FindingsIn("    on_finish: {goto_js: \"return 'b1'\", run_js: \"return ['a', 'x' + 1, "
                 "'zzz']\"}\n"),
      ElementsAre("w.yaml:4: s on_finish.run_js returns 'zzz', which is no step",
                  "w.yaml:4: s on_finish.goto_js returns 'b1', which is no step, did you "
                  "mean 'b-1'?"));
}

TEST(NameCheckTest, InputsAreThoseOfTheFileAndOfCallers) {
  const std::string undeclared =
      "steps: {s: {type: script, content: \"return what + inputs.any\"}}\n";
  EXPECT_THAT(Findings(undeclared),
              ElementsAre("w.yaml:1: s content names 'what', which nothing defines; `inputs:` "
                          "declares what callers give"));
  EXPECT_THAT(Findings(undeclared, {"what"}), IsEmpty());
  EXPECT_THAT(Findings(absl::StrCat("inputs: {what: 1}\n", undeclared)),
              ElementsAre("w.yaml:2: s content names inputs.any, which `inputs:` of the file does "
                          "not"));
  EXPECT_THAT(FindingsIn("    if: \"env.HOME && env.MODE\"\n", "env: [HOME]\n"),
              ElementsAre("w.yaml:5: s if names env.MODE, which `env:` of the file does not"));
}

TEST(NameCheckTest, TemplatesOfFilesWithoutInputsMayNameAny) {
  const std::string texts =
      "steps:\n  s: {type: log, message: \"{{ what }} {{ ouputs.s }} {% if evnt %}{% endif %} {{ s "
      "}} "
      "{{ outputs.t | default: 1 }} {% assign own = 1 %}{{ own }}\"}\n";
  EXPECT_THAT(
      Findings(texts),
      ElementsAre(
          "w.yaml:2: s message names 'ouputs', which nothing defines, did you mean 'outputs'?",
          "w.yaml:2: s message names 'evnt', which nothing defines, did you mean 'event'?",
          "w.yaml:2: s message names 's', which nothing defines; the output of the step is "
          "outputs.s",
          "w.yaml:2: s message names a step 't' that there is not, did you mean 's'?"));
  EXPECT_THAT(
      Findings(absl::StrCat("inputs: {x: 1}\n", texts)),
      testing::Contains("w.yaml:3: s message names 'what', which nothing defines; `inputs:` "
                        "declares what callers give"));
  // Outside of braces, and where nothing is filled in, a text is only a text.
  EXPECT_THAT(
      Findings("steps: {s: {type: command, exec: \"echo outputs.x {% raw %}{{ outputs.y }}{% "
               "endraw %}\"}, g: {type: tool, tool: \"{{ outputs.z }}\"}}"),
      IsEmpty());
  // The output is there in a transform only.
  EXPECT_THAT(FindingsIn("    transform: \"{{ output.x }}\"\n    env: {E: \"{{ output.x }}\"}\n"),
              ElementsAre(HasSubstr("s env.E names 'output', which nothing defines")));
}

std::vector<std::string> Uses(const std::string& text) {
  const auto parsed = Template::Parse(text);
  if (!parsed.ok()) return {std::string(parsed.status().message())};
  std::vector<std::string> uses;
  for (const TemplateUse& use : parsed->Uses()) {
    std::string line = use.line > 1 ? absl::StrCat(use.line, ": ") : "";
    for (const std::string& name : use.path) absl::StrAppend(&line, name, "/");
    uses.push_back(absl::StrCat(line, use.may_be_missing ? "?" : ""));
  }
  return uses;
}

TEST(TemplateUsesTest, AreTheNamesThatItTakesFromTheScope) {
  EXPECT_THAT(Uses("{{ a.b[\"c d\"].e }}{{ a[0].b }}{{ a[b.c].d }}"),
              ElementsAre("a/b/c d/e/", "a/", "a/", "b/c/"));
  EXPECT_THAT(Uses("{{ 'x' | append: a | append: b.c }}{{ true }}{{ null }}"),
              ElementsAre("a/", "b/c/"));
  EXPECT_THAT(Uses("{{ a | default: b }}{% if c == d %}{{ e }}{% elsif f %}{% endif %}"),
              ElementsAre("a/?", "b/", "c/?", "d/?", "e/", "f/?"));
  EXPECT_THAT(Uses("{% case a %}{% when b, 'x' %}{{ c }}{% else %}{{ d }}{% endcase %}"),
              ElementsAre("a/?", "b/", "c/", "d/"));
  EXPECT_THAT(
      Uses("{% for x in list limit: n offset: m %}{{ x }}{{ forloop.index }}{{ y }}{% else %}"
           "{{ z }}{% endfor %}"),
      ElementsAre("list/", "n/", "m/", "y/", "z/"));
  EXPECT_THAT(Uses("{% assign a = b %}{% capture c %}{{ d }}{% endcapture %}{{ a }}{{ c }}"),
              ElementsAre("b/", "d/"));
  EXPECT_THAT(Uses("x\n{{ a }}\n{% comment %}{{ b }}{% endcomment %}{% unless c %}{% endunless %}"),
              ElementsAre("2: a/", "3: c/?"));
}

}  // namespace
}  // namespace stile
