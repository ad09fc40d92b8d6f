"""Other programs under the gate: `stile gate run`. The programs are scripts; the compilers are real."""

import json
import os
import signal
import subprocess
import sys
import time

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, StileTest, main

# Writes its argument to a.py, and what it was told to a file outside of the workspace.
AGENT = """\
import os, sys
with open(os.environ["TOLD"], "a", encoding="utf-8") as told:
    told.write(sys.argv[-1] + "\\0")
with open("a.py", "w", encoding="utf-8") as file:
    file.write(os.environ["GOOD"] if "FINAL" in sys.argv[1:] else os.environ["BAD"])
print("agent: done")
"""


class GateRunTest(StileTest):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)
        self.init_git()
        self.told = os.path.join(self.root, "told")
        self.agent = os.path.join(self.root, "agent.py")
        with open(self.agent, "w", encoding="utf-8") as file:
            file.write(AGENT)
        self.env.update(TOLD=self.told, GOOD="def add(a, b):\n    return b + a\n", BAD=BAD_PYTHON)

    def gate_run(self, *command, flags=(), **more):
        return self.stile("gate", "run", *flags, "--", *command, **more)

    def script(self, text):
        return ("sh", "-c", text)

    def calls(self):
        with open(self.told, encoding="utf-8") as file:
            return file.read().split("\0")[:-1]

    def test_work_that_builds_is_accepted_with_a_certificate(self):
        result = self.gate_run(sys.executable, self.agent, "FINAL")
        self.assert_exit(result, 0)
        # Standard output is the program's alone.
        self.assertEqual(result.stdout, "agent: done\n")
        self.assertIn("Succeeded", result.stderr)
        run = self.runs()[0]
        self.assertEqual(run["outcome"], "succeeded")
        shown = json.loads(self.stile("certificate", "show", run["id"], "--json").stdout)
        statement = json.dumps(shown)
        self.assertIn('"program"', statement)
        self.assertIn("a.py", statement)
        self.assert_exit(self.stile("certificate", "verify", run["id"]), 0)
        self.assertIn("return b + a", self.stile("runs", "diff", run["id"]).stdout)
        self.assert_exit(self.stile("runs", "undo", run["id"]), 0)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)

    def test_work_that_does_not_build_is_refused_whatever_the_program_says(self):
        result = self.gate_run(sys.executable, self.agent, "once")
        self.assert_exit(result, 3)
        self.assertIn("a.py:1", result.stderr)
        self.assertNotIn("code.validate", result.stderr)
        self.assertNotIn("runs resume", result.stderr)
        run = self.runs()[0]
        self.assertEqual((run["outcome"], run["reason"]), ("failed", "gate_failed"))
        finish = self.journal(run["id"])[-1]
        self.assertEqual((finish["exit_code"], finish["body_exit_code"]), (3, 0))
        self.assertEqual(self.read("a.py"), BAD_PYTHON)  # the files stay for whoever mends them
        resumed = self.stile("runs", "resume", run["id"])
        self.assert_exit(resumed, 2)
        self.assertIn("stile gate run", resumed.stderr)
        # What was left broken is judged by the next run, too.
        self.assert_exit(self.gate_run("true"), 3)
        self.write("a.py", GOOD_PYTHON)
        self.assert_exit(self.gate_run("true"), 0)

    def test_a_refusal_is_told_to_the_program(self):
        again = f"'{sys.executable}' {self.agent} FINAL 'mend: {{{{refusal}}}}'"
        result = self.gate_run(sys.executable, self.agent, "first", flags=("--again", again, "--json"))
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertEqual([e["attempt"] for e in events if e["type"] == "program_finished"], [1, 2])
        self.assertEqual([e["type"] for e in events if e["type"].startswith("gate_")],
                         ["gate_rejected", "gate_accepted"])
        first, second = self.calls()
        self.assertEqual(first, "first")
        self.assertTrue(second.startswith("mend: Cannot finish"), second)
        self.assertIn("a.py:1", second)
        # Nothing but events stands on standard output.
        self.assertEqual(result.stderr.count("agent: done"), 2)

    def test_a_program_that_never_mends_it_is_called_only_so_often(self):
        again = f"{sys.executable} {self.agent} '{{{{refusal}}}}'"
        result = self.gate_run(sys.executable, self.agent, "first", flags=("--again", again))
        self.assert_exit(result, 3)
        self.assertEqual(len(self.calls()), 5)
        self.assertIn("5 validations in a row failed", result.stderr)

    def test_a_program_that_fails_is_no_success(self):
        result = self.gate_run(*self.script("echo 'x = 1' > b.py; exit 7"))
        self.assert_exit(result, 1)
        self.assertIn("exit status 7", result.stderr)
        finish = self.journal(self.runs()[0]["id"])[-1]
        self.assertEqual((finish["reason"], finish["body_exit_code"], finish["changed"]),
                         ("gave_up", 7, ["b.py"]))
        result = self.gate_run(*self.script("kill -KILL $$"))
        self.assert_exit(result, 1)
        self.assertEqual(self.journal(self.runs()[0]["id"])[-1]["body_exit_code"], 128 + 9)

    def test_a_program_that_changes_nothing(self):
        result = self.gate_run("true")
        self.assert_exit(result, 0)
        self.assertIn("Unchanged", result.stderr)

    def test_it_has_the_streams_and_the_environment(self):
        result = self.gate_run(*self.script("cat; echo $GREETING; echo fault >&2"), stdin="one\ntwo\n",
                               env={"GREETING": "hello"})
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, "one\ntwo\nhello\n")
        self.assertIn("fault\n", result.stderr)

    def test_nothing_runs_where_the_command_cannot(self):
        for arguments, words in (
                (("--", "no-such-program"), "no-such-program"),
                (("--",), "no program was given"),
                ((), "no program was given"),
                (("sh", "-c", "true"), "put -- before the program"),
                (("--again", "mend it", "--", "true"), "{{refusal}}"),
                (("--again", "mend 'it {{refusal}}", "--", "true"), "open quote"),
                (("--again", "no-such-program {{refusal}}", "--", "true"), "no-such-program")):
            result = self.stile("gate", "run", *arguments)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr, arguments)
        self.assertEqual(self.runs(), [])

    def test_flags_behind_the_dashes_are_the_programs(self):
        for flags in (("--level", "build"), ("--max-time=60",), ("--allow", "uncovered=x/**"), ("--json",), ("-C", ".")):
            result = self.gate_run("sh", "-c", "exit $#", "sh", "--json", "-C", flags=flags)
            self.assert_exit(result, 1)
            self.assertEqual(self.journal(self.runs()[0]["id"])[-1]["body_exit_code"], 2, flags)

    def test_a_long_refusal_fits_into_the_command(self):
        many = "i=0; while [ $i -lt 300 ]; do echo 'x = (' > \"broken_file_with_a_long_name_$i.py\"; i=$((i + 1)); done"
        again = "sh -c 'rm broken*; printf %s \"$1\" | wc -c > \"$TOLD\"' sh '{{refusal}}{{refusal}}{{refusal}}'"
        result = self.gate_run(*self.script(many), flags=("--again", again))
        self.assert_exit(result, 0)
        with open(self.told, encoding="utf-8") as file:
            self.assertGreater(int(file.read()), 1000)

    def test_a_path_is_meant_from_where_the_command_stands(self):
        self.write("tool.sh", "#!/bin/sh\npwd\n")
        os.chmod(self.path("tool.sh"), 0o755)
        other = os.path.join(self.root, "other")
        os.mkdir(other)
        result = self.gate_run("./tool.sh", flags=("-C", other))
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, other + "\n")

    def test_processes_that_it_leaves_behind_end(self):
        mark = os.path.join(self.root, "late")
        self.assert_exit(self.gate_run(*self.script(f"(sleep 2; touch {mark}; echo 'x = (' > late.py) & exit 0")), 0)
        time.sleep(3)
        self.assertFalse(os.path.exists(mark))
        self.assertFalse(os.path.exists(self.path("late.py")))

    def test_its_time_is_limited(self):
        late = self.script("trap 'exit 5' TERM; while :; do sleep 0.1; done")
        result = self.gate_run(*late, flags=("--max-time", "1"))
        self.assert_exit(result, 4)
        self.assertIn("was stopped at the time limit", result.stderr)
        self.assertEqual(self.journal(self.runs()[0]["id"])[-1]["body_exit_code"], 5)

    def start(self, script):
        process = subprocess.Popen([BINARY, "gate", "run", "--", *self.script(script)], cwd=self.workspace,
                                   env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "started\n")
        return process

    def test_an_interrupt_ends_it_and_leaves_what_can_be_undone(self):
        process = self.start("echo 'x = (' > a.py; echo started; sleep 100")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        run = self.runs()[0]
        self.assertEqual(run["reason"], "cancelled")
        self.assert_exit(self.stile("runs", "undo", run["id"]), 0)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)

    def test_a_kill_in_the_middle_leaves_what_can_be_undone(self):
        process = self.start("echo 'x = (' > a.py; echo started; sleep 100")
        process.kill()
        process.wait(60)
        run = self.runs()[0]
        self.assertEqual(run["outcome"], "interrupted")
        self.assert_exit(self.stile("runs", "undo", run["id"]), 0)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)


if __name__ == "__main__":
    main()
