#!/usr/bin/env python3
"""Divide the C++ files of each room into groups that can be compiled as one file each.

usage: unity_groups.py MAX_LINES FOLDER

Writes for each group a file below FOLDER that includes the headers of its files, and then the files; prints
"ROOM FILE" lines: what CMakeLists.txt compiles for each room. A file that fits no other is compiled alone. The
includes are relative to the checkout, so that clones share ccache's objects.

Two files share a group only if no name that one of them declares privately (in an unnamed namespace, `static`, or by
`using`) is declared privately by the other, or by a header that only the other brings in; if the later one uses no name
of its headers that the earlier one declares privately, too; and if no macro of the earlier one occurs in the later one.
Headers come first, so that a private name cannot change them. A private name that occurs in another file only as a
member or a local variable has no effect there. Names are found by their form. Not covered: macros
and overloads that headers of libraries bring.
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
                       "operator namespace public private final override default noexcept TEST TEST_F TEST_P".split())


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Sources:
    def __init__(self):
        self.words_of = {}
        self.headers_of = {}
        self.declared_of = {}

    def words(self, path):
        """The words of a file outside of comments and strings."""
        if path not in self.words_of:
            self.words_of[path] = frozenset(WORD.findall(COMMENT.sub(" ", read(path))))
        return self.words_of[path]

    def declared(self, path):
        """The names that a header declares outside of types and functions."""
        if path not in self.declared_of:
            self.declared_of[path] = declared_in(read(path))
        return self.declared_of[path]

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
    names |= set(re.findall(r"^(?![ }#\n])(?:[\w:<>,&*\s]+?)[\s&*](\w+)\(", plain, re.M))
    names |= set(re.findall(r"^(?:inline |static )?constexpr [^=;]*?\b(k[A-Z]\w*)\b(?=\s*[=\[{;(])", plain, re.M))
    return names - WORDS_OF_C


class Names:
    """What one file declares for itself, and what its headers declare."""

    def __init__(self, path, sources):
        text = read(path)
        self.macros = set(re.findall(r"^\s*#define (\w+)", text, re.M))
        # The same `using` in two files is one.
        self.usings = dict((name, whole) for whole, name in
                           re.findall(r"^using ((?:namespace )?(?:\w+::)*(\w+));", text, re.M))
        self.own = set(re.findall(r"^static [^\n(=;]*?(\w+)\s*[(=;]", text, re.M))
        for body in UNNAMED.findall(text):
            self.own |= declared_in(body)
        self.own -= set(self.usings)
        # Constants and types of functions, and enumerators, would shadow those of another file: GCC warns of it.
        self.locals = set(re.findall(r"^ +(?:static )?(?:constexpr|const) [^=;]*?\b(k[A-Z]\w*)\b(?=\s*[=\[{;(])", text, re.M))
        self.locals |= set(re.findall(r"^ +(?:struct|class|enum class|enum|using) (\w+)", text, re.M))
        for body in re.findall(r"\benum\b[^{};]*\{([^}]*)\}", text):
            self.locals |= set(re.findall(r"\bk[A-Z]\w*", body))
        self.words = sources.words(path)
        self.of_headers = set().union(*map(sources.declared, sources.headers(path)))

    def private(self):
        return self.own | self.usings.keys()

    def fits(self, earlier):
        """Whether the file can follow the other in one group."""
        return (earlier.macros.isdisjoint(self.words) and
                earlier.private().isdisjoint(self.of_headers & self.words) and earlier.own.isdisjoint(self.locals) and
                self.own.isdisjoint(earlier.private()) and earlier.own.isdisjoint(self.private()) and
                all(self.usings.get(name, whole) == whole for name, whole in earlier.usings.items()) and
                self.private().isdisjoint(earlier.of_headers - self.of_headers) and
                earlier.private().isdisjoint(self.of_headers - earlier.of_headers))


def group(files, max_lines, sources):
    names = {path: Names(path, sources) for path in files}
    lines = {path: read(path).count("\n") for path in files}
    # Files with macros come last, so that few stand behind them.
    groups = []
    for path in sorted(files, key=lambda name: (bool(names[name].macros), name)):
        for members in groups:
            if (sum(lines[member] for member in members) + lines[path] <= max_lines and
                    all(names[path].fits(names[member]) for member in members)):
                members.append(path)
                break
        else:
            groups.append([path])
    return groups


def group_text(members):
    """The headers of the files, each once, and the files."""
    headers = dict.fromkeys(name for member in members for name in INCLUDE.findall(read(member))
                            if os.path.exists(os.path.join(ROOT, name)))
    return "".join(f'#include "{name}"\n' for name in [*headers, *members])


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
                    write_if_changed(path, group_text(members))
                print(room, path)


if __name__ == "__main__":
    main()
