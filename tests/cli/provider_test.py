"""The real binary against the strict servers of providers/: every preset, and what changes on the way."""

import os

from parallel import each, main
from provider_runs import ADDRESSES, RUNS, ProviderRunTest
from providers import (PLAY, UNAUTHORIZED, Anthropic, Azure, Call, Gemini, LlamaCpp, Ollama, OpenAi, TextCalls, Turn,
                       Vllm)
from providers.local import write_react


# model: its server, and what may follow the address
PATHS = {
    "openai:gpt-5": (OpenAi, ["/v1", "/v1/", "/v1/chat/completions", ""]),
    "anthropic:claude-opus-5-5": (Anthropic, ["", "/", "/v1", "/v1/messages"]),
    "gemini:gemini-3-pro-preview": (Gemini, ["", "/v1beta", "/v1"]),
    "azure:my-gpt-5": (Azure, ["", "/", "/openai/v1", "/openai/v1/"]),
    "vllm:" + Vllm.model: (Vllm, ["", "/v1"]),
    "ollama:gpt-oss:20b": (Ollama, ["", "/api", "/"]),
}


class ProviderTest(ProviderRunTest):

    @each(RUNS)
    def test_every_preset_plays_two_tools_and_a_finish(self, run):
        server = self.serve(run.dialect())
        result = self.run_model(server, run.model, *run.arguments, env=run.env)
        self.assert_played(result, server)
        self.assert_refusals(server, run.refusals)
        self.assertEqual(self.kinds(result), list(run.notices))
        for api, body in server.accepted:
            self.assertEqual(api, run.api or api)
            self.assert_sent(body, run.sent)
        self.assertEqual(len(server.accepted), 3)

    @each({name: run for name, run in RUNS.items() if not run.refusals})
    def test_several_calls_of_one_reply_are_answered_together(self, run):
        happenings = (Turn(thought="Both at once.", text="I do both.", calls=(*PLAY[0].calls, *PLAY[1].calls)), PLAY[2])
        server = self.serve(run.dialect(), happenings)
        result = self.run_model(server, run.model, *run.arguments, env=run.env)
        self.assert_played(result, server)
        self.assert_refusals(server)
        self.assertEqual(len(server.accepted), 2)

    def test_calls_as_text_may_write_files_that_hold_fences(self):
        content = "# Title\n\n```json\n{\"name\": \"x\"}\n```\n\nEnd.\n"
        happenings = (PLAY[0], Turn(calls=(Call("file_write", {"path": "README.txt", "content": content}),)), PLAY[2])
        for form in ("hermes", "qwen_xml", "fence", "mistral"):
            with self.subTest(form):
                self.remove("README.txt")
                server = self.serve(TextCalls(form), happenings)
                result = self.run_model(server, "vllm:" + Vllm.model)
                self.assert_exit(result, 0)
                self.assertEqual(self.read("README.txt"), content)
                self.assertEqual(self.end(result)["answer"], "done")

    @each({f"{model} at {path}": (model, dialect, path)
           for model, (dialect, paths) in PATHS.items() for path in paths})
    def test_the_address_can_be_given_as_a_flag(self, case):
        model, dialect, path = case
        server = self.serve(dialect())
        key = ADDRESSES[model.split(":")[0]][2]
        result = self.stile("run", "-t", "x", "--model", model, "--yes", "--json", "--base-url", server.url + path,
                            env={key: "test-key"} if key else {})
        self.assert_played(result, server)
        self.assert_refusals(server)

    def test_a_second_variable_holds_the_key_of_gemini(self):
        server = self.serve(Gemini())
        result = self.stile("run", "-t", "x", "--model", "gemini:gemini-3-pro-preview", "--yes", "--json",
                            env={"GOOGLE_API_KEY": "test-key", "GEMINI_BASE_URL": server.url})
        self.assert_played(result, server)
        self.assert_refusals(server)

    def test_servers_that_take_no_tools_are_asked_for_calls_as_text(self):
        # The models write their calls as they are told to.
        happenings = [Turn(text="\n".join(filter(None, [turn.text, *map(write_react, turn.calls)]))) for turn in PLAY]
        for dialect, model, words in ((Ollama(), "ollama:gemma3:270m", "does not support tools"),
                                      (LlamaCpp(jinja=False), "llamacpp:x", "requires --jinja")):
            with self.subTest(model):
                self.remove("b.txt")
                server = self.serve(dialect, happenings)
                result = self.run_model(server, model)
                self.assert_played(result, server)
                self.assert_refusals(server, [words])

    def test_no_key_is_printed_or_kept(self):
        for name in ("gpt-5, chat", "gpt-5, responses", "opus 5.5", "gemini 3", "azure, chat"):
            with self.subTest(name):
                run = RUNS[name]
                dialect = run.dialect()
                dialect.key = "sk-very-secret-0123456789abcdef"
                server = self.serve(dialect, [PLAY[0], UNAUTHORIZED])
                result = self.run_model(server, run.model, *run.arguments)
                self.assert_exit(result, 5)
                self.assertNotIn(dialect.key, result.stdout + result.stderr)
                for folder, _, files in os.walk(self.root):
                    for file in files:
                        with open(os.path.join(folder, file), "rb") as stream:
                            self.assertNotIn(dialect.key.encode(), stream.read(), file)


if __name__ == "__main__":
    main(processes=8)
