"""The server of TypeScript 5 in its own protocol: another program than the one Stile asks.

https://github.com/microsoft/TypeScript/wiki/Standalone-Server-(tsserver)
"""

import os
import time

from trial.lsp import Connection, LanguageServer, ServerError

_KINDS = {"class": "class", "interface": "interface", "type": "type_alias", "enum": "enum",
          "enum member": "enum_member", "function": "function", "method": "method", "property": "property",
          "getter": "property", "setter": "property", "const": "constant", "let": "variable",
          "var": "variable"}
_CALLABLE = {"function", "local function", "method", "constructor", "getter", "setter"}


class TypeScriptServer(LanguageServer):
    """Answers like LanguageServer."""

    def __init__(self, command, folder, seconds=120, environment=None):
        # The protocol differs; only what deals with texts is the base class's.
        self.folder, self.seconds, self.ids = folder, seconds, 0
        self.opened, self.texts = set(), {}
        self.connection = Connection(command, folder, environment or dict(os.environ), lines_out=True)
        self.name = "tsserver " + self.request("status", {}).get("version", "")
        self.request("configure", {"preferences": {"providePrefixAndSuffixTextForRename": True,
                                                   "allowRenameOfImportPath": False}})
        self.request("compilerOptionsForInferredProjects", {"options": {
            "allowJs": True, "module": "commonjs", "target": "esnext", "allowSyntheticDefaultImports": True,
            "jsx": "preserve"}})

    def request(self, method, parameters):
        self.ids += 1
        self.connection.send({"seq": self.ids, "type": "request", "command": method, "arguments": parameters})
        end = time.monotonic() + self.seconds
        while True:
            message = self.connection.receive(end - time.monotonic())
            if message.get("type") == "response" and message.get("request_seq") == self.ids:
                if not message.get("success"):
                    raise ServerError(message.get("message", "refused"))
                return message.get("body")

    def open(self, file):
        if file in self.opened:
            return
        self.opened.add(file)
        self.ids += 1
        self.connection.send({"seq": self.ids, "type": "request", "command": "open", "arguments": {
            "file": os.path.join(self.folder, file), "fileContent": self.text(file),
            "projectRootPath": self.folder}})

    def _from(self, file, position):
        return super()._from(file, {"line": position["line"] - 1, "character": position["offset"] - 1})

    def _ask(self, method, place, more=None):
        file, line, column = place
        self.open(file)
        at = self._at(file, line, column)
        return self.request(method, {"file": os.path.join(self.folder, file), "line": line,
                                     "offset": at["character"] + 1, **(more or {})})

    def _place(self, path, position):
        file = self._inside(path)
        if os.path.isabs(file):
            return file, position["line"], position["offset"]
        return (file, *self._from(file, position))

    def definition(self, place):
        return {self._place(entry["file"], entry["start"]) for entry in self._ask("definition", place) or []}

    def references(self, place, users=()):
        for file in users:
            self.open(file)
        return {self._place(entry["file"], entry["start"]) for entry in self._ask("references", place)["refs"]}

    def implementations(self, place):
        return {self._place(entry["file"], entry["start"])
                for entry in self._ask("implementation", place) or []}

    def rename(self, place, name, users=()):
        for file in users:
            self.open(file)
        answer = self._ask("rename", place, {"findInComments": False, "findInStrings": False})
        if not answer["info"].get("canRename"):
            raise ServerError(answer["info"].get("localizedErrorMessage", "refused"))
        found = {}
        for entry in answer["locs"]:
            file = self._inside(entry["file"])
            for span in entry["locs"]:
                text = span.get("prefixText", "") + name + span.get("suffixText", "")
                if os.path.isabs(file):
                    raise ServerError(f"it would change {file}")
                found.setdefault(file, []).append((self._from(file, span["start"]),
                                                   self._from(file, span["end"]), text))
        return found

    def symbols(self, file):
        self.open(file)
        found = []

        def walk(node, path, is_local, is_root):
            kind = node["kind"]
            if not is_root and kind in _KINDS and node.get("nameSpan"):
                found.append((_KINDS[kind], *self._from(file, node["nameSpan"]["start"]), path, is_local))
            inner = is_local or (not is_root and kind in _CALLABLE)
            name = node["text"] if not is_root else ""
            for child in node.get("childItems") or []:
                # Variables in the value of a constant are those of a function in it.
                child_is_local = inner or (kind in ("const", "let", "var") and
                                           child["kind"] in ("const", "let", "var", "function"))
                walk(child, f"{path}.{name}" if path and name else path or name, child_is_local, False)

        walk(self.request("navtree", {"file": os.path.join(self.folder, file)}), "", False, True)
        return found
