"""stile refactor move_file: files with their imports, judged by the real compilers."""

import json
import os
import shutil
import subprocess
import unittest

from harness import StileTest, main


class MoveFileTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    def move(self, *arguments, code=0, cwd=None):
        result = self.stile("refactor", "move_file", *arguments, timeout=600, cwd=cwd)
        self.assert_exit(result, code)
        return result.stdout + result.stderr

    def assert_moved(self, from_path, to_path):
        self.assertFalse(os.path.exists(self.path(from_path)))
        self.assertTrue(os.path.exists(self.path(to_path)))

    def test_typescript(self):
        self.write_all({
            "tsconfig.json": json.dumps({"compilerOptions": {
                "strict": True, "module": "esnext", "moduleResolution": "bundler", "noEmit": True, "types": [],
                "paths": {"@/*": ["./src/*"]}}, "include": ["src"]}),
            "package.json": "{\"main\": \"src/order.ts\", \"scripts\": {\n\"go\": \"node src/order.ts\"}}\n",
            "src/order.ts": "import { Item } from \"./item\";\nexport class Order {\n  items: Item[] = [];\n}\n",
            "src/item.ts": "export class Item {}\n",
            "src/near.ts": "import { Order } from \"./order\";\nexport const order = new Order();\n",
            "src/far.ts": "import { Order } from \"@/order\";\nexport const order = new Order();\n"})
        said = self.move("src/order.ts", "src/shop/orders.ts")
        self.assertIn("Moved src/order.ts to src/shop/orders.ts", said)
        self.assertIn("It builds as before.", said)
        self.assertIn("These lines name src/order.ts or its folder, and were not changed:\npackage.json:2: \"go\"", said)
        self.assertIn("{\"main\": \"src/shop/orders.ts\"", self.read("package.json"))
        self.assert_moved("src/order.ts", "src/shop/orders.ts")
        self.assertIn("from \"../item\"", self.read("src/shop/orders.ts"))
        self.assertIn("from \"./shop/orders\"", self.read("src/near.ts"))
        self.assertIn("from \"@/shop/orders\"", self.read("src/far.ts"))

    def test_git_applies_the_diff_of_a_preview(self):
        files = {"shop/__init__.py": "", "shop/order.py": "from .item import Item\n\n\nclass Order:\n    item = Item()\n",
                 "shop/item.py": "class Item:\n    pass\n", "sub/__init__.py": "", "a.py": "from shop.order import Order\n",
                 "z.py": "from shop.order import Order\n"}
        self.write_all(files)
        diff = self.move("shop/order.py", "sub/order.py", "--preview")
        diff = diff[diff.index("--- a/a.py"):]
        self.assertIn("rename from shop/order.py\nrename to sub/order.py\n", diff)
        subprocess.run(["git", "apply", "-"], cwd=self.workspace, env=self.env, input=diff, text=True, check=True)
        applied = {name: self.read(name) for name in ("sub/order.py", "a.py", "z.py")}
        self.assert_moved("shop/order.py", "sub/order.py")
        os.remove(self.path("sub/order.py"))
        self.write_all(files)
        self.move("shop/order.py", "sub/order.py")
        self.assertEqual({name: self.read(name) for name in applied}, applied)

    def test_python_into_a_folder(self):
        self.write_all({"shop/__init__.py": "", "shop/order.py": "from .item import Item\n\n\nclass Order:\n    item = Item()\n",
                        "shop/item.py": "class Item:\n    pass\n", "shop/sub/__init__.py": "",
                        "main.py": "from shop.order import Order\n\nprint(Order().item)\n"})
        self.move("order.py", "sub/", "--workspace", self.workspace, cwd=self.path("shop"))
        self.assert_moved("shop/order.py", "shop/sub/order.py")
        self.assertIn("from shop.sub.order import Order", self.read("main.py"))
        subprocess.run(["python3", "main.py"], cwd=self.workspace, env=self.env, check=True, capture_output=True)

    def test_cpp(self):
        self.write_all({
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\n"
                              "add_library(p src/order.cc src/use.cc)\ntarget_include_directories(p PRIVATE src)\n",
            "src/order.h": "#pragma once\n#include \"item.h\"\nint total(const Item& item);\n",
            "src/item.h": "#pragma once\nstruct Item {\n  int price = 1;\n};\n",
            "src/order.cc": "#include \"order.h\"\nint total(const Item& item) { return item.price; }\n",
            "src/use.cc": "#include \"order.h\"\nint f() { return total(Item()); }\n"})
        self.move("src/order.h", "src/shop/order.h")
        self.assertIn("It builds as before.", self.move("src/order.cc", "src/shop/order.cc"))
        self.assertIn("src/shop/order.cc src/use.cc", self.read("CMakeLists.txt"))
        self.assertEqual(self.read("src/shop/order.cc").splitlines()[0], "#include \"order.h\"")
        self.assertEqual(self.read("src/use.cc").splitlines()[0], "#include \"shop/order.h\"")

    def test_java(self):
        if shutil.which("javac") is None:
            raise unittest.SkipTest("javac is not installed (scripts/setup test)")
        self.write_all({
            "src/shop/Order.java": "package shop;\n\npublic class Order {\n    public Item item = new Item();\n}\n",
            "src/shop/Item.java": "package shop;\n\npublic class Item {\n}\n",
            "src/app/Main.java": "package app;\n\nimport shop.Order;\n\nclass Main {\n    Object item = new Order().item;\n}\n"})
        self.assertIn("It builds as before.", self.move("src/shop/Order.java", "src/shop/orders/Order.java"))
        self.assertIn("import shop.orders.Order;", self.read("src/app/Main.java"))
        self.assertIn("import shop.Item;", self.read("src/shop/orders/Order.java"))

    def test_go_stays_in_its_folder(self):
        self.write_all({"go.mod": "module example.com/p\n\ngo 1.19\n", "a.go": "package p\n\nfunc F() int { return 1 }\n"})
        self.assertIn("in Go a folder is a package", self.move("a.go", "sub/a.go", code=2))
        self.assertIn("It builds as before.", self.move("a.go", "b.go"))

    def test_a_move_that_does_not_build_is_taken_back(self):
        # An escaped path is not followed.
        config = json.dumps({"compilerOptions": {"strict": True, "noEmit": True, "types": []}, "files": ["a.ts", "b.ts"]})
        files = {"tsconfig.json": config.replace("a.ts", "\\u0061.ts"),
                 "a.ts": "export const a = 1;\n", "b.ts": "import { a } from \"./a\";\nexport const b = a;\n"}
        self.write_all(files)
        self.assertIn("Nothing was changed", self.move("a.ts", "c.ts", code=2))
        for name, text in files.items():
            self.assertEqual(self.read(name), text)
        self.assertFalse(os.path.exists(self.path("c.ts")))

    def test_places_that_cannot_be(self):
        self.write_all({"a.ts": "export const a = 1;\n", "b.ts": "export const b = 1;\n"})
        self.assertIn("b.ts exists already", self.move("a.ts", "b.ts", code=2))
        self.assertIn("outside", self.move("a.ts", "../c.ts", code=2))
        self.assertIn("needs NEW-PATH: stile refactor move_file FILE NEW-PATH", self.move("a.ts", code=2))
        self.assertIn("missing.ts", self.move("missing.ts", "c.ts", code=2))
        self.assertIn("a.ts is there", self.move("a.ts", "a.ts", code=2))
        os.symlink("a.ts", self.path("link.ts"))
        self.assertIn("link.ts is a symbolic link to a.ts", self.move("link.ts", "c.ts", code=2))
        self.assertEqual(os.readlink(self.path("link.ts")), "a.ts")


if __name__ == "__main__":
    main()
