"""Chat completions as OpenAI checks and streams them; Azure inherits it, and the compatible servers inherit the
streams.

Sources: platform.openai.com/docs/api-reference/chat and guides/function-calling, the types of npm `openai`, and the
threads named at each refusal, from which the words are.
"""

import json
import re

from providers.script import UNENDED, turn_of
from providers.server import Dialect, Refusal, Stream, fragments, sse
from providers.schema import plain_problem, strict_problem
from providers.shape import Form

NAMES = {"str": "a string", "int": "an integer", "number": "a decimal", "bool": "a boolean", "dict": "an object",
         "list": "an array"}


def kind_name(kind):
    if isinstance(kind, list):
        return "an array"
    return NAMES.get(kind, "an object") if isinstance(kind, str) else "an object"


def value_name(value):
    if value is None:
        return "null"
    for kind, name in ((bool, "a boolean"), (int, "an integer"), (float, "a decimal"), (str, "a string"),
                       (list, "an array"), (dict, "an object")):
        if isinstance(value, kind):
            return name
    return "something else"


def dotted(path):
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def invalid(message, param=None, code=None, status=400, kind="invalid_request_error"):
    return Refusal(status, {"error": {"message": message, "type": kind, "param": param, "code": code}},
                   {"x-request-id": "req_test"})


def unknown(path, _):
    # A member inside of the body; at the top level chat has words of its own (check_body).
    raise invalid(f"Unknown parameter: '{dotted(path)}'.", dotted(path), "unknown_parameter")


def missing(path):
    raise invalid(f"Missing required parameter: '{dotted(path)}'.", dotted(path), "missing_required_parameter")


def mistyped(path, kind, value):
    raise invalid(f"Invalid type for '{dotted(path)}': expected {kind_name(kind)}, but got {value_name(value)} "
                  "instead.", dotted(path), "invalid_type")


FORM = Form(unknown, missing, mistyped)

# effort: the accepted values of reasoning_effort, () for models that do not reason. chat: "yes", "no" (Responses
# only), "effort none" (with tools the effort has to be "none") or "no tools" (tools only with Responses).
# developers.openai.com/api/docs/guides/deployment-checklist tells it of the GPT-6 family.
MODELS = {
    "gpt-4.1": {"effort": (), "chat": "yes", "output": 32_768},
    "gpt-5": {"effort": ("minimal", "low", "medium", "high"), "chat": "yes", "output": 128_000},
    "gpt-5-codex": {"effort": ("low", "medium", "high"), "chat": "no", "output": 128_000},
    "gpt-5.3-codex": {"effort": ("low", "medium", "high", "xhigh"), "chat": "no", "output": 128_000},
    "gpt-5-pro": {"effort": ("high",), "chat": "no", "output": 272_000},
    "gpt-5.6": {"effort": ("none", "low", "medium", "high", "xhigh"), "chat": "effort none", "output": 128_000},
    "gpt-5.6-sol": {"effort": ("none", "low", "medium", "high", "xhigh"), "chat": "effort none", "output": 128_000},
    "gpt-6-luna": {"effort": ("none", "low", "medium", "high", "xhigh", "max"), "chat": "effort none",
                   "output": 128_000},
    "gpt-6.1-sol": {"effort": ("low", "medium", "high", "xhigh", "max"), "chat": "no tools", "output": 128_000},
}

TEXT_PART = {"type!": "str", "text!": "str"}
IMAGE_PART = {"type!": "str", "image_url!": {"url!": "str", "detail": "str"}}


def check_user_part(part, path):
    """Text or a picture, whose address may hold it ("Images and vision")."""
    if not isinstance(part, dict):
        mistyped(path, "dict", part)
    FORM.check(part, IMAGE_PART if part.get("type") == "image_url" else TEXT_PART, path)
    if part["type"] not in ("text", "image_url"):
        raise invalid(f"Invalid value: '{part['type']}'. Supported values are: 'text', 'image_url', 'input_audio', "
                      "'refusal', and 'file'.", dotted(path + ("type",)), "invalid_value")
    if part["type"] == "image_url" and not re.match(r"https?://|data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]",
                                                    part["image_url"]["url"]):
        raise invalid("Invalid base64 image_url.", dotted(path + ("image_url",)), "invalid_base64")


CALL = {"id!": "str", "type!": "str", "function!": {"name!": "str", "arguments!": "str"}}
CONTENT = ("str", [TEXT_PART])
MESSAGES = {
    "system": {"role!": "str", "content!": CONTENT, "name": "str"},
    "developer": {"role!": "str", "content!": CONTENT, "name": "str"},
    "user": {"role!": "str", "content!": ("str", [check_user_part]), "name": "str"},
    "assistant": {"role!": "str", "content": ("str", [TEXT_PART], None), "name": "str", "refusal": ("str", None),
                  "tool_calls": [CALL]},
    "tool": {"role!": "str", "content!": CONTENT, "tool_call_id!": "str"},
}
TOOL = {"type!": "str", "function!": {"name!": "str", "description": "str", "parameters": "dict",
                                      "strict": ("bool", None)}}
OPTIONAL = {
    "tools": "list", "tool_choice": "any", "parallel_tool_calls": "bool", "stream": ("bool", None),
    "stream_options": ({"include_usage": "bool", "include_obfuscation": "bool"}, None),
    "temperature": ("number", None), "top_p": ("number", None), "max_tokens": ("int", None),
    "max_completion_tokens": ("int", None), "reasoning_effort": ("str", None), "verbosity": ("str", None),
    "stop": "any", "seed": ("int", None), "n": ("int", None), "store": ("bool", None), "user": "str",
    "metadata": ("dict", None), "service_tier": ("str", None), "prompt_cache_key": ("str", None),
    "prompt_cache_retention": ("str", None), "prompt_cache_options": "dict", "safety_identifier": ("str", None),
    "response_format": "dict", "logprobs": ("bool", None), "top_logprobs": ("int", None), "modalities": "any",
    "frequency_penalty": ("number", None), "presence_penalty": ("number", None), "logit_bias": ("dict", None)}


def check_schema(name, schema, strict, param):
    problem = plain_problem(schema)
    if not problem and schema.get("type") != "object":
        problem = (), f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'."
        raise invalid(f"Invalid schema for function '{name}': {problem[1]}", param, "invalid_function_parameters")
    if not problem and any(key in schema for key in ("oneOf", "anyOf", "allOf", "enum", "not")):
        raise invalid(f"Invalid schema for function '{name}': schema must have type 'object' and not have "
                      "'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.", param, "invalid_function_parameters")
    if not problem and strict:
        problem = strict_problem(schema)
    if problem:
        context = "(" + "".join(f"'{step}', " for step in problem[0]).rstrip(" ") + ")"
        if len(problem[0]) > 1:
            context = context.replace(",)", ")")
        raise invalid(f"Invalid schema for function '{name}': In context={context}, {problem[1]}", param,
                      "invalid_function_parameters")


def check_name(name, param):
    if not name or not re.fullmatch(r"[a-zA-Z0-9_-]+", name):
        raise invalid(f"Invalid '{param}': string does not match pattern. Expected a string that matches the pattern "
                      "'^[a-zA-Z0-9_-]+$'.", param, "invalid_value")
    check_length(name, param, 64)


def check_length(text, param, limit):
    if len(text) > limit:
        raise invalid(f"Invalid '{param}': string too long. Expected a string with maximum length {limit}, but got a "
                      f"string with length {len(text)} instead.", param, "string_above_max_length")


def check_effort(model, effort, param, allowed):
    if effort not in allowed:
        words = ", ".join(f"'{value}'" for value in allowed[:-1])
        raise invalid(f"Unsupported value: '{effort}' is not supported with the '{model}' model. Supported values are: "
                      f"{words + ', and ' if words else ''}'{allowed[-1]}'.", param, "unsupported_value")


class Chat(Dialect):
    """The check and the streams of one endpoint; `paths` are those that it is served under."""

    paths = ("/v1/chat/completions",)

    def check(self, request):
        self.check_headers(request)
        if request.method != "POST" or request.path not in self.paths:
            raise invalid(f"Invalid URL ({request.method} {request.path})", status=404)
        if not isinstance(request.body, dict):
            raise invalid("We could not parse the JSON body of your request. (HINT: This likely means you aren't using "
                          "your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was "
                          "not valid JSON.)")
        self.check_body(request.body)
        return "chat"

    def check_headers(self, request):
        key = request.headers.get("authorization")
        if key is None:
            raise invalid("You didn't provide an API key. You need to provide your API key in an Authorization header "
                          "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).", status=401)
        if key != "Bearer " + self.key:
            raise self.unauthorized()
        if "application/json" not in request.headers.get("content-type", ""):
            raise invalid("Unsupported content type: send application/json", status=415)

    def model_name(self, body):
        return body["model"]

    def check_body(self, body):
        for name in body:
            if name not in ("model", "messages") and name not in OPTIONAL:
                # QwenLM/qwen-code and many others: an unknown argument of chat has no param and no code.
                raise invalid(f"Unrecognized request argument supplied: {name}")
        FORM.check(body, {"model!": "str", "messages!": [self.check_message], **OPTIONAL})
        self.check_model(body, self.model_name(body))
        self.check_tools(body)
        self.check_conversation(body["messages"])
        if "stream_options" in body and not body.get("stream"):
            raise invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
        if body.get("metadata") and not body.get("store"):
            # QwenLM/qwen-code#224.
            raise invalid("The 'metadata' parameter is only allowed when 'store' is enabled.", "metadata")

    def check_model(self, body, name):
        if name not in MODELS:
            raise invalid(f"The model `{name}` does not exist or you do not have access to it.", None,
                          "model_not_found", 404)
        model = MODELS[name]
        if model["chat"] == "no":
            # alvinunreal/tmuxai#82, docker/docker-agent#313.
            raise invalid("This model is only supported in v1/responses and not in v1/chat/completions.", "model",
                          status=404)
        effort = body.get("reasoning_effort")
        if not model["effort"]:
            if effort is not None:
                raise invalid("Unrecognized request argument supplied: reasoning_effort")
            if "verbosity" in body:
                raise invalid("Unsupported parameter: 'verbosity' is not supported with this model.", "verbosity",
                              "unsupported_parameter")
        else:
            if effort is not None:
                check_effort(name, effort, "reasoning_effort", model["effort"])
            if effort != "none":
                self.check_sampling(body)
        tools = body.get("tools")
        if tools and model["chat"] == "effort none" and effort != "none":
            # BerriAI/litellm#34569, danny-avila/LibreChat#14355: also where no effort is given.
            raise invalid(f"Function tools with reasoning_effort are not supported for {name} in "
                          "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to "
                          "'none'.", "reasoning_effort")
        if tools and model["chat"] == "no tools":
            # pipecat-ai/pipecat#4043, charmbracelet/crush#2913.
            raise invalid(f"Function tools with reasoning_effort are not supported for {name} in "
                          "/v1/chat/completions. Please use /v1/responses instead.", "reasoning_effort")
        for key in ("max_tokens", "max_completion_tokens"):
            if (body.get(key) or 0) > model["output"]:
                raise invalid(f"{key} is too large: {body[key]}. This model supports at most {model['output']} "
                              f"completion tokens, whereas you provided {body[key]}.", key, "invalid_value")

    @staticmethod
    def check_sampling(body):
        """Reasoning models: "Using GPT-5", section "Parameter compatibility"."""
        if body.get("max_tokens") is not None:
            raise invalid("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                          "'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")
        if body.get("temperature", 1) not in (1, None):
            # tmc/langchaingo#1355, johny-b/llmcomp#69, cline/cline#7224.
            raise invalid(f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. "
                          "Only the default (1) value is supported.", "temperature", "unsupported_value")
        for name in ("top_p", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "stop",
                     "logit_bias"):
            if body.get(name) is not None and not (name == "top_p" and body[name] == 1):
                raise invalid(f"Unsupported parameter: '{name}' is not supported with this model.", name,
                              "unsupported_parameter")

    def check_message(self, message, path):
        if not isinstance(message, dict):
            mistyped(path, "dict", message)
        if "role" not in message:
            missing(path + ("role",))
        role = message["role"]
        if role not in MESSAGES:
            names = "', '".join(list(MESSAGES)[:-1])
            raise invalid(f"Invalid value: '{role}'. Supported values are: '{names}', and 'tool'.",
                          dotted(path + ("role",)), "invalid_value")
        FORM.check(message, MESSAGES[role], path)
        if role == "assistant":
            if message.get("tool_calls") == []:
                raise invalid(f"Invalid '{dotted(path)}.tool_calls': empty array. Expected an array with minimum "
                              "length 1, but got an empty array instead.", dotted(path) + ".tool_calls", "empty_array")
            if message.get("content") is None and "tool_calls" not in message:
                raise invalid("Invalid value for 'content': expected a string, got null.",
                              f"messages.[{path[1]}].content")
            for number, call in enumerate(message.get("tool_calls", [])):
                where = f"{dotted(path)}.tool_calls[{number}]"
                if call["type"] != "function":
                    raise invalid(f"Invalid value: '{call['type']}'. Supported values are: 'function' and 'custom'.",
                                  where + ".type", "invalid_value")
                check_length(call["id"], where + ".id", 40)
                check_name(call["function"]["name"], where + ".function.name")

    def check_tools(self, body):
        tools = body.get("tools")
        for name in ("tool_choice", "parallel_tool_calls"):
            if name in body and tools is None:
                raise invalid(f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.",
                              name)
        if tools == []:
            raise invalid("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty "
                          "array instead.", "tools", "empty_array")
        if len(tools or []) > 128:
            raise invalid("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an "
                          f"array with length {len(tools)} instead.", "tools", "array_above_max_length")
        for number, tool in enumerate(tools or []):
            FORM.check(tool, TOOL, ("tools", number))
            if tool["type"] != "function":
                raise invalid(f"Invalid value: '{tool['type']}'. Supported values are: 'function' and 'custom'.",
                              f"tools[{number}].type", "invalid_value")
            function = tool["function"]
            check_name(function["name"], f"tools[{number}].function.name")
            if "parameters" in function:
                check_schema(function["name"], function["parameters"], function.get("strict"),
                             f"tools[{number}].function.parameters")
        if isinstance(body.get("tool_choice"), str) and body["tool_choice"] not in ("none", "auto", "required"):
            raise invalid(f"Invalid value: '{body['tool_choice']}'. Supported values are: 'none', 'auto', and "
                          "'required'.", "tool_choice", "invalid_value")

    def check_conversation(self, messages):
        """Every call is answered directly after, by its id."""
        if not messages:
            raise invalid("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty "
                          "array instead.", "messages", "empty_array")
        open_ids, answered = [], set()
        for number, message in enumerate([*messages, {"role": "end"}]):
            if message["role"] == "tool":
                if message["tool_call_id"] not in open_ids and message["tool_call_id"] not in answered:
                    # The misspelling is OpenAI's.
                    raise invalid("Invalid parameter: messages with role 'tool' must be a response to a preceeding "
                                  "message with 'tool_calls'.", f"messages.[{number}].role")
                if message["tool_call_id"] in answered:
                    self.complain(f"messages[{number}] answers the call {message['tool_call_id']} a second time")
                answered.add(message["tool_call_id"])
                open_ids = [name for name in open_ids if name not in answered]
                continue
            if open_ids:
                # agno-agi/agno#4345, aliasrobotics/cai#111.
                raise invalid("An assistant message with 'tool_calls' must be followed by tool messages responding to "
                              "each 'tool_call_id'. The following tool_call_ids did not have response messages: "
                              + ", ".join(open_ids), f"messages.[{number}].role")
            calls = message.get("tool_calls") or []
            open_ids, answered = [call["id"] for call in calls], set()
            if len(set(open_ids)) < len(open_ids):
                self.complain(f"messages[{number}] has two calls of one id")

    # Answers -----------------------------------------------------------------------------------

    def unauthorized(self):
        return invalid("Incorrect API key provided: test-w**ng. You can find your API key at "
                       "https://platform.openai.com/account/api-keys.", None, "invalid_api_key", 401)

    def rate_limited(self):
        refusal = invalid("Rate limit reached for gpt-5 in organization org-test on tokens per min (TPM): Limit 30000, "
                          "Used 29900, Requested 900. Please try again in 1s.", None, "rate_limit_exceeded", 429,
                          "tokens")
        refusal.headers.update({"retry-after": "1", "retry-after-ms": "1000"})
        return refusal

    def quota(self):
        # platform.openai.com/docs/guides/error-codes.
        return invalid("You exceeded your current quota, please check your plan and billing details. For more "
                       "information on this error, read the docs: "
                       "https://platform.openai.com/docs/guides/error-codes/api-errors.", None,
                       "insufficient_quota", 429, "insufficient_quota")

    def overloaded(self):
        return invalid("The server is currently overloaded with other requests. Sorry about that!", None, None, 503,
                       "server_error")

    def server_error(self):
        return invalid("The server had an error while processing your request. Sorry about that!", None, None, 500,
                       "server_error")

    def overflow(self, request, tokens, limit):
        # chathub-dev/chathub#126.
        return invalid(f"This model's maximum context length is {limit} tokens. However, your messages resulted in "
                       f"{tokens} tokens. Please reduce the length of the messages.", "messages",
                       "context_length_exceeded")

    def reply(self, request, happening):
        kind = getattr(happening, "kind", "reply")
        if kind in ("unauthorized", "rate_limited", "quota", "overloaded", "server_error"):
            raise getattr(self, kind)()
        body = request.body
        if not body.get("stream"):
            raise invalid("This server streams only: set 'stream' to true.", "stream")
        turn = turn_of(happening)
        events = self.events(body, turn, kind)
        if kind in UNENDED:
            last = max(number for number, event in enumerate(events) if '"tool_calls":[' in event)
            events = events[:last + 1]
        return Stream(events)

    def call_id(self, call):
        return f"call_{self.script.number():04d}dXrQ9LkTzWvB2nHsYpJf"[:29]

    def chunk(self, body, **members):
        return {"id": "chatcmpl-Test", "object": "chat.completion.chunk", "created": 1760000000,
                "model": body["model"] + "-2025-08-07", "service_tier": "default", "system_fingerprint": None,
                **members}

    def delta(self, body, delta, finish=None):
        return self.chunk(body, choices=[{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}])

    def thought_deltas(self, turn):
        """Pieces of reasoning; OpenAI's chat hides it."""
        return []

    def usage(self):
        return {"prompt_tokens": 800, "completion_tokens": 60, "total_tokens": 860,
                "prompt_tokens_details": {"cached_tokens": 512, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 32, "audio_tokens": 0}}

    def call_deltas(self, turn, body):
        for number, call in enumerate(turn.calls):
            issued = self.call_id(call)
            self.issued(issued, turn)
            yield {"tool_calls": [{"index": number, "id": issued, "type": "function",
                                   "function": {"name": call.name, "arguments": ""}}]}
            for piece in fragments(json.dumps(call.arguments, ensure_ascii=False)):
                yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}

    def issued(self, call_id, turn):
        """A call is sent; dialects remember what has to come back with it."""

    def events(self, body, turn, kind):
        chunks = [self.delta(body, {"role": "assistant", "content": "" if turn.text else None, "refusal": None})]
        chunks += [self.delta(body, delta) for delta in self.thought_deltas(turn)]
        chunks += [self.delta(body, {"content": piece}) for piece in (fragments(turn.text) if turn.text else [])]
        chunks += [self.delta(body, delta) for delta in self.call_deltas(turn, body)]
        if kind == "refusal":
            chunks += [self.delta(body, {"refusal": "I'm sorry, I cannot help with that."})]
        if kind == "stream_error":
            return [sse(chunk) for chunk in chunks[:-2]] + [sse(self.stream_error(body))]
        chunks.append(self.delta(body, {}, "tool_calls" if turn.calls else "stop"))
        if (body.get("stream_options") or {}).get("include_usage"):
            chunks.append(self.chunk(body, choices=[], usage=self.usage()))
        return [*(sse(chunk) for chunk in chunks), sse("[DONE]")]

    def stream_error(self, body):
        return {"error": {"message": "The server had an error processing your request. Sorry about that!",
                          "type": "server_error", "param": None, "code": None}}
