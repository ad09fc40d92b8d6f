"""stile runs undo and resume believe the files: from any state, and never in the name of work that is gone."""

import json
import os
import signal
import subprocess
import tempfile
import time

from harness import (BINARY, GOOD_PYTHON, STORY, VALIDATE, StileTest, finish, shell, write)
from parallel import main

FLOW = """\
steps:
  first: {type: command, exec: 'echo new > made.txt; echo changed > old.txt'}
  second: {type: command, depends_on: [first], exec: 'cat made.txt > copy.txt'}
  third: {type: command, depends_on: [second], exec: '%s'}
"""
WAIT = "touch waiting; sleep 300"


class UndoTest(StileTest):

    def kill_at(self, marker, *arguments):
        """Kills stile once the file `marker` is there; the newest run's id."""
        process = subprocess.Popen([BINARY, *arguments], cwd=self.workspace, env=self.env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self.is_there(marker):
            self.assertIsNone(process.poll(), "it ended too soon")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        run = self.runs()[0]
        while run["outcome"] == "running":
            time.sleep(0.05)
            run = self.runs()[0]
        self.assertEqual(run["outcome"], "interrupted")
        return run["id"]

    def outlive(self):
        """What is written from now on was not written by a process that was killed."""
        time.sleep(1.6)

    def is_there(self, marker):
        trees = os.path.join(self.state, "worktrees")
        folders = [self.workspace]
        if os.path.isdir(trees):
            folders += [os.path.join(trees, name) for name in os.listdir(trees)]
        return any(os.path.exists(os.path.join(folder, marker)) for folder in folders)

    def start_task(self, *turns):
        return self.kill_at("waiting", "run", "-t", "do it", "--yes", "--model", self.cassette(*turns))

    def undo(self, run, code=0):
        result = self.stile("runs", "undo", run)
        self.assert_exit(result, code)
        return result.stdout

    def files(self):
        return sorted(name for name in os.listdir(self.workspace) if name != ".git")

    def show(self, run):
        result = self.stile("runs", "show", run, "--json")
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def assert_refused(self, run, *words, verb=("resume",), model=None):
        result = self.stile("runs", verb[0], run, *verb[1:], "--model", model or self.cassette(finish()))
        self.assert_exit(result, 2)
        for word in words:
            self.assertIn(word, result.stderr)

    # A run --------------------------------------------------------------------------------

    def test_a_killed_run_is_shown_and_undone_with_what_its_command_had_done(self):
        self.write("old.txt", "old\n")
        run = self.start_task(write("a.py", GOOD_PYTHON),
                              shell("echo more > b.txt; rm old.txt; touch waiting; exec sleep 300"))
        self.assertEqual({c["path"]: c["kind"] for c in self.show(run)["changes"]},
                         {"a.py": "added", "b.txt": "added", "old.txt": "deleted", "waiting": "added"})
        diff = self.stile("runs", "diff", run).stdout
        self.assertIn("+more", diff)
        self.undo(run)
        self.assertEqual(self.files(), ["old.txt"])
        self.assertEqual(self.read("old.txt"), "old\n")
        self.assertEqual(self.stile("runs", "diff", run).stdout, diff, "the contents are still known")

    def test_what_somebody_changed_after_the_kill_stays(self):
        self.write("mine.txt", "before\n")
        run = self.start_task(write("a.py", GOOD_PYTHON), shell("touch waiting; exec sleep 300"))
        self.outlive()
        self.write("mine.txt", "me\n")
        self.write("a.py", "# me\n")
        self.assert_exit(self.run_task(write("b.py", GOOD_PYTHON), VALIDATE, finish()), 0)
        text = self.undo(run, code=1)
        self.assertIn("kept      a.py  (changed since the run", text)
        self.assertEqual(self.read("a.py"), "# me\n")
        self.assertEqual(self.read("mine.txt"), "me\n")
        self.assertEqual(self.files(), ["a.py", "b.py", "mine.txt"])

    def test_a_run_killed_while_it_asked_the_model_has_changed_what_its_journal_says(self):
        self.write("mine.txt", "before\n")
        run = self.start_task(write("a.py", GOOD_PYTHON), shell("touch waiting; exec sleep 300"))
        journal = os.path.join(self.state, "runs", run, "journal.jsonl")
        with open(journal, encoding="utf-8") as file:
            lines = file.readlines()
        last = [i for i, line in enumerate(lines) if '"tool_finished"' in line][-1]
        with open(journal, "w", encoding="utf-8") as file:
            file.writelines(lines[:last + 1])  # as if the kill had come before the command
        os.remove(self.path("waiting"))
        self.write("mine.txt", "me\n")
        self.write("new.txt", "mine too\n")
        self.assertEqual([c["path"] for c in self.show(run)["changes"]], ["a.py"])
        self.undo(run)
        self.assertEqual(self.files(), ["mine.txt", "new.txt"])
        self.assertEqual(self.read("mine.txt"), "me\n")

    def test_what_others_change_between_an_end_and_its_resume_is_not_the_runs(self):
        def failed():
            self.run_task(write("a.py", GOOD_PYTHON))
            return self.runs()[0]["id"]

        def killed():
            run = self.start_task(write("a.py", GOOD_PYTHON), shell("touch waiting; exec sleep 300"))
            self.outlive()
            return run
        for begin in (failed, killed):
            self.workspace = tempfile.mkdtemp(dir=self.root)
            self.write("old.txt", "old\n")
            self.write("gone.txt", "gone\n")
            run = begin()
            self.write("notes.md", "private\n")
            self.write("old.txt", "me\n")
            os.remove(self.path("gone.txt"))
            result = self.stile("runs", "resume", run, "--yes", "--json", "--model",
                                self.cassette(VALIDATE, finish()))
            self.assert_exit(result, 0)
            end = self.events(result)[-1]
            self.assertEqual([p for p in end["changed"] if p != "waiting"], ["a.py"])
            said = [e["text"] for e in self.events(result) if e["type"] == "log"]
            self.assertIn("gone.txt, notes.md, old.txt", " ".join(said))
            self.assert_exit(self.stile("certificate", "verify", run), 0)
            self.undo(run)
            self.assertEqual(self.files(), ["notes.md", "old.txt"])
            self.assertEqual(self.read("old.txt"), "me\n")

    def test_ignore_files_of_a_killed_run_hide_nothing_from_undo(self):
        self.write("mine.txt", "mine\n")
        run = self.start_task(shell("echo '*' > .gitignore; echo x >> mine.txt; echo new > new.txt; touch waiting; "
                                    "exec sleep 300"))
        self.assertEqual({c["path"]: c["kind"] for c in self.show(run)["changes"]},
                         {".gitignore": "added", "mine.txt": "modified", "new.txt": "added", "waiting": "added"})
        self.undo(run)
        self.assertEqual(self.files(), ["mine.txt"])
        self.assertEqual(self.read("mine.txt"), "mine\n")

    def test_the_files_of_an_inner_repository_are_put_back(self):
        self.write("a.txt", "a\n")
        self.init_git()
        self.git("init", "--quiet", "inner")
        self.write("inner/f.txt", "committed there\n")
        self.git("-C", "inner", "add", "--all")
        self.git("-C", "inner", "commit", "--quiet", "--message=start")
        self.write("inner/deep/u.txt", "untracked\n")
        self.write("inner/f.txt", "committed there\nand changed\n")
        self.run_task(shell("echo more >> inner/f.txt; rm inner/deep/u.txt"), arguments=("--yes",))
        self.assertEqual(self.read("inner/f.txt"), "committed there\nand changed\nmore\n")
        self.undo(self.runs()[0]["id"])
        self.assertEqual(self.read("inner/f.txt"), "committed there\nand changed\n")
        self.assertEqual(self.read("inner/deep/u.txt"), "untracked\n")

    def test_the_files_of_a_submodule_are_put_back(self):
        library = os.path.join(self.root, "library")
        self.git("init", "--quiet", library)
        with open(os.path.join(library, "f.txt"), "w", encoding="utf-8") as file:
            file.write("f\n")
        self.git("-C", library, "add", "--all")
        self.git("-C", library, "commit", "--quiet", "--message=start")
        self.init_git()
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "sub")
        self.git("commit", "--quiet", "--message=sub")
        self.run_task(shell("rm sub/f.txt"), arguments=("--yes",))
        self.assertFalse(os.path.exists(self.path("sub/f.txt")))
        self.undo(self.runs()[0]["id"])
        self.assertEqual(self.read("sub/f.txt"), "f\n")

    def test_large_files_that_are_not_committed_are_named_with_the_limit(self):
        self.init_git()
        for name in ("gone.bin", "grown.bin"):
            self.write(name, "x" * ((8 << 20) + 1))
        self.run_task(shell("rm gone.bin; echo y >> grown.bin"), arguments=("--yes",))
        run = self.runs()[0]["id"]
        why = "  (its content from before the run was not stored: files over 8 MB that are not committed are not)\n"
        text = self.undo(run, code=1)
        self.assertEqual(text, f"lost      gone.bin{why}kept      grown.bin{why}")
        shown = self.stile("runs", "show", run).stdout
        self.assertIn("  lost      gone.bin  (", shown)
        self.assertIn("  kept      grown.bin  (", shown)
        self.assertEqual(self.show(run)["undone"]["lost"], ["gone.bin", "grown.bin"])

    def test_what_was_ignored_before_a_killed_run_is_not_its_work(self):
        self.write("mine.txt", "mine\n")
        self.write(".env", "TOKEN=1\n")
        self.write(".gitignore", ".env\n")
        self.init_git()
        time.sleep(0.3)  # file systems read a coarse clock
        run = self.start_task(shell("rm .gitignore; echo x >> mine.txt; " + WAIT))
        self.undo(run)
        self.assertEqual(self.files(), [".env", ".gitignore", "mine.txt"])
        self.assertEqual(self.read("mine.txt"), "mine\n")

    def test_undo_does_not_work_in_a_folder_in_which_a_run_works(self):
        self.run_task(write("a.py", GOOD_PYTHON))
        first = self.runs()[0]["id"]
        process = subprocess.Popen(
            [BINARY, "run", "-t", "other", "--yes", "--model", self.cassette(shell(WAIT))],
            cwd=self.workspace, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.is_there("waiting"):
            time.sleep(0.01)
        result = self.stile("runs", "undo", first)
        self.assert_exit(result, 2)
        self.assertIn(f"(process {process.pid}: other) works in", result.stderr)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)
        self.assert_exit(self.stile("runs", "undo", first, "--alongside"), 0)
        self.assertFalse(self.is_there("a.py"))
        process.kill()
        process.wait()

    def test_an_undone_run_has_ended_and_says_so(self):
        for start in (lambda: self.start_task(write("a.py", GOOD_PYTHON), shell(WAIT)),
                      lambda: self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, finish()),
                      lambda: self.run_task(write("a.py", GOOD_PYTHON))):
            start()
            run = self.runs()[0]["id"]
            with self.subTest(run=run):
                self.undo(run)
                self.assertFalse(os.path.exists(self.path("a.py")))
                self.assert_refused(run, "was undone")
                shown = self.show(run)
                self.assertTrue(shown["run"]["undone"])
                self.assertIn("a.py", shown["undone"]["restored"])
                text = self.stile("runs", "show", run).stdout
                self.assertIn("Undone at ", text)
                self.assertIn("  restored  a.py\n", text)
                self.assertIn(", undone", self.stile("runs", "list").stdout)
                self.assertEqual(self.undo(run), "nothing to undo\n")
                self.assertIn("a.py", self.show(run)["undone"]["restored"], "the second call forgets nothing")

    def test_while_a_process_works_nothing_is_undone(self):
        process = subprocess.Popen([BINARY, "run", "-t", "x", "--yes", "--model", self.cassette(shell(WAIT))],
                                   cwd=self.workspace, env=self.env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while not os.path.exists(self.path("waiting")):
            time.sleep(0.01)
        run = self.runs()[0]["id"]
        for verb in ("undo", "diff"):
            result = self.stile("runs", verb, run)
            self.assert_exit(result, 2)
            self.assertIn("working on run " + run, result.stderr)

    def test_the_stored_result_of_an_undone_step_is_not_given_again(self):
        request = json.dumps({"id": "7", "task": "t", "workspace": self.workspace,
                              "model": self.cassette(write("a.py", GOOD_PYTHON), VALIDATE, finish())})
        self.assert_exit(self.stile("step", stdin=request), 0)
        self.undo("step-7")
        result = self.stile("step", stdin=request)
        self.assert_exit(result, 2)
        self.assertIn("was undone", result.stderr)
        self.assertFalse(os.path.exists(self.path("a.py")))

    # A story ------------------------------------------------------------------------------

    def start_story(self, *arguments):
        self.write("story.yaml", STORY)
        self.write("old.txt", "old\n")
        self.init_git()
        return self.kill_at("waiting", "run", "story.yaml", "--yes", *arguments, "--model", self.cassette(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
            [write("b.py", GOOD_PYTHON), write("old.txt", "new\n")], shell("touch waiting; exec sleep 300")))

    def branches(self):
        return self.git("branch", "--format", "%(refname:short)").split()

    def test_a_killed_story_is_undone_with_its_branch(self):
        run = self.start_story()
        self.assertEqual(self.branches(), ["main", "stile/add-arithmetic"])
        text = self.undo(run)
        self.assertIn("removed   branch stile/add-arithmetic\n", text)
        self.assertEqual(self.files(), ["old.txt", "story.yaml"])
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("branch", "--show-current").strip(), "main")
        self.assertEqual(self.branches(), ["main"])
        self.assert_refused(run, "was undone")
        self.assertEqual(self.show(run)["undone"]["removed"], ["branch stile/add-arithmetic"])
        # As if it had not been: the same story runs again.
        result = self.stile("run", "story.yaml", "--model", self.cassette(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b")))
        self.assert_exit(result, 0)

    def test_a_killed_story_is_undone_with_its_second_working_tree(self):
        run = self.start_story("--worktree")
        tree = os.path.join(self.state, "worktrees", run)
        self.assertTrue(os.path.exists(os.path.join(tree, "b.py")))
        text = self.undo(run)
        self.assertIn(f"removed   working tree {tree}\n", text)
        self.assertFalse(os.path.exists(tree))
        self.assertEqual(self.branches(), ["main"])
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        self.assertIn("+++ b/b.py", self.stile("runs", "diff", run).stdout, "nothing is lost")

    def test_a_working_tree_with_files_of_others_stays(self):
        run = self.start_story("--worktree")
        tree = os.path.join(self.state, "worktrees", run)
        self.outlive()
        with open(os.path.join(tree, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("mine\n")
        text = self.undo(run)
        self.assertIn(f"left      working tree {tree}: it has files that are not the story's, notes.txt", text)
        self.assertEqual(sorted(os.listdir(tree)), [".git", "notes.txt", "old.txt", "story.yaml"])
        self.assertIn("stile/add-arithmetic", self.branches())
        os.remove(os.path.join(tree, "notes.txt"))
        self.assertIn("removed   working tree", self.undo(run))
        self.assertEqual(self.branches(), ["main"])

    def test_a_working_tree_that_is_gone_is_no_obstacle(self):
        run = self.start_story("--worktree")
        self.git("worktree", "remove", "--force", os.path.join(self.state, "worktrees", run))
        self.assert_refused(run, "is gone")
        self.assertIn("it is gone", self.undo(run))
        self.assertEqual(self.branches(), ["main"])

    def test_a_workspace_that_was_moved_is_undone_when_it_is_back(self):
        run = self.start_story()
        moved = self.workspace + " elsewhere"
        os.rename(self.workspace, moved)
        result = self.stile("runs", "undo", run, cwd=self.root)
        self.assert_exit(result, 0)
        self.assertIn(f"it is gone; if it was moved, move it back and undo run {run} again", result.stdout)
        os.rename(moved, self.workspace)
        self.assertIn("removed   branch stile/add-arithmetic\n", self.undo(run))
        self.assertEqual(self.files(), ["old.txt", "story.yaml"])
        self.assertEqual(self.read("old.txt"), "old\n")

    def test_a_step_of_a_story_that_was_undone_has_nothing_to_undo(self):
        self.write("story.yaml", STORY)
        self.write("old.txt", "old\n")
        self.init_git()
        self.assert_exit(self.stile("run", "story.yaml", "--model", self.cassette(
            [write("a.py", GOOD_PYTHON), write("old.txt", "1\n")], VALIDATE, finish("a"),
            write("old.txt", "2\n"))), 5)
        run = self.runs()[0]["id"]
        self.undo(run)
        self.assertEqual(self.undo(run + ".2"), "nothing to undo\n")
        self.assertEqual(self.read("old.txt"), "old\n")

    def test_a_story_whose_branch_was_left_goes_on_as_its_refusal_says(self):
        run = self.fail_in_step_two()
        self.git("switch", "--quiet", "main")
        for verb in (("resume",), ("retry", "--step", "2")):
            self.assert_refused(run, "the work of the story is on branch stile/add-arithmetic",
                                "is on branch main. To go on, `git switch stile/add-arithmetic` there", verb=verb)
        self.git("switch", "--quiet", "stile/add-arithmetic")
        self.assert_exit(self.stile("runs", "resume", run, "--model", self.cassette(VALIDATE, finish("b"))), 0)

    def damage(self, run, change):
        """Rewrites the journal of a run; `change` gets its bytes."""
        path = os.path.join(self.state, "runs", run, "journal.jsonl")
        with open(path, "rb") as file:
            content = change(file.read())
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_a_damaged_journal_is_no_run_that_did_nothing(self):
        self.run_task(write("a.py", GOOD_PYTHON))
        run = self.runs()[0]["id"]
        path = self.damage(run, lambda content: b"")
        result = self.stile("runs", "undo", run)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"{path}: damaged journal", result.stderr)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)

    def test_a_torn_journal_is_named(self):
        run = self.start_task(write("a.py", GOOD_PYTHON), shell(WAIT))
        path = self.damage(run, lambda content: content + b'{"seq": 99, "type": "tool_st')
        self.assertIn(f"the last line of its journal {path} is torn", self.undo(run))
        self.assertEqual(self.files(), [])

    def test_a_refused_story_leaves_the_branch_of_another_one(self):
        self.write("story.yaml", STORY)
        self.write("old.txt", "old\n")
        self.init_git()
        self.write("old.txt", "mine\n")
        self.assert_exit(self.stile("run", "story.yaml", "--model", self.cassette(finish())), 2)
        refused = [run["id"] for run in self.runs()]
        self.git("checkout", "--", "old.txt")
        self.kill_at("waiting", "run", "story.yaml", "--yes", "--model", self.cassette(
            write("a.py", GOOD_PYTHON), shell(WAIT)))
        for run in refused:
            self.undo(run)
        self.assertIn("stile/add-arithmetic", self.branches())
        self.assertEqual(self.git("branch", "--show-current").strip(), "stile/add-arithmetic")

    def test_a_branch_with_commits_and_one_that_was_there_before_stay(self):
        run = self.start_story()
        self.git("commit", "--quiet", "--allow-empty", "-m", "mine")
        self.assertIn("left      branch stile/add-arithmetic: it has commits", self.undo(run))
        self.assertEqual(self.git("branch", "--show-current").strip(), "stile/add-arithmetic")
        self.assertEqual(self.files(), ["old.txt", "story.yaml"])
        again = self.kill_at("waiting", "run", "story.yaml", "--yes", "--model", self.cassette(shell(WAIT)))
        self.assertNotIn("branch", self.undo(again))
        self.assertEqual(self.git("branch", "--show-current").strip(), "stile/add-arithmetic")

    def test_the_branch_of_a_delivered_story_keeps_its_commit(self):
        self.write("story.yaml", STORY)
        self.init_git()
        self.assert_exit(self.stile("run", "story.yaml", "--model", self.cassette(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b"))), 0)
        text = self.undo(self.runs()[0]["id"])
        self.assertIn("left      branch stile/add-arithmetic: it has the story's commit", text)
        self.assertFalse(os.path.exists(self.path("a.py")))
        self.assertEqual(self.git("rev-list", "--count", "main..stile/add-arithmetic").strip(), "1")

    def assert_removed_as_told(self, text):
        """The commands that the entry names remove the branch; none of its files stays."""
        entry, = [line for line in text.splitlines() if "branch stile/add-arithmetic" in line]
        commands = entry.split("`")[1::2]
        self.assertTrue(commands, entry)
        for command in commands:
            self.git(*command.split()[1:])
        self.assertEqual(self.branches(), ["main"])
        self.assertEqual(self.git("branch", "--show-current").strip(), "main")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.read("old.txt"), "old\n")

    def test_a_commit_whose_story_was_killed_behind_it_is_known_and_can_be_removed(self):
        self.env["STILE_SANDBOX"] = "off"  # the hook writes a file
        self.write("story.yaml", STORY)
        self.write("old.txt", "old\n")
        self.write(".gitignore", "waiting\n")
        self.init_git()
        hook = self.path(".git/hooks/post-commit")
        with open(hook, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ntouch waiting\nexec sleep 300\n")
        os.chmod(hook, 0o755)
        run = self.kill_at("waiting", "run", "story.yaml", "--yes", "--model", self.cassette(
            [write("a.py", GOOD_PYTHON), write("old.txt", "new\n")], VALIDATE, finish("a"), finish("b")))
        text = self.undo(run)
        self.assertIn("left      branch stile/add-arithmetic: it has the story's commit", text)
        # What undo has restored is not staged as the reverse of the commit.
        self.assertEqual(self.git("diff", "--cached", "--name-only"), "")
        self.assertEqual(self.git("diff", "--name-only").split(), ["a.py", "old.txt"])
        os.remove(self.path("waiting"))
        self.assert_removed_as_told(text)

    def test_the_commands_that_remove_a_delivered_branch_work(self):
        self.write("story.yaml", STORY)
        self.write("old.txt", "old\n")
        self.init_git()
        for arguments in ((), ("--worktree",)):
            self.assert_exit(self.stile("run", "story.yaml", *arguments, "--model", self.cassette(
                [write("a.py", GOOD_PYTHON), write("old.txt", "new\n")], VALIDATE, finish("a"), finish("b"))), 0)
            self.assert_removed_as_told(self.undo(self.runs()[0]["id"]))

    def test_a_branch_with_commits_of_others_can_be_removed(self):
        run = self.start_story()
        self.git("commit", "--quiet", "--allow-empty", "-m", "mine")
        os.remove(self.path("waiting"))
        self.assert_removed_as_told(self.undo(run))

    def fail_in_step_two(self):
        self.write("story.yaml", STORY)
        self.write("old.txt", "old\n")
        self.init_git()
        self.assert_exit(self.stile("run", "story.yaml", "--model", self.cassette(
            [write("a.py", GOOD_PYTHON), write("old.txt", "new\n")], VALIDATE, finish("a"),
            write("b.py", GOOD_PYTHON))), 5)
        return self.runs()[0]["id"]

    def test_a_story_does_not_go_on_when_the_work_of_a_step_is_gone(self):
        for undo_first_step in (lambda run: os.remove(self.path("a.py")),
                                lambda run: self.git("checkout", "--quiet", "--", "old.txt"),
                                lambda run: self.write("a.py", "x = 1\n"),
                                lambda run: self.undo(run + ".1")):
            run = self.fail_in_step_two()
            with self.subTest(run=run):
                undo_first_step(run)
                self.assert_refused(run, "step 1", f"stile runs retry {run} --step 1",
                                    model=self.cassette(VALIDATE, finish("b")))
                self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "0")
            self.git("reset", "--quiet", "--hard")
            self.git("clean", "--quiet", "-fd")
            self.git("switch", "--quiet", "main")
            self.git("branch", "-D", "stile/add-arithmetic")

    def fail_behind_generated_files(self, *second, steps=2, code=5):
        """Step 1 leaves gen/x.txt, which git ignores, and finds old.txt; step 2 fails after the turns `second`."""
        third = "  - {name: three, description: c}\n" if steps > 2 else ""
        self.write("story.yaml", "story: Generate\nworkspace: .\nsteps:\n  - name: one\n    description: a\n    expect:\n"
                                 "      files_exist: [./gen/x.txt, old.txt]\n"
                                 "      file_contains: [{path: gen/x.txt, regex: '^x$'}]\n"
                                 "  - {name: two, description: b}\n" + third)
        self.write(".gitignore", "gen/\n")
        self.write("old.txt", "old\n")
        self.init_git()
        result = self.stile("run", "story.yaml", "--yes", "--model", self.cassette(
            shell("mkdir gen && echo x > gen/x.txt"), finish("a"), *second))
        self.assert_exit(result, code)
        return self.runs()[0]["id"]

    def test_a_story_does_not_go_on_without_the_ignored_files_that_a_step_was_to_leave(self):
        run = self.fail_behind_generated_files(write("b.txt", "b\n"))
        self.write("gen/x.txt", "y\n")
        self.assert_refused(run, "step 1", "file_contains: gen/x.txt", f"`stile runs retry {run} --step 1`")
        os.remove(self.path("gen/x.txt"))
        for verb in (("resume",), ("retry", "--step", "2")):
            self.assert_refused(run, "step 1", "files_exist: ./gen/x.txt does not exist",
                                f"`stile runs retry {run} --step 1`", verb=verb)
        self.assertEqual(self.git("rev-list", "--count", "main..HEAD").strip(), "0")

    def test_a_story_goes_on_when_the_ignored_file_was_put_back(self):
        run = self.fail_behind_generated_files(write("b.txt", "b\n"))
        os.remove(self.path("gen/x.txt"))
        self.write("gen/x.txt", "x\n")
        self.assert_exit(self.stile("runs", "resume", run, "--model", self.cassette(finish("b"))), 0)

    def test_what_a_later_step_removed_is_no_unmet_expectation(self):
        run = self.fail_behind_generated_files(shell("rm old.txt"), finish("b"), write("c.txt", "c\n"), steps=3)
        self.assert_exit(self.stile("runs", "resume", run, "--model", self.cassette(finish("c"))), 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["c.txt", "old.txt"])

    def test_what_is_gone_is_done_again_by_a_retry(self):
        run = self.fail_in_step_two()
        self.undo(run + ".1")
        result = self.stile("runs", "retry", run, "--step", "1", "--model", self.cassette(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), finish("b")))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py"])
        shown = self.show(run)
        self.assertTrue(shown["undone"]["begun_again"])
        self.assertIn("to do its steps again", self.stile("runs", "show", run).stdout)

    def test_a_retry_needs_the_work_of_the_steps_before_it(self):
        run = self.fail_in_step_two()
        os.remove(self.path("a.py"))
        self.assert_refused(run, "step 1 is done, but", "a.py", verb=("retry", "--step", "2"))

    def test_a_refused_retry_takes_nothing_back(self):
        run = self.fail_in_step_two()
        before = self.read("old.txt"), self.read("b.py")
        self.write("old.txt", "mine\n")
        self.assert_refused(run, "step 1 cannot be reset", "somebody else: old.txt", verb=("retry", "--step", "1"))
        self.assertEqual(self.read("b.py"), before[1])
        self.write("old.txt", before[0])
        self.write("a.py", "mine\n")
        self.assert_refused(run, "step 1 is done, but", "a.py", verb=("retry", "--step", "2"))
        self.assertEqual((self.read("old.txt"), self.read("b.py")), before)
        self.write("a.py", GOOD_PYTHON)
        self.assert_exit(self.stile("runs", "resume", run, "--model", self.cassette(VALIDATE, finish("b"))), 0)

    def test_a_killed_step_is_retried(self):
        run = self.start_story()
        result = self.stile("runs", "retry", run, "--step", "2", "--model", self.cassette(
            write("c.py", GOOD_PYTHON), VALIDATE, finish("b")))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "c.py"])
        self.assertEqual(self.read("old.txt"), "old\n")

    def test_what_a_later_step_changed_again_is_no_loss(self):
        for sabotage in (None, lambda: os.remove(self.path("a.py"))):
            for name in ("waiting", "story.yaml"):
                if os.path.exists(self.path(name)):
                    os.remove(self.path(name))
            self.workspace = tempfile.mkdtemp(dir=self.root)
            self.write("story.yaml", STORY)
            self.init_git()
            run = self.kill_at("waiting", "run", "story.yaml", "--yes", "--model", self.cassette(
                [write("a.py", GOOD_PYTHON), write("b.py", GOOD_PYTHON)], VALIDATE, finish("a"),
                write("a.py", GOOD_PYTHON + "\n"), shell("rm b.py; echo x > c.txt; touch waiting; exec sleep 300")))
            if sabotage:
                self.outlive()
                sabotage()
                self.write("b.py", GOOD_PYTHON)
                os.remove(self.path("b.py"))  # by somebody, after the run was dead
                self.assert_refused(run, "b.py")
                continue
            result = self.stile("runs", "resume", run, "--yes", "--model", self.cassette(VALIDATE, finish("b")))
            self.assert_exit(result, 0)
            self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(), ["a.py", "c.txt", "waiting"])

    def test_the_story_that_was_retried_is_undone_after_its_retry(self):
        run = self.fail_in_step_two()
        self.assert_exit(self.stile("runs", "retry", run, "--step", "2", "--model", self.cassette(
            write("c.py", GOOD_PYTHON))), 5)
        retry = self.runs()[0]["id"]
        self.assertIn(f"left      branch stile/add-arithmetic: run {retry} goes on with this story",
                      self.undo(run))
        self.assertIn(f"`stile runs undo {run}`", self.undo(retry))
        self.assertIn("removed   branch stile/add-arithmetic", self.undo(run))
        self.assertEqual(self.files(), ["old.txt", "story.yaml"])
        self.assertEqual(self.git("status", "--porcelain"), "")

    # A workflow ---------------------------------------------------------------------------

    def flow(self, third, code=0):
        self.write("old.txt", "old\n")
        self.write("flow.yaml", FLOW % third)
        result = self.stile("workflow", "run", "flow.yaml", "--json")
        self.assert_exit(result, code)
        return self.events(result)[-1]["run_id"], self.events(result)[-1]

    def test_what_commands_of_a_workflow_change_is_known_and_undone(self):
        run, end = self.flow("rm copy.txt; chmod +x made.txt")
        self.assertEqual(end["changed"], ["made.txt", "old.txt"])
        self.assertEqual({c["path"]: c["kind"] for c in self.show(run)["changes"]},
                         {"made.txt": "added", "old.txt": "modified"})
        self.assertIn("  added    made.txt", self.stile("runs", "show", run).stdout)
        diff = self.stile("runs", "diff", run).stdout
        self.assertIn("-old\n+changed\n", diff)
        self.assertIn("new file mode 100755", diff)
        kinds = [(r["id"], r["kind"]) for r in self.runs("--steps") if r["id"].startswith(run + ".")]
        self.assertEqual(sorted(kinds), [(f"{run}.{n}", "command") for n in (1, 2, 3)])
        self.assert_refused(run + ".1", "has ended")
        self.undo(run)
        self.assertEqual(self.files(), ["flow.yaml", "old.txt"])
        self.assertEqual(self.read("old.txt"), "old\n")

    def test_a_command_that_changes_nothing_leaves_no_run(self):
        self.write("flow.yaml", "steps: {look: {type: command, exec: ls}}\n")
        result = self.stile("workflow", "run", "flow.yaml", "--json")
        self.assert_exit(result, 0)
        self.assertEqual(len(self.runs("--steps")), 1)
        self.assertEqual(self.events(result)[-1]["changed"], [])

    def test_a_command_that_is_done_again_and_then_killed_is_undone_with_both_attempts(self):
        self.write("keep.txt", "kept\n")
        self.write("flow.yaml", "steps:\n  only: {type: command, exec: 'echo x >> keep.txt; "
                                "test -f ready && touch waiting && sleep 300'}\n")
        self.assert_exit(self.stile("workflow", "run", "flow.yaml"), 1)
        run = self.runs()[0]["id"]
        self.write("ready", "")
        self.assertEqual(self.kill_at("waiting", "runs", "resume", run), run)
        self.undo(run)
        self.assertEqual(self.read("keep.txt"), "kept\n")
        self.assertEqual(self.files(), ["flow.yaml", "keep.txt", "ready"])

    def test_a_command_whose_step_failed_behind_it_is_recorded_again(self):
        self.write("count.txt", "0\n")
        self.write("flow.yaml", "steps:\n  only: {type: command, exec: 'echo x >> count.txt; cat verdict', "
                                "fail_if: \"output == 'bad'\"}\n")
        self.write("verdict", "bad\n")
        result = self.stile("workflow", "run", "flow.yaml")
        self.assert_exit(result, 1)
        self.write("verdict", "fine\n")
        run = self.runs()[0]["id"]
        result = self.stile("runs", "resume", run, "--json")
        self.assert_exit(result, 0)
        self.assertNotIn("not recorded", result.stdout)
        self.assertEqual(self.events(result)[-1]["changed"], ["count.txt"])
        self.undo(run)
        self.assertEqual(self.read("count.txt"), "0\n")

    def test_a_killed_workflow_is_undone(self):
        self.write("old.txt", "old\n")
        self.write("flow.yaml", FLOW % ("rm made.txt; " + WAIT))
        run = self.kill_at("waiting", "workflow", "run", "flow.yaml")
        self.assert_refused(run + ".3", f"`stile runs resume {run}`")
        self.assertEqual({c["path"]: c["kind"] for c in self.show(run)["changes"]},
                         {"copy.txt": "added", "old.txt": "modified", "waiting": "added"})
        self.undo(run)
        self.assertEqual(self.files(), ["flow.yaml", "old.txt"])
        self.assertEqual(self.read("old.txt"), "old\n")
        self.assert_refused(run, "was undone")

    def test_a_workflow_does_not_go_on_when_what_a_command_made_is_gone(self):
        run, _ = self.flow("false", code=1)
        os.remove(self.path("made.txt"))
        self.assert_refused(run, "step first is done, but", "made.txt", "stile workflow run")
        self.write("made.txt", "new\n")
        self.assert_exit(self.stile("runs", "resume", run), 1)
        self.undo(run + ".2")
        self.assert_refused(run, "step second was undone")

    def test_a_repository_that_a_command_makes_runs_nothing_outside_of_the_sandbox(self):
        """Looking for what a command changed asks git, and git runs what the repository names."""
        escaped = os.path.join(self.root, "escaped")
        self.write("plant.sh", f"""\
git init --quiet . && git config filter.x.clean "sh -c 'touch {escaped} ran; cat'"
git config core.fsmonitor "sh -c 'touch {escaped}'"
echo '* filter=x' > .gitattributes; echo a > f; git add f; rm -f ran; sleep 0.02; echo b > f
""")
        self.write("flow.yaml", """\
steps:
  plant: {type: command, exec: [sh, plant.sh]}
  look: {type: command, depends_on: [plant], exec: 'echo x > .gitignore'}
  again: {type: command, depends_on: [look], exec: 'echo y > y'}
""")
        self.assert_exit(self.stile("workflow", "run", "flow.yaml"), 0)
        self.assertTrue(os.path.exists(self.path("ran")), "git did not ask the filter, so this shows nothing")
        self.assertFalse(os.path.exists(escaped))

    def test_a_failed_command_that_is_done_again_is_undone_with_both_attempts(self):
        self.write("keep.txt", "user\n")
        self.write("flow.yaml", "steps: {a: {type: command, exec: 'echo x >> keep.txt; test -f ready'}}\n")
        self.assert_exit(self.stile("workflow", "run", "flow.yaml"), 1)
        run = self.runs()[0]["id"]
        self.write("ready", "")
        result = self.stile("runs", "resume", run)
        self.assert_exit(result, 0)
        self.assertNotIn("not recorded", result.stdout + result.stderr)
        self.assertEqual(self.read("keep.txt"), "user\nx\nx\n")
        self.undo(run)
        self.assertEqual(self.read("keep.txt"), "user\n")
        self.assertTrue(os.path.exists(self.path("ready")), "somebody else's")

    def test_a_tool_step_is_recorded_like_a_command(self):
        self.write("flow.yaml", "steps: {write: {type: tool, tool: file.write, "
                                "arguments: {path: a.txt, content: hello}}}\n")
        result = self.stile("workflow", "run", "flow.yaml", "--json")
        self.assert_exit(result, 0)
        self.assertEqual(self.events(result)[-1]["changed"], ["a.txt"])
        self.undo(self.runs()[0]["id"])
        self.assertEqual(self.files(), ["flow.yaml"])


if __name__ == "__main__":
    main(processes=4)
