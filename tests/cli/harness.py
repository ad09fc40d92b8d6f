"""What the end-to-end tests share: a workspace, a state folder and a scripted model for each test."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from event_schema import event_defects
from parallel import Expanded

BINARY = os.environ.get("STILE_BINARY", "stile")

GOOD_PYTHON = "def add(a, b):\n    return a + b\n"
BAD_PYTHON = "def add(a, b)\n    return a + b\n"

STORY = """\
story: Add arithmetic
workspace: .
steps:
  - name: add
    description: Write a.py.
    expect: {files_exist: [a.py]}
  - name: more
    description: Write b.py.
"""


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def write(path, content):
    return call("file.write", path=path, content=content)


def shell(command, **more):
    return call("shell.execute", command=command, **more)


VALIDATE = call("code.validate")


def finish(answer="done", **more):
    return call("finish", answer=answer, **more)


def write_cassette(path, turns):
    """A file of replies; a turn is a call or a list of calls."""
    with open(path, "w", encoding="utf-8") as file:
        for turn in turns:
            calls = turn if isinstance(turn, list) else [turn]
            file.write(json.dumps({"text": "", "tool_calls": calls,
                                   "usage": {"input_tokens": 100, "output_tokens": 10}}) + "\n")


def git(folder, env, *arguments):
    """Its stdout. Where the environment names nobody, Test commits."""
    identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, env={**env, "GIT_CONFIG_NOSYSTEM": "1"},
                          capture_output=True, check=True, text=True).stdout


class StileTest(Expanded):
    """Each test has folders of its own; nothing of the user's configuration is seen."""

    maxDiff = None

    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="stile-cli-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.workspace = os.path.join(self.root, "workspace")
        self.state = os.path.join(self.root, "state")
        self.home = os.path.join(self.root, "home")
        os.mkdir(self.workspace)
        os.mkdir(self.home)
        self.env = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
            if name in os.environ
        }
        self.env.update(HOME=self.home, STILE_STATE_DIR=self.state)
        self.cassettes = 0

    def use_compilers(self):
        """Those that scripts/setup installs, with the folders in which they keep caches and settings."""
        source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        folders = [os.path.join(source, "build", "toolchain", "node_modules", ".bin"),
                   os.path.join(source, "build", "dotnet_tools")]
        self.env["PATH"] = os.pathsep.join([*folders, self.env["PATH"]])
        for name in ("HOME", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "DOTNET_ROOT"):
            if name in os.environ:
                self.env[name] = os.environ[name]

    # Files ---------------------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.workspace, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def write_all(self, files):
        """files: texts by path."""
        for name, text in files.items():
            self.write(name, text)

    def assert_changed(self, files, changes):
        """That `files` stand there with `changes` of them: (file, old text, new text)."""
        expected = dict(files)
        for name, old, new in changes:
            self.assertIn(old, expected[name])
            expected[name] = expected[name].replace(old, new)
        for name, text in expected.items():
            self.assertEqual(self.read(name), text, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def git(self, *arguments):
        return git(self.workspace, self.env, *arguments)

    def init_git(self):
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=start")

    # The model -----------------------------------------------------------------------------

    def cassette(self, *turns):
        """A file of replies; a turn is a call or a list of calls. Gives the value for --model."""
        self.cassettes += 1
        name = os.path.join(self.root, f"cassette-{self.cassettes}.jsonl")
        write_cassette(name, turns)
        return "replay:" + name

    # The program ---------------------------------------------------------------------------

    def stile(self, *arguments, stdin="", cwd=None, timeout=300, env=None, prefix=()):
        """Runs the binary; stdout and stderr as text (replacement characters for what is none)."""
        result = subprocess.run(
            [*prefix, BINARY, *arguments], cwd=cwd or self.workspace, env=dict(self.env, **(env or {})),
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True, timeout=timeout, check=False)
        result.stdout = result.stdout.decode("utf-8", "replace")
        result.stderr = result.stderr.decode("utf-8", "replace")
        return result

    def printed(self, command):
        """What a program in the workspace, which must succeed, writes to stdout."""
        done = subprocess.run(command, cwd=self.workspace, env=self.env, capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def run_task(self, *turns, arguments=(), task="do it", **more):
        return self.stile("run", "-t", task, "--model", self.cassette(*turns), *arguments, **more)

    def assert_exit(self, result, code):
        self.assertEqual(
            result.returncode, code,
            f"stdout:\n{result.stdout}\nstderr:\n{result.stderr}")

    def events(self, result):
        """The events of a --json run, after checking that stdout is nothing else."""
        lines = result.stdout.splitlines()
        events = [json.loads(line) for line in lines]
        for event in events:
            self.assertEqual(event_defects(event), [], event)
        self.assertEqual([e["type"] for e in events].count("run_finished"), 1, result.stdout)
        self.assertEqual(events[-1]["type"], "run_finished")
        return events

    def runs(self, *arguments):
        result = self.stile("runs", "list", "--json", *arguments)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def journal(self, run_id):
        name = os.path.join(self.state, "runs", run_id, "journal.jsonl")
        with open(name, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def main():
    unittest.main()
