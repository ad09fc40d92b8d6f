"""stile certificate: what an accepted run proves, and what no longer holds."""

import base64
import hashlib
import json
import os
import subprocess

from harness import BAD_PYTHON, GOOD_PYTHON, VALIDATE, StileTest, finish, shell, write
from parallel import main


class CertificateTest(StileTest):

    def accept(self, *turns, arguments=()):
        """Plays an accepted run; gives the path of its certificate."""
        turns = turns or (write("a.py", GOOD_PYTHON), VALIDATE, finish())
        result = self.run_task(*turns, arguments=["--json", *arguments])
        self.assert_exit(result, 0)
        return self.events(result)[-1]["certificate"]["path"]

    def verify(self, *arguments, code=0):
        result = self.stile("certificate", "verify", *arguments)
        self.assert_exit(result, code)
        return result

    def findings(self, *arguments):
        result = self.verify(*arguments, "--json", code=1)
        verdict = json.loads(result.stdout)
        self.assertFalse(verdict["matches"])
        self.assertIsNone(verdict["shown"])
        return [(f["subject"], f["what"]) for f in verdict["findings"]]

    def forge(self, text, name="forged.json"):
        """A file outside of the workspace, whose content it would change."""
        path = os.path.join(self.root, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def changed_statement(self, path, change):
        with open(path, encoding="utf-8") as file:
            statement = json.load(file)
        change(statement)
        return self.forge(json.dumps(statement))

    def keygen(self):
        result = self.stile("certificate", "keygen", "--json")
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def test_what_a_validator_wrote_may_be_written_again(self):
        self.env["STILE_SANDBOX"] = "off"  # in one it could not write
        self.write("stile.yaml", "validators:\n  py-compile: {level: build, diagnostics: generic,"
                   " command: [sh, -c, 'date +%N > report.txt']}\n")
        self.assert_exit(self.stile("trust"), 0)
        path = self.accept()
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["predicate"]["outputs"], [{"path": "report.txt"}])
        self.verify(path)
        self.verify(path, "--rerun")
        os.remove(self.path("report.txt"))
        self.verify(path)
        self.write("other.txt", "x")
        self.assertIn("workspace", [subject for subject, _ in self.findings(path)])

    # What is in it --------------------------------------------------------------------------

    def test_it_says_what_was_accepted_and_on_what_grounds(self):
        self.write("old.py", "x = 1\n")
        self.init_git()
        path = self.accept(write("a.py", BAD_PYTHON), VALIDATE, write("a.py", GOOD_PYTHON), VALIDATE,
                           finish())
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("\n"), 1)
        predicate = json.loads(text)["predicate"]
        self.assertEqual(predicate["workspace"], self.workspace)
        self.assertEqual(predicate["base_commit"], self.git("rev-parse", "HEAD").strip())
        self.assertEqual(predicate["failed_validations"], 1)
        self.assertEqual(predicate["turns"], 5)
        self.assertIn("bubblewrap", predicate["sandbox"])
        digest = hashlib.sha256(GOOD_PYTHON.encode()).hexdigest()
        self.assertEqual(predicate["changed"], [
            {"path": "a.py", "before": None, "after": {"sha256": digest, "mode": "100644"}}])
        target, = predicate["targets"]
        with open(target["program"], "rb") as file:
            self.assertEqual(target["program_sha256"], hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(target["coverage"]["by"], "listing")
        self.assertEqual(target["coverage"]["files_read"], 2)
        self.git("add", "--all")
        self.assertEqual(predicate["tree"], self.git("write-tree").strip())

    def test_no_object_is_left_in_the_repository(self):
        self.write("old.py", "x = 1\n")
        self.init_git()
        before = self.git("count-objects", "-v")
        self.accept()
        self.assertEqual(self.git("count-objects", "-v"), before)
        self.assertEqual([n for n in os.listdir(self.path(".git")) if n.startswith("stile")], [])

    def test_without_git_it_names_no_tree(self):
        with open(self.accept(), encoding="utf-8") as file:
            predicate = json.load(file)["predicate"]
        self.assertIsNone(predicate["tree"])
        self.assertIsNone(predicate["base_commit"])

    def test_it_names_files_as_they_are_though_a_key_stands_in_their_names(self):
        secret = "sk-a8Fq2Lm9Zx4Vt7Bn1Kd6"
        self.write(f"{secret}.txt", "")
        turns = (write(f"{secret}.py", GOOD_PYTHON), VALIDATE, finish())
        self.assert_exit(self.run_task(*turns, env={"OPENAI_API_KEY": secret}), 0)
        run = self.runs()[0]["id"]
        shown = json.loads(self.stile("certificate", "show", run, "--json").stdout)
        self.assertEqual([change["path"] for change in shown["predicate"]["changed"]], [f"{secret}.py"])
        self.assert_exit(self.stile("certificate", "verify", run, "--workspace", self.workspace), 0)

    def test_the_schema_is_printed_and_describes_every_field(self):
        result = self.stile("certificate", "schema")
        self.assert_exit(result, 0)
        schema = json.loads(result.stdout)

        def look(node, place):
            for name, inner in node.get("properties", {}).items():
                self.assertTrue(inner.get("description"), f"{place}.{name}")
                look(inner, f"{place}.{name}")
            if "items" in node:
                look(node["items"], place + "[]")

        look(schema, "")
        with open(self.accept(), encoding="utf-8") as file:
            statement = json.load(file)
        self.assertEqual(set(schema["properties"]["predicate"]["required"]),
                         set(statement["predicate"]))

    def test_show_is_readable_and_prints_the_statement_as_json(self):
        path = self.accept()
        text = self.stile("certificate", "show", path).stdout
        for part in ("a.py", "py-compile", "not signed", "1 file read", "sandbox    bubblewrap"):
            self.assertIn(part, text)
        with open(path, encoding="utf-8") as file:
            statement = json.load(file)
        self.assertEqual(json.loads(self.stile("certificate", "show", path, "--json").stdout),
                         statement)

    # Verifying a workspace ------------------------------------------------------------------

    def test_what_was_accepted_matches(self):
        for git in (False, True):
            with self.subTest(git=git):
                if git:
                    self.init_git()
                path = self.accept(write(f"a{git}.py", GOOD_PYTHON), VALIDATE, finish())
                result = self.verify(path)
                self.assertIn("matches", result.stdout)
                self.assertIn("not signed", result.stdout)
                self.assertIn("not tried again", result.stdout)

    def test_every_difference_is_told_by_its_path(self):
        for name in ("content", "gone", "mode", "link", "deleted"):
            self.write(f"{name}.py", GOOD_PYTHON)
        self.init_git()
        self.assert_exit(self.run_task(
            [write(f"{name}.py", GOOD_PYTHON + "\n") for name in ("content", "gone", "mode", "link")],
            {"name": "file.delete", "arguments": {"path": "deleted.py"}}, VALIDATE, finish()), 0)
        run = self.runs()[0]["id"]
        self.verify(run)
        self.write("content.py", GOOD_PYTHON)
        os.remove(self.path("gone.py"))
        os.chmod(self.path("mode.py"), 0o755)
        self.write("elsewhere/link.py", GOOD_PYTHON + "\n")
        os.remove(self.path("link.py"))
        os.symlink("elsewhere/link.py", self.path("link.py"))
        self.write("deleted.py", GOOD_PYTHON)
        self.assertEqual(self.findings(run), [
            ("content.py", "has other content than was accepted"),
            ("deleted.py", "is there, but was deleted"),
            ("gone.py", "is missing"),
            ("link.py", "is a symbolic link, but was accepted as a file that is not executable"),
            ("mode.py", "is an executable file, but was accepted as a file that is not executable"),
            ("workspace", "files that the run did not change are not what they were when it was "
                          "accepted")])

    def test_a_folder_that_became_a_link_is_not_followed(self):
        path = self.accept(write("pkg/a.py", GOOD_PYTHON), VALIDATE, finish())
        self.verify(path)
        os.rename(self.path("pkg"), os.path.join(self.root, "outside"))
        os.symlink(os.path.join(self.root, "outside"), self.path("pkg"))
        self.assertIn(("pkg/a.py", "is missing"), self.findings(path))

    def test_a_change_of_a_file_that_the_run_left_alone_is_found(self):
        self.write("other.py", "x = 1\n")
        path = self.accept()
        self.write("other.py", "x = 2\n")
        self.assertEqual([subject for subject, _ in self.findings(path)], ["workspace"])

    def test_hiding_a_change_behind_an_ignore_file_does_not_help(self):
        self.init_git()
        path = self.accept(write("a.py", GOOD_PYTHON), write(".gitignore", "a.py\n"), VALIDATE,
                           finish())
        self.verify(path)
        self.write("a.py", GOOD_PYTHON + "# more\n")
        self.assertEqual(self.findings(path),
                         [("a.py", "has other content than was accepted")])

    def test_a_path_that_is_not_utf8_is_compared_by_its_bytes(self):
        path = self.accept(shell("echo 'x = 1' > $(printf 'caf\\351.py')"), VALIDATE, finish(),
                           arguments=["--yes"])
        self.verify(path)
        os.remove(self.path("").encode() + b"caf\xe9.py")
        self.write("caf\ufffd.py", GOOD_PYTHON)
        self.assertIn("is missing", [what for _, what in self.findings(path)])

    def test_rerun_validates_again(self):
        self.write("old.py", "x = 1\n")
        path = self.accept()
        result = self.verify(path, "--rerun")
        self.assertIn("1 target passed again", result.stdout)
        self.write("old.py", BAD_PYTHON)
        found = self.findings(path, "--rerun")
        self.assertEqual([subject for subject, _ in found],
                         ["workspace", ". (py-compile, build)"])
        self.assertIn("does not pass any more: fail", found[1][1])

    def test_rerun_misses_a_target_that_is_gone(self):
        path = self.accept()
        os.remove(self.path("a.py"))
        self.assertIn((". (py-compile, build)", "is no target of this workspace any more"),
                      self.findings(path, "--rerun"))

    # Hostile files --------------------------------------------------------------------------

    def test_what_is_no_certificate_is_refused_with_its_place(self):
        with open(self.accept(), encoding="utf-8") as file:
            text = file.read()
        statement = json.loads(text)
        payload = base64.b64encode(text.encode()).decode()

        def envelope(**changes):
            whole = {"payload": payload, "payloadType": "application/vnd.in-toto+json",
                     "signatures": [{"keyid": "", "sig": "AAAA"}]}
            whole.update(changes)
            return json.dumps({k: v for k, v in whole.items() if v is not None})

        cases = {
            "empty": ("", "invalid JSON"),
            "cut": (text[:-20], "invalid JSON at line"),
            "trailing": (text + "{}", "invalid JSON at line"),
            "trailing NUL": (text.encode() + b"\0{}", "NUL byte"),
            "byte order mark": (b"\xef\xbb\xbf" + text.encode(), "byte order mark"),
            "not UTF-8": (text.encode().replace(b"py-compile", b"py-\xff"), "invalid JSON"),
            "deep": ("[" * 100000, "nested deeper"),
            "twice": (text.replace('"model":', '"model":"x","model":', 1), "there twice"),
            "a number": ("7", "not a certificate"),
            "other statement": (json.dumps({"_type": "https://in-toto.io/Statement/v1",
                                            "subject": [], "predicateType": "https://slsa.dev",
                                            "predicate": {}}), "predicateType is"),
            "unknown field": (text.replace('"turns":', '"trust_me":1,"turns":', 1), "trust_me"),
            "payload type": (envelope(payloadType="text/plain"), "payloadType"),
            "no signatures": (envelope(signatures=[]), "signatures"),
            "no signature bytes": (envelope(signatures=[{"keyid": "x"}]), "signatures[0]: sig"),
            "signatures of another kind": (envelope(signatures={"sig": "AAAA"}), "signatures"),
            "many signatures": (envelope(signatures=[{"sig": "AAAA"}] * 1000), "more than 16"),
            "url-safe base64": (envelope(signatures=[{"sig": "__-_"}]), "standard base64"),
            "no padding": (envelope(payload=base64.b64encode(b"{}").decode().rstrip("=")),
                           "standard base64"),
            "blanks in base64": (envelope(payload=payload[:8] + "\n" + payload[8:]),
                                 "standard base64"),
            "loose bits": (envelope(signatures=[{"sig": "AB=="}]), "standard base64"),
            "a statement beside": (json.dumps(dict(statement, **json.loads(envelope()))),
                                   "both an envelope and a statement"),
            "bad payload": (envelope(payload=base64.b64encode(b"{]").decode()), "payload"),
        }
        for name, (content, message) in cases.items():
            for verb in ("verify", "show"):
                with self.subTest(case=name, verb=verb):
                    path = self.forge(content)
                    result = self.stile("certificate", verb, path)
                    self.assert_exit(result, 2)
                    self.assertIn(message, result.stderr)
                    self.assertIn("forged.json", result.stderr)
                    self.assertEqual(result.stdout, "")

    def test_statements_that_contradict_themselves_are_refused(self):
        path = self.accept()

        def with_path(new):
            def change(statement):
                statement["predicate"]["changed"][0]["path"] = new
                statement["subject"][0]["name"] = new
            return change

        def twice(statement):
            for entries in (statement["predicate"]["changed"], statement["subject"]):
                entries.append(dict(entries[0]))

        def target_twice(statement):
            statement["predicate"]["targets"] *= 2

        def other_subject(statement):
            statement["subject"][0]["digest"]["sha256"] = "0" * 64

        def no_change(statement):
            statement["predicate"]["changed"][0]["before"] = \
                statement["predicate"]["changed"][0]["after"]

        def nothing_changed(statement):
            statement["predicate"]["outcome"] = "unchanged"

        def other_bytes(statement):
            statement["predicate"]["changed"][0]["pathBase64"] = \
                base64.b64encode(b"b.py").decode()

        def prefix(statement):
            statement["predicate"]["prefix"] = "../"

        cases = [(with_path("../a.py"), "'..'"), (with_path("/etc/passwd"), "is absolute"),
                 (with_path("a/../a.py"), "'..'"), (with_path("./a.py"), "'.'"),
                 (with_path("a//b"), "empty parts"), (with_path("a\0.py"), "NUL"),
                 (with_path(".git/config"), ".git"), (with_path("sub/.GIT/hooks/x"), ".git"),
                 (twice, "second statement about one path"), (target_twice, "one target"),
                 (other_subject, "subject"), (no_change, "are the same"),
                 (nothing_changed, "contradicts"), (other_bytes, "pathBase64"),
                 (prefix, "prefix")]
        for change, message in cases:
            with self.subTest(message=message):
                result = self.verify(self.changed_statement(path, change), code=2)
                self.assertIn(message, result.stderr)

    def test_a_statement_that_is_wrong_in_millions_of_places_is_refused_soon(self):
        with open(self.accept(), encoding="utf-8") as file:
            text = file.read()
        for name, old, new in (("numbers", '"subject":[', '"subject":[' + "1," * 3_000_000),
                               ("objects", '"subject":[', '"subject":[' + "{}," * 1_000_000),
                               ("a long hash", '"base_root":"', '"base_root":"' + "0" * 5_000_000),
                               ("keys", '"usage":{', '"usage":{' + "".join(
                                   f'"k{i}":0,' for i in range(300_000)))):
            with self.subTest(name=name):
                result = self.verify(self.forge(text.replace(old, new, 1)), code=2)
                self.assertIn("does not fit the schema", result.stderr)

    def test_a_file_that_is_none_is_refused(self):
        os.mkfifo(os.path.join(self.root, "fifo"))
        for name in (self.workspace, os.path.join(self.root, "fifo"), "/dev/zero", "./missing"):
            with self.subTest(name=name):
                self.verify(name, code=2)
        huge = self.forge("")
        os.truncate(huge, 65 << 20)
        self.assertIn("forged.json", self.verify(huge, code=2).stderr)

    def test_usage(self):
        path = self.accept()
        self.verify(code=2)
        self.verify(path, "--commit", "HEAD", code=2)
        self.verify(path, "--workspace", "./missing", code=2)
        self.verify("--commit", "HEAD", "--rerun", code=2)
        self.verify("--commit", "HEAD", code=2)  # no repository

    def test_terminal_controls_in_a_certificate_are_shown_harmless(self):
        def change(statement):
            statement["predicate"]["model"] = "\x1b[2Jmodel"
        path = self.changed_statement(self.accept(), change)
        self.assertNotIn("\x1b", self.stile("certificate", "show", path).stdout)

    # Signatures -----------------------------------------------------------------------------

    def test_keygen_makes_a_pair_and_never_overwrites_it(self):
        keys = self.keygen()
        folder = os.path.join(self.home, ".config", "stile")
        self.assertEqual(os.path.dirname(keys["private_key"]), folder)
        self.assertEqual(os.stat(keys["private_key"]).st_mode & 0o777, 0o600)
        with open(keys["private_key"], encoding="utf-8") as file:
            before = file.read()
        result = self.stile("certificate", "keygen")
        self.assert_exit(result, 2)
        self.assertIn("never overwritten", result.stderr)
        with open(keys["private_key"], encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        os.remove(keys["private_key"])
        self.assert_exit(self.stile("certificate", "keygen"), 2)  # the public half is there
        self.assertFalse(os.path.exists(keys["private_key"]))
        other = os.path.join(self.root, "keys")
        self.assert_exit(self.stile("certificate", "keygen", "--out", other), 0)
        der = subprocess.run(
            ["openssl", "pkey", "-in", os.path.join(other, "certificate-key.pem"), "-pubout",
             "-outform", "DER"], capture_output=True, check=True).stdout
        with open(os.path.join(other, "certificate-key.pub.pem"), "rb") as file:
            self.assertIn(base64.b64encode(der), file.read())

    def test_a_signed_certificate_is_verified_here_and_by_openssl(self):
        keys = self.keygen()
        path = self.accept(arguments=["--certificate-key", keys["private_key"]])
        with open(path, encoding="utf-8") as file:
            envelope = json.load(file)
        self.assertEqual(envelope["payloadType"], "application/vnd.in-toto+json")
        self.assertEqual(envelope["signatures"][0]["keyid"], keys["key_id"])
        result = self.verify(path, "--key", keys["public_key"])
        self.assertIn("vouches", result.stdout)
        self.assertIn("was not checked", self.verify(path).stdout)
        payload = base64.b64decode(envelope["payload"])
        kind = envelope["payloadType"].encode()
        pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
        signature = base64.b64decode(envelope["signatures"][0]["sig"])
        subprocess.run(
            ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", keys["public_key"],
             "-in", self.forge(pae, "pae"), "-sigfile", self.forge(signature, "sig")], check=True,
            capture_output=True)
        der = subprocess.run(
            ["openssl", "pkey", "-pubin", "-in", keys["public_key"], "-outform", "DER"],
            check=True, capture_output=True).stdout
        self.assertEqual(hashlib.sha256(der).hexdigest(), keys["key_id"])
        shown = json.loads(self.stile("certificate", "show", path, "--json").stdout)
        self.assertEqual(shown, json.loads(payload))

    def test_a_signature_of_openssl_is_accepted(self):
        key = os.path.join(self.root, "key.pem")
        public = os.path.join(self.root, "key.pub.pem")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
        with open(self.accept(), "rb") as file:
            payload = file.read()
        kind = b"application/vnd.in-toto+json"
        pae = self.forge(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload), "pae")
        signature = subprocess.run(
            ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", pae], check=True,
            capture_output=True).stdout
        path = self.forge(json.dumps({
            "payload": base64.b64encode(payload).decode(), "payloadType": kind.decode(),
            "signatures": [{"sig": base64.b64encode(signature).decode()}]}))
        self.verify(path, "--key", public)

    def test_other_signatures_do_not_count(self):
        keys = self.keygen()
        other = os.path.join(self.root, "other")
        self.assert_exit(self.stile("certificate", "keygen", "--out", other), 0)
        path = self.accept(arguments=["--certificate-key", keys["private_key"]])
        bare = self.stile("certificate", "show", path, "--json").stdout
        public = keys["public_key"]
        self.assertEqual(
            [s for s, _ in self.findings(path, "--key", other + "/certificate-key.pub.pem")],
            ["signature"])
        self.assertIn("is not signed", self.findings(self.forge(bare), "--key", public)[0][1])
        with open(path, encoding="utf-8") as file:
            envelope = json.load(file)
        payload = base64.b64decode(envelope["payload"]).decode()
        envelope["payload"] = base64.b64encode(
            payload.replace('"failed_validations":0', '"failed_validations":1').encode()).decode()
        self.assertEqual(
            [s for s, _ in self.findings(self.forge(json.dumps(envelope)), "--key", public)],
            ["signature"])
        self.assertIn("private key", self.verify(path, "--key", keys["private_key"], code=2).stderr)
        self.verify(path, "--key", self.forge("nothing"), code=2)
        self.verify(path, "--key", "./missing", code=2)

    def test_a_key_that_cannot_be_used_ends_the_run_before_it_begins(self):
        keys = self.keygen()
        inside = self.path("key.pem")
        with open(keys["private_key"], encoding="utf-8") as file:
            self.write("key.pem", file.read())
        os.chmod(inside, 0o600)
        rsa = self.forge("", "rsa.pem")
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", rsa], check=True,
                       capture_output=True)
        locked = self.forge("", "locked.pem")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:x",
                        "-out", locked], check=True, capture_output=True)
        garbage = self.forge("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
                             "garbage.pem")
        for name in (rsa, locked, garbage):
            os.chmod(name, 0o600)
        open_to_all = self.forge("", "open.pem")
        os.chmod(open_to_all, 0o644)
        for name, message in (("./missing.pem", "no such file"), (inside, "in the workspace"),
                              (rsa, "not an ed25519 key"), (locked, "passphrase"),
                              (garbage, "no private key"), (open_to_all, "chmod 600"),
                              (keys["public_key"], "chmod 600"), (self.root, "not a file")):
            with self.subTest(name=name):
                result = self.run_task(finish(), arguments=["--certificate-key", name])
                self.assert_exit(result, 2)
                self.assertIn(message, result.stderr)
        self.assertEqual(self.runs(), [])
        self.write("a.py", GOOD_PYTHON)
        self.assert_exit(self.stile("validate", env={"STILE_CERTIFICATE_KEY": "./missing"}), 0)

    def test_the_user_names_the_key_and_no_repository_does(self):
        keys = self.keygen()
        config = os.path.join(self.home, ".config", "stile", "config.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("certificate: {key: ~/.config/stile/certificate-key.pem}\n")
        self.verify(self.accept(), "--key", keys["public_key"])
        with open(config, "w", encoding="utf-8") as file:
            file.write("certificate: {key: relative.pem}\n")
        self.assertIn("config.yaml:1", self.run_task(finish()).stderr)
        os.remove(config)
        self.write("stile.yaml", f"certificate: {{key: {keys['private_key']}}}\n")
        result = self.run_task(finish())
        self.assert_exit(result, 2)
        self.assertIn("stile.yaml:1", result.stderr)
        os.remove(self.path("stile.yaml"))
        result = self.run_task({"name": "shell.execute", "arguments": {
            "command": "echo key=$STILE_CERTIFICATE_KEY > seen.txt"}}, finish(),
            arguments=["--yes"], env={"STILE_CERTIFICATE_KEY": keys["private_key"]})
        self.assert_exit(result, 0)
        self.assertEqual(self.read("seen.txt"), "key=\n")
        self.verify(self.runs()[0]["id"], "--key", keys["public_key"])

    # Commits --------------------------------------------------------------------------------

    def deliver(self, *arguments, code=0, folder=None, untracked=()):
        self.init_git()
        for name in untracked:
            self.write(name, "not committed\n")
        story = os.path.join(folder or self.root, "story.yaml")
        with open(story, "w", encoding="utf-8") as file:
            file.write("title: Two files\nsteps:\n"
                       "  - {name: one, description: write a}\n"
                       "  - {name: two, description: write b}\n")
        result = self.stile(
            "run", story, "--json",
            "--workspace", self.workspace, "--model",
            self.cassette(write("a.py", GOOD_PYTHON), VALIDATE, finish("a"),
                          [write("a.py", GOOD_PYTHON + "\n"), write("b.py", GOOD_PYTHON)], VALIDATE,
                          finish("b")), *arguments)
        self.assert_exit(result, code)
        return self.events(result)

    def test_the_note_of_a_commit_holds_the_certificates_of_its_trailers(self):
        keys = self.keygen()
        self.deliver("--certificate-key", keys["private_key"])
        note = self.git("notes", "--ref=stile", "show", "HEAD").encode()
        trailers = self.git("log", "-1", "--format=%(trailers:key=Stile-Certificate,valueonly)")
        self.assertEqual(
            ["sha256:" + hashlib.sha256(line).hexdigest() for line in note.splitlines(True)],
            trailers.split())
        result = self.verify("--commit", "HEAD", "--key", keys["public_key"])
        self.assertIn("matches", result.stdout)
        statements = [json.loads(line) for line in self.stile(
            "certificate", "show", "--commit", "HEAD", "--json").stdout.splitlines()]
        self.assertEqual(len(statements), 2)
        self.assertEqual(statements[1]["predicate"]["tree"],
                         self.git("rev-parse", "HEAD^{tree}").strip())
        self.verify("--commit", "main", code=2)  # no note
        self.verify("--commit", "no-such", code=2)
        self.verify("--commit", "--help-me", code=2)

    def test_files_that_the_commit_leaves_out_are_no_part_of_its_certificates(self):
        # The story file is not committed either.
        self.deliver("--allow-dirty", folder=self.workspace, untracked=["notes.md"])
        self.assertEqual(self.git("status", "--porcelain").split(), ["??", "notes.md", "??", "story.yaml"])
        self.assertIn("matches", self.verify("--commit", "HEAD").stdout)

    def test_a_commit_in_a_worktree_gets_its_note_too(self):
        events = self.deliver("--worktree")
        branch = next(e for e in events if e["type"] == "story_started")["branch"]
        self.verify("--commit", branch)

    def test_a_story_in_a_part_of_a_repository(self):
        self.git("init", "--quiet", "--initial-branch=main")
        self.workspace = self.path("part")
        os.mkdir(self.workspace)
        self.write("x.py", "x = 1\n")
        self.deliver()
        self.verify("--commit", "HEAD")

    def test_a_commit_that_was_changed_does_not_match(self):
        self.deliver()
        note = self.git("notes", "--ref=stile", "list", "HEAD").strip()
        self.write("b.py", BAD_PYTHON)
        self.git("commit", "--quiet", "--all", "--amend", "--no-edit")
        self.git("notes", "--ref=stile", "add", "-C", note, "HEAD")
        self.assertEqual(self.findings("--commit", "HEAD"),
                         [("b.py", "has other content than was accepted")])
        self.write("b.py", GOOD_PYTHON)
        self.write("stowaway.py", BAD_PYTHON)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--all", "--amend", "--no-edit")
        self.git("notes", "--ref=stile", "add", "-C", note, "HEAD")
        self.assertEqual([s for s, _ in self.findings("--commit", "HEAD")], ["commit"])

    def test_a_note_that_the_commit_does_not_name_does_not_match(self):
        self.deliver()
        note = self.git("notes", "--ref=stile", "list", "HEAD").strip()
        self.git("commit", "--quiet", "--amend", "--message=Nothing")
        self.git("notes", "--ref=stile", "add", "-C", note, "HEAD")
        self.assertIn("names no certificate", self.findings("--commit", "HEAD")[0][1])
        self.git("commit", "--quiet", "--amend",
                 "--message=Other\n\nStile-Certificate: sha256:" + "0" * 64)
        self.git("notes", "--ref=stile", "add", "-C", note, "HEAD")
        self.assertIn("names other certificates", self.findings("--commit", "HEAD")[0][1])
        self.git("notes", "--ref=stile", "add", "-f", "-m", "hello", "HEAD")
        self.assertIn("note of ", self.verify("--commit", "HEAD", code=2).stderr)

    def test_a_certificate_without_a_tree_does_not_vouch_for_a_whole_commit(self):
        with open(self.accept(), "rb") as file:  # without git
            certificate = file.read()
        self.write("stowaway.py", BAD_PYTHON)
        self.init_git()
        self.git("commit", "--quiet", "--amend", "--message=x\n\nStile-Certificate: sha256:" +
                 hashlib.sha256(certificate).hexdigest())
        blob = self.git("hash-object", "-w", self.forge(certificate)).strip()
        self.git("notes", "--ref=stile", "add", "-C", blob, "HEAD")
        self.assertEqual(self.findings("--commit", "HEAD"), [
            ("commit", "cannot be compared as a whole: the certificate names no tree")])

    def test_replaced_objects_do_not_fool_it(self):
        self.deliver()
        bad = self.path("bad")
        self.write("bad", BAD_PYTHON)
        blob = self.git("hash-object", "-w", bad).strip()
        os.remove(bad)
        self.git("replace", "-f", self.git("rev-parse", "HEAD:b.py").strip(), blob)
        self.verify("--commit", "HEAD")

    def test_a_notes_ref_that_leads_elsewhere_is_left_alone(self):
        self.init_git()
        self.git("branch", "other")
        before = self.git("rev-parse", "other")
        self.git("symbolic-ref", "refs/notes/stile", "refs/heads/other")
        events = self.deliver()
        self.assertEqual(self.git("rev-parse", "other"), before)
        warnings = [e["text"] for e in events if e["type"] == "log"]
        self.assertTrue(any("refs/notes/stile is a symbolic ref" in w for w in warnings), warnings)
        self.assertEqual(events[-1]["outcome"], "succeeded")

    def test_hooks_do_not_run_with_the_note(self):
        self.init_git()
        hook = self.path(".git/hooks/reference-transaction")
        with open(hook, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat >> {self.root}/refs\n")
        os.chmod(hook, 0o755)
        self.deliver()
        with open(os.path.join(self.root, "refs"), encoding="utf-8") as file:
            self.assertNotIn("refs/notes", file.read())
        self.verify("--commit", "HEAD")


if __name__ == "__main__":
    main(processes=4)
