#!/usr/bin/env python3
"""Agents that use the tools of MCP servers: official servers from npm, and one that misbehaves."""

import json
import os
import subprocess
import sys
import time

from harness import BINARY, call, finish, main, write
from mcp_peer import SDKS, SOURCE, McpTestCase

FAKE = os.path.join(SOURCE, "tests", "support", "fake_mcp_server.py")
STATELESS_SERVER = os.path.join(SOURCE, "tests", "cli", "mcp", "stateless_server.mjs")
ALLOW = {"permissions": {"allow": ["*"]}}


def official(name, *arguments):
    return {"command": "node", "args": [os.path.join(SDKS, "node_modules", "@modelcontextprotocol", f"server-{name}",
                                                     "dist", "index.js"), *arguments]}


def fake(mode, **more):
    return {"command": [sys.executable, FAKE, mode], **more}


class McpClientTest(McpTestCase):
    def configure(self, servers, **more):
        """The user's own settings; JSON is YAML."""
        folder = os.path.join(self.home, ".config", "stile")
        os.makedirs(folder, exist_ok=True)
        # The sandbox hides homes: what the servers are made of has to be seen.
        settings = {"mcp_servers": servers, "sandbox": {"read": [os.path.join(SOURCE, "build", "mcp_sdks"), FAKE,
                                                                 STATELESS_SERVER]}, **more}
        with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def observe(self, *calls, arguments=(), code=0, **more):
        """Plays calls, one a turn, and a finish. Gives their observations and the warnings."""
        result = self.run_task(*calls, finish(), arguments=("--json", *arguments), **more)
        self.assert_exit(result, code)
        events = self.events(result)
        return ([event["observation"] for event in events if event["type"] == "tool_finished"],
                [event["text"] for event in events if event["type"] == "log"])

    # Official servers ----------------------------------------------------------------------

    def test_everything_on_stdio(self):
        self.need_clients()
        self.configure({"all": {**official("everything"), "read_only": ["echo", "get-*"]}}, **ALLOW)
        answers, warnings = self.observe(
            call("all.echo", message="héllo"), call("all_get-sum", a=2, b=40), call("all.get-structured-content", location="New York"),
            call("all.get-tiny-image"), call("all.get-resource-reference", resourceType="Text", resourceId=1),
            call("all.get-resource-links", count=2), call("all.trigger-long-running-operation", duration=1, steps=2),
            call("all.get-roots-list"), call("all.get-sum", a="two"))
        self.assertEqual(warnings, [])
        for answer, expected in zip(answers, ("héllo", "42", "temperature", "[image image/png", "resource", "demo://resource",
                                              "completed", self.workspace, "expected number"), strict=True):
            self.assertIn(expected, answer)

    def test_resources_are_read(self):
        self.need_clients()
        self.configure({"all": official("everything"), "none": fake("plain")}, **ALLOW)
        answers, _ = self.observe(call("mcp.list_resources"), call("mcp.list_resources", server="none"),
                                  call("mcp.read_resource", server="all", uri="demo://resource/static/document/features.md"),
                                  call("mcp.read_resource", server="all", uri="demo://nothing"),
                                  call("mcp.read_resource", server="al", uri="x"))
        self.assertIn("demo://resource/static/document/features.md", answers[0])
        self.assertIn("no server 'none' has resources; those that have: all", answers[1])
        self.assertIn("Everything", answers[2])
        self.assertIn("not found", answers[3])
        self.assertIn("there is no MCP server 'al' under mcp_servers, did you mean 'all'?", answers[4])
        for rules in ({"allow": ["*"], "deny": ["mcp.read_resource(all)"]}, {}):
            self.configure({"all": official("everything")}, permissions=rules)
            self.assertIn("Permission denied", self.observe(call("mcp.read_resource", server="all", uri="x"))[0][0])

    def test_a_file_that_a_server_writes_is_judged(self):
        self.need_clients()
        self.configure({"files": official("filesystem", self.workspace)}, **ALLOW)
        good = call("files.write_file", path=self.path("good.py"), content="x = 1\n")
        bad = call("files.write_file", path=self.path("good.py"), content="def broken(:\n")
        result = self.run_task(good, bad, *[call("code.validate")] * 5, finish())
        self.assert_exit(result, 3)
        self.assertEqual(self.read("good.py"), "def broken(:\n")
        answers, _ = self.observe(good, call("code.validate"))
        self.assertIn("Successfully wrote", answers[0])
        self.assertEqual(self.read("good.py"), "x = 1\n")

    def test_a_server_that_writes_unasked_is_judged(self):
        # Settings call the tool read-only; what it writes is seen at the finish all the same.
        self.configure({"x": fake("writes", read_only=["do"])})
        result = self.run_task(write("a.py", "x = 1\n"), call("code.validate"), call("x.do"), finish(), finish())
        self.assert_exit(result, 5)  # the cassette ends before the run does
        self.assertIn("1 changed file is not validated (written.py)", result.stderr)

    def test_a_server_keeps_its_state_for_a_run(self):
        self.need_clients()
        self.configure({"memory": {**official("memory"), "env": {"MEMORY_FILE_PATH": self.path("memory.json")}}}, **ALLOW)
        entity = {"name": "Ada", "entityType": "person", "observations": ["wrote programs"]}
        answers, _ = self.observe(call("memory.create_entities", entities=[entity]), call("memory.search_nodes", query="programs"))
        self.assertIn("Ada", answers[1])

    def test_everything_over_http(self):
        self.need_clients()
        port = self.port()
        everything = official("everything", "streamableHttp")
        self.serve_program(port, everything["command"], *everything["args"])
        self.configure({"web": {"url": f"http://127.0.0.1:{port}/mcp"}}, **ALLOW)
        answers, warnings = self.observe(call("web.echo", message="over HTTP"),
                                         call("web.trigger-long-running-operation", duration=1, steps=3))
        self.assertEqual(warnings, [])
        self.assertIn("over HTTP", answers[0])
        self.assertIn("completed", answers[1])

    def test_a_server_of_the_newest_revision_alone(self):
        self.need_clients()
        port = self.port()
        self.serve_program(port, "node", STATELESS_SERVER, str(port))
        self.configure({"pipe": {"command": ["node", STATELESS_SERVER], "env": {"MCP_SDKS": SDKS}},
                        "web": {"url": f"http://127.0.0.1:{port}/mcp"}}, **ALLOW)
        for server in ("pipe", "web"):
            answers, warnings = self.observe(call(f"{server}.add", a=1, b=2), call(f"{server}.greet"))
            self.assertEqual(warnings, [])
            self.assertEqual(answers, ["3", "No name: decline."])

    # Workflows -----------------------------------------------------------------------------

    def flow(self, steps):
        """The outputs of a workflow's steps, and the exit code."""
        self.write("w.yaml", json.dumps({"steps": steps}))
        result = self.stile("workflow", "run", "w.yaml", "--json")
        events = [json.loads(line) for line in result.stdout.splitlines()]
        ended = {event["step"]: event for event in events if event["type"] == "workflow_step_finished"}
        return ended, result.returncode

    def test_steps_of_workflows_use_tools_and_resources(self):
        self.need_clients()
        self.configure({"all": official("everything"), "x": fake("writes"), "y": fake("fails")})
        uri = "demo://resource/static/document/features.md"
        steps, code = self.flow({
            "sum": {"type": "tool", "tool": "all.get-sum", "arguments": {"a": 1, "b": 41}},
            "weather": {"type": "tool", "tool": "all.get-structured-content", "arguments": {"location": "Chicago"}},
            "text": {"type": "resource", "server": "all", "uri": uri},
            "write": {"type": "tool", "tool": "x.do"},
            "joined": {"type": "script", "depends_on": ["sum", "weather", "text", "write"],
                       "content": "return [outputs.sum.includes('42'), typeof outputs.weather.temperature, "
                                  "outputs.text.includes('Everything'), outputs.write]"}})
        self.assertEqual(code, 0, steps)
        self.assertEqual(steps["joined"]["output"], [True, "number", True, "written"])
        self.assertIn("written.py", json.dumps(steps["write"]))

    def test_steps_that_a_server_refuses_fail(self):
        self.configure({"y": fake("fails"), "z": fake("plain"), "w": fake("ends")}, permissions={"deny": ["z.*"]})
        for step, message in (({"type": "tool", "tool": "y.do"}, "it is broken"),
                              ({"type": "tool", "tool": "z.do"}, "Permission denied"),
                              ({"type": "tool", "tool": "w.do"}, "no licence"),
                              ({"type": "resource", "server": "y", "uri": "x"}, "unknown"),
                              ({"type": "resource", "server": "nobody", "uri": "x"}, "no MCP server 'nobody'")):
            steps, code = self.flow({"a": step})
            self.assertEqual(code, 1)
            self.assertIn(message, json.dumps(steps["a"]))

    # Consent -------------------------------------------------------------------------------

    def test_a_tool_asks_unless_settings_know_better(self):
        self.configure({"x": fake("plain")})
        answers, _ = self.observe(call("x.do"))
        self.assertIn("Permission denied", answers[0])
        self.assertEqual(self.observe(call("x.do"), arguments=["--yes"])[0], ["done"])
        self.configure({"x": fake("plain", read_only=["do"])})
        self.assertEqual(self.observe(call("x.do"))[0], ["done"])
        self.configure({"x": fake("plain", read_only=["do"])}, permissions={"deny": ["x.*"]})
        self.assertIn("Permission denied", self.observe(call("x.do"))[0][0])
        self.configure({"x": fake("plain")}, permissions={"allow": ["x.do"]})
        self.assertEqual(self.observe(call("x.do"))[0], ["done"])

    def test_settings_choose_the_tools(self):
        self.configure({"x": fake("plain", tools=["other*"])}, **ALLOW)
        self.assertIn("unknown tool 'x.do'", self.observe(call("x.do"))[0][0])
        self.configure({"x": fake("plain")}, **ALLOW)
        self.configure({"x": fake("plain")}, permissions={"deny": ["x.do(foo)"]})
        self.assertIn("Permission denied", self.observe(call("x.do"), arguments=["--yes"])[0][0])
        self.configure({"x": fake("plain")}, permissions={"deny": ["mcp.*"]})
        self.assertIn("Permission denied", self.observe(call("x.do"), arguments=["--yes"])[0][0])
        # A reviewer changes nothing, and its profile lists what it may use.
        self.assertIn("unknown tool 'x.do'", self.observe(call("x.do"), arguments=["--agent", "code-review"])[0][0])

    def test_a_repository_starts_nothing(self):
        self.write("stile.yaml", json.dumps({"mcp_servers": {"x": {"command": ["touch", self.path("started")]}}}))
        result = self.run_task(call("x.do"), finish())
        self.assertIn("stile.yaml:1: mcp_servers is ignored", result.stderr)
        self.assertFalse(os.path.exists(self.path("started")))

    def test_a_program_gets_its_own_secrets_alone(self):
        self.env.update(MY_API_KEY="hidden", SOURCE_OF_IT="from outside")
        self.configure({"x": fake("environment", env={"GIVEN": "${SOURCE_OF_IT}!"})}, **ALLOW)
        given = json.loads(self.observe(call("x.do"))[0][0])
        self.assertEqual((given["GIVEN"], given["MY_API_KEY"]), ("from outside!", None))
        self.configure({"x": fake("environment", env={"GIVEN": "${NOT_THERE}"})}, **ALLOW)
        self.assertIn("needs the environment variable NOT_THERE, which is not set", self.observe(finish())[1][0])

    def test_settings_that_are_wrong_are_named(self):
        for servers, message in (
                ({"a b": {"command": "x"}}, "'a b' cannot be the name of a server"),
                ({"mcp": {"command": "x"}}, "'mcp' cannot be the name of a server"),
                ({"x": {}}, "give either the command of a program, or the url of a server"),
                ({"x": {"command": "a", "url": "http://b"}}, "give either the command"),
                ({"x": {"url": "ftp://b"}}, "it must begin with http:// or https://"),
                ({"x": {"url": "http://b", "env": {"A": "b"}}}, "it is for servers with a command"),
                ({"x": {"command": "a", "headers": {"A": "b"}}}, "it is for servers with a url"),
                ({"x": {"url": "http://b", "headers": {"A": "b\nC: d"}}}, "it must be one line"),
                ({"x": {"command": "a", "tools": []}}, "give at least one pattern"),
                ({"x": {"command": "a", "cwd": ""}}, "it must not be empty"),
                ({"functions": {"command": "a"}}, "'functions' cannot be the name of a server"),
                ({"x": {"command": "a", "timeout_s": 0}}, "it must lie between 1 and 3600"),
                ({"x": {"comand": "a"}}, "unknown key 'comand', did you mean 'command'?"),
                (["x"], "expected names of servers and settings")):
            self.configure(servers)
            result = self.run_task(finish())
            self.assert_exit(result, 2)
            self.assertIn(message, result.stderr)
            self.assertIn("config.yaml:1", result.stderr)

    # Servers that misbehave ----------------------------------------------------------------

    def answer_of(self, mode, **more):
        self.configure({"x": fake(mode, **more)}, **ALLOW)
        answers, warnings = self.observe(call("x.do"))
        self.assertEqual(warnings, [])
        return answers[0]

    def test_answers_that_are_none(self):
        self.assertIn("it ended: exit status 3: out of cheese", self.answer_of("dies"))
        self.assertIn("no answer within 1s", self.answer_of("hangs", timeout_s=1))
        self.assertIn("it has no content", self.answer_of("no-content"))
        self.assertIn("the result is no object", self.answer_of("no-object"))
        self.assertIn("lines that are no messages; the first is: no message", self.answer_of("no-lines"))
        self.assertIn("x.do gave no answer", self.answer_of("flood"))
        self.assertEqual(self.answer_of("bytes"), "\ufffd")
        self.assertEqual(self.answer_of("half"), "cut \ufffd")
        self.assertIn("it sent a message that is no JSON", self.answer_of("no-json"))
        self.assertEqual(self.answer_of("twice"), "first")
        self.assertEqual(self.answer_of("chatty"), "done")
        self.assertEqual(self.answer_of("fails"), "x.do failed: it is broken")
        self.assertEqual(self.answer_of("asks"), "refused with -32601")
        self.assertIn("left out", self.answer_of("large"))

    def test_servers_that_cannot_be_used_do_not_stop_a_run(self):
        for mode, message in (("ends", "it ended: exit status 4: no licence"),
                              ("old", "it speaks revision '1999-01-01' of the protocol, which Stile does not know")):
            self.configure({"x": fake(mode)}, **ALLOW)
            answers, warnings = self.observe(write("a.txt", "text\n"))
            self.assertEqual(len(answers), 1)
            self.assertIn("the MCP server x has no tools for this run: ", warnings[0])
            self.assertIn(message, warnings[0])
        self.configure({"x": {"command": "no-such-program"}, "y": {"url": "http://127.0.0.1:9/mcp"}}, **ALLOW)
        _, warnings = self.observe(finish())
        self.assertIn("no-such-program", warnings[0])
        self.assertIn("the MCP server y has no tools for this run", warnings[1])

    def test_tools_that_cannot_be_used_are_left_out(self):
        self.configure({"x": fake("odd-tools")}, **ALLOW)
        answers, warnings = self.observe(call("x.do"), call("x.list"))
        self.assertEqual(answers, ["done", "done"])
        for text, name in zip(warnings, ("x.d_o", "x.no name", "x.xxx", "x.text"), strict=True):
            self.assertIn(f"the tool {name}", text)
        for mode in ("many", "endless-list", "cycle"):
            self.configure({"x": fake(mode)}, **ALLOW)
            answers, warnings = self.observe(call("x.t999" if mode == "many" else "x.do", text="x" * 40_000), call("x.t1000"))
            self.assertEqual(answers[0], "done")
            self.assertEqual(len(warnings), 1 if mode == "endless-list" else 0)  # the page that came twice
            self.assertIn("unknown tool 'x.t1000'", answers[1])
        # The name of Stile's own tool stays with it.
        self.write("a.txt", "text of the file\n")
        self.configure({"file": fake("imposter")}, **ALLOW)
        answers, warnings = self.observe(call("file.read", path="a.txt"))
        self.assertIn("text of the file", answers[0])
        self.assertIn("another tool has this name", warnings[0])

    def test_a_server_that_ends_is_started_again(self):
        self.configure({"x": fake("dies")}, **ALLOW)
        # The first pause is 1 s: the second call comes too soon, the third does not.
        answers, _ = self.observe(call("x.do"), call("x.do"), call("shell.execute", command="sleep 1.1"), call("x.do"))
        self.assertIn("x.do gave no answer: it ended", answers[0])
        self.assertIn("x.do gave no answer: the MCP server x: it ended", answers[1])
        self.assertIn("x.do gave no answer: it ended", answers[3])

    def test_an_interrupted_call_is_not_repeated(self):
        self.configure({"x": fake("counts")}, **ALLOW)
        command = [os.path.abspath(BINARY), "run", "-t", "x", "--model", self.cassette(call("x.do"), finish()), "--json"]
        process = subprocess.Popen(command, cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        counter = os.path.join(self.root, "calls")
        for _ in range(600):
            if os.path.exists(self.path("calls")):
                break
            time.sleep(0.05)
        process.kill()
        process.communicate()
        os.rename(self.path("calls"), counter)
        run = self.runs()[0]["id"]
        result = self.stile("runs", "resume", run, "--json")
        answers = [json.loads(line).get("observation", "") for line in result.stdout.splitlines()]
        self.assertTrue(any("This call was interrupted when the run was stopped: " in answer for answer in answers), answers)
        self.assertFalse(os.path.exists(self.path("calls")))

    def test_what_a_server_writes_after_the_finish_is_not_accepted(self):
        self.configure({"x": fake("writes-last")})
        result = self.run_task(write("a.py", "x = 1\n"), call("code.validate"), finish(), arguments=("--json",))
        self.assert_exit(result, 3)
        finished = self.events(result)[-1]
        self.assertIn("files changed after the gate had accepted them, as MCP servers can do: late.py", finished["message"])
        self.assertIsNone(finished["certificate"])

    def test_servers_of_other_profiles_are_not_started(self):
        self.configure({"x": fake("ends")})
        self.assertEqual(self.observe(finish(), arguments=["--agent", "code-review"])[1], [])


if __name__ == "__main__":
    main()
