"""What a person sees on a terminal, and a program in a pipe."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, VALIDATE, StileTest, finish, main, shell, write

ESCAPE = "\x1b"


class TerminalTest(StileTest):

    def on_terminal(self, *arguments, replies=(), env=None, after=None):
        """Runs the binary with a terminal for all three streams; types each reply after its
        question. `after` is a text, and what is called with the terminal and the process once it was
        written. Gives exit code and everything that was written."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen(
            [BINARY, *arguments], cwd=self.workspace, stdin=slave, stdout=slave, stderr=slave,
            env=dict(self.env, TERM="xterm", **(env or {})), start_new_session=True)
        os.close(slave)
        self.addCleanup(process.kill)
        replies = list(replies)
        written = b""
        while True:
            ready, _, _ = select.select([master], [], [], 120)
            self.assertTrue(ready, written)
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            written += piece
            if after and after[0] in written.decode("utf-8", "replace"):
                after[1](master, process)
                after = None
            for question, reply in replies[:1]:
                if written.decode("utf-8", "replace").rstrip().endswith(question):
                    os.write(master, reply.encode())
                    replies.pop(0)
        os.close(master)
        self.assertEqual(replies, [])
        return process.wait(), written.decode("utf-8", "replace")

    def fix_something(self):
        return self.cassette(write("a.py", BAD_PYTHON), VALIDATE, write("a.py", GOOD_PYTHON),
                             VALIDATE, finish("fixed"))

    def test_a_terminal_shows_colours_and_a_status_line(self):
        cassette = self.cassette(write("a.py", BAD_PYTHON), VALIDATE, shell("sleep 0.5"),
                                 write("a.py", GOOD_PYTHON), VALIDATE, finish("fixed"))
        code, text = self.on_terminal("run", "-t", "x", "--yes", "--model", cassette)
        self.assertEqual(code, 0, text)
        self.assertIn(ESCAPE + "[32m✓", text)
        self.assertIn("turn 3/50", text)
        self.assertIn("tokens", text)
        self.assertIn("fixed", text)

    def test_the_status_line_says_that_the_workspace_is_read(self):
        model = self.cassette(shell("sleep 0.5"), finish("done"))
        code, text = self.on_terminal("run", "-t", "x", "--yes", "--model", model)
        self.assertEqual(code, 0, text)
        self.assertLess(text.index("reading the workspace"), text.index("turn 1/50"))

    def test_a_window_that_becomes_narrower_keeps_its_status_line_whole(self):
        def narrower(terminal, _):
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        model = self.cassette(shell("sleep 1; echo " + "x" * 60), finish("done"))
        code, text = self.on_terminal("run", "-t", "x", "--yes", "--model", model,
                                      env={"NO_COLOR": "1"}, after=("shell.execute sleep", narrower))
        self.assertEqual(code, 0, text)
        behind = text.split(ESCAPE + "[1A")
        self.assertEqual(len(behind), 2, text)
        drawn = [line for line in behind[1].split("\r") if "turn 1/50" in line]
        self.assertTrue(drawn, text)
        for line in drawn:
            self.assertLess(len(line), 40)

    def test_an_interrupted_run_says_what_it_changed_and_how_to_go_on(self):
        def interrupt(_, process):
            process.send_signal(signal.SIGINT)
        model = self.cassette([write("a.py", GOOD_PYTHON), write("b.py", GOOD_PYTHON)], shell("sleep 100"))
        code, text = self.on_terminal("run", "-t", "x", "--yes", "--model", model, after=("sleep 100", interrupt))
        self.assertEqual(code, 130, text)
        run_id = self.runs()[0]["id"]
        last = text.replace(ESCAPE + "[33m", "").replace(ESCAPE + "[0m", "").replace("\r", "\n")
        self.assertIn(f"Stopped by you; changed 2 files (a.py, b.py); undo with `stile runs undo {run_id}`; "
                      f"go on with `stile runs resume {run_id}`\n", last)
        self.assert_exit(self.stile("runs", "undo", run_id), 0)
        self.assertEqual(os.listdir(self.workspace), [])

    def test_a_terminated_run_does_not_say_that_a_person_stopped_it(self):
        def terminate(_, process):
            process.send_signal(signal.SIGTERM)
        model = self.cassette(shell("sleep 100"))
        code, text = self.on_terminal("run", "-t", "x", "--yes", "--model", model, env={"NO_COLOR": "1"},
                                      after=("sleep 100", terminate))
        self.assertEqual(code, 130, text)
        self.assertIn("Stopped; changed nothing; go on with", text)

    def test_no_color_shows_no_escape_at_all(self):
        code, text = self.on_terminal("run", "-t", "x", "--model", self.fix_something(),
                                      env={"NO_COLOR": "1"})
        self.assertEqual(code, 0, text)
        self.assertNotIn(ESCAPE, text)
        self.assertIn("✓ file.write a.py", text)

    def test_a_pipe_gets_plain_lines(self):
        result = self.stile("run", "-t", "x", "--model", self.fix_something())
        self.assert_exit(result, 0)
        for text in (result.stdout, result.stderr):
            self.assertNotIn(ESCAPE, text)
            self.assertNotIn("\r", text)
        self.assertIn("✓ file.write a.py", result.stderr)
        self.assertIn("✗ validation fail", result.stderr)
        self.assertIn("    a.py:1:", result.stderr)
        self.assertIn("✓ gate accepted", result.stderr)

    def test_control_characters_of_models_and_tools_are_made_harmless(self):
        evil = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
        model = self.cassette(
            shell(f"printf '%s' '{evil}'; exit 3"), finish(f"answer {evil}"))
        code, text = self.on_terminal("run", "-v", "--yes", "-t", evil, "--model", model,
                                      env={"NO_COLOR": "1"})
        self.assertEqual(code, 0, text)
        for bad in (ESCAPE, "\x07", "\u202e", "\x9b"):
            self.assertNotIn(bad, text)
        self.assertIn("^[[2J", text)

    def test_a_person_is_asked_and_can_say_yes_no_or_always(self):
        self.env["STILE_SANDBOX"] = "off"
        question = "in this run:"
        model = self.cassette(shell("touch one"), shell("touch two"), shell("touch three"),
                              shell("touch four"), finish())
        code, text = self.on_terminal(
            "run", "-t", "x", "--model", model,
            replies=[(question, "y\n"), (question, "n\n"), (question, "a\n")])
        self.assertEqual(code, 0, text)
        self.assertEqual(sorted(os.listdir(self.workspace)), ["four", "one", "three"])

    def test_a_workflow_asks_a_person_and_goes_on_with_the_answer(self):
        self.write("w.yaml", "steps: {ask: {type: human, question: 'Which colour?'}, "
                             "say: {type: command, depends_on: [ask], exec: ['echo', 'It is {{ outputs.ask }}']}}")
        code, text = self.on_terminal("workflow", "run", "w.yaml", replies=[("Which colour?\r\n>", "blue\n")])
        self.assertEqual(code, 0, text)
        journal = self.journal(self.runs()[0]["id"])
        outputs = [e["outputs"] for e in journal if e["type"] == "workflow_finished"][0]
        self.assertEqual(outputs, {"ask": "blue", "say": "It is blue"})

    def test_a_validation_says_what_is_going_on(self):
        self.write("a.py", GOOD_PYTHON)
        code, text = self.on_terminal("validate")
        self.assertEqual(code, 0, text)
        self.assertIn(f"validating {self.workspace} …", text)
        self.assertNotIn("validating", self.on_terminal("validate", "--quiet")[1])
        self.assertNotIn("validating", self.stile("validate").stderr)

    def test_a_task_that_is_typed_is_asked_for(self):
        code, text = self.on_terminal("run", "-t", "-", "--model", self.cassette(finish()),
                                      replies=[("ends it.", "hello\n\x04")])
        self.assertEqual(code, 0, text)
        self.assertEqual(self.runs()[0]["task"].strip(), "hello")

    def test_the_diff_on_a_terminal_is_coloured_and_harmless(self):
        self.run_task(write("a.txt", "x\x1b[2Jy\n"), finish())
        code, text = self.on_terminal("runs", "diff", self.runs()[0]["id"])
        self.assertEqual(code, 0)
        self.assertIn(ESCAPE + "[32m+x^[[2Jy", text)

    def test_a_closed_stdout_ends_the_run(self):
        model = self.cassette(*[shell(f"echo {i}; sleep 0.05") for i in range(200)], finish())
        process = subprocess.Popen(
            [BINARY, "run", "--json", "--yes", "-t", "x", "--max-turns", "0", "--model", model],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(timeout=120), 130)


if __name__ == "__main__":
    main()
