"""stile step: one request in, events and a result out."""

import json
import os

from harness import GOOD_PYTHON, VALIDATE, StileTest, finish, main, write


class StepTest(StileTest):

    def request(self, *turns, **more):
        request = {"id": "42", "task": "write a.py", "workspace": self.workspace}
        if turns:
            request["model"] = self.cassette(*turns)
        request.update(more)
        return json.dumps(request)

    def assert_refused(self, request, *words):
        result = self.stile("step", stdin=request)
        self.assert_exit(result, 2)
        end, = self.events(result)
        self.assertEqual((end["outcome"], end["reason"], end["exit_code"]), ("failed", "refused", 2))
        for word in words:
            self.assertIn(word, result.stderr)
            self.assertIn(word, end["message"])
        return end

    def test_the_last_event_is_the_result(self):
        result = self.stile(
            "step", stdin=self.request(write("a.py", GOOD_PYTHON), VALIDATE, finish("done")))
        self.assert_exit(result, 0)
        end = self.events(result)[-1]
        self.assertEqual(end["id"], "42")
        self.assertEqual(end["outcome"], "succeeded")
        self.assertEqual(end["exit_code"], 0)
        self.assertEqual(end["changed"], ["a.py"])

    def test_a_finished_request_sent_again_gives_the_stored_result(self):
        request = self.request(write("a.py", GOOD_PYTHON), VALIDATE, finish("done"))
        first = self.stile("step", stdin=request)
        os.remove(self.path("a.py"))
        second = self.stile("step", stdin=request)
        self.assert_exit(second, 0)
        self.assertFalse(os.path.exists(self.path("a.py")), "the task ran again")
        self.assertEqual(self.events(first)[-1], self.events(second)[-1])

    def test_the_order_of_members_is_no_other_request(self):
        request = json.loads(self.request(write("a.py", GOOD_PYTHON), VALIDATE, finish("done")))
        self.assert_exit(self.stile("step", stdin=json.dumps(request)), 0)
        again = json.dumps(dict(reversed(list(request.items()))), indent=2)
        second = self.stile("step", stdin=again)
        self.assert_exit(second, 0)
        self.assertEqual([event["type"] for event in self.events(second)], ["run_finished"])

    def test_another_request_under_the_same_id_is_refused(self):
        request = json.loads(self.request(write("a.py", GOOD_PYTHON), VALIDATE, finish("done")))
        self.assert_exit(self.stile("step", stdin=json.dumps(request)), 0)
        journal = self.journal("step-42")
        others = [{"task": "write b.py"}, {"context": "more"}, {"limits": {"max_turns": 9}},
                  {"gate": {"mode": "observe"}}, {"agent": "build-fixer"},
                  {"model": self.cassette(finish("other"))}]
        for other in others:
            with self.subTest(other=other):
                end = self.assert_refused(json.dumps({**request, **other}), "another id")
                self.assertEqual((end["id"], end["run_id"]), ("42", "step-42"))
        self.assertEqual(self.journal("step-42"), journal)
        self.assert_exit(self.stile("step", stdin=json.dumps(request)), 0)

    def test_a_run_that_does_not_know_its_request_is_returned(self):
        # As earlier versions wrote them.
        request = self.request(finish("done"))
        self.assert_exit(self.stile("step", stdin=request), 0)
        name = os.path.join(self.state, "runs", "step-42", "journal.jsonl")
        events = self.journal("step-42")
        self.assertTrue(events[0].pop("request_sha256"))
        with open(name, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(event) + "\n" for event in events)
        self.assert_exit(self.stile("step", stdin=request.replace("write a.py", "write b.py")), 0)

    def test_ids_that_look_alike_are_kept_apart(self):
        for number, name in enumerate(["a/b", "a-b", "a.b", "ä" * 300, "ä" * 301, "A-B"]):
            result = self.stile("step", stdin=self.request(finish(f"answer {number}"), id=name))
            self.assert_exit(result, 0)
            end = json.loads(result.stdout.splitlines()[-1])
            self.assertEqual((end["id"], end["answer"]), (name, f"answer {number}"))

    def test_the_request_can_come_from_a_file(self):
        name = os.path.join(self.root, "request.json")
        with open(name, "w", encoding="utf-8") as file:
            file.write(self.request(finish()))
        self.assert_exit(self.stile("step", "--file", name), 0)

    def test_settings_of_the_request_win_over_files_and_flags(self):
        self.write("stile.yaml", "limits: {max_turns: 9}\n")
        request = self.request(VALIDATE, VALIDATE, finish(), limits={"max_turns": 1})
        result = self.stile("step", "--max-turns", "8", stdin=request)
        self.assert_exit(result, 4)

    def test_files_can_be_given_as_context(self):
        request = self.request(finish(), context=[{"path": "a.md", "text": "words"}])
        self.assert_exit(self.stile("step", stdin=request), 0)

    def test_garbage_is_refused_with_2(self):
        self.assert_refused("", "stdin")
        self.assert_refused("{", "stdin")
        self.assert_refused("[]", "stdin")
        self.assert_refused(b"\xff\xfe\x00garbage", "stdin")
        self.assert_refused("[" * 100000, "stdin")

    def test_what_does_not_fit_is_named(self):
        self.assert_refused(self.request(id=None), "id")
        self.assert_refused(self.request(task=""), "task")
        self.assert_refused(self.request(tsk="x"), "tsk")
        self.assert_refused(self.request(limits={"max_turn": 3}), "max_turn", "max_turns")
        self.assert_refused(self.request(gate={"mode": "off"}), "enforce, observe")
        self.assert_refused(self.request(workspace="/nonexistent"), "/nonexistent")
        self.assert_refused(self.request(context=[{"path": "a"}]), "context")

    def test_what_only_workers_do_is_refused_clearly(self):
        self.assert_refused(self.request(repo={"url": "x", "ref": "main"}), "repo", "workspace")
        self.assert_refused(self.request(deliver={"branch": "x"}), "deliver")


if __name__ == "__main__":
    main()
