"""Signals: a run ends in order and leaves no process behind."""

import json
import os
import signal
import subprocess
import time
import uuid

from harness import BINARY, GOOD_PYTHON, StileTest, finish, main, shell, write


def processes_with(word):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if word.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


class InterruptTest(StileTest):

    def start(self, command):
        process = subprocess.Popen(
            [BINARY, "run", "-t", "do it", "--yes", "--json", "--model",
             self.cassette(write("a.py", GOOD_PYTHON), shell(command), finish())],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        while not os.path.exists(self.path("started")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        return process

    def assert_cancelled(self, process):
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, err)
        events = [json.loads(line) for line in out.splitlines()]
        end = events[-1]
        self.assertEqual((end["type"], end["outcome"], end["reason"]),
                         ("run_finished", "failed", "cancelled"))
        journal = self.journal(end["run_id"])
        self.assertEqual(journal[-1]["type"], "run_finished")
        self.assertEqual(self.runs()[0]["reason"], "cancelled")
        return end["run_id"]

    def sleeper(self):
        """A command that sleeps in a process of a name of its own, and one more in the background
        in a session of its own."""
        word = "stile-test-" + uuid.uuid4().hex
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in processes_with(word)])
        nap = f"exec -a {word} sleep 600"
        return word, f"bash -c '{nap}' & setsid bash -c '{nap}' & touch started; bash -c '{nap}'"

    def test_interrupt_ends_the_run_with_130_and_no_process_left(self):
        word, command = self.sleeper()
        process = self.start(command)
        process.send_signal(signal.SIGINT)
        run = self.assert_cancelled(process)
        self.assertEqual(processes_with(word), [])
        result = self.stile("runs", "undo", run)
        self.assert_exit(result, 0)
        self.assertFalse(os.path.exists(self.path("a.py")))

    def test_termination_does_the_same(self):
        word, command = self.sleeper()
        process = self.start(command)
        process.send_signal(signal.SIGTERM)
        self.assert_cancelled(process)
        self.assertEqual(processes_with(word), [])

    def test_a_command_that_ignores_signals_is_killed(self):
        word = "stile-test-" + uuid.uuid4().hex
        process = self.start(
            f"trap '' INT TERM; touch started; bash -c 'trap \"\" INT TERM; exec -a {word} sleep 600'")
        process.send_signal(signal.SIGINT)
        self.assert_cancelled(process)
        self.assertEqual(processes_with(word), [])

    def test_a_second_interrupt_ends_the_process_at_once(self):
        # At once: without waiting for threads, which the thread sanitizer would call a leak.
        self.env["TSAN_OPTIONS"] = "report_thread_leaks=0:halt_on_error=1"
        process = self.start("trap '' INT TERM; touch started; sleep 600")
        process.send_signal(signal.SIGINT)
        # The grace period of the command is running now; the second one does not wait for it.
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, said)


if __name__ == "__main__":
    main()
