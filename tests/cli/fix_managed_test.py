"""Everyday errors of C# and Java, each mended by stile refactor apply_fix."""

import subprocess

from fix_case import FixCase
from harness import main

CS_PROJECT = ("<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>{}</TargetFramework>"
              "<ImplicitUsings>disable</ImplicitUsings></PropertyGroup></Project>\n")


class FixManagedTest(FixCase):
    # C#

    def cs(self, use):
        self.need("csharp-ls")
        version = subprocess.run(["dotnet", "--version"], capture_output=True, text=True, check=True, env=self.env).stdout.split(".")[0]
        self.write_all({"p.csproj": CS_PROJECT.format(f"net{version}.0"), "Use.cs": use, "Shape.cs": (
            "namespace Shapes;\npublic interface IShape { double Area(); IShape Scale(double by); }\n"
            "public enum Kind { A, B }\npublic class Square { public double Size = 1; }\n")})

    def test_csharp(self):
        self.cs("using System.IO;\nusing Shapes;\npublic class Round : IShape { }\npublic class Use {\n"
                "    public object F(Square s) {\n        s.Sise = 2;\n        var list = new List<int>();\n"
                "        return list;\n    }\n}\n")
        # The compiler looks into bodies once all declarations are right.
        said = self.fix("Use.cs", "--line", "3")
        self.assertIn("public IShape Scale(double by)", self.read("Use.cs"))
        self.assertIn("Errors that the compiler did not come to before:\nUse.cs:", said)
        self.assert_mends("Use.cs", "s.Sise", "s.Size = 2;", by="csharp-ls")
        self.assert_mends("Use.cs", "new List", "using System.Collections.Generic;\n")
        self.fix("Use.cs", operation="organize_imports")
        self.assertNotIn("System.IO", self.read("Use.cs"))
        self.assertIn("using Shapes;\n", self.read("Use.cs"))

    # Java: the server that Stile brings.

    def java(self, use):
        self.need("javac")
        self.write_all({"src/main/java/shapes/Shape.java": (
            "package shapes;\n\npublic interface Shape {\n    double area();\n    Shape scale(double by);\n}\n"),
                        "src/main/java/app/Kind.java": "package app;\n\nenum Kind {\n    A, B\n}\n",
                        "src/main/java/app/Use.java": use})
        return "src/main/java/app/Use.java"

    def test_java(self):
        file = self.java("package app;\n\nimport java.io.File;\n\nclass Use {\n    int size = 1;\n\n"
                         "    double f(Shape shape, Kind kind) {\n        List<Integer> list = new ArrayList<>();\n"
                         "        list.add(this.sise);\n        return shape.area() + list.size();\n    }\n}\n")
        said = self.fix(file, "--line", "8")
        self.assertIn("import shapes.Shape;\n", self.read(file), said)
        self.fix(file, "--line", str(self.line_of(file, "List<Integer>")), "--fix", "Import java.util.List")
        self.fix(file, "--line", str(self.line_of(file, "ArrayList")))
        self.assertIn("import java.util.ArrayList;\n", self.read(file))
        self.assertIn("import java.util.List;\n", self.read(file))
        self.assert_mends(file, "this.sise", "list.add(this.size);", by="Java")
        self.fix(file, operation="organize_imports")
        self.assertNotIn("java.io.File", self.read(file))

    def test_java_members_and_cases(self):
        file = self.java("package app;\n\nimport shapes.Shape;\n\nclass Use implements Shape {\n"
                         "    int f(Kind kind) {\n        return switch (kind) {\n            case A -> 1;\n"
                         "        };\n    }\n\n    void g() {\n        Thread.sleep(1);\n    }\n}\n")
        self.fix(file, "--line", "5")
        self.assertIn("public Shape scale(double by) {", self.read(file))
        for at, expected in (("switch (kind)", "case B ->"), ("Thread.sleep", "void g() throws InterruptedException {")):
            self.fix(file, "--line", str(self.line_of(file, at)))
            self.assertIn(expected, self.read(file))


if __name__ == "__main__":
    main()
