"""What a scripted model may and may not do, in every language, judged by the real compilers.

    languages_test.py LANGUAGE

runs one language. The workspace and the story are those of agents/stories/demo.
"""

import json
import os
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))

import harness  # noqa: E402
from harness import VALIDATE, call, finish  # noqa: E402

SOURCE = os.path.normpath(os.path.join(HERE, "..", ".."))
DEMO = os.path.join(SOURCE, "agents", "stories", "demo")

# Program that must be there, a code file of the demo, and a change of it that does not build.
LANGUAGES = {
    "c": ("gcc", "service.c", "int broken(void) { return undefined_name; }\n"),
    "cpp": ("g++", "shop/service.cc", "int broken() { return undefined_name; }\n"),
    "csharp": ("dotnet", "Service.cs", "class Broken { int X() { return \"text\"; } }\n"),
    "go": ("go", "shop/service.go", "func broken() int { return undefinedName }\n"),
    "java": ("javac", "src/shop/Checkout.java", "class Broken { int x() { return \"text\"; } }\n"),
    "python": ("mypy", "shop/service.py", "def broken() -> int:\n    return \"text\"\n"),
    "rust": ("cargo", "src/service.rs", "pub fn broken() -> i32 { \"text\" }\n"),
    "typescript": ("tsc", "src/service.ts", "export const broken: number = \"text\";\n"),
}

LANGUAGE = "python"


class LanguageTest(harness.StileTest):
    def setUp(self):
        super().setUp()
        program, self.file, self.broken = LANGUAGES[LANGUAGE]
        self.use_compilers()
        if shutil.which(program, path=self.env["PATH"]) is None:
            self.skipTest(f"{program} is not installed (scripts/setup test installs it)")
        os.rmdir(self.workspace)
        shutil.copytree(os.path.join(DEMO, LANGUAGE, "workspace"), self.workspace)
        self.good = self.read(self.file)

    def good_edit(self, i=0):
        return call("file.write", path=self.file, content=self.good + "\n" * (i + 1))

    def bad_edit(self, i=0):
        return call("file.write", path=self.file, content=self.good + "\n" * (i + 1) + self.broken)

    def run_json(self, *turns):
        result = self.run_task(*turns, arguments=("--json", "--yes"))
        return result, self.events(result)

    def assert_workspace_holds_only(self, *changed):
        """Validators wrote nothing into the workspace (lock files excepted)."""
        status = self.git("status", "--porcelain", "--untracked-files=all", "--ignored").splitlines()
        paths = {line[3:] for line in status} - {"Cargo.lock", "package-lock.json"}
        self.assertEqual(paths, set(changed))

    def test_happy_path(self):
        self.init_git()
        result, events = self.run_json(self.good_edit(), VALIDATE, finish())
        self.assert_exit(result, 0)
        self.assertEqual(events[-1]["outcome"], "succeeded")
        self.assertEqual(events[-1]["changed"], [self.file])
        with open(events[-1]["certificate"]["path"], encoding="utf-8") as file:
            certificate = json.load(file)
        self.assertEqual(certificate["_type"], "https://in-toto.io/Statement/v1")
        self.assertEqual(certificate["predicate"]["targets"][0]["verdict"], "pass")
        # Fits the schema, and holds also when it is all done again.
        verified = self.stile("certificate", "verify", events[-1]["certificate"]["path"], "--rerun")
        self.assert_exit(verified, 0)
        self.assert_workspace_holds_only(self.file)

    def test_fix_loop(self):
        result, events = self.run_json(
            self.bad_edit(), VALIDATE, self.good_edit(), VALIDATE, finish())
        self.assert_exit(result, 0)
        verdicts = [e["verdict"] for e in events if e["type"] == "validation_finished"]
        self.assertEqual(verdicts, ["fail", "pass"])
        failed = [e for e in events if e["type"] == "tool_finished" and e["tool"] == "code.validate"]
        self.assertIn(self.file, failed[0]["observation"])
        # The line of the error, so that the model need not read the file to see it.
        self.assertIn(self.broken.strip().splitlines()[-1].strip(), failed[0]["observation"])

    def test_finish_without_validation_is_refused(self):
        result, events = self.run_json(self.good_edit(), finish())
        self.assert_exit(result, 5)
        rejected = [e for e in events if e["type"] == "gate_rejected"]
        self.assertEqual(len(rejected), 1)
        self.assertIn(self.file, rejected[0]["reason"])

    def test_finish_after_a_failed_validation_is_refused(self):
        result, events = self.run_json(self.bad_edit(), VALIDATE, finish(), finish())
        self.assert_exit(result, 5)
        self.assertEqual([e["type"] for e in events].count("gate_rejected"), 2)

    def test_five_failures_end_the_run(self):
        turns = []
        for i in range(7):
            turns += [self.bad_edit(i), VALIDATE]
        result, events = self.run_json(*turns)
        self.assert_exit(result, 3)
        self.assertEqual(events[-1]["reason"], "gate_failed")
        self.assertEqual([e["type"] for e in events].count("validation_finished"), 5)
        self.assertIn(self.file, events[-1]["message"])

    def test_the_same_size_and_mtime_put_back_do_not_hide_a_change(self):
        # After a warm pass, the break has the size and the mtime of what passed.
        broken = self.good + self.broken
        padded = self.good + "\n" * len(self.broken.encode())
        self.assertEqual(len(broken.encode()), len(padded.encode()))
        break_it = (f"touch -r '{self.file}' /tmp/stamp.$$ && cat > '{self.file}' <<'END_OF_FILE'\n"
                    f"{broken}END_OF_FILE\ntouch -r /tmp/stamp.$$ '{self.file}' && rm /tmp/stamp.$$")
        result, events = self.run_json(
            call("file.write", path=self.file, content=padded), VALIDATE,
            call("shell.execute", command=break_it), VALIDATE, finish())
        verdicts = [e["verdict"] for e in events if e["type"] == "validation_finished"]
        self.assertEqual(verdicts, ["pass", "fail"])
        self.assert_exit(result, 5)

    def play_story(self, way, verdicts):
        """Plays story<way>.yaml of the demo; the events."""
        self.init_git()
        story = shutil.copy(os.path.join(DEMO, LANGUAGE, f"story{way}.yaml"), self.root)
        result = self.stile("run", story, "--json", "--yes",
                            "--model", "replay:" + os.path.join(DEMO, LANGUAGE, f"cassette{way}.jsonl"))
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertEqual([e["verdict"] for e in events if e["type"] == "validation_finished"], verdicts)
        log = self.git("log", "--format=%s%n%b", "-1")
        self.assertIn("Rename OrderService to PurchaseService", log)
        self.assertIn("Stile-Certificate: sha256:", log)
        self.assertEqual(self.git("branch", "--show-current").strip(), "feature/rename-order-service" + way)
        self.assertNotIn("OrderService", self.git("grep", "-h", "Service", "--", self.file))
        self.assert_workspace_holds_only()
        # What scripts/demo shows of it.
        view = subprocess.run(
            [sys.executable, os.path.join(SOURCE, "scripts", "demo_view.py"),
             os.path.join(self.root, "result")],
            input=result.stdout, capture_output=True, text=True, check=False)
        self.assertEqual((view.returncode, view.stderr), (0, ""))
        return events, view.stdout

    def test_smoke_story_by_meaning(self):
        events, _ = self.play_story("", ["pass"])
        renamed = [e for e in events if e["type"] == "tool_finished" and e["tool"] == "code.refactor"]
        self.assertTrue(renamed and all(e["ok"] for e in renamed), renamed)
        # The compiler agreed, and no place is left for the model to decide.
        for event in renamed:
            self.assertIn("It builds as before.", event["observation"])
            self.assertNotIn("left, not judged", event["observation"])

    def test_smoke_story_by_edits(self):
        events, view = self.play_story("-by-edits", ["fail", "pass"])
        types = [e["type"] for e in events]
        self.assertIn("gate_rejected", types)
        self.assertLess(types.index("gate_rejected"), types.index("gate_accepted"))
        self.assertIn("GATE REFUSES", view)
        self.assertIn("error", view)


class TwoLanguagesTest(harness.StileTest):
    def setUp(self):
        super().setUp()
        self.env["HOME"] = os.environ.get("HOME", self.home)
        for name in ("go", "gcc"):
            if shutil.which(name) is None:
                self.skipTest(f"{name} is not installed (scripts/setup test installs it)")
        self.write("api/go.mod", "module api\n\ngo 1.19\n")
        self.write("api/main.go", "package main\n\nfunc main() {}\n")
        self.write("tool/tool.py", harness.GOOD_PYTHON)

    def test_both_must_be_validated(self):
        go = call("file.write", path="api/main.go", content="package main\n\nfunc main() { println(1) }\n")
        python = call("file.write", path="tool/tool.py", content="def sub(a, b):\n    return a - b\n")
        result = self.run_task(
            [go, python], call("code.validate", language="go"), finish(), VALIDATE, finish(),
            arguments=("--json", "--yes"))
        self.assert_exit(result, 0)
        events = self.events(result)
        rejected = [e for e in events if e["type"] == "gate_rejected"]
        self.assertEqual(len(rejected), 1)
        self.assertIn("tool/tool.py", rejected[0]["reason"])
        self.assertNotIn("main.go", rejected[0]["reason"])


if __name__ == "__main__":
    LANGUAGE = sys.argv.pop(1)
    case = TwoLanguagesTest if LANGUAGE == "two-languages" else LanguageTest
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    outcome = unittest.TextTestRunner(verbosity=2).run(suite)
    if outcome.testsRun and len(outcome.skipped) == outcome.testsRun:
        sys.exit(77)
    sys.exit(not outcome.wasSuccessful())
