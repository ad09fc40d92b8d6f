"""stile runs and stile certificate: looking back."""

import json
import os
import signal
import subprocess
import time

from harness import BINARY, GOOD_PYTHON, VALIDATE, StileTest, call, finish, main, shell, write


class RunsTest(StileTest):

    def make_run(self, *turns, arguments=()):
        result = self.run_task(*turns, arguments=["--yes", *arguments])
        self.assert_exit(result, 0)
        return self.runs()[0]["id"]

    def change_everything(self):
        """A run that adds, modifies and deletes, text and binary, with odd names."""
        self.write("kept.txt", "kept\n")
        self.write("old.txt", "one\ntwo\nthree\n")
        self.write("gone.txt", "gone\n")
        with open(self.path("binary"), "wb") as file:
            file.write(bytes(range(256)))
        return self.make_run(
            call("file.modify", path="old.txt", oldText="two", newText="zwei"),
            call("file.delete", path="gone.txt"),
            write("sub/new file.txt", "new\n"),
            shell("printf 'a\\000b' > binary; chmod +x kept.txt; ln -s kept.txt link;"
                  " printf x > \"$(printf 'quo\\042te\\n\\377')\""),
            finish())

    def test_list_shows_runs_newest_first(self):
        self.assertEqual(self.stile("runs", "list").stdout, "no runs\n")
        self.make_run(finish())
        self.run_task(finish("no", status="gave_up"), task="the second")
        result = self.stile("runs", "list")
        self.assert_exit(result, 0)
        head, first, second = result.stdout.splitlines()
        self.assertIn("OUTCOME", head)
        self.assertIn("failed (gave_up)", first)
        self.assertIn("the second", first)
        self.assertIn("unchanged", second)
        self.assertEqual([r["outcome"] for r in self.runs()], ["failed", "unchanged"])

    def start(self, *arguments, seconds=600, cwd=None):
        """A run that sleeps in its first command."""
        process = subprocess.Popen(
            [BINARY, "run", "--yes", "--json", "-t", "sleep a while", "--model",
             self.cassette(write("first.txt", "1\n"), shell(f"sleep {seconds}"), finish()), *arguments],
            cwd=cwd or self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if b'"shell.execute"' in line and b'"tool_started"' in line:
                break
        return process

    def follow(self, run, *arguments):
        process = subprocess.Popen([BINARY, "runs", "follow", run, *arguments], env=self.env, cwd=self.workspace,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_follow_sees_a_run_to_its_end(self):
        run = self.make_run(write("a.py", "x = 1\n"), VALIDATE, finish("written"))
        result = self.stile("runs", "follow", run[:20], "--json")
        self.assert_exit(result, 0)
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()], self.journal(run))
        result = self.stile("runs", "follow", run)
        self.assertIn("Succeeded: 1 changed file", result.stdout)
        self.assertIn("a.py", result.stderr)
        self.run_task(finish("no", status="gave_up"))
        self.assert_exit(self.stile("runs", "follow", self.runs()[0]["id"]), 1)
        self.assert_exit(self.stile("runs", "follow", "none"), 2)

    def test_follow_waits_for_a_run_of_another_process(self):
        self.start()
        run = self.runs()[0]["id"]
        stopped, followed = self.follow(run, "--json"), self.follow(run, "--json")
        for process in (stopped, followed):
            while json.loads(process.stdout.readline())["type"] != "tool_finished":
                pass  # of the file that was written before the run sleeps
        stopped.send_signal(signal.SIGINT)
        self.assertEqual(stopped.wait(60), 130)
        self.assertEqual(self.runs()[0]["outcome"], "running")
        os.kill(self.runs()[0]["pid"], signal.SIGINT)
        rest = followed.stdout.read().splitlines()
        self.assertEqual(followed.wait(60), 130)
        self.assertEqual(json.loads(rest[-1])["type"], "run_finished")

    def test_follow_ends_when_the_process_is_killed(self):
        process = self.start()
        followed = self.follow(self.runs()[0]["id"])
        process.kill()
        _, errors = followed.communicate(timeout=60)
        self.assertEqual(followed.returncode, 6)
        self.assertIn("is gone; go on with `stile runs resume", errors)

    def test_a_second_run_in_a_workspace_is_told_of_the_first(self):
        first = self.start()
        listed = self.runs()
        self.assertEqual([(run["outcome"], run["pid"]) for run in listed], [("running", first.pid)])
        said = f"run {listed[0]['id']} (process {first.pid}: sleep a while) works in {self.workspace}. "
        second = self.run_task(finish(), task="the second")
        self.assert_exit(second, 2)
        self.assertIn(said, second.stderr)
        self.assertIn("--alongside", second.stderr)
        self.assertEqual(len(self.runs()), 1)
        self.assert_exit(self.run_task(finish(), task="the second", arguments=["--alongside"]), 0)
        self.write("w.yaml", "steps: {a: {type: noop}}")
        workflow = self.stile("workflow", "run", "w.yaml")
        self.assert_exit(workflow, 2)
        self.assertIn(said, workflow.stderr)
        table = self.stile("runs", "list").stdout
        for text in (f"running (process {first.pid})", "workspace  sleep a while", "workspace  the second"):
            self.assertIn(text, table)
        first.kill()
        first.wait()
        deadline = 100
        while deadline and "pid" in self.runs()[1]:
            deadline -= 1
            time.sleep(0.1)
        self.assert_exit(self.run_task(finish(), task="the third"), 0)
        self.assertNotIn("pid", self.runs()[0])

    def test_runs_in_other_workspaces_and_working_trees_are_not_hindered(self):
        self.write("story.yaml", "story: Add\nsteps: [{name: add, description: Add it.}]\n")
        self.init_git()
        self.start()
        other = os.path.join(self.root, "other")
        os.mkdir(other)
        self.assert_exit(self.run_task(finish(), cwd=other), 0)
        story = ["run", "story.yaml", "--allow-dirty", "--model"]
        result = self.stile(*story, self.cassette(finish()))
        self.assert_exit(result, 2)
        self.assertIn("(process ", result.stderr)
        self.assert_exit(self.stile(*story, self.cassette(finish()), "--worktree"), 0)

    def test_what_is_resumed_is_told_of_another_run_too(self):
        killed = self.start()
        killed.kill()
        killed.wait()
        run_id = self.runs()[0]["id"]
        deadline = 100
        while deadline and self.runs()[0]["outcome"] == "running":
            deadline -= 1
            time.sleep(0.1)
        other = self.start()
        result = self.stile("runs", "resume", run_id)
        self.assert_exit(result, 2)
        self.assertIn(f"(process {other.pid}: sleep a while)", result.stderr)

    def test_list_can_be_narrowed_to_a_folder(self):
        self.make_run(finish())
        other = os.path.join(self.root, "other")
        os.mkdir(other)
        self.assertEqual(self.runs("--workspace", other), [])
        self.assertEqual(len(self.runs("--workspace", self.workspace)), 1)

    def test_show_tells_what_happened_in_order(self):
        run = self.make_run(write("a.py", GOOD_PYTHON), VALIDATE, finish())
        text = self.stile("runs", "show", run[:-2]).stdout
        self.assertIn("task       do it", text)
        self.assertIn("added    a.py", text)
        self.assertLess(text.index("file.write a.py"), text.index("validation pass"))
        self.assertLess(text.index("validation pass"), text.index("gate accepted"))
        data = json.loads(self.stile("runs", "show", run, "--json").stdout)
        self.assertEqual(data["run"]["id"], run)
        self.assertEqual(data["changes"], [{"path": "a.py", "kind": "added"}])
        self.assertEqual(data["events"][-1]["type"], "run_finished")

    def test_show_tells_how_code_was_changed(self):
        self.write("a.py", "class Shop:\n    pass\n")
        run = self.make_run(
            call("code.navigate", operation="definition", symbolName="Shop"),
            call("code.refactor", operation="rename", symbolName="Shop", newName="Store"),
            write("b.py", "import a\n"), VALIDATE, finish())
        self.assertEqual(self.read("a.py"), "class Store:\n    pass\n")
        answer = json.loads(self.stile("runs", "show", run, "--json").stdout)
        self.assertEqual(answer["edits"], {"semantic": 1, "text": 1})
        self.assertEqual(answer["lookups"], {"semantic": 1, "text": 0})
        self.assertIn("edits      1 by meaning, 1 as text; lookups 1 by meaning, 0 as text",
                      self.stile("runs", "show", run).stdout)

    def test_the_diff_is_a_patch_that_applies(self):
        run = self.change_everything()
        diff = subprocess.run([BINARY, "runs", "diff", run], env=self.env, capture_output=True,
                              check=True).stdout
        self.assertIn(b"-two\n+zwei\n", diff)
        self.assertIn(b"new file mode 120000", diff)
        self.assertIn(b"deleted file mode 100644", diff)
        self.assertIn(b"new mode 100755", diff)
        self.assertIn(b"GIT binary patch", diff)
        self.assertIn(b"diff --git a/gone.txt b/gone.txt", diff)
        self.assert_exit(self.stile("runs", "undo", run), 0)
        subprocess.run(["git", "apply", "-"], input=diff, cwd=self.workspace, check=True,
                       env=self.env)
        self.assertEqual(self.read("old.txt"), "one\nzwei\nthree\n")
        self.assertFalse(os.path.exists(self.path("gone.txt")))
        self.assertTrue(os.path.islink(self.path("link")))
        with open(self.path("binary"), "rb") as file:
            self.assertEqual(file.read(), b"a\0b")

    def test_undo_puts_everything_back(self):
        run = self.change_everything()
        result = self.stile("runs", "undo", run)
        self.assert_exit(result, 0)
        self.assertEqual(self.read("old.txt"), "one\ntwo\nthree\n")
        self.assertEqual(self.read("gone.txt"), "gone\n")
        self.assertFalse(os.access(self.path("kept.txt"), os.X_OK))
        with open(self.path("binary"), "rb") as file:
            self.assertEqual(file.read(), bytes(range(256)))
        self.assertEqual(sorted(f for f in os.listdir(self.workspace) if f != "sub"),
                         ["binary", "gone.txt", "kept.txt", "old.txt"])
        again = self.stile("runs", "undo", run)
        self.assert_exit(again, 0)
        self.assertIn("nothing to undo", again.stdout)

    def test_undo_leaves_what_somebody_changed_since(self):
        self.write("mine.txt", "before\n")
        run = self.make_run(write("mine.txt", "run\n"), write("new.txt", "run\n"), finish())
        self.write("mine.txt", "me\n")
        result = self.stile("runs", "undo", run)
        self.assert_exit(result, 1)
        self.assertIn("kept      mine.txt", result.stdout)
        self.assertEqual(self.read("mine.txt"), "me\n")
        self.assertFalse(os.path.exists(self.path("new.txt")))

    def start_and_kill(self, *turns):
        """Kills a run while its command sleeps; the run's id."""
        process = subprocess.Popen(
            [BINARY, "run", "-t", "do it", "--yes", "--json", "--model", self.cassette(*turns)],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE)
        run_id = json.loads(process.stdout.readline())["run_id"]
        while not os.path.exists(self.path("started")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        return run_id

    def test_a_killed_run_goes_on_without_asking_again(self):
        run = self.start_and_kill(
            write("a.py", GOOD_PYTHON), shell("touch started; exec sleep 321.5"), finish("never"))
        self.assertEqual(self.runs()[0]["outcome"], "interrupted")
        result = self.stile("runs", "resume", run, "--yes", "--json", "--model",
                            self.cassette(VALIDATE, finish("resumed")))
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertEqual(events[-1]["answer"], "resumed")
        self.assertIn("a.py", events[-1]["changed"])
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)
        self.assertEqual([e["type"] for e in self.journal(run)].count("run_finished"), 1)

    def test_a_finished_run_is_not_resumed(self):
        run = self.make_run(finish())
        result = self.stile("runs", "resume", run, "--model", self.cassette(finish()))
        self.assert_exit(result, 2)

    def test_a_run_that_is_no_story_is_not_retried(self):
        run = self.make_run(finish())
        result = self.stile("runs", "retry", run, "--step", "1", "--model", self.cassette(finish()))
        self.assert_exit(result, 2)

    def test_unknown_and_ambiguous_ids_are_errors(self):
        for verb in ("show", "diff", "undo", "resume"):
            result = self.stile("runs", verb, "nope")
            self.assert_exit(result, 2)
            self.assertIn("no run nope", result.stderr)
        self.make_run(finish())
        self.make_run(finish())
        result = self.stile("runs", "show", "2")
        self.assert_exit(result, 2)
        self.assertIn("could be any of 2 runs", result.stderr)
        for name in ("../x", "", "a b", "-x"):
            self.assert_exit(self.stile("runs", "show", "--", name), 2)

    def test_damaged_runs_are_listed_and_hurt_nobody(self):
        run = self.make_run(finish())
        with open(os.path.join(self.state, "runs", run, "journal.jsonl"), "wb") as file:
            file.write(b"\xff{]\nx\ny\n")
        self.assertEqual(self.runs()[0]["outcome"], "damaged")
        self.assertIn(self.stile("runs", "show", run).returncode, (2, 6))
        self.assert_exit(self.stile("runs", "list"), 0)

    def test_the_certificate_of_a_run_can_be_shown(self):
        run = self.make_run(write("a.py", GOOD_PYTHON), VALIDATE, finish())
        result = self.stile("certificate", "show", run)
        self.assert_exit(result, 0)
        self.assertIn("py-compile", result.stdout)
        statement = json.loads(self.stile("certificate", "show", run, "--json").stdout)
        self.assertEqual(statement["_type"], "https://in-toto.io/Statement/v1")
        self.assertEqual([s["name"] for s in statement["subject"]], ["a.py"])
        name = os.path.join(self.state, "runs", run, "certificate.json")
        self.assertEqual(json.loads(self.stile("certificate", "show", name, "--json").stdout), statement)

    def test_no_certificate_is_said_so(self):
        self.run_task(finish("no", status="gave_up"))
        result = self.stile("certificate", "show", self.runs()[0]["id"])
        self.assert_exit(result, 2)
        self.assertIn("no certificate", result.stderr)
        self.write("x.json", "{}")
        self.assert_exit(self.stile("certificate", "show", "./x.json"), 2)


if __name__ == "__main__":
    main()
