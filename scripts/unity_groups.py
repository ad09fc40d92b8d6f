#!/usr/bin/env python3
"""Divide the C++ files of each room into groups that can be compiled as one file each.

usage: unity_groups.py MAX_LINES FOLDER

Writes for each group a file below FOLDER that includes the files of the group, and prints "ROOM FILE" lines:
what CMakeLists.txt compiles for each room. A file that fits no other is compiled alone. The includes are
relative to the checkout, so that clones share ccache's objects. Two files share a group only if (1) no name that the earlier one declares privately (unnamed namespace, macro,
`using`) occurs in the later one or its headers, and (2) no header of the earlier one declares a private
name of the later one. Names are found by their form. Not covered: macros and overloads that headers of
libraries bring.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORD = re.compile(r"[A-Za-z_]\w*")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
COMMENT = re.compile(r"//[^\n]*|R\"(\w*)\(.*?\)\1\"|'(?:[^'\\\n]|\\[^\n]{1,3})'|\"(?:[^\"\\\n]|\\.)*\"", re.S)
DECLARED = re.compile(r"^(?![ }#/\n]|template\b)[^\n({=;\[]*?\b([A-Za-z_]\w*)\s*(?=[({=;\[]|$| :)", re.M)
WORDS_OF_C = frozenset("class struct enum const constexpr inline static using return if for while template typename "
                       "operator namespace public private final override default noexcept".split())


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Sources:
    def __init__(self):
        self.words_of = {}
        self.headers_of = {}

    def words(self, path):
        """The words of a file outside of comments and strings."""
        if path not in self.words_of:
            self.words_of[path] = frozenset(WORD.findall(COMMENT.sub(" ", read(path))))
        return self.words_of[path]

    def headers(self, path):
        """The headers of the project that a file brings in."""
        if path not in self.headers_of:
            self.headers_of[path] = frozenset()  # for circles
            found = set()
            for name in INCLUDE.findall(read(path)):
                if os.path.exists(os.path.join(ROOT, name)):
                    found |= {name} | self.headers(name)
            self.headers_of[path] = frozenset(found)
        return self.headers_of[path]


def declared_in(text):
    """Names that code declares outside of types and functions: lines that begin at the margin."""
    plain = COMMENT.sub(" ", text)
    names = {match.group(1) for match in DECLARED.finditer(plain)}
    names |= set(re.findall(r"^\s*#define (\w+)", text, re.M))
    names |= set(re.findall(r"^using (?:namespace )?(?:\w+::)*(\w+)", plain, re.M))
    names |= set(re.findall(r"^(?:class|struct|enum class|enum|union) (\w+)", plain, re.M))
    # The head of a function may stand on several lines.
    names |= set(re.findall(r"^(?![ }#])(?:[\w:<>,&*\s]+?)[\s&*](\w+)\(", plain, re.M))
    names |= set(re.findall(r"\b(k[A-Z]\w*)\b(?=\s*[=\[{;,(])", plain))
    return names - WORDS_OF_C


def own_names(path):
    """What a file declares for itself: in unnamed namespaces, as macros and by `using`."""
    text = read(path)
    names = set(re.findall(r"^\s*#define (\w+)", text, re.M))
    names |= set(re.findall(r"^using (?:namespace )?(?:\w+::)*(\w+)", text, re.M))
    names |= set(re.findall(r"^static [^\n(=;]*?(\w+)\s*[(=;]", text, re.M))
    for body in UNNAMED.findall(text):
        names |= declared_in(body)
    return names


def group(files, max_lines, sources):
    own = {path: own_names(path) for path in files}
    brought = {path: frozenset().union(*map(sources.words, sources.headers(path))) for path in files}
    seen = {path: sources.words(path) | brought[path] for path in files}
    declared = {path: set().union(*(declared_in(read(header)) for header in sources.headers(path))) for path in files}
    lines = {path: read(path).count("\n") for path in files}
    # The files whose names are most common come last, so that few files stand behind them.
    reach = {path: sum(not own[path].isdisjoint(seen[other]) for other in files if other != path) for path in files}
    groups = []
    for path in sorted(files, key=lambda name: (reach[name], name)):
        for members in groups:
            fits = sum(lines[member] for member in members) + lines[path] <= max_lines
            if fits and all(own[member].isdisjoint(seen[path]) and own[path].isdisjoint(declared[member])
                            for member in members):
                members.append(path)
                break
        else:
            groups.append([path])
    return groups


def write_if_changed(path, text):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    max_lines, output, sources = int(sys.argv[1]), sys.argv[2], Sources()
    for top in ("agents", "runtime", "tools", "validators", "tests/unit"):
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, top))):
            room = os.path.relpath(folder, ROOT)
            ending = "_test.cc" if top == "tests/unit" else ".cc"
            files = [f"{room}/{name}" for name in sorted(names) if name.endswith(ending) and name != "main.cc"]
            for number, members in enumerate(group(files, max_lines, sources)):
                path = os.path.join(ROOT, members[0])
                if len(members) > 1:
                    path = os.path.join(output, room, f"group{number}.cc")
                    write_if_changed(path, "".join(f'#include "{member}"\n' for member in members))
                print(room, path)


if __name__ == "__main__":
    main()
