"""`stile mcp`: peers that subscribe to a run are told when it changes, in both eras and over both transports."""

import http.client
import json
import re
import subprocess

from harness import BINARY, GOOD_PYTHON, main
from mcp_peer import META, REVISIONS, STATELESS, McpTestCase, Server

BETTER_PYTHON = "def add(a, b):\n    return b + a\n"
UPDATED = "notifications/resources/updated"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


class McpSubscriptionTest(McpTestCase):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)
        self.init_git()
        self.run_id = self.stile("gate", "begin").stdout.strip()
        self.uri = f"stile://runs/{self.run_id}"

    def finish(self):
        """Another process ends the session of the gate."""
        self.write("a.py", BETTER_PYTHON)
        self.assert_exit(self.stile("gate", "finish"), 0)

    def next(self, server, method):
        """The next message of the method; one with an id is an error."""
        while True:
            message = server.read(timeout=30)
            self.assertNotIn("id", message)
            if message["method"] == method:
                return message["params"]

    def serve_http(self):
        process = subprocess.Popen([BINARY, "mcp", "--http", "0"], cwd=self.workspace, env=self.env,
                                   stderr=subprocess.PIPE, text=True)
        for end in (process.stderr.close, process.wait, process.kill):
            self.addCleanup(end)
        return re.search(r"http://127.0.0.1:(\d+)/mcp", process.stderr.readline())

    def listen(self, server, *uris, request_id="listen", **more):
        server.send({"jsonrpc": "2.0", "id": request_id, "method": "subscriptions/listen",
                     "params": {"_meta": META, "notifications": {"resourceSubscriptions": list(uris), **more}}})
        return self.next(server, "notifications/subscriptions/acknowledged")

    def test_a_peer_with_a_handshake_is_told(self):
        for revision in (REVISIONS[0], REVISIONS[-1]):
            server = Server(self)
            self.assertIs(server.begin(revision)["capabilities"]["resources"]["subscribe"], True)
            self.assertEqual(server.ask("resources/subscribe", {"uri": self.uri})["result"], {})
            self.assertEqual(server.ask("resources/subscribe", {"uri": self.uri + "/diff"})["result"], {})
            self.assertEqual(server.ask("resources/unsubscribe", {"uri": self.uri + "/diff"})["result"], {})
            self.finish()
            self.assertEqual(self.next(server, UPDATED), {"uri": self.uri})
            read = server.ask("resources/read", {"uri": self.uri})["result"]["contents"][0]
            self.assertEqual(json.loads(read["text"])["outcome"], "succeeded")
            self.assertEqual(server.end(), 0)
            lines = server.lines + (server.unread + server.process.stdout.read()).splitlines()
            self.assertGreater(len(lines), 5)
            self.assertEqual([line for line in lines if b"diff" in line], [])
            self.write("a.py", GOOD_PYTHON)
            self.run_id = self.stile("gate", "begin").stdout.strip()
            self.uri = f"stile://runs/{self.run_id}"

    def test_a_resource_that_is_not_there_is_refused(self):
        server = Server(self)
        server.begin()
        for uri in ("stile://runs/none", "stile://nothing", "file:///etc/passwd", "", self.uri + "/nonsense",
                    self.uri + "/files/" + "x" * 10000):
            self.assertEqual(server.ask("resources/subscribe", {"uri": uri})["error"]["code"], -32002, uri)
        for method in ("resources/subscribe", "resources/unsubscribe"):
            self.assertEqual(server.ask(method, {"uri": 7})["error"]["code"], -32602)
        self.assertEqual(server.ask("resources/unsubscribe", {"uri": "stile://nothing"})["result"], {})
        self.assertEqual(server.ask("subscriptions/listen", {"notifications": {}})["error"]["code"], -32601)

    def test_a_peer_without_a_handshake_listens(self):
        server = Server(self)
        agreed = self.listen(server, self.uri, "stile://runs/none", toolsListChanged=True)
        self.assertEqual(agreed["notifications"], {"resourceSubscriptions": [self.uri]})
        self.assertEqual(agreed["_meta"][SUBSCRIPTION], "listen")
        self.finish()
        update = self.next(server, UPDATED)
        self.assertEqual((update["uri"], update["_meta"]), (self.uri, {SUBSCRIPTION: "listen"}))
        # The subscription ends with the input, and its request gets its answer then.
        server.process.stdin.close()
        answers = [json.loads(line) for line in (server.unread + server.process.stdout.read()).splitlines()]
        last = [answer for answer in answers if "id" in answer]
        self.assertEqual([(answer["id"], answer["result"]["resultType"]) for answer in last], [("listen", "complete")])
        self.assertEqual(last[0]["result"]["_meta"][SUBSCRIPTION], "listen")

    def test_a_subscription_is_cancelled_and_not_answered(self):
        server = Server(self)
        self.listen(server, self.uri, request_id=1)
        self.listen(server, self.uri, request_id=2)
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        self.finish()
        self.assertEqual(self.next(server, UPDATED)["_meta"], {SUBSCRIPTION: 2})
        self.assertEqual(server.end(), 0)
        rest = [json.loads(line) for line in (server.unread + server.process.stdout.read()).splitlines()]
        self.assertEqual([message["id"] for message in rest if "id" in message], [2])
        self.assertNotIn(1, [message["params"]["_meta"][SUBSCRIPTION] for message in rest if "params" in message])

    def test_wrong_parameters_of_a_subscription(self):
        server = Server(self)
        for number, wanted in enumerate((None, [], {"resourceSubscriptions": "x"}, {"resourceSubscriptions": [1]},
                                         {"resourceSubscriptions": ["x"] * 101})):
            answer = server.ask("subscriptions/listen", {"_meta": META, "notifications": wanted}, request_id=number)
            self.assertEqual(answer["error"]["code"], -32602, wanted)
        self.assertEqual(server.ask("resources/subscribe", {"_meta": META, "uri": self.uri})["error"]["code"], -32601)

    def test_official_clients_are_told(self):
        self.assert_exit(self.stile("gate", "finish"), 0)
        url = self.serve_http().group()
        for sdk, revision in (("sdk", None), ("client", None), ("client", STATELESS)):
            for way in ({}, {"url": url}):
                with self.subTest(sdk=sdk, revision=revision, way=way):
                    (begun,) = self.play({"op": "call", "name": "gate_begin"}, sdk=sdk, revision=revision, **way)
                    run = begun["result"]["structuredContent"]["runId"]
                    listening, finished, told = self.play(
                        {"op": "listen", "uri": f"stile://runs/{run}"},
                        {"op": "call", "name": "gate_finish", "arguments": {"runId": run}},
                        {"op": "told", "uri": f"stile://runs/{run}"}, sdk=sdk, revision=revision, **way)
                    self.assertFalse(finished["result"].get("isError"), finished)
                    self.assertEqual((listening, told), ({"result": True}, {"result": True}))

    def stream(self, port, session):
        """The answer to a GET, whose body is a stream of events."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.addCleanup(connection.close)
        connection.request("GET", "/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": session})
        return connection.getresponse()

    def post(self, port, method, session="", **params):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.addCleanup(connection.close)
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
                           {"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
                            **({"Mcp-Session-Id": session} if session else {})})
        answer = connection.getresponse()
        answer.read()
        return answer

    def first_event(self, stream):
        for line in iter(stream.readline, b""):
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        return None

    def read_to_end(self, stream):
        """One change of a run may be told in two updates: files are written one after the other."""
        for event in iter(lambda: self.first_event(stream), None):
            self.assertEqual(event["params"], {"uri": self.uri})

    def test_updates_wait_for_a_stream_and_a_new_stream_ends_the_old(self):
        port = int(self.serve_http().group(1))
        begun = self.post(port, "initialize", protocolVersion=REVISIONS[-1], capabilities={})
        session = begun.headers["Mcp-Session-Id"]
        self.assertEqual(self.post(port, "resources/subscribe", session, uri=self.uri).status, 200)
        self.finish()
        first = self.stream(port, session)
        self.assertEqual((first.status, first.headers["Content-Type"]), (200, "text/event-stream"))
        self.assertEqual(self.first_event(first)["params"], {"uri": self.uri})
        second = self.stream(port, session)
        self.read_to_end(first)
        self.assertEqual(self.first_event(second)["params"], {"uri": self.uri})  # the first one may not have read it
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.addCleanup(connection.close)
        connection.request("DELETE", "/mcp", headers={"Mcp-Session-Id": session})
        self.assertEqual(connection.getresponse().status, 204)
        self.read_to_end(second)

    def test_streams_have_a_session_and_a_limit(self):
        port = int(self.serve_http().group(1))
        self.assertEqual(self.stream(port, "").status, 405)
        self.assertEqual(self.stream(port, "none").status, 404)
        sessions = []
        for _ in range(101):
            sessions.append(self.post(port, "initialize", protocolVersion=REVISIONS[-1], capabilities={})
                            .headers["Mcp-Session-Id"])
        streams = [self.stream(port, session) for session in sessions]
        self.assertEqual([stream.status for stream in streams], [200] * 100 + [503])
        self.assertEqual(self.post(port, "ping", sessions[0]).status, 200)


if __name__ == "__main__":
    main()
