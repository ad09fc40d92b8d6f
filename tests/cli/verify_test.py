#!/usr/bin/env python3
"""`stile verify`: rounds of verifier and critic with a scripted model, on real files."""

import fcntl
import json
import os
import subprocess
import unittest

from harness import BINARY, VALIDATE, StileTest, finish, write

CODE = """\
import os


def remove(name):
    os.system("rm " + name)
"""
SAFE = """\
import os


def remove(name):
    os.remove(name)
"""
CATEGORIES = ["SECURITY", "CORRECTNESS", "RELIABILITY", "MAINTAINABILITY", "PERFORMANCE"]
EVIDENCE = 'os.system("rm " + name)'


def issue(name="SEC-01", severity="CRITICAL", evidence=EVIDENCE, location="a.py:5", category="SECURITY"):
    return {"id": name, "category": category, "severity": severity, "summary": "The shell sees the name",
            "location": location, "description": "A name with a semicolon runs a command.", "evidence": evidence}


def verifier(*issues, files=("a.py",), **more):
    examined = [{"category": category, "files": list(files), "notes": "read"} for category in CATEGORIES]
    return {"issues": list(issues), "examined": examined, **more}


def critic(verdict, name="SEC-01", **more):
    return {"verdicts": [{"issueId": name, "verdict": verdict, "reasoning": "the caller decides"}], **more}


class VerifyTest(StileTest):

    def setUp(self):
        super().setUp()
        self.write("a.py", CODE)
        self.init_git()

    def replies(self, *turns):
        """A cassette: replies of verifier and critic (objects or texts), and calls of an agent."""
        name = os.path.join(self.root, f"replies-{self.cassettes}.jsonl")
        self.cassettes += 1
        with open(name, "w", encoding="utf-8") as file:
            for turn in turns:
                line = {"usage": {"input_tokens": 100, "output_tokens": 10}}
                if isinstance(turn, dict) and "name" in turn and "arguments" in turn:
                    line.update(text="", tool_calls=[turn])
                else:
                    line.update(text=turn if isinstance(turn, str) else json.dumps(turn), tool_calls=[])
                file.write(json.dumps(line) + "\n")
        return "replay:" + name

    def verify(self, *arguments, turns=(), **more):
        return self.stile("verify", *arguments, "--model", self.replies(*turns), **more)

    def kept(self, run_id):
        with open(os.path.join(self.state, "runs", run_id, "verification.json"), encoding="utf-8") as file:
            return json.load(file)

    def events(self, result):
        return [event for event in super().events(result) if event["type"] != "model_delta"]

    def complete(self, result):
        return next(event for event in self.events(result) if event["type"] == "complete")

    # Outcomes ------------------------------------------------------------------------------

    def test_code_without_an_issue_converges(self):
        result = self.verify("a.py", turns=[verifier(), verifier()])
        self.assert_exit(result, 0)
        self.assertIn("Converged: nothing was raised in 2 rounds", result.stdout)
        self.assertIn("0 issues, 0 open (0 critical, 0 high), 2 rounds", result.stdout)

    def test_an_agreed_critical_issue_fails_and_is_planned(self):
        result = self.verify("a.py", "--json", turns=[verifier(issue()), critic("VALID"), verifier(), verifier()])
        self.assert_exit(result, 1)
        kinds = [event["type"] for event in self.events(result)]
        self.assertEqual(kinds, ["run_started", "round_start", "issue_raised", "round_complete", "convergence_check",
                                 "round_start", "round_complete", "convergence_check",
                                 "round_start", "round_complete", "convergence_check",
                                 "round_start", "round_complete", "convergence_check", "complete", "run_finished"])
        complete = self.complete(result)
        self.assertEqual(complete["status"], "stopped")
        self.assertEqual(complete["issues"], {"total": 1, "critical": 1, "high": 0, "resolved": 0})
        self.assertEqual([one["id"] for one in complete["consolidatedPlan"]["mustFix"]], ["SEC-01"])
        self.assertIn("1 critical or high issue is open", complete["convergenceReason"])
        self.assertEqual(self.events(result)[-1]["reason"], "not_converged")

    def test_a_refuted_issue_converges(self):
        result = self.verify("a.py", turns=[verifier(issue()), critic("INVALID"), verifier(), verifier()])
        self.assert_exit(result, 0)
        self.assertIn("False positive: the caller decides", result.stdout)
        self.assertEqual(self.runs()[0]["kind"], "verification")
        self.assertEqual(self.runs()[0]["outcome"], "succeeded")
        state = self.kept(self.runs()[0]["id"])
        self.assertEqual([one["role"] for one in state["rounds"]], ["verifier", "critic", "verifier", "verifier"])
        self.assertIn("rm", state["rounds"][0]["prompt"])
        self.assertEqual(state["issues"][0]["transitions"][0]["to"], "RESOLVED")

    def test_stop_on_critical_and_the_last_round(self):
        result = self.verify("a.py", "--stop-on-critical", turns=[verifier(issue())])
        self.assert_exit(result, 1)
        self.assertIn("Stopped: 1 CRITICAL issue found", result.stdout)
        result = self.verify("a.py", "--max-rounds", "1", turns=[verifier()])
        self.assert_exit(result, 1)
        self.assertIn("Max rounds (1) reached", result.stdout)

    def test_what_is_not_in_the_file_is_not_taken(self):
        result = self.verify("a.py", turns=[verifier(issue(evidence="eval(name)")), verifier()])
        self.assert_exit(result, 0)
        self.assertIn("not taken: SEC-01: 0 of 1 quoted line are in a.py", result.stderr)

    def test_headed_paragraphs_are_read(self):
        text = ("### SEC-01 [HIGH] The shell sees the name\nLocation: a.py:50\nDescription: bad\nEvidence:\n```\n"
                + EVIDENCE + "\n```\n" + "\n".join(f"Examined: {category}: a.py" for category in CATEGORIES))
        result = self.verify("a.py", turns=[text, "SEC-01: INVALID - it is quoted", verifier(), verifier()])
        self.assert_exit(result, 0)
        # The line is corrected.
        self.assertIn("SEC-01 HIGH a.py:5", result.stdout)

    def test_folders_and_files_that_are_asked_for(self):
        self.write("pkg/b.py", "def helper():\n    return 1\n")
        self.write("pkg/notes.bin", "x")
        self.write(".gitignore", "secret.py\n")
        self.write("secret.py", "KEY = 1\n")
        result = self.verify("pkg", turns=[
            verifier(files=["pkg/b.py"], needs=["a.py", "secret.py", "../outside"]),
            verifier(files=["pkg/b.py"])])
        self.assert_exit(result, 0)
        state = self.kept(self.runs()[0]["id"])
        self.assertEqual(state["rounds"][0]["newFilesDiscovered"], ["a.py"])
        self.assertEqual(state["rounds"][1]["context"], ["a.py", "pkg/b.py"])
        self.assertNotIn("KEY = 1", json.dumps(state))

    # Errors --------------------------------------------------------------------------------

    def test_errors_before_it_begins(self):
        self.write(".gitignore", "secret.py\n")
        self.write("secret.py", "KEY = 1\n")
        for arguments, text in (
                (["gone.py"], "there is no such file or folder"),
                (["secret.py"], "git ignores it, or it is no regular file"),
                (["../.."], "is outside of the workspace"),
                (["a.py", "--min-rounds", "5", "--max-rounds", "3"], "minRounds (--min-rounds) has to be between 1 and maxRounds, 3"),
                (["a.py", "--from-round", "2"], "name it with --resume RUN"),
                (["--resume", "gone"], "gone"),
                (["--resume", ""], "--resume: name a run"),
                (["a.py", "--requirements", "x", "--requirements-file", "y"], "not both")):
            with self.subTest(arguments):
                result = self.verify(*arguments)
                self.assert_exit(result, 2)
                self.assertIn(text, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        result = self.stile("verify", "a.py")
        self.assert_exit(result, 2)
        self.assertIn("--model", result.stderr)
        self.assertEqual(self.runs(), [])

    def test_an_unusable_reply_twice_ends_it_and_it_goes_on(self):
        result = self.verify("a.py", "--json", turns=["Looks fine.", "Really."])
        self.assert_exit(result, 5)
        self.assertEqual([event["type"] for event in self.events(result)][-3:], ["error", "complete", "run_finished"])
        run = self.runs()[0]["id"]
        result = self.stile("verify", "--resume", run, "--model", self.replies(verifier(), verifier()))
        self.assert_exit(result, 0)

    # Sessions ------------------------------------------------------------------------------

    def test_more_rounds_a_checkpoint_and_a_dismissal(self):
        result = self.verify("a.py", "--max-rounds", "2",
                             turns=[verifier(issue(severity="HIGH")), critic("VALID"), verifier()])
        self.assert_exit(result, 1)
        run = self.runs()[0]["id"]
        result = self.stile("verify", "--resume", run, "--model", self.replies())
        self.assert_exit(result, 2)
        self.assertIn("has used its 2 rounds; allow more: stile verify --resume", result.stderr)
        result = self.stile("verify", "--resume", run, "--dismiss", "SEC-77=no", "--model", self.replies())
        self.assert_exit(result, 2)
        self.assertIn("there is no open issue SEC-77", result.stderr)
        result = self.stile("verify", "--resume", run, "--max-rounds", "4", "--dismiss", "SEC-01=trusted callers",
                            "--model", self.replies(verifier(), verifier()))
        self.assert_exit(result, 0)
        self.assertIn("trusted callers", result.stdout)
        # What has converged does not go on, but can be taken back.
        result = self.stile("verify", "--resume", run, "--model", self.replies())
        self.assert_exit(result, 2)
        result = self.stile("verify", "--resume", run, "--from-round", "1", "--max-rounds", "3",
                            "--model", self.replies(verifier(), verifier()))
        self.assert_exit(result, 0)
        self.assertEqual(self.kept(run)["issues"], [])

    def test_an_issue_closes_when_its_code_has_changed_and_the_workspace_passes(self):
        result = self.verify("a.py", turns=[verifier(issue()), critic("VALID"), verifier(), verifier()])
        self.assert_exit(result, 1)
        run = self.runs()[0]["id"]
        self.write("a.py", SAFE.replace("def remove(name):", "def remove(name)"))
        result = self.stile("verify", "--resume", run, "--model", self.replies(verifier(), verifier()))
        self.assert_exit(result, 1)
        self.assertIn("does not pass a validation", result.stderr)
        self.write("a.py", SAFE)
        result = self.stile("runs", "resume", run, "--model", self.replies(verifier(), verifier()))
        self.assert_exit(result, 0)
        self.assertEqual(self.kept(run)["issues"][0]["resolution"],
                         "The quoted code has changed, and a validation of the workspace passed")

    def session(self, *more, finding=None):
        """The run of a session with a critical issue that both sides agree on."""
        result = self.verify("a.py", *more, turns=[verifier(finding or issue()), critic("VALID"), verifier(),
                                                   verifier()])
        self.assert_exit(result, 1)
        return self.runs()[0]["id"]

    def resume(self, run, *more, **kwargs):
        return self.stile("verify", "--resume", run, *more, "--model", self.replies(verifier(), verifier()), **kwargs)

    def test_code_that_hides_is_not_mended(self):
        def hide(): self.write(".gitignore", "a.py\n")
        def deny(): self.write("stile.yaml", 'permissions: {deny: ["file.read(a.py)"]}\n')
        def ask(): self.write("stile.yaml", 'permissions: {ask: ["file.read(a.py)"]}\n')
        def grow(): self.write("a.py", CODE + "# padding\n" * 30_000)
        def link():
            self.write("../elsewhere.py", SAFE)
            os.remove(self.path("a.py"))
            os.symlink("../elsewhere.py", self.path("a.py"))
        def reformat(): self.write("a.py", CODE.replace('"rm " + name', '\n        "rm "+name\n    '))
        for change in (hide, deny, ask, grow, link, reformat):
            with self.subTest(change.__name__):
                self.write("a.py", CODE)
                self.git("rm", "--quiet", "--cached", "a.py") if change == hide else None
                run = self.session()
                change()
                result = self.resume(run)
                self.assertNotEqual(result.returncode, 0, result.stdout)
                self.assertNotIn("The quoted code has changed", result.stdout)
                os.path.islink(self.path("a.py")) and os.remove(self.path("a.py"))
                for name in ("stile.yaml", ".gitignore"):
                    if os.path.exists(self.path(name)):
                        os.remove(self.path(name))

    def test_evidence_that_was_never_there_closes_nothing(self):
        run = self.session(finding=issue(evidence=EVIDENCE + "\nnot in the file at all"))
        self.assert_exit(self.resume(run), 1)

    def test_code_that_comes_back_opens_its_issue(self):
        run = self.session("--max-rounds", "4")
        self.write("a.py", SAFE)
        self.write("c.py", CODE)
        result = self.resume(run, "--max-rounds", "6")
        self.assert_exit(result, 1)
        self.assertIn("SEC-01 CRITICAL c.py", result.stdout)
        os.remove(self.path("c.py"))
        self.assert_exit(self.resume(run, "--max-rounds", "9"), 0)
        self.write("c.py", CODE)
        result = self.resume(run, "--from-round", "5", "--max-rounds", "9")
        self.assert_exit(result, 1)
        self.assert_exit(self.resume(run, "--from-round", "50"), 2)

    def test_a_session_goes_on_where_it_began(self):
        run = self.session()
        self.write("../other/a.py", SAFE)
        result = self.resume(run, cwd=os.path.join(self.root, "other"))
        self.assert_exit(result, 1)
        result = self.resume(run, "--workspace", os.path.join(self.root, "other"))
        self.assert_exit(result, 2)
        self.assertIn("go on with it there", result.stderr)

    def test_files_that_cannot_be_shown_are_named_and_can_be_left_out(self):
        self.write("pkg/big.py", "# padding\n" * 30_000)
        self.write("pkg/small.py", "x = 1\n")
        result = self.verify("pkg")
        self.assert_exit(result, 2)
        self.assertIn("pkg/big.py cannot be shown", result.stderr)
        self.assertIn("--exclude GLOB", result.stderr)
        turn = verifier(files=["pkg/small.py"])
        self.assert_exit(self.verify("pkg", "--exclude", "big.py", turns=[turn, turn]), 0)

    def test_keys_of_providers_are_never_shown(self):
        key = "sk-ant-api03-" + "9fJk2LmQ8xZr4TnVb7WcYd1EgHs5Ua3P"
        self.write("a.py", CODE + f"KEY = '{key}'\n")
        result = self.verify("a.py", "--json", env={"ANTHROPIC_API_KEY": key}, turns=[
            verifier(issue(evidence=f"KEY = '{key}'", location="a.py:6")), verifier()])
        self.assertNotIn(key, json.dumps(self.kept(self.runs()[0]["id"])["rounds"][0]["prompt"]))
        self.assertIn("0 of 1 quoted line", result.stdout)

    def test_fix_without_a_validation_closes_nothing(self):
        self.write("notes.txt", "remove everything at once\n")
        evidence = issue(evidence="remove everything at once", location="notes.txt:1")
        os.remove(self.path("a.py"))
        files = ["notes.txt"]
        result = self.verify("notes.txt", "--fix", turns=[
            verifier(evidence, files=files), critic("VALID"), verifier(files=files), verifier(files=files),
            write("notes.txt", "nothing\n"), finish("mended"), verifier(files=files), verifier(files=files)])
        self.assert_exit(result, 1)
        self.assertIn("does not pass a validation", result.stderr)

    def test_fix_mends_what_was_agreed_on(self):
        result = self.verify("a.py", "--fix", "--json", turns=[
            verifier(issue()), critic("VALID"), verifier(), verifier(),
            write("a.py", SAFE), VALIDATE, finish("mended"),
            verifier(), verifier()])
        self.assert_exit(result, 0)
        self.assertEqual(self.read("a.py"), SAFE)
        events = self.events(result)
        self.assertEqual(events[-1]["changed"], ["a.py"])
        self.assertIsNotNone(events[-1]["certificate"])
        resolved = next(event for event in events if event["type"] == "issue_resolved")
        run = events[0]["run_id"]
        self.assertEqual(resolved["reason"], f"The quoted code has changed, and a validation after run {run}.1 passed")
        self.assert_exit(self.stile("certificate", "verify", f"{run}.1"), 0)
        self.assert_exit(self.stile("runs", "undo", run), 0)
        self.assertEqual(self.read("a.py"), CODE)

    def test_a_fix_that_does_not_build_is_no_success(self):
        broken = SAFE.replace("def remove(name):", "def remove(name)")
        result = self.verify("a.py", "--fix", turns=[
            verifier(issue()), critic("VALID"), verifier(), verifier(), write("a.py", broken),
            *[VALIDATE, finish("mended")] * 6])
        self.assert_exit(result, 1)
        self.assertIn("The run that was to mend them failed (gate_failed)", result.stdout)

    def test_a_fix_that_fails_takes_the_success_back(self):
        broken = SAFE.replace("def remove(name):", "def remove(name)")
        result = self.verify("a.py", "--fix", turns=[
            verifier(issue(severity="LOW")), critic("VALID"), verifier(), verifier(), write("a.py", broken),
            *[VALIDATE, finish("mended")] * 6])
        self.assert_exit(result, 3)
        self.assertEqual(self.kept(self.runs()[0]["id"])["status"], "stopped")

    def test_a_killed_session_goes_on(self):
        long = issue("SEC-02", "LOW", evidence="def remove(name):", location="a.py:4")
        long["summary"] = "x" * 12_000
        replies = self.replies(verifier(issue(severity="LOW")), critic("VALID"), verifier(long), critic("VALID", "SEC-02"),
                               verifier(), verifier())
        read_end, write_end = os.pipe()
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)  # so that the long event blocks the program
        process = subprocess.Popen([BINARY, "verify", "a.py", "--json", "--model", replies], cwd=self.workspace,
                                   env=self.env, stdout=write_end, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with open(read_end, encoding="utf-8") as events, process:
            for line in iter(events.readline, ""):
                event = json.loads(line)
                if event["type"] == "round_start" and event["round"] == 2:
                    break
            run = event["run_id"]
            state = json.loads(self.stile("runs", "show", run, "--json").stdout)
            self.assertEqual(state["verification"]["issues"]["total"], 1)
            self.assertEqual(state["run"]["outcome"], "running")
            process.kill()
        self.assertEqual(self.kept(run)["round"], 1)
        self.assertEqual(self.runs()[0]["outcome"], "interrupted")
        result = self.stile("verify", "--resume", run, "--model", replies)
        self.assert_exit(result, 0)
        state = self.kept(run)
        self.assertEqual([one["role"] for one in state["rounds"]],
                         ["verifier", "critic", "verifier", "critic", "verifier", "verifier"])
        self.assertEqual(len(state["issues"]), 2)

    # Workflows -----------------------------------------------------------------------------

    def test_a_step_of_a_workflow(self):
        self.write("w.yaml", """\
version: "1.0"
steps:
  look: {type: verify, target: a.py, maxRounds: 4, requirements: "No input runs a command"}
  tell: {type: log, depends_on: [look], message: "{{ outputs.look.status }} {{ outputs.look.openIssues | size }}"}
""")
        low = verifier(issue(severity="LOW"))
        result = self.stile("workflow", "run", "w.yaml", "--json", "--model",
                            self.replies(low, critic("VALID"), verifier(), verifier()))
        self.assert_exit(result, 0)
        log = [event["text"] for event in self.events(result) if event["type"] == "log"]
        self.assertIn("converged 1", " ".join(log))
        result = self.stile("workflow", "run", "w.yaml", "--model",
                            self.replies(verifier(issue()), critic("VALID"), verifier(), verifier()))
        self.assert_exit(result, 1)
        self.assertIn("1 critical or high issue is open", result.stdout)
        result = self.stile("workflow", "lint", "w.yaml")
        self.assert_exit(result, 0)

    def test_a_step_whose_session_was_brought_to_an_end_by_hand_passes(self):
        self.write("w.yaml", "steps: {look: {type: verify, target: a.py, maxRounds: 3}}\n")
        result = self.stile("workflow", "run", "w.yaml", "--json", "--model",
                            self.replies(verifier(issue()), critic("VALID"), verifier(), verifier()))
        self.assert_exit(result, 1)
        run = self.events(result)[0]["run_id"]
        self.write("a.py", SAFE)
        step, = [one["id"] for one in self.runs("--steps") if one["id"].startswith(run + ".")]
        self.assert_exit(self.resume(step, "--max-rounds", "6"), 0)
        self.assert_exit(self.stile("runs", "resume", run, "--model", self.replies()), 0)

    def test_a_wrong_setting_of_a_step(self):
        self.write("w.yaml", "steps: {look: {type: verify, target: a.py, maxRounds: many}}\n")
        result = self.stile("workflow", "run", "w.yaml", "--model", self.replies())
        self.assert_exit(result, 1)
        self.assertIn("maxRounds has to be a whole number", result.stdout)


if __name__ == "__main__":
    unittest.main()
