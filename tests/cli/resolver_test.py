"""Names resolved by language servers: stile refactor with gopls, clangd, Pyright and TypeScript 7, and with a
server that lies."""

import json
import os
import shutil
import stat
import subprocess

from harness import StileTest, call, finish, main

FAKE_SERVER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                           "support", "fake_language_server.py")

# Files, what is renamed, and what differs afterwards: (file, old text, new text). Each has overrides, and a place
# that a syntax tree cannot know.
OVERRIDES = {
    "go": ({
        "go.mod": "module example.com/p\n\ngo 1.19\n",
        "a.go": "package p\n\ntype Runner interface{ Run() int }\n\ntype Fast struct{}\n\n"
                "// Run runs.\nfunc (Fast) Run() int { return 1 }\n\ntype Job struct{}\n\nfunc (Job) Run() string { return \"\" }\n",
        "a_test.go": "package p\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {\n\tvar r Runner = Fast{}\n"
                     "\tif r.Run() != 1 || (Job{}).Run() != \"\" {\n\t\tt.Fatal()\n\t}\n}\n",
    }, ("Runner.Run", "Go"), [
        ("a.go", "interface{ Run()", "interface{ Go()"), ("a.go", "// Run runs", "// Go runs"),
        ("a.go", "(Fast) Run()", "(Fast) Go()"), ("a_test.go", "r.Run()", "r.Go()")], "gopls"),
    "typescript": ({
        "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}, \"include\": [\"src\"]}\n",
        "src/a.ts": "export interface Shape { area(): number }\n"
                    "export class Box implements Shape { area() { return 1; } }\n"
                    "export class Big extends Box { area() { return 2; } }\n"
                    "export class Town { area() { return \"x\"; } }\n",
        "src/b.ts": "import { Shape, Town } from './a';\nconst area = () => 4;\nexport const s: Shape = { area };\n"
                    "export const { area: x } = s;\nexport const t = new Town().area();\n",
        "test/c.ts": "import { Big } from '../src/a';\nexport const all = [new Big()].map((b) => b.area());\n",
    }, ("Shape.area", "size"), [
        ("src/a.ts", "interface Shape { area", "interface Shape { size"), ("src/a.ts", "implements Shape { area", "implements Shape { size"),
        ("src/a.ts", "extends Box { area", "extends Box { size"), ("src/b.ts", "Shape = { area }", "Shape = { size: area }"),
        ("src/b.ts", "{ area: x }", "{ size: x }"), ("test/c.ts", "b.area()", "b.size()")], "TypeScript 7"),
    "python": ({
        "pyproject.toml": "[project]\nname = \"p\"\n", "p/__init__.py": "",
        "p/a.py": "class Base:\n    def run(self) -> int:\n        return 1\n\n\nclass Derived(Base):\n"
                  "    def run(self) -> int:\n        return super().run() + 1\n",
        # Another Base, whose name is all that it shares.
        "p/other.py": "class Base:\n    def run(self) -> str:\n        return ''\n\n\nclass Derived(Base):\n"
                      "    def run(self) -> str:\n        return super().run()\n",
        "p/b.py": "from p.a import Base, Derived\nfrom p import other\n\n\ndef go(x: Base) -> int:\n    return x.run()\n\n\n"
                  "def unknown(x):\n    return x.run()\n\n\nprint(go(Derived()), other.Derived().run())\n",
    }, ("p/a.py", 2, "run", "start"), [
        ("p/a.py", "def run(self) -> int:\n        return 1", "def start(self) -> int:\n        return 1"),
        ("p/a.py", "def run(self) -> int:\n        return super", "def start(self) -> int:\n        return super"),
        ("p/a.py", "super().run()", "super().start()"),
        ("p/b.py", "-> int:\n    return x.run()", "-> int:\n    return x.start()")], "Pyright"),
    "cpp": ({
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_library(p a.cc b.cc)\n",
        "a.h": "#pragma once\nstruct Base { virtual ~Base() = default; virtual int run() = 0; };\n"
               "struct D : Base { int run() override; };\nstruct Job { int run() { return 2; } };\n",
        "a.cc": "#include \"a.h\"\nint D::run() { return 1; }\n",
        "b.cc": "#include \"a.h\"\n#define CALL(x) (x).run()\nint all(Base& b, D& d, Job& j) { return b.run() + CALL(d) + j.run(); }\n",
    }, ("D.run", "go"), None, "clangd"),
}


class ResolverTest(StileTest):
    def rename(self, *arguments, **more):
        result = self.stile("refactor", "rename", *arguments, "--json", timeout=600, **more)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def check(self, language):
        files, what, changes, resolver = OVERRIDES[language]
        self.write_all(files)
        if len(what) == 4:
            answer = self.rename(what[2], what[3], "--file", what[0], "--line", str(what[1]))
        else:
            answer = self.rename(*what)
        self.assertTrue(answer["resolvedBy"].startswith(resolver), answer["resolvedBy"])
        if changes is not None:
            self.assert_changed(files, changes)
        return answer

    def test_go(self):
        answer = self.check("go")
        self.assertTrue(answer["validation"]["judged"])

    def test_go_examples_document_the_new_name(self):
        # `go vet` refuses an example of a name that is not there.
        self.write_all({
            "go.mod": "module shop\n\ngo 1.19\n",
            "shop.go": "package shop\n\ntype Order struct{}\n\nfunc (o Order) Total() int { return 1 }\n\n"
                       "func Total() int { return Order{}.Total() }\n",
            "shop_test.go": "package shop\n\nimport \"fmt\"\n\n"
                            "func ExampleTotal() { fmt.Println(Total()) }\n"
                            "func ExampleTotal_twice() { fmt.Println(2 * Total()) }\n"
                            "func ExampleOrder_Total() { fmt.Println(Order{}.Total()) }\n"})
        answer = self.rename("Total", "Sum", "--file", "shop.go", "--line", "7")
        self.assertEqual(answer["related"], [])
        self.rename("Order", "Purchase")
        tests = self.read("shop_test.go")
        for name in ("ExampleSum()", "ExampleSum_twice()", "ExamplePurchase_Total()"):
            self.assertIn(f"func {name} ", tests)
        subprocess.run(["go", "vet", "./..."], cwd=self.workspace, check=True, capture_output=True)

    def test_typescript(self):
        answer = self.check("typescript")
        self.assertTrue(answer["validation"]["judged"])

    def test_python_lists_what_nothing_types(self):
        answer = self.check("python")
        self.assertEqual([(place["file"], place["line"]) for place in answer["blastRadius"]["uncertain"]],
                         [("p/b.py", 10)])

    def test_cpp_has_the_last_word_from_the_compiler(self):
        # The macro is expanded for a D only, and clangd does not name places in macros. A Job has a run, too.
        answer = self.check("cpp")
        self.assertTrue(answer["validation"]["judged"])
        self.assertIn("virtual int go()", self.read("a.h"))
        self.assertIn("D::go()", self.read("a.cc"))
        self.assertEqual(self.read("b.cc"), OVERRIDES["cpp"][0]["b.cc"].replace(
            "(x).run()", "(x).go()").replace("b.run()", "b.go()"))
        # clangd's index is kept outside of the workspace.
        self.assertEqual(sorted(os.listdir(self.workspace)), ["CMakeLists.txt", "a.cc", "a.h", "b.cc"])

    def test_cpp_with_headers_that_gcc_has_precompiled(self):
        # clang cannot read them. The names of a header that only the command line includes must be known.
        self.write_all({
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_library(p a.cc)\n"
                              "target_precompile_headers(p PRIVATE <vector> box.h)\n",
            "box.h": "#pragma once\nstruct Box { int size = 1; };\nstruct Bag { int size = 2; };\n",
            "a.cc": "int all(const std::vector<Box>& boxes, const Bag& bag) {\n  int sum = bag.size;\n"
                    "  for (auto& box : boxes) sum += box.size;\n  return sum;\n}\n",
        })
        subprocess.run(["cmake", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_CXX_COMPILER=g++"],
                       cwd=self.workspace, check=True, capture_output=True)
        subprocess.run(["cmake", "--build", "build"], cwd=self.workspace, check=True, capture_output=True)
        answer = self.rename("Box.size", "count")
        self.assertTrue(answer["resolvedBy"].startswith("clangd"), answer["resolvedBy"])
        self.assertIn("sum += box.count;", self.read("a.cc"))
        self.assertIn("sum = bag.size;", self.read("a.cc"))
        self.assertEqual(answer["blastRadius"]["uncertain"], [])

    def test_a_definition_that_is_not_compiled_is_listed(self):
        source = ("#include \"a.h\"\n#ifdef _WIN32\nint scale(int value) { return value * 2; }\n#else\n"
                  "int scale(int value) { return value * 3; }\n#endif\n")
        self.write_all({
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nadd_library(p a.c b.c)\n",
            "a.h": "int scale(int value);\n", "a.c": source,
            # Functions of their own files: none is another's.
            "b.c": "static int zoom(void) { return 1; }\nint use(void) { return zoom(); }\n",
            "c.c": "static int zoom(void) { return 2; }\nint use2(void) { return zoom(); }\n"})
        answer = self.rename("scale", "enlarge", "--file", "a.h", "--line", "1")
        self.assertTrue(answer["resolvedBy"].startswith("clangd"), answer["resolvedBy"])
        self.assertEqual(self.read("a.c"), source.replace("int scale(int value) { return value * 3",
                                                          "int enlarge(int value) { return value * 3"))
        self.assertEqual([(place["file"], place["line"]) for place in answer["blastRadius"]["uncertain"]], [("a.c", 3)])
        answer = self.rename("zoom", "widen", "--file", "b.c", "--line", "1")
        self.assertEqual(answer["blastRadius"]["uncertain"], [])

    def test_bodies_of_anonymous_functions_are_scopes(self):
        text = ("export const a = [1].map((x) => { const total = x; return total; });\n"
                "export const b = [2].map((x) => { const total = x * 2; return total; });\n")
        self.write_all({"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n", "a.ts": text})
        self.rename("total", "sum", "--file", "a.ts", "--line", "2")
        first, second = text.splitlines()
        self.assertEqual(self.read("a.ts"), first + "\n" + second.replace("total", "sum") + "\n")

    def test_what_a_library_declares_cannot_be_renamed(self):
        files = {
            "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"target\": \"es2022\"}}\n",
            "a.ts": "export class Stop extends Error { name = \"Stop\"; }\nexport const s = new Stop().name;\n",
        }
        self.write_all(files)
        result = self.stile("refactor", "rename", "Stop.name", "title", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("Nothing was changed: TypeScript 7", result.stderr)
        self.assertEqual(self.read("a.ts"), files["a.ts"])

    def test_overrides_of_python_libraries_cannot_be_renamed(self):
        text = ("import threading\n\n\nclass Box(dict):\n    def copy(self):\n        return Box(self)\n\n"
                "    def pour(self):\n        return self.copy()\n\n\n"
                "class Worker(threading.Thread):\n    def run(self):\n        pass\n\n\n"
                "class Late(Worker):\n    def run(self):\n        pass\n")
        for symbol in ("Box.copy", "Worker.run", "Late.run"):
            self.write("a.py", text)
            result = self.stile("refactor", "rename", symbol, "other", timeout=600)
            self.assert_exit(result, 2)
            self.assertIn("is declared by a library", result.stderr)
            self.assertEqual(self.read("a.py"), text)
        self.rename("Box.pour", "fill")
        self.assertEqual(self.read("a.py"), text.replace("pour", "fill"))

    def refuse(self, files, *arguments):
        self.write_all(files)
        result = self.stile("refactor", "rename", *arguments, timeout=600)
        self.assert_exit(result, 2)
        for name, text in files.items():
            self.assertEqual(self.read(name), text, name)
        return result.stderr

    def test_bases_of_library_classes_are_followed(self):
        # StreamRequestHandler, the base of the base, declares `finish` in another module.
        why = self.refuse({"s.py": "from http.server import BaseHTTPRequestHandler\n\n\n"
                                   "class H(BaseHTTPRequestHandler):\n    def finish(self):\n        super().finish()\n"},
                          "H.finish", "done")
        self.assertIn("finish is declared by a library, in a base of H", why)

    def test_members_of_libraries_are_not_overridden(self):
        why = self.refuse({"c.py": "import threading\n\n\nclass T(threading.Thread):\n    def go(self):\n        pass\n"},
                          "T.go", "run")
        self.assertIn("run is declared by a library", why)

    def test_names_of_other_files_are_not_captured(self):
        for files, old, new in (
                ({"a.py": "def fetch(p):\n    return p\n", "b.py": "from a import *\n\nprint(open('x'))\n"}, "fetch", "open"),
                ({"go.mod": "module m\n\ngo 1.19\n", "a.go": "package m\n\nfunc count(x []int) int { return 0 }\n",
                  "b.go": "package m\n\nvar N = len([]int{1})\n"}, "count", "len"),
                ({"A.java": "class Text {}\n", "B.java": "class B { String s; }\n"}, "Text", "String"),
                ({"a.h": "int add(int);\n", "a.c": "#include \"a.h\"\nint add(int x) { return x; }\n",
                  "b.c": "#include \"a.h\"\n#include <stdlib.h>\nint b(int x) { return abs(x); }\n"}, "add", "abs")):
            self.assertIn("means something else now", self.refuse(files, old, new))

    def test_tests_follow_a_fixture(self):
        files = {
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 5\n\n\n@pytest.fixture\ndef rows(db):\n    return [db]\n",
            "test_a.py": "import pytest\n\n\n@pytest.mark.usefixtures(\"db\")\ndef test_x(db, rows, request):\n"
                         "    assert db == 5 and rows == [db]\n    assert request.getfixturevalue('db') == 5\n",
            # Values come before fixtures, and a helper is called by the tests.
            "test_b.py": "import pytest\n\n\n@pytest.mark.parametrize(\"db\", [1])\ndef test_y(db):\n    assert help(db) == 1\n\n\n"
                         "def help(db):\n    return db\n",
            "test_c.py": "import pytest\n\n\n@pytest.mark.parametrize(\"db\", [1])\nclass TestAll:\n    def test_z(self, db):\n        assert db == 1\n",
        }
        self.write_all(files)
        answer = self.rename("db", "base")
        self.assertEqual(self.read("conftest.py"), files["conftest.py"].replace("db", "base"))
        self.assertEqual(self.read("test_a.py"), files["test_a.py"].replace("db", "base"))
        for file in ("test_b.py", "test_c.py"):
            self.assertEqual(self.read(file), files[file])
        self.assertEqual([(place["file"], place["line"]) for place in answer["left"]["places"]], [("test_b.py", 5), ("test_b.py", 9), ("test_c.py", 6)])

    def test_a_fixture_with_a_namesake_is_listed(self):
        self.write_all({"conftest.py": "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 5\n",
                        "test_a.py": "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 6\n\n\n"
                                     "def test_x(db):\n    assert db == 6\n"})
        answer = self.rename("db", "base", "--file", "conftest.py")
        self.assertEqual([(place["file"], place["line"]) for place in answer["left"]["places"]], [("test_a.py", 9)])

    def test_what_is_deleted_has_no_use_by_the_server(self):
        text = ("export class A {\n  go() { return 1; }\n  stay() { return 2; }\n}\nexport class B { go() { return 3; } }\n"
                "const all = [new B()];\nexport const n = all.map((x) => x.go());\nexport const m = [new A()].map((x) => x.stay());\n")
        self.write_all({"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n", "a.ts": text})
        result = self.stile("refactor", "safe_delete", "A.stay", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("is used in 1 place:\n", result.stderr)
        self.assertIn("Resolved by: TypeScript 7", result.stderr)
        self.assertIn("a.ts:8:", result.stderr)
        self.assert_exit(self.stile("refactor", "safe_delete", "A.go", timeout=600), 0)
        self.assertEqual(self.read("a.ts"), text.replace("  go() { return 1; }\n", ""))
        # Python has no compiler that would object.
        self.write("p.py", "class A:\n    def go(self):\n        return 1\n\n    def stay(self):\n        return 2\n\n\n"
                           "class B:\n    def go(self):\n        return 3\n\n\nb = B()\nprint(b.go(), A().stay())\n")
        self.assert_exit(self.stile("refactor", "safe_delete", "A.go", "--file", "p.py", env={"STILE_RESOLVERS": "off"}), 2)
        self.assert_exit(self.stile("refactor", "safe_delete", "A.go", "--file", "p.py", timeout=600), 0)
        self.assertNotIn("return 1", self.read("p.py"))

    def test_a_preview_says_who_resolved(self):
        files, what, _, _ = OVERRIDES["go"]
        self.write_all(files)
        result = self.stile("refactor", "rename", *what, "--preview", timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("Resolved by: gopls", result.stdout)
        self.assertEqual(self.read("a.go"), files["a.go"])

    # ---- navigate --------------------------------------------------------------------------------

    def navigate(self, *arguments, **more):
        result = self.stile("navigate", *arguments, "--json", **more)
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        return answer, [(hit["file"], hit["line"]) for hit in answer["hits"]]

    def test_references_are_those_of_the_server(self):
        self.write_all(OVERRIDES["typescript"][0])
        answer, hits = self.navigate("callers", "Shape.area")
        self.assertTrue(answer["resolvedBy"].startswith("TypeScript 7"))
        self.assertEqual(hits, [("test/c.ts", 2)])
        self.assertEqual((answer["exact"], answer["total"]), (1, 1))
        self.assertGreater(answer["others"], 0)
        answer, hits = self.navigate("implementations", "Shape")
        self.assertEqual([hit for hit in hits if hit[0] == "src/a.ts"], [("src/a.ts", 2), ("src/a.ts", 3)])
        answer, hits = self.navigate("callers", "Shape.area", env={"STILE_RESOLVERS": "off"})
        self.assertEqual(answer["resolvedBy"], "syntax")

    def test_settings_of_a_server_hide_no_place(self):
        self.write_all({"pyproject.toml": "[tool.pyright]\ninclude = [\"other\"]\n", "other/x.py": "",
                        "p/__init__.py": "from p.a import go\n", "p/a.py": "def go():\n    return 1\n",
                        "tests/use.py": "from p import go\n\n\nprint(go())\n\n\ndef f(go):\n    return go\n"})
        answer, hits = self.navigate("references", "go", "--file", "p/a.py")
        self.assertTrue(answer["resolvedBy"].startswith("Pyright"), answer["resolvedBy"])
        self.assertEqual(hits, [("p/__init__.py", 1), ("p/a.py", 1), ("tests/use.py", 1), ("tests/use.py", 4)])

    def test_sources_that_no_target_builds_are_asked_about(self):
        self.write_all({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nadd_library(p p.c)\n", "p.h": "int grow(int n);\n",
                        "p.c": "#include \"p.h\"\nint grow(int n) { return n + 1; }\n",
                        "tests.c": "#include \"p.h\"\nint main(void) { return grow(-1); }\n",
                        "other.c": "static int grow(int n) { return n; }\nint other(void) { return grow(1); }\n"})
        answer, hits = self.navigate("references", "grow", "--file", "p.h", "--line", "1")
        self.assertTrue(answer["resolvedBy"].startswith("clangd"), answer["resolvedBy"])
        self.assertEqual(hits, [("p.c", 2), ("p.h", 1), ("tests.c", 2)])

    def test_uses_of_a_macro_that_look_like_functions_are_usages(self):
        self.write_all({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(p m.cc)\n",
                        "m.h": "#define CASE(Name) static void Test##Name()\n",
                        "m.cc": "#include \"m.h\"\nCASE(Foo) {\n}\nCASE(Bar) {\n}\nint main() { TestFoo(); TestBar(); }\n"})
        answer, hits = self.navigate("usages", "CASE", "--file", "m.h", "--line", "1")
        self.assertTrue(answer["resolvedBy"].startswith("clangd"), answer["resolvedBy"])
        self.assertEqual(hits, [("m.cc", 2), ("m.cc", 4)])

    def test_hierarchies_and_hover_are_those_of_the_server(self):
        self.write_all({"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n",
                        "a.ts": "/** Adds. */\nexport function add(a: number) { return a; }\n"
                                "export class Base { go() { return add(1); } }\nexport class Top extends Base {}\n"
                                "class Other { go() { return 2; } }\n"
                                "export function run() { return new Top().go() + new Other().go() + JSON.stringify(1).length; }\n"})
        answer, hits = self.navigate("callers", "add", "--depth", "2")
        self.assertTrue(answer["resolvedBy"].startswith("TypeScript 7"))
        self.assertEqual(hits, [("a.ts", 3), ("a.ts", 6)])
        self.assertEqual(answer["exact"], 2)
        answer, hits = self.navigate("callees", "run")
        self.assertEqual(sorted(hits), [("a.ts", 3), ("a.ts", 4), ("a.ts", 5), ("a.ts", 5)])
        answer, hits = self.navigate("base_types", "Top")
        self.assertEqual(hits, [("a.ts", 3)])
        answer, _ = self.navigate("hover", "add")
        self.assertIn("function add(a: number): number\n```\nAdds.", answer["hover"])

    def test_the_typescript_of_a_project_answers_where_version_7_cannot(self):
        files, what, changes, _ = OVERRIDES["typescript"]
        files = {**files, "tsconfig.json": files["tsconfig.json"].replace("true,", "true, \"baseUrl\": \".\",", 1),
                 "src/far.ts": "import { Box } from 'src/a';\nexport const far = new Box().area();\n"}
        self.write_all(files)
        # TypeScript 7 finds no file by baseUrl. Where there is no other, its answer says so.
        programs = os.path.join(self.root, "programs")
        os.mkdir(programs)
        os.symlink(shutil.which("tsc7"), os.path.join(programs, "tsc7"))
        path = os.pathsep.join([programs, os.path.dirname(shutil.which("node")), "/usr/bin", "/bin"])
        answer, hits = self.navigate("references", "Shape.area", env={"PATH": path})
        self.assertTrue(answer["resolvedBy"].startswith("TypeScript 7"), answer["resolvedBy"])
        self.assertIn("does not know \"baseUrl\" in tsconfig.json", answer["resolutionNote"])
        installed = os.path.realpath(shutil.which("tsserver"))
        os.makedirs(self.path("node_modules/.bin"))
        os.symlink(os.path.dirname(os.path.dirname(installed)), self.path("node_modules/typescript"))
        os.symlink("../typescript/bin/tsserver", self.path("node_modules/.bin/tsserver"))
        answer, hits = self.navigate("references", "Shape.area", env={"PATH": path})
        self.assertTrue(answer["resolvedBy"].startswith("tsserver 5"), answer["resolvedBy"])
        self.assertIn(("src/far.ts", 2), hits)
        self.assert_exit(self.stile("refactor", "rename", *what, timeout=600), 0)
        for name, before, after in [*changes, ("src/far.ts", "Box().area()", "Box().size()")]:
            files[name] = files[name].replace(before, after)
        for name, text in files.items():
            self.assertEqual(self.read(name), text, name)

    def test_a_makefile_says_how_files_are_compiled(self):
        self.write_all({"Makefile": "CFLAGS = -Iinclude -DSTEP=2\nall: lib/a.o\nlib/a.o: lib/a.c\n\t@echo '  CC a'; $(CC) $(CFLAGS) -c -o $@ $<\n"
                                    "test:\n\tcd tests && $(CC) -I../include t.c\n",
                        "include/a.h": "int step(int n);\n#ifdef STEP\nint again(int n);\n#endif\n",
                        "lib/a.c": "#include <a.h>\nint step(int n) { return n + STEP; }\n#if STEP == 2\nint again(int n) { return step(n); }\n#endif\n",
                        "tests/t.c": "#include <a.h>\nint main(void) { int (*go)(int) = step; return go(1); }\n"})
        answer, hits = self.navigate("references", "step", timeout=600)
        self.assertTrue(answer["resolvedBy"].startswith("clangd"), answer["resolvedBy"])
        self.assertEqual(hits, [("include/a.h", 1), ("lib/a.c", 2), ("lib/a.c", 4), ("tests/t.c", 2)])
        self.assertEqual(sorted(os.listdir(self.workspace)), ["Makefile", "include", "lib", "tests"])
        self.write("Makefile", "all:\n\techo nothing\n")
        shown = self.stile("navigate", "references", "step").stdout
        self.assertIn("Resolved by: syntax (make names no command that compiles a file (bear -- make))", shown)

    def test_looking_at_code_runs_nothing_of_it_without_a_sandbox(self):
        self.write_all(OVERRIDES["typescript"][0])
        mark = self.path("ran")
        self.write("node_modules/.bin/tsc", f"#!/bin/sh\ntouch {mark}\n")
        self.write("node_modules/package.json", "{\"version\": \"7.0.0\"}\n")
        os.chmod(self.path("node_modules/.bin/tsc"), 0o755)
        hidden = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                  "mount --bind /dev/null /usr/bin/bwrap && exec \"$@\"", "sh")
        answer, _ = self.navigate("references", "Shape.area", prefix=hidden)
        self.assertEqual(answer["resolvedBy"], "syntax")
        self.assertFalse(os.path.exists(mark))
        shown = self.stile("navigate", "references", "Shape.area", prefix=hidden).stdout
        self.assertIn("Resolved by: syntax (language servers run in a sandbox only, and there is none: bubblewrap", shown)
        # Where the user wants no sandbox, the project's own server runs.
        self.navigate("references", "Shape.area", env={"STILE_SANDBOX": "off"})
        self.assertTrue(os.path.exists(mark))

    def test_a_server_that_is_slow_does_not_hold_up_an_answer(self):
        files = OVERRIDES["go"][0]
        self.write_all(files)
        env = self.fake_gopls({"on": {"textDocument/references": "hang"}})
        answer, hits = self.navigate("references", "Runner.Run", env=env)
        self.assertEqual(answer["resolvedBy"], "syntax")
        self.assertIn(("a.go", 3), hits)
        shown = self.stile("navigate", "references", "Runner.Run", env=env).stdout
        self.assertIn("Resolved by: syntax (gopls 1.2.3: no answer within 10s).", shown)

    # ---- servers that cannot be trusted ----------------------------------------------------------

    def fake_gopls(self, script):
        """Puts a server that answers by a script before the real gopls. Gives the environment."""
        folder = os.path.join(self.root, "bin")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "script.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(script, file)
        # The log is written beside the script, which the sandbox does not allow: a copy does.
        program = os.path.join(folder, "gopls")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncp {path} /tmp/script.json\nexec /usr/bin/python3 {FAKE_SERVER} /tmp/script.json\n")
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        return {"PATH": f"{folder}:{self.env['PATH']}"}

    def edit(self, name, line, begin, end, text):
        return {"changes": {"file://" + self.path(name): [{
            "range": {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}},
            "newText": text}]}}

    def test_a_server_that_lies_is_not_believed(self):
        files = {"go.mod": "module example.com/p\n\ngo 1.19\n",
                 "a.go": "package p\n\nfunc Add(a, b int) int { return a + b }\n",
                 "b.go": "package p\n\nvar Three = Add(1, 2)\n"}
        lies = {
            "changes something else than the name": {"answers": {"textDocument/rename": self.edit("b.go", 0, 0, 7, "package evil")}},
            "not the declaration in a.go": {"answers": {"textDocument/rename": {"changes": {}}}},
            "a file with": {"answers": {"textDocument/rename": self.edit("b.go", 99, 0, 1, "Sum")}},
            "it ended": {"on": {"textDocument/rename": "die"}},
            "no usable Content-Length": {"on": {"initialize": "garbage"}},
            "requests without end": {"on": {"textDocument/rename": "flood"}},
        }
        for reason, script in lies.items():
            with self.subTest(reason):
                self.write_all(files)
                answer = self.rename("Add", "Sum", env=self.fake_gopls(script))
                self.assertEqual(answer["resolvedBy"], "syntax")
                self.assertEqual(self.read("a.go"), files["a.go"].replace("Add", "Sum"))
                self.assertEqual(self.read("b.go"), files["b.go"].replace("Add", "Sum"))
                self.write_all(files)
                shown = self.stile("refactor", "rename", "Add", "Sum", env=self.fake_gopls(script), timeout=600)
                self.assertIn("Resolved by: syntax (", shown.stdout)
                self.assertIn(reason, shown.stdout)

    def test_a_server_that_adds_code_is_not_believed(self):
        files = {"go.mod": "module example.com/p\n\ngo 1.19\n", ".gitignore": "ignored.go\n",
                 "a.go": "package p\n\nfunc Add(a, b int) int { return a + b }\n",
                 "ignored.go": "package p // Add\n"}
        evil = "Sum(a, b int) int { panic(1) }\nfunc zz"
        whole = {"changes": {"file://" + self.path("a.go"): [{
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}},
            "newText": "package p\nfunc Sum() { panic(1) }\n"}]}}
        declared = self.edit("a.go", 2, 5, 8, "Sum")["changes"]
        both = {"changes": {**declared, "file://" + self.path("ignored.go"): [{
            "range": {"start": {"line": 0, "character": 13}, "end": {"line": 0, "character": 16}}, "newText": "Sum"}]}}
        for answer in (self.edit("a.go", 2, 5, 8, evil), whole, self.edit("a.go", 2, 5, 4294967305, "Sum"), both):
            self.write_all(files)
            self.git("init", "-q")
            result = self.stile("refactor", "rename", "Add", "Sum", timeout=600,
                                env=self.fake_gopls({"answers": {"textDocument/rename": answer}}))
            self.assertIn(self.read("a.go"), (files["a.go"], files["a.go"].replace("Add", "Sum")), result.stdout)
            self.assertEqual(self.read("ignored.go"), files["ignored.go"])

    def test_references_that_are_no_names_are_not_believed(self):
        self.write_all(OVERRIDES["go"][0])
        uri = "file://" + self.path("a.go")
        for place, reason in ((((4, 1), (4, 3)), "that is no name"), (None, "leave out the declaration")):
            answer = [] if place is None else [{"uri": uri, "range": {
                "start": {"line": place[0][0], "character": place[0][1]},
                "end": {"line": place[1][0], "character": place[1][1]}}}]
            shown = self.stile("navigate", "references", "Runner.Run",
                               env=self.fake_gopls({"answers": {"textDocument/references": answer}})).stdout
            self.assertIn("Resolved by: syntax (", shown)
            self.assertIn(reason, shown)

    def test_a_server_that_leaves_places_out_is_corrected(self):
        # It names only the declaration; the compiler asks for the rest.
        files = {"go.mod": "module example.com/p\n\ngo 1.19\n",
                 "a.go": "package p\n\nfunc Add(a, b int) int { return a + b }\n",
                 "b.go": "package p\n\nvar Three = Add(1, 2)\n"}
        self.write_all(files)
        env = self.fake_gopls({"answers": {"textDocument/rename": self.edit("a.go", 2, 5, 8, "Sum")}})
        answer = self.rename("Add", "Sum", env=env)
        self.assertTrue(answer["validation"]["judged"])
        self.assertEqual(self.read("b.go"), files["b.go"].replace("Add", "Sum"))

    def test_files_outside_of_the_workspace_stay(self):
        outside = os.path.join(self.root, "outside.go")
        with open(outside, "w", encoding="utf-8") as file:
            file.write("package p // Add\n")
        files = {"go.mod": "module example.com/p\n\ngo 1.19\n", "a.go": "package p\n\nfunc Add() {}\n"}
        self.write_all(files)
        answer = {"changes": {"file://" + outside: [{
            "range": {"start": {"line": 0, "character": 13}, "end": {"line": 0, "character": 16}}, "newText": "Sum"}]}}
        result = self.stile("refactor", "rename", "Add", "Sum", timeout=600,
                            env=self.fake_gopls({"answers": {"textDocument/rename": answer}}))
        # No place of the workspace is left.
        self.assert_exit(result, 2)
        self.assertEqual(self.read("a.go"), files["a.go"])
        with open(outside, encoding="utf-8") as file:
            self.assertEqual(file.read(), "package p // Add\n")

    # ---- doors -----------------------------------------------------------------------------------

    def test_a_run_keeps_its_server(self):
        files, what, _, _ = OVERRIDES["go"]
        self.write_all(files)
        # Counts its starts; without a sandbox it can write outside of its own folders.
        folder = os.path.join(self.root, "bin")
        starts = os.path.join(self.root, "starts")
        real = shutil.which("gopls", path=self.env["PATH"])
        os.makedirs(folder)
        with open(os.path.join(folder, "gopls"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho started >> {starts}\nexec {real} \"$@\"\n")
        os.chmod(os.path.join(folder, "gopls"), 0o755)
        env = {"PATH": f"{folder}:{self.env['PATH']}", "STILE_SANDBOX": "off"}
        result = self.run_task(
            call("code.refactor", operation="rename", symbolName="Runner.Run", newName="Go"),
            call("code.refactor", operation="rename", symbolName="Fast.Go", newName="Walk"),
            call("code.validate"), finish(), arguments=("--json", "--yes"), env=env)
        self.assert_exit(result, 0)
        with open(starts, encoding="utf-8") as file:
            self.assertEqual(file.read(), "started\n")
        self.assertIn("(Fast) Walk()", self.read("a.go"))
        self.assertIn("interface{ Walk()", self.read("a.go"))
        self.assertIn("r.Walk()", self.read("a_test.go"))

    def test_doctor_lists_them(self):
        answer = json.loads(self.stile("doctor", "--json").stdout)["resolvers"]
        self.assertTrue(answer["enabled"])
        found = {program["name"]: program for program in answer["programs"]}
        self.assertEqual(found["gopls"]["languages"], ["go"])
        self.assertTrue(found["gopls"]["program"].endswith("/gopls"))
        self.assertTrue(found["TypeScript"]["available"])
        shown = self.stile("doctor", env={"STILE_RESOLVERS": "off"}).stdout
        self.assertIn("off: names are resolved by syntax", shown)


if __name__ == "__main__":
    main()
