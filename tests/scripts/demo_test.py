"""scripts/demo: plays what is installed, and installs compilers only when asked."""

import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = ("bash", "env", "git", "python3", "gcc", "make", "cc", "as", "ld", "mktemp", "rm", "cp", "mkdir", "cat", "ls",
         "xargs", "sed", "sh", "dirname", "bwrap", "printf", "test", "true", "ln", "chmod", "sleep", "uname", "grep")


class DemoTest(unittest.TestCase):

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="stile-demo-")
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        os.makedirs(os.path.join(self.root, "scripts"))
        for name in ("demo", "demo_view.py"):
            shutil.copy(os.path.join(SOURCE, "scripts", name), os.path.join(self.root, "scripts", name))
        shutil.copytree(os.path.join(SOURCE, "agents", "stories", "demo"),
                        os.path.join(self.root, "agents", "stories", "demo"))
        self.bin = os.path.join(self.root, "bin")
        os.mkdir(self.bin)
        for name in TOOLS:
            if found := shutil.which(name):
                os.symlink(found, os.path.join(self.bin, name))
        # In place of the real ones: what is asked of them is written down.
        self.script("scripts/setup", 'echo "$1" >>setup.log')
        self.script("bin/cmake", 'if [ "$1" = --build ]; then mkdir -p build/release/bin; '
                                 'ln -sf "$STILE_BINARY" build/release/bin/stile; fi')

    def script(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)

    def demo(self, *arguments):
        result = subprocess.run(
            [os.path.join(self.root, "scripts", "demo"), *arguments], cwd=self.root, capture_output=True, text=True,
            check=False, env={"PATH": self.bin, "HOME": self.root, "STILE_BINARY": os.environ["STILE_BINARY"]})
        with open(os.path.join(self.root, "setup.log"), encoding="utf-8") as file:
            return result, file.read().split()

    @unittest.skipUnless(shutil.which("gcc") and shutil.which("make"), "needs gcc and make")
    def test_what_is_installed_is_played_and_the_rest_is_named(self):
        result, setup = self.demo("c", "go", "rust")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(setup, ["build"])
        played, left_out = result.stdout.split("Left out")
        self.assertIn("C: Rename OrderService to PurchaseService, by its meaning", played)
        self.assertIn("commit on feature/rename-order-service:", played)
        self.assertIn("C: Rename OrderService to PurchaseService, by edits", played)
        self.assertIn("commit on feature/rename-order-service-by-edits:", played)
        self.assertRegex(played, r"C, by its meaning +accepted at once\n")
        self.assertRegex(played, r"C, by edits +refused once, then accepted\n")
        self.assertNotIn("Go", played)
        for text in ("Go           apt-get install golang-go", "Rust ", "scripts/demo --all installs"):
            self.assertIn(text, left_out)

    def test_all_asks_for_every_compiler(self):
        result, setup = self.demo("--all", "go")
        self.assertEqual(setup, ["demo"])
        self.assertNotIn("scripts/demo --all", result.stdout)
        self.assertIn("no story could be played", result.stderr)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
