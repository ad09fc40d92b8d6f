#!/usr/bin/env python3
"""Calls of tools over the Model Context Protocol.

    tests/bench/mcp_bench.py [--binary build/release/bin/stile] [--workspace DIR --symbol NAME] [--calls 2000]

Prints, for standard input and output, the median and the 95th percentile of a round trip in milliseconds: `ping`, which
runs no tool, and `file_exists`, the smallest tool. With --workspace and --symbol, also `code_navigate references`: the
first call, in which index and language server start, and the calls after it. Then 100 sessions over HTTP at once, each
with a handshake and one call: wall seconds for all of them, and memory of the server.
"""

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import tempfile
import threading
import time

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench"}}}


class Peer:
    def __init__(self, binary, workspace, env):
        self.process = subprocess.Popen([binary, "mcp"], cwd=workspace, env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0)
        self.reader = os.fdopen(os.dup(self.process.stdout.fileno()), "rb")
        self.ids = 0
        self.ask(INITIALIZE)

    def ask(self, message):
        """The answer, and the milliseconds until it was read."""
        line = json.dumps(message).encode() + b"\n"
        began = time.perf_counter()
        self.process.stdin.write(line)
        answer = self.reader.readline()
        return json.loads(answer), (time.perf_counter() - began) * 1e3

    def call(self, name, **arguments):
        self.ids += 1
        answer, milliseconds = self.ask({"jsonrpc": "2.0", "id": self.ids, "method": "tools/call",
                                         "params": {"name": name, "arguments": arguments}})
        if "result" not in answer:
            raise SystemExit(f"mcp_bench: {name}: {answer}")
        return answer, milliseconds

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def show(what, times):
    times = sorted(times)
    print(f"{what}: median {statistics.median(times):.3f} ms, 95 % below {times[len(times) * 95 // 100]:.3f} ms")


def one_session(port, failures):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/mcp", json.dumps(INITIALIZE), HEADERS)
        answer = connection.getresponse()
        session = answer.getheader("Mcp-Session-Id")
        answer.read()
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "file_exists", "arguments": {"path": "a.txt"}}}
        connection.request("POST", "/mcp", json.dumps(call), {**HEADERS, "Mcp-Session-Id": session})
        if b'"exists":true' not in connection.getresponse().read():
            failures.append("another answer")
        connection.close()
    except OSError as error:
        failures.append(str(error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/release/bin/stile")
    parser.add_argument("--workspace")
    parser.add_argument("--symbol")
    parser.add_argument("--calls", type=int, default=2000)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "STILE_STATE_DIR": os.path.join(folder, "state")}
        small = os.path.join(folder, "small")
        os.mkdir(small)
        with open(os.path.join(small, "a.txt"), "w", encoding="utf-8") as file:
            file.write("text\n")
        peer = Peer(binary, small, env)
        show("ping", [peer.ask({"jsonrpc": "2.0", "id": 1, "method": "ping"})[1] for _ in range(options.calls)])
        peer.call("file_exists", path="a.txt")
        show("file_exists", [peer.call("file_exists", path="a.txt")[1] for _ in range(options.calls)])
        peer.close()
        if options.workspace and options.symbol:
            peer = Peer(binary, options.workspace, env)
            answer, first = peer.call("code_navigate", operation="references", symbol=options.symbol)
            places = answer["result"]["content"][0]["text"].count("\n")
            print(f"code_navigate references {options.symbol}: first call {first:.0f} ms, about {places} lines")
            show("the calls after it", [peer.call("code_navigate", operation="references", symbol=options.symbol)[1]
                                        for _ in range(9)])
            peer.close()
        server = subprocess.Popen([binary, "mcp", "--http", "0"], cwd=small, env=env, stderr=subprocess.PIPE, text=True)
        port = int(re.search(r":(\d+)/mcp", server.stderr.readline()).group(1))
        failures = []
        threads = [threading.Thread(target=one_session, args=(port, failures)) for _ in range(100)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wall = time.perf_counter() - began
        with open(f"/proc/{server.pid}/status", encoding="ascii") as file:
            memory = int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024
        server.terminate()
        server.wait()
        print(f"100 sessions over HTTP at once: {wall:.2f} s, {len(failures)} failed, peak {memory:.0f} MB")


if __name__ == "__main__":
    main()
