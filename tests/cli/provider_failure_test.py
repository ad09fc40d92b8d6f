"""What providers refuse and break in the middle of a run, and what the real binary does about it."""

import json
import os
import signal
import subprocess

from harness import BINARY
from parallel import each, main
from provider_runs import CHAT, DATED, RESPONSES, RUNS, ProviderRunTest, Run, environment
from providers import (CALL_CUT, CALL_END, CUT, EMPTY, MALFORMED, OVERLOADED, PLAY, QUOTA, RATE_LIMITED, REFUSAL,
                       SAFETY, SERVER_ERROR, STREAM_ERROR, UNAUTHORIZED, Anthropic, Azure, Call, Chat, OpenAi,
                       Responses, Turn, Vllm)

PROFILE = """\
---
name: exact
description: Asks for the most likely words.
tools: [file.read, file.write]
temperature: 0
---
You read and write files.
"""

# One run for each dialect and server.
EACH = {name: RUNS[name] for name in (
    "gpt-5, chat", "gpt-5, responses", "gpt-5.6-sol", "sonnet 4.5, effort", "opus 4.7, effort", "opus 5.5",
    "gemini 2.5", "gemini 3", "azure, chat, dated", "azure, responses", "openrouter", "deepseek v4 pro", "kimi k3",
    "vllm with a key", "llama.cpp with a key", "lm studio", "ollama")}


TOO_LONG = ("context_length_exceeded", "prompt is too long", "exceeds the maximum number of tokens",
            "maximum context length is", "exceeded model token limit", "exceed_context_size_error", "too long for the")


def preset(run):
    return run.model.split(":")[0]


# What the providers say to a temperature; "": they take it.
TEMPERATURE = {
    "gpt-5, chat": "'temperature' does not support 0", "azure, chat, dated": "'temperature' does not",
    "gpt-5, responses": "'temperature' is not supported with this model",
    "gpt-5.6-sol": "'temperature' is not supported with this model", "opus 4.7": "`temperature` is deprecated",
    "opus 5.5": "`temperature` is deprecated", "kimi k3": "invalid temperature: only 1 is allowed", "gpt-4.1, chat": "",
    "sonnet 4.5": "", "gemini 3": "", "deepseek v4 pro": "", "vllm": "", "openrouter": ""}

NO_CREDIT = {
    "gpt-5, chat": "exceeded your current quota", "gpt-5, responses": "exceeded your current quota",
    "azure, chat, dated": "exceeded your current quota", "opus 5.5": "credit balance is too low",
    "deepseek v4 pro": "Insufficient Balance", "kimi k3": "insufficient balance", "openrouter": "Insufficient credits"}


class ProviderFailureTest(ProviderRunTest):

    def play(self, run, happenings, *arguments, **more):
        """A run at a server of its own, which plays `happenings`."""
        server = self.serve(run.dialect(), happenings)
        return server, self.run_model(server, run.model, *run.arguments, *arguments, env=run.env, **more)

    def exact_profile(self):
        profile = os.path.join(self.root, "exact.md")
        with open(profile, "w", encoding="utf-8") as file:
            file.write(PROFILE)
        return profile

    # Parameters ----------------------------------------------------------------------------------

    @each({name: (RUNS[name], refusal) for name, refusal in TEMPERATURE.items()})
    def test_a_refused_temperature_is_left_out_from_then_on(self, case):
        run, refusal = case
        server, result = self.play(run, PLAY, "--agent", self.exact_profile())
        self.assert_played(result, server)
        self.assert_refusals(server, [refusal] if refusal else [])
        self.assertEqual(self.kinds(result), ["parameter_dropped"] if refusal else [])
        sent = [request.body.get("temperature", request.body.get("generationConfig", {}).get("temperature"))
                for request in server.requests]
        self.assertEqual(sent, [0, None, None, None] if refusal else [0, 0, 0])
        for _, text, _ in self.notices(result):
            self.assertIn("temperature", text)

    @each(["sonnet 4.5, effort", "opus 4.6, effort", "opus 5.5, effort"])
    def test_a_budget_for_thinking_leaves_no_room_for_a_temperature(self, name):
        server, result = self.play(RUNS[name], PLAY, "--agent", self.exact_profile())
        self.assert_played(result, server)
        self.assert_refusals(server)

    # Failures that pass --------------------------------------------------------------------------

    @each(EACH)
    def test_a_rate_limit_is_waited_for(self, run):
        server, result = self.play(run, [RATE_LIMITED, *PLAY])
        self.assert_played(result, server)
        self.assert_refusals(server)
        self.assertEqual([(kind, wait) for kind, _, wait in self.notices(result)], [("waiting", 1000)])
        self.assertEqual(len(server.requests), 4)

    @each({f"{name}: {happening.kind}": (run, happening)
           for happening in (OVERLOADED, SERVER_ERROR, CUT, STREAM_ERROR) for name, run in EACH.items()})
    def test_passing_trouble_is_tried_again(self, case):
        run, happening = case
        server, result = self.play(run, [PLAY[0], happening, *PLAY[1:]])
        self.assert_played(result, server)
        self.assert_refusals(server)
        self.assertEqual(self.kinds(result), ["waiting"])

    @each({f"{name}: {happening.kind}": (run, happening)
           for happening in (CALL_CUT, CALL_END) for name, run in EACH.items()})
    def test_a_reply_that_ends_after_whole_calls_is_asked_for_again(self, case):
        run, happening = case
        server, result = self.play(run, [happening, *PLAY])
        self.assert_played(result, server)  # nothing of the first reply ran
        self.assert_refusals(server)
        self.assertEqual(len(server.requests), 4)
        self.assertEqual(server.requests[0].body, server.requests[1].body)
        events = self.events(result)
        [notice] = [number for number, event in enumerate(events) if event["type"] == "model_notice"]
        self.assertEqual(events[notice]["kind"], "waiting")
        self.assertIn("broke off", events[notice]["text"])
        # What was shown of it is taken back, and not kept.
        self.assertTrue(events[notice]["discard_text"])
        self.assertEqual(self.shown(events[:notice]), PLAY[0].text)
        self.assertEqual(self.shown(events[notice:]), PLAY[0].text)
        replies = [event["reply"] for event in events if event["type"] == "model_response"]
        self.assertEqual([(reply.get("text", ""), len(reply["tool_calls"])) for reply in replies],
                         [(turn.text, 1) for turn in PLAY])
        journal = self.journal(events[0]["run_id"])
        self.assertEqual([event["reply"] for event in journal if event["type"] == "model_response"], replies)
        self.assertNotIn("model_delta", {event["type"] for event in journal})

    @staticmethod
    def shown(events):
        return "".join(event["text"] for event in events if event["type"] == "model_delta")

    # Waits ---------------------------------------------------------------------------------------

    def limited(self, retry_after):
        """A server that wants to be asked again in `retry_after` seconds."""
        class Limited(Chat):
            def rate_limited(self):
                refusal = super().rate_limited()
                refusal.headers = {"Retry-After": retry_after}
                return refusal
        return self.serve(Limited(), [RATE_LIMITED, *PLAY])

    @each({"too_long": ("7200", (), 5, "model_error", "a run without limits.wall_time_s waits 3600 s at most"),
           "past_the_limit": ("1800", ("--max-time", "600"), 4, "wall_time", " s are left of limits.wall_time_s")})
    def test_a_wait_that_is_not_made_ends_the_run_at_once_and_can_be_resumed(self, case):
        retry_after, arguments, code, reason, words = case
        server = self.limited(retry_after)
        result = self.run_model(server, "openai:gpt-5", *CHAT, *arguments)
        self.assert_exit(result, code)
        self.assertEqual(len(server.requests), 1)
        end = self.end(result)
        self.assertEqual(end["reason"], reason)
        self.assertIn(f"it asks to wait {retry_after} s, until 2", end["message"])
        self.assertIn(words, end["message"])
        self.assertIn(f"`stile runs resume {end['run_id']}`", end["message"])
        self.assertEqual(self.kinds(result), [])
        resumed = self.stile("runs", "resume", end["run_id"], "--yes", "--json", env=environment("openai", server))
        self.assert_played(resumed, server)

    @each({"without_a_limit": (), "within_the_limit": ("--max-time", "9000")})
    def test_ctrl_c_ends_a_long_wait_at_once(self, arguments):
        server = self.limited("3000")
        process = subprocess.Popen(
            [BINARY, "run", "-t", "x", "--model", "openai:gpt-5", *CHAT, "--yes", "--json", *arguments],
            cwd=self.workspace, env={**self.env, **environment("openai", server)}, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        for line in process.stdout:
            event = json.loads(line)
            if event["type"] == "model_notice":
                self.assertEqual((event["kind"], event["wait_ms"]), ("waiting", 3_000_000))
                self.assertIn("rate limited, next attempt in 3000 s", event["text"])
                process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertEqual((event["type"], event["reason"]), ("run_finished", "cancelled"))
        self.assertEqual(len(server.requests), 1)

    # Failures that stay --------------------------------------------------------------------------

    @each(EACH)
    def test_a_wrong_key_ends_the_run_at_once(self, run):
        server, result = self.play(run, [UNAUTHORIZED])
        self.assert_exit(result, 5)
        self.assertEqual(len(server.requests), 1)
        end = self.end(result)
        self.assertEqual(end["reason"], "model_error")
        for variable in environment(preset(run), server):
            if variable.endswith("_API_KEY"):
                self.assertIn(variable, end["message"])

    @each({name: (RUNS[name], words) for name, words in NO_CREDIT.items()})
    def test_a_used_up_quota_ends_the_run_at_once(self, case):
        run, words = case
        server, result = self.play(run, [QUOTA])
        self.assert_exit(result, 5)
        self.assertEqual(len(server.requests), 1)
        self.assertIn(words, self.end(result)["message"])

    # Replies that say nothing --------------------------------------------------------------------

    @each(EACH)
    def test_an_empty_reply_is_asked_for_again(self, run):
        server, result = self.play(run, [PLAY[0], EMPTY, *PLAY[1:]])
        self.assert_played(result, server)
        self.assert_refusals(server)

    @each(EACH)
    def test_empty_replies_without_end_end_the_run(self, run):
        server, result = self.play(run, [EMPTY])
        self.assert_exit(result, 5)
        self.assert_refusals(server)
        self.assertIn("neither text nor a tool call", self.end(result)["message"])

    @each([name for name in EACH if name != "ollama"])  # its API has none
    def test_a_refusal_is_named(self, name):
        server, result = self.play(EACH[name], [REFUSAL])
        self.assert_exit(result, 5)
        self.assert_refusals(server)
        filtered = name in ("gemini 2.5", "gemini 3", "azure, chat, dated")
        self.assertIn("content filter" if filtered else "the model refuses", self.end(result)["message"])

    def test_the_reason_of_a_filter_is_named(self):
        _, result = self.play(RUNS["gemini 3"], [SAFETY])
        self.assert_exit(result, 5)
        self.assertIn("SAFETY", self.end(result)["message"])

    def test_a_filtered_prompt_is_named(self):
        for run in (Run(lambda: Azure(filtered=True), "azure:my-gpt-5", env=DATED),
                    Run(lambda: Azure(filtered=True), "azure:my-gpt-5", RESPONSES)):
            server, result = self.play(run, PLAY)
            self.assert_exit(result, 5)
            self.assertEqual(len(server.requests), 1)
            self.assertIn("content management policy", self.end(result)["message"])

    @each(["gemini 2.5", "gemini 3"])
    def test_a_call_that_gemini_could_not_write_is_asked_for_again(self, name):
        server, result = self.play(RUNS[name], [PLAY[0], MALFORMED, *PLAY[1:]])
        self.assert_played(result, server)
        self.assert_refusals(server)

    # Too long a conversation ---------------------------------------------------------------------

    @each(EACH)
    def test_too_long_a_conversation_is_shortened(self, run):
        for number in range(1, 8):
            self.write(f"big{number}.txt", "".join(f"line {at} of big{number}.txt\n" for at in range(600)))
        reads = [Turn(thought=f"I need big{number}.txt.", calls=(Call("file_read", {"path": f"big{number}.txt"}),))
                 for number in range(1, 8)]
        server = self.serve(run.dialect(), [*reads, *PLAY])

        def limit(number):
            if number == 1:
                server.window = server.requests[0].size // 4 + 25_000
            return True
        server.on_request = limit
        result = self.run_model(server, run.model, *run.arguments, env=run.env)
        self.assert_exit(result, 0)
        self.assertEqual(self.end(result)["answer"], "done")
        compacted = [event for event in self.events(result) if event["type"] == "context_compacted"]
        self.assertGreaterEqual(len(compacted), 1)
        # Nothing is refused but the length.
        self.assertEqual([refusal for refusal in server.refusals
                          if not any(words in refusal for words in TOO_LONG)], [])
        self.assertEqual(len(server.requests), len(server.accepted) + len(compacted))
        self.assertEqual(server.complaints, [])
        self.assertNotIn("parameter_dropped", self.kinds(result))

    @each(EACH)
    def test_a_conversation_that_cannot_be_shortened_ends_the_run(self, run):
        server = self.serve(run.dialect(), PLAY)
        server.window = 100
        result = self.run_model(server, run.model, *run.arguments, env=run.env)
        self.assert_exit(result, 5)
        self.assertIn("choose a model with a longer context", self.end(result)["message"])
        self.assertEqual(len(server.requests), 1)


class FallbackTest(ProviderRunTest):

    # from, to
    PAIRS = [
        ("opus 5.5", "gpt-5.6-sol"), ("opus 4.7, effort", "gpt-5, chat"), ("opus 5.5", "gemini 3"),
        ("opus 5.5", "gemini 2.5"), ("opus 4.7", "deepseek v4 pro"), ("opus 4.7", "kimi k3"),
        ("opus 4.7", "openrouter"), ("opus 4.7", "vllm"), ("opus 4.7", "ollama"), ("opus 4.7", "lm studio"),
        ("gpt-5, responses", "opus 5.5"), ("gpt-5.6-sol", "gemini 3"), ("gpt-5, chat", "opus 4.7, effort"),
        ("gemini 3", "gpt-5.6-sol"), ("gemini 2.5", "opus 5.5"), ("kimi k3", "opus 5.5"), ("kimi k3", "gpt-5, chat"),
        ("kimi k3", "gpt-5.6-sol"), ("deepseek v4 pro", "kimi k3"), ("openrouter", "deepseek v4 pro"),
        ("llama.cpp", "gpt-5, chat"), ("vllm", "gpt-5, chat"), ("vllm", "gpt-5.6-sol"), ("ollama", "gemini 3"),
        ("hermes", "opus 5.5"), ("gpt-5, chat", "sonnet 4.5, effort"),
    ]

    @each({f"{before} → {after}": (RUNS[before], RUNS[after]) for before, after in PAIRS})
    def test_another_model_goes_on_with_the_conversation(self, pair):
        one, two = pair
        first = self.serve(one.dialect(), [PLAY[0], OVERLOADED])
        second = self.serve(two.dialect(), PLAY[1:])
        env = {**environment(preset(two), second), **one.env, **two.env}
        # --api is the first one's; an effort is both's.
        arguments = one.arguments or [word for word in two.arguments if word not in RESPONSES]
        result = self.run_model(first, one.model, *arguments, "--fallback", two.model, env=env)
        self.assert_played(result, second)
        self.assert_refusals(first)
        self.assert_refusals(second)
        self.assertEqual(self.kinds(result)[-1], "fallback")
        self.assertEqual(len(second.accepted), 2)


    def test_another_model_answers_where_every_stream_breaks_off(self):
        first, second = self.serve(Chat(), [CALL_CUT]), self.serve(Anthropic(), PLAY)
        result = self.run_model(first, "openai:gpt-5", *CHAT, "--fallback", RUNS["opus 5.5"].model,
                                env=environment("anthropic", second))
        self.assert_played(result, second)
        self.assertEqual(self.kinds(result), ["waiting", "waiting", "fallback"])


class ApiTest(ProviderRunTest):
    """Which of OpenAI's two APIs a server has is found out."""

    def test_a_server_with_chat_alone(self):
        class Proxy(Vllm):
            model = "gpt-5.6-sol"
        server = self.serve(Proxy())
        result = self.run_model(server, "openai:gpt-5.6-sol", env={
            "OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": server.url + "/v1"})
        self.assert_played(result, server)
        self.assert_refusals(server, ["Invalid URL"])
        self.assertEqual(self.kinds(result), ["api_changed"])

    def test_a_server_with_responses_alone(self):
        server = self.serve(Responses())
        result = self.run_model(server, "openai:gpt-5")
        self.assert_played(result, server)
        self.assert_refusals(server, ["Invalid URL"])
        self.assertEqual(self.kinds(result), ["api_changed"])

    def test_the_api_that_is_asked_for_stays(self):
        server = self.serve(Chat())
        result = self.run_model(server, "openai:gpt-5", *RESPONSES)
        self.assert_exit(result, 5)
        self.assertEqual(len(server.requests), 1)
        server = self.serve(OpenAi())
        result = self.run_model(server, "openai:gpt-5.3-codex", *CHAT)
        self.assert_exit(result, 5)
        self.assertEqual(len(server.requests), 1)
        self.assertIn("v1/responses", self.end(result)["message"])

    def test_other_providers_have_one_api(self):
        server = self.serve(Anthropic())
        result = self.run_model(server, "anthropic:claude-opus-5-5", *CHAT)
        self.assert_exit(result, 2)
        self.assertIn("--api", result.stderr)


class ResumeTest(ProviderRunTest):

    @each({**EACH, "openrouter, kimi": RUNS["openrouter, kimi"], "hermes": RUNS["hermes"]})
    def test_a_killed_run_goes_on_with_what_the_provider_wants_back(self, run):
        server = self.serve(run.dialect())
        env = {**self.env, **environment(preset(run), server), **run.env}
        with open(os.path.join(self.root, "killed.jsonl"), "w", encoding="utf-8") as out:
            process = subprocess.Popen(
                [BINARY, "run", "-t", "Read a.txt and write b.txt.", "--model", run.model, "--yes", "--json",
                 *run.arguments], cwd=self.workspace, env=env, stdout=out)

            def kill(number):
                if number == 3:
                    process.kill()
                return number != 3
            server.on_request = kill
            process.wait(timeout=120)
        self.assertEqual(process.returncode, -9)
        with open(os.path.join(self.root, "killed.jsonl"), encoding="utf-8") as file:
            run_id = json.loads(file.readline())["run_id"]
        result = self.stile("runs", "resume", run_id, "--yes", "--json", env=env)
        self.assert_played(result, server)
        self.assert_refusals(server)
        self.assertEqual(len(server.requests), 4)
        # The conversation is what it was.
        self.assertEqual(server.requests[3].body, server.requests[2].body)


if __name__ == "__main__":
    main(processes=8)
