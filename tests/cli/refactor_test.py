"""stile refactor: rename, safe_delete, move_type with the real compilers as judges."""

import fcntl
import glob
import json
import os
import signal
import subprocess
import time

from harness import BINARY, StileTest, call, finish, main

# Files, what is asked, and the files afterwards. Each has a member of the same name that another
# type declares, reached through a receiver whose type only the compiler knows.
RENAMES = {
    "go": ({
        "go.mod": "module example.com/shop\n\ngo 1.19\n",
        "shop.go": "package shop\n\ntype Order struct{ Total int }\ntype Cart struct{ Total string }\n\n"
                   "func orders() []Order { return []Order{{Total: 1}} }\n"
                   "func carts() []Cart { return []Cart{{Total: \"x\"}} }\n",
        "use.go": "package shop\n\nfunc Use() (int, string) { return orders()[0].Total, carts()[0].Total }\n",
    }, ("Order.Total", "Sum"), {
        "shop.go": "package shop\n\ntype Order struct{ Sum int }\ntype Cart struct{ Total string }\n\n"
                   "func orders() []Order { return []Order{{Sum: 1}} }\n"
                   "func carts() []Cart { return []Cart{{Total: \"x\"}} }\n",
        "use.go": "package shop\n\nfunc Use() (int, string) { return orders()[0].Sum, carts()[0].Total }\n",
    }),
    "rust": ({
        "Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        "src/lib.rs": "pub struct Order { pub total: i32 }\npub struct Cart { pub total: i32 }\n"
                      "pub fn order() -> Order { let total = 1; Order { total } }\n"
                      "pub fn cart() -> Cart { Cart { total: 2 } }\n"
                      "pub fn both() -> String { format!(\"{} {}\", order().total, cart().total) }\n",
    }, ("Order.total", "sum"), {
        "src/lib.rs": "pub struct Order { pub sum: i32 }\npub struct Cart { pub total: i32 }\n"
                      "pub fn order() -> Order { let total = 1; Order { sum: total } }\n"
                      "pub fn cart() -> Cart { Cart { total: 2 } }\n"
                      "pub fn both() -> String { format!(\"{} {}\", order().sum, cart().total) }\n",
    }),
    "java": ({
        "Shape.java": "interface Shape { int area(); }\n",
        "Box.java": "class Box implements Shape {\n  @Override public int area() { return 1; }\n}\n",
        "Flat.java": "class Flat {\n  int area() { return 2; }\n  static Flat make() { return new Flat(); }\n"
                     "  static int sum(Shape s) { return s.area() + make().area(); }\n}\n",
    }, ("Box.area", "surface"), {
        "Shape.java": "interface Shape { int surface(); }\n",
        "Box.java": "class Box implements Shape {\n  @Override public int surface() { return 1; }\n}\n",
        "Flat.java": "class Flat {\n  int area() { return 2; }\n  static Flat make() { return new Flat(); }\n"
                     "  static int sum(Shape s) { return s.surface() + make().area(); }\n}\n",
    }),
    "typescript": ({
        "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n",
        "a.ts": "export interface Order { total: number }\nexport interface Cart { total: string }\n"
                "export const order = (): Order => ({ total: 1 });\n",
        "b.ts": "import { Cart, order } from \"./a\";\nconst cart = (): Cart => ({ total: \"x\" });\n"
                "const { total } = order();\nexport const all = `${total} ${order().total} ${cart().total}`;\n",
    }, ("Order.total", "sum"), {
        "a.ts": "export interface Order { sum: number }\nexport interface Cart { total: string }\n"
                "export const order = (): Order => ({ sum: 1 });\n",
        "b.ts": "import { Cart, order } from \"./a\";\nconst cart = (): Cart => ({ total: \"x\" });\n"
                "const { sum: total } = order();\nexport const all = `${total} ${order().sum} ${cart().total}`;\n",
    }),
    "csharp": ({
        "App.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net10.0"
                      "</TargetFramework></PropertyGroup></Project>\n",
        "Order.cs": "namespace Shop;\npublic class Order { public Order() {} public static Order Make() => new Order(); }\n",
        "Use.cs": "namespace Shop;\npublic static class Use { public static Order? Last; public static object All() => Order.Make(); }\n",
    }, ("Shop.Order", "Purchase"), {
        "Order.cs": None,
        "Purchase.cs": "namespace Shop;\npublic class Purchase { public Purchase() {} public static Purchase Make() => new Purchase(); }\n",
        "Use.cs": "namespace Shop;\npublic static class Use { public static Purchase? Last; public static object All() => Purchase.Make(); }\n",
    }),
    "cpp": ({
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(shop CXX)\nadd_library(shop shop.cc)\n",
        "shop.h": "#pragma once\n#define SHOP_API\n#define TWICE(o) ((o).total() * 2)\nnamespace shop {\n"
                  "class SHOP_API Order { public: int total() const; };\nclass Cart { public: int total() const { return 3; } };\n}\n",
        "shop.cc": "#include \"shop.h\"\nnamespace shop {\nint Order::total() const { return 1; }\n"
                   "int Sum(const Order& o) { return TWICE(o) + o.total() + Cart().total(); }\n}\n",
    }, ("shop::Order::total", "sum"), None),
    "c": ({
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(shop C)\nadd_library(shop shop.c)\n",
        "shop.h": "struct order { int total; };\nstruct cart { int total; };\n#define TOTAL(o) ((o)->total)\n",
        "shop.c": "#include \"shop.h\"\nint sum(struct order *o, struct cart *c) { return TOTAL(o) + o->total + c->total; }\n",
    }, ("order.total", "sum_of"), {
        "shop.h": "struct order { int sum_of; };\nstruct cart { int total; };\n#define TOTAL(o) ((o)->sum_of)\n",
        "shop.c": "#include \"shop.h\"\nint sum(struct order *o, struct cart *c) { return TOTAL(o) + o->sum_of + c->total; }\n",
    }),
    "python": ({
        "mypy.ini": "[mypy]\nstrict = true\n",
        "shop.py": "class Order:\n    def total(self) -> int:\n        return 1\n\n\n"
                   "class Cart:\n    def total(self) -> str:\n        return \"x\"\n\n\n"
                   "def order() -> Order:\n    return Order()\n\n\ndef cart() -> Cart:\n    return Cart()\n",
        "use.py": "from shop import cart, order\n\nBOTH = (order().total(), cart().total())\n",
    }, ("Order.total", "sum"), {
        "shop.py": "class Order:\n    def sum(self) -> int:\n        return 1\n\n\n"
                   "class Cart:\n    def total(self) -> str:\n        return \"x\"\n\n\n"
                   "def order() -> Order:\n    return Order()\n\n\ndef cart() -> Cart:\n    return Cart()\n",
        "use.py": "from shop import cart, order\n\nBOTH = (order().sum(), cart().total())\n",
    }),
}


class RefactorTest(StileTest):

    def setUp(self):
        super().setUp()
        self.use_compilers()

    def refactor(self, *arguments, **more):
        return self.stile("refactor", *arguments, timeout=600, **more)

    def rename(self, language):
        files, (symbol, new_name), expected = RENAMES[language]
        self.write_all(files)
        result = self.refactor("rename", symbol, new_name, "--json")
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertTrue(answer["applied"])
        self.assertTrue(answer["validation"]["judged"], answer["validation"])
        self.assertEqual(answer["blastRadius"]["uncertain"], [])
        for name, text in (expected or {}).items():
            if text is None:
                self.assertFalse(os.path.exists(self.path(name)), name)
            else:
                self.assertEqual(self.read(name), text)
        # Back again: every byte as it was.
        owner = symbol.rpartition("::" if "::" in symbol else ".")[0]
        separator = "::" if "::" in symbol else "."
        old = symbol.rpartition(separator)[2]
        back = f"{owner}{separator}{new_name}" if owner else new_name
        result = self.refactor("rename", back, old)
        self.assert_exit(result, 0)
        for name, text in files.items():
            if language == "rust":  # a key that has been written out stays so
                text = text.replace("Order { total }", "Order { total: total }")
            if language == "typescript":
                text = text.replace("{ total } =", "{ total: total } =")
            self.assertEqual(self.read(name), text)

    def test_rename_go(self):
        self.rename("go")

    def test_rename_rust(self):
        self.rename("rust")

    def test_rename_java(self):
        self.rename("java")

    def test_rename_typescript(self):
        self.rename("typescript")

    def test_rename_csharp(self):
        self.rename("csharp")

    def test_rename_cpp(self):
        self.rename("cpp")

    def test_rename_c(self):
        self.rename("c")

    def test_rename_python(self):
        self.rename("python")

    # Each place of Python in which a name stands in a string or a comment, and strings that only look so.
    QUOTED = {
        "mypy.ini": "[mypy]\nstrict = True\n",
        "shop/__init__.py": "from shop.orders import Order\n\n__all__ = [\"Order\"]\n",
        "shop/orders.py": "class Order:\n    \"\"\"An Order.\"\"\"\n\n"
                          "    def join(self, other: \"Order\") -> \"Order\":\n        return other\n\n"
                          "    def all(self):\n        # type: () -> list[Order]\n        return [self]\n",
        "shop/carts.py": "from typing import TYPE_CHECKING, Annotated, Literal, Optional, TypeVar, cast\n\n"
                         "if TYPE_CHECKING:\n    from shop.orders import Order\n\n"
                         "T = TypeVar(\"T\", bound=\"Order\")\n"
                         "Maybe = Optional[\"Order\"]\n"
                         "NAMES = {\"Order\": 1}\n"
                         "Kind = Literal[\"Order\"]\n\n\n"
                         "def first(thing: object, mark: Annotated[\"Order\", \"Order\"]) -> 'Order':\n"
                         "    print(\"Order\", NAMES[\"Order\"])\n"
                         "    found = []  # type: list[Order]\n"
                         "    found.append(cast(\"list[Order]\", thing)[0])\n"
                         "    return found[0]\n",
    }
    STAY = ('{"Order": 1}', 'Literal["Order"]', ', "Order"]', 'print("Order"', 'NAMES["Order"]')

    def renamed_quoted(self):
        def renamed(text):
            for i, kept in enumerate(self.STAY):
                text = text.replace(kept, f"<{i}>")
            text = text.replace("Order", "Purchase")
            for i, kept in enumerate(self.STAY):
                text = text.replace(f"<{i}>", kept)
            return text
        return {name: renamed(text) for name, text in self.QUOTED.items()}

    def test_names_in_quotes_are_renamed_with_the_class(self):
        self.write_all(self.QUOTED)
        result = self.refactor("rename", "Order", "Purchase", "--json")
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertTrue(answer["validation"]["judged"], answer["validation"])
        self.assertEqual(answer["blastRadius"]["uncertain"], [])
        for name, text in self.renamed_quoted().items():
            self.assertEqual(self.read(name), text)

    def test_names_in_quotes_are_renamed_without_a_checker(self):
        # py_compile knows no names: what the tree tells is all there is.
        self.write_all({name: text for name, text in self.QUOTED.items() if name != "mypy.ini"})
        result = self.refactor("rename", "Order", "Purchase")
        self.assert_exit(result, 0)
        for name, text in self.renamed_quoted().items():
            if name != "mypy.ini":
                self.assertEqual(self.read(name), text)

    def test_of_two_classes_quoted_names_mean_the_one_that_is_imported(self):
        self.write_all({**self.QUOTED, "shop/bills.py": "class Order:\n    pass\n",
                        "shop/pay.py": "from shop import bills\nfrom shop.bills import Order\n\n__all__ = [\"Order\"]\n\n\n"
                                       "def pay(order: \"Order\", same: \"bills.Order\") -> \"Order\":\n"
                                       "    return same\n"})
        pay = self.read("shop/pay.py")
        result = self.refactor("rename", "Order", "Purchase", "--file", "shop/orders.py", "--json")
        self.assert_exit(result, 0)
        self.assertTrue(json.loads(result.stdout)["validation"]["judged"], result.stdout)
        for name, text in self.renamed_quoted().items():
            self.assertEqual(self.read(name), text)
        self.assertEqual(self.read("shop/pay.py"), pay)
        self.assertEqual(self.read("shop/bills.py"), "class Order:\n    pass\n")

    def test_names_in_quotes_are_found(self):
        self.write_all(self.QUOTED)
        result = self.stile("navigate", "usages", "Order", "--json")
        self.assert_exit(result, 0)
        text = self.QUOTED["shop/carts.py"].splitlines()
        lines = {hit["line"] for hit in json.loads(result.stdout)["hits"] if hit["file"] == "shop/carts.py"}
        self.assertEqual(lines, {i for i, line in enumerate(text, 1)
                                 if "Order" in line and "NAMES" not in line and "Literal" not in line})

    def test_without_a_compiler_only_what_is_certain(self):
        self.write("a.js", "class A { run() {} }\nclass B { run() {} }\nmodule.exports = { A, B };\n")
        self.write("b.js", "const { A } = require('./a');\nnew A().run();\nfunction f(x) { x.run(); }\n")
        result = self.refactor("rename", "A.run", "go", "--json", env={"STILE_RESOLVERS": "off"})
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertFalse(answer["validation"]["judged"])
        self.assertEqual(answer["resolvedBy"], "syntax")
        self.assertEqual([(place["file"], place["line"])
                          for place in answer["blastRadius"]["uncertain"]], [("b.js", 2), ("b.js", 3)])
        self.assertIn("class A { go() {} }\nclass B { run() {} }", self.read("a.js"))
        self.assertIn("new A().run()", self.read("b.js"))

    def test_members_of_unknown_receivers_are_listed_and_not_renamed(self):
        for resolvers in ("on", "off"):
            self.write("a.py", "class A:\n    def pay(self):\n        return 1\n")
            self.write("b.py", "def f(x):\n    return x.pay()\n")
            result = self.refactor("rename", "A.pay", "settle", env={"STILE_RESOLVERS": resolvers})
            self.assert_exit(result, 0)
            self.assertEqual(self.read("b.py"), "def f(x):\n    return x.pay()\n")
            self.assertIn("b.py:2:14: return x.pay()", result.stdout)

    def test_bytes_around_the_name_stay(self):
        text = "\ufeff\tclass Shop:\r\n\t\tpass\r\nShop()\r\n# Shop\r\nS = 'Shop'".replace("\t", "", 1)
        with open(self.path("a.py"), "wb") as file:
            file.write(text.encode())
        os.chmod(self.path("a.py"), 0o755)
        self.assert_exit(self.refactor("rename", "Shop", "Store"), 0)
        with open(self.path("a.py"), "rb") as file:
            after = file.read().decode()
        self.assertEqual(after, text.replace("class Shop", "class Store").replace("Shop()", "Store()"))
        self.assertEqual(os.stat(self.path("a.py")).st_mode & 0o777, 0o755)

    def test_preview_changes_nothing(self):
        self.write_all(RENAMES["go"][0])
        result = self.refactor("rename", "Order.Total", "Sum", "--preview")
        self.assert_exit(result, 0)
        self.assertIn("Nothing was changed", result.stdout)
        self.assertIn("+type Order struct{ Sum int }", result.stdout)
        self.assertEqual(self.read("shop.go"), RENAMES["go"][0]["shop.go"])

    def test_what_cannot_be_is_refused_with_a_reason(self):
        files = {
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "x.go": "package x\n\nimport \"sort\"\n\ntype T []int\n\nfunc (t T) Len() int { return len(t) }\n"
                    "func (t T) Less(i, j int) bool { return t[i] < t[j] }\n"
                    "func (t T) Swap(i, j int) { t[i], t[j] = t[j], t[i] }\n"
                    "func Sort(t T) { sort.Sort(t) }\n\nvar taken = 1\n\n"
                    "func f(a int) int { b := 1; return a + b + taken }\nfunc g() {}\n",
            "y.go": "package x\n\ntype A struct{}\n\nfunc (A) Go() {}\n\ntype B struct{}\n\nfunc (B) Go() {}\n",
        }
        self.write_all(files)
        for arguments, words in (
                (("T.Len", "Length"), "from outside of the project"),
                (("Go", "Run"), "several symbols are called Go: A.Go"),
                (("f", "taken"), "taken already"),
                (("f", "func"), "func is a reserved word of Go"),
                (("f", "1x"), "is not a name"),
                (("f", "f"), "already"),
                (("taken", "a", "--file", "x.go"), "means a parameter"),
                (("a", "b", "--file", "x.go", "--line", "14"), "means"),
                (("missing", "x"), "no code in the workspace"),
                (("f", "x", "--file", "../x.go"), "outside")):
            result = self.refactor("rename", *arguments)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr, arguments)
            for name, text in files.items():
                self.assertEqual(self.read(name), text, arguments)
        refusal = json.loads(self.refactor("rename", "f", "f", "--json").stdout)
        self.assertIn("it is called f already", refusal["error"])

    def test_a_path_in_a_macro_is_what_the_compiler_reports(self):
        # rustc names neither name there: "expected a type, found a trait" (E0782), at `Source`.
        source = ("pub trait Source {\n    fn get(&self) -> i32;\n}\n\nimpl Source for [i32] {\n"
                  "    fn get(&self) -> i32 {\n        self.len() as i32\n    }\n}\n\n#[test]\nfn gets() {\n"
                  "    let list = [1, 2];\n    assert_eq!(2, Source::get(&list[..]));\n}\n")
        self.write_all({"Cargo.toml": "[package]\nname = \"t\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
                        "src/lib.rs": source})
        result = self.refactor("rename", "Source.get", "fetch")
        self.assert_exit(result, 0)
        self.assertEqual(self.read("src/lib.rs"), source.replace("fn get(", "fn fetch(").replace("::get(", "::fetch("))

    def test_what_was_broken_before_is_no_reason(self):
        self.write_all(RENAMES["go"][0])
        self.write("broken.go", "package shop\n\nfunc Broken() int { return \"x\" }\n")
        result = self.refactor("rename", "Order.Total", "Sum")
        self.assert_exit(result, 0)
        self.assertEqual(self.read("use.go"), RENAMES["go"][2]["use.go"])

    def test_killed_in_the_middle_nothing_is_lost(self):
        # A compiler that never answers.
        files = dict(RENAMES["go"][0])
        self.write_all(files)
        slow = self.path("../bin")
        os.makedirs(slow, exist_ok=True)
        real = subprocess.run(["which", "go"], capture_output=True, text=True, check=True).stdout.strip()
        with open(os.path.join(slow, "go"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\ncase "$1" in build|vet) sleep 600;; esac\nexec {real} "$@"\n')
        os.chmod(os.path.join(slow, "go"), 0o755)
        env = dict(self.env, PATH=f"{slow}:{self.env['PATH']}")
        with subprocess.Popen(
                [BINARY, "refactor", "rename", "Order.Total", "Sum"], cwd=self.path("."), env=env,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            for _ in range(600):
                if "Sum" in self.read("shop.go"):
                    break
                time.sleep(0.05)
            self.assertIn("Sum", self.read("shop.go"))
            process.send_signal(signal.SIGKILL)
        # Also what only looks at the code puts it back first, and says so.
        found = self.stile("navigate", "references", "Order")
        self.assert_exit(found, 0)
        self.assertIn("[A change that was interrupted has been taken back in shop.go", found.stdout)
        self.assertEqual(self.read("shop.go"), files["shop.go"])
        self.assert_exit(self.refactor("safe_delete", "Use"), 0)
        self.assertNotIn("Use", self.read("use.go"))

    def test_waiting_for_another_ends_when_told_to(self):
        self.write("a.py", "x = 1\n")
        self.assert_exit(self.stile("generate", "create_type", "--file", "first.py", "--class", "First"), 0)
        [lock] = glob.glob(os.path.join(self.state, "workspaces", "*", "code.lock"))
        with open(lock, encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with subprocess.Popen(
                    [BINARY, "generate", "create_type", "--file", "b.py", "--class", "B"], cwd=self.path("."),
                    env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(timeout=2)
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("another process was changing code", errors)
        self.assertFalse(os.path.exists(self.path("b.py")))

    def test_what_must_not_be_written_is_not_refactored(self):
        files = {
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "a.go": "package x\n\nfunc helper() int { return 1 }\n",
            "locked/locked.go": "package locked\n",
            "z_locked.go": "package x\n\nvar X = helper()\n",
            "stile.yaml": "permissions: {deny: [\"file.modify(z_*)\"]}\n",
        }
        self.write_all(files)
        result = self.run_task(call("code.refactor", operation="rename", symbolName="helper", newName="assist"),
                               call("code.generate", operation="method", targetFile="z_locked.go", methodName="f",
                                    signature="func f() int", body="return 1"),
                               finish(), arguments=["--json"])
        answers = [event["observation"] for event in self.events(result) if event["type"] == "tool_finished"]
        self.assertIn("Permission denied: code.refactor of z_locked.go is forbidden", answers[0])
        self.assertIn("Nothing was changed.", answers[0])
        self.assertIn("Permission denied: code.generate of z_locked.go is forbidden", answers[1])
        for name, text in files.items():
            self.assertEqual(self.read(name), text)

    def test_no_error_is_planted_where_nothing_may_be_written(self):
        files = {
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "order.go": "package x\n\ntype Order struct{ Total int }\n\ntype Cart struct{ Total int }\n\n"
                        "func carts() []Cart { return nil }\n\nvar old int = \"an error\"\n",
            "z_locked.go": "package x\n\nvar X = carts()[0].Total\n",
            "stile.yaml": "permissions: {deny: [\"file.modify(z_*)\"]}\n",
        }
        self.write_all(files)
        result = self.run_task(call("code.refactor", operation="rename", symbolName="Order.Total", newName="Sum"),
                               finish(status="gave_up"), arguments=["--json"])
        answers = [event["observation"] for event in self.events(result) if event["type"] == "tool_finished"]
        self.assertIn("no error may be planted in z_locked.go", answers[0])
        self.assertEqual(self.read("z_locked.go"), files["z_locked.go"])

    def test_safe_delete(self):
        self.write_all({
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "x.go": "package x\n\nimport \"strings\"\n\n// Used is used.\nfunc Used() int { return 1 }\n\n"
                    "// Unused is not.\nfunc Unused() string {\n\treturn strings.ToUpper(\"a\")\n}\n\n"
                    "var X = Used()\n",
        })
        result = self.refactor("safe_delete", "Used")
        self.assert_exit(result, 2)
        self.assertIn("is used in 1 place:\nx.go:13:9: var X = Used()", result.stderr)
        self.assert_exit(self.refactor("safe_delete", "Unused"), 0)
        self.assertEqual(self.read("x.go"), "package x\n\n\n// Used is used.\n"
                                            "func Used() int { return 1 }\n\nvar X = Used()\n")

    def test_safe_delete_keeps_the_values_of_other_members(self):
        files = {
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "x.go": "package x\n\nconst (\n\tFirst = iota\n\tsecond\n\tthird\n)\n\nvar X = third\n",
            "a.c": "enum colour { RED, GREEN, BLUE };\nint main(void) { return BLUE; }\n",
        }
        self.write_all(files)
        for symbol, next_one in (("second", "third"), ("GREEN", "BLUE")):
            result = self.refactor("safe_delete", symbol)
            self.assert_exit(result, 2)
            self.assertIn(f"{next_one} stands after {symbol} and has no value of its own", result.stderr)
        self.assertEqual({file: self.read(file) for file in files}, files)

    def test_a_project_beside_it_that_never_builds_is_named(self):
        self.write_all({
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nadd_library(p p.c)\n",
            "p.c": "int grow(int n) { return n + 1; }\nint use(void) { return grow(1); }\n",
            "pkg/docker/Makefile": "build:\n\tfalse build .\n",
        })
        result = self.stile("refactor", "rename", "grow", "increase", "--file", "p.c", "--json", timeout=600)
        self.assert_exit(result, 0)
        validation = json.loads(result.stdout)["validation"]
        self.assertTrue(validation["judged"])
        self.assertIn("make in pkg/docker: fail", validation["unanswered"][0])
        # The judge of the changed file itself has to answer.
        self.write_all({"own/Makefile": "all:\n\tfalse\n", "own/q.c": "int alone(void) { return 1; }\n"})
        result = self.stile("refactor", "rename", "alone", "single", "--file", "own/q.c", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("the compiler gave no answer. make in own", result.stderr)

    def test_markup_with_reserved_words_is_read(self):
        self.write_all({"a.js": "export function tree(id) {\n  return id;\n}\n",
                        "b.jsx": "import { tree } from \"./a.js\";\nexport const x = <p class=\"a\" for=\"b\">{tree(1)}</p>;\n"})
        self.assert_exit(self.stile("refactor", "rename", "tree", "wood", "--file", "a.js",
                                    env={"STILE_RESOLVERS": "off"}, timeout=600), 0)
        self.assertEqual(self.read("b.jsx").count("wood"), 2)

    def test_safe_delete_keeps_the_end_of_a_list(self):
        self.write_all({"A.java": "class A {\n  static int a = 1, b = 2, c = 3;\n}\n"})
        self.assert_exit(self.refactor("safe_delete", "A.c"), 0)
        self.assert_exit(self.refactor("safe_delete", "A.a"), 0)
        self.assertEqual(self.read("A.java"), "class A {\n  static int b = 2;\n}\n")

    def test_safe_delete_knows_uses_without_a_name(self):
        files = {
            "D.java": "class B {\n  void ping() {}\n}\nclass D extends B {\n  @Override void ping() {}\n"
                      "  public String toString() { return \"\"; }\n}\n",
            "a.cpp": "struct A { virtual int go() { return 1; } ~A() {} };\n"
                     "struct R { R(); };\nstatic R reg;\nstruct E : A { int go() { return 2; } };\n",
            "s.py": "def used():\n    return 1\n\n\nprint(globals()[\"used\"]())\n",
            "m.rs": "trait T { fn hi(&self) -> i32 { 1 } }\nstruct S;\nimpl T for S { fn hi(&self) -> i32 { 2 } }\n",
        }
        self.write_all(files)
        for symbol, file, words in (
                ("D.ping", "D.java", "overrides"), ("toString", "D.java", "libraries"),
                ("reg", "a.cpp", "making it"), ("E.go", "a.cpp", "by way of"),
                ("used", "s.py", "a string has its name"), ("S.hi", "m.rs", "overrides")):
            result = self.refactor("safe_delete", symbol, "--file", file)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr, symbol)
            self.assertEqual(self.read(file), files[file])

    def test_a_new_name_that_would_mean_something_else_is_refused(self):
        files = {
            "A.java": "public class A {\n  static int total = 1;\n  static class Base { void ping() {} int count; }\n"
                      "  static class D extends Base { void pong() {} int f() { return total; } }\n}\n",
            "b.cpp": "int total = 1;\nstruct A { int x = 5; int f() { return x + total; } };\n",
        }
        self.write_all(files)
        for symbol, name, file, words in (
                ("D.pong", "ping", "A.java", "one hierarchy with A.Base.ping"),
                ("A.total", "count", "A.java", "it would mean A.Base.count"),
                ("total", "x", "b.cpp", "x")):
            result = self.refactor("rename", symbol, name, "--file", file)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr, symbol)
            self.assertEqual(self.read(file), files[file])

    def test_a_file_that_is_not_read_as_code_is_named(self):
        files = {"main.cpp": "struct Buffer { int append(int n) { return n; } };\n#include \"detail.inc\"\n"
                             "int main() { Buffer b; return b.append(1) + twice(); }\n",
                 "detail.inc": "static int twice() { Buffer b; return b.append(2); }\n"}
        self.write_all(files)
        for symbol in ("Buffer", "Buffer.append"):
            result = self.refactor("rename", symbol, "extend")
            self.assert_exit(result, 2)
            self.assertIn("the compiler finds the old name in detail.inc, which is no file of a known language", result.stderr)
            self.assertIn("detail.inc:1:", result.stderr)
        for name, text in files.items():
            self.assertEqual(self.read(name), text)

    def test_a_member_that_a_concept_requires_is_renamed_with_it(self):
        text = ("struct Text { int length() const { return 3; } };\n"
                "struct Other { int length() const { return 4; } };\n"
                "template <typename T>\nconcept Measured = requires(const T& t) {\n  t.length();\n};\n"
                "template <Measured T>\nint twice(const T& value) { return 2 * value.length(); }\n"
                "int main() { return twice(Text{}); }\n")
        self.write_all({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(q CXX)\n"
                                          "set(CMAKE_CXX_STANDARD 20)\nadd_executable(app main.cpp)\n",
                        "main.cpp": text})
        result = self.refactor("rename", "Text.length", "size")
        self.assert_exit(result, 0)
        self.assertEqual(self.read("main.cpp"), text.replace("length", "size").replace("Other { int size", "Other { int length"))
        text = text.replace("twice(Text{})", "twice(Text{}) + twice(Other{})")
        self.write("main.cpp", text)
        result = self.refactor("rename", "Text.length", "size")
        self.assert_exit(result, 2)
        self.assertIn("the compiler does not accept method Text.length", result.stderr)
        self.assertEqual(self.read("main.cpp"), text)

    def test_a_use_of_a_macro_in_a_file_without_a_build_is_no_declaration(self):
        files = {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(c C)\nadd_executable(app main.c)\n",
                 "main.c": "int main(void) { return 0; }\n",
                 "test/util/unit.h": "#define test_case(name) int main(void)\n",
                 "test/one.c": "#include \"unit.h\"\ntest_case(one) { return 0; }\n",
                 "test/two.c": "#include \"unit.h\"\ntest_case(two) { return 0; }\n"}
        self.write_all(files)
        result = self.refactor("rename", "test_case", "unit_case", "--file", "test/one.c", "--line", "2")
        self.assert_exit(result, 2)
        self.assertIn("Give the line of its declaration: macro test_case (test/util/unit.h:1).", result.stderr)
        result = self.refactor("rename", "test_case", "unit_case", "--file", "test/util/unit.h", "--line", "1")
        self.assert_exit(result, 0)
        for name in ("one", "two"):
            self.assertIn(f"test/{name}.c:2", result.stdout)

    def test_a_macro_that_makes_the_name_of_parts_is_listed(self):
        text = ("enum level { KIT_WARN, KIT_ERROR };\n#define KIT_IS(level, value) ((value) == KIT_##level)\n"
                "int is_warning(enum level value) { return KIT_IS(WARN, value); }\n")
        self.write("log.c", text)
        result = self.refactor("rename", "KIT_ERROR", "KIT_FATAL")
        self.assert_exit(result, 0)
        self.assertEqual(self.read("log.c"), text.replace("KIT_ERROR", "KIT_FATAL"))
        self.assertIn("these may be looked up or run:\nlog.c:2:42: #define KIT_IS", result.stdout)

    def test_names_of_values_in_tuples_are_no_members(self):
        text = ("class Account {\n  public int Balance { get; set; }\n"
                "  public (int Balance, int Count) Summary() => (Balance, 1);\n"
                "  public object Named() => new { Balance = Balance };\n"
                "  public int Twice() => 2 * Summary().Balance;\n}\n")
        self.write("a.cs", text)
        result = self.refactor("rename", "Account.Balance", "Funds", "--preview")
        self.assert_exit(result, 0)
        self.assertIn("+  public (int Balance, int Count) Summary() => (Funds, 1);\n", result.stdout)
        self.assertIn("+  public object Named() => new { Balance = Funds };\n", result.stdout)
        self.assertNotIn("Summary().Funds", result.stdout)

    def test_a_private_member_of_a_base_has_no_part_in_its_hierarchy(self):
        text = ("public class A {\n  static class Base { private void ping() {} void all() { ping(); } }\n"
                "  static class D extends Base { void pong() {} void both() { pong(); } }\n"
                "  static class E extends Base { private void pang(int n) {} }\n"
                "  static class F { private void hum(int n) {} void hum() {} }\n"
                "  static class G extends F { void low() {} }\n}\n")
        self.write("A.java", text)
        self.assert_exit(self.refactor("rename", "D.pong", "ping"), 0)
        self.assertEqual(self.read("A.java"), text.replace("pong", "ping"))
        result = self.refactor("rename", "E.pang", "all")
        self.assert_exit(result, 2)
        self.assertIn("one hierarchy with A.Base.all", result.stderr)
        result = self.refactor("rename", "G.low", "hum")
        self.assert_exit(result, 2)
        self.assertIn("one hierarchy with A.F.hum", result.stderr)

    def test_methods_of_anonymous_classes_follow_their_interface(self):
        text = (
            "class B {\n"
            "  interface Shape { int area(); }\n"
            "  static int use(Shape s) { return s.area(); }\n"
            "  static int all() {\n"
            "    Shape s = new Shape() {\n"
            "      public int area() { return twice() + this.area() + area(); }\n"
            "      int twice() { return 2; }\n"
            "    };\n"
            "    Object other = new Object() { public int area() { return 1; } };\n"
            "    return use(s) + use(new\n"
            "        Shape() { public int area() { return 5; } });\n"
            "  }\n"
            "}\n")
        self.write("B.java", text)
        self.assert_exit(self.refactor("rename", "Shape.area", "surface"), 0)
        expected = text.replace("area", "surface")
        self.assertEqual(self.read("B.java"),
                         expected.replace("new Object() { public int surface", "new Object() { public int area"))

    def test_a_variable_is_no_property(self):
        self.write("tsconfig.json", "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n")
        self.write("main.ts", "let total = 1;\nfunction f(o: any) { return o.total; }\nexport const x = [f({ total: 7 }), total];\n"
                              "export const y = f({ total });\n")
        self.assert_exit(self.refactor("rename", "total", "sum", "--file", "main.ts", "--line", "1"), 0)
        self.assertEqual(self.read("main.ts"),
                         "let sum = 1;\nfunction f(o: any) { return o.total; }\nexport const x = [f({ total: 7 }), sum];\n"
                         "export const y = f({ total: sum });\n")

    def test_a_compiler_that_stops_early_judges_nothing(self):
        # tsc checks no types while a type library is missing.
        self.write_all({
            "tsconfig.json": "{\"compilerOptions\": {\"noEmit\": true, \"types\": [\"nothere\"]}}\n",
            "a.ts": "export class Order { total = 1; gone() {} }\nexport class Cart { total = \"x\"; }\n",
            "b.ts": "import { Order } from \"./a\";\nconst all = [new Order()];\n"
                    "export const sum = all[0].total;\nall[0].gone();\n",
        })
        result = self.refactor("rename", "Order.total", "sum", env={"STILE_RESOLVERS": "off"})
        self.assert_exit(result, 0)
        self.assertIn("No compiler has judged it: an error planted in a.ts is not reported", result.stdout)
        self.assertIn("b.ts:3:27", result.stdout)  # may mean it too
        before = self.read("a.ts")
        result = self.refactor("safe_delete", "Order.gone")
        self.assert_exit(result, 2)
        self.assertEqual(self.read("a.ts"), before)
        # Errors that hide nothing are put up with.
        self.write("tsconfig.json", "{\"compilerOptions\": {\"noEmit\": true}}\n")
        self.write("c.ts", "export const wrong: number = \"x\";\n")
        result = self.refactor("rename", "Order.sum", "total")
        self.assert_exit(result, 0)
        self.assertIn("It builds as before", result.stdout)
        self.assertIn("all[0].total", self.read("b.ts"))

    def test_a_judge_of_some_of_the_files_is_heard(self):
        files = {
            "tsconfig.json": "{\"compilerOptions\": {\"noEmit\": true, \"module\": \"nodenext\"}}\n",
            "package.json": "{\"type\": \"module\"}\n",
            "order.js": "export class Order {}\n", "order.d.ts": "export declare class Order {}\n",
            "use.ts": "import { Order } from \"./order.js\";\nexport const o: Order = new Order();\n",
            "other.ts": "import { Order } from \"./order.js\";\nexport const p = Order;\n",
        }
        self.write_all(files)
        result = self.refactor("rename", "Order", "Purchase", "--file", "order.js", env={"STILE_RESOLVERS": "off"})
        # The importers mean the declarations, which stay: they are said.
        self.assert_exit(result, 0)
        self.assertEqual(self.read("use.ts"), files["use.ts"])
        self.assertIn("use.ts:1:10", result.stdout)
        self.assertIn("other.ts:2:18", result.stdout)
        # A resolver knows that the declarations are those of order.js.
        self.write_all(files)
        self.assert_exit(self.refactor("rename", "Order", "Purchase", "--file", "order.js"), 0)
        for name in ("order.js", "order.d.ts", "use.ts", "other.ts"):
            self.assertEqual(self.read(name), files[name].replace("Order", "Purchase"))
        self.assertEqual(subprocess.run(["tsc", "-p", "."], cwd=self.path("."), env=self.env, check=False).returncode, 0)

    def test_names_come_from_the_modules_that_are_named(self):
        self.write_all({
            "a.js": "export class Order {}\n",
            "b.js": "export class Order {}\n",
            "index.js": "export { Order } from './a.js';\n",
            "one.js": "import { Order } from './index.js';\nnew Order();\n",
            "two.js": "import { Order } from './b';\nnew Order();\n",
        })
        result = self.refactor("rename", "Order", "Purchase", "--file", "a.js")
        self.assert_exit(result, 0)
        self.assertEqual(self.read("index.js"), "export { Purchase } from './a.js';\n")
        self.assertEqual(self.read("one.js"), "import { Purchase } from './index.js';\nnew Purchase();\n")
        self.assertEqual(self.read("two.js"), "import { Order } from './b';\nnew Order();\n")
        self.assertNotIn("left, not judged", result.stdout)

    def test_names_are_followed_through_what_modules_export(self):
        files = {
            "package.json": "{\"type\": \"module\"}\n",
            "a.js": "export class Order {}\nexport class Widget {}\n",
            "b.js": "export class Order {}\n",
            "index.js": "export { Order as AOrder } from './a.js';\nexport { Order } from './b.js';\n",
            "turned.js": "import { Order as A } from './a.js';\nimport { Order as B } from './b.js';\n"
                         "export { A as Order, B };\n",
            "alias.js": "import { Widget as Order } from './a.js';\nnew Order();\n",
            "main.js": "import { Order } from './index.js';\nimport { Order as T } from './turned.js';\n"
                       "import { /* { odd */ Order as O } from './a.js';\nconsole.log(Order, T, O);\n",
        }
        for hop in range(30):
            source = "./a.js" if hop == 0 else f"./hop{hop - 1}.js"
            files[f"hop{hop}.js"] = f"export {{ Order }} from '{source}';\n"
        files["far.js"] = "import { Order } from './hop29.js';\nnew Order();\n"
        self.write_all(files)
        self.assert_exit(self.refactor("rename", "Order", "Purchase", "--file", "a.js"), 0)
        for changed, (old, new) in {
                "a.js": ("class Order", "class Purchase"), "index.js": ("{ Order as", "{ Purchase as"),
                "turned.js": ("{ Order as A", "{ Purchase as A"), "main.js": ("odd */ Order", "odd */ Purchase"),
                "hop17.js": ("Order", "Purchase"), "far.js": ("Order", "Purchase"),
                "b.js": ("", ""), "alias.js": ("", "")}.items():
            self.assertEqual(self.read(changed), files[changed].replace(old, new) if old else files[changed], changed)
        for script in ("main.js", "far.js", "alias.js"):
            done = subprocess.run(["node", script], cwd=self.path("."), env=self.env, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_judge_that_does_not_read_what_changed_judges_nothing(self):
        lib = {
            "Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            "src/lib.rs": "pub mod order;\npub mod uses;\npub mod bad;\n",
            "src/bad.rs": "pub fn f( {\n",
            "src/order.rs": "pub struct Order;\nimpl Order {\n    pub fn total(&self) -> i32 {\n        1\n    }\n}\n"
                            "pub struct Bill;\nimpl Bill {\n    pub fn total(&self) -> i32 {\n        2\n    }\n}\n"
                            "pub fn mo() -> Order {\n    Order\n}\npub fn mb() -> Bill {\n    Bill\n}\n",
            "src/uses.rs": "use crate::order::*;\npub fn all() -> i32 {\n    mo().total() + mb().total()\n}\n",
        }
        self.write_all(lib)
        result = self.refactor("safe_delete", "Order.total")
        self.assert_exit(result, 2)
        self.assertEqual(self.read("src/order.rs"), lib["src/order.rs"])
        result = self.refactor("rename", "Order.total", "sum")
        self.assert_exit(result, 0)
        self.assertIn("No compiler has judged it", result.stdout)
        self.assertIn("src/uses.rs:3", result.stdout)
        # An error that keeps nobody from looking.
        self.write_all({**lib, "src/bad.rs": "pub fn f() -> i32 {\n    \"x\"\n}\n"})
        result = self.refactor("rename", "Order.total", "sum")
        self.assert_exit(result, 0)
        self.assertIn("It builds as before", result.stdout)
        self.assertEqual(self.read("src/uses.rs"), lib["src/uses.rs"].replace("mo().total", "mo().sum"))

    def test_a_judge_that_does_not_read_the_users_judges_nothing(self):
        self.write_all({
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "order/order.go": "package order\n\ntype Order struct{}\n\nfunc (Order) Total() int { return 1 }\n\n"
                              "type Bill struct{}\n\nfunc (Bill) Total() int { return 2 }\n\n"
                              "func MakeOrder() Order { return Order{} }\n\nfunc MakeBill() Bill { return Bill{} }\n",
            "use/use.go": "package use\n\nimport \"example.com/x/order\"\n\n"
                          "var X = order.MakeOrder().Total() + order.MakeBill().Total()\n",
            "use/bad.go": "package use\n\nfunc f( {\n",
        })
        result = self.refactor("rename", "Order.Total", "Sum", env={"STILE_RESOLVERS": "off"})
        self.assert_exit(result, 0)
        self.assertIn("No compiler has judged it", result.stdout)
        self.assertIn("use/use.go:5", result.stdout)
        self.assert_exit(self.refactor("safe_delete", "Bill.Total"), 2)

    def test_keys_of_other_types_and_plain_strings_stay(self):
        self.write_all({
            "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n",
            "a.ts": "export interface Order { total: number; id: number }\nexport interface Invoice { total: number; id: number }\n"
                    "export type Rest = Omit <\n  Readonly<Order>, // (keys)\n  \"total\"\n>;\n"
                    "export type Keys = Exclude<keyof Order, 'total'>;\n",
            "b.ts": "import { Order, Invoice } from \"./a\";\n// Order[\"total\"] in prose\n"
                    "const track = (name: string, id: number): unknown => [name, id];\n"
                    "const send = (what: unknown): unknown => what;\n"
                    "export const o: Order = mk();\ntrack(\"total\", o.id);\nsend({ total: 5, id: 1 });\n"
                    "export const inv = { id: 3, total: 5 };\nexport const check: Invoice = inv;\n"
                    "function mk() { return { id: 1, total: 2 }; }\n"
                    "export const s = 'Omit<Order, \"total\">';\n"
                    "export const f = (Order: Record<string, number>): number => Order[\"total\"];\n",
            "c.ts": "interface Order { total: number; name: string }\nexport type X = Omit<Order, \"total\">;\n",
        })
        before = {name: self.read(name) for name in ("b.ts", "c.ts")}
        result = self.refactor("rename", "Order.total", "sum", "--file", "a.ts")
        self.assertEqual(self.read("c.ts"), before["c.ts"])
        self.assert_exit(result, 0)
        self.assertIn("c.ts:2:30", result.stdout)  # a type of that name may be meant
        self.assertIn("\"sum\"", self.read("a.ts"))
        self.assertIn("'sum'", self.read("a.ts"))
        self.assertEqual(self.read("b.ts"), before["b.ts"].replace("id: 1, total: 2", "id: 1, sum: 2"))
        self.write("d.ts", "export interface Bill { \"due\": number }\n")
        result = self.refactor("rename", "Bill.due", "open")
        self.assert_exit(result, 2)
        self.assertIn("declared as a string", result.stderr)

    def test_keys_of_types_are_renamed_with_them(self):
        before = """\
export interface Order { total: number; id: string; note?: string }
export interface Cart { total: string }
export type Small = Omit<Order, "id" | "total">;
export type Total = Order["total"];
export type Both = Pick<Order,
  | "id"
  | "total"
>;
export function get<K extends keyof Order>(o: Order, key: K): Order[K] { return o[key]; }
export const t = (o: Order): number => get(o, "total") + o["total"];
export const c = (c: Cart): string => c["total"] + "total";
export const s: Small = { note: "total" };
type Z<T extends { order: Order }> = T["order"]["total"];
export const z: Z<{ order: Order }> = 1;
export type Other = Omit<Cart, "total">;
"""
        after = before
        for old, new in (("{ total: number", "{ sum: number"), ('"id" | "total"', '"id" | "sum"'),
                         ('Order["total"]', 'Order["sum"]'), ('| "total"', '| "sum"'),
                         ('get(o, "total") + o["total"]', 'get(o, "sum") + o["sum"]'),
                         ('["order"]["total"]', '["order"]["sum"]')):
            self.assertIn(old, after)
            after = after.replace(old, new)
        self.write_all({"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n",
                        "a.ts": before})
        self.assert_exit(self.refactor("rename", "Order.total", "sum"), 0)
        self.assertEqual(self.read("a.ts"), after)

    def test_two_at_once_wait_for_each_other(self):
        self.write_all({
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "h.go": "package x\n\nfunc helper() int { return 1 }\n",
            "m.go": "package x\n\nfunc two() int { return 2 }\n\nvar X = helper() + two()\n",
        })
        others = [subprocess.Popen([BINARY, "refactor", "rename", old, new], cwd=self.path("."), env=self.env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                  for old, new in (("helper", "assist"), ("two", "deux"))]
        for process in others:
            _, errors = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.read("m.go"),
                         "package x\n\nfunc deux() int { return 2 }\n\nvar X = assist() + deux()\n")

    def test_safe_delete_leaves_a_body(self):
        self.write("a.py", "class A:\n    def pay(self):\n        return 1\n\n\nA()\n")
        self.assert_exit(self.refactor("safe_delete", "A.pay"), 0)
        self.assertEqual(self.read("a.py"), "class A:\n    pass\n\n\nA()\n")

    def test_move_type(self):
        self.write_all({
            "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n",
            "a.ts": "import { Base } from \"./base\";\n\nconst limit = 3;\n\n/** A server. */\n"
                    "export class Server extends Base {\n  size = limit;\n}\n\n"
                    "export const server = new Server();\n",
            "base.ts": "export class Base {}\n",
            "use.ts": "import { Server } from \"./a\";\nexport const s: Server = new Server();\n",
        })
        self.assert_exit(self.refactor("move_type", "Server", "net/server.ts"), 0)
        self.assertEqual(self.read("net/server.ts"),
                         "import { Base } from \"../base\";\nimport { limit } from \"../a\";\n\n"
                         "/** A server. */\nexport class Server extends Base {\n  size = limit;\n}\n")
        self.assertIn("export { Server } from \"./net/server\";", self.read("a.ts"))
        self.assertIn("export const limit", self.read("a.ts"))
        self.assertNotIn("class Server", self.read("a.ts"))

    def test_importers_take_what_moved_from_its_new_file(self):
        self.write_all({
            "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"types\": []}}\n",
            "src/a.ts": "export class Server {}\n\nexport const limit = 3;\n",
            "src/one.ts": "import { Server } from './a'\nexport const one = new Server()\n",
            "src/deep/two.ts": "import {\n  limit,\n  Server as Host,\n} from \"../a\";\nexport const two = [limit, new Host()];\n",
            "src/all.ts": "import * as a from \"./a\";\nexport const three = new a.Server();\n",
            "src/index.ts": "export { Server, limit } from \"./a\";\nexport * from \"./a\";\n",
        })
        self.assert_exit(self.refactor("move_type", "Server", "src/net/server.ts"), 0)
        self.assertEqual(self.read("src/a.ts"),
                         "export { Server } from \"./net/server\";\nexport const limit = 3;\n")
        self.assertEqual(self.read("src/one.ts"), "import { Server } from './net/server'\nexport const one = new Server()\n")
        self.assertEqual(self.read("src/deep/two.ts"),
                         "import {\n  limit,\n} from \"../a\";\nimport { Server as Host } from \"../net/server\";\n"
                         "export const two = [limit, new Host()];\n")
        self.assertEqual(self.read("src/all.ts"), "import * as a from \"./a\";\nexport const three = new a.Server();\n")
        self.assertEqual(self.read("src/index.ts"),
                         "export { limit } from \"./a\";\nexport { Server } from \"./net/server\";\nexport * from \"./a\";\n")

    def test_importers_of_python_take_what_moved_from_its_new_file(self):
        self.write_all({
            "shop/__init__.py": "from .order import Order\n",
            "shop/order.py": "import json\n\n\nclass Order:\n    text = json.dumps(1)\n\n\nclass Line:\n    pass\n",
            "shop/bill.py": "from shop.order import Line, Order as Sale\n\nprint(Line, Sale)\n",
            "other/order.py": "class Order:\n    pass\n",
            "other/use.py": "from .order import Order\n\nprint(Order)\n",
            "main.py": "import shop.bill\nfrom shop import order\n\nprint(order.Order.text, shop.bill)\n",
        })
        self.assert_exit(self.refactor("move_type", "Order", "shop/sale.py", "--file", "shop/order.py", "--line", "4"), 0)
        self.assertEqual(self.read("shop/__init__.py"), "from .sale import Order\n")
        self.assertEqual(self.read("shop/bill.py"),
                         "from shop.order import Line\nfrom shop.sale import Order as Sale\n\nprint(Line, Sale)\n")
        self.assertEqual(self.read("other/use.py"), "from .order import Order\n\nprint(Order)\n")
        done = subprocess.run(["python3", "main.py"], cwd=self.workspace, env=self.env, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_depends_on_its_file_does_not_move(self):
        cases = (
            ("old.mjs", "globalThis.cfg = {x: 4};\nexport const a = globalThis.cfg.x;\n", "a", "in the order of its lines"),
            ("old.mjs", "export let n = 0;\nexport function inc() { n++; }\n", "inc", "line 2 writes n"),
            ("old.mjs", "export function here() { return new URL('./x', import.meta.url); }\n", "here", "it uses import.meta"),
            ("old.mjs", "export function load() { return import('./x.mjs'); }\n", "load", "it uses import()"),
            ("old.py", "try:\n    import ujson as json\nexcept ImportError:\n    import json\n\n\ndef a():\n    return json\n",
             "a", "it uses json, which line 2 imports under a condition"),
            ("old.py", "K = 1\n\n\ndef a():\n    return globals()[\"K\"]\n", "a", "it uses globals"),
            ("old.py", "import os\nos.environ[\"A\"] = \"1\"\na = os.environ[\"A\"]\n", "a", "in the order of its lines"),
            ("a_linux.go", "package m\n\ntype T struct{}\n", "T", "the ending _linux of its file says where it is built"),
            ("a.go", "package m\n\nvar a = log(\"a\")\nvar b = log(\"b\")\n\nfunc log(s string) string { return s }\n", "a",
             "in the order of its lines"),
        )
        for file, text, name, reason in cases:
            with self.subTest(reason):
                self.write(file, text)
                result = self.refactor("move_symbol", name, "new" + file[file.index("."):], "--file", file)
                self.assert_exit(result, 2)
                self.assertIn(reason, result.stderr)
                self.assertEqual(self.read(file), text)
                os.remove(self.path(file))

    def test_importers_do_not_pass_a_file_that_does_something_when_loaded(self):
        self.write_all({
            "old.mjs": "globalThis.ready = true;\nexport const a = 1;\n",
            "use.mjs": "import { a } from './old.mjs';\nconsole.log(a, globalThis.ready);\n",
            "pkg/__init__.py": "", "pkg/queue.py": "class Queue:\n    pass\n",
            "main.py": "from queue import Queue\n\nfrom pkg.queue import Queue as Own\n\nprint(Queue, Own)\n",
            "two.py": "from pkg.queue import \\\n    Queue\n",
        })
        self.assert_exit(self.refactor("move_symbol", "a", "new.mjs", "--file", "old.mjs"), 0)
        self.assertIn("./old.mjs", self.read("use.mjs"))
        self.assert_exit(self.refactor("move_type", "Queue", "pkg/simple.py", "--file", "pkg/queue.py"), 0)
        self.assertEqual(self.read("main.py"),
                         "from queue import Queue\n\nfrom pkg.simple import Queue as Own\n\nprint(Queue, Own)\n")
        self.assertEqual(self.read("two.py"), "from pkg.queue import \\\n    Queue\n")

    def test_importers_stay_where_files_would_load_each_other(self):
        self.write_all({
            "package.json": "{\"type\": \"module\"}\n",
            "a.js": "export function limit() { return 3; }\n\nexport class Server { size = limit(); }\n\n"
                    "export const server = new Server();\n",
            "use.js": "import { Server } from \"./a.js\";\nconsole.log(new Server().size);\n",
        })
        self.assert_exit(self.refactor("move_type", "Server", "server.js"), 0)
        self.assertIn("from \"./a.js\"", self.read("use.js"))
        done = subprocess.run(["node", "use.js"], cwd=self.workspace, env=self.env, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "3\n"), done.stderr)

    def test_move_type_exports_what_stands_behind_the_imports(self):
        self.write_all({
            "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n",
            "base.ts": "export class Base {}\n",
            "a.ts": "import { Base } from \"./base\";\nfunction helper() { return 1; }\n\n"
                    "export class Server extends Base {\n  size = helper();\n}\n",
        })
        self.assert_exit(self.refactor("move_type", "Server", "server.ts"), 0)
        self.assertEqual(self.read("a.ts"),
                         "import { Base } from \"./base\";\nexport { Server } from \"./server\";\n"
                         "export function helper() { return 1; }\n")

    def test_move_symbol_is_followed_by_imports_that_settings_resolve(self):
        self.write("package.json", '{"type": "module", "imports": {"#area": "./src/area.js"}}')
        self.write("src/area.js", "export function area(x) { return x * x; }\nexport function other() { return 1; }\n")
        self.write("use.js", "import { area, other } from '#area';\nif (area(2) + other() !== 5) throw new Error('no');\n")
        self.assert_exit(self.refactor("move_symbol", "area", "src/shapes.js", "--file", "src/area.js"), 0)
        self.assertEqual(self.read("use.js"), "import { other } from '#area';\nimport { area } from './src/shapes.js';\n"
                                              "if (area(2) + other() !== 5) throw new Error('no');\n")
        self.assertEqual(subprocess.run(["node", "use.js"], cwd=self.path("."), env=self.env, check=False).returncode, 0)

    def test_move_symbol(self):
        self.write_all({
            "tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n",
            "a.ts": "import { base } from \"./base\";\n\n/** Twice. */\nexport function twice(): number {\n"
                    "  return base * 2;\n}\n\nexport const one = 1, two = 2;\nexport const four = twice();\n",
            "base.ts": "export const base = 1;\n",
            "use.ts": "import { twice } from \"./a\";\nexport const s = twice();\n",
        })
        self.assert_exit(self.refactor("move_symbol", "twice", "lib/twice.ts"), 0)
        self.assertEqual(self.read("lib/twice.ts"),
                         "import { base } from \"../base\";\n\n/** Twice. */\nexport function twice(): number {\n"
                         "  return base * 2;\n}\n")
        result = self.refactor("move_symbol", "one", "one.ts")
        self.assert_exit(result, 2)
        self.assertIn("one is declared together with others on line", result.stderr)
        self.write("b.ts", "export const base = 1;\nexport const more = base + 1;\n")
        result = self.refactor("move_symbol", "more", "more.ts")
        self.assert_exit(result, 2)
        self.assertIn("more needs base of b.ts while its file is loaded; move that first", result.stderr)
        self.assert_exit(self.refactor("move_symbol", "four", "four.ts"), 0)
        self.assertIn("export const four = twice();", self.read("four.ts"))

    def test_move_type_takes_methods_along_from_the_end_of_a_file(self):
        self.write_all({
            "go.mod": "module example.com/x\n\ngo 1.19\n",
            "a.go": "package x\n\nvar A = 1\n\n// T is.\ntype T struct{}\n\n"
                    "func (t T) F() int { return 1 }\n\nfunc (t T) G() int { return 2 }\n",
        })
        self.assert_exit(self.refactor("move_type", "T", "t.go"), 0)
        self.assertEqual(self.read("a.go"), "package x\n\nvar A = 1\n")
        self.assertEqual(self.read("t.go"),
                         "package x\n\n// T is.\ntype T struct{}\n\nfunc (t T) F() int { return 1 }\n\n"
                         "func (t T) G() int { return 2 }\n")

    def test_move_type_of_javascript_and_python_leaves_good_files(self):
        def moved(name, text, to, expected):
            self.write(name, text)
            self.assert_exit(self.refactor("move_type", "A", to), 0)
            self.assertEqual(self.read(name), expected)
            os.remove(self.path(name))
            os.remove(self.path(to))

        def refused(text, why):
            self.write("a.js", text)
            result = self.refactor("move_type", "A", "b.js")
            self.assert_exit(result, 2)
            self.assertIn(why, result.stderr)
            self.assertEqual(self.read("a.js"), text)

        moved("a.js", "// license\n\n\nexport class A { }\n", "b.js",
              "// license\n\n\nexport { A } from \"./b.js\";\n")
        moved("a.py", "# license\n\n\nclass A:\n    pass\n", "b.py", "# license\n\n\nfrom b import A\n")
        moved("a.js", "function f() {}\nexport { f };\nexport class A { m() { return f(); } }\n", "b.js",
              "export { A } from \"./b.js\";\nfunction f() {}\nexport { f };\n")
        refused("const k = 1, z = 2;\nexport class A { m() { return k + z; } }\n", "export it first")
        refused("class A { }\nmodule.exports = { A };\n", "no ES module")

    def test_blank_lines_at_the_end_go_with_what_is_deleted(self):
        for text in ("var a = 1;\n\nfunction gone() {}\n\n\n\n", "var a = 1;\n\n\n\nfunction gone() {}"):
            self.write("a.js", text)
            self.assert_exit(self.refactor("safe_delete", "gone"), 0)
            self.assertEqual(self.read("a.js"), "var a = 1;\n")
        self.write("go.mod", "module example.com/x\n\ngo 1.19\n")
        self.write("a.go", "package x\n\nvar Q = 1\n\ntype A struct{}\n\nfunc (A) M() {}\n\n\nfunc (A) N() {}\n")
        self.assert_exit(self.refactor("safe_delete", "A"), 0)
        self.assertEqual(self.read("a.go"), "package x\n\nvar Q = 1\n")

    def test_move_type_of_java_and_csharp(self):
        self.write("A.java", "package p;\n\nimport java.util.List;\n\nclass A {}\n\nclass B {\n  List<A> all;\n}\n")
        self.assert_exit(self.refactor("move_type", "B", "--file", "A.java"), 0)
        self.assertEqual(self.read("B.java"),
                         "package p;\n\nimport java.util.List;\n\nclass B {\n  List<A> all;\n}\n")
        self.write_all(RENAMES["csharp"][0])
        self.write("Two.cs", "using System;\n\nnamespace Shop\n{\n    /// <summary>One.</summary>\n"
                             "    public class One { }\n\n    public class Two { public String? Name; }\n}\n")
        self.assert_exit(self.refactor("move_type", "Two"), 2)  # it is in Two.cs
        self.assert_exit(self.refactor("move_type", "One"), 0)
        self.assertEqual(self.read("One.cs"), "using System;\n\nnamespace Shop\n{\n"
                                              "    /// <summary>One.</summary>\n    public class One { }\n}\n")

    def test_move_type_of_rust(self):
        self.write_all({
            "Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            "src/lib.rs": "//! Shop.\n#![deny(unused_imports)]\n\npub mod net;\n",
            "src/net.rs": """\
//! Net.

use std::fmt;
use std::io::Read as _;

mod sub;

macro_rules! twice {
    ($e:expr) => {
        $e * 2
    };
}

/// An order.
#[derive(Debug, Default)]
pub struct Order {
    total: i32,
    count: i32,
    pub(super) seen: bool,
}

// -- helpers --

fn helper() -> i32 {
    1
} // behind

impl Order {
    pub fn new() -> Self {
        Order { total: twice!(helper()), count: 0, seen: false }
    }
    fn secret(&self) -> i32 {
        self.hidden() + self::helper() + super::net::helper()
    }
    fn hidden(&self) -> i32 {
        let mut s = String::new();
        let _ = (&b"x"[..]).read_to_string(&mut s);
        self.count
    }
}

// About display.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self::helper() + self.total)
    }
}

struct Pair(i32, pub i32);

impl Pair {
    fn sum(self) -> i32 {
        self.0 + self.1
    }
}

pub fn all() -> i32 {
    let o = Order::new();
    i32::from(o.seen) + sub::deep(&o) + o.secret() + Pair(1, 2).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        assert_eq!(Order::new().total, 2);
    }
}
""",
            "src/net/sub.rs": "use super::Order;\n\npub fn deep(o: &Order) -> i32 {\n    o.total\n}\n",
        })
        self.assert_exit(self.refactor("move_type", "Order"), 0)
        self.assertEqual(self.read("src/net/order.rs"), """\
use super::*;

/// An order.
#[derive(Debug, Default)]
pub struct Order {
    pub(super) total: i32,
    count: i32,
    pub(in super::super) seen: bool,
}

impl Order {
    pub fn new() -> Self {
        Order { total: twice!(helper()), count: 0, seen: false }
    }
    pub(super) fn secret(&self) -> i32 {
        self.hidden() + super::helper() + super::super::net::helper()
    }
    fn hidden(&self) -> i32 {
        let mut s = String::new();
        let _ = (&b"x"[..]).read_to_string(&mut s);
        self.count
    }
}

// About display.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", super::helper() + self.total)
    }
}
""")
        self.assertIn("}\n\nmod order;\npub use order::Order;\n\n// -- helpers --\n\nfn helper() -> i32 {\n    1\n"
                      "} // behind\n\nstruct Pair", self.read("src/net.rs"))
        self.assert_exit(self.refactor("move_type", "Pair", "src/pair.rs"), 2)
        self.assert_exit(self.refactor("move_type", "Pair"), 0)
        self.assertEqual(self.read("src/net/pair.rs"),
                         "pub(super) struct Pair(pub(super) i32, pub i32);\n\nimpl Pair {\n"
                         "    pub(super) fn sum(self) -> i32 {\n        self.0 + self.1\n    }\n}\n")
        self.assertEqual(subprocess.run(["cargo", "test", "-q"], cwd=self.path("."), env=self.env, check=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode, 0)

    def test_move_type_of_rust_leaves_no_warnings(self):
        manifest = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
        cases = {
            "pub struct A(u32);\nimpl A {\n    pub fn n(&self) -> u32 {\n        self.0\n    }\n}\n"
            "pub fn f(n: u32) -> Option<A> {\n    Some(n).map(A)\n}\n":
                ("pub struct A(pub(super) u32);\n", "mod a;\npub use a::A;\n"),
            # nothing is needed from above
            "pub struct A(pub u32);\n\npub fn f() {}\n":
                ("pub struct A(pub u32);\n", "mod a;\npub use a::A;\n\npub fn f() {}\n"),
            # documentation belongs to what follows, comments behind an item go with it
            "use std::fmt;\n\n/// An A.\n\npub struct A; // behind\n\npub fn f(_: fmt::Error) {}\n":
                ("/// An A.\n\npub struct A; // behind\n",
                 "use std::fmt;\n\nmod a;\npub use a::A;\n\npub fn f(_: fmt::Error) {}\n"),
            # a macro declares what is used: without `use super::*` MAX would be a variable
            "macro_rules! limits {\n    () => {\n        const MAX: i32 = 3;\n    };\n}\nlimits!();\n\npub struct A(pub i32);\n"
            "impl A {\n    pub fn is(&self) -> bool {\n        match self.0 {\n            MAX => true,\n            _ => false,\n"
            "        }\n    }\n}\n": ("use super::*;\n", "macro_rules"),
            "impl X for u32 {\n    fn x(&self) {}\n}\npub trait X {\n    fn x(&self);\n}\npub struct A;\n":
                ("pub struct A;\n", "mod a;\npub use a::A;\n\nimpl X for u32 {"),
        }
        for code, (moved, rest) in cases.items():
            self.write_all({"Cargo.toml": manifest, "src/lib.rs": "#![deny(warnings)]\n" + code})
            self.assert_exit(self.refactor("move_type", "A", "--file", "src/lib.rs"), 0)
            self.assertTrue(self.read("src/a.rs").startswith(moved), self.read("src/a.rs"))
            self.assertIn(rest, self.read("src/lib.rs"))
            os.remove(self.path("src/a.rs"))
        for first in ("\ufeff", "#!/usr/bin/env run\n"):
            self.write("src/lib.rs", first + "pub struct A;\n\npub fn f() {}\n")
            self.assert_exit(self.refactor("move_type", "A", "--file", "src/lib.rs"), 0)
            self.assertTrue(self.read("src/lib.rs").startswith(first), self.read("src/lib.rs"))
            os.remove(self.path("src/a.rs"))
        twins = "#[cfg(unix)]\npub struct A;\n#[cfg(not(unix))]\npub struct A(u32);\n"
        self.write("src/lib.rs", twins)
        result = self.refactor("move_type", "A", "--file", "src/lib.rs", "--line", "2")
        self.assert_exit(result, 2)
        self.assertIn("2 types A", result.stderr)

    def test_move_type_of_rust_says_what_it_cannot_do(self):
        def refused(code, why, path="src/lib.rs", *to):
            self.write(path, code)
            result = self.refactor("move_type", "A", *to, "--file", path)
            self.assert_exit(result, 2)
            self.assertIn(why, result.stderr)
            self.assertEqual(self.read(path), code)

        self.write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        self.write("src/lib.rs", "")
        refused("mod m {\n    pub struct A;\n}\n", "nested in m")
        refused("pub struct A;\nimpl A {\n    pub fn f() {\n        mod inner {}\n    }\n}\n", "line 4")
        refused("pub struct A;\n", "below it, like src/b.rs", "src/lib.rs", "src/x/b.rs")
        refused("pub struct A;\npub mod b {}\n", "calls something else b", "src/lib.rs", "src/b.rs")
        refused("pub struct A;\n", "no file of a module", "src/lib.rs", "src/fn.rs")
        refused("pub struct A;\nfn main() {}\n", "program of its own", "src/bin/tool.rs")
        self.write("src/lib.rs", "pub mod net;\n")
        self.write("src/x.txt", "x")
        refused("pub struct A;\nimpl A {\n    pub const X: &'static str = include_str!(\"x.txt\");\n}\n",
                "reads a file", "src/net.rs")

    def test_odd_files_hold_nobody_up(self):
        self.write("a.py", "class Shop:\n    pass\n")
        self.write("deep.py", "(" * 100_000 + "Shop")
        self.write("wide.ts", "let Shop = 1;" * 100_000)
        with open(self.path("bytes.py"), "wb") as file:
            file.write(b"Shop = '\xff\xfe\x00'\n" * 1000)
        started = time.monotonic()
        result = self.refactor("rename", "Shop", "Store", "--file", "a.py")
        self.assertLess(time.monotonic() - started, 120)
        self.assertIn(result.returncode, (0, 2))
        self.assertEqual(glob.glob(self.path(".stile*")), [])


if __name__ == "__main__":
    main()
