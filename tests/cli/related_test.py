"""Names made from a renamed one, and the order of places that may mean a symbol."""

import json

from harness import StileTest, main

FILES = {
    "go.mod": "module example.com/shop\n\ngo 1.19\n",
    "order.go": "package shop\n\ntype Order struct{ total int }\n\n"
                "func NewOrder() *Order { return &Order{total: 1} }\n\nfunc OrderOfTheDay() string { return \"x\" }\n",
    "order_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestOrder_Total(t *testing.T) {\n"
                     "\tif NewOrder().total != 1 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
}


class RelatedTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    def rename(self, *more):
        result = self.stile("refactor", "rename", "Order", "Invoice", "--file", "order.go", *more, timeout=600)
        self.assert_exit(result, 0)
        return result.stdout

    def test_names_made_from_the_old_one_are_listed(self):
        self.write_all(FILES)
        said = self.rename()
        self.assertIn("Named after it, and unchanged:\n"
                      "order.go, could become invoice.go\n"
                      "NewOrder (order.go:5), could become NewInvoice\n"
                      "order_test.go, could become invoice_test.go\n"
                      "TestOrder_Total (order_test.go:5), could become TestInvoice_Total\n", said)
        self.assertIn("func NewOrder() *Invoice", self.read("order.go"))

    def test_they_follow_on_request(self):
        self.write_all(FILES)
        result = json.loads(self.rename("--related", "apply", "--json"))
        self.assertIn("func NewInvoice() *Invoice { return &Invoice{total: 1} }", self.read("invoice.go"))
        self.assertIn("func OrderOfTheDay()", self.read("invoice.go"))
        self.assertEqual(self.read("invoice_test.go"), FILES["order_test.go"].replace("Order", "Invoice"))
        done = {entry.get("symbol", entry["file"]): entry.get("result", "") for entry in result["related"]}
        self.assertIn("Renamed function NewOrder", done["NewOrder"])
        self.assertIn("Moved order.go to invoice.go", done["order.go"])

    def test_they_are_left_out_on_request(self):
        self.write_all(FILES)
        self.assertNotIn("Named after it", self.rename("--related", "none"))

    def test_likely_places_come_in_the_order_of_their_chance(self):
        self.write_all({
            "a.py": "def walk(things):\n    things.append(1)\n    things[0].append(2)\n",
            "basket.py": "class Basket:\n    def append(self, item):\n        return item\n",
            "use.py": "import basket\n\n\ndef fill(basket):\n    basket.append(1)\n",
        })
        result = self.stile("navigate", "references", "Basket.append", "--json", env={"STILE_RESOLVERS": "off"})
        self.assert_exit(result, 0)
        places = [(hit["file"], hit["certainty"]) for hit in json.loads(result.stdout)["hits"]]
        self.assertEqual(places, [("basket.py", "exact"), ("use.py", "likely"), ("a.py", "likely"), ("a.py", "likely")])


if __name__ == "__main__":
    main()
