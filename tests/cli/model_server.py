"""A model's server on the loopback, for what cassettes cannot show: requests, keys, HTTP errors."""

import http.server
import json
import threading


class ModelServer:
    """Speaks Chat Completions. Give `turns` (a turn is a call, a list of calls, or a function from the
    request's messages to one of these) or `status`, the HTTP status of every answer. After the last turn
    it answers with HTTP 400. Ends with the test."""

    def __init__(self, test, turns=(), status=None):
        self.requests = []  # bodies, parsed
        self.keys = []      # of the Authorization headers
        turns = list(turns)
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.keys.append(self.headers.get("Authorization", ""))
                if status is not None or not turns:
                    return self.answer(status or 400, "application/json",
                                       json.dumps({"error": {"message": "scripted error"}}))
                turn = turns.pop(0)
                turn = turn(body["messages"]) if callable(turn) else turn
                calls = turn if isinstance(turn, list) else [turn]
                number = len(server.requests)
                message = {"role": "assistant", "content": "", "tool_calls": [
                    {"index": index, "id": f"call_{number}_{index}", "type": "function",
                     "function": {"name": call["name"].replace(".", "_"),
                                  "arguments": json.dumps(call["arguments"])}}
                    for index, call in enumerate(calls)]}
                chunk = {"choices": [{"index": 0, "delta": message, "finish_reason": "tool_calls"}],
                         "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
                return self.answer(200, "text/event-stream",
                                   f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")

            def answer(self, code, kind, text):
                data = text.encode()
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        test.addCleanup(self.http.server_close)
        test.addCleanup(self.http.shutdown)

    def observation(self):
        """The result that the last request brings to the model."""
        return self.requests[-1]["messages"][-1]["content"]
