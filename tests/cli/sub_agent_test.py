"""Sub-agents with profiles and models of their own."""

import json
import os
import subprocess
import time

from harness import BINARY, StileTest, call, finish, shell
from model_server import ModelServer
from parallel import main


class SubAgentModelTest(StileTest):

    LEAD = "---\nname: lead\ntools: [agent.spawn, file.read]\nagents: [helper]\n---\nYou lead.\n"
    HELPER = "---\nname: helper\nmodel: %s\ntools: [file.read]\n---\nYou help.\n"
    PRICES = """\
prices:
  "openai:big": {input: 10, output: 100}
  "vllm:small": {input: 1, output: 10}
"""

    def setUp(self):
        super().setUp()
        self.lead = ModelServer(self, [call("agent.spawn", task="Help.", agent="helper"), finish("all done")])
        self.helper = ModelServer(self, [finish("helped")])
        self.env.update(OPENAI_BASE_URL=self.lead.url, OPENAI_API_KEY="k-lead", VLLM_BASE_URL=self.helper.url)
        self.profiles = os.path.join(self.root, "profiles")
        os.mkdir(self.profiles)
        self.profile("lead.md", self.LEAD)
        self.profile("helper.md", self.HELPER % "vllm:small")
        self.settings = os.path.join(self.root, "settings.yaml")
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(self.PRICES)

    def profile(self, name, text):
        with open(os.path.join(self.profiles, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_lead(self, *arguments, model="openai:big", verb=("run", "-t", "Lead.")):
        return self.stile("--config", self.settings, *verb, "--json", "--api", "chat", "--model", model,
                          "--agent", os.path.join(self.profiles, "lead.md"), *arguments)

    def test_it_is_asked_and_paid_by_its_own_price(self):
        result = self.run_lead("--max-cost", "5")
        self.assert_exit(result, 0)
        self.assertEqual([body["model"] for body in self.lead.requests], ["big", "big"])
        self.assertEqual([body["model"] for body in self.helper.requests], ["small"])
        self.assertEqual(self.helper.keys, [""], "no key of another provider")
        events = self.events(result)
        # 100 tokens in and 10 out each: two replies of the one, one of the other.
        self.assertAlmostEqual(events[-1]["usage"]["cost_usd"], (2 * (100 * 10 + 10 * 100) + 100 * 1 + 10 * 10) / 1e6)
        started = [event for event in events if event["type"] == "agent_started"]
        self.assertEqual([event["model"] for event in started], ["small"])

    def test_a_recording_plays_again_as_it_was(self):
        cassette = os.path.join(self.root, "recorded.jsonl")
        recorded = self.run_lead("--record", cassette)
        self.assert_exit(recorded, 0)
        asked = len(self.helper.requests)
        played = self.run_lead("--replay-strict", model="replay:" + cassette)
        self.assert_exit(played, 0)
        for key in ("answer", "turns", "usage"):
            self.assertEqual(self.events(played)[-1][key], self.events(recorded)[-1][key])
        self.assertEqual(len(self.helper.requests), asked, "nobody is asked")

    def test_what_is_missing_is_told_before_the_run_begins(self):
        story = "story: S\nsteps:\n  - {name: a, description: Lead.}\n"
        self.write("story.yaml", story)
        self.init_git()
        for model, words in (("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"), ("nobody:x", "nobody"),
                             ("replay:x.jsonl", "has a cassette as its model"), ("small", "names no provider")):
            self.profile("helper.md", self.HELPER % model)
            for verb in (("run", "-t", "Lead."), ("run", "story.yaml")):
                result = self.run_lead(verb=verb)
                self.assert_exit(result, 2)
                self.assertIn("helper", result.stderr)
                self.assertIn(words, result.stderr)
        self.assertEqual(self.lead.requests, [])
        self.assertEqual(self.runs(), [])
        self.assertEqual(self.git("branch", "--format", "%(refname:short)").split(), ["main"])

    def test_a_limit_of_cost_needs_its_price_too(self):
        self.profile("helper.md", self.HELPER % "vllm:unknown")
        result = self.run_lead("--max-cost", "5")
        self.assert_exit(result, 2)
        self.assertIn("sub-agent helper: limits.cost_usd cannot be held: the price of vllm:unknown", result.stderr)
        self.assertEqual(self.lead.requests, [])

    def test_sub_agents_are_named_as_files_beside_the_profile(self):
        for agents, words in (("[ghost]", "'ghost': there is no agent 'ghost'"), ("[../helper]", "no name of a profile"),
                              ("[helper, helper]", "named twice"), ("{a: b}", "list"), ("['']", "no name of a profile")):
            self.profile("lead.md", self.LEAD.replace("[helper]", agents))
            result = self.run_lead()
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)
        self.profile("lead.md", self.LEAD.replace("[helper]", "[code-review]"))
        result = self.run_lead()
        self.assert_exit(result, 0)
        answers = [event["observation"] for event in self.events(result) if event["type"] == "tool_finished"]
        self.assertIn("this run has code-review", answers[0])

    def test_a_killed_run_goes_on_with_the_same_sub_agent(self):
        os.mkfifo(os.path.join(self.root, "pipe"))
        slow = self.HELPER % "vllm:small"
        self.profile("helper.md", slow.replace("[file.read]", "[file.read, shell.execute]"))
        self.profile("lead.md", self.LEAD.replace("file.read]", "file.read, shell.execute]"))
        self.env["STILE_SANDBOX"] = "off"
        mark = os.path.join(self.root, "mark")
        helper = ModelServer(self, [shell(f"touch {mark}; exec sleep 321.5"), finish("helped")])
        self.env["VLLM_BASE_URL"] = helper.url
        process = subprocess.Popen(
            [BINARY, "--config", self.settings, "run", "-t", "Lead.", "--json", "--yes", "--api", "chat", "--model",
             "openai:big", "--agent", os.path.join(self.profiles, "lead.md")],
            cwd=self.workspace, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        run = json.loads(process.stdout.readline())["run_id"]
        for _ in range(6000):
            if os.path.exists(mark):
                break
            time.sleep(0.01)
        process.kill()
        process.communicate()
        self.profile("helper.md", self.HELPER % "openai:other")  # a run goes on as it began
        result = self.stile("--config", self.settings, "runs", "resume", run, "--json", "--yes", "--api", "chat")
        self.assert_exit(result, 0)
        self.assertEqual([body["model"] for body in helper.requests], ["small", "small"])
        self.assertEqual({body["model"] for body in self.lead.requests}, {"big"})


if __name__ == "__main__":
    main(processes=4)
