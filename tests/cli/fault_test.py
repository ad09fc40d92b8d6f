"""Runs that die, or whose system calls fail, at a sample of their calls; scripts/faults takes all."""

import json
import os
import re
import subprocess
import unittest
from unittest import mock

from fault_runs import LIBRARY, SCENARIOS, STORY_TURNS, Case, Fault, check, check_all, play, sample
from harness import STORY, StileTest

DEATHS = 26
ERRORS = 10
SEED = 1


class FaultTest(unittest.TestCase):

    def test_what_goes_wrong_in_a_check_is_a_finding(self):
        error = subprocess.CalledProcessError(128, ["git", "log"], stderr="bad object HEAD")
        with mock.patch.object(Case, "check", side_effect=error):
            _, finding = check("task", None, Fault(), keep=False)
        self.assertIn("bad object HEAD", finding)

    def test_every_kind_of_run_survives_faults(self):
        references = {scenario.name: play(scenario) for scenario in SCENARIOS}
        for name, reference in references.items():
            kinds = {call for call, _ in reference.calls}
            self.assertLessEqual({"write", "fsync", "rename", "unlink"}, kinds, name)
        cases = sample(references, DEATHS, ERRORS, SEED)
        self.assertEqual(len(cases), DEATHS + ERRORS)
        happened = []
        findings = []
        for title, how, finding in check_all(references, cases, jobs=2):
            happened.append(how)
            if finding:
                findings.append(f"scripts/faults {title} ({how}): {finding}")
        self.assertEqual(findings, [], "\n".join(findings))
        # The faults took place: the library was loaded and counted as it did for the reference.
        self.assertGreater(sum(how.startswith("killed") for how in happened), DEATHS * 3 // 4, happened)
        self.assertGreater(sum("ended with 6" in how for how in happened), ERRORS // 4, happened)


STEPS = """\
steps:
  one: {type: command, exec: "echo 1 >>done"}
  two: {type: command, exec: "echo 2 >>done", depends_on: [one]}
  three: {type: command, exec: "echo 3 >>done", depends_on: [two]}
"""


class DiskFullTest(StileTest):
    """Every call that needs room fails from one of them on, until the run is resumed."""

    def setUp(self):
        super().setUp()
        self.env["STILE_SANDBOX"] = "off"
        self.states = 0

    def start(self, command, files, **variables):
        """In a workspace and a state folder of its own."""
        self.states += 1
        self.workspace = os.path.join(self.root, f"workspace-{self.states}")
        self.state = os.path.join(self.root, f"state-{self.states}")
        self.env["STILE_STATE_DIR"] = self.state
        os.mkdir(self.workspace)
        for name, text in files.items():
            self.write(name, text)
        self.init_git()
        return self.stile(*command, env={"LD_PRELOAD": LIBRARY, **variables})

    def writes_of_the_journal(self, command, files):
        """The numbers of the calls that write the run's own journal."""
        log = os.path.join(self.root, "calls")
        self.assert_exit(self.start(command, files, STILE_FAULT_LOG=log), 0)
        with open(log, encoding="utf-8") as file:
            calls = [line.split(" ", 2) for line in file]
        os.remove(log)
        return [int(number) for number, name, path in calls
                if "write" in name and re.search(r"/runs/[\w-]+/journal\.jsonl$", path.strip())]

    def check(self, command, files):
        writes = self.writes_of_the_journal(command, files)
        self.assertGreater(len(writes), 5)
        for at in (writes[len(writes) // 3], writes[len(writes) * 2 // 3]):
            full = {"STILE_FAULT_AT": str(at), "STILE_FAULT_ERROR": "ENOSPC", "STILE_FAULT_STICKY": "1"}
            for flags in ((), ("--json",)):
                result = self.start((*command, *flags), files, **full)
                self.assert_exit(result, 6)
                run = self.runs()[0]["id"]
                way_on = f"No space left on device; once there is room, `stile runs resume {run}` goes on"
                self.assertIn(way_on, result.stdout if "Failed" in result.stdout else result.stderr)
                if flags:
                    self.assertIn(way_on, json.loads(result.stdout.splitlines()[-1])["message"])
            self.assert_exit(self.stile("runs", "resume", run, "--yes"), 0)
        # Nothing is there to go on with.
        full["STILE_FAULT_AT"] = str(writes[0])
        result = self.start(command, files, **full)
        self.assert_exit(result, 6)
        self.assertIn("No space left on device\n", result.stderr)
        self.assertNotIn("runs resume", result.stderr)

    def test_of_a_workflow(self):
        self.check(("workflow", "run", "w.yaml"), {"w.yaml": STEPS})
        self.assertEqual(self.runs()[0]["reason"], "not_begun")

    def test_of_a_task(self):
        self.check(("run", "-t", "do it", "--yes", "--model", self.cassette(*STORY_TURNS[:3])), {"old.txt": "old\n"})

    def test_of_a_story(self):
        self.check(("run", "story.yaml", "--yes", "--model", self.cassette(*STORY_TURNS)),
                   {"story.yaml": STORY, "old.txt": "old\n"})


if __name__ == "__main__":
    unittest.main()
