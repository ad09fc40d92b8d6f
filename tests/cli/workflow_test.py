"""stile workflow: what can be said of a workflow without running it."""

import json

from harness import StileTest, main

GOOD = """\
steps:
  build: {type: command, exec: [make, -j2]}
  test: {type: command, depends_on: [build], exec: make test, on_fail: {goto: mend}}
  mend: {type: agent, manual: true, prompt: "Mend {{ outputs.test | json }}.", on_success: {goto: build}}
"""


class WorkflowTest(StileTest):
    def test_lint(self):
        self.write("w.yaml", GOOD)
        result = self.stile("workflow", "lint", "w.yaml")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, "w.yaml: 3 steps in 2 layers, 0 warnings\n")
        result = self.stile("workflow", "lint", "w.yaml", "--json")
        self.assertEqual(json.loads(result.stdout), {"file": "w.yaml", "ok": True, "steps": 3, "warnings": []})

    def test_lint_says_where(self):
        self.write("w.yaml", GOOD.replace("goto: mend", "goto: mends"))
        result = self.stile("workflow", "lint", "w.yaml")
        self.assert_exit(result, 2)
        self.assertIn("w.yaml:3: steps.test.on_fail: there is no step 'mends', did you mean 'mend'?", result.stderr)
        result = self.stile("workflow", "lint", "w.yaml", "--json")
        self.assert_exit(result, 2)
        self.assertFalse(json.loads(result.stdout)["ok"])
        for text in ("\x00", "steps: [", "&a [*a]", "steps: {a: {type: script, content: 'while ('}}"):
            self.write("w.yaml", text)
            self.assert_exit(self.stile("workflow", "lint", "w.yaml"), 2)
        self.assert_exit(self.stile("workflow", "lint", "gone.yaml"), 2)
        self.assert_exit(self.stile("workflow"), 2)

    BROKEN = """\
nam: x
steps:
  a: {type: command, exec: "true", iff: x, if: "1 +", depends_on: [z]}
  b: {type: nop}
  c: {type: command, exec: "echo {{ outputs.gone }}"}
tests:
  cases:
    - name: x
      expect: {calls: {aa: 1}}
    - {nam: y}
"""
    ERRORS = [
        "w.yaml:1: unknown key 'nam', did you mean 'name'?",
        "w.yaml:3: unknown key 'iff', did you mean 'if'?",
        "w.yaml:3: steps.a.if: SyntaxError: expected expression, got end of script (line 1)",
        "w.yaml:3: steps.a.depends_on: there is no step 'z', did you mean 'a'?",
        "w.yaml:4: steps.b.type: there is no type 'nop'; there are agent, command, script, gate, tool, resource, verify, http, memory, "
        "log, workflow, human, noop, foreign",
        "w.yaml:9: tests.cases[0].expect.calls.aa: the workflow has no step 'aa', did you mean 'a'?",
    ]

    def test_every_error_is_named_at_once(self):
        self.write("w.yaml", self.BROKEN)
        result = self.stile("workflow", "lint", "w.yaml")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "stile: " + "\n".join(self.ERRORS) + "\n")
        self.assertEqual(result.stdout, "w.yaml:5: c exec names a step 'gone' that there is not\n")
        result = self.stile("workflow", "lint", "w.yaml", "--json")
        self.assert_exit(result, 2)
        report = json.loads(result.stdout)
        self.assertEqual(report["errors"], self.ERRORS)
        self.assertEqual(report["error"], "\n".join(self.ERRORS))
        self.assertEqual(len(report["warnings"]), 1)
        self.assertFalse(report["ok"])
        # So do the commands that would run it; a run does not look at the tests.
        result = self.stile("workflow", "test", "w.yaml")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "stile: " + "\n".join(self.ERRORS) + "\n")
        result = self.stile("workflow", "run", "w.yaml")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "stile: " + "\n".join(self.ERRORS[:-1]) + "\n")
        self.assertEqual(self.runs(), [])

    def test_errors_of_a_workflow_and_of_its_tests_in_another_file(self):
        self.write("w.yaml", "steps: {a: {type: noop, if: '('}, b: {type: noop, manual: 1}}")
        self.write("w.tests.yaml", "workflow: w.yaml\ntests: {cases: [{name: x, expect: {no_calls: [c]}}]}\n")
        for verb in ("lint", "test"):
            result = self.stile("workflow", verb, "w.tests.yaml")
            self.assert_exit(result, 2)
            for error in ("w.tests.yaml:2: tests.cases[0].expect.no_calls[0]: the workflow has no step 'c'",
                          "w.yaml:1: steps.a.if: SyntaxError", "w.yaml:1: steps.b.manual: expected true or false"):
                self.assertIn(error, result.stderr)
        self.assertEqual(len(json.loads(self.stile("workflow", "lint", "w.tests.yaml", "--json").stdout)["errors"]), 3)
        # A workflow that names it says so in one line.
        self.write("outer.yaml", "steps: {o: {type: workflow, file: w.yaml}}")
        result = self.stile("workflow", "lint", "outer.yaml")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"^outer.yaml:1: o.file: w.yaml:1: steps.a.if: SyntaxError.*; and 1 more error\n")

    def test_every_step_that_cannot_run_is_named_before_a_run(self):
        self.write("w.yaml", """\
steps:
  a: {type: agent, prompt: x}
  b: {type: verify, target: x}
  c: {type: agent, prompt: x, agent: no-such}
  d: {type: agent, prompt: x}
""")
        result = self.stile("workflow", "run", "w.yaml")
        self.assert_exit(result, 2)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 2, result.stderr)
        self.assertIn("a, b, d: it asks a model, and no model is chosen", lines[0])
        self.assertIn("c: there is no agent 'no-such'", lines[1])
        self.assertEqual(self.runs(), [])

    def test_lint_names_all_that_is_not_there(self):
        self.write("w.yaml", """\
inputs: {what: {default: x}}
env: [HOME]
steps:
  a: {type: command, exec: "echo {{ inputs.what }} {{ inputs.that }} {{ env.HOME }} {{ env.MODE }}"}
  b: {type: script, depends_on: [a], content: "return outputs.a + outputs.c + config.env.OTHER"}
  d: {type: agent, agent: no-such, prompt: x}
  e: {type: workflow, file: sub/gone.yaml}
  f: {type: workflow, file: sub/inner.yaml}
  g: {type: workflow, file: "{{ inputs.what }}.yaml"}
""")
        self.write("sub/inner.yaml", "steps: {a: {type: noop}}")
        result = self.stile("workflow", "lint", "w.yaml", "--json")
        self.assert_exit(result, 0)
        warnings = json.loads(result.stdout)["warnings"]
        for expected in ("w.yaml:4: a exec names env.MODE", "w.yaml:4: a exec names inputs.that", "w.yaml:5: b content names a step 'c'",
                         "w.yaml:5: b content names 'config', which nothing defines", "w.yaml:6: d.agent: there is no agent 'no-such'", "w.yaml:7: e.file: cannot read sub/gone.yaml"):
            self.assertTrue(any(line.startswith(expected) for line in warnings), (expected, warnings))
        self.assertEqual(len(warnings), 6, warnings)

    TYPOS = """\
env: [HOME]
steps:
  build: {type: command, exec: "echo {{ ouputs.build }} {{ what }} {{ maybe | default: 1 }} {% if buld %}x{% endif %}"}
  test:
    type: command
    depends_on: [build]
    exec: "true"
    if: "ouputs.build"
    assume: build.ok
    fail_if: "output.bad || outputs['bild'] || typeof limit !== 'undefined' && limit > 1"
    failure_conditions: {many: issuse.length, few: {condition: "env.MODE === step.id"}}
    on_fail:
      goto_js: |
        if (attempt > 3) return null;
        return attempt > 1 ? 'mends' : 'mend';
  mend:
    type: script
    manual: true
    content: |
      const {test, tset} = outputs_history;
      memory.set('n', tset.length);
      return error ? event.name : outputs.mend;
    on_success: {run_js: "return ['build', 'tests'];", transitions: [{when: "outptu", to: build}]}
outputs: [{name: a, value: "{{ outputs.bulid }}"}, {name: b, value_js: "result.ok"}]
report: {content: "return {ok: result.ok, of: earlier.length, b: outputs.biuld, p: process.env.HOME};"}
tests:
  cases:
    - {name: n, inputs: {what: x}, mocks: {build: 1, test: 1}, expect: {calls: {build: 1, test: 0}}}
"""
    FINDINGS = [
        "w.yaml:3: build exec names 'ouputs', which nothing defines, did you mean 'outputs'?",
        "w.yaml:4: test if names 'ouputs', which nothing defines, did you mean 'outputs'?",
        "w.yaml:4: test assume names 'build', which nothing defines; the output of the step is outputs.build",
        "w.yaml:4: test fail_if names a step 'bild' that there is not, did you mean 'build'?",
        "w.yaml:4: test failure_conditions.many names 'issuse', which nothing defines, did you mean 'issues'?",
        "w.yaml:4: test failure_conditions.few names env.MODE, which `env:` of the file does not",
        "w.yaml:4: test on_fail.goto_js returns 'mends', which is no step (line 2), did you mean 'mend'?",
        "w.yaml:16: mend content names a step 'tset' that there is not, did you mean 'test'?",
        "w.yaml:16: mend on_success.run_js returns 'tests', which is no step, did you mean 'test'?",
        "w.yaml:23: mend on_success.transitions names 'outptu', which nothing defines, did you mean 'output'?",
        "w.yaml:24: outputs.a names a step 'bulid' that there is not, did you mean 'build'?",
        "w.yaml:24: outputs.b names 'result', which nothing defines; `inputs:` declares what callers give",
        "w.yaml:25: report names a step 'biuld' that there is not, did you mean 'build'?",
        "w.yaml:25: report names 'process', which nothing defines; `inputs:` declares what callers give",
    ]

    def test_names_that_nothing_defines_are_warnings(self):
        self.write("w.yaml", self.TYPOS)
        result = self.stile("workflow", "lint", "w.yaml", "--json")
        self.assert_exit(result, 0)
        self.assertEqual(json.loads(result.stdout)["warnings"], self.FINDINGS)
        result = self.stile("workflow", "test", "w.yaml")
        self.assertEqual(result.stdout.splitlines()[:len(self.FINDINGS)], self.FINDINGS)
        result = self.stile("workflow", "test", "w.yaml", "--json")
        self.assertEqual(json.loads(result.stdout)["warnings"], self.FINDINGS)

    def test_a_run_begins_with_warnings_of_names(self):
        self.write("w.yaml", """\
steps:
  a: {type: command, exec: "echo {{ what }}", if: "what === 'x'"}
  b: {type: noop, depends_on: [a], if: "ouputs.a === 'x'"}
""")
        finding = "w.yaml:3: b if names 'ouputs', which nothing defines, did you mean 'outputs'?"
        result = self.stile("workflow", "run", "w.yaml", "--input", "what=x", "--json")
        self.assert_exit(result, 0)
        logged = [e["text"] for e in self.events(result) if e["type"] == "log" and e["level"] == "warning"]
        self.assertEqual([text for text in logged if "names" in text], [finding])
        result = self.stile("workflow", "run", "w.yaml", "--input", "what=x")
        self.assertIn(finding, result.stdout + result.stderr)

    def test_inputs_that_the_file_declares_are_known(self):
        text = """\
inputs: [{name: count, default: 1}, what]
steps:
  a: {type: script, content: "return count + inputs.count + what + that;"}
  b: {type: log, message: "{{ what }} {{ that }} {{ those | default: '' }} {% for x in list %}{{ x }}{% endfor %}"}
"""
        self.write("w.yaml", text.replace("what]", "{name: what}]"))
        result = self.stile("workflow", "lint", "w.yaml", "--json")
        self.assertEqual(json.loads(result.stdout)["warnings"], [
            "w.yaml:3: a content names 'that', which nothing defines, did you mean 'what'?",
            "w.yaml:4: b message names 'that', which nothing defines, did you mean 'what'?",
            "w.yaml:4: b message names 'list', which nothing defines; `inputs:` declares what callers give"])

    def test_bundled_workflows_have_no_findings(self):
        for name in ("agent-builder", "app-loop", "cycle", "story-plan"):
            result = self.stile("workflow", "lint", "builtin:" + name, "--json")
            self.assert_exit(result, 0)
            self.assertEqual(json.loads(result.stdout)["warnings"], [], name)

    def test_graph(self):
        self.write("w.yaml", GOOD)
        result = self.stile("workflow", "graph", "w.yaml")
        self.assert_exit(result, 0)
        self.assertIn("s0 --> s1", result.stdout)
        self.assertIn('s1 -. "on_fail" .-> s2', result.stdout)
        result = self.stile("workflow", "graph", "w.yaml", "--format", "dot")
        self.assert_exit(result, 0)
        self.assertTrue(result.stdout.startswith("digraph workflow {\n"))


if __name__ == "__main__":
    main()
