"""stile validate, doctor, init and tools."""

import json
import os
import re
import shutil

from harness import BAD_PYTHON, GOOD_PYTHON, StileTest
from parallel import main


class ValidateTest(StileTest):

    def test_good_code_passes_with_0(self):
        self.write("a.py", GOOD_PYTHON)
        result = self.stile("validate")
        self.assert_exit(result, 0)
        self.assertIn("pass", result.stdout)

    def test_bad_code_fails_with_1_and_places(self):
        self.write("sub/a.py", BAD_PYTHON)
        result = self.stile("validate")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"(?m)^sub/a\.py:1:\d+: error: ")

    def test_json_has_the_shape_of_the_tool(self):
        self.write("a.py", BAD_PYTHON)
        self.write("b.c", "int f(void) { return 0; }\n")
        result = self.stile("validate", "--json")
        self.assert_exit(result, 1)
        data = json.loads(result.stdout)
        self.assertEqual((data["success"], data["verdict"]), (False, "fail"))
        self.assertEqual((data["errorCount"], data["errors"][0]["file"]), (1, "a.py"))
        self.assertEqual(sorted(t["verdict"] for t in data["targets"]), ["fail", "pass"])
        for key in ("validator", "root", "verdict", "command", "durationMs", "coverage"):
            self.assertIn(key, data["targets"][0])

    def test_a_language_or_a_path_narrows_it(self):
        self.write("a.py", BAD_PYTHON)
        self.write("b.c", "int f(void) { return 0; }\n")
        self.assert_exit(self.stile("validate", "--language", "c"), 0)
        self.assert_exit(self.stile("validate", "--language", "python"), 1)
        self.assert_exit(self.stile("validate", "a.py"), 1)
        self.assert_exit(self.stile("validate", self.workspace, cwd=self.root), 1)
        self.assert_exit(self.stile("validate", "--workspace", self.workspace, cwd=self.root), 1)

    def test_components_of_rust_that_are_missing_are_not_installed(self):
        self.use_compilers()
        self.write("Cargo.toml", "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        self.write("src/lib.rs", "pub fn twice(n: u8) -> u8 {\n    n * 2\n}\n")
        self.write("rust-toolchain.toml", "[toolchain]\ncomponents = [\"rustc-dev\"]\n")
        self.assert_exit(self.stile("validate"), 0)

    def test_where_no_compiler_is_only_syntax_is_checked(self):
        self.write("go.mod", "module m\n")
        self.write("a.go", "package m\n\nfunc F() int { return 1 }\n")
        self.init_git()
        programs = os.path.join(self.root, "programs")
        os.mkdir(programs)
        for name in ("git", "sh"):
            os.symlink(shutil.which(name), os.path.join(programs, name))
        without_go = {"PATH": programs}
        self.assert_exit(self.stile("validate", env=without_go), 1)
        self.write("a.go", "package m\n\nfunc F() int { return undefined }\n")
        result = self.stile("validate", env=without_go)
        self.assert_exit(result, 1)
        self.assertIn("syntax_only", result.stdout)
        self.assertIn("only the syntax of 1 changed file was checked", result.stdout)
        self.write("a.go", "package m\n\nfunc F() int { return (1 }\n")
        result = self.stile("validate", env=without_go)
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"(?m)^a\.go:3:\d+: error: .*syntax")

    def test_nothing_to_validate_is_no_pass(self):
        self.write("notes.md", "words\n")
        self.assert_exit(self.stile("validate"), 1)

    def test_a_build_that_opens_no_code_is_no_pass(self):
        self.write("Makefile", "all:\n\t@true\n")
        self.write("a.c", "int f(void) { return }\n")
        result = self.stile("validate")
        self.assert_exit(result, 1)
        self.assertIn("no_validator", result.stdout)
        self.assertIn("opened none of its 1 code file (a.c)", result.stdout)

    def test_a_build_that_compiles_passes_when_it_has_nothing_left_to_do(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(p C)\n"
                                     "add_library(a a.c)\n")
        self.write("a.c", "int f(void) { return 1; }\n")
        for _ in range(2):
            self.assert_exit(self.stile("validate"), 0)

    def test_projects_without_code_are_no_pass(self):
        for name, text in (("package.json", "{}\n"), ("CMakeLists.txt", "project(p NONE)\n")):
            self.write(name, text)
            result = self.stile("validate")
            self.assert_exit(result, 1)
            self.assertIn("the projects hold no code file", result.stdout)
            os.remove(os.path.join(self.workspace, name))

    def test_a_toolchain_older_than_the_project_is_named(self):
        self.write("go/go.mod", "module example.com/m\n\ngo 1.999\n")
        self.write("go/m.go", "package m\n\nfunc F(xs []int) int { return nothing(xs) }\n")
        self.write("py/pyproject.toml", "[project]\nname = 'a'\nrequires-python = '>=3.99'\n")
        self.write("py/a.py", BAD_PYTHON)
        result = self.stile("validate", "--json")
        targets = {target["root"]: target for target in json.loads(result.stdout)["targets"]}
        self.assertEqual((targets["go"]["verdict"], targets["py"]["verdict"]), ("infra_error", "fail"))
        self.assertIn("go.mod asks for Go 1.999, but the installed one is 'go version go", targets["go"]["message"])
        self.assertIn("install a newer Go", targets["go"]["message"])
        self.assertIn("requires-python) asks for Python >=3.99, but the installed one is", targets["py"]["message"])

    def test_a_missing_compiler_is_no_validator(self):
        self.write("b.c", "int f(void) { return 0; }\n")
        result = self.stile("validate", "--json", env={"PATH": "/nonexistent"})
        self.assert_exit(result, 1)
        self.assertEqual(json.loads(result.stdout)["verdict"], "no_validator")

    def test_wrong_arguments_end_with_2(self):
        for arguments in (["nowhere"], ["--language", "klingon"], ["--level", "all"], ["--lang"]):
            result = self.stile("validate", *arguments)
            self.assert_exit(result, 2)
            self.assertEqual(result.stdout, "")
        result = self.stile("validate", "/", "--workspace", self.workspace)
        self.assert_exit(result, 2)

    def test_it_writes_nothing_into_the_workspace(self):
        self.write("a.py", GOOD_PYTHON)
        self.write("b.c", "int f(void) { return 0; }\n")
        self.stile("validate")
        self.assertEqual(sorted(os.listdir(self.workspace)), ["a.py", "b.c"])


class DoctorTest(StileTest):

    def test_it_names_validators_versions_and_what_is_missing(self):
        result = self.stile("doctor")
        self.assert_exit(result, 0)
        self.assertIn("Python", result.stdout)
        self.assertIn("git version", result.stdout)
        self.assertIn(self.state, result.stdout)

    def test_json_is_one_object(self):
        data = json.loads(self.stile("doctor", "--json").stdout)
        self.assertTrue(data["git"]["available"])
        self.assertTrue(data["state"]["writable"])
        languages = {row["language"] for row in data["languages"]}
        self.assertLessEqual({"python", "c", "go", "rust", "typescript"}, languages)

    def test_missing_compilers_are_hints_not_failures(self):
        result = self.stile("doctor", "--json", env={"PATH": "/nonexistent"})
        self.assert_exit(result, 0)
        for row in json.loads(result.stdout)["languages"]:
            self.assertFalse(row["available"], row)
            self.assertTrue(row["hint"], row)

    def test_a_key_is_never_shown(self):
        result = self.stile("doctor", "--model", "anthropic:x",
                            env={"ANTHROPIC_API_KEY": "sk-secret"})
        self.assertIn("ANTHROPIC_API_KEY is set", result.stdout)
        self.assertNotIn("secret", result.stdout + result.stderr)

    def test_variables_that_set_nothing_are_named(self):
        result = self.stile("doctor", env={"STILE_MODLE": "x"})
        self.assertIn("STILE_MODLE sets nothing", result.stdout)


class InitTest(StileTest):

    def test_what_it_writes_is_valid_and_names_the_languages(self):
        self.write("a.py", GOOD_PYTHON)
        self.write("node_modules/x/index.js", "")
        result = self.stile("init")
        self.assert_exit(result, 0)
        text = self.read("stile.yaml")
        self.assertIn("Python (1 file)", text)
        self.assertNotIn("JavaScript", text)
        self.assert_exit(self.stile("validate"), 0)

    def test_what_stands_in_comments_is_valid_too(self):
        self.stile("init")
        text = re.sub(r"(?m)^( *)# ((?:  )?\w+:)", r"\1\2", self.read("stile.yaml"))
        self.assertIn("\n  tokens: 2000000", text)
        self.assertIn("\n  paths: ", text)
        self.write("stile.yaml", text)
        self.write("a.py", "x = 1\n")
        self.assert_exit(self.stile("validate"), 0)

    def test_it_overwrites_only_when_forced(self):
        self.write("stile.yaml", "model: mine:x\n")
        self.assert_exit(self.stile("init"), 2)
        self.assertEqual(self.read("stile.yaml"), "model: mine:x\n")
        self.assert_exit(self.stile("init", "--force"), 0)
        self.assertIn("limits:", self.read("stile.yaml"))


class ToolsTest(StileTest):

    def test_tools_are_listed_with_their_schemas(self):
        result = self.stile("tools")
        self.assert_exit(result, 0)
        self.assertIn("code.validate", result.stdout)
        tools = json.loads(self.stile("tools", "--json").stdout)
        for tool in tools:
            self.assertEqual(tool["parameters"]["type"], "object", tool["name"])
        names = [tool["name"] for tool in tools]
        self.assertLessEqual({"file.read", "file.write", "shell.execute", "finish"}, set(names))


if __name__ == "__main__":
    main(processes=4)
