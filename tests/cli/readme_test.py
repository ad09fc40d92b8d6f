"""The examples of README.md run as they are written."""

import os
import re

from harness import GOOD_PYTHON, VALIDATE, StileTest, finish, main, write

README = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "README.md")

MAKEFILE = """\
lint:
	@test -f src/parser.py
test-json:
	@n=$$(cat .count 2>/dev/null || echo 0); echo $$((n + 1)) >.count; \\
	test $$n -gt 0 && echo '{"failures": 0, "results": [1]}' || { echo '{"failures": 1, "results": [1]}'; exit 1; }
"""


def blocks(language):
    with open(README, encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)


def example(beginning):
    found = [block for block in blocks("yaml") if block.startswith(beginning)]
    assert len(found) == 1, f"README.md has {len(found)} examples that begin with {beginning!r}"
    return found[0]


class ReadmeTest(StileTest):

    def test_the_story_runs(self):
        self.write("src/old.py", GOOD_PYTHON)
        self.init_git()
        self.write("story.yaml", example("story:"))  # not committed
        turns = [turn for name in ("node", "parser", "printer")
                 for turn in (write(f"src/{name}.py", GOOD_PYTHON), VALIDATE, finish(name))]
        result = self.stile("run", "story.yaml", "--model", self.cassette(*turns))
        self.assert_exit(result, 0)
        self.assertEqual(self.git("diff", "--name-only", "main", "HEAD").split(),
                         ["src/node.py", "src/parser.py", "src/printer.py"])

    def test_the_workflow_lints_and_passes_its_tests(self):
        self.write("loop.yaml", example("routing:"))
        for verb in ("lint", "test"):
            self.assert_exit(self.stile("workflow", verb, "loop.yaml"), 0)

    def test_the_workflow_runs(self):
        self.write("loop.yaml", example("routing:"))
        self.write("Makefile", MAKEFILE)
        model = self.cassette(
            write("src/parser.py", GOOD_PYTHON), VALIDATE, finish("written"), finish("one test fails"),
            write("src/parser.py", GOOD_PYTHON + "# mended\n"), VALIDATE, finish("mended"), finish("good"))
        result = self.stile("workflow", "run", "loop.yaml", "--input", "what=a parser", "--model", model)
        self.assert_exit(result, 0)
        self.assertIn("# mended", self.read("src/parser.py"))

    def test_the_settings_are_accepted(self):
        self.write("stile.yaml", example("model:"))
        result = self.stile("doctor", "--config", "stile.yaml")
        self.assert_exit(result, 0)

    def test_every_command_has_the_verbs_and_flags_that_are_shown(self):
        helps = {}

        def help_of(*verbs):
            if verbs not in helps:
                helps[verbs] = self.stile(*verbs, "--help")
            return helps[verbs]

        seen = 0
        for block in blocks("sh"):
            for line in block.replace("\\\n", " ").splitlines():
                words = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", line.split(" #")[0]).split()
                if not words or words[0] != "stile" or len(words) == 1:
                    continue
                groups = " ".join(words[1:]).split("|")
                verb = groups[0].split()[0]
                for group in groups:
                    group = group.split()
                    verbs = (verb,)
                    if verb in ("runs", "workflow", "certificate"):
                        verbs = (verb, group[1] if group[0] == verb else group[0])
                    elif group[0] != verb:
                        verbs = (group[0],) if group[0] != "stile" else (group[1],)
                    shown = help_of(*verbs)
                    self.assert_exit(shown, 0)
                    for flag in (word for word in group if word.startswith("--")):
                        self.assertIn(flag, shown.stdout, line)
                    seen += 1
        self.assertGreater(seen, 25)


if __name__ == "__main__":
    main()
