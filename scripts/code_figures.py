#!/usr/bin/env python3
"""Figures about the code, as ARCHITECTURE.md shows them.

    scripts/code_figures.py [--list] [--write]

Without options, prints the figures. --list also names each function and class that counts. --write
puts the figures into ARCHITECTURE.md, between "```figures" and "```"; scripts/check_tree.py reports
a block that differs.

Reads the sources as clang-format leaves them: comments and strings are blanked, then braces are
matched. A class with more than MAX_MEMBERS data members or MAX_METHODS methods gives its reason in
the comment above it, behind "One thing:".
"""

import argparse
import os
import re
import subprocess
import sys

import check_layers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ("runtime/", "tools/", "validators/", "agents/")
PUBLIC_HEADERS = ("agents/api/agent.h", "agents/api/runs.h")
MAX_LINES = 60
MAX_MEMBERS = 12
MAX_METHODS = 25
REASON = "One thing:"
COMPARED_LANGUAGE = re.compile(r'[=!]= *"(?:csharp|c_sharp|typescript|javascript|python|go|rust|java|c|cpp|tsx)"')
# These change with every commit and are in no block.
COUNTS = ("files", "lines")
BLOCK = re.compile(r"```figures\n.*?```\n", re.DOTALL)
# Raw strings, strings, characters and comments.
OPAQUE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*(?:.|\n)*?\*/')
WORDS_OF_BLOCKS = re.compile(r"\b(?:if|for|while|switch|catch|do|else|try)\b")


def sources(root=ROOT):
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout
    return sorted(path for path in set(listed.split("\n"))
                  if path.startswith(ROOMS) and path.endswith((".cc", ".h")) and
                  os.path.isfile(os.path.join(root, path)))


def blanked(text):
    """The text with comments, strings and preprocessor lines as blanks; lines stay lines."""
    text = re.sub(r"(?<=\d)'(?=\d)", " ", text)
    text = OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return re.sub(r"^#(?:.*\\\n)*.*$", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.MULTILINE)


def without_angles(text):
    while True:
        shorter = re.sub(r"<[^<>;{}]*>", "", text)
        if shorter == text:
            return text
        text = shorter


class Type:
    def __init__(self, name, line):
        self.name = name
        self.line = line
        self.members = 0
        self.methods = 0


def kind_of(head, parent):
    """What a brace opens, by the text before it."""
    head = head.strip()
    plain = without_angles(head)
    if re.search(r"\bnamespace\b", plain) or plain.startswith("extern"):
        return "namespace"
    if re.search(r"\b(?:class|struct|union|enum)\b", plain) and "(" not in plain and not plain.endswith("="):
        return "type" if not re.search(r"\benum\b", plain) else "block"
    if parent in ("namespace", "type") and "(" in plain and not plain.endswith(("=", ",", "(")) and \
            not re.search(r"=\s*\[", plain):
        return "function"
    return "block"


def read(text):
    """(functions, types) of a source: [(name, first line, lines)], [Type]."""
    code = blanked(text)
    functions, types, stack = [], [], []
    begin = 0  # of the statement at hand
    for match in re.finditer(r"[{};]", code):
        at = match.start()
        parent = stack[-1][0] if stack else "namespace"
        head = code[begin:at]
        if match[0] == "{":
            # A label of a class belongs to no statement.
            label = re.search(r"(?:public|private|protected):", head)
            shown = head[label.end():] if label else head
            kind = kind_of(shown, parent)
            first = begin + (label.end() if label else 0) + len(shown) - len(shown.lstrip())
            line = code.count("\n", 0, first) + 1
            owner = stack[-1][2] if stack and stack[-1][0] == "type" else None
            made = None
            if kind == "type":
                name = re.search(r"\b(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)", shown)
                made = Type(name[1] if name else "", line)
                made.is_class = bool(re.search(r"\bclass\b", without_angles(shown)))
                types.append(made)
            elif kind == "function" and owner is not None:
                owner.methods += 1
            stack.append((kind, line, made, shown, owner))
            begin = at + 1
        elif match[0] == "}":
            if not stack:
                begin = at + 1
                continue
            kind, line, made, shown, owner = stack.pop()
            if kind == "function":
                name = re.search(r"([~\w:]+(?:\s*operator\S+)?)\s*\(", without_angles(shown))
                last = code.count("\n", 0, at) + 1
                functions.append((name[1] if name else "?", line, last - line + 1))
            # `T x{…};` and initializers: the statement goes on.
            if kind != "block" or not stack or stack[-1][0] != "type":
                begin = at + 1
        else:
            if stack and stack[-1][0] == "type":
                statement = re.sub(r"(?:public|private|protected):", "", head)
                statement = without_angles(re.sub(r"\{[^{}]*\}", "", statement)).strip()
                owner = stack[-1][2]
                if not statement or re.match(r"(?:using|typedef|friend|static_assert|enum|template)\b", statement):
                    pass
                elif "(" in statement.split("=")[0]:
                    owner.methods += 1
                elif not re.match(r"(?:static|class|struct)\b", statement):
                    owner.members += 1
            begin = at + 1
    return functions, types


def reason_above(lines, line):
    """Whether the comment above a line (from 1) gives a reason."""
    at = line - 2
    while at >= 0 and lines[at].lstrip().startswith(("//", "template")):
        if REASON in lines[at]:
            return True
        at -= 1
    return False


def figures(root=ROOT):
    """({name: value}, [line that names what counts])."""
    found = {"files": 0, "lines": 0, "functions of more than 60 lines": 0,
             "classes of more than 12 data members or 25 methods": 0, "… of them without a reason": 0,
             "comparisons with names of languages": 0}
    for header in PUBLIC_HEADERS:
        found[f"headers of ours behind {header}"] = len(check_layers.headers_behind(root, header))
    listed = []
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        lines = text.split("\n")
        found["files"] += 1
        found["lines"] += text.count("\n")
        found["comparisons with names of languages"] += len(COMPARED_LANGUAGE.findall(text))
        functions, types = read(text)
        for name, line, size in functions:
            if size > MAX_LINES:
                found["functions of more than 60 lines"] += 1
                listed.append(f"{path}:{line}: {name} has {size} lines")
        for one in types:
            if not one.is_class or (one.members <= MAX_MEMBERS and one.methods <= MAX_METHODS):
                continue
            found["classes of more than 12 data members or 25 methods"] += 1
            has_reason = reason_above(lines, one.line)
            found["… of them without a reason"] += 0 if has_reason else 1
            listed.append(f"{path}:{one.line}: class {one.name} has {one.members} members and "
                          f"{one.methods} methods{'' if has_reason else ', and gives no reason'}")
    return found, listed


def block(found):
    rows = [f"{name}: {value}" for name, value in found.items() if name not in COUNTS]
    return "```figures\n" + "\n".join(rows) + "\n```\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name each function and class that counts")
    parser.add_argument("--write", action="store_true", help="put the figures into ARCHITECTURE.md")
    arguments = parser.parse_args()
    found, listed = figures()
    if arguments.list:
        print("\n".join(listed))
    for name, value in found.items():
        print(f"{name}: {value}")
    if arguments.write:
        path = os.path.join(ROOT, "ARCHITECTURE.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not BLOCK.search(text):
            print(f"{path} has no block of figures", file=sys.stderr)
            return 1
        with open(path, "w", encoding="utf-8") as file:
            file.write(BLOCK.sub(lambda _: block(found), text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
