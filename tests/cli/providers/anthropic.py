"""Anthropic Messages: POST /v1/messages.

Sources: platform.claude.com/docs (API reference "Create a Message" and "Errors", "Extended thinking", "Adaptive
thinking", "Tool use", "Prompt caching", "Versions",
"What's new" of each model), the types of @anthropic-ai/sdk, and the threads
named at each refusal, from which the words are.
"""

import copy
import json
import re

from providers.server import Dialect, Refusal, Stream, fragments, sse
from providers.shape import Form
from providers.script import UNENDED, turn_of

DOCS = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"

# thinking: the accepted types, the first being what a request without `thinking` means. sampling, effort, prefill:
# whether they are accepted. bound: whether thinking blocks are bound to what stands before them.
MODELS = {
    # "What's new in Claude Opus 5.5": thinking cannot be turned off, tools cannot be forced, blocks are bound.
    "claude-opus-5-5": {"thinking": ("adaptive",), "max_tokens": 128_000, "bound": True},
    "claude-fable-5-1": {"thinking": ("adaptive",), "max_tokens": 128_000, "bound": True},
    # "What's new in Claude Sonnet 5.5": "between_tools" took the place of "disabled".
    "claude-sonnet-5-5": {"thinking": ("adaptive", "between_tools"), "max_tokens": 128_000, "bound": True},
    # "Adaptive thinking", section "Supported models": no manual mode from Opus 4.7 on.
    "claude-opus-4-8": {"thinking": ("disabled", "adaptive"), "max_tokens": 128_000},
    "claude-opus-4-7": {"thinking": ("disabled", "adaptive"), "max_tokens": 128_000},
    "claude-opus-4-6": {"thinking": ("disabled", "adaptive", "enabled"), "max_tokens": 128_000, "sampling": True},
    # The 4.5 generation knows budgets only: neither adaptive thinking nor effort, but prefill.
    "claude-sonnet-4-5": {"thinking": ("disabled", "enabled"), "max_tokens": 64_000, "sampling": True,
                          "effort": False, "prefill": True},
    "claude-haiku-4-5": {"thinking": ("disabled", "enabled"), "max_tokens": 64_000, "sampling": True,
                         "effort": False, "prefill": True},
}
# "Versions". 2026-10-21 has no sampling parameters; official clients send it since their version of that day.
VERSIONS = ("2023-06-01", "2026-10-21")


def invalid(message, status=400, kind="invalid_request_error"):
    return Refusal(status, {"type": "error", "error": {"type": kind, "message": message},
                            "request_id": "req_011CTestTestTestTestTest"}, {"request-id": "req_011CTest"})


def dotted(path):
    return ".".join(str(step) for step in path)


KINDS = {"str": "string", "int": "integer", "number": "number", "bool": "boolean", "dict": "dictionary",
         "list": "list"}


def mistyped(path, kind, value):
    if isinstance(kind, list):
        kind = "list"
    raise invalid(f"{dotted(path)}: Input should be a valid {KINDS.get(kind, 'dictionary')}")


def unknown(path, _):
    # anthropics/claude-code#25597: "system.2.cache_control.ephemeral.scope: Extra inputs are not permitted".
    raise invalid(f"{dotted(path)}: Extra inputs are not permitted")


def missing(path):
    raise invalid(f"{dotted(path)}: Field required")


FORM = Form(unknown, missing, mistyped)

CACHE_CONTROL = {"type!": "str", "ttl": "str"}
TEXT = {"type!": "str", "text!": "str", "cache_control": (CACHE_CONTROL, None), "citations": ("list", None)}


def check_cache_control(value, path):
    FORM.check(value, CACHE_CONTROL, path)
    if value["type"] != "ephemeral":
        raise invalid(f"{dotted(path)}.type: Input should be 'ephemeral'")
    if value.get("ttl") not in (None, "5m", "1h"):
        raise invalid(f"{dotted(path)}.ephemeral.ttl: Input should be '5m' or '1h'")


def check_text(value, path):
    FORM.check(value, {**TEXT, "cache_control": (check_cache_control, None)}, path)
    if not value["text"]:
        raise invalid(f"{'system' if path[0] == 'system' else 'messages'}: text content blocks must be non-empty")
    if not value["text"].strip():
        raise invalid("messages: text content blocks must contain non-whitespace text")


IMAGE = {"type!": "str", "source!": {"type!": "str", "media_type": "str", "data": "str", "url": "str"},
         "cache_control": (CACHE_CONTROL, None)}


def check_image(value, path):
    """ "Vision": base64 with its type, or an address."""
    FORM.check(value, IMAGE, path)
    source = value["source"]
    if source["type"] not in ("base64", "url", "file"):
        raise invalid(f"{dotted(path)}.source: Input tag '{source['type']}' found using 'type' does not match any of "
                      "the expected tags: 'base64', 'file', 'url'")
    if source["type"] == "base64":
        for name in ("media_type", "data"):
            if name not in source:
                missing(path + ("source", "base64", name))
        if source["media_type"] not in ("image/jpeg", "image/png", "image/gif", "image/webp"):
            raise invalid(f"{dotted(path)}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
                          "'image/gif' or 'image/webp'")
        if not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", source["data"]):
            raise invalid(f"{dotted(path)}.source.base64: invalid base64 data")


def check_result_content(value, path):
    kinds = {"text": check_text, "image": check_image}
    check_block(value, path, kinds)


BLOCKS = {
    "assistant": {
        "text": check_text,
        "thinking": {"type!": "str", "thinking!": "str", "signature!": "str"},
        "redacted_thinking": {"type!": "str", "data!": "str"},
        "tool_use": {"type!": "str", "id!": "str", "name!": "str", "input!": "dict",
                     "cache_control": (check_cache_control, None), "caller": "dict"},
    },
    "user": {
        "text": check_text,
        "image": check_image,
        "tool_result": {"type!": "str", "tool_use_id!": "str", "content": ("str", [check_result_content]),
                        "is_error": "bool", "cache_control": (check_cache_control, None)},
    },
}


def check_block(value, path, kinds):
    if not isinstance(value, dict):
        mistyped(path, "dict", value)
    if "type" not in value:
        missing(path + ("type",))
    if value["type"] not in kinds:
        tags = ", ".join(f"'{name}'" for name in kinds)
        raise invalid(f"{dotted(path)}: Input tag '{value['type']}' found using 'type' does not match any of the "
                      f"expected tags: {tags}")
    kind = kinds[value["type"]]
    if callable(kind):
        kind(value, path)
    else:
        FORM.check(value, kind, path + (value["type"],))


class Anthropic(Dialect):

    path = "/v1/messages"

    def __init__(self):
        super().__init__()
        self.thoughts = {}  # id of a tool_use: the blocks before it, as they were sent
        self.bindings = {}  # a thinking block of a model that binds them: (its number, what stood before it)
        self.longest = 0    # messages of the longest request
        self.betas = ()

    # The form of a request ---------------------------------------------------------------------

    def check(self, request):
        if "x-api-key" not in request.headers and "authorization" not in request.headers:
            raise invalid("x-api-key header is required", 401, "authentication_error")
        if request.headers.get("x-api-key", request.headers.get("authorization")) not in \
                (self.key, "Bearer " + self.key):
            raise invalid("invalid x-api-key", 401, "authentication_error")
        if request.method != "POST" or request.path != self.path:
            raise invalid("Not Found", 404, "not_found_error")
        if "anthropic-version" not in request.headers:
            raise invalid("anthropic-version: header is required")
        version = request.headers["anthropic-version"]
        if version not in VERSIONS:
            raise invalid(f"anthropic-version: \"{version}\" is not a valid version")
        if "application/json" not in request.headers.get("content-type", ""):
            raise invalid("content-type: must be application/json")
        self.betas = request.headers.get("anthropic-beta", "").split(",")
        body = request.body
        if not isinstance(body, dict):
            raise invalid("The request body is not valid JSON: expected an object")
        for name in ("temperature", "top_p", "top_k") if version > "2023-06-01" else ():
            if name in body:
                # Even at their defaults: ttlequals0/MinusPod v2.101.10.
                unknown((name,), None)
        FORM.check(body, {
            "model!": "str", "max_tokens!": "int", "messages!": [self.check_message],
            "system": ("str", [check_text]), "tools": [self.check_tool], "tool_choice": self.check_tool_choice,
            "thinking": "dict", "output_config": {"effort": ("str", None), "format": ("dict", None)},
            "temperature": "number", "top_p": "number", "top_k": "int", "stop_sequences": ["str"], "stream": "bool",
            "metadata": {"user_id": ("str", None)}, "service_tier": "str",
            "cache_control": (check_cache_control, None), "container": "any", "inference_geo": "str",
            "speed": "str", "diagnostics": "any", "user_profile_id": "str", "workspace_id": "str"})
        self.check_model(body)
        self.check_tools(body)
        self.check_conversation(body)
        self.check_cache_controls(body)
        return "anthropic"

    def check_message(self, message, path):
        if isinstance(message, dict) and message.get("role") not in ("user", "assistant", None):
            # "Working with messages": there is no system role.
            if message["role"] == "system":
                raise invalid('messages: Unexpected role "system". The Messages API accepts a top-level `system` '
                              'parameter, not "system" as an input message role.')
            raise invalid(f"{dotted(path)}.role: Input should be 'user' or 'assistant'")
        kinds = BLOCKS[message.get("role", "user")] if isinstance(message, dict) else {}
        FORM.check(message, {"role!": "str", "content!": (
            "str", [lambda block, where: check_block(block, where, kinds)])}, path)

    def check_tool(self, tool, path):
        if isinstance(tool, dict) and tool.get("type", "custom") not in ("custom", None):
            raise invalid(f"{dotted(path)}: Input tag '{tool['type']}' found using 'type' does not match any of the "
                          "expected tags: 'custom'")
        inner = path + ("custom",)
        FORM.check(tool, {"type": ("str", None), "name!": "str", "description": "str", "input_schema!": "dict",
                          "cache_control": (check_cache_control, None), "strict": "bool",
                          "eager_input_streaming": ("bool", None), "input_examples": "list",
                          "allowed_callers": "list", "defer_loading": "bool"}, inner)
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool["name"]):
            raise invalid(f"{dotted(inner)}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        schema = tool["input_schema"]
        if "type" not in schema:
            missing(inner + ("input_schema", "type"))
        if schema["type"] != "object":
            raise invalid(f"{dotted(inner)}.input_schema.type: Input should be 'object'")
        # anthropics/claude-code#40075, QwenLM/qwen-code#7984.
        if any(key in schema for key in ("oneOf", "allOf", "anyOf")):
            raise invalid(f"{dotted(inner)}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the "
                          "top level")

    def check_tool_choice(self, value, path):
        if not isinstance(value, dict) or value.get("type") not in ("auto", "any", "tool", "none"):
            raise invalid(f"{dotted(path)}: Input tag '{(value or {}).get('type')}' found using 'type' does not match "
                          "any of the expected tags: 'auto', 'any', 'tool', 'none'")
        FORM.check(value, {"type!": "str", "name": "str", "disable_parallel_tool_use": "bool"},
                   path + (value["type"],))

    def check_tools(self, body):
        names = [tool["name"] for tool in body.get("tools", [])]
        if len(set(names)) < len(names):
            raise invalid("tools: Tool names must be unique.")
        used = any(block["type"] in ("tool_use", "tool_result") for _, block in self.blocks(body))
        if used and not names:
            raise invalid("Requests which include `tool_use` or `tool_result` blocks must define tools")
        if "tool_choice" in body and not names:
            raise invalid("tool_choice may only be specified while providing tools")

    # What a model accepts ----------------------------------------------------------------------

    def model(self, body):
        name = re.sub(r"-20\d{6}$", "", body["model"])
        if name not in MODELS:
            raise invalid(f"model: {body['model']}", 404, "not_found_error")
        return {"sampling": False, "effort": True, "prefill": False, "bound": False, **MODELS[name]}

    def thinking(self, body):
        """The kind of thinking that a request asks for."""
        return body.get("thinking", {}).get("type", self.model(body)["thinking"][0])

    def check_model(self, body):
        model = self.model(body)
        thinking = body.get("thinking", {"type": model["thinking"][0]})
        self.check_thinking(body, model, thinking)
        for name in ("temperature", "top_p", "top_k"):
            if name in body and not model["sampling"]:
                # RooCodeInc/Roo-Code#12162, The-PR-Agent/pr-agent#2456.
                raise invalid(f"`{name}` is deprecated for this model.")
        if "temperature" in body and "top_p" in body:
            raise invalid("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
        if thinking["type"] != "disabled" and body.get("temperature", 1) != 1:
            raise invalid("`temperature` may only be set to 1 when thinking is enabled. Please consult our "
                          f"documentation at {DOCS}#important-considerations-when-using-extended-thinking")
        effort = body.get("output_config", {}).get("effort")
        if effort is not None:
            if not model["effort"]:
                raise invalid("This model does not support the effort parameter.")
            if effort not in ("low", "medium", "high", "xhigh", "max"):
                raise invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
        if body["max_tokens"] < 1:
            raise invalid("max_tokens: Input should be greater than or equal to 1")
        if body["max_tokens"] > model["max_tokens"]:
            # OpenHands/software-agent-sdk#596.
            raise invalid(f"max_tokens: {body['max_tokens']} > {model['max_tokens']}, which is the maximum allowed "
                          f"number of output tokens for {body['model']}")

    def check_thinking(self, body, model, thinking):
        kind = thinking.get("type")
        if kind not in ("enabled", "disabled", "adaptive", "between_tools"):
            raise invalid(f"thinking: Input tag '{kind}' found using 'type' does not match any of the expected tags: "
                          "'adaptive', 'between_tools', 'disabled', 'enabled'")
        spec = {"type!": "str", "display": ("str", None)}
        if "thinking-binding-controls-2026-08-01" in self.betas:
            spec["block_binding"] = {"prefix_mismatch_behavior": "str"}
        if kind == "enabled":
            spec["budget_tokens!"] = "int"
        FORM.check(thinking, spec if kind != "disabled" else {"type!": "str"}, ("thinking", kind))
        if kind == "adaptive" and kind not in model["thinking"]:
            raise invalid("adaptive thinking is not supported on this model")
        if kind not in model["thinking"]:
            # SigmaNight/basiliskLLM#1185, OpenHands/software-agent-sdk#3427; "disabled": "What's new in Claude Opus
            # 5.5".
            raise invalid(f'"thinking.type.{kind}" is not supported for this model. Use "thinking.type.adaptive" and '
                          '"output_config.effort" to control thinking behavior.')
        if kind == "enabled" and thinking["budget_tokens"] < 1024:
            raise invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
        if kind == "enabled" and thinking["budget_tokens"] >= body["max_tokens"]:
            # liuw1535/antigravity2api-nodejs#149, promptfoo/promptfoo#10491.
            raise invalid("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our "
                          f"documentation at {DOCS}#max-tokens-and-context-window-size")
        if kind != "disabled" and body.get("tool_choice", {}).get("type") in ("any", "tool"):
            raise invalid("Thinking may not be enabled when tool_choice forces tool use.")

    # The conversation --------------------------------------------------------------------------

    @staticmethod
    def blocks(body):
        for number, message in enumerate(body["messages"]):
            if isinstance(message["content"], list):
                for at, block in enumerate(message["content"]):
                    yield (number, at), block

    def check_conversation(self, body):
        messages = body["messages"]
        if not messages:
            raise invalid("messages: at least one message is required")
        if messages[0]["role"] != "user":
            raise invalid('messages: first message must use the "user" role')
        for number, message in enumerate(messages):
            last = number == len(messages) - 1
            if not message["content"] and not (last and message["role"] == "assistant"):
                # anthropics/claude-code#3196.
                raise invalid(f"messages.{number}: all messages must have non-empty content except for the optional "
                              "final assistant message")
        if messages[-1]["role"] == "assistant":
            if not self.model(body)["prefill"]:
                # anomalyco/opencode#13768, anthropics/claude-code#52433.
                raise invalid("This model does not support assistant message prefill. The conversation must end with "
                              "a user message.")
            content = messages[-1]["content"]
            text = content if isinstance(content, str) else content[-1].get("text", "") if content else ""
            if text != text.rstrip():
                raise invalid("messages: final assistant content cannot end with trailing whitespace")
        self.check_pairs(merge(messages))
        self.check_thoughts(body)

    def check_pairs(self, messages):
        """Every tool_use is answered once, at the beginning of the next message."""
        seen = set()
        for number, (role, blocks) in enumerate(messages):
            before = {block["id"] for block in messages[number - 1][1] if block["type"] == "tool_use"} \
                if number else set()
            answered = set()
            for at, block in enumerate(blocks):
                if block["type"] == "tool_use":
                    # maximhq/bifrost#5097: ids of other providers ("functions.Bash:0") are refused.
                    if not re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]):
                        raise invalid(f"messages.{number}.content.{at}.tool_use.id: String should match pattern "
                                      "'^[a-zA-Z0-9_-]+$'")
                    if block["id"] in seen:
                        # trycua/cua#524.
                        raise invalid(f"messages.{number}.content.{at}: `tool_use` ids must be unique")
                    seen.add(block["id"])
                elif block["type"] == "tool_result":
                    if block["tool_use_id"] in answered:
                        raise invalid(f"messages.{number}.content.{at}: each tool_use must have a single result. "
                                      f"Found multiple `tool_result` blocks with id: {block['tool_use_id']}")
                    if block["tool_use_id"] not in before:
                        # anthropics/claude-code#13460.
                        raise invalid(f"messages.{number}.content.{at}: unexpected `tool_use_id` found in "
                                      f"`tool_result` blocks: {block['tool_use_id']}. Each `tool_result` block must "
                                      "have a corresponding `tool_use` block in the previous message.")
                    answered.add(block["tool_use_id"])
            leading = set()
            for block in blocks:
                if block["type"] != "tool_result":
                    break
                leading.add(block["tool_use_id"])
            if role == "user" and before - leading or role == "assistant" and number == len(messages) - 1 and \
                    any(block["type"] == "tool_use" for block in blocks):
                # anthropics/claude-code#8210. "Tool use", "Important formatting requirements": results come first.
                ids = ", ".join(sorted(before - leading)) or next(b["id"] for b in blocks if b["type"] == "tool_use")
                raise invalid(f"messages.{number - (role == 'user')}: `tool_use` ids were found without `tool_result` "
                              f"blocks immediately after: {ids}. Each `tool_use` block must have a corresponding "
                              "`tool_result` block in the next message.")

    def check_thoughts(self, body):
        """Thinking blocks come back as they were."""
        known = [block for blocks in self.thoughts.values() for block in blocks]
        manual = self.thinking(body) == "enabled"
        if self.model(body)["bound"]:
            self.check_bindings(body)
        assistants = [number for number, message in enumerate(body["messages"]) if message["role"] == "assistant"]
        for number in assistants:
            content = body["messages"][number]["content"]
            if isinstance(content, str):
                continue
            for at, block in enumerate(content):
                if block["type"] in ("thinking", "redacted_thinking") and block not in known:
                    if number == assistants[-1]:
                        # anthropics/claude-code#63267.
                        raise invalid(f"messages.{number}.content.{at}: `thinking` or `redacted_thinking` blocks in "
                                      "the latest assistant message cannot be modified. These blocks must remain as "
                                      "they were in the original response.")
                    raise invalid(f"messages.{number}.content.{at}: Invalid `signature` in `thinking` block")
            for block in content:
                if block["type"] != "tool_use":
                    continue
                issued = self.thoughts.get(block["id"], [])
                demanded = self.thinking(body) != "disabled" and not self.model(body)["bound"]
                if demanded and content[:len(issued)] != issued:
                    self.complain(f"messages.{number}: the thinking blocks of the reply were not sent back unchanged "
                                  "and first")
        # sigoden/llm-functions#222. Only in manual mode: with adaptive thinking earlier turns need not begin so.
        if manual and assistants and body["messages"][-1]["role"] == "user":
            content = body["messages"][assistants[-1]]["content"]
            first = content[0]["type"] if isinstance(content, list) else "text"
            calls = isinstance(content, list) and any(block["type"] == "tool_use" for block in content)
            if calls and first not in ("thinking", "redacted_thinking"):
                raise invalid(f"messages.{assistants[-1]}.content.0.type: Expected `thinking` or `redacted_thinking`, "
                              f"but found `{first}`. When `thinking` is enabled, a final `assistant` message must "
                              "start with a thinking block (preceeding the lastmost set of `tool_use` and "
                              "`tool_result` blocks). We recommend you include thinking blocks from previous turns. "
                              f"To avoid this requirement, disable `thinking`. Please consult our documentation at "
                              f"{DOCS}")

    def check_bindings(self, body):
        """platform.claude.com/docs, "Preserved thinking", "Prefix checks": before a block, the system prompt, the tools
        and the messages are as they were when it was made. Blocks may be left out at the beginning and at the end."""
        binding = body.get("thinking", {}).get("block_binding", {})
        if binding.get("prefix_mismatch_behavior") == "drop_block":
            return
        kept = []
        for (number, at), block in self.blocks(body):
            key = json.dumps(block, sort_keys=True)
            if block["type"] in ("thinking", "redacted_thinking") and key in self.bindings:
                order, prefix = self.bindings[key]
                kept.append(order)
                if prefix != self.prefix(body, number) or kept != list(range(kept[0], kept[0] + len(kept))):
                    raise invalid(f"messages.{number}.content.{at}: Invalid `signature` in `thinking` block. The block "
                                  "is bound to a different conversation. Remove the block, or set "
                                  "`thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\". This setting "
                                  "requires the value `thinking-binding-controls-2026-08-01` in the `anthropic-beta` "
                                  "header.")
        if len(kept) < len(self.bindings) and len(body["messages"]) >= self.longest:
            self.complain("thinking blocks were left out although the conversation before them is unchanged")
        self.longest = max(self.longest, len(body["messages"]))

    @staticmethod
    def prefix(body, number):
        """What stands before message `number`, without thinking and without cache_control, which may move."""
        def plain(value):
            if isinstance(value, list):
                return [plain(part) for part in value if not (isinstance(part, dict) and
                        part.get("type") in ("thinking", "redacted_thinking"))]
            if isinstance(value, dict):
                return {name: plain(part) for name, part in value.items() if name != "cache_control"}
            return value
        messages = [(role, blocks) for role, blocks in merge(body["messages"][:number])]
        return json.dumps(plain([body.get("system"), body.get("tools"), [list(pair) for pair in messages]]),
                          sort_keys=True)

    def check_cache_controls(self, body):
        found = [body] + [tool for tool in body.get("tools", [])]
        found += body["system"] if isinstance(body.get("system"), list) else []
        for _, block in self.blocks(body):
            found.append(block)
            if block["type"] == "tool_result" and isinstance(block.get("content"), list):
                found += block["content"]
        count = sum(part.get("cache_control") is not None for part in found)
        if count > 4:
            # continuedev/continue#6937, tghamm/Anthropic.SDK#50.
            raise invalid(f"A maximum of 4 blocks with cache_control may be provided. Found {count}.")

    # Answers -----------------------------------------------------------------------------------

    def overflow(self, request, tokens, limit):
        # "Context windows": the API refuses instead of cutting off.
        return invalid(f"prompt is too long: {tokens} tokens > {limit} maximum")

    def reply(self, request, happening):
        kind = getattr(happening, "kind", "reply")
        if kind == "rate_limited":
            refusal = invalid("This request would exceed your organization's rate limit of 30,000 input tokens per "
                              "minute.", 429, "rate_limit_error")
            refusal.headers["retry-after"] = "1"
            raise refusal
        if kind == "quota":
            # anthropics/claude-code#5300 and many others.
            raise invalid("Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to "
                          "upgrade or purchase credits.")
        if kind == "overloaded":
            raise invalid("Overloaded", 529, "overloaded_error")
        if kind == "server_error":
            raise invalid("Internal server error", 500, "api_error")
        if kind == "unauthorized":
            raise invalid("invalid x-api-key", 401, "authentication_error")
        body = request.body
        if not body.get("stream"):
            raise invalid("This server streams only: set stream to true")
        turn = turn_of(happening)
        bindings = dict(self.bindings)
        blocks = self.content(body, turn)
        if kind in ("cut", "stream_error", *UNENDED):
            self.bindings = bindings  # the client never had these blocks
        events = self.events(body, blocks, kind)
        return Stream(events[:-2] if kind in UNENDED else events, headers={
            "request-id": "req_011CTest", "anthropic-ratelimit-requests-remaining": "49"})

    def content(self, body, turn):
        """The blocks of a reply. `self.thoughts` learns which thinking they came with."""
        number = self.script.number()
        kind = self.thinking(body)
        blocks = []
        if turn.thought and kind != "disabled":
            # With display "omitted", the default from Opus 4.7 on, the text is empty and the signature stays:
            # openai/openai-agents-python#4155.
            shown = body.get("thinking", {}).get("display") or \
                ("omitted" if kind == "adaptive" and not self.model(body)["sampling"] else "summarized")
            blocks.append({"type": "thinking", "thinking": turn.thought if shown == "summarized" else "",
                           "signature": f"EqQBCgIYAhIM{number}+/sig=="})
            if number % 2 == 0:
                blocks.append({"type": "redacted_thinking", "data": f"EmwKAhgBEgy{number}3va/+redacted="})
        thoughts = copy.deepcopy(blocks)
        if self.model(body)["bound"]:
            before = self.prefix(body, len(body["messages"]))
            for block in blocks:
                self.bindings[json.dumps(block, sort_keys=True)] = len(self.bindings), before
        if turn.text:
            blocks.append({"type": "text", "text": turn.text})
        for call in turn.calls:
            block = {"type": "tool_use", "id": f"toolu_01A{self.script.number():04d}xyz", "name": call.name,
                     "input": call.arguments}
            self.thoughts[block["id"]] = thoughts
            blocks.append(block)
        return blocks

    def events(self, body, blocks, kind):
        usage = {"input_tokens": 800, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                 "output_tokens": 2, "service_tier": "standard"}
        events = [{"type": "message_start", "message": {
            "id": "msg_01Test", "type": "message", "role": "assistant", "model": body["model"], "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage}}, {"type": "ping"}]
        for index, block in enumerate(blocks):
            events += self.block_events(index, block)
        if kind == "stream_error":
            events = events[:-2] + [{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}]
        else:
            stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
            events += [{"type": "message_delta",
                        "delta": {"stop_reason": "refusal" if kind == "refusal" else stop, "stop_sequence": None},
                        "usage": {"output_tokens": 60, "input_tokens": 800, "cache_creation_input_tokens": 0,
                                  "cache_read_input_tokens": 0}},
                       {"type": "message_stop"}]
        return [sse(event, event["type"]) for event in events]

    @staticmethod
    def block_events(index, block):
        start = dict(block)
        deltas = []
        if block["type"] == "thinking":
            start.update(thinking="", signature="")
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in fragments(block["thinking"]) if piece]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif block["type"] == "text":
            start["text"] = ""
            deltas = [{"type": "text_delta", "text": piece} for piece in fragments(block["text"])]
        elif block["type"] == "tool_use":
            start["input"] = {}
            text = json.dumps(block["input"], ensure_ascii=False)
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *fragments(text)]]
        return [{"type": "content_block_start", "index": index, "content_block": start},
                *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
                {"type": "content_block_stop", "index": index}]


def merge(messages):
    """(role, blocks); messages of one role that follow each other are one turn ("Create a Message", messages)."""
    merged = []
    for message in messages:
        blocks = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        if merged and merged[-1][0] == message["role"]:
            merged[-1][1].extend(blocks)
        else:
            merged.append((message["role"], list(blocks)))
    return merged
