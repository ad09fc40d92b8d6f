"""Renames of names that no scope binds: modules taken as values, arguments and keys by name, mixins, comments."""

import json
import os
import re
import shutil
import subprocess
import sys

from harness import StileTest, main

SERVER = {"STILE_RESOLVERS": "on"}
MODULE = "{\"type\": \"module\", \"name\": \"pack\"}\n"
RAW = "export const structure = 1;\n\nexport function generate(node) {\n    return 'raw ' + node;\n}\n"
LIST = ("class Bag:\n    \"\"\"A bag.\n\n    >>> Bag().push(1)\n    \"\"\"\n\n    def push(self, item):\n        return item\n")


class RenameUnboundTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    def rename(self, files, *arguments):
        self.write_all(files)
        result = self.stile("refactor", "rename", *arguments, "--json", timeout=600, env=SERVER)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def left(self, answer):
        return sorted((place["file"], place["line"]) for place in answer["left"]["places"])

    def expect(self, files, **changed):
        """Files that `changed` (by name without extension) gives new texts; the others are as they were."""
        for name, text in files.items():
            self.assertEqual(self.read(name), changed.get(name.rsplit(".", 1)[0], text), name)

    def use_only_typescript_7(self):
        programs = os.path.join(self.root, "programs")
        os.mkdir(programs)
        for name in ("tsc7", "node"):
            os.symlink(shutil.which(name), os.path.join(programs, name))
        self.env["PATH"] = os.pathsep.join([programs, "/usr/bin", "/bin"])

    def run_program(self, *command):
        return subprocess.run(command, cwd=self.path("."), env=self.env, check=False, capture_output=True).returncode

    def test_an_export_whose_module_is_a_value_is_listed(self):
        raw = "package.json", MODULE
        values = {
            "export * as": {"nodes.js": "export * as Raw from './raw.js';\n"},
            "a namespace passed on": {"nodes.js": "import * as raw from './raw.js';\nexport const all = [raw];\n"},
            "a module handed on": {"index.js": "export * from './raw.js';\n",
                                   "nodes.js": "import * as all from './index.js';\nexport const table = { all };\n"},
            "import()": {"nodes.js": "export const load = () => import('./raw.js');\n"},
            "require": {"package.json": "{\"name\": \"pack\"}\n", "raw.js": "exports.structure = 1;\n\n"
                        "exports.generate = function (node) {\n    return node;\n};\n",
                        "nodes.js": "module.exports = { Raw: require('./raw') };\n"},
            "a name of the package's settings": {
                "package.json": "{\"type\": \"module\", \"imports\": {\"#text\": \"./raw.js\"}}\n",
                "nodes.js": "export * as Raw from '#text';\n"},
            "a path of the compiler's settings": {
                "jsconfig.json": "{\"compilerOptions\": {\"paths\": {\"@text\": [\"./raw.js\"]}}}\n",
                "nodes.js": "import * as raw from '@text';\nexport const all = [raw];\n"}}
        for case, more in values.items():
            with self.subTest(case):
                files = dict([raw], **{"raw.js": RAW, "use.js": "module = 0;\nfunction text(type) { return type.generate(1); }\n"
                                       "function other(type) { const { generate } = type; return generate; }\n"}) | more
                answer = self.rename(files, "generate", "print", "--file", "raw.js", "--line", "3")
                self.expect(files, raw=files["raw.js"].replace("generate", "print"))
                self.assertEqual(self.left(answer), [("use.js", 2), ("use.js", 3)])

    def test_members_of_other_objects_are_no_export_of_a_module(self):
        files = {"package.json": MODULE, "raw.js": RAW, "index.js": "import * as raw from './raw.js';\nraw.generate(1);\n",
                 "use.js": "export function text(type) { return type.generate(1); }\n"}
        answer = self.rename(files, "generate", "print", "--file", "raw.js", "--line", "3")
        self.assertEqual(self.left(answer), [])
        self.expect(files, raw=RAW.replace("generate", "print"), index=files["index.js"].replace("generate", "print"))

    def test_what_a_file_takes_from_modules_that_it_finds_itself_is_listed(self):
        files = {"package.json": MODULE, "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, "
                 "\"module\": \"es2022\", \"target\": \"es2022\"}, \"include\": [\"*.ts\"]}\n",
                 "fixture.ts": "export const data = 1;\n",
                 "run.ts": "export async function run(path: string) {\n  const found = await import(path);\n"
                           "  const { data } = found;\n  return data + found.data;\n}\n",
                 "typed.ts": "interface Box { data: number }\nexport const read = (box: Box) => box.data;\n"}
        answer = self.rename(files, "data", "sample", "--file", "fixture.ts", "--line", "1")
        self.assertEqual(self.left(answer), [("run.ts", 3), ("run.ts", 4)])
        self.expect(files, fixture="export const sample = 1;\n")

    def test_keys_that_a_module_is_indexed_with_are_listed(self):
        files = {"package.json": MODULE, "types.js": "export const Left = 1;\nexport const Right = 2;\n",
                 "fix.js": "import * as types from './types.js';\nconst samples = {\n    Left: 3,\n    Right: 4\n};\n"
                           "export const all = Object.keys(samples).map((key) => types[key]);\n",
                 "other.js": "export const keys = { Right: 1 };\n"}
        answer = self.rename(files, "Right", "Closing", "--file", "types.js", "--line", "2")
        self.assertEqual(self.left(answer), [("fix.js", 4)])

    def test_a_destructured_export_is_read_through_its_module(self):
        files = {"package.json": MODULE, "made.js": "export const make = () => ({ generate: (x) => x, parse: (x) => x });\n",
                 "index.js": "import { make } from './made.js';\nexport const { generate, parse } = make();\n",
                 "use.js": "import * as pack from './index.js';\nimport { generate } from './index.js';\n"
                           "if (pack.generate(1) + generate(2) !== 3) throw new Error('no');\n"}
        answer = self.rename(files, "generate", "print", "--file", "index.js", "--line", "2")
        self.assertEqual(self.left(answer), [])
        self.expect(files, index=files["index.js"].replace("generate", "generate: print"),
                    use=files["use.js"].replace("generate", "print"))
        self.assertEqual(self.run_program("node", "use.js"), 0)

    def test_a_variable_called_like_a_module_is_another_object(self):
        files = {"package.json": MODULE, "raw.js": RAW,
                 "use.js": "import * as raw from './raw.js';\nexport function text(raw) { return raw.generate(1); }\n"
                           "if (raw.generate(1) !== 'raw 1' || text({ generate: () => 2 }) !== 2) throw new Error('no');\n"}
        self.rename(files, "generate", "print", "--file", "raw.js", "--line", "3")
        self.expect(files, raw=RAW.replace("generate", "print"),
                    use=files["use.js"].replace("if (raw.generate", "if (raw.print"))
        self.assertEqual(self.run_program("node", "use.js"), 0)

    def test_a_key_of_a_function_keeps_its_name_and_its_uses(self):
        forms = {"a pair": ("function get(k) { return k; }\nexport const api = { get: get };\n", "function get", "{ get: get }"),
                 "a default object": ("function get(k) { return k; }\nconst api = { get: get };\nexport { api };\n",
                                      "function get", "{ get: get }"),
                 "an assignment": ("function get(k) { return k; }\nexport const api = {};\napi.get = get;\n",
                                   "function get", "api.get = get"),
                 "a static field": ("function get(k) { return k; }\nexport class api { static get = get; }\n",
                                    "function get", "static get = get")}
        for form, (lib, declared, key) in forms.items():
            with self.subTest(form):
                files = {"package.json": MODULE, "lib.js": lib,
                         "use.js": "import { api } from './lib.js';\nif (api.get(1) !== 1) throw new Error('no');\n"}
                self.rename(files, "get", "read", "--file", "lib.js", "--line", "1")
                self.expect(files, lib=lib.replace(declared, "function read").replace(key, key[:-len("get")] + "read"
                                                                                   if key.endswith("get") else "{ get: read }"))
                self.assertEqual(self.run_program("node", "use.js"), 0)

    def test_the_name_under_which_a_module_hands_a_default_export_on_stays(self):
        files = {"package.json": MODULE, "a.js": "export default function tree(d) { return d; }\n",
                 "index.js": "export { default as tree } from './a.js';\n",
                 "use.js": "import { tree } from './index.js';\nif (tree(1) !== 1) throw new Error('no');\n"}
        self.rename(files, "tree", "woods", "--file", "a.js", "--line", "1")
        self.expect(files, a=files["a.js"].replace("tree", "woods"))
        self.assertEqual(self.run_program("node", "use.js"), 0)

    def test_functions_of_one_name_in_several_scripts_are_several(self):
        script = "function Foo() { return helper(); }\nfunction helper() { return 1; }\nFoo.prototype.total = function () {};\n"
        files = {"package.json": "{\"name\": \"p\"}\n", "a.js": script, "b.js": script,
                 "c.js": "var App = App || {};\nApp.run = function () { return 1; };\n",
                 "d.js": "var App = App || {};\nApp.run();\n"}
        answer = self.rename(files, "helper", "aid", "--file", "a.js", "--line", "2")
        self.expect(files, a=script.replace("helper", "aid"))
        self.assertIn(("b.js", 2), self.left(answer))
        self.rename(files, "total", "sum", "--file", "a.js", "--line", "3")
        self.expect(files, a=script.replace("total", "sum"))
        self.rename(files, "run", "start", "--file", "c.js", "--line", "2")
        self.expect(files, c=files["c.js"].replace("run", "start"), d=files["d.js"].replace("run", "start"))

    def test_members_that_scripts_add_by_assignment_are_resolved(self):
        """TypeScript 7 does not bind these; tsserver does, and is asked for such files."""
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "list.js": "function List(first) {\n  const self = this;\n  this.items = [first];\n"
                            "  self.limit = 3;\n}\nList.prototype = {\n"
                            "  total: function () { return this.items.length + this.limit; },\n};\n"
                            "module.exports = List;\nmodule.exports.make = function (first) { return new List(first); };\n",
                 "main.js": "const make = require('./list').make;\nconst List = require('./list');\n"
                            "if (make(1).total() !== 4 || new List(2).items[0] !== 2) throw new Error('no');\n"
                            "if (List.make(3).limit !== 3) throw new Error('no');\n"}
        changed = dict(files)
        for line, old, new in ((3, "items", "parts"), (7, "total", "sum"), (4, "limit", "most"), (10, "make", "create")):
            answer = self.rename(changed, old, new, "--file", "list.js", "--line", str(line))
            self.assertTrue(answer["resolvedBy"].startswith("tsserver"), answer["resolvedBy"])
            changed = {name: self.read(name) for name in files}
            self.assertEqual(self.run_program("node", "main.js"), 0, changed)
            self.assertNotIn(f".{old}", "".join(changed.values()))

    def test_what_a_constructor_function_fills_is_found_by_name(self):
        queue = ("function Queue(limit) {\n  this.limit = limit;\n}\nQueue.prototype.push = function (item) { return item < this.limit; };\n"
                 "module.exports = Queue;\n")
        stack = ("const Queue = require('./queue');\nfunction Stack() { Queue.call(this, 3); }\n"
                 "Stack.prototype.add = function (item) { return Queue.prototype.push.call(this, item); };\n"
                 "if (!new Stack().add(2) || new Queue(4).limit !== 4) throw new Error('no');\n")
        files = {"package.json": "{\"name\": \"p\"}\n", "queue.js": queue, "stack.js": stack}
        self.rename(files, "Queue.limit", "maximum", "--file", "queue.js")
        self.expect(files, queue=queue.replace("this.limit", "this.maximum"), stack=stack.replace(".limit", ".maximum"))
        self.rename(files, "push", "enqueue", "--file", "queue.js", "--line", "4")
        self.expect(files, queue=queue.replace("push", "enqueue"), stack=stack.replace("push", "enqueue"))
        self.assertEqual(self.run_program("node", "stack.js"), 0)

    def test_a_variable_that_is_a_prototype_has_its_methods(self):
        emitter = ("function Emitter() {}\nvar proto = Emitter.prototype;\nproto.listeners = function () { return [1]; };\n"
                   "proto.count = function () { return this.listeners().length; };\nexports.Emitter = Emitter;\n")
        files = {"package.json": "{\"name\": \"p\"}\n", "emitter.js": emitter,
                 "main.js": "const Emitter = require('./emitter').Emitter;\nnew Emitter().listeners();\n"}
        answer = self.rename(files, "listeners", "handlers", "--file", "emitter.js", "--line", "3")
        self.expect(files, emitter=emitter.replace("listeners", "handlers"))
        self.assertEqual(self.left(answer), [("main.js", 2)])

    def test_prototypes_derive_from_each_other(self):
        base = ("function Base() { this.total = 7; }\nBase.prototype.size = function () { return 1; };\n"
                "Base.prototype.twice = function () { return this.size() * 2; };\nmodule.exports = Base;\n")
        for case, derives in (("create", "Derived.prototype = Object.create(Base.prototype);"),
                              ("new", "Derived.prototype = new Base();"),
                              ("set", "Object.setPrototypeOf(Derived.prototype, Base.prototype);"),
                              ("inherits", "require('util').inherits(Derived, Base);")):
            with self.subTest(case):
                derived = (f"const Base = require('./base');\nfunction Derived() {{ Base.call(this); this.extra = 3; }}\n{derives}\n"
                           "Derived.prototype.size = function () { return 100; };\nDerived.prototype.extent = function () { return 2; };\n"
                           "if (new Derived().twice() !== 200) throw new Error('no');\n")
                files = {"package.json": "{\"name\": \"p\"}\n", "base.js": base, "derived.js": derived,
                         "other.js": "function Other() {}\nOther.prototype.size = function () {};\nmodule.exports = Other;\n"}
                self.rename(files, "size", "measure", "--file", "base.js", "--line", "2")
                self.expect(files, base=base.replace("size", "measure"), derived=derived.replace("size", "measure"))
                self.assertEqual(self.run_program("node", "derived.js"), 0)
                self.write_all(files)
                for old, new, line in (("extent", "twice", 5), ("extra", "total", 2)):
                    result = self.stile("refactor", "rename", old, new, "--file", "derived.js", "--line", str(line), env=SERVER)
                    self.assert_exit(result, 2)
                    self.assertIn(f"in one hierarchy with Base.{new}", result.stderr)

    def test_methods_of_prototypes_that_may_derive_are_listed(self):
        base = "function Base() {}\nBase.prototype.size = function () { return 1; };\nmodule.exports = Base;\n"
        derived = ("const Parent = require('./base');\nfunction Derived() {}\nDerived.prototype = Object.create(Parent.prototype);\n"
                   "Derived.prototype.size = function () { return 2; };\n")
        files = {"package.json": "{\"name\": \"p\"}\n", "base.js": base, "derived.js": derived}
        answer = self.rename(files, "size", "measure", "--file", "base.js", "--line", "2")
        self.expect(files, base=base.replace("size", "measure"))
        self.assertEqual(self.left(answer), [("derived.js", 4)])

    def test_more_prototypes_than_one_rename_takes(self):
        text = "function Base() {}\nBase.prototype.size = function () {};\n" + "".join(
            f"function C{i}() {{}}\nC{i}.prototype = Object.create(Base.prototype);\nC{i}.prototype.size = function () {{}};\n"
            for i in range(210))
        self.write_all({"package.json": "{\"name\": \"p\"}\n", "a.js": text})
        result = self.stile("refactor", "rename", "size", "measure", "--file", "a.js", "--line", "2", "--preview", timeout=600, env=SERVER)
        self.assert_exit(result, 0)
        self.assertIn("more than 200 declarations belong to it", result.stdout)

    def test_this_in_a_callback_is_no_field(self):
        text = ("function Queue(limit) {\n  this.limit = limit;\n  [1].forEach(function () { this.stray = 1; });\n"
                "  [1].forEach(() => { this.kept = 1; });\n}\n")
        self.write("queue.js", text)
        for name, code in (("limit", 0), ("kept", 0), ("stray", 2)):
            result = self.stile("refactor", "rename", f"Queue.{name}", "other", "--preview", env={"STILE_RESOLVERS": "off"})
            self.assert_exit(result, code)

    def test_scripts_in_pages_are_listed(self):
        files = {"board.js": "function Board() {}\nvar board = new Board();\n",
                 "index.html": "<html><body onload=\"start(board)\">The board\n<script src=\"board.js\"></script>\n"
                               "<script>\n  board.x = new Board();\n</script></body></html>\n"}
        for name, line, lines in (("board", 2, [1, 2, 4]), ("Board", 1, [4])):
            answer = self.rename(files, name, name + "2", "--file", "board.js", "--line", str(line))
            self.assertEqual([place["line"] for place in answer["documents"]["places"]], lines)
            self.expect({"index.html": files["index.html"]})

    def test_a_friend_of_a_class_is_no_member(self):
        text = ("struct Point {\n  int x = 0;\n  int norm() const { return x * x; }\n"
                "  friend int norm(const Point& p) { return p.norm() + 1; }\n};\n"
                "int main() {\n  Point p{1};\n  return p.norm() + norm(p) - 3;\n}\n")
        files = {"main.cc": text, "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p main.cc)\n"}
        self.rename(files, "norm", "square", "--file", "main.cc", "--line", "3")
        member = text.replace("int norm() const", "int square() const").replace("p.norm()", "p.square()")
        self.expect(files, main=member)
        self.rename(files, "norm", "square", "--file", "main.cc", "--line", "4")
        self.expect(files, main=text.replace("int norm(const", "int square(const").replace("+ norm(p)", "+ square(p)"))

    def test_a_friend_is_found_by_its_arguments(self):
        files = {"main.cc": "#include \"point.h\"\nint main() {\n  geo::Point a{1}, b{3};\n  swap(a, b);\n  using std::swap;\n  swap(a, b);\n"
                            "  return a.x - 1;\n}\n",
                 "point.h": "#pragma once\n#include <utility>\nnamespace geo {\nstruct Point {\n  int x = 0;\n"
                            "  friend void swap(Point& a, Point& b) noexcept { std::swap(a.x, b.x); }\n};\n}\n",
                 "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p main.cc)\n"}
        self.rename(files, "swap", "exchange", "--file", "point.h", "--line", "6")
        self.assertEqual(self.read("point.h"), files["point.h"].replace("void swap", "void exchange"))
        self.assertEqual(self.read("main.cc"), files["main.cc"].replace("  swap(a, b)", "  exchange(a, b)"))

    def test_a_namespace_is_renamed_in_all_its_files(self):
        files = {"main.cc": "#include \"shape.h\"\nint main() { geo::Shape s; s.add(1); return s.total - 1; }\n",
                 "shape.h": "#pragma once\nnamespace geo {\nclass Shape {\n public:\n  void add(int value);\n  int total = 0;\n};\n}\n",
                 "shape.cc": "#include \"shape.h\"\nnamespace geo {\nvoid Shape::add(int value) { total += value; }\n}  // namespace geo\n"
                             "\nnamespace geo { int other() { return 1; } }\n",
                 "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p main.cc shape.cc)\n"}
        self.rename(files, "geo", "geometry", "--file", "shape.h", "--line", "2")
        for name, text in files.items():
            self.assertEqual(self.read(name), re.sub(r"\bgeo\b", "geometry", text), name)

    def test_a_namespace_of_another_program_stays(self):
        build = "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p main.cc)\n"
        main = "namespace util {\nint one() { return 1; }\n}\nint main() { return util::one() - 1; }\n"
        files = {"a/main.cc": main, "a/CMakeLists.txt": build, "b/main.cc": main, "b/CMakeLists.txt": build}
        self.rename(files, "util", "tool", "--file", "a/main.cc", "--line", "1")
        self.assertEqual(self.read("a/main.cc"), main.replace("util", "tool"))
        self.assertEqual(self.read("b/main.cc"), main)

    def test_a_comment_makes_no_friend(self):
        self.write("a.h", "struct P {\n  // of a friend\n  P operator+(const P&) const;\n  int x;\n"
                          "  friend bool operator<(const P& a, const P& b) { return a.x < b.x; }\n};\n")
        for name, line in (("P.operator+", 3), ("P.operator<", 5)):
            result = self.stile("navigate", "definition", name, env={"STILE_RESOLVERS": "off"})
            self.assert_exit(result, 0)
            self.assertIn(f"a.h:{line}", result.stdout)

    def test_a_method_of_a_prototype_is_renamed_by_syntax(self):
        self.use_only_typescript_7()
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "a.js": "function Foo(n) { this.n = n; }\nFoo.prototype.total = function () { return this.n; };\n"
                         "Foo.prototype.twice = function () { return this.total() * 2; };\nmodule.exports = Foo;\n",
                 "t.js": "const Foo = require('./a');\nif (new Foo(1).total() !== 1) throw new Error('no');\n"}
        answer = self.rename(files, "total", "sum", "--file", "a.js", "--line", "2")
        self.assertIn("prototype", json.dumps(answer))
        self.expect(files, a=files["a.js"].replace("total", "sum"))
        self.assertEqual(self.left(answer), [("t.js", 2)])

    def test_a_method_of_another_prototype_stays(self):
        self.use_only_typescript_7()
        foo = ("function Foo(n) { this.n = n; }\nFoo.prototype.total = function () { return this.n; };\n"
               "Foo.prototype.twice = function () {\n  const other = { total: 1, run: function () { return this.total; } };\n"
               "  return [1].map(() => this.total())[0] + other.run();\n};\n")
        files = {"package.json": "{\"name\": \"p\"}\n", "a.js": foo,
                 "b.js": "function Foo() {}\nFoo.prototype.total = function () { return 1; };\n"
                         "Foo.prototype.half = function () { return this.total() / 2; };\nFoo.total = 3;\n"}
        answer = self.rename(files, "total", "sum", "--file", "a.js", "--line", "2")
        self.expect(files, a=foo.replace("prototype.total", "prototype.sum").replace("this.total()", "this.sum()"))
        self.assertEqual(self.left(answer), [("a.js", 4), ("a.js", 4), ("b.js", 2), ("b.js", 3), ("b.js", 4)])

    def test_a_file_whose_path_only_looks_like_that_of_a_test_is_not(self):
        files = {"package.json": MODULE, "latest/inspect.txt": "\"oncomment\"\n", "ChatTests/data.txt": "\"oncomment\"\n", "UnitTests/a.txt": "\"oncomment\"\n",
                 "shapes.js": "export class Handler {\n  oncomment(data) {\n    return data;\n  }\n}\n"}
        answer = self.rename(files, "oncomment", "onremark", "--file", "shapes.js", "--line", "2")
        self.assertEqual([place["file"] for place in answer["documents"]["places"]], ["ChatTests/data.txt", "UnitTests/a.txt"])

    def test_a_snapshot_that_names_a_method_is_named(self):
        files = {"package.json": MODULE, "shapes.js": "export class Shape {\n  oncomment(x) { return x; }\n}\n",
                 "__snapshots__/shapes.test.js.snap": "exports[`names 1`] = `\n[\n  \"oncomment\",\n  \"oncommentend\",\n]\n`;\n",
                 "package-lock.json": "{\"packages\": {\"oncomment\": {}}}\n"}
        answer = self.rename(files, "oncomment", "onremark", "--file", "shapes.js", "--line", "2")
        self.assertEqual([(place["file"], place["line"]) for place in answer["documents"]["places"]],
                         [("__snapshots__/shapes.test.js.snap", 3)])

    def test_a_file_that_no_compiler_checks_does_not_stop_the_others(self):
        files = {"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"module\": \"commonjs\", "
                                  "\"types\": [], \"noEmit\": true}, \"include\": [\"src\"]}\n",
                 "src/old.ts": "export const broken: number = 'before';\n",
                 "src/index.ts": "export class Seq {\n  flow?: boolean;\n}\n\nexport function parse(text: string): Seq {\n"
                                 "  const seq = new Seq();\n  seq.flow = text.startsWith('[');\n  return seq;\n}\n\n"
                                 "export interface Visitor {\n  Seq(node: Seq): void;\n}\n",
                 "tests/tsconfig.json": "{\"extends\": \"../tsconfig.json\", \"compilerOptions\": {\"baseUrl\": \"..\", "
                                        "\"paths\": {\"lib\": [\"src/index.ts\"]}}, \"include\": [\"**/*.ts\"]}\n",
                 "tests/parse.ts": "import * as lib from 'lib';\n\nconst seq = lib.parse('[1]');\nseq.flow = false;\n",
                 "scripts/unstyle.cjs": "/** @type {import('../src/index').Visitor} */\nmodule.exports = {\n  Seq(node) {\n"
                                        "    delete node.flow;\n  }\n};\n"}
        self.rename(files, "flow", "stream", "--file", "src/index.ts", "--line", "2")
        for name in ("tests/parse.ts", "scripts/unstyle.cjs"):
            self.assertEqual(self.read(name), files[name].replace("flow", "stream"))

    def test_types_that_only_an_assignment_or_a_union_ties_to_the_symbol_are_renamed(self):
        settings = "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"types\": [], \"noEmit\": true}}\n"
        cases = {
            "a type literal": ("export interface Tag {\n  identify?: (value: unknown) => boolean;\n}\n"
                               "const merge: Tag & { identify(value: unknown): boolean } = {\n  identify: value => value === '<',\n};\n"
                               "export const tags: {\n  merge: Tag & { identify(value: unknown): boolean };\n} = {\n  merge,\n};\n"),
            "a union": ("export class Scalar {\n  identify?: string;\n}\nexport class Pair {\n  identify?: never;\n}\n"
                        "export const text = (item: Scalar | Pair) => item.identify;\n")}
        for case, text in cases.items():
            with self.subTest(case):
                files = {"tsconfig.json": settings, "a.ts": text}
                self.rename(files, "identify", "detect", "--file", "a.ts", "--line", "2")
                self.expect(files, a=text.replace("identify", "detect"))

    def test_a_type_that_a_struct_of_go_embeds_is_a_field_of_its_name(self):
        files = {"go.mod": "module example.com/md\n\ngo 1.19\n",
                 "ast/node.go": "package ast\n\ntype Leaf struct {\n\tLiteral []byte\n}\n\ntype Text struct {\n\tLeaf\n}\n\n"
                                "func NewText(literal []byte) *Text {\n\treturn &Text{Leaf: Leaf{Literal: literal}}\n}\n",
                 "examples/inline.go": "//go:build ignore\n\npackage main\n\nimport \"example.com/md/ast\"\n\nfunc main() {\n"
                                       "\ttext := &ast.Text{Leaf: ast.Leaf{Literal: []byte(\"x\")}}\n"
                                       "\tprintln(string(text.Leaf.Literal))\n}\n"}
        self.rename(files, "Leaf", "Edge", "--file", "ast/node.go", "--line", "3")
        for name in ("ast/node.go", "examples/inline.go"):
            self.assertEqual(self.read(name), files[name].replace("Leaf", "Edge"))

    def test_words_in_documentation_of_go_that_mean_something_else_stay(self):
        text = ("package html\n\nimport \"example.com/md/ast\"\n\n// Space writes an ast.Space node. See [Space].\n"
                "func Space(node *ast.Space) string {\n\treturn \"\"\n}\n\n// single and double emphasis parsing\n"
                "func emphasis(data string) int {\n\treturn len(data)\n}\n")
        files = {"go.mod": "module example.com/md\n\ngo 1.19\n", "ast/node.go": "package ast\n\ntype Space struct{}\n",
                 "html/html.go": text}
        self.rename(files, "Space", "Blank", "--file", "html/html.go", "--line", "6")
        text = text.replace("// Space", "// Blank").replace("func Space", "func Blank").replace("[Space]", "[Blank]")
        self.assertEqual(self.read("html/html.go"), text)
        files["html/html.go"] = text
        self.rename(files, "emphasis", "runs", "--file", "html/html.go", "--line", "11")
        self.assertEqual(self.read("html/html.go"), text.replace("func emphasis", "func runs"))

    def test_this_in_an_exported_function_is_its_module(self):
        bodies = {"assigned": "exports.area = function (x) { return x * x; };\n"
                              "exports.total = function (x) { return this.area(x) + 1; };\n",
                  "keys": "module.exports = {\n  area: function (x) { return x * x; },\n"
                          "  total(x) { return this.area(x) + 1; },\n};\n"}
        for case, text in bodies.items():
            with self.subTest(case):
                files = {"package.json": "{\"name\": \"pack\"}\n", "shapes.js": text,
                         "other.js": "class Box {\n  total() { return this.area(2); }\n  area(x) { return x; }\n}\n"
                                     "module.exports = { Box };\n",
                         "use.js": "const shapes = require('./shapes');\nif (shapes.total(2) !== 5) throw new Error('no');\n"}
                line = 1 + text[:text.index("area")].count("\n")
                self.rename(files, "area", "surface", "--file", "shapes.js", "--line", str(line))
                self.expect(files, shapes=text.replace("area", "surface"))
                self.assertEqual(self.run_program("node", "use.js"), 0)

    def test_this_that_may_be_another_object_stays(self):
        area = "exports.area = function (x) { return x * x; };\n"
        total = "exports.total = function (x) {%s return this.area(x) + 1; };\n"
        for case, text in {
                "set elsewhere": area + total % "" + "exports.wrap = function (f) { this.area=f; };\n",
                "prototype": area + total % "" + "exports.total.prototype.area = function () { return 1; };\n",
                "inherits": area + total % "" + "require('util').inherits(exports.total, Array);\n",
                "base": area + total % " Base.call(this);" + "function Base() {}\n",
                "call": area + total % "" + "exports.run = () => exports.total.call({ area: Number }, 1);\n",
                "reflect": area + total % "" + "exports.run = (box) => Reflect.apply(exports.total, box, [1]);\n",
                "assigned": area + total % "" + "exports.run = (box) => { box.total = exports.total; };\n",
                "listener": area + total % "" + "exports.run = (events) => events.on('sum', exports.total);\n",
                "defined": area + total % "" + "exports.wrap = function (x) { Object.defineProperty(this, 'a', x); };\n",
                "pair": area + total % "" + "exports.box = { area: Number, total: exports.total };\n",
                "variable": area + total % "" + "const total = exports.total;\nexports.box = { area: Number, total };\n",
                "field": area + total % "" + "exports.Box = class {\n  area(x) { return x; }\n  total = exports.total;\n};\n",
                "spread": area + total % "" + "exports.box = { ...exports, area: Number };\n",
                "create": area + total % "" + "exports.box = Object.create(exports, { area: { value: Number } });\n",
                "return": area + total % "" + "exports.pick = () => exports.total;\n",
                "by key": area + total % "" + "exports.pick = (box) => { box.run = exports['total']; };\n",
                "new": area + total % "" + "exports.made = new exports.total(1);\n"}.items():
            with self.subTest(case):
                files = {"package.json": "{\"name\": \"pack\"}\n", "shapes.js": text}
                answer = self.rename(files, "area", "surface", "--file", "shapes.js", "--line", "1")
                self.expect(files, shapes=text.replace("exports.area", "exports.surface"))
                self.assertIn(("shapes.js", 2), self.left(answer))

    def test_without_an_index_a_prototype_in_a_header_is_renamed(self):
        real = shutil.which("clangd", path=self.env["PATH"])
        if real is None:
            self.skipTest("clangd is missing")
        wrapper = os.path.join(self.root, "bin", "clangd")
        os.makedirs(os.path.dirname(wrapper))
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\nfor word do [[ $word == --background-index ]] || kept+=(\"$word\"); done\n"
                       f"exec {real} --background-index=false \"${{kept[@]}}\"\n")
        os.chmod(wrapper, 0o755)
        self.env["PATH"] = os.path.dirname(wrapper) + os.pathsep + self.env["PATH"]
        files = {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p main.cc names.cc)\n",
                 "names.h": "#pragma once\nnamespace lib {\nconst char* shortName();\n}\n",
                 "names.cc": "#include \"names.h\"\nconst char* lib::shortName() { return \"m\"; }\n",
                 "main.cc": "#include \"names.h\"\nint main() { return lib::shortName()[0] == 'm' ? 0 : 1; }\n"}
        self.write_all(files)
        place = ("refactor", "rename", "shortName", "briefName", "--file", "names.cc", "--line", "2", "--json")
        preview = json.loads(self.stile(*place, "--preview", timeout=600, env=SERVER).stdout)
        self.assertIn("index", preview["partial"])
        self.assertIn("names.h", json.dumps(preview["files"]))
        self.rename(files, *place[2:-1])
        for name, text in files.items():
            self.assertEqual(self.read(name), text.replace("shortName", "briefName"), name)

    def test_keys_of_literals_without_a_type_follow_together(self):
        settings = "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"types\": [], \"noEmit\": true}}\n"
        types = "export interface Options {\n  depth%s: number;\n}\nexport const run = (o: Options): number => o.depth ?? 0;\n"
        for case, mark, use in (
                ("elements", "?", "export const sums = [{ depth: 1 }, { depth: 2 }].map(run);\n"),
                ("a variable", "", "const first = { depth: 1 };\nexport const sum = run(first);\n"),
                ("a weak type", "?", "const first = { depth: 1 };\nexport const sum = run(first);\n"),
                ("a type of a parameter", "?", "function all(one?: { depth: number }) {\n  return run(one ?? {});\n}\n"
                                               "function first(one?: { id: string }) {\n  const given = { ...one, depth: 1 };\n"
                                               "  return all(given);\n}\nexport const sum = first();\n"),
                ("a result", "", "function make() {\n  const first = { depth: 1 };\n  return run(first);\n}\n"
                                 "function other() {\n  const first = { depth: 2 };\n  return run(first);\n}\n"
                                 "export const sum = make() + other();\n"),
                ("a longer line", "", "const box: { options: Options } = { options: { depth: 1 } };\nconst first = { depth: 1 };\n"
                                      "export const sum = box.options.depth + run(first);\n"),
                ("a declaration", "", "const first = { depth: 1 };\nexport const given: Options = first;\nexport const sum = run(given);\n"),
                ("a function", "", "function make() {\n  return { depth: 2 };\n}\nexport const sum = run(make());\n")):
            with self.subTest(case):
                files = {"tsconfig.json": settings, "a.ts": types % mark, "b.ts": "import { run, type Options } from './a';\n" + use}
                self.rename(files, "depth", "level", "--file", "a.ts", "--line", "2")
                self.expect(files, a=files["a.ts"].replace("depth", "level"), b=files["b.ts"].replace("depth", "level"))

    def test_keys_of_literals_within_others_stay(self):
        settings = "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"types\": [], \"noEmit\": true}}\n"
        types = ("export interface Shape {\n  depth: number;\n  meta?: Record<string, number>;\n}\n"
                 "export const run = (shape: Shape): number => shape.depth;\n")
        for case, use, renamed in (
                ("a member", "const first = { depth: 1, meta: { depth: 2 } };\nrun(first);\n", "const first = { level: 1, meta: { depth: 2 } };\nrun(first);\n"),
                ("an argument", "function make() {\n  String({ depth: 2 });\n  return { depth: 1 };\n}\nrun(make());\n",
                 "function make() {\n  String({ depth: 2 });\n  return { level: 1 };\n}\nrun(make());\n"),
                ("a guess", "function make() {\n  return { depth: 1 };\n}\nrun(make());\nexport const rows: any[] = [\n  { depth: 2 },\n  { depth: 3 },\n];\n",
                 "function make() {\n  return { level: 1 };\n}\nrun(make());\nexport const rows: any[] = [\n  { depth: 2 },\n  { depth: 3 },\n];\n")):
            with self.subTest(case):
                files = {"tsconfig.json": settings, "a.ts": types, "b.ts": "import { run } from './a';\n" + use}
                self.rename(files, "depth", "level", "--file", "a.ts", "--line", "2")
                self.expect(files, a=types.replace("depth", "level"), b="import { run } from './a';\n" + renamed)

    def test_other_places_that_a_value_with_renamed_keys_goes_to_are_listed(self):
        settings = "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"types\": [], \"noEmit\": true}}\n"
        files = {"tsconfig.json": settings,
                 "a.ts": "export interface Options {\n  depth: number;\n}\nexport const run = (o: Options): number => o.depth;\n",
                 "o.ts": "export interface Other {\n  depth?: number;\n  size: number;\n}\n"
                         "export const show = (o: Other): number => (o.depth ?? 7) + o.size;\n",
                 "b.ts": "import { run } from './a';\nimport { show } from './o';\nconst first = { depth: 1, size: 2 };\n"
                         "export const s = run(first) + show(first);\n"}
        answer = self.rename(files, "Options.depth", "level", "--file", "a.ts", "--line", "2")
        self.assertIn("const first = { level: 1, size: 2 }", self.read("b.ts"))
        self.assertEqual([(place["file"], place["line"], place["column"]) for place in answer["otherUses"]["places"]], [("b.ts", 4, 36)])

    def test_the_same_import_under_another_condition_is_listed(self):
        manifest = ("{\"type\": \"module\", \"imports\": {\"#channel\": "
                    "{\"browser\": \"./browser.ts\", \"default\": \"./node.ts\"}}}\n")
        files = {"package.json": manifest,
                 "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"module\": \"nodenext\", \"target\": \"es2022\", "
                                  "\"allowImportingTsExtensions\": true, \"types\": [], \"noEmit\": true}}\n",
                 "node.ts": "export const tracing = 1;\n", "browser.ts": "// Of browsers.\nexport const tracing = 2;\n",
                 "use.ts": "import { tracing } from '#channel';\nexport const traced = tracing + 1;\n"}
        answer = self.rename(files, "tracing", "trail", "--file", "node.ts", "--line", "1")
        self.expect(files, node=files["node.ts"].replace("tracing", "trail"), use=files["use.ts"].replace("tracing", "trail"))
        self.assertEqual(self.left(answer), [("browser.ts", 2)])

    def test_the_name_that_an_export_gives_is_renamed(self):
        files = {"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"types\": [], \"noEmit\": true}}\n",
                 "a.ts": "export function util(): number {\n  return 1;\n}\n",
                 "b.ts": "export { util as helper } from './a';\nexport * as tools from './a';\n",
                 "c.ts": "import { helper, tools } from './b';\nexport const sum = helper() + tools.util();\n"}
        for name, line in (("helper", "1"), ("tools", "2")):
            with self.subTest(name):
                self.rename(files, name, "named", "--file", "b.ts", "--line", line)
                self.expect(files, b=files["b.ts"].replace(name, "named"), c=files["c.ts"].replace(name, "named"))

    def test_the_name_that_an_export_gives_needs_a_language_server(self):
        files = {"package.json": MODULE, "a.js": "export function util() { return 1; }\n",
                 "b.js": "function helper() { return 2; }\nexport const two = helper();\n"
                         "export { util as helper, util as default } from './a.js';\n",
                 "c.js": "import { helper } from './b.js';\nhelper();\n"}
        self.write_all(files)
        path = os.pathsep.join([os.path.dirname(shutil.which("node")), "/usr/bin", "/bin"])
        for why, *arguments, env in (
                ("needs a language server: TypeScript is not installed", "rename", "helper", "named", {**SERVER, "PATH": path}),
                ("needs a language server, and resolvers are off", "rename", "helper", "named", {"STILE_RESOLVERS": "off"}),
                ("other files import it by that word", "rename", "default", "named", SERVER),
                ("Edit the export itself", "safe_delete", "helper", SERVER)):
            with self.subTest(why):
                result = self.stile("refactor", *arguments, "--file", "b.js", "--line", "3", env=env)
                self.assert_exit(result, 2)
                self.assertIn(why, result.stderr)
                self.expect(files)

    def test_a_property_called_default_is_renamed(self):
        settings = "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"types\": []}}\n"
        files = {"tsconfig.json": settings, "a.ts": "export interface Rule {\n  default: number;\n}\n"
                                                    "export const get = (rule: Rule): number => rule.default;\n"}
        answer = self.rename(files, "Rule.default", "fallback", "--file", "a.ts", "--line", "2")
        self.assertTrue(answer["resolvedBy"].startswith("TypeScript"), answer["resolvedBy"])
        self.expect(files, a=files["a.ts"].replace("default", "fallback"))

    def test_a_default_export_is_taken_by_that_word(self):
        files = {"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"types\": [], \"noEmit\": true}}\n",
                 "a.ts": "export default class Widget {\n  size = 1;\n}\n",
                 "b.ts": "export type W = import('./a').default;\nexport const size = (w: W): number => w.size;\n"}
        self.rename(files, "Widget", "Gadget", "--file", "a.ts", "--line", "1")
        self.expect(files, a=files["a.ts"].replace("Widget", "Gadget"))

    def test_a_type_in_a_header_that_needs_the_includes_of_others_is_renamed(self):
        files = {"main.cc": "#include \"column.h\"\nint main() { lib::Column c; return c.format().width() - 3; }\n",
                 "column.h": "#pragma once\n#include <functional>\n#include \"format.h\"\nnamespace lib {\n"
                             "class Column {\n public:\n  int size() const { return 3; }\n"
                             "  ColumnFormat format() { return ColumnFormat(*this); }\n};\n"
                             "inline int ColumnFormat::width() const { return column_.get().size(); }\n}\n",
                 "format.h": "#pragma once\nnamespace lib {\nclass Format {\n public:\n  friend class Column;\n};\n"
                             "class ColumnFormat : public Format {\n public:\n"
                             "  explicit ColumnFormat(class Column &column) : column_(column) {}\n  int width() const;\n\n"
                             " private:\n  std::reference_wrapper<class Column> column_;\n};\n}\n",
                 "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p main.cc)\n"}
        self.rename(files, "Column", "Pillar", "--file", "column.h", "--line", "5")
        for name, text in files.items():
            self.assertEqual(self.read(name), re.sub(r"\bColumn\b", "Pillar", text), name)

    def test_a_type_of_the_same_name_in_another_namespace_is_listed(self):
        files = {"main.cc": "#include \"column.h\"\n#include \"other.h\"\nint main() { lib::Column c; return c.size() - 3; }\n",
                 "column.h": "#pragma once\nnamespace lib {\nclass Column {\n public:\n  int size() const { return 3; }\n};\n}\n",
                 "other.h": "#pragma once\nnamespace vendor {\nint width(class Column* r);\n}\n",
                 "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nadd_executable(p main.cc)\n"}
        answer = self.rename(files, "lib::Column", "Pillar", "--file", "column.h", "--line", "3")
        for name, text in files.items():
            self.assertEqual(self.read(name), text if name == "other.h" else re.sub(r"\bColumn\b", "Pillar", text), name)
        self.assertEqual(self.left(answer), [("other.h", 3)])

    def test_strings_that_no_compiler_asks_for_are_mentioned(self):
        files = {"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"types\": [], \"noEmit\": true}}\n",
                 "shape.ts": "export class Shape {\n  radius = 1;\n}\n",
                 "use.ts": "import { Shape } from './shape';\nconst shape = new Shape();\n"
                           "export const has = Object.hasOwn(shape, \"radius\");\nexport const read = Reflect.get(shape, 'radius');\n"
                           "export const typed = shape[\"radius\"];\n"}
        answer = self.rename(files, "radius", "reach", "--file", "shape.ts", "--line", "2")
        self.expect(files, shape=files["shape.ts"].replace("radius", "reach"),
                    use=files["use.ts"].replace("shape[\"radius\"]", "shape[\"reach\"]"))
        self.assertEqual([(place["file"], place["line"]) for place in answer["mentions"]["places"]], [("use.ts", 3), ("use.ts", 4)])

    def test_a_variable_of_a_nested_pattern_keeps_its_name_where_others_import_it(self):
        text = "function made() { return { inner: { parse: (x) => x + 1 } }; }\nexport const { inner: { parse } } = made();\n"
        files = {"package.json": MODULE, "m.js": text, "again.js": "export { parse } from './m.js';\n",
                 "use.js": "import { parse } from './m.js';\nimport * as all from './m.js';\nconst box = { parse };\n"
                           "if (parse(1) + all.parse(1) + box.parse(1) !== 6) throw new Error('no');\n"}
        self.rename(files, "parse", "decode", "--file", "m.js", "--line", "1")
        self.expect(files, m=text.replace("parse: (x)", "decode: (x)").replace("{ parse }", "{ decode: parse }"))
        self.assertEqual(self.run_program("node", "use.js"), 0)

    def test_a_variable_that_takes_an_export_from_its_module_keeps_its_name(self):
        files = {"package.json": MODULE, "raw.js": RAW,
                 "use.js": "import * as pack from './raw.js';\nconst { generate } = pack;\n"
                           "if (generate(1) !== 'raw 1') throw new Error('no');\n"}
        self.rename(files, "generate", "print", "--file", "raw.js", "--line", "3")
        self.expect(files, raw=RAW.replace("generate", "print"), use=files["use.js"].replace("{ generate }", "{ print: generate }"))
        self.assertEqual(self.run_program("node", "use.js"), 0)
        files = {"package.json": MODULE, "raw.js": RAW,
                 "all.js": "import * as pack from './raw.js';\nexport const { generate } = pack;\n",
                 "use.js": "import { generate } from './all.js';\nif (generate(1) !== 'raw 1') throw new Error('no');\n"}
        self.rename(files, "generate", "print", "--file", "raw.js", "--line", "3")
        self.expect(files, raw=RAW.replace("generate", "print"), all=files["all.js"].replace("{ generate }", "{ print: generate }"))
        self.assertEqual(self.run_program("node", "use.js"), 0)
        files = {"package.json": MODULE, "raw.js": "export class Shape {}\n",
                 "use.js": "import * as pack from './raw.js';\nconst { Shape } = pack;\nnew Shape();\n"}
        self.rename(files, "Shape", "Form", "--file", "raw.js", "--line", "1")
        self.expect(files, raw="export class Form {}\n", use=files["use.js"].replace("{ Shape }", "{ Form: Shape }"))

    def test_a_property_that_a_comment_declares_is_renamed(self):
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "lib.js": "/**\n * @typedef {object} Options\n * @property {number} depth how deep\n */\n"
                           "/** @param {Options} opts */\nfunction run(opts) { return opts.depth; }\nmodule.exports = run;\n"}
        self.rename(files, "depth", "level", "--file", "lib.js", "--line", "3")
        self.expect(files, lib=files["lib.js"].replace("depth", "level"))

    def test_parameters_of_overrides_are_one_by_name(self):
        files = {"m.py": "class Shape:\n    def scale(self, factor):\n        return factor\n\n\nclass Square(Shape):\n"
                         "    def scale(self, factor):\n        return super().scale(factor=factor) * 2\n\n\n"
                         "class Weight:\n    def scale(self, factor):\n        return factor\n\n\n"
                         "def grow(s: Shape):\n    return s.scale(factor=3)\n",
                 "t.py": "from m import Shape, Square, Weight, grow\n\nassert grow(Shape()) == 3 and grow(Square()) == 6\n"
                         "assert Weight().scale(factor=1) == 1\n"}
        for line in (2, 7):
            with self.subTest(line):
                self.rename(files, "factor", "ratio", "--file", "m.py", "--line", str(line))
                text = files["m.py"].replace("factor", "ratio").replace("class Weight:\n    def scale(self, ratio):\n        return ratio",
                                                                        "class Weight:\n    def scale(self, factor):\n        return factor")
                self.expect(files, m=text)
                self.assertEqual(self.run_program(sys.executable, "t.py"), 0)

    def test_the_object_of_a_method_is_passed_by_no_name(self):
        files = {"m.py": "class A:\n    def go(this):\n        return this\n\n\nclass B(A):\n    def go(this):\n        return this\n"}
        self.rename(files, "this", "self", "--file", "m.py", "--line", "2")
        self.expect(files, m=files["m.py"].replace("this", "self", 2))

    def test_arguments_that_a_function_hands_on_are_listed(self):
        files = {"m.py": "def scale(value, factor=2):\n    return value * factor\n\n\n"
                         "def all_of(values, **options):\n    return [scale(v, **options) for v in values]\n\n\n"
                         "def paint(colour, **options):\n    return colour\n",
                 "t.py": "import m\n\nm.all_of([1], factor=5)\nm.paint(1, factor=5)\nmore = {\"factor\": 7}\nm.scale(1, **more)\n"
                         "m.scale(1, factor=4)\n",
                 "u.py": "KEYS = {\"factor\": 1}\n"}
        answer = self.rename(files, "factor", "ratio", "--file", "m.py", "--line", "1")
        self.assertEqual(self.left(answer), [("t.py", 3), ("t.py", 5)])
        self.expect(files, m=files["m.py"].replace("factor", "ratio"),
                    t=files["t.py"].replace("m.scale(1, factor", "m.scale(1, ratio"))

    def test_arguments_reach_a_function_by_many_ways(self):
        files = {"m.py": "def go(x, factor=1):\n    return x * factor\n\n\ndef inner(**kw):\n    return go(1, **kw)\n\n\n"
                         "def outer(**kw):\n    return inner(**kw)\n\n\ndef run(fn):\n    return fn(2, factor=3)\n",
                 "t.py": "from functools import partial\nfrom m import go as g, outer, run\nfrom conf import OPTIONS\n\n"
                         "outer(factor=5)\nrun(g)\ng(1, **OPTIONS)\nh = partial(g, 2)\nh(factor=6)\n"
                         "submit(g, factor=7)\ndict(factor=8)\n",
                 "conf.py": "OPTIONS = {'factor': 5}\n"}
        answer = self.rename(files, "factor", "ratio", "--file", "m.py", "--line", "1")
        self.assertEqual(self.left(answer), [("conf.py", 1), ("m.py", 14), ("t.py", 5), ("t.py", 9), ("t.py", 10), ("t.py", 11)])

    def test_overloads_have_one_parameter(self):
        files = {"m.py": "from typing import overload\n\n\n@overload\ndef go(factor: int) -> int: ...\n@overload\n"
                         "def go(factor: str) -> str: ...\ndef go(factor):\n    return factor\n\n\nassert go(factor=3) == 3\n"}
        for line in (5, 7, 8):
            with self.subTest(line):
                self.rename(files, "factor", "ratio", "--file", "m.py", "--line", str(line))
                self.expect(files, m=files["m.py"].replace("factor", "ratio"))

    def test_an_argument_for_other_parameters_stays(self):
        files = {"m.py": "def go(factor, /, **kw):\n    return factor + kw['factor']\n\n\nassert go(1, factor=5) == 6\n"}
        self.rename(files, "factor", "ratio", "--file", "m.py", "--line", "1")
        self.expect(files, m=files["m.py"].replace("go(factor", "go(ratio").replace("return factor", "return ratio"))
        self.assertEqual(self.run_program(sys.executable, "m.py"), 0)

    def test_a_name_that_a_call_passes_already_is_refused(self):
        files = {"m.py": "def go(factor, **kw):\n    return factor\n\n\ngo(factor=3, ratio=1)\n"}
        self.write_all(files)
        result = self.stile("refactor", "rename", "factor", "ratio", "--file", "m.py", "--line", "1", env=SERVER)
        self.assert_exit(result, 2)
        self.assertIn("a call passes factor and ratio (m.py:5)", result.stderr)
        self.expect(files)
        # A call of another function says nothing.
        files["m.py"] = files["m.py"].replace("\ngo(factor", "\nplot(factor")
        self.rename(files, "factor", "ratio", "--file", "m.py", "--line", "1")

    def test_constructors_have_parameters_of_their_own(self):
        files = {"m.py": "class A:\n    def __init__(self, factor):\n        self.a = factor\n\n\nclass B(A):\n"
                         "    def __init__(self, factor):\n        super().__init__(factor=factor)\n\n\nA(factor=1)\nB(factor=2)\n"}
        self.rename(files, "factor", "ratio", "--file", "m.py", "--line", "7")
        self.expect(files, m=files["m.py"].replace("self, factor):\n        super", "self, ratio):\n        super")
                    .replace("(factor=factor)", "(factor=ratio)").replace("B(factor", "B(ratio"))
        self.assertEqual(self.run_program(sys.executable, "m.py"), 0)

    def test_a_copy_with_another_value_names_a_field(self):
        text = ("from dataclasses import dataclass, replace\nfrom typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    first: int\n    second: int\n\n\n"
                "@dataclass\nclass Box:\n    first: int\n\n\ndef swap(pair: Pair, box: Box) -> Pair:\n    box = replace(box, first=2)\n"
                "    return pair._replace(first=pair.second, second=pair.first)\n\n\nassert swap(Pair(1, 2), Box(1)) == (2, 1)\n")
        files = {"a.py": text}
        self.rename(files, "Pair.first", "left", "--file", "a.py", "--line", "6")
        self.assertEqual(self.run_program(sys.executable, "a.py"), 0)
        self.assertIn("replace(box, first=2)", self.read("a.py"))
        self.rename(files, "Box.first", "left", "--file", "a.py", "--line", "12")
        self.assertEqual(self.run_program(sys.executable, "a.py"), 0)
        self.assertIn("pair._replace(first=", self.read("a.py"))

    def test_a_variable_called_like_a_key_is_not_listed(self):
        files = {"package.json": MODULE, "bench.js": "const points = [];\npoints.push({ index: 1 });\nconst index = new Map();\nindex.set('a', points);\n"}
        answer = self.rename(files, "index", "rank", "--file", "bench.js", "--line", "2")
        self.expect(files, bench=files["bench.js"].replace("{ index:", "{ rank:"))
        self.assertEqual(self.left(answer), [])

    def test_keys_of_a_typed_dictionary_of_the_same_name_stay(self):
        conf = "from typing import TypedDict\n\n\nclass Conf(TypedDict):\n    level: int\n"
        use = "\n\ndef f(c: Conf):\n    return c[\"level\"] if \"level\" in c else 0\n"
        files = {"a.py": conf + use, "b.py": conf + use}
        answer = self.rename(files, "level", "depth", "--file", "a.py", "--line", "5")
        self.expect(files, a=files["a.py"].replace("    level", "    depth"))
        self.assertEqual(self.left(answer), [("a.py", 9), ("a.py", 9), ("b.py", 9), ("b.py", 9)])

    def test_a_method_that_hides_one_of_a_library_in_a_derived_class_is_refused(self):
        files = {"m.py": "import threading\n\n\nclass M:\n    def run(self):\n        return 1\n\n\n"
                         "class Worker(M, threading.Thread):\n    pass\n"}
        self.write_all(files)
        result = self.stile("refactor", "rename", "M.run", "go", env=SERVER, timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("run is declared by a library, in a base of Worker", result.stderr)
        self.expect(files)
        # The base of Worker is another class of that name.
        files = {"a.py": "class M:\n    def run(self):\n        return 1\n", "b.py": files["m.py"]}
        self.rename(files, "run", "go", "--file", "a.py", "--line", "2")
        self.expect(files, a=files["a.py"].replace("run", "go"))

    def test_keys_of_a_typed_dictionary_are_its_fields(self):
        files = {"m.py": "from typing import TypedDict\n\n\nclass Conf(TypedDict, total=False):\n    level: int\n\n\n"
                         "def f(c: Conf, other: dict, many: list[Conf]):\n    d: Conf = {\"level\": 1}\n"
                         "    return c[\"level\"] + c.get(\"level\", 0) + d[\"level\"] + other[\"level\"] + many[0][\"level\"]\n"}
        answer = self.rename(files, "level", "depth", "--file", "m.py", "--line", "5")
        text = files["m.py"].replace("level", "depth").replace("other[\"depth", "other[\"level").replace("[0][\"depth", "[0][\"level")
        self.expect(files, m=text)
        self.assertEqual(self.left(answer), [("m.py", 10), ("m.py", 10)])

    def test_methods_that_compete_in_a_derived_class_are_one(self):
        files = {"m.py": "class Loud:\n    def say(self):\n        return super().say().upper()\n\n\nclass Person:\n"
                         "    def say(self):\n        return \"hi\"\n\n\nclass LoudPerson(Loud, Person):\n    pass\n\n\n"
                         "class Robot:\n    def say(self):\n        return \"beep\"\n\n\n"
                         "def talk(p: Person):\n    return p.say()\n\n\nassert talk(LoudPerson()) == \"HI\"\n"}
        self.rename(files, "Person.say", "speak")
        text = files["m.py"].replace("say", "speak").replace("Robot:\n    def speak", "Robot:\n    def say")
        self.expect(files, m=text)
        self.assertEqual(self.run_program(sys.executable, "m.py"), 0)

    def test_a_parameter_of_a_protocol_is_listed(self):
        files = {"m.py": "from typing import Protocol\n\n\nclass Scales(Protocol):\n    def scale(self, factor: int) -> int: ...\n\n\n"
                         "class Box:\n    def scale(self, factor: int) -> int:\n        return factor\n\n\n"
                         "def use(s: Scales) -> int:\n    return s.scale(factor=2)\n"}
        answer = self.rename(files, "factor", "ratio", "--file", "m.py", "--line", "5")
        self.assertIn(("m.py", 9), self.left(answer))

    def test_static_methods_that_this_reaches_are_one(self):
        base = "export class Base {\n  static create() { return 'b'; }\n  static make() { return this.create(); }\n}\n"
        files = {"package.json": MODULE, "base.js": base,
                 "sub.js": "import { Base } from './base.js';\nexport class Sub extends Base {\n  static create() { return 's'; }\n}\n"
                           "if (Sub.make() !== 's') throw new Error('no');\n"}
        self.rename(files, "create", "build", "--file", "base.js", "--line", "2")
        self.expect(files, base=base.replace("create", "build"), sub=files["sub.js"].replace("create", "build"))
        self.assertEqual(self.run_program("node", "sub.js"), 0)

    def test_an_attribute_that_a_derived_class_only_adds_to_is_the_inherited_one(self):
        files = {"m.py": "class Base:\n    def __init__(self):\n        self.count = 0\n",
                 "sub.py": "from m import Base\n\n\nclass Sub(Base):\n    def add(self):\n        self.count += 1\n"
                           "        return self.count\n\n\nassert Sub().add() == 1\n"}
        self.rename(files, "count", "total", "--file", "m.py", "--line", "3")
        self.expect(files, m=files["m.py"].replace("count", "total"), sub=files["sub.py"].replace("count", "total"))
        self.assertEqual(self.run_program(sys.executable, "sub.py"), 0)

    def test_an_attribute_overrides_a_method(self):
        files = {"m.py": "class Store:\n    def load(self, key):\n        raise NotImplementedError(key)\n\n\n"
                         "class Mem(Store):\n    load = lambda self, key: key * 2\n\n\n"
                         "def use(s: Store):\n    return s.load(\"a\")\n\n\nassert use(Mem()) == \"aa\"\n"}
        self.rename(files, "Store.load", "fetch")
        self.expect(files, m=files["m.py"].replace("load", "fetch"))
        self.assertEqual(self.run_program(sys.executable, "m.py"), 0)

    def test_a_call_behind_hasattr_is_listed_whatever_a_checker_says(self):
        files = {"pyproject.toml": "[tool.mypy]\nstrict = true\n",
                 "readers.py": "class Plain:\n    def __call__(self) -> int:\n        return 1\n\n"
                               "    def finish(self) -> int:\n        return 2\n\n\n"
                               "class Sized:\n    def finish(self) -> int:\n        return 3\n",
                 "m.py": "from typing import Any, Callable, Optional\n\n\n"
                         "def end(reader: Optional[Callable[..., Any]]) -> Any:\n    assert reader is not None\n"
                         "    if hasattr(reader, \"finish\"):\n        return reader.finish()\n    return 0\n"}
        answer = self.rename(files, "Plain.finish", "close")
        self.assertTrue(answer["validation"]["judged"])
        self.assertEqual(self.left(answer), [("m.py", 7)])

    def test_lines_that_tests_of_documentation_run_are_named(self):
        answer = self.rename({"m.py": LIST}, "push", "put", "--file", "m.py", "--line", "7")
        self.assertEqual([place["line"] for place in answer["mentions"]["places"]], [4])

    def test_a_name_in_code_that_the_preprocessor_takes_away_is_renamed(self):
        files = {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_compile_definitions(NDEBUG)\n"
                                   "add_executable(p main.cc)\n",
                 "main.cc": "#ifdef NDEBUG\n#define CHECK(x)\n#else\n#define CHECK(x) if (!(x)) return\n#endif\n\n"
                            "struct A { int size_ = 1; void pop(); };\nstruct B { int size_ = 2; };\n\n"
                            "void A::pop() {\n  CHECK(size_ > 0);\n  --size_;\n}\n\n"
                            "int main() { A a; a.pop(); B b; return a.size_ + b.size_ - 2; }\n"}
        self.rename(files, "A.size_", "count_")
        text = files["main.cc"].replace("size_", "count_").replace("struct B { int count_", "struct B { int size_")
        self.expect(files, main=text.replace("b.count_", "b.size_"))

    def test_documentation_of_a_field_and_a_method_of_one_name(self):
        files = {"Cargo.toml": "[package]\nname = \"r\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
                 "src/lib.rs": "pub struct Options {\n    /// See the [`Options::indent`] method.\n    pub indent: u8,\n}\n\n"
                               "impl Options {\n    /// Changes [`self.indent`], as `indent()` does.\n    ///\n"
                               "    /// [`self.indent`]: #structfield.indent\n    pub fn indent(self, value: u8) -> Self {\n"
                               "        Options { indent: value }\n    }\n}\n"}
        self.rename(files, "indent", "shift", "--file", "src/lib.rs", "--line", "10")
        text = files["src/lib.rs"].replace("fn indent", "fn shift").replace("`indent()`", "`shift()`")
        self.assertEqual(self.read("src/lib.rs"), text)
        self.rename(files, "indent", "shift", "--file", "src/lib.rs", "--line", "3")
        text = files["src/lib.rs"].replace("pub indent", "pub shift").replace("{ indent:", "{ shift:")
        self.assertEqual(self.read("src/lib.rs"), text)


if __name__ == "__main__":
    main()
