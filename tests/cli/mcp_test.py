"""`stile mcp`: the server of the Model Context Protocol. Official clients of npm drive it, and raw messages."""

import base64
import json
import os
import signal
import socket
import subprocess
import time

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, VALIDATE, call, finish, main, write, write_cassette
from mcp_peer import META, REVISIONS, SDKS, STATELESS, McpTestCase, Server

BETTER_PYTHON = "def add(a, b):\n    return b + a\n"


class McpTest(McpTestCase):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)
        self.init_git()

    def serve(self, *flags):
        return Server(self, *flags)

    # Official clients ----------------------------------------------------------------------

    def test_official_clients_list_and_call_tools(self):
        for sdk, revision in (("sdk", None), ("client", None), ("client", STATELESS)):
            with self.subTest(sdk=sdk, revision=revision):
                self.write("a.py", GOOD_PYTHON)
                info, tools, read, found, wrong = self.play(
                    {"op": "info"}, {"op": "tools"},
                    {"op": "call", "name": "file_read", "arguments": {"path": "a.py"}},
                    {"op": "call", "name": "code.navigate", "arguments": {"operation": "definition", "symbol": "add"}},
                    {"op": "call", "name": "file_read", "arguments": {"path": "missing.py"}},
                    sdk=sdk, revision=revision)
                self.assertIn("gate_finish", info["result"]["instructions"])
                names = [tool["name"] for tool in tools["result"]]
                self.assertIn("code_refactor", names)
                self.assertIn("gate_begin", names)
                self.assertNotIn("shell_execute", names)
                for tool in tools["result"]:
                    self.assertTrue(tool["description"], tool["name"])
                    self.assertIn("workspace", tool["inputSchema"]["properties"], tool["name"])
                self.assertIn("return a + b", read["result"]["content"][0]["text"])
                # The client checks structured results against the schema.
                self.assertIn("structuredContent", found["result"], found)
                self.assertIn("a.py", json.dumps(found["result"]["structuredContent"]))
                self.assertTrue(wrong["result"]["isError"])

    def test_every_tool_answers_an_official_client_as_its_schema_says(self):
        self.write("b.py", "from a import add\n\n\ndef twice(x):\n    return add(x, x)\n")
        steps = [("file_list", {}), ("file_exists", {"path": "a.py"}), ("search_grep", {"pattern": "add"}),
                 ("file_write", {"path": "c.py", "content": "x = 1\n"}),
                 ("file_modify", {"path": "c.py", "oldText": "x = 1", "newText": "x = 2"}),
                 ("file_delete", {"path": "c.py"}),
                 ("code_inspect", {"filePath": "a.py"}), ("code_search", {"query": "add numbers"}),
                 ("code_navigate", {"operation": "references", "symbol": "add"}),
                 ("code_refactor", {"operation": "rename", "symbolName": "add", "newName": "plus"}),
                 ("code_generate", {"operation": "method", "file": "a.py", "name": "minus",
                                    "parameters": [{"name": "a"}]}),
                 ("code_validate", {}), ("gate_begin", {}), ("gate_status", {}), ("gate_finish", {})]
        answers = self.play(*[{"op": "call", "name": name, "arguments": arguments} for name, arguments in steps])
        for (name, _), answer in zip(steps, answers):
            self.assertIn("result", answer, name)
            if name != "code_generate":
                self.assertFalse(answer["result"].get("isError"), (name, answer))
        self.assertIn("plus", self.read("b.py"))

    def test_the_gate_holds_an_official_client(self):
        steps = ({"op": "call", "name": "gate_begin"},
                 {"op": "call", "name": "file_write", "arguments": {"path": "a.py", "content": BAD_PYTHON}},
                 {"op": "call", "name": "gate_finish", "progress": True},
                 {"op": "call", "name": "file_write", "arguments": {"path": "a.py", "content": BETTER_PYTHON}},
                 {"op": "call", "name": "gate_finish"})
        for revision in (None, STATELESS):
            self.write("a.py", GOOD_PYTHON)
            begin, _, refused, _, accepted = self.play(*steps, sdk="client", revision=revision)
            self.assertTrue(refused["result"]["isError"])
            self.assertIn("a.py:1", refused["result"]["content"][0]["text"])
            self.assertIn("stays open", refused["result"]["content"][0]["text"])
            self.assertTrue(refused["result"]["progress"])
            self.assertTrue(accepted["result"]["structuredContent"]["accepted"])
            run = begin["result"]["structuredContent"]["runId"]
            self.assert_exit(self.stile("certificate", "verify", run), 0)
            self.assertIn("test-client", self.stile("certificate", "show", run).stdout)

    def test_resources_and_prompts(self):
        *_, finished, resources, templates, languages, prompts = self.play(
            {"op": "call", "name": "gate_begin"},
            {"op": "call", "name": "file_write", "arguments": {"path": "a.py", "content": BETTER_PYTHON}},
            {"op": "call", "name": "gate_finish"},
            {"op": "resources"}, {"op": "templates"}, {"op": "read", "uri": "stile://languages"}, {"op": "prompts"})
        run = finished["result"]["structuredContent"]["runId"]
        self.assertIn(f"stile://runs/{run}", [resource["uri"] for resource in resources["result"]])
        self.assertEqual(len(templates["result"]), 5)
        self.assertIn("python", languages["result"]["contents"][0]["text"])
        name = prompts["result"][0]["name"]
        for revision in (None, STATELESS):
            diff, certificate, prompt, missing = self.play(
                {"op": "read", "uri": f"stile://runs/{run}/diff"},
                {"op": "read", "uri": f"stile://runs/{run}/certificate"}, {"op": "prompt", "name": name},
                {"op": "read", "uri": "stile://runs/none"}, sdk="client" if revision else "sdk", revision=revision)
            self.assertIn("return b + a", diff["result"]["contents"][0]["text"])
            self.assertIn("a.py", certificate["result"]["contents"][0]["text"])
            self.assertTrue(prompt["result"]["messages"][0]["content"]["text"])
            self.assertEqual(missing["error"]["code"], -32602 if revision else -32002)

    def test_contents_of_changed_files_are_read_on_request(self):
        self.write("old.py", "x = 1\n")
        long_file = "".join(f"line_{number} = {number}\n" for number in range(6000))
        *_, finished = self.play(
            {"op": "call", "name": "gate_begin"},
            {"op": "call", "name": "file_write", "arguments": {"path": "a.py", "content": BETTER_PYTHON}},
            {"op": "call", "name": "file_write", "arguments": {"path": "a long file.py", "content": long_file}},
            {"op": "call", "name": "file_delete", "arguments": {"path": "old.py"}},
            {"op": "call", "name": "gate_finish"})
        run = finished["result"]["structuredContent"]["runId"]
        uri = f"stile://runs/{run}/files"
        self.assertIn(uri, finished["result"]["content"][0]["text"])
        for revision in (None, STATELESS):
            template = {"type": "ref/resource", "uri": "stile://runs/{id}/files/{+path}"}
            listed, short, preview, deleted, missing, ids, paths, prompt = self.play(
                {"op": "read", "uri": uri}, {"op": "read", "uri": uri + "/a.py"},
                {"op": "read", "uri": uri + "/a%20long%20file.py"}, {"op": "read", "uri": uri + "/old.py"},
                {"op": "read", "uri": uri + "/../events.jsonl"},
                {"op": "complete", "params": {"ref": template, "argument": {"name": "id", "value": run[:4]}}},
                {"op": "complete", "params": {"ref": template, "argument": {"name": "path", "value": "a "},
                                              "context": {"arguments": {"id": run}}}},
                {"op": "complete", "params": {"ref": {"type": "ref/prompt", "name": "no such"},
                                              "argument": {"name": "x", "value": ""}}},
                sdk="client" if revision else "sdk", revision=revision)
            files = json.loads(listed["result"]["contents"][0]["text"])
            self.assertEqual((files["count"], files["deleted"]), (3, 1))
            self.assertEqual({file["path"]: (file["change"], file.get("lines")) for file in files["files"]},
                             {"a.py": ("modified", BETTER_PYTHON.count("\n")), "a long file.py": ("added", 6000),
                              "old.py": ("deleted", None)})
            self.assertEqual(short["result"]["contents"][0]["text"], BETTER_PYTHON)
            (content,) = preview["result"]["contents"]
            self.assertEqual(content["text"], "".join(long_file.splitlines(keepends=True)[:200]))
            self.assertEqual((content["_meta"]["stile/preview"], content["_meta"]["stile/lines"]), (True, 6000))
            self.assertIn("the run deleted old.py", deleted["error"]["message"])
            self.assertIn("there is no resource", missing["error"]["message"])
            self.assertIn(run, ids["result"]["completion"]["values"])
            self.assertEqual(paths["result"]["completion"], {"values": ["a long file.py"], "total": 1, "hasMore": False})
            self.assertEqual(prompt["error"]["code"], -32602)

    def test_a_changed_file_that_is_no_text_is_read_as_bytes(self):
        run = self.stile("gate", "begin").stdout.strip()
        with open(self.path("a.png"), "wb") as file:
            file.write(b"\x89PNG\x00\xff")
        uri = f"stile://runs/{run}/files"
        # An open session lists what has changed so far.
        (working,) = self.play({"op": "read", "uri": uri})
        self.assertEqual(json.loads(working["result"]["contents"][0]["text"])["files"][0]["bytes"], 6)
        self.assert_exit(self.stile("gate", "finish"), 0)
        listed, picture = self.play({"op": "read", "uri": uri}, {"op": "read", "uri": uri + "/a.png"})
        self.assertEqual(json.loads(listed["result"]["contents"][0]["text"])["count"], 1)
        (content,) = picture["result"]["contents"]
        self.assertEqual(base64.b64decode(content["blob"]), b"\x89PNG\x00\xff")

    def test_the_inspector_lists_and_calls(self):
        self.need_clients()
        inspector = os.path.join(SDKS, "node_modules", ".bin", "mcp-inspector-cli")

        def inspect(*arguments):
            result = subprocess.run([inspector, "--cli", os.path.abspath(BINARY), "mcp", *arguments], cwd=self.workspace,
                                    env=self.env, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)

        tools = inspect("--method", "tools/list")["tools"]
        self.assertIn("code_validate", [tool["name"] for tool in tools])
        result = inspect("--method", "tools/call", "--tool-name", "file_read", "--tool-arg", "path=a.py")
        self.assertIn("return a + b", result["content"][0]["text"])

    def test_a_task_is_run_by_an_agent_under_the_gate(self):
        # In the folder of the server, since it is a file that the peer names.
        write_cassette(self.path("replies.jsonl"), [write("a.py", BETTER_PYTHON), VALIDATE, finish()])
        model = "replay:" + self.path("replies.jsonl")
        (answer,) = self.play({"op": "call", "name": "run", "progress": True,
                               "arguments": {"task": "Swap the operands", "model": model}})
        result = answer["result"]
        self.assertFalse(result.get("isError"), result)
        self.assertEqual(result["structuredContent"]["outcome"], "succeeded")
        self.assertEqual(result["structuredContent"]["changed"], ["a.py"])
        self.assertTrue(result["progress"])
        self.assertEqual(self.runs()[0]["id"], result["structuredContent"]["runId"])

    def test_code_is_verified_and_the_state_of_the_session_can_be_read(self):
        examined = [{"category": category, "files": ["a.py"]} for category in
                    ("SECURITY", "CORRECTNESS", "RELIABILITY", "MAINTAINABILITY", "PERFORMANCE")]
        issue = {"id": "COR-01", "category": "CORRECTNESS", "severity": "HIGH", "summary": "It adds",
                 "location": "a.py:2", "description": "d", "evidence": "return a + b"}
        replies = [{"issues": [issue], "examined": examined},
                   {"verdicts": [{"issueId": "COR-01", "verdict": "VALID", "reasoning": "so"}]},
                   *[{"issues": [], "examined": examined}] * 2]
        with open(self.path("replies.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"text": json.dumps(reply)}) + "\n" for reply in replies)
        (answer,) = self.play({"op": "call", "name": "verify",
                               "arguments": {"target": ["a.py"], "maxRounds": 5, "requirements": "It subtracts",
                                             "model": "replay:" + self.path("replies.jsonl")}})
        result = answer["result"]
        self.assertTrue(result["isError"], result)
        report = result["structuredContent"]
        self.assertEqual((report["status"], report["issues"]["high"]), ("stopped", 1))
        self.assertEqual([one["id"] for one in report["openIssues"]], ["COR-01"])
        self.assertIn("COR-01 HIGH a.py:2: It adds", result["content"][0]["text"])
        (status, gone, wrong) = self.play(
            {"op": "call", "name": "verify_status", "arguments": {"runId": report["sessionId"]}},
            {"op": "call", "name": "verify_status", "arguments": {"runId": "gone"}},
            {"op": "call", "name": "verify", "arguments": {"target": 3}})
        self.assertEqual(status["result"]["structuredContent"], report)
        self.assertTrue(gone["result"]["isError"])
        self.assertTrue(wrong["result"]["isError"])

    def test_the_model_of_the_peer_is_asked(self):
        """By an official client of each era: a verification, and an agent whose calls are text."""
        examined = [{"category": category, "files": ["a.py"]} for category in
                    ("SECURITY", "CORRECTNESS", "RELIABILITY", "MAINTAINABILITY", "PERFORMANCE")]
        round_ = json.dumps({"issues": [], "examined": examined})
        calls = [call("file.write", path="a.py", content=BETTER_PYTHON), call("code.validate"), finish("swapped")]
        acts = [f"Action: {one['name']}\nAction Input: {json.dumps(one['arguments'])}" for one in calls]
        for sdk, revision in (("sdk", None), ("client", STATELESS)):
            with self.subTest(sdk=sdk):
                self.write("a.py", GOOD_PYTHON)
                (verified, ran, asked) = self.play(
                    {"op": "call", "name": "verify", "arguments": {"target": "a.py", "model": "sampling:fast"}},
                    {"op": "call", "name": "run", "arguments": {"task": "Swap the operands", "model": "sampling:"}},
                    {"op": "sampled"}, sdk=sdk, revision=revision, sampling=[round_, round_, *acts])
                self.assertFalse(verified["result"]["isError"], verified)
                self.assertEqual(verified["result"]["structuredContent"]["status"], "converged")
                self.assertFalse(ran["result"]["isError"], ran)
                self.assertEqual(self.read("a.py"), BETTER_PYTHON)
                first = asked["result"][0]
                self.assertEqual(first["modelPreferences"], {"hints": [{"name": "fast"}]})
                self.assertEqual(first["maxTokens"], 4000)
                self.assertIn("return a + b", first["messages"][0]["content"]["text"])
                self.assertIn("Swap the operands", json.dumps(asked["result"][2]["messages"]))

    def test_sampling_that_is_refused_or_not_offered_names_the_alternative(self):
        task = {"op": "call", "name": "run", "arguments": {"task": "x", "model": "sampling:"}}
        for sdk, revision in (("sdk", None), ("client", STATELESS)):
            with self.subTest(sdk=sdk):
                (refused,) = self.play(task, sdk=sdk, revision=revision, sampling=[{"error": "not today"}])
                if revision == STATELESS:  # this client gives the call up by itself
                    self.assertIn("not today", refused["error"]["message"])
                else:
                    self.assertTrue(refused["result"]["isError"])
                    self.assertIn("not today", refused["result"]["content"][0]["text"])
                    self.assertIn("choose a model of a provider instead", refused["result"]["content"][0]["text"])
                (missing,) = self.play(task, sdk=sdk, revision=revision)
                self.assertTrue(missing["result"]["isError"])
                self.assertIn("no host with the capability `sampling`", missing["result"]["content"][0]["text"])

    def test_the_person_at_the_peer_is_asked(self):
        self.write("stile.yaml", "permissions: {ask: [file.write]}\n")
        for sdk, revision in (("sdk", None), ("client", STATELESS)):
            for allow in (True, False):
                with self.subTest(sdk=sdk, allow=allow):
                    self.write("a.py", GOOD_PYTHON)
                    write_cassette(self.path("replies.jsonl"), [write("a.py", BETTER_PYTHON), VALIDATE, finish()])
                    self.play({"op": "call", "name": "run", "arguments": {
                        "task": "Swap", "model": "replay:" + self.path("replies.jsonl")}},
                        sdk=sdk, revision=revision, elicitation={"allow": allow})
                    self.assertEqual(self.read("a.py"), BETTER_PYTHON if allow else GOOD_PYTHON)

    def test_the_person_at_the_peer_is_asked_about_files(self):
        self.write("stile.yaml", "permissions: {ask: [file.write, code.refactor]}\n")
        for sdk, revision in (("sdk", None), ("client", STATELESS)):
            for allow in (True, False):
                with self.subTest(sdk=sdk, allow=allow):
                    self.write("a.py", GOOD_PYTHON)
                    answers = self.play(
                        {"op": "call", "name": "file_write", "arguments": {"path": "new.py", "content": "x = 1\n"}},
                        {"op": "call", "name": "code_refactor", "arguments": {"operation": "rename", "symbolName": "add", "newName": "plus"}},
                        sdk=sdk, revision=revision, elicitation={"allow": allow})
                    self.assertEqual([answer["result"].get("isError", False) for answer in answers], [not allow] * 2, answers)
                    self.assertEqual((os.path.exists(self.path("new.py")), "plus" in self.read("a.py")), (allow, allow))
                    if allow:
                        os.unlink(self.path("new.py"))

    def test_a_call_that_waits_for_its_peer_ends_with_the_server_or_the_peer(self):
        server = self.serve()
        meta = {**META, "io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}
        params = {"name": "run", "arguments": {"task": "x", "model": "sampling:"}, "_meta": meta}
        asked = server.ask("tools/call", params)["result"]
        self.assertEqual(asked["resultType"], "input_required")
        self.assertEqual([one["method"] for one in asked["inputRequests"].values()], ["sampling/createMessage"])
        for more in ({"requestState": "0" * 32, "inputResponses": {}}, {"requestState": asked["requestState"]}):
            self.assertEqual(server.ask("tools/call", {**params, **more})["error"]["code"], -32602)
        # The answer is missing in the repeated call.
        self.assertTrue(server.ask("tools/call", {**params, "requestState": asked["requestState"],
                                                  "inputResponses": {}})["result"]["isError"])
        again = server.ask("tools/call", params)["result"]
        self.assertEqual(again["resultType"], "input_required")
        self.assertEqual(server.end(), 0)

    # Raw messages --------------------------------------------------------------------------

    def test_every_revision_is_agreed_on(self):
        for revision in REVISIONS:
            server = self.serve()
            self.assertEqual(server.begin(revision)["protocolVersion"], revision)
            tool = server.ask("tools/list")["result"]["tools"][0]
            self.assertEqual("outputSchema" in tool or "title" in tool, revision >= "2025-06-18")
            self.assertEqual(server.end(), 0)
        # Of a revision that it does not know, it offers the newest with a handshake.
        self.assertEqual(self.serve().begin("2031-01-01")["protocolVersion"], REVISIONS[-1])

    def test_stateless_requests(self):
        server = self.serve()
        found = server.ask("server/discover", {"_meta": META})["result"]
        self.assertIn(STATELESS, found["supportedVersions"])
        self.assertEqual(found["resultType"], "complete")
        self.assertEqual(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "stile")
        listed = server.ask("tools/list", {"_meta": META})["result"]
        self.assertEqual(listed["cacheScope"], "private")
        self.assertIsInstance(listed["ttlMs"], int)
        wrong = server.ask("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "1999-01-01"}})
        self.assertEqual(wrong["error"]["code"], -32022)
        self.assertIn(STATELESS, wrong["error"]["data"]["supported"])
        lacking = {key: value for key, value in META.items() if not key.endswith("Capabilities")}
        self.assertEqual(server.ask("tools/list", {"_meta": lacking})["error"]["code"], -32602)
        self.assertEqual(server.ask("ping", {"_meta": META})["error"]["code"], -32601)

    def test_wrong_messages_are_answered_with_errors_and_the_server_goes_on(self):
        server = self.serve()
        for line, code in ((b"{", -32700), (b"[]", -32600), (b"7", -32600), (b"{}", -32600),
                           (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600), (b'{"id": 1}', -32600),
                           (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
                           (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', -32600),
                           (b"[" * 5000, -32700), (b"\xff\xfe", -32700), (b"x" * (17 << 20), -32700)):
            server.write(line + b"\n")
            self.assertEqual(server.read()["error"]["code"], code, line[:80])
        server.begin()
        for method, params, code in (("tools/call", {"name": "nothing"}, -32602),
                                     ("tools/call", {"name": "file_read", "arguments": []}, -32602),
                                     ("tools/list", {"cursor": "x"}, -32602), ("tools/list", {"cursor": "999"}, -32602),
                                     ("resources/read", {}, -32602), ("prompts/get", {"name": "x"}, -32602),
                                     ("logging/setLevel", {"level": "loud"}, -32602), ("no/method", {}, -32601),
                                     ("initialize", {"protocolVersion": REVISIONS[0], "capabilities": {}}, -32600)):
            self.assertEqual(server.ask(method, params)["error"]["code"], code, method)
        result = server.tool("file_read")
        self.assertTrue(result["isError"])
        self.assertIn("path", result["content"][0]["text"])
        # Answers that nobody asked for, and notifications that mean nothing, are passed over.
        for message in ({"id": 5, "result": {}}, {"method": "notifications/none"},
                        {"method": "notifications/cancelled", "params": {"requestId": 99}}):
            server.send({"jsonrpc": "2.0", **message})
        self.assertEqual(server.ask("ping")["result"], {})
        self.assertEqual(server.end(), 0)

    def test_a_batch_is_answered_request_by_request(self):
        server = self.serve()
        server.begin("2025-03-26")
        server.send([{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "id": "b", "method": "ping"}])
        self.assertEqual([server.read()["id"], server.read()["id"]], ["a", "b"])

    def test_what_was_asked_before_the_input_ended_is_answered(self):
        server = self.serve()
        server.begin()
        server.send({"jsonrpc": "2.0", "id": "last", "method": "tools/call",
                     "params": {"name": "code_validate", "arguments": {}}})
        server.process.stdin.close()
        self.assertEqual(server.read()["id"], "last")
        self.assertEqual(server.process.wait(timeout=60), 0)

    def slow_project(self):
        """A validation of the workspace takes a minute."""
        self.write("stile.yaml", "validators:\n  slow: {level: build, files: ['*.py'], command: [sleep, '60']}\n")
        self.assert_exit(self.stile("trust"), 0)

    def ask_slowly(self, server):
        server.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
                     "params": {"name": "code_validate", "arguments": {}, "_meta": {"progressToken": 1}}})
        time.sleep(2)

    def test_a_call_is_cancelled_and_not_answered(self):
        self.slow_project()
        server = self.serve()
        server.begin()
        self.ask_slowly(server)
        self.assertIn("return a + b", server.tool("file_read", path="a.py")["content"][0]["text"])
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        began = time.monotonic()
        self.assertTrue(server.tool("file_write", path="b.py", content="x = 1\n"))
        self.assertLess(time.monotonic() - began, 40)  # it waited for its turn behind the call
        self.assertEqual(server.end(), 0)
        self.assertEqual(server.process.stdout.read(), b"")

    def test_a_peer_that_is_gone_and_a_signal_end_the_server(self):
        self.slow_project()
        server = self.serve()
        server.begin()
        self.ask_slowly(server)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(timeout=30), 130)
        server = self.serve()
        server.begin()
        self.ask_slowly(server)
        server.process.stdin.close()
        server.process.stdout.close()
        self.assertEqual(server.process.wait(timeout=30), 0)

    def test_a_peer_that_reads_nothing_does_not_keep_the_server(self):
        self.write("large.txt", "".join(f"line {i} of a large file\n" for i in range(4000)))
        servers = {}
        for case in ("requests", "a call"):
            servers[case] = server = self.serve()
            server.begin()
            request = ({"method": "tools/list"} if case == "requests" else
                       {"method": "tools/call", "params": {"name": "file_read", "arguments": {"path": "large.txt"}}})
            for number in range(40 if case == "a call" else 4):
                server.send({"jsonrpc": "2.0", "id": f"n{number}", **request})
            server.process.stdin.close()
        for case, server in servers.items():
            with self.subTest(case):
                self.assertEqual(server.process.wait(timeout=120), 6)
                self.assertIn("replies that it had not read are lost", server.process.stderr.read().decode())

    def test_a_peer_whose_sockets_are_closed_ends_the_server(self):
        self.slow_project()
        own, other = socket.socketpair()
        process = subprocess.Popen([BINARY, "mcp"], cwd=self.workspace, env=self.env, stdin=other, stdout=other)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        other.close()
        for request in ({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
                        {"id": 2, "method": "tools/call", "params": {"name": "code_validate", "arguments": {}}}):
            own.sendall(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
        time.sleep(1)
        own.close()
        self.assertEqual(process.wait(timeout=30), 0)

    def test_a_session_survives_a_restart_of_the_server(self):
        server = self.serve()
        server.begin()
        run = server.tool("gate_begin")["structuredContent"]["runId"]
        server.process.kill()
        server.process.wait()
        self.write("a.py", BETTER_PYTHON)
        server = self.serve()
        server.begin()
        self.assertEqual(server.tool("gate_status", runId=run)["structuredContent"]["changed"], ["a.py"])
        self.assertTrue(server.tool("gate_finish", runId=run)["structuredContent"]["accepted"])
        again = server.tool("gate_finish")
        self.assertTrue(again["isError"])
        self.assertIn("gate_begin", again["content"][0]["text"])

    def test_a_session_goes_on_at_the_shell_and_at_a_peer(self):
        run = self.stile("gate", "begin").stdout.strip()
        self.write("a.py", BETTER_PYTHON)
        server = self.serve()
        server.begin()
        finished = server.tool("gate_finish", runId=run)
        self.assertFalse(finished.get("isError"), finished)
        run = server.tool("gate_begin")["structuredContent"]["runId"]
        self.write("a.py", GOOD_PYTHON)
        result = self.stile("gate", "finish", run)
        self.assert_exit(result, 0)

    def test_nothing_outside_of_the_folder_is_served(self):
        os.mkdir(self.path("sub"))
        os.symlink("/", self.path("sub/out"))
        server = self.serve("-C", "sub")
        server.begin()
        for name, arguments in (("file_list", {"workspace": ".."}), ("file_list", {"workspace": "/etc"}),
                                ("file_list", {"workspace": "out/etc"}), ("gate_begin", {"workspace": "/"}),
                                ("file_read", {"path": "../a.py"}), ("file_read", {"path": "/etc/passwd"}),
                                ("file_read", {"path": "out/etc/passwd"}), ("story", {"file": "/etc/passwd"}),
                                ("workflow", {"file": "../stile.yaml"})):
            result = server.tool(name, **arguments)
            self.assertTrue(result["isError"], (name, arguments))
            self.assertNotIn("root:", result["content"][0]["text"])
        # Sessions and runs of other folders neither.
        session = self.stile("gate", "begin").stdout.strip()
        for name in ("gate_status", "gate_finish"):
            self.assertTrue(server.tool(name, runId=session)["isError"])
        self.assertIn("error", server.ask("resources/read", {"uri": f"stile://runs/{session}"}))
        self.assertNotIn(session, json.dumps(server.ask("resources/list")))

    def test_trust_that_is_given_later_holds(self):
        server = self.serve()
        server.begin()
        self.write("stile.yaml", "validators:\n  own: {level: build, files: ['*.py'], command: ['false']}\n")
        self.assertIn("PASS", server.tool("code_validate")["content"][0]["text"])
        self.assert_exit(self.stile("trust"), 0)
        self.assertIn("own", server.tool("code_validate")["content"][0]["text"])

    def test_permissions_and_choices_of_tools_hold(self):
        self.write("stile.yaml", "permissions:\n  deny: ['file.write(secret/**)']\n  ask: [file.delete]\n")
        server = self.serve()
        server.begin()
        for result in (server.tool("file_write", path="secret/a.py", content=""), server.tool("file_delete", path="a.py")):
            self.assertTrue(result["isError"])
            self.assertIn("Permission denied", result["content"][0]["text"])
        # The settings are read again when they change.
        self.write("stile.yaml", "permissions:\n  deny: [file.delete]\n")
        self.assertFalse(server.tool("file_write", path="secret/a.py", content="")["isError"])
        server = self.serve("--read-only")
        server.begin()
        tools = server.ask("tools/list")["result"]["tools"]
        self.assertTrue(all(tool["annotations"]["readOnlyHint"] for tool in tools))
        self.assertEqual(server.ask("tools/call", {"name": "file_write"})["error"]["code"], -32602)
        server = self.serve("--tools", "gate.*", "--tools", "file_read")
        server.begin()
        self.assertEqual([tool["name"] for tool in server.ask("tools/list")["result"]["tools"]],
                         ["file_read", "gate_begin", "gate_status", "gate_finish"])
        self.assert_exit(self.stile("mcp", "--read-only", "--tools", "gate_begin"), 2)
        result = self.stile("mcp", "--tools", "nothing*")
        self.assert_exit(result, 2)
        self.assertIn("there are: file_read", result.stderr)

    def test_a_wrong_argument_never_lowers_the_gate(self):
        self.write("test_a.py", "import unittest\nfrom a import add\n\n\nclass T(unittest.TestCase):\n"
                   "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n")
        server = self.serve()
        server.begin()
        for name, arguments in (("gate_begin", {"level": "tests"}), ("gate_begin", {"workspace": 5}),
                                ("gate_status", {"bogus": 1}), ("run", {}), ("run", {"task": 5}),
                                ("run", {"task": "x", "agent": "../a.md"}), ("story", {}),
                                ("file_read", {"path": "a.py", "workspace": 7}), ("code_validate", {"projectPath": "no"})):
            result = server.tool(name, **arguments)
            self.assertTrue(result["isError"], (name, arguments, result))
        self.assertEqual(self.runs(), [])
        server.tool("gate_begin", level="test")
        self.assertTrue(server.tool("gate_finish", giveUp="yes")["isError"])
        self.write("a.py", "def add(a, b):\n    return a - b\n")
        self.assertIn("gate_failed", server.tool("gate_finish")["content"][0]["text"])

    def test_no_peer_gets_around_the_permissions_of_a_folder(self):
        self.write("secret/b.py", GOOD_PYTHON)
        rules = "permissions:\n  deny: ['file.write(secret/**)', 'file.modify(secret/**)', 'file.delete(secret/**)']\n"
        self.write("stile.yaml", rules)
        server = self.serve()
        server.begin()
        for name, arguments in (("file_write", {"path": "b.py", "content": "", "workspace": "secret"}),
                                ("file_modify", {"path": "b.py", "oldText": "a", "newText": "b", "workspace": "secret"}),
                                ("file_delete", {"path": "b.py", "workspace": "secret"}),
                                ("code_refactor", {"operation": "rename", "symbolName": "add", "newName": "plus",
                                                   "workspace": "secret"}),
                                ("file_write", {"path": "stile.yaml", "content": ""}),
                                ("file_delete", {"path": "stile.yaml"}),
                                ("file_write", {"path": "stile.yaml", "content": "", "workspace": "secret"})):
            result = server.tool(name, **arguments)
            self.assertTrue(result["isError"], (name, arguments, result))
        self.assertEqual((self.read("secret/b.py"), self.read("stile.yaml")), (GOOD_PYTHON, rules))
        # A cassette is a file as well.
        result = server.tool("run", task="x", model="replay:/etc/passwd")
        self.assertIn("outside of the folder", result["content"][0]["text"])

    def test_calls_that_wait_can_be_cancelled_and_others_go_on(self):
        self.slow_project()
        server = self.serve()
        server.begin()
        for i in range(20):
            server.send({"jsonrpc": "2.0", "id": f"v{i}", "method": "tools/call",
                         "params": {"name": "code_validate", "arguments": {}}})
        self.assertFalse(server.tool("file_read", path="a.py")["isError"])
        for i in range(240):
            server.send({"jsonrpc": "2.0", "id": f"w{i}", "method": "tools/call",
                         "params": {"name": "file_write", "arguments": {"path": "n.txt", "content": ""}}})
        self.assertEqual(server.ask("ping")["result"], {})
        for i in range(240):
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"w{i}"}})
        self.assertFalse(server.tool("file_read", path="a.py")["isError"])
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(timeout=30), 130)

    def test_a_session_that_is_being_judged_is_named(self):
        self.slow_project()
        server = self.serve()
        server.begin()
        session = server.tool("gate_begin")["structuredContent"]["runId"]
        self.write("a.py", BETTER_PYTHON)
        server.send({"jsonrpc": "2.0", "id": "finish", "method": "tools/call",
                     "params": {"name": "gate_finish", "arguments": {}}})
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.runs()[0]["outcome"] != "running":
            time.sleep(0.1)
        self.assertIn(f"{session} is being judged", server.tool("gate_status")["content"][0]["text"])
        self.assertIn(f"{session} is being judged", self.stile("gate", "status").stderr)

    def test_sessions_one_in_the_other_are_refused(self):
        os.mkdir(self.path("sub"))
        server = self.serve()
        server.begin()
        self.assertFalse(server.tool("gate_begin", workspace="sub")["isError"])
        result = server.tool("gate_begin")
        self.assertTrue(result["isError"])
        self.assertIn("is open in", result["content"][0]["text"])
        self.assert_exit(self.stile("gate", "begin"), 2)

    def test_a_server_without_standard_input_ends(self):
        result = subprocess.run(["sh", "-c", f"exec 0<&-; exec {BINARY} mcp"], cwd=self.workspace, env=self.env,
                                capture_output=True, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, b""))

    def test_changes_of_one_peer_come_in_their_order(self):
        server = self.serve()
        server.begin()
        for i in range(20):
            server.send({"jsonrpc": "2.0", "id": 100 + i, "method": "tools/call",
                         "params": {"name": "file_write", "arguments": {"path": "n.txt", "content": str(i)}}})
        for _ in range(20):
            self.assertIn("result", server.read())
        self.assertEqual(self.read("n.txt"), "19")


if __name__ == "__main__":
    main()
