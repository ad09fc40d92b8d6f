"""Names of Java code, resolved by the server that Stile brings: stile refactor and stile navigate with the JDK's compiler."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from harness import StileTest, main

SHAPES = {
    "src/geo/Shape.java": "package geo;\n\npublic interface Shape {\n    int area();\n\n    default int twice() { return 2 * area(); }\n}\n",
    "src/geo/Box.java": "package geo;\n\n/** A box with an {@link #area()}, as {@link Shape#area} says.\n * @see Shape#area() */\n"
                        "public class Box implements Shape {\n    @Override\n    public int area() { return area(2); }\n\n"
                        "    public int area(int side) { return side * side; }\n}\n",
    "src/geo/Town.java": "package geo;\n\npublic class Town {\n    public String area() { return \"x\"; }\n}\n",
    "src/app/Main.java": "package app;\n\nimport geo.*;\nimport java.util.function.ToIntFunction;\n\npublic class Main {\n"
                         "    static final ToIntFunction<Shape> SIZE = Shape::area;\n"
                         "    static Shape flat() {\n        return new Shape() {\n            @Override\n"
                         "            public int area() { return 0; }\n        };\n    }\n\n"
                         "    public static void main(String[] arguments) {\n        Shape lambda = () -> 3;\n        int area = 4;\n"
                         "        System.out.println(flat().area() + lambda.area() + new Box().area(area) + new Town().area());\n    }\n}\n",
}


@unittest.skipUnless(shutil.which("javac"), "needs a JDK")
class JavaResolverTest(StileTest):
    def rename(self, *arguments):
        result = self.stile("refactor", "rename", *arguments, "--json", timeout=600)
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertRegex(answer["resolvedBy"], r"^Java \d+")
        return answer

    def check_rename(self, files, arguments, changes):
        """changes: (file, old text, new text, ...)"""
        self.write_all(files)
        answer = self.rename(*arguments)
        self.assert_changed(files, changes)
        return answer

    def check_refused(self, files, arguments, reason):
        self.write_all(files)
        result = self.stile("refactor", "rename", *arguments, timeout=600)
        self.assert_exit(result, 2)
        self.assertIn(reason, result.stderr)
        for name, text in files.items():
            self.assertEqual(self.read(name), text, name)

    def navigate(self, *arguments):
        result = self.stile("navigate", *arguments, "--limit", "100", "--json", timeout=600)
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertRegex(answer["resolvedBy"], r"^Java \d+")
        return answer, [(hit["file"], hit["line"]) for hit in answer["hits"]]

    def test_a_method_with_its_overrides(self):
        answer = self.check_rename(SHAPES, ("Shape.area", "size"), [
            ("src/geo/Shape.java", "int area()", "int size()"), ("src/geo/Shape.java", "* area()", "* size()"),
            ("src/geo/Box.java", "{@link #area()}", "{@link #size()}"), ("src/geo/Box.java", "Shape#area", "Shape#size"),
            ("src/geo/Box.java", "public int area() {", "public int size() {"),
            ("src/app/Main.java", "Shape::area", "Shape::size"),
            ("src/app/Main.java", "public int area()", "public int size()"),
            ("src/app/Main.java", "flat().area() + lambda.area()", "flat().size() + lambda.size()")])
        self.assertTrue(answer["validation"]["judged"])


    def test_an_overload_is_another_method(self):
        self.check_rename(SHAPES, ("area", "square", "--file", "src/geo/Box.java", "--line", "9"), [
            ("src/geo/Box.java", "return area(2)", "return square(2)"),
            ("src/geo/Box.java", "public int area(int", "public int square(int"),
            ("src/app/Main.java", "new Box().area(area)", "new Box().square(area)")])

    def test_references_are_exact(self):
        self.write_all(SHAPES)
        answer, hits = self.navigate("references", "Town.area")
        self.assertEqual(hits, [("src/app/Main.java", 18), ("src/geo/Town.java", 4)])
        self.assertEqual((answer["exact"], answer["total"]), (2, 2))
        answer, hits = self.navigate("callers", "Shape.area")
        self.assertEqual(hits, [("src/app/Main.java", 18), ("src/app/Main.java", 18), ("src/geo/Shape.java", 6)])
        answer, hits = self.navigate("implementations", "Shape")
        self.assertEqual(hits, [("src/geo/Box.java", 5)])

    def test_classes_of_one_name_in_two_packages(self):
        files = {
            "src/a/Item.java": "package a;\n\npublic class Item {\n    public Item() { }\n    public Item(int count) { this(); }\n}\n",
            "src/b/Item.java": "package b;\n\npublic class Item {\n    public static Item one() { return new Item(); }\n}\n",
            "src/b/User.java": "package b;\n\n/** Not {@link Item}, but {@link a.Item#Item(int)}. */\nclass User {\n"
                               "    a.Item first = new a.Item(1) { };\n    Item second = Item.one();\n}\n",
        }
        self.write_all(files)
        self.rename("Item", "Entry", "--file", "src/a/Item.java")
        self.assertEqual(self.read("src/a/Entry.java"), files["src/a/Item.java"].replace("Item", "Entry"))
        self.assertFalse(os.path.exists(self.path("src/a/Item.java")))
        self.assertEqual(self.read("src/b/Item.java"), files["src/b/Item.java"])
        self.assertEqual(self.read("src/b/User.java"), files["src/b/User.java"].replace("a.Item", "a.Entry").replace("#Item", "#Entry"))

    def test_a_component_of_a_record_is_one_symbol(self):
        text = ("record Point(int x, int y) {\n    Point {\n        if (x < 0) throw new IllegalArgumentException(\"x\");\n    }\n"
                "    Point(int x) { this(x, 0); }\n    int sum() { return this.x + y + x(); }\n"
                "    static int of(Point p) { int x = p.x(); return x + new Point(1).x(); }\n}\n")
        self.check_rename({"Point.java": text}, ("x", "left", "--file", "Point.java", "--line", "1"), [
            ("Point.java", "(int x, int y)", "(int left, int y)"), ("Point.java", "if (x < 0)", "if (left < 0)"),
            ("Point.java", "this.x + y + x()", "this.left + y + left()"), ("Point.java", "p.x()", "p.left()"),
            ("Point.java", "new Point(1).x()", "new Point(1).left()")])

    def test_what_a_static_import_brings_beside_it_stays(self):
        files = {
            "src/p/Util.java": "package p;\n\npublic class Util {\n    public static int twice(int a) { return 2 * a; }\n"
                               "    public static String twice(String a) { return a + a; }\n}\n",
            "src/q/User.java": "package q;\n\nimport static p.Util.twice;\n\nclass User {\n    int a = twice(1);\n    String b = twice(\"x\");\n}\n",
        }
        self.check_rename(files, ("twice", "dbl", "--file", "src/p/Util.java", "--line", "4"), [
            ("src/p/Util.java", "int twice", "int dbl"), ("src/q/User.java", "twice(1)", "dbl(1)"),
            ("src/q/User.java", "import static p.Util.twice;", "import static p.Util.dbl;\nimport static p.Util.twice;")])
        # Both at once.
        self.check_rename(files, ("Util.twice", "dbl"), [("src/p/Util.java", "twice", "dbl"), ("src/q/User.java", "twice", "dbl")])

    def test_an_override_of_a_library_is_refused(self):
        files = {
            "src/Task.java": "public class Task implements Runnable {\n    public void run() { }\n    @Override\n"
                             "    public String toString() { return \"\"; }\n    void go() { run(); }\n}\n",
            "src/Late.java": "class Late extends Task {\n    @Override\n    public void run() { super.run(); }\n}\n",
        }
        self.check_refused(files, ("Late.run", "start"), "overrides or implements java.lang.Runnable.run, which a library declares")
        self.check_refused(files, ("Task.toString", "text"), "Java gives the method name toString a meaning of its own")
        self.check_rename(files, ("Task.go", "start"), [("src/Task.java", "void go()", "void start()")])

    def test_what_is_not_found_is_named(self):
        files = {
            "src/A.java": "public class A {\n    public void run() { }\n}\n",
            "src/B.java": "import org.missing.Thing;\n\nclass B {\n    void all(Thing thing, A a) { thing.run(); a.run(); }\n}\n",
            "src/Broken.java": "class Broken {\n    void broken( { new A().run(); }\n}\n",
        }
        self.write_all(files)
        result = self.stile("navigate", "references", "A.run", timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("src/A.java:2", result.stdout)
        self.assertNotIn("thing.run(); a.run(); }\nsrc/B.java", result.stdout)
        self.assertIn("src/Broken.java has an error of syntax in line 2", result.stdout)
        self.assertIn("1 place that holds the name cannot be resolved: src/B.java:4, cannot find symbol, class Thing", result.stdout)
        _, hits = self.navigate("references", "A.run")
        self.assertEqual([hit for hit in hits if hit[0] != "src/Broken.java"], [("src/A.java", 2), ("src/B.java", 4)])

    def test_programs_of_their_own_in_one_workspace(self):
        files = {
            "one/Main.java": "public class Main {\n    static int go() { return Shared.value(); }\n"
                             "    public static void main(String[] arguments) { go(); }\n}\n",
            "two/Main.java": "public class Main {\n    static int go() { return 2; }\n"
                             "    public static void main(String[] arguments) { go(); }\n}\n",
            "shared/Shared.java": "public class Shared {\n    public static int value() { return 1; }\n}\n",
        }
        self.check_rename(files, ("go", "begin", "--file", "two/Main.java", "--line", "2"), [("two/Main.java", "go()", "begin()")])
        self.write_all(files)
        _, hits = self.navigate("references", "Shared.value")
        self.assertEqual(hits, [("one/Main.java", 2), ("shared/Shared.java", 2)])

    def test_a_module_names_its_services(self):
        files = {
            "src/module-info.java": "module m {\n    uses p.Service;\n    provides p.Service with p.Real;\n}\n",
            "src/p/Service.java": "package p;\n\npublic interface Service { }\n",
            "src/p/Real.java": "package p;\n\npublic class Real implements Service { }\n",
        }
        self.write_all(files)
        self.rename("Real", "Best")
        self.assertEqual(self.read("src/module-info.java"), files["src/module-info.java"].replace("Real", "Best"))
        self.assertEqual(self.read("src/p/Best.java"), files["src/p/Real.java"].replace("Real", "Best"))

    def test_libraries_of_a_build_are_found(self):
        # A library that only the repository of Maven has, and its parent's version.
        home = os.path.join(self.root, "home")
        jar = os.path.join(home, ".m2/repository/org/lib/lib/1.2/lib-1.2.jar")
        os.makedirs(os.path.dirname(jar))
        made = os.path.join(self.root, "made")
        os.makedirs(os.path.join(made, "org/lib"))
        with open(os.path.join(made, "org/lib/Job.java"), "w", encoding="utf-8") as file:
            file.write("package org.lib;\npublic interface Job { void run(); }\n")
        subprocess.run(["javac", "org/lib/Job.java"], cwd=made, check=True)
        subprocess.run(["jar", "cf", jar, "org/lib/Job.class"], cwd=made, check=True)
        files = {
            "pom.xml": "<project><groupId>g</groupId><artifactId>top</artifactId><version>1</version><packaging>pom</packaging>"
                       "<properties><lib>1.2</lib></properties><dependencyManagement><dependencies><dependency><groupId>org.lib</groupId>"
                       "<artifactId>lib</artifactId><version>${lib}</version></dependency></dependencies></dependencyManagement></project>\n",
            "core/pom.xml": "<project><parent><groupId>g</groupId><artifactId>top</artifactId><version>1</version></parent>"
                            "<artifactId>core</artifactId><dependencies><dependency><groupId>org.lib</groupId><artifactId>lib</artifactId>"
                            "</dependency></dependencies></project>\n",
            "core/src/main/java/c/Mine.java": "package c;\n\npublic class Mine implements org.lib.Job {\n    public void run() { }\n}\n",
        }
        self.write_all(files)
        result = self.stile("refactor", "rename", "Mine.run", "start", env={"HOME": home}, timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("implements org.lib.Job.run, which a library declares", result.stderr)

    def test_the_server_is_compiled_once(self):
        self.write_all(SHAPES)
        self.navigate("references", "Town.area")
        state = self.env["STILE_HOME"] if "STILE_HOME" in self.env else self.root
        found = [os.path.join(folder, "JavaServer.class") for folder, _, files in os.walk(state) if "JavaServer.class" in files]
        self.assertEqual(len(found), 1, found)
        before = os.stat(found[0]).st_mtime_ns
        self.navigate("references", "Town.area")
        self.assertEqual(os.stat(found[0]).st_mtime_ns, before)

    def test_doctor_lists_it(self):
        programs = json.loads(self.stile("doctor", "--json").stdout)["resolvers"]["programs"]
        java = [program for program in programs if program["name"] == "Java"][0]
        self.assertEqual(java["languages"], ["java"])
        self.assertTrue(java["program"].endswith("/javac"), java)


@unittest.skipUnless(shutil.which("javac"), "needs a JDK")
class JavaServerTest(StileTest):
    """The server by itself: what it offers beyond what stile asks."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/resolve/java_server")
        cls.classes = tempfile.TemporaryDirectory()
        files = [os.path.join(sources, name) for name in sorted(os.listdir(sources))]
        # Warnings of the compiler are errors here; the server has to run on JDK 11.
        subprocess.run(["javac", "-Xlint:all,-options", "-Werror", "--release", "11", "-d", cls.classes.name, *files], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.classes.cleanup()
        super().tearDownClass()

    def begin(self, files, listed=None):
        for name, text in files.items():
            self.write(name, text)
        self.server = subprocess.Popen(["java", "-XX:TieredStopAtLevel=1", "-Xmx300m", "-cp", self.classes.name, "JavaServer"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end)
        self.calls = 0
        self.partial = []
        answer = self.call("initialize", {"rootUri": "file://" + self.workspace,
                                          "initializationOptions": {"files": listed or list(files)}})
        self.assertEqual(answer["result"]["serverInfo"]["name"], "Java")

    def end(self):
        self.server.kill()
        self.server.wait()
        self.server.stdin.close()
        self.server.stdout.close()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def call(self, method, params):
        self.calls += 1
        self.send({"id": self.calls, "method": method, "params": params})
        while True:
            length = 0
            while header := self.server.stdout.readline().strip():
                length = int(header.split(b":")[1])
            self.assertGreater(length, 0, "the server ended")
            message = json.loads(self.server.stdout.read(length))
            if message.get("method") == "stile/partial":
                self.partial.append(message["params"]["reason"])
            if message.get("id") == self.calls:
                return message

    def place(self, name, text, word):
        source = self.read(name)
        offset = source.index(text) + text.index(word)
        line = source.count("\n", 0, offset)
        column = len(source[source.rfind("\n", 0, offset) + 1:offset].encode("utf-16-le")) // 2
        return {"textDocument": {"uri": "file://" + self.path(name)}, "position": {"line": line, "character": column}}

    def lines(self, answer):
        self.assertIn("result", answer, answer)
        return sorted((place["uri"][len("file://" + self.workspace) + 1:], place["range"]["start"]["line"] + 1) for place in answer["result"])

    def references(self, *place):
        return self.lines(self.call("textDocument/references", {**self.place(*place), "context": {"includeDeclaration": True}}))

    def test_hover(self):
        self.begin(SHAPES)
        hover = self.call("textDocument/hover", self.place("src/geo/Box.java", "class Box", "Box"))["result"]["contents"]["value"]
        self.assertIn("public class geo.Box implements Shape", hover)
        self.assertIn("A box with an `#area()`", hover)

    def test_answers_follow_the_files(self):
        self.begin({"A.java": "class A { static void go() { } }\n"})
        place = ("A.java", "void go", "go")
        self.assertEqual(self.references(*place), [("A.java", 1)])
        self.write("B.java", "class B { void all() { A.go(); } }\n")
        watched = {"uri": "file://" + self.path("B.java")}
        self.send({"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{**watched, "type": 1}]}})
        self.assertEqual(self.references(*place), [("A.java", 1), ("B.java", 1)])
        self.write("B.java", "class B {\n\n    void all() { A.go(); } }\n")
        self.send({"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{**watched, "type": 2}]}})
        self.assertEqual(self.references(*place), [("A.java", 1), ("B.java", 3)])
        document = {"uri": "file://" + self.path("B.java"), "languageId": "java", "version": 1, "text": "class B { }\n"}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        self.assertEqual(self.references(*place), [("A.java", 1)])
        self.send({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": document["uri"], "version": 2}, "contentChanges": [{"text": "class B { { A.go(); } }\n"}]}})
        self.assertEqual(self.references(*place), [("A.java", 1), ("B.java", 1)])
        self.send({"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{**watched, "type": 3}]}})
        self.assertEqual(self.references(*place), [("A.java", 1)])

    def test_constructors(self):
        self.begin({"A.java": "class A<T> {\n    A() {\n        this(null);\n    }\n    A(T t) { }\n}\n"
                              "class B extends A<String> {\n    B() {\n        super(\"\");\n    }\n"
                              "    A<String> a = new A<>(\"x\");\n    A<String> b = new A<>();\n"
                              "    A<String> c = new A<String>(\"y\") { };\n    java.util.function.Function<String, A<String>> f = A::new;\n}\n"
                              "enum E {\n    ONE(1), TWO;\n    E() { }\n    E(int i) { }\n}\n"})
        lines = [line for _, line in self.references("A.java", "A(T t)", "A")]
        self.assertEqual(lines, [3, 5, 9, 11, 13, 14])
        self.assertEqual([line for _, line in self.references("A.java", "E(int i)", "E")], [17, 19])

    def test_what_calls_a_library_is_no_reference_to_its_override(self):
        self.begin({"A.java": "class A {\n    public String toString() { return super.toString(); }\n"
                              "    static String of(Object o, A a) {\n        return o.toString() +\n            a.toString();\n    }\n}\n"})
        self.assertEqual([line for _, line in self.references("A.java", "String toString", "toString")], [2, 5])

    def test_places_that_trees_tell_badly(self):
        # Declarators after the first, brackets behind names, labels, characters of two units.
        self.begin({"A.java": "class A {\n    int a = 1, b = a, c[] = { b };\n    int sum()[] { return c; }\n"
                              "    void go(int a) {\n        b:\n        for (int i = a, b = i; ; ) break b;\n    }\n"
                              "    String s = \"\U0001F600 b\" + b;\n    /** \U0001F600 {@link #b} */ int d;\n}\n"})
        self.assertEqual([line for _, line in self.references("A.java", "b = a", "b")], [2, 2, 8, 9])
        self.assertEqual([line for _, line in self.references("A.java", "c[]", "c")], [2, 3])
        answer = self.call("textDocument/references", {**self.place("A.java", "b = a", "b"), "context": {"includeDeclaration": True}})
        source = self.read("A.java").splitlines()
        for found in answer["result"]:
            line = source[found["range"]["start"]["line"]].encode("utf-16-le")
            self.assertEqual(line[2 * found["range"]["start"]["character"]:2 * found["range"]["end"]["character"]].decode("utf-16-le"), "b")

    def test_hostile_files_do_not_lose_the_others(self):
        self.begin({
            "A.java": "class A { static void go() { } void all() { go(); } }\n",
            "Deep.java": "class Deep { int go = " + "(" * 30000 + "1" + ")" * 30000 + "; }\n",
            "Long.java": "class Long1 { String go = " + " + ".join(["\"x\""] * 3000) + "; }\n",
            "Empty.java": "", "Bytes.java": "class Bytes { \u0000 go \u0000 }\n", "Cycle.java": "class Cycle extends Cycle { void go() { } }\n",
        })
        self.assertEqual(self.references("A.java", "void go", "go"), [("A.java", 1), ("A.java", 1)])
        self.assertIn("Bytes.java has an error of syntax", self.partial[-1])

    def test_a_name_that_is_taken_is_refused(self):
        self.begin({"A.java": "class A {\n    int kept;\n    int used(int kept) { return kept + this.kept; }\n    int twin() { return 1; }\n"
                              "    int get() { int local = 1; return local + kept; }\n    int take(int kept) { return field; }\n    int field;\n}\n"
                              "class B extends A {\n    int other() { return 2; }\n    int twin(int a) { return 3; }\n}\n"})

        def refusal(text, word, name):
            return self.call("textDocument/rename", {**self.place("A.java", text, word), "newName": name}).get("error", {}).get("message", "")

        self.assertEqual(refusal("int other", "other", "twin"), "A declares twin already (A.java:4)")
        self.assertEqual(refusal("int twin()", "twin", "other"), "B declares other already (A.java:10)")
        self.assertEqual(refusal("int twin(int a)", "twin", "other"), "")
        self.assertEqual(refusal("int local", "local", "kept"), "kept means the field A.kept in line 5, and would mean the renamed variable")
        self.assertEqual(refusal("int local", "local", "other"), "")
        self.assertEqual(refusal("int field", "field", "kept"), "A declares kept already (A.java:2)")
        self.assertEqual(refusal("int kept;", "kept", "local"), "in line 5 of A.java, local means a local variable")

    def test_what_it_does_not_know_is_an_error(self):
        self.begin({"A.java": "class A { int a; }\n"})
        self.assertEqual(self.call("textDocument/foldingRange", {})["error"]["code"], -32601)
        self.assertIn("error", self.call("textDocument/rename", {**self.place("A.java", "int a", "a"), "newName": "class"}))
        self.assertEqual(self.references("A.java", "int a", "int"), [])
        self.assertIsNone(self.call("shutdown", None)["result"])
        self.send({"method": "exit"})
        self.assertEqual(self.server.wait(timeout=20), 0)


if __name__ == "__main__":
    main()
