"""What README.md and the pages of docs/ show holds: commands, examples, links, messages.

A block "```sh run" is run as it is written, all those of a page in one folder and one shell, with `stile` on the PATH.
A block "```text" behind it shows lines of its output, in order; `…` stands for any text. Blocks "```sh" show commands
that need a model or a project; their verbs and flags are compared with --help.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from harness import BINARY, GOOD_PYTHON, VALIDATE, StileTest, finish, main, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["README.md", *sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs", "*.md")))]
TWO_VERBS = ("runs", "workflow", "certificate", "cycle", "gate")
END_OF_BLOCK = "--- end of block ---"

MAKEFILE = """\
lint:
	@test -f src/parser.py
test-json:
	@n=$$(cat .count 2>/dev/null || echo 0); echo $$((n + 1)) >.count; \\
	test $$n -gt 0 && echo '{"failures": 0, "results": [1]}' || { echo '{"failures": 1, "results": [1]}'; exit 1; }
"""


def text_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def fenced(page):
    """The blocks of a page: (info string, text)."""
    return re.findall(r"^```([^\n]*)\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE)


def blocks(*infos):
    return [text for page in PAGES for info, text in fenced(page) if info in infos]


def example(beginning):
    """The one example in YAML, of all pages, that begins so."""
    found = [block for block in blocks("yaml") if block.startswith(beginning)]
    assert len(found) == 1, f"the pages have {len(found)} examples that begin with {beginning!r}"
    return found[0]


def prose(page):
    return re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """Those that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(text, is_run):
    """The commands of a block that begin with `stile`: lists of words without comments and quoted text."""
    text = re.sub(r"<<'(\w+)'\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE).replace("\\\n", " ")
    for line in text.splitlines():
        words = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", line.split(" #")[0])
        if is_run:  # elsewhere, "|" stands between verbs to choose from
            words = re.split(r"[|;>]|&&", words)[0]
        words = words.split(" -- ")[0].split()  # the flags of another program
        if words[:1] == ["stile"] and len(words) > 1:
            yield line, words[1:]


def literals():
    """All string literals of the sources, those that stand beside each other joined, and the text of scripts."""
    texts = []
    for folder in ("runtime", "tools", "validators", "agents"):
        for path in glob.glob(os.path.join(ROOT, folder, "**", "*.cc"), recursive=True):
            with open(path, encoding="utf-8") as file:
                joined = re.sub(r'(?<!\\)"\s*\n\s*"', "", file.read())
            texts += re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined)
    for name in ("demo", "setup"):
        with open(os.path.join(ROOT, "scripts", name), encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts).replace('\\"', '"')


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
        for beginning in ("model:", "model_request:", "sandbox:"):
            with self.subTest(beginning=beginning):
                self.write("stile.yaml", example(beginning))
                self.assert_exit(self.stile("doctor", "--config", "stile.yaml"), 0)

    # Commands ------------------------------------------------------------------------------

    def assert_shows(self, output, expected):
        """That the output holds the expected lines, in order."""
        lines = iter(output.splitlines())
        for wanted in expected.splitlines():
            pattern = ".*".join(re.escape(part) for part in wanted.split("…"))
            self.assertTrue(any(re.fullmatch(pattern, line) for line in lines), f"{wanted!r} is not in\n{output}")

    def play(self, page):
        """Runs the page's blocks "sh run"; returns how many there are."""
        shown = [(info, text) for info, text in fenced(page) if info in ("sh run", "text")]
        script = "".join(f"{text}echo '{END_OF_BLOCK}'\n" for info, text in shown if info == "sh run")
        folder = os.path.join(self.root, "page")
        os.mkdir(folder)
        os.symlink(shutil.which(BINARY), os.path.join(self.home, "stile"))
        names = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
                 for what, value in (("NAME", "Test"), ("EMAIL", "test@localhost"))}
        env = {**self.env, **names, "PATH": self.home + os.pathsep + self.env["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(["sh", "-e"], input=script, cwd=folder, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        outputs = done.stdout.split(END_OF_BLOCK + "\n")[:-1]
        number = 0
        for info, text in shown:
            if info == "sh run":
                number += 1
            else:
                self.assertGreater(number, 0, f"{page}: no command stands before {text!r}")
                self.assert_shows(outputs[number - 1], text)
        return number

    def test_commands_are_checked_too(self):
        self.assert_shows("a\nb 12ms\nc\n", "b…\nc\n")
        with self.assertRaises(AssertionError):
            self.assert_shows("a\nb\n", "b\na\n")
        self.assertEqual([words for _, words in commands("stile a --b 'c d' | e # f\ncat <<'X'\nstile g\nX\n", True)],
                         [["a", "--b", "TEXT"]])

    def assert_shown_in_help(self, line, verbs, words):
        shown = self.help_of(*verbs)
        own = self.help_of()
        for flag in words:
            name = flag.split("=")[0]
            if re.fullmatch(r"--?[a-z][a-z-]*", name):
                found = [re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for text in (shown, own)]
                self.assertTrue(any(found), f"{name} is no flag of {verbs}: {line}")

    def help_of(self, *verbs):
        if verbs not in self.helps:
            result = self.stile(*verbs, "--help")
            self.assert_exit(result, 0)
            self.assertEqual(result.stderr, "", f"{verbs} is not the present name")
            self.helps[verbs] = result.stdout
        return self.helps[verbs]

    def test_every_command_has_the_verbs_and_flags_that_are_shown(self):
        self.helps = {}
        seen = 0
        shown = [(line, words) for info in ("sh", "sh run") for text in blocks(info)
                 for line, words in commands(text, info == "sh run")]
        for line, words in shown:
            groups = [group.split() for group in " ".join(words).split("|")]
            while groups[0] and groups[0][0].startswith("-"):  # global flags
                self.assert_shown_in_help(line, (), [groups[0].pop(0)])
            verb = groups[0][0] if groups[0] else ""
            for group in groups:
                if verb in TWO_VERBS:
                    verbs = (verb, group[1] if group[0] == verb else group[0])
                else:
                    verbs = (group[1] if group[0] == "stile" else group[0],)
                self.assert_shown_in_help(line, verbs, group)
                seen += 1
        self.assertGreater(seen, 60)

    def test_each_page_has_an_example_that_runs(self):
        for page in PAGES:
            if page in ("README.md", "docs/airengine.md", "docs/visor.md"):
                continue
            self.assertTrue([info for info, _ in fenced(page) if info in ("sh run", "yaml")], page)

    def test_the_program_that_embeds_is_the_one_that_is_tested(self):
        with open(os.path.join(ROOT, "tests", "embedding", "main.cc"), encoding="utf-8") as file:
            self.assertEqual(blocks("cpp"), [file.read()])

    # Text ----------------------------------------------------------------------------------

    def test_links_lead_somewhere(self):
        for page in [*PAGES, "ARCHITECTURE.md", "CONTRIBUTING.md"]:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
                if "://" in target:
                    continue
                with self.subTest(page=page, target=target):
                    path, _, anchor = target.partition("#")
                    other = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                    self.assertTrue(os.path.exists(os.path.join(ROOT, other)))
                    if anchor:
                        self.assertIn(anchor, anchors(other))

    def test_every_page_is_named_in_the_readme(self):
        for page in PAGES[1:]:
            self.assertIn(f"({page})", text_of("README.md"))

    def test_messages_that_are_explained_are_those_of_the_program(self):
        known = literals()
        rows = re.findall(r"^\| (.*?) \| ", text_of("docs/troubleshooting.md"), re.MULTILINE)
        messages = [message for row in rows for message in re.findall(r"`([^`]+)`", row)]
        self.assertGreater(len(messages), 50)
        parts = [part.strip(" '") for message in messages for part in message.split("…")]
        self.assertEqual([part for part in parts if len(part) > 3 and part not in known], [])

    # The recorded session ------------------------------------------------------------------

    def lines_of_session(self, path):
        tree = xml.etree.ElementTree.parse(path)
        return ["".join(element.itertext()) for element in tree.iter("{http://www.w3.org/2000/svg}text")]

    def test_the_session_can_be_recorded_again(self):
        recorded = self.lines_of_session(os.path.join(ROOT, "docs", "session.svg"))
        again = os.path.join(self.root, "session.svg")
        done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "record_session"), "--out", again,
                               shutil.which(BINARY)], env=self.env, capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for lines in (recorded, self.lines_of_session(again)):
            refused, = [line for line in lines if "gate rejected: Cannot finish" in line]
            accepted, = [line for line in lines if "gate accepted: succeeded" in line]
            self.assertLess(lines.index(refused), lines.index(accepted))
            self.assertLessEqual(len(lines), 40)
            self.assertNotIn(os.sep + "tmp" + os.sep, "".join(lines))


def add_pages():
    """One test for each page that has commands to run."""
    for page in PAGES:
        if any(info == "sh run" for info, _ in fenced(page)):
            name = re.sub(r"\W", "_", os.path.splitext(os.path.basename(page))[0])
            setattr(ReadmeTest, f"test_page_{name}", lambda self, page=page: self.assertGreater(self.play(page), 0))


add_pages()

if __name__ == "__main__":
    main()
