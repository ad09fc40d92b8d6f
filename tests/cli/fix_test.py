"""Everyday errors of TypeScript, Go and Python, each mended by stile refactor apply_fix."""

import json

from fix_case import FixCase
from harness import main

TS_CONFIG = json.dumps({"compilerOptions": {"strict": True, "noUnusedLocals": True, "target": "es2022",
                                            "module": "nodenext", "types": [], "noEmit": True}, "include": ["src"]})
TS_SHAPE = ("export interface Shape {\n  area(): number;\n  scale(factor: number): Shape;\n}\n"
            "export class Circle {\n  radius = 1;\n  growBy(by: number): void {\n    this.radius += by;\n  }\n}\n")
GO_HEAD = "package p\n\nimport (\n\t\"fmt\"\n)\n\n"


class FixTest(FixCase):
    # TypeScript

    def ts(self, use):
        self.write_all({"tsconfig.json": TS_CONFIG, "package.json": "{\"type\": \"module\"}\n",
                        "src/shape.ts": TS_SHAPE, "src/use.ts": use})

    def test_typescript_import(self):
        self.ts("export const circle = new Circle();\n")
        self.assert_mends("src/use.ts", "new Circle", "import { Circle } from \"./shape.js\";", by="TypeScript 7")

    def test_typescript_misspelt_member(self):
        self.ts("import { Circle } from \"./shape.js\";\nexport const circle = new Circle();\ncircle.growBuy(2);\n")
        self.assert_mends("src/use.ts", "growBuy", "circle.growBy(2);")

    def test_typescript_members_of_an_interface(self):
        self.ts("import { Shape } from \"./shape.js\";\nexport class Square implements Shape {\n  size = 2;\n}\n")
        self.assert_mends("src/use.ts", "class Square", "\n  scale(factor: number): Shape {\n    ")
        self.ts("import { Shape } from \"./shape.js\";\nexport class Square implements Shape {\n\tsize = 2;\n}\n")
        self.assert_mends("src/use.ts", "class Square", "\n\tscale(factor: number): Shape {\n\t\t")

    def test_typescript_imports_without_use(self):
        self.ts("import { Circle, Shape } from \"./shape.js\";\nexport const circle = new Circle();\n")
        self.fix("src/use.ts", operation="organize_imports")
        self.assertEqual(self.read("src/use.ts"),
                         "import { Circle } from \"./shape.js\";\nexport const circle = new Circle();\n")
        said = self.fix("src/use.ts", operation="organize_imports")
        self.assertIn("Nothing to do: the imports of src/use.ts are in order", said)

    def test_two_imports_mend_it(self):
        self.ts("export const circle = new Circle();\n")
        self.write("src/other.ts", "export class Circle {\n  angle = 0;\n}\n")
        before = self.read("src/use.ts")
        said = self.fix("src/use.ts", code=2)
        self.assertIn("2 changes mend this error, each with another meaning. Pass the right one as --fix.", said)
        self.assertIn("- Add import from \"./other.js\"\n", said)
        self.assertEqual(self.read("src/use.ts"), before)
        self.fix("src/use.ts", "--fix", "Add import from \"./other.js\"")
        self.assertIn("import { Circle } from \"./other.js\";", self.read("src/use.ts"))

    def test_what_nothing_mends(self):
        self.ts("export const sum: number = \"a\";\nexport const other = frobnicate(1);\n")
        before = self.read("src/use.ts")
        said = self.fix("src/use.ts", "--line", "2", code=2)
        self.assertIn("src/use.ts:2:22: error: Cannot find name 'frobnicate'", said)
        self.assertIn("Edit the file by hand to mend it.", said)
        said = self.fix("src/use.ts", "--line", "7", code=2)
        self.assertIn("there is no error at src/use.ts:7; there are errors in line 1, 2.", said)
        self.assertEqual(self.read("src/use.ts"), before)

    # Go

    def go(self, code):
        self.need("gopls")
        self.write_all({"go.mod": "module example.com/p\n\ngo 1.19\n", "a.go": code})

    def test_go_import(self):
        self.go(GO_HEAD + "func F() string { return strings.ToUpper(fmt.Sprint(1)) }\n")
        self.assert_mends("a.go", "strings.ToUpper", "\"strings\"\n", by="gopls")

    def test_go_packages_of_one_name(self):
        self.go("package p\n\nfunc F(b []byte) {\n\trand.Read(b)\n}\n")
        said = self.fix("a.go", code=2)
        self.assertIn("2 changes mend this error, each with another meaning. Pass the right one as --fix.", said)
        self.assertIn("crypto/rand", said)
        self.assertIn("math/rand", said)
        # That one has no such function.
        self.go("package p\n\nfunc F() int {\n\treturn rand.Intn(5)\n}\n")
        self.assert_mends("a.go", "rand.Intn", "\"math/rand\"\n")

    def test_line_ends_stay(self):
        self.go("package p\n\nfunc F() string { return strings.ToUpper(\"a\") }\n".replace("\n", "\r\n"))
        self.fix("a.go")
        with open(self.path("a.go"), "rb") as file:
            text = file.read()
        self.assertIn(b"import \"strings\"\r\n", text)
        self.assertEqual(text.count(b"\n"), text.count(b"\r\n"))

    def test_go_import_without_use(self):
        self.go(GO_HEAD + "func F() int { return 1 }\n")
        self.assert_mends("a.go", "\"fmt\"", "package p\n")
        self.assertNotIn("fmt", self.read("a.go"))

    def test_go_misspelt_field(self):
        self.go("package p\n\ntype S struct{ size int }\n\nfunc F(s *S) int { return s.sise }\n")
        self.assert_mends("a.go", "s.sise", "return s.size }")

    def test_go_methods_of_an_interface(self):
        self.go("package p\n\ntype Shape interface {\n\tArea() float64\n\tScale(by float64) Shape\n}\n\n"
                "type Square struct{}\n\nvar _ Shape = &Square{}\n")
        self.assert_mends("a.go", "var _ Shape", "Scale(by float64) Shape {")

    def test_go_organizes_imports(self):
        self.go("package p\n\nimport \"os\"\n\nfunc F() string { return fmt.Sprint(1) }\n")
        self.fix("a.go", operation="organize_imports")
        self.assertNotIn("\"os\"", self.read("a.go"))

    # Python: no compiler judges it, so Pyright does.

    def python(self, use):
        self.need("pyright-langserver")
        self.write_all({"shapes.py": "class Circle:\n    def __init__(self) -> None:\n        self.radius = 1\n\n"
                                     "    def grow(self, by: int) -> None:\n        self.radius += by\n",
                        "use.py": use})

    def test_python(self):
        self.python("def f() -> int:\n    c = Circle()\n    return c.radius + math.floor(2.5)\n")
        self.fix("use.py", "--line", "2")
        self.assertIn("from shapes import Circle\n", self.read("use.py"))
        self.fix("use.py")
        self.assertIn("import math\n", self.read("use.py"))

    def test_python_misspelt_member(self):
        self.python("from shapes import Circle\n\nCircle().groww(2)\n")
        self.fix("use.py")
        self.assertIn("Circle().grow(2)", self.read("use.py"))

    def test_python_import_that_lacks_the_member(self):
        self.write("a.py", "def f(coded: str) -> list[str]:\n    return code.split()\n")
        said = self.fix("a.py")
        self.assertIn("return coded.split()", self.read("a.py"), said)
        self.assertNotIn("import code", self.read("a.py"))

    def test_files_with_a_byte_order_mark(self):
        self.ts("\ufeffexport const circle = new Circle();\n")
        self.fix("src/use.ts")
        self.assertTrue(self.read("src/use.ts").startswith("\ufeffimport { Circle } from"))

    def test_python_imports_without_use(self):
        self.python("import os\nimport json, re\nfrom typing import (\n    Any,\n    Iterable,\n    List,\n)\n"
                    "import sys  # noqa\n\n\ndef f(x: Iterable[int]) -> str:\n    return json.dumps(list(x))\n")
        self.fix("use.py", operation="organize_imports")
        self.assertEqual(self.read("use.py"), (
            "import json\nfrom typing import (\n    Iterable,\n)\n"
            "import sys  # noqa\n\n\ndef f(x: Iterable[int]) -> str:\n    return json.dumps(list(x))\n"))


if __name__ == "__main__":
    main()
