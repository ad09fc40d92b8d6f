"""One scenario: a workspace, a scripted model, the real compilers, and what the gate must make of it.

    scenario_test.py FILE.toml

    tries    what it is about, a sentence
    needs    programs without which it is skipped; "xunit": the packages that scripts/setup test fetches
    git      commit the files first (true unless given)
    ignore   lines of .gitignore
    trust    true: the user trusts stile.yaml, so that its validators count
    sandbox  "off": what is tried is for a machine without one; otherwise as it comes
    expect   "refused" or "accepted"
    says     text that a refusal must hold
    extra_turns   false: an accepted scenario must not be refused on its way
    check    commands that must succeed on what an accepted run leaves: the second opinion
    [files]  path = content
    [[turn]] one reply of the model, with one or more of, in this order:
             write = {path = content …}, modify = {path, old, new}, run = "shell command",
             delete = path, validate = true (or a table of arguments), finish = true

Files whose names TOML cannot hold are made by a run turn. An accepted run whose files a check rejects is
a false success, whatever else is expected.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cli"), os.path.join(HERE, "..", "exercises")]

import harness  # noqa: E402
import suites  # noqa: E402
from harness import call, finish  # noqa: E402

SOURCE = os.path.normpath(os.path.join(HERE, "..", ".."))
FILE = ""
KNOWN = {"tries", "needs", "git", "ignore", "sandbox", "trust", "expect", "says", "extra_turns", "check", "files", "turn"}
KNOWN_IN_TURNS = {"write", "modify", "run", "delete", "validate", "finish"}


def calls_of(turn):
    unknown = set(turn) - KNOWN_IN_TURNS
    assert not unknown, f"unknown in a turn: {unknown}"
    calls = [call("file.write", path=path, content=content)
             for path, content in turn.get("write", {}).items()]
    if "modify" in turn:
        edit = turn["modify"]
        calls.append(call("file.modify", path=edit["path"], oldText=edit["old"], newText=edit["new"]))
    if "delete" in turn:
        calls.append(call("file.delete", path=turn["delete"]))
    if "run" in turn:
        calls.append(call("shell.execute", command=turn["run"]))
    if turn.get("validate"):
        arguments = turn["validate"] if isinstance(turn["validate"], dict) else {}
        calls.append(call("code.validate", **arguments))
    if turn.get("finish"):
        calls.append(finish())
    assert calls, "an empty turn"
    return calls


class Scenario(harness.StileTest):
    def setUp(self):
        super().setUp()
        with open(FILE, "rb") as file:
            self.scenario = tomllib.load(file)
        unknown = set(self.scenario) - KNOWN
        self.assertFalse(unknown, f"{FILE}: unknown keys")
        self.use_compilers()
        for program in self.scenario.get("needs", []):
            if program == "xunit":
                self.use_xunit()
                continue
            if shutil.which(program, path=self.env["PATH"]) is None:
                self.skipTest(f"{program} is not installed (scripts/setup test installs it)")

    def use_xunit(self):
        source = suites.nuget_source()
        if source is None:
            self.skipTest("the packages of xunit are not here (scripts/setup test fetches them)")
        self.scenario["files"]["nuget.config"] = source.decode()
        # The sandbox hides a checkout below /tmp or a home, and with it the packages.
        self.write("../config/stile/config.yaml", f"sandbox: {{read: [{json.dumps(suites.nuget_folder())}]}}\n")
        self.env["XDG_CONFIG_HOME"] = self.path("../config")

    def test_scenario(self):
        scenario = self.scenario
        for path, content in scenario["files"].items():
            self.write(path, content)
        if "ignore" in scenario:
            self.write(".gitignore", "\n".join(scenario["ignore"]) + "\n")
        if "sandbox" in scenario:
            self.env["STILE_SANDBOX"] = scenario["sandbox"]
        if scenario.get("git", True):
            self.init_git()
        if scenario.get("trust"):
            self.assert_exit(self.stile("trust"), 0)
        turns = [calls_of(turn) for turn in scenario["turn"]]
        result = self.run_task(*turns, arguments=("--json", "--yes"))
        events = self.events(result)
        shown = f"\n{scenario['tries']}\n" + "\n".join(
            str(e.get("reason") or e.get("observation") or e.get("verdict") or e.get("text"))
            for e in events if e["type"] in ("gate_rejected", "validation_finished", "tool_finished", "log"))
        accepted = any(e["type"] == "gate_accepted" for e in events)
        self.assertEqual(accepted, result.returncode == 0, shown)
        if accepted:
            for command in scenario["check"]:
                done = subprocess.run(command, shell=True, cwd=self.workspace, env=self.env,
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0,
                                 f"FALSE SUCCESS: {command}\n{done.stdout}{done.stderr}{shown}")
        self.assertEqual(accepted, scenario["expect"] == "accepted", shown)
        if "says" in scenario:
            words = "\n".join(e.get("reason", "") for e in events if e["type"] == "gate_rejected")
            words += "\n".join(e.get("observation", "") for e in events if e["type"] == "tool_finished")
            self.assertIn(scenario["says"], words, shown)
        if not scenario.get("extra_turns", True):
            self.assertNotIn("gate_rejected", [e["type"] for e in events], shown)


if __name__ == "__main__":
    FILE = os.path.abspath(sys.argv.pop(1))
    harness.main()
