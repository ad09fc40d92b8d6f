"""Calls give way to the expression of their function: the program prints what it printed."""

from harness import StileTest, main
from parallel import each

# files, the command that runs the program, the functions that give way, those that stay with the reason
PROGRAMS = {
    "c": (
        {"util.h": "static inline int twice(int x) { return x * 2; }\nint add(int a, int b);\n",
         "util.c": "#include \"util.h\"\n\nint add(int a, int b) {\n  return a + b;\n}\n",
         "main.c": "#include <stdio.h>\n\n#include \"util.h\"\n\nstatic int n;\nstatic double half(double x) { return x / 2; }\n"
                   "static void put(int x) { printf(\"%d\\n\", x); }\nstatic int get(void) { return n; }\n"
                   "static int bump(void) { return ++n; }\n\nint main(void) {\n  int i = 1;\n"
                   "  put(twice(i + 1) - 3 * add(i, 2));\n  printf(\"%f\\n\", half(3));\n  put(get() + 2 * bump());\n  return 0;\n}\n",
         "Makefile": "bill: main.c util.c util.h\n\t$(CC) -Wall -Werror -o bill main.c util.c\n"},
        ["sh", "-c", "gcc -Wall -Werror -o ../main main.c util.c && ../main"], ["twice", "add", "put"], {"half": "declared as double", "get": "stands beside another call", "bump": "changes a variable"}),
    "csharp": (
        {"Bill.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType>"
                        "<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>"
                        "</PropertyGroup></Project>\n",
         "Bill.cs": "struct Count\n{\n    public int N;\n\n    public int Inc() => ++N;\n}\n\nclass Bill\n{\n    private readonly int n = 3;\n\n    private int Times(int k) => n * k;\n\n"
                    "    private int Total()\n    {\n        return Times(2) + this.Times(k: 5);\n    }\n\n"
                    "    private static int Bump(Count c)\n    {\n        return c.Inc();\n    }\n\n    static void Main()\n    {\n"
                    "        var c = new Count();\n        System.Console.WriteLine(Bump(c) + c.N + new Bill().Total());\n    }\n}\n"},
        ["sh", "-c", "dotnet run -v q --property:NuGetAudit=false 2>&1"], ["Times"], {"Total": "reads it from an expression that may have effects", "Bump": "is a copy that may change"}),
    "go": (
        {"go.mod": "module example.com/bill\n\ngo 1.19\n",
         "area/area.go": "package area\n\nimport \"math\"\n\n// Half is a half.\nfunc Half(x float64) float64 {\n"
                         "\treturn x / 2\n}\n\nfunc Ring(a, b float64) float64 { return math.Pi * (a*a - b*b) }\n",
         "main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/bill/area\"\n)\n\nfunc three() int { return 3 }\n\n"
                    "func isNil(v any) bool { return v == nil }\n\nfunc main() {\n\tvar none *int\n"
                    "\tfmt.Println(isNil(none), three()/2.0, area.Half(3), area.Ring(2, 1))\n}\n"},
        ["go", "run", "."], ["three", "isNil", "Half"], {"Ring": "does not import in the same way"}),
    "java": (
        {"Bill.java": "class Bill {\n    private int n = 3;\n\n    static int twice(int x) {\n        return x * 2;\n    }\n\n"
                      "    static double half(double x) {\n        return x / 2;\n    }\n\n    private int times(int k) {\n"
                      "        return n * k;\n    }\n\n    private int next() {\n        return n++;\n    }\n\n"
                      "    int total() {\n        return times(2) - this.times(5 + twice(n)) + next();\n    }\n\n"
                      "    public static void main(String[] arguments) {\n"
                      "        System.out.println(new Bill().total() + half(3));\n    }\n}\n"},
        ["java", "Bill.java"], ["twice", "times"], {"half": "declared as double", "next": "changes a variable", "total": "neither private nor static"}),
    "javascript": (
        {"shop.mjs": "export function wrap(n) {\n  return { n, more: n > 1 };\n}\n\nexport const inc = (n) => n + 1;\n\n"
                     "export function first(a, b) {\n  return b - a;\n}\n",
         "bill.mjs": "import { wrap, inc, first } from './shop.mjs';\n\nlet i = 0;\nconst next = () => ++i;\n"
                     "console.log([1, 2].map((v) => wrap(v)), inc(next()) * 2, first(next(), next()));\n"},
        ["node", "bill.mjs"], ["wrap", "inc"], {"first": "evaluated at another time", "next": "changes a variable"}),
    "python": (
        {"shop.py": "import math\n\n\ndef area(r):\n    \"\"\"The area.\"\"\"\n    return math.pi * r * r\n\n\n"
                    "def plus(a, b=1):\n    return a + b\n\n\ndef size(x):\n    return x + len(str(x))\n\n\n"
                    "class Cart:\n    def __init__(self):\n        self.n = 3\n\n    def _double(self, k):\n"
                    "        return self.n * k\n\n    def total(self):\n        return self._double(2) - self._double(k=1 + 4)\n",
         "bill.py": "import math\n\nfrom shop import Cart, area, plus, size\n\nx = 4\nprint(area(x), area(3) / 2)\n"
                    "print(plus(2) * 3, plus(x, b=5), Cart().total(), math.pi)\n\n\ndef go(q):\n    len = lambda s: 0\n"
                    "    return size(q) * len(q)\n\n\nprint(go(7) + 1)\n"},
        ["python3", "bill.py"], ["area", "plus", "_double"], {"size": "which line 11 of bill.py declares"}),
    "typescript": (
        {"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"module\": \"commonjs\","
                          " \"types\": []}}\n",
         "shop.ts": "export const RATE = 2;\nexport function twice(n: number): number {\n  return n * 2;\n}\n"
                    "export function rated(n: number): number {\n  return n * RATE;\n}\n"
                    "export class Cart {\n  private n = 3;\n  private double(k: number): number {\n    return this.n * k;\n  }\n"
                    "  static half(k: number): number {\n    return k / 2;\n  }\n  total(): number {\n"
                    "    return this.double(2) + Cart.half(8 - 3);\n  }\n}\n",
         "bill.ts": "import { twice, rated, Cart } from './shop';\ndeclare const console: { log(...text: unknown[]): void };\n"
                    "let i = 0;\nconst next = () => ++i;\nconsole.log(twice(4) - 1, twice(next()), rated(i), new Cart().total());\n"},
        ["sh", "-c", "tsc -p . --outDir ../out && node ../out/bill.js"], ["twice", "double", "half"], {"rated": "uses RATE, which is not declared there", "next": "changes a variable"}),
}


class InlineFunctionTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    @each(list(PROGRAMS))
    def test_calls_become_the_expression(self, language):
        files, command, gone, stays = PROGRAMS[language]
        self.write_all(files)
        before = self.printed(command)
        for name in gone:
            result = self.stile("refactor", "inline_function", name, timeout=600)
            self.assert_exit(result, 0)
            checked = language not in ("python", "javascript")
            self.assertIn("It builds as before" if checked else "No compiler has judged it", result.stdout)
            self.assertEqual(self.printed(command), before, result.stdout)
        texts = {file: self.read(file) for file in files}
        for name in gone:
            self.assertFalse([file for file, text in texts.items() if f"{name}(" in text], texts)
        for name, reason in stays.items():
            result = self.stile("refactor", "inline_function", name, timeout=600)
            self.assert_exit(result, 2)
            self.assertIn(f"{name} cannot be inlined: ", result.stderr)
            self.assertIn(reason, result.stderr)
        self.assertEqual({file: self.read(file) for file in files}, texts)

    def test_a_function_that_is_a_value_somewhere_stays(self):
        files = {"shop.py": "def twice(n):\n    return n * 2\n",
                 "app.py": "from shop import twice\n\nprint(twice(2), list(map(twice, [1])))\n"}
        self.write_all(files)
        result = self.stile("refactor", "inline_function", "twice", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("twice cannot be inlined: line 3 of app.py uses it and does not call it", result.stderr)
        self.assertEqual({file: self.read(file) for file in files}, files)

    def test_what_stands_around_a_function_stays(self):
        head = "#!/usr/bin/env python3\n# coding: utf-8\n"
        self.write("app.py", head + "def less(x, y):\n    return x < y\n\n\ndef one(a):\n    return a,\n\n\n"
                   "class Cart:\n    def _double(self, k=2):\n        return self.n * k\n\n    n = 3\n    total = _double(type(\"C\", (), {\"n\": 4}))\n\n\n"
                   "if one(1):\n    def only():\n        return 1\na = b = 1\nprint(less((a) +\n           b, 4), one(3), Cart.total)\n")
        before = self.printed(["python3", "app.py"])
        self.assert_exit(self.stile("refactor", "inline_function", "less", timeout=600), 0)
        self.assertEqual(self.printed(["python3", "app.py"]), before, self.read("app.py"))
        self.assertTrue(self.read("app.py").startswith(head), self.read("app.py"))
        for name, reason in (("one", "its result is a list of values"), ("_double", "calls it without an object")):
            result = self.stile("refactor", "inline_function", name, timeout=600)
            self.assert_exit(result, 2)
            self.assertIn(reason, result.stderr)
        for name in ("only", "Box.gone"):
            self.write("box.py", "class Box:\n    n = 1\n    if n:\n        def gone(self):\n            return 1\n")
            result = self.stile("refactor", "safe_delete", name, timeout=600)
            self.assert_exit(result, 2)
            self.assertIn("is the only statement of its block or condition", result.stderr)

    def test_languages_without_it_say_so(self):
        self.write("main.rs", "fn twice(n: i32) -> i32 {\n    n * 2\n}\n\nfn main() {\n    println!(\"{}\", twice(2));\n}\n")
        result = self.stile("refactor", "inline_function", "twice", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("inline_function is not available for Rust; edit the file by hand", result.stderr)


if __name__ == "__main__":
    main()
