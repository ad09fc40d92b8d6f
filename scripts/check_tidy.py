#!/usr/bin/env python3
"""Runs clang-tidy on the sources that changed, one process a core.

    scripts/check_tidy.py [--all] BUILD_FOLDER

Changed means: against the merge base with origin/main, or, on main itself, in the last ten commits; and
what is not committed. Everything counts as changed where the history is too short to tell, or when
.clang-tidy changed. A header is judged through one source that includes it.

What passed is remembered in the user's cache folder, by the content of the source and of everything it
includes from here. After STILE_TIDY_BUDGET_S seconds (360; 0 is no limit; --all has none) no further file
is begun; the rest is named, newest changes having come first.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREES = ("runtime/", "tools/", "validators/", "agents/")
RECENT_COMMITS = 10
FILE_TIMEOUT_S = 600


def git(*arguments):
    """Lines of git's output; None if it fails."""
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else None


def comparison_base():
    """The commit to compare with, or None if all counts as changed."""
    head = git("rev-parse", "HEAD")
    fork = git("merge-base", "HEAD", "origin/main")
    if head and fork and fork != head:
        return fork[0]
    recent = git("rev-parse", "--verify", "--quiet", f"HEAD~{RECENT_COMMITS}")
    return recent[0] if recent else None


def changed_paths(base):
    """Paths that differ from `base`, the newest first."""
    uncommitted = (git("diff", "--name-only", "HEAD") or []) + (
        git("ls-files", "--others", "--exclude-standard") or [])
    logged = git("log", "--name-only", "--pretty=format:", f"{base}..HEAD") or []
    differing = set(git("diff", "--name-only", base) or []) | set(uncommitted)
    return [path for path in dict.fromkeys(uncommitted + logged) if path in differing]


def source_for_header(header, sources, texts):
    """The source through which a header is judged: its own, else the first that includes it."""
    own = header[:-2] + ".cc"
    if own in sources:
        return own
    return next((path for path in sources if f'#include "{header}"' in texts[path]), None)


def select(commands, everything):
    """Sources to check, in order."""
    sources = sorted(commands)
    base = None if everything else comparison_base()
    changed = changed_paths(base) if base else None
    if changed is None or ".clang-tidy" in changed:
        return sources
    texts = {}
    for path in sources:
        with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
            texts[path] = file.read()
    selected = [source_for_header(path, sources, texts) if path.endswith(".h") else path
                for path in changed]
    return list(dict.fromkeys(path for path in selected if path in commands))


def without_precompiled(command):
    """The command without CMake's precompiled header, which clang cannot read and which would hide
    missing includes."""
    words = shlex.split(command)
    for i in range(len(words) - 1, 0, -1):
        if words[i - 1] == "-include" and words[i].endswith("/cmake_pch.hxx"):
            del words[i - 1:i + 1]
    return shlex.join(word for word in words if word != "-Winvalid-pch")


def read_commands(build):
    """Source path → its entry in compile_commands.json."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    commands = {}
    for entry in entries:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if path.startswith(TREES) and os.path.exists(os.path.join(ROOT, path)):
            commands[path] = dict(entry, command=without_precompiled(entry["command"]))
    return commands


def dependencies(rule):
    """The prerequisites of one rule of make, as compilers write it: a blank in a name has a backslash."""
    text = rule.split(": ", 1)[1].replace("\\\n", " ")
    return [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$")
            for word in re.findall(r"(?:\\.|\S)+", text)]


def content_key(entry, settings):
    """Hash of all that decides clang-tidy's verdict; None if the includes cannot be listed."""
    words = shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        del words[0]
    del words[words.index("-o"):words.index("-o") + 2]
    words[words.index("-c")] = "-MM"
    listed = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        return None
    key = hashlib.sha256(settings)
    key.update("\0".join(words).replace(ROOT, ".").encode())  # another clone may know it
    for path in sorted(dependencies(listed.stdout), key=lambda path: path.replace(ROOT, ".")):
        with open(os.path.join(entry["directory"], path), "rb") as file:
            key.update(hashlib.sha256(file.read()).digest())
    return key.hexdigest()


class Checker:
    """Judges one file at a time; its methods may run on several threads at once."""

    def __init__(self, build, commands, deadline):
        self.build = os.path.join(build, "tidy")  # clang-tidy reads compile_commands.json there
        os.makedirs(self.build, exist_ok=True)
        with open(os.path.join(self.build, "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump(list(commands.values()), file)
        self.commands = commands
        self.deadline = deadline
        self.cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or
                                  os.path.expanduser("~/.cache"), "stile", "tidy")
        os.makedirs(self.cache, exist_ok=True)
        version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
        with open(os.path.join(ROOT, ".clang-tidy"), "rb") as file:
            self.settings = version + file.read()

    def check(self, path):
        """(path, "cached" | "passed" | "failed" | "late", clang-tidy's words)."""
        if self.deadline and time.monotonic() > self.deadline:
            return path, "late", ""
        key = content_key(self.commands[path], self.settings)
        marker = os.path.join(self.cache, key) if key else None
        if marker and os.path.exists(marker):
            return path, "cached", ""
        try:
            done = subprocess.run(
                ["clang-tidy", "-p", self.build, "--quiet", "--extra-arg=-Wno-error",
                 "--extra-arg=-Wno-unknown-warning-option", os.path.join(ROOT, path)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                timeout=FILE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return path, "failed", f"{path}: clang-tidy took more than {FILE_TIMEOUT_S} seconds\n"
        if done.returncode != 0:
            return path, "failed", done.stdout or done.stderr
        if marker:
            with open(marker, "w", encoding="utf-8"):
                pass
        return path, "passed", ""


def main(arguments):
    everything = "--all" in arguments
    [build] = [argument for argument in arguments if argument != "--all"]
    budget_s = 0 if everything else float(os.environ.get("STILE_TIDY_BUDGET_S", "360"))
    commands = read_commands(build)
    checker = Checker(build, commands, time.monotonic() + budget_s if budget_s else None)
    counts = {"cached": 0, "passed": 0, "failed": 0, "late": 0}
    late, seen = [], set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, verdict, words in pool.map(checker.check, select(commands, everything)):
            counts[verdict] += 1
            if verdict == "late":
                late.append(path)
            if words and words not in seen:  # the same header, seen through two sources
                seen.add(words)
                print(words.replace(ROOT + "/", ""), end="", flush=True)
    print(f"clang-tidy: {counts['passed']} passed, {counts['cached']} unchanged since they passed, "
          f"{counts['failed']} failed, {counts['late']} not reached in time, "
          f"of {len(commands)} sources")
    for path in late:
        print(f"  not reached: {path}")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
