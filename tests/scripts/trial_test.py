"""The parts of scripts/rename_trial and scripts/reference_trial that judge: on texts and outputs made for it,
and a language server that plays back answers."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
from trial import hierarchy, javac, judge, project, symbols  # noqa: E402
from trial import text as texts  # noqa: E402
from trial.lsp import LanguageServer, ServerError  # noqa: E402

SERVER = r"""
import json, sys
def read():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line: sys.exit()
        if line == b"\r\n": return json.loads(sys.stdin.buffer.read(length))
        if line.lower().startswith(b"content-length:"): length = int(line.split(b":")[1])
def write(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
uri = ""
while True:
    message = read()
    method = message["method"]
    if method == "textDocument/didOpen": uri = message["params"]["textDocument"]["uri"]
    if "id" not in message: continue
    span = {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 8}}
    if method == "initialize": write({"id": message["id"], "result": {"serverInfo": {"name": "fake", "version": "1"}}})
    elif method == "textDocument/definition":
        assert message["params"]["position"] == {"line": 0, "character": 5}, message
        write({"id": 7, "method": "window/workDoneProgress/create", "params": {"token": "t"}})
        assert read() == {"jsonrpc": "2.0", "id": 7, "result": None}
        write({"id": message["id"], "result": [{"uri": uri, "range": span},
               {"uri": "file:///else%20where.py", "range": span}]})
    elif method == "textDocument/rename":
        write({"id": message["id"], "result": {"changes": {uri: [{"range": span,
               "newText": message["params"]["newName"]}]}}})
    else: write({"id": message["id"], "error": {"code": -1, "message": "no symbol here"}})
"""


class TextTest(unittest.TestCase):
    def test_a_word_is_in_code_comment_or_string(self):
        text = 'run(); // run\n"run" + prerun + $run\n/* run\n run */ x.run'
        self.assertEqual(texts.places_of_name(text, "run", "typescript"), {
            (1, 1): "code", (1, 11): "comment", (2, 2): "string", (3, 4): "comment", (4, 2): "comment",
            (4, 11): "code"})

    def test_what_a_format_string_computes_is_code(self):
        self.assertEqual(texts.places_of_name('f"name {name}" # name', "name", "python"),
                         {(1, 3): "string", (1, 9): "code", (1, 18): "comment"})
        self.assertEqual(texts.places_of_name("`name ${name}`", "name", "javascript"),
                         {(1, 2): "string", (1, 9): "code"})
        self.assertEqual(texts.places_of_name('"name {name}"', "name", "python"),
                         {(1, 2): "string", (1, 8): "string"})

    def test_a_lifetime_begins_no_string(self):
        self.assertEqual(texts.places_of_name("fn f<'a>(x: &'a T) { 'T'; }", "T", "rust"),
                         {(1, 17): "code", (1, 23): "string"})

    def test_renamed_places_and_only_these(self):
        places, foreign = texts.renamed_places("a.old = old\nold2 old\n", "a.neu = old\nold2 neu\n", "old", "neu")
        self.assertEqual((places, foreign), ({(1, 3): "", (2, 6): ""}, []))

    def test_shorthands_are_places(self):
        places, foreign = texts.renamed_places("f({ old })\nimport { old }", "f({ old: neu })\nimport { old as neu }",
                                               "old", "neu")
        self.assertEqual((places, foreign), ({(1, 5): "old: neu", (2, 10): "old as neu"}, []))

    def test_other_changes_are_foreign(self):
        self.assertEqual(texts.renamed_places("old + 1", "neu + 2", "old", "neu"), ({}, ["1: old + 1 -> neu + 2"]))
        self.assertEqual(texts.renamed_places("old", "neu\n", "old", "neu"), ({}, ["1 lines became 2"]))

    def test_an_import_may_stand_twice(self):
        before = "import static a.B.old;\nold(1);\nold(2);\n"
        for imports in ("import static a.B.neu;\nimport static a.B.old;\n", "import static a.B.old;\nimport static a.B.neu;\n"):
            self.assertEqual(texts.renamed_places(before, imports + "neu(1);\nold(2);\n", "old", "neu"),
                             ({(1, 19): "", (2, 1): ""}, []))
        self.assertEqual(texts.renamed_places("x\nold\n", "x\nneu\nold\n", "old", "neu"), ({}, ["3 lines became 4"]))

    def test_edits_apply_from_the_end(self):
        self.assertEqual(texts.apply_edits("ab ab\nab", [((1, 1), (1, 3), "long"), ((2, 1), (2, 3), "x"),
                                                         ((1, 4), (1, 6), "")]), "long \nx")

    def test_new_names_keep_the_style(self):
        self.assertEqual([texts.new_name(name) for name in ("Name", "a_b", "MAX", "x")],
                         ["NameZq", "a_b_zq", "MAX_ZQ", "xZq"])


class ProjectTest(unittest.TestCase):
    def test_failed_tests_by_name(self):
        output = ("--- FAIL: TestA/one (0.00s)\nFAILED tests/a_test.py::test_b - x\ntest m::c ... FAILED\n"
                  "  1) reads old\n  ✖ keeps neu\n[ERROR] org.A.d:12 wrong\n")
        self.assertEqual(project.failed_tests(output, "old", "neu"), {
            "TestA/one", "tests/a_test.py::test_b", "m::c", "reads old", "keeps old", "org.A.d"})

    def test_a_build_is_worse_by_errors_that_are_new(self):
        def verdict(code, output, *names):
            return project.Verdict(code, project.error_lines(output, "/w/", *names), output)

        before = verdict(1, "/w/a.py:3:1 - error: no old here\n")
        self.assertEqual(project.is_worse(before, verdict(1, "/w/a.py:9:4 - error: no neu here\n", "old", "neu")), "")
        self.assertEqual(project.is_worse(before, verdict(1, "/w/a.py:9:4 - error: no old here\n" * 2)),
                         "a.py:# - error: no old here")
        self.assertEqual(project.is_worse(verdict(0, ""), verdict(2, "stopped")), "stopped")
        self.assertEqual(project.is_worse(before, verdict(0, "")), "")
        self.assertEqual(project.is_worse(None, None), "")

    def test_tests_are_worse_by_names_that_are_new(self):
        before = project.Verdict(1, {"a"}, "")
        self.assertEqual(project.is_worse(before, project.Verdict(1, {"a"}, "")), "")
        self.assertEqual(project.is_worse(before, project.Verdict(1, {"a", "b"}, "")), "b")

    def test_a_moved_file_is_told_with_its_old_path(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "subject"))
            with open(os.path.join(folder, "subject", "Old.java"), "w", encoding="utf-8") as file:
                file.write("class Old {\n  int a;\n  int b;\n}\n")
            copy = project.Project(os.path.join(folder, "subject"), folder, "copy")
            os.rename(os.path.join(copy.folder, "Old.java"), os.path.join(copy.folder, "Neu.java"))
            copy.write("Neu.java", "class Neu {\n  int a;\n  int b;\n}\n")
            self.assertEqual(copy.changed(), {"Old.java": "Neu.java"})
            copy.reset()
            self.assertEqual(copy.changed(), {})


class FakeResolver:
    def __init__(self, definitions, implementations=None):
        self.definitions, self.tied = definitions, implementations or {}
        self.referenced = {("a", 2, 1)}

    def references(self, place):
        return self.referenced

    def implementations(self, place):
        if place not in self.tied:
            raise ServerError("no type there")
        return self.tied[place]

    def definition(self, place):
        return self.definitions.get(place, set())


class JudgeTest(unittest.TestCase):
    SOURCE = "def old(): pass\nold()\nother.old()\n"

    def compare(self, edited, expected, definitions, left=(), ties=None, namesakes=frozenset()):
        return judge.compare(texts.Place("a", 1, 5), {texts.Place("a", *place) for place in edited},
                             {texts.Place("a", *place) for place in expected},
                             FakeResolver({("a", *place): {("a", *target) for target in targets}
                                           for place, targets in definitions.items()}, ties),
                             lambda file: self.SOURCE, {texts.Place("a", *place) for place in left},
                             lambda place: "code", namesakes)

    def test_the_same_places_agree(self):
        verdict = self.compare([(1, 5), (2, 1)], [(1, 5), (2, 1)], {})
        self.assertEqual((len(verdict.agree), verdict.wrong, verdict.unexplained), (2, [], []))

    def test_an_edit_of_something_else_is_wrong(self):
        verdict = self.compare([(1, 5), (3, 7)], [(1, 5)], {(3, 7): [(9, 9)]})
        self.assertEqual(verdict.wrong, ["renamed, but it is a:9: a:3:7: other.old()"])

    def test_a_declaration_that_was_renamed_too_is_related(self):
        verdict = self.compare([(1, 5), (3, 7)], [(1, 5)], {(3, 7): [(3, 7)]})
        self.assertEqual((verdict.wrong, len(verdict.related), verdict.overloads), ([], 1, set()))
        verdict = self.compare([(1, 5), (3, 7)], [(1, 5)], {(3, 7): [(3, 7)]}, namesakes={("a", 3, 7)})
        self.assertEqual((verdict.related, verdict.unexplained), (
            set(), ["overloads were renamed, too, in 1 places"]))

    def test_an_edit_that_only_the_definition_knows_is_right(self):
        verdict = self.compare([(1, 5), (2, 1)], [(1, 5)], {(2, 1): [(1, 5)]})
        self.assertEqual((verdict.wrong, verdict.unexplained, verdict.defined), ([], [], {("a", 2, 1)}))

    def test_what_implements_the_symbol_is_tied(self):
        ties = {("a", 1, 5): {("b", 1, 1)}, ("b", 1, 1): {("a", 3, 7)}}
        verdict = self.compare([(1, 5), (3, 7)], [(1, 5)], {(3, 7): [(3, 7)]}, ties=ties)
        self.assertEqual((verdict.tied, verdict.related, verdict.unexplained), ({("a", 3, 7)}, set(), []))

    def test_an_edit_that_nobody_knows_is_to_be_explained(self):
        verdict = self.compare([(1, 5), (3, 7)], [(1, 5)], {})
        self.assertEqual((verdict.wrong, len(verdict.unexplained)), ([], 1))

    def test_a_place_of_the_symbol_that_is_left_is_wrong(self):
        verdict = self.compare([(1, 5)], [(1, 5), (2, 1)], {(2, 1): [(1, 5)]}, [(2, 1)])
        self.assertEqual(verdict.wrong, ["left, and it is the symbol: a:2:1: old()"])
        verdict = self.compare([(1, 5)], [(1, 5)], {(2, 1): [(1, 5)]}, [(2, 1)])
        self.assertEqual(verdict.wrong, ["left, and it is the symbol by definition: a:2:1: old()"])
        verdict = self.compare([(1, 5)], [(1, 5)], {(3, 7): [(1, 5)]}, [(3, 7)])
        self.assertEqual((verdict.wrong, verdict.unexplained), (
            [], ["left, the symbol by definition and not by references: a:3:7: other.old()"]))


class SymbolsTest(unittest.TestCase):
    def test_members_of_the_library_by_the_base_that_is_named(self):
        text = ("import io\nfrom enum import Enum as E\nclass A(str):\n  def upper(self): pass\n"
                "  def mine(self): pass\nclass B(io.RawIOBase):\n  def read(self): pass\n"
                "class C(E):\n  def name(self): pass\nclass D(A):\n  def upper(self): pass\n")
        found = [symbols.python_library_base(text, line, name) for line, name in (
            (4, "upper"), (5, "mine"), (7, "read"), (9, "name"), (11, "upper"))]
        self.assertEqual(found, ["builtins.str", "", "io.RawIOBase", "enum.Enum", ""])


    def test_overrides_by_the_bases_that_classes_name(self):
        tree = hierarchy.PythonHierarchy({
            "a.py": "class A:\n  def one(self): pass\n", "b.py": "class B(a.A[int]):\n  pass\n",
            "c.py": "class C(B):\n  async def one(self): pass\nclass D:\n  def one(self): pass\n", "e.py": "class"})
        self.assertEqual(tree.relatives(("a.py", 2, 7)), {("a.py", 2, 7), ("c.py", 2, 13)})
        self.assertEqual(tree.relatives(("c.py", 2, 13)), {("a.py", 2, 7), ("c.py", 2, 13)})
        self.assertEqual(tree.relatives(("c.py", 4, 7)), {("c.py", 4, 7)})
        self.assertEqual(tree.relatives(("a.py", 1, 7)), set())

    def test_items_of_traits_that_the_project_does_not_declare(self):
        text = ("impl<T> Own<T> for A {\n    fn one() {}\n}\nimpl A {\n    fn two() {}\n}\n"
                "unsafe impl<T: Copy> core::fmt::Write<T>\n    for A\nwhere\n    T: Copy,\n{\n    fn three() {}\n}\n")
        found = [symbols.rust_library_trait(text, line, {"Own"}) for line in (2, 5, 12)]
        self.assertEqual(found, ["", "", "Write"])


class JavaTest(unittest.TestCase):
    """What JavaNames.java prints is played back: the program itself needs a JDK."""

    OUTPUT = ("name\tA.java\t1\t7\t1\nname\tA.java\t2\t10\t2\nname\tB.java\t1\t1\t2\n"
              "decl\tA.java\t1\t7\t1\tCLASS\tp\ndecl\tA.java\t2\t10\t2\tMETHOD\tp.A\nfixed\t2\n")
    TEXTS = {"A.java": ["class A {", '  String old() { return "😀"; }'], "B.java": ["old();"]}

    def test_keys_tie_names_to_declarations(self):
        compiler = javac.JavaCompiler.__new__(javac.JavaCompiler)
        compiler.key_of, compiler.declared, compiler.places_of = {}, {}, {}
        compiler.fixed, compiler.names = set(), {}
        compiler.read(self.OUTPUT, self.TEXTS.get)
        self.assertEqual(compiler.definition(("B.java", 1, 1)), {("A.java", 2, 10)})
        self.assertEqual(compiler.references(("A.java", 2, 10)), {("A.java", 2, 10), ("B.java", 1, 1)})
        self.assertEqual(compiler.symbols("A.java"), [("class", 1, 7, "p", False), ("method", 2, 10, "p.A", False)])
        with self.assertRaisesRegex(ServerError, "overrides a member of a library"):
            compiler.rename(("B.java", 1, 1), "neu")
        with self.assertRaisesRegex(ServerError, "no name stands there"):
            compiler.references(("B.java", 1, 2))


class LanguageServerTest(unittest.TestCase):
    def test_answers_with_places_in_characters(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            with open(os.path.join(folder, "a b.py"), "w", encoding="utf-8") as file:
                file.write("'😀' old\n")  # the face is two units of UTF-16
            server = LanguageServer([sys.executable, "-c", SERVER], folder, "python", seconds=20)
            self.addCleanup(server.close)
            self.assertEqual(server.name, "fake 1")
            place = ("a b.py", 1, 5)
            self.assertEqual(server.definition(place), {place, ("/else where.py", 1, 6)})
            self.assertEqual(server.rename(place, "neu"), {"a b.py": [((1, 5), (1, 8), "neu")]})
            with self.assertRaisesRegex(ServerError, "no symbol here"):
                server.references(place)


if __name__ == "__main__":
    unittest.main()
