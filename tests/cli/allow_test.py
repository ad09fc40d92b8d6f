"""--allow and `allow:` of a story step: what the task lets a run weaken, and nothing else."""

import json
import os

from harness import VALIDATE, StileTest, finish, main, shell, write

PRICE = "def price(count):\n    return count * 3\n"
TESTS = "from price import price\n\n\ndef test_one():\n    assert price(1) == 3\n\n\ndef test_two():\n    assert price(2) == 6\n"
ONE_TEST = TESTS[:TESTS.index("\n\ndef test_two")]


class AllowTest(StileTest):

    def setUp(self):
        super().setUp()
        self.use_compilers()
        self.write("price.py", PRICE)
        self.write("tests/test_price.py", TESTS)
        self.write("tests/conftest.py", "import os, sys\n\nsys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))\n")
        self.init_git()

    def run_with(self, *arguments):
        return self.run_task(write("tests/test_price.py", ONE_TEST), VALIDATE, finish(),
                             arguments=("--json", "--yes", "--level", "test", "--max-turns", "3", *arguments))

    def test_a_refusal_names_the_flag(self):
        result = self.run_with()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("Only the task can allow it: --allow removed_tests=tests/test_price.py", result.stdout)

    def test_what_is_allowed_stands_in_the_certificate(self):
        result = self.run_with("--allow", "removed_tests=tests/**", "--allow", "settings=setup.cfg")
        self.assert_exit(result, 0)
        run = self.events(result)[-1]["run_id"]
        name = os.path.join(self.state, "runs", run, "certificate.json")
        with open(name, encoding="utf-8") as file:
            predicate = json.load(file)["predicate"]
        self.assertEqual(predicate["allowed"], ["removed_tests=tests/**", "settings=setup.cfg"])
        self.assertEqual([(w["path"], w["weight"]) for w in predicate["weakenings"]], [("tests/test_price.py", "grave")])
        self.assert_exit(self.stile("certificate", "verify", name), 0)
        self.assertIn("removed_tests=tests/**", self.stile("certificate", "show", name).stdout)

    def test_another_kind_or_other_files_are_not_allowed(self):
        for allowance in ("weakened_tests=**", "removed_tests=legacy/**"):
            with self.subTest(allowance=allowance):
                self.write("tests/test_price.py", TESTS)
                self.assertNotEqual(self.run_with("--allow", allowance).returncode, 0)

    def test_the_settings_of_the_gate_cannot_be_allowed(self):
        result = self.run_task(write("stile.yaml", "gate: {mode: observe}\n"), VALIDATE, finish(), arguments=(
            "--json", "--yes", "--max-turns", "3", "--allow", "weakened_tests=**", "--allow", "settings=**"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the settings of the gate are not the agent's to change; take it back", result.stdout)

    def test_nonsense_is_a_usage_error(self):
        for wrong in ("removed_tests", "tests=**", "removed_tests=/x"):
            result = self.run_with("--allow", wrong)
            self.assert_exit(result, 2)
            self.assertIn("--allow", result.stderr + result.stdout)

    def test_a_repository_cannot_allow_it(self):
        self.write("stile.yaml", "gate: {level: test, allow: [{removed_tests: '**'}]}\n")
        result = self.run_with()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("gate.allow", result.stderr)

    def test_a_story_step_can_allow_it(self):
        for allow, code in (("", 5), ("    allow: [{removed_tests: 'tests/**'}]\n", 0)):
            with self.subTest(allow=allow):
                self.write("story.yaml", "story: S\nsteps:\n  - name: a\n    description: d\n" + allow)
                cassette = self.cassette(write("tests/test_price.py", ONE_TEST), VALIDATE, finish())
                result = self.stile("run", "story.yaml", "--model", cassette, "--json", "--yes", "--no-commit",
                                    "--level", "test", "--allow-dirty")
                self.assert_exit(result, code)
                self.write("tests/test_price.py", TESTS)

    def test_a_killed_step_goes_on_with_what_its_story_allows(self):
        self.write("story.yaml", "story: S\nsteps:\n  - name: a\n    description: d\n"
                   "    allow: [removed_tests=tests/**]\n")
        result = self.stile("run", "story.yaml", "--model", self.cassette(write("tests/test_price.py", ONE_TEST)),
                            "--json", "--yes", "--no-commit", "--level", "test", "--allow-dirty")
        self.assert_exit(result, 5)
        story = [run["id"] for run in self.runs() if run["kind"] == "story"][0]
        result = self.stile("runs", "resume", story, "--model",
                            self.cassette(shell("true"), VALIDATE, finish()), "--json", "--yes", "--level", "test")
        self.assert_exit(result, 0)


if __name__ == "__main__":
    main()
