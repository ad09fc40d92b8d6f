"""What the real binary sends, checked by the TypeScript compiler against the types of the official clients.

The bodies that the servers of providers/ accepted are written as literals of the clients' parameter types: a member
that the types do not have, one that is missing and one of another type are errors.
"""

import copy
import json
import os
import re
import subprocess
import unittest

from harness import main
from provider_runs import RUNS, ProviderRunTest
from provider_sdk_test import SDKS, SOURCE, why_not
from providers import PLAY, Call, Turn

TSC = os.path.join(SOURCE, "build", "toolchain", "node_modules", ".bin", "tsc")

# api: import, type
TYPES = {
    "chat": ('import OpenAI from "openai";', "OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming"),
    "responses": ('import OpenAI from "openai";', "OpenAI.Responses.ResponseCreateParamsStreaming"),
    "anthropic": ('import Anthropic from "@anthropic-ai/sdk";', "Anthropic.Messages.MessageCreateParamsStreaming"),
    "gemini": ('import {type GenerateContentParameters, ThinkingLevel} from "@google/genai";',
               "GenerateContentParameters"),
    "ollama": ('import type {ChatRequest} from "ollama";', "ChatRequest & {stream: true}"),
}
CONFIG = {
    "compilerOptions": {"strict": True, "exactOptionalPropertyTypes": True, "noEmit": True, "skipLibCheck": True,
                        "target": "es2022", "lib": ["es2023", "dom", "esnext.disposable"], "module": "nodenext",
                        "moduleResolution": "nodenext", "types": []},
    "include": ["*.ts"]}

# What servers want beyond the client's types: (members of the path, the last being taken away). "*" is every element or member.
EXTENSIONS = {
    # "Thinking Mode"; "Using thinking models".
    "deepseek": [("messages", "*", "reasoning_content")],
    "moonshot": [("messages", "*", "reasoning_content")],
    # "Reasoning Tokens".
    "openrouter": [("messages", "*", "reasoning_details"), ("reasoning",)],
    # "Reasoning Outputs", under the name under which it came.
    "vllm": [("messages", "*", "reasoning_content"), ("messages", "*", "reasoning")],
    "llamacpp": [("messages", "*", "reasoning_content")],
    "lmstudio": [("messages", "*", "reasoning_content")],
    # docs/capabilities/tool-calling.mdx and api/types.go have ids; the client's types do not.
    # A server reads only type, items, description and enum of an argument, and passes over the rest.
    "ollama": [("messages", "*", "tool_calls", "*", "id"), ("messages", "*", "tool_call_id"),
               ("tools", "*", "function", "parameters", "properties", "*", "default")],
}

PARALLEL = (
    Turn(thought="Both at once.", text="I do both.", calls=(
        Call("file_read", {"path": "a.txt"}), PLAY[1].calls[0], Call("file_read", {"path": "picture.png"}))),
    PLAY[2],
)


def without(value, path):
    """`value` without the member that `path` leads to."""
    if path[0] == "*" and isinstance(value, dict):
        return {name: without(part, path[1:]) for name, part in value.items()}
    if path[0] == "*":
        return [without(part, path[1:]) for part in value]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    if len(path) == 1:
        return {name: member for name, member in value.items() if name != path[0]}
    return {**value, path[0]: without(value[path[0]], path[1:])}


def parameters(api, preset, model, body):
    """The client's parameters for a body."""
    for path in EXTENSIONS.get(preset, []):
        body = without(body, path)
    if api == "gemini":
        body = dict(body)
        config = {**body.pop("generationConfig", {}),
                  **{name: body.pop(name) for name in ("systemInstruction", "tools", "toolConfig") if name in body}}
        body = {"model": model.split(":", 1)[1], "contents": body.pop("contents"), "config": config, **body}
    return body


def source(api, body):
    """A file of TypeScript."""
    header, name = TYPES[api]
    literal = json.dumps(body, indent=1)
    # The client has an enumeration; the API takes its names in lower case too.
    literal = re.sub(r'("thinkingLevel": )"(\w+)"',
                     lambda found: found[1] + "ThinkingLevel." + found[2].upper(), literal)
    return f"{header}\nexport const body: {name} = {literal};\n"


# (change, what the compiler has to say)
BOGUS = {
    "chat": [
        (lambda body: body.update(bogus=1), "bogus"),
        (lambda body: body["messages"][0].update(bogus=1), "bogus"),
        (lambda body: body["messages"][2].update(reasoning_content="x"), "reasoning_content"),
        (lambda body: body["messages"][2]["tool_calls"][0].update(extra=1), "extra"),
        (lambda body: body["messages"][3].pop("tool_call_id"), "tool_call_id"),
        (lambda body: body["tools"][0].update(strict=True), "strict"),
        (lambda body: body.update(stream=False), "'true'"),
        (lambda body: body.pop("model"), "model"),
    ],
    "responses": [
        (lambda body: body.update(messages=[]), "messages"),
        (lambda body: body["input"][0].update(bogus=1), "bogus"),
        (lambda body: body["tools"][0].update(function={}), "function"),
        (lambda body: body["tools"][0].pop("strict"), "strict"),
        (lambda body: body.update(include=["reasoning"]), "reasoning"),
        (lambda body: body.update(reasoning={"effort": "much"}), "much"),
    ],
    "anthropic": [
        (lambda body: body.update(bogus=1), "bogus"),
        (lambda body: body.pop("max_tokens"), "max_tokens"),
        (lambda body: body["messages"][0].update(role="model"), "model"),
        (lambda body: body["messages"][1]["content"][-1].update(arguments={}), "arguments"),
        (lambda body: body["system"][0].update(bogus=1), "bogus"),
        (lambda body: body["tools"][0].update(parameters={}), "parameters"),
        (lambda body: body.update(output_config={"effort": "much"}), "much"),
        (lambda body: body.update(thinking={"type": "enabled"}), "budget_tokens"),
    ],
    "gemini": [
        (lambda body: body.update(bogus=1), "bogus"),
        (lambda body: body["config"].update(bogus=1), "bogus"),
        # Contents may also be parts: the compiler names the choice that fits least.
        (lambda body: body["contents"][0]["parts"][0].update(bogus=1), "does not exist in type"),
        (lambda body: body["contents"][2]["parts"][0]["functionResponse"].update(output="x"), "does not exist in type"),
        (lambda body: body["config"].update(temperature="0"), "number"),
        (lambda body: body["config"]["tools"][0]["functionDeclarations"][0].update(bogus=1), "bogus"),
    ],
    "ollama": [
        (lambda body: body.update(bogus=1), "bogus"),
        (lambda body: body["messages"][0].update(bogus=1), "bogus"),
        (lambda body: body.update(think="much"), "much"),
    ],
}


@unittest.skipIf(why_not(), why_not())
@unittest.skipUnless(os.path.exists(TSC), "no TypeScript compiler: scripts/setup test")
class ProviderTypesTest(ProviderRunTest):

    def compile(self, files):
        """The compiler's messages on each file, by its name; what was found nowhere in them is right."""
        folder = os.path.join(self.root, f"types-{len(os.listdir(self.root))}")
        os.mkdir(folder)
        os.symlink(os.path.join(SDKS, "node_modules"), os.path.join(folder, "node_modules"))
        contents = {"tsconfig.json": json.dumps(CONFIG), "package.json": '{"type": "module"}',
                    **{name + ".ts": text for name, text in files.items()}}
        for name, text in contents.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        result = subprocess.run([TSC, "--project", folder, "--pretty", "false"], cwd=folder, capture_output=True,
                                text=True, timeout=300, check=False)
        messages, name = {}, None
        for line in result.stdout.splitlines():
            found = re.match(r"(\S+)\.ts\(\d+,\d+\): error ", line)
            if found:
                name = found[1]
            self.assertIsNotNone(name, result.stdout)  # a mistake in the configuration
            messages[name] = messages.get(name, "") + line + "\n"
        self.assertEqual(result.returncode != 0, bool(messages), result.stdout + result.stderr)
        return messages

    def play_all(self, happenings, names=tuple(RUNS)):
        """(api, preset, model, body) of every accepted request, by a name that files can have."""
        bodies = {}
        for name in names:
            run = RUNS[name]
            self.remove("b.txt")
            server = self.serve(run.dialect(), happenings)
            result = self.run_model(server, run.model, *run.arguments, env=run.env)
            if result.returncode != 0:
                continue  # that is a failure of provider_test.py
            for number, (api, body) in enumerate(server.accepted):
                key = re.sub(r"\W+", "_", name) + f"_{number}"
                bodies[key] = (api, parameters(api, run.model.split(":")[0], run.model, body))
        return bodies

    def assert_compiles(self, bodies):
        self.assertEqual({api for api, _ in bodies.values()}, set(TYPES))
        messages = self.compile({name: source(*body) for name, body in bodies.items()})
        self.assertEqual(messages, {})

    def test_what_is_sent_is_of_the_clients_types(self):
        self.assert_compiles(self.play_all(PLAY))

    def test_several_calls_and_a_picture_are_of_the_clients_types(self):
        with open(self.path("picture.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
        bodies = self.play_all(PARALLEL, ("gpt-5, chat", "gpt-5, responses", "opus 5.5", "sonnet 4.5, effort",
                                          "gemini 2.5", "gemini 3", "openrouter", "kimi k3", "deepseek v4 pro",
                                          "azure, chat, dated", "ollama"))
        self.assert_compiles(bodies)

    def test_the_compiler_finds_what_does_not_belong_there(self):
        good = self.play_all(PLAY, ("gpt-5, chat", "gpt-5, responses", "opus 5.5", "gemini 3", "ollama"))
        last = {api: body for api, body in good.values()}
        files, wanted = {}, {}
        for api, changes in BOGUS.items():
            for number, (change, words) in enumerate(changes):
                body = copy.deepcopy(last[api])
                change(body)
                files[f"{api}_{number}"] = source(api, body)
                wanted[f"{api}_{number}"] = words
        messages = self.compile(files)
        for name, words in wanted.items():
            with self.subTest(name):
                self.assertIn(words, messages.get(name, "nothing"))
        # A member that is stripped is not one of the type.
        self.assertEqual(without({"a": [{"b": 1, "c": 2}]}, ("a", "*", "b")), {"a": [{"c": 2}]})


if __name__ == "__main__":
    main()
