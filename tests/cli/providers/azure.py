"""Azure OpenAI: deployments with an api-version, and the v1 API without one.

Sources: learn.microsoft.com/azure/ai-foundry/openai/reference, api-version-lifecycle ("v1 API"),
concepts/content-filter ("Streaming"), and the threads named at each refusal.
"""

import re

from providers.chat import MODELS, Chat, invalid
from providers.responses import Responses
from providers.server import Dialect, Refusal, sse

SAFE = {"hate": {"filtered": False, "severity": "safe"}, "self_harm": {"filtered": False, "severity": "safe"},
        "sexual": {"filtered": False, "severity": "safe"}, "violence": {"filtered": False, "severity": "safe"}}

DEPLOYMENTS = {"my-gpt-4.1": "gpt-4.1", "my-gpt-5": "gpt-5", "my-gpt-5.6": "gpt-5.6", "my-codex": "gpt-5-codex",
               "my-agent": "gpt-5-codex"}


class AzureChat(Chat):

    def model_name(self, body):
        return DEPLOYMENTS[body.get("model") or self.deployment] if self.deployment is None else \
            DEPLOYMENTS[self.deployment]

    def check_headers(self, request):
        pass  # done for both APIs

    def check_body(self, body):
        # With a deployment in the path `model` may be left out.
        super().check_body({"model": self.deployment, **body} if self.deployment else body)
        for number, tool in enumerate(body.get("tools") or []):
            # "Function calling": "function descriptions are currently limited to 1,024 characters"; the API no longer
            # refuses longer ones.
            if len(tool["function"].get("description", "")) > 1024:
                self.complain(f"tools[{number}].function.description is longer than 1,024 characters")

    def delta(self, body, delta, finish=None):
        chunk = super().delta({"model": "gpt", **body}, delta, finish)
        chunk["choices"][0]["content_filter_results"] = dict(SAFE) if "content" in delta else {}
        return chunk

    def chunk(self, body, **members):
        return super().chunk({"model": "gpt", **body}, **members)

    def events(self, body, turn, kind):
        first = {"choices": [], "created": 0, "id": "", "model": "", "object": "",
                 "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": SAFE}]}
        events = super().events(body, turn, "reply" if kind == "refusal" else kind)
        if kind == "refusal":  # the filter ends the completion
            events = [event.replace('"finish_reason":"stop"', '"finish_reason":"content_filter"') for event in events]
        return [sse(first), *events]


class AzureResponses(Responses):

    paths = ("/openai/v1/responses", "/openai/responses")

    def model_name(self, body):
        return DEPLOYMENTS[body["model"]]

    def check_headers(self, request):
        pass


class Azure(Dialect):

    streams_overflow = True
    dated = re.compile(r"20\d\d-\d\d-\d\d(-preview)?")

    def __init__(self, filtered=False):
        super().__init__()
        self.filtered = filtered  # the content filter refuses every prompt
        self.chat, self.responses = AzureChat(), AzureResponses()

    def check(self, request):
        if request.headers.get("api-key") != self.key and request.headers.get("authorization") != "Bearer " + self.key:
            raise self.unauthorized()
        endpoint, deployment = self.route(request)
        endpoint.script, endpoint.server = self.script, self.server
        if endpoint is self.chat:
            self.chat.deployment = deployment
            self.chat.paths = (request.path,)
        deployment = deployment or (request.body or {}).get("model")
        if deployment not in DEPLOYMENTS:
            raise Refusal(404, {"error": {
                "code": "DeploymentNotFound",
                "message": "The API deployment for this resource does not exist. If you created the deployment within "
                           "the last 5 minutes, please wait a moment and try again."}})
        if self.chat is endpoint and MODELS[DEPLOYMENTS[deployment]]["chat"] == "no":
            # Models without chat: MicrosoftDocs/azure-ai-docs#552.
            raise invalid("The requested operation is unsupported.", None, "OperationNotSupported", 400)
        kind = endpoint.check(request)
        if self.filtered:
            # Gitlawb/openclaude#273, openai/openai-python#331.
            raise Refusal(400, {"error": {
                "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management "
                           "policy. Please modify your prompt and retry. To learn more about our content filtering "
                           "policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
                "type": None, "param": "prompt", "code": "content_filter", "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {
                    **SAFE, "jailbreak": {"filtered": True, "detected": True}}}}})
        return kind

    @staticmethod
    def unauthorized():
        return Refusal(401, {"error": {
            "code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint. Make sure "
                                      "to provide a valid key for an active subscription and use a correct regional "
                                      "API endpoint for your resource."}})

    def route(self, request):
        """The endpoint, and the deployment where the path names it."""
        lost = Refusal(404, {"error": {"code": "404", "message": "Resource not found"}})
        version = request.query.get("api-version")
        if request.path.startswith("/openai/v1/"):
            if version is not None and version not in ("v1", "preview", "latest"):
                raise Refusal(400, {"error": {"code": "BadRequest", "message":
                                              "api-version query parameter is not allowed when using /v1 path"}})
            if request.path == "/openai/v1/chat/completions":
                return self.chat, None
            if request.path in self.responses.paths:
                return self.responses, None
            raise lost
        if version is None:
            raise lost
        if not self.dated.fullmatch(version):
            raise Refusal(400, {"error": {"code": "BadRequest", "message": "API version not supported"}})
        found = re.fullmatch(r"/openai/deployments/([^/]+)/chat/completions", request.path)
        if found:
            return self.chat, found[1]
        if request.path in self.responses.paths:
            return self.responses, None
        raise lost

    def endpoint(self, request):
        return self.responses if request.path in self.responses.paths else self.chat

    def overflow(self, request, tokens, limit):
        answer = self.endpoint(request).overflow(request, tokens, limit)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def reply(self, request, happening):
        if getattr(happening, "kind", "") == "unauthorized":
            raise self.unauthorized()
        return self.endpoint(request).reply(request, happening)
