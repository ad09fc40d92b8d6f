"""Which files scripts/unity_groups.py lets compile as one."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "unity_groups.py")
FILE = "#include \"runtime/room/{header}\"\nnamespace stile {{\nnamespace {{\n\n{own}\n\n}}  // namespace\n\n{rest}\n}}  // namespace stile\n"


class UnityGroupsTest(unittest.TestCase):
    def groups(self, files, headers=None):
        """The sets of files that share a group, each in its order."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("scripts", "runtime/room", "agents", "tools", "validators"):
                os.makedirs(os.path.join(folder, name))
            script = shutil.copy(SCRIPT, os.path.join(folder, "scripts"))
            for name, (own, rest, *header) in files.items():
                with open(os.path.join(folder, "runtime/room", name), "w", encoding="utf-8") as file:
                    file.write(FILE.format(own=own, rest=rest, header=header[0] if header else "none.h"))
            for name, text in (headers or {}).items():
                with open(os.path.join(folder, "runtime/room", name), "w", encoding="utf-8") as file:
                    file.write(text)
            output = os.path.join(folder, "build")
            result = subprocess.run([sys.executable, script, "2400", output], check=True, capture_output=True, text=True)
            groups = []
            for line in result.stdout.splitlines():
                room, path = line.split(" ", 1)
                self.assertEqual(room, "runtime/room")
                if path.startswith(output):
                    with open(path, encoding="utf-8") as file:
                        names = [os.path.basename(include.split('"')[1]) for include in file]
                    sources = [name for name in names if name.endswith(".cc")]
                    self.assertEqual(names[-len(sources):], sources)  # the headers come first
                    groups.append(sources)
                else:
                    groups.append([os.path.basename(path)])
        return sorted(groups)

    def test_files_that_share_no_name_are_compiled_as_one(self):
        self.assertEqual(self.groups({"a.cc": ("int One() { return 1; }", "int A() { return One(); }"),
                                      "b.cc": ("int Two() { return 2; }", "int B() { return Two(); }")}), [["a.cc", "b.cc"]])

    def test_files_that_declare_one_name_privately_are_not(self):
        for own in ("int One(int a) { return a; }", "constexpr int kOne = 1;", "struct One {\n  int a;\n};",
                    "template <typename T>\nint One(\n    T a) {\n  return a;\n}", "using One = int;", "#define ONE 1"):
            with self.subTest(own):
                self.assertEqual(len(self.groups({"a.cc": (own, ""), "b.cc": (own, "")})), 2)

    def test_members_and_variables_with_a_private_name_of_another_file_have_no_effect(self):
        files = {"a.cc": ("int Size() { return 1; }", ""), "b.cc": ("", "int B(Box box) { return box.Size(); }")}
        self.assertEqual(self.groups(files), [["a.cc", "b.cc"]])

    def test_a_file_that_uses_a_name_of_a_header_does_not_follow_one_that_declares_it_privately(self):
        header = {"none.h": "namespace stile {\nint Size(int a);\n}\n"}
        own = "int Size(char a) { return a; }"
        self.assertEqual(len(self.groups({"a.cc": (own, ""), "b.cc": ("", "int B() { return Size(1); }")}, header)), 2)
        self.assertEqual(len(self.groups({"a.cc": (own, ""), "b.cc": ("", "int B() { return 1; }")}, header)), 1)

    def test_names_that_would_shadow_a_private_one_part_their_files(self):
        own = "constexpr int kMost = 1;\nstruct Case {\n  int a;\n};"
        for rest in ("int B() {\n  constexpr int kMost = 2;\n  return kMost;\n}", "enum class Kind { kLeast, kMost };",
                     "int B() {\n  struct Case {};\n  return sizeof(Case);\n}"):
            with self.subTest(rest):
                self.assertEqual(len(self.groups({"a.cc": (own, ""), "b.cc": ("", rest)})), 2)

    def test_a_macro_reaches_the_files_behind_it(self):
        files = {"a.cc": ("#define SIZE 1", ""), "b.cc": ("", "int SIZE(int a);")}
        self.assertEqual(self.groups(files), [["b.cc", "a.cc"]])
        files["b.cc"] = ("#define MOST 1", "int SIZE(int a);")
        self.assertEqual(len(self.groups(files)), 2)

    def test_the_same_using_in_two_files_is_one(self):
        for other, count in (("using testing::Not;", 1), ("using absl::Not;", 2), ("struct Not {};", 2)):
            with self.subTest(other):
                self.assertEqual(len(self.groups({"a.cc": ("using testing::Not;", ""), "b.cc": (other, "")})), count)

    def test_a_header_that_declares_the_private_name_of_another_file_parts_them(self):
        files = {"a.cc": ("", "", "a.h"), "b.cc": ("constexpr int kMost = 1;", "")}
        self.assertEqual(len(self.groups(files, {"a.h": "namespace stile {\ninline constexpr int kMost = 2;\n}\n"})), 2)
        self.assertEqual(len(self.groups(files, {"a.h": "namespace stile {\ninline constexpr int kLeast = 2;\n}\n"})), 1)

    def test_words_in_comments_and_texts_do_not_count(self):
        rest = "// One\nconst char* const b = \"One\";\nchar c = '\"'; int d = 1; char e = '\"';"
        self.assertEqual(len(self.groups({"a.cc": ("int One() { return 1; }", ""), "b.cc": ("", rest)})), 1)
        rest = "char c = '\"';\nint One();\nchar e = '\"';"
        self.assertEqual(len(self.groups({"a.cc": ("int One() { return 1; }", ""), "b.cc": (rest, "")})), 2)


if __name__ == "__main__":
    unittest.main()
