"""Open sessions: `stile gate begin`, `status` and `finish`. The compilers are real."""

import json
import os

from harness import BAD_PYTHON, GOOD_PYTHON, StileTest, main

BETTER_PYTHON = "def add(a, b):\n    return b + a\n"


class GateSessionTest(StileTest):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)
        self.init_git()

    def begin(self, *flags):
        result = self.stile("gate", "begin", *flags)
        self.assert_exit(result, 0)
        self.assertIn("stile gate finish", result.stderr)
        return result.stdout.strip()

    def test_what_a_person_writes_is_accepted_with_a_certificate(self):
        session = self.begin("--by", "vim")
        self.write("a.py", BETTER_PYTHON)
        result = self.stile("gate", "finish")
        self.assert_exit(result, 0)
        self.assertIn("Succeeded", result.stdout)
        self.assertNotIn("0 turns", result.stdout)
        self.assert_exit(self.stile("certificate", "verify", session), 0)
        self.assertIn("vim", self.stile("certificate", "show", session).stdout)
        self.assertIn("return b + a", self.stile("runs", "diff", session).stdout)
        self.assert_exit(self.stile("runs", "undo", session), 0)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)

    def test_a_refusal_names_file_and_line_and_the_session_goes_on(self):
        session = self.begin()
        self.write("a.py", BAD_PYTHON)
        result = self.stile("gate", "finish")
        self.assert_exit(result, 3)
        self.assertIn("a.py:1", result.stdout)
        self.assertIn("stays open", result.stdout)
        self.assertIn(f"stile gate finish {session}", result.stdout)
        self.assertEqual(self.runs()[0]["outcome"], "open")
        self.write("a.py", BETTER_PYTHON)
        self.assert_exit(self.stile("gate", "finish", session), 0)
        # An end is an end: later edits are not covered by it.
        self.write("a.py", BAD_PYTHON)
        result = self.stile("gate", "finish", session)
        self.assert_exit(result, 2)
        self.assertIn("has ended", result.stderr)

    def test_what_is_ignored_later_is_judged_still(self):
        for hide in (lambda: self.write(".gitignore", "*.py\n"),
                     lambda: self.write(".git/info/exclude", "*.py\n"),
                     lambda: self.git("config", "core.excludesFile", self.path("hidden")) or self.write("hidden", "*.py\n")):
            session = self.begin()
            self.write("b.py", BAD_PYTHON)
            hide()
            self.assertIn("b.py:1", self.stile("gate", "finish").stdout)
            self.assert_exit(self.stile("runs", "undo", session), 0)
            self.assertFalse(os.path.exists(self.path("b.py")))
            self.write(".git/info/exclude", "")

    def test_commits_made_meanwhile_count(self):
        self.begin()
        self.write("a.py", BAD_PYTHON)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=x")
        self.assert_exit(self.stile("gate", "finish"), 3)

    def test_a_commit_makes_no_new_ground(self):
        """What HEAD holds at the finish is no content from before the session."""
        self.write("a.py", BAD_PYTHON)  # before it begins
        self.begin()
        self.git("commit", "--quiet", "--all", "--message=wip")
        self.assert_exit(self.stile("gate", "finish"), 3)
        self.write("a.py", BAD_PYTHON + "# c\n")
        self.assert_exit(self.stile("gate", "finish"), 3)
        self.write("a.py", BETTER_PYTHON)
        self.assert_exit(self.stile("gate", "finish"), 0)
        self.git("commit", "--quiet", "--all", "--message=good")
        session = self.begin()
        self.write("a.py", BAD_PYTHON)
        self.assert_exit(self.stile("runs", "diff", session), 0)  # keeps the content
        self.git("commit", "--quiet", "--all", "--message=wip")
        self.write("a.py", BAD_PYTHON + "# c\n")
        self.assert_exit(self.stile("gate", "finish"), 3)

    def test_what_a_refused_session_leaves_is_judged_by_others_too(self):
        first = self.begin()
        self.write("a.py", BAD_PYTHON)
        self.assert_exit(self.stile("gate", "finish"), 3)
        self.git("commit", "--quiet", "--all", "--message=broken")
        second = self.begin("--alongside")
        self.assert_exit(self.stile("gate", "finish", second), 3)
        # Also where the first one is not there any more.
        self.assert_exit(self.stile("gate", "finish", "--give-up", first), 1)
        self.assert_exit(self.stile("gate", "finish", second), 3)
        self.write("a.py", BETTER_PYTHON)
        self.assert_exit(self.stile("gate", "finish", second), 0)
        self.begin()
        self.assert_exit(self.stile("gate", "finish"), 0)

    def test_names_and_paths_of_the_beginning(self):
        self.assert_exit(self.stile("gate", "begin", "--by", "x\x1b[31m"), 2)
        self.assert_exit(self.stile("certificate", "keygen", "--out", self.root), 0)
        key = next(name for name in os.listdir(self.root) if name.endswith(".pem") and "pub" not in name)
        self.begin("--certificate-key", os.path.join("..", key))
        self.write("sub/b.py", GOOD_PYTHON)
        result = self.stile("gate", "finish", cwd=os.path.join(self.workspace, "sub"))
        self.assert_exit(result, 0)

    def test_the_fifth_failed_validation_ends_it(self):
        session = self.begin()
        for number in range(1, 6):
            self.write("a.py", BAD_PYTHON + f"# {number}\n")
            self.assert_exit(self.stile("gate", "finish"), 3)
        self.assertEqual(self.runs()[0]["outcome"], "failed")
        result = self.stile("gate", "finish")
        self.assert_exit(result, 2)
        self.assertIn("stile gate begin", result.stderr)
        # What it left broken is judged by the next session.
        other = self.begin()
        self.assertNotEqual(other, session)
        self.assert_exit(self.stile("gate", "finish"), 3)

    def test_status_asks_no_validator(self):
        session = self.begin("--by", "vim")
        self.write("a.py", BAD_PYTHON)
        self.write("sub/notes.txt", "x\n")
        result = self.stile("gate", "status")
        self.assert_exit(result, 0)
        self.assertIn("vim", result.stdout)
        self.assertIn("a.py", result.stdout)
        self.assertIn("Not validated:", result.stdout)
        shown = json.loads(self.stile("gate", "status", session, "--json").stdout)
        self.assertEqual((shown["id"], shown["changed"], shown["failures"]),
                         (session, ["a.py", "sub/notes.txt"], 0))
        self.assertEqual([e["type"] for e in self.journal(session)], ["run_started"])
        # From a folder below the workspace.
        self.assert_exit(self.stile("gate", "status", cwd=os.path.join(self.workspace, "sub")), 0)

    def test_flags_of_the_beginning_hold_for_the_finish(self):
        self.begin("--gate-mode", "observe")
        self.write("a.py", BAD_PYTHON)
        result = self.stile("gate", "finish")
        self.assert_exit(result, 0)
        self.assertIn("without the gate", result.stdout)

    def test_other_rules_than_at_the_beginning_are_refused(self):
        session = self.begin()
        self.write("a.py", BETTER_PYTHON)
        result = self.stile("gate", "finish", env={"STILE_GATE_MAX_FAILURES": "50"})
        self.assert_exit(result, 2)
        self.assertIn("one set of rules", result.stderr)
        self.assert_exit(self.stile("gate", "finish", session), 0)

    def test_settings_that_are_written_meanwhile_do_not_count(self):
        self.begin()
        self.write("stile.yaml", "gate: {mode: observe}\n")
        self.write("a.py", BAD_PYTHON)
        result = self.stile("gate", "finish")
        self.assert_exit(result, 3)
        self.assertIn("stile.yaml", result.stdout)

    def test_events_end_with_run_finished_also_after_a_refusal(self):
        self.begin()
        self.write("a.py", BAD_PYTHON)
        result = self.stile("gate", "finish", "--json")
        self.assert_exit(result, 3)
        events = self.events(result)
        self.assertEqual(events[-1]["type"], "run_finished")
        self.assertEqual((events[-1]["exit_code"], events[-1]["open"]), (3, True))
        self.assertEqual([e["seq"] for e in events], sorted({e["seq"] for e in events}))
        self.write("a.py", BETTER_PYTHON)
        events = self.events(self.stile("gate", "finish", "--json"))
        self.assertEqual((events[-1]["exit_code"], events[-1].get("open")), (0, None))

    def test_two_sessions_in_one_tree_know_of_each_other(self):
        first = self.begin("--by", "first")
        refused = self.stile("gate", "begin")
        self.assert_exit(refused, 2)
        self.assertIn(first, refused.stderr)
        second = self.begin("--by", "second", "--alongside")
        ambiguous = self.stile("gate", "finish")
        self.assert_exit(ambiguous, 2)
        self.assertIn(first, ambiguous.stderr)
        self.assertIn(second, ambiguous.stderr)
        self.write("a.py", BAD_PYTHON)
        result = self.stile("gate", "finish", first)
        self.assert_exit(result, 3)
        self.assertIn(f"session {second} (changes by second) is open here, too", result.stdout)

    def test_a_run_that_changed_the_same_file_is_named(self):
        session = self.begin()
        script = os.path.join(self.root, "other.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write("echo 'def add(' > a.py\n")
        self.assert_exit(self.stile("gate", "run", "--", "sh", script), 3)
        other = self.runs()[0]["id"]
        result = self.stile("gate", "finish", session)
        self.assert_exit(result, 3)
        self.assertIn(f"run {other} (sh {script}) changed a.py in the meantime", result.stdout)

    def test_given_up_and_undone(self):
        session = self.begin()
        self.write("a.py", BAD_PYTHON)
        self.assertIn("+def add(a, b)\n", self.stile("runs", "diff", session).stdout)
        self.assert_exit(self.stile("gate", "finish", "--give-up"), 1)
        self.assertEqual(self.read("a.py"), BAD_PYTHON)
        self.assert_exit(self.stile("gate", "status"), 2)
        again = self.begin()
        self.assert_exit(self.stile("runs", "undo", again), 0)
        result = self.stile("gate", "finish", again)
        self.assert_exit(result, 2)
        self.assertIn("undone", result.stderr)

    def test_undo_takes_back_what_an_open_session_changed(self):
        session = self.begin()
        self.write("a.py", BAD_PYTHON)
        self.write("b.py", "x = 1\n")
        self.assert_exit(self.stile("runs", "undo", session), 0)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)
        self.assertFalse(os.path.exists(os.path.join(self.workspace, "b.py")))
        self.assert_exit(self.stile("gate", "status"), 2)

    def test_resume_names_the_way(self):
        session = self.begin()
        result = self.stile("runs", "resume", session)
        self.assert_exit(result, 2)
        self.assertIn("stile gate finish", result.stderr)

    def test_without_a_session(self):
        for verb in ("finish", "status"):
            result = self.stile("gate", verb)
            self.assert_exit(result, 2)
            self.assertIn("stile gate begin", result.stderr)
        self.assert_exit(self.stile("gate", "finish", "20260101T000000-00000000"), 2)


if __name__ == "__main__":
    main()
