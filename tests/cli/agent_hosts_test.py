"""Coding agents of others at work, from npm: with Stile's hook, and as programs under the gate. Their model is
scripted (host_model.py): it breaks a file, and claims success. It mends the file once it is told, or never."""

import glob
import json
import os
import subprocess
import time
import unittest
import urllib.request

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, StileTest, main
from host_model import HostModel, ToolModel

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = os.path.join(SOURCE, "build", "agent_hosts", "node_modules")
BREAK = "echo 'def add(a, b)' > a.py"
MEND = "printf 'def add(a, b):\\n    return b + a\\n' > a.py"
REFUSED = "Cannot finish"
TASK = "Add the numbers the other way round"


def program(pattern):
    """The one file of the packages that fits; skips the test where there is none."""
    found = sorted(glob.glob(os.path.join(MODULES, pattern)))
    if not found:
        raise unittest.SkipTest("scripts/setup test has not installed the agents of others from npm")
    return found[0]


class Host:
    """How one of them is started without questions. `setup` writes its settings into the home."""

    def __init__(self, test, url):
        self.test = test
        self.url = url
        self.env = {}

    def write_home(self, name, text):
        path = os.path.join(self.test.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def again(self):
        """The command after a refusal, in the words of a shell."""
        return " ".join(f"'{word}'" for word in self.command("{{refusal}}"))


class Claude(Host):
    name = "claude"

    def setup(self):
        self.env = {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": "sk-test",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def command(self, prompt):
        return [program("@anthropic-ai/claude-code-linux-*/claude"), "-p", prompt, "--allowedTools", "Bash"]


class Codex(Host):
    name = "codex"

    def setup(self):
        self.env = {"MOCK_KEY": "x"}
        self.write_home(".codex/config.toml", f"""\
model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "{self.url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
[projects."{self.test.workspace}"]
trust_level = "trusted"
""")

    def command(self, prompt):
        return [program("@openai/codex-linux-*/vendor/*/bin/codex"), "exec", "-s", "danger-full-access",
                "--dangerously-bypass-hook-trust", prompt]


class Gemini(Host):
    name = "gemini"

    def setup(self):
        self.env = {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": self.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
        self.write_home(".gemini/settings.json", json.dumps({
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}))

    def command(self, prompt):
        return ["node", program("@google/gemini-cli/bundle/gemini.js"), "-m", "gemini-2.5-flash", "--yolo", "-p", prompt]


class OpenCode(Host):
    name = "opencode"

    def setup(self):
        self.write_home(".config/opencode/opencode.json", json.dumps({
            "model": "mock/mock", "small_model": "mock/mock", "autoupdate": False, "share": "disabled",
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock",
                                  "options": {"baseURL": self.url + "/v1", "apiKey": "x"},
                                  "models": {"mock": {"name": "mock"}}}}}))

    def command(self, prompt):
        return [program("opencode-linux-*/bin/opencode"), "run", prompt]


class AgentHostsTest(StileTest):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)
        self.init_git()

    def host(self, kind, mends):
        self.model = HostModel(BREAK, MEND if mends else BREAK + "; date +%N >> a.py", REFUSED)
        self.addCleanup(self.model.close)
        host = kind(self, self.model.url)
        host.setup()
        host.command("")  # skips the test where it is not installed
        self.env.update(host.env)
        return host

    def work(self, host):
        """Lets the host do the task by itself."""
        return subprocess.run(host.command(TASK), cwd=self.workspace, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)

    def with_hook(self, kind, mends):
        host = self.host(kind, mends)
        self.assert_exit(self.stile("gate", "install", host.name, "--yes"), 0)
        return self.work(host)

    def run_under_gate(self, kind, mends):
        host = self.host(kind, mends)
        return self.stile("gate", "run", "--again", host.again(), "--", *host.command(TASK))

    # With the hook --------------------------------------------------------------------------

    def mends_with_hook(self, kind):
        done = self.with_hook(kind, mends=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("return b + a", self.read("a.py"), done.stdout + done.stderr)
        self.assertEqual([run["outcome"] for run in self.runs()], ["succeeded"])
        self.assertEqual(self.model.prompts, 2)

    def never_mends_with_hook(self, kind):
        done = self.with_hook(kind, mends=False)
        self.assertNotIn("return", self.read("a.py"), done.stdout + done.stderr)
        run = self.runs()[0]
        self.assertEqual((run["outcome"], run["reason"]), ("failed", "gate_failed"), done.stdout + done.stderr)
        # It was sent back four times, and let go at the fifth refusal.
        self.assertEqual(self.model.prompts, 5)

    def test_claude_goes_on_until_it_builds(self):
        self.mends_with_hook(Claude)

    def test_claude_that_never_mends_it(self):
        self.never_mends_with_hook(Claude)

    def test_codex_goes_on_until_it_builds(self):
        self.mends_with_hook(Codex)

    def test_codex_that_never_mends_it(self):
        self.never_mends_with_hook(Codex)

    def test_gemini_goes_on_until_it_builds(self):
        self.mends_with_hook(Gemini)

    def test_gemini_that_never_mends_it(self):
        self.never_mends_with_hook(Gemini)

    def test_opencode_run_does_not_end_in_success(self):
        """It ends before a plugin could make it go on."""
        done = self.with_hook(OpenCode, mends=True)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("a.py:1", done.stderr)
        self.assertEqual([run["outcome"] for run in self.runs()], ["open"])

    def test_opencode_of_a_person_goes_on_until_it_builds(self):
        """Its server, which its terminal and editors talk to, does not end with a turn."""
        host = self.host(OpenCode, mends=True)
        self.assert_exit(self.stile("gate", "install", "opencode", "--yes"), 0)
        server = subprocess.Popen([host.command("")[0], "serve", "--hostname", "127.0.0.1", "--port", "0"],
                                  cwd=self.workspace, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(server.stdout.close)
        address = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))

        def post(path, body):
            request = urllib.request.Request(address + path, json.dumps(body).encode(), {"content-type": "application/json"})
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)

        session = post("/session", {})["id"]
        post(f"/session/{session}/message", {"parts": [{"type": "text", "text": TASK}]})
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and [run["outcome"] for run in self.runs()] != ["succeeded"]:
            time.sleep(0.2)
        self.assertEqual([run["outcome"] for run in self.runs()], ["succeeded"])
        self.assertIn("return b + a", self.read("a.py"))

    # As a client of `stile mcp` -------------------------------------------------------------

    def calls_the_gate(self, kind, settings):
        """The host's model calls the tools of Stile. settings: from a command to the host's list of servers, a file of
        its home and its text; or arguments of its command line."""
        better = "def add(a, b):\n    return b + a\n"
        self.model = ToolModel([("gate_begin", {}), ("file_write", {"path": "a.py", "content": BAD_PYTHON}),
                                ("gate_finish", {}), ("file_write", {"path": "a.py", "content": better}),
                                ("gate_finish", {})])
        self.addCleanup(self.model.close)
        host = kind(self, self.model.url)
        host.setup()
        command = host.command(TASK)
        self.env.update(host.env)
        command = settings(host, [os.path.abspath(BINARY), "mcp"], command)
        done = subprocess.run(command, cwd=self.workspace, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.model.steps, [], done.stdout + done.stderr)
        run = self.runs()[0]
        self.assertEqual((run["outcome"], run["changed"]), ("succeeded", ["a.py"]), done.stdout + done.stderr)
        events = [event["type"] for event in self.journal(run["id"])]
        self.assertIn("gate_rejected", events)

    def test_claude_calls_the_gate(self):
        def settings(host, server, command):
            servers = {"mcpServers": {"stile": {"command": server[0], "args": server[1:], "env": {
                "STILE_STATE_DIR": self.state}}}}
            host.write_home("mcp.json", json.dumps(servers))
            # Else the model has to search for the tools first, which the scripted one does not.
            self.env["ENABLE_TOOL_SEARCH"] = "false"
            self.env["MCP_CONNECTION_NONBLOCKING"] = "false"
            return [*command[:-1], "mcp__stile", "--mcp-config", os.path.join(self.home, "mcp.json")]
        self.calls_the_gate(Claude, settings)

    def test_codex_calls_the_gate(self):
        def settings(host, server, command):
            path = os.path.join(self.home, ".codex/config.toml")
            with open(path, encoding="utf-8") as file:
                known = file.read()
            host.write_home(".codex/config.toml", known + f"""
[mcp_servers.stile]
command = {json.dumps(server[0])}
args = {json.dumps(server[1:])}
env = {{STILE_STATE_DIR = {json.dumps(self.state)}}}
default_tools_approval_mode = "approve"
""")
            return command
        self.calls_the_gate(Codex, settings)

    def test_gemini_calls_the_gate(self):
        def settings(host, server, command):
            path = os.path.join(self.home, ".gemini/settings.json")
            with open(path, encoding="utf-8") as file:
                known = json.load(file)
            known["mcpServers"] = {"stile": {"command": server[0], "args": server[1:], "trust": True, "env": {
                "STILE_STATE_DIR": self.state}}}
            host.write_home(".gemini/settings.json", json.dumps(known))
            return command
        self.calls_the_gate(Gemini, settings)

    def test_opencode_calls_the_gate(self):
        def settings(host, server, command):
            path = os.path.join(self.home, ".config/opencode/opencode.json")
            with open(path, encoding="utf-8") as file:
                known = json.load(file)
            known["mcp"] = {"stile": {"type": "local", "command": server, "environment": {
                "STILE_STATE_DIR": self.state}}}
            host.write_home(".config/opencode/opencode.json", json.dumps(known))
            return command
        self.calls_the_gate(OpenCode, settings)

    # As a program under the gate ------------------------------------------------------------

    def mends_under_gate(self, kind):
        result = self.run_under_gate(kind, mends=True)
        self.assert_exit(result, 0)
        self.assertIn("return b + a", self.read("a.py"))
        self.assertEqual(self.model.prompts, 2)

    def test_claude_under_the_gate(self):
        self.mends_under_gate(Claude)

    def test_codex_under_the_gate(self):
        self.mends_under_gate(Codex)

    def test_gemini_under_the_gate(self):
        self.mends_under_gate(Gemini)

    def test_opencode_under_the_gate(self):
        self.mends_under_gate(OpenCode)

    def test_none_that_never_mends_it_ends_in_success(self):
        for kind in (Claude, Codex, Gemini, OpenCode):
            with self.subTest(host=kind.name):
                self.git("checkout", "--quiet", "a.py")
                host = self.host(kind, mends=False)
                result = self.stile("gate", "run", "--", *host.command(TASK))
                self.assert_exit(result, 3)
                self.assertIn("a.py:1", result.stderr)


if __name__ == "__main__":
    main()
