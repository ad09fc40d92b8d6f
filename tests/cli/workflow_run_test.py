"""stile workflow run and test: real commands, gated agents with scripted models, kill and resume."""

import http.server
import json
import os
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree

from harness import BAD_PYTHON, BINARY, GOOD_PYTHON, VALIDATE, StileTest, finish, write, write_cassette
from parallel import main

LOOP = """\
name: loop
steps:
  build: {type: command, exec: "echo run >> builds; test -f ok || { echo no ok >&2; exit 3; }", on_fail: {goto: mend}}
  mend: {type: command, manual: true, exec: [touch, ok], on_success: {goto: build}}
  list: {type: command, depends_on: [build], exec: "printf '[1, 2]'", forEach: true}
  each: {type: command, depends_on: [list], exec: [echo, "{{ forEach.index }}={{ outputs.list }}"]}
  all: {type: script, depends_on: [each], fanout: reduce, content: "return outputs.each.join(' ')"}
"""

# The looping plan of an agent builder: its last four steps are those of the published example.
BUILDER = """\
version: "1.0"
routing: {max_loops: 4}
checks:
  agent-write: {type: ai, prompt: "Write {{ slug }}."}
  config-lint: {type: command, depends_on: [agent-write], exec: ["true"], on_fail: {goto: agent-refine}}
  tests-validate: {type: command, depends_on: [agent-write], exec: "true", on_fail: {goto: agent-refine}}
  agent-refine: {type: ai, manual: true, prompt: Refine., on_success: {goto: agent-write}}
  agent-verify-tests:
    type: command
    on: [manual, issue_opened]
    depends_on: [agent-write, config-lint, tests-validate]
    exec: node dist/index.js test --config tmp/{{ slug }}.tests.yaml --json - --bail
    output_format: json
    fail_if: "output && Number(output.failures||0) > 0"
    on_fail: { goto: agent-refine }

  tests-ready:
    type: command
    group: agent-quality
    depends_on: [agent-verify-tests]
    on: [manual, issue_opened]
    exec: |
      node <<'NODE'
      const fs=require('fs');
      try {
        const s=JSON.parse(process.env.INPUT||'{}');
        const results = !!s && typeof s==='object' && s.results;
        const failures = Number((s && s.failures) || 0);
        process.stdout.write(JSON.stringify({ ready: !!results && failures===0, failures }));
      } catch { process.stdout.write('{"ready":false,"failures":-1}'); }
      NODE
    env:
      INPUT: "{{ outputs['agent-verify-tests'] | json }}"
    output_format: json

  agent-code-review:
    type: ai
    depends_on: [tests-ready]
    if: "outputs['tests-ready'] && outputs['tests-ready'].ready === true"

  agent-cleanup:
    type: command
    depends_on: [tests-ready]
    if: "outputs['tests-ready'] && outputs['tests-ready'].ready === true"
"""


class WorkflowRunTest(StileTest):
    def flow(self, text, *arguments, **more):
        self.write("w.yaml", text)
        return self.stile("workflow", "run", "w.yaml", *arguments, **more)

    def wait_for(self, marker, process):
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path(marker)):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll())
            time.sleep(0.02)

    def finished(self, result):
        return [e for e in self.events(result) if e["type"] == "workflow_finished"][0]

    def test_commands_routes_and_items(self):
        result = self.flow(LOOP)
        self.assert_exit(result, 0)
        for line in ("✓ build: passed, 2 runs", "✓ each: passed, 2 runs", "✓ all: passed, 1 run"):
            self.assertIn(line, result.stdout)
        self.assertIn("→ build leads to mend", result.stderr)
        self.assertIn("no ok", result.stderr)
        os.remove(self.path("ok"))
        result = self.flow(LOOP, "--json")
        self.assert_exit(result, 0)
        finished = self.finished(result)
        self.assertEqual(finished["runs"], {"build": 2, "mend": 1, "list": 1, "each": 2, "all": 1})
        self.assertEqual(finished["outputs"]["all"], "0=1 1=2")
        run = self.runs()[0]
        self.assertEqual((run["kind"], run["task"], run["outcome"]), ("workflow", "loop", "succeeded"))

    def test_what_a_command_leaves_in_its_home_no_other_one_reads(self):
        self.write("w.yaml", "steps: {a: {type: command, exec: 'echo x > ~/.left'}, b: {type: command, depends_on: [a], exec: 'ls -A ~'}}")
        result = self.stile("workflow", "run", "w.yaml", "--json")
        self.assert_exit(result, 0)
        self.assertNotIn(".left", self.finished(result)["outputs"]["b"])

    def test_exit_codes(self):
        for text, code, words in (
                ("steps: {a: {type: command, exec: [false]}}", 1, "a: exit status 1"),
                ("steps: {a: {type: noop, on_success: {goto: a}}}", 4, "routing.max_loops allows 10"),
                ("steps: {a: {type: command, exec: [no-such-program-here]}}", 1, "no-such-program-here"),
                ("steps: {a: {type: command, exec: 'kill -9 $$'}}", 1, "SIGKILL"),
                ("steps: {a: {type: command, exec: 'sleep 60', timeout_s: 1}}", 1, "timed out"),
                ("steps: {a: {type: command, exec: 'echo not json', output_format: json}}", 1, "w.yaml"),
                ("steps: {a: {type: command, exec: ['true'], cwd: ../..}}", 1, "cwd"),
                ("steps: {a: {type: human, question: 'Sure?'}}", 1, "this step asks a person"),
                ("steps: {a: {type: tool, tool: file.rede, arguments: {path: x}}}", 1, "file.read"),
                ("steps: {a: {type: http, url: 'http://127.0.0.1:9/x'}}", 1, "a:"),
                ("steps: {a: {type: agent, prompt: p}}", 2, "--model"),
                ("steps: {a: {type: agent, prompt: p, agent: nobody}}", 2, "nobody"),
                ("steps: {a: {type: verify, target: .}}", 2, "--model"),
                ("steps: {a: {type: command, exec: ['true'], depends_on: [b]}, b: {type: noop, depends_on: [a]}}",
                 2, "depend on each other: a → b → a"),
                ("steps: {a: {type: command", 2, "w.yaml:"),
        ):
            with self.subTest(text):
                result = self.flow(text)
                self.assert_exit(result, code)
                if "not json" in text:
                    words = "no JSON"
                self.assertIn(words, result.stdout + result.stderr)
        self.assert_exit(self.flow(LOOP, "--input", "nothing"), 2)

    def test_what_is_wrong_is_said_before_anything_runs(self):
        for step in ("{type: command, exec: {x: 1}}", "{type: command, exec: []}", "{type: command, exec: [a], cwd: [x]}",
                     "{type: tool, tool: [5]}", "{type: http, url: x, headers: 5}", "{type: workflow, file: x, inputs: [1]}",
                     "{type: log, message: x, level: loud}", "{type: memory, operation: get, key: ~}",
                     "{type: script, content: 'return 1', schema: {pattern: x}}",
                     "{type: script, content: 'return 1', schema: {properties: {a: {items: {format: date}}}}}",
                     "{type: script, content: 'return 1', schema: {$ref: '#'}}", "{type: agent, prompt: x, timeout_s: 3}"):
            with self.subTest(step):
                result = self.flow(f"steps: {{a: {step}}}")
                self.assert_exit(result, 2)
                self.assertIn("w.yaml:1", result.stderr)
        self.assert_exit(self.flow("steps: {a: {type: script, content: 'return {pattern: 1}', schema: {properties: {pattern: {type: integer}}}}}"), 0)

    def test_much_output_is_cut_with_a_word(self):
        result = self.flow("steps: {a: {type: command, exec: 'head -c 9000000 /dev/zero | tr \\\\0 x'}, b: {type: script, depends_on: [a], content: 'return outputs.a.indexOf(\"left out\") > 0'}}", "--json")
        self.assert_exit(result, 0)
        self.assertTrue(self.finished(result)["outputs_left_out"])
        self.assertIn('"output":true', result.stdout)
        self.assert_exit(self.stile("runs", "show", self.runs()[0]["id"]), 0)

    def test_commands_are_in_the_workspace_with_what_they_are_given(self):
        result = self.flow("""\
env: [VISIBLE]
steps:
  a: {type: command, exec: "cat; echo \\" $NAME $PWD\\"", stdin: "in", env: {NAME: "{{ slug }} {{ env.VISIBLE }}"}, cwd: sub}
  b: {type: command, exec: [env]}
  c: {type: script, content: "return typeof env.HIDDEN"}
""", "--input", "slug=x y", "--json", env={"VISIBLE": "seen", "HIDDEN": "no", "OPENAI_API_KEY": "sk-secret-1"})
        self.assertNotIn("sk-secret", result.stdout)
        self.assert_exit(result, 1)  # there is no folder `sub`
        os.mkdir(self.path("sub"))
        result = self.stile("workflow", "run", "w.yaml", "--input", "slug=x y", "--json", env={"VISIBLE": "seen"})
        self.assert_exit(result, 0)
        outputs = self.finished(result)["outputs"]
        self.assertEqual(outputs["a"], "in x y seen " + self.path("sub"))
        self.assertEqual(outputs["c"], "undefined")

    def test_agents_are_gated_runs(self):
        model = self.cassette([write("a.py", BAD_PYTHON), VALIDATE], finish("liar"), finish("liar"),
                              [write("a.py", GOOD_PYTHON), VALIDATE], finish("wrote it"), finish('Sure:\n```json\n{"ok": true}\n```'))
        result = self.flow("""\
steps:
  write: {type: agent, prompt: Write a.py.}
  check: {type: command, depends_on: [write], exec: [python3, -m, py_compile, a.py]}
  review: {type: agent, depends_on: [check], prompt: "Review what gave {{ outputs.write }}.", output_format: json}
  done: {type: script, depends_on: [review], content: "return outputs.review.ok"}
""", "--model", model, "--json")
        self.assert_exit(result, 0)
        events = self.events(result)
        self.assertIn("gate_rejected", [e["type"] for e in events if e.get("step") == "write"])
        finished = self.finished(result)
        self.assertEqual(finished["outputs"], {"write": "wrote it", "check": "", "review": {"ok": True}, "done": True})
        self.assertEqual(events[-1]["changed"], ["a.py"])

    def test_an_agent_that_fails_fails_its_step(self):
        model = self.cassette(write("a.py", BAD_PYTHON), finish("x"))
        result = self.flow("steps: {w: {type: agent, prompt: p}, n: {type: noop, depends_on: [w]}}", "--model", model)
        self.assert_exit(result, 1)
        self.assertIn("model_error", result.stdout)
        self.assertIn("n: skipped (dependency_failed)", result.stdout)

    def test_the_published_looping_plan_runs_unchanged(self):
        self.use_compilers()
        self.write("dist/index.js", """\
const fs = require('fs');
const n = fs.existsSync('tmp/n') ? Number(fs.readFileSync('tmp/n')) : 0;
fs.mkdirSync('tmp', {recursive: true});
fs.writeFileSync('tmp/n', String(n + 1));
process.stdout.write(JSON.stringify({failures: n < 2 ? 1 : 0, results: [process.argv[4]]}));
""")
        folder = os.path.join(self.root, "cassettes")
        os.mkdir(folder)
        for step in ("agent-write", "agent-refine", "agent-code-review"):
            write_cassette(os.path.join(folder, step + ".jsonl"), [finish(f"{step} {i}") for i in range(3)])
        result = self.flow(BUILDER, "--model", "replay:" + folder, "--input", "slug=demo", "--json")
        self.assert_exit(result, 0)
        finished = self.finished(result)
        self.assertEqual(finished["runs"], {
            "agent-write": 3, "config-lint": 3, "tests-validate": 3, "agent-verify-tests": 3, "agent-refine": 2,
            "tests-ready": 1, "agent-code-review": 1, "agent-cleanup": 1})
        self.assertEqual(finished["outputs"]["agent-verify-tests"]["results"], ["tmp/demo.tests.yaml"])
        self.assertEqual(finished["outputs"]["tests-ready"], {"ready": True, "failures": 0})
        # Each cassette went on where the run of the step before had left it.
        self.assertEqual(finished["outputs"]["agent-write"], "agent-write 2")

    def test_http_steps_send_and_receive(self):
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                asked.append((self.path, self.headers["X-Key"], body))
                answer = b'{"n": 2}' if self.path == "/json" else b"no"
                self.send_response(200 if self.path == "/json" else 404)
                self.send_header("Content-Type", "application/json" if self.path == "/json" else "text/plain")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        result = self.flow(f"""\
steps:
  ask: {{type: http, url: "{url}/json", method: post, headers: {{X-Key: k}}, body: {{a: 1}}}}
  use: {{type: script, depends_on: [ask], content: "return outputs.ask.body.n + 1"}}
""", "--json")
        self.assert_exit(result, 0)
        finished = self.finished(result)
        self.assertEqual(finished["outputs"], {"ask": {"status": 200, "body": {"n": 2}}, "use": 3})
        result = self.flow(f"steps: {{ask: {{type: http, url: '{url}/none', method: POST, body: x}}}}")
        self.assert_exit(result, 1)
        self.assertIn("404", result.stdout + result.stderr)
        self.assertEqual(asked, [("/json", "k", '{"a":1}'), ("/none", None, "x")])

    def test_killed_and_resumed_it_comes_to_the_same_counts(self):
        text = LOOP.replace("exec: [touch, ok]", "exec: 'touch ok; touch waiting; test -f go || sleep 60'")
        text += """\
  write: {type: agent, depends_on: [all], prompt: p}
  last: {type: command, depends_on: [write], exec: "touch waiting2; test -f go2 || sleep 60"}
"""
        self.write("w.yaml", text)
        model = self.cassette([write("a.py", GOOD_PYTHON), VALIDATE], finish("done"))

        def kill_at(arguments, marker):
            process = subprocess.Popen([BINARY, *arguments], cwd=self.workspace, env=self.env,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wait_for(marker, process)
            process.send_signal(signal.SIGKILL)
            process.wait()

        kill_at(["workflow", "run", "w.yaml", "--model", model], "waiting")
        run = self.runs()[0]
        self.assertEqual(run["outcome"], "interrupted")
        self.write("go", "")
        kill_at(["runs", "resume", run["id"]], "waiting2")
        self.write("go2", "")
        result = self.stile("runs", "resume", run["id"], "--json")
        self.assert_exit(result, 0)
        finished = self.finished(result)
        self.assertEqual(finished["runs"], {"build": 2, "mend": 1, "list": 1, "each": 2, "all": 1, "write": 1, "last": 1})
        self.assertEqual(finished["outputs"]["write"], "done")
        self.assertEqual(self.read("builds"), "run\nrun\n")
        self.assertEqual(len([r for r in self.runs("--steps") if r["id"].startswith(run["id"] + ".") and r["kind"] == "run"]), 1)
        result = self.stile("runs", "resume", run["id"])
        self.assert_exit(result, 2)
        self.assertIn("has ended", result.stderr)

    def test_what_has_changed_since_is_said_and_put_back_it_goes_on(self):
        self.write("in.yaml", "steps: {x: {type: command, exec: 'echo {{ env.TOK }}'}, y: {type: command, depends_on: [x], exec: 'touch waiting; test -f go || sleep 60'}}")
        self.write("w.yaml", "env: [TOK]\nsteps: {n: {type: workflow, file: in.yaml}}")
        process = subprocess.Popen([BINARY, "workflow", "run", "w.yaml"], cwd=self.workspace, env={**self.env, "TOK": "1"},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for("waiting", process)
        process.kill()
        process.wait()
        self.write("go", "")
        run = self.runs()[0]["id"]
        inner = self.read("in.yaml")
        self.write("in.yaml", inner + "\n# other")
        for _ in range(2):
            result = self.stile("runs", "resume", run, env={"TOK": "2"})
            self.assert_exit(result, 2)
            self.assertIn("has changed since", result.stderr)
        os.remove(self.path("in.yaml"))
        self.assert_exit(self.stile("runs", "resume", run, env={"TOK": "2"}), 2)
        self.write("in.yaml", inner)
        result = self.stile("runs", "resume", run, "--json", env={"TOK": "2"})
        self.assert_exit(result, 0)
        self.assertEqual(self.finished(result)["outputs"]["n"]["x"], "1")

    def test_a_changed_workflow_is_not_resumed(self):
        self.write("w.yaml", "steps: {a: {type: command, exec: 'touch waiting; sleep 60'}}")
        process = subprocess.Popen([BINARY, "workflow", "run", "w.yaml"], cwd=self.workspace, env=self.env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for("waiting", process)
        process.kill()
        process.wait()
        self.write("w.yaml", "steps: {a: {type: noop}}")
        result = self.stile("runs", "resume", self.runs()[0]["id"])
        self.assert_exit(result, 2)
        self.assertIn("has changed since", result.stderr)

    def test_interrupted_it_ends_as_cancelled(self):
        self.write("w.yaml", "steps: {a: {type: command, exec: 'touch waiting; sleep 60'}, b: {type: command, exec: 'sleep 60'}}")
        process = subprocess.Popen([BINARY, "workflow", "run", "w.yaml"], cwd=self.workspace, env=self.env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for("waiting", process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 130)


TESTED = """\
steps:
  a: {type: command, exec: [x], on_fail: {retry: {max: 1}}}
  b: {type: agent, depends_on: [a], prompt: p}
tests:
  cases:
    - name: a retry
      mocks: {"a[]": [{exit_code: 1, stderr: bad}, {stdout: fine}], b: done}
      expect: {calls: {a: 2, b: 1}, outputs: [{step: a, equals: fine}]}
    - name: both fail
      mocks: {a: {exit_code: 7}}
      expect: {calls: {a: 2}, fail: {reason: step_failed, message_contains: exit status 7}, skipped: {b: dependency_failed}}
"""


class WorkflowTestsTest(StileTest):
    def test_cases(self):
        self.write("w.yaml", TESTED)
        result = self.stile("workflow", "test", "w.yaml")
        self.assert_exit(result, 0)
        self.assertIn("2 passed, 0 failed", result.stdout)
        self.write("w.yaml", TESTED.replace("b: 1}", "b: 2}").replace("exit status 7", "<&\"'"))
        result = self.stile("workflow", "test", "w.yaml", "--json", "--junit", "report.xml")
        self.assert_exit(result, 1)
        report = json.loads(result.stdout)
        self.assertEqual((report["passed"], report["failures"]), (0, 2))
        self.assertEqual(report["results"][0]["stages"][0]["failures"], ["b ran 1 time, expected 2"])
        suite = xml.etree.ElementTree.parse(self.path("report.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "2"))
        self.assertIn("<&\"'", suite.findall("testcase")[1].find("failure").text)

    def test_what_is_not_expected_fails(self):
        for was, now, words in (
                ("{a: 2, b: 1}", "{a: 2}", "b ran 1 time and is not expected"),
                ("b: done}", "}", "b: "),  # an agent without a model
                ("equals: fine", "equals: other", "a is not \"other\" but \"fine\""),
                ("equals: fine", "path: x.y, equals: 1", "a has no x.y"),
                ("[{exit_code: 1, stderr: bad}, {stdout: fine}]", "[{exit_code: 1}]", "was called 2 times, and has 1 mock"),
                ("{b: dependency_failed}", "{b: condition}", "was skipped as dependency_failed"),
                ("reason: step_failed", "reason: loop_budget_exceeded", "failed as step_failed"),
        ):
            with self.subTest(now):
                self.assertIn(was, TESTED)
                self.write("w.yaml", TESTED.replace(was, now))
                result = self.stile("workflow", "test", "w.yaml")
                self.assert_exit(result, 1)
                self.assertIn(words, result.stdout)

    def test_a_file_of_its_own_and_stages(self):
        self.write("flows/w.yaml", "steps: {a: {type: memory, operation: increment, key: n}, b: {type: command, depends_on: [a], exec: [echo, hi]}}")
        self.write("t.yaml", """\
workflow: flows/w.yaml
tests:
  cases:
    - name: stages
      flow:
        - {name: one, expect: {calls: {a: 1, b: 1}, outputs: [{step: a, equals: 1}]}}
        - {name: two, expect: {calls: [{step: a, exactly: 1}, {step: b, exactly: 1}], outputs: [{step: a, equals: 2}, {step: b, matches: "^hi$"}]}}
""")
        self.assert_exit(self.stile("workflow", "test", "t.yaml"), 0)
        self.assert_exit(self.stile("workflow", "test", "t.yaml", "--filter", "stag"), 0)
        self.assert_exit(self.stile("workflow", "test", "t.yaml", "--filter", "nothing"), 2)

    def test_mocks_are_of_the_workflow_itself_and_memory_goes_on(self):
        self.write("in.yaml", "steps: {a: {type: script, content: 'return 1'}}")
        self.write("w.yaml", """\
steps:
  a: {type: command, exec: echo outer}
  n: {type: workflow, depends_on: [a], file: in.yaml}
  m: {type: memory, operation: increment, key: n}
tests:
  cases:
    - name: inner
      memory: {n: 10}
      mocks: {a: mocked}
      flow:
        - {name: one, expect: {calls: {a: 1, n: 1, n/a: 1, m: 1}, outputs: [{step: n, path: a, equals: 1}, {step: m, equals: 11}]}}
        - {name: two, expect: {calls: {a: 1, n: 1, n/a: 1, m: 1}, outputs: [{step: m, equals: 12}]}}
""")
        self.assert_exit(self.stile("workflow", "test", "w.yaml"), 0)

    def test_wrong_files(self):
        for was, now, words in (
                ("calls: {a: 2, b: 1}", "calls: {aa: 2}", "w.yaml:8"),
                ("mocks: {a:", "mocks: {c:", "the workflow has no step 'c'"),
                ("name: both fail", "name: a retry", "another case"),
                ("equals: fine", "matches: '('", "matches"),
                ("tests:", "test:", "the file has no `tests:`"),
                ("mocks: {a:", "mock: {a:", "did you mean 'mocks'"),
                ("calls: {a: 2, b: 1}", "calls: [{step: a, exactly: 7}, {step: a, exactly: 2}]", "given twice"),
                ("calls: {a: 2, b: 1}", "calls: {a: 2, b: 1}, no_calls: [b]", "given twice"),
                ("b: done}", "b: done, a: 5}", "mocks by both"),
                ("exit_code: 7", "exit_code: seven", "exit_code"),
                ("exit_code: 7", "exit_code: 7, stdot: x", "did you mean 'stdout'"),
                ("b: done}", "b: {$fial: x}}", "did you mean '$fail'"),
                ("{b: dependency_failed}", "{b/c: dependency_failed}", "nested workflow"),
        ):
            with self.subTest(now):
                self.write("w.yaml", TESTED.replace(was, now))
                result = self.stile("workflow", "test", "w.yaml")
                self.assert_exit(result, 2)
                self.assertIn(words, result.stderr)
        self.write("w.yaml", "steps: {a: {type: noop}}")
        self.assert_exit(self.stile("workflow", "test", "w.yaml"), 2)
        self.assert_exit(self.stile("workflow", "test", "gone.yaml"), 2)


class BuildTest(StileTest):
    def test_the_bundled_workflows_pass_their_tests(self):
        folder = os.path.join(os.path.dirname(__file__), "..", "..", "agents", "workflows")
        names = sorted(name[:-len(".yaml")] for name in os.listdir(folder))
        self.assertIn("agent-builder", names)
        for name in names:
            self.assert_exit(self.stile("workflow", "test", "builtin:" + name), 0)
            self.assert_exit(self.stile("workflow", "graph", "builtin:" + name), 0)
        result = self.stile("workflow", "run", "builtin:other")
        self.assert_exit(result, 2)
        self.assertIn("builtin:agent-builder", result.stderr)

    def test_a_workflow_is_built_until_it_lints_and_its_tests_pass(self):
        good = "steps: {greet: {type: command, exec: [echo, hi]}}\n"
        tests = "workflow: hi.yaml\ntests: {cases: [{name: greets, expect: {calls: {greet: 1}, outputs: [{step: greet, equals: hi}]}}]}\n"
        folder = os.path.join(self.root, "cassettes")
        os.mkdir(folder)
        write_cassette(os.path.join(folder, "agent-write.jsonl"), [
            [write("flows/hi.yaml", good.replace("command", "comand")), write("flows/hi.tests.yaml", tests)], finish("first"),
            write("flows/hi.yaml", good.replace("hi]", "ho]")), finish("second"),
            write("flows/hi.yaml", good), finish("third"),
            finish("again")])
        write_cassette(os.path.join(folder, "agent-refine.jsonl"), [finish(f"change {i}") for i in range(3)])
        write_cassette(os.path.join(folder, "code-review.jsonl"), [
            finish('{"ok": false, "findings": ["hi.yaml: no version"]}'), finish('{"ok": true, "findings": []}')])
        result = self.stile("workflow", "author", "flows/hi.yaml", "-t", "Say hi.", "--model", "replay:" + folder, "--json")
        self.assert_exit(result, 0)
        events = self.events(result)
        finished = [e for e in events if e["type"] == "workflow_finished"][0]
        self.assertEqual(finished["runs"], {
            "agent-write": 4, "config-lint": 4, "tests-validate": 3, "verify-tests": 3, "agent-refine": 3,
            "tests-ready": 2, "code-review": 2, "cleanup": 1})
        prompts = [r["user_prompt"] for r in (self.journal(run["id"])[0] for run in reversed(self.runs("--steps"))) if "user_prompt" in r]
        self.assertEqual(len([p for p in prompts if "comand" in p and "flows/hi.yaml:1" in p]), 1)
        self.assertEqual(len([p for p in prompts if "greet is not" in p]), 1)
        self.assertEqual(len([p for p in prompts if "no version" in p]), 1)
        self.assertEqual(self.read("flows/hi.yaml"), good)
        self.assertFalse(os.path.exists(self.path("flows/hi.tests.yaml.report.xml")))
        self.assertEqual(events[-1]["changed"], ["flows/hi.tests.yaml", "flows/hi.yaml"])
        self.assert_exit(self.stile("workflow", "author", "x.yaml", "-t", " "), 2)
        self.assert_exit(self.stile("workflow", "author", "x.yaml"), 2)


if __name__ == "__main__":
    main(processes=4)
