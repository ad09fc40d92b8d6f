"""What extract_constant, extract_parameter and inline_variable leave is compiled and run: it prints what it printed."""

from harness import StileTest, main
from parallel import each

PROGRAMS = {
    "c": (
        {"main.c": "#include <stdio.h>\n\nstatic int bill(int tax) {\n  const int more = 5;\n  int sum = tax * 19;\n"
                   "  return sum + more;\n}\n\nint main(void) {\n  printf(\"%d\\n\", bill(2));\n  return 0;\n}\n"},
        ["sh", "-c", "gcc -Wall -Werror -o ../main main.c && ../main"], "main.c", {"rate": 5, "sum": 5, "more": 4}),
    "cpp": (
        {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(bill CXX)\nadd_executable(bill main.cc)\n",
         "main.cc": "#include <iostream>\n\nnamespace shop {\nint bill(int tax) {\n  return tax * 19;\n}\n"
                    "}  // namespace shop\n\nint main() { std::cout << shop::bill(2) << \"\\n\"; }\n"},
        ["sh", "-c", "g++ -Wall -Werror -o ../main main.cc && ../main"], "main.cc", {"rate": 5}),
    "csharp": (
        {"Bill.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType>"
                        "<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>"
                        "</PropertyGroup></Project>\n",
         "Bill.cs": "class Bill\n{\n    static int Total(int tax)\n    {\n        var sum = tax * 19;\n        const int more = 5;\n"
                    "        return sum + more;\n    }\n\n    static void Main()\n    {\n"
                    "        System.Console.WriteLine(Total(2));\n    }\n}\n"},
        ["sh", "-c", "dotnet run -v q --property:NuGetAudit=false 2>&1"], "Bill.cs", {"rate": 5, "more": 6}),
    "go": (
        {"go.mod": "module example.com/bill\n\ngo 1.19\n",
         "main.go": "package main\n\nimport \"fmt\"\n\nfunc bill(tax int) float64 {\n\tmore := 5\n\tsum := tax * 19\n"
                    "\treturn float64(sum) + float64(more/2)\n}\n\nfunc main() {\n\tfmt.Println(bill(2))\n}\n"},
        ["go", "run", "."], "main.go", {"rate": 7, "sum": 7, "more": 6}),
    "java": (
        {"Bill.java": "class Bill {\n    static int total(int tax) {\n        int sum = tax * 19;\n        int more = 5;\n"
                      "        return sum + more;\n    }\n\n    public static void main(String[] arguments) {\n"
                      "        System.out.println(total(2));\n    }\n}\n"},
        ["java", "Bill.java"], "Bill.java", {"rate": 3, "more": 4}),
    "javascript": (
        {"bill.mjs": "export function bill(tax) {\n  const more = 5;\n  const sum = tax * 19;\n  return sum + more;\n}\n\n"
                     "console.log(bill(2));\n"},
        ["node", "bill.mjs"], "bill.mjs", {"rate": 3, "sum": 3, "more": 2}),
    "python": (
        {"bill.py": "import sys\n\n\ndef bill(tax):\n    more = 5\n    sum_ = tax * 19\n    return sum_ + more\n\n\n"
                    "print(bill(2), file=sys.stdout)\n"},
        ["python3", "bill.py"], "bill.py", {"rate": 6, "sum_": 6, "more": 5}),
    "rust": (
        {"Cargo.toml": "[package]\nname = \"bill\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
         "src/main.rs": "fn bill(tax: i32) -> i32 {\n    tax * 19\n}\n\nfn main() {\n    let total = bill(2);\n"
                        "    println!(\"{}\", total);\n}\n"},
        ["sh", "-c", "rustc -o ../main src/main.rs && ../main"], "src/main.rs", {"rate": 2}),
    "typescript": (
        {"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"module\": \"es2022\","
                          " \"types\": [], \"moduleResolution\": \"bundler\"}}\n",
         "bill.ts": "declare const console: { log(text: unknown): void };\n\nexport function bill(tax: number): number {\n"
                    "  const more: number = 5;\n  const sum = tax * 19;\n  return sum + more;\n}\n\nconsole.log(bill(2));\n"},
        ["sh", "-c", "tsc -p . --outDir ../out && cp ../out/bill.js ../out/bill.mjs && node ../out/bill.mjs"], "bill.ts",
        {"rate": 5, "sum": 5, "more": 4}),
}


class ExtractTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    def change(self, operation, name, file, line):
        result = self.stile("refactor", operation, name, "--file", file, "--line", str(line), timeout=600)
        self.assert_exit(result, 0)
        checked = not file.endswith((".py", ".mjs"))
        self.assertIn("It builds as before" if checked else "No compiler has judged it", result.stdout)

    def play(self, language, changes):
        files, command, file, lines = PROGRAMS[language]
        self.write_all(files)
        before = self.printed(command)
        for operation, name in changes:
            self.change(operation, name, file, lines[name])
        self.assertEqual(self.printed(command), before, self.read(file))
        return self.read(file)

    # Not of C#, which takes longest; its goldens show the same.
    @each([language for language in PROGRAMS if language != "csharp"])
    def test_a_literal_becomes_a_constant(self, language):
        self.assertEqual(self.play(language, [("extract_constant", "rate")]).count("rate"), 2)

    @each(list(PROGRAMS))
    def test_a_literal_becomes_a_parameter_and_variables_give_way_to_their_values(self, language):
        lines = PROGRAMS[language][3]
        variables = sorted((name for name in lines if name != "rate"), key=lambda name: -lines[name])
        text = self.play(language, [("extract_parameter", "rate"), *(("inline_variable", name) for name in variables)])
        self.assertEqual(text.count("rate"), 2)
        self.assertNotIn("more", text)

    @each([language for language in PROGRAMS if language != "csharp"])
    def test_a_constant_becomes_its_literal_again(self, language):
        files, command, file, _ = PROGRAMS[language]
        self.play(language, [("extract_constant", "rate")])
        before = self.printed(command)
        self.assert_exit(self.stile("refactor", "inline_constant", "rate", "--file", file, timeout=600), 0)
        self.assertEqual(self.printed(command), before, self.read(file))
        self.assertNotIn("rate", self.read(file))

    def test_a_constant_of_another_package_keeps_its_type(self):
        self.write_all({
            "go.mod": "module example.com/bill\n\ngo 1.19\n",
            "limits/limits.go": "package limits\n\n// Half is not an int.\nconst Half float64 = 1\n",
            "main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/bill/limits\"\n)\n\n"
                       "func main() { fmt.Println(limits.Half / 2) }\n",
        })
        before = self.printed(["go", "run", "."])
        result = self.stile("refactor", "inline_constant", "Half", timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("It builds as before", result.stdout)
        self.assertEqual(self.printed(["go", "run", "."]), before)
        # The import that nothing uses any more goes, too.
        self.assertEqual(self.read("main.go"), "package main\n\nimport (\n\t\"fmt\"\n)\n\n"
                                               "func main() { fmt.Println(float64(1) / 2) }\n")

    def test_a_constant_that_somebody_needs_stays(self):
        files = {"limits.py": "MAX = 5\n\n\ndef reset():\n    global MAX\n    MAX = 6\n",
                 "app.py": "import limits\n\nprint(limits.MAX)\n"}
        self.write_all(files)
        result = self.stile("refactor", "inline_constant", "MAX", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("MAX cannot be inlined: line 6 of limits.py gives it another value", result.stderr)
        self.assertEqual({file: self.read(file) for file in files}, files)

    def test_an_interface_gets_the_types_that_are_not_written(self):
        self.write_all({"tsconfig.json": PROGRAMS["typescript"][0]["tsconfig.json"],
                        "a.ts": "export class Order {\n  lines = [1];\n  total(tax: number) {\n    return tax * 2;\n  }\n}\n"})
        result = self.stile("refactor", "extract_interface", "Order", "Priced", "--file", "a.ts", timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("export interface Priced {\n  lines: number[];\n  total(tax: number): number;\n}\n", self.read("a.ts"))
        self.write("a.py", "class Order:\n    def total(self, tax: int):\n        return tax * 2\n")
        result = self.stile("refactor", "extract_interface", "Order", "Priced", "--file", "a.py", timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("class Priced(Protocol):\n    def total(self, tax: int) -> int:\n        ...\n", self.read("a.py"))

    def test_a_type_that_nothing_tells_is_asked_for(self):
        text = "export class Order {\n  total() {\n    return 2;\n  }\n}\n"
        self.write("a.ts", text)
        result = self.stile("refactor", "extract_interface", "Order", "Priced", "--file", "a.ts",
                            env={"STILE_RESOLVERS": "off"})
        self.assert_exit(result, 2)
        self.assertIn("total returns what no type says", result.stderr)
        self.assertEqual(self.read("a.ts"), text)

    def test_what_could_do_something_else_stays(self):
        text = ("def last(lines, log):\n    first = lines.pop()\n    log(len(lines))\n    return first\n")
        self.write("lines.py", text)
        result = self.stile("refactor", "inline_variable", "first", "--file", "lines.py", "--line", "2")
        self.assert_exit(result, 2)
        self.assertIn("first cannot be inlined: the statement after its declaration does not use it", result.stderr)
        self.assertEqual(self.read("lines.py"), text)

    def test_no_constant_where_modules_import_each_other(self):
        text = "import './b.mjs';\nexport function f() {\n  return 5;\n}\n"
        self.write_all({"a.mjs": text, "b.mjs": "import { f } from './a.mjs';\nconsole.log(f());\n"})
        self.assertEqual(self.printed(["node", "a.mjs"]), "5\n")
        result = self.stile("refactor", "extract_constant", "LIMIT", "--file", "a.mjs", "--line", "3")
        self.assert_exit(result, 2)
        self.assertIn("a function of it may run before the constant has its value", result.stderr)
        self.assertEqual(self.read("a.mjs"), text)

    def test_the_languages_without_it_are_named(self):
        self.write("main.cc", "int main() {\n  int code = 0;\n  return code;\n}\n")
        result = self.stile("refactor", "inline_variable", "code", "--file", "main.cc")
        self.assert_exit(result, 2)
        self.assertIn("inline_variable is not available for C++; edit the file by hand", result.stderr)

    def test_the_file_is_asked_for(self):
        result = self.stile("refactor", "inline_variable", "code")
        self.assert_exit(result, 2)
        self.assertIn("inline_variable needs --file", result.stderr)


if __name__ == "__main__":
    main()
