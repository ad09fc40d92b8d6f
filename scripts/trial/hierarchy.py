"""Which members of Python classes override one another."""

import ast
import re


class PythonHierarchy:
    """Which members of classes with one name override one another, by the bases that classes name."""

    def __init__(self, sources):
        """`sources`: {file: text}. Classes are told apart by their names only."""
        self.bases, self.members = {}, {}  # {class: names}, {(class, member): places}
        for file, text in sources.items():
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
            lines = text.split("\n")
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    names = {ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases}
                    self.bases.setdefault(node.name, set()).update(names)
                    for member in node.body:
                        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                            match = re.search(rf"\b{re.escape(member.name)}\b", lines[member.lineno - 1])
                            if match:
                                self.members.setdefault((node.name, member.name), set()).add(
                                    (file, member.lineno, match.start() + 1))

    def above(self, name):
        found, pending = {name}, [name]
        while pending:
            others = self.bases.get(pending.pop(), set()) - found
            found |= others
            pending += others
        return found

    def relatives(self, place):
        """The declarations of what the member declared at `place` overrides, and what overrides it."""
        owners = [key for key, places in self.members.items() if tuple(place) in places]
        return {other for owner, name in owners for (one, member), places in self.members.items()
                if member == name and (one in self.above(owner) or owner in self.above(one))
                for other in places}
