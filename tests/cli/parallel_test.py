"""The runner of suites whose tests run at the same time: results, names, exit codes."""

import os
import subprocess
import sys
import tempfile
import unittest

SUITE = """\
import os
import sys
import unittest
sys.path.insert(0, {folder!r})
from parallel import Expanded, each, main


class SuiteTest(Expanded):

    @each({{"one, first": 1, "two.second": 2}})
    def test_number(self, number):
        self.assertEqual(number, 1)

    def test_good(self):
        pass

    def test_bad(self):
        raise OSError("no such luck")

    @unittest.skip("not today")
    def test_skipped(self):
        self.fail()

    def test_parts(self):
        for part in "ab":
            with self.subTest(part):
                self.assertEqual(part, "a")

    def test_a_process_that_dies(self):
        os._exit(0)

    def test_processes_run_at_the_same_time_left(self):
        self.meet("left")

    def test_processes_run_at_the_same_time_right(self):
        self.meet("right")

    def meet(self, mine):
        # Opening a pipe returns when the other end is opened, too.
        with open(os.environ["MEETING"], "w" if mine == "left" else "r") as pipe:
            if mine == "left":
                pipe.write("hello")
            else:
                self.assertEqual(pipe.read(), "hello")


if __name__ == "__main__":
    main(processes=2)
"""

class ParallelTest(unittest.TestCase):

    def run_suite(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "suite.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(SUITE.format(folder=os.path.dirname(os.path.abspath(__file__))))
            os.mkfifo(os.path.join(folder, "meeting"))
            return subprocess.run([sys.executable, "-B", path, *arguments], capture_output=True, text=True, timeout=100,
                                  check=False, env={**os.environ, "MEETING": os.path.join(folder, "meeting")})

    def test_success_exits_with_0(self):
        result = self.run_suite("-v", "SuiteTest.test_good", "SuiteTest.test_number__one__first")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Ran 2 tests", result.stderr)
        self.assertIn("test_number__one__first", result.stderr)

    def test_each_failure_is_named_and_exits_with_1(self):
        for names, words in ((["test_number__two_second"], "2 != 1"), (["test_bad"], "no such luck"),
                             (["test_parts"], "[b]")):
            with self.subTest(names):
                result = self.run_suite("SuiteTest.test_good", *("SuiteTest." + name for name in names))
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertIn(names[0], result.stderr)
                self.assertIn("FAILED", result.stderr)

    def test_a_skipped_test_is_named_with_its_reason(self):
        result = self.run_suite("SuiteTest.test_skipped")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("skipped 'not today'", result.stderr)

    def test_a_process_that_dies_is_a_failure(self):
        result = self.run_suite("SuiteTest.test_a_process_that_dies")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("The process of a test died", result.stderr)

    def test_tests_run_at_the_same_time(self):
        result = self.run_suite("-k", "at_the_same_time")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Ran 2 tests", result.stderr)


if __name__ == "__main__":
    unittest.main()
