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
        "w.yaml:4: steps.b.type: there is no type 'nop'; there are agent, command, script, gate, tool, verify, http, memory, log, "
        "workflow, human, noop, foreign",
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
        self.assertEqual(len(lines), 3, result.stderr)
        self.assertIn("a, d: it is an agent, and no model is chosen", lines[0])
        self.assertIn("b: this version of Stile has no verifier", lines[1])
        self.assertIn("c: there is no agent 'no-such'", lines[2])
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
                         "w.yaml:6: d.agent: there is no agent 'no-such'", "w.yaml:7: e.file: cannot read sub/gone.yaml"):
            self.assertTrue(any(line.startswith(expected) for line in warnings), (expected, warnings))
        self.assertEqual(len(warnings), 5, warnings)

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
