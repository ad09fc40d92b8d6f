"""stile runs stats: how runs went, all together."""

import json
import os

from harness import BAD_PYTHON, GOOD_PYTHON, STORY, VALIDATE, StileTest, finish, write
from parallel import main


class StatsTest(StileTest):

    def stats(self, *arguments):
        result = self.stile("runs", "stats", "--json", *arguments)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def good(self):
        self.assert_exit(self.run_task(write("a.py", GOOD_PYTHON), VALIDATE, finish()), 0)

    def mended(self):
        self.assert_exit(self.run_task(write("b.py", BAD_PYTHON), VALIDATE, write("b.py", GOOD_PYTHON), VALIDATE, finish()), 0)

    def test_nothing_yet(self):
        self.assertEqual(self.stile("runs", "stats").stdout, "no runs\n")
        self.assertEqual(self.stats()["succeeded"], {"count": 0, "of": 0, "share": None})

    def test_shares_of_success_and_of_first_pass_builds(self):
        self.good()
        self.mended()
        self.run_task(finish("no", status="gave_up"))
        self.run_task(write("c.py", GOOD_PYTHON), VALIDATE, arguments=["--max-turns", "2"])
        self.assert_exit(self.run_task(finish()), 0)
        stats = self.stats()
        self.assertEqual(stats["outcomes"], {"succeeded": 2, "failed": 2, "unchanged": 1})
        self.assertEqual(stats["reasons"], {"gave_up": 1, "max_turns": 1})
        self.assertEqual(stats["succeeded"], {"count": 3, "of": 5, "share": 0.6})
        self.assertEqual(stats["first_pass_builds"]["count"], 2, "the run that hit its limit had built at once, too")
        self.assertEqual(stats["first_pass_builds"]["of"], 3)
        self.assertEqual(stats["turns"], 3 + 5 + 1 + 2 + 1)
        text = self.stile("runs", "stats").stdout
        self.assertIn("succeeded   3 of 5 (60 %) of those that have ended\n", text)
        self.assertIn("first pass  2 of 3 (67 %) of the runs and steps that validated code passed at once\n", text)
        self.assertIn("failed by   1 gave_up, 1 max_turns\n", text)

    def test_a_step_counts_and_a_merge_does_not(self):
        self.write("story.yaml", STORY.replace("name: add", "name: add\n    wave: 1").replace("name: more", "name: more\n    wave: 1"))
        self.init_git()
        result = self.stile("run", "story.yaml", "--model", self.cassette(
            write("a.py", GOOD_PYTHON), VALIDATE, finish("a"), write("b.py", BAD_PYTHON), VALIDATE, write("b.py", GOOD_PYTHON),
            VALIDATE, finish("b")))
        self.assert_exit(result, 0)
        stats = self.stats()
        self.assertEqual(stats["outcomes"], {"succeeded": 1}, "a story is one run")
        self.assertEqual(stats["first_pass_builds"], {"count": 1, "of": 2, "share": 0.5})

    def test_a_validator_that_could_not_answer_is_no_first_pass(self):
        self.write("stile.yaml", "validators:\n  own: {command: [sh, -c, 'exit 7'], files: ['*.own']}\n")
        self.assert_exit(self.stile("trust"), 0)
        self.run_task(write("a.own", "x\n"), VALIDATE, VALIDATE, VALIDATE, VALIDATE)
        self.assertEqual(self.stats()["first_pass_builds"]["of"], 0)

    def test_by_place_and_time(self):
        self.good()
        other = os.path.join(self.root, "other")
        os.mkdir(other)
        self.assertEqual(self.stats("--workspace", self.workspace)["succeeded"]["of"], 1)
        self.assertEqual(self.stats("--workspace", other)["succeeded"]["of"], 0)
        self.assertEqual(self.stats("--since", "1h")["succeeded"]["of"], 1)
        self.assertEqual(self.stats("--since", "0s")["succeeded"]["of"], 0)
        for arguments, words in ((("--since", "soon"), "--since 'soon' is no age"), (("--workspace", "nowhere"), "no such folder")):
            result = self.stile("runs", "stats", *arguments)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)

    def test_a_damaged_journal_is_counted_as_that(self):
        self.good()
        with open(os.path.join(self.state, "runs", self.runs()[0]["id"], "journal.jsonl"), "w", encoding="utf-8") as file:
            file.write("not json\n")
        stats = self.stats()
        self.assertEqual(stats["outcomes"], {"damaged": 1})
        self.assertEqual(stats["first_pass_builds"]["of"], 0)


if __name__ == "__main__":
    main(processes=4)
