"""stile plan; stories whose steps run at the same time; sub-agents."""

import json
import os
import subprocess

from harness import (BAD_PYTHON, BINARY, GOOD_PYTHON, VALIDATE, StileTest, call, finish, shell, write,
                     write_cassette)
from parallel import main

PLAN = {"story": "Add arithmetic", "steps": [
    {"name": "base", "wave": 1, "description": "Write base.py.\n\nIt has add(a, b).", "expect": {"files_exist": ["base.py"]}},
    {"name": "left", "wave": 2, "description": "Write left.py."},
    {"name": "right", "wave": 2, "description": "Write right.py."}]}
WAVES = """\
story: Add arithmetic
steps:
  - {name: base, wave: 1, description: Write base.py.}
  - {name: left, wave: 2, description: Write left.py.}
  - {name: right, wave: 2, description: Write right.py.}
"""
USES_BASE = "from base import add\n\n\ndef twice(a):\n    return add(a, a)\n"


class PlanTest(StileTest):

    def plan(self, *turns, arguments=(), out="story.yaml"):
        return self.stile("plan", "Add arithmetic.", "--out", out, "--model", self.cassette(*turns), *arguments)

    def test_a_goal_becomes_a_story_that_runs(self):
        self.init_git()
        os.mkdir(self.path("stories"))
        result = self.plan(call("file.list", path="."), finish("```json\n" + json.dumps(PLAN) + "\n```"),
                           out="stories/add.yaml")
        self.assert_exit(result, 0)
        self.assertIn("3 steps in 2 waves", result.stdout)
        self.assertIn("stile run 'stories/add.yaml'", result.stdout)
        story = self.read("stories/add.yaml")
        self.assertIn("workspace: ..", story.replace('"', ""))
        self.assertIn("    description: |-\n      Write base.py.\n\n      It has add(a, b).\n", story)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=plan")
        result = self.stile("run", "stories/add.yaml", "--model", self.cassette(
            write("base.py", GOOD_PYTHON), VALIDATE, finish(), write("left.py", GOOD_PYTHON), VALIDATE, finish(),
            write("right.py", GOOD_PYTHON), VALIDATE, finish()))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["base.py", "left.py", "right.py"])

    def test_what_is_no_story_goes_back_with_the_reason(self):
        twice = json.loads(json.dumps(PLAN))
        twice["steps"][1]["name"] = "base"
        result = self.plan(finish("I think it is best to begin."), finish(json.dumps({**PLAN, "steps": []})),
                           finish(json.dumps(twice)), finish(json.dumps(PLAN)))
        self.assert_exit(result, 0)
        asked = [self.journal(name)[0]["user_prompt"] for name in sorted(os.listdir(os.path.join(self.state, "runs")))
                 if "user_prompt" in self.journal(name)[0]]
        self.assertEqual(len(asked), 4)
        self.assertNotIn("could not be used", asked[0])
        self.assertIn("could not be used", asked[1])
        self.assertIn("steps", asked[2])
        self.assertIn("'base' is used twice", asked[3])
        self.assertIn("name: base", self.read("story.yaml"))

    def test_a_model_that_never_plans_is_a_limit_and_writes_nothing(self):
        result = self.plan(*[finish("no")] * 9)
        self.assert_exit(result, 4)
        self.assertFalse(os.path.exists(self.path("story.yaml")))

    def test_planning_changes_nothing(self):
        result = self.plan(write("a.py", GOOD_PYTHON), shell("touch b.py"), finish(json.dumps(PLAN)))
        self.assert_exit(result, 0)
        self.assertEqual(sorted(os.listdir(self.workspace)), ["story.yaml"])

    def test_what_is_there_stays(self):
        self.write("story.yaml", "mine\n")
        os.mkdir(self.path("folder"))
        for out, message in (("story.yaml", "exists already"), ("folder", "is not a file"),
                             ("none/story.yaml", "no such folder"), ("-x.yaml", "give the name of a file"),
                             ("plan.md", "as Markdown")):
            result = self.stile("plan", "x", "--out=" + out, "--model", self.cassette(finish(json.dumps(PLAN))))
            self.assert_exit(result, 2)
            self.assertIn(message, result.stderr)
        self.assertEqual(self.read("story.yaml"), "mine\n")
        self.assert_exit(self.plan(finish(json.dumps(PLAN)), arguments=["--replace"]), 0)
        self.assertIn("Add arithmetic", self.read("story.yaml"))
        self.assert_exit(self.stile("plan", "goal", "--check", "story.yaml"), 2)
        for arguments in (["plan"], ["plan", "--out", "x.yaml"], ["plan", "  ", "--out", "x.yaml"], ["plan", "goal"]):
            self.assert_exit(self.stile(*arguments, "--model", self.cassette(finish())), 2)

    def test_a_plan_that_was_killed_is_written_when_it_is_resumed(self):
        turns = [call("search.grep", pattern=f"x{i}") for i in range(40)] + [finish(json.dumps(PLAN))]
        process = subprocess.Popen([BINARY, "plan", "Add arithmetic.", "--out", "story.yaml", "--json", "--model", self.cassette(*turns)],
                                   cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(60):
            process.stdout.readline()
        process.kill()
        process.communicate()
        self.assertFalse(os.path.exists(self.path("story.yaml")))
        result = self.stile("runs", "resume", self.runs()[0]["id"])
        self.assert_exit(result, 0)
        self.assertIn("3 steps in 2 waves", result.stdout)
        self.assertIn("story: Add arithmetic", self.read("story.yaml"))

    def test_check_prints_the_story_or_where_it_is_wrong(self):
        result = self.stile("plan", "--check", "-", stdin=json.dumps(PLAN))
        self.assert_exit(result, 0)
        again = self.stile("plan", "--check", "-", stdin=result.stdout)
        self.assertEqual(again.stdout, result.stdout)
        result = self.stile("plan", "--check", "-", stdin='{"story": "x", "steps": [{"description": "\\ud83d\\ude00"}]}')
        self.assert_exit(result, 0)
        self.assertIn("\U0001F600", result.stdout)
        for text, message in (("[", "plan.yaml:"), ("story: x\nsteps: 1\n", "plan.yaml:2:"), ("\xff\xfe", "plan.yaml"),
                              ("", "plan.yaml"), ("{" * 100000, "plan.yaml")):
            result = self.stile("plan", "--check", "-", stdin=text)
            self.assert_exit(result, 2)
            self.assertIn(message, result.stderr)
        self.assert_exit(self.stile("plan", "--check", "nothing.yaml"), 2)


class WaveTest(StileTest):

    def setUp(self):
        super().setUp()
        self.write("story.yaml", WAVES)
        self.write(".gitignore", "__pycache__/\n")

    def cassettes_of_steps(self, **turns):
        """A folder with a cassette for each step, so that they can be played at the same time."""
        self.cassettes += 1
        folder = os.path.join(self.root, f"steps-{self.cassettes}")
        os.mkdir(folder)
        for name, own in turns.items():
            write_cassette(os.path.join(folder, name + ".jsonl"), own)
        return "replay:" + folder

    def run_waves(self, arguments=(), **turns):
        turns.setdefault("base", [write("base.py", GOOD_PYTHON), VALIDATE, finish("base")])
        turns.setdefault("left", [write("left.py", USES_BASE), VALIDATE, finish("left")])
        turns.setdefault("right", [write("right.py", USES_BASE), VALIDATE, finish("right")])
        return self.stile("run", "story.yaml", "--model", self.cassettes_of_steps(**turns), *arguments)

    def test_steps_of_a_wave_meet_and_end_in_one_certified_commit(self):
        self.init_git()
        result = self.run_waves(arguments=["--json"])
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertEqual([e["name"] for e in events if e["type"] == "step_finished"], ["base", "left", "right"])
        self.assertEqual({e["step"] for e in events if e["type"] == "edits_finished" and e["ok"]}, {2, 3})
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["base.py", "left.py", "right.py"])
        self.assertEqual(self.git("log", "-1", "--format=%B").count("Stile-Certificate: sha256:"), 3)
        verified = self.stile("certificate", "verify", "--commit", "HEAD")
        self.assert_exit(verified, 0)
        self.assertEqual(os.listdir(os.path.join(self.state, "worktrees")), [])
        self.assertEqual(len(os.listdir(os.path.join(self.state, "workspaces"))), 1)
        self.assertEqual(self.git("worktree", "list").count("\n"), 1)

    def test_a_merge_that_does_not_build_is_mended_by_the_step(self):
        # Each passes by itself: left removes what right begins to use.
        self.write("go.mod", "module example.com/x\n\ngo 1.19\n")
        self.write("main.go", "package main\n\nfunc main() { helper() }\n\nfunc helper() {}\n")
        self.write("other.go", "package main\n")
        self.use_compilers()
        self.init_git()
        mended = "package main\n\nfunc init() { renamed() }\n"
        result = self.run_waves(
            arguments=["--json"],
            base=[write("notes.md", "# Notes\n"), finish("base")],
            left=[write("main.go", "package main\n\nfunc main() { renamed() }\n\nfunc renamed() {}\n"), VALIDATE, finish("left")],
            right=[write("other.go", "package main\n\nfunc init() { helper() }\n"), VALIDATE, finish("right"),
                   VALIDATE, write("other.go", mended), VALIDATE, finish("mended")])
        self.assert_exit(result, 0)
        self.assertEqual(self.git("show", "HEAD:other.go"), mended)
        end = [e for e in self.events(result) if e["type"] == "step_finished"][-1]
        self.assertEqual(end["attempts"], 2, "taking over is none")
        again = self.journal(end["step_run_id"])[0]
        self.assertIn("undefined: helper", again["user_prompt"])
        self.assert_exit(self.stile("certificate", "verify", "--commit", "HEAD"), 0)

    def test_a_failed_wave_is_retried_from_its_first_failed_step(self):
        self.init_git()
        result = self.run_waves(left=[write("left.py", USES_BASE), VALIDATE, finish("no", status="gave_up")],
                                right=[write("right.py", USES_BASE), VALIDATE, finish("right")])
        self.assert_exit(result, 1)
        self.assertIn("What was not taken over: step 2 in ", result.stdout + result.stderr)
        self.assertFalse(os.path.exists(self.path("left.py")))
        self.assertFalse(os.path.exists(self.path("right.py")))
        run = self.runs()[0]["id"]
        result = self.stile("runs", "retry", run, "--step", "2", "--model", self.cassettes_of_steps(
            left=[write("left.py", USES_BASE), VALIDATE, finish("left")],
            right=[write("right.py", USES_BASE), VALIDATE, finish("right")]))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["base.py", "left.py", "right.py"])
        self.assertEqual(self.git("worktree", "list").count("\n"), 1, "nothing is left of the first try either")

    def test_ignored_files_of_a_step_are_told(self):
        self.write(".gitignore", "__pycache__/\n*.env\n")
        self.init_git()
        result = self.run_waves(left=[[write("left.py", USES_BASE), write("local.env", "x=1\n")], VALIDATE, finish("left")])
        self.assert_exit(result, 0)
        self.assertIn("not taken over: local.env", result.stderr)

    def test_a_file_that_becomes_a_folder_is_made_again_in_place(self):
        self.write("x", "x\n")
        self.init_git()
        become = [[call("file.delete", path="x"), write("x/y.py", GOOD_PYTHON)], VALIDATE, finish("right")]
        result = self.run_waves(right=become * 2)
        self.assert_exit(result, 0)
        self.assertIn("x/y.py", self.git("ls-files").split())

    def test_a_step_that_was_taken_over_is_retried_without_its_work(self):
        self.init_git()
        result = self.run_waves(right=[finish("no", status="gave_up")])
        self.assert_exit(result, 1)
        self.assertEqual(self.read("left.py"), USES_BASE)
        run = self.runs()[0]["id"]
        result = self.stile("runs", "retry", run, "--step", "2", "--model", self.cassettes_of_steps(
            left=[write("other.py", USES_BASE), VALIDATE, finish("left")], right=[finish("nothing to do")]))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["base.py", "other.py"])

    def test_a_story_with_a_wave_is_shown_and_undone_as_one(self):
        self.init_git()
        result = self.run_waves(right=[write("base.py", "R = 1\n"), VALIDATE, finish("no", status="gave_up")])
        self.assert_exit(result, 1)
        run = self.runs()[0]["id"]
        diff = self.stile("runs", "diff", run)
        self.assert_exit(diff, 0)
        self.assertIn("left.py", diff.stdout)
        self.assertNotIn("R = 1", diff.stdout, "never taken over")
        tree = os.path.join(self.state, "worktrees", run + ".3", "base.py")
        with open(tree, encoding="utf-8") as file:
            self.assertEqual(file.read(), "R = 1\n", "left for people to look at")
        branch = self.git("branch", "--show-current").strip()
        undone = self.stile("runs", "undo", run)
        self.assert_exit(undone, 0)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertIn(f"removed   working tree {os.path.dirname(tree)}\n", undone.stdout)
        self.assertIn(f"removed   branch {branch}\n", undone.stdout)
        self.assertEqual(os.listdir(os.path.join(self.state, "worktrees")), [])
        self.assertEqual(self.git("branch", "--format", "%(refname:short)").split(), ["main"])
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        self.assertIn("R = 1", self.stile("runs", "diff", run + ".3").stdout, "nothing is lost")

    def test_no_step_changes_where_git_reads_its_settings(self):
        self.init_git()
        steal = shell("rm -f .git; mkdir -p g; echo gitdir: $PWD/g > .git; cat .git")
        for arguments in ([], ["--worktree"]):
            result = self.run_waves(arguments=["--json", *arguments], left=[steal, finish("left")], right=[finish("right")],
                                    base=[steal, finish("base")] if arguments else [finish("base")])
            seen = [e["observation"] for e in self.events(result) if e["type"] == "tool_finished" and e["tool"] == "shell.execute"]
            self.assertTrue(seen)
            for text in seen:
                self.assertIn("gitdir: " + os.path.realpath(self.path(".git")), text)
                self.assertIn("/worktrees/", text)
            if not arguments:
                self.git("switch", "--quiet", "main")
                self.git("branch", "--quiet", "-D", "stile/add-arithmetic")

    def test_a_step_that_leaves_broken_code_does_not_reach_the_story(self):
        self.init_git()
        result = self.run_waves(left=[write("left.py", BAD_PYTHON), finish("left")] + [VALIDATE] * 6)
        self.assertIn(result.returncode, (3, 4), result.stdout)
        self.assertFalse(os.path.exists(self.path("left.py")))
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "0")

    def test_installed_packages_are_there_in_every_tree(self):
        self.write(".gitignore", "vendor/\n__pycache__/\n")
        self.write("vendor/package/__init__.py", "VALUE = 1\n")
        self.init_git()
        look = shell("cat vendor/package/__init__.py")
        result = self.run_waves(arguments=["--json"], left=[look, finish("left")], right=[look, finish("right")])
        self.assert_exit(result, 0)
        seen = [e["observation"] for e in self.events(result) if e["type"] == "tool_finished" and e["tool"] == "shell.execute"]
        self.assertEqual(len(seen), 2)
        for text in seen:
            self.assertIn("VALUE = 1", text)

    def test_a_repository_without_a_commit_says_so(self):
        self.git("init", "--quiet", "--initial-branch=main")
        result = self.run_waves(arguments=["--allow-dirty"])
        self.assert_exit(result, 2)
        self.assertIn("start from a commit", result.stderr)


class SubAgentTest(StileTest):

    def test_a_lead_agent_gives_work_away_and_answers_for_it(self):
        result = self.run_task(
            call("agent.spawn", task="Write a.py."), write("a.py", BAD_PYTHON), finish("early"), write("a.py", GOOD_PYTHON),
            VALIDATE, finish("it has add(a, b)"), call("agent.spawn", task="Look at a.py.", agent="code-review"),
            write("b.py", GOOD_PYTHON), finish("fine"), finish("all done"), arguments=["--json", "--agent", "lead-agent"])
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertEqual(events[-1]["changed"], ["a.py"], "a reviewer writes nothing")
        self.assertEqual(events[-1]["turns"], 10)
        self.assertEqual([e["text"] for e in events if e["type"] == "agent_finished"], ["it has add(a, b)", "fine"])
        spawned = [e["observation"] for e in events if e["type"] == "tool_finished" and e["tool"] == "agent.spawn"]
        self.assertEqual(spawned, ["it has add(a, b)", "fine"])
        reviewed = [e for e in events if e["type"] == "tool_finished" and e.get("agent", "").startswith("7.")]
        self.assertFalse(reviewed[0]["ok"], "it has no such tool")
        shown = self.stile("runs", "show", self.runs()[0]["id"])
        self.assert_exit(shown, 0)
        self.assertIn("sub-agent: Write a.py.", shown.stdout)

    def test_profiles_are_names_and_the_coding_agent_has_no_sub_agents(self):
        result = self.run_task(
            call("agent.spawn", task="x", agent="../evil.md"), call("agent.spawn", task="x", agent="nobody"), finish(),
            arguments=["--json", "--agent", "lead-agent"])
        self.assert_exit(result, 0)
        refused = [e["observation"] for e in self.events(result) if e["type"] == "tool_finished"]
        self.assertIn("not a file", refused[0])
        self.assertIn("code-review", refused[1])
        result = self.run_task(call("agent.spawn", task="x"), finish(), arguments=["--json"])
        self.assert_exit(result, 0)
        self.assertFalse([e for e in self.events(result) if e["type"] == "agent_started"])


if __name__ == "__main__":
    main(processes=4)
