"""The symbols of a repository that a trial chooses from, and which names belong to a library."""

import ast
import builtins
import importlib
import random
import re
import sys

from trial import resolvers
from trial.text import Place

KINDS = {"class", "struct", "interface", "enum", "type_alias", "function", "method", "field", "property",
         "constant", "variable", "enum_member"}
# What the language or its tools call by name.
RESERVED = re.compile(r"^(main|init|Main|_+.*|test.*|Test.*|Benchmark.*|Example.*|Fuzz.*|fmt|drop|default|"
                      r"setup|teardown|setUp|tearDown|toString|hashCode|equals|ToString|Equals|constructor|"
                      r"GetHashCode|Dispose|any|unknown|never|object|symbol|string|number|boolean)$")
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


class Symbol:
    def __init__(self, entry, read):
        """`entry` as of resolvers.list_symbols; `read(file)` is a text."""
        self.kind, self.file, self.line, self.column, self.container, self.is_local = entry
        match = IDENTIFIER.match(read(self.file).split("\n")[self.line - 1], self.column - 1)
        self.name = match.group() if match else ""

    @property
    def place(self):
        return Place(self.file, self.line, self.column)

    def __str__(self):
        return f"{self.kind} {self.container + '.' if self.container else ''}{self.name} ({self.file}:{self.line})"


def choose(language, project, resolver, arguments):
    """All symbols that a trial may ask about, in random order, and who listed them."""
    files = project.files(resolvers.EXTENSIONS[language], arguments.files_without)
    entries, lister = resolvers.list_symbols(language, project.folder, files, resolver)
    symbols = {}
    for entry in entries:
        if entry[0] in KINDS and (arguments.locals or not entry[5]):
            symbol = Symbol(entry, project.read)
            if symbol.name and not RESERVED.match(symbol.name):
                symbols[symbol.place] = symbol
    chosen = [symbols[place] for place in sorted(symbols)]
    random.Random(arguments.seed).shuffle(chosen)
    return chosen, lister


def python_library_base(text, line, name):
    """The type of Python's library that a class inherits `name` from, where a member on `line` of the
    module `text` overrides it; "" if there is none. Only bases that the class itself names are known."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ""
    imported = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported[alias.asname or alias.name.split(".")[0]] = (alias.name if alias.asname else
                                                                      alias.name.split(".")[0], "")
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                imported[alias.asname or alias.name] = (node.module, alias.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.lineno <= line <= node.end_lineno:
            for base in node.bases:
                found = _library_type(base, imported)
                if found is not None and any(name in vars(above) for above in found.__mro__):
                    return f"{found.__module__}.{found.__qualname__}"
    return ""


def _library_type(base, imported):
    if isinstance(base, ast.Subscript):
        base = base.value
    parts = ast.unparse(base).split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    module, member = imported.get(parts[0], ("builtins" if hasattr(builtins, parts[0]) else "", parts[0]))
    if module.split(".")[0] not in sys.stdlib_module_names:
        return None
    try:
        found = importlib.import_module(module)
        for part in ([member] if member else []) + parts[1:]:
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found if isinstance(found, type) else None


def rust_library_trait(text, line, traits):
    """The trait that is not among `traits` of which the item on `line` of `text` is an implementation; ""
    if there is none."""
    lines = text.split("\n")
    indentation = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    for number in range(line - 2, -1, -1):
        match = re.match(r"(\s*)(?:unsafe\s+)?impl\b(.*)", lines[number])
        if not match or len(match.group(1)) >= indentation:
            continue
        head = " ".join([match.group(2)] + lines[number + 1:line - 1]).split("{")[0]
        named = re.search(r"([\w:]+)\s*(?:<.*>)?\s+for\s", head)
        trait = named.group(1).split("::")[-1] if named else ""
        return "" if trait in traits else trait
    return ""
