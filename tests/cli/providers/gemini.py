"""Gemini: POST /v1beta/models/MODEL:streamGenerateContent?alt=sse; /v1 likewise ("API versions explained").

Sources: ai.google.dev/api/generate-content and /api/caching (Content, Part, Tool, Schema),
ai.google.dev/gemini-api/docs/function-calling, /thinking and /thought-signatures, the types of @google/genai, and the
threads named at each refusal. A request is a protocol buffer: every name that its messages do not have is refused.
"""

import json
import re

from providers.script import UNENDED, turn_of
from providers.server import Dialect, Refusal, Stream, fragments, sse

MODELS = {"gemini-4-argon": 4, "gemini-3-pro-preview": 3,
          "gemini-3.1-pro-preview": 3, "gemini-3.8-flash": 3, "gemini-2.5-pro": 2.5,
          "gemini-2.5-flash": 2.5}

# Scalars; "struct" is any JSON object, "value" any JSON, [x] a repeated x, {…} a message, {"*": x} a map.
SCHEMA = {
    "type": "type", "format": "string", "title": "string", "description": "string", "nullable": "bool",
    "enum": ["string"], "maxItems": "int", "minItems": "int", "properties": {"*": "schema"}, "required": ["string"],
    "minProperties": "int", "maxProperties": "int", "minLength": "int", "maxLength": "int", "pattern": "string",
    "example": "value", "anyOf": ["schema"], "propertyOrdering": ["string"], "default": "value", "items": "schema",
    "minimum": "number", "maximum": "number"}
BLOB = {"mimeType": "string", "data": "bytes"}
PART = {
    "text": "string", "thought": "bool", "thoughtSignature": "bytes", "inlineData": BLOB,
    "fileData": {"mimeType": "string", "fileUri": "string"},
    "functionCall": {"id": "string", "name": "string", "args": "struct"},
    "functionResponse": {"id": "string", "name": "string", "response": "struct", "willContinue": "bool",
                         "scheduling": "string", "parts": ["value"]},
    "executableCode": "struct", "codeExecutionResult": "struct", "videoMetadata": "struct", "partMetadata": "struct",
    "mediaResolution": "struct"}
CONTENT = {"role": "string", "parts": [PART]}
DECLARATION = {"name": "string", "description": "string", "behavior": "string", "parameters": "schema",
               "parametersJsonSchema": "value", "response": "schema", "responseJsonSchema": "value"}
REQUEST = {
    "model": "string", "contents": [CONTENT], "systemInstruction": CONTENT,
    "tools": [{"functionDeclarations": [DECLARATION], "googleSearch": "struct", "codeExecution": "struct",
               "urlContext": "struct", "googleSearchRetrieval": "struct"}],
    "toolConfig": {"functionCallingConfig": {"mode": "string", "allowedFunctionNames": ["string"]},
                   "retrievalConfig": "struct"},
    "safetySettings": [{"category": "string", "threshold": "string"}], "cachedContent": "string",
    "generationConfig": {
        "stopSequences": ["string"], "responseMimeType": "string", "responseSchema": "schema",
        "responseJsonSchema": "value", "responseModalities": ["string"], "candidateCount": "int",
        "maxOutputTokens": "int", "temperature": "number", "topP": "number", "topK": "int", "seed": "int",
        "presencePenalty": "number", "frequencyPenalty": "number", "responseLogprobs": "bool", "logprobs": "int",
        "thinkingConfig": {"includeThoughts": "bool", "thinkingBudget": "int", "thinkingLevel": "string"},
        "mediaResolution": "string", "speechConfig": "struct"},
    "serviceTier": "string", "labels": {"*": "string"}}

TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL", "TYPE_UNSPECIFIED")
SKIP = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")


def invalid(message, status=400, kind="INVALID_ARGUMENT", details=None):
    error = {"code": status, "message": message, "status": kind}
    if details:
        error["details"] = details
    return Refusal(status, {"error": error})


def bad_field(path, description):
    """Parsing failed: google.rpc.BadRequest."""
    violation = {"description": description}
    if path:
        violation["field"] = path
    raise invalid(description, details=[{"@type": "type.googleapis.com/google.rpc.BadRequest",
                                         "fieldViolations": [violation]}])


def camel(name):
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def snake(name):
    return re.sub(r"([A-Z])", lambda found: "_" + found[1].lower(), name)


SCALARS = {
    "string": ("TYPE_STRING", lambda value: isinstance(value, str)),
    "bytes": ("TYPE_BYTES", lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9+/_-]*={0,2}", value)),
    "bool": ("TYPE_BOOL", lambda value: isinstance(value, bool)),
    "int": ("TYPE_INT32", lambda value: isinstance(value, int) and not isinstance(value, bool) or
            isinstance(value, str) and value.isdigit()),
    "number": ("TYPE_FLOAT", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)),
}


def parse(value, kind, path=""):
    """Checks JSON against a message, as the JSON form of protocol buffers is parsed; null stands for absence."""
    if value is None or kind == "value":
        return
    if kind == "schema":
        kind = SCHEMA
    if kind == "type":
        if isinstance(value, list):
            # "type": ["string", "null"] of JSON Schema.
            bad_field(path, f"Proto field is not repeating, cannot start list. (at '{path}')")
        if not isinstance(value, str) or value.upper() not in TYPES:
            bad_field(path, f"Invalid value at '{path}' "
                            f"(type.googleapis.com/google.ai.generativelanguage.v1beta.Type), {json.dumps(value)}")
    elif kind == "struct":
        if not isinstance(value, dict):
            bad_field(path, f"Invalid value at '{path}' (type.googleapis.com/google.protobuf.Struct), "
                            + json.dumps(value))
    elif isinstance(kind, str):
        name, fits = SCALARS[kind]
        if not fits(value):
            text = "Base64 decoding failed for " if kind == "bytes" and isinstance(value, str) else ""
            bad_field(path, f"Invalid value at '{path}' ({name}), {text}{json.dumps(value)}")
    elif isinstance(kind, list):
        if not isinstance(value, list):
            bad_field(path, f"Invalid value at '{path}' (oneof), expected a list")
        for number, member in enumerate(value):
            parse(member, kind[0], f"{path}[{number}]")
    elif "*" in kind:
        for number, name in enumerate(value):
            parse(value[name], kind["*"], f"{path}[{number}].value")
    else:
        if not isinstance(value, dict):
            bad_field(path, f"Invalid value at '{path}', " + json.dumps(value))
        for name, member in value.items():
            if camel(name) not in kind:
                where = f" at '{path}'" if path else ""
                bad_field(path, f"Invalid JSON payload received. Unknown name \"{name}\"{where}: Cannot find field.")
            parse(member, kind[camel(name)], f"{path}.{snake(name)}" if path else snake(name))


def normal(value):
    """The body with camelCase names, as the API reads both."""
    if isinstance(value, list):
        return [normal(member) for member in value]
    if isinstance(value, dict):
        return {camel(name): member if camel(name) in ("args", "response", "properties", "parametersJsonSchema",
                                                       "parameters") else normal(member)
                for name, member in value.items()}
    return value


class Gemini(Dialect):

    def __init__(self, ids=True):
        super().__init__()
        self.ids = ids  # the Gemini API sends ids since Gemini 3; before it sends none
        self.signatures = set()
        self.signed = set()  # (signature, name of the call)

    def check(self, request):
        key = request.headers.get("x-goog-api-key") or request.query.get("key")
        if key is None:
            raise invalid("Method doesn't allow unregistered callers (callers without established identity). Please "
                          "use API Key or other form of API consumer identity to call this API.", 403,
                          "PERMISSION_DENIED")
        if key != self.key:
            raise self.unauthorized()
        found = re.fullmatch(r"/v1(?:beta)?/models/([^/:]+):(\w+)", request.path)
        if not found or request.method != "POST" or found[2] not in ("streamGenerateContent", "generateContent"):
            raise Refusal(404, {"error": {"code": 404, "message": "Requested entity was not found.",
                                          "status": "NOT_FOUND"}})
        if found[1] not in MODELS:
            raise invalid(f"models/{found[1]} is not found for API version v1beta, or is not supported for "
                          "generateContent. Call ListModels to see the list of available models and their supported "
                          "methods.", 404, "NOT_FOUND")
        if found[2] != "streamGenerateContent" or request.query.get("alt") != "sse":
            raise invalid("This server streams only: streamGenerateContent?alt=sse")
        if not isinstance(request.body, dict):
            bad_field("", "Invalid JSON payload received. Expected an object.")
        parse(request.body, REQUEST)
        body = normal(request.body)
        self.check_config(body, MODELS[found[1]])
        self.check_tools(body)
        self.check_contents(body)
        self.check_calls(body["contents"], MODELS[found[1]] >= 3)
        request.model = found[1]
        return "gemini"

    @staticmethod
    def unauthorized():
        return invalid("API key not valid. Please pass a valid API key.", details=[
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
             "domain": "googleapis.com", "metadata": {"service": "generativelanguage.googleapis.com"}}])

    @staticmethod
    def check_config(body, generation):
        config = body.get("generationConfig") or {}
        thinking = config.get("thinkingConfig") or {}
        if "thinkingBudget" in thinking and "thinkingLevel" in thinking:
            # ai.google.dev/gemini-api/docs/gemini-3, "Thinking level": both in one request are a 400.
            raise invalid("You can only set only one of thinking budget and thinking level.")
        if "thinkingLevel" in thinking:
            if generation < 3:
                raise invalid("Thinking level is not supported for this model.")
            if thinking["thinkingLevel"].upper() not in ("MINIMAL", "LOW", "MEDIUM", "HIGH"):
                bad_field("generation_config.thinking_config.thinking_level",
                          "Invalid value at 'generation_config.thinking_config.thinking_level' "
                          "(type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingConfig.ThinkingLevel), "
                          + json.dumps(thinking["thinkingLevel"]))
        tokens = config.get("maxOutputTokens")
        if tokens is not None and not 1 <= int(tokens) <= 65536:
            raise invalid(f"Unable to submit request because it has a maxOutputTokens value of {tokens} but the "
                          "supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try "
                          "again.")
        if not 0 <= (config.get("temperature") or 0) <= 2:
            raise invalid("* GenerateContentRequest.generation_config.temperature: temperature must be in the range "
                          "[0.0, 2.0].\n")

    def check_tools(self, body):
        names = set()
        for at, tool in enumerate(body.get("tools") or []):
            for number, declaration in enumerate(tool.get("functionDeclarations") or []):
                where = f"GenerateContentRequest.tools[{at}].function_declarations[{number}]"
                if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}", declaration.get("name", "")):
                    raise invalid(f"* {where}.name: [Invalid function name. Must start with a letter or an underscore. "
                                  "Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or "
                                  "dashes (-), with a maximum length of 128.]\n")
                if declaration["name"] in names:
                    raise invalid(f"Duplicate function declaration found: {declaration['name']}")
                names.add(declaration["name"])
                if "parameters" in declaration and "parametersJsonSchema" in declaration:
                    raise invalid(f"* {where}: parameters and parameters_json_schema are mutually exclusive.\n")
                if declaration.get("parameters"):
                    self.check_schema(declaration["parameters"], f"{where}.parameters")
                if "parametersJsonSchema" in declaration and \
                        (declaration["parametersJsonSchema"] or {}).get("type") != "object":
                    raise invalid(f"* {where}.parameters_json_schema: must be an object schema.\n")
        mode = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
        if mode.get("mode", "AUTO") not in ("AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"):
            bad_field("tool_config.function_calling_config.mode",
                      "Invalid value at 'tool_config.function_calling_config.mode' "
                      "(type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), "
                      + json.dumps(mode["mode"]))
        if mode.get("allowedFunctionNames") and mode.get("mode") not in ("ANY", "VALIDATED"):
            raise invalid("Function calling config is set without the mode ANY or VALIDATED while "
                          "allowed_function_names is set.")

    def check_schema(self, schema, where):
        kind = str(schema.get("type", "")).upper()
        if kind == "OBJECT" and schema.get("properties") == {}:
            raise invalid(f"* {where}.properties: should be non-empty for OBJECT type\n")
        if kind == "ARRAY" and not schema.get("items"):
            raise invalid(f"* {where}.items: missing field.\n")
        if schema.get("enum") and kind != "STRING":
            raise invalid(f"* {where}.enum: only allowed for STRING type\n")
        if "" in schema.get("enum", []):
            raise invalid(f"* {where}.enum[{schema['enum'].index('')}]: cannot be empty\n")
        if schema.get("format") not in (None, "enum", "date-time") and kind == "STRING":
            raise invalid(f"* {where}.format: only 'enum' and 'date-time' are supported for STRING type\n")
        for number, name in enumerate(schema.get("required", [])):
            if name not in schema.get("properties", {}):
                raise invalid(f"* {where}.required[{number}]: property is not defined\n")
        for name, child in schema.get("properties", {}).items():
            self.check_schema(child, f"{where}.properties[{name}]")
        if schema.get("items"):
            self.check_schema(schema["items"], where + ".items")
        for number, child in enumerate(schema.get("anyOf", [])):
            self.check_schema(child, f"{where}.any_of[{number}]")

    def check_contents(self, body):
        contents = body.get("contents")
        if not contents:
            raise invalid("* GenerateContentRequest.contents: contents is not specified\n")
        before = None
        for number, content in enumerate(contents):
            if content.get("role", "user") not in ("user", "model"):
                raise invalid("Please use a valid role: user, model.")
            if not content.get("parts"):
                raise invalid(f"* GenerateContentRequest.contents[{number}].parts: contents.parts must not be empty.\n")
            for at, part in enumerate(content["parts"]):
                data = [name for name in part if name not in ("thought", "thoughtSignature", "videoMetadata",
                                                              "partMetadata", "mediaResolution")]
                where = f"GenerateContentRequest.contents[{number}].parts[{at}]"
                if not data:
                    raise invalid(f"* {where}.data: required oneof field 'data' must have one initialized field\n")
                if len(data) > 1:
                    bad_field(f"contents[{number}].parts[{at}]",
                              f"Invalid value at 'contents[{number}].parts[{at}]' (oneof), oneof field 'data' is "
                              f"already set. Cannot set '{data[1]}'")
                if data == ["functionResponse"] and not part["functionResponse"].get("name"):
                    raise invalid(f"* {where}.function_response.name: Name cannot be empty.\n")
            if content.get("role", "user") == before:
                self.complain(f"contents[{number}]: two contents of the role {before} follow each other")
            before = content.get("role", "user")
        if before != "user":
            self.complain("the last content is not the user's")
        instruction = body.get("systemInstruction")
        if instruction is not None and not instruction.get("parts"):
            raise invalid("* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.\n")

    def check_calls(self, contents, signed):
        turn = 0  # where the current turn begins: the last words of the user
        for number, content in enumerate(contents):
            if content.get("role", "user") == "user" and any("text" in part for part in content["parts"]):
                turn = number
        for number, content in enumerate(contents):
            calls = [part for part in content["parts"] if "functionCall" in part]
            answers = [part for part in content["parts"] if "functionResponse" in part]
            previous = contents[number - 1] if number else {"parts": []}
            asked = [part["functionCall"] for part in previous["parts"] if "functionCall" in part]
            if calls and (not number or previous.get("role", "user") != "user"):
                # google-gemini/gemini-cli#26956.
                raise invalid("Please ensure that function call turn comes immediately after a user turn or after a "
                              "function response turn.")
            if answers and not asked:
                raise invalid("Please ensure that function response turn comes immediately after a function call turn.")
            if asked:
                # google-gemini/gemini-cli and many others.
                if len(asked) != len(answers):
                    raise invalid("Please ensure that the number of function response parts is equal to the number of "
                                  "function call parts of the function call turn.")
                self.check_answers(asked, [part["functionResponse"] for part in answers], number)
            for at, part in enumerate(calls):
                self.check_signature(part, signed and number > turn and at == 0, number)
            for part in content["parts"]:
                if "functionCall" not in part:
                    self.check_signature(part, False, number)
        if any("functionCall" in part for part in contents[-1]["parts"]):
            raise invalid("Please ensure that the number of function response parts is equal to the number of function "
                          "call parts of the function call turn.")

    def check_answers(self, asked, answers, number):
        if sorted(call["name"] for call in asked) != sorted(answer["name"] for answer in answers):
            raise invalid("Please ensure that function response names match the function call names of the function "
                          "call turn.")
        for call, answer in zip(asked, answers):
            if call.get("id") != answer.get("id"):
                self.complain(f"contents[{number}]: a functionResponse has the id {answer.get('id')}, its call "
                              f"{call.get('id')}")

    def check_signature(self, part, demanded, number):
        signature = part.get("thoughtSignature")
        if signature is None:
            if demanded:
                # langgenius/dify-official-plugins#2088, nanbingxyz/5ire#405.
                raise invalid("Function call is missing a thought_signature in functionCall parts. This is required "
                              "for tools to work correctly, and missing thought_signature may lead to degraded model "
                              "performance. Additional data, function call "
                              f"`default_api:{part['functionCall']['name']}` , position {number + 1}. Please refer to "
                              "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.")
            return
        if signature in SKIP:
            return  # "Thought signatures", section "FAQs": for calls that no Gemini made
        if signature not in self.signatures:
            raise invalid("Corrupted thought signature.")
        if "functionCall" in part and (signature, part["functionCall"]["name"]) not in self.signed:
            raise invalid("Thought signature is not valid")

    # Answers -----------------------------------------------------------------------------------

    def overflow(self, request, tokens, limit):
        # google-gemini/gemini-cli#5807.
        return invalid(f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit}).")

    def reply(self, request, happening):
        kind = getattr(happening, "kind", "reply")
        if kind == "unauthorized":
            raise self.unauthorized()
        if kind == "rate_limited":
            refusal = invalid("You exceeded your current quota, please check your plan and billing details.", 429,
                              "RESOURCE_EXHAUSTED",
                              [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}])
            refusal.headers["Retry-After"] = "1"
            raise refusal
        if kind == "overloaded":
            raise invalid("The model is overloaded. Please try again later.", 503, "UNAVAILABLE")
        if kind == "server_error":
            raise invalid("An internal error has occurred. Please retry or report in "
                          "https://developers.generativeai.google/guide/troubleshooting", 500, "INTERNAL")
        turn = turn_of(happening)
        chunks = self.chunks(request, turn, kind)
        events = [sse(chunk, end="\r\n") for chunk in chunks]
        if kind == "stream_error":
            error = {"code": 503, "message": "The model is overloaded. Please try again later.",
                     "status": "UNAVAILABLE"}
            events = events[:-2] + [sse({"error": error}, end="\r\n")]
        if kind in UNENDED:
            events = events[:-1]
        return Stream(events, "text/event-stream")

    def sign(self, call=None):
        signature = f"EsAFAbEAr{self.script.number():04d}+/aZ0="
        self.signatures.add(signature)
        if call:
            self.signed.add((signature, call.name))
        return signature

    def parts(self, request, turn):
        """One list of parts for each chunk."""
        config = ((normal(request.body).get("generationConfig") or {}).get("thinkingConfig")) or {}
        if config.get("includeThoughts"):
            for piece in fragments(turn.thought) if turn.thought else []:
                yield [{"text": piece, "thought": True}]
        for piece in fragments(turn.text, (7, 30)) if turn.text else []:
            yield [{"text": piece}]
        calls = []
        for number, call in enumerate(turn.calls):
            part = {"functionCall": {"name": call.name, "args": call.arguments}}
            if self.ids:
                part["functionCall"]["id"] = f"x{self.script.number():06d}"
            # "Thought signatures": of parallel calls only the first is signed.
            if number == 0 and MODELS[request.model] >= 3:
                part["thoughtSignature"] = self.sign(call)
            calls.append(part)
        if calls:
            yield calls
        elif turn.text and MODELS[request.model] >= 3:
            yield [{"text": "", "thoughtSignature": self.sign()}]

    def chunks(self, request, turn, kind):
        usage = {"promptTokenCount": 800, "candidatesTokenCount": 28, "thoughtsTokenCount": 32,
                 "cachedContentTokenCount": 512, "totalTokenCount": 860,
                 "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 800}]}
        common = {"usageMetadata": usage, "modelVersion": request.model, "responseId": "Test"}
        chunks = [{"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}], **common}
                  for parts in self.parts(request, turn)]
        if kind == "refusal":
            # "Safety settings": a prompt that is blocked has no candidates.
            return [{"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, **common}]
        if kind == "malformed":
            return [{"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "index": 0,
                                     "finishMessage": "Malformed function call: print(default_api.file_read("}],
                     **common}]
        if kind == "safety":
            return [{"candidates": [{"finishReason": "SAFETY", "index": 0, "safetyRatings": [
                {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": True}]}], **common}]
        # The end: no new parts, or an empty text.
        content = {"role": "model"} if kind == "empty" else {"parts": [{"text": ""}], "role": "model"}
        return [*chunks, {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], **common}]
