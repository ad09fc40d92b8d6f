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
