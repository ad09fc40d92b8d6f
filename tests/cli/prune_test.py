"""stile runs prune, and how much runs leave behind."""

import json
import os
import signal
import subprocess

from harness import BINARY, GOOD_PYTHON, VALIDATE, StileTest, finish, git, main, shell, write


class PruneTest(StileTest):

    def prune(self, *arguments):
        result = self.stile("runs", "prune", "--json", *arguments)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def state_bytes(self):
        """On the disk, folders included."""
        return sum(os.lstat(os.path.join(folder, name)).st_blocks * 512
                   for folder, folders, files in os.walk(self.state) for name in folders + files)

    def blobs(self):
        return sum(len(files) for _, _, files in os.walk(os.path.join(self.state, "blobs")))

    def test_small_runs_leave_little(self):
        for i in range(300):
            self.write(f"src/m{i}.py", f"def f{i}(a):\n    return a + {i}\n" * 10)
        self.init_git()
        for i in range(30):
            result = self.run_task(write(f"a{i}.py", f"x = {i}\n"), VALIDATE, finish("done"))
            self.assert_exit(result, 0)
        # 10 MB for 150 runs.
        self.assertLess(self.state_bytes(), 30 / 150 * 10e6)

    def test_old_runs_go_with_what_only_they_needed(self):
        self.write("a.py", "x = 0\n")
        for i in range(1, 4):
            self.assert_exit(self.run_task(write("a.py", f"x = {i}\n"), VALIDATE, finish(str(i)), task=f"task {i}"), 0)
        ids = [run["id"] for run in self.runs()]
        blobs = self.blobs()
        self.assertEqual(self.prune()["removed"], [])  # all of them are young
        self.assertEqual(self.prune("--keep", "1", "--dry-run")["removed"], ids[1:])
        self.assertEqual((len(self.runs()), self.blobs()), (3, blobs))
        text = self.stile("runs", "prune", "--keep", "1")
        self.assert_exit(text, 0)
        self.assertIn("Removed 2 runs, ", text.stdout)
        self.assertIn("task 1", text.stdout)
        self.assertEqual([run["id"] for run in self.runs()], ids[:1])
        self.assertLess(self.blobs(), blobs)
        self.assert_exit(self.stile("runs", "undo", ids[0]), 0)
        self.assertEqual(self.read("a.py"), "x = 2\n")
        self.assertEqual(self.prune("--older-than", "0s")["removed"], ids[:1])
        self.assertEqual(self.runs(), [])

    def test_a_run_at_work_stays(self):
        self.assert_exit(self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, finish()), 0)
        process = subprocess.Popen(
            [BINARY, "run", "--yes", "--json", "-t", "x", "--model", self.cassette(shell("sleep 600"))],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if b'"tool_started"' in line:
                break
        report = self.prune("--keep", "0")
        self.assertEqual((len(report["removed"]), report["partial"]), (1, True))
        self.assertEqual([run["outcome"] for run in self.runs()], ["running"])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=120), 130)

    def test_a_story_with_a_working_tree_stays_until_the_tree_is_gone(self):
        self.write("story.yaml", "story: Add\nsteps: [{name: add, description: Add it.}]\n")
        self.init_git()
        result = self.stile("run", "story.yaml", "--worktree", "--model",
                            self.cassette(write("a.py", GOOD_PYTHON), finish("gave up", status="gave_up")))
        self.assert_exit(result, 1)
        report = self.prune("--keep", "0")
        self.assertEqual(report["removed"], [])
        self.assertIn("its working tree is still there", report["kept"][0]["reason"])
        tree = report["kept"][0]["reason"].split(": ", 1)[1]
        self.assertTrue(os.path.exists(os.path.join(tree, "a.py")))
        git(self.workspace, self.env, "worktree", "remove", "--force", tree)
        self.assertEqual(len(self.prune("--keep", "0")["removed"]), 1)
        self.assertEqual(self.runs("--steps"), [])

    def test_an_age_that_is_none_is_a_usage_error(self):
        for age in ("soon", "3", "-1d"):
            result = self.stile("runs", "prune", f"--older-than={age}")
            self.assert_exit(result, 2)
            self.assertIn("give one like 12h, 30d or 2w", result.stderr)

    def test_fewer_than_no_runs_cannot_be_kept(self):
        result = self.stile("runs", "prune", "--keep=-1")
        self.assert_exit(result, 2)
        self.assertIn("--keep: Value -1 not in range", result.stderr)

    def test_a_state_folder_that_is_a_file_is_an_error(self):
        self.write("state", "")
        self.env["STILE_STATE_DIR"] = self.path("state")
        for verb in ("list", "prune"):
            result = self.stile("runs", verb)
            self.assert_exit(result, 2)
            self.assertIn(f"{self.env['STILE_STATE_DIR']}/", result.stderr)
            self.assertIn("Not a directory", result.stderr)


if __name__ == "__main__":
    main()
