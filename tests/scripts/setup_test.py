"""scripts/setup, for a person who is not root and has no network: programs named apt-get, dpkg-query,
sudo, id and npm stand in for those of the machine."""

import os
import shutil
import subprocess
import tempfile
import unittest

SETUP = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scripts", "setup")


class SetupTest(unittest.TestCase):

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="stile setup ")
        self.addCleanup(shutil.rmtree, self.root)
        self.bin = os.path.join(self.root, "bin")
        os.mkdir(self.bin)
        for name in ("bash", "dirname", "sed", "env", "cat", "sha256sum", "flock", "mkdir", "rm", "cp", "python3"):
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        self.program("id", '[ "$1" = -un ] && echo ann || echo 1001')
        self.program("sudo", "exit 1")
        self.program("sleep", "exit 0")
        self.program("apt-get", "echo apt-get was called >&2; exit 1")
        self.program("dpkg-query", "printf installed")
        self.program("node", "exit 0")
        self.program("npm", 'case "$1" in config) echo https://registry.example/;;'
                            ' *) echo "npm error code ENOTFOUND" >&2; exit 1;; esac')
        # A checkout of the parts that setup reads; nothing is written into the real one.
        self.clone = os.path.join(self.root, "a clone")
        source = os.path.dirname(os.path.dirname(SETUP))
        os.makedirs(os.path.join(self.clone, "scripts"))
        shutil.copy(SETUP, os.path.join(self.clone, "scripts"))
        shutil.copytree(os.path.join(source, "third_party"), os.path.join(self.clone, "third_party"))

    def program(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)

    def setup(self, purpose):
        return subprocess.run([os.path.join(self.bin, "bash"), os.path.join(self.clone, "scripts", "setup"), purpose],
                              env={"PATH": self.bin, "HOME": self.root}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def test_without_root_all_missing_packages_stand_in_one_command(self):
        self.program("dpkg-query", 'case "$*" in *ninja*|*libre2*) exit 1;; esac; printf installed')
        os.remove(os.path.join(self.bin, "node"))
        os.remove(os.path.join(self.bin, "npm"))
        result = self.setup("build")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("only root can install them", result.stderr)
        self.assertIn("  apt-get update && apt-get install --no-install-recommends nodejs npm ninja-build libre2-dev\n",
                      result.stderr)
        self.assertIn("run this command again as ann", result.stderr)
        self.assertNotIn("apt-get was called", result.stderr)

    def test_a_failure_of_npm_says_what_can_be_done(self):
        result = self.setup("build")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("npm error code ENOTFOUND", result.stderr)
        for words in ("https://registry.example/", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"):
            self.assertIn(words, result.stderr)

    def test_an_unknown_purpose_shows_the_known_ones(self):
        result = self.setup("everything")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("scripts/setup build", result.stderr)


if __name__ == "__main__":
    unittest.main()
