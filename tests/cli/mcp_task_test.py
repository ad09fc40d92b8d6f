#!/usr/bin/env python3
"""`stile mcp`: calls as tasks in both eras of the protocol, and the pipelines (app, cycle, plan) as tools."""

import json
import os
import subprocess
import time

from harness import BINARY, GOOD_PYTHON, VALIDATE, call, finish, main, write, write_cassette
from mcp_peer import META, SDKS, STATELESS, McpTestCase
from mcp_test import BETTER_PYTHON, Server

EXTENSION = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
WITH_TASKS = {**META, CAPABILITIES: {"extensions": {EXTENSION: {}}}}
PLAN = {"story": "Add arithmetic", "steps": [
    {"name": name, "wave": wave, "description": f"Write {name}.py."} for name, wave in (("base", 1), ("left", 2), ("right", 2))]}
YES = json.dumps({"approved": True, "findings": []})
TEST = "from add import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
CHECK = "import sys\nsys.exit('title' not in open(sys.argv[1]).read() and sys.argv[1] + ':1:1: error: no title')\n"
MAKE = "import os, sys\nos.makedirs(sys.argv[2], exist_ok=True)\nopen(sys.argv[2] + '/out.txt', 'w').write(open(sys.argv[1]).read())\n"


class McpTaskTest(McpTestCase):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)
        self.init_git()

    def slow_project(self):
        """A validation of the workspace takes an hour."""
        self.write("stile.yaml", "validators:\n  slow: {level: build, files: ['*.py'], command: [sleep, '3611']}\n")
        self.assert_exit(self.stile("trust"), 0)

    def sleepers(self):
        """Processes of the slow project that are left."""
        found = subprocess.run(["pgrep", "-f", "sleep 3611"], capture_output=True, text=True, check=False).stdout.split()
        mine = []
        for pid in found:
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if self.home.encode() in file.read():
                        mine.append(pid)
            except OSError:
                pass
        return mine

    def test_an_official_client_has_calls_as_tasks(self):
        (info, tools, task, listed, wrong) = self.play(
            {"op": "info"}, {"op": "tools"}, {"op": "task", "name": "code_validate"}, {"op": "tasks"},
            {"op": "task", "name": "run", "arguments": {"task": "x", "maxTurns": 0}})
        self.assertEqual(info["result"]["capabilities"]["tasks"]["requests"], {"tools": {"call": {}}})
        support = {tool["name"]: tool.get("execution") for tool in tools["result"]}
        self.assertEqual(support["code_validate"], {"taskSupport": "optional"})
        self.assertEqual(support["run"], {"taskSupport": "optional"})
        self.assertIsNone(support["file_read"])
        result = task["result"]
        self.assertEqual((result["kinds"][0], result["kinds"][-1]), ("taskCreated", "result"))
        self.assertTrue(result["result"]["structuredContent"]["success"], result)
        self.assertEqual(result["again"]["structuredContent"], result["result"]["structuredContent"])
        self.assertEqual([(one["taskId"], one["status"]) for one in listed["result"]], [(result["task"]["taskId"], "completed")])
        # A result that is an error is the result of a task that failed.
        self.assertRegex(wrong["error"]["message"], "Task [0-9a-f]{32} failed")

    def test_a_task_is_cancelled(self):
        self.slow_project()
        (answer,) = self.play({"op": "task", "name": "code_validate", "cancel": True})
        self.assertEqual(answer["result"]["status"], "cancelled")
        self.assertEqual(self.sleepers(), [])

    def test_tasks_of_the_handshake(self):
        self.slow_project()
        server = Server(self)
        server.begin()
        task = server.ask("tools/call", {"name": "code_validate", "arguments": {}, "task": {"ttl": 60000}})["result"]["task"]
        self.assertEqual((task["status"], task["ttl"]), ("working", 60000))
        self.assertEqual(server.ask("tasks/get", {"taskId": task["taskId"]})["result"]["status"], "working")
        # Waits for the end, and can be cancelled without the task.
        server.send({"jsonrpc": "2.0", "id": "waits", "method": "tasks/result", "params": {"taskId": task["taskId"]}})
        server.send({"jsonrpc": "2.0", "id": "waits too", "method": "tasks/result", "params": {"taskId": task["taskId"]}})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "waits"}})
        self.assertEqual(server.ask("tasks/get", {"taskId": task["taskId"]})["result"]["status"], "working")
        server.send({"jsonrpc": "2.0", "id": 90, "method": "tasks/cancel", "params": {"taskId": task["taskId"]}})
        answers = {answer["id"]: answer for answer in (server.read(), server.read())}
        self.assertEqual(answers[90]["result"]["status"], "cancelled")
        self.assertIn("was cancelled", answers["waits too"]["error"]["message"])
        self.assertEqual(server.ask("tasks/cancel", {"taskId": task["taskId"]})["error"]["code"], -32602)
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            self.assertIn("there is no task gone", server.ask(method, {"taskId": "gone"})["error"]["message"])
        self.assertEqual(server.end(), 0)
        # Earlier revisions know no tasks.
        server = Server(self)
        server.begin("2025-06-18")
        self.assertEqual(server.ask("tasks/list")["error"]["code"], -32601)
        read = server.ask("tools/call", {"name": "file_read", "arguments": {"path": "a.py"}, "task": {}})
        self.assertIn("return a + b", read["result"]["content"][0]["text"])

    def test_tasks_without_a_handshake(self):
        server = Server(self)
        found = server.ask("server/discover", {"_meta": META})["result"]
        self.assertIn(EXTENSION, found["capabilities"]["extensions"])
        params = {"name": "code_validate", "arguments": {}}
        self.assertEqual(server.ask("tools/call", {**params, "_meta": META})["result"]["resultType"], "complete")
        task = server.ask("tools/call", {**params, "_meta": WITH_TASKS})["result"]
        self.assertEqual((task["resultType"], task["status"]), ("task", "working"))
        self.assertIsInstance(task["pollIntervalMs"], int)
        while True:
            now = server.ask("tasks/get", {"taskId": task["taskId"], "_meta": WITH_TASKS})["result"]
            if now["status"] != "working":
                break
            time.sleep(0.1)
        self.assertEqual((now["status"], now["resultType"]), ("completed", "complete"))
        self.assertTrue(now["result"]["structuredContent"]["success"])
        for method, meta in (("tasks/get", META), ("tasks/update", META), ("tasks/list", WITH_TASKS), ("tasks/result", WITH_TASKS)):
            answer = server.ask(method, {"taskId": task["taskId"], "_meta": meta})
            self.assertEqual(answer["error"]["code"], -32601, method)
        # What comes too late is acknowledged and changes nothing.
        for method in ("tasks/cancel", "tasks/update"):
            answer = server.ask(method, {"taskId": task["taskId"], "inputResponses": {"answer-1": {}}, "_meta": WITH_TASKS})
            self.assertEqual({key for key in answer["result"] if key != "_meta"}, {"resultType"}, method)
            self.assertEqual(server.ask(method, {"taskId": "0" * 32, "_meta": WITH_TASKS})["error"]["code"], -32602)
        self.assertEqual(server.ask("tasks/get", {"taskId": task["taskId"], "_meta": WITH_TASKS})["result"]["status"], "completed")
        self.assertEqual(server.end(), 0)

    def play_task(self, tool, arguments, **more):
        """What the official client of the extension sees of one call."""
        self.need_clients()
        plan = {"command": [os.path.abspath(BINARY), "mcp"], "cwd": self.workspace, "env": self.env, "tool": tool,
                "arguments": arguments, **more}
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp", "tasks_client.mjs")
        result = subprocess.run(["node", script], input=json.dumps(plan), capture_output=True, text=True, timeout=300,
                                env={**os.environ, "MCP_SDKS": SDKS}, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_the_official_client_of_the_extension_follows_a_task(self):
        seen = self.play_task("code_validate", {})
        self.assertEqual((seen["kind"], seen["status"], seen.get("error")), ("task", "completed", None))
        self.assertTrue(seen["result"]["structuredContent"]["success"])
        self.assertEqual(seen["asked"], [])
        self.slow_project()
        seen = self.play_task("code_validate", {}, cancel=True)
        self.assertEqual((seen["kind"], seen["status"]), ("task", "cancelled"))
        self.assertIn("tasks/cancel", seen["methods"])
        self.assertEqual(self.sleepers(), [])

    def test_a_task_asks_the_model_and_the_person_at_its_peer(self):
        calls = [call("file.write", path="a.py", content=BETTER_PYTHON), call("code.validate"), finish("swapped")]
        acts = [f"Action: {one['name']}\nAction Input: {json.dumps(one['arguments'])}" for one in calls]
        seen = self.play_task("run", {"task": "Swap the operands", "model": "sampling:"}, sampling=acts)
        self.assertEqual((seen["kind"], seen["status"], seen.get("error")), ("task", "completed", None))
        self.assertFalse(seen["result"]["isError"], seen["result"])
        self.assertEqual(self.read("a.py"), BETTER_PYTHON)
        self.assertEqual([(one["kind"], one["delivery"]) for one in seen["asked"]], [("sampling", "task-update")] * 3)
        self.assertIn("input_required", seen["states"])
        self.assertEqual(seen["methods"].count("tasks/update"), 3)
        self.write("stile.yaml", "permissions: {ask: [file.write]}\n")
        for allow in (True, False):
            self.write("a.py", GOOD_PYTHON)
            write_cassette(self.path("replies.jsonl"), [write("a.py", BETTER_PYTHON), VALIDATE, finish()])
            seen = self.play_task("run", {"task": "Swap", "model": "replay:" + self.path("replies.jsonl")}, allow=allow)
            self.assertEqual(seen["kind"], "task")
            self.assertEqual([one["kind"] for one in seen["asked"]], ["elicitation"])
            self.assertEqual(self.read("a.py"), BETTER_PYTHON if allow else GOOD_PYTHON)

    def test_a_task_that_asks_is_cancelled(self):
        server = Server(self)
        asking = {**META, CAPABILITIES: {"extensions": {EXTENSION: {}}, "sampling": {}}}
        task = server.ask("tools/call", {"name": "run", "arguments": {"task": "x", "model": "sampling:"}, "_meta": asking})["result"]
        while True:
            now = server.ask("tasks/get", {"taskId": task["taskId"], "_meta": asking})["result"]
            if now["status"] != "working":
                break
            time.sleep(0.05)
        self.assertEqual((now["status"], list(now["inputRequests"])), ("input_required", ["answer-1"]))
        # The answer to another question is ignored.
        server.ask("tasks/update", {"taskId": task["taskId"], "inputResponses": {"answer-2": {}}, "_meta": asking})
        self.assertEqual(server.ask("tasks/get", {"taskId": task["taskId"], "_meta": asking})["result"]["status"], "input_required")
        server.ask("tasks/cancel", {"taskId": task["taskId"], "_meta": asking})
        self.assertEqual(server.ask("tasks/get", {"taskId": task["taskId"], "_meta": asking})["result"]["status"], "cancelled")
        began = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.monotonic() - began, 60)  # not the ten minutes of a question

    def test_a_server_ends_although_tasks_work(self):
        self.slow_project()
        server = Server(self)
        server.begin()
        server.ask("tools/call", {"name": "code_validate", "arguments": {}, "task": {}})
        self.assertEqual(server.end(), 0)
        self.assertEqual(self.sleepers(), [])

    def test_tools_that_are_quick_are_no_tasks(self):
        server = Server(self)
        server.begin()
        refused = server.ask("tools/call", {"name": "file_read", "arguments": {"path": "a.py"}, "task": {}})
        self.assertEqual(refused["error"]["code"], -32601)

    # Pipelines -----------------------------------------------------------------------------

    def replies(self, name, *turns):
        folder = self.path("replies")
        os.makedirs(folder, exist_ok=True)
        write_cassette(os.path.join(folder, name + ".jsonl"), turns)
        return "replay:" + folder

    def test_an_application_is_delivered(self):
        self.write("check.py", CHECK)
        self.write("make.py", MAKE)
        self.git("add", "-A")
        self.git("commit", "-qm", "tools")
        model = self.replies("generate", write("x.app", "titel\n"), finish("written"))
        self.replies("repair", write("x.app", "title\n"), finish("repaired"))
        arguments = {"task": "Write a title", "source": "x.app", "validate": "python3 check.py $SOURCE",
                     "transpile": "python3 make.py $SOURCE $OUT", "smoke": "none", "model": model}
        (answer, outside, lacking, unknown) = self.play(
            {"op": "call", "name": "app", "arguments": arguments},
            {"op": "call", "name": "app", "arguments": {**arguments, "out": "../elsewhere"}},
            {"op": "call", "name": "app", "arguments": {"task": "x"}},
            {"op": "call", "name": "app", "arguments": {**arguments, "sauce": "x"}})
        result = answer["result"]
        self.assertFalse(result["isError"], result)
        report = result["structuredContent"]["report"]
        self.assertEqual((report["status"], report["repair_attempts"], report["output_files"]), ("success", 1, 1))
        self.assertEqual(self.read("output/out.txt"), "title\n")
        self.assertIn("Delivered 1 file to output", result["content"][0]["text"])
        for refused, words in ((outside, "give a path below the workspace"), (lacking, "source"), (unknown, "sauce")):
            self.assertTrue(refused["result"]["isError"])
            self.assertIn(words, refused["result"]["content"][0]["text"])

    def test_rules_hold_for_what_pipelines_do(self):
        self.write("stile.yaml", "permissions: {deny: ['shell.execute(rm *)', 'file.write(secret/**)']}\n")
        os.makedirs(self.path("secret"))
        self.git("add", "-A")
        self.git("commit", "-qm", "rules")
        arguments = {"source": "a.app", "validate": "rm -rf x", "transpile": "true"}
        calls = {"op": "call", "name": "app", "arguments": {**arguments, "validate": "stile mcp call tickets.delete id=7"}}
        model = self.replies("plan", *[finish(json.dumps(PLAN))] * 2)
        plan = {"goal": "Add arithmetic", "model": model}
        workflow = {"op": "call", "name": "workflow", "arguments": {
            "file": "builtin:app-loop", "inputs": {**arguments, "validate": "stile mcp call tickets.delete", "mcp": "true"}}}
        (denied, unasked, by_workflow, secret, settings) = self.play(
            {"op": "call", "name": "app", "arguments": arguments}, calls, workflow,
            {"op": "call", "name": "plan", "arguments": {**plan, "out": "secret/plan.yaml"}},
            {"op": "call", "name": "plan", "arguments": {**plan, "out": "stile.yaml", "replace": True}})
        for answer, words in ((denied, "validate: Permission denied"), (unasked, "tickets.delete"), (by_workflow, "needs the user's consent"),
                              (secret, "Permission denied"), (settings, "Permission denied")):
            self.assertTrue(answer["result"]["isError"], answer)
            self.assertIn(words, answer["result"]["content"][0]["text"])
        self.assertEqual(os.listdir(self.path("secret")), [])
        # Nor do commands or deliveries change the rules.
        given = {"source": "x.app", "transpile": "mkdir -p $OUT && cp $SOURCE $OUT/o", "smoke": "none"}
        self.write("x.app", "x")
        self.git("add", "-A")
        self.git("commit", "-qm", "more")
        (by_command, by_out, in_secret) = self.play(
            {"op": "call", "name": "app", "arguments": {**given, "validate": ": > stile.yaml"}},
            {"op": "call", "name": "app", "arguments": {**given, "validate": "true", "out": "stile.yaml", "replace": True}},
            {"op": "call", "name": "app", "arguments": {**given, "validate": "true", "out": "secret"}})
        for answer in (by_command, by_out, in_secret):
            self.assertTrue(answer["result"]["isError"], answer)
        self.assertIn("deny", self.read("stile.yaml"))

    def test_a_goal_becomes_a_story(self):
        model = self.replies("plan", *[finish(json.dumps(PLAN))] * 2)
        plan = {"op": "call", "name": "plan", "arguments": {"goal": "Add arithmetic", "model": model}}
        (told, written, again) = self.play(plan, *[{**plan, "arguments": {**plan["arguments"], "out": "plan.yaml"}}] * 2)
        self.assertIn("story: Add arithmetic", told["result"]["structuredContent"]["story"])
        self.assertFalse(written["result"]["isError"], written)
        self.assert_exit(self.stile("plan", "--check", "plan.yaml"), 0)
        self.assertIn("exists already", again["result"]["content"][0]["text"])

    def test_a_cycle_commits_what_its_auditors_approved(self):
        self.use_compilers()
        self.write("SPEC.md", "# Add numbers\n\nsrc/add.py has a function add(a, b); src/test_add.py tests it.\n")
        self.write(".gitignore", "__pycache__/\n.pytest_cache/\nreplies/\n")
        model = self.replies("coder", [write("src/add.py", GOOD_PYTHON), write("src/test_add.py", TEST), VALIDATE], finish("1"))
        self.replies("audit", finish(YES), finish(YES))
        cycle = {"op": "call", "name": "cycle", "arguments": {"cycle": "05", "model": model}}
        (dirty,) = self.play(cycle)
        self.assertTrue(dirty["result"]["isError"])
        self.git("add", "-A")
        self.git("commit", "-qm", "specification")
        self.git("config", "user.name", "Test")
        self.git("config", "user.email", "test@localhost")
        (answer,) = self.play(cycle)
        self.assertFalse(answer["result"]["isError"], answer)
        report = answer["result"]["structuredContent"]["report"]
        self.assertEqual(report["commit"], self.git("rev-parse", "feature/cycle-05").strip())


if __name__ == "__main__":
    main()
