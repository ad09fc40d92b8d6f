"""What a person meets in the first minutes: each message says what happened and what to do next."""

import http.server
import json
import os
import shutil
import subprocess
import threading

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, VALIDATE, StileTest, finish, main, shell, write

ONE_STEP = "story: S\nsteps: [{name: a, description: d}]\n"
CLOSED = "http://127.0.0.1:9"  # the port "discard", on which nothing listens


class FirstContactTest(StileTest):

    def assert_usage(self, arguments, *words, **more):
        result = self.stile(*arguments, **more)
        self.assert_exit(result, 2)
        for word in words:
            self.assertIn(word, result.stderr)
        return result

    # Words on the command line -------------------------------------------------------------

    def test_help_is_a_verb_too(self):
        for words, flags in ((("help",), ("--help",)), (("help", "run"), ("run", "--help")),
                             (("help", "runs", "show"), ("runs", "show", "--help"))):
            with self.subTest(words=words):
                result = self.stile(*words)
                self.assert_exit(result, 0)
                self.assertEqual(result.stdout, self.stile(*flags).stdout)

    def test_a_verb_that_lacks_its_second_verb_names_them(self):
        self.assert_usage(("runs",), "'stile runs' needs a verb behind it: list, show, follow, diff")

    def test_a_flag_without_its_value_says_so(self):
        self.assert_usage(("run", "-t", "x", "--model"), "--model needs a value")

    def test_a_task_without_quotes_is_told_of_quotes(self):
        self.assert_usage(("run", "-t", "fix", "the", "test"), "unexpected argument 'test'; put a text of several "
                          "words in quotes")

    def test_a_usage_error_ends_an_event_stream_too(self):
        for arguments in (("run", "--foo"), ("run",), ("run", "-t", "x", "--worktree")):
            with self.subTest(arguments=arguments):
                result = self.stile(*arguments, "--json")
                self.assert_exit(result, 2)
                end = self.events(result)[-1]
                self.assertEqual((end["reason"], end["exit_code"]), ("refused", 2))
        self.assertEqual(self.stile("validate", "--foo", "--json").stdout, "")

    def test_flags_of_people_are_named_to_people(self):
        self.write("a.py", GOOD_PYTHON)
        self.assert_usage(("refactor", "rename", "add"), "stile refactor rename SYMBOL NEW-NAME")
        self.assert_usage(("generate", "constructor"), "constructor needs --file, or --class")
        self.assert_usage(("inspect", "src/none.py"), "no such file: src/none.py")

    # Models --------------------------------------------------------------------------------

    def test_a_story_without_a_usable_model_begins_nothing(self):
        self.write("story.yaml", ONE_STEP)
        self.init_git()
        for arguments, message in (((), "no model is chosen"),
                                   (("--model", "anthropic:m"), "anthropic needs a key: set ANTHROPIC_API_KEY"),
                                   (("--model", "antropic:m"), "did you mean 'anthropic'?")):
            with self.subTest(arguments=arguments):
                self.assert_usage(("run", "story.yaml", *arguments), message)
                self.assertEqual(self.git("branch", "--format=%(refname:short)").split(), ["main"])
        self.assertEqual(self.runs(), [])

    def test_a_workflow_without_a_usable_model_begins_nothing(self):
        self.write("w.yaml", "steps: {begin: {type: command, exec: touch begun}, "
                             "work: {type: agent, prompt: x, depends_on: [begin]}}")
        self.write("SPEC.md", "# x\n")
        self.init_git()
        for verb in (("workflow", "run", "w.yaml"), ("plan", "a goal", "--out", "s.yaml"), ("cycle", "run", "05"),
                     ("workflow", "author", "f.yaml", "-t", "x"),
                     ("app", "-t", "x", "--source", "t.app", "--validate", "true", "--transpile", "true")):
            for arguments, message in (((), "no model is chosen"),
                                       (("--model", "anthropic:m"), "needs a key: set ANTHROPIC_API_KEY")):
                with self.subTest(verb=verb, arguments=arguments):
                    self.assert_usage((*verb, *arguments), message)
        self.assertEqual(self.git("branch", "--format=%(refname:short)").split(), ["main"])
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.runs(), [])

    def test_a_server_that_does_not_run_is_told_how_to_start(self):
        for model, environment, advice in (
                ("ollama:qwen3", {"OLLAMA_HOST": CLOSED}, "OLLAMA_HOST"),
                ("vllm:m", {"VLLM_BASE_URL": CLOSED + "/v1"}, "VLLM_BASE_URL"),
                ("openai:m", {"OPENAI_BASE_URL": CLOSED + "/v1"}, "OPENAI_BASE_URL")):
            with self.subTest(model=model):
                result = self.stile("run", "-t", "x", "--model", model, env=environment)
                self.assert_exit(result, 5)
                self.assertIn(f"; check that a server runs at this address (--base-url, or {advice})", result.stdout)

    def test_only_what_speaks_http_needs_libcurl(self):
        listed = self.printed(["/sbin/ldconfig", "-p"])
        library = next(line.split("=> ")[1] for line in listed.splitlines() if "libcurl.so.4 " in line)
        without = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", os.path.realpath(library))
        self.assert_exit(self.stile("--version", prefix=without), 0)
        result = self.stile("run", "-t", "x", "--model", "openai:m", "--base-url", CLOSED, prefix=without)
        self.assertIn("no HTTP without libcurl (apt-get install libcurl4): ", result.stdout)
        self.assertNotIn("check that a server runs", result.stdout)
        self.assert_exit(result, 5)

    def test_an_answer_of_something_else_leads_to_the_address(self):
        class Page(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<html>Please sign in</html>")

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        plain = f"127.0.0.1:{server.server_address[1]}/v1"
        result = self.stile("run", "-t", "x", "--model", "openai:m", "--base-url", "http://" + plain)
        self.assert_exit(result, 5)
        self.assertIn("Please sign in", result.stdout)
        self.assertIn("; check the address (--base-url, or OPENAI_BASE_URL)", result.stdout)
        result = self.stile("run", "-t", "x", "--model", "openai:m", "--base-url", "https://" + plain)
        self.assert_exit(result, 5)
        self.assertIn("if the server has no TLS, write http:// in its address", result.stdout)

    def test_a_program_below_tmp_that_is_not_on_the_path_is_seen_in_the_sandbox(self):
        program = os.path.join(self.root, "a clone", "stile")
        os.mkdir(os.path.dirname(program))
        shutil.copy(BINARY, program)
        self.write("w.yaml", "steps: {own: {type: command, exec: [stile, --version]}, "
                             "shell: {type: command, exec: 'stile --version'}}")
        result = subprocess.run([program, "workflow", "run", "w.yaml"], cwd=self.workspace, env=self.env,
                                capture_output=True, text=True, check=False)
        self.assert_exit(result, 0)

    # Ends ----------------------------------------------------------------------------------

    def test_a_run_that_failed_says_how_it_goes_on(self):
        read = {"name": "file.list", "arguments": {}}
        for turns, flags, code, more in (
                ((read, shell("echo 1"), finish()), ("--max-turns", "1"), 4, " --max-turns N"),
                ((read, shell("echo 1"), finish()), ("--max-tokens", "1"), 4, " --max-tokens N"),
                ((read,), (), 5, "")):
            with self.subTest(flags=flags):
                result = self.run_task(*turns, arguments=("--yes", *flags))
                self.assert_exit(result, code)
                self.assertIn(f"\nGo on: stile runs resume {self.runs()[0]['id']}{more}\n", result.stdout)

    def test_a_model_that_finishes_again_and_again_shows_what_the_gate_wanted(self):
        result = self.run_task(write("a.py", BAD_PYTHON), *[finish()] * 6)
        self.assert_exit(result, 4)
        self.assertIn("without doing what the gate asked for:\nCannot finish: 1 changed file is not validated (a.py)",
                      result.stdout)

    def test_repetition_is_counted_in_plain_numbers(self):
        result = self.run_task(write("a.py", BAD_PYTHON), *[VALIDATE] * 5)
        self.assertIn("! the model has made the same call of code.validate 3 times", result.stderr)

    def test_a_refused_command_names_the_flag_that_allows_it(self):
        self.env["STILE_SANDBOX"] = "off"
        result = self.run_task(shell("echo hi"), finish())
        self.assertIn("needs the user's consent (--yes, or permissions: allow: in", result.stderr)

    def test_nothing_validated_is_no_pass(self):
        self.write("README.txt", "hello\n")
        result = self.stile("validate")
        self.assert_exit(result, 1)
        self.assertIn("no_validator: nothing to validate: no code of a known language; `stile doctor` lists",
                      result.stdout)
        result = self.stile("validate", "--json")
        self.assertEqual(json.loads(result.stdout)["verdict"], "no_validator")

    def test_an_absent_language_is_no_pass_either(self):
        self.write("a.py", "def f() -> int:\n    return 1\n")
        result = self.stile("validate", "--language", "java")
        self.assert_exit(result, 1)
        self.assertIn("no_validator: nothing to validate: no code of Java here (pom.xml, ", result.stdout)
        self.assertIn("*.java)", result.stdout)

    def test_cmake_projects_are_of_both_languages(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(shop CXX)\nadd_library(shop a.cc)\n")
        self.write("a.h", "int price(int count);\n")
        self.write("a.cc", '#include "a.h"\nint price(int count) { return count * 3; }\n')
        for language in "c", "cpp":
            result = self.stile("validate", "--language", language)
            self.assert_exit(result, 0)
            self.assertIn("cmake . (", result.stdout)
        self.write("a.cc", "int price(int count) { return undefined_name; }\n")
        self.assert_exit(self.stile("validate", "--language", "cpp"), 1)

    # Places --------------------------------------------------------------------------------

    def test_a_file_in_place_of_a_folder_is_named(self):
        self.write("f", "")
        self.assert_usage(("validate", "--workspace", "f"), "not a folder: f")

    def test_trust_without_a_file_says_how_to_write_one(self):
        self.assert_usage(("trust",), "there is no stile.yaml in", "`stile init` writes one")

    def test_a_full_disk_behind_stdout_is_an_error(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([BINARY, "tools"], cwd=self.workspace, env=self.env, stdout=full,
                                    stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertIn("cannot write to standard output: No space left on device", result.stderr)


if __name__ == "__main__":
    main()
