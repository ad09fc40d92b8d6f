"""Headers, certificates, prices and pictures: what the configuration says of a model's server."""

import base64
import json
import os
import ssl
import subprocess

from parallel import main
from provider_runs import RUNS, ProviderRunTest
from providers import PLAY, Anthropic, Call, LlamaCpp, OpenAi, Turn

# One red point.
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg"
                       "gg==")
LOOK = (Turn(thought="A picture.", calls=(Call("file_read", {"path": "picture.png"}),)), *PLAY)


class ProviderConfigTest(ProviderRunTest):

    def configure(self, text):
        folder = os.path.join(self.root, "config", "stile")
        os.makedirs(folder, exist_ok=True)
        self.env["XDG_CONFIG_HOME"] = os.path.dirname(folder)
        with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
            file.write(text)

    # Headers and query ---------------------------------------------------------------------------

    REQUEST = "model_request: {headers: {X-Team: a, X-Token: \"${TEAM_TOKEN}\"}, query: {tenant: \"b c&d\"}}\n"

    def test_headers_and_query_of_the_user_reach_the_server(self):
        self.configure(self.REQUEST)
        for name in ("gpt-5, chat", "gpt-5, responses", "opus 5.5", "gemini 3", "azure, chat, dated", "ollama"):
            with self.subTest(name):
                run = RUNS[name]
                self.remove("b.txt")
                server = self.serve(run.dialect())
                result = self.run_model(server, run.model, *run.arguments,
                                        env={**run.env, "TEAM_TOKEN": "t0ken-of-team"})
                self.assert_played(result, server)
                self.assert_refusals(server)
                for request in server.requests:
                    self.assertEqual(request.headers["x-team"], "a")
                    self.assertEqual(request.headers["x-token"], "t0ken-of-team")
                    self.assertEqual(request.query["tenant"], "b c&d")
                self.assertNotIn("t0ken-of-team", result.stdout)

    def test_a_variable_that_is_not_set_is_named(self):
        self.configure(self.REQUEST)
        server = self.serve(OpenAi())
        result = self.run_model(server, "openai:gpt-5")
        self.assert_exit(result, 2)
        self.assertIn("TEAM_TOKEN", result.stderr)
        self.assertEqual(server.requests, [])

    def test_a_repository_that_is_not_trusted_adds_nothing(self):
        self.write("stile.yaml", "model_request: {headers: {X-Team: a}, query: {tenant: b}}\n")
        server = self.serve(OpenAi())
        result = self.run_model(server, "openai:gpt-5")
        self.assert_played(result, server)
        self.assertIn("model_request", result.stderr)
        for request in server.requests:
            self.assertNotIn("x-team", request.headers)
            self.assertEqual(request.query, {})
        self.assert_exit(self.stile("trust"), 0)
        self.remove("b.txt")
        server = self.serve(OpenAi())
        self.assert_played(self.run_model(server, "openai:gpt-5"), server)
        self.assertEqual(server.requests[0].headers["x-team"], "a")

    # HTTPS -----------------------------------------------------------------------------------------

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.root, check=True, capture_output=True)

    def make_certificates(self):
        """An authority of this test, and a server's and a client's certificate."""
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                     "-days", "2", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority")
        for name in ("server", "client"):
            with open(os.path.join(self.root, name + ".ext"), "w", encoding="utf-8") as file:
                file.write("subjectAltName=IP:127.0.0.1\n")
            self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                         "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
            self.openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                         "-days", "2", "-out", name + ".pem", "-extfile", name + ".ext")

    def file(self, name):
        return os.path.join(self.root, name)

    def serve_tls(self, asks_clients=False):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.file("server.pem"), self.file("server.key"))
        if asks_clients:
            tls.verify_mode = ssl.CERT_REQUIRED
            tls.load_verify_locations(self.file("ca.pem"))
        return self.serve(Anthropic(), tls=tls)

    def test_an_unknown_authority_is_refused_until_it_is_named(self):
        self.make_certificates()
        server = self.serve_tls()
        result = self.run_model(server, "anthropic:claude-opus-5-5")
        self.assert_exit(result, 5)
        self.assertIn("SSL_CERT_FILE", self.end(result)["message"])
        self.assertEqual(server.requests, [])
        self.assertEqual(self.kinds(result), [])  # waiting does not mend it
        for variable in ("SSL_CERT_FILE", "CURL_CA_BUNDLE"):
            with self.subTest(variable):
                self.remove("b.txt")
                server = self.serve_tls()
                result = self.run_model(server, "anthropic:claude-opus-5-5", env={variable: self.file("ca.pem")})
                self.assert_played(result, server)
        self.configure(f"model_request: {{ca_file: {self.file('ca.pem')}}}\n")
        self.remove("b.txt")
        server = self.serve_tls()
        self.assert_played(self.run_model(server, "anthropic:claude-opus-5-5"), server)

    def test_a_missing_file_of_certificates_is_named(self):
        server = self.serve(Anthropic())
        result = self.run_model(server, "anthropic:claude-opus-5-5", env={"SSL_CERT_FILE": "/nowhere.pem"})
        self.assert_exit(result, 2)
        self.assertIn("/nowhere.pem", result.stderr)

    def test_a_client_certificate_is_shown(self):
        self.make_certificates()
        authority = {"SSL_CERT_FILE": self.file("ca.pem")}
        server = self.serve_tls(asks_clients=True)
        self.assert_exit(self.run_model(server, "anthropic:claude-opus-5-5", env=authority), 5)
        self.assertEqual(server.requests, [])
        self.configure(f"model_request: {{client_certificate: {self.file('client.pem')}, "
                       f"client_key: {self.file('client.key')}}}\n")
        server = self.serve_tls(asks_clients=True)
        self.assert_played(self.run_model(server, "anthropic:claude-opus-5-5", env=authority), server)

    # Prices ----------------------------------------------------------------------------------------

    def test_a_limit_on_cost_needs_a_price(self):
        server = self.serve(LlamaCpp())
        for arguments, text in ((("--max-cost", "1"), ""), ((), "limits: {cost_usd: 1}\n")):
            self.configure(text)
            result = self.run_model(server, "llamacpp:mine", *arguments)
            self.assert_exit(result, 2)
            self.assertIn("prices:", result.stderr)
            self.assertIn("llamacpp:mine", result.stderr)
        self.assertEqual(server.requests, [])
        # 800 tokens in, 512 of them cached, and 60 out, three times.
        self.configure("prices: {\"llamacpp:mine\": {input: 1000, cached: 100, output: 10000}}\n")
        result = self.run_model(server, "llamacpp:mine", "--max-cost", "10")
        self.assert_played(result, server)
        self.assertAlmostEqual(self.end(result)["usage"]["cost_usd"], 3 * (288e3 + 512e2 + 60e4) / 1e6)
        server = self.serve(LlamaCpp())
        plain = self.stile("run", "-t", "x", "--model", "llamacpp:mine", "--yes", "--max-cost", "10",
                           env={"LLAMACPP_BASE_URL": server.url})
        self.assert_exit(plain, 0)
        self.assertIn("$2.8176", plain.stdout)
        server = self.serve(LlamaCpp())
        result = self.run_model(server, "llamacpp:mine", "--max-cost", "1.5")
        self.assert_exit(result, 4)
        self.assertEqual(self.end(result)["reason"], "cost_budget")
        self.assertEqual(len(server.requests), 2)

    def test_a_price_that_the_catalogue_knows_is_counted(self):
        server = self.serve(Anthropic())
        result = self.run_model(server, "anthropic:claude-opus-5-5", "--max-cost", "1")
        self.assert_played(result, server)
        self.assertGreater(self.end(result)["usage"]["cost_usd"], 0)
        server = self.serve(Anthropic())
        self.configure("prices: {\"anthropic:claude-opus-5-5\": {input: 1000, output: 1000}}\n")
        result = self.run_model(server, "anthropic:claude-opus-5-5", "--max-cost", "0.5")
        self.assert_exit(result, 4)

    def test_a_fallback_without_a_price_holds_no_limit_either(self):
        server = self.serve(Anthropic())
        result = self.run_model(server, "anthropic:claude-opus-5-5", "--max-cost", "1", "--fallback", "llamacpp:mine")
        self.assert_exit(result, 2)
        self.assertIn("llamacpp:mine", result.stderr)

    # stile models ------------------------------------------------------------------------------------

    def test_models_lists_providers_and_models(self):
        result = self.stile("models", env={"OPENAI_API_KEY": "very-secret-key"})
        self.assert_exit(result, 0)
        for name in ("anthropic", "openai", "gemini", "azure", "openrouter", "deepseek", "moonshot", "groq", "mistral",
                     "xai", "ollama", "vllm", "llamacpp", "lmstudio"):
            self.assertRegex(result.stdout, rf"(?m)^{name} ")
        self.assertRegex(result.stdout, r"(?m)^openai +OPENAI_API_KEY \(set\)")
        self.assertNotRegex(result.stdout, r"ANTHROPIC_API_KEY \(set\)")
        self.assertNotIn("very-secret-key", result.stdout)
        result = self.stile("models", "anthropic")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^anthropic:claude-opus-5-5 .*1\.0M .*128k ")
        self.assertNotIn("openai:", result.stdout)
        result = self.stile("models", "anthropic", "--json")
        self.assert_exit(result, 0)
        found = {model["model"]: model for model in json.loads(result.stdout)}
        self.assertEqual(found["claude-opus-5-5"]["price"]["input"], 4)
        self.assertTrue(found["claude-opus-5-5"]["images"])
        self.assertIn("llamacpp:MODEL", self.stile("models", "llamacpp").stdout)

    def test_an_unknown_provider_is_an_error_that_names_the_nearest(self):
        for name, nearest in (("nope", ""), ("antropic", "'anthropic'"), ("open-ai", "'openai'")):
            result = self.stile("models", name)
            self.assert_exit(result, 2)
            self.assertEqual(result.stdout, "")
            self.assertIn(f"'{name}'", result.stderr)
            self.assertIn(nearest, result.stderr)

    # Pictures ----------------------------------------------------------------------------------------

    def look(self, name):
        """The last request of a run that reads a picture."""
        with open(self.path("picture.png"), "wb") as file:
            file.write(PNG)
        self.remove("b.txt")
        run = RUNS[name]
        server = self.serve(run.dialect(), LOOK)
        result = self.run_model(server, run.model, *run.arguments, env=run.env)
        self.assert_exit(result, 0)
        self.assert_refusals(server)
        self.assertEqual(self.end(result)["answer"], "done")
        return server.accepted[1][1]

    def test_a_picture_is_shown_to_models_that_take_pictures(self):
        data = base64.b64encode(PNG).decode()
        url = "data:image/png;base64," + data
        for name in ("gpt-5, chat", "gpt-4.1, chat", "openrouter", "kimi k3"):
            with self.subTest(name):
                body = self.look(name)
                self.assertEqual(body["messages"][-1]["role"], "user")
                self.assertIn({"type": "image_url", "image_url": {"url": url}}, body["messages"][-1]["content"])
                self.assertIn("picture", body["messages"][-2]["content"])
        for name in ("gpt-5, responses", "gpt-5.6-sol"):
            with self.subTest(name):
                output = self.look(name)["input"][-1]
                self.assertEqual(output["type"], "function_call_output")
                self.assertIn({"type": "input_image", "image_url": url, "detail": "auto"}, output["output"])
        for name in ("opus 5.5", "sonnet 4.5, effort"):
            with self.subTest(name):
                result = self.look(name)["messages"][-1]["content"][0]
                self.assertEqual(result["type"], "tool_result")
                self.assertIn({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
                              result["content"])
        for name in ("gemini 2.5", "gemini 3.8, effort"):
            with self.subTest(name):
                parts = self.look(name)["contents"][-1]["parts"]
                self.assertIn({"inlineData": {"mimeType": "image/png", "data": data}}, parts)
                self.assertIn("functionResponse", parts[0])

    def test_a_picture_is_words_for_models_that_take_none(self):
        for name in ("deepseek v4 pro", "vllm", "llama.cpp", "lm studio", "ollama", "azure, chat"):
            with self.subTest(name):
                body = json.dumps(self.look(name))
                self.assertNotIn(base64.b64encode(PNG).decode(), body)
                self.assertIn("(a picture, image/png, ", body)
                self.assertIn("this model takes no pictures", body)


if __name__ == "__main__":
    main(processes=4)
