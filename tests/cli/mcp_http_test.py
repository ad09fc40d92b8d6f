"""`stile mcp --http`: official clients, the conformance suite of npm, and raw requests."""

import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

from harness import BINARY, GOOD_PYTHON, main
from mcp_peer import META, REVISIONS, SDKS, STATELESS, McpTestCase

JSON_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
# The scenarios that ask for no tool, resource or prompt of the suite's own.
SCENARIOS = ("server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "prompts-list",
             "server-sse-multiple-streams", "dns-rebinding-protection")
CONFORMANCE = os.path.join(SDKS, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
OLD_NODE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp", "old_node.mjs")


class McpHttpTest(McpTestCase):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)

    def serve(self, address="0", **env):
        """A server that runs; its URL."""
        self.server = subprocess.Popen([BINARY, "mcp", "--http", address], cwd=self.workspace,
                                       env={**self.env, **env}, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.server.stderr.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        line = self.server.stderr.readline()
        self.assertIn("http://", line)
        url = re.search(r"http://\S+/mcp", line).group()
        self.port = int(re.search(r":(\d+)/", url).group(1))
        return url

    def request(self, body, method="POST", **headers):
        """Status, headers and text of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, "/mcp", body if isinstance(body, (str, bytes)) else json.dumps(body),
                               {**JSON_HEADERS, **named})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def begin(self):
        """The id of a session that was initialized."""
        status, headers, text = self.request(message("initialize", protocolVersion=REVISIONS[-1], capabilities={}))
        self.assertEqual(status, 200, text)
        return headers["Mcp-Session-Id"]

    def test_official_clients(self):
        url = self.serve()
        for sdk, revision in (("sdk", None), ("client", None), ("client", STATELESS)):
            with self.subTest(sdk=sdk, revision=revision):
                tools, read, written, missing = self.play(
                    {"op": "tools"}, {"op": "call", "name": "file_read", "arguments": {"path": "a.py"}},
                    {"op": "call", "name": "file_write", "arguments": {"path": "b.py", "content": sdk}},
                    {"op": "read", "uri": "stile://nothing"}, sdk=sdk, revision=revision, url=url)
                self.assertIn("gate_finish", [tool["name"] for tool in tools["result"]])
                self.assertIn("return a + b", read["result"]["content"][0]["text"])
                self.assertFalse(written["result"].get("isError"))
                self.assertEqual(self.read("b.py"), sdk)
                self.assertIn("error", missing)

    def test_the_model_of_the_peer_is_asked(self):
        url = self.serve()
        examined = [{"category": category, "files": ["a.py"]} for category in
                    ("SECURITY", "CORRECTNESS", "RELIABILITY", "MAINTAINABILITY", "PERFORMANCE")]
        round_ = json.dumps({"issues": [], "examined": examined})
        for sdk, revision in (("sdk", None), ("client", None), ("client", STATELESS)):
            with self.subTest(sdk=sdk, revision=revision):
                (verified,) = self.play({"op": "call", "name": "verify", "arguments": {"target": "a.py"}},
                                        sdk=sdk, revision=revision, url=url, sampling=[round_] * 2)
                self.assertEqual(verified["result"]["structuredContent"]["status"], "converged", verified)

    def test_a_call_without_a_session_asks_twice(self):
        self.serve()
        meta = {**META, "io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}
        params = {"name": "verify", "arguments": {"target": "a.py"}, "_meta": meta}
        named = {"MCP_Protocol_Version": STATELESS, "Mcp_Method": "tools/call", "Mcp_Name": "verify"}

        def call(number, **more):
            body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {**params, **more}}
            status, _, text = self.request(body, **named)
            self.assertEqual(status, 200, text)
            return json.loads(re.search(r"\{.*\}", text).group())["result"]

        asked = call(1)
        self.assertEqual(asked["resultType"], "input_required")
        reply = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "I like it."}}
        again = call(2, requestState=asked["requestState"], inputResponses={"answer": reply})
        # The reply was no review, so it is asked for again.
        self.assertEqual(again["resultType"], "input_required")
        self.assertIn("cannot be used", json.dumps(again["inputRequests"]))
        end = call(3, requestState=again["requestState"], inputResponses={"answer": reply})
        self.assertEqual((end["resultType"], end["isError"]), ("complete", True))
        self.assertIn("cannot be read", end["content"][0]["text"])

    def test_the_conformance_suite(self):
        self.need_clients()
        url = self.serve()
        for scenario in SCENARIOS:
            result = subprocess.run(["node", "--import", OLD_NODE, CONFORMANCE, "server", "--url", url, "--scenario",
                                     scenario], cwd=self.root, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 0, scenario + result.stdout + result.stderr)

    def test_other_origins_hosts_and_tokens_are_refused(self):
        self.serve(STILE_MCP_TOKEN="secret-token")
        ping = message("ping")
        for status, headers in ((403, {"Origin": "http://example.com"}), (403, {"Origin": "null"}),
                                (403, {"Origin": "http://localhost.example.com"}), (403, {"Host": "example.com"}),
                                (401, {}), (401, {"Authorization": "Bearer wrong"}),
                                (401, {"Authorization": "secret-token"}),
                                (400, {"Authorization": "Bearer secret-token", "Origin": "http://localhost:3000"})):
            self.assertEqual(self.request(ping, **headers)[0], status, headers)
        result = self.stile("mcp", "--http", "0.0.0.0:0")
        self.assert_exit(result, 2)
        self.assertIn("STILE_MCP_TOKEN", result.stderr)
        for address in ("x", ":1", "70000", "1.2.3.4:"):
            self.assert_exit(self.stile("mcp", "--http", address), 2)
        result = self.stile("mcp", "--http", str(self.port))
        self.assertIn("cannot listen", result.stderr)

    def test_the_body_of_a_refused_request_is_no_request(self):
        self.serve()
        inner = json.dumps(message("tools/call", name="file_write", arguments={"path": "evil.txt", "content": ""}))
        session = self.begin()
        hidden = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: {session}\r\nContent-Type: application/json"
                  f"\r\nAccept: */*\r\nContent-Length: {len(inner)}\r\n\r\n{inner}")
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com\r\n"
                                f"Content-Length: {len(hidden)}\r\n\r\n").encode())
            answer = connection.recv(1 << 16)
            self.assertIn(b"403", answer)
            time.sleep(0.3)
            try:
                connection.sendall(hidden.encode())
                while connection.recv(1 << 16):
                    pass
            except OSError:
                pass  # the server has closed it
        self.assertEqual(self.request(message("ping"), Mcp_Session_Id=session)[0], 200)
        self.assertFalse(os.path.exists(self.path("evil.txt")))

    def test_wrong_requests_get_the_status_that_the_protocol_names(self):
        self.serve()
        session = self.begin()
        stateless = {"MCP_Protocol_Version": STATELESS, "Mcp_Method": "tools/list"}
        listing = message("tools/list", _meta=META)
        for status, body, headers in (
                (415, "{}", {"Content_Type": "text/plain"}), (406, "{}", {"Accept": "application/json"}),
                (400, "{", {}), (400, "[]", {}), (400, message("ping"), {}),
                (404, message("ping"), {"Mcp_Session_Id": "none"}),
                (400, message("ping"), {"Mcp_Session_Id": session, "MCP_Protocol_Version": "1999-01-01"}),
                (200, message("ping"), {"Mcp_Session_Id": session}),
                (202, {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"Mcp_Session_Id": session}),
                (200, listing, stateless), (400, listing, {}), (400, listing, {**stateless, "Mcp_Method": "tools/call"}),
                (404, message("no/method", _meta=META), {**stateless, "Mcp_Method": "no/method"}),
                (400, message("tools/call", name="file_read", arguments={"path": "a.py"}, _meta=META),
                 {**stateless, "Mcp_Method": "tools/call", "Mcp_Name": "other"}),
                (200, message("tools/call", name="nothing"), {"Mcp_Session_Id": session}),
                (400, message("tools/call", name="nothing", _meta=META),
                 {**stateless, "Mcp_Method": "tools/call", "Mcp_Name": "nothing"}),
                (400, [message("ping"), listing], {"Mcp_Session_Id": session}),
                (202, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}, stateless)):
            got, _, text = self.request(body, **headers)
            self.assertEqual(got, status, (body, headers, text))
        self.assertEqual(json.loads(self.request(listing)[2])["error"]["code"], -32020)
        self.assertEqual(self.request("", method="GET")[0], 405)
        self.assertEqual(self.request(b"x" * (17 << 20))[0], 413)
        self.assertEqual(self.request("", method="DELETE", Mcp_Session_Id=session)[0], 204)
        self.assertEqual(self.request(message("ping"), Mcp_Session_Id=session)[0], 404)

    def test_bodies_are_limited_whatever_way_they_come(self):
        self.serve()
        chunks = (b"{" + b" " * (1 << 20) for _ in range(32))
        for headers, body in (({"Content-Encoding": "gzip"}, gzip.compress(b" " * (256 << 20))), ({}, chunks)):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                connection.request("POST", "/mcp", body, {**JSON_HEADERS, **headers},
                                   encode_chunked=not isinstance(body, bytes))
                self.assertGreaterEqual(connection.getresponse().status, 400)
            except ConnectionError:
                pass  # it was closed before all of it was sent
            finally:
                connection.close()
        with open(f"/proc/{self.server.pid}/status", encoding="ascii") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))
        self.assertLess(peak, 160 << 10)
        # Whole bodies in small pieces are taken.
        session = self.begin()
        pieces = iter([b'{"jsonrpc": "2.0", "id": 1,', b' "method": "ping"}'])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/mcp", pieces, {**JSON_HEADERS, "Mcp-Session-Id": session}, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        self.assertEqual(self.request([message("ping")] * 51, Mcp_Session_Id=session)[0], 400)

    def test_an_invalid_message_of_a_batch_takes_no_answer_from_another(self):
        self.serve()
        session = self.begin()
        batch = [{"method": "x"}, {**message("tools/call", name="code_validate", arguments={}), "id": 7}]
        _, _, text = self.request(batch, Mcp_Session_Id=session)
        self.assertIn('"id":7', text)

    def test_a_peer_that_goes_on_sending_does_not_keep_the_server(self):
        self.serve()
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(b"POST /mcp HTTP/1.1\r\nX: ")
            self.server.send_signal(signal.SIGTERM)
            try:
                for _ in range(60):
                    connection.sendall(b"x")
                    time.sleep(0.5)
                    if self.server.poll() is not None:
                        break
            except OSError:
                pass
            self.assertEqual(self.server.wait(timeout=5), 130)

    def test_connections_wait_for_a_server_that_is_busy(self):
        self.serve()
        self.server.send_signal(signal.SIGSTOP)
        try:
            connections = [socket.create_connection(("127.0.0.1", self.port), timeout=5) for _ in range(50)]
        finally:
            self.server.send_signal(signal.SIGCONT)
        for connection in connections:
            with connection:
                connection.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b" 405 ", connection.recv(1 << 16))

    def test_many_sessions_at_once(self):
        self.serve()
        answers = []

        def one():
            session = self.begin()
            answers.append(self.request(message("tools/call", name="file_read", arguments={"path": "a.py"}),
                                        Mcp_Session_Id=session)[2])

        threads = [threading.Thread(target=one) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 100)
        self.assertTrue(all("return a + b" in answer for answer in answers))

    def test_a_signal_ends_it_also_while_a_call_runs(self):
        self.write("stile.yaml", "validators:\n  slow: {level: build, files: ['*.py'], command: [sleep, '60']}\n")
        self.assert_exit(self.stile("trust"), 0)
        self.serve()
        session = self.begin()
        body = message("tools/call", name="code_validate", arguments={})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/mcp", json.dumps(body), {**JSON_HEADERS, "Mcp-Session-Id": session})
        self.assertEqual(connection.getresponse().status, 200)
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(timeout=30), 130)
        connection.close()


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


if __name__ == "__main__":
    main()
