"""The servers of providers/, checked with the official clients of npm: what a server accepts is what the real client
sends, and what it refuses is one change away from that."""

import copy
import functools
import json
import os
import shutil
import subprocess
import unittest
import urllib.error
import urllib.request

from providers import (OVERLOADED, PLAY, RATE_LIMITED, UNAUTHORIZED, Anthropic, Azure, DeepSeek, Gemini, LlamaCpp,
                       LmStudio, Moonshot, Ollama, OpenAi, OpenRouter, ProviderServer, Script, TextCalls, Vllm)

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SDKS = os.environ.get("STILE_MODEL_SDKS", os.path.join(SOURCE, "build", "model_sdks"))
CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "providers", "sdk_client.mjs")


@functools.lru_cache(maxsize=None)
def why_not():
    """Why the clients cannot run; "" when they can."""
    if not os.path.isdir(os.path.join(SDKS, "node_modules", "openai")):
        return "no official clients: scripts/setup test"
    if not shutil.which("node"):
        return "no node: apt-get install nodejs"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    if int(version.lstrip("v").split(".")[0] or 0) < 20:
        return f"node {version.strip()}: the official clients need 20"
    return ""


def play(dialect, sdk, model, path="", more=None, script=None):
    """The server, still running, and what the client reports."""
    server = ProviderServer(dialect, script or Script())
    wanted = {"sdk": sdk, "url": server.url + path, "key": dialect.key or "none", "model": model, "more": more or {}}
    result = subprocess.run(["node", CLIENT], input=json.dumps(wanted), capture_output=True, text=True, timeout=120,
                            env={**os.environ, "MODEL_SDKS": SDKS}, check=False)
    if result.returncode:
        server.close()
        raise AssertionError(result.stderr)
    return server, json.loads(result.stdout)


ENCRYPTED = {"include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low", "summary": "auto"}}
BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 2048}}
THOUGHTS = {"thinkingConfig": {"includeThoughts": True}}

# name: how to play it
RUNS = {
    "openai chat gpt-5": lambda: play(OpenAi(), "chat", "gpt-5", "/v1", {"reasoning_effort": "low"}),
    "openai chat gpt-4.1": lambda: play(OpenAi(), "chat", "gpt-4.1", "/v1", {"temperature": 0}),
    "openai chat gpt-6-luna": lambda: play(OpenAi(), "chat", "gpt-6-luna", "/v1", {"reasoning_effort": "none"}),
    "openai responses gpt-5": lambda: play(OpenAi(), "responses", "gpt-5", "/v1", ENCRYPTED),
    "openai responses gpt-5-codex": lambda: play(OpenAi(), "responses", "gpt-5-codex", "/v1", ENCRYPTED),
    "openai responses gpt-6.1-sol": lambda: play(OpenAi(), "responses", "gpt-6.1-sol", "/v1", ENCRYPTED),
    "openai responses gpt-4.1": lambda: play(OpenAi(), "responses", "gpt-4.1", "/v1"),
    "anthropic opus 5.5": lambda: play(Anthropic(), "anthropic", "claude-opus-5-5"),
    "anthropic sonnet 5.5": lambda: play(Anthropic(), "anthropic", "claude-sonnet-5-5"),
    "anthropic opus 4.7": lambda: play(Anthropic(), "anthropic", "claude-opus-4-7", "",
                                       {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
    "anthropic sonnet 4.5": lambda: play(Anthropic(), "anthropic", "claude-sonnet-4-5", "", BUDGET),
    "gemini 4": lambda: play(Gemini(), "gemini", "gemini-4-argon", "", THOUGHTS),
    "gemini 3": lambda: play(Gemini(), "gemini", "gemini-3-pro-preview", "", THOUGHTS),
    "gemini 2.5": lambda: play(Gemini(ids=False), "gemini", "gemini-2.5-flash"),
    "azure deployments": lambda: play(Azure(), "azure", "my-gpt-5"),
    "azure v1 chat": lambda: play(Azure(), "chat", "my-gpt-4.1", "/openai/v1"),
    "azure v1 responses": lambda: play(Azure(), "responses", "my-codex", "/openai/v1", ENCRYPTED),
    "deepseek v4": lambda: play(DeepSeek(), "chat", "deepseek-v4-flash"),
    "deepseek chat": lambda: play(DeepSeek(), "chat", "deepseek-chat", "/v1"),
    "moonshot": lambda: play(Moonshot(), "chat", "kimi-k3", "/v1"),
    "openrouter": lambda: play(OpenRouter(), "chat", "anthropic/claude-sonnet-4.5", "/api/v1",
                               {"reasoning": {"effort": "low"}}),
    "vllm": lambda: play(Vllm(), "chat", Vllm.model, "/v1"),
    "vllm with a key": lambda: play(Vllm(key="secret"), "chat", Vllm.model, "/v1"),
    "llama.cpp": lambda: play(LlamaCpp(), "chat", "whatever", "/v1"),
    "lm studio": lambda: play(LmStudio(), "chat", LmStudio.model, "/v1"),
    "ollama": lambda: play(Ollama(), "ollama", "gpt-oss:20b"),
    "ollama without ids": lambda: play(Ollama(ids=False), "ollama", "qwen3-coder:30b"),
}


@unittest.skipIf(why_not(), why_not())
class SdkTest(unittest.TestCase):

    maxDiff = None

    def play(self, *arguments, **more):
        server, report = play(*arguments, **more)
        self.addCleanup(server.close)
        return server, report

    def test_the_official_clients_play_two_tools_and_a_finish(self):
        for name, run in RUNS.items():
            with self.subTest(name):
                server, report = run()
                server.close()
                self.assertNotIn("error", report)
                self.assertEqual([(call["name"], call["input"]) for call in report["calls"]],
                                 [(turn.calls[0].name, turn.calls[0].arguments) for turn in PLAY])
                self.assertEqual("".join(report["texts"]), PLAY[0].text)
                self.assertEqual((server.refusals, server.complaints), ([], []))
                self.assertEqual(len(server.requests), 3)

    def test_the_official_clients_read_the_errors(self):
        cases = [
            ("chat", OpenAi(), "gpt-5-codex", "/v1", {}, "NotFoundError", "only supported in v1/responses"),
            ("chat", OpenAi(), "gpt-5", "/v1", {"temperature": 0}, "BadRequestError", "does not support 0"),
            ("chat", OpenAi(), "gpt-6.1-sol", "/v1", {}, "BadRequestError", "Please use /v1/responses"),
            ("responses", OpenAi(), "gpt-4.1", "/v1", ENCRYPTED, "BadRequestError", "Encrypted content"),
            ("responses", OpenAi(), "gpt-5", "/v1", {}, "NotFoundError", "Items are not persisted"),
            ("anthropic", Anthropic(), "claude-opus-5-5", "", BUDGET, "BadRequestError", "thinking.type.enabled"),
            ("anthropic", Anthropic(), "claude-opus-4-7", "", {"temperature": 1}, "BadRequestError",
             "Extra inputs are not permitted"),
            ("chat", Vllm(tools=False), Vllm.model, "/v1", {}, "BadRequestError", "--enable-auto-tool-choice"),
            ("chat", LlamaCpp(jinja=False), "x", "/v1", {}, "InternalServerError", "--jinja"),
            ("azure", Azure(filtered=True), "my-gpt-5", "", {}, "BadRequestError", "content management policy"),
            ("azure", Azure(), "nobody", "", {}, "NotFoundError", "deployment for this resource"),
            ("ollama", Ollama(), "gemma3:270m", "", {}, "ResponseError", "does not support tools"),
            ("gemini", Gemini(), "gemini-2.5-flash", "", {"thinkingConfig": {"thinkingLevel": "LOW"}}, "ApiError",
             "Thinking level is not supported"),
        ]
        for sdk, dialect, model, path, more, error, words in cases:
            with self.subTest(f"{model}: {words}"):
                server, report = play(dialect, sdk, model, path, more)
                server.close()
                self.assertEqual(report["error"]["name"], error)
                self.assertIn(words, report["error"]["message"])
                self.assertEqual(len(server.refusals), 1)

    def test_the_official_clients_see_failures(self):
        cases = [
            ("chat", OpenAi(), "gpt-5", "/v1", RATE_LIMITED, "RateLimitError"),
            ("chat", OpenAi(), "gpt-5", "/v1", UNAUTHORIZED, "AuthenticationError"),
            ("anthropic", Anthropic(), "claude-opus-5-5", "", OVERLOADED, "OverloadedError"),
            ("anthropic", Anthropic(), "claude-opus-5-5", "", RATE_LIMITED, "RateLimitError"),
            ("responses", OpenAi(), "gpt-5", "/v1", OVERLOADED, "InternalServerError"),
        ]
        for sdk, dialect, model, path, happening, error in cases:
            with self.subTest(f"{sdk}: {happening.kind}"):
                server, report = play(dialect, sdk, model, path, script=Script([happening]))
                server.close()
                self.assertEqual(report["error"]["name"], error, report)

    def test_calls_written_as_text_arrive_as_text(self):
        words = {"hermes": "<tool_call>\n{", "qwen_xml": "<function=file_read>\n<parameter=path>\na.txt\n</parameter>",
                 "fence": "```json\n{", "mistral": "[TOOL_CALLS] [{"}
        for form, text in words.items():
            _, report = self.play(TextCalls(form), "chat", Vllm.model, "/v1")
            self.assertEqual(report["calls"], [])
            self.assertIn(text, report["texts"][0])


def messages(body, role):
    return [message for message in body["messages"] if message["role"] == role]


def last_call(body):
    return messages(body, "assistant")[-1]["tool_calls"][0]


def change(path, value):
    """Sets what `path` leads to; a callable value gets the old one, and None of `delete` takes it away."""
    def apply(body):
        target = body
        for step in path[:-1]:
            target = target[step]
        if value is DELETE:
            del target[path[-1]]
        else:
            target[path[-1]] = value(target[path[-1]]) if callable(value) else value
    return apply


DELETE = object()
SCHEMA = ("tools", 0, "function", "parameters")
OPTIONAL = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"],
            "additionalProperties": False}

# run: (change of its second request, status, words of the refusal)
REFUSALS = {
    "openai chat gpt-5": [
        (change(("max_tokens",), 100), 400, "Use 'max_completion_tokens' instead"),
        (change(("temperature",), 0.2), 400, "'temperature' does not support 0.2 with this model"),
        (change(("top_p",), 0.5), 400, "'top_p' is not supported with this model"),
        (change(("reasoning_effort",), "xhigh"), 400, "'xhigh' is not supported with the 'gpt-5' model"),
        (change(("reasoning",), {"effort": "low"}), 400, "Unrecognized request argument supplied: reasoning"),
        (change(("model",), "gpt-9"), 404, "does not exist or you do not have access"),
        (change(("stream",), False), 400, "'stream_options' parameter is only allowed when 'stream' is enabled"),
        (change(("metadata",), {"a": "b"}), 400, "only allowed when 'store' is enabled"),
        (change(("tools",), []), 400, "empty array"),
        (change(("tools",), DELETE), None, ""),  # accepted: the calls of the past need no tools
        (change(("tools", 0, "function", "name"), "file.read"), 400, "'^[a-zA-Z0-9_-]+$'"),
        (change(SCHEMA, {"type": "string"}), 400, "schema must be a JSON Schema of 'type: \\\"object\\\"'"),
        (change(SCHEMA, {"type": "object", "properties": {"a": {"type": "array"}}}), 400,
         "In context=('properties', 'a'), array schema missing items"),
        (change(("tools", 0, "function", "strict"), True), 400, "'additionalProperties' is required"),
        (change(("messages", 2, "reasoning_content"), "x"), 400, "Unknown parameter: 'messages[2].reasoning_content'"),
        (change(("messages", 2, "tool_calls", 0, "id"), "c" * 41), 400, "maximum length 40"),
        (change(("messages", 2, "tool_calls", 0, "index"), 0), 400, "Unknown parameter: 'messages[2].tool_calls[0]."),
        (change(("messages", 2, "tool_calls", 0, "function", "arguments"), {}), 400, "expected a string"),
        (change(("messages", 2, "tool_calls"), []), 400, "empty array"),
        (change(("messages", 3), DELETE), 400, "did not have response messages: call_"),
        (change(("messages", 2), {"role": "assistant", "content": "x"}), 400, "response to a preceeding message"),
        (change(("messages", 1, "content"), None), 400, "expected a string, but got null"),
        (change(("messages", 0, "role"), "model"), 400, "Invalid value: 'model'"),
        (change(("messages",), lambda old: [*old[:3], old[1], old[3]]), 400, "did not have response messages"),
    ],
    "openai chat gpt-4.1": [
        (change(("reasoning_effort",), "low"), 400, "Unrecognized request argument supplied: reasoning_effort"),
        (change(("max_completion_tokens",), 40_000), 400, "supports at most 32768 completion tokens"),
    ],
    "openai chat gpt-6-luna": [
        (change(("reasoning_effort",), DELETE), 400, "set reasoning_effort to 'none'"),
        (change(("reasoning_effort",), "low"), 400, "set reasoning_effort to 'none'"),
    ],
    "openai responses gpt-5": [
        (change(("messages",), []), 400, "Unknown parameter: 'messages'"),
        (change(("temperature",), 1), 400, "'temperature' is not supported with this model"),
        (change(("max_output_tokens",), 10), 400, "Expected a value >= 16"),
        (change(("tools", 0), {"type": "function", "function": {"name": "x"}}), 400, "'tools[0].function'"),
        (change(("tools", 0, "strict"), DELETE), 400, "'additionalProperties' is required to be supplied"),
        (lambda body: body["tools"][0].update(strict=True, parameters=OPTIONAL), 400, "Missing 'b'"),
        (change(("input", 1, "encrypted_content"), DELETE), 404, "Items are not persisted"),
        (change(("input", 1, "encrypted_content"), "gAAAA"), 400, "could not be verified"),
        (change(("input", 1), DELETE), 400, "without its required 'reasoning' item"),
        (lambda body: body["input"].append(body["input"][1]), 400, "without its required following item"),
        (change(("input",), lambda old: old[:-1]), 400, "No tool output found for function call call_"),
        (change(("input",), lambda old: [old[0], old[-1]]), 400, "No tool call found for function call output"),
        (lambda body: next(item for item in body["input"] if item.get("type") == "function_call").update(id="call_1"),
         400, "Expected an ID that begins with 'fc'"),
        (change(("input", 0), {"role": "user", "content": [{"type": "text", "text": "x"}]}), 400,
         "Supported values are: 'input_text'"),
        (change(("input", 0), {"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}), 400,
         "'output_text' and 'refusal'"),
        (change(("previous_response_id",), "resp_1"), 400, "not found"),
    ],
    "anthropic opus 5.5": [
        (change(("temperature",), 1.0), 400, "temperature: Extra inputs are not permitted"),
        (change(("thinking",), {"type": "disabled"}), 400, "thinking.type.disabled"),
        (change(("tool_choice",), {"type": "any"}), 400, "Thinking may not be enabled when tool_choice forces"),
        (change(("system",), "Another."), 400, "bound to a different conversation"),
        (change(("tools", 0, "description"), "Another."), 400, "bound to a different conversation"),
        (change(("messages", 0, "content"), "Another."), 400, "bound to a different conversation"),
        (change(("max_tokens",), 128_001), 400, "128001 > 128000, which is the maximum allowed"),
        (change(("max_tokens",), DELETE), 400, "max_tokens: Field required"),
        (change(("seed",), 1), 400, "seed: Extra inputs are not permitted"),
        (change(("model",), "claude-9"), 404, "model: claude-9"),
        (change(("system",), [{"type": "text", "text": ""}]), 400, "text content blocks must be non-empty"),
        (change(("messages", 0, "content"), ""), 400, "all messages must have non-empty content"),
        (change(("messages", 0, "role"), "system"), 400, "Unexpected role"),
        (lambda body: body["messages"][1]["content"].append({"type": "text", "text": ""}), 400, "must be non-empty"),
        (change(("messages",), lambda old: old[:-1]), 400, "does not support assistant message prefill"),
        (lambda body: body["messages"][2]["content"].clear(), 400, "non-empty content"),
        (change(("messages", 2, "content"), "ok"), 400, "`tool_use` ids were found without `tool_result` blocks"),
        (lambda body: body["messages"][2]["content"].insert(0, {"type": "text", "text": "first"}), 400,
         "`tool_use` ids were found without `tool_result` blocks"),
        (change(("messages", 2, "content", 0, "tool_use_id"), "toolu_1"), 400, "unexpected `tool_use_id` found"),
        (lambda body: body["messages"][2]["content"].append(body["messages"][2]["content"][0]), 400, "single result"),
        (change(("messages", 1, "content", -1, "id"), "functions.file_read:0"), 400, "'^[a-zA-Z0-9_-]+$'"),
        (change(("messages", 1, "content", -1, "input"), "{}"), 400, "Input should be a valid dictionary"),
        (change(("messages", 1, "content", 0, "signature"), "x"), 400, "cannot be modified"),
        (change(("tools", 0, "name"), "file.read"), 400, "String should match pattern"),
        (change(("tools", 1, "name"), "file_read"), 400, "Tool names must be unique"),
        (change(("tools", 0, "input_schema"), {"type": "object", "oneOf": []}), 400, "does not support oneOf"),
        (change(("tools", 0, "parameters"), {}), 400, "tools.0.custom.parameters: Extra inputs"),
        (lambda body: [block.update(cache_control={"type": "ephemeral"}) for block in
                       [*body["tools"], body["messages"][2]["content"][0], body["messages"][1]["content"][-1]]], 400,
         "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    ],
    "anthropic opus 4.7": [
        (change(("thinking",), {"type": "enabled", "budget_tokens": 2048}), 400, "thinking.type.enabled"),
        (change(("output_config", "effort"), "minimal"), 400, "output_config.effort: Input should be"),
    ],
    "anthropic sonnet 4.5": [
        (change(("system",), ""), None, ""),
        (change(("thinking", "budget_tokens"), 1023), 400, "greater than or equal to 1024"),
        (change(("thinking", "budget_tokens"), 16_000), 400, "`max_tokens` must be greater than"),
        (change(("thinking",), {"type": "adaptive"}), 400, "adaptive thinking is not supported on this model"),
        (change(("output_config",), {"effort": "low"}), 400, "does not support the effort parameter"),
        (lambda body: body["messages"][1]["content"].pop(0), 400, "Expected `thinking` or `redacted_thinking`"),
        (change(("max_tokens",), 64_001), 400, "64001 > 64000"),
    ],
    "gemini 3": [
        (lambda body: [part.pop("thoughtSignature", None) for part in body["contents"][1]["parts"]], 400,
         "missing a thought_signature in functionCall parts"),
        (lambda body: [part.update(thoughtSignature="AAAA") for part in body["contents"][1]["parts"]
                       if "functionCall" in part], 400, "Corrupted thought signature"),
        (lambda body: [part.update(thoughtSignature="skip_thought_signature_validator")
                       for part in body["contents"][1]["parts"] if "functionCall" in part], None, ""),
        (change(("contents",), lambda old: old[:-1]), 400, "number of function response parts is equal"),
        (lambda body: body["contents"][2]["parts"].append(body["contents"][2]["parts"][0]), 400,
         "number of function response parts is equal"),
        (change(("contents", 1), DELETE), 400, "function response turn comes immediately after a function call"),
        (change(("contents", 0), DELETE), 400, "function call turn comes immediately after a user turn"),
        (change(("contents", 0, "role"), "assistant"), 400, "Please use a valid role: user, model"),
        (change(("contents", 0, "parts"), []), 400, "contents.parts must not be empty"),
        (change(("contents", 0, "parts", 0), {}), 400, "required oneof field 'data'"),
        (change(("contents", 2, "parts", 0, "functionResponse", "response"), "text"), 400, "Struct"),
        (change(("stream",), True), 400, "Unknown name \\\"stream\\\": Cannot find field"),
        (change(("contents", 0, "parts", 0, "type"), "text"), 400, "at 'contents[0].parts[0]': Cannot find field"),
        (change(("tools", 0, "functionDeclarations", 0, "name"), "9 lives"), 400, "Invalid function name"),
        (lambda body: use_parameters(body, {"type": "object", "additionalProperties": False,
                                            "properties": {"a": {"type": "string"}}}), 400,
         "Unknown name \\\"additionalProperties\\\" at 'tools[0].function_declarations[0].parameters'"),
        (lambda body: use_parameters(body, {"type": "object", "properties": {}}), 400, "non-empty for OBJECT"),
        (lambda body: use_parameters(body, {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}), 400,
         "Proto field is not repeating"),
        (lambda body: use_parameters(body, {"type": "object", "properties": {"a": {"type": "array"}}}), 400,
         "items: missing field"),
        (change(("generationConfig", "thinkingConfig"), {"thinkingLevel": "LOW", "thinkingBudget": 1}), 400,
         "only one of thinking budget and thinking level"),
    ],
    "azure deployments": [
        (change(("temperature",), 0), 400, "'temperature' does not support 0"),
    ],
    "deepseek v4": [
        (lambda body: messages(body, "assistant")[0].pop("reasoning_content"), 400, "must be passed back to the API"),
        (change(("tool_choice",), "required"), 400, "does not support this tool_choice"),
        (change(("messages", 0, "role"), "developer"), 400, "unknown variant `developer`"),
        (change(("messages", 3), DELETE), 400, "did not have response messages"),
        (change(("temperature",), 0), None, ""),
    ],
    "moonshot": [
        (lambda body: messages(body, "assistant")[0].pop("reasoning_content"), 400,
         "reasoning_content is missing in assistant tool call message at index 2"),
        (change(("temperature",), 0), 400, "only 1 is allowed for this model"),
        (change(("messages",), lambda old: [*old, {"role": "assistant", "content": ""}]), 400, "must not be empty"),
        (change(SCHEMA, {"type": "object", "properties": {"a": {"type": "string", "anyOf": []}}}), 400,
         "not a valid moonshot flavored json schema"),
        (change(SCHEMA, {"type": "object", "properties": {"a": {"$ref": "#/definitions/x"}}}), 400, "#/$defs/"),
        (change(("tool_choice",), "required"), 400, "incompatible with thinking enabled"),
    ],
    "openrouter": [
        (lambda body: messages(body, "assistant")[0]["reasoning_details"].reverse(), 400, "Invalid `signature`"),
        (lambda body: messages(body, "assistant")[0]["reasoning_details"][0].pop("signature"), 400, "signature"),
        (lambda body: messages(body, "assistant")[0]["reasoning_details"].append({"type": "text"}), 400, ".type"),
        (change(("reasoning",), {"effort": "low", "max_tokens": 9}), 400, "Only one of"),
        (change(("model",), "nobody/nothing"), 400, "is not a valid model ID"),
    ],
    "vllm": [
        (change(("model",), "other"), 404, "The model `other` does not exist."),
        (change(("messages", 2, "tool_calls", 0, "function", "arguments"), "{"), 400, "Expecting property name"),
        (change(("messages",), DELETE), 400, "Field required"),
        (change(("something_new",), 1), None, ""),
    ],
    "llama.cpp": [
        (change(("messages",), lambda old: [*old, {"role": "system", "content": "x"}]), 500, "at the beginning"),
        (change(("messages", 2, "tool_calls", 0, "function", "arguments"), "{"), 500, "Failed to parse"),
    ],
    "lm studio": [
        (change(("tool_choice",), {"type": "function", "function": {"name": "finish"}}), 400, "'object'"),
    ],
    "ollama": [
        (change(("messages", 2, "tool_calls", 0, "function", "arguments"), "{}"), 400, "cannot unmarshal string"),
        (change(("messages", 1, "content"), [{"type": "text", "text": "x"}]), 400, "cannot unmarshal array"),
        (change(("model",), "nothing"), 404, "model 'nothing' not found"),
        (change(("think",), "xhigh"), 400, "invalid think value"),
    ],
}


def use_parameters(body, schema):
    declaration = body["tools"][0]["functionDeclarations"][0]
    del declaration["parametersJsonSchema"]
    declaration["parameters"] = schema


@unittest.skipIf(why_not(), why_not())
class RefusalTest(unittest.TestCase):
    """Each refusal is one change away from a request that an official client sent."""

    maxDiff = None

    def send(self, server, body):
        """The status and the text of the answer."""
        like = server.requests[1]
        headers = {name: value for name, value in like.headers.items()
                   if name in ("authorization", "x-api-key", "api-key", "x-goog-api-key", "anthropic-version",
                               "anthropic-beta", "content-type")}
        query = "&".join(f"{name}={value}" for name, value in like.query.items())
        request = urllib.request.Request(f"{server.url}{like.path}?{query}", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def test_every_refusal(self):
        for run, cases in REFUSALS.items():
            server, report = RUNS[run]()
            self.addCleanup(server.close)
            self.assertNotIn("error", report)
            for number, (apply, status, words) in enumerate(cases):
                with self.subTest(f"{run}, number {number}: {words}"):
                    body = copy.deepcopy(server.requests[1].body)
                    apply(body)
                    seen, text = self.send(server, body)
                    self.assertEqual(seen, status or 200, text)
                    self.assertIn(words, text)

    def test_a_wrong_key_is_refused(self):
        for run, key in (("openai chat gpt-5", "authorization"), ("openai responses gpt-5", "authorization"),
                         ("anthropic opus 4.7", "authorization"), ("gemini 3", "x-goog-api-key"),
                         ("azure deployments", "api-key"), ("deepseek v4", "authorization"),
                         ("moonshot", "authorization"), ("openrouter", "authorization"),
                         ("vllm with a key", "authorization")):
            with self.subTest(run):
                server, _ = RUNS[run]()
                self.addCleanup(server.close)
                server.requests[1].headers[key] = "Bearer wrong"
                status, text = self.send(server, server.requests[1].body)
                self.assertEqual(status, 400 if run.startswith("gemini") else 401, text)

    def test_bound_thinking_blocks_can_be_dropped_by_a_beta_and_must_be_left_out_without_it(self):
        server, _ = RUNS["anthropic opus 5.5"]()
        self.addCleanup(server.close)
        body = copy.deepcopy(server.requests[2].body)
        body["messages"][0]["content"] = "Shortened."
        self.assertEqual(self.send(server, body)[0], 400)
        binding = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
        self.assertIn("Extra inputs", self.send(server, {**body, "thinking": binding})[1])
        server.requests[1].headers["anthropic-beta"] = "thinking-binding-controls-2026-08-01"
        self.assertEqual(self.send(server, {**body, "thinking": binding})[0], 200)
        for message in messages(body, "assistant"):
            message["content"] = [block for block in message["content"] if "thinking" not in block["type"]]
        self.assertEqual(self.send(server, body)[0], 200)

    def test_too_long_a_request_is_refused_in_the_words_of_the_provider(self):
        words = {"openai chat gpt-5": "context_length_exceeded", "openai responses gpt-5": "context_length_exceeded",
                 "anthropic opus 4.7": "prompt is too long: ", "gemini 3": "exceeds the maximum number of tokens",
                 "deepseek v4": "maximum context length is 10 tokens", "moonshot": "exceeded model token limit: 10",
                 "openrouter": "This endpoint's maximum context length is 10", "vllm": "maximum context length is 10",
                 "llama.cpp": '"n_ctx": 10', "lm studio": "Trying to keep the first", "ollama": "too long",
                 "azure deployments": "context_length_exceeded"}
        for run, text in words.items():
            with self.subTest(run):
                server, _ = RUNS[run]()
                self.addCleanup(server.close)
                server.window = 10
                self.assertIn(text, self.send(server, server.requests[1].body)[1])


if __name__ == "__main__":
    unittest.main()
