"""Runs that die, or whose system calls fail, at a sample of their calls; scripts/faults takes all."""

import subprocess
import unittest
from unittest import mock

from fault_runs import SCENARIOS, Case, Fault, check, check_all, play, sample

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


if __name__ == "__main__":
    unittest.main()
