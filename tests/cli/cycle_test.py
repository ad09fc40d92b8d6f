"""stile cycle run: scripted coders and auditors, real git, real tests, real certificates."""

import json
import os
import random
import shutil
import subprocess

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, VALIDATE, StileTest, call, finish, write, write_cassette
from parallel import main

SPEC = "# Add numbers\n\nsrc/add.py has a function add(a, b); src/test_add.py tests it.\n"
TEST = "from add import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
WRONG = "def add(a, b):\n    return a - b\n"
WORSE = "def add(a, b):\n    print('x' * 70000)\n    return a * b\n"
GO_TEST = 'package src\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("one and two are three")\n\t}\n}\n'

YES = {"approved": True, "findings": []}
NO = {"approved": False, "findings": ["src/add.py:1: no docstring"]}


def go(operator, comment=""):
    return f"package src\n\n{comment}func Add(a, b int) int {{\n\treturn a {operator} b\n}}\n"


def coder(*versions):
    """Turns of coders that write one version each; the first one writes the test, too."""
    turns = []
    for number, text in enumerate(versions):
        edits = [write("src/add.py", text)] + ([write("src/test_add.py", TEST)] if number == 0 else [])
        turns += [[*edits, VALIDATE], finish(str(number + 1))]
    return turns


class CycleTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()
        self.write("SPEC.md", SPEC)
        self.write(".gitignore", "__pycache__/\n.pytest_cache/\n")
        self.init_git()
        self.git("config", "user.name", "Test")
        self.git("config", "user.email", "test@localhost")
        self.cassettes_folder = os.path.join(self.root, "cassettes")
        os.mkdir(self.cassettes_folder)

    def play(self, turns, audits):
        write_cassette(os.path.join(self.cassettes_folder, "coder.jsonl"), turns)
        write_cassette(os.path.join(self.cassettes_folder, "audit.jsonl"),
                       [a if isinstance(a, list) else finish(json.dumps(a) if isinstance(a, dict) else a) for a in audits])

    def arguments(self, *more):
        return ["cycle", "run", "05", "--model", "replay:" + self.cassettes_folder, "--json", *more]

    def cycle(self, turns, audits, *more, **others):
        self.play(turns, audits)
        return self.stile(*self.arguments(*more), **others)

    def finished(self, result):
        return [e for e in self.events(result) if e["type"] == "workflow_finished"][0]

    def report(self, result):
        return self.finished(result)["report"]

    def assert_runs(self, result, **wanted):
        runs = self.finished(result)["runs"]
        self.assertEqual({step: runs.get(step, 0) for step in wanted}, wanted)

    def prompts(self):
        starts = (self.journal(run["id"])[0] for run in reversed(self.runs("--steps")))
        return [start["user_prompt"] for start in starts if "user_prompt" in start]

    def assert_one_commit(self, result, *files):
        """On the branch, and its certificates hold."""
        self.assert_exit(result, 0)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("branch", "--show-current"), "feature/cycle-05\n")
        self.assertEqual(self.git("log", "--format=%s", "main..HEAD"), "Cycle 05: Add numbers\n")
        self.assertEqual(self.report(result)["commit"], self.git("rev-parse", "HEAD").strip())
        self.assertEqual(sorted(self.git("show", "--format=", "--name-only", "HEAD").split()), sorted(files))
        verified = self.stile("certificate", "verify", "--commit", "HEAD", "--json")
        self.assert_exit(verified, 0)
        found = json.loads(verified.stdout)
        trailers = self.git("log", "-1", "--format=%(trailers:key=Stile-Certificate,valueonly)").split()
        self.assertEqual(["sha256:" + c["sha256"] for c in found["certificates"]], trailers)
        self.assertNotEqual(trailers, [])
        return found["certificates"]

    # From the specification to the commit ---------------------------------------------------

    def test_with_its_defaults__red_red_a_split_vote_green(self):
        result = self.cycle(coder(WRONG, WORSE, GOOD_PYTHON, "# Adds.\n" + GOOD_PYTHON), [YES, NO, YES, YES], "--auditors", "2",
                            "--report", os.path.join(self.root, "r.json"))
        certificates = self.assert_one_commit(result, "src/add.py", "src/test_add.py")
        self.assertEqual(len(certificates), 8)  # of four coders and four auditors
        self.assert_runs(result, coder=4, validate=4, qa=0, audit=4, verdict=2, commit=1)
        report = self.report(result)
        with open(os.path.join(self.root, "r.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), report)
        logs = os.path.join(self.state, "runs", report["run_id"], "logs")
        self.assertEqual(report["test_result"], {"iteration": 4, "ready": True, "failures": 0, "log": os.path.join(logs, "tests-4.log")})
        self.assertEqual([(r["iteration"], r["auditor"], r["review"], r["approved"], r["findings"]) for r in report["reviews"]],
                         [(3, 1, 1, True, []), (3, 2, 1, False, NO["findings"]), (4, 1, 1, True, []), (4, 2, 1, True, [])])
        self.assertEqual(report["audit_report"], [YES, YES])
        self.assertEqual(sorted(os.listdir(logs)), [f"tests-{n}.log" for n in (1, 2, 3, 4)])
        with open(os.path.join(logs, "tests-2.log"), encoding="utf-8") as file:
            log = file.read()
        self.assertIn("$ python3 -m pytest -q\n", log)
        self.assertIn("x" * 70000, log)
        again = [p for p in self.prompts() if "Your previous attempt" in p]
        self.assertEqual(len(again), 3)
        self.assertIn("assert -1 == 3", again[0])
        self.assertIn(log, again[1])
        self.assertIn("no docstring", again[2])
        self.assertNotIn("assert", again[2].split("The specification:")[0])
        audits = [p for p in self.prompts() if "You are auditor" in p]
        self.assertEqual(len(audits), 4)
        for word in ("security", "quality"):
            self.assertIn(word, audits[0])

    def test_go(self):
        if shutil.which("go", path=self.env["PATH"]) is None:
            self.skipTest("go is missing")
        self.write("go.mod", "module example.org/sums\n\ngo 1.18\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=module")
        turns = [[write("src/add.go", go("-")), write("src/add_test.go", GO_TEST), VALIDATE], finish("1"),
                 [write("src/add.go", go("+")), VALIDATE], finish("2"),
                 [write("src/add.go", go("+", "// Add adds.\n")), VALIDATE], finish("3")]
        result = self.cycle(turns, [NO, YES])
        self.assert_one_commit(result, "src/add.go", "src/add_test.go")
        prompt = [p for p in self.prompts() if "Your previous attempt" in p][0]
        self.assertIn("--- FAIL: TestAdd", prompt)
        self.assertIn("add_test.go:7: one and two are three", prompt)
        self.assertNotIn('"Action"', prompt)

    def test_tests_of_a_command(self):
        qa = "stile validate --level test --json --quiet; status=$?; echo marked; exit $status"
        result = self.cycle(coder(WRONG, GOOD_PYTHON, "# Adds.\n" + GOOD_PYTHON), [NO, YES], "--qa", qa)
        self.assert_one_commit(result, "src/add.py", "src/test_add.py")
        self.assert_runs(result, coder=3, qa=3, validate=0, audit=2)
        report = self.report(result)
        self.assertEqual((report["test_result"]["ready"], report["test_result"]["failures"]), (True, 0))
        with open(report["test_result"]["log"], encoding="utf-8") as file:
            self.assertIn("\nmarked\n", file.read())
        self.assertTrue(any("Your previous attempt" in p and "test_add.py" in p and "\nmarked\n" in p for p in self.prompts()))

    def test_files_that_are_no_code_and_a_file_that_goes_without_a_certificate(self):
        turns = [[write("src/add.py", WRONG), write("src/test_add.py", TEST), write("src/notes.txt", "1\n"), write("src/gone.py", "x = 1\n"),
                  VALIDATE], finish("1"),
                 # Out of turns before its code builds.
                 [call("file.delete", path="src/gone.py"), write("src/add.py", BAD_PYTHON)], finish("2"), finish("2"), finish("2"),
                 [write("src/add.py", GOOD_PYTHON), VALIDATE], finish("3")]
        result = self.cycle(turns, [YES], "--max-turns", "4")
        # The first coder certified a file that is not there any more.
        self.assertEqual(len(self.assert_one_commit(result, "src/add.py", "src/notes.txt", "src/test_add.py")), 2)
        self.assertTrue(any("It ended without code that builds: max_turns" in p for p in self.prompts()))

    def test_what_changes_while_it_is_judged_is_judged_again(self):
        self.git("branch", "feature/cycle-05")
        qa = "stile validate --level test --json --quiet && { test -f src/seen.txt || echo seen > src/seen.txt; }"
        result = self.cycle(coder(GOOD_PYTHON), [YES, YES], "--qa", qa)
        self.assert_runs(result, coder=1, seal=2, qa=2, audit=2, commit=1)
        self.assertEqual(len(self.assert_one_commit(result, "src/add.py", "src/seen.txt", "src/test_add.py")), 3)

    # Failures --------------------------------------------------------------------------------

    def assert_nothing_committed(self, result, code=1):
        self.assert_exit(result, code)
        self.assertEqual(self.git("log", "--all", "--format=%s"), "start\n")

    def test_exactly_as_many_iterations_as_allowed(self):
        result = self.cycle([*coder(WRONG, "# 2\n" + WRONG), finish("never asked for")], [], "--iterations", "2")
        self.assert_nothing_committed(result)
        self.assert_runs(result, coder=2, commit=0)
        report = self.report(result)
        message = self.events(result)[-1]["message"]
        self.assertEqual(message, report["message"])
        self.assertEqual(message.split("\n")[0], "the limit of 2 iterations is reached")
        self.assertIn("test_add", message)
        self.assertIn(report["test_result"]["log"], message)
        self.assertEqual({k: report["test_result"][k] for k in ("iteration", "ready", "failures")},
                         {"iteration": 2, "ready": False, "failures": 1})
        self.assertEqual(self.git("branch", "--show-current"), "feature/cycle-05\n")
        self.assertTrue(os.path.exists(self.path("src/add.py")))

    def test_tests_that_did_not_run_have_no_result(self):
        result = self.cycle(coder(GOOD_PYTHON), [], "--iterations", "1", "--qa", "no-such-runner")
        self.assert_nothing_committed(result)
        self.assertIn("no-such-runner", self.events(result)[-1]["message"])
        self.assertIsNone(self.report(result)["test_result"])
        self.git("stash", "--include-untracked", "--quiet")
        self.git("stash", "drop", "--quiet")
        self.git("switch", "--quiet", "main")
        result = self.cycle([[write("src/add.py", GOOD_PYTHON), VALIDATE], finish("no tests")], [], "--iterations", "1")
        self.assert_nothing_committed(result)
        self.assertIsNone(self.report(result)["test_result"])
        self.assertIn("the limit of 1 iteration is reached\nNothing that the tests printed shows that a test ran.",
                      self.events(result)[-1]["message"])

    def test_an_audit_that_cannot_be_read(self):
        result = self.cycle(coder(GOOD_PYTHON), ["APPROVED!", '{"approved": "true"}'])
        self.assert_nothing_committed(result)
        self.assert_runs(result, audit=2, verdict=0)
        self.assertEqual([(r["approved"], r["auditor"]) for r in self.report(result)["reviews"]], [(None, 1), (None, 1)])

    def outside(self, *turns, iterations):
        """A coder that changes, makes and deletes files outside of src, and then does `turns`."""
        self.git("branch", "feature/cycle-05")
        first = [[write("src/add.py", GOOD_PYTHON), write("src/test_add.py", TEST), write("setup.py", "x = 1\n"), write("new/folder/b c.txt", ""),
                  write("SPEC.md", "# Else\n"), call("file.delete", path=".gitignore"), write("src/.gitignore", "hidden.py\n"), VALIDATE], finish("1")]
        return self.cycle([*first, *turns], [YES], "--iterations", str(iterations))

    def test_changes_outside_of_the_paths_are_put_back_and_the_coder_goes_on(self):
        self.write("kept.txt", "ignored\n")
        self.write(".gitignore", "__pycache__/\n.pytest_cache/\nkept.txt\n")
        os.chmod(self.path(".gitignore"), 0o755)
        self.git("commit", "--quiet", "--all", "--message=ignore")
        result = self.outside([write("src/add.py", "# Adds.\n" + GOOD_PYTHON), VALIDATE], finish("2"), iterations=2)
        self.assert_one_commit(result, "src/add.py", "src/test_add.py")
        self.assert_runs(result, coder=2, validate=1, audit=1, commit=1)
        self.assertFalse(os.path.exists(self.path("new")))
        self.assertEqual(self.read("kept.txt"), "ignored\n")
        prompt = [p for p in self.prompts() if "Your previous attempt" in p][0]
        self.assertIn("Not allowed: changed: .gitignore (deleted), src/.gitignore (new); what a .gitignore hides", prompt)
        self.assertIn("do the task without them: .gitignore, src/.gitignore, SPEC.md, new/folder/b c.txt, setup.py\n", prompt)
        self.assertNotIn("let no test change them", prompt)
        self.assertTrue(any("exists: the cycle goes on there" in e.get("text", "") for e in self.events(result)))

    def test_files_that_tests_write_outside_of_the_paths_are_left_for_the_coder(self):
        qa = "stile validate --level test --json --quiet && if grep -q Adds src/add.py; then rm -f out.txt; else echo 1 > out.txt; fi"
        turns = [*coder(GOOD_PYTHON), [write("src/add.py", "# Adds.\n" + GOOD_PYTHON), call("file.delete", path="out.txt"), VALIDATE], finish("2")]
        result = self.cycle(turns, [YES, YES], "--qa", qa)
        self.assert_one_commit(result, "src/add.py", "src/test_add.py")
        self.assert_runs(result, coder=2, qa=2, audit=2, inside=3)
        prompt = [p for p in self.prompts() if "Your previous attempt" in p][0]
        self.assertIn("changed outside of src: out.txt (new)", prompt)
        self.assertIn("let no test change them: out.txt\n", prompt)

    def test_nothing_outside_of_the_paths_is_committed(self):
        result = self.outside([write("docs.md", "# Else\n"), VALIDATE], finish("2"), iterations=2)
        self.assert_nothing_committed(result)
        self.assert_runs(result, coder=2, validate=0, audit=0, commit=0)
        message = self.report(result)["message"]
        self.assertEqual(message, self.events(result)[-1]["message"])
        self.assertEqual(message.split("\n")[0], "the limit of 2 iterations is reached")
        self.assertIn("Not allowed: changed outside of src: docs.md (new). --path names", message)
        self.assertEqual(self.read("docs.md"), "# Else\n")  # for whoever looks

    def test_a_dirty_tree_is_said_first_and_alone(self):
        self.write("b.py", "")
        self.write("a.py", "")
        for more in ((), ("--model", "replay:/nowhere")):
            result = self.stile("cycle", "run", "05", *more)
            self.assert_nothing_committed(result, 2)
            self.assertEqual(result.stderr, "stile: Uncommitted changes: a.py, b.py; commit or stash them\n")
            self.assertEqual(result.stdout, "")
        self.assertEqual(self.runs(), [])
        self.assertEqual(self.git("branch", "--format=%(refname:short)"), "main\n")
        shutil.rmtree(self.path(".git"))
        result = self.stile("cycle", "run", "05")
        self.assert_exit(result, 2)
        self.assertIn("not a git repository", result.stderr)
        self.git("init", "--quiet")
        for name in ("a.py", "b.py", "SPEC.md", ".gitignore"):
            os.remove(self.path(name))
        result = self.stile("cycle", "run", "05")
        self.assert_exit(result, 2)
        self.assertIn("no commit yet", result.stderr)

    def test_usage(self):
        self.assert_exit(self.stile("cycle", "run", "../x"), 2)
        self.assert_exit(self.stile("cycle", "run", "05", "--path", "../y"), 2)
        self.assertEqual(json.loads(self.stile("cycle", "run", "--schema").stdout)["properties"]["reviews"]["type"], "array")

    def test_a_hook_that_adds_to_the_commit(self):
        hook = self.path(".git/hooks/pre-commit")
        os.makedirs(os.path.dirname(hook), exist_ok=True)
        with open(hook, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho '# slipped in' >> src/add.py\ngit add src/add.py\n")
        os.chmod(hook, 0o755)
        result = self.cycle(coder(GOOD_PYTHON), [YES])
        self.assert_nothing_committed(result)
        self.assertIn("the commit was taken back", self.events(result)[-1]["message"])
        self.assertIsNone(self.report(result)["commit"])

    def test_a_commit_that_permissions_forbid(self):
        self.write("stile.yaml", "permissions: {deny: [git.commit]}\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--amend", "--no-edit")
        result = self.cycle(coder(GOOD_PYTHON), [YES])
        self.assert_nothing_committed(result)
        self.assertIn("git.commit is forbidden", self.events(result)[-1]["message"])

    # The specification and the branch ---------------------------------------------------------

    def specify(self, text):
        self.write("SPEC.md", text)
        self.git("commit", "--quiet", "--all", "--amend", "--no-edit")

    def test_a_long_specification_is_read_whole(self):
        text = SPEC + "".join(f"{n}\n\n" for n in range(30_000)) + "y" * 55_000 + "\nthe last line\n"
        self.assertGreater(len(text), 250_000)
        self.assertLess(len(text), 256_000)
        self.specify(text)
        self.assert_one_commit(self.cycle(coder(GOOD_PYTHON), [YES]), "src/add.py", "src/test_add.py")
        self.assertEqual(len([p for p in self.prompts() if text.strip() in p]), 1)

    def test_a_specification_that_is_too_long(self):
        self.specify(SPEC + "z" * 262_144)
        result = self.cycle(coder(GOOD_PYTHON), [YES])
        self.assert_nothing_committed(result)
        self.assertIn(f"SPEC.md has {len(SPEC) + 262_144} bytes; up to 262144 are read", self.events(result)[-1]["message"])
        self.assert_runs(result, coder=0)

    def test_a_branch_behind_many_others(self):
        commit = self.git("rev-parse", "HEAD").strip()
        refs = "".join(f"create refs/heads/a{n:04} {commit}\n" for n in range(500))
        subprocess.run(["git", "update-ref", "--stdin"], cwd=self.workspace, env=self.env, input=refs, text=True, check=True)
        self.git("branch", "feature/cycle-05")
        result = self.cycle(coder(GOOD_PYTHON), [YES])
        self.assert_one_commit(result, "src/add.py", "src/test_add.py")
        self.assertTrue(any("exists: the cycle goes on there" in e.get("text", "") for e in self.events(result)))

    # Kills -------------------------------------------------------------------------------------

    def message_and_tree(self):
        """Of the commit, less what names the run."""
        body = self.git("log", "-1", "--format=%B")
        return [line for line in body.splitlines() if not line.startswith("Stile-")], self.git("rev-parse", "HEAD^{tree}")

    def start_over(self):
        self.setUp()
        self.play(coder(WRONG, GOOD_PYTHON, "# Adds.\n" + GOOD_PYTHON), [NO, YES])

    def kill_after(self, events, *arguments):
        process = subprocess.Popen([BINARY, *arguments], cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(events):
            if not process.stdout.readline():
                break
        process.kill()
        process.communicate()

    def test_killed_at_any_moments_and_resumed_it_comes_to_the_same_commit(self):
        self.start_over()
        whole = self.stile(*self.arguments())
        self.assert_one_commit(whole, "src/add.py", "src/test_add.py")
        wanted = self.message_and_tree()
        events = len(self.events(whole))
        chance = random.Random(os.environ.get("STILE_TEST_SEED", "5"))
        for _ in range(int(os.environ.get("STILE_TEST_KILLS", "3"))):
            moments = [chance.randint(3, events - 2), chance.randint(1, 20)]
            with self.subTest(moments=moments):
                self.start_over()
                self.kill_after(moments[0], *self.arguments())
                run = self.runs()[0]
                self.assertEqual(run["outcome"], "interrupted")
                self.kill_after(moments[1], "runs", "resume", run["id"], "--json")
                if self.runs()[0]["outcome"] == "interrupted":
                    self.assert_exit(self.stile("runs", "resume", run["id"], "--json"), 0)
                verified = self.stile("certificate", "verify", "--commit", "HEAD")
                self.assert_exit(verified, 0)
                self.assertEqual(self.message_and_tree(), wanted)
                self.assertEqual(self.git("rev-list", "--count", "main..HEAD"), "1\n")
                self.assertEqual(self.git("status", "--porcelain"), "")

    def test_killed_between_the_commit_and_its_record(self):
        self.start_over()
        self.assert_exit(self.stile(*self.arguments()), 0)
        run = self.runs()[0]["id"]
        commit = self.git("rev-parse", "HEAD")
        self.git("notes", "--ref=stile", "remove", "HEAD")
        journal = os.path.join(self.state, "runs", run, "journal.jsonl")
        with open(journal, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        begun = [i for i, line in enumerate(lines) if '"step":"commit"' in line.replace(" ", "") and "workflow_step_started" in line][0]
        with open(journal, "w", encoding="utf-8") as file:
            file.writelines(lines[:begun + 1])
        result = self.stile("runs", "resume", run, "--json")
        self.assert_one_commit(result, "src/add.py", "src/test_add.py")
        self.assertEqual(self.git("rev-parse", "HEAD"), commit)


if __name__ == "__main__":
    main(processes=4)
