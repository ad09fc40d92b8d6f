"""What tests of apply_fix share."""

import shutil
import unittest

from harness import StileTest


class FixCase(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    def fix(self, *arguments, code=0, operation="apply_fix"):
        result = self.stile("refactor", operation, *arguments, timeout=600)
        self.assert_exit(result, code)
        return result.stdout + result.stderr

    def need(self, program):
        if shutil.which(program, path=self.env["PATH"]) is None:
            raise unittest.SkipTest(f"{program} is not installed (scripts/setup test)")

    def line_of(self, file, text):
        return self.read(file)[:self.read(file).index(text)].count("\n") + 1

    def assert_mends(self, file, at, expected, by=""):
        """That the error in the line with `at` goes, and `expected` stands in the file then."""
        said = self.fix(file, "--line", str(self.line_of(file, at)))
        self.assertIn(expected, self.read(file), said)
        self.assertIn(by, said)
        self.assertIn("builds as before", said)
