"""The hooks of other agents: `stile gate install`, `hook` and `doctor`, played as the hosts call them.
The hosts themselves run in agent_hosts_test."""

import json
import os
import pty
import select
import shutil
import subprocess
import time

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, StileTest, main

BETTER_PYTHON = "def add(a, b):\n    return b + a\n"
HOSTS = ("claude", "codex", "copilot", "cursor", "gemini", "goose", "opencode")
# What each host sends at the end of a turn, as seen of it.
INPUTS = {
    "claude": {"session_id": "s1", "transcript_path": "/t", "cwd": "{}", "hook_event_name": "Stop",
               "stop_hook_active": False},
    "codex": {"session_id": "s1", "turn_id": "1", "transcript_path": None, "cwd": "{}", "hook_event_name": "Stop",
              "model": "m", "permission_mode": "default", "stop_hook_active": False,
              "last_assistant_message": None},
    "copilot": {"sessionId": "s1", "timestamp": 1, "cwd": "{}", "transcriptPath": "", "stopReason": "end_turn",
                "stop_hook_active": False},
    "cursor": {"conversation_id": "s1", "generation_id": "g", "status": "completed", "loop_count": 0,
               "hook_event_name": "stop", "cursor_version": "2.0", "workspace_roots": ["{}"]},
    "gemini": {"session_id": "s1", "cwd": "{}", "hook_event_name": "AfterAgent", "prompt": "p",
               "prompt_response": "done", "stop_hook_active": False},
    "goose": {"event": "Stop", "session_id": "s1", "matcher_context": None, "working_dir": "{}"},
    "opencode": {"session_id": "s1", "cwd": "{}", "again": False},
}


class GateHookTest(StileTest):
    def setUp(self):
        super().setUp()
        self.write("a.py", GOOD_PYTHON)
        self.init_git()
        self.home = os.path.join(self.root, "home")
        os.makedirs(self.home, exist_ok=True)
        self.env["HOME"] = self.home

    def hook(self, host, event, **more):
        sent = json.loads(json.dumps(INPUTS[host]).replace("{}", self.workspace))
        sent.update(more)
        return self.stile("gate", "hook", host, event, stdin=json.dumps(sent))

    def answer(self, host, **more):
        """What the host reads at the end of a turn; {} where it may end without a word."""
        result = self.hook(host, "stop", **more)
        self.assert_exit(result, 0)
        return json.loads(result.stdout) if result.stdout else {}

    def refusal(self, host, **more):
        answer = self.answer(host, **more)
        if host == "cursor":
            self.assertEqual(list(answer), ["followup_message"])
            return answer["followup_message"]
        self.assertEqual(sorted(answer), ["decision", "reason"], answer)
        self.assertEqual(answer["decision"], "deny" if host == "gemini" else "block")
        return answer["reason"]

    # The turns ------------------------------------------------------------------------------

    def test_every_host_is_refused_in_its_own_form_until_it_builds(self):
        for host in HOSTS:
            with self.subTest(host=host):
                started = self.hook(host, "start")
                self.assert_exit(started, 0)
                # Some hosts take every word here for the model's context, or for an error.
                self.assertEqual(started.stdout, "")
                self.write("a.py", BAD_PYTHON + f"# {host}\n")
                reason = self.refusal(host)
                self.assertIn("a.py:1", reason)
                self.assertNotIn("code.validate", reason)
                # Hosts that tell the refusal as a new prompt call the hook of the beginning again.
                self.assert_exit(self.hook(host, "start"), 0)
                self.write("a.py", BETTER_PYTHON + f"# {host}\n")
                answer = self.answer(host)
                self.assertNotIn(answer.get("decision"), ("block", "deny"))
                self.assertNotIn("followup_message", answer)
                run = self.runs()[0]
                self.assertEqual(run["outcome"], "succeeded")
                self.assertIn(host, self.stile("certificate", "show", run["id"]).stdout)

    def test_a_turn_that_changes_nothing_ends_without_a_word(self):
        for host in HOSTS:
            self.assert_exit(self.hook(host, "start"), 0)
            self.assertEqual(self.answer(host), {}, host)

    def test_a_turn_whose_beginning_was_missed_answers_for_uncommitted_changes(self):
        self.write("a.py", BAD_PYTHON)
        self.assertIn("a.py:1", self.refusal("claude"))

    def test_the_fifth_refusal_ends_it_and_lets_the_host_go_with_a_message(self):
        self.hook("codex", "start")
        for number in range(1, 5):
            self.write("a.py", BAD_PYTHON + f"# {number}\n")
            self.refusal("codex", stop_hook_active=number > 1)
        # Codex itself would go on for ever.
        self.write("a.py", BAD_PYTHON + "# 5\n")
        answer = self.answer("codex", stop_hook_active=True)
        self.assertEqual(sorted(answer), ["continue", "stopReason"])
        self.assertIs(answer["continue"], False)
        self.assertIn("NOT accepted", answer["stopReason"])
        self.assertEqual(self.runs()[0]["reason"], "gate_failed")

    def test_refusals_over_the_same_files_are_counted_too(self):
        """No validation runs twice over the same content, but a host may end its turn as often as it likes."""
        self.hook("codex", "start")
        self.write("a.py", BAD_PYTHON)
        answers = [self.answer("codex") for _ in range(5)]
        self.assertEqual([a.get("decision") for a in answers], ["block"] * 4 + [None])
        self.assertIs(answers[-1]["continue"], False)

    def test_sessions_of_a_host_are_kept_apart(self):
        self.hook("claude", "start", session_id="one")
        self.hook("claude", "start", session_id="two")
        self.write("a.py", BAD_PYTHON)
        self.assertIn("is open here, too", self.refusal("claude", session_id="one"))
        self.assertEqual(len([run for run in self.runs() if run["outcome"] == "open"]), 2)

    def test_a_turn_that_worked_in_two_projects_answers_for_both(self):
        other = os.path.join(self.root, "other")
        os.makedirs(other)
        self.hook("codex", "start")
        self.hook("codex", "start", cwd=other)
        with open(os.path.join(other, "b.py"), "w", encoding="utf-8") as file:
            file.write(BAD_PYTHON)
        self.assertIn("b.py:1", self.refusal("codex"))
        with open(os.path.join(other, "b.py"), "w", encoding="utf-8") as file:
            file.write(GOOD_PYTHON)
        self.write("a.py", BAD_PYTHON)
        self.assertIn("a.py:1", self.refusal("codex", cwd=other))
        self.write("a.py", BETTER_PYTHON)
        self.assertNotIn("decision", self.answer("codex", cwd=other))
        self.assertNotIn("open", {run["outcome"] for run in self.runs()})

    def test_a_folder_that_is_gone_hides_nothing(self):
        self.hook("claude", "start")
        self.write("a.py", BAD_PYTHON)
        for gone in ("/nowhere/at/all", self.path("a.py")):
            self.assertIn("a.py:1", self.refusal("claude", cwd=gone))
        self.write("a.py", BETTER_PYTHON)
        self.assertNotIn("decision", self.answer("claude", cwd="/nowhere/at/all"))
        # Nothing is open any more.
        self.assertIn("/nowhere/at/all", self.refusal("claude", cwd="/nowhere/at/all"))
        self.assertIs(self.answer("claude", cwd="/nowhere/at/all", stop_hook_active=True)["continue"], False)

    def test_it_judges_the_whole_repository_from_a_folder_in_it(self):
        self.write("sub/b.py", GOOD_PYTHON)
        folder = os.path.join(self.workspace, "sub")
        self.hook("codex", "start", cwd=folder)
        self.write("a.py", BAD_PYTHON)
        self.assertIn("a.py:1", self.refusal("codex", cwd=folder))

    def test_what_cannot_be_judged_is_refused_once(self):
        self.hook("claude", "start")
        self.write("a.py", BETTER_PYTHON)
        self.env["STILE_GATE_MAX_FAILURES"] = "50"  # other rules than at the beginning
        self.assertIn("NOT accepted", self.refusal("claude"))
        answer = self.answer("claude", stop_hook_active=True)
        self.assertIs(answer["continue"], False)
        self.assertIn("one set of rules", answer["stopReason"])

    def test_input_that_is_no_message_of_the_host(self):
        for text in ("", "null", "[]", "{", "\x00", "x" * 100):
            result = self.stile("gate", "hook", "claude", "stop", stdin=text)
            self.assert_exit(result, 0)
            self.assertEqual(json.loads(result.stdout)["decision"], "block", text)
            # Exit status 2 would stop a person's prompt in some hosts.
            self.assert_exit(self.stile("gate", "hook", "claude", "start", stdin=text), 1)
        for arguments in (("nobody", "stop"), ("claude", "pause"), ("claude",)):
            self.assert_exit(self.stile("gate", "hook", *arguments, stdin="{}"), 2)

    def test_another_host_that_reads_the_settings_of_claude_is_left_alone(self):
        self.write("a.py", BAD_PYTHON)
        for sent in (INPUTS["cursor"], {"hook_event_name": "Stop", "session_id": "s", "timestamp": "2026", "cwd": "/"}):
            result = self.stile("gate", "hook", "claude", "stop", stdin=json.dumps(sent))
            self.assert_exit(result, 0)
            self.assertEqual(result.stdout, "")
        self.assertEqual(self.runs(), [])

    def test_two_calls_at_once(self):
        """As where the settings of the user and those of the project hold the hook."""
        sent = json.dumps(INPUTS["claude"]).replace("{}", self.workspace).encode()

        def twice(event):
            calls = [subprocess.Popen([BINARY, "gate", "hook", "claude", event], cwd=self.workspace, env=self.env,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                     for _ in range(2)]
            for call in calls:
                call.stdin.write(sent)
                call.stdin.close()
            texts = [call.stdout.read() for call in calls]
            for call in calls:
                call.stdout.close()
                self.assertEqual(call.wait(), 0)
            return texts

        twice("start")
        self.assertEqual(len(self.runs()), 1)
        self.write("a.py", BAD_PYTHON)
        self.git("commit", "--quiet", "--all", "--message=broken")
        self.assertEqual([json.loads(text)["decision"] for text in twice("stop")], ["block", "block"])

    def test_every_folder_of_a_window_is_judged(self):
        other = os.path.join(self.root, "other")
        os.makedirs(other)
        roots = [self.workspace, other]
        self.assert_exit(self.hook("cursor", "start", workspace_roots=roots), 0)
        with open(os.path.join(other, "b.py"), "w", encoding="utf-8") as file:
            file.write(BAD_PYTHON)
        self.assertIn("b.py:1", self.refusal("cursor", workspace_roots=roots))

    def test_the_last_refusal_is_told_to_hosts_that_cannot_be_ended(self):
        self.hook("copilot", "start")
        self.write("a.py", BAD_PYTHON)
        reasons = [self.refusal("copilot") for _ in range(5)]
        self.assertIn("NOT accepted", reasons[-1])

    def test_standard_input_that_is_never_closed(self):
        self.hook("claude", "start")
        self.write("a.py", BAD_PYTHON)
        process = subprocess.Popen([BINARY, "gate", "hook", "claude", "stop"], cwd=self.workspace, env=self.env,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdin.write(json.dumps(INPUTS["claude"]).replace("{}", self.workspace).encode())
        process.stdin.flush()
        text = process.stdout.read()
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(process.wait(), 0)
        self.assertIn("a.py:1", json.loads(text)["reason"])

    def test_the_home_folder_is_no_project(self):
        self.assert_exit(self.hook("claude", "start", cwd=self.home), 1)
        answer = self.answer("claude", cwd=self.home)
        self.assertEqual(list(answer), ["systemMessage"])
        self.assertIn("not a project", answer["systemMessage"])

    # Installing -----------------------------------------------------------------------------

    def settings(self, host):
        names = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
                 "copilot": ".copilot/hooks/stile.json", "cursor": ".cursor/hooks.json",
                 "goose": ".agents/plugins/stile/hooks/hooks.json",
                 "opencode": ".config/opencode/plugins/stile.js"}
        return os.path.join(self.home, names[host])

    def test_install_try_and_remove(self):
        for host in HOSTS:
            with self.subTest(host=host):
                result = self.stile("gate", "install", host, "--yes")
                self.assert_exit(result, 0)
                with open(self.settings(host), encoding="utf-8") as file:
                    text = file.read()
                self.assertIn(f"gate hook {host} ", text)
                self.assertIn(os.path.realpath(BINARY), text)
                self.assertIn("+", result.stderr)  # the change is shown
                self.assertIn("already", self.stile("gate", "install", host, "--yes").stdout)
                tried = self.stile("gate", "doctor", host)
                self.assert_exit(tried, 0)
                self.assertIn("refuses a turn that leaves broken code", tried.stdout)
                self.assert_exit(self.stile("gate", "install", host, "--remove", "--yes"), 0)
                # What is not named after Stile may have been there before.
                self.assertEqual(os.path.exists(self.settings(host)), host in ("claude", "codex", "cursor", "gemini"))
                self.assert_exit(self.stile("gate", "doctor", host), 1)
        self.assertFalse(os.path.exists(os.path.join(self.home, ".agents/plugins/stile/plugin.json")))
        # Trying leaves no runs behind.
        self.assertEqual(self.runs(), [])

    def test_the_settings_of_a_project(self):
        self.assert_exit(self.stile("gate", "install", "claude", "--project", "--yes"), 0)
        self.assertIn("gate hook claude stop", self.read(".claude/settings.json"))
        self.assertFalse(os.path.exists(self.settings("claude")))
        self.assert_exit(self.stile("gate", "install", "claude", "--project", "--remove", "--yes"), 0)
        self.assertEqual(self.read(".claude/settings.json"), "{}\n")

    def test_settings_of_a_project_that_lead_out_of_it_are_left_alone(self):
        outside = os.path.join(self.root, "outside")
        os.makedirs(outside)
        os.symlink(outside, self.path(".claude"))
        result = self.stile("gate", "install", "claude", "--project", "--yes")
        self.assert_exit(result, 2)
        self.assertIn("leads out of", result.stderr)
        self.assertEqual(os.listdir(outside), [])

    def test_nobody_to_ask_changes_nothing(self):
        result = self.stile("gate", "install", "claude")
        self.assert_exit(result, 2)
        self.assertIn("--yes", result.stderr)
        self.assertFalse(os.path.exists(self.settings("claude")))

    def test_a_person_is_asked(self):
        for reply, code in (("n", 1), ("y", 0)):
            shown, status = self.at_terminal(("gate", "install", "claude"), reply)
            self.assertIn("Change this file? [y/N]", shown)
            self.assertIn("gate hook claude stop", shown)
            self.assertEqual((status, os.path.exists(self.settings("claude"))), (code, code == 0))

    def at_terminal(self, arguments, reply):
        """Screen and exit status of the program at a terminal, once `reply` is typed at its question."""
        master, slave = pty.openpty()
        process = subprocess.Popen([BINARY, *arguments], cwd=self.workspace, env=self.env, stdin=slave, stdout=slave,
                                   stderr=slave)
        os.close(slave)
        screen = b""
        answered = False
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    piece = os.read(master, 4096)
                except OSError:
                    break
                screen += piece
            if b"[y/N]" in screen and not answered:
                os.write(master, reply.encode() + b"\n")
                answered = True
        status = process.wait(timeout=60)
        os.close(master)
        return screen.decode("utf-8", "replace"), status

    def test_what_else_the_settings_hold_stays(self):
        os.makedirs(os.path.dirname(self.settings("gemini")))
        before = '{\n    "theme": "dark",\n    "hooks": {\n        "AfterAgent": [\n            {\n                "hooks": []\n' \
                 '            }\n        ]\n    },\n    "a": [\n        1\n    ]\n}\n'
        with open(self.settings("gemini"), "w", encoding="utf-8") as file:
            file.write(before)
        self.assert_exit(self.stile("gate", "install", "gemini", "--yes"), 0)
        with open(self.settings("gemini"), encoding="utf-8") as file:
            after = file.read()
        self.assertEqual([key for key in json.loads(after)], ["theme", "hooks", "a"])
        self.assert_exit(self.stile("gate", "install", "gemini", "--remove", "--yes"), 0)
        with open(self.settings("gemini"), encoding="utf-8") as file:
            self.assertEqual(file.read(), before)

    def test_a_link_to_the_settings_stays_a_link(self):
        real = os.path.join(self.root, "dotfiles.json")
        with open(real, "w", encoding="utf-8") as file:
            file.write("{}\n")
        os.chmod(real, 0o640)
        os.makedirs(os.path.dirname(self.settings("claude")))
        os.symlink(real, self.settings("claude"))
        self.assert_exit(self.stile("gate", "install", "claude", "--yes"), 0)
        self.assertTrue(os.path.islink(self.settings("claude")))
        with open(real, encoding="utf-8") as file:
            self.assertIn("gate hook claude", file.read())
        self.assertEqual(os.stat(real).st_mode & 0o777, 0o640)
        self.assert_exit(self.stile("gate", "install", "claude", "--remove", "--yes"), 0)
        self.assertTrue(os.path.islink(self.settings("claude")))
        with open(real, encoding="utf-8") as file:
            self.assertEqual(file.read(), "{}\n")
        os.remove(real)
        self.assert_exit(self.stile("gate", "install", "claude", "--yes"), 2)
        self.assertTrue(os.path.islink(self.settings("claude")))

    def test_a_plugin_file_of_a_person_beside_the_hook_stays(self):
        beside = os.path.join(self.home, ".agents/plugins/stile/plugin.json")
        os.makedirs(os.path.dirname(beside))
        with open(beside, "w", encoding="utf-8") as file:
            file.write('{"name": "mine"}\n')
        self.assert_exit(self.stile("gate", "install", "goose", "--yes"), 0)
        self.assert_exit(self.stile("gate", "install", "goose", "--remove", "--yes"), 0)
        with open(beside, encoding="utf-8") as file:
            self.assertEqual(file.read(), '{"name": "mine"}\n')

    def test_settings_that_are_no_plain_json_are_left_alone(self):
        os.makedirs(os.path.dirname(self.settings("claude")))
        with open(self.settings("claude"), "w", encoding="utf-8") as file:
            file.write("{\n  // mine\n}\n")
        result = self.stile("gate", "install", "claude", "--yes")
        self.assert_exit(result, 2)
        self.assertIn("line 2", result.stderr)
        with open(self.settings("claude"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "{\n  // mine\n}\n")

    def test_the_doctor_finds_a_hook_that_does_not_refuse(self):
        self.assert_exit(self.stile("gate", "install", "claude", "--yes"), 0)
        with open(self.settings("claude"), encoding="utf-8") as file:
            text = file.read()
        for broken in (text.replace("gate hook claude stop", "gate hook claude stop >/dev/null"),
                       text.replace(os.path.realpath(BINARY), "/nowhere/stile"),
                       text.replace("gate hook claude stop", "gate hook claude start"),
                       text.replace('"Stop"', '"SubagentStop"'),
                       text.replace('{', '{"disableAllHooks": true,', 1)):
            with open(self.settings("claude"), "w", encoding="utf-8") as file:
                file.write(broken)
            result = self.stile("gate", "doctor", "claude", "--json")
            self.assert_exit(result, 1)
            found = json.loads(result.stdout)[0]
            self.assertEqual((found["host"], found["installed"], found["ok"]), ("claude", True, False))

    def test_the_doctor_runs_nothing_that_a_repository_chose(self):
        mark = os.path.join(self.root, "ran")
        script = os.path.join(self.root, "evil.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntouch {mark}\n")
        os.chmod(script, 0o755)
        for command in (f"touch {mark}; stile gate hook claude stop",
                        f"[ -x '{script}' ] || exit 1; exec '{script}' gate hook claude stop"):
            entry = [{"hooks": [{"type": "command", "command": command}]}]
            self.write(".claude/settings.json", json.dumps({"hooks": {"Stop": entry}}))
            self.assert_exit(self.stile("gate", "doctor", "claude"), 1)
            self.assertFalse(os.path.exists(mark), command)

    def test_the_doctor_names_settings_that_cannot_be_read(self):
        os.makedirs(self.settings("claude"))  # a folder
        self.write(".gemini/settings.json", "{ // mine\n}")
        result = self.stile("gate", "doctor")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"✗ Claude Code \(.*settings.json")
        self.assertRegex(result.stdout, r"✗ Gemini CLI \(.*cannot be read: .*line 1")

    def test_a_program_that_is_gone_lets_turns_end_with_an_error(self):
        copy = os.path.join(self.root, "stile copy")
        shutil.copy(BINARY, copy)
        subprocess.run([copy, "gate", "install", "gemini", "--yes"], cwd=self.workspace, env=self.env, check=True,
                       capture_output=True)
        with open(self.settings("gemini"), encoding="utf-8") as file:
            command = json.load(file)["hooks"]["AfterAgent"][0]["hooks"][0]["command"]
        os.remove(copy)
        done = subprocess.run(["bash", "-c", command], cwd=self.workspace, env=self.env, input=b"{}",
                              capture_output=True, check=False)
        # From 2 on, Gemini CLI takes every status for a refusal, and would go on for ever.
        self.assertEqual(done.returncode, 1)

    def test_the_folder_of_the_settings_can_be_elsewhere(self):
        elsewhere = os.path.join(self.root, "elsewhere")
        result = self.stile("gate", "install", "claude", "--yes", env={"CLAUDE_CONFIG_DIR": elsewhere})
        self.assert_exit(result, 0)
        self.assertTrue(os.path.exists(os.path.join(elsewhere, "settings.json")))

    def test_unknown_hosts_are_named(self):
        result = self.stile("gate", "install", "claud")
        self.assert_exit(result, 2)
        self.assertIn("claude", result.stderr)


if __name__ == "__main__":
    main()
