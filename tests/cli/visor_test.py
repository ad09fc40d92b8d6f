"""Workflow files of Visor, and the answers that their human steps take from files and pipes."""

import json
import os
import signal
import subprocess
import time

from harness import BINARY, StileTest
from parallel import main

BASE = """\
version: "1.0"
ai_provider: anthropic
routing: {max_loops: 5, defaults: {on_fail: {goto: mend}}}
checks:
  build:
    type: command
    criticality: internal
    exec: "test -f ok && echo '{\\"items\\": [1, 2, 3]}'"
    transform_js: "output.items.map(n => n * 2)"
    output_format: json
  mend: {type: command, manual: true, exec: "touch ok", on_success: {goto: build}, on_fail: {retry: {max: 0}}}
"""

OWN = """\
version: "2.0"
extends: base/visor.yaml
steps:
  ask: {type: human-input, prompt: "Whose turn?", placeholder: name, depends_on: [build], on_fail: {}}
  note: {type: logger, depends_on: [ask], message: "{{ outputs.ask.text | upcase }} {{ outputs.build | join: '+' }}"}
"""

TESTS = """\
version: "1.0"
extends: visor.yaml
tests:
  defaults: {strict: true, ai_provider: mock}
  cases:
    - name: asks once it builds
      description: The first build fails.
      event: manual
      fixture: local.minimal
      mocks:
        build[]: [{exit_code: 1, stderr: no}, {stdout: '{"items": [1]}'}]
        mend: {exit_code: 0}
        ask: ada
      expect:
        calls: [{step: build, exactly: 2}, {step: mend, exactly: 1}, {step: ask, exactly: 1}, {step: note, at_least: 1}]
        outputs: [{step: note, contains: ["ADA 2"]}]
        prompts: [{step: ask, index: last, contains: ["turn"]}]
"""


class VisorTest(StileTest):
    def setUp(self):
        super().setUp()
        self.write("base/visor.yaml", BASE)
        self.write("visor.yaml", OWN)
        self.write("visor.tests.yaml", TESTS)

    def note(self, result):
        self.assert_exit(result, 0)
        return [e for e in self.events(result) if e["type"] == "workflow_finished"][0]["outputs"]["note"]

    def test_a_file_that_extends_another_lints_and_passes_its_tests(self):
        lint = self.stile("workflow", "lint", "visor.yaml", "--json")
        self.assert_exit(lint, 0)
        report = json.loads(lint.stdout)
        self.assertEqual(report["steps"], 4)
        self.assertTrue(any("base/visor.yaml:2: `ai_provider` means nothing here" in w for w in report["warnings"]))
        tests = self.stile("workflow", "test", "visor.tests.yaml")
        self.assert_exit(tests, 0)
        self.assertIn("1 passed, 0 failed", tests.stdout)
        self.write("base/visor.yaml", BASE.replace("manual: true", "manual: perhaps").replace("n * 2", "n *"))
        lint = self.stile("workflow", "lint", "visor.yaml")
        self.assert_exit(lint, 2)
        self.assertIn("base/visor.yaml:9: checks.build.transform_js: SyntaxError", lint.stderr)
        self.assertIn("base/visor.yaml:11: checks.mend.manual: expected true or false", lint.stderr)

    def test_a_wrong_count_names_what_failed(self):
        self.write("visor.tests.yaml", TESTS.replace("ask: ada", "ask: {$fail: away}"))
        result = self.stile("workflow", "test", "visor.tests.yaml")
        self.assert_exit(result, 1)
        self.assertIn("ask failed: away", result.stdout)
        self.assertIn("note was skipped (dependency_failed): ask", result.stdout)

    def test_answers_come_from_a_file_and_from_standard_input(self):
        self.write("answers.txt", "ada\nunused\n")
        self.assertEqual(self.note(self.stile("workflow", "run", "visor.yaml", "--answers", "answers.txt", "--json")), "ADA 2+4+6")
        self.assertEqual(self.note(self.stile("workflow", "run", "visor.yaml", "--answers", "-", "--json", stdin="bo")), "BO 2+4+6")

    def test_a_resumed_run_takes_answers_too(self):
        self.write("empty.txt", "")
        self.assert_exit(self.stile("workflow", "run", "visor.yaml", "--answers", "empty.txt", "--json"), 1)
        self.write("answers.txt", "ada\n")
        resumed = self.stile("runs", "resume", self.runs()[0]["id"], "--answers", "answers.txt", "--json")
        self.assertEqual(self.note(resumed), "ADA 2+4+6")

    def test_cases_that_are_skipped_are_not_counted_as_passed(self):
        self.write("visor.tests.yaml", TESTS + "    - {name: later, skip: true, expect: {}}\n")
        result = self.stile("workflow", "test", "visor.tests.yaml", "--junit", "junit.xml")
        self.assert_exit(result, 0)
        self.assertIn("- later  skipped", result.stdout)
        self.assertIn("1 passed, 0 failed, 1 skipped", result.stdout)
        self.assertIn('skipped="1"', self.read("junit.xml"))
        report = json.loads(self.stile("workflow", "test", "visor.tests.yaml", "--json").stdout)
        self.assertEqual((report["passed"], report["failures"], report["skipped"]), (1, 0, 1))

    def test_answers_come_from_a_pipe_whose_writer_comes_late(self):
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([BINARY, "workflow", "run", "visor.yaml", "--answers", "pipe", "--json"], cwd=self.workspace,
                                   env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        with open(self.path("pipe"), "w", encoding="utf-8") as pipe:
            pipe.write("cy\n")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("CY 2+4+6", out)

    def test_waiting_for_an_answer_can_be_interrupted(self):
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([BINARY, "workflow", "run", "visor.yaml", "--answers", "pipe"], cwd=self.workspace,
                                   env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("ok")) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_without_an_answer_the_run_says_how_to_go_on(self):
        result = self.stile("workflow", "run", "visor.yaml", "--json")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, "this step asks a person: `stile runs resume [0-9]+T[0-9]+-[0-9a-f]+` in a terminal")
        self.write("empty.txt", "")
        result = self.stile("workflow", "run", "visor.yaml", "--answers", "empty.txt", "--json")
        self.assert_exit(result, 1)
        self.assertIn("there was no answer: `stile runs resume ", result.stdout)
        result = self.stile("workflow", "run", "visor.yaml", "--answers", "absent.txt")
        self.assert_exit(result, 2)
        self.assertIn("--answers: cannot open absent.txt", result.stderr)

    def test_types_that_need_other_services_are_refused_before_anything_runs(self):
        self.write("w.yaml", "steps:\n  first: {type: command, exec: touch ran}\n  call: {type: mcp, method: x}\n")
        self.assert_exit(self.stile("workflow", "lint", "w.yaml"), 0)
        result = self.stile("workflow", "run", "w.yaml")
        self.assert_exit(result, 2)
        self.assertIn("call: Stile cannot run steps of type mcp", result.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))


if __name__ == "__main__":
    main(processes=4)
