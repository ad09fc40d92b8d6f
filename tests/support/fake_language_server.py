"""A language server for tests: it answers each method as its script says, or misbehaves.

    fake_language_server.py SCRIPT.json

The script: {"capabilities": {…}, "answers": {METHOD: RESULT}, "errors": {METHOD: ERROR}, "on": {METHOD: FAULT}},
where FAULT is "hang", "die", "garbage", "half", "stall" (in the middle of a message), "flood", "huge" (a length that nobody can take) "ask" (a
request to the client before the answer), "apply" (the same, for each edit of {"applies": [EDIT]}) or "partial" (the
reason why the answer may lack places). {"index": [KIND]} are the reports about an index after the greeting: "begin",
"report", "end". {"published": [DIAGNOSTIC]} is sent for each document that is opened. Every message that arrives is written to SCRIPT.json.log, a line each.
"""

import json
import sys
import time

SCRIPT = json.load(open(sys.argv[1], encoding="utf-8"))
LOG = open(sys.argv[1] + ".log", "a", encoding="utf-8")


def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def receive():
    size = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line == b"\r\n":
            break
        if line.lower().startswith(b"content-length:"):
            size = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(size))


def misbehave(fault):
    out = sys.stdout.buffer
    if fault == "hang":
        time.sleep(600)
    elif fault == "die":
        sys.exit(3)
    elif fault == "garbage":
        out.write(b"this is no message\r\n\r\n")
    elif fault == "half":
        out.write(b"Content-Length: 100\r\n\r\n{")
        out.flush()
        sys.exit(0)
    elif fault == "stall":
        out.write(b"Content-Length: 100\r\n\r\n{")
        out.flush()
        time.sleep(600)
    elif fault == "huge":
        out.write(b"Content-Length: 99999999999999\r\n\r\n")
    elif fault == "flood":
        while True:
            send({"jsonrpc": "2.0", "id": "x", "method": "window/workDoneProgress/create", "params": {}})
    elif fault == "partial":
        send({"jsonrpc": "2.0", "method": "stile/partial", "params": {"reason": "one file is broken"}})
    elif fault == "apply":
        for edit in SCRIPT["applies"]:
            send({"jsonrpc": "2.0", "id": 1, "method": "workspace/applyEdit", "params": {"edit": edit}})
    elif fault == "ask":
        send({"jsonrpc": "2.0", "id": 1, "method": "workspace/applyEdit", "params": {"edit": {}}})
    out.flush()


while True:
    message = receive()
    LOG.write(json.dumps(message) + "\n")
    LOG.flush()
    method = message.get("method", "")
    if "id" not in message or not method:
        if method == "exit":
            sys.exit(0)
        if method == "initialized":
            for kind in SCRIPT.get("index", []):
                send({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": "index", "value": {"kind": kind}}})
        if method == "textDocument/didOpen" and "published" in SCRIPT:
            send({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {
                "uri": message["params"]["textDocument"]["uri"], "diagnostics": SCRIPT["published"]}})
        continue
    if method in SCRIPT.get("on", {}):
        misbehave(SCRIPT["on"][method])
    if method in SCRIPT.get("errors", {}):
        send({"jsonrpc": "2.0", "id": message["id"], "error": SCRIPT["errors"][method]})
    elif method == "initialize":
        send({"jsonrpc": "2.0", "id": message["id"], "result": {
            "capabilities": SCRIPT.get("capabilities", {}),
            "serverInfo": {"name": "fake", "version": "1.2.3"}}})
    else:
        send({"jsonrpc": "2.0", "id": message["id"], "result": SCRIPT.get("answers", {}).get(method)})
