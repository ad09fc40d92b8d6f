"""stile runs resume: whatever ended a run but success and undo, it goes on as if it had not ended."""

import json
import os
import signal
import subprocess
import time

from harness import (BAD_PYTHON, BINARY, GOOD_PYTHON, STORY, VALIDATE, StileTest, call, finish, shell,
                     write, write_cassette)
from model_server import ModelServer
from parallel import main

LOOP = """\
name: loop
steps:
  before: {type: command, exec: "echo ran >> before.txt"}
  write: {type: agent, prompt: Write a.py., depends_on: [before]}
  beside: {type: command, exec: "echo ran >> beside.txt"}
  after: {type: command, depends_on: [write], exec: "echo ran >> after.txt"}
"""


class ResumeTest(StileTest):

    def last(self):
        return self.runs()[0]["id"]

    def resume(self, run, *turns, arguments=(), **more):
        model = ("--model", self.cassette(*turns)) if turns else ()
        return self.stile("runs", "resume", run, "--json", *model, *arguments, **more)

    def assert_goes_on(self, run, *turns, code=0, arguments=(), after=None, **more):
        """The events of the resumed run; its journal holds one end more."""
        ends = [e["type"] for e in self.journal(run)].count("run_finished")
        result = self.resume(run, *turns, arguments=arguments, **more)
        self.assert_exit(result, code)
        events = self.events(result)
        self.assertEqual(events[0]["type"], "run_resumed")
        if after is not None:
            self.assertEqual(events[0]["after"], after)
        journal = self.journal(run)
        self.assertEqual([e["type"] for e in journal].count("run_finished"), ends + 1)
        self.assertEqual(journal[-1]["type"], "run_finished")
        return events

    # Model errors --------------------------------------------------------------------------

    def test_an_exhausted_cassette_and_another_one(self):
        self.assert_exit(self.run_task(write("a.py", GOOD_PYTHON)), 5)
        run = self.last()
        events = self.assert_goes_on(run, VALIDATE, finish("two"), after="model_error")
        self.assertEqual(events[-1]["answer"], "two")
        self.assertEqual(events[-1]["turns"], 3)
        self.assertEqual(events[-1]["usage"]["input_tokens"], 300)
        self.assertEqual(events[-1]["changed"], ["a.py"])
        self.assertEqual(self.runs()[0]["outcome"], "succeeded")
        self.assert_exit(self.stile("certificate", "verify", run, "--workspace", self.workspace), 0)
        self.assert_exit(self.stile("runs", "undo", run), 0)
        self.assertFalse(os.path.exists(self.path("a.py")))

    def test_the_same_cassette_with_more_replies_goes_on_where_it_was(self):
        name = os.path.join(self.root, "growing.jsonl")
        turns = [write("a.py", BAD_PYTHON), write("a.py", GOOD_PYTHON), VALIDATE, finish("grown")]
        write_cassette(name, turns[:1])
        self.assert_exit(self.stile("run", "-t", "x", "--model", "replay:" + name), 5)
        for known in (2, 3):
            write_cassette(name, turns[:known])
            self.assert_goes_on(self.last(), code=5, after="model_error")
        write_cassette(name, turns)
        events = self.assert_goes_on(self.last())
        self.assertEqual((events[-1]["answer"], events[-1]["turns"]), ("grown", 4))

    def test_a_provider_that_refused_and_the_conversation_as_it_was(self):
        self.write("x.txt", "content of x\n")
        server = ModelServer(self, [call("file.read", path="x.txt")])
        result = self.stile("run", "-t", "the task", "--model", "openai:m", "--base-url", server.url,
                            env={"OPENAI_API_KEY": "k"})
        self.assert_exit(result, 5)
        before = server.requests[-1]["messages"]
        again = ModelServer(self, [finish("done")])
        result = self.stile("runs", "resume", self.last(), "--base-url", again.url, env={"OPENAI_API_KEY": "k"})
        self.assert_exit(result, 0)
        self.assertEqual(again.requests[0]["messages"], before)

    # Limits --------------------------------------------------------------------------------

    def test_a_limit_must_be_raised_and_what_was_used_counts(self):
        self.assert_exit(self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, arguments=["--max-turns", "2"]), 4)
        run = self.last()
        journal = self.journal(run)
        for arguments in ((), ("--max-turns", "2"), ("--max-tokens", "9")):
            result = self.resume(run, finish(), arguments=arguments)
            self.assert_exit(result, 2)
            self.assertIn("--max-t", result.stderr)
            self.assertEqual(self.events(result)[-1]["exit_code"], 2)
        self.assertIn("--max-turns N, with N above 2", self.resume(run, finish()).stderr)
        self.assertEqual(self.journal(run), journal)
        # Two more turns, of which the second is not enough.
        events = self.assert_goes_on(run, call("file.list"), call("file.list"), finish(), code=4,
                                     arguments=("--max-turns", "4"), after="max_turns")
        self.assertEqual(events[-1]["turns"], 4)
        self.assert_exit(self.resume(run, finish()), 2)
        events = self.assert_goes_on(run, finish("at last"), arguments=("--max-turns", "9"))
        self.assertEqual((events[-1]["answer"], events[-1]["turns"]), ("at last", 5))

    def test_tokens_and_time_are_limits_as_well(self):
        self.assert_exit(self.run_task(call("file.list"), arguments=["--max-tokens", "100"]), 4)
        result = self.resume(self.last(), finish())
        self.assert_exit(result, 2)
        self.assertIn("--max-tokens N, with N above 110", result.stderr)
        self.assert_goes_on(self.last(), finish(), arguments=("--max-tokens", "1000"), after="token_budget")

        self.assert_exit(self.run_task(shell("exec sleep 60"), arguments=["--max-time", "1", "--yes"]), 4)
        result = self.resume(self.last(), finish())
        self.assert_exit(result, 2)
        self.assertIn("--max-time SECONDS", result.stderr)

    def test_the_command_line_wins_over_the_profile(self):
        profile = os.path.join(self.root, "short.md")
        with open(profile, "w", encoding="utf-8") as file:
            file.write("---\nname: short\ndescription: few turns\nmax_turns: 2\n---\nWork.\n")
        turns = [call("file.list")] * 2 + [finish()]
        self.assert_exit(self.run_task(*turns, arguments=["--agent", profile]), 4)
        self.assert_exit(self.run_task(*turns, arguments=["--agent", profile, "--max-turns", "3"]), 0)
        self.assert_exit(self.run_task(*turns, arguments=["--agent", profile, "--max-turns", "1"]), 4)
        self.assert_exit(self.run_task(*turns, arguments=["--agent", profile],
                                       env={"STILE_LIMITS_MAX_TURNS": "3"}), 0)

    # Signals -------------------------------------------------------------------------------

    def stop(self, number, nohup=False):
        process = subprocess.Popen(
            [*(["nohup"] if nohup else []), BINARY, "run", "-t", "do it", "--yes", "--json", "--model",
             self.cassette(write("a.py", GOOD_PYTHON), shell("touch started; exec sleep 321.5"), finish())],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        while not os.path.exists(self.path("started")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(number)
        if nohup:
            return process
        out, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out.splitlines()[-1])["reason"], "cancelled")
        return None

    def test_interrupt_and_hangup_in_a_command(self):
        for number in (signal.SIGINT, signal.SIGHUP):
            with self.subTest(number=number):
                self.stop(number)
                run = self.last()
                events = self.assert_goes_on(run, VALIDATE, finish("resumed"), after="cancelled")
                answered = [e for e in events if e["type"] == "tool_finished"][0]
                self.assertIn("This call was interrupted", answered["observation"])
                self.assertEqual(events[-1]["answer"], "resumed")
                for name in ("started", "a.py"):
                    os.remove(self.path(name))

    def test_nohup_holds(self):
        process = self.stop(signal.SIGHUP, nohup=True)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)

    # What the agent came to ----------------------------------------------------------------

    def test_a_refused_permission(self):
        self.env["STILE_SANDBOX"] = "off"
        self.assert_exit(self.run_task(shell("touch made"), finish("not allowed", status="gave_up")), 1)
        events = self.assert_goes_on(self.last(), shell("touch made"), finish("made"), arguments=["--yes"],
                                     after="gave_up")
        self.assertIn("the user has resumed this run", json.dumps(events))
        self.assertTrue(os.path.exists(self.path("made")))

    def test_a_run_that_gave_up_and_gives_up_again(self):
        self.assert_exit(self.run_task(finish("no", status="gave_up")), 1)
        for _ in range(2):
            events = self.assert_goes_on(self.last(), finish("still no", status="gave_up"), code=1)
            self.assertEqual(events[-1]["answer"], "still no")
        self.assert_goes_on(self.last(), finish("yes"))

    def test_failed_validations_count_from_0(self):
        turns = []
        for number in range(5):
            turns += [write("a.py", BAD_PYTHON + f"# {number}\n"), VALIDATE]
        self.assert_exit(self.run_task(*turns), 3)
        run = self.last()
        again = [write("a.py", BAD_PYTHON), VALIDATE, write("a.py", GOOD_PYTHON), VALIDATE, finish("built")]
        events = self.assert_goes_on(run, *again, after="gate_failed")
        said = [e["text"] for e in events if e["type"] == "log"]
        self.assertTrue(any("resumed after gate_failed" in text for text in said), said)
        self.assertEqual(events[-1]["outcome"], "succeeded")

    def test_repetition_and_unusable_replies(self):
        self.assert_exit(self.run_task(*[call("file.list")] * 12), 4)
        self.assert_goes_on(self.last(), call("file.list"), finish(), after="repetition")
        name = os.path.join(self.root, "cut.jsonl")
        with open(name, "w", encoding="utf-8") as file:
            file.write('{"text": "I beg", "finish_reason": "length"}\n' * 3)
        self.assert_exit(self.stile("run", "-t", "x", "--model", "replay:" + name), 5)
        self.assert_goes_on(self.last(), finish("whole"), after="unparsable")

    def test_success_and_undo_are_ends(self):
        self.assert_exit(self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, finish()), 0)
        result = self.resume(self.last(), finish())
        self.assert_exit(result, 2)
        self.assertIn("succeeded", result.stderr)
        self.assert_exit(self.run_task(write("b.py", GOOD_PYTHON)), 5)
        self.assert_exit(self.stile("runs", "undo", self.last()), 0)
        result = self.resume(self.last(), VALIDATE, finish())
        self.assert_exit(result, 2)
        self.assertIn("undone", result.stderr)

    # Stories, workflows, plans -------------------------------------------------------------

    def story(self, *turns, code, arguments=(), text=STORY):
        self.write("story.yaml", text)
        self.init_git()
        result = self.stile("run", "story.yaml", "--model", self.cassette(*turns), *arguments)
        self.assert_exit(result, code)
        return [run["id"] for run in self.runs() if run["kind"] == "story"][0]

    def test_the_failed_step_of_a_story_goes_on(self):
        first = [write("a.py", GOOD_PYTHON), VALIDATE, finish("one")]
        run = self.story(*first, write("b.py", BAD_PYTHON), code=5)
        events = self.assert_goes_on(run, write("b.py", GOOD_PYTHON), VALIDATE, finish("two"))
        self.assertEqual([e["step"] for e in events if e["type"] == "step_started"], [2])
        self.assertEqual(events[-1]["changed"], ["a.py", "b.py"])
        # The turn of before is a part of the step's own run.
        step = self.journal(run + ".2")
        self.assertEqual([e["turn"] for e in step if e["type"] == "model_response"], [1, 2, 3, 4])
        self.assertEqual(sorted(self.git("show", "--name-only", "--format=", "HEAD").split()), ["a.py", "b.py"])
        self.assert_exit(self.stile("certificate", "verify", "--commit", "HEAD"), 0)
        self.assert_exit(self.resume(run, finish()), 2)

    def test_a_story_says_which_limit_to_raise(self):
        run = self.story(write("a.py", GOOD_PYTHON), VALIDATE, code=4, arguments=["--max-turns", "2"])
        result = self.resume(run, finish())
        self.assert_exit(result, 2)
        self.assertIn(f"stile runs resume {run} --max-turns N", result.stderr)
        self.assert_goes_on(run, finish("one"), write("b.py", GOOD_PYTHON), VALIDATE, finish("two"),
                            arguments=["--max-turns", "5"])
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_a_step_that_did_not_meet_its_expectations_gets_one_more_attempt(self):
        run = self.story(finish("nothing to do"), code=1)
        self.assert_goes_on(run, write("a.py", GOOD_PYTHON), VALIDATE, finish("now"),
                            write("b.py", GOOD_PYTHON), VALIDATE, finish("two"))
        self.assertEqual(self.journal(run + ".1.2")[0]["type"], "run_started")

    def test_a_story_that_was_interrupted_goes_on_in_its_step(self):
        self.write("story.yaml", STORY)
        self.init_git()
        process = subprocess.Popen(
            [BINARY, "run", "story.yaml", "--yes", "--json", "--model",
             self.cassette(write("a.py", GOOD_PYTHON), shell("touch started; exec sleep 321.5"))],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE)
        self.addCleanup(process.kill)
        while not os.path.exists(self.path("started")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        run = [run["id"] for run in self.runs() if run["kind"] == "story"][0]
        events = self.assert_goes_on(run, call("file.delete", path="started"), VALIDATE, finish("one"),
                                     write("b.py", GOOD_PYTHON), VALIDATE, finish("two"))
        self.assertEqual(events[-1]["changed"], ["a.py", "b.py"])

    def test_the_failed_agent_of_a_workflow_goes_on(self):
        self.write("loop.yaml", LOOP)
        result = self.stile("workflow", "run", "loop.yaml", "--model", self.cassette(write("a.py", GOOD_PYTHON)))
        self.assert_exit(result, 1)
        run = self.last()
        events = self.assert_goes_on(run, VALIDATE, finish("done"), after="step_failed")
        steps = [e["step"] for e in events if e["type"] == "workflow_step_started"]
        self.assertEqual(steps, ["write", "after"])
        for name in ("before.txt", "beside.txt", "after.txt"):
            self.assertEqual(self.read(name), "ran\n")
        runs = [each["id"] for each in self.runs("--steps") if each["id"].startswith(run + ".") and each["kind"] == "run"]
        self.assertEqual(len(runs), 1, runs)
        self.assertEqual(self.journal(runs[0])[-1]["turns"], 3)
        self.assert_exit(self.resume(run, finish()), 2)

    def test_a_command_that_failed_is_done_again_with_all_that_came_after_it(self):
        self.write("loop.yaml", """\
name: loop
steps:
  first: {type: command, exec: "echo first >> log"}
  check: {type: command, depends_on: [first], exec: "echo check >> log; test -e ready"}
  tidy: {type: command, depends_on: [first], exec: "sleep 0.2; echo tidy >> tidy.log"}
  mourn: {type: agent, depends_on: [tidy], prompt: Say what is missing., if: "errors.check"}
  last: {type: command, depends_on: [check], exec: "echo last >> log"}
""")
        result = self.stile("workflow", "run", "loop.yaml", "--model", self.cassette(finish("ready is missing")))
        self.assert_exit(result, 1)
        run = self.last()
        self.assert_goes_on(run, finish("ready is missing still"), code=1)
        self.write("ready", "")
        self.assert_goes_on(run, finish("never asked"))
        self.assertEqual(self.read("log").split(), ["first", "check", "check", "check", "last"])
        self.assertEqual(self.read("tidy.log").split(), ["tidy"])

    def test_a_plan_goes_on_and_is_written(self):
        self.write("x.py", GOOD_PYTHON)
        out = os.path.join(self.root, "plan.yaml")
        result = self.stile("plan", "Add arithmetic", "--out", out, "--model",
                            self.cassette(call("file.list")), "--max-turns", "1")
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse(os.path.exists(out))
        plan = json.dumps({"story": "Add", "steps": [
            {"name": name, "wave": 1, "description": f"Write {name}.py."} for name in ("a", "b", "c")]})
        result = self.resume(self.last(), finish(plan), arguments=["--max-turns", "9"])
        self.assert_exit(result, 0)
        self.assertTrue(os.path.exists(out))


if __name__ == "__main__":
    main(processes=4)
