#!/usr/bin/env python3
"""`stile mcp`: whole conversations in each era of the protocol, compared with tests/golden/mcp."""

import json
import os
import re

from harness import GOOD_PYTHON, main
from mcp_peer import META, REVISIONS, SOURCE, McpTestCase
from mcp_test import Server

GOLDEN = os.path.join(SOURCE, "tests", "golden", "mcp")
CALLS = [("tools/call", {"name": "file_read", "arguments": {"path": "a.py"}}),
         ("tools/call", {"name": "code_inspect", "arguments": {"filePath": "a.py"}}),
         ("tools/call", {"name": "file_read", "arguments": {"path": "gone.py"}}),
         ("tools/call", {"name": "file_read", "arguments": {"path": "../a.py"}}),
         ("tools/call", {"name": "file_read", "arguments": {"pth": "a.py"}}),
         ("tools/call", {"name": "nothing", "arguments": {}}),
         ("tools/call", {"name": "gate_status", "arguments": {"runId": "none"}}),
         ("prompts/get", {"name": "nothing"}),
         ("resources/templates/list", {}),
         ("resources/read", {"uri": "stile://nothing"}),
         ("tasks/get", {"taskId": "none"}),
         ("nothing", {})]


class McpTranscriptsTest(McpTestCase):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)

    def compare(self, name, asked):
        """asked: methods and params. The answers, one a line behind each request, are those of the golden file."""
        server = Server(self)
        lines = []
        for number, (method, params) in enumerate(asked, 1):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.send(request)
            lines += ["> " + json.dumps(request), "< " + json.dumps(server.read(), sort_keys=True)]
        self.assertEqual(server.end(), 0)
        text = "\n".join(lines).replace(self.workspace, "WORKSPACE") + "\n"
        text = re.sub(r'("name": "stile", "title": "Stile", "version": )"[^"]*"', r'\1"VERSION"', text)
        path = os.path.join(GOLDEN, name + ".txt")
        if os.environ.get("STILE_UPDATE_GOLDEN"):
            os.makedirs(GOLDEN, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(text.splitlines(), file.read().splitlines())

    def test_each_revision_with_a_handshake(self):
        for revision in REVISIONS:
            with self.subTest(revision):
                self.compare(revision, [
                    ("tools/list", {}),  # too early
                    ("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "golden", "version": "1"}}),
                    ("initialize", {"protocolVersion": revision, "capabilities": {}}), ("ping", {}), *CALLS])

    def test_the_revision_without_a_handshake(self):
        self.compare("2026-07-28", [(method, {**params, "_meta": META}) for method, params in (("server/discover", {}), *CALLS)])

    def test_the_list_of_tools(self):
        self.compare("tools", [("tools/list", {"_meta": META})])


if __name__ == "__main__":
    main()
