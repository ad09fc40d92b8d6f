"""The code tools for people: stile navigate, inspect, search and generate."""

import json
import os

from harness import StileTest, call, finish, main, write

SHOP = "class Shop:\n    \"\"\"Sells.\"\"\"\n\n    def price(self):\n        return 1\n"
USE = "from shop import Shop\n\n\ndef main():\n    print(Shop().price())\n"


class CodeTest(StileTest):

    def setUp(self):
        super().setUp()
        self.env["STILE_RESOLVERS"] = "off"  # resolver_test.py has the language servers
        self.write("shop.py", SHOP)
        self.write("sub/use.py", USE)

    def test_references_as_text_and_as_json(self):
        result = self.stile("navigate", "references", "Shop")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines(), [
            "3 references of class Shop (shop.py:1)",
            "shop.py:1:7 in Shop: class Shop:",
            "sub/use.py:1:18: from shop import Shop",
            "sub/use.py:5:11 in main: print(Shop().price())",
            "Resolved by: syntax."])
        result = self.stile("navigate", "callers", "Shop.price", "--json")
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertEqual([hit["file"] for hit in answer["hits"]], ["sub/use.py"])
        self.assertEqual(answer["hits"][0]["certainty"], "likely")

    def test_what_git_tracks_is_never_ignored(self):
        self.write_all({".gitignore": "out\n*.gen.py\n", "out/use.py": "import shop\n\n\nprint(shop.Shop())\n", "a.gen.py": "from shop import Shop\n",
                        "out/new.py": "from shop import Shop\n"})
        self.init_git()
        self.git("add", "--force", "out/use.py", "a.gen.py")
        result = self.stile("navigate", "references", "Shop", "--json")
        self.assert_exit(result, 0)
        self.assertEqual(sorted({hit["file"] for hit in json.loads(result.stdout)["hits"]}), ["a.gen.py", "out/use.py", "shop.py", "sub/use.py"])

    def test_paths_are_those_of_the_shell(self):
        folder = self.path("sub")
        result = self.stile("inspect", "use.py", "--workspace", "..", cwd=folder)
        self.assert_exit(result, 0)
        self.assertIn("sub/use.py: Python, 5 lines", result.stdout)
        result = self.stile("inspect", "Shop")
        self.assert_exit(result, 0)
        self.assertIn("  | Sells.", result.stdout)
        self.assertIn("def price(self)", result.stdout)

    def test_search_as_text_and_as_json(self):
        result = self.stile("search", "what the price is", "--limit", "2")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[:2],
                         ["shop.py:4-5 method Shop.price", "  def price(self)"])
        result = self.stile("search", "Shop", "--files", "*/use.py", "--json")
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertEqual({hit["file"] for hit in answer["hits"]}, {"sub/use.py"})
        self.assertEqual(answer["files"], 1)
        result = self.stile("search", "nothing-of-the-kind")
        self.assert_exit(result, 0)
        self.assertIn("Nothing in 2 files", result.stdout)

    def test_what_cannot_be_answered_says_so(self):
        for arguments, words in (
                (("navigate", "definition", "Missing"), "no code in the workspace uses the name Missing; no other text file"),
                (("navigate", "nonsense", "Shop"), "nonsense"),
                (("navigate", "usages", ""), "empty"),
                (("inspect", "../outside.py", "--file", "../outside.py"), "outside"),
                (("search", "  "), "empty"),
                (("search", "x", "--limit", "0"), "--limit"),
                (("inspect", "print"), "may come from a library")):
            result = self.stile(*arguments)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)

    def test_navigate_looks_for_text_where_no_symbol_answers(self):
        self.write("Makefile", "price_list:\n\ttouch price_list.txt\n")
        self.write("docs/a.md", "The price_list, not my_price_list.\n")
        with open(self.path("binary"), "wb") as file:
            file.write(b"price_list\0")
        result = self.stile("navigate", "definition", "price_list")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines(), [
            "No symbol answers to price_list: no code in the workspace uses the name price_list.",
            "3 lines hold it as text (certainty: text):",
            "Makefile:1:1 (text): price_list:",
            "Makefile:2:8 (text): touch price_list.txt",
            "docs/a.md:1:5 (text): The price_list, not my_price_list."])
        result = self.stile("navigate", "usages", "Shop.price_list", "--json", "--limit", "1")
        self.assert_exit(result, 0)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["hits"], [{"file": "Makefile", "line": 1, "column": 1, "symbol": "", "text": "price_list:",
                                           "certainty": "text"}])
        self.assertEqual((answer["total"], answer["exact"], answer["targets"]), (3, 0, []))
        # A library's name: code uses it, and none declares it.
        result = self.stile("navigate", "references", "print")
        self.assert_exit(result, 0)
        self.assertIn("may come from a library", result.stdout.splitlines()[0])
        self.assertIn("sub/use.py:5:5 (text): print(Shop().price())", result.stdout)

    def test_near_names_are_suggested(self):
        for arguments, words in ((("inspect", "Shp"), "Did you mean Shop?"), (("navigate", "usages", "Shep"), "Did you mean Shop?"),
                                 (("refactor", "rename", "Shopp", "X"), "Did you mean Shop?"),
                                 (("refactor", "rename", "Shop", "X", "--file", "sub/shop.py"), "Did you mean shop.py?")):
            result = self.stile(*arguments)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)

    def test_hierarchies_and_hover(self):
        self.write("graph.py", "class Base:\n    pass\n\n\nclass Mid(Base):\n    pass\n\n\nclass Top(Mid):\n    pass\n\n\n"
                               "def low():\n    \"\"\"Lowest.\"\"\"\n\n\ndef middle():\n    low()\n\n\ndef high():\n    middle()\n")

        def hits(*arguments):
            answer = json.loads(self.stile("navigate", *arguments, "--json").stdout)
            return [(hit["line"], hit["depth"]) for hit in answer["hits"]]
        self.assertEqual(hits("callers", "low"), [(18, 1)])
        self.assertEqual(hits("callers", "low", "--depth", "2"), [(18, 1), (22, 2)])
        self.assertEqual(hits("callees", "high", "--depth", "5"), [(17, 1), (13, 2)])
        self.assertEqual(hits("base_types", "Top", "--depth", "2"), [(5, 1), (1, 2)])
        shown = self.stile("navigate", "hover", "low").stdout
        self.assertIn("def low()\nLowest.\n", shown)
        self.assertIn("Resolved by: syntax.", shown)

    def test_a_prototype_and_its_definition_are_one(self):
        self.write("s.h", "char *cat(char *s);\n")
        self.write("s.c", "#include \"s.h\"\nchar *cat(char *s) { return s; }\nint main(void) { return cat(0) == 0; }\n")
        for place in ("s.h:1", "s.c:2"):
            file, line = place.split(":")
            answer = json.loads(self.stile("navigate", "references", "cat", "--file", file, "--line", line, "--json").stdout)
            self.assertEqual((answer["total"], answer["exact"]), (3, 3))

    def test_the_fallback_of_a_run_is_in_its_journal(self):
        self.write("Makefile", "price_list:\n\ttouch price_list.txt\n")
        result = self.run_task(call("code.navigate", operation="definition", symbolName="price_list"),
                               call("code.navigate", operation="definition", symbolName="Shop"),
                               call("code.navigate", operation="definition", symbolName="nowhere"),
                               finish("looked"), arguments=["--json"])
        self.assert_exit(result, 0)
        events = self.events(result)
        logs = [event for event in events if event["type"] == "log" and "fallback" in event]
        self.assertEqual([event["fallback"] for event in logs], ["code.navigate"])
        self.assertIn("No symbol answers to price_list", logs[0]["text"])
        seen = [event["observation"] for event in events if event["type"] == "tool_finished"]
        self.assertIn("certainty: text", seen[0])
        shown = json.loads(self.stile("runs", "show", self.runs()[0]["id"], "--json").stdout)
        self.assertEqual(shown["lookups"], {"semantic": 1, "text": 1})

    def test_odd_files_hold_nobody_up(self):
        os.mkfifo(self.path("fifo.py"))
        os.symlink("/dev/zero", self.path("zero.py"))
        self.write("deep.py", "(" * 100_000 + "Shop")
        self.write("wide.ts", "let Shop = 1;" * 100_000)
        with open(self.path("bytes.py"), "wb") as file:
            file.write(b"Shop = '\xff\xfe\x00'\n" * 1000)
        result = self.stile("navigate", "references", "Shop", timeout=120)
        self.assert_exit(result, 0)
        self.assertIn("shop.py:1:7", result.stdout)
        result = self.stile("search", "Shop", timeout=120)
        self.assert_exit(result, 0)
        self.assertTrue(result.stdout.startswith("shop.py:1-5 class Shop\n"), result.stdout)

    def test_the_model_sees_what_it_has_just_written(self):
        result = self.run_task(
            write("new.py", "import shop\nshop.Shop()\n"),
            call("code.navigate", operation="usages", symbolName="Shop"),
            call("code.inspect", filePath="new.py"), call("code.search", query="shop price"), finish("looked", status="gave_up"),
            arguments=["--json"])
        self.assert_exit(result, 1)
        seen = [e["observation"] for e in self.events(result) if e["type"] == "tool_finished"]
        self.assertIn("new.py:2:6: shop.Shop()", seen[1])
        self.assertIn("new.py: Python, 2 lines", seen[2])
        self.assertTrue(seen[3].startswith("shop.py:4-5 method Shop.price\n"), seen[3])

    def test_generate_writes_and_shows_what_it_wrote(self):
        result = self.stile("generate", "method", "--file", "shop.py", "--class", "Shop", "--method", "sell",
                            "--signature", "count: int", "--body", "-", stdin="return count\n")
        self.assert_exit(result, 0)
        self.assertIn("Generated method Shop.sell.", result.stdout)
        self.assertTrue(self.read("shop.py").endswith(
            "\n    def sell(self, count: int):\n        return count\n"))
        folder = self.path("sub")
        result = self.stile("generate", "create_type", "--file", "new.go", "--class", "Item", "--workspace", "..",
                            "--json", cwd=folder)
        self.assert_exit(result, 0)
        self.assertEqual(json.loads(result.stdout)["files"], [{"created": True, "lines": [1, 4], "path": "sub/new.go"}])
        result = self.stile("generate", "method", "--class", "Nobody", "--method", "x")
        self.assert_exit(result, 2)
        self.assertIn("Nobody", result.stderr)

    def test_generate_builds_what_it_wrote(self):
        self.write_all({"go.mod": "module example.com/m\n\ngo 1.19\n", "a.go": "package m\n\ntype Buf struct{ data []byte }\n"})
        result = self.stile("generate", "method", "--class", "Buf", "--method", "Len", "--signature", "() int", "--body",
                            "return 1")
        self.assert_exit(result, 0)
        self.assertIn("Generated method Buf.Len. It builds as before.", result.stdout)
        result = self.stile("generate", "method", "--class", "Buf", "--method", "Cap", "--signature", "() int", "--body",
                            "return missing")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"Generated method Buf\.Cap\. It does not build now:\na\.go:\d+:\d+: error: undefined: missing")
        self.assertIn("return missing", self.read("a.go"))
        result = self.stile("generate", "implement_interface", "--class", "Buf", "--signature", "io.Reader")
        self.assert_exit(result, 2)
        self.assertIn("write `var _ io.Reader = (*Buf)(nil)` and let stile refactor apply_fix mend that line", result.stderr)

    def test_generate_from_a_template_says_that_nothing_was_parsed(self):
        result = self.stile("generate", "create_type", "--file", "lib/order.rb", "--class", "Order", "--body", "-",
                            stdin="def total\n  1\nend\n")
        self.assert_exit(result, 0)
        self.assertIn("Stile does not parse Ruby", result.stdout)
        order = "class Order\n  def total\n    1\n  end\nend\n"
        self.assertEqual(self.read("lib/order.rb"), order)
        result = self.stile("generate", "method", "--file", "lib/order.rb", "--method", "pay", "--signature", "(order)")
        self.assert_exit(result, 0)
        self.assertEqual(self.read("lib/order.rb"), order + "\ndef pay(order)\n"
                         "  raise NotImplementedError, 'pay is not implemented'\nend\n")
        for arguments, why in (
                (("method", "--file", "lib/order.rb", "--class", "Order", "--method", "tax"), "edit the file by hand"),
                (("create_type", "--file", "lib/order.rb", "--class", "Order"), "already"),
                (("tests", "--file", "lib/order.rb", "--class", "Order"), "not available for Ruby"),
                (("create_type", "--file", "a.zig", "--class", "Order"), "does not know the language")):
            result = self.stile("generate", *arguments)
            self.assert_exit(result, 2)
            self.assertIn(why, result.stderr)


if __name__ == "__main__":
    main()
