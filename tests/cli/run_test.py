"""stile run -t: outcomes, exit codes and what is printed."""

import json
import os

from harness import (BAD_PYTHON, GOOD_PYTHON, VALIDATE, StileTest, call, finish, main, shell, write)


class RunTest(StileTest):

    def test_without_arguments_there_is_help_with_three_examples(self):
        result = self.stile()
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "")
        self.assertIn("Usage: stile", result.stdout)
        examples = result.stdout.split("Examples:\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual([line.split()[:2] for line in examples],
                         [["stile", "run"], ["stile", "validate"], ["stile", "doctor"]])

    def test_a_validated_change_succeeds_without_git(self):
        result = self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, finish("wrote a.py"))
        self.assert_exit(result, 0)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)
        self.assertIn("Succeeded", result.stdout)
        self.assertIn("wrote a.py", result.stdout)
        self.assertIn("  a.py", result.stdout)
        self.assertIn("Certificate: ", result.stdout)
        self.assertIn("stile runs diff ", result.stdout)

    def test_c_is_judged_by_the_compiler(self):
        result = self.run_task(
            write("a.c", "int f(void) { return undeclared; }\n"), VALIDATE,
            write("a.c", "int f(void) { return 0; }\n"), VALIDATE, finish(), arguments=["--json"])
        self.assert_exit(result, 0)
        verdicts = [e["verdict"] for e in self.events(result) if e["type"] == "validation_finished"]
        self.assertEqual(verdicts, ["fail", "pass"])

    def test_nothing_changed_is_unchanged(self):
        result = self.run_task(finish("nothing to do"), arguments=["--json"])
        self.assert_exit(result, 0)
        self.assertEqual(self.events(result)[-1]["outcome"], "unchanged")

    def test_finish_is_refused_until_the_change_is_validated(self):
        result = self.run_task(
            write("a.py", BAD_PYTHON), finish(), write("a.py", GOOD_PYTHON), finish(), VALIDATE,
            finish(), arguments=["--json"])
        self.assert_exit(result, 0)
        types = [e["type"] for e in self.events(result)]
        self.assertEqual(types.count("gate_rejected"), 2)
        self.assertEqual(types.count("gate_accepted"), 1)

    def test_on_finish_validate_runs_what_is_missing(self):
        result = self.run_task(
            write("a.py", GOOD_PYTHON), finish(), arguments=["--on-finish", "validate"])
        self.assert_exit(result, 0)

    def test_five_failed_validations_end_the_run_with_3(self):
        turns = []
        for i in range(6):
            turns += [write("a.py", BAD_PYTHON + f"# {i}\n"), VALIDATE]
        result = self.run_task(*turns, arguments=["--json"])
        self.assert_exit(result, 3)
        end = self.events(result)[-1]
        self.assertEqual((end["outcome"], end["reason"]), ("failed", "gate_failed"))
        self.assertEqual(end["failures"], 5)
        self.assertEqual(end["exit_code"], 3)
        self.assertIsNone(end["certificate"])

    def test_the_wall_time_ends_a_command_under_way_with_4(self):
        result = self.run_task(shell("sleep 600"), finish(), 
                               arguments=["--json", "--yes", "--max-time", "1"])
        self.assert_exit(result, 4)
        self.assertEqual(self.events(result)[-1]["reason"], "wall_time")

    def test_observe_only_reports(self):
        result = self.run_task(
            write("a.py", BAD_PYTHON), finish(), arguments=["--gate-mode", "observe", "--json"])
        self.assert_exit(result, 0)
        end = self.events(result)[-1]
        self.assertEqual(end["outcome"], "ungated")
        self.assertIsNone(end["certificate"])

    def test_giving_up_ends_with_1(self):
        result = self.run_task(finish("cannot be done", status="gave_up"))
        self.assert_exit(result, 1)
        self.assertIn("gave_up", result.stdout)
        self.assertIn("cannot be done", result.stdout)

    def test_the_turn_limit_ends_with_4(self):
        turns = [call("file.exists", path=f"a{i}") for i in range(5)]
        result = self.run_task(*turns, arguments=["--max-turns", "3"])
        self.assert_exit(result, 4)
        self.assertIn("max_turns", result.stdout)

    def test_an_exhausted_cassette_ends_with_5(self):
        result = self.run_task(call("file.exists", path="a"))
        self.assert_exit(result, 5)
        self.assertIn("model_error", result.stdout)

    def test_a_limit_on_tokens_ends_with_4(self):
        turns = [call("file.exists", path=f"a{i}") for i in range(5)]
        result = self.run_task(*turns, arguments=["--max-tokens", "150", "--json"])
        self.assert_exit(result, 4)
        self.assertEqual(self.events(result)[-1]["reason"], "token_budget")

    def test_the_json_stream_is_events_and_nothing_else(self):
        result = self.run_task(
            write("a.py", GOOD_PYTHON), VALIDATE, finish(), arguments=["--json"])
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertEqual([e["seq"] for e in events], sorted({e["seq"] for e in events}))
        self.assertEqual(len({e["run_id"] for e in events}), 1)
        self.assertEqual(events[0]["type"], "run_started")
        end = events[-1]
        self.assertEqual(end["changed"], ["a.py"])
        self.assertEqual(end["turns"], 3)
        self.assertEqual(end["usage"]["input_tokens"], 300)
        self.assertTrue(os.path.exists(end["certificate"]["path"]))
        self.assertEqual(result.stderr, "")

    def test_the_journal_holds_the_events_that_were_printed(self):
        result = self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, finish(), arguments=["--json"])
        shown = [e for e in self.events(result) if e["type"] not in ("model_delta", "tool_output")]
        self.assertEqual(self.journal(shown[0]["run_id"])[-1]["type"], "run_finished")
        self.assertEqual(
            [e["type"] for e in self.journal(shown[0]["run_id"])], [e["type"] for e in shown])

    def test_quiet_prints_no_progress(self):
        result = self.run_task(finish("nothing"), arguments=["--quiet"])
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, "")
        self.assertIn("nothing", result.stdout)

    def test_commands_need_no_permission_inside_a_sandbox(self):
        result = self.run_task(shell("touch made; touch ~/made /usr/made .git/made"), finish(),
                               arguments=["--json"])
        self.assert_exit(result, 0)
        self.assertTrue(os.path.exists(self.path("made")))
        self.assertFalse(os.path.exists(os.path.join(self.env["HOME"], "made")))
        with open(self.events(result)[-1]["certificate"]["path"], encoding="utf-8") as file:
            self.assertIn("bubblewrap", file.read())

    def test_commands_are_denied_without_a_person_and_allowed_with_yes(self):
        self.env["STILE_SANDBOX"] = "off"
        result = self.run_task(shell("touch made"), finish())
        self.assertFalse(os.path.exists(self.path("made")))
        result = self.run_task(shell("touch made"), finish(), arguments=["--yes"])
        self.assert_exit(result, 0)
        self.assertTrue(os.path.exists(self.path("made")))

    def test_the_task_can_come_from_stdin(self):
        result = self.stile("run", "-t", "-", "--model", self.cassette(finish()),
                            stdin="a task from stdin")
        self.assert_exit(result, 0)
        self.assertEqual(self.runs()[0]["task"], "a task from stdin")

    def test_a_recorded_run_replays_strictly(self):
        cassette = os.path.join(self.root, "recorded.jsonl")
        result = self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, finish(),
                               arguments=["--record", cassette])
        self.assert_exit(result, 0)
        with open(cassette, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(len(lines), 3)
        self.assertTrue(all("request_sha256" in line for line in lines))

    def test_unknown_tools_and_bad_arguments_are_answered_not_fatal(self):
        result = self.run_task(
            call("no.such.tool", x=1), call("file.read"), call("file.read", path="../outside"),
            finish())
        self.assert_exit(result, 0)


if __name__ == "__main__":
    main()
