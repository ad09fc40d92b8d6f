"""Runs that die, or whose system calls fail, at a chosen point; and what has to hold afterwards.

A scenario is a run with a scripted model. It is played once without a fault, which gives the result to
compare with and the list of its calls (tests/support/fault_preload.cc). A case is the same run in a
workspace and a state folder of its own with one fault, then:

- no process of it is left (this process is the reaper of all that it starts, so it sees every one);
- every file of the workspace is whole: its old content or its new one;
- `stile runs list` and `show` work;
- killed: `stile runs resume`, or a new run where none had come to exist, ends as the run without a
  fault did: same exit code, files, certificates, commit and note, apart from times and ids;
- failed: it said why, with an exit code that means failure, unless the result is the same all the
  same, or the model was told; then going on works, and a full disk names the command for it;
- another run works, and neither the workspace nor the state folder holds anything half-written.
"""

import concurrent.futures
import ctypes
import dataclasses
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import traceback

from harness import (BINARY, GOOD_PYTHON, STORY, VALIDATE, call, finish, git, shell, write,
                     write_cassette)

LIBRARY = os.environ.get("STILE_FAULT_LIBRARY") or os.path.join(os.path.dirname(BINARY), "fault_preload.so")
if " " in LIBRARY or ":" in LIBRARY:  # which end a name in LD_PRELOAD
    COPY = tempfile.TemporaryDirectory(prefix="stile-preload-")
    LIBRARY = shutil.copy(LIBRARY, COPY.name)
PATIENCE_S = 10  # for processes to be gone
TIMEOUT_S = 120
OLD = "def old():\n    return 1\n"
NEW = "def old():\n    return 2\n"
BROKEN = "def broken(:\n    pass\n"
MESSAGES = {"ENOSPC": "No space left on device", "EIO": "Input/output error"}


class Problem(Exception):
    """Something that has to hold after a fault does not."""


@dataclasses.dataclass(frozen=True)
class Fault:
    at: int = 0          # the call; 0: none
    when: str = "before"
    error: str = ""      # "": death
    sticky: bool = False
    delay_s: float = 0   # death after this time, from outside, in place of `at`
    again_s: float = 0   # and of what goes on with it after this

    def variables(self):
        if not self.at:
            return {}
        values = {"LD_PRELOAD": LIBRARY, "STILE_FAULT_AT": str(self.at), "STILE_FAULT_WHEN": self.when}
        if self.error:
            values["STILE_FAULT_ERROR"] = self.error
        if self.sticky:
            values["STILE_FAULT_STICKY"] = "1"
        return values

    def __str__(self):
        if self.delay_s:
            return f"killed after {self.delay_s * 1000:.1f} ms" + (
                f", then after {self.again_s * 1000:.1f} ms" if self.again_s else "")
        return f"--at {self.at} --when {self.when}" + (f" --error {self.error}" if self.error else "") + (
            " --sticky" if self.sticky else "")


@dataclasses.dataclass
class Scenario:
    name: str
    turns: list
    sandbox: str = "off"
    files: dict = dataclasses.field(default_factory=lambda: {"main.py": OLD, "old.txt": "old\n"})
    # Contents that a path may have at any time; None: absent.
    states: dict = dataclasses.field(default_factory=dict)
    arguments: tuple = ()
    story: str = ""  # its text
    code: int = 0  # how it ends without a fault

    def command(self, world):
        task = ["story.yaml"] if self.story else ["-t", "do it"]
        return ["run", *task, "--yes", "--model", "replay:" + world.cassette, *self.arguments]


class Undo(Scenario):
    """What is hurt is the undo of a run that ended."""


class TakenBack(Scenario):
    """What is hurt is undone afterwards, whatever had become of it, and then runs as if it had not been."""


TASK = [[write("new/a.py", GOOD_PYTHON), call("file.modify", path="main.py", oldText="1", newText="2")],
        shell("mv old.txt renamed.txt"), VALIDATE, finish("did it")]
TASK_STATES = {"main.py": {OLD, NEW}, "old.txt": {"old\n", None}, "renamed.txt": {"old\n", None},
               "new/a.py": {GOOD_PYTHON, None}}
STORY_TURNS = [write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
               [write("b.py", GOOD_PYTHON), call("file.delete", path="old.txt")], VALIDATE, finish("b")]
STORY_STATES = {"a.py": {GOOD_PYTHON, None}, "b.py": {GOOD_PYTHON, None}, "old.txt": {"old\n", None}}

THIRD = "def old():\n    return 3\n"
# Two steps at once that change one line.
WAVES = """\
story: Add arithmetic
steps:
  - {name: first, wave: 1, description: Write a.py.}
  - {name: left, wave: 2, description: Write b.py.}
  - {name: right, wave: 2, description: Delete old.txt.}
"""
RIGHT = [[call("file.delete", path="old.txt"), write("main.py", THIRD)], VALIDATE, finish("right")]
WAVE_TURNS = [write("a.py", GOOD_PYTHON), VALIDATE, finish("first"),
              [write("b.py", GOOD_PYTHON), write("main.py", NEW)], VALIDATE, finish("left"),
              *RIGHT, *RIGHT]
WAVE_STATES = {**STORY_STATES, "main.py": {OLD, NEW, THIRD}}
SPAWN = [write("a.py", GOOD_PYTHON), call("agent.spawn", task="Change main.py."),
         write("main.py", BROKEN), VALIDATE, write("main.py", NEW), VALIDATE, finish("changed"),
         VALIDATE, finish("did it")]

SCENARIOS = [
    Scenario("task", TASK, states=TASK_STATES),
    Scenario("sandbox", TASK, sandbox="auto", states=TASK_STATES),
    Scenario("fix", [write("main.py", BROKEN), VALIDATE, write("main.py", NEW), VALIDATE, finish()],
             states={"main.py": {OLD, BROKEN, NEW}}),
    Scenario("story", STORY_TURNS, states=STORY_STATES, story=STORY),
    Scenario("worktree", STORY_TURNS, states=STORY_STATES, story=STORY, arguments=("--worktree",)),
    Scenario("failing", [write("a.py", GOOD_PYTHON), VALIDATE, finish("no", status="gave_up")],
             states=STORY_STATES, story=STORY, code=1),
    Scenario("wave", WAVE_TURNS, states=WAVE_STATES, story=WAVES),
    Scenario("sub-agent", SPAWN, states={"main.py": {OLD, BROKEN, NEW}, "a.py": {GOOD_PYTHON, None}},
             arguments=("--agent", "lead-agent")),
    Undo("undo", TASK, states=TASK_STATES),
    TakenBack("task-undone", TASK, states=TASK_STATES),
    TakenBack("story-undone", STORY_TURNS, states=STORY_STATES, story=STORY),
    TakenBack("worktree-undone", STORY_TURNS, states=STORY_STATES, story=STORY, arguments=("--worktree",)),
    TakenBack("wave-undone", WAVE_TURNS, states=WAVE_STATES, story=WAVES),
]


def become_reaper():
    """Orphans below this process become its children (PR_SET_CHILD_SUBREAPER)."""
    if ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def children():
    """Processes whose parent is this one, dead ones reaped."""
    found = []
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if pid == 0:
            break
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if int(fields[1].split()[1]) == os.getpid():
            found.append(f"{pid} {fields[0].partition('(')[2]}: {words}")
    return found


class World:
    """A workspace, a state folder and a home, new, for one case."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="stile-fault-"))
        self.workspace = os.path.join(self.root, "workspace")
        self.state = os.path.join(self.root, "state")
        self.cassette = os.path.join(self.root, "cassette.jsonl")
        for name in ("home", "workspace"):
            os.mkdir(os.path.join(self.root, name))
        self.env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.env.update(HOME=os.path.join(self.root, "home"), STILE_STATE_DIR=self.state,
                        STILE_SANDBOX=scenario.sandbox, GIT_CONFIG_NOSYSTEM="1")
        for person in ("AUTHOR", "COMMITTER"):
            self.env.update({f"GIT_{person}_NAME": "Test", f"GIT_{person}_EMAIL": "test@localhost"})
        for path, text in scenario.files.items():
            with open(os.path.join(self.workspace, path), "w", encoding="utf-8") as file:
                file.write(text)
        write_cassette(self.cassette, scenario.turns)
        if scenario.story:
            with open(os.path.join(self.workspace, "story.yaml"), "w", encoding="utf-8") as file:
                file.write(scenario.story)
            day = {f"GIT_{person}_DATE": "2020-01-01T00:00:00Z" for person in ("AUTHOR", "COMMITTER")}
            for command in (["init", "--quiet", "--initial-branch=main"], ["add", "--all"],
                            ["commit", "--quiet", "--message=start"]):
                git(self.workspace, {**self.env, **day}, *command)

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)

    # The program -----------------------------------------------------------------------------------

    def stile(self, *arguments, variables=None, kill_after_s=0, env=None):
        """Runs it; exit code (negative: signal), stdout, stderr. Problem if it hangs."""
        process = subprocess.Popen([BINARY, *arguments], cwd=self.workspace, stdin=subprocess.DEVNULL,
                                   env={**self.env, **(variables or {}), **(env or {})},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if kill_after_s:
            try:
                process.wait(kill_after_s)
            except subprocess.TimeoutExpired:
                process.kill()
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Problem(f"stile {' '.join(arguments)} hung") from None
        return subprocess.CompletedProcess(arguments, process.returncode, out.decode("utf-8", "replace"),
                                           err.decode("utf-8", "replace"))

    def expect(self, codes, *arguments, **more):
        result = self.stile(*arguments, **more)
        if result.returncode not in codes:
            raise Problem(f"stile {' '.join(arguments)} ended with {result.returncode}, not {codes}:\n"
                          f"{result.stdout}{result.stderr}")
        return result

    def runs(self):
        return json.loads(self.expect([0], "runs", "list", "--json").stdout)

    def git(self, *arguments):
        return git(self.workspace, self.env, *arguments)

    # What is there ---------------------------------------------------------------------------------

    def working_folders(self):
        """The workspace, and second working trees of stories."""
        trees = os.path.join(self.state, "worktrees")
        names = sorted(os.listdir(trees)) if os.path.isdir(trees) else []
        # Those in which only what is to be committed is judged are nobody's work.
        names = [name for name in names if not name.startswith("scratch-")]
        folders = [os.path.join(trees, name) for name in names]
        return [self.workspace] + [folder for folder in folders if os.path.isdir(folder)]

    def files(self, folder):
        """Path: (executable, content) of all but .git."""
        found = {}
        for where, folders, names in os.walk(folder):
            if ".git" in folders:
                folders.remove(".git")
            for name in names:
                path = os.path.join(where, name)
                relative = os.path.relpath(path, folder)
                if relative == ".git":
                    continue
                with open(path, encoding="utf-8", errors="replace") as file:
                    found[relative] = (bool(os.stat(path).st_mode & stat.S_IXUSR), file.read())
        return found

    def check_whole(self):
        """Each file has a content that the run can have given it."""
        for folder in self.working_folders():
            found = self.files(folder)
            for path, (_, content) in found.items():
                if re.search(r"(^|/)\.stile-[0-9a-f]+\.tmp$", path) or path == "story.yaml":
                    continue
                allowed = self.scenario.states.get(path, {self.scenario.files.get(path)})
                if content not in allowed and not self.being_checked_out(folder):
                    raise Problem(f"{path} is neither old nor new: {content!r}")
            for path in self.scenario.files:
                if None in self.scenario.states.get(path, ()) or path in found:
                    continue
                if not self.being_checked_out(folder):
                    raise Problem(f"{path} is gone")

    def being_checked_out(self, folder):
        """git writes the files of a second working tree one by one, before any step works there."""
        is_of_wave = re.search(r"\.\d+$", folder) is not None
        return folder != self.workspace and (
            not os.path.exists(self.git_folder(folder, "wave-base")) if is_of_wave else not self.steps())

    def git_folder(self, tree, name):
        return os.path.join(self.workspace, ".git", "worktrees", os.path.basename(tree), name)

    def steps(self):
        runs = os.path.join(self.state, "runs")
        return [name for name in os.listdir(runs) if "." in name] if os.path.isdir(runs) else []

    def leftovers(self, failed):
        """What was under way when the process died, and would be in somebody's way: anything in the
        workspace and git's folder, transactions and copies. Files of the state folder that never got
        their name are in nobody's."""
        found = []
        for where, folders, names in os.walk(self.root):
            for name in names + folders:
                path = os.path.relpath(os.path.join(where, name), self.root)
                nameless = name.endswith(".tmp") and not path.startswith("state/edits/")
                if path.startswith("state/") and not path.startswith("state/worktrees/") and nameless:
                    continue
                # The next copy that is made there sweeps; this run may need none.
                if re.match(r"state/workspaces/[0-9a-f]+/scratch/", path):
                    continue
                # The kernel ends this lock with its holder; the next story removes the file.
                if path == "state/worktrees.lock":
                    continue
                # What could not be removed is swept by the next story; who was killed made one.
                if failed and path.startswith("state/worktrees/scratch-"):
                    continue
                if re.search(r"\.tmp$|\.edit$|^scratch-|\.lock$|^stile-", name):
                    found.append(path)
        if self.scenario.story and not failed:
            listed = self.git("worktree", "list", "--porcelain").splitlines()
            trees = [line.partition(" ")[2] for line in listed if line.startswith("worktree ")]
            found += sorted(set(trees) - set(self.working_folders()))
        return found

    def result(self):
        """Everything that a run leaves, without times and ids."""
        runs = [run for run in self.runs() if run["outcome"] not in ("interrupted", "damaged")]
        wanted = ("kind", "outcome", "reason", "changed", "turns", "tokens")
        found = {"runs": [{key: run[key] for key in wanted} for run in runs],
                 "files": [self.files(folder) for folder in self.working_folders()],
                 "certificates": self.certificates()}
        if self.scenario.story:
            branch = "stile/add-arithmetic"
            found["branches"] = self.git("branch", "--format=%(refname)").split()
            found["commits"] = self.git("rev-list", "--count", f"main..{branch}").strip()
            found["tree"] = self.git("rev-parse", branch + "^{tree}").strip()
            found["message"] = self.plain(self.git("log", "-1", "--format=%B", branch))
            found["status"] = self.git("status", "--porcelain")
            if found["commits"] != "0":
                notes = self.git("notes", "--ref=stile", "show", branch)
                found["notes"] = [self.plain_certificate(line) for line in notes.splitlines()]
        return found

    def plain(self, text):
        text = text.replace(self.root, "ROOT")
        text = re.sub(r"\b\d{8}T\d{6}-[0-9a-f]{8}\b", "RUN", text)
        text = re.sub(r"workspaces/[0-9a-f]{32}", "workspaces/KEY", text)
        text = re.sub(r"scratch-[0-9a-f]{16}|private-[0-9a-f]{16}", "SCRATCH", text)
        return re.sub(r"sha256:[0-9a-f]{64}", "sha256:HASH", text)

    def plain_certificate(self, text):
        def strip(value):
            if isinstance(value, dict):
                return {key: strip(item) for key, item in value.items()
                        if not re.search(r"time|duration|_ms$|started|finished", key, re.IGNORECASE)}
            return [strip(item) for item in value] if isinstance(value, list) else value
        return strip(json.loads(self.plain(text)))

    def certificates(self):
        runs = os.path.join(self.state, "runs")
        found = {}
        for name in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
            path = os.path.join(runs, name, "certificate.json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    found[self.plain(name)] = self.plain_certificate(file.read())
        return found


def difference(expected, found, where=""):
    """The first place where two results differ; "" if they are equal."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in {**expected, **found}:
            if key not in expected or key not in found:
                side = "is missing" if key in expected else "is too much"
                return f"{where}/{key} {side}: {expected.get(key, found.get(key))!r}"
            text = difference(expected[key], found[key], f"{where}/{key}")
            if text:
                return text
        return ""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        texts = (difference(a, b, f"{where}/{i}") for i, (a, b) in enumerate(zip(expected, found)))
        return next((text for text in texts if text), "")
    return "" if expected == found else f"{where}: {expected!r} became {found!r}"


@dataclasses.dataclass
class Reference:
    result: dict
    calls: list       # (name, path without what is random)
    duration_s: float


def play(scenario):
    """The run without a fault."""
    world = World(scenario)
    try:
        log = os.path.join(world.root, "calls")
        variables = {"LD_PRELOAD": LIBRARY, "STILE_FAULT_LOG": log}
        if isinstance(scenario, Undo):
            world.expect([0], *scenario.command(world))
            command = ["runs", "undo", world.runs()[0]["id"]]
        else:
            command = scenario.command(world)
        start = time.monotonic()
        world.expect([scenario.code], *command, variables=variables)
        duration = time.monotonic() - start
        with open(log, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(" ", 2) for line in file]
        calls = [(name, re.sub(r"[0-9a-f]{16,}", "*", world.plain(path))) for _, name, path in lines]
        os.remove(log)
        return Reference(world.result(), calls, duration)
    finally:
        world.remove()


def wait_for_no_process():
    deadline = time.monotonic() + PATIENCE_S
    while left := children():
        if time.monotonic() > deadline:
            for process in left:
                os.kill(int(process.split()[0]), signal.SIGKILL)
            raise Problem("processes are left: " + "; ".join(left))
        time.sleep(0.005)


class Case:
    """One fault in one scenario. `check` raises Problem; afterwards `how` says what had happened."""

    def __init__(self, scenario, reference, fault, keep=False):
        self.scenario = scenario
        self.reference = reference
        self.fault = fault
        self.keep = keep
        self.how = ""

    def check(self):
        world = World(self.scenario)
        failed = True
        try:
            if isinstance(self.scenario, Undo):
                self.check_undo(world)
            elif isinstance(self.scenario, TakenBack):
                self.check_taken_back(world)
            elif self.fault.error:
                self.check_error(world)
            else:
                self.check_death(world)
            failed = False
        finally:
            if failed and self.keep:
                print(f"kept: {world.root}", flush=True)
            else:
                world.remove()

    def hurt(self, world, command):
        result = world.stile(*command, variables=self.fault.variables(), kill_after_s=self.fault.delay_s)
        wait_for_no_process()
        world.check_whole()
        if result.returncode < 0 and (result.returncode != -signal.SIGKILL or self.fault.error):
            raise Problem(f"crashed with signal {-result.returncode}: {result.stderr}")
        return result

    def check_death(self, world):
        result = self.hurt(world, self.scenario.command(world))
        self.how = "not reached" if result.returncode == self.scenario.code else "killed"
        if result.returncode not in (self.scenario.code, -signal.SIGKILL):
            raise Problem(f"ended with {result.returncode}: {result.stderr}")
        self.go_on(world, again_s=self.fault.again_s)
        self.compare(world)
        self.follow_up(world)

    def go_on(self, world, again_s=0.0):
        """Resumes what was interrupted, or runs it if there is none."""
        runs = world.runs()
        if not runs:
            self.how += ", begun anew"
            world.expect([self.scenario.code], *self.scenario.command(world))
            return
        shown = world.stile("runs", "show", runs[0]["id"])
        if runs[0]["outcome"] == self.reference.result["runs"][0]["outcome"]:
            self.how += ", had ended"
            if shown.returncode != 0:
                raise Problem(f"runs show failed: {shown.stderr}")
            return
        if runs[0]["outcome"] != "interrupted" or shown.returncode != 0:
            raise Problem(f"the run is {runs[0]['outcome']} ({runs[0]['reason']}); runs show:"
                          f" {shown.stdout}{shown.stderr}")
        command = ["runs", "resume", runs[0]["id"], "--yes"]
        if again_s and runs[0]["reason"] != "not_begun":
            self.how += ", killed again"
            world.stile(*command, kill_after_s=again_s)
            wait_for_no_process()
            world.check_whole()
            self.go_on(world)
            return
        if runs[0]["reason"] == "not_begun":
            self.how += ", begun anew"
            said = world.expect([2], *command)
            if "ended before it began" not in said.stderr:
                raise Problem(f"runs resume: {said.stderr}")
            world.expect([self.scenario.code], *self.scenario.command(world))
            return
        self.how += ", resumed"
        world.expect([self.scenario.code], *command)

    def compare(self, world):
        text = difference(self.reference.result, world.result())
        if text:
            raise Problem(f"another result than without the fault: {text}")

    def follow_up(self, world):
        """Whoever comes next is not hindered."""
        finished = os.path.join(world.root, "next.jsonl")
        write_cassette(finished, [VALIDATE, finish("nothing to do")])
        for folder in world.working_folders():
            world.expect([0], "run", "-t", "look", "--model", "replay:" + finished, "-C", folder)
        wait_for_no_process()
        if left := world.leftovers(failed=bool(self.fault.error)):
            raise Problem(f"left behind: {left}")
        # Of no use to it: programs to look for. What it says of the state folder counts.
        said = world.stile("doctor", env={"PATH": world.root})
        if "Run states" not in said.stdout or "✓ " + world.state not in said.stdout:
            raise Problem(f"stile doctor: {said.stdout}{said.stderr}")

    def check_undo(self, world):
        world.expect([0], *self.scenario.command(world))
        command = ["runs", "undo", world.runs()[0]["id"]]
        result = self.hurt(world, command)
        self.how = "killed" if result.returncode < 0 else f"ended with {result.returncode}"
        if self.fault.error and result.returncode != 0:
            self.check_said(result, "")
        world.expect([0], *command)
        self.compare(world)
        self.follow_up(world)

    def check_taken_back(self, world):
        before = world.files(world.workspace)
        result = self.hurt(world, self.scenario.command(world))
        self.how = "killed" if result.returncode < 0 else f"ended with {result.returncode}"
        runs = world.runs()
        if runs:
            world.expect([0], "runs", "undo", runs[0]["id"])
            self.how += ", undone"
            if "nothing to undo" not in (said := world.expect([0], "runs", "undo", runs[0]["id"]).stdout) and (
                    "left " not in said):
                raise Problem(f"undone twice: {said}")
        if text := difference(before, world.files(world.workspace)):
            raise Problem(f"undo did not bring back what was there: {text}")
        if self.scenario.story:
            if world.git("rev-list", "--count", "--all", "--not", "main", "--glob=refs/notes").strip() != "0":
                self.how += ", with its commit left"
                return
            for arguments, expected in ((["status", "--porcelain"], ""), (["branch", "--show-current"], "main\n"),
                                        (["branch", "--format=%(refname:short)"], "main\n")):
                if (found := world.git(*arguments)) != expected:
                    raise Problem(f"git {' '.join(arguments)} after undo: {found!r}")
            if len(world.working_folders()) != 1 or len(world.git("worktree", "list").splitlines()) != 1:
                raise Problem(f"working trees after undo: {world.working_folders()}")
        world.expect([self.scenario.code], *self.scenario.command(world))
        self.compare_newest(world)
        self.follow_up(world)

    def compare_newest(self, world):
        """Of the run that came after an undone one."""
        found = world.result()
        found["runs"] = found["runs"][:1]
        expected = {key: value for key, value in self.reference.result.items() if key != "certificates"}
        text = difference(expected, {key: value for key, value in found.items() if key != "certificates"})
        if text:
            raise Problem(f"another result than without the undone run: {text}")

    def check_said(self, result, journals):
        if result.returncode not in (1, 2, 4, 5, 6):
            raise Problem(f"ended with {result.returncode}: {result.stderr}")
        said = result.stdout + result.stderr + journals
        spawning = ("Resource temporarily unavailable",)
        if not any(text in said for text in (MESSAGES[self.fault.error], *spawning)):
            raise Problem(f"ended with {result.returncode} without the reason: {result.stdout}{result.stderr}")
        if result.returncode in (1, 2) and "rror" not in said and "annot" not in said:
            raise Problem(f"ended with {result.returncode}: {said}")

    def check_error(self, world):
        result = self.hurt(world, self.scenario.command(world))
        self.how = f"ended with {result.returncode}"
        journals = self.journals(world)
        if result.returncode == self.scenario.code:
            text = difference(self.reference.result, self.result_or_problem(world))
            # The model in an observation, the user in a certificate: `sandbox: auto` may do without.
            said = journals + json.dumps(world.certificates())
            # bubblewrap has words of its own where a call of it fails.
            told = any(message in said for message in (*MESSAGES.values(), "temporarily unavailable",
                                                       "none: the sandbox could not be made"))
            if text and not told:
                raise Problem(f"another result, and nobody was told: {text}")
        else:
            self.check_said(result, journals)
        runs = world.runs()
        if runs and runs[0]["outcome"] == "interrupted" and runs[0]["reason"] != "not_begun":
            self.how += ", resumed"
            if MESSAGES["ENOSPC"] in (told := result.stdout + result.stderr) and result.returncode == 6 and (
                    f"stile runs resume {runs[0]['id']}" not in told):
                raise Problem(f"a full disk, and nothing says how to go on: {told}")
            world.expect([0, self.scenario.code], "runs", "resume", runs[0]["id"], "--yes")
        self.work_on(world)
        if left := world.leftovers(failed=bool(self.fault.error)):
            raise Problem(f"left behind: {left}")

    def result_or_problem(self, world):
        try:
            return world.result()
        except subprocess.CalledProcessError as error:  # git has no such branch or note
            return {"git": str(error)}

    def journals(self, world):
        runs = os.path.join(world.state, "runs")
        text = ""
        for name in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
            path = os.path.join(runs, name, "journal.jsonl")
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += file.read()
        return text

    def work_on(self, world):
        """A new run in the same place works, whatever state the old one left."""
        later = os.path.join(world.root, "later.jsonl")
        write_cassette(later, [[write("main.py", NEW), write("later.py", GOOD_PYTHON)], VALIDATE,
                                     finish("later")])
        for folder in world.working_folders():
            world.expect([0], "run", "-t", "later", "--model", "replay:" + later, "-C", folder)
        wait_for_no_process()


# Choosing cases ----------------------------------------------------------------------------------------

def every_death(reference):
    for at, (name, _) in enumerate(reference.calls, 1):
        for when in ("before", "after", "torn") if "write" in name else ("before", "after"):
            yield Fault(at, when)


def every_error(reference):
    for at, (name, _) in enumerate(reference.calls, 1):
        for error in MESSAGES:
            yield Fault(at, "before", error)
        if "write" in name:
            yield Fault(at, "torn", "ENOSPC")
        yield Fault(at, "before", "ENOSPC", sticky=True)


def sample(references, deaths, errors, seed):
    """A part of all cases in which every kind of call, by name and place, is hurt before the second of
    any kind is: [(scenario, fault)]."""
    chooser = random.Random(seed)
    kinds = {}
    for scenario, reference in references.items():
        for at, kind in enumerate(reference.calls, 1):
            kinds.setdefault(kind, []).append((scenario, at))
    order = sorted(kinds)
    chooser.shuffle(order)
    chosen = []
    for number, kind in enumerate(order[:deaths]):
        scenario, at = chooser.choice(kinds[kind])
        torn = "torn" if "write" in kind[0] else "before"
        chosen.append((scenario, Fault(at, ("before", "after", torn)[number % 3])))
    for number, kind in enumerate(order[-errors:] if errors else []):
        scenario, at = chooser.choice(kinds[kind])
        chosen.append((scenario, Fault(at, "before", ("ENOSPC", "EIO")[number % 2], sticky=number % 4 == 2)))
    return chosen


def at_random(references, count, seed):
    """Deaths at random moments, of which every third is followed by a second one."""
    chooser = random.Random(seed)
    names = sorted(references)
    for number in range(count):
        scenario = names[number % len(names)]
        whole_s = references[scenario].duration_s
        again_s = chooser.uniform(0.001, whole_s) if number % 3 == 0 else 0
        yield scenario, Fault(delay_s=chooser.uniform(0.001, whole_s * 1.1), again_s=again_s)


# Checking them ------------------------------------------------------------------------------------------

def check(name, reference, fault, keep):
    """In a process of its own: what happened, and the finding or ""."""
    case = Case(next(s for s in SCENARIOS if s.name == name), reference, fault, keep)
    try:
        case.check()
    except Problem as problem:
        return case.how, str(problem)
    except Exception as error:  # of git, of a file that is gone: a finding too, and the others go on
        said = getattr(error, "stderr", None) or ""
        return case.how, f"{traceback.format_exc()}{said}"
    return case.how, ""


def check_all(references, cases, jobs, keep=False):
    """Yields, as they are done, the options of scripts/faults that repeat the case, what happened, and
    the finding or ""."""
    with concurrent.futures.ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), become_reaper) as pool:
        pending = {pool.submit(check, name, references[name], fault, keep): (name, fault)
                   for name, fault in cases}
        for done in concurrent.futures.as_completed(pending):
            name, fault = pending[done]
            calls = references[name].calls
            call_text = " ".join(calls[fault.at - 1]) if 0 < fault.at <= len(calls) else ""
            how, finding = done.result()
            yield (f"--scenario {name} {fault} [{call_text}]",
                   ("error: " if fault.error else "") + how, finding)
