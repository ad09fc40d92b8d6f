#!/usr/bin/env python3
"""Checks what no compiler sees, over every tracked and every new file of the checkout:

- a .cc has at most 600 lines, a .h at most 250, unless a line comment "// Size: …" says why;
- no file names the folder of this checkout, a home folder, or a package registry of this machine;
- a lock file holds no download addresses;
- programs are executable and begin with "#!", other files are neither;
- JSON, JSON lines and YAML can be parsed; text is UTF-8 and ends with a newline;
- no two headers define a class of one name: linked into one program, one would get the functions of the other;
- the figures about the code in ARCHITECTURE.md are right, and none has become worse (code_figures.py).

Prints file:line for each finding; exit status 1 if there is any.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

import code_figures

try:
    import yaml
except ImportError:
    yaml = None

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_LINES = {".cc": 600, ".h": 250}
# Inputs that are broken on purpose, and expectations that are compared byte by byte.
AS_THEY_ARE = ("tests/golden/", "tests/fuzz/", "tests/transcripts/", "tests/scenarios/")
# Addresses that belong to a machine's set-up. Written in two parts, so that this file has none.
REGISTRIES = ["registry" + ".npmjs.org", "registry" + ".yarnpkg.com", "files" + ".pythonhosted.org",
              "index" + ".crates.io", "proxy" + ".golang.org", "deb" + ".debian.org"]
SETTINGS_WITH_ADDRESSES = re.compile(r"(registry|proxy|index|mirror|source)", re.IGNORECASE)
HOME = re.compile(r"/(?:home/\w+|root)/\.(?:cache|cargo|config|local|npm|npmrc|nvm|pyenv|rustup)\b")
# Everything is in one namespace.
CLASS = re.compile(r"^(?:class|struct|enum(?: class)?) (\w+)(?: final)?(?: : [^;{]*)?\s*\{", re.MULTILINE)


def tracked_files():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=True).stdout
    paths = {os.fsdecode(path) for path in listed.split(b"\0") if path}
    return sorted(path for path in paths if os.path.isfile(os.path.join(ROOT, path)))


def configured_registries():
    """Hosts of the registries and proxies that this machine is set up to use."""
    settings = [value for name, value in os.environ.items() if SETTINGS_WITH_ADDRESSES.search(name)]
    if shutil.which("npm"):
        settings.append(subprocess.run(["npm", "config", "get", "registry"], capture_output=True,
                                       text=True, check=False, stdin=subprocess.DEVNULL).stdout)
    for address in re.split(r"[,|\s]", " ".join(settings)):
        try:
            host = urllib.parse.urlsplit(address).hostname if "://" in address else None
        except ValueError:
            continue
        if host and "." in host and host != "127.0.0.1":
            yield host


def forbidden_text():
    """Pattern of what no file may name: (regular expression, what it is)."""
    hosts = {*REGISTRIES, *configured_registries()}
    patterns = [(re.compile(r"(?<![\w.-])" + re.escape(host) + r"(?![\w-])"), "a package registry")
                for host in sorted(hosts)]
    if ROOT.count("/") > 1:  # "/src" alone would be found everywhere
        patterns.append((re.compile(r"(?<![\w.])" + re.escape(ROOT) + r"(?![\w-])"),
                         "the folder of this checkout"))
    patterns.append((HOME, "a home folder"))
    return patterns


def check_size(path, lines):
    limit = MAX_LINES.get(os.path.splitext(path)[1])
    if limit and len(lines) > limit and not any(re.match(r"\s*// Size: \S", line) for line in lines):
        yield f"{path}:1: {len(lines)} lines, at most {limit}; split it, or say why in '// Size: …'"


def check_names(path, lines, patterns):
    for number, line in enumerate(lines, 1):
        for pattern, what in patterns:
            if pattern.search(line):
                yield f"{path}:{number}: names {what}: {pattern.search(line).group(0)}"
        if path.endswith("package-lock.json") and '"resolved":' in line:
            yield f"{path}:{number}: a download address; lock files pin version and integrity only"


def check_mode(path, lines):
    executable = bool(os.stat(os.path.join(ROOT, path)).st_mode & 0o111)
    script = bool(lines) and lines[0].startswith("#!")
    if script and not executable:
        yield f"{path}:1: begins with #! but is not executable"
    if executable and not script:
        yield f"{path}:1: is executable but does not begin with #!"


def check_data(path, text):
    try:
        if path.endswith(".json"):
            json.loads(text)
        elif path.endswith(".jsonl"):
            for number, line in enumerate(text.splitlines(), 1):
                try:
                    json.loads(line)
                except json.JSONDecodeError as error:
                    yield f"{path}:{number}: {error.msg}"
        elif path.endswith((".yaml", ".yml")) and yaml:
            list(yaml.safe_load_all(text))
    except json.JSONDecodeError as error:
        yield f"{path}:{error.lineno}: {error.msg}"
    except Exception as error:  # yaml.YAMLError, where there is yaml
        mark = getattr(error, "problem_mark", None)
        yield f"{path}:{mark.line + 1 if mark else 1}: {getattr(error, 'problem', None) or error}"


def check_file(path, patterns):
    with open(os.path.join(ROOT, path), "rb") as file:
        data = file.read()
    as_it_is = path.startswith(AS_THEY_ARE)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if not as_it_is:
            yield f"{path}:1: not UTF-8"
        text = data.decode("utf-8", errors="replace")
    lines = text.splitlines()
    yield from check_size(path, lines)
    yield from check_names(path, lines, patterns)
    if as_it_is:
        return
    yield from check_mode(path, lines)
    yield from check_data(path, text)
    if text and not text.endswith("\n"):
        yield f"{path}:{len(lines)}: no newline at the end"


def check_class_names(headers):
    """`headers`: texts by path."""
    first = {}
    for path, text in headers.items():
        for match in CLASS.finditer(text):
            other = first.setdefault(match[1], path)
            if other != path:
                yield (f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {other} has a class "
                       f"{match[1]}, too; give one of them another name")


def own_headers(files):
    headers = {}
    for path in files:
        if path.endswith(".h") and path.startswith(("runtime/", "tools/", "validators/", "agents/")):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                headers[path] = file.read()
    return headers


def check_figures(architecture, now):
    """`architecture`: the text of ARCHITECTURE.md; `now`: the figures of the sources."""
    recorded = code_figures.BLOCK.search(architecture)
    before = dict(re.findall(r"^(.+): (\d+)$", recorded[0], re.MULTILINE)) if recorded else {}
    for name, value in now.items():
        if name in code_figures.COUNTS:
            continue
        if name not in before:
            yield f"ARCHITECTURE.md: no figure '{name}'; run scripts/code_figures.py --write"
        elif value > int(before[name]):
            yield (f"ARCHITECTURE.md: {name}: {value}, and {before[name]} before; "
                   "scripts/code_figures.py --list names them")
        elif value < int(before[name]):
            yield (f"ARCHITECTURE.md: {name}: {value}, fewer than the {before[name]} before; "
                   "run scripts/code_figures.py --write")


def own_figures():
    with open(os.path.join(ROOT, "ARCHITECTURE.md"), encoding="utf-8") as file:
        return check_figures(file.read(), code_figures.figures(ROOT)[0])


def main():
    patterns = forbidden_text()
    files = tracked_files()
    problems = [problem for path in files for problem in check_file(path, patterns)]
    problems += check_class_names(own_headers(files))
    problems += own_figures()
    for problem in problems:
        print(problem)
    if yaml is None:
        print("check_tree: YAML files were not parsed: install python3-yaml", file=sys.stderr)
    print(f"check_tree: {len(problems)} findings in {len(files)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
