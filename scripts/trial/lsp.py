"""A client of the Language Server Protocol, for trials only; Stile has its own."""

import json
import os
import queue
import subprocess
import threading
import time
import urllib.parse

# SymbolKind of the protocol: what has a name that can be another.
KINDS = {5: "class", 6: "method", 7: "property", 8: "field", 10: "enum", 11: "interface", 12: "function",
         13: "variable", 14: "constant", 22: "enum_member", 23: "struct"}
CALLABLE = {6, 9, 12}


class ServerError(Exception):
    """The server refuses, ended, or gave no answer."""


def uri_of(path):
    return "file://" + urllib.parse.quote(path)


def path_of(uri):
    return urllib.parse.unquote(urllib.parse.urlsplit(uri).path) if uri.startswith("file:") else uri


class Connection:
    """Framed JSON over the pipes of a program: Content-Length both ways, or lines to the program."""

    def __init__(self, command, folder, environment, lines_out=False):
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines_out = lines_out
        self.messages = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line in (b"\r\n", b"\n"):
                    if length is not None:
                        break
                    continue
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.messages.put(json.loads(stream.read(length)))

    def send(self, message):
        body = json.dumps(message).encode()
        try:
            if self.lines_out:
                self.process.stdin.write(body + b"\n")
            else:
                self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()
        except OSError as error:
            raise ServerError(f"the server ended: {error}") from error

    def receive(self, seconds):
        try:
            message = self.messages.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            raise ServerError("the server gave no answer in time") from None
        if message is None:
            self.messages.put(None)
            raise ServerError("the server ended")
        return message

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


class LanguageServer:
    """One server for one folder. Places are (file, line, column), 1-based, columns in characters."""

    def __init__(self, command, folder, language_id, settings=None, seconds=120, environment=None,
                 wait_for=None, first_file=None):
        self.folder, self.language_id, self.settings = folder, language_id, settings or {}
        self.seconds, self.opened, self.ids, self.texts = seconds, set(), 0, {}
        self.ended = set()  # titles or tokens of progress that ended
        self.connection = Connection(command, folder, environment or dict(os.environ))
        answer = self.request("initialize", {
            "processId": os.getpid(), "rootUri": uri_of(folder), "rootPath": folder,
            "workspaceFolders": [{"uri": uri_of(folder), "name": "trial"}],
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "window": {"workDoneProgress": True},
                "workspace": {"configuration": True, "workspaceFolders": True,
                              "workspaceEdit": {"documentChanges": True}},
                "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                                 "rename": {"prepareSupport": False},
                                 "definition": {"linkSupport": False}}}})
        about = answer.get("serverInfo") or {"name": os.path.basename(command[0])}
        self.name = about["name"]
        if len(about.get("version", "")) < 40:  # gopls tells all that it was built with
            self.name += " " + about.get("version", "")
        self.notify("initialized", {})
        if first_file:  # clangd and csharp-ls read nothing before a file is open
            self.open(first_file)
        if wait_for:
            self._wait(wait_for)

    def _wait(self, wait_for, seconds=120):
        """Until the server says that it has read its project; goes on after that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not any(wait_for in text for text in self.ended):
            try:
                self._take(self.connection.receive(end - time.monotonic()))
            except ServerError:
                return

    def _take(self, message):
        """Answers a request of the server, or notes a notification."""
        method, parameters = message.get("method"), message.get("params") or {}
        if method is not None and "id" in message:
            result = None
            if method == "workspace/configuration":
                result = [self._setting(item.get("section", "")) for item in parameters["items"]]
            elif method == "workspace/workspaceFolders":
                result = [{"uri": uri_of(self.folder), "name": "trial"}]
            elif method == "workspace/applyEdit":
                result = {"applied": False}
            self.connection.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif method == "$/progress" and parameters.get("value", {}).get("kind") == "end":
            self.ended.add(str(parameters["token"]))
            self.ended.add(str(parameters["value"].get("message", "")))
        elif method == "window/logMessage":
            self.ended.add(parameters.get("message", ""))

    def _setting(self, section):
        value = self.settings
        for part in section.split(".") if section else []:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def notify(self, method, parameters):
        self.connection.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def request(self, method, parameters):
        self.ids += 1
        self.connection.send({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": parameters})
        end = time.monotonic() + self.seconds
        while True:
            message = self.connection.receive(end - time.monotonic())
            if message.get("id") == self.ids and "method" not in message:
                if "error" in message:
                    raise ServerError(message["error"].get("message", "refused"))
                return message.get("result")
            self._take(message)

    def text(self, file):
        if file not in self.texts:
            with open(os.path.join(self.folder, file), encoding="utf-8", errors="replace", newline="") as stream:
                self.texts[file] = stream.read()
        return self.texts[file]

    def open(self, file):
        if file in self.opened:
            return
        self.opened.add(file)
        language_id = self.language_id(file) if callable(self.language_id) else self.language_id
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri_of(os.path.join(self.folder, file)), "languageId": language_id, "version": 1,
            "text": self.text(file)}})

    def _line(self, file, index):
        lines = self.text(file).split("\n")
        return lines[index] if index < len(lines) else ""

    def _at(self, file, line, column):
        before = self._line(file, line - 1)[:column - 1]
        return {"line": line - 1, "character": len(before.encode("utf-16-le")) // 2}

    def _from(self, file, position):
        units = self._line(file, position["line"]).encode("utf-16-le")[:2 * position["character"]]
        return position["line"] + 1, len(units.decode("utf-16-le", errors="replace")) + 1

    def _inside(self, path):
        """The path within the folder; an absolute one for what is outside."""
        real = os.path.realpath(path)
        root = os.path.realpath(self.folder) + os.sep
        return real[len(root):] if real.startswith(root) else real

    def _ask(self, method, place, more=None):
        file, line, column = place
        self.open(file)
        parameters = {"textDocument": {"uri": uri_of(os.path.join(self.folder, file))},
                      "position": self._at(file, line, column), **(more or {})}
        return self.request(method, parameters)

    def _places(self, answer):
        found = set()
        for location in answer if isinstance(answer, list) else [answer] if answer else []:
            file = self._inside(path_of(location.get("uri") or location["targetUri"]))
            span = location.get("range") or location["targetSelectionRange"]
            if os.path.isabs(file):
                found.add((file, span["start"]["line"] + 1, span["start"]["character"] + 1))
            else:
                found.add((file, *self._from(file, span["start"])))
        return found

    def definition(self, place):
        return self._places(self._ask("textDocument/definition", place))

    def references(self, place, users=()):
        for file in users:
            self.open(file)
        return self._places(self._ask("textDocument/references", place,
                                      {"context": {"includeDeclaration": True}}))

    def implementations(self, place):
        return self._places(self._ask("textDocument/implementation", place))

    def rename(self, place, name, users=()):
        """{file: [(begin, end, text)]}."""
        for file in users:
            self.open(file)
        answer = self._ask("textDocument/rename", place, {"newName": name})
        if not answer:
            raise ServerError("the server offers no rename")
        found = {}
        changes = [(change["textDocument"]["uri"], change["edits"])
                   for change in answer.get("documentChanges") or [] if "textDocument" in change]
        for uri, edits in changes or list((answer.get("changes") or {}).items()):
            file = self._inside(path_of(uri))
            for edit in edits:
                found.setdefault(file, []).append((self._from(file, edit["range"]["start"]),
                                                   self._from(file, edit["range"]["end"]), edit["newText"]))
        return found

    def symbols(self, file):
        """[(kind, line, column, container, is local)] of a file."""
        self.open(file)
        uri = uri_of(os.path.join(self.folder, file))
        found = []

        def walk(nodes, path, is_local):
            for node in nodes:
                if "selectionRange" not in node:  # a flat list: no place of the name
                    continue
                kind = KINDS.get(node["kind"])
                if kind:
                    found.append((kind, *self._from(file, node["selectionRange"]["start"]), path, is_local))
                walk(node.get("children") or [], f"{path}.{node['name']}" if path else node["name"],
                     is_local or node["kind"] in CALLABLE)

        walk(self.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) or [], "", False)
        return found

    def close(self):
        self.connection.close()
