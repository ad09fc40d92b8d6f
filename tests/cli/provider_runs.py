"""Runs of the real binary against the servers of providers/: what a test needs, and one run a preset and model."""

import dataclasses
import json
import os

from harness import StileTest
from providers import (CONTENT, PLAY, Anthropic, Azure, DeepSeek, Gemini, LlamaCpp, LmStudio, Moonshot, Ollama, OpenAi,
                       OpenRouter, ProviderServer, Script, TextCalls, Vllm)

READ = "the content of a.txt\n"

# preset: its variables, with what follows the server's address, and the variable of the key
ADDRESSES = {
    "openai": ("OPENAI_BASE_URL", "/v1", "OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_BASE_URL", "", "ANTHROPIC_API_KEY"),
    "gemini": ("GEMINI_BASE_URL", "", "GEMINI_API_KEY"),
    "azure": ("AZURE_OPENAI_ENDPOINT", "/", "AZURE_OPENAI_API_KEY"),
    "openrouter": ("OPENROUTER_BASE_URL", "/api/v1", "OPENROUTER_API_KEY"),
    "deepseek": ("DEEPSEEK_BASE_URL", "", "DEEPSEEK_API_KEY"),
    "moonshot": ("MOONSHOT_BASE_URL", "/v1", "MOONSHOT_API_KEY"),
    "vllm": ("VLLM_BASE_URL", "", "VLLM_API_KEY"),
    "llamacpp": ("LLAMACPP_BASE_URL", "/v1", "LLAMACPP_API_KEY"),
    "lmstudio": ("LMSTUDIO_BASE_URL", "", "LMSTUDIO_API_KEY"),
    "ollama": ("OLLAMA_HOST", "", None),
}


def environment(preset, server):
    """The variables by which the preset reaches the server."""
    url, path, key = ADDRESSES[preset]
    address = server.url.removeprefix("http://") if preset == "ollama" else server.url + path
    return {url: address, **({key: server.dialect.key} if key and server.dialect.key else {})}


@dataclasses.dataclass
class Run:
    dialect: object  # makes it
    model: str       # PRESET:MODEL
    arguments: tuple = ()
    env: dict = dataclasses.field(default_factory=dict)
    sent: dict = dataclasses.field(default_factory=dict)  # members of every request; None: absent
    refusals: tuple = ()  # words of what the server refuses, in order
    notices: tuple = ()   # kinds of model_notice, in order
    api: str = ""         # that the last request belongs to; "": any


DATED = {"OPENAI_API_VERSION": "2025-04-01-preview"}
ENCRYPTED = {"include": ["reasoning.encrypted_content"], "store": False, "temperature": None}
LOW = ("--effort", "low")
MEDIUM = ("--effort", "medium")
HIGH = ("--effort", "high")
RESPONSES = ("--api", "responses")
CHAT = ("--api", "chat")
USE_RESPONSES = "use /v1/responses"


def adaptive(effort):
    return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}


def budget(tokens, **more):
    return {"thinking": {"type": "enabled", "budget_tokens": tokens}, "output_config": None, **more}


def thinking(**config):
    return {"generationConfig": {"thinkingConfig": config}}


RUNS = {
    "gpt-5, chat": Run(OpenAi, "openai:gpt-5", LOW, sent={"reasoning_effort": "low", "max_tokens": None}, api="chat"),
    "gpt-5, responses": Run(OpenAi, "openai:gpt-5", (*RESPONSES, *MEDIUM), api="responses",
                            sent={**ENCRYPTED, "reasoning": {"effort": "medium"}}),
    "gpt-5, responses without effort": Run(OpenAi, "openai:gpt-5", RESPONSES, sent={**ENCRYPTED, "reasoning": None}),
    "gpt-5.6": Run(OpenAi, "openai:gpt-5.6", sent=ENCRYPTED, api="responses"),
    "gpt-5.6-sol": Run(OpenAi, "openai:gpt-5.6-sol", HIGH, sent={**ENCRYPTED, "reasoning": {"effort": "high"}},
                       api="responses"),
    "gpt-5.3-codex": Run(OpenAi, "openai:gpt-5.3-codex", LOW, sent={**ENCRYPTED, "reasoning": {"effort": "low"}},
                         api="responses"),
    "gpt-5-pro": Run(OpenAi, "openai:gpt-5-pro", LOW, sent={"reasoning": {"effort": "high"}}, api="responses"),
    "gpt-6.1-sol": Run(OpenAi, "openai:gpt-6.1-sol", sent=ENCRYPTED, api="responses"),
    "gpt-4.1, chat": Run(OpenAi, "openai:gpt-4.1", LOW, sent={"reasoning_effort": None}, api="chat"),
    "gpt-4.1, responses": Run(OpenAi, "openai:gpt-4.1", (*RESPONSES, *LOW), sent={"include": None, "reasoning": None}),
    "sonnet 4.5": Run(Anthropic, "anthropic:claude-sonnet-4-5", sent={"thinking": None, "output_config": None}),
    "sonnet 4.5 by date": Run(Anthropic, "anthropic:claude-sonnet-4-5-20250929", LOW, sent=budget(2048)),
    "sonnet 4.5, effort": Run(Anthropic, "anthropic:claude-sonnet-4-5", HIGH, sent=budget(24576)),
    "haiku 4.5, effort": Run(Anthropic, "anthropic:claude-haiku-4-5", MEDIUM, sent=budget(8192)),
    "opus 4.6, effort": Run(Anthropic, "anthropic:claude-opus-4-6", HIGH, sent=adaptive("high")),
    "opus 4.7": Run(Anthropic, "anthropic:claude-opus-4-7", sent={"thinking": None}),
    "opus 4.7, effort": Run(Anthropic, "anthropic:claude-opus-4-7", LOW, sent=adaptive("low")),
    "opus 5.5": Run(Anthropic, "anthropic:claude-opus-5-5", sent={"thinking": None, "temperature": None}),
    "opus 5.5, effort": Run(Anthropic, "anthropic:claude-opus-5-5", MEDIUM, sent=adaptive("medium")),
    "sonnet 5.5, effort": Run(Anthropic, "anthropic:claude-sonnet-5-5", HIGH, sent=adaptive("high")),
    "fable 5.1": Run(Anthropic, "anthropic:claude-fable-5-1"),
    "gemini 2.5": Run(lambda: Gemini(ids=False), "gemini:gemini-2.5-flash", sent={"generationConfig": None}),
    "gemini 2.5, effort": Run(lambda: Gemini(ids=False), "gemini:gemini-2.5-pro", MEDIUM,
                              sent=thinking(thinkingBudget=8192)),
    "gemini 3": Run(Gemini, "gemini:gemini-3-pro-preview"),
    "gemini 3 without ids": Run(lambda: Gemini(ids=False), "gemini:gemini-3-pro-preview"),
    "gemini 3.1, effort": Run(Gemini, "gemini:gemini-3.1-pro-preview", HIGH, sent=thinking(thinkingLevel="high")),
    "gemini 3.8, effort": Run(Gemini, "gemini:gemini-3.8-flash", LOW, sent=thinking(thinkingLevel="low")),
    "gemini 4": Run(Gemini, "gemini:gemini-4-argon"),
    "azure, chat, dated": Run(Azure, "azure:my-gpt-5", LOW, DATED, sent={"reasoning_effort": "low"}, api="chat"),
    "azure, chat": Run(Azure, "azure:my-gpt-4.1", api="chat"),
    "azure, responses": Run(Azure, "azure:my-gpt-5", (*RESPONSES, *LOW), api="responses",
                            sent={**ENCRYPTED, "reasoning": {"effort": "low"}}),
    "azure, responses, dated": Run(Azure, "azure:my-gpt-5", RESPONSES, DATED, sent=ENCRYPTED, api="responses"),
    "azure, codex": Run(Azure, "azure:my-codex", sent=ENCRYPTED, api="responses"),
    # What a deployment serves is not known from its name.
    "azure, gpt-4.1, responses": Run(Azure, "azure:my-gpt-4.1", RESPONSES, refusals=("Encrypted content is not",),
                                     notices=("parameter_dropped",), api="responses"),
    "azure, gpt-5.6": Run(Azure, "azure:my-gpt-5.6", api="responses", refusals=(USE_RESPONSES,),
                          notices=("api_changed",)),
    "azure, gpt-5.6, effort": Run(Azure, "azure:my-gpt-5.6", HIGH, api="responses", refusals=(USE_RESPONSES,),
                                  notices=("api_changed",)),
    "azure, codex by another name": Run(Azure, "azure:my-agent", env=DATED, api="responses",
                                        refusals=("OperationNotSupported",), notices=("api_changed",)),
    "openrouter": Run(OpenRouter, "openrouter:anthropic/claude-sonnet-4.5", sent={"reasoning": None}),
    "openrouter, effort": Run(OpenRouter, "openrouter:anthropic/claude-sonnet-4.5", HIGH,
                              sent={"reasoning": {"effort": "high"}, "reasoning_effort": None}),
    "openrouter, kimi": Run(OpenRouter, "openrouter:moonshotai/kimi-k3"),
    "deepseek v4 pro": Run(DeepSeek, "deepseek:deepseek-v4-pro", LOW),
    "deepseek v4 flash": Run(DeepSeek, "deepseek:deepseek-v4-flash", MEDIUM),
    "deepseek chat": Run(DeepSeek, "deepseek:deepseek-chat"),
    "deepseek reasoner": Run(DeepSeek, "deepseek:deepseek-reasoner"),
    "kimi k3": Run(Moonshot, "moonshot:kimi-k3", LOW),
    "kimi k2.6": Run(Moonshot, "moonshot:kimi-k2.6"),
    "kimi k2 thinking": Run(Moonshot, "moonshot:kimi-k2-thinking"),
    "kimi k2": Run(Moonshot, "moonshot:kimi-k2-0905-preview"),
    "vllm": Run(Vllm, "vllm:" + Vllm.model),
    "vllm with a key": Run(lambda: Vllm(key="secret"), "vllm:" + Vllm.model),
    "llama.cpp": Run(LlamaCpp, "llamacpp:anything"),
    "llama.cpp with a key": Run(lambda: LlamaCpp(key="secret"), "llamacpp:anything"),
    "lm studio": Run(LmStudio, "lmstudio:" + LmStudio.model),
    "ollama": Run(Ollama, "ollama:gpt-oss:20b", LOW, sent={"think": "low"}),
    "ollama without effort": Run(Ollama, "ollama:gpt-oss:20b", sent={"think": None}),
    "ollama without ids": Run(lambda: Ollama(ids=False), "ollama:qwen3-coder:30b"),
    "ollama, effort of a model that does not think": Run(
        Ollama, "ollama:qwen3-coder:30b", LOW, refusals=("does not support thinking",), notices=("parameter_dropped",)),
    # Calls as text: of a server that takes tools, and of those that refuse them.
    "hermes": Run(lambda: TextCalls("hermes"), "vllm:" + Vllm.model),
    "qwen xml": Run(lambda: TextCalls("qwen_xml"), "vllm:" + Vllm.model),
    "fence": Run(lambda: TextCalls("fence"), "vllm:" + Vllm.model),
    "mistral": Run(lambda: TextCalls("mistral"), "vllm:" + Vllm.model),
    "vllm without a parser": Run(lambda: TextCalls("react", tools=False), "vllm:" + Vllm.model,
                                 refusals=("--enable-auto-tool-choice",)),
}


class ProviderRunTest(StileTest):

    def setUp(self):
        super().setUp()
        self.write("a.txt", READ)

    def remove(self, name):
        if os.path.exists(self.path(name)):
            os.remove(self.path(name))

    def serve(self, dialect, happenings=PLAY, **more):
        """A server for this test; `happenings` may be a Script that others share."""
        script = happenings if isinstance(happenings, Script) else Script(happenings)
        server = ProviderServer(dialect, script, **more)
        self.addCleanup(server.close)
        return server

    def run_model(self, server, model, *arguments, env=None, task="Read a.txt and write b.txt."):
        """A run whose model is asked at `server`."""
        reach = environment(model.split(":")[0], server)
        return self.stile("run", "-t", task, "--model", model, "--yes", "--json", *arguments,
                          env={**reach, **(env or {})})

    def notices(self, result):
        return [(event["kind"], event["text"], event["wait_ms"]) for event in self.events(result)
                if event["type"] == "model_notice"]

    def kinds(self, result):
        return [kind for kind, _, _ in self.notices(result)]

    def end(self, result):
        return self.events(result)[-1]

    def assert_refusals(self, server, words=()):
        """The server refused these requests, in this order, and no others; it complains of none."""
        said = "\n".join(server.refusals)
        self.assertEqual(len(server.refusals), len(words), said)
        for refusal, word in zip(server.refusals, words):
            self.assertIn(word, refusal)
        self.assertEqual(server.complaints, [])

    def assert_played(self, result, *servers):
        """PLAY was played: both tools ran, their results reached the model, the run ended well."""
        self.assert_exit(result, 0)
        self.assertEqual(self.read("b.txt"), CONTENT)
        self.assertEqual(self.end(result)["answer"], "done")
        self.assertEqual(self.end(result)["tools_used"], {"file.read": 1, "file.write": 1})
        accepted = [body for server in servers for _, body in server.accepted]
        texts = json.dumps(accepted[-1], ensure_ascii=False)
        self.assertIn("the content of a.txt", texts)
        self.assertIn("Created b.txt", texts)

    def assert_sent(self, body, members):
        for name, value in members.items():
            self.assertEqual(body.get(name), value, name)
