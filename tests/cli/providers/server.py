"""The HTTP side: one server on a free port of 127.0.0.1 for one dialect.

A server keeps what it saw, for tests to look at:

  requests    every request, accepted or not
  refusals    what was refused for its form: status and message
  accepted    the bodies that were accepted, with the name of the API that they belong to
  complaints  what the provider accepts although its documentation demands otherwise
"""

import dataclasses
import http.server
import itertools
import json
import ssl
import sys
import threading
import urllib.parse

from providers.script import Happening, Script

# Streams are sent in pieces of these sizes, so that they break inside of lines and of characters.
PIECES = (1, 7, 64, 3, 190, 2, 31, 512)


class Refusal(Exception):
    """An answer that is not 200."""

    def __init__(self, status, body, headers=None):
        super().__init__(f"{status} {json.dumps(body, ensure_ascii=False)}")
        self.status = status
        self.body = body
        self.headers = headers or {}


@dataclasses.dataclass
class Request:
    method: str
    path: str
    query: dict
    headers: dict  # names in lower case
    body: dict
    size: int  # bytes of the body


@dataclasses.dataclass
class Stream:
    """A reply of status 200. `events` are texts, complete with their empty lines."""
    events: list
    content_type: str = "text/event-stream; charset=utf-8"
    headers: dict = dataclasses.field(default_factory=dict)
    cut: bool = False     # ends before the last third
    broken: bool = False  # the transfer breaks off


class Dialect:
    """What a provider checks and how it answers. Subclasses raise Refusal."""

    key = "test-key"
    streams_overflow = False  # too long a request is answered with status 200 and an error in the stream

    def __init__(self):
        self.script = Script()
        self.server = None

    def complain(self, text):
        self.server.complaints.append(text)

    def check(self, request):
        """Raises Refusal; gives the name of the API that the body belongs to."""
        raise NotImplementedError

    def reply(self, request, happening):
        """A Stream for a Turn or a Happening; may raise Refusal."""
        raise NotImplementedError

    def overflow(self, request, tokens, limit):
        """The refusal, or where `streams_overflow` the Stream, for too long a request."""
        raise NotImplementedError


def sse(data, event=None, end="\n"):
    """One event. A dialect decides on JSON without spaces, which most providers send."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return (f"event: {event}{end}" if event else "") + f"data: {text}{end}{end}"


def fragments(text, sizes=(3, 11, 1, 6)):
    """`text` in pieces; one empty piece for an empty text."""
    pieces, at = [], 0
    for size in itertools.cycle(sizes):
        if at >= len(text):
            return pieces or [""]
        pieces.append(text[at:at + size])
        at += size


class ProviderServer:

    def __init__(self, dialect, script=None, tls=None):
        self.dialect = dialect
        # Called with each request's number, from 1; unless it gives True, the connection ends without an answer.
        self.on_request = lambda number: True
        self.requests, self.refusals, self.accepted, self.complaints = [], [], [], []
        self.window = None  # tokens, at four bytes each; None: any length is accepted
        self._lock = threading.Lock()
        dialect.server = self
        if script is not None:
            dialect.script = script
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                server.serve(self)

            do_GET = do_POST

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                """A client that goes away, or that refuses the certificate, is no trouble of the server."""
                if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
                    super().handle_error(request, client_address)

        self._http = Server(("127.0.0.1", 0), Handler)
        if tls is not None:  # an ssl.SSLContext; each connection's own thread shakes hands
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self):
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def serve(self, handler):
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(handler.path)
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = None
        request = Request(handler.command, urllib.parse.unquote(url.path),
                          dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True)),
                          {name.lower(): value for name, value in handler.headers.items()}, body, len(raw))
        with self._lock:
            self.requests.append(request)
            if not self.on_request(len(self.requests)):
                handler.close_connection = True
                return
            try:
                answer = self.answer(request)
            except Refusal as refusal:
                answer = refusal
        try:
            if isinstance(answer, Refusal):
                send_refusal(handler, answer)
            else:
                send_stream(handler, answer)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True

    def answer(self, request):
        try:
            api = self.dialect.check(request)
            tokens = request.size // 4
            if self.window is not None and tokens > self.window:
                if self.dialect.streams_overflow:
                    return self.dialect.overflow(request, tokens, self.window)
                raise self.dialect.overflow(request, tokens, self.window)
        except Refusal as refusal:
            self.refusals.append(str(refusal))
            raise
        self.accepted.append((api, request.body))
        happening = self.dialect.script.next()
        stream = self.dialect.reply(request, happening)
        kind = happening.kind if isinstance(happening, Happening) else ""
        stream.cut = kind == "cut"
        stream.broken = kind in ("cut", "call_cut")
        return stream


def send_refusal(handler, refusal):
    data = json.dumps(refusal.body, ensure_ascii=False).encode()
    handler.send_response(refusal.status)
    for name, value in {"Content-Type": "application/json", **refusal.headers}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def send_stream(handler, stream):
    data = "".join(stream.events).encode()
    if stream.cut:
        data = data[:len(data) * 2 // 3]
    handler.send_response(200)
    for name, value in {"Content-Type": stream.content_type, "Cache-Control": "no-cache", **stream.headers}.items():
        handler.send_header(name, value)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    at = 0
    for size in itertools.cycle(PIECES):
        if at >= len(data):
            break
        piece = data[at:at + size]
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        at += size
    if stream.broken:
        handler.close_connection = True  # without the last chunk: the transfer broke off
    else:
        handler.wfile.write(b"0\r\n\r\n")
