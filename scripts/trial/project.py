"""A copy of a repository, what its own build says of it, and which of its tests fail."""

import collections
import os
import re
import shutil
import subprocess

Verdict = collections.namedtuple("Verdict", "code errors output")

_FAILED_TEST = [re.compile(pattern, re.M) for pattern in (
    r"^\s*--- FAIL: (\S+)",                       # go
    r"^FAILED (\S+)",                             # pytest
    r"^ERROR (\S+\.py\S*)",                       # pytest: not collected
    r"^\s*(?:✖|×|✗|✕|not ok \d* ?-?)\s*(.+?)(?: \(?\d+ ?m?s\)?)?$",  # vitest, jest, tap, ava
    r"^\s+\d+\) (.+)$",                           # mocha
    r"^test (\S+) \.\.\. FAILED",                 # cargo
    r"^\[ERROR\]\s+([\w$.]+\.[\w$]+)",          # maven
    r"^\s*\d+ - (\S+) \((?:Failed|SEGFAULT|Timeout|Not Run)",  # ctest
    r"^\s*Failed (\S+)",                          # dotnet
    r"^(?:FAIL|ERROR): (\S+)",                    # unittest, automake
)]
_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NUMBERS = re.compile(r"(?<=[:(])\d+(?:[:,]\d+)*\)?|\b0x[0-9a-f]+\b|\b\d+(?:\.\d+)?m?s\b")
_ERROR = re.compile(r"\berror\b|^[^\s:]+:\d+:\d+: |^\s*(?:panic|undefined|FAIL)", re.I)


def default_build(language, folder):
    """The command that builds code and tests of a project without network; "" if none is known."""
    def has(name):
        return os.path.exists(os.path.join(folder, name))

    if language == "go":
        return "go build ./... && go vet ./..."
    if language in ("typescript", "javascript") and has("tsconfig.json"):
        return "tsc --noEmit -p ."
    if language == "javascript":
        return ("git ls-files -z '*.js' '*.mjs' '*.cjs' | "
                "xargs -0 -n 1 node --check")
    if language == "python":
        return "python3 -m compileall -q . && pyright --level error"
    if language == "rust":
        return "cargo check --all-targets --offline"
    if language == "csharp":
        return "dotnet build --no-restore -nologo -v q"
    if language == "java" and has("pom.xml"):
        return "mvn -o -q -B test-compile"
    if language == "java":
        return 'git ls-files -z "*.java" | xargs -0 javac -nowarn -d "$TRIAL_BUILD"'
    if language in ("c", "cpp") and has("CMakeLists.txt"):
        return 'cmake -S . -B "$TRIAL_BUILD" >/dev/null && cmake --build "$TRIAL_BUILD" -j2'
    if language in ("c", "cpp") and has("Makefile"):
        return "make"
    return ""


def error_lines(output, folder, old="", new=""):
    """The lines of an output that report errors, without places and times, as they were called
    before the rename."""
    found = collections.Counter()
    for line in _COLOR.sub("", output).splitlines():
        line = line.replace(folder, "").strip()
        if not _ERROR.search(line):
            continue
        if new:
            line = line.replace(new, old)
        found[_NUMBERS.sub("#", line)] += 1
    return found


def failed_tests(output, old="", new=""):
    found = set()
    for pattern in _FAILED_TEST:
        for match in pattern.finditer(_COLOR.sub("", output)):
            name = match.group(1).strip()
            found.add(name.replace(new, old) if new else name)
    return found


def run(command, folder, environment=None, seconds=1800):
    """Runs a list, or a text for the shell. Code 124 after the time."""
    try:
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                              errors="replace", timeout=seconds, check=False, stdin=subprocess.DEVNULL,
                              shell=isinstance(command, str), executable="/bin/bash" if isinstance(command, str) else None)
    except subprocess.TimeoutExpired as error:
        return subprocess.CompletedProcess(command, 124, (error.stdout or b"").decode(errors="replace"),
                                           "no answer in time")


class Project:
    """A copy of a repository below `parent`, under git."""

    def __init__(self, repository, parent, name, build="", tests="", environment=None):
        self.folder = os.path.join(parent, name)
        shutil.copytree(repository, self.folder, symlinks=True)
        self.environment = dict(environment or os.environ, TRIAL_BUILD=self.folder + ".build")
        os.makedirs(self.environment["TRIAL_BUILD"], exist_ok=True)
        self.build_command, self.tests_command = build, tests
        if not os.path.isdir(os.path.join(self.folder, ".git")):
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=trial", "-c", "user.email=trial@localhost", "commit", "-q",
                 "--allow-empty", "-m", "subject")

    def git(self, *arguments):
        return run(["git", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false", *arguments],
                   self.folder)

    def files(self, extensions, left_out=None):
        names = self.git("ls-files", "-z").stdout.split("\0")
        return [name for name in names if name.endswith(tuple(extensions))
                and os.path.isfile(os.path.join(self.folder, name))
                and not (left_out and re.search(left_out, name))]

    def read(self, file):
        with open(os.path.join(self.folder, file), encoding="utf-8", errors="replace", newline="") as stream:
            return stream.read()

    def write(self, file, text):
        with open(os.path.join(self.folder, file), "w", encoding="utf-8", newline="") as stream:
            stream.write(text)

    def changed(self):
        """{path in the commit: path now, "" if it is gone}; new files under their own path."""
        self.git("add", "-A")
        fields = self.git("diff", "--cached", "-M40%", "--name-status", "-z", "HEAD").stdout.split("\0")
        found, index = {}, 0
        while index + 1 < len(fields):
            status = fields[index]
            if status[:1] in ("R", "C"):
                found[fields[index + 1]] = fields[index + 2]
                index += 3
            else:
                found[fields[index + 1]] = "" if status == "D" else fields[index + 1]
                index += 2
        return found

    def committed(self, file):
        done = subprocess.run(["git", "show", f"HEAD:{file}"], cwd=self.folder, capture_output=True, check=False)
        return done.stdout.decode("utf-8", errors="replace") if done.returncode == 0 else ""

    def reset(self):
        self.git("reset", "-q", "--hard")
        self.git("clean", "-fdq")

    def build(self, old="", new=""):
        if not self.build_command:
            return None
        done = run(self.build_command, self.folder, self.environment)
        output = done.stdout + done.stderr
        return Verdict(done.returncode, error_lines(output, self.folder, old, new), output)

    def test(self, old="", new=""):
        if not self.tests_command:
            return None
        done = run(self.tests_command, self.folder, self.environment, seconds=900)
        output = done.stdout + done.stderr
        return Verdict(done.returncode, failed_tests(output, old, new), output)


def is_worse(before, after):
    """Whether the verdict after a rename is worse than the one before; why, or ""."""
    if before is None or after is None or after.code == 0:
        return ""
    if before.code == 0:
        found = sorted(after.errors)[:3]
        return "; ".join(found) if found else after.output.strip()[-300:] or f"exit code {after.code}"
    if isinstance(after.errors, set):
        return "; ".join(sorted(after.errors - before.errors)[:3])
    return "; ".join(sorted((after.errors - before.errors).elements())[:3])
