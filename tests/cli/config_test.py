"""Settings, and mistakes on the command line."""

import json
import os
import re

from harness import StileTest, call, finish, main, write


class ConfigTest(StileTest):

    def assert_refused(self, words, *arguments, **more):
        result = self.stile(*(arguments or ("run", "-t", "x")), **more)
        self.assert_exit(result, 2)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("stile: "), result.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, result.stderr)

    def test_an_unknown_key_names_line_and_nearest_key(self):
        self.write("stile.yaml", "limits:\n  max_turn: 5\n")
        self.assert_refused("stile.yaml:2: unknown key 'max_turn', did you mean 'max_turns'?")

    def test_user_configuration_is_read_and_checked(self):
        folder = os.path.join(self.home, ".config", "stile")
        os.makedirs(folder)
        with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
            file.write("modle: x\n")
        self.assert_refused("config.yaml:1: unknown key 'modle', did you mean 'model'?")

    def test_flags_beat_environment_beats_repository(self):
        self.write("stile.yaml", f"model: {self.cassette(finish('repository'))}\n")
        self.assertIn("repository", self.stile("run", "-t", "x").stdout)
        env = {"STILE_MODEL": self.cassette(finish("environment"))}
        self.assertIn("environment", self.stile("run", "-t", "x", env=env).stdout)
        model = self.cassette(finish("flags"))
        self.assertIn("flags", self.stile("run", "-t", "x", "--model", model, env=env).stdout)

    def test_a_repository_that_is_not_trusted_loosens_nothing(self):
        self.env["STILE_SANDBOX"] = "off"
        self.write("stile.yaml", "gate: {mode: observe}\npermissions: {allow: [shell.execute]}\n")
        turns = [call("shell.execute", command="touch a"), write("a.py", "x =\n"), finish()]
        result = self.run_task(*turns)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("stile.yaml:1: gate.mode is ignored", result.stderr)
        self.assertIn("run: stile trust", result.stderr)
        self.assertFalse(os.path.exists(self.path("a")))
        trusted = self.stile("trust")
        self.assert_exit(trusted, 0)
        self.assertIn("gate.mode", trusted.stdout)
        result = self.run_task(*turns)
        self.assert_exit(result, 0)
        self.assertTrue(os.path.exists(self.path("a")))
        self.assert_exit(self.stile("trust", "--revoke"), 0)
        self.assertNotEqual(self.run_task(*turns).returncode, 0)

    def test_another_file_can_take_the_place_of_stile_yaml(self):
        self.write("stile.yaml", "model: openai:x\n")
        self.write("other.yaml", f"model: {self.cassette(finish('other'))}\n")
        result = self.stile("run", "-t", "x", "--config", "other.yaml")
        self.assert_exit(result, 0)
        self.assert_refused("missing.yaml", "run", "-t", "x", "--config", "missing.yaml")

    def test_a_missing_model_key_or_cassette_says_what_to_do(self):
        self.assert_refused("--model")
        self.assert_refused("ANTHROPIC_API_KEY", "run", "-t", "x", "--model", "anthropic:x")
        self.assert_refused("/none.jsonl", "run", "-t", "x", "--model", "replay:/none.jsonl")
        self.assert_refused("klingon", "run", "-t", "x", "--model", "klingon:x")

    def test_a_missing_workspace_or_agent_is_named(self):
        self.assert_refused("/nowhere", "run", "-t", "x", "--workspace", "/nowhere")
        model = self.cassette(finish())
        self.assert_refused("codin-agent", "run", "-t", "x", "--agent", "codin-agent",
                            "--model", model)

    def test_mistakes_in_flags_name_the_flag(self):
        self.assert_refused("--max-turns: expected a whole number, not 'many'",
                            "run", "-t", "x", "--max-turns", "many")
        self.assert_refused("--gate-mode: 'off' is not one of enforce, observe",
                            "run", "-t", "x", "--gate-mode", "off")
        self.assert_refused(["unknown flag '--modle'", "'--model'"], "run", "-t", "x", "--modle", "y")

    def test_mistakes_in_verbs_name_the_nearest(self):
        self.assert_refused(["unknown verb 'rnu'", "'run'", "stile --help"], "rnu")
        self.assert_refused(["unknown verb 'undo', did you mean 'stile runs undo'?"], "undo")
        self.assert_refused(["'lst'", "'list'"], "runs", "lst")
        self.assert_exit(self.stile(), 2)

    def test_nothing_to_run_and_too_much_to_run(self):
        self.assert_refused("nothing to run", "run")
        self.assert_refused("a story and a task", "run", "story.yaml", "-t", "x")
        self.assert_refused("the task is empty", "run", "-t", "  ")

    def test_help_lists_the_verbs_of_this_version_and_the_exit_codes(self):
        result = self.stile("--help")
        self.assert_exit(result, 0)
        for verb in ("run", "step", "validate", "runs", "certificate", "doctor", "init", "trust",
                     "navigate", "inspect", "search", "refactor", "generate", "tools", "workflow",
                     "cycle", "app", "plan", "gate", "mcp", "verify"):
            self.assertRegex(result.stdout, rf"(?m)^  {verb} ")
        for later in ("acp", "worker"):
            self.assertIsNone(re.search(rf"(?m)^  {later} ", result.stdout), later)
        for code in (0, 1, 2, 3, 4, 5, 6, 130):
            self.assertRegex(result.stdout, rf"(?m)^  {code} ")
        self.assertIn("Examples:", result.stdout)

    def test_verbs_of_earlier_versions_work_and_name_the_new_ones(self):
        for old, new in ((["loop"], "app"), (["build"], "workflow author"), (["--config", "s.yaml", "loop"], "app")):
            self.write("s.yaml", "gate: {level: build}\n")
            result = self.stile(*old, "--help")
            self.assert_exit(result, 0)
            self.assertEqual(result.stderr, f"stile: 'stile {old[-1]}' is called 'stile {new}' now\n")
            self.assertEqual(result.stdout, self.stile(*new.split(), "--help").stdout)
        self.assertEqual(self.stile("validate", "build").stderr.count("is called"), 0)

    def test_events_are_described(self):
        schema = json.loads(self.stile("events", "--schema").stdout)
        listed = self.stile("events").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed], list(schema["definitions"]))
        self.assertEqual(json.loads(self.stile("events", "--json").stdout)["schema_version"], 1)

    def test_every_verb_has_help(self):
        for verb in (["run"], ["step"], ["validate"], ["runs"], ["runs", "list"], ["runs", "retry"],
                     ["certificate"], ["certificate", "show"],
                     ["certificate", "verify"], ["certificate", "keygen"], ["certificate", "schema"],
                     ["doctor"], ["init"], ["tools"], ["events"]):
            result = self.stile(*verb, "--help")
            self.assert_exit(result, 0)
            self.assertIn("Usage: stile " + " ".join(verb), result.stdout)

    def test_the_version_is_that_of_the_build(self):
        result = self.stile("--version")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"^stile \d+\.\d+\.\d+\n$")

    def test_global_flags_stand_anywhere(self):
        self.assertEqual(self.stile("--json", "runs", "list").stdout, "[]\n")
        self.assertEqual(self.stile("runs", "list", "--json").stdout, "[]\n")

    def test_a_home_is_not_needed(self):
        self.env.pop("HOME")
        self.assert_exit(self.stile("runs", "list"), 0)


if __name__ == "__main__":
    main()
