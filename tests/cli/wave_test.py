"""Steps that run at the same time: how many, what a failure does to the others, stories in trees of their own."""

import json
import os
import subprocess
import time

from harness import BINARY, GOOD_PYTHON, VALIDATE, StileTest, finish, shell, write, write_cassette
from parallel import main

HEAD = "story: Add arithmetic\n"
STEPS = """\
steps:
  - {name: one, wave: 1, description: Write one.py.}
  - {name: two, wave: 1, description: Write two.py.}
  - {name: three, wave: 1, description: Write three.py.}
"""
GIVE_UP = finish("no", status="gave_up")


def does(name):
    return [write(name + ".py", GOOD_PYTHON), VALIDATE, finish(name)]


class Waves(StileTest):

    def steps(self, **turns):
        folder = os.path.join(self.root, f"steps-{time.monotonic_ns()}")
        os.mkdir(folder)
        for name, play in turns.items():
            write_cassette(os.path.join(folder, name + ".jsonl"), play)
        return "replay:" + folder

    def run_story(self, *arguments, head="", steps=STEPS, **turns):
        self.write("story.yaml", HEAD + head + steps)
        return self.stile("run", "story.yaml", "--yes", "--json", "--model", self.steps(**turns), *arguments)

    def of(self, result, kind):
        return [event for event in self.events(result) if event["type"] == kind]

    def start_json(self, *arguments, env=None):
        process = subprocess.Popen([BINARY, *arguments], cwd=self.workspace, env={**self.env, **(env or {})},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process

    def wait_for(self, check):
        for _ in range(12000):
            found = check()
            if found:
                return found
            time.sleep(0.01)
        return self.fail("it did not happen")


class ParallelismTest(Waves):

    def begun(self, result):
        return self.of(result, "story_started")[0]["max_parallelism"]

    def test_flag_variable_story_and_configuration_in_this_order(self):
        self.init_git()
        play = {name: [finish(name)] for name in ("one", "two", "three")}
        given = [("", (), None, 3)]
        given.append(("max_parallelism: 5\n", (), None, 5))
        given.append(("max_parallelism: 5\n", (), "4", 4))
        given.append(("max_parallelism: 5\n", ("--max-parallelism", "2"), "4", 2))
        for head, arguments, variable, expected in given:
            if variable:
                self.env["STILE_MAX_PARALLELISM"] = variable
            result = self.run_story("--allow-dirty", *arguments, head=head, **play)
            self.assert_exit(result, 0)
            self.assertEqual(self.begun(result), expected)
        del self.env["STILE_MAX_PARALLELISM"]
        self.write("stile.yaml", "max_parallelism: 7\n")
        self.assertEqual(self.begun(self.run_story("--allow-dirty", **play)), 7)
        self.assertEqual(self.begun(self.run_story("--allow-dirty", head="max_parallelism: 5\n", **play)), 5)

    def test_one_at_a_time_means_one_at_a_time(self):
        self.init_git()
        result = self.run_story(head="max_parallelism: 1\n", **{name: does(name) for name in ("one", "two", "three")})
        self.assert_exit(result, 0)
        here = most = 0
        runs = {}
        for event in self.events(result):
            if event["type"] == "step_started":
                here += 1
                most = max(most, here)
            if event["type"] == "tool_finished" and event.get("step") and event["tool"] == "code.validate":
                runs[event["step"]] = runs.get(event["step"], 0) + 1
                here -= 1
        self.assertEqual((most, len(runs)), (1, 3))

    def test_what_cannot_be_is_told_with_its_place(self):
        self.init_git()
        for value in ("0", "65", "-3", "many"):
            result = self.run_story("--max-parallelism", value)
            self.assert_exit(result, 2)
            self.assertIn("--max-parallelism", result.stderr)
            result = self.run_story(head=f"max_parallelism: {value}\n")
            self.assert_exit(result, 2)
            self.assertIn("story.yaml:2: max_parallelism", result.stderr)
        self.write("story.yaml", HEAD + STEPS)
        self.write("stile.yaml", "model: x:y\nmax_parallelism: 65\n")
        result = self.stile("run", "story.yaml")
        self.assert_exit(result, 2)
        self.assertIn("stile.yaml:2: ", result.stderr)

    def test_a_resume_keeps_what_it_began_with(self):
        self.init_git()
        result = self.run_story("--max-parallelism", "2", one=[GIVE_UP], two=does("two"), three=does("three"))
        self.assert_exit(result, 1)
        again = self.steps(one=[finish("one")], two=[], three=does("three"))
        result = self.stile("runs", "resume", self.runs()[0]["id"], "--json", "--yes", "--model", again)
        self.assertEqual(self.begun(result), 2)


class AttemptsTest(Waves):

    def test_a_step_accepted_at_once_shows_one_attempt(self):
        self.init_git()
        result = self.run_story(one=does("one"), two=does("two"), three=does("three"))
        self.assert_exit(result, 0)
        self.assertEqual([event["attempts"] for event in self.of(result, "step_finished")], [1, 1, 1])
        shown = self.stile("runs", "show", self.runs()[0]["id"])
        self.assertNotIn("attempts", shown.stdout)
        self.git("switch", "--quiet", "main")
        self.git("branch", "--quiet", "-D", "stile/add-arithmetic")
        cassette = self.steps(one=does("one"), two=does("two"), three=does("three"))
        text = self.stile("run", "story.yaml", "--yes", "--model", cassette)
        self.assert_exit(text, 0)
        self.assertIn("✓ one: succeeded, 3 turns\n", text.stdout)
        self.assertNotIn("attempts", text.stdout + text.stderr)

    def test_work_that_is_done_again_shows_two(self):
        self.init_git()
        conflict = [write("one.py", "x = 2\n"), VALIDATE, finish("two")]
        self.write("story.yaml", HEAD + STEPS)
        cassette = self.steps(one=does("one"), two=[*conflict, *conflict], three=does("three"))
        text = self.stile("run", "story.yaml", "--yes", "--model", cassette)
        self.assert_exit(text, 0)
        self.assertIn("two: succeeded, 6 turns, 2 attempts\n", text.stdout)
        shown = self.stile("runs", "show", self.runs()[0]["id"])
        self.assertIn("✓ step 2 two: succeeded, 2 attempts", shown.stdout)
        self.assertNotIn("step 1 one: succeeded, ", shown.stdout)


class OnFailureTest(Waves):

    def fail_beside_a_sleeper(self, head="on_failure: cancel\n", **more):
        """Step 2 fails while step 1 sleeps."""
        meet = os.path.join(self.root, "meet")
        os.mkfifo(meet)
        self.env["STILE_SANDBOX"] = "off"  # the steps see each other by a pipe outside
        # A resumed step repeats the call that was interrupted: without the pipe it ends at once.
        sleeper = shell(f"test -p {meet} && echo > {meet} && exec sleep 321.5")
        result = self.run_story(
            head=head, steps=STEPS, one=[write("one.py", GOOD_PYTHON), sleeper],
            two=[shell(f"cat {meet}"), GIVE_UP], **{"three": [finish("three")], **more})
        os.remove(meet)
        return result

    def test_the_steps_beside_a_failed_one_are_cancelled(self):
        self.write("story.yaml", HEAD + "on_failure: cancel\n" + STEPS)
        self.init_git()
        begin = time.monotonic()
        result = self.fail_beside_a_sleeper()
        self.assertLess(time.monotonic() - begin, 300, "the sleeper did not end the wave")
        self.assert_exit(result, 1)
        end = self.events(result)[-1]
        self.assertEqual((end["reason"], end["exit_code"]), ("gave_up", 1))
        self.assertIn("Cancelled for it (on_failure: cancel): step 1 (one).", end["message"])
        run = end["run_id"]
        self.assertIn(f"`stile runs show {run}.2`", end["message"])
        self.assertIn(f"`stile runs retry {run} --step 1`", end["message"])
        finished = {event["step"]: event for event in self.of(result, "step_finished")}
        self.assertEqual((finished[1]["outcome"], finished[1]["reason"], finished[1]["exit_code"]),
                         ("failed", "cancelled", 130))
        self.assertIn("Step 2 of 3 (two) failed", finished[1]["message"])
        self.assertEqual(finished[2]["reason"], "gave_up")
        self.assertEqual(self.journal(run + ".1")[-1]["exit_code"], 130, "the run of the step says so, too")
        self.assertFalse(os.path.exists(self.path("one.py")))

        # Nothing that follows on from it takes step 1 for done.
        refused = self.stile("runs", "retry", run, "--step", "2", "--model", self.steps(two=[finish("x")]))
        self.assert_exit(refused, 2)
        self.assertIn("none is done", refused.stderr)

        again = self.steps(one=[VALIDATE, finish("one")], two=does("two"), three=[finish("three")])
        result = self.stile("runs", "resume", run, "--json", "--yes", "--model", again)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["one.py", "two.py"])
        self.assertEqual([event["attempts"] for event in self.of(result, "step_finished")], [1, 1, 1])
        self.assert_exit(self.stile("certificate", "verify", "--commit", "HEAD"), 0)
        self.assertEqual(os.listdir(os.path.join(self.state, "worktrees")), [])

    def test_a_retry_does_the_cancelled_ones_again(self):
        self.init_git()
        result = self.fail_beside_a_sleeper()
        self.assert_exit(result, 1)
        again = self.steps(**{name: does(name) for name in ("one", "two", "three")})
        result = self.stile("runs", "retry", self.runs()[0]["id"], "--step", "1", "--yes", "--model", again)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["one.py", "three.py", "two.py"])
        self.assertEqual(os.listdir(os.path.join(self.state, "worktrees")), [])

    def test_text_output_says_which_were_cancelled_and_undo_takes_all_back(self):
        self.init_git()
        self.assert_exit(self.fail_beside_a_sleeper(), 1)
        run = self.runs()[0]["id"]
        shown = self.stile("runs", "show", run)
        self.assertIn("✗ step 1 one: failed (cancelled)", shown.stdout)
        self.assertIn("✗ step 2 two: failed (gave_up)", shown.stdout)
        outcomes = {each["id"]: each["reason"] for each in self.runs("--steps")}
        self.assertEqual((outcomes[run + ".1"], outcomes[run + ".2"]), ("cancelled", "gave_up"))
        self.assert_exit(self.stile("runs", "undo", run), 0)
        self.assertEqual(self.git("status", "--porcelain"), "?? story.yaml\n")
        self.assertEqual(os.listdir(os.path.join(self.state, "worktrees")), [])

    def test_without_the_key_the_others_finish(self):
        self.init_git()
        meet = os.path.join(self.root, "meet")
        os.mkfifo(meet)
        self.env["STILE_SANDBOX"] = "off"
        result = self.run_story(one=[shell(f"echo > {meet}"), GIVE_UP],
                                two=[shell(f"cat {meet}; sleep 1"), *does("two")], three=does("three"))
        self.assert_exit(result, 1)
        self.assertEqual([event["step"] for event in self.of(result, "step_finished")], [1])
        run = self.runs()[0]["id"]
        self.assertEqual(self.journal(run + ".2")[-1]["outcome"], "succeeded")

    def test_a_story_that_is_killed_in_a_cancelled_wave_goes_on(self):
        self.init_git()
        self.write("story.yaml", HEAD + "on_failure: cancel\n" + STEPS)
        self.env["STILE_SANDBOX"] = "off"
        marks = [os.path.join(self.root, name) for name in ("one", "two")]
        # When the run goes on, the interrupted calls are repeated, and end at once.
        one, two = (shell(f"[ -e {mark} ] || {{ touch {mark}; exec sleep 321.5; }}") for mark in marks)
        cassette = self.steps(one=[one], two=[two], three=does("three"))
        process = self.start_json("run", "story.yaml", "--yes", "--json", "--model", cassette)
        run = json.loads(process.stdout.readline())["run_id"]
        self.wait_for(lambda: all(map(os.path.exists, marks)))
        process.kill()
        process.wait()
        again = self.steps(**{name: does(name) for name in ("one", "two", "three")})
        result = self.stile("runs", "resume", run, "--yes", "--model", again)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["one.py", "three.py", "two.py"])

    def test_ctrl_c_is_still_the_users(self):
        self.init_git()
        self.write("story.yaml", HEAD + "on_failure: cancel\n" + STEPS)
        self.env["STILE_SANDBOX"] = "off"
        meet = os.path.join(self.root, "meet")
        cassette = self.steps(one=[shell(f"touch {meet}; exec sleep 321.5")], two=[shell("exec sleep 321.5")], three=does("three"))
        process = self.start_json("run", "story.yaml", "--yes", "--json", "--model", cassette)
        self.wait_for(lambda: os.path.exists(meet))
        process.terminate()
        out, _ = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 130)
        self.assertNotIn("on_failure", json.loads(out.splitlines()[-1])["message"])


class WorktreeTest(Waves):
    """Stories in trees of their own that run at the same time."""

    SOLO = "steps:\n  - {name: one, description: Write one.py.}\n"

    def start(self, text, *turns, file="story.yaml", meet=None):
        self.write(file, text)
        pause = [shell(f"touch {meet}; while [ -e {meet} ]; do sleep 0.05; done")] if meet else []
        return self.start_json("run", file, "--worktree", "--yes", "--json", "--model", self.cassette(*pause, *turns))

    def ended(self, process):
        out, err = process.communicate(timeout=300)
        return process.returncode, [json.loads(line) for line in out.splitlines()], err.decode()

    def test_one_story_runs_several_times_at_once(self):
        self.env["STILE_SANDBOX"] = "off"
        self.init_git()
        text = HEAD + self.SOLO
        marks = [os.path.join(self.root, f"mark-{i}") for i in range(3)]
        processes = [self.start(text, write("one.py", f"x = {i}\n"), VALIDATE, finish("one"), meet=mark)
                     for i, mark in enumerate(marks)]
        self.wait_for(lambda: all(map(os.path.exists, marks)))
        pruned = self.stile("runs", "prune", "--older-than", "0d", "--interrupted")
        self.assert_exit(pruned, 0)
        for mark in marks:
            os.remove(mark)
        branches = {}
        for i, process in enumerate(processes):
            code, events, err = self.ended(process)
            self.assertEqual(code, 0, err)
            finished = [event for event in events if event["type"] == "story_finished"][0]
            branches[finished["branch"]] = i
        self.assertEqual(sorted(branches), ["stile/add-arithmetic", "stile/add-arithmetic-2", "stile/add-arithmetic-3"])
        for branch, i in branches.items():
            self.assertEqual(self.git("show", branch + ":one.py"), f"x = {i}\n")
            self.assert_exit(self.stile("certificate", "verify", "--commit", branch), 0)
        self.assertEqual(self.git("branch", "--show-current").strip(), "main")

    def test_one_that_was_refused_or_has_ended_keeps_its_name(self):
        self.init_git()
        first = self.start(HEAD + self.SOLO, GIVE_UP)
        self.assertEqual(self.ended(first)[0], 1)
        code, _, err = self.ended(self.start(HEAD + self.SOLO, finish("one")))
        self.assertEqual(code, 2)
        self.assertIn("branch stile/add-arithmetic exists already, with its work in", err)

    def test_a_branch_that_the_story_names_is_told_with_the_run_that_has_it(self):
        self.env["STILE_SANDBOX"] = "off"
        self.init_git()
        mark = os.path.join(self.root, "mark")
        first = self.start(HEAD + "branch: mine\n" + self.SOLO, finish("one"), meet=mark)
        run = json.loads(first.stdout.readline())["run_id"]
        self.wait_for(lambda: os.path.exists(mark))
        for arguments in (["--worktree"], []):
            result = self.stile("run", "story.yaml", *arguments, "--model", self.cassette(finish("one")))
            self.assert_exit(result, 2)
            self.assertIn(f"run {run} works on branch mine at present, in ", result.stderr)
            self.assertNotIn("worktree remove", result.stderr, "no advice that would take its work away")
        os.remove(mark)
        self.assertEqual(self.ended(first)[0], 0)

    def test_one_that_works_in_place_leaves_its_name_to_it(self):
        self.env["STILE_SANDBOX"] = "off"
        self.init_git()
        mark = os.path.join(self.root, "mark")
        self.write("story.yaml", HEAD + self.SOLO)
        pause = shell(f"touch {mark}; while [ -e {mark} ]; do sleep 0.05; done")
        first = self.start_json("run", "story.yaml", "--yes", "--json", "--model", self.cassette(pause, finish("one")))
        self.wait_for(lambda: os.path.exists(mark))
        code, events, err = self.ended(self.start(HEAD + self.SOLO, finish("one")))
        self.assertEqual(code, 0, err)
        self.assertEqual([event["branch"] for event in events if event["type"] == "story_finished"], ["stile/add-arithmetic-2"])
        os.remove(mark)
        self.assertEqual(self.ended(first)[0], 0)
        code, _, err = self.ended(self.start(HEAD + self.SOLO, finish("one")))
        self.assertEqual(code, 2)
        self.assertIn("branch stile/add-arithmetic is checked out in " + self.workspace, err)

    def test_two_that_were_killed_go_on_at_once_and_one_is_undone(self):
        self.env["STILE_SANDBOX"] = "off"
        self.init_git()
        text = HEAD + self.SOLO
        marks = [os.path.join(self.root, f"mark-{i}") for i in range(2)]
        processes = [self.start(text, finish("one"), meet=mark) for mark in marks]
        runs = [json.loads(process.stdout.readline())["run_id"] for process in processes]
        self.wait_for(lambda: all(map(os.path.exists, marks)))
        for process in processes:
            process.kill()
            process.wait()
        for mark in marks:
            os.remove(mark)
        again = []
        for run in runs:
            # Each first repeats the call that was interrupted, so that both work at the same time.
            model = self.cassette(write("one.py", GOOD_PYTHON), VALIDATE, finish("one"))
            again.append(self.start_json("runs", "resume", run, "--yes", "--json", "--model", model))
        self.wait_for(lambda: all(map(os.path.exists, marks)))
        for mark in marks:
            os.remove(mark)
        branches = []
        for process in again:
            code, events, err = self.ended(process)
            self.assertEqual(code, 0, err)
            branches.append([event for event in events if event["type"] == "story_finished"][0]["branch"])
        self.assertEqual(sorted(branches), ["stile/add-arithmetic", "stile/add-arithmetic-2"])

    def test_undo_of_the_second_removes_the_seconds_branch(self):
        self.env["STILE_SANDBOX"] = "off"
        self.init_git()
        mark = os.path.join(self.root, "mark")
        first = self.start(HEAD + self.SOLO, finish("one"), meet=mark)
        self.wait_for(lambda: os.path.exists(mark))
        code, events, _ = self.ended(self.start(HEAD + self.SOLO, write("one.py", GOOD_PYTHON), GIVE_UP))
        self.assertEqual(code, 1)
        undone = self.stile("runs", "undo", events[0]["run_id"])
        self.assert_exit(undone, 0)
        self.assertIn("branch stile/add-arithmetic-2\n", undone.stdout)
        self.assertEqual(self.git("branch", "--format", "%(refname:short)").split(), ["main", "stile/add-arithmetic"])
        os.remove(mark)
        self.assertEqual(self.ended(first)[0], 0)


if __name__ == "__main__":
    main(processes=4)
