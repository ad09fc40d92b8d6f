"""The embedding example runs a gated task, refused and then accepted, without the command line."""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import harness  # noqa: E402
from harness import VALIDATE, finish, write  # noqa: E402


class EmbeddingTest(harness.StileTest):
    def run_embedded(self, *turns):
        return subprocess.run(
            [os.environ["STILE_EMBEDDING"], self.workspace, self.cassette(*turns), "do it"],
            env=self.env, capture_output=True, text=True, timeout=100, check=False)

    def test_a_gated_task(self):
        result = self.run_embedded(write("a.py", harness.GOOD_PYTHON), finish("early"), VALIDATE,
                                   finish("built"))
        self.assertEqual((result.returncode, result.stdout), (0, "succeeded: built\n"), result.stderr)

    def test_a_refused_task(self):
        result = self.run_embedded(write("a.py", harness.BAD_PYTHON), finish())
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("failed", result.stdout)

    def look_at_runs(self):
        return subprocess.run([os.environ["STILE_EMBEDDING_RUNS"], self.workspace], env=self.env,
                              capture_output=True, text=True, timeout=100, check=False)

    def test_runs_are_read_verified_taken_back_and_removed(self):
        self.run_embedded(write("a.py", harness.GOOD_PYTHON), VALIDATE, finish("built"))
        result = self.look_at_runs()
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "succeeded, 1 changes")
        self.assertIn("diff --git a/a.py b/a.py", lines)
        self.assertEqual(lines[-2:], ["matches: 1, undone: 1, matches: 0", "removed: 1"])
        self.assertFalse(os.path.exists(self.path("a.py")))
        result = self.look_at_runs()
        self.assertEqual((result.returncode, result.stderr), (1, "no runs\n"))

    def test_a_wrong_model(self):
        result = subprocess.run([os.environ["STILE_EMBEDDING"], self.workspace, "nobody:x", "t"],
                                env=self.env, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("nobody", result.stderr)


if __name__ == "__main__":
    harness.main()
