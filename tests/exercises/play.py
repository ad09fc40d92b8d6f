"""Plays one exercise: spoilt solutions that must be refused, then the reference, which must be accepted."""

import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import harness
import suites
from harness import VALIDATE, finish, write

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCE_TIMEOUT_S = 600  # for a compiler or tests started directly
# For the same on a mutant, when the reference took that long: what loops is left out.
MUTANT_TIMEOUT_S, MUTANT_TIMES = 30, 5
RUN_TIMEOUT_S = 1800
BUILD_KINDS = ("type_error", "undefined_name")

Programs = collections.namedtuple("Programs", "stile mutate root")


class World(harness.StileTest):
    """A workspace with the exercise in it, and the compilers of this machine."""

    def runTest(self):
        """Needed to make one outside a test runner."""

    def __init__(self, exercise, programs):
        super().__init__()
        self.exercise = exercise
        self.setUp()
        os.rmdir(self.workspace)
        self.workspace = os.path.join(self.root, exercise.name)
        toolchain = os.path.join(programs.root, "build", "toolchain", "node_modules", ".bin")
        self.env["PATH"] = toolchain + os.pathsep + self.env["PATH"]
        for name in ("HOME", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "DOTNET_ROOT"):
            if name in os.environ:
                self.env[name] = os.environ[name]
        self.env.update(DOTNET_NOLOGO="1", DOTNET_CLI_TELEMETRY_OPTOUT="1", PYTHONDONTWRITEBYTECODE="1")
        self.lay(exercise.files)

    def lay(self, files):
        """The workspace anew, with these files."""
        shutil.rmtree(self.workspace, ignore_errors=True)
        for path, data in files.items():
            full = self.path(path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(data)
        for path, folder in self.exercise.links.items():
            os.symlink(folder, self.path(path))

    def direct(self, command, changes, timeout_s):
        """The second opinion: None when `command` succeeds on the workspace with `changes`, else why not."""
        self.lay({**self.exercise.files, **changes})
        process = subprocess.Popen(["sh", "-c", command], cwd=self.workspace, env=self.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            try:  # whatever it left running, a test that loops first of all
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()
        return None if process.returncode == 0 else output.decode("utf-8", "replace")[-400:] or "failed"


def candidates(world, programs, source_path, data):
    """What `mutate` finds in a solution file."""
    spoilt = os.path.join(world.root, "solution")
    with open(spoilt, "wb") as file:
        file.write(data)
    done = subprocess.run([programs.mutate, os.path.join(HERE, "mutations.yaml"), world.exercise.language,
                           spoilt], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise RuntimeError(done.stderr)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [dict(mutation, path=source_path) for mutation in found]


def choose(world, programs, options):
    """Mutants by kind, chosen by the seed."""
    exercise = world.exercise
    by_kind = {}
    for path, data in exercise.solution.items():
        if path.endswith(exercise.extensions):
            for mutation in candidates(world, programs, path, data):
                by_kind.setdefault(mutation["kind"], []).append(mutation)
    chooser = random.Random(f"{options.seed}/{exercise.language}/{exercise.name}")
    return {kind: chooser.sample(found, min(options.mutants, len(found)))
            for kind, found in sorted(by_kind.items())}


def spoil(exercise, mutation):
    data = exercise.solution[mutation["path"]]
    return data[:mutation["start"]] + mutation["text"].encode() + data[mutation["end"]:]


def play(exercise, programs, options):
    result = {"suite": exercise.suite, "language": exercise.language, "name": exercise.name,
              "mutants": [], "references": [], "skipped": list(exercise.left_out)}
    missing = [name for name in exercise.needs if shutil.which(name) is None and not os.path.exists(
        os.path.join(programs.root, "build", "toolchain", "node_modules", ".bin", name))]
    if missing:
        result["skipped"].append(f"{', '.join(missing)} not installed")
        return result
    harness.BINARY = programs.stile
    world = World(exercise, programs)
    try:
        chosen = choose(world, programs, options)
        levels = {"build": [], "test": []}
        for kind, mutations in chosen.items():
            level = "build" if kind in BUILD_KINDS and exercise.build else "test"
            levels[level] += mutations
        for level, mutations in levels.items():
            command = exercise.build if level == "build" else exercise.test
            if not command or not mutations:
                continue
            if level == "test" and exercise.build:
                command = f"{exercise.build} && {exercise.test}"
            start = time.monotonic()
            why = world.direct(command, exercise.solution, REFERENCE_TIMEOUT_S)
            timeout_s = MUTANT_TIMEOUT_S + MUTANT_TIMES * (time.monotonic() - start)
            if why is not None:
                result["skipped"].append(f"the reference does not pass level {level} by itself")
                note(options, f"{exercise.name}: {why}")
                continue
            play_level(world, level, (command, timeout_s), mutations, result)
    finally:
        world.doCleanups()
    note(options, f"{exercise.language}/{exercise.name}: played")
    return result


def play_level(world, level, opinion, mutations, result):
    """`opinion`: command and timeout of the second one."""
    command, timeout_s = opinion
    exercise = world.exercise
    pending = []
    for mutation in mutations:
        entry = dict(mutation, level=level)
        result["mutants"].append(entry)
        spoilt = {**exercise.solution, mutation["path"]: spoil(exercise, mutation)}
        why = world.direct(command, spoilt, timeout_s)
        if why is None:
            entry["outcome"] = "equivalent"
        elif why == "timeout":
            entry.update(outcome="skipped", why="spoilt code that does not end")
        else:
            pending.append(entry)
    while True:  # a false accept ends a run; the mutants after it get another
        accepted = play_run(world, level, pending, result)
        if accepted is None:
            return
        pending = pending[accepted + 1:]


def play_run(world, level, entries, result):
    """One run over all the mutants and the reference. The index of a mutant that was accepted, or None."""
    exercise = world.exercise
    world.lay(exercise.files)
    world.init_git()
    turns = []
    before = dict(exercise.files)
    for number, entry in enumerate(entries):
        content = {**exercise.solution, entry["path"]: spoil(exercise, entry)}
        turns += [changes(before, content), VALIDATE, finish(f"attempt {number + 1}")]
        before.update(content)
    turns += [changes(before, exercise.solution), VALIDATE, finish("the reference")]
    arguments = ["--json", "--yes"]
    if exercise.settings:
        arguments += ["--config", exercise.settings]
    # The sandbox hides a checkout below /tmp or a home, and with it the packages of xunit.
    packages = [folder for folder in (suites.nuget_folder(), *exercise.links.values()) if os.path.isdir(folder)]
    if packages:
        world.write("../config/stile/config.yaml", f"sandbox: {{read: {json.dumps(packages)}}}\n")
    done = world.run_task(*turns, arguments=arguments, timeout=RUN_TIMEOUT_S, env={
        "XDG_CONFIG_HOME": os.path.join(world.root, "config"), "STILE_GATE_LEVEL": level, "STILE_GATE_MAX_FAILURES": "1000", "STILE_GATE_MAX_INFRA_ERRORS": "1000",
        "STILE_LIMITS_MAX_TURNS": "10000"})
    events = world.events(done)
    verdicts = [event["verdict"] for event in events if event["type"] == "validation_finished"]
    judged = [event for event in events if event["type"] in ("gate_rejected", "gate_accepted")]
    for number, entry in enumerate(entries):
        if number >= len(judged):
            raise RuntimeError(f"{exercise.name}: the run ended early: {events[-1]}")
        verdict = verdicts[number] if number < len(verdicts) else "none"
        if judged[number]["type"] == "gate_accepted":
            entry.update(outcome="accepted", verdict=verdict)
            return number
        if verdict in ("fail", "timeout"):
            entry.update(outcome="refused", verdict=verdict)
        else:  # refused, but not because anything was found out
            entry.update(outcome="skipped", why=f"the validation ended with {verdict}")
    last = judged[len(entries)] if len(judged) > len(entries) else events[-1]
    reference = {"level": level, "accepted": last["type"] == "gate_accepted"}
    if not reference["accepted"]:
        reference["why"] = last.get("reason") or last.get("message") or str(last)
    result["references"].append(reference)
    return None


def changes(before, content):
    """Calls that write the files that differ."""
    return [write(path, data.decode("utf-8")) for path, data in content.items() if before.get(path) != data]


def note(options, text):
    if options.verbose:
        print(text, file=sys.stderr, flush=True)
