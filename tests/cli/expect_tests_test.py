"""--expect-tests and `expect: {tests_pass: [...]}`: a task that is to make a test pass needs it to pass."""

from harness import VALIDATE, StileTest, finish, main, write

STILL_RED = "def price(count):\n    return 4 * count\n"
RIGHT = "def price(count):\n    return count * 3\n"
TESTS = """from price import price


def test_one():
    assert price(1) == 3


def test_nothing():
    assert price(0) == 0


def test_other():
    assert False
"""


class ExpectTestsTest(StileTest):

    def setUp(self):
        super().setUp()
        self.use_compilers()
        self.write("price.py", "def price(count):\n    return count * 4\n")
        self.write("test_price.py", TESTS)
        self.init_git()

    def run_with(self, content, *arguments):
        return self.run_task(write("price.py", content), VALIDATE, finish(),
                             arguments=("--json", "--yes", "--max-turns", "4", *arguments))

    def test_an_old_failure_of_what_the_run_changed_is_refused(self):
        result = self.run_with(STILL_RED, "--level", "test")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("test_price.test_one runs through price (price.py:1)", result.stdout)
        self.assertNotIn("test_other runs through", result.stdout)
        result = self.run_with(RIGHT, "--level", "test")
        self.assert_exit(result, 0)

    def test_an_old_failure_is_no_excuse_for_a_named_test(self):
        self.write("stile.yaml", "gate: {baseline: no_new_errors}\n")
        self.assert_exit(self.stile("trust"), 0)
        result = self.run_with(STILL_RED, "--level", "test")
        self.assert_exit(result, 0)
        self.write("price.py", "def price(count):\n    return count * 4\n")
        result = self.run_with(STILL_RED, "--expect-tests", "test_one")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the task asks for the test 'test_one' to pass, but it failed", result.stdout)

    def test_a_named_test_that_passes_is_enough(self):
        result = self.run_with(RIGHT, "--expect-tests", "test_one", "--expect-tests", "test_price.test_nothing")
        self.assert_exit(result, 0)
        accepted = [e for e in self.events(result) if e["type"] == "gate_accepted"]
        self.assertEqual(len(accepted), 1)

    def test_a_name_that_no_test_has_is_refused(self):
        result = self.run_with(RIGHT, "--expect-tests", "test_two")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no test of this name ran", result.stdout)

    def test_an_expected_test_is_asked_for_although_nothing_changed(self):
        result = self.run_task(finish(), VALIDATE, finish(),
                               arguments=("--json", "--yes", "--max-turns", "3", "--expect-tests", "test_one"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the tests have not been run; run code.validate", result.stdout)
        self.assertIn("but it failed", result.stdout)

    def test_a_story_step_can_name_tests(self):
        for content, code in ((STILL_RED, 1), (RIGHT, 0)):
            with self.subTest(content=content):
                self.write("price.py", "def price(count):\n    return count * 4\n")
                self.write("story.yaml", "story: S\nsteps:\n  - name: a\n    description: d\n"
                           "    expect: {tests_pass: [test_one]}\n")
                cassette = self.cassette(write("price.py", content), VALIDATE, finish())
                result = self.stile("run", "story.yaml", "--model", cassette, "--json", "--yes", "--no-commit")
                self.assert_exit(result, code)
                if code:
                    self.assertIn("tests_pass: test_one: it failed", result.stdout)


if __name__ == "__main__":
    main()
