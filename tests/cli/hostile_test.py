"""Input and surroundings that mean harm, or are merely odd."""

import json
import os
import resource

from harness import BAD_PYTHON, GOOD_PYTHON, VALIDATE, StileTest, call, finish, main, shell, write


class HostileTest(StileTest):

    def test_commands_do_not_see_the_keys_of_providers(self):
        key = "sk-very-secret-0123456789"
        result = self.run_task(shell("env"), shell("cat /proc/$PPID/environ /proc/*/environ"),
                               finish(), arguments=("--json", "--yes"),
                               env={"OPENAI_API_KEY": key, "ANTHROPIC_API_KEY": key})
        self.assert_exit(result, 0)
        self.assertNotIn(key, result.stdout + result.stderr)
        self.assertNotIn(key, json.dumps(self.journal(self.runs()[0]["id"])))

    def test_a_huge_sparse_file_does_not_hold_up_the_run(self):
        result = self.run_task(shell("truncate -s 300G big.bin"), finish(),
                               arguments=("--yes",), timeout=60)
        self.assert_exit(result, 0)

    def test_an_ignored_file_that_a_killed_run_left_is_answered_for(self):
        self.write("x.py", GOOD_PYTHON)
        self.run_task(write("b.py", BAD_PYTHON), write(".gitignore", "b.py\n"),
                      finish("no", status="gave_up"))
        result = self.run_task(finish(), finish(), arguments=("--json",))
        self.assert_exit(result, 5)
        self.assertIn("b.py", result.stdout)

    def test_a_hundred_megabytes_of_output_are_cut_for_model_and_journal(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        result = self.run_task(shell("head -c 100000000 /dev/zero | tr '\\0' x"), finish(),
                               arguments=["--yes"])
        self.assert_exit(result, 0)
        run = self.runs()[0]["id"]
        observation = [e for e in self.journal(run) if e["type"] == "tool_finished"][0]
        self.assertLess(len(observation["observation"]), 200_000)
        journal = os.path.join(self.state, "runs", run, "journal.jsonl")
        self.assertLess(os.path.getsize(journal), 1_000_000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if "ASAN_OPTIONS" not in os.environ:
            self.assertLess(after, max(before, 300_000), "kilobytes of the largest process")

    def test_bytes_that_are_no_text_stay_out_of_json(self):
        result = self.run_task(
            shell("printf '\\377\\376\\000x'; printf y > \"$(printf 'na\\377me')\""),
            call("file.list", path="."), finish(), arguments=["--yes", "--json"])
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertEqual(len(events[-1]["changed"]), 1)
        self.assert_exit(self.stile("runs", "undo", events[0]["run_id"]), 0)
        self.assertEqual(os.listdir(self.workspace), [])

    def test_a_garbled_cassette_is_located(self):
        name = os.path.join(self.root, "bad.jsonl")
        for text in (b"{\n", b"\xff\xfe\n", b"[1]\n", b'{"tool_calls": 3}\n'):
            with open(name, "wb") as file:
                file.write(b'{"text": "x", "tool_calls": []}\n' + text)
            result = self.stile("run", "-t", "x", "--model", "replay:" + name)
            self.assertIn(result.returncode, (2, 5), result.stderr)
            self.assertIn("bad.jsonl:2", result.stdout + result.stderr)

    def test_odd_file_names_are_changed_validated_and_undone(self):
        names = ["a b.py", "a'b.py", 'a"b.py', "a\nb.py", "-a.py", "ä.py", "$(touch owned).py"]
        result = self.run_task(
            *[write(name, GOOD_PYTHON) for name in names], VALIDATE, finish(),
            arguments=["--json"])
        self.assert_exit(result, 0)
        self.assertEqual(sorted(self.events(result)[-1]["changed"]), sorted(names))
        self.assert_exit(self.stile("runs", "diff", self.runs()[0]["id"]), 0)
        self.assert_exit(self.stile("runs", "undo", self.runs()[0]["id"]), 0)
        self.assertEqual(os.listdir(self.workspace), [])

    def test_a_workspace_that_cannot_be_written_is_an_observation(self):
        os.chmod(self.workspace, 0o555)
        self.addCleanup(os.chmod, self.workspace, 0o755)
        # root may write everywhere while it has its capabilities
        powerless = ["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []
        result = self.run_task(write("a.py", GOOD_PYTHON), finish("cannot", status="gave_up"),
                               arguments=["--json"], prefix=powerless)
        self.assert_exit(result, 1)
        finished = [e for e in self.events(result) if e["type"] == "tool_finished"][0]
        self.assertFalse(finished["ok"])

    def test_a_state_folder_that_cannot_be_made_is_said_so(self):
        name = os.path.join(self.root, "file")
        with open(name, "w", encoding="utf-8"):
            pass
        result = self.run_task(finish(), env={"STILE_STATE_DIR": os.path.join(name, "state")})
        self.assertIn(result.returncode, (2, 6))
        self.assertIn(name, result.stderr)

    def test_a_state_folder_inside_the_workspace_is_not_part_of_the_run(self):
        result = self.run_task(
            finish(), env={"STILE_STATE_DIR": os.path.join(self.workspace, ".stile-state")},
            arguments=["--json"])
        # Refused, or kept out of the snapshot; never a change of the run.
        if result.returncode == 0:
            self.assertEqual(self.events(result)[-1]["changed"], [])
        else:
            self.assert_exit(result, 2)

    def test_paths_that_leave_the_workspace_are_refused(self):
        outside = os.path.join(self.root, "outside.py")
        os.symlink(self.root, self.path("link"))
        result = self.run_task(
            write("../outside.py", "x"), write(outside, "x"), write("link/outside.py", "x"),
            write(".git/hooks/pre-commit", "x"), finish("no", status="gave_up"),
            arguments=["--json"])
        self.assert_exit(result, 1)
        finished = [e for e in self.events(result) if e["type"] == "tool_finished"]
        self.assertEqual([e["ok"] for e in finished], [False] * 4)
        self.assertFalse(os.path.exists(outside))

    def test_a_fifo_and_a_socket_in_the_workspace_hang_nobody(self):
        os.mkfifo(self.path("fifo"))
        os.mkfifo(self.path("stile.fifo.py"))
        result = self.run_task(call("file.read", path="fifo"), finish(), timeout=60)
        self.assertIn(result.returncode, (0, 3))

    def test_a_fifo_that_git_would_read_is_said_at_once(self):
        self.init_git()
        os.mkdir(self.path("sub"))
        for name in (".gitignore", "sub/.gitattributes"):
            os.mkfifo(self.path(name))
            result = self.run_task(finish(), timeout=60)
            self.assertIn(result.returncode, (2, 6))
            self.assertIn(name, result.stderr)
            os.remove(self.path(name))
        result = self.run_task(shell("mkfifo .gitignore"), finish(), finish("no", status="gave_up"),
                               arguments=["--yes", "--json"], timeout=60)
        self.assert_exit(result, 1)
        self.assertIn(".gitignore is no file", result.stdout)

    def test_a_fifo_in_place_of_settings_is_an_error(self):
        os.mkfifo(self.path("stile.yaml"))
        result = self.run_task(finish(), timeout=60)
        self.assert_exit(result, 2)
        self.assertIn("stile.yaml", result.stderr)

    def test_deep_and_huge_settings_are_errors(self):
        for text in ("[" * 10_000, "a: " + "x" * 2_000_000, "a: &a [*a]\n", "{" * 5000):
            self.write("stile.yaml", text)
            result = self.run_task(finish(), timeout=60)
            self.assert_exit(result, 2)
            self.assertLess(len(result.stderr), 2000)

    def test_a_task_that_is_no_text_hurts_nobody(self):
        result = self.stile("run", "-t", b"\xff\xfe".decode("utf-8", "surrogateescape"), "--model",
                            self.cassette(finish()))
        self.assert_exit(result, 0)
        self.assertIsInstance(json.dumps(self.runs()), str)


if __name__ == "__main__":
    main()
