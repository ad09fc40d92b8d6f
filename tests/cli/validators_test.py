"""Validators that stile.yaml declares: which files they judge, how, and what trust has to do with it."""

import json
import os
import shutil
import stat

from harness import GOOD_PYTHON, VALIDATE, StileTest, finish, main, write
from readme_test import example

TEMPLATES = {
    "bash": ("a.sh", "echo a\n"), "json": ("a.json", "{}\n"), "kotlin": ("a.kt", "fun main() {}\n"),
    "php": ("a.php", "<?php\n"), "ruby": ("a.rb", "x = 1\n"), "sql": ("a.sql", "SELECT 1\n"),
    "swift": ("a.swift", "print(1)\n"), "terraform": ("main.tf", "variable \"a\" {}\n"),
    "yaml": ("a.yaml", "a: 1\n"),
}


class ValidatorsTest(StileTest):

    def declare(self, text, trust=True):
        self.write("stile.yaml", text)
        if trust:
            self.assert_exit(self.stile("trust"), 0)

    def program(self, name, text):
        """A program on the PATH that lies outside the workspace."""
        folder = os.path.join(self.home, ".local", "bin")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        self.env["PATH"] = folder + os.pathsep + self.env["PATH"]

    def log_of(self, result):
        return "\n".join(event["text"] for event in self.events(result) if event["type"] == "log")

    # Build scripts ----------------------------------------------------------------------------

    def test_a_build_script_judges_a_language_without_a_validator(self):
        language = "languages:\n  toy: {name: Toy, extensions: [.toy]}\n"
        check = "bad=$(grep -n WRONG src/*.toy /dev/null) || exit 0; echo \"$bad: it is wrong\"; exit 1"
        scripts = {
            "build.sh": ("script-sh", check + "\n"),
            "Makefile": ("script-make", "all:\n\t@" + check.replace("$", "$$") + "\n"),
            "package.json": ("script-npm", json.dumps({"scripts": {"build": check}}) + "\n")}
        for name, (validator, text) in scripts.items():
            with self.subTest(name):
                self.declare(language)
                self.write("src/a.toy", "fine\n")
                result = self.stile("validate")
                self.assert_exit(result, 1)
                self.assertIn("no_validator", result.stdout)
                self.write(name, text)
                result = self.stile("validate", "--json")
                self.assert_exit(result, 0)
                self.assertIn(validator, [target["validator"] for target in json.loads(result.stdout)["targets"]])
                self.write("src/a.toy", "fine\nWRONG\n")
                result = self.stile("validate", "--json")
                self.assert_exit(result, 1)
                self.assertEqual(json.loads(result.stdout)["verdict"], "fail")
                self.assertIn("src/a.toy", result.stdout)
                result = self.run_task(write("src/a.toy", "WRONG still\n"), VALIDATE, finish(), write("src/a.toy", "mended\n"),
                                       VALIDATE, finish(), arguments=("--json",))
                self.assert_exit(result, 0)
                self.assertEqual([event["type"] for event in self.events(result)].count("gate_rejected"), 1)
                os.remove(self.path(name))

    def test_a_run_does_not_change_the_script_that_judges_it(self):
        self.declare("languages:\n  toy: {name: Toy, extensions: [.toy]}\n")
        self.write("src/a.toy", "fine\n")
        for name, text, weak in (("build.sh", "! grep -n WRONG src/*.toy\n", "cat src/*.toy\n"),
                                 ("Makefile", "all:\n\t! grep -n WRONG src/*.toy\n", "all:\n\tcat src/*.toy\n")):
            with self.subTest(name):
                self.write(name, text)
                result = self.run_task([write("src/a.toy", "WRONG\n"), write(name, weak)], VALIDATE, finish(), VALIDATE, VALIDATE,
                                       finish(), arguments=("--json",))
                self.assertIn(result.returncode, (3, 5, 6), result.stdout)
                self.assertNotIn("gate_accepted", result.stdout)
                os.remove(self.path(name))
                self.write("src/a.toy", "fine\n")

    def test_a_recipe_without_a_place_still_fails(self):
        self.declare("languages:\n  toy: {name: Toy, extensions: [.toy]}\n")
        self.write("src/a.toy", "WRONG\n")
        self.write("Makefile", "all:\n\t@! grep -q WRONG src/*.toy\n")
        result = self.stile("validate", "--language", "toy", "--json")
        self.assert_exit(result, 1)
        self.assertEqual(json.loads(result.stdout)["verdict"], "fail")
        tools = os.path.join(self.root, "tools")
        os.mkdir(tools)
        for name in ("sh", "git", "bwrap", "cat"):
            if shutil.which(name):
                os.symlink(shutil.which(name), os.path.join(tools, name))
        result = self.stile("validate", "--language", "toy", "--json", env={"PATH": tools})
        self.assert_exit(result, 1)
        self.assertEqual(json.loads(result.stdout)["verdict"], "no_validator")
        self.assertIn("make is not installed", result.stdout)

    def test_a_package_without_a_build_script_and_a_language_with_a_validator_keep_what_they_have(self):
        self.declare("languages:\n  toy: {name: Toy, extensions: [.toy]}\n")
        self.write("src/a.toy", "fine\n")
        for text in ("{}", "{", '{"scripts": {"test": "true"}}', '{"scripts": []}'):
            self.write("package.json", text)
            self.assertIn("no_validator", self.stile("validate").stdout)
        os.remove(self.path("package.json"))
        self.write("build.sh", "exit 1\n")
        os.remove(self.path("src/a.toy"))
        self.write("a.py", GOOD_PYTHON)
        result = self.stile("validate", "--json")
        self.assert_exit(result, 0)
        self.assertEqual([target["validator"] for target in json.loads(result.stdout)["targets"]], ["py-compile"])

    def test_a_type_checker_cannot_be_led_away_from_a_project(self):
        # mypy judges only projects that its paths reach; a run may not take one of them out of reach.
        config = "[project]\nname = \"p\"\n[tool.mypy]\nfiles = [{}]\n"
        self.write_all({"pyproject.toml": config.format('"src", "examples"'), "src/a.py": "x: int = 1\n",
                        "examples/n/pyproject.toml": "[project]\nname = \"n\"\n", "examples/n/n.py": "y: int = 1\n"})
        self.init_git()
        model = self.cassette(write("pyproject.toml", config.format('"src"')), write("examples/n/n.py", "y: int = 'text'\n"),
                              VALIDATE, finish("done"), finish("I give up", status="gave_up"))
        result = self.stile("run", "-t", "x", "--model", model, "--yes", "--json")
        self.assert_exit(result, 1)
        rejected, = [event for event in self.events(result) if event["type"] == "gate_rejected"]
        self.assertIn("no longer select a validator", rejected["reason"])

    # What docs/settings.md shows ----------------------------------------------------------------------

    def test_the_example_of_the_settings_page_judges_its_files(self):
        lines = example("model:").splitlines(keepends=True)
        self.declare("".join(lines[lines.index("validators:\n"):]))
        self.program("buf", "cat $(find . -name '*.proto') > /dev/null\n"
                            "bad=$(grep -rn --include='*.proto' strng .) || exit 0\n"
                            "echo \"$bad\" | sed 's/^.\\///'; exit 100\n")
        self.write("api/buf.yaml", "version: v2\n")
        self.write("api/order.proto", "message Order { string id = 1; }\n")
        self.init_git()
        bad = write("api/order.proto", "message Order { strng id = 1; }\n")
        good = write("api/order.proto", "message Order { string id = 2; }\n")
        result = self.run_task(bad, finish(), VALIDATE, finish(), good, VALIDATE, finish(), arguments=("--json",))
        self.assert_exit(result, 0)
        rejected = [event["reason"] for event in self.events(result) if event["type"] == "gate_rejected"]
        self.assertEqual(len(rejected), 2)
        self.assertIn("api/order.proto", rejected[0])
        certificate = json.loads(self.stile("certificate", "show", "--json", self.events(result)[0]["run_id"]).stdout)
        self.assertIn('"proto"', json.dumps(certificate))

    def test_stile_validate_judges_the_files_and_names_the_place(self):
        self.declare("validators:\n  tables: {files: ['t/*.json'], each: true,"
                     " command: [python3, -m, json.tool, '{files}', /dev/null]}\n")
        for name in "abc":
            self.write(f"t/{name}.json", "{}\n")
        self.write("other.json", "no json\n")
        self.assert_exit(self.stile("validate"), 0)
        self.assert_exit(self.stile("validate", "--language", "tables"), 0)
        self.write("t/b.json", "{,}\n")
        self.write("t/c.json", "[\n")
        result = self.stile("validate")
        self.assert_exit(result, 1)
        self.assertIn("t/b.json", result.stdout)
        self.assertIn("t/c.json", result.stdout)
        self.assertNotIn("other.json", result.stdout)

    def test_files_below_no_project_file_are_not_judged_silently(self):
        self.declare("validators:\n  proto: {files: ['*.proto'], project_files: [buf.yaml], command: ['true']}\n")
        self.write("lost.proto", "x\n")
        result = self.stile("validate")
        self.assert_exit(result, 1)
        self.assertIn("no_validator", result.stdout)

    # Configuration --------------------------------------------------------------------------

    def test_a_validator_that_judges_nothing_is_an_error(self):
        self.declare("validators:\n  proto: {command: [buf, build]}\n")
        for arguments in (("validate",), ("run", "-t", "x"), ("doctor",)):
            result = self.stile(*arguments)
            self.assert_exit(result, 2)
            self.assertIn("stile.yaml:2: validators.proto: it judges nothing: add files", result.stderr)

    # Scripts --------------------------------------------------------------------------------

    def test_a_script_that_the_run_replaced_does_not_judge(self):
        self.declare("validators:\n  conf: {files: ['*.conf'], command: [tools/check, '{files}']}\n")
        self.write("tools/check", "#!/bin/sh\n! grep -n bad \"$@\"\n")
        os.chmod(self.path("tools/check"), 0o755)
        self.write("a.conf", "fine\n")
        self.init_git()
        result = self.run_task(
            [write("a.conf", "bad\n"), write("tools/check", "#!/bin/sh\ncat \"$@\"\n")], VALIDATE, finish(),
            [write("a.conf", "good\n"), write("tools/check", "#!/bin/sh\n! grep -n bad \"$@\"\n")], VALIDATE, finish(),
            arguments=("--json", "--yes"))
        self.assert_exit(result, 0)
        shown = json.dumps([event for event in self.events(result) if event["type"] == "tool_finished"])
        self.assertIn("uses tools/check, which was changed during this run", shown)
        self.assertIn("put the file back", shown)

    # Trust ----------------------------------------------------------------------------------

    UNTRUSTED = "validators:\n  conf: {files: ['*.conf'], command: ['false']}\n"

    def test_a_run_says_which_declarations_do_not_count(self):
        self.declare(self.UNTRUSTED, trust=False)
        self.init_git()
        turns = (write("a.py", GOOD_PYTHON), VALIDATE, finish())
        result = self.run_task(*turns, arguments=("--json",))
        self.assert_exit(result, 0)
        started, end = self.events(result)[0], self.events(result)[-1]
        for event in (started, end):
            self.assertEqual(len(event["untrusted"]), 1)
            self.assertTrue(event["untrusted"][0].endswith("stile.yaml:1: validators"), event["untrusted"])
        self.assertIn("stile.yaml:1: validators does not count", self.log_of(result))
        self.assertIn("stile trust", self.log_of(result))
        result = self.run_task(write("b.py", GOOD_PYTHON), VALIDATE, finish())
        self.assert_exit(result, 0)
        self.assertIn("stile.yaml:1: validators (not trusted", result.stdout)
        self.assert_exit(self.stile("trust"), 0)
        result = self.run_task(write("c.py", GOOD_PYTHON), VALIDATE, finish(), arguments=("--json",))
        self.assertNotIn("untrusted", self.events(result)[-1])

    def test_reject_refuses_to_start(self):
        self.declare(self.UNTRUSTED, trust=False)
        self.write("story.yaml", "story: x\nsteps:\n  - {name: a, description: b}\n")
        self.init_git()
        environment = {"STILE_GATE_UNTRUSTED": "reject"}
        result = self.run_task(finish(), arguments=("--json",), env=environment)
        self.assert_exit(result, 2)
        end, = self.events(result)
        self.assertEqual((end["type"], end["reason"]), ("run_finished", "refused"))
        self.assertIn("stile trust", end["message"])
        result = self.stile("run", "story.yaml", "--model", self.cassette(finish()), env=environment)
        self.assert_exit(result, 2)
        self.assertIn("gate.untrusted is reject", result.stderr)
        self.assertEqual(self.git("branch", "--list", "stile/*"), "")

    def test_a_step_refuses_unless_the_request_says_report(self):
        self.declare(self.UNTRUSTED, trust=False)
        self.init_git()

        def step(identity, **more):
            return self.stile("step", stdin=json.dumps({
                "id": identity, "task": "x", "workspace": self.workspace, **more,
                "model": self.cassette(write("a.py", GOOD_PYTHON), VALIDATE, finish())}))

        result = step("1")
        self.assert_exit(result, 2)
        end, = self.events(result)
        self.assertEqual((end["reason"], end["id"]), ("refused", "1"))
        self.assertIn("not trusted", end["message"])
        result = step("2", gate={"untrusted": "report"})
        self.assert_exit(result, 0)
        self.assertEqual(len(self.events(result)[-1]["untrusted"]), 1)
        self.assert_exit(self.stile("trust"), 0)
        self.assert_exit(step("3"), 0)

    def test_a_repository_cannot_let_itself_in(self):
        self.declare(self.UNTRUSTED + "gate: {untrusted: report}\n", trust=False)
        self.init_git()
        result = self.stile("step", stdin=json.dumps({
            "id": "1", "task": "x", "workspace": self.workspace, "model": self.cassette(finish())}))
        self.assert_exit(result, 2)


class TemplatesTest(StileTest):

    def test_every_template_is_used(self):
        for name, (path, content) in TEMPLATES.items():
            with self.subTest(name):
                self.write(path, content)
                result = self.stile("init", "--force", "--language", name)
                self.assert_exit(result, 0)
                self.assertIn("stile trust", result.stdout)
                self.assert_exit(self.stile("trust"), 0)
                reports = json.loads(self.stile("validate", "--json").stdout)["targets"]
                judged = [report for report in reports if report["verdict"] in ("pass", "no_validator")]
                self.assertEqual(reports, judged)
                self.assertTrue(reports)
                os.remove(self.path(path))

    def test_several_templates_are_one_block(self):
        self.assert_exit(self.stile("init", "--language", "json", "--language", "Bash"), 0)
        self.assertEqual(self.read("stile.yaml").count("\nvalidators:\n"), 1)
        self.assert_exit(self.stile("trust"), 0)
        self.write("a.json", "{\n")
        self.write("a.sh", "if true; then\n")
        result = self.stile("validate")
        self.assert_exit(result, 1)
        self.assertIn("a.json", result.stdout)
        self.assertIn("a.sh:2: error: syntax error", result.stdout)

    def test_the_block_is_printed_for_a_file_that_exists(self):
        self.write("stile.yaml", "model: a:b\n")
        result = self.stile("init", "--language", "ruby")
        self.assert_exit(result, 2)
        self.assertIn("--print", result.stderr)
        result = self.stile("init", "--language", "ruby", "--print")
        self.assert_exit(result, 0)
        self.write("stile.yaml", "model: a:b\n" + result.stdout)
        self.assert_exit(self.stile("doctor"), 0)

    def test_other_names_are_errors_that_name_the_templates(self):
        for name, word in (("cobol", "there is no template for 'cobol'"), ("go", "needs no template")):
            result = self.stile("init", "--language", name)
            self.assert_exit(result, 2)
            self.assertIn(word, result.stderr)
            self.assertIn("terraform", result.stderr)
            self.assertFalse(os.path.exists(self.path("stile.yaml")))
        self.assert_exit(self.stile("init", "--print"), 2)


if __name__ == "__main__":
    main()
