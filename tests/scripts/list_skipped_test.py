"""What scripts/list_skipped.py prints for JUnit files as ctest writes them."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import list_skipped  # noqa: E402

RUN = '<testcase name="A.Runs" status="run"><system-out>[       OK ] A.Runs</system-out></testcase>'
SKIPPED = """<testcase name="{name}" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] {name}
/src/a_test.cc:3: Skipped
{reason}
[  SKIPPED ] {name} (0 ms)
[----------] 1 test from A (0 ms total)
[  SKIPPED ] 1 test, listed below:
</system-out></testcase>"""


class ListSkippedTest(unittest.TestCase):
    def run_on(self, *cases):
        output = io.StringIO()
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f"<testsuite>{''.join(cases)}</testsuite>")
            file.flush()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                status = list_skipped.main(file.name)
        return status, output.getvalue()

    def test_nothing_is_printed_when_every_test_ran(self):
        self.assertEqual((0, ""), self.run_on(RUN))

    def test_tests_with_one_reason_stand_together(self):
        status, output = self.run_on(
            RUN, SKIPPED.format(name="A.Second", reason="dotnet is missing:\n  install [it]"),
            SKIPPED.format(name="A.First", reason="dotnet is missing:\n  install [it]"))
        self.assertEqual(0, status)
        self.assertIn("Skipped tests (2 of 3):\n  dotnet is missing: install [it]\n"
                      "    A.First\n    A.Second\n", output)

    def test_a_skip_without_a_reason_says_so(self):
        self.assertIn("no reason given\n    A.Mute",
                      self.run_on(RUN, SKIPPED.format(name="A.Mute", reason=""))[1])

    def test_a_round_in_which_no_test_ran_fails(self):
        self.assertEqual(1, self.run_on()[0])
        self.assertEqual(1, self.run_on(SKIPPED.format(name="A.Only", reason="x"))[0])

    def test_a_missing_or_broken_file_fails(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(1, list_skipped.main("/nonexistent.xml"))
        self.assertEqual(1, self.run_on("<broken>")[0])


if __name__ == "__main__":
    unittest.main()
