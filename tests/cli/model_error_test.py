"""A provider that refuses for good, and an address that is ignored: the run ends at once."""

import json
import socket

from harness import GOOD_PYTHON, STORY, StileTest, finish, main, write
from model_server import ModelServer

RETRIES = """\
story: Add arithmetic
steps:
  - name: add
    description: Write a.py.
    retry: {max: 3}
  - name: more
    description: Write b.py.
"""
LOOP = """\
name: loop
routing: {max_loops: 5}
steps:
  write: {type: agent, prompt: Write a.py., on_fail: {retry: {max: 3}, goto: write}}
  after: {type: command, depends_on: [write], exec: "true"}
"""
NESTED = """\
name: outer
steps:
  inner: {type: workflow, file: loop.yaml, continue_on_failure: true}
"""


class ModelErrorTest(StileTest):

    def setUp(self):
        super().setUp()
        self.env["OPENAI_API_KEY"] = "wrong"

    def verbs(self):
        """Each way to ask a model, as arguments."""
        self.write("story.yaml", RETRIES)
        self.write("loop.yaml", LOOP)
        self.write("nested.yaml", NESTED)
        self.write("SPEC.md", "Write a.py.\n")
        self.write("src/old.py", GOOD_PYTHON)
        self.init_git()
        request = json.dumps({"id": "1", "task": "write a.py", "workspace": self.workspace})
        return [(["run", "-t", "x"], ""), (["run", "story.yaml", "--worktree"], ""),
                (["step"], request), (["plan", "a goal", "--out", "../plan.yaml"], ""),
                (["workflow", "run", "loop.yaml"], ""), (["workflow", "run", "nested.yaml"], ""),
                (["workflow", "author", "flow.yaml", "-t", "x"], ""), (["cycle", "run", "05"], "")]

    def test_a_wrong_key_ends_every_verb_at_once_with_5(self):
        for status in (401, 403):
            for arguments, stdin in self.verbs() if status == 401 else [(["run", "-t", "x"], "")]:
                with self.subTest(status=status, arguments=arguments):
                    server = ModelServer(self, status=status)
                    result = self.stile(*arguments, "--json", "--model", "openai:m", "--base-url",
                                        server.url, stdin=stdin)
                    self.assert_exit(result, 5)
                    self.assertEqual(len(server.requests), 1)
                    end = self.events(result)[-1]
                    self.assertEqual((end["reason"], end["exit_code"]), ("model_error", 5))
                    self.assertIn(str(status), end["message"])

    # An address where nothing answers ------------------------------------------------------

    def nowhere(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return f"http://127.0.0.1:{free.getsockname()[1]}/v1"

    def test_a_model_out_of_reach_ends_every_verb_at_once_with_5(self):
        app = ["app", "-t", "x", "--source", "a.txt", "--validate", "true", "--transpile", "cp $SOURCE $OUT", "--out", "out"]
        for arguments, stdin in [*self.verbs(), (app, "")]:
            with self.subTest(arguments=arguments):
                result = self.stile(*arguments, "--json", "--model", "openai:m", "--base-url", self.nowhere(), stdin=stdin)
                self.assert_exit(result, 5)
                events = self.events(result)
                # One call with its own attempts, and no other call.
                self.assertEqual(len([e for e in events if e["type"] == "model_notice"]), 3)
                self.assertEqual((events[-1]["reason"], events[-1]["exit_code"]), ("model_error", 5))
                self.assertIn("cannot connect", events[-1]["message"])
                for report in [e["report"] for e in events if e.get("report")]:
                    self.assertIn("cannot connect", report["message"])

    def test_a_workflow_whose_model_was_out_of_reach_goes_on_once_it_answers(self):
        self.write("loop.yaml", LOOP)
        model = ("--model", "openai:m", "--base-url")
        self.assert_exit(self.stile("workflow", "run", "loop.yaml", *model, self.nowhere()), 5)
        server = ModelServer(self, [write("a.txt", "a"), finish()])
        result = self.stile("runs", "resume", self.runs()[0]["id"], *model, server.url)
        self.assert_exit(result, 0)
        self.assertEqual(len(server.requests), 2)

    def test_a_model_that_there_is_not_and_no_credit_end_a_story_at_once(self):
        self.write("story.yaml", RETRIES)
        self.init_git()
        for status in (404, 402):
            with self.subTest(status=status):
                server = ModelServer(self, status=status)
                result = self.stile("run", "story.yaml", "--model", "openai:m", "--base-url", server.url)
                self.assert_exit(result, 5)
                self.assertEqual(len(server.requests), 1)
                self.git("switch", "--quiet", "main")
                self.git("branch", "-D", *[
                    line.strip() for line in self.git("branch").splitlines() if "main" not in line])

    # An address that is ignored -----------------------------------------------------------

    def test_an_address_that_is_not_trusted_ends_every_verb_with_2(self):
        elsewhere = ModelServer(self, [finish()] * 9)
        self.env["OPENAI_BASE_URL"] = elsewhere.url
        self.write("stile.yaml", f"model: openai:m\nbase_url: {elsewhere.url}/other\n")
        for arguments, stdin in self.verbs():
            with self.subTest(arguments=arguments):
                result = self.stile(*arguments, "--json", stdin=stdin)
                self.assert_exit(result, 2)
                self.assertIn(f"{self.path('stile.yaml')}:2: base_url is ignored", result.stderr)
                self.assertIn("stile trust", result.stderr)
                self.assertEqual(self.events(result)[-1]["exit_code"], 2)
        self.assertEqual(elsewhere.requests, [])

    def test_trust_or_an_address_of_ones_own_makes_it_go(self):
        wanted = ModelServer(self, [finish()] * 3)
        self.write("stile.yaml", f"base_url: {wanted.url}\n")
        arguments = ("run", "-t", "x", "--model", "openai:m")
        self.assert_exit(self.stile(*arguments), 2)
        self.assert_exit(self.stile(*arguments, env={"STILE_BASE_URL": wanted.url}), 0)
        self.assert_exit(self.stile(*arguments, "--base-url", wanted.url), 0)
        self.assert_exit(self.stile("trust"), 0)
        self.assert_exit(self.stile(*arguments), 0)
        self.assertEqual(len(wanted.requests), 3)

    def test_verbs_that_ask_no_model_and_cassettes_do_not_mind(self):
        self.write("stile.yaml", "base_url: http://127.0.0.1:1/v1\n")
        self.write("a.py", GOOD_PYTHON)
        self.assert_exit(self.stile("validate"), 0)
        self.assert_exit(self.run_task(finish()), 0)

    def test_a_resumed_run_does_not_go_elsewhere_either(self):
        self.write("story.yaml", STORY)
        self.init_git()
        result = self.stile("run", "story.yaml", "--model", self.cassette(write("a.py", GOOD_PYTHON)))
        self.assert_exit(result, 5)
        story = [run["id"] for run in self.runs() if run["kind"] == "story"][0]
        self.write("stile.yaml", "base_url: http://127.0.0.1:1/v1\n")
        result = self.stile("runs", "retry", story, "--step", "1", "--model", "openai:m")
        self.assert_exit(result, 2)
        self.assertIn("stile trust", result.stderr)
        self.assertEqual(self.read("a.py"), GOOD_PYTHON)


if __name__ == "__main__":
    main()
