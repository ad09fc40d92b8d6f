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

    def test_a_wrong_model(self):
        result = subprocess.run([os.environ["STILE_EMBEDDING"], self.workspace, "nobody:x", "t"],
                                env=self.env, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("nobody", result.stderr)


if __name__ == "__main__":
    harness.main()
