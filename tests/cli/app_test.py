"""stile app: a toy language, transpiled to a real Node.js server by real programs."""

import glob
import http.server
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import threading
import time
import zipfile

from harness import VALIDATE as CODE_VALIDATE
from harness import BINARY, StileTest, finish, write, write_cassette
from parallel import main

VALIDATE = """\
import json, sys
errors = []
for number, line in enumerate(open(sys.argv[1]), 1):
    word = (line.split() or ["text"])[0]
    if word not in ("title", "text", "note"):
        errors.append({"code": "E001", "message": "unknown word " + word, "line": number})
print(json.dumps({"valid": not errors, "errors": errors, "warnings": []}))
"""
LINT = """\
import json, sys
text = open(sys.argv[1]).read()
hints = [] if "title" in text else [{"level": "error", "message": "there is no title"}]
if "note" in text:
    hints.append({"level": "warn", "message": "a note is not shown"})
print(json.dumps({"hints": hints}))
"""
# What the title says makes it misbehave.
TRANSPILE = """\
import json, os, sys
source, out = sys.argv[1:]
title = [line.split(None, 1)[1].strip() for line in open(source) if line.startswith("title")][0]
if "UNPARSABLE" in title:
    sys.exit(source + ":1:7: error: this title cannot be transpiled")
if "PANIC" in title:
    sys.exit("internal error")
os.makedirs(os.path.join(out, "src"))
with open(os.path.join(out, "package.json"), "w") as file:
    json.dump({"name": "app", "version": "1.0.0", "scripts": {"build": "node --check src/server.js", "start": "node src/server.js"}}, file)
code = 'require("http").createServer((request, response) => { response.statusCode = %d; response.end(%s); }).listen(process.env.PORT);\\n'
with open(os.path.join(out, "src", "server.js"), "w") as file:
    file.write(code % (500 if "ERROR" in title else 200, json.dumps(title)) if "CRASH" not in title else "process.exit(3);\\n")
    file.write("}" if "BROKEN" in title else "")
    file.write("// %s\\n" % os.urandom(8).hex() if "RANDOM" in title else "")
if "LINK" in title:
    os.symlink("/etc/passwd", os.path.join(out, "link"))
"""

# Behaves as AirEngine's own command line: what it prints, where, with which status, and the files that hold times.
AIR = r"""
import json, os, re, sys, time
verb, source = sys.argv[1:3]
text = open(source).read()
def parse_error():
    for number, line in enumerate(text.splitlines(), 1):
        block = re.match(r"\s*@(\w+)", line)
        if block and block[1] not in ("app", "state", "style", "ui", "persist"):
            return (number, line.index("@") + 1, "Unknown block type: @" + block[1], "Use a valid block type: @state, @ui")
    return None if text.startswith("@app:") else (1, 1, "Missing @app declaration", "Fix the syntax error at this location")
wrong = parse_error()
if verb == "diagnose":
    found = [{"code": "AIR-P004", "severity": "error", "category": "syntax", "message": wrong[2], "location": {"line": wrong[0], "col": wrong[1]},
              "fix": {"description": wrong[3]}}] if wrong else []
    if not wrong and "@ui" not in text:
        found.append({"code": "AIR-E002", "severity": "error", "category": "structural", "message": "No @ui block found", "block": "@ui",
                      "fix": {"description": "Add a @ui block", "suggestion": "@ui(h1>\"Hello\")"}})
    found.append({"code": "AIR-L002", "severity": "info", "category": "style", "message": "@style not specified"})
    print(json.dumps({"valid": False if found[0]["severity"] == "error" else True, "diagnostics": found, "summary": {"errors": len(found) - 1, "warnings": 0, "info": 1},
                      "source_hash": "0" * 64, "airengine_version": "0.2.0", "schema_version": "1.0"}))
    sys.exit(0)
print("\n  \u26a1 AirEngine\n")
if wrong:
    print("  ERROR: [AIR Parse Error] Line %d:%d: %s (token: '@')\n" % wrong[:3], file=sys.stderr)
    sys.exit(1)
if "@ui" not in text:
    print(("  FAIL: %s has errors:\n" % source if verb == "validate" else "  FAIL: Validation failed:\n") + "\n     E002: No @ui block found \u2014 app has no interface")
    sys.exit(0 if verb == "validate" else 1)
if "@state" not in text:
    print("  \u26a0  No @state block found\n")
if verb == "validate":
    print("  \u2705 %s is valid\n" % source)
else:
    out = sys.argv[4]
    files = {"package.json": {"name": "todo", "version": "1.0.0", "scripts": {"build": "node --check server.js", "start": "node server.js"}},
             "_airengine_manifest.json": {"timestamp": time.time_ns()}, ".air-cache/manifest.json": {"timestamp": time.time_ns()}}
    for name, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(out, name)), exist_ok=True)
        json.dump(data, open(os.path.join(out, name), "w"))
    open(os.path.join(out, "server.js"), "w").write("require('http').createServer((q, r) => r.end('todo')).listen(3001);\n")
"""


class LoopCase(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()
        for name, text in (("validate", VALIDATE), ("lint", LINT), ("transpile", TRANSPILE)):
            self.write(f"tools/{name}.py", text)
        self.init_git()
        self.folder = os.path.join(self.root, "cassettes")
        os.mkdir(self.folder)

    def arguments(self, *more):
        """The flags of `more` take the place of those that they repeat."""
        tools = ["--validate", "python3 tools/validate.py $SOURCE", "--lint", "python3 tools/lint.py $SOURCE",
                 "--transpile", "python3 tools/transpile.py $SOURCE $OUT", "--source", "hello.app",
                 "--transpile-budget-ms", "60000"]
        kept = [word for i in range(0, len(tools), 2) if tools[i] not in more for word in tools[i:i + 2]]
        return ["app", "--workspace", self.path("."), "--model", "replay:" + self.folder, "--json", *kept, *more]

    def loop(self, *more, repairs=(), task=None, source=None):
        if source is not None:
            self.write("hello.app", source)
        write_cassette(os.path.join(self.folder, "generate.jsonl"), [write("hello.app", task), finish("written")] if task else [])
        turns = []
        for text in repairs:
            turns += [write("hello.app", text), finish("repaired")] if text is not None else [finish("it is fine")]
        write_cassette(os.path.join(self.folder, "repair.jsonl"), turns)
        return self.stile(*self.arguments(*more, *(["-t", "say hello"] if task else [])))

    def finished(self, result):
        return [e for e in self.events(result) if e["type"] == "workflow_finished"][0]

    def report(self, result):
        return self.finished(result)["report"]

    def artifacts(self, result, *names):
        return os.path.join(self.state, "runs", self.events(result)[0]["run_id"], "artifacts", *names)

    def assert_failed(self, result, phase, words):
        self.assert_exit(result, 1)
        report = self.report(result)
        self.assertEqual((report["status"], report["phase"]), ("failure", phase))
        self.assertIn(words, report["message"])
        self.assertFalse(os.path.exists(self.path("output")))
        return report


class LoopTest(LoopCase):
    def test_generated_repaired_and_delivered(self):
        broken, worse = "titel Hello\ntext Hi\n", "titel Hello\ntxt Hi\n"
        result = self.loop("--smoke", "L3", "--expect", "package.json", "--report", self.path("r.json"),
                           task=broken, repairs=[worse, "title Hello\nnote x\n"])
        self.assert_exit(result, 0)
        report = self.report(result)
        self.assertEqual(json.loads(self.read("r.json")), report)
        self.assertEqual(
            {key: report[key] for key in ("status", "source", "repair_attempts", "repair_stop", "output_files", "smoke_test",
                                          "output", "run_instructions", "complexity", "remaining_errors", "total_tokens_used")},
            {"status": "success", "source": "title Hello\nnote x\n", "repair_attempts": 2, "repair_stop": "success", "output_files": 2,
             "smoke_test": "L3_PASS", "output": "output", "run_instructions": "cd output && npm start", "complexity": "simple",
             "remaining_errors": [], "total_tokens_used": 660})
        self.assertEqual(report["warnings"], [{"level": "warning", "tool": "lint", "message": "a note is not shown"}])
        self.assertEqual([f["path"] for f in report["files_summary"]], ["package.json", "src/server.js"])
        self.assertEqual(self.finished(result)["runs"]["repair"], 2)
        self.assertEqual(sorted(os.listdir(self.path("output"))), ["package.json", "src"])
        with open(self.artifacts(result, "repair-1", "attempt.json"), encoding="utf-8") as file:
            attempt = json.load(file)
        self.assertEqual((attempt["source_before"], attempt["source_after"], attempt["tokens_used"]), (broken, worse, 220))
        self.assertEqual([e["message"] for e in attempt["errors_in"]], ["unknown word titel", "there is no title"])
        self.assertEqual(len(attempt["errors_out"]), 3)
        with open(self.artifacts(result, "repair-1", "change.diff"), encoding="utf-8") as file:
            self.assertIn("-text Hi\n+txt Hi\n", file.read())
        first = report["repairs"][0]
        self.assertEqual([(r["attempt"], r["stop"], len(r["errors_in"]), len(r["errors_out"])) for r in report["repairs"]], [(1, None, 2, 3), (2, "success", 3, 0)])
        self.assertIn("-text Hi\n+txt Hi\n", first["diff"])
        self.assertEqual(first["tokens_used"], 220)
        self.assertIn("-titel Hello\n-text Hi\n+title Hello\n+note x", report["change"])
        self.assertEqual([name for name, ms in report["timing"].items() if ms is None], [])
        self.assertEqual(len(report["timing"]), 6)
        prompts = [r["user_prompt"] for r in (self.journal(run["id"])[0] for run in self.runs("--steps")) if "user_prompt" in r]
        self.assertTrue(any("E001 line 1: unknown word titel" in p and broken.strip() in p for p in prompts))
        self.assertTrue(any("attempt 2 of 3" in p and p.count("+txt Hi") == 1 for p in prompts))

    def test_why_repairing_ends(self):
        bad = "wrong\ntitle\n"
        for repairs, more, stop, attempts in (
                ([None], (), "noop", 1),
                (["wrong1\ntitle\n", "wrong2\ntitle\n", "wrong3\ntitle\n"], (), "max_attempts", 3),
                (["wrong1\ntitle\n"], ("--stop-on-no-improvement",), "no_improvement", 1),
                (["wrong1\ntitle\n", bad], (), "cycle_detected", 2),
                ([], ("--attempts", "0"), "max_attempts", 0)):
            with self.subTest(stop):
                report = self.assert_failed(self.loop(*more, source=bad, repairs=repairs), "validate", "diagnose")
                self.assertEqual((report["repair_stop"], report["repair_attempts"]), (stop, attempts))
                self.assertEqual(report["remaining_errors"][0]["line"], 1)
                self.assertIn("unknown word", report["recommendation"])

    def test_the_transpiler(self):
        result = self.loop(source="title UNPARSABLE\n", repairs=["title Fine\n"])
        self.assert_exit(result, 0)
        self.assertEqual(self.finished(result)["runs"]["transpile"], 2)
        shutil.rmtree(self.path("output"))
        for title, words in (("PANIC", "internal error"), ("RANDOM", "not deterministic"), ("LINK", "neither files nor folders")):
            with self.subTest(title):
                report = self.assert_failed(self.loop(source=f"title {title}\n"), "transpile", words)
                self.assertEqual((report["repair_attempts"], report["smoke_test"]), (0, "not_run"))
        self.assert_failed(self.loop("--expect", "prisma/schema.prisma", source="title Fine\n"), "transpile", "prisma/schema.prisma")
        result = self.loop("--transpile", "python3 tools/transpile.py $SOURCE $OUT && sleep 0.2", "--transpile-budget-ms", "100", source="title Slow\n")
        self.assert_exit(result, 0)
        self.assertIn("more than --transpile-budget-ms 100", self.report(result)["warnings"][-1]["message"])
        shutil.rmtree(self.path("output"))
        self.assert_failed(self.loop("--min-files", "6", source="title Fine\n"), "transpile", "fewer than --min-files 6")

    def test_the_smoke_test(self):
        for title, level, smoke in (("BROKEN", "L1", "L1_FAIL"), ("CRASH", "L2", "L2_FAIL")):
            with self.subTest(title):
                report = self.assert_failed(self.loop("--smoke", level, source=f"title {title}\n"), "smoke", "status")
                self.assertEqual(report["smoke_test"], smoke)
        self.assertEqual(self.assert_failed(self.loop("--install", "false", source="title Fine\n"), "smoke", "false")["smoke_test"], "L0_FAIL")
        result = self.loop("--smoke", "L3", source="title ERROR\n")
        self.assert_exit(result, 0)
        self.assertEqual(self.report(result)["smoke_test"], "L3_WARNING")
        self.assertTrue(any("answered with 500" in e.get("text", "") for e in self.events(result)))
        shutil.rmtree(self.path("output"))
        # What the build does to the files is not delivered, and cannot reach what is.
        result = self.loop("--build", "touch built; echo x >> ../out/package.json", source="title Tampered\n")
        self.assert_failed(result, "deliver", "has been changed since")
        self.assert_exit(self.loop("--build", "touch built", source="title Fine\n"), 0)
        self.assertFalse(os.path.exists(self.path("output/built")))

    def test_what_is_there_already_is_not_overwritten(self):
        self.write("output/mine.txt", "mine")
        result = self.loop(source="title Fine\n")
        self.assert_exit(result, 1)
        self.assertIn("output exists", self.report(result)["message"])
        self.assertEqual(os.listdir(self.path("output")), ["mine.txt"])
        result = self.loop("--replace")
        self.assert_exit(result, 0)
        self.assertEqual(os.listdir(self.artifacts(result, "replaced-1")), ["mine.txt"])
        self.assertEqual(sorted(os.listdir(self.path("output"))), ["package.json", "src"])

    def test_the_same_work_is_not_done_twice(self):
        def recalled(result):
            return sorted(e["text"].split(":")[0] for e in self.events(result) if "used again" in e.get("text", ""))
        self.assertEqual(recalled(self.loop("--build", "false", source="title Fine\n")), [])
        result = self.loop("--build", "true")
        self.assert_exit(result, 0)
        self.assertEqual(recalled(result), ["lint", "transpile", "validate"])
        self.assertEqual(self.read("output/src/server.js").count("Fine"), 1)
        shutil.rmtree(self.path("output"))
        self.write("tools/transpile.py", TRANSPILE.replace('json.dumps(title)', 'json.dumps(title + "2")'))
        result = self.loop("--build", "true")
        self.assertEqual(recalled(result), [])
        self.assertIn("Fine2", self.read("output/src/server.js"))

    def test_a_variable_counts_unless_it_is_of_the_session(self):
        self.write("hello.app", "title GOOD\n")
        names = ("TMUX", "SSH_TTY", "TERM", "MODE")
        def is_recalled(**env):
            for name in names:
                self.env.pop(name, None)
            self.env.update(env)
            # Nothing is delivered, so the workspace stays as it is.
            result = self.loop("--validate", "test -z \"$TMUX\"", "--transpile", "false", "--attempts", "0")
            self.assert_failed(result, "transpile", "")
            return any(e.get("text", "").startswith("validate: the same command") for e in self.events(result))
        self.assertFalse(is_recalled(TMUX="/tmp/tmux-0/default,1,0", SSH_TTY="/dev/pts/1"))
        self.assertTrue(is_recalled(TMUX="/tmp/tmux-0/default,2,0", TERM="vt100"))
        self.assertFalse(is_recalled(MODE="other"))
        self.assertTrue(is_recalled(MODE="other"))
        # git log, git describe and git config tell other things now.
        self.git("tag", "v2")
        self.assertFalse(is_recalled(MODE="other"))

    def test_results_are_not_used_again_when_anything_they_read_has_changed(self):
        self.write(".gitignore", "gen/\n")
        self.write("gen/check.sh", "exit 0\n")
        self.write("gen/a.app", "title GOOD\n")
        flags = ("--source", "gen/a.app", "--smoke", "none", "--replace", "--attempts", "0")
        def run(validate):
            return self.loop(*flags, "--validate", validate)
        good = "! grep BAD $SOURCE && sh gen/check.sh"
        self.assert_exit(run(good), 0)
        for path, text, undo in ((self.path("gen/a.app"), "title BAD\n", "title GOOD\n"),
                                 (self.path("gen/check.sh"), "exit 1\n", "exit 0\n")):
            with self.subTest(path):
                for content, code in ((text, 1), (undo, 0)):
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(content)
                    self.assert_exit(run(good), code)

    def test_what_is_delivered_was_validated(self):
        for more in (("--validate", "sed -i s/BAD/FIXED/ $SOURCE"),
                     ("--transpile", "cp $SOURCE $OUT/f; echo '# more' >> $SOURCE"),
                     ("--transpile", "sed -i s/BAD/FIXED/ $SOURCE; echo $SOURCE:1: error: no; exit 1")):
            with self.subTest(more):
                result = self.loop(*more, source="title BAD\n")
                self.assert_exit(result, 1)
                self.assertIn("has changed since", self.report(result)["message"])
                self.assertFalse(os.path.exists(self.path("output")))
        # Killed before it transpiled, and changed meanwhile.
        self.write("hello.app", "title GOOD\n")
        command = [BINARY, *self.arguments("--transpile", "touch reached; test -f go || sleep 60; cp $SOURCE $OUT/package.json")]
        with subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not os.path.exists(self.path("reached")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            process.kill()
        self.write("go", "")
        self.write("hello.app", "title BAD\n")
        result = self.stile("runs", "resume", self.runs()[0]["id"], "--json")
        self.assert_exit(result, 1)
        self.assertIn("has changed since it was validated", self.report(result)["message"])

    def test_an_agent_that_mends_the_validator(self):
        write_cassette(os.path.join(self.folder, "repair.jsonl"), [[write("tools/validate.py", "print('{}')"), write("hello.app", "title\nstill wrong\n"), CODE_VALIDATE], finish("ok")])
        self.write("hello.app", "title\nwrong\n")
        result = self.stile(*self.arguments())
        self.assert_failed(result, "validate", "changed tools/validate.py, and may change hello.app only")

    def test_nothing_of_the_users_is_lost(self):
        self.write("output/a", "mine")
        for name in ("output.stile-new", "output.new"):
            self.write(name + "/b", "mine too")
        before = set(os.listdir(self.path(".")))
        result = self.loop("--replace", source="title Fine\n")
        self.assert_exit(result, 0)
        self.assertEqual(set(os.listdir(self.path("."))), before | {"hello.app"})
        with open(self.artifacts(result, "replaced-1", "a"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        for report in ("hello.app", "-", "no-such-folder/r.json", "output"):
            result = self.stile(*self.arguments("--report", report), cwd=self.path("."))
            self.assert_exit(result, 2)
        os.mkfifo(self.path("pipe"))
        self.assert_exit(self.stile(*self.arguments("--report", self.path("pipe"))), 2)
        self.assertEqual(self.read("hello.app"), "title Fine\n")

    def test_a_delivery_holds_nothing_but_files(self):
        newline = 'mkdir "$OUT/x:1\n."; echo a > "$OUT/x:1\n./package.json"'
        self.assert_failed(self.loop("--transpile", newline, "--expect", "package.json", source="title x\n"), "transpile", "names that nobody can read")
        evil = "cp -a ../out ../evil && rm -rf ../out && ln -s $STILE_ARTIFACTS/evil ../out"
        self.assert_failed(self.loop("--build", evil, source="title Fine\n"), "deliver", "is no folder")
        self.assert_failed(self.loop("--transpile", "echo x > $OUT/f; mkdir $OUT/d$(cat /proc/sys/kernel/random/uuid)"), "transpile", "not deterministic")

    def test_whatever_a_validator_prints_an_error_is_one(self):
        self.write("hello.app", "title x\n")
        outputs = ['Checking...\n{"errors": [{"message": "bad"}]}', '{"errors": {"message": "bad"}}', '{"errors": 3}', '{"valid": "false"}', '{"valid": false}',
                   '[{"message": "bad", "severity": 1}]', '[{"filePath": "a", "messages": [{"severity": 2, "message": "bad", "line": 3}], "errorCount": 1}]',
                   '\033[31ma.app:3: error: bad\033[0m', '\ufeff\n{"errors": [{"message": "bad", "line": 1e400}]}', 'a.app:%s: error: bad' % ("9" * 400),
                   '[{"level": "error", "message": "bad"},', '{"errors": [', "\0" + '{"errors": [{"message": "bad"}]}',
                   "x" * 2_500_000, "a.app:1: error: bad\n" * 50_000, "y" * 20_000 + " error: bad"]
        for number, text in enumerate(outputs):
            with self.subTest(text[:60]):
                self.write("printed", text)
                self.write("print.sh", f"cat printed; echo warning on the side >&2 # {number}")
                result = self.loop("--validate", "sh print.sh", "--attempts", "0")
                self.assert_exit(result, 1)
                self.assertEqual(self.report(result)["phase"], "validate")
        for text in ('{"errors": [], "warnings": ["w"]}', '[INFO] fine\n[INFO] done', "", "0 errors", '[{"message": "unused", "severity": 2}]'):
            with self.subTest(text):
                self.write("printed", text)
                result = self.loop("--validate", "cat printed", "--attempts", "0", "--smoke", "none", "--replace")
                self.assert_exit(result, 0)

    def test_errors_of_the_transpiler_use_up_the_attempts(self):
        result = self.loop("--attempts", "1", source="title UNPARSABLE\n", repairs=["title UNPARSABLE 2\n"])
        self.assert_exit(result, 1)
        report = self.report(result)
        self.assertEqual((report["repair_stop"], report["repair_attempts"]), ("max_attempts", 1))
        self.assertEqual(report["remaining_errors"][0]["message"], "this title cannot be transpiled")
        result = self.loop("--transpile", "sleep 30", "--transpile-timeout-ms", "100", source="title Slow\n")
        self.assert_failed(result, "transpile", "did not end within 100 ms")

    def test_servers(self):
        for serve, words in (("sleep 60", "nothing answered HTTP"), ("exit 3", "ended with status 3")):
            with self.subTest(serve):
                report = self.assert_failed(self.loop("--smoke", "L2", "--serve", serve, "--serve-timeout", "2", source="title Fine\n"), "smoke", words)
                self.assertEqual(report["smoke_test"], "L2_FAIL")
        self.assert_exit(self.loop("--smoke", "L3", "--serve", "node src/server.js & sleep 0.2", source="title Fine\n"), 0)

    def test_a_server_on_a_port_of_its_own_choice(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            serve = "PORT=%d node src/server.js" % port
            report = self.assert_failed(self.loop("--smoke", "L2", "--serve", serve, "--serve-timeout", "2", source="title Fine\n"), "smoke", "--serve-port")
            self.assertEqual(report["smoke_test"], "L2_FAIL")
            # The same port serves somebody else outside.
            result = self.loop("--smoke", "L3", "--serve", serve, "--serve-port", str(port), source="title Fine\n")
            self.assert_exit(result, 0)
            self.assertEqual(self.report(result)["smoke_test"], "L3_PASS")

    def test_two_loops_serve_at_one_port_at_once(self):
        self.write("hello.app", "title Fine\n")
        flags = ("--smoke", "L3", "--serve", "PORT=3001 npm start", "--serve-port", "3001", "--probe",
                 # Each server stays until the other one has answered, too.
                 f"touch $STILE_ARTIFACTS/answered; until [ -e {self.path('go')} ]; do sleep 0.1; done", "--alongside")
        loops = [subprocess.Popen([BINARY, *self.arguments(*flags, "--out", f"out{number}")], env=self.env, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) for number in range(2)]
        deadline = time.monotonic() + 120
        while len(glob.glob(os.path.join(self.state, "runs", "*", "artifacts", "answered"))) < 2:
            self.assertLess(time.monotonic(), deadline, "two servers at one port did not run at once")
            time.sleep(0.05)
        self.write("go", "")
        for process in loops:
            process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0)
        self.assertTrue(os.path.exists(self.path("out0/package.json")) and os.path.exists(self.path("out1/package.json")))

    def test_a_server_that_listens_at_the_address_of_ipv6_only(self):
        if not os.path.exists("/proc/net/if_inet6"):
            self.skipTest("this kernel has no IPv6")
        self.write("tools/six.js", "require('http').createServer((q, r) => r.end('six')).listen(process.env.PORT, '::1');\n")
        serve = f"node {self.path('tools/six.js')}"
        result = self.loop("--smoke", "L3", "--serve", serve, "--probe", "echo $URL | grep -F \"http://[::1]:$PORT/\"", source="title Fine\n")
        self.assert_exit(result, 0)
        self.assertEqual(self.report(result)["smoke_test"], "L3_PASS")

    def test_a_smoke_test_of_the_users_own(self):
        self.write("tools/ask.js", "fetch(process.env.URL).then(r => r.text()).then(t => { console.log(t); process.exit(t === 'Fine' ? 0 : 7); });\n")
        ask = f"node {self.path('tools/ask.js')}"
        result = self.loop("--smoke", "L2", "--probe", ask, source="title Fine\n")
        self.assert_exit(result, 0)
        with open(self.artifacts(result, "probe.log"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "Fine\n")
        report = self.assert_failed(self.loop("--smoke", "L2", "--probe", ask, "--out", "other", "--run-instructions", "x", source="title Other\n"), "smoke", "(--probe) ended with status 7")            if not shutil.rmtree(self.path("output")) else None
        self.assertEqual(report["smoke_test"], "L2_FAIL")
        result = self.stile(*self.arguments("--probe", ask))
        self.assert_exit(result, 2)
        self.assertIn("--probe asks a server: give --smoke L2 or L3", result.stderr)

    def packaged(self, package, *more):
        """A loop whose transpiler makes `package`, a file and its text."""
        self.write("tools/make.sh", f"cat >$OUT/{package[0]} <<'E'\n{package[1]}\nE\n")
        return self.loop("--transpile", "sh tools/make.sh", *more, source="title Fine\n")

    def test_packages_without_a_network(self):
        for package, smoke in ((("package.json", '{"name": "a", "version": "1.0.0", "dependencies": {"stile-test-no-such-package": "1"}}'), "npm"),
                               (("requirements.txt", "stile-test-no-such-package==1"), "pip"),
                               (("Cargo.toml", '[package]\nname = "a"\nversion = "0.1.0"\n[dependencies]\nstile-test-no-such-package = "1"\n[lib]\npath = "a.rs"'), "cargo")):
            if smoke == "cargo" and not shutil.which("cargo"):
                continue
            with self.subTest(smoke):
                report = self.assert_failed(self.packaged(package, "--no-network"), "smoke", "no network because of --no-network")
                self.assertEqual(report["smoke_test"], "L0_FAIL")
                self.assertIn("leave out --no-network", report["recommendation"])
                self.assertIn("Neither the source nor the transpiler", report["recommendation"])

    def test_packages_of_each_kind_are_installed_and_built(self):
        # From folders of the delivery, which no network is needed for.
        self.write("tools/make.sh", """cd $OUT && mkdir client client/lib server
echo '{"name": "lib", "version": "1.0.0", "main": "index.js"}' >client/lib/package.json
echo 'exports.word = 1;' >client/lib/index.js
echo '{"name": "client", "version": "1.0.0", "dependencies": {"lib": "file:lib"}, "scripts": {"build": "node build.js"}}' >client/package.json
echo 'process.exit(require("lib").word - 1);' >client/build.js
echo >server/requirements.txt
echo 'word = 1' >server/app.py
""")
        result = self.loop("--transpile", "sh tools/make.sh", "--no-network", source="title Fine\n")
        self.assert_exit(result, 0)
        self.assertEqual(self.report(result)["smoke_test"], "L1_PASS")
        self.assertEqual(sorted(os.listdir(self.path("output/client"))), ["build.js", "lib", "package.json"])
        shutil.rmtree(self.path("output"))
        with open(self.path("tools/make.sh"), "a", encoding="utf-8") as file:
            file.write("echo 'word = ' >server/app.py\n")
        self.assert_failed(self.loop("--transpile", "sh tools/make.sh", "--no-network"), "smoke", "SyntaxError")

    def registry(self, token=None):
        """A registry of npm and an index of pip with one package each; `token` is asked for. Gives its port."""
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w:gz") as archive:
            for name, text in (("package/package.json", '{"name": "stile-test-private", "version": "1.0.0"}'), ("package/index.js", "exports.word = 'private';")):
                entry = tarfile.TarInfo(name)
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text.encode()))
        wheel = io.BytesIO()
        with zipfile.ZipFile(wheel, "w") as archive:
            info = "stile_test_private-1.0.0.dist-info/"
            for name, text in (("stile_test_private.py", "word = 'private'\n"), (info + "METADATA", "Metadata-Version: 2.1\nName: stile-test-private\nVersion: 1.0.0\n"),
                               (info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"), (info + "RECORD", "")):
                archive.writestr(name, text)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                url = f"http://127.0.0.1:{self.server.server_address[1]}/"
                pages = {"/stile-test-private": json.dumps({"name": "stile-test-private", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
                             "name": "stile-test-private", "version": "1.0.0", "dist": {"tarball": url + "private.tgz"}}}}).encode(),
                         "/private.tgz": content.getvalue(), "/simple/stile-test-private/": b'<a href="/stile_test_private-1.0.0-py3-none-any.whl">x</a>',
                         "/stile_test_private-1.0.0-py3-none-any.whl": wheel.getvalue()}
                authorized = not token or self.headers.get("Authorization") == "Bearer " + token
                page = pages.get(self.path) if authorized else b"{}"
                self.send_response(404 if page is None else 200 if authorized else 401)
                self.send_header("Content-Type", "text/html" if self.path.startswith("/simple") else "application/octet-stream")
                self.end_headers()
                self.wfile.write(page or b"{}")

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_address[1]

    def at_home(self, path, text):
        os.makedirs(os.path.dirname(os.path.join(self.home, path)), exist_ok=True)
        with open(os.path.join(self.home, path), "w", encoding="utf-8") as file:
            file.write(text)

    def test_registries_of_the_users_settings(self):
        self.env["HOME"] = self.home
        port = self.registry()
        self.at_home(".npmrc", f"registry=http://127.0.0.1:{port}/\n//127.0.0.1:{port}/:_authToken=sekret\n")
        self.at_home(".config/pip/pip.conf", f"[global]\nindex-url = http://me:sekret@127.0.0.1:{port}/simple/\n")
        self.write("tools/make.sh", """cd $OUT && mkdir client server
echo '{"name": "client", "version": "1.0.0", "dependencies": {"stile-test-private": "1"}, "scripts": {"build": "node build.js"}}' >client/package.json
echo 'process.exit(require("stile-test-private").word === "private" ? 0 : 1);' >client/build.js
echo stile-test-private >server/requirements.txt
echo 'import stile_test_private' >server/app.py
touch server/a server/b
""")
        result = self.loop("--transpile", "sh tools/make.sh", source="title Fine\n")
        self.assert_exit(result, 0)
        # No build finds the token, neither in files nor in the environment.
        self.env.update(NPM_TOKEN="sekret", PIP_INDEX_URL=f"http://me:sekret@127.0.0.1:{port}/simple/")
        look = "cat ~/.npmrc ~/.config/pip/pip.conf && ! grep -r sek[r]et ~/.npmrc ~/.config && ! env | grep sek[r]et"
        result = self.loop("--transpile", "sh tools/make.sh", "--build", look, "--replace")
        self.assert_exit(result, 0)
        with open(self.artifacts(result, "build.log"), encoding="utf-8") as file:
            self.assertIn(f"registry=http://127.0.0.1:{port}/", file.read())

    def test_a_registry_that_wants_a_login(self):
        self.env["HOME"] = self.home
        port = self.registry("sekret")
        transpile = ("--transpile", "sh tools/make.sh", "--build", "true")
        self.write("tools/make.sh", """echo '{"name": "a", "version": "1.0.0", "dependencies": {"stile-test-private": "1"}}' >$OUT/package.json\n""")
        self.at_home(".npmrc", f"registry=http://127.0.0.1:{port}/\n//127.0.0.1:{port}/:_authToken=sekret\n")
        npmrc = os.path.join(self.home, ".npmrc")
        report = self.assert_failed(self.loop(*transpile, source="title Fine\n"), "smoke", "the registry of packages wants a login")
        self.assertIn(f"Stile left out 1 login of {npmrc}: `sandbox: {{read: [{npmrc}]}}`", report["message"])
        self.assertEqual(report["smoke_test"], "L0_FAIL")
        self.assertIn("Neither the source nor the transpiler is at fault", report["recommendation"])
        self.assertNotIn("sekret", json.dumps(report))
        self.env["XDG_CONFIG_HOME"] = os.path.join(self.root, "config")
        for settings, text in ((f"{{read: [{json.dumps(npmrc)}]}}", "sekret"), ("{environment: [NPM_TOKEN]}", "${NPM_TOKEN}")):
            with self.subTest(settings):
                os.makedirs(os.path.join(self.root, "config", "stile"), exist_ok=True)
                with open(os.path.join(self.root, "config", "stile", "config.yaml"), "w", encoding="utf-8") as file:
                    file.write(f"sandbox: {settings}\n")
                self.env["NPM_TOKEN"] = "sekret"
                self.at_home(".npmrc", f"registry=http://127.0.0.1:{port}/\n//127.0.0.1:{port}/:_authToken={text}\n")
                self.assert_exit(self.loop(*transpile, "--replace"), 0)
        os.remove(os.path.join(self.root, "config", "stile", "config.yaml"))
        shutil.rmtree(self.path("output"))
        self.write("tools/make.sh", "echo stile-test-private >$OUT/requirements.txt\n")
        self.at_home(".pip/pip.conf", f"[global]\nindex-url = http://me:sekret@127.0.0.1:{port}/simple/\n")
        report = self.assert_failed(self.loop(*transpile), "smoke", "the registry has no such package for what comes without a login")
        self.assertIn("/.pip/pip.conf]}`", report["message"])

    def test_an_application_with_a_client_and_a_server(self):
        # As AirEngine makes it: a client with types that it has no tsc for, a server in TypeScript that listens at a port of its own choice.
        self.write("tools/make.sh", """cd $OUT && mkdir -p client/src client/lib server
echo '{"name": "lib", "version": "1.0.0", "main": "index.js"}' >client/lib/package.json
echo 'exports.word = "Fine";' >client/lib/index.js
echo '{"name": "client", "version": "1.0.0", "dependencies": {"lib": "file:lib"}, "scripts": {"build": "node build.js"}}' >client/package.json
echo 'require("fs").mkdirSync("dist"); require("fs").writeFileSync("dist/index.html", require("lib").word);' >client/build.js
echo 'export interface Item { id: number }' >client/src/types.ts
echo '{"name": "server", "version": "1.0.0", "type": "module", "scripts": {"build": "tsc", "start": "node dist/server.js"}}' >server/package.json
echo '{"compilerOptions": {"target": "es2022", "module": "esnext", "outDir": "dist", "strict": true, "types": []}, "include": ["*.ts"]}' >server/tsconfig.json
cat >server/server.ts <<'E'
// @ts-ignore: there are no types of node here
import { createServer } from "node:http";
// @ts-ignore
import { readFileSync } from "node:fs";
const page: string = readFileSync("../client/dist/index.html", "utf8");
createServer((request: unknown, response: { end(text: string): void }) => response.end(page)).listen(3001);
E
""")
        serve = ("--smoke", "L3", "--serve", "cd server && npm start", "--serve-port", "3001", "--no-network")
        ask = "node -e 'fetch(process.env.URL).then(r => r.text()).then(t => process.exit(t === \"Fine\" ? 0 : 1))'"
        result = self.loop("--transpile", "sh tools/make.sh", *serve, "--probe", ask, source="title Fine\n")
        self.assert_exit(result, 0)
        report = self.report(result)
        self.assertEqual((report["smoke_test"], report["output_files"], report["warnings"]), ("L3_PASS", 8, []))
        self.assertEqual(sorted(os.listdir(self.path("output/client"))), ["build.js", "lib", "package.json", "src"])
        shutil.rmtree(self.path("output"))
        # Types are checked where no tsconfig.json says how, too.
        make = self.read("tools/make.sh")
        self.write("tools/make.sh", make + "echo 'export const id: number = \"one\";' >client/src/id.ts\n")
        self.assert_failed(self.loop("--transpile", "sh tools/make.sh", *serve), "smoke", "src/id.ts(1,14): error TS2322")
        self.write("tools/make.sh", make + "rm -r client/lib client/src client/build.js\necho '{\"name\": \"a\", \"version\": \"1.0.0\"}' >client/package.json\n")
        self.assert_failed(self.loop("--transpile", "sh tools/make.sh", *serve), "transpile", "4 files came of it, fewer than 6")

    def test_types_without_a_compiler_are_a_warning(self):
        self.write("tools/make.sh", """cd $OUT && mkdir client
echo '{"name": "client", "version": "1.0.0", "scripts": {"build": "true"}}' >client/package.json
echo 'export interface Item { id: number }' >client/types.ts
""")
        self.env["PATH"] = os.pathsep.join(folder for folder in self.env["PATH"].split(os.pathsep) if not os.path.exists(os.path.join(folder, "tsc")))
        result = self.loop("--transpile", "sh tools/make.sh", "--no-network", source="title Fine\n")
        self.assert_exit(result, 0)
        report = self.report(result)
        self.assertEqual([w["message"] for w in report["warnings"]], ["no TypeScript compiler looked at client/: it has no tsconfig.json and no tsc"])
        self.assertEqual(report["error_budget"]["smoke_ms"]["verdict"], "target")

    def test_packages_of_nuget_from_a_folder(self):
        source = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "build", "nuget")
        if not shutil.which("dotnet") or not os.path.exists(os.path.join(source, "stamp")):
            self.skipTest("needs dotnet and the packages of scripts/setup")
        # A home in which no package has ever been installed.
        self.env.update(HOME=self.home, DOTNET_NOLOGO="1", XDG_CONFIG_HOME=os.path.join(self.root, "config"))
        os.makedirs(os.path.join(self.root, "config", "stile"))
        with open(os.path.join(self.root, "config", "stile", "config.yaml"), "w", encoding="utf-8") as file:
            file.write(f"sandbox: {{read: [{json.dumps(source)}]}}\n")
        self.write("tools/make.sh", """cd $OUT
cat >app.csproj <<E
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net$(dotnet --version | cut -d. -f1).0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="Newtonsoft.Json" Version="13.0.3" /></ItemGroup>
</Project>
E
echo 'System.Console.WriteLine(Newtonsoft.Json.JsonConvert.SerializeObject(new[] {1, 2}));' >Program.cs
cat >nuget.config <<E
<configuration><packageSources><clear/><add key="here" value="%s"/></packageSources></configuration>
E
""" % source)
        transpile = ("--transpile", "sh tools/make.sh")
        result = self.loop(*transpile, "--no-network", source="title Fine\n")
        self.assert_exit(result, 0)
        self.assertEqual(self.report(result)["smoke_test"], "L1_PASS")
        self.assertEqual(sorted(os.listdir(self.path("output"))), ["Program.cs", "app.csproj", "nuget.config"])
        shutil.rmtree(self.path("output"))
        with open(self.path("tools/make.sh"), "a", encoding="utf-8") as file:
            file.write("echo 'System.Console.WriteLine(Newtonsoft.Json.Gone.It);' >Program.cs\n")
        report = self.assert_failed(self.loop(*transpile, "--no-network"), "smoke", "error CS0234")
        self.assertIn("a defect of the transpiler", report["recommendation"])
        # Its usual source is on the network.
        with open(self.path("tools/make.sh"), "a", encoding="utf-8") as file:
            file.write("rm nuget.config\nsed -i s/Newtonsoft.Json/Stile.Test.No.Such.Package/ app.csproj\n")
        begun = time.monotonic()
        report = self.assert_failed(self.loop(*transpile, "--no-network"), "smoke", "no network because of --no-network")
        self.assertLess(time.monotonic() - begun, 60)
        self.assertIn("leave out --no-network", report["recommendation"])

    def test_tools_without_a_network(self):
        package = "npm install --no-audit --prefix /tmp/x stile-test-no-such-package"
        words = "`sandbox: {network: true}`"
        report = self.assert_failed(self.loop("--validate", package, source="title Fine\n"), "validate", words)
        self.assertEqual(report["repair_attempts"], 0)
        self.assert_failed(self.loop("--transpile", package, source="title Fine\n"), "transpile", words)

    def test_only_workflows_of_stile_fetch_packages(self):
        for network, code, words in (("packages", 1, "network: packages is for workflows that come with Stile"), ("cached", 1, "come with Stile"), ("none", 0, "")):
            self.write("w.yaml", f"version: '1.0'\nsteps:\n  look: {{type: command, exec: 'true', network: {network}}}\n")
            result = self.stile("workflow", "run", self.path("w.yaml"), "--json")
            self.assert_exit(result, code)
            self.assertIn(words, result.stdout)
        self.write("w.yaml", "version: '1.0'\nsteps:\n  look: {type: command, exec: 'true', network: some}\n")
        result = self.stile("workflow", "run", self.path("w.yaml"))
        self.assert_exit(result, 2)
        self.assertIn("w.yaml:3: steps.look.network: wants none, packages or cached", result.stderr)

    def test_a_program_that_is_missing_is_blamed_itself(self):
        report = self.assert_failed(self.loop("--install", "no-such-installer", source="title Fine\n"), "smoke", "no-such-installer")
        self.assertIn("A program that installs or builds does not run here", report["recommendation"])

    def test_killed_while_it_replaces_nothing_is_lost(self):
        for number in range(3000):
            self.write(f"output/{number % 30}/{number}", "mine")
        self.write("hello.app", "title Fine\n")
        with subprocess.Popen([BINARY, *self.arguments("--replace", "--smoke", "none")], env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            for line in process.stdout:
                if '"workflow_step_started"' in line and '"deliver"' in line:
                    time.sleep(0.12)
                    process.kill()
        run = self.runs()[0]
        self.assertEqual(run["outcome"], "interrupted")
        for delay in (0.25, 0.3):
            process = subprocess.Popen([BINARY, "runs", "resume", run["id"], "--quiet"], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait()
        result = self.stile("runs", "resume", run["id"], "--json")
        if result.returncode != 2:  # else the last one had come to its end
            self.assert_exit(result, 0)
        folder = os.path.join(self.state, "runs", run["id"], "artifacts")
        kept = [sum(len(files) for _, _, files in os.walk(os.path.join(folder, name))) for name in os.listdir(folder) if name.startswith("replaced-")]
        self.assertEqual(max(kept), 3000)
        self.assertEqual(sorted(os.listdir(self.path("output"))), ["package.json", "src"])
        self.assertEqual([name for name in os.listdir(self.path(".")) if name.startswith("output.")], [])

    def test_rates_over_the_history(self):
        self.loop("--build", "false", source="title Fine\n")
        report = self.report(self.loop("--build", "true", "--smoke", "none"))
        self.assertEqual(report["success_rates"]["simple"], {"runs": 2, "succeeded": 1, "rate": 0.5, "target": 0.95})
        self.assertEqual(report["success_rates"]["complex"]["rate"], None)
        self.assertEqual(report["smoke_test"], "none")
        self.assertEqual({name for name, budget in report["error_budget"].items() if budget["verdict"] == "not_run"}, {"tokens", "smoke_ms"})
        self.assertEqual(set(report["error_budget"]), {"tokens", "repairs", "transpile_ms", "smoke_ms", "total_ms"})

    def test_folders_that_a_build_made_read_only(self):
        # As Go's module cache has them.
        build = "mkdir -p ~/mod/a made/b && touch ~/mod/a/x made/b/x && chmod -R a-w ~/mod made"
        result = self.loop("--build", build, source="title Fine\n")
        self.assert_exit(result, 0)
        self.assertEqual(sorted(os.listdir(self.path("output"))), ["package.json", "src"])
        self.assertEqual([name for name in os.listdir(self.artifacts(result)) if name in ("home", "smoke", "out")], [])

    def test_a_model_that_never_answers_meets_no_budget(self):
        write_cassette(os.path.join(self.folder, "generate.jsonl"), [])
        result = self.stile(*self.arguments(), "-t", "say hello")
        self.assert_exit(result, 1)
        budget = self.report(result)["error_budget"]
        self.assertEqual({name: one["verdict"] for name, one in budget.items()}, dict.fromkeys(budget, "not_run"))
        result = self.loop(source="wrong\ntitle\n")
        self.assert_exit(result, 1)
        self.assertEqual(self.report(result)["error_budget"]["repairs"]["verdict"], "not_run")

    def test_killed_while_it_builds_it_goes_on(self):
        self.write("hello.app", "title Fine\n")
        go = os.path.join(self.path("."), "go")
        command = [BINARY, *self.arguments("--build", f"touch $STILE_ARTIFACTS/reached; test -f {go} || sleep 60")]
        with subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not glob.glob(os.path.join(self.state, "runs", "*", "artifacts", "reached")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
        self.write("go", "")
        run = self.runs()[0]
        self.assertEqual(run["outcome"], "interrupted")
        result = self.stile("runs", "resume", run["id"], "--json")
        self.assert_exit(result, 0)
        self.assertEqual(self.finished(result)["runs"]["transpile"], 1)
        started = [e["step"] for e in self.events(result) if e["type"] == "workflow_step_started"]
        self.assertEqual(started, ["smoke-build", "smoke-server", "deliver"])
        self.assertEqual(self.report(result)["smoke_test"], "L1_PASS")

    def test_tools_that_do_not_work(self):
        self.assert_failed(self.loop("--validate", "no-such-validator", source="title Fine\n"), "validate", "no-such-validator")
        self.assert_failed(self.loop("--lint", "kill -9 $$", source="title Fine\n"), "validate", "lint")
        self.assert_failed(self.loop("--validate", "echo '{\"errors\": ['", source="title Fine\n"), "validate", "does not parse")
        os.remove(self.path("hello.app"))
        self.assert_failed(self.loop(), "generate", "there is no file hello.app")

    def test_arguments(self):
        for arguments in (("app",), self.arguments("--source", "../x"), self.arguments("--out", "."), self.arguments("--out", "/tmp/x"),
                          self.arguments("--out", "hello.app"), self.arguments("--smoke", "L9"), self.arguments("--complexity", "vast")):
            self.assert_exit(self.stile(*arguments), 2)
        schema = json.loads(self.stile("app", "--schema").stdout)
        self.assertEqual(schema["title"], "Report of stile app")
        self.assertEqual(json.loads(self.stile("cycle", "run", "--schema").stdout)["title"], "Report of stile cycle run")


class AirLoopTest(LoopCase):
    """A program that speaks as AirEngine's does."""

    APP = "@app:todo\n  @state{items:[str]}\n  @ui(\n    h1>\"Todo\"\n  )\n"
    VALIDATE = ("--validate", "python3 tools/air.py validate $SOURCE", "--lint", "")
    TIMES = ("--ignore-output", "_airengine_manifest.json", "--ignore-output", ".air-cache/**")
    DIAGNOSE = ("--validate", "python3 tools/air.py diagnose $SOURCE", "--lint", "")

    def setUp(self):
        super().setUp()
        self.write("tools/air.py", AIR)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=air")

    def air(self, *more, source, repairs=()):
        return self.loop("--transpile", "python3 tools/air.py transpile $SOURCE -o $OUT", *self.TIMES,
                         *more, source=source, repairs=repairs)

    def test_files_that_hold_times_may_differ(self):
        self.TIMES = ("--ignore-output", ".air-cache/**")
        self.assertIn("_airengine_manifest.json", self.assert_failed(self.air(*self.VALIDATE, source=self.APP), "transpile", "--ignore-output GLOB")["message"])
        self.TIMES = ("--ignore-output", "_airengine_*.json", "--ignore-output", ".air-cache/**")
        result = self.air(*self.VALIDATE, source=self.APP)
        self.assert_exit(result, 0)
        self.assertEqual(self.report(result)["ignored_output"],
                         {"globs": ["_airengine_*.json", ".air-cache/**"], "differing": [".air-cache/manifest.json", "_airengine_manifest.json"]})
        self.assertTrue(os.path.exists(self.path("output/_airengine_manifest.json")))

    def test_a_server_that_listens_where_it_wants(self):
        result = self.air(*self.VALIDATE, "--smoke", "L3", "--serve-port", "3001", source=self.APP)
        self.assert_exit(result, 0)
        self.assertEqual(self.report(result)["smoke_test"], "L3_PASS")

    def prompts(self):
        records = [self.journal(run["id"])[0] for run in self.runs("--steps")]
        return [record["user_prompt"] for record in records if "user_prompt" in record]

    def test_place_and_fix_of_its_diagnostics_are_kept(self):
        self.assert_exit(self.air(*self.DIAGNOSE, source=self.APP.replace("@ui", "@uii"), repairs=[self.APP]), 0)
        self.assertIn("- AIR-P004 line 3, column 3: Unknown block type: @uii (fix: Use a valid block type: @state, @ui)\n", self.prompts()[0])
        report = self.report(self.air(*self.DIAGNOSE, "--attempts", "0", "--replace", source="@app:todo\n"))
        self.assertEqual(report["remaining_errors"], [
            {"level": "error", "tool": "validate", "code": "AIR-E002", "block": "@ui", "message": "No @ui block found",
             "fix": {"description": "Add a @ui block", "suggestion": "@ui(h1>\"Hello\")"}}])
        self.assertEqual([w["code"] for w in report["warnings"]], ["AIR-L002"])
        self.assertIn("AIR-E002 @ui: No @ui block found (fix: Add a @ui block: `@ui(h1>\"Hello\")`)", report["recommendation"])

    def test_a_parse_error_in_its_words_has_a_place(self):
        result = self.air(*self.VALIDATE, source=self.APP.replace("@ui", "@uii"), repairs=[self.APP])
        self.assert_exit(result, 0)
        self.assertIn("- line 3, column 3: [AIR Parse Error] Unknown block type: @uii (token: '@')\n", self.prompts()[0])
        # The validator is silent; the transpiler finds it.
        shutil.rmtree(self.path("output"))
        result = self.air("--validate", "true", "--lint", "", source=self.APP.replace("@ui", "@uii"), repairs=[self.APP])
        self.assert_exit(result, 0)
        self.assertEqual((self.finished(result)["runs"]["transpile"], self.report(result)["repair_attempts"]), (2, 1))

    def test_words_that_say_fail_count_whatever_the_status(self):
        report = self.assert_failed(self.air(*self.VALIDATE, "--attempts", "0", source="@app:todo\n"), "validate", "diagnose")
        self.assertEqual([(e["code"], e["message"]) for e in report["remaining_errors"]], [("E002", "No @ui block found \u2014 app has no interface")])
        self.assertEqual(report["warnings"], [])
        report = self.assert_failed(self.air("--validate", "echo 3 problems", "--lint", "", "--fail-on", "[1-9]\\d* problems", "--attempts", "0", source=self.APP),
                                    "validate", "diagnose")
        self.assertIn('it printed "3 problems"', report["remaining_errors"][0]["message"])
        for text in ('{"ok": false}', '{"status": "failed"}', '{"summary": {"errors": 2}}'):
            self.assert_failed(self.air("--validate", f"echo '{text}'", "--lint", "", "--attempts", "0", source=self.APP), "validate", "diagnose")
        self.assert_failed(self.air(*self.VALIDATE, "--fail-on", "(", source=self.APP), "generate", "--fail-on: unterminated parenthetical")
        result = self.air("--validate", "echo FAIL: no, only a word", "--lint", "", "--fail-on", "", source=self.APP)
        self.assert_exit(result, 0)

    def test_a_tool_that_misses_its_own_packages_is_blamed_itself(self):
        for words in ("Error: Cannot find module 'commander'", "ModuleNotFoundError: No module named 'lark'"):
            report = self.assert_failed(self.air("--validate", f'echo "{words}" >&2; exit 1', "--lint", "", source=self.APP), "validate", "does not work")
            self.assertEqual((report["repair_attempts"], report["remaining_errors"]), (0, []))


if __name__ == "__main__":
    main(processes=4)
