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
