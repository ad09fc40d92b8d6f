#!/usr/bin/env python3
"""Holds the includes and the CMake rooms against the table of edges in ARCHITECTURE.md.

    scripts/check_layers.py [ROOT]

The table is the fenced block marked `edges`:

    runtime/git -> runtime/process runtime/workspace     git may use these two, and nothing else
    agents/api -> runtime/* tools validators             a pattern stands for all rooms that match
    third-party curl/ only-in runtime/http               headers that begin with curl/
    public agents/api/agent.h at-most 10                 how many of our headers it brings along

A room is a folder with C++ sources under runtime, tools, validators or agents. Every room may use
itself and runtime/base. Only what a room's own line lists is allowed: what its neighbours may use is not
inherited. Prints file:line for each violation; exit status 1 if there is any.
"""

import fnmatch
import os
import re
import sys

TREES = ("runtime", "tools", "validators", "agents")
BASE = "runtime/base"
# Headers that any room may use: the vocabulary of the house, and the operating system.
COMMON_HEADERS = ("absl/", "nlohmann/", "sys/", "netinet/", "arpa/", "net/", "linux/")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


class Table:
    """The edges block: who may use whom, and where third-party headers may appear."""

    def __init__(self):
        self.edges = {}  # room -> (line, [patterns])
        self.third_party = {}  # header prefix -> [room patterns]
        self.public = {}  # header -> (line, how many of our headers it may include, itself left out)
        self.errors = []

    @classmethod
    def parse(cls, text, file):
        table = cls()
        inside = found = False
        for number, raw in enumerate(text.splitlines(), 1):
            line = raw.split("#", 1)[0].strip() if inside else raw.strip()
            if not inside:
                inside = line == "```edges"
                found = found or inside
            elif line == "```":
                inside = False
            elif line:
                table._add_line(line, f"{file}:{number}", number)
        if not found:
            table.errors.append(f"{file}:1: no fenced block marked ```edges")
        elif inside:
            table.errors.append(f"{file}: the edges block is not closed")
        return table

    def _add_line(self, line, where, number):
        header = re.fullmatch(r"third-party\s+(\S+)\s+only-in\s+(.+)", line)
        edge = re.fullmatch(r"([\w/]+)\s*->\s*(.*)", line)
        public = re.fullmatch(r"public\s+(\S+)\s+at-most\s+(\d+)", line)
        if header:
            self.third_party.setdefault(header.group(1), []).extend(header.group(2).split())
        elif public:
            self.public[public.group(1)] = (number, int(public.group(2)))
        elif edge:
            room = edge.group(1)
            if room in self.edges:
                self.errors.append(f"{where}: {room} has two lines")
            self.edges[room] = (number, edge.group(2).split())
        else:
            self.errors.append(
                f"{where}: neither 'room -> rooms' nor 'third-party prefix only-in rooms' nor "
                f"'public header at-most number': {line}")

    def check_names(self, file):
        """Every pattern names a room, and the arrows make no circle."""
        for room, (number, patterns) in self.edges.items():
            for pattern in patterns:
                if not any(fnmatch.fnmatchcase(other, pattern) for other in self.edges):
                    yield f"{file}:{number}: {room} -> {pattern}: no such room"
        done, path = set(), []

        def visit(room):
            if room in path:
                circle = path[path.index(room):] + [room]
                yield f"{file}:{self.edges[room][0]}: arrows in a circle: {' -> '.join(circle)}"
            elif room not in done:
                path.append(room)
                for other in sorted(self.edges):
                    if other != room and self.allows(room, other) and other != BASE:
                        yield from visit(other)
                path.pop()
                done.add(room)

        for room in sorted(self.edges):
            yield from visit(room)

    def allows(self, room, other):
        if other in (room, BASE):
            return True
        _, patterns = self.edges.get(room, (0, []))
        return any(fnmatch.fnmatchcase(other, pattern) for pattern in patterns)

    def third_party_rooms(self, header):
        """Rooms that may include `header`; None if the table does not know it."""
        prefixes = [prefix for prefix in self.third_party if header.startswith(prefix)]
        return self.third_party[max(prefixes, key=len)] if prefixes else None


def sources(root):
    """(room, path) of every C++ file of a room, both relative to `root`, sorted."""
    for tree in TREES:
        for folder, subfolders, files in os.walk(os.path.join(root, tree)):
            # Below agents/stories lie the projects that stories work on.
            subfolders[:] = sorted(name for name in subfolders if name != "stories")
            room = os.path.relpath(folder, root)
            for name in sorted(files):
                if name.endswith((".cc", ".h")):
                    yield room, f"{room}/{name}"


def check_include(table, room, header, quoted):
    """None, or what is wrong with the include."""
    if header.split("/", 1)[0] in TREES:
        other = os.path.dirname(header)
        if other not in table.edges:
            return f"{other} is not a room of the table"
        if not table.allows(room, other):
            return f"{room} may not use {other}"
        return None
    rooms = table.third_party_rooms(header)
    if rooms is not None:
        if not any(fnmatch.fnmatchcase(room, pattern) for pattern in rooms):
            return f"{header} may only be included in {' '.join(rooms)}"
        return None
    if header.startswith(COMMON_HEADERS):
        return None
    if header.startswith("tests/"):
        return f"{header} belongs to the tests"
    if "/" in header:
        return f"{header} is not in the table: add a line 'third-party … only-in …'"
    return f'"{header}" does not start at the repository root' if quoted else None


def check_sources(table, root):
    reported = set()
    for room, path in sources(root):
        if room not in table.edges:
            if room not in reported:
                yield f"{path}:1: {room} is not a room of the table"
                reported.add(room)
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                match = INCLUDE.match(line)
                if match:
                    problem = check_include(table, room, match.group(2), match.group(1) == '"')
                    if problem:
                        yield f"{path}:{number}: {problem}"


def cmake_rooms(text):
    """(line, room, libraries) of every stile_room(…) call."""
    text = re.sub(r"#[^\n]*", "", text)
    for match in re.finditer(r"^[ \t]*stile_room\(([^)]*)\)", text, re.MULTILINE):
        words = match.group(1).split()
        if words:
            yield text.count("\n", 0, match.start()) + 1, words[0], words[1:]


def check_cmake(table, root, table_file):
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
        rooms = list(cmake_rooms(file.read()))
    names = {room for _, room, _ in rooms}
    for number, room, libraries in rooms:
        where = f"CMakeLists.txt:{number}"
        if room not in table.edges:
            yield f"{where}: {room} is not a room of the table"
            continue
        for library in libraries:
            if library.split("/", 1)[0] in TREES and not table.allows(room, library):
                yield f"{where}: {room} may not use {library}"
    for room, (number, _) in table.edges.items():
        if room not in names:
            yield f"{table_file}:{number}: {room} has no stile_room line in CMakeLists.txt"


def headers_behind(root, header):
    """Our headers that `header` includes, and those that these include."""
    found, left = set(), [header]
    while left:
        with open(os.path.join(root, left.pop()), encoding="utf-8", errors="replace") as file:
            included = {match.group(2) for match in map(INCLUDE.match, file) if match}
        new = {name for name in included if name.split("/", 1)[0] in TREES} - found
        found |= new
        left += new
    return found - {header}


def check_public(table, root, table_file):
    for header, (number, most) in table.public.items():
        if not os.path.exists(os.path.join(root, header)):
            yield f"{table_file}:{number}: there is no {header}"
            continue
        behind = headers_behind(root, header)
        if len(behind) > most:
            yield (f"{header}:1: brings along {len(behind)} of our headers, at most {most}: "
                   f"{' '.join(sorted(behind))}")


def check(root):
    """All violations, one line each."""
    table_file = "ARCHITECTURE.md"
    try:
        with open(os.path.join(root, table_file), encoding="utf-8") as file:
            table = Table.parse(file.read(), table_file)
        if table.errors:
            return table.errors
        return [*table.check_names(table_file), *check_cmake(table, root, table_file),
                *check_sources(table, root), *check_public(table, root, table_file)]
    except OSError as error:
        return [f"{error.filename}: {error.strerror}"]


def main(arguments):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    problems = check(arguments[0] if arguments else here)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
