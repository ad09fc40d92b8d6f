"""A test runner that plays the tests of a suite at the same time, each in one of several processes.

For suites whose tests mostly wait: for the end of a retry's pause, for a program, for a server. A test keeps everything
that it uses in its own object (folders, servers, ports), so that no test sees another.
"""

import concurrent.futures
import ctypes
import itertools
import multiprocessing
import signal
import sys
import time
import unittest
from concurrent.futures.process import BrokenProcessPool

PR_SET_PDEATHSIG = 1


def each(cases):
    """Makes a test of its own for every case of a test method; for classes derived from Expanded.

    `cases` maps a name to the argument that the method gets, or is a list of texts that are both.
    """
    if not isinstance(cases, dict):
        cases = {case: case for case in cases}

    def mark(test):
        test.cases = cases
        return test
    return mark


class Expanded(unittest.TestCase):
    """Test methods that `each` marks become one test a case: test_name__case."""

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        for name, test in list(vars(cls).items()):
            if not hasattr(test, "cases"):
                continue
            delattr(cls, name)
            for case, argument in test.cases.items():
                # Without dots: a test can be named on the command line.
                full_name = name + "__" + "".join(char if char.isalnum() else "_" for char in case)
                if hasattr(cls, full_name):
                    raise ValueError(f"{cls.__name__} has two tests {full_name}")
                setattr(cls, full_name, lambda self, test=test, argument=argument: test(self, argument))


class Outcome(unittest.TestResult):
    """The result of one test, as plain texts that another process can read."""

    def texts(self):
        """(label, title, details) for all that is not a success."""
        return [(label, str(test), details)
                for label, found in (("ERROR", self.errors), ("FAIL", self.failures), ("skipped", self.skipped),
                                     ("expected failure", self.expectedFailures))
                for test, details in found] + [
                    ("unexpected success", str(test), "") for test in self.unexpectedSuccesses]


def flatten(suite):
    if isinstance(suite, unittest.TestCase):
        return [suite]
    return list(itertools.chain.from_iterable(map(flatten, suite)))


def run_one(number):
    outcome = Outcome()
    begin = time.monotonic()
    ParallelRunner.tests[number].run(outcome)
    return outcome.texts(), time.monotonic() - begin


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class ParallelRunner:
    """A runner of unittest. Fixtures of classes and modules are not supported."""

    processes = 1
    tests = []  # seen by the processes, which are forks of this one

    def __init__(self, verbosity=1, **_):
        self.verbosity = verbosity
        self.result = unittest.TestResult()

    def run(self, suite):
        """The result of all tests; unittest exits with 1 unless it was successful."""
        ParallelRunner.tests = flatten(suite)
        begin = time.monotonic()
        with concurrent.futures.ProcessPoolExecutor(
                self.processes, multiprocessing.get_context("fork"), die_with_parent) as pool:
            futures = {pool.submit(run_one, number): test for number, test in enumerate(self.tests)}
            for future in concurrent.futures.as_completed(futures):
                self.add(futures[future], future)
        for label, found in (("ERROR", self.result.errors), ("FAIL", self.result.failures)):
            for title, details in found:
                say("\n" + "=" * 70, f"{label}: {title}", "-" * 70, details)
        say(f"\nRan {self.result.testsRun} tests in {time.monotonic() - begin:.3f}s, {self.processes} at a time\n",
            "OK" if self.result.wasSuccessful() else
            f"FAILED (failures={len(self.result.failures)}, errors={len(self.result.errors)})")
        return self.result

    def add(self, test, future):
        self.result.testsRun += 1
        try:
            texts, seconds = future.result()
        except BrokenProcessPool as error:
            texts, seconds = [("ERROR", str(test), f"The process of a test died: {error}")], 0
        labels = []
        for label, title, details in texts:
            labels.append(f"{label} {details!r}" if label == "skipped" else label)
            if label == "ERROR":
                self.result.errors.append((title, details))
            elif label in ("FAIL", "unexpected success"):
                self.result.failures.append((title, details or label))
            elif label == "skipped":
                self.result.skipped.append((title, details))
        if labels or self.verbosity > 1:
            say(f"{test} ... {', '.join(labels) or 'ok'} ({seconds:.1f} s)")


def say(*lines):
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def main(processes):
    """Runs the tests of the calling program, `processes` at a time."""
    class Runner(ParallelRunner):
        pass
    Runner.processes = processes
    unittest.main(testRunner=Runner)
