"""Java's names by the JDK's own compiler (JavaNames.java), answering like LanguageServer."""

import os
import subprocess

from trial.lsp import ServerError

_KINDS = {"CLASS": "class", "INTERFACE": "interface", "ENUM": "enum", "RECORD": "class", "METHOD": "method",
          "FIELD": "field", "ENUM_CONSTANT": "enum_member", "ANNOTATION_TYPE": "interface"}


class JavaCompiler:
    name = "javac's tree API"

    def __init__(self, folder, files, environment=None):
        self.folder = folder
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "JavaNames.java")
        done = subprocess.run(["java", program, folder], input="\n".join(files), capture_output=True, text=True,
                              env=environment, check=False)
        if done.returncode != 0:
            raise ServerError(done.stderr[-500:])
        self.key_of, self.declared, self.places_of, self.fixed, self.names = {}, {}, {}, set(), {}
        self.read(done.stdout, self._lines)

    def _lines(self, file):
        with open(os.path.join(self.folder, file), encoding="utf-8", errors="replace", newline="") as stream:
            return stream.read().split("\n")

    def read(self, output, lines_of):
        texts = {}

        def place(file, line, column):
            if file not in texts:
                texts[file] = lines_of(file)
            units = texts[file][int(line) - 1].encode("utf-16-le")[:2 * (int(column) - 1)]
            return file, int(line), len(units.decode("utf-16-le", errors="replace")) + 1

        for line in output.splitlines():
            fields = line.split("\t")
            if fields[0] == "fixed":
                self.fixed.add(fields[1])
                continue
            at = place(*fields[1:4])
            if fields[0] == "name":
                self.key_of[at] = fields[4]
                self.places_of.setdefault(fields[4], set()).add(at)
            else:
                self.declared.setdefault(fields[4], set()).add(at)
                self.names[at] = (fields[5], fields[6])

    def definition(self, place):
        return self.declared.get(self.key_of.get(tuple(place)), set())

    def references(self, place, users=()):
        if tuple(place) not in self.key_of:
            raise ServerError("no name stands there")
        return self.places_of[self.key_of[tuple(place)]]

    def implementations(self, place):
        return self.definition(place)

    def rename(self, place, name, users=()):
        found, places = {}, self.references(place)
        if self.key_of[tuple(place)] in self.fixed:
            raise ServerError("it overrides a member of a library")
        for file, line, column in places:
            with open(os.path.join(self.folder, file), encoding="utf-8", errors="replace", newline="") as stream:
                text = stream.read().split("\n")[line - 1][column - 1:]
            length = next((i for i, letter in enumerate(text) if not (letter.isalnum() or letter in "_$")), len(text))
            found.setdefault(file, []).append(((line, column), (line, column + length), name))
        return found

    def symbols(self, file):
        return [(_KINDS[kind], place[1], place[2], owner, False)
                for place, (kind, owner) in self.names.items() if place[0] == file and kind in _KINDS]

    def close(self):
        """There is no process to end."""
