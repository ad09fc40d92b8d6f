"""OpenAI Responses: POST /v1/responses.

Sources: platform.openai.com/docs/api-reference/responses, guides/reasoning ("Keeping reasoning items in context",
"Encrypted reasoning items"), guides/migrate-to-responses, the types of npm `openai`, and the threads named at each
refusal.
"""

import copy
import json

from providers.chat import (FORM, MODELS, Chat, check_effort, check_length, check_name, check_schema, dotted, invalid,
                            missing)
from providers.script import UNENDED, turn_of
from providers.server import Refusal, Stream, fragments, sse

FIELDS = {
    "model!": "str", "instructions": ("str", None), "tools": "list", "tool_choice": "any",
    "parallel_tool_calls": ("bool", None), "stream": ("bool", None),
    "stream_options": ({"include_obfuscation": "bool"}, None), "store": ("bool", None),
    "include": (["str"], None), "reasoning": ({"effort": ("str", None), "summary": ("str", None),
                                               "generate_summary": ("str", None), "context": ("str", None)}, None),
    "temperature": ("number", None), "top_p": ("number", None), "max_output_tokens": ("int", None),
    "max_tool_calls": ("int", None), "previous_response_id": ("str", None), "truncation": ("str", None),
    "context_management": ("list", None), "prompt_cache_key": ("str", None), "prompt_cache_retention": ("str", None),
    "prompt_cache_options": "dict", "safety_identifier": ("str", None), "service_tier": ("str", None),
    "metadata": ("dict", None), "text": "dict", "user": "str", "background": ("bool", None), "prompt": ("dict", None),
    "conversation": "any", "top_logprobs": ("int", None)}

STATUS = ("str", None)
ITEMS = {
    "message": {"type": "str", "role!": "str", "content!": "any", "id": "str", "status": STATUS,
                "phase": ("str", None)},
    "function_call": {"type!": "str", "call_id!": "str", "name!": "str", "arguments!": "str", "id": ("str", None),
                      "status": STATUS},
    "function_call_output": {"type!": "str", "call_id!": "str", "output!": "any", "id": ("str", None),
                             "status": STATUS},
    "reasoning": {"type!": "str", "id!": "str", "summary!": [{"type!": "str", "text!": "str"}],
                  "content": ("list", None), "encrypted_content": ("str", None), "status": STATUS},
    "item_reference": {"type": ("str", None), "id!": "str"},
}
PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}
INPUT_PARTS = ("input_text", "input_image", "input_file")
OUTPUT_PARTS = ("output_text", "refusal")


def check_parts(parts, allowed, path):
    for number, part in enumerate(parts):
        where = path + (number,)
        if part.get("type") not in allowed:
            names = " and ".join(f"'{name}'" for name in allowed)
            raise invalid(f"Invalid value: '{part.get('type')}'. Supported values are: {names}.", dotted(where),
                          "invalid_value")
        if part["type"] == "input_text":
            FORM.check(part, {"type!": "str", "text!": "str", "prompt_cache_breakpoint": "any"}, where)
        elif part["type"] == "input_image":
            FORM.check(part, {"type!": "str", "image_url": ("str", None), "file_id": ("str", None), "detail": "str",
                              "prompt_cache_breakpoint": "any"}, where)


class Responses(Chat):

    paths = ("/v1/responses",)
    # openai/codex#4116 and #2825: too long an input fails inside of the stream.
    streams_overflow = True

    def __init__(self):
        super().__init__()
        self.items = {}  # id: the item, as it was in response.output_item.done
        self.calls = {}  # call_id: ids of the reasoning items of its reply

    def check(self, request):
        super().check(request)
        return "responses"

    def check_body(self, body):
        FORM.check(body, {**FIELDS, "input": ("str", [self.check_item])})
        if "input" not in body:
            missing(("input",))
        self.check_model(body, self.model_name(body))
        self.check_tools(body)
        if isinstance(body["input"], list):
            self.check_items(body, body["input"])
        if body.get("previous_response_id"):
            raise invalid(f"Previous response with id '{body['previous_response_id']}' not found.",
                          "previous_response_id", "previous_response_not_found")

    def check_model(self, body, name):
        if name not in MODELS:
            raise invalid(f"The requested model '{name}' does not exist.", "model", "model_not_found")
        model = MODELS[name]
        reasoning = body.get("reasoning") or {}
        if not model["effort"]:
            # pydantic/pydantic-ai#2865 and #3326, NousResearch/hermes-agent#23450.
            if "reasoning.encrypted_content" in (body.get("include") or []):
                raise invalid("Encrypted content is not supported with this model.", "include")
            for part in ("effort", "summary"):
                if reasoning.get(part) is not None:
                    raise invalid(f"Unsupported parameter: 'reasoning.{part}' is not supported with this model.",
                                  f"reasoning.{part}", "unsupported_parameter")
        else:
            if reasoning.get("effort") is not None:
                check_effort(name, reasoning["effort"], "reasoning.effort", model["effort"])
            # developers.openai.com/api/docs/guides/deployment-checklist: unless the effort is "none".
            for part in ("temperature", "top_p"):
                if body.get(part) is not None and reasoning.get("effort") != "none":
                    raise invalid(f"Unsupported parameter: '{part}' is not supported with this model.", part,
                                  "unsupported_parameter")
        limit = body.get("max_output_tokens")
        if limit is not None and limit < 16:
            raise invalid(f"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got "
                          f"{limit} instead.", "max_output_tokens", "integer_below_min_value")

    def check_tools(self, body):
        for number, tool in enumerate(body.get("tools") or []):
            FORM.check(tool, {"type!": "str", "name!": "str", "description": ("str", None),
                              "parameters": ("dict", None), "strict": ("bool", None), "defer_loading": "bool",
                              "allowed_callers": "list", "output_schema": "dict", "async": "bool"}, ("tools", number))
            if tool["type"] != "function":
                raise invalid(f"Invalid value: '{tool['type']}'.", f"tools[{number}].type", "invalid_value")
            check_name(tool["name"], f"tools[{number}].name")
            # "Function calling", section "Strict mode": in Responses it is the default. kevinwatt/mysql-mcp#5.
            check_schema(tool["name"], tool.get("parameters") or {"type": "object", "properties": {}},
                         tool.get("strict") is not False, f"tools[{number}].parameters")

    def check_item(self, item, path):
        if not isinstance(item, dict):
            raise invalid(f"Invalid type for '{dotted(path)}': expected an object.", dotted(path), "invalid_type")
        kind = item.get("type") or ("message" if "role" in item else "item_reference")
        if kind not in ITEMS:
            names = ", ".join(f"'{name}'" for name in ITEMS)
            raise invalid(f"Invalid value: '{kind}'. Supported values are: {names}.", dotted(path), "invalid_value")
        FORM.check(item, ITEMS[kind], path)
        if item.get("id") is not None and kind in PREFIXES and not item["id"].startswith(PREFIXES[kind]):
            raise invalid(f"Invalid '{dotted(path)}.id': '{item['id']}'. Expected an ID that begins with "
                          f"'{PREFIXES[kind]}'.", f"{dotted(path)}.id", "invalid_value")
        check_length(item.get("id") or "", f"{dotted(path)}.id", 64)
        if kind == "message":
            self.check_content(item, path)
        elif kind == "function_call":
            check_length(item["call_id"], f"{dotted(path)}.call_id", 64)
            check_name(item["name"], f"{dotted(path)}.name")
        elif kind == "function_call_output" and not isinstance(item["output"], (str, list)):
            raise invalid(f"Invalid type for '{dotted(path)}.output': expected one of a string or array of objects.",
                          f"{dotted(path)}.output", "invalid_type")
        elif kind == "function_call_output" and isinstance(item["output"], list):
            check_parts(item["output"], INPUT_PARTS, path + ("output",))

    @staticmethod
    def check_content(item, path):
        if item["role"] not in ("user", "assistant", "system", "developer"):
            raise invalid(f"Invalid value: '{item['role']}'. Supported values are: 'assistant', 'system', 'developer', "
                          "and 'user'.", f"{dotted(path)}.role", "invalid_value")
        if isinstance(item["content"], str):
            return
        allowed = OUTPUT_PARTS if item["role"] == "assistant" else INPUT_PARTS
        check_parts(item["content"], allowed, path + ("content",))

    def check_items(self, body, items):
        calls = {item["call_id"]: item for item in items if item.get("type") == "function_call"}
        outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
        for call_id in outputs:
            if call_id not in calls:
                # continuedev/continue#10092, microsoft/vscode#320060.
                raise invalid(f"No tool call found for function call output with call_id {call_id}.", "input")
        for call_id in calls:
            if call_id not in outputs:
                # openai/openai-agents-python#673.
                raise invalid(f"No tool output found for function call {call_id}.", "input")
            if outputs.count(call_id) > 1:
                self.complain(f"the call {call_id} is answered {outputs.count(call_id)} times")
        for number, item in enumerate(items):
            if item.get("type") == "reasoning":
                following = items[number + 1].get("type", "message") if number + 1 < len(items) else None
                if following not in ("function_call", "reasoning", "message") or \
                        following == "message" and items[number + 1].get("role") != "assistant":
                    # openai/openai-node#1567, continuedev/continue#8933.
                    raise invalid(f"Item '{item['id']}' of type 'reasoning' was provided without its required "
                                  "following item.", "input")
                self.check_reasoning(body, item)
            elif item.get("type") == "item_reference" or "type" not in item and "role" not in item:
                if body.get("store") is False or item["id"] not in self.items:
                    raise not_found(item["id"])
            elif item.get("type") == "function_call":
                self.check_call(items[:number], item)

    def check_reasoning(self, body, item):
        known = self.items.get(item["id"])
        content = item.get("encrypted_content")
        if content is None:
            if body.get("store") is False or known is None:
                raise not_found(item["id"])
        elif known is not None and content != known["encrypted_content"] or known is None:
            raise invalid(f"The encrypted content for item {item['id']} could not be verified. Reason: Encrypted "
                          "content could not be decrypted or parsed.", "input", "invalid_encrypted_content")
        elif item["summary"] != known["summary"]:
            self.complain(f"the summary of {item['id']} was changed")

    def check_call(self, before, item):
        wanted = self.calls.get(item["call_id"], [])
        given = [other["id"] for other in before if other.get("type") == "reasoning"]
        for reasoning in wanted:
            if reasoning in given:
                continue
            if item.get("id"):
                # vercel/ai#10829, 0xPlaygrounds/rig#751.
                raise invalid(f"Item '{item['id']}' of type 'function_call' was provided without its required "
                              f"'reasoning' item: '{reasoning}'.", "input")
            self.complain(f"the reasoning item {reasoning} of the call {item['call_id']} was not sent back before it")

    # Answers -----------------------------------------------------------------------------------

    def overflow(self, request, tokens, limit):
        error = {"code": "context_length_exceeded",
                 "message": "Your input exceeds the context window of this model. Please adjust your input and try "
                            "again."}
        return Stream(self.envelope(request.body, [], {"status": "failed", "error": error}, "response.failed"))

    def reply(self, request, happening):
        kind = getattr(happening, "kind", "reply")
        if kind in ("unauthorized", "rate_limited", "quota", "overloaded", "server_error"):
            raise getattr(self, kind)()
        body = request.body
        if not body.get("stream"):
            raise invalid("This server streams only: set 'stream' to true.", "stream")
        turn = turn_of(happening)
        items = self.output(body, turn)
        if kind == "refusal":
            items = [{"type": "message", "id": f"msg_{self.script.number():04d}", "status": "completed",
                      "role": "assistant", "content": [{"type": "refusal",
                                                        "refusal": "I'm sorry, I cannot help with that."}]}]
        if kind == "stream_error":
            error = {"code": "server_error", "message": "An error occurred while processing your request."}
            return Stream(self.envelope(body, items, {"status": "failed", "error": error}, "response.failed"))
        events = self.envelope(body, items, {"status": "completed", "error": None}, "response.completed")
        return Stream(events[:-1] if kind in UNENDED else events)

    def output(self, body, turn):
        items, reasoning = [], []
        number = self.script.number()
        if turn.thought and MODELS[self.model_name(body)]["effort"]:
            item = {"type": "reasoning", "id": f"rs_{number:04d}0c3876fcd4da19ef", "summary": []}
            if (body.get("reasoning") or {}).get("summary"):
                item["summary"] = [{"type": "summary_text", "text": turn.thought}]
            # "Encrypted reasoning items": only for those who ask.
            if "reasoning.encrypted_content" in (body.get("include") or []):
                item["encrypted_content"] = f"gAAAAAB{number}o_+/x==" * 3
            else:
                item["encrypted_content"] = None
            reasoning.append(item["id"])
            items.append(item)
        if turn.text:
            items.append({"type": "message", "id": f"msg_{number:04d}0c3876fcd4da19ef", "status": "completed",
                          "role": "assistant",
                          "content": [{"type": "output_text", "text": turn.text, "annotations": [], "logprobs": []}]})
        for call in turn.calls:
            issued = f"{self.script.number():04d}0c3876fcd4da19ef"
            items.append({"type": "function_call", "id": "fc_" + issued, "call_id": "call_" + issued,
                          "name": call.name, "status": "completed",
                          "arguments": json.dumps(call.arguments, ensure_ascii=False)})
            self.calls["call_" + issued] = reasoning
        for item in items:
            self.items[item["id"]] = copy.deepcopy(item)
        return items

    def envelope(self, body, items, end, last):
        response = {"id": "resp_test", "object": "response", "created_at": 1760000000, "status": "in_progress",
                    "background": False, "error": None, "incomplete_details": None, "instructions": None,
                    "model": body["model"], "output": [], "parallel_tool_calls": True, "previous_response_id": None,
                    "reasoning": body.get("reasoning") or {"effort": "medium", "summary": None},
                    "store": body.get("store") is not False, "temperature": 1, "text": {"format": {"type": "text"}},
                    "tool_choice": "auto", "tools": [], "top_p": 1, "truncation": "disabled", "usage": None,
                    "user": None, "metadata": {}}
        usage = {"input_tokens": 800, "input_tokens_details": {"cached_tokens": 512}, "output_tokens": 60,
                 "output_tokens_details": {"reasoning_tokens": 32}, "total_tokens": 860}
        events = [("response.created", {"response": response}), ("response.in_progress", {"response": response})]
        for index, item in enumerate(items):
            events += item_events(index, item)
        final = {**response, **end, "output": items if end["status"] == "completed" else [],
                 "usage": usage if end["status"] == "completed" else None}
        events.append((last, {"response": final}))
        return [sse({"type": name, "sequence_number": number, **members}, name)
                for number, (name, members) in enumerate(events)]


def not_found(name):
    # vercel/ai#7543, earendil-works/pi#5059.
    return Refusal(404, {"error": {
        "message": f"Item with id '{name}' not found. Items are not persisted when `store` is set to false. Try again "
                   "with `store` set to true, or remove this item from your input.",
        "type": "invalid_request_error", "param": "input", "code": None}})


def item_events(index, item):
    where = {"item_id": item["id"], "output_index": index}
    start = {**item, "status": "in_progress"}
    middle = []
    if item["type"] == "reasoning":
        # What is in response.output_item.added may be incomplete: only "done" counts (types of npm openai).
        start = {"type": "reasoning", "id": item["id"], "summary": []}
        if item["encrypted_content"]:
            start["encrypted_content"] = item["encrypted_content"][:9]
        for at, part in enumerate(item["summary"]):
            there = {**where, "summary_index": at}
            middle.append(("response.reasoning_summary_part.added",
                           {**there, "part": {"type": "summary_text", "text": ""}}))
            middle += [("response.reasoning_summary_text.delta", {**there, "delta": piece})
                       for piece in fragments(part["text"])]
            middle += [("response.reasoning_summary_text.done", {**there, "text": part["text"]}),
                       ("response.reasoning_summary_part.done", {**there, "part": part})]
    elif item["type"] == "message":
        start["content"] = []
        part = item["content"][0]
        there = {**where, "content_index": 0}
        field = "text" if part["type"] == "output_text" else "refusal"
        name = "response.output_text" if field == "text" else "response.refusal"
        middle.append(("response.content_part.added", {**there, "part": {**part, field: ""}}))
        middle += [(name + ".delta", {**there, "delta": piece}) for piece in fragments(part[field])]
        middle += [(name + ".done", {**there, field: part[field]}),
                   ("response.content_part.done", {**there, "part": part})]
    else:
        start["arguments"] = ""
        middle += [("response.function_call_arguments.delta", {**where, "delta": piece})
                   for piece in fragments(item["arguments"])]
        middle.append(("response.function_call_arguments.done", {**where, "arguments": item["arguments"]}))
    return [("response.output_item.added", {"output_index": index, "item": start}), *middle,
            ("response.output_item.done", {"output_index": index, "item": item})]
