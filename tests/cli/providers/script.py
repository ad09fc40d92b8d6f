"""The model behind every server: a list of what happens at each request that the server accepts."""

import dataclasses
import itertools
import threading


@dataclasses.dataclass(frozen=True)
class Call:
    """A tool call. `name` is the name on the wire."""
    name: str
    arguments: dict


@dataclasses.dataclass(frozen=True)
class Turn:
    """One reply."""
    calls: tuple = ()
    text: str = ""
    thought: str = ""


@dataclasses.dataclass(frozen=True)
class Happening:
    """Something other than a complete reply. A dialect gives it its own status and words."""
    kind: str


RATE_LIMITED = Happening("rate_limited")  # 429 with Retry-After
QUOTA = Happening("quota")                # 429, 402 or 400: credit or quota is used up
OVERLOADED = Happening("overloaded")      # 503 or 529
SERVER_ERROR = Happening("server_error")  # 500
UNAUTHORIZED = Happening("unauthorized")  # 401
EMPTY = Happening("empty")                # status 200, neither text nor a call
REFUSAL = Happening("refusal")            # status 200, the model or a filter declines
STREAM_ERROR = Happening("stream_error")  # status 200, then an error inside of the stream
MALFORMED = Happening("malformed")        # Gemini: the model wrote a call that cannot be read
SAFETY = Happening("safety")              # Gemini: a filter ended the reply
CUT = Happening("cut")                    # status 200, then the connection ends inside of a call

CALL_CUT = Happening("call_cut")          # status 200, then the connection ends after whole calls, before the end
CALL_END = Happening("call_end")          # the same, though the transfer ends as it should
UNENDED = (CALL_CUT.kind, CALL_END.kind)

CONTENT = "first line\nsecond line: \"quoted\", a \\ and an é\n"

# Two calls and a finish. Characters of several bytes, quotes and backslashes, so that streams can be split inside
# of them.
PLAY = (
    Turn(thought="The task names a.txt – I read it first. \"Naïve\" guesses are no help.", text="I read the file.",
         calls=(Call("file_read", {"path": "a.txt"}),)),
    Turn(thought="Now I know enough → I write b.txt.",
         calls=(Call("file_write", {"path": "b.txt", "content": CONTENT}),)),
    Turn(thought="Done.", calls=(Call("finish", {"answer": "done"}),)),
)


def turn_of(happening):
    """What is sent of a reply, for a happening of status 200."""
    if isinstance(happening, Turn):
        return happening
    if happening.kind in UNENDED:
        return Turn(text=PLAY[0].text, thought=PLAY[0].thought, calls=(*PLAY[0].calls, *PLAY[1].calls))
    return PLAY[1] if happening.kind in ("stream_error", "cut") else Turn()


class Script:
    """Hands out what happens next. Several servers may share one: a fallback goes on where the first model was."""

    def __init__(self, happenings=PLAY):
        self._happenings = list(happenings)
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self.played = 0

    def next(self):
        with self._lock:
            self.played += 1
            if not self._happenings:
                return Turn(text="The script has no more replies.")
            if len(self._happenings) == 1 and isinstance(self._happenings[0], Happening):
                return self._happenings[0]  # the last one lasts
            return self._happenings.pop(0)

    def number(self):
        """For ids: never the same twice."""
        return next(self._numbers)
