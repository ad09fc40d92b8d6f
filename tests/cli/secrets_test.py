"""Keys of providers: commands never see them, the model reads files as they are, journals mask them."""

import json
import os
import signal
import subprocess
import time

from harness import BINARY, GOOD_PYTHON, STORY, VALIDATE, StileTest, call, finish, main, shell, write
from model_server import ModelServer

KEY = "sk-proj-a8Fq2Lm9Zx4Vt7Bn1Kd6Pw3Rs5"
VARIABLES = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY",
             "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY", "DEEPSEEK_API_KEY", "MOONSHOT_API_KEY",
             "VLLM_API_KEY", "LLAMACPP_API_KEY", "LMSTUDIO_API_KEY"]


class SecretsTest(StileTest):

    @staticmethod
    def write_back(messages):
        """The assignments that the model read, written to another file."""
        lines = [line for line in messages[-1]["content"].splitlines() if " = " in line]
        return write("copy.py", "".join(line + "\n" for line in lines))

    def test_a_file_is_read_and_written_back_unchanged_whatever_the_key_is(self):
        for key in ["EMPTY", "none", "local", "x", KEY]:
            with self.subTest(key=key):
                name = f"{key}.py"
                source = f'{key.replace("-", "_")} = "{key} {key}"\nmaxx = "local EMPTY none"\n'
                self.write(name, source)
                server = ModelServer(self, [
                    shell(f"cat '{name}'"), self.write_back, VALIDATE, finish(f"read {key}")])
                result = self.stile("run", "-t", f"copy {name}", "--yes", "--json", "--model", "openai:m",
                                    "--base-url", server.url, env={"OPENAI_API_KEY": key})
                self.assert_exit(result, 0)
                seen = json.dumps(server.requests)
                self.assertNotIn("[masked", seen)
                self.assertNotIn("[key]", seen)
                self.assertEqual(self.read("copy.py"), source)
                self.assertEqual(self.read(name), source)
                run = self.events(result)[0]["run_id"]
                verified = self.stile("certificate", "verify", run, "--workspace", self.workspace)
                self.assert_exit(verified, 0)
                os.remove(self.path(name))

    def test_journal_and_output_hold_the_mask_and_the_names_of_files(self):
        self.write("leak.txt", f"key: {KEY}\n")
        turns = (call("file.read", path="leak.txt"), write(f"{KEY}.py", f'K = "{KEY}"\n'), VALIDATE,
                 finish(f"the key is {KEY}"))
        result = self.run_task(*turns, arguments=["--json"], env={"DEEPSEEK_API_KEY": KEY})
        self.assert_exit(result, 0)
        self.assertEqual(self.read(f"{KEY}.py"), f'K = "{KEY}"\n')
        events = self.events(result)
        self.assertEqual(events[-1]["changed"], [f"{KEY}.py"])
        self.assertRegex(events[-1]["answer"], r"^the key is \[masked DEEPSEEK_API_KEY [0-9a-f]{8}\]$")
        journal = self.journal(events[0]["run_id"])
        for event in journal:
            if event["type"] == "tool_started" and event["tool"] == "file.write":
                self.assertEqual(event["arguments"]["path"], f"{KEY}.py")
                self.assertNotIn(KEY, event["arguments"]["content"])
            if event["type"] == "tool_finished":
                self.assertNotIn(f"key: {KEY}", event["observation"])
        shown = self.run_task(finish(f"it is {KEY}"), env={"GEMINI_API_KEY": KEY}).stdout
        self.assertNotIn(KEY, shown)
        self.assertIn("[masked GEMINI_API_KEY ", shown)

    def test_the_commit_of_a_story_holds_the_mask(self):
        # The second answer is cut off in the middle of the key.
        self.write("story.yaml", STORY)
        self.init_git()
        result = self.stile("run", "story.yaml", "--model", self.cassette(
            write("a.py", GOOD_PYTHON), VALIDATE, finish(f"the key is {KEY}"), finish("x" * 100 + " " + KEY)),
                            env={"GEMINI_API_KEY": KEY})
        self.assert_exit(result, 0)
        message = self.git("log", "-1", "--format=%B")
        self.assertRegex(message, r"the key is \[masked GEMINI_API_KEY [0-9a-f]{8}\]")
        self.assertIn("x" * 100, message)
        self.assertNotIn(KEY[:12], message)

    def test_commands_see_no_key_of_any_provider(self):
        result = self.run_task(shell("env"), finish(), arguments=["--json", "--yes"],
                               env={**{name: KEY for name in VARIABLES}, "STILE_SANDBOX": "off"})
        self.assert_exit(result, 0)
        observation, = [e["observation"] for e in self.events(result) if e["type"] == "tool_finished"][:1]
        self.assertIn("PATH=", observation)
        for name in VARIABLES:
            self.assertNotIn(name, observation)

    # A run that is stopped and goes on -------------------------------------------------------

    def start_and_kill(self, server, env):
        process = subprocess.Popen(
            [BINARY, "run", "-t", "do it", "--yes", "--json", "--model", "openai:m", "--base-url", server.url],
            cwd=self.workspace, env={**self.env, **env}, stdout=subprocess.PIPE)
        run_id = json.loads(process.stdout.readline())["run_id"]
        while not os.path.exists(self.path("started")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        return run_id

    def kill_in_the_middle(self):
        """A run that has read the key, and is stopped before it writes the key."""
        self.write("leak.txt", f"key: {KEY}\n")
        server = ModelServer(self, [
            call("file.read", path="leak.txt"),
            [shell("touch started; exec sleep 321.5"), write("copy.py", f'K = "{KEY}"\n')]])
        return self.start_and_kill(server, {"OPENAI_API_KEY": KEY})

    def resume(self, run, key, *turns):
        server = ModelServer(self, turns)
        result = self.stile("runs", "resume", run, "--yes", "--json", "--model", "openai:m", "--base-url",
                            server.url, env={"OPENAI_API_KEY": key})
        return server, result

    def test_a_resumed_run_has_the_values_again(self):
        # The shell call is answered as interrupted; the write behind it is done.
        run = self.kill_in_the_middle()
        self.assertNotIn(KEY, json.dumps(self.journal(run)))
        server, result = self.resume(run, KEY, VALIDATE, finish())
        self.assert_exit(result, 0)
        self.assertEqual(self.read("copy.py"), f'K = "{KEY}"\n')
        self.assertIn(f"key: {KEY}", json.dumps(server.requests[0]["messages"]))
        self.assertNotIn("[masked", json.dumps(server.requests))

    def test_with_another_key_no_mask_reaches_a_file(self):
        run = self.kill_in_the_middle()
        server, result = self.resume(run, "sk-proj-0Ther9Key8With7Other6Text", finish())
        self.assert_exit(result, 0)
        self.assertFalse(os.path.exists(self.path("copy.py")))
        said = json.dumps(server.requests[0]["messages"])
        self.assertIn("Read it again where you need it", said)
        self.assertIn("This call was not made", said)


if __name__ == "__main__":
    main()
