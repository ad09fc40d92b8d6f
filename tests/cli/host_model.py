"""A scripted model on the loopback for coding agents of others, in the wire formats that these speak."""

import http.server
import json
import threading

DONE = "All done! The code compiles and every test passes."


class HostModel:
    """It asks for a shell command at the first prompt, and for one after each text that holds `marker`; else it
    reports success. Where `marker` was told, the command is `then`, before that `first`."""

    def __init__(self, first, then, marker):
        self.commands = (first, then)
        self.marker = marker
        self.prompts = 0  # that got a command
        self.replies = 0
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_HEAD(self):
                self.answer("", "text/plain")

            def do_GET(self):
                self.answer(json.dumps({"object": "list", "data": [], "models": []}), "application/json")

            def do_POST(self):
                try:
                    body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                except ValueError:
                    self.answer(json.dumps({"error": {"message": "the body is no JSON"}}), "application/json", 400)
                    return
                self.answer(*model.reply(self.path, body))

            def answer(self, text, kind, status=200):
                data = text.encode()
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def command_for(self, body, history, call):
        """The command to ask for; None: it says that it is done. `call` is how calls begin in this wire format."""
        self.replies += 1
        text = json.dumps(history)
        last = text.rfind(call)
        if not body.get("tools") or (last >= 0 and self.marker not in text[last:]):
            return None
        self.prompts += 1
        return self.commands[1 if self.marker in text else 0]

    def reply(self, path, body):
        if "count_tokens" in path or "countTokens" in path:
            return json.dumps({"input_tokens": 10, "totalTokens": 10}), "application/json"
        if "enerateContent" in path:
            return self.gemini(path, body)
        if "/chat/completions" in path:
            return self.chat(body)
        if "/responses" in path:
            return self.responses(body)
        if "/messages" in path:
            return self.anthropic(body)
        return "{}", "application/json"

    def anthropic(self, body):
        messages = body.get("messages", [])
        command = self.command_for(body, messages, '"tool_use"')
        if command is None:
            block = {"type": "text", "text": DONE}
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": DONE}
        else:
            name, arguments = tool_call(command, body["tools"], "Bash", {"command": command, "description": "Write the file"})
            block = {"type": "tool_use", "id": f"toolu_{self.replies}", "name": name, "input": arguments}
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        reason = "end_turn" if command is None else "tool_use"
        message = {"id": f"msg_{self.replies}", "type": "message", "role": "assistant", "model": body.get("model"), "stop_sequence": None,
                   "usage": {"input_tokens": 10, "output_tokens": 5}}
        if not body.get("stream"):
            return json.dumps({**message, "content": [block], "stop_reason": reason}), "application/json"
        return events([
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 5}},
            {"type": "message_stop"}])

    def responses(self, body):
        items = body.get("input", [])
        command = self.command_for(body, items, '"function_call"')
        if command is None:
            item = {"type": "message", "id": f"msg_{self.replies}", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": DONE, "annotations": []}]}
        else:
            names = [tool.get("name") for tool in body["tools"]]
            name = "exec_command" if "exec_command" in names else "shell_command" if "shell_command" in names else "shell"
            arguments = {"cmd": command} if name == "exec_command" else \
                {"command": command} if name == "shell_command" else {"command": ["sh", "-c", command]}
            nested = {tool["name"]: group["name"] for group in body["tools"] for tool in group.get("tools", [])}
            declared = body["tools"] + [{"name": name} for name in nested]
            name, arguments = tool_call(command, declared, name, arguments)
            item = {"type": "function_call", "id": f"fc_{self.replies}", "call_id": f"call_{self.replies}", "name": name,
                    "arguments": json.dumps(arguments), "status": "completed"}
            if name in nested:
                item["namespace"] = nested[name]
        response = {"id": f"resp_{self.replies}", "object": "response", "status": "completed", "model": "mock",
                    "output": [item], "usage": {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1,
                                                "output_tokens_details": None, "total_tokens": 2}}
        return events([
            {"type": "response.created", "response": {"id": response["id"]}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response}])

    def gemini(self, path, body):
        contents = body.get("contents", [])
        command = self.command_for(body, contents, '"functionCall"')
        part = {"text": DONE}
        if command is not None:
            declared = [tool for group in body["tools"] for tool in group.get("functionDeclarations", [])]
            name, arguments = tool_call(command, declared, "run_shell_command",
                                        {"command": command, "description": "Write the file"})
            part = {"functionCall": {"name": name, "args": arguments}}
        reply = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                 "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
                 "modelVersion": "mock"}
        if "stream" not in path:
            return json.dumps(reply), "application/json"
        return f"data: {json.dumps(reply)}\n\n", "text/event-stream"

    def chat(self, body):
        messages = body.get("messages", [])
        command = self.command_for(body, messages, '"tool_calls"')
        if command is None:
            delta, reason = {"role": "assistant", "content": DONE}, "stop"
        else:
            name, arguments = tool_call(command, [tool["function"] for tool in body["tools"]], "bash",
                                        {"command": command, "description": "Write the file"})
            delta = {"role": "assistant", "content": None, "tool_calls": [
                {"index": 0, "id": f"call_{self.replies}", "type": "function",
                 "function": {"name": name, "arguments": json.dumps(arguments)}}]}
            reason = "tool_calls"
        chunk = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "mock"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not body.get("stream"):
            return json.dumps({**chunk, "object": "chat.completion", "usage": usage, "choices": [
                {"index": 0, "message": delta, "finish_reason": reason}]}), "application/json"
        lines = [{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                 {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}]
        return "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n", "text/event-stream"


class ToolModel(HostModel):
    """It calls tools, one after the other, and then reports success. steps: (end of the tool's name, arguments)."""

    def __init__(self, steps):
        super().__init__("", "", "")
        self.steps = list(steps)

    def command_for(self, body, history, call):
        self.replies += 1
        return self.steps.pop(0) if self.steps and self.steps[0][0] in json.dumps(body.get("tools")) else None


def tool_call(wanted, tools, shell, shell_arguments):
    """Name and arguments of a call: of the host's shell, or of the tool that `wanted` names."""
    if isinstance(wanted, str):
        return shell, shell_arguments
    names = [tool.get("name", "") for tool in tools]
    return next(name for name in names if name.endswith(wanted[0])), wanted[1]


def events(list_of_data):
    text = "".join(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" for data in list_of_data)
    return text, "text/event-stream"
