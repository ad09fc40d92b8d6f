"""api.openai.com: chat completions and responses on one address, so that a client may choose."""

from providers.chat import Chat
from providers.responses import Responses
from providers.server import Dialect


class OpenAi(Dialect):

    streams_overflow = True

    def __init__(self):
        super().__init__()
        self.chat, self.responses = Chat(), Responses()

    def endpoint(self, request):
        endpoint = self.responses if request.path in self.responses.paths else self.chat
        endpoint.script, endpoint.server, endpoint.key = self.script, self.server, self.key
        return endpoint

    def check(self, request):
        return self.endpoint(request).check(request)

    def overflow(self, request, tokens, limit):
        answer = self.endpoint(request).overflow(request, tokens, limit)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def reply(self, request, happening):
        return self.endpoint(request).reply(request, happening)
