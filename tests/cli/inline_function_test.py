"""Calls give way to the expression of their function: the program prints what it printed."""

from harness import StileTest, main
from parallel import each

# files, the command that runs the program, the functions that give way, those that stay
PROGRAMS = {
    "c": (
        {"util.h": "static inline int twice(int x) { return x * 2; }\nint add(int a, int b);\n",
         "util.c": "#include \"util.h\"\n\nint add(int a, int b) {\n  return a + b;\n}\n",
         "main.c": "#include <stdio.h>\n\n#include \"util.h\"\n\nstatic int n;\nstatic double half(double x) { return x / 2; }\n"
                   "static void put(int x) { printf(\"%d\\n\", x); }\nstatic int get(void) { return n; }\n"
                   "static int bump(void) { return ++n; }\n\nint main(void) {\n  int i = 1;\n"
                   "  put(twice(i + 1) - 3 * add(i, 2));\n  printf(\"%f\\n\", half(3));\n  put(get() + 2 * bump());\n  return 0;\n}\n",
         "Makefile": "bill: main.c util.c util.h\n\t$(CC) -Wall -Werror -o bill main.c util.c\n"},
        ["sh", "-c", "gcc -Wall -Werror -o ../main main.c util.c && ../main"], ["twice", "add", "put"], ["half", "get", "bump"]),
    "csharp": (
        {"Bill.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType>"
                        "<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>"
                        "</PropertyGroup></Project>\n",
         "Bill.cs": "struct Count\n{\n    public int N;\n\n    public int Inc() => ++N;\n}\n\nclass Bill\n{\n    private readonly int n = 3;\n\n    private int Times(int k) => n * k;\n\n"
                    "    private int Total()\n    {\n        return Times(2) + this.Times(k: 5);\n    }\n\n"
                    "    private static int Bump(Count c) => c.Inc();\n\n    static void Main()\n    {\n"
                    "        var c = new Count();\n        System.Console.WriteLine(Bump(c) + c.N + new Bill().Total());\n    }\n}\n"},
        ["sh", "-c", "dotnet run -v q --property:NuGetAudit=false 2>&1"], ["Times"], ["Total", "Bump"]),
    "go": (
        {"go.mod": "module example.com/bill\n\ngo 1.19\n",
         "area/area.go": "package area\n\nimport \"math\"\n\n// Half is a half.\nfunc Half(x float64) float64 {\n"
                         "\treturn x / 2\n}\n\nfunc Ring(a, b float64) float64 { return math.Pi * (a*a - b*b) }\n",
         "main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/bill/area\"\n)\n\nfunc three() int { return 3 }\n\n"
                    "func isNil(v any) bool { return v == nil }\n\nfunc main() {\n\tvar none *int\n"
                    "\tfmt.Println(isNil(none), three()/2.0, area.Half(3), area.Ring(2, 1))\n}\n"},
        ["go", "run", "."], ["three", "isNil", "Half"], ["Ring"]),
    "java": (
        {"Bill.java": "class Bill {\n    private int n = 3;\n\n    static int twice(int x) {\n        return x * 2;\n    }\n\n"
                      "    static double half(double x) {\n        return x / 2;\n    }\n\n    private int times(int k) {\n"
                      "        return n * k;\n    }\n\n    private int next() {\n        return n++;\n    }\n\n"
                      "    int total() {\n        return times(2) - this.times(5 + twice(n)) + next();\n    }\n\n"
                      "    public static void main(String[] arguments) {\n"
                      "        System.out.println(new Bill().total() + half(3));\n    }\n}\n"},
        ["java", "Bill.java"], ["twice", "times"], ["half", "next", "total"]),
    "javascript": (
        {"shop.mjs": "export function wrap(n) {\n  return { n, more: n > 1 };\n}\n\nexport const inc = (n) => n + 1;\n\n"
                     "export function first(a, b) {\n  return b - a;\n}\n",
         "bill.mjs": "import { wrap, inc, first } from './shop.mjs';\n\nlet i = 0;\nconst next = () => ++i;\n"
                     "console.log([1, 2].map((v) => wrap(v)), inc(next()) * 2, first(next(), next()));\n"},
        ["node", "bill.mjs"], ["wrap", "inc"], ["first", "next"]),
    "python": (
        {"shop.py": "import math\n\n\ndef area(r):\n    \"\"\"The area.\"\"\"\n    return math.pi * r * r\n\n\n"
                    "def plus(a, b=1):\n    return a + b\n\n\ndef size(x):\n    return x + len(str(x))\n\n\n"
                    "class Cart:\n    def __init__(self):\n        self.n = 3\n\n    def _double(self, k):\n"
                    "        return self.n * k\n\n    def total(self):\n        return self._double(2) - self._double(k=1 + 4)\n",
         "bill.py": "import math\n\nfrom shop import Cart, area, plus, size\n\nx = 4\nprint(area(x), area(3) / 2)\n"
                    "print(plus(2) * 3, plus(x, b=5), Cart().total(), math.pi)\n\n\ndef go(q):\n    len = lambda s: 0\n"
                    "    return size(q) * len(q)\n\n\nprint(go(7) + 1)\n"},
        ["python3", "bill.py"], ["area", "plus", "_double"], ["size"]),
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
        ["sh", "-c", "tsc -p . --outDir ../out && node ../out/bill.js"], ["twice", "double", "half"], ["rated", "next"]),
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
        for name in stays:
            result = self.stile("refactor", "inline_function", name, timeout=600)
            self.assert_exit(result, 2)
            self.assertIn(f"{name} cannot be inlined: ", result.stderr)
        self.assertEqual({file: self.read(file) for file in files}, texts)

    def test_a_function_that_is_a_value_somewhere_stays(self):
        files = {"shop.py": "def twice(n):\n    return n * 2\n",
                 "app.py": "from shop import twice\n\nprint(twice(2), list(map(twice, [1])))\n"}
        self.write_all(files)
        result = self.stile("refactor", "inline_function", "twice", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("twice cannot be inlined: line 3 of app.py uses it and does not call it", result.stderr)
        self.assertEqual({file: self.read(file) for file in files}, files)

    def test_languages_without_it_say_so(self):
        self.write("main.rs", "fn twice(n: i32) -> i32 {\n    n * 2\n}\n\nfn main() {\n    println!(\"{}\", twice(2));\n}\n")
        result = self.stile("refactor", "inline_function", "twice", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("inline_function is not available for Rust; edit the file by hand", result.stderr)


if __name__ == "__main__":
    main()
