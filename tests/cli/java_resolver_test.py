"""Names of Java code, resolved by the server that Stile brings: stile refactor and stile navigate with the JDK's compiler."""

import json
import os
import shutil
import subprocess
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
    def write_all(self, files):
        for name, text in files.items():
            self.write(name, text)

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
        expected = dict(files)
        for name, old, new in changes:
            self.assertIn(old, expected[name])
            expected[name] = expected[name].replace(old, new)
        for name, text in expected.items():
            self.assertEqual(self.read(name), text, name)
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


if __name__ == "__main__":
    main()
