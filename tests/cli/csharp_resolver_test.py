"""Names of C# resolved by csharp-ls, which reads projects through MSBuild."""

import os
import shutil
import subprocess
import unittest

from harness import StileTest, call, finish, main

PROJECT = ("<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>{framework}</TargetFramework>"
           "{more}</PropertyGroup>{items}</Project>\n")
NODE = ("namespace Core.A;\npublic interface IWeighted {{ int Total(int tax); }}\n"
        "/// <summary>See <see cref=\"{node}.{total}\"/>.</summary>\n"
        "public class {node} : IWeighted\n{{\n    public int Weight {{ get; set; }}\n"
        "    public int {total}(int tax) => Weight + tax;\n"
        "    public override string ToString() => nameof({total});\n}}\n"
        "public record Point(int {x}, int Y);\n"
        "public static class Extensions {{ public static int Twice(this {node} n) => n.Weight * 2; }}\n")
# Another Node with another Total, whose names are all that they share.
OTHER = "namespace Core.B;\npublic class Node { public string Total(int tax) => \"\"; }\n"
USER = ("using Core.A;\nvar node = new {node} {{ Weight = 2 }};\n"
        "System.Console.WriteLine(node.{total}(tax: 3) + new Core.B.Node().Total(1).Length + node.Twice());\n"
        "System.Console.WriteLine(new Point({x}: 1, Y: 2) is {{ {x}: 1 }});\n")
OLD = {"node": "Node", "total": "Total", "x": "X"}


class CSharpResolverTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()
        if shutil.which("csharp-ls", path=self.env["PATH"]) is None:
            raise unittest.SkipTest("csharp-ls is not installed (scripts/setup test)")
        version = self.tool("dotnet", "--version").split(".")[0]
        self.framework = f"net{version}.0"
        self.write("Core/Core.csproj", PROJECT.format(framework=self.framework, more="", items=""))
        self.write("App/App.csproj", PROJECT.format(
            framework=self.framework, more="<OutputType>Exe</OutputType>",
            items="<ItemGroup><ProjectReference Include=\"../Core/Core.csproj\"/></ItemGroup>"))
        self.write("Core/Other.cs", OTHER)
        self.write_code()

    def tool(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=True, env=self.env).stdout

    @staticmethod
    def node_text(names):
        return NODE.format(**names).replace("int Total(", f"int {names['total']}(")

    def write_code(self):
        self.write("Core/Node.cs", self.node_text(OLD))
        self.write("App/Program.cs", USER.format(**OLD))

    def assert_code(self):
        self.assertEqual(self.read("Core/Node.cs"), self.node_text(OLD))
        self.assertEqual(self.read("App/Program.cs"), USER.format(**OLD))

    def test_overrides_of_libraries_stay(self):
        result = self.stile("refactor", "rename", "Node.ToString", "Describe", "--file", "Core/Node.cs", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("C# gives the method name ToString", result.stderr)
        self.assert_code()

    def test_a_file_of_two_projects(self):
        shared = "namespace Shared;\ninternal static class Guard { public static T NotNull<T>(T? value) => value!; }\n"
        use = "System.Console.WriteLine(Shared.Guard.NotNull(\"g\"));\n"
        self.write("Shared/Guard.cs", shared)
        self.write("Core/Uses.cs", "class Uses { string One() => Shared.Guard.NotNull(\"a\"); }\n")
        self.write("App/Program.cs", USER.format(**OLD) + use)
        compiled = "<ItemGroup><Compile Include=\"../Shared/Guard.cs\"/></ItemGroup>"
        for name, more, items in (("Core", "", ""), ("App", "<OutputType>Exe</OutputType>",
                                                     "<ItemGroup><ProjectReference Include=\"../Core/Core.csproj\"/></ItemGroup>")):
            self.write(f"{name}/{name}.csproj", PROJECT.format(framework=self.framework, more=more, items=items + compiled))
        result = self.stile("refactor", "rename", "Guard.NotNull", "Require", timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("Resolved by: csharp-ls", result.stdout)
        self.assertEqual(self.read("Shared/Guard.cs"), shared.replace("NotNull", "Require"))
        self.assertIn("Guard.Require(\"a\")", self.read("Core/Uses.cs"))
        self.assertEqual(self.read("App/Program.cs"), USER.format(**OLD) + use.replace("NotNull", "Require"))

    def test_a_run_renames_and_sees_what_changed(self):
        result = self.run_task(
            call("code.refactor", operation="rename", symbolName="IWeighted.Total", newName="Sum"),
            call("code.navigate", operation="references", symbolName="Core.A.Node.Weight"),
            # A class among others of its name; a property of a record, which is its parameter.
            call("code.refactor", operation="rename", symbolName="Node", filePath="Core/Node.cs", newName="Vertex"),
            call("code.refactor", operation="rename", symbolName="Point.X", newName="Left"),
            call("file.modify", path="App/Program.cs", oldText="node.Twice()", newText="node.Twice() + node.Sum(4)"),
            call("code.refactor", operation="rename", symbolName="IWeighted.Sum", newName="Whole"),
            call("code.validate"), finish(), arguments=("--json", "--yes"), timeout=600)
        self.assert_exit(result, 0)
        seen = [event["observation"] for event in self.events(result) if event["type"] == "tool_finished"]
        for index in (0, 1, 2, 3, 5):
            self.assertIn("Resolved by: csharp-ls 0.", seen[index])
        self.assertIn("Renamed method Core.A.IWeighted.Total (Core/Node.cs:2) to Sum: 5 places in 2 files. It builds "
                      "as before.", seen[0])
        # Not those of its accessors, which csharp-ls lists as well.
        self.assertIn("4 references of property", seen[1])
        self.assertFalse(os.path.exists(self.path("Core/Node.cs")))
        names = {"node": "Vertex", "total": "Whole", "x": "Left"}
        self.assertEqual(self.read("Core/Vertex.cs"), self.node_text(names))
        self.assertEqual(self.read("App/Program.cs"),
                         USER.format(**names).replace("node.Twice()", "node.Twice() + node.Whole(4)"))
        self.assertEqual(self.read("Core/Other.cs"), OTHER)
        # What MSBuild writes beside projects is kept elsewhere.
        self.assertEqual(sorted(os.listdir(self.path("Core"))), ["Core.csproj", "Other.cs", "Vertex.cs"])


if __name__ == "__main__":
    main()
