"""Ollama's own API: POST /api/chat, lines of JSON.

Sources: ollama/ollama docs/api.md, docs/api/errors.mdx, docs/capabilities/tool-calling.mdx and thinking.mdx,
api/types.go, server/routes.go, and the threads named at each refusal. Unknown members are ignored: they are decoded
with Go's encoding/json.
"""

import json

from providers.script import UNENDED, turn_of
from providers.server import Dialect, Refusal, Stream, fragments
from providers.shape import Form


def invalid(message, status=400):
    return Refusal(status, {"error": message})


GO = {"str": "string", "dict": "map[string]interface {}", "list": "[]interface {}", "bool": "bool", "int": "int"}


def go_name(value):
    for kind, name in ((bool, "bool"), (str, "string"), ((int, float), "number"), (list, "array"), (dict, "object")):
        if isinstance(value, kind):
            return name
    return "null"


def mistyped(path, kind, value):
    where = ".".join(str(step) for step in path if not isinstance(step, int))
    kind = GO.get(kind, "object") if isinstance(kind, str) else "[]interface {}" if isinstance(kind, list) else "object"
    raise invalid(f"json: cannot unmarshal {go_name(value)} into Go struct field ChatRequest.{where} of type {kind}")


def missing(path):
    raise invalid(f"{path[-1]} is required")


FORM = Form(lambda path, value: None, missing, mistyped)


class Ollama(Dialect):

    # name: whether it takes tools and think
    models = {"qwen3-coder:30b": (True, False), "gpt-oss:20b": (True, True), "gemma3:270m": (False, False)}

    def __init__(self, ids=True):
        super().__init__()
        self.ids = ids  # calls have had ids since 0.12
        self.thoughts = {}

    def check(self, request):
        if request.method != "POST" or request.path != "/api/chat":
            raise Refusal(404, {"error": "404 page not found"})
        body = request.body
        if not isinstance(body, dict):
            raise invalid("invalid character 'x' looking for beginning of value")
        kinds = {"model": "str", "messages": [self.check_message], "tools": ([self.check_tool], None), "think": "any",
                 "stream": ("bool", None), "options": ("dict", None), "keep_alive": "any", "format": "any"}
        for name, kind in kinds.items():
            if name in body:
                FORM.check_kind(body[name], kind, (name,))
        if not body.get("model"):
            raise invalid("model is required")
        name = body["model"]
        if name not in self.models:
            raise invalid(f"model '{name}' not found", 404)
        tools, think = self.models[name]
        if body.get("tools") and not tools:
            # cline/cline#460, FerroxLabs/wayland#389.
            raise invalid(f"registry.ollama.ai/library/{name} does not support tools")
        if body.get("think") not in (None, False, True, "high", "medium", "low"):
            raise invalid(f'invalid think value: "{body["think"]}" (must be "high", "medium", "low", true, or false)')
        if body.get("think") and not think:
            # agentscope-ai/agentscope#1099, Gitlawb/openclaude#1371.
            raise invalid(f'"{name}" does not support thinking')
        if not (body.get("options") or {}).get("num_ctx"):
            self.complain("options.num_ctx is missing: the default cuts off long conversations without a word")
        self.check_results(body["messages"])
        return "ollama"

    def check_message(self, message, path):
        FORM.check(message, {"role!": "str", "content": "str", "thinking": "str", "images": "list",
                             "tool_calls": [{"id": "str", "function!": {
                                 "index": "int", "name!": "str", "arguments!": "dict"}}],
                             "tool_name": "str", "tool_call_id": "str"}, path)
        if message["role"] not in ("system", "user", "assistant", "tool"):
            raise invalid('invalid role: ' + message["role"])

    def check_tool(self, tool, path):
        FORM.check(tool, {"type": "str", "function!": {"name!": "str", "description": "str", "parameters": "dict"}},
                   path)

    def check_results(self, messages):
        """Ollama itself pairs nothing; its documentation does, and so do the templates."""
        waiting = []
        for number, message in enumerate(messages):
            if message["role"] == "tool":
                if not waiting:
                    self.complain(f"messages[{number}] answers no call")
                    continue
                call = waiting.pop(0)
                if message.get("tool_name") not in (None, call["function"]["name"]):
                    self.complain(f"messages[{number}].tool_name is not that of the call")
                if "tool_name" not in message and "tool_call_id" not in message:
                    self.complain(f"messages[{number}] has neither tool_name nor tool_call_id")
                continue
            if waiting:
                self.complain(f"messages[{number}]: a call was not answered")
            waiting = list(message.get("tool_calls", []))
            for call in waiting[:1]:
                issued = self.thoughts.get(call.get("id"))
                if issued and message.get("thinking") != issued:
                    self.complain(f"messages[{number}].thinking was not sent back")

    def overflow(self, request, tokens, limit):
        # Only with truncate:false; otherwise the oldest messages are cut off (docs/api.md).
        return invalid(f"the prompt is too long for the context: {tokens} > {limit} tokens")

    def reply(self, request, happening):
        kind = getattr(happening, "kind", "reply")
        refusals = {"unauthorized": (401, "unauthorized"), "server_error": (500, "model runner has unexpectedly "
                    "stopped, this may be due to resource limitations or an internal error"),
                    "overloaded": (503, "server busy, please try again.  maximum pending requests exceeded"),
                    "rate_limited": (429, "too many requests")}
        if kind in refusals:
            refusal = invalid(refusals[kind][1], refusals[kind][0])
            if kind == "rate_limited":
                refusal.headers["Retry-After"] = "1"
            raise refusal
        turn = turn_of(happening)
        lines = self.lines(request.body, turn)
        if kind == "stream_error":
            # docs/api/errors.mdx: status 200, then a line with the error.
            lines[-1] = {"error": "an error was encountered while running the model"}
        if kind in UNENDED:
            lines = lines[:-1]
        return Stream([json.dumps(line, ensure_ascii=False) + "\n" for line in lines], "application/x-ndjson")

    def lines(self, body, turn):
        thinks = self.models[body["model"]][1] and body.get("think") is not False
        lines = []
        if thinks and turn.thought:
            lines += [{"content": "", "thinking": piece} for piece in fragments(turn.thought)]
        lines += [{"content": piece} for piece in fragments(turn.text)]
        for number, call in enumerate(turn.calls):
            entry = {"function": {"index": number, "name": call.name, "arguments": call.arguments}}
            if self.ids:
                entry["id"] = f"call_{self.script.number():08d}"
                self.thoughts[entry["id"]] = turn.thought if thinks else ""
            lines.append({"content": "", "tool_calls": [entry]})
        common = {"model": body["model"], "created_at": "2026-09-01T10:00:00.000000Z"}
        lines = [{**common, "message": {"role": "assistant", **line}, "done": False} for line in lines]
        lines.append({**common, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop",
                      "total_duration": 4883583458, "load_duration": 1334875, "prompt_eval_count": 800,
                      "prompt_eval_duration": 342546000, "eval_count": 60, "eval_duration": 4535599000})
        return lines
