"""Hosted APIs of OpenAI's chat form: DeepSeek, Moonshot (Kimi) and OpenRouter.

They ignore members that they do not know, and demand that the reasoning of a reply comes back.
"""

import copy
import json

from providers.chat import CALL, IMAGE_PART, TEXT_PART, Chat
from providers.schema import moonshot_problem
from providers.server import Refusal, fragments
from providers.shape import Form


class Compatible(Chat):
    """Chat without OpenAI's own rules. `roles` are those that the provider knows."""

    roles = ("system", "user", "assistant", "tool")
    images = False  # whether its models take pictures

    def refuse(self, message, status=400, kind="invalid_request_error", **more):
        return Refusal(status, {"error": {"message": message, "type": kind, **more}})

    def check_headers(self, request):
        if request.headers.get("authorization") != "Bearer " + self.key:
            raise self.unauthorized()

    def check_body(self, body):
        form = Form(lambda path, value: None, self.missing, self.mistyped)
        for name in ("model", "messages"):
            if name not in body:
                self.missing((name,))
        if not isinstance(body["messages"], list) or not body["messages"]:
            self.mistyped(("messages",), "list", body["messages"])
        for number, message in enumerate(body["messages"]):
            path = ("messages", number)
            if not isinstance(message, dict) or "role" not in message:
                self.missing(path + ("role",))
            if message["role"] not in self.roles:
                self.bad_role(path, message["role"])
            self.check_form(form, message, path)
        self.check_model(body, body["model"])
        self.check_tools(body)
        self.check_conversation(body["messages"])
        self.check_reasoning(body)

    def missing(self, path):
        raise self.refuse(f"missing field `{path[-1]}`")

    def mistyped(self, path, kind, value):
        raise self.refuse(f"invalid type: {path[-1]}, expected {kind}")

    def bad_role(self, path, role):
        names = ", ".join(f"`{name}`" for name in self.roles)
        raise self.refuse(f"Failed to deserialize the JSON body into the target type: messages[{path[1]}].role: "
                          f"unknown variant `{role}`, expected one of {names} at line 1 column 42")

    def check_reasoning(self, body):
        pass

    def no_images(self, path):
        """The refusal of a picture."""
        return self.refuse(f"Failed to deserialize the JSON body into the target type: messages[{path[1]}]: unknown "
                           "variant `image_url`, expected `text` at line 1 column 42")

    def check_form(self, form, message, path):
        def check_part(part, where):
            if not isinstance(part, dict):
                form.mistyped(where, "dict", part)
            is_image = part.get("type") == "image_url" and message["role"] in ("user", "tool")
            form.check(part, IMAGE_PART if is_image else TEXT_PART, where)
            if is_image and not self.images:
                raise self.no_images(path)

        check_members(form, message, path, check_part)


def check_members(form, message, path, check_part):
    kinds = {"content": ("str", [check_part], None), "tool_calls": ([CALL], None), "tool_call_id": "str",
             "reasoning_content": ("str", None), "reasoning": ("str", None), "reasoning_details": ("list", None)}
    for name, kind in kinds.items():
        if name in message:
            form.check_kind(message[name], kind, path + (name,))
    if message["role"] == "tool":
        for name in ("tool_call_id", "content"):
            if name not in message:
                form.missing(path + (name,))
    if message["role"] in ("system", "user") and message.get("content") is None:
        form.missing(path + ("content",))
    if message["role"] == "assistant" and message.get("content") is None and not message.get("tool_calls"):
        form.missing(path + ("content",))


class DeepSeek(Compatible):
    """api-docs.deepseek.com: "Create Chat Completion", "Thinking Mode" (section "Tool calls"), "Error Codes"."""

    paths = ("/chat/completions", "/v1/chat/completions", "/beta/chat/completions")
    models = {"deepseek-chat": False, "deepseek-reasoner": True, "deepseek-v4-flash": True, "deepseek-v4-pro": True}

    def __init__(self):
        super().__init__()
        self.thoughts = {}

    def refuse(self, message, status=400, kind="invalid_request_error", **more):
        return Refusal(status, {"error": {"message": message, "type": kind, "param": None,
                                          "code": more.get("code", "invalid_request_error")}})

    def unauthorized(self):
        return self.refuse("Authentication Fails, Your api key: ****-key is invalid", 401, "authentication_error")

    def rate_limited(self):
        refusal = self.refuse("Rate limit reached. Please retry later.", 429, "rate_limit_error")
        refusal.headers["Retry-After"] = "1"
        return refusal

    def quota(self):
        return self.refuse("Insufficient Balance", 402, "unknown_error")  # "Error Codes"

    def overloaded(self):
        return self.refuse("Service is too busy. We advise users to temporarily switch to alternative LLM API service "
                           "providers.", 503, "service_unavailable_error")

    def overflow(self, request, tokens, limit):
        return self.refuse(f"This model's maximum context length is {limit} tokens. However, you requested {tokens} "
                           f"tokens ({tokens} in the messages, 0 in the completion). Please reduce the length of the "
                           "messages or completion.")

    def check_model(self, body, name):
        if name not in self.models:
            raise self.refuse("Model Not Exist")
        effort = body.get("reasoning_effort")
        if effort not in (None, "low", "medium", "high", "xhigh", "max"):
            raise self.refuse(f"Failed to deserialize the JSON body into the target type: reasoning_effort: unknown "
                              f"variant `{effort}`, expected one of `high`, `low`, `medium`, `max`, `xhigh` at line 1 "
                              "column 42")

    def thinks(self, body):
        kind = (body.get("thinking") or {}).get("type")
        return self.models[body["model"]] if kind is None else kind == "enabled"

    def check_tools(self, body):
        super().check_tools(body)
        if self.thinks(body) and body.get("tool_choice") not in (None, "auto", "none"):
            raise self.refuse("Thinking mode does not support this tool_choice")

    def check_reasoning(self, body):
        if not self.thinks(body):
            return
        for number, message in enumerate(body["messages"]):
            if message["role"] != "assistant":
                continue
            given = message.get("reasoning_content")
            if message.get("tool_calls"):
                if given is None:
                    # earendil-works/pi#3636, NousResearch/hermes-agent#15353 (V4); before V4 the words were
                    # "Missing `reasoning_content` field …", abhigyanpatwari/GitNexus#43.
                    if "v4" in body["model"]:
                        raise self.refuse("The `reasoning_content` in the thinking mode must be passed back to the "
                                          "API.")
                    raise self.refuse(f"Missing `reasoning_content` field in the assistant message at message index "
                                      f"{number}. For more information, please refer to "
                                      "https://api-docs.deepseek.com/guides/thinking_mode#tool-calls")
                issued = self.thoughts.get(message["tool_calls"][0]["id"])
                if issued is not None and given != issued:
                    self.complain(f"messages[{number}].reasoning_content was changed")
            elif given is None and "v4" in body["model"]:
                # openclaw/openclaw#73417, MoonshotAI/kimi-cli#2141: V4 wants it on every assistant message.
                raise self.refuse("The `reasoning_content` in the thinking mode must be passed back to the API.")

    def issued(self, call_id, turn):
        self.thoughts[call_id] = turn.thought

    def call_id(self, call):
        return f"call_00_{self.script.number():04d}nLfpIQ6VO1JCaEsJcU8W"

    def thought_deltas(self, turn):
        return [{"content": None, "reasoning_content": piece} for piece in fragments(turn.thought)]

    def events(self, body, turn, kind):
        events = super().events(body, turn, kind)
        if not self.thinks(body):
            events = [event for event in events if '"reasoning_content"' not in event]
        return [": keep-alive\n\n", *events]  # "Rate Limit": sent while a request waits

    def usage(self):
        return {"prompt_tokens": 800, "completion_tokens": 60, "total_tokens": 860,
                "prompt_tokens_details": {"cached_tokens": 512},
                "completion_tokens_details": {"reasoning_tokens": 32}, "prompt_cache_hit_tokens": 512,
                "prompt_cache_miss_tokens": 288}


class Moonshot(Compatible):
    """platform.moonshot.ai/docs: "Chat API", "Using thinking models", "Tool use", "Error codes"."""

    paths = ("/v1/chat/completions",)
    images = True
    models = {"kimi-k3": True, "kimi-k2.6": True, "kimi-k2-thinking": True, "kimi-k2-0905-preview": False}

    def __init__(self):
        super().__init__()
        self.thoughts = {}

    def unauthorized(self):
        return self.refuse("Invalid Authentication", 401, "invalid_authentication_error")

    def rate_limited(self):
        refusal = self.refuse("Your account org-test request reached organization TPM rate limit, current:32100, "
                              "limit:32000", 429, "rate_limit_reached_error")
        refusal.headers["Retry-After"] = "1"
        return refusal

    def quota(self):
        return self.refuse("Your account org-test <ak-test> is suspended due to insufficient balance, please recharge "
                           "your account or check your plan and billing details", 429, "exceeded_current_quota_error")

    def overloaded(self):
        return self.refuse("The engine is currently overloaded, please try again later", 429,
                           "engine_overloaded_error")

    def overflow(self, request, tokens, limit):
        return self.refuse(f"Invalid request: Your request exceeded model token limit: {limit} (requested: {tokens})")

    def check_model(self, body, name):
        if name not in self.models:
            raise self.refuse(f"Not found the model {name} or Permission denied", 404, "resource_not_found_error")
        if self.models[name] and body.get("temperature", 1) != 1:
            # simstudioai/sim#5716: all current models pin it.
            raise self.refuse("invalid temperature: only 1 is allowed for this model")
        if body.get("top_p") not in (None, 0.95) and self.models[name]:
            raise self.refuse("invalid top_p: only 0.95 is allowed for this model")

    def thinks(self, body):
        return self.models[body["model"]] and (body.get("thinking") or {}).get("type") != "disabled"

    def check_tools(self, body):
        super().check_tools(body)
        if self.thinks(body) and body.get("tool_choice") not in (None, "auto", "none"):
            # can1357/oh-my-pi#1077.
            raise self.refuse("tool_choice 'specified' is incompatible with thinking enabled")
        for tool in body.get("tools") or []:
            problem = moonshot_problem(tool["function"].get("parameters", {"type": "object"}))
            if problem:
                raise self.refuse("Invalid request: tools.function.parameters is not a valid moonshot flavored json "
                                  f"schema, details: <At path '{problem[0]}': {problem[1]}>")

    def check_reasoning(self, body):
        for number, message in enumerate(body["messages"]):
            if message["role"] != "assistant":
                continue
            given = message.get("reasoning_content")
            if not message.get("tool_calls"):
                if not message.get("content"):
                    raise self.refuse(f"Invalid request: the message at position {number} with role 'assistant' must "
                                      "not be empty")
            elif self.thinks(body):
                if given is None:
                    # mastra-ai/mastra#12592, continuedev/continue#11600, farion1231/cc-switch#2365.
                    raise self.refuse("thinking is enabled but reasoning_content is missing in assistant tool call "
                                      f"message at index {number}")
                issued = self.thoughts.get(message["tool_calls"][0]["id"])
                if issued is not None and given != issued:
                    self.complain(f"messages[{number}].reasoning_content was changed")

    def issued(self, call_id, turn):
        self.thoughts[call_id] = turn.thought

    def call_id(self, call):
        # "Tool use": ids of the form functions.NAME:NUMBER; maximhq/bifrost#5097.
        return f"functions.{call.name}:{self.script.number()}"

    def thought_deltas(self, turn):
        return [{"reasoning_content": piece} for piece in fragments(turn.thought)]

    def events(self, body, turn, kind):
        events = super().events(body, turn, kind)
        return events if self.thinks(body) else [event for event in events if '"reasoning_content"' not in event]


class OpenRouter(Compatible):
    """openrouter.ai/docs: "Reasoning Tokens" (section "Preserving Reasoning Blocks"), "Streaming" (comments, errors
    after the first token), "Errors", "Tool & Function Calling"."""

    paths = ("/api/v1/chat/completions", "/v1/chat/completions")
    roles = ("system", "developer", "user", "assistant", "tool")
    images = True
    models = ("anthropic/claude-sonnet-4.5", "openai/gpt-5", "moonshotai/kimi-k3")

    def __init__(self):
        super().__init__()
        self.details = {}

    def refuse(self, message, status=400, kind=None, **more):
        return Refusal(status, {"error": {"message": message, "code": status, **more}, "user_id": "user_test"})

    def upstream(self, message, status=400):
        """A refusal of the model's own provider."""
        raw = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": message}})
        return self.refuse("Provider returned error", status,
                           metadata={"raw": raw, "provider_name": "Anthropic", "is_byok": False})

    def unauthorized(self):
        return self.refuse("User not found.", 401)

    def rate_limited(self):
        refusal = self.refuse("Provider returned error", 429, metadata={
            "raw": "anthropic/claude-sonnet-4.5 is temporarily rate-limited upstream. Please retry shortly.",
            "provider_name": "Anthropic"})
        refusal.headers["Retry-After"] = "1"
        return refusal

    def quota(self):
        # "Errors": 402.
        return self.refuse("Insufficient credits. Add more using https://openrouter.ai/settings/credits", 402)

    def overloaded(self):
        return self.refuse("Provider returned error", 503, metadata={"raw": "Overloaded", "provider_name": "Anthropic"})

    def server_error(self):
        return self.refuse("Internal Server Error", 500)

    def overflow(self, request, tokens, limit):
        # refly-ai/refly#1177.
        return self.refuse(f"This endpoint's maximum context length is {limit} tokens. However, you requested about "
                           f"{tokens} tokens ({tokens} of text input). Please reduce the length of either one, or use "
                           "the \"middle-out\" transform to compress your prompt automatically.")

    def check_model(self, body, name):
        if name not in self.models:
            raise self.refuse(f"{name} is not a valid model ID")
        reasoning = body.get("reasoning")
        if reasoning is not None:
            if not isinstance(reasoning, dict):
                raise self.refuse("Invalid input: expected object, received " + type(reasoning).__name__)
            if reasoning.get("effort") is not None and reasoning.get("max_tokens") is not None:
                raise self.refuse('Only one of "reasoning.effort" and "reasoning.max_tokens" can be specified')
            if reasoning.get("effort") not in (None, "none", "minimal", "low", "medium", "high", "xhigh"):
                raise self.refuse("Invalid option: expected one of \"xhigh\"|\"high\"|\"medium\"|\"low\"|\"minimal\"|"
                                  "\"none\"")

    def check_reasoning(self, body):
        kinds = {"reasoning.text": ("text",), "reasoning.encrypted": ("data",), "reasoning.summary": ("summary",)}
        for number, message in enumerate(body["messages"]):
            if message["role"] != "assistant":
                continue
            given = message.get("reasoning_details")
            for at, detail in enumerate(given or []):
                if not isinstance(detail, dict) or detail.get("type") not in kinds:
                    raise self.refuse(f"Invalid input: messages[{number}].reasoning_details[{at}].type")
            issued = self.details.get((message.get("tool_calls") or [{"id": None}])[0]["id"])
            if not issued:
                continue
            if given is None:
                # "Preserving Reasoning Blocks": accepted, with worse replies; kimi and DeepSeek behind it refuse.
                self.complain(f"messages[{number}].reasoning_details were not sent back")
            elif given != issued:
                # langchain-ai/langchain#36400: pieces that were not joined. The upstream's signature no longer fits.
                raise self.upstream(f"messages.{number}.content.0: Invalid `signature` in `thinking` block")

    def call_id(self, call):
        return f"toolu_vrtx_01{self.script.number():04d}SuKsEPzNx"

    def issued(self, call_id, turn):
        self.details[call_id] = copy.deepcopy(self.last_details)

    def details_of(self, turn):
        number = self.script.number()
        return [{"type": "reasoning.text", "text": turn.thought, "signature": f"EqQBCgIYAhIM{number}+/==",
                 "format": "anthropic-claude-v1", "index": 0},
                {"type": "reasoning.encrypted", "data": f"EmwKAhgBEgy{number}3va/+==", "id": f"rs_{number}",
                 "format": "anthropic-claude-v1", "index": 1}]

    def thought_deltas(self, turn):
        """In pieces: text, then the signature alone, then another block."""
        self.last_details = self.details_of(turn) if turn.thought else []
        if not turn.thought:
            return []
        text, encrypted = self.last_details
        common = {"type": "reasoning.text", "format": text["format"], "index": 0}
        deltas = [{"content": "", "reasoning": piece, "reasoning_details": [{**common, "text": piece}]}
                  for piece in fragments(turn.thought)]
        deltas.append({"content": "", "reasoning": None,
                       "reasoning_details": [{**common, "signature": text["signature"]}]})
        deltas.append({"content": "", "reasoning": None, "reasoning_details": [encrypted]})
        return deltas

    def events(self, body, turn, kind):
        events = super().events(body, turn, kind)
        comment = ": OPENROUTER PROCESSING\n\n"
        return [comment, comment, *events[:3], comment, *events[3:]]

    def chunk(self, body, **members):
        return {"id": "gen-1760000000-Test", "provider": "Anthropic", "model": body["model"],
                "object": "chat.completion.chunk", "created": 1760000000, **members}

    def stream_error(self, body):
        # "Streaming", section "Errors after any tokens have been sent".
        return self.chunk(body, error={"code": 502, "message": "Provider disconnected unexpectedly"},
                          choices=[{"index": 0, "delta": {"role": "assistant", "content": ""},
                                    "finish_reason": "error", "native_finish_reason": "error"}])

    def usage(self):
        return {"prompt_tokens": 800, "completion_tokens": 60, "total_tokens": 860, "cost": 0.0031,
                "is_byok": False, "prompt_tokens_details": {"cached_tokens": 512, "cache_write_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 32}}
