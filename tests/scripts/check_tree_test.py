"""What scripts/check_tree.py must find, file by file."""

import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import check_tree  # noqa: E402


class CheckTreeTest(unittest.TestCase):
    def check(self, path, content, mode=0o644):
        data = content if isinstance(content, bytes) else content.encode()
        with tempfile.TemporaryDirectory() as folder:
            # Two levels, so that the folder is looked for.
            root = os.path.join(folder, "checkout")
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full))
            with open(full, "wb") as file:
                file.write(data.replace(b"ROOT", root.encode()))
            os.chmod(full, mode)
            with mock.patch.object(check_tree, "ROOT", root), \
                    mock.patch("shutil.which", return_value=None):  # npm is slow to ask
                found = check_tree.check_file(path, check_tree.forbidden_text())
                return [problem.replace(root, "ROOT") for problem in found]

    def test_a_long_source_is_reported_unless_it_says_why(self):
        self.assertEqual([], self.check("a/b.cc", "x\n" * 600))
        self.assertEqual(["a/b.cc:1: 601 lines, at most 600; split it, or say why in '// Size: …'"],
                         self.check("a/b.cc", "x\n" * 601))
        self.assertEqual([], self.check("a/b.cc", "// Size: one table.\n" + "x\n" * 700))
        self.assertEqual(1, len(self.check("a/b.h", "x\n" * 251)))

    def test_two_classes_of_one_name_are_reported(self):
        one = "namespace stile {\n\nclass Queue : public Base {\n};\nenum class Kind { kA };\nstruct Late;\n"
        other = "struct Queue {\n};\nclass Kind;\nstruct Late {};\nstruct Queue::Inner {};\n"
        self.assertEqual(["b/b.h:1: a/a.h has a class Queue, too; give one of them another name"],
                         list(check_tree.check_class_names({"a/a.h": one, "b/b.h": other})))
        self.assertEqual([], list(check_tree.check_class_names({"a/a.h": one + one})))

    def test_names_of_this_machine_are_reported(self):
        self.assertEqual(["a/b.md:2: names the folder of this checkout: ROOT"],
                         self.check("a/b.md", "fine\nsee ROOT/build\n"))
        home = "/home/" + "me/.cache/x"
        self.assertEqual(["a/b.md:1: names a home folder: " + home[:-2]],
                         self.check("a/b.md", home + "\n"))

    def test_registries_are_reported_also_those_of_the_environment(self):
        host = check_tree.REGISTRIES[0]
        self.assertEqual([f"a/b.sh:1: names a package registry: {host}"],
                         self.check("a/b.sh", f"https://{host}/x\n"))
        with mock.patch.dict(os.environ, {"GOPROXY": "https://go.example.net/x,direct"}):
            self.assertEqual(["a/b.sh:1: names a package registry: go.example.net"],
                             self.check("a/b.sh", "go.example.net\n"))

    def test_a_lock_file_with_addresses_is_reported(self):
        [problem] = self.check("a/package-lock.json", '{"a": {\n"resolved": "https://x.example"}}\n')
        self.assertIn("a/package-lock.json:2: a download address", problem)

    def test_executable_bit_and_first_line_go_together(self):
        self.assertEqual([], self.check("a/run", "#!/bin/sh\n", 0o755))
        self.assertEqual(["a/run:1: begins with #! but is not executable"],
                         self.check("a/run", "#!/bin/sh\n"))
        self.assertEqual(["a/b.txt:1: is executable but does not begin with #!"],
                         self.check("a/b.txt", "text\n", 0o755))

    def test_data_that_cannot_be_parsed_is_reported_with_its_line(self):
        self.assertEqual(1, len(self.check("a/b.json", "{\n  x\n}\n")))
        self.assertIn("a/b.jsonl:2: ", self.check("a/b.jsonl", "{}\n{\n")[0])
        if check_tree.yaml:
            self.assertIn("a/b.yaml:3: ", self.check("a/b.yaml", "a: 1\nb: [1\n")[0])
        self.assertEqual([], self.check("tests/golden/b.json", "{\n"))

    def test_text_is_utf8_and_ends_with_a_newline(self):
        self.assertEqual(["a/b.md:1: no newline at the end"], self.check("a/b.md", "text"))
        self.assertEqual(["a/b.md:1: not UTF-8"], self.check("a/b.md", b"\xff\n"))

    def test_figures_may_only_become_better(self):
        text = "# A\n```figures\nfunctions: 3\n```\n"
        for value, finding in ((3, None), (4, "and 3 before"), (2, "--write")):
            found = list(check_tree.check_figures(text, {"functions": value, "lines": 9}))
            self.assertEqual(bool(finding), bool(found))
            self.assertIn(finding or "", "".join(found))
        self.assertIn("no figure", "".join(check_tree.check_figures("", {"functions": 1})))


if __name__ == "__main__":
    unittest.main()
