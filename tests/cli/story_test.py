"""stile run STORY: branch, steps, commit."""

import fcntl
import json
import os
import subprocess
import time

from harness import (BAD_PYTHON, BINARY, GOOD_PYTHON, STORY, VALIDATE, StileTest, finish, shell,
                     write)
from parallel import main


class StoryTest(StileTest):

    def setUp(self):
        super().setUp()
        self.write("story.yaml", STORY)

    def run_story(self, *turns, arguments=(), story="story.yaml", **more):
        return self.stile("run", story, "--model", self.cassette(*turns), *arguments, **more)

    def test_a_story_ends_in_one_commit_on_its_branch(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            write("b.py", GOOD_PYTHON), VALIDATE, finish("b"))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("branch", "--show-current").strip(), "stile/add-arithmetic")
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "1")
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "b.py"])
        message = self.git("log", "-1", "--format=%B")
        self.assertIn("Stile-Run: ", message)
        self.assertIn("Stile-Certificate: sha256:", message)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertIn("Branch: stile/add-arithmetic", result.stdout)
        # Nothing of the room in which the commit was judged stays.
        self.assertEqual(len(os.listdir(os.path.join(self.state, "workspaces"))), 1)
        self.assertEqual(os.listdir(os.path.join(self.state, "worktrees")), [])

    def test_a_story_in_a_folder_of_the_repository_works_in_the_repository(self):
        self.write("stories/add.yaml", STORY.replace("workspace: .\n", ""))
        os.remove(self.path("story.yaml"))
        self.init_git()
        result = self.run_story(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"),
                                story=self.path("stories/add.yaml"), cwd=self.root)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py"])

    def test_the_workspace_of_a_story_is_relative_to_its_file(self):
        self.write("stories/add.yaml", STORY.replace("workspace: .", "workspace: ../app"))
        self.write("app/x.txt", "x\n")
        self.init_git()
        result = self.run_story(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"),
                                story="stories/add.yaml")
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["app/a.py"])

    def test_the_flag_names_another_workspace_than_the_story(self):
        self.init_git()
        elsewhere = os.path.join(self.root, "story.yaml")
        os.rename(self.path("story.yaml"), elsewhere)
        self.git("commit", "-qam", "away")
        result = self.run_story(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"), story=elsewhere,
                                arguments=["--workspace", self.workspace], cwd=self.root)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py"])

    def test_the_story_file_alone_need_not_be_committed(self):
        self.init_git()
        self.write("new.yaml", STORY)
        self.write("other.txt", "x\n")
        turns = [write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b")]
        result = self.run_story(*turns, story="new.yaml")
        self.assert_exit(result, 2)
        self.assertIn("1 file is not committed:\n  ?? other.txt", result.stderr)
        os.remove(self.path("other.txt"))
        self.assert_exit(self.run_story(*turns, story="new.yaml"), 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py"])
        self.assertEqual(self.git("status", "--porcelain").split(), ["??", "new.yaml"])

    def test_the_json_stream_of_a_story_ends_in_one_run_finished(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"), arguments=["--json"])
        self.assert_exit(result, 0)
        types = [e["type"] for e in self.events(result)]
        self.assertEqual(types.count("step_started"), 2)
        self.assertEqual(types.count("step_finished"), 2)

    def test_what_only_the_workspace_holds_is_not_enough_for_a_commit(self):
        self.write(".gitignore", "limits.h\n")
        self.write("main.c", "int main(void) { return 0; }\n")
        self.init_git()
        turns = [write("limits.h", "enum { kLimit = 3 };\n"),
                 write("main.c", '#include "limits.h"\nint main(void) { return kLimit; }\n'),
                 VALIDATE, finish("a"), finish("b")]
        self.write("story.yaml", STORY.replace("    expect: {files_exist: [a.py]}\n", ""))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "story")
        result = self.run_story(*turns)
        self.assert_exit(result, 3)
        self.assertIn("does not pass by itself", result.stdout + result.stderr)
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "0")
        self.assertEqual(self.git("worktree", "list").count("\n"), 1)

    def test_prose_is_committed_next_to_code_that_was_broken_before(self):
        self.write("old.py", BAD_PYTHON)
        self.write("stile.yaml", "gate:\n  baseline: strict\n")
        self.write("story.yaml", STORY.replace("    expect: {files_exist: [a.py]}\n", ""))
        self.init_git()
        result = self.run_story(write("notes.md", "# Notes\n"), finish("a"), finish("b"))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["notes.md"])

    def test_hooks_run_in_the_sandbox(self):
        self.write(".git-hooks", "")
        self.init_git()
        hook = self.path(".git/hooks/pre-commit")
        os.makedirs(os.path.dirname(hook), exist_ok=True)
        with open(hook, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ntouch ~/from-hook .git/from-hook; "
                       "echo x >> .git/hooks/pre-commit; echo x >> .git/config; exit 0\n")
        os.chmod(hook, 0o755)
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            write("b.py", GOOD_PYTHON), VALIDATE, finish("b"))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "1")
        self.assertTrue(os.path.exists(self.path(".git/from-hook")))
        self.assertFalse(os.path.exists(os.path.join(self.env["HOME"], "from-hook")))
        self.assertEqual(self.read(".git/hooks/pre-commit").count("\n"), 2)

    def test_a_failed_step_ends_the_story_without_a_commit(self):
        self.init_git()
        turns = []
        for i in range(5):
            turns += [write("a.py", BAD_PYTHON + f"# {i}\n"), VALIDATE]
        result = self.run_story(*turns)
        self.assert_exit(result, 3)
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "0")
        self.assertTrue(os.path.exists(self.path("a.py")))

    def test_unmet_expectations_end_with_1(self):
        self.init_git()
        result = self.run_story(finish("nothing done"), finish("nothing done"))
        self.assert_exit(result, 1)
        self.assertIn("a.py", result.stdout)

    def test_a_dirty_tree_is_refused_before_anything_happens(self):
        self.init_git()
        self.write("story.yaml", STORY + "# edited\n")
        result = self.run_story(finish())
        self.assert_exit(result, 2)
        self.assertIn("--allow-dirty", result.stderr)
        self.assertEqual(self.git("branch", "--show-current").strip(), "main")

    def test_allow_dirty_starts_all_the_same(self):
        self.init_git()
        self.write("notes.txt", "mine\n")
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"),
            arguments=["--allow-dirty"])
        self.assert_exit(result, 0)
        self.assertEqual(self.git("status", "--porcelain").strip(), "?? notes.txt")

    def test_without_git_a_story_is_refused(self):
        result = self.run_story(finish())
        self.assert_exit(result, 2)
        self.assertIn("git", result.stderr)

    def test_no_commit_leaves_the_work_uncommitted(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"),
            arguments=["--no-commit"])
        self.assert_exit(result, 0)
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "0")
        self.assertIn("a.py", self.git("status", "--porcelain"))

    def test_a_worktree_leaves_the_checkout_alone(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"),
            arguments=["--worktree"])
        self.assert_exit(result, 0)
        self.assertEqual(self.git("branch", "--show-current").strip(), "main")
        self.assertFalse(os.path.exists(self.path("a.py")))
        self.assertEqual(
            self.git("diff", "--name-only", "main", "stile/add-arithmetic").split(), ["a.py"])

    def test_later_steps_can_be_retried(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("stuck", status="gave_up"))
        self.assert_exit(result, 1)
        run_id = self.runs()[0]["id"]
        again = self.cassette(write("b.py", GOOD_PYTHON), VALIDATE, finish("b"))
        result = self.stile("runs", "retry", run_id, "--step", "2", "--model", again)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "b.py"])

    def kill_while_sleeping(self, *turns, arguments=()):
        """Runs the story until a command of its sleeps, and kills it; the story's run id."""
        cassette = self.cassette(*turns)
        process = subprocess.Popen(
            [BINARY, "run", "story.yaml", "--yes", "--json", "--model", cassette, *arguments],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE)
        run_id = json.loads(process.stdout.readline())["run_id"]
        while not os.path.exists(self.path("started")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.kill()
        process.wait()
        process.stdout.close()
        return run_id, cassette

    def test_a_killed_story_goes_on_in_its_step(self):
        self.init_git()
        run_id, cassette = self.kill_while_sleeping(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            write("b.py", GOOD_PYTHON), shell("touch started; exec sleep 321.5"), VALIDATE,
            shell("rm started"), finish("b"))
        result = self.stile("runs", "resume", run_id, "--yes", "--model", cassette)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "b.py"])
        self.assertEqual(self.git("status", "--porcelain"), "")
        journal = self.journal(run_id)
        self.assertEqual([e["type"] for e in journal].count("run_finished"), 1)
        replies = [e for e in journal if e["type"] == "model_response"]
        self.assertEqual(len(replies), 8)

    def test_certificates_of_a_killed_story_leave_out_what_was_uncommitted(self):
        self.init_git()
        self.write("notes.md", "mine\n")
        run_id, cassette = self.kill_while_sleeping(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            write("b.py", GOOD_PYTHON), shell("touch started; exec sleep 321.5"), VALIDATE,
            shell("rm started"), finish("b"), arguments=["--allow-dirty"])
        self.assert_exit(self.stile("runs", "resume", run_id, "--yes", "--model", cassette), 0)
        self.assertEqual(self.git("status", "--porcelain").split(), ["??", "notes.md"])
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "b.py"])
        result = self.stile("certificate", "verify", "--commit", "HEAD")
        self.assert_exit(result, 0)
        self.assertIn("matches", result.stdout)

    def test_a_killed_story_still_knows_names_that_are_no_text(self):
        self.init_git()
        run_id, cassette = self.kill_while_sleeping(
            [write("a.py", GOOD_PYTHON), shell("printf 'x = 1\\n' > \"$(printf 'n\\377.py')\"")], VALIDATE, finish("a"),
            shell("touch started; exec sleep 321.5"), shell("rm started"), finish("b"))
        result = self.stile("runs", "resume", run_id, "--yes", "--model", cassette)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertIn("n\\377.py", self.git("show", "--format=", "--name-only", "HEAD"))
        self.assert_exit(self.stile("certificate", "verify", "--commit", "HEAD"), 0)

    def test_a_changed_story_is_not_resumed(self):
        self.init_git()
        run_id, cassette = self.kill_while_sleeping(shell("touch started; exec sleep 321.5"))
        self.write("story.yaml", STORY + "# changed\n")
        result = self.stile("runs", "resume", run_id, "--model", cassette)
        self.assert_exit(result, 2)
        self.assertIn("has changed since", result.stderr)

    def test_a_retry_resets_what_the_step_had_done(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            write("junk.py", BAD_PYTHON), write("a.py", BAD_PYTHON), finish("x", status="gave_up"))
        self.assert_exit(result, 1)
        again = self.cassette(write("b.py", GOOD_PYTHON), VALIDATE, finish("b"))
        result = self.stile("runs", "retry", self.runs()[0]["id"], "--step", "2", "--model", again)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "b.py"])
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)

    def test_steps_that_another_process_works_on_are_left_alone(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            write("b.py", GOOD_PYTHON), finish("stuck", status="gave_up"))
        self.assert_exit(result, 1)
        run_id = self.runs()[0]["id"]
        with open(os.path.join(self.state, "runs", run_id + ".2", "lock"), "r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            result = self.stile("runs", "retry", run_id, "--step", "2", "--model", self.cassette(finish()))
            self.assert_exit(result, 2)
            self.assertIn(f"working on run {run_id}.2", result.stderr)
            result = self.stile("runs", "undo", run_id)
            self.assert_exit(result, 2)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)
        self.assertEqual(self.read("b.py"), GOOD_PYTHON)

    def test_a_committed_story_is_not_retried(self):
        self.init_git()
        result = self.run_story(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"))
        self.assert_exit(result, 0)
        result = self.stile("runs", "retry", self.runs()[0]["id"], "--step", "1",
                            "--model", self.cassette(finish()))
        self.assert_exit(result, 2)
        self.assertIn("is committed as", result.stderr)

    def test_undo_of_a_story_takes_back_every_step(self):
        self.init_git()
        result = self.run_story(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            write("a.py", GOOD_PYTHON + "\n"), VALIDATE, finish("b"), arguments=["--no-commit"])
        self.assert_exit(result, 0)
        result = self.stile("runs", "undo", self.runs()[0]["id"])
        self.assert_exit(result, 0)
        self.assertFalse(os.path.exists(self.path("a.py")))

    def test_each_step_may_have_a_cassette_of_its_own(self):
        self.init_git()
        folder = os.path.join(self.root, "cassettes")
        os.mkdir(folder)
        for step in ("add", "more"):
            name = "a.py" if step == "add" else "b.py"
            cassette = self.cassette(write(name, GOOD_PYTHON), VALIDATE, finish(step))
            os.rename(cassette.partition(":")[2], os.path.join(folder, step + ".jsonl"))
        result = self.stile("run", "story.yaml", "--model", "replay:" + folder)
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "b.py"])

    def test_what_a_hook_changed_is_not_committed_by_a_resume(self):
        self.env["STILE_SANDBOX"] = "off"  # the hook tells us where it is by a file outside
        self.init_git()
        hook = os.path.join(self.workspace, ".git", "hooks", "pre-commit")
        with open(hook, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nprintf 'x = (\\n' > a.py\ntouch ../hooked\nexec sleep 321.5\n")
        os.chmod(hook, 0o755)
        cassette = self.cassette(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"))
        process = subprocess.Popen(
            [BINARY, "run", "story.yaml", "--json", "--model", cassette], cwd=self.workspace,
            env=self.env, stdout=subprocess.PIPE)
        run_id = json.loads(process.stdout.readline())["run_id"]
        while not os.path.exists(os.path.join(self.root, "hooked")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.kill()
        process.communicate()
        result = self.stile("runs", "resume", run_id)
        self.assert_exit(result, 3)
        self.assertIn("a.py was changed after the last step was accepted", result.stdout)
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "0")

    def write_hook(self, text):
        hook = os.path.join(self.workspace, ".git", "hooks", "pre-commit")
        with open(hook, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(hook, 0o755)

    def test_a_hook_that_was_repaired_after_the_end_is_no_obstacle(self):
        self.init_git()
        self.write_hook("echo no >&2\nexit 1\n")
        result = self.run_story(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"))
        self.assert_exit(result, 1)
        self.assertIn("the commit was refused", result.stdout)
        run = self.runs()[0]["id"]
        self.assertTrue([e for e in self.journal(run) if e["type"] == "story_finished"][-1]["hooks_unchanged"])
        self.write_hook("echo never >&2\nexit 1\n")
        self.assert_exit(self.stile("runs", "resume", run), 1)
        self.write_hook("exit 0\n")
        self.assert_exit(self.stile("runs", "resume", run), 0)
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "1")

    def test_a_hook_that_changed_while_the_story_ran_stays_an_obstacle(self):
        self.env["STILE_SANDBOX"] = "off"
        self.init_git()
        self.write_hook("exit 0\n")
        changing = shell("echo 'touch ../hooked' >> .git/hooks/pre-commit")
        result = self.run_story(write("a.py", GOOD_PYTHON), changing, VALIDATE, finish("a"), finish("b"),
                                arguments=["--yes"])
        self.assert_exit(result, 3)
        run = self.runs()[0]["id"]
        self.assertFalse([e for e in self.journal(run) if e["type"] == "story_finished"][-1]["hooks_unchanged"])
        for _ in range(2):
            result = self.stile("runs", "resume", run, "--yes")
            self.assert_exit(result, 3)
            self.assertIn("hooks or configuration were changed", result.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.root, "hooked")))

    def test_staging_the_file_of_an_interrupted_step_is_no_obstacle_to_its_resume(self):
        self.init_git()
        self.assert_exit(self.run_story(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
                                        write("b.py", GOOD_PYTHON)), 5)
        self.git("add", "b.py")
        # As the file that was copied and put back: the content is that of the index, its time is not.
        os.utime(self.path("b.py"), (1, 1))
        result = self.stile("runs", "resume", self.runs()[0]["id"], "--model", self.cassette(VALIDATE, finish()))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "b.py"])
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_a_broken_story_is_located(self):
        self.init_git()
        cases = {
            "story: x\nstepz: []\n": "bad.yaml:2",
            "story: x\nsteps:\n  - nam: a\n": "bad.yaml:3",
            "\x00": "bad.yaml",
            "": "bad.yaml",
        }
        for text, place in cases.items():
            with self.subTest(text=text):
                self.write("bad.yaml", text)
                result = self.run_story(finish(), story="bad.yaml")
                self.assert_exit(result, 2)
                self.assertIn(place, result.stderr)

    def test_a_missing_story_is_named(self):
        result = self.run_story(finish(), story="none.yaml")
        self.assert_exit(result, 2)
        self.assertIn("none.yaml", result.stderr)


if __name__ == "__main__":
    main(processes=4)
