"""What the tests of `stile mcp` share: revisions of the protocol, and official clients of npm."""

import functools
import json
import os
import select
import shutil
import socket
import subprocess
import time

from harness import BINARY, StileTest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SDKS = os.path.join(SOURCE, "build", "mcp_sdks")
CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp", "sdk_client.mjs")
STATELESS = "2026-07-28"
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
META = {"io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}


@functools.lru_cache(maxsize=None)
def why_not():
    """Why the official clients cannot run; "" when they can."""
    if not os.path.isdir(os.path.join(SDKS, "node_modules", "@modelcontextprotocol", "sdk")):
        return "no official clients of MCP: scripts/setup test"
    return "" if shutil.which("node") else "no node: apt-get install nodejs"


class Server:
    """A server whose messages are written and read by the test."""

    def __init__(self, test, *flags):
        self.process = subprocess.Popen([BINARY, "mcp", *flags], cwd=test.workspace, env=test.env,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ids = 0
        self.unread = b""
        self.lines = []  # all that were read
        test.addCleanup(self.close)

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def read(self, timeout=120):
        """The next message; None at the end."""
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [], timeout)
            if not ready:
                raise AssertionError("no message in time")
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                return None
            self.unread += piece
        line, self.unread = self.unread.split(b"\n", 1)
        self.lines.append(line)
        return json.loads(line)

    def ask(self, method, params=None, request_id=None):
        """The answer to a request, whatever notifications come before."""
        self.ids += 1
        request_id = self.ids if request_id is None else request_id
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})
        while True:
            message = self.read()
            if message is None or message.get("id") == request_id:
                return message

    def begin(self, revision=REVISIONS[-1]):
        answer = self.ask("initialize", {"protocolVersion": revision, "capabilities": {},
                                         "clientInfo": {"name": "raw", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def tool(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def end(self):
        """Closes the input; the exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout=60)


class McpTestCase(StileTest):
    """`stile mcp` in the workspace, driven by official clients."""

    def need_clients(self):
        if why_not():
            self.skipTest(why_not())

    def port(self):
        """A port of the loopback that is free."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def serve_program(self, port, *command):
        """Starts a server of the test; returns when it listens."""
        process = subprocess.Popen(command, env={**self.env, "PORT": str(port), "MCP_SDKS": SDKS},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return process
            time.sleep(0.1)
        return self.fail("the server does not listen")

    def play(self, *steps, sdk="sdk", revision=None, flags=(), **more):
        """What an official client gets: {"result"} or {"error"} for each step. more: {url, headers} of a server that
        runs, else one is started with `flags`."""
        self.need_clients()
        plan = {"sdk": sdk, "revision": revision, "command": [os.path.abspath(BINARY), "mcp", *flags],
                "cwd": self.workspace, "env": self.env, "steps": steps, **more}
        result = subprocess.run(["node", CLIENT], input=json.dumps(plan), capture_output=True, text=True, timeout=300,
                                env={**os.environ, "MCP_SDKS": SDKS}, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]
