"""Servers that people run themselves: vLLM, llama.cpp's server and LM Studio; and models that write their calls as
text."""

import json

from providers.compatible import Compatible
from providers.script import Turn
from providers.server import Refusal, Stream, fragments, sse


class Vllm(Compatible):
    """docs.vllm.ai: "OpenAI-Compatible Server", "Tool Calling", "Reasoning Outputs";
    vllm/entrypoints/openai/chat_completion/serving.py and protocol.py."""

    roles = ("system", "developer", "user", "assistant", "tool")
    model = "Qwen/Qwen3-Coder-30B-A3B-Instruct"

    def __init__(self, key=None, tools=True):
        super().__init__()
        self.key = key      # --api-key
        self.tools = tools  # --enable-auto-tool-choice --tool-call-parser

    def refuse(self, message, status=400, kind="BadRequestError", param=None, **more):
        return Refusal(status, {"error": {"message": message, "type": kind, "param": param, "code": status}})

    def check_headers(self, request):
        if self.key and request.headers.get("authorization") != "Bearer " + self.key:
            raise Refusal(401, {"error": "Unauthorized"})

    def unauthorized(self):
        return Refusal(401, {"error": "Unauthorized"})

    def rate_limited(self):
        refusal = self.refuse("Too many requests", 429, "TooManyRequestsError")
        refusal.headers["Retry-After"] = "1"
        return refusal

    def overloaded(self):
        return self.refuse("The engine is paused", 503, "ServiceUnavailableError")

    def server_error(self):
        return self.refuse("EngineCore encountered an issue. See stack trace (above) for the root cause.", 500,
                           "InternalServerError")

    def overflow(self, request, tokens, limit):
        return self.refuse(f"This model's maximum context length is {limit} tokens. However, your request has {tokens} "
                           "input tokens. Please reduce the length of the input messages.", param="input_tokens")

    def missing(self, path):
        loc = "', '".join(str(step) for step in path)
        raise self.refuse(f"[{{'type': 'missing', 'loc': ('body', '{loc}'), 'msg': 'Field required'}}]", 400,
                          "Bad Request")

    def mistyped(self, path, kind, value):
        loc = "', '".join(str(step) for step in path)
        raise self.refuse(f"[{{'type': '{kind}_type', 'loc': ('body', '{loc}'), 'msg': 'Input should be a valid "
                          f"{kind}'}}]", 400, "Bad Request")

    def check_model(self, body, name):
        if name != self.model:
            raise self.refuse(f"The model `{name}` does not exist.", 404, "NotFoundError", "model")

    def check_tools(self, body):
        super().check_tools(body)
        if body.get("tools") and body.get("tool_choice", "auto") == "auto" and not self.tools:
            raise self.refuse('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')
        if "tool_choice" in body and not body.get("tools"):
            raise self.refuse("[{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, When using "
                              "`tool_choice`, `tools` must be set.'}]", 400, "Bad Request")

    def check_reasoning(self, body):
        for number, message in enumerate(body["messages"]):
            for call in message.get("tool_calls") or []:
                # The chat template gets the arguments as an object: chat_utils.py parses them.
                try:
                    json.loads(call["function"]["arguments"])
                except ValueError as error:
                    raise self.refuse(f"messages[{number}]: {error}") from error

    def call_id(self, call):
        return f"chatcmpl-tool-{self.script.number():032x}"

    def thought_deltas(self, turn):
        # "Reasoning Outputs": `reasoning`; until 0.12 `reasoning_content`. Both are in use.
        name = "reasoning" if self.script.played % 2 else "reasoning_content"
        return [{name: piece} for piece in fragments(turn.thought)]


class LlamaCpp(Compatible):
    """ggml-org/llama.cpp: tools/server/README.md, common/chat.cpp and tools/server/server-common.cpp."""

    roles = ("system", "developer", "user", "assistant", "tool")

    def __init__(self, key=None, jinja=True):
        super().__init__()
        self.key = key      # --api-key
        self.jinja = jinja  # not --no-jinja

    def refuse(self, message, status=400, kind="invalid_request_error", **more):
        return Refusal(status, {"error": {"code": status, "message": message, "type": kind, **more}})

    def check_headers(self, request):
        if self.key and request.headers.get("authorization") != "Bearer " + self.key:
            raise self.unauthorized()

    def unauthorized(self):
        return self.refuse("Invalid API Key", 401, "authentication_error")

    def rate_limited(self):
        refusal = self.refuse("Slot is busy", 429, "unavailable_error")
        refusal.headers["Retry-After"] = "1"
        return refusal

    def overloaded(self):
        return self.refuse("Loading model", 503, "unavailable_error")

    def server_error(self):
        return self.refuse("Compute error.", 500, "server_error")

    def overflow(self, request, tokens, limit):
        return self.refuse(f"request ({tokens} tokens) exceeds the available context size ({limit} tokens), try "
                           "increasing it", 400, "exceed_context_size_error", n_prompt_tokens=tokens, n_ctx=limit)

    def missing(self, path):
        if path[-1] == "content":
            raise self.refuse("All non-assistant messages must contain 'content'")
        raise self.refuse(f"'{path[-1]}' is required")

    def check_model(self, body, name):
        pass  # the model that was loaded answers, whatever its name

    def check_tools(self, body):
        if body.get("tools") and not self.jinja:
            # {"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}
            raise self.refuse("tools param requires --jinja flag", 500, "server_error")
        super().check_tools(body)

    def check_reasoning(self, body):
        roles = [message["role"] for message in body["messages"]]
        if any(role in ("system", "developer") for role in roles[1:]):
            # raise_exception of the templates of Qwen 3.5 and others reaches the client like this.
            raise self.refuse("System message must be at the beginning.", 500, "server_error")
        if roles[-2:] == ["assistant", "assistant"]:
            raise self.refuse("Cannot have 2 or more assistant messages at the end of the list.")
        for message in body["messages"]:
            for call in message.get("tool_calls") or []:
                try:
                    json.loads(call["function"]["arguments"])
                except ValueError as error:
                    raise self.refuse(f"Failed to parse tool call arguments as JSON: {error}", 500,
                                      "server_error") from error

    def call_id(self, call):
        return f"{self.script.number():032d}"

    def thought_deltas(self, turn):
        return [{"reasoning_content": piece} for piece in fragments(turn.thought)]

    def stream_error(self, body):
        return {"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}}


class LmStudio(Compatible):
    """lmstudio.ai/docs: "OpenAI Compatibility Endpoints", "Tool Use"."""

    roles = ("system", "developer", "user", "assistant", "tool")
    streams_overflow = True
    model = "qwen/qwen3-coder-30b"

    def refuse(self, message, status=400, kind="invalid_request_error", **more):
        return Refusal(status, {"error": {"message": message, "type": kind, "param": more.get("param"),
                                          "code": more.get("code")}})

    def check_headers(self, request):
        pass

    def unauthorized(self):
        return self.refuse("Invalid API token", 401)

    def rate_limited(self):
        refusal = self.refuse("Too many requests", 429)
        refusal.headers["Retry-After"] = "1"
        return refusal

    def overloaded(self):
        return self.refuse("Model is unloaded.", 503)

    def check_model(self, body, name):
        if name != self.model:
            raise self.refuse(f'Invalid model identifier "{name}". Please specify a valid downloaded model (e.g. '
                              f"{self.model}).", 404, param="model", code="model_not_found")

    def check_tools(self, body):
        super().check_tools(body)
        if isinstance(body.get("tool_choice"), dict):
            raise self.refuse("Invalid tool_choice type: 'object'. Supported string values: none, auto, required")

    def overflow(self, request, tokens, limit):
        # lmstudio-ai/lmstudio-bug-tracker#546, with the error event that its server sends after status 200.
        text = (f"Trying to keep the first {tokens} tokens when context the overflows. However, the model is loaded "
                f"with context length of only {limit} tokens, which is not enough. Try to load the model with a larger "
                "context length, or provide a shorter input")
        return Stream([sse({"error": {"message": text}, "message": text}, "error")])

    def call_id(self, call):
        return f"{365174000 + self.script.number()}"

    def thought_deltas(self, turn):
        return [{"reasoning_content": piece} for piece in fragments(turn.thought)]

    def stream_error(self, body):
        return {"error": {"message": "The model has crashed without additional information. (Exit code: null)"}}


def write_hermes(call):
    """Qwen 2.5, Qwen 3 and Hermes: the template asks for this form."""
    return "<tool_call>\n" + json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False) + \
        "\n</tool_call>"


def write_qwen_xml(call):
    """Qwen3-Coder: the value of a parameter stands between two line ends, not escaped."""
    text = f"<tool_call>\n<function={call.name}>\n"
    for name, value in call.arguments.items():
        text += f"<parameter={name}>\n{value if isinstance(value, str) else json.dumps(value)}\n</parameter>\n"
    return text + "</function>\n</tool_call>"


def write_fence(call):
    """Small models that were told to answer with JSON."""
    return "```json\n" + json.dumps({"name": call.name, "arguments": call.arguments}, indent=2,
                                    ensure_ascii=False) + "\n```"


def write_mistral(call):
    """Mistral before v11 of its tokenizer: a list behind the control token."""
    return "[TOOL_CALLS] " + json.dumps([{"name": call.name, "arguments": call.arguments}], ensure_ascii=False)


def write_react(call):
    """What Stile asks for where a server takes no tools: the form of "ReAct", arXiv:2210.03629."""
    return f"Action: {call.name}\nAction Input: " + json.dumps(call.arguments, ensure_ascii=False)


class TextCalls(Vllm):
    """A server whose parser does not fit its model: it takes tools, and the calls come as content.
    NousResearch/hermes-agent#5867 and #7628 and ggml-org/llama.cpp#15012 tell of such replies."""

    forms = {"hermes": write_hermes, "qwen_xml": write_qwen_xml, "fence": write_fence, "mistral": write_mistral,
             "react": write_react}

    def __init__(self, form, tools=True):
        super().__init__(tools=tools)
        self.form = self.forms[form]

    def reply(self, request, happening):
        if isinstance(happening, Turn):
            texts = [happening.text, *(self.form(call) for call in happening.calls)]
            happening = Turn(text="\n".join(text for text in texts if text))
        return super().reply(request, happening)
