"""Which program resolves the names of a language in a trial, and who lists its symbols.

The program is asked in an untouched copy of the repository, by a client of the trial's own.
"""

import ast
import glob
import json
import os
import re
import shutil
import subprocess

from trial.javac import JavaCompiler
from trial.lsp import LanguageServer, ServerError
from trial.hierarchy import PythonHierarchy
from trial.tsserver import TypeScriptServer

EXTENSIONS = {
    "go": [".go"], "rust": [".rs"], "java": [".java"], "csharp": [".cs"], "python": [".py"],
    "typescript": [".ts", ".tsx", ".mts"], "javascript": [".js", ".mjs", ".jsx", ".cjs"],
    "c": [".c", ".h"], "cpp": [".cc", ".cpp", ".cxx", ".h", ".hpp"],
}
_CTAGS = {"rust": "Rust", "java": "Java", "csharp": "C#", "go": "Go", "python": "Python", "c": "C",
          "cpp": "C++", "javascript": "JavaScript", "typescript": "TypeScript"}
_CTAGS_KINDS = {"class": "class", "struct": "struct", "interface": "interface", "enum": "enum",
                "function": "function", "method": "method", "field": "field", "property": "property",
                "constant": "constant", "enumConstant": "enum_member", "enumerator": "enum_member",
                "typedef": "type_alias", "implementation": "", "variant": "enum_member", "member": "field"}


class _Pyright(LanguageServer):
    """It tells no implementations: the bases that classes name do."""

    hierarchy = None

    def implementations(self, place):
        if self.hierarchy is None:
            files = [os.path.relpath(path, self.folder)
                     for path in glob.glob(os.path.join(self.folder, "**", "*.py"), recursive=True)]
            self.hierarchy = PythonHierarchy({file: self.text(file) for file in files})
        return self.hierarchy.relatives(place)


def _compile_commands(folder, environment):
    """The folder that holds compile_commands.json for the untouched copy, outside of it if made."""
    if os.path.exists(os.path.join(folder, "compile_commands.json")):
        return folder
    build = folder + ".commands"
    os.makedirs(build, exist_ok=True)
    if os.path.exists(os.path.join(folder, "CMakeLists.txt")):
        command = ["cmake", "-S", folder, "-B", build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    else:
        command = ["bear", "--output", os.path.join(build, "compile_commands.json"), "--", "make"]
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return build


def start(language, folder, files, command=None, environment=None):
    """The resolver of a language for a folder with such files; None where there is none."""
    environment = environment or dict(os.environ)

    def have(name):
        return shutil.which(name, path=environment.get("PATH"))

    if language in ("typescript", "javascript"):
        program = command or ([have("tsserver"), "--disableAutomaticTypingAcquisition"] if have("tsserver") else None)
        return TypeScriptServer(program, folder, environment=environment) if program else None
    if language == "java" and not command and have("java"):
        return JavaCompiler(folder, files, environment)
    if language == "go" and (command or have("gopls")):
        return LanguageServer(command or ["gopls"], folder, "go", environment=environment)
    if language == "python" and (command or have("pyright-langserver")):
        return _Pyright(command or ["pyright-langserver", "--stdio"], folder, "python",
                        environment=environment, wait_for="source file")
    if language in ("c", "cpp") and (command or have("clangd")):
        commands = _compile_commands(folder, environment)
        sources = [file for file in files if not file.endswith((".h", ".hpp"))]
        return LanguageServer((command or ["clangd"]) + ["--background-index", "--log=error",
                                                         f"--compile-commands-dir={commands}"],
                              folder, lambda file: "c" if file.endswith(".c") else "cpp",
                              environment=environment, wait_for="backgroundIndexProgress",
                              first_file=sources[0] if sources else None)
    if language == "csharp" and (command or have("csharp-ls")):
        solutions = sorted(glob.glob(os.path.join(folder, "*.sln"))) + sorted(
            glob.glob(os.path.join(folder, "*.slnx")))
        extra = ["--solution", solutions[0]] if solutions else []
        return LanguageServer((command or ["csharp-ls"]) + extra, folder, "csharp",
                              environment=environment, wait_for="Finished loading workspace",
                              first_file=files[0] if files else None)
    if command:
        return LanguageServer(command, folder, language, environment=environment)
    return None


def symbols_by_ctags(language, folder, files):
    """[(kind, file, line, column, container, is local)] by universal-ctags."""
    done = subprocess.run(
        ["ctags", "--output-format=json", f"--languages={_CTAGS[language]}", "--fields=+nKZ",
         "--map-C++=+.h" if language == "cpp" else "--map-C=+.h", "-f", "-", "-L", "-"],
        cwd=folder, input="\n".join(files), capture_output=True, text=True, errors="replace", check=False)
    found = []
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        kind = _CTAGS_KINDS.get(tag.get("kind"), "")
        if not kind or "line" not in tag:
            continue
        with open(os.path.join(folder, tag["path"]), encoding="utf-8", errors="replace", newline="") as stream:
            text = stream.read().split("\n")[tag["line"] - 1]
        match = re.search(r"(?<![\w$])" + re.escape(tag["name"]) + r"(?![\w$])", text)
        if match:
            found.append((kind, tag["path"], tag["line"], match.start() + 1, tag.get("scope", ""), False))
    return found


def symbols_of_python(folder, files):
    """As symbols_by_ctags, by Python's own parser: what classes and modules hold, and attributes of
    `self`."""
    found = []
    for file in files:
        with open(os.path.join(folder, file), encoding="utf-8", errors="replace", newline="") as stream:
            text = stream.read()
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        lines = text.split("\n")

        def add(kind, name, line, column, path, is_local, lines=lines, file=file):
            match = re.compile(r"(?<![\w])" + re.escape(name) + r"(?![\w])").search(lines[line - 1], column)
            if match:
                found.append((kind, file, line, match.start() + 1, path, is_local))

        def walk(node, path, is_local, add=add):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    is_class = isinstance(child, ast.ClassDef)
                    in_class = isinstance(node, ast.ClassDef)
                    add("class" if is_class else "method" if in_class else "function", child.name,
                        child.lineno, child.col_offset, path, is_local)
                    walk(child, f"{path}.{child.name}" if path else child.name, is_local or not is_class)
                elif isinstance(child, (ast.Assign, ast.AnnAssign)):
                    for target in child.targets if isinstance(child, ast.Assign) else [child.target]:
                        if isinstance(target, ast.Name):
                            kind = "field" if isinstance(node, ast.ClassDef) else "variable"
                            add(kind, target.id, target.lineno, target.col_offset, path, is_local)
                        elif (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
                              and target.value.id == "self"):
                            add("field", target.attr, target.lineno, target.value.end_col_offset, path, False)
                    walk(child, path, is_local)
                else:
                    walk(child, path, is_local)

        walk(tree, "", False)
    return found


def list_symbols(language, folder, files, resolver):
    """[(kind, file, line, column, container, is local)]: by the language's parser, the resolver, or
    ctags; and who listed them."""
    if language == "python":
        return symbols_of_python(folder, files), "ast"
    if resolver is not None and language != "rust":
        found = []
        for file in files:
            try:
                found += [(kind, file, line, column, path, is_local)
                          for kind, line, column, path, is_local in resolver.symbols(file)]
            except ServerError:
                continue
        if found:
            return found, resolver.name
    return symbols_by_ctags(language, folder, files), "ctags"
