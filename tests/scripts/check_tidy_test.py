"""scripts/check_tidy.py in a checkout whose path has a blank; a program that accepts everything stands in for
clang-tidy."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scripts",
                      "check_tidy.py")


class CheckTidyTest(unittest.TestCase):

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="stile tidy ")
        self.addCleanup(shutil.rmtree, self.root)
        self.checkout = os.path.join(self.root, "a checkout")
        self.write("runtime/a b.cc", '#include "runtime/a b.h"\nint main() { return kZero; }\n')
        self.write("runtime/a b.h", "constexpr int kZero = 0;\n")
        self.write(".clang-tidy", "Checks: '-*'\n")
        os.makedirs(os.path.join(self.checkout, "scripts"))
        shutil.copy(SCRIPT, os.path.join(self.checkout, "scripts"))
        build = os.path.join(self.checkout, "build")
        source = os.path.join(self.checkout, "runtime", "a b.cc")
        self.write("build/compile_commands.json", json.dumps([{
            "directory": build, "file": source,
            "command": f'"{build}/launcher/ccache" c++ -I"{self.checkout}" -o a.o -c "{source}"'}]))
        self.write("bin/clang-tidy", "#!/bin/sh\nexit 0\n")
        os.chmod(os.path.join(self.checkout, "bin", "clang-tidy"), 0o755)
        subprocess.run(["git", "init", "--quiet", self.checkout], check=True)

    def write(self, path, text):
        full = os.path.join(self.checkout, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def check(self):
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.root, "cache"),
                           PATH=os.path.join(self.checkout, "bin") + ":" + os.environ["PATH"])
        done = subprocess.run(
            [sys.executable, os.path.join(self.checkout, "scripts", "check_tidy.py"), "--all",
             os.path.join(self.checkout, "build")],
            env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_source_is_judged_again_when_what_it_includes_has_changed(self):
        self.assertIn("1 passed, 0 unchanged", self.check())
        self.assertIn("0 passed, 1 unchanged", self.check())
        self.write("runtime/a b.h", "constexpr int kZero = 1;\n")
        self.assertIn("1 passed, 0 unchanged", self.check())


if __name__ == "__main__":
    unittest.main()
