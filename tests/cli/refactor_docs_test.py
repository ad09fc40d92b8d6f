"""Documentation follows a rename: stile refactor without language servers, and with them."""

import json

from harness import StileTest, main

GO = ("package p\n\n// Total adds up. A Total of nothing is 0.\nfunc Total() int { return 0 }\n\n"
      "// Other is not Total.\nfunc Other() int { return Total() }\n")
PYTHON = ("def add_up(x: int) -> int:\n    \"\"\"add_up of one; see :func:`add_up`.\n\n    It adds.\n    \"\"\"\n"
          "    return x\n\n\ndef other() -> int:\n    \"\"\"Unlike add_up.\"\"\"\n    return add_up(1)\n")
JAVA = ("class Job {\n    /** Runs, as {@code run} says; run it. */\n    int run() { return 1; }\n"
        "    int go() { return run(); }\n}\n")


class RefactorDocsTest(StileTest):
    def rename(self, *arguments, **more):
        result = self.stile("refactor", "rename", *arguments, "--json", timeout=600, **more)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def test_documentation_of_the_symbol_follows(self):
        for resolvers in ("off", "on"):
            env = {"STILE_RESOLVERS": resolvers}
            self.write("go.mod", "module example.com/p\n\ngo 1.19\n")
            self.write("a.go", GO)
            self.write("p.py", PYTHON)
            self.write("Job.java", JAVA)
            self.rename("Total", "Sum", "--file", "a.go", env=env)
            self.assertEqual(self.read("a.go"), GO.replace("Total", "Sum").replace("not Sum", "not Total"))
            self.rename("add_up", "sum_up", "--file", "p.py", env=env)
            self.assertEqual(self.read("p.py"), PYTHON.replace("add_up", "sum_up").replace("Unlike sum", "Unlike add"))
            self.rename("Job.run", "walk", env=env)
            self.assertEqual(self.read("Job.java"), JAVA.replace("run}", "walk}").replace("run()", "walk()"))

    def test_a_word_that_may_mean_a_namesake_stays(self):
        text = ("class Result {\n    enum Status { Ok, Created }\n    final Status status;\n    Result(Status status) { this.status = status; }\n"
                "    /** A result with status Created, see {@link #%s}. */\n"
                "    static Result %s() { return new Result(Status.Created); }\n}\n")
        self.write("Result.java", text % ("Created", "Created"))
        self.rename("Result.Created", "Made", "--file", "Result.java", "--line", "6", env={"STILE_RESOLVERS": "off"})
        self.assertEqual(self.read("Result.java"), text % ("Made", "Made"))

    def test_documentation_tells_overloads_and_names_in_scope_apart(self):
        java = ("class Bits {\n    /** @see #%s(String[]) */\n    String %s() { return all(null); }\n\n"
                "    /** {@link #%s()} is shorter. */\n    String all(String[] values) { return \"\"; }\n}\n")
        self.write("Bits.java", java % ("all", "all", "all"))
        go = ("package p\n\nimport \"strings\"\n\ntype Bag struct{}\n\n// Map is like [strings.Map]; see [Map] and [Bag.%s].\n"
              "func (Bag) %s(s string) string { return strings.Map(nil, s) }\n\n// Map is the function.\n"
              "func Map(s string) string { return Bag{}.%s(s) }\n")
        self.write("go.mod", "module example.com/p\n\ngo 1.19\n")
        self.write("a.go", go % ("Map", "Map", "Map"))
        self.rename("Bag.Map", "Each", "--file", "a.go", "--line", "8", env={"STILE_RESOLVERS": "on"})
        self.assertEqual(self.read("a.go"), (go % ("Each", "Each", "Each")).replace("// Map is like", "// Each is like"))
        self.rename("Bits.all", "each", "--file", "Bits.java", "--line", "3", env={"STILE_RESOLVERS": "on"})
        text = self.read("Bits.java")
        self.assertIn("@see #all(String[])", text)
        self.assertIn("String each() { return all(null); }", text)

    def test_documentation_tells_overloads_apart_by_their_types(self):
        java = ("import java.util.Map;\n\nclass Bits {\n    /** {@link #add(int, int)} and {@link #%s(Map)}; #add(String). */\n"
                "    void %s(Map<String, Integer> m) { add(1, 2); }\n\n    void add(int a, int b) { }\n\n"
                "    void add(char c) { }\n\n    void add(String s) { }\n}\n")
        self.write("Bits.java", java % ("add", "add"))
        self.rename("Bits.add", "put", "--file", "Bits.java", "--line", "5", env={"STILE_RESOLVERS": "on"})
        self.assertEqual(self.read("Bits.java"), java % ("put", "put"))

    def test_documentation_of_a_field_keeps_the_method_of_its_name(self):
        java = "class Bag {\n    /** What {@link #count()} gives; see {@link #%s}. */\n    int %s;\n\n    int count() { return %s; }\n}\n"
        self.write("Bag.java", java.replace("%s", "count"))
        self.rename("count", "size", "--file", "Bag.java", "--line", "3", env={"STILE_RESOLVERS": "on"})
        self.assertEqual(self.read("Bag.java"), java.replace("%s", "size"))

    def test_documentation_names_what_is_renamed_together(self):
        go = ("package p\n\ntype Mapper interface {\n\t// See [Bag.%s].\n\t%s(s string) string\n}\n\ntype Bag struct{}\n\n"
              "// %s implements [Mapper.%s].\nfunc (Bag) %s(s string) string { return s }\n\nvar _ Mapper = Bag{}\n")
        self.write("go.mod", "module example.com/p\n\ngo 1.19\n")
        self.write("a.go", go.replace("%s", "Map"))
        self.rename("Bag.Map", "Each", "--file", "a.go", "--line", "11", env={"STILE_RESOLVERS": "on"})
        self.assertEqual(self.read("a.go"), go.replace("%s", "Each"))
        self.write("package.json", "{\"name\": \"@shop/orders\"}\n")
        self.write("lib/index.js", "/** `orders.total(1)`, `lodash.total(1)` */\nexports.total = function (x) { return x; };\n")
        self.rename("total", "sum", "--file", "lib/index.js", "--line", "2")
        self.assertIn("`orders.sum(1)`, `lodash.total(1)`", self.read("lib/index.js"))

    def test_a_template_of_a_header_is_named(self):
        self.use_compilers()
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nconfigure_file(names.h.in names.h)\n"
                                     "add_executable(p main.cc names.cc)\n"
                                     "target_include_directories(p PRIVATE ${CMAKE_CURRENT_BINARY_DIR})\n")
        self.write("names.h.in", "#pragma once\n// short_name\nint short_name();\n")
        names = "#include \"names.h\"\nint short_name() { return 0; }\n"
        self.write("names.cc", names)
        self.write("main.cc", "#include \"names.h\"\nint main() { return short_name(); }\n")
        place = ("refactor", "rename", "short_name", "brief_name", "--file", "names.cc", "--line", "2")
        preview = self.stile(*place, "--preview", "--json", timeout=600)
        self.assertEqual([(at["file"], at["line"]) for at in json.loads(preview.stdout)["documents"]["places"]],
                         [("names.h.in", 2), ("names.h.in", 3)])
        result = self.stile(*place, timeout=600)
        self.assert_exit(result, 2)
        self.assertEqual(self.read("names.cc"), names)
        self.assertIn("names.h.in:3:5: int short_name();", result.stderr)

    def test_a_license_names_no_code(self):
        self.write("LICENSE", "WITHOUT WARRANTY OF FITNESS FOR\nA PARTICULAR PURPOSE\n")
        self.write("NOTES.md", "The field A is set.\n")
        self.write("license_check.yaml", "name: 'm.A'  # the A\n")
        self.write("a.py", "class R:\n    A = 1\n")
        answer = self.rename("R.A", "B")
        self.assertEqual([place["file"] for place in answer["documents"]["places"]], ["NOTES.md", "license_check.yaml"])

    def test_it_stays_on_request(self):
        self.write("Job.java", JAVA)
        result = self.stile("refactor", "rename", "Job.run", "walk", "--no-comments")
        self.assert_exit(result, 0)
        self.assertEqual(self.read("Job.java"), JAVA.replace("run()", "walk()"))
        self.assertIn("2 mentions in comments, strings and macros of these files stayed as they are.", result.stdout)

    def test_places_left_are_counted(self):
        self.write("a.py", "class Box:\n    def weigh(self):\n        return 1\n\n\ndef use(x):\n    return x.weigh()\n")
        answer = self.rename("Box.weigh", "measure")
        self.assertEqual(answer["left"]["count"], 1)
        self.assertEqual([(place["file"], place["line"]) for place in answer["left"]["places"]], [("a.py", 7)])
        self.write("a.py", "class Box:\n    def weigh(self):\n        return 1\n\n\ndef use(x):\n    return x.weigh()\n")
        shown = self.stile("refactor", "rename", "Box.weigh", "measure").stdout
        self.assertIn("1 place left, not judged", shown)

    def test_texts_that_a_program_looks_up_are_shown(self):
        self.write("m.py", "class Foo:\n    pass\n")
        self.write("test_m.py", "from unittest import mock\nimport m\n\nprint(m.Foo)\nmock.patch('m.Foo')  # Foo\n")
        result = self.stile("refactor", "rename", "Foo", "Bar")
        self.assertIn("2 mentions in comments, strings and macros of these files stayed as they are; of them, these may be looked "
                      "up or run:\ntest_m.py:5:15: mock.patch('m.Foo')  # Foo\n", result.stdout)

    def test_documents_that_name_the_symbol_are_shown(self):
        self.write("m.py", "class Foo:\n    pass\n\n\ndef left():\n    return Foo\n")
        self.write("README.md", "Foo\n\nMake a `Foo` first, and a Foo then. It is left to you; call left().\n")
        self.write("setup.cfg", "entry = m:Foo\n")
        result = self.stile("refactor", "rename", "Foo", "Bar")
        self.assertIn("2 lines in files that are not code name the symbol and are unchanged:\n"
                      "README.md:3:9: Make a `Foo` first", result.stdout)
        self.assertIn("\nsetup.cfg:1:11: entry = m:Foo\n--- a/m.py", result.stdout)
        answer = self.rename("left", "right", "--file", "m.py")
        self.assertEqual([(place["file"], place["line"], place["column"]) for place in answer["documents"]["places"]],
                         [("README.md", 3, 61)])

    def test_texts_of_doc_attributes_are_shown(self):
        self.use_compilers()
        self.write("Cargo.toml", "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        self.write("src/lib.rs", "pub fn make() -> u8 {\n    1\n}\n#[doc = concat!(\"p::make\", \"(); [make]\")]\n"
                                 "pub fn other() {\n    let _ = \"make\";\n    let _ = \"to make it\";\n}\n")
        result = self.stile("refactor", "rename", "make", "build")
        self.assertIn("4 mentions in comments, strings and macros of these files stayed as they are; of them, these may be looked "
                      "up or run:\nsrc/lib.rs:4:21: ", result.stdout)
        self.assertNotIn("to make it", result.stdout[:result.stdout.index("--- a")])


if __name__ == "__main__":
    main()
