#!/usr/bin/env python3
"""`stile mcp call`, `read` and `list`, and `stile app` whose tools are those of an MCP server of the official SDK."""

import json
import os
import subprocess

from app_test import LoopCase
from harness import BINARY, VALIDATE, call, finish, main, write
from mcp_peer import SDKS, SOURCE, McpTestCase

SERVER = os.path.join(SOURCE, "tests", "cli", "mcp", "app_server.mjs")
STDIO = {"command": ["node", SERVER], "env": {"MCP_SDKS": SDKS}}
CALL = "stile mcp call app.app_"


class McpCallCase(McpTestCase):
    def configure(self, servers=None, **more):
        """The user's own settings; JSON is YAML."""
        self.env["XDG_CONFIG_HOME"] = os.path.join(self.root, "config")
        folder = os.path.join(self.root, "config", "stile")
        os.makedirs(folder, exist_ok=True)
        settings = {"mcp_servers": {"app": STDIO} if servers is None else servers,
                    "sandbox": {"read": [SDKS, SERVER]}, **more}
        with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def serve(self):
        """The server over HTTP; gives its settings."""
        port = self.port()
        self.serve_program(port, "node", SERVER, str(port))
        return {"url": f"http://127.0.0.1:{port}/mcp"}


class McpCallTest(McpCallCase):
    def setUp(self):
        super().setUp()
        self.need_clients()
        self.configure()

    def mcp(self, *words, code=0, **more):
        result = self.stile("mcp", *words, cwd=self.workspace, **more)
        self.assert_exit(result, code)
        return result

    def test_calls_take_texts_files_and_json(self):
        self.write("good.app", "title Hello\n")
        self.assertEqual(self.mcp("call", "app.count", "numbers:=[1, 2.5]", "note=a=b").stdout, "3.5 a=b\n")
        self.write("numbers.json", "[40, 2]")
        self.assertEqual(self.mcp("call", "app.count", "numbers:=@numbers.json").stdout, "42 \n")
        self.assertEqual(json.loads(self.mcp("call", "app.app_validate", "source=@good.app").stdout),
                         {"valid": True, "diagnostics": []})
        # A structured result is printed as one line.
        self.assertEqual(self.mcp("call", "app.app_lint", "source=text").stdout,
                         '{"hints":[{"level":"error","message":"there is no title"}]}\n')
        answer = json.loads(self.mcp("call", "app.count", "numbers:=[]", "--json").stdout)
        self.assertEqual(answer, {"isError": False, "text": "0 ", "structured": None})

    def test_a_failure_of_the_tool_and_no_answer_differ(self):
        with open(self.path("latin.app"), "wb") as file:
            file.write(b"\xe9")
        self.assertIn("this title cannot be transpiled",
                      self.mcp("call", "app.app_transpile", "source=title UNPARSABLE", code=1).stdout)
        self.assertIn("internal error", self.mcp("call", "app.app_transpile", "source=title THROW", code=1).stdout)
        self.assertIn("expected array", self.mcp("call", "app.count", "numbers=one", code=1).stdout)
        self.assertIn("did you mean 'app'?", self.mcp("call", "ap.count", code=126).stderr)
        self.assertIn("app.app_transpile: it ended", self.mcp("call", "app.app_transpile", "source=title EXIT", code=126).stderr)
        for word, words in (("=x", "is no argument"), ("x", "is no argument"), ("x:={", "x: invalid JSON"), ("source=@missing", "missing"),
                            ("source=@latin.app", "not UTF-8")):
            self.assertIn(words, self.mcp("call", "app.count", word, code=126).stderr)
        self.assertIn("given twice", self.mcp("call", "app.count", "a=1", "a=2", code=126).stderr)
        self.assertIn("give SERVER.TOOL", self.mcp("call", "count", code=126).stderr)
        self.mcp("call", "app.count", "--unknown", code=2)
        self.configure(permissions={"deny": ["app.count"]})
        self.assertIn("app.count", self.mcp("call", "app.count", "numbers:=[1]", code=126).stderr)
        self.configure({"app": {**STDIO, "tools": ["app_*"]}})
        self.assertIn("leaves out app.count", self.mcp("call", "app.count", "numbers:=[1]", code=126).stderr)
        self.configure({"app": {**STDIO, "timeout_s": 1}})
        self.assertRegex(self.mcp("call", "app.app_transpile", "source=title HANG", code=126).stderr, "app.app_transpile: .* 1s")

    def test_files_of_a_result_are_written_or_nothing_is(self):
        result = self.mcp("call", "app.app_transpile", "source=title Hello", "--files", "out")
        self.assertEqual(json.loads(result.stdout)["files"], [{"path": "package.json"}, {"path": "src/server.js"}])
        self.assertEqual(json.loads(result.stdout)["stats"]["fileCount"], 2)
        self.assertIn("Hello", self.read("out/src/server.js"))
        again = self.mcp("call", "app.app_transpile", "source=title Other", "--files", "out", code=126)
        self.assertIn("not empty", again.stderr)
        self.assertIn("Hello", self.read("out/src/server.js"))
        for title, words in (("ESCAPE", "'../../escaped.js'"), ("HUGE", "package.json without its content"),
                             ("CLASH", "package.json as a file and as a folder")):
            self.assertIn(words, self.mcp("call", "app.app_transpile", f"source=title {title}", "--files", title, code=126).stderr)
            self.assertFalse(os.path.exists(self.path(title)))
        self.assertIn("no files", self.mcp("call", "app.count", "numbers:=[1]", "--files", "none", code=126).stderr)
        self.assertIn("cannot be transpiled",
                      self.mcp("call", "app.app_transpile", "source=title UNPARSABLE", "--files", "none", code=1).stdout)
        self.assertFalse(os.path.exists(self.path("none")))

    def test_files_are_written_whole_or_not_at_all(self):
        # What cannot be written: a name that is too long for the file system.
        result = self.mcp("call", "app.app_transpile", "source=title LONG", "--files", "out", code=126)
        self.assertIn("long", result.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_flags_of_the_server_hold_before_and_behind_the_verb(self):
        for words in (("-C", self.workspace, "call", "app.count", "numbers:=[1]"), ("call", "app.count", "numbers:=[1]", "-C", self.workspace)):
            self.assert_exit(self.stile("mcp", *words, cwd=self.root), 0)
        self.assert_exit(self.stile("mcp", "-C", self.path("none"), "call", "app.count", cwd=self.root), 126)

    def test_escapes_of_a_server_are_harmless_on_a_terminal(self):
        with open(self.path("esc.txt"), "w", encoding="utf-8") as file:
            file.write("\x1b[2J\u009b\u202e")
        words = [os.path.abspath(BINARY), "mcp", "call", "app.count", "numbers:=[1]", "note=@esc.txt"]
        self.assertIn("\x1b[2J", self.mcp(*words[2:]).stdout)
        script = subprocess.run(["script", "-qec", " ".join(f"'{word}'" for word in words), "/dev/null"], cwd=self.workspace,
                                env=self.env, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        for byte in (b"\x1b", b"\xc2\x9b", b"\xe2\x80\xae"):
            self.assertNotIn(byte, script.stdout)
        self.assertIn(b"1 ", script.stdout)

    def test_resources_and_the_list(self):
        self.assertIn("THE-SPEC", self.mcp("read", "app", "app://spec").stdout)
        self.assertIn("app://none", self.mcp("read", "app", "app://none", code=126).stderr)
        listed = self.mcp("list").stdout
        for word in ("app (", "  app.app_validate  Validates a source.", "  app://spec  spec"):
            self.assertIn(word, listed)
        self.configure({"app": {**STDIO, "read_only": ["count"]}, "web": self.serve(), "gone": {"command": ["no-such-program"]}})
        servers = {server["name"]: server for server in json.loads(self.mcp("list", "--json", code=1).stdout)}
        self.assertEqual([tool["name"] for tool in servers["app"]["tools"] if tool["read_only"]], ["app.count"])
        self.assertEqual(servers["web"]["resources"][0]["uri"], "app://spec")
        self.assertIn("no-such-program", servers["gone"]["failure"])
        self.configure({})
        self.assertIn("mcp_servers", self.mcp("list").stdout)

    def test_a_step_of_a_workflow_has_to_say_that_it_calls(self):
        self.write("flow.yaml", """\
version: "1.0"
steps:
  with: {type: command, mcp: true, exec: "stile mcp call app.count numbers:=[1]; stile mcp read app app://spec"}
  both: {type: command, mcp: true, exec: "stile mcp call app.count numbers:=[1] & stile mcp call app.count numbers:=[2] & wait"}
  without: {type: command, exec: "test -z $STILE_MCP_SOCKET"}
  denied: {type: command, mcp: true, exec: "stile mcp call app.app_lint source=x; test $? = 126"}
  named: {type: command, mcp: "app.c* app:app://spec", exec: "stile mcp call app.count numbers:=[7] && stile mcp read app app://spec"}
  other: {type: command, mcp: "app.count", exec: "stile mcp call app.app_validate source=x 2>&1; test $? = 126"}
  listed: {type: command, mcp: true, exec: "stile mcp list 2>&1; test $? = 126"}
""")
        self.configure(permissions={"deny": ["app.app_lint"]})
        result = self.stile("workflow", "run", "flow.yaml", "--json", cwd=self.workspace)
        self.assert_exit(result, 0)
        outputs = {event["step"]: event.get("output") for event in self.events(result) if event["type"] == "workflow_step_finished"}
        self.assertIn("1 \nA line begins", str(outputs["with"]))
        self.assertEqual(sorted(str(outputs["both"]).split()), ["1", "2"])
        self.assertIn("7 \nA line begins", str(outputs["named"]))
        self.assertIn("app.app_validate is not among the names that `mcp` of this step allows: app.count", str(outputs["other"]))
        self.write("flow.yaml", 'version: "1.0"\nsteps:\n  a: {type: command, mcp: maybe, exec: x}\n')
        self.assertIn("flow.yaml:3", self.stile("workflow", "run", "flow.yaml", cwd=self.workspace).stderr)


    def test_a_command_calls_by_the_program_that_runs_it(self):
        # Another version of the program stands first on the PATH.
        self.write("bin/stile", "#!/bin/sh\nexit 7\n")
        os.chmod(self.path("bin/stile"), 0o755)
        self.env["PATH"] = self.path("bin") + ":" + self.env["PATH"]
        self.write("flow.yaml", 'version: "1.0"\nsteps: {a: {type: command, mcp: app.count, exec: "stile mcp call app.count numbers:=[9]"}}\n')
        result = self.stile("workflow", "run", "flow.yaml", "--json", cwd=self.workspace)
        self.assert_exit(result, 0)
        self.assertIn('"a":"9"', result.stdout)


class McpLoopTest(LoopCase, McpCallCase):
    def setUp(self):
        super().setUp()
        self.need_clients()
        self.configure()

    def arguments(self, *more):
        tools = {"--validate": CALL + "validate source=@$SOURCE", "--lint": CALL + "lint source=@$SOURCE",
                 "--transpile": CALL + "transpile source=@$SOURCE --files $OUT"}
        return super().arguments(*[word for flag, tool in tools.items() if flag not in more for word in (flag, tool)], *more)

    def test_repaired_and_delivered_with_tools_of_a_server(self):
        result = self.loop("--reference", "app:app://spec", "--smoke", "L1", task="titel Hello\nother x\n",
                           repairs=["@block\ntitle Hello\n", "title UNPARSABLE\n", "title Hello\n"])
        self.assert_exit(result, 0)
        report = self.report(result)
        self.assertEqual((report["status"], report["repair_attempts"], report["smoke_test"]), ("success", 3, "L1_PASS"))
        self.assertEqual(report["transpile_stats"], {"fileCount": 2, "components": ["server"]})
        places = [[(error.get("line"), error.get("column")) for error in repair["errors_in"] if error["tool"] != "lint"]
                  for repair in report["repairs"]]
        self.assertEqual(places, [[(1, 1), (2, 1)], [(1, 2)], [(1, 7)]])
        self.assertIn("Hello", self.read("output/src/server.js"))
        prompts = [line["user_prompt"] for run in self.runs("--steps") for line in self.journal(run["id"])[:1] if "user_prompt" in line]
        self.assertEqual(["THE-SPEC" in prompt for prompt in prompts], [True] * 4)

    def test_over_http(self):
        self.configure({"app": self.serve()})
        self.assert_exit(self.loop("--smoke", "none", source="title Hello\n"), 0)
        self.assertIn("Hello", self.read("output/src/server.js"))

    def test_commands_call_only_the_tools_that_they_name(self):
        self.write("check.sh", "stile mcp call app.count numbers:=[1]\n")
        report = self.assert_failed(self.loop("--validate", "sh check.sh", source="title Hello\n"), "validate", "126")
        self.assertEqual(report["repair_attempts"], 0)
        self.write("check.sh", "stile mcp call app.app_lint source=title\n")
        self.assert_exit(self.loop("--validate", "sh check.sh", source="title Hello\n"), 0)

    def test_outputs_that_differ_and_servers_that_fail(self):
        for title, words in (("RANDOM", "not deterministic"), ("THROW", "internal error"), ("HUGE", "without its content"),
                             ("EXIT", "app.app_transpile: it ended")):
            with self.subTest(title):
                self.assert_failed(self.loop(source=f"title {title}\n"), "transpile", words)
        self.configure({"app": {"command": ["no-such-program"]}})
        # The tool does not work, so there is nothing to repair.
        report = self.assert_failed(self.loop(source="title Hello\n"), "validate", "no-such-program")
        self.assertEqual(report["repair_attempts"], 0)
        self.configure()
        self.assert_failed(self.loop("--reference", "app:app://none", source="title Hello\n"), "generate", "app://none")

    def test_a_hung_server_ends_with_the_step(self):
        self.configure({"app": {**STDIO, "timeout_s": 3600}})
        self.assert_failed(self.loop("--transpile-timeout-ms", "3000", source="title HANG\n"), "transpile", "3000 ms")
        self.assertEqual(subprocess.run(["pgrep", "-f", self.workspace], capture_output=True, text=True, check=False).stdout, "")


class McpFilesTest(McpCallCase):
    """mcp_servers in the files of stories and workflows."""

    def setUp(self):
        super().setUp()
        self.need_clients()
        self.configure({}, permissions={"allow": ["app.*"]})
        self.init_git()

    def workflow(self, server, steps=None, code=0):
        steps = steps or {"sum": {"type": "tool", "tool": "app.count", "arguments": {"numbers": [1, 2]}},
                          "read": {"type": "resource", "server": "app", "uri": "app://spec"},
                          "call": {"type": "command", "mcp": True, "exec": "stile mcp call app.count numbers:=[5]"}}
        self.write("flow.yaml", json.dumps({"version": "1.0", "mcp_servers": {"app": server}, "steps": steps}))
        result = self.stile("workflow", "run", "flow.yaml", "--json", cwd=self.workspace)
        self.assert_exit(result, code)
        return result

    def test_a_workflow_brings_its_servers(self):
        result = self.workflow(STDIO)
        finished = [event for event in self.events(result) if event["type"] == "workflow_finished"][0]
        self.assertEqual((finished["outputs"]["sum"], finished["outputs"]["call"]), ("3", "5"))
        self.assertIn("THE-SPEC", finished["outputs"]["read"])
        self.write("flow.test.yaml", """\
version: "1.0"
workflow: flow.yaml
tests: {cases: [{name: sums, mocks: {read: x, call: x}, expect: {calls: {sum: 1, read: 1, call: 1}, outputs: [{step: sum, equals: "3"}]}}]}
""")
        self.assert_exit(self.stile("workflow", "test", "flow.test.yaml", cwd=self.workspace), 0)

    def test_a_story_brings_its_servers(self):
        turns = [call("app.count", numbers=[40, 2]), write("a.py", "x = 42\n"), VALIDATE, finish()]
        head = {"story": "Count", "mcp_servers": {"app": STDIO}}
        self.write("story.yaml", json.dumps({**head, "steps": [{"description": "Count."}]}))
        self.write("story.md", "---\n" + json.dumps(head) + "\n---\n1. Count.\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "stories")
        for file in ("story.yaml", "story.md"):
            result = self.stile("run", file, "--model", self.cassette(*turns), "--json", cwd=self.workspace)
            self.assert_exit(result, 0)
            self.assertEqual([event["observation"] for event in self.events(result) if event["type"] == "tool_finished"][0], "42 ")
        # The server belongs to the story: no other run has it.
        result = self.run_task(call("app.count", numbers=[1]), finish(), arguments=("--json",))
        self.assertIn("nknown tool", [event["observation"] for event in self.events(result) if event["type"] == "tool_finished"][0])

    def test_a_resumed_workflow_has_its_servers(self):
        steps = {"wait": {"type": "command", "exec": "test -e go"},
                 "sum": {"type": "tool", "tool": "app.count", "depends_on": ["wait"], "arguments": {"numbers": [1, 2]}}}
        run = self.events(self.workflow(STDIO, steps, code=1))[0]["run_id"]
        self.write("go", "")
        result = self.stile("runs", "resume", run, "--json")
        self.assert_exit(result, 0)
        self.assertIn('"sum":"3"', result.stdout)

    def test_addresses_the_network_and_variables_need_trust(self):
        web = self.serve()
        self.env["SECRET"] = "s"
        for server in (web, {**STDIO, "network": True}, {**STDIO, "env": {**STDIO["env"], "X": "${SECRET}"}}):
            refused = self.workflow(server, code=2)
            self.assertIn("flow.yaml:1: the MCP server app has a url, the network or a variable", refused.stderr)
            trusted = self.stile("trust", "flow.yaml", cwd=self.workspace)
            self.assertIn("flow.yaml:1: mcp_servers.app", trusted.stdout)
            self.workflow(server)
            self.stile("trust", "--revoke", "flow.yaml", cwd=self.workspace)
            self.workflow(server, code=2)
            self.stile("trust", "flow.yaml", cwd=self.workspace)
            # An edit takes the trust back.
            self.workflow({**server, "timeout_s": 7}, code=2)
        # Nothing was begun where the file was refused.
        self.assertEqual([run["outcome"] for run in self.runs()], ["succeeded"] * 3)

    def test_a_nested_workflow_names_no_servers(self):
        self.write("inner.yaml", json.dumps({"version": "1.0", "mcp_servers": {"app": STDIO}, "steps": {"a": {"type": "noop"}}}))
        self.write("flow.yaml", 'version: "1.0"\nsteps: {inner: {type: workflow, file: inner.yaml}}\n')
        result = self.stile("workflow", "run", "flow.yaml", cwd=self.workspace)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("inner.yaml:1: mcp_servers counts only in the file that is run", result.stdout + result.stderr)

    def test_without_a_sandbox_every_server_needs_trust(self):
        self.configure({}, permissions={"allow": ["app.*"]}, sandbox="off")
        refused = self.workflow(STDIO, code=2)
        self.assertIn("would run without a sandbox", refused.stderr)
        self.assert_exit(self.stile("trust", "flow.yaml", cwd=self.workspace), 0)
        self.workflow(STDIO)

    def test_rules_for_commands_hold_for_servers_of_a_file(self):
        self.configure({}, permissions={"allow": ["app.*"], "deny": ["shell.execute(node *)"]})
        self.assertIn("is a command that your rules for shell.execute do not allow", self.workflow(STDIO, code=2).stderr)
        # What an untrusted file says of its own tools does not count.
        self.configure({})
        self.write("story.yaml", json.dumps({"story": "Count", "mcp_servers": {"app": {**STDIO, "read_only": ["*"]}},
                                             "steps": [{"description": "Count."}]}))
        for expected in ("Permission denied", "42"):
            result = self.stile("run", "story.yaml", "--model", self.cassette(call("app.count", numbers=[40, 2]), finish()), "--json",
                                "--no-commit", "--allow-dirty", cwd=self.workspace)
            self.assertIn(expected, [event["observation"] for event in self.events(result) if event["type"] == "tool_finished"][0])
            self.stile("trust", "story.yaml", cwd=self.workspace)

    def test_an_extended_workflow_names_no_servers(self):
        self.write("base.yaml", json.dumps({"version": "1.0", "mcp_servers": {"app": STDIO}, "steps": {"a": {"type": "noop"}}}))
        self.write("flow.yaml", "extends: base.yaml\nsteps: {b: {type: noop}}\n")
        result = self.stile("workflow", "run", "flow.yaml", cwd=self.workspace)
        self.assert_exit(result, 2)
        self.assertIn("base.yaml:1: mcp_servers: counts only in the file that is run", result.stderr)

    def test_names_are_taken_once_and_mistakes_are_located(self):
        self.configure(permissions={"allow": ["app.*"]})
        self.assertIn("has the name of the one at", self.workflow(STDIO, code=2).stderr)
        self.configure({})
        self.assertIn("flow.yaml:1", self.workflow({"command": []}, code=2).stderr)
        linted = self.stile("workflow", "lint", "flow.yaml", cwd=self.workspace)
        self.assert_exit(linted, 2)
        self.assertIn("give either the command of a program, or the url of a server", linted.stdout + linted.stderr)


if __name__ == "__main__":
    main()
