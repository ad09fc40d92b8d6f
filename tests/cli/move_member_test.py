"""pull_up and push_down: the program does the same afterwards, or nothing changes and the reason is said."""

from harness import StileTest, main
from parallel import each

CS_PROJECT = ("<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType>"
              "<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>"
              "</PropertyGroup></Project>\n")
TS_CONFIG = "{\"compilerOptions\": {\"strict\": true, \"target\": \"es2022\", \"module\": \"es2022\", \"types\": []}}\n"
RUN_TS = ["sh", "-c", "tsc -p . --outDir ../out && cp ../out/a.js ../out/a.mjs && node ../out/a.mjs"]

UP = {
    "java": ({"A.java": "class Base {\n    int rate = 2;\n}\n\nclass Order extends Base {\n    /** Twice. */\n"
                        "    private int total(int tax) {\n        return tax * rate;\n    }\n\n"
                        "    int use() { return total(3); }\n}\n\nclass A {\n    public static void main(String[] a) {\n"
                        "        System.out.println(new Order().use());\n    }\n}\n"},
             "A.java", "Order.total", ["sh", "-c", "javac -d ../out A.java && java -cp ../out A"],
             "class Base {\n    int rate = 2;\n\n    /** Twice. */\n    protected int total(int tax) {\n"
             "        return tax * rate;\n    }\n}\n\nclass Order extends Base {\n    int use()"),
    "csharp": ({"A.csproj": CS_PROJECT,
                "A.cs": "class Base\n{\n    protected int rate = 2;\n}\n\nclass Order : Base\n{\n"
                        "    int Total(int tax)\n    {\n        return tax * rate;\n    }\n\n"
                        "    public int Use() { return Total(3); }\n}\n\nclass A\n{\n"
                        "    static void Main() { System.Console.WriteLine(new Order().Use()); }\n}\n"},
               "A.cs", "Order.Total", ["sh", "-c", "dotnet run -v q --property:NuGetAudit=false 2>&1"],
               "class Base\n{\n    protected int rate = 2;\n\n    protected int Total(int tax)\n    {\n"
               "        return tax * rate;\n    }\n}\n"),
    "typescript": ({"tsconfig.json": TS_CONFIG,
                    "a.ts": "declare const console: { log(text: unknown): void };\n\nclass Base {\n  rate = 2;\n}\n\n"
                            "class Order extends Base {\n  total(tax: number): number {\n    return tax * this.rate;\n  }\n}\n\n"
                            "console.log(new Order().total(3));\nexport {};\n"},
                   "a.ts", "Order.total", RUN_TS,
                   "class Base {\n  rate = 2;\n\n  total(tax: number): number {\n    return tax * this.rate;\n  }\n}\n\n"
                   "class Order extends Base {\n}\n"),
    "python": ({"base.py": "class Base:\n    rate = 2\n",
                "a.py": "from base import Base\n\n\nclass Order(Base):\n    def total(self, tax):\n        \"\"\"Twice\n\n"
                        "        as much.\"\"\"\n        return tax * self.rate\n\n\nprint(Order().total(3))\n"},
               "a.py", "Order.total", ["python3", "a.py"], None),
    "javascript": ({"a.mjs": "class Base {\n  rate = 2;\n}\n\nclass Order extends Base {\n  total(tax) {\n"
                             "    return tax * this.rate;\n  }\n}\n\nconsole.log(new Order().total(3));\n"},
                   "a.mjs", "Order.total", ["node", "a.mjs"], "class Base {\n  rate = 2;\n\n  total(tax) {"),
}

PRIVATE = ({"tsconfig.json": TS_CONFIG,
            "a.ts": "declare const console: { log(text: unknown): void };\n\nclass Base {\n  rate = 2;\n}\n\n"
                    "class Order extends Base {\n  private total(tax: number): number {\n    return tax * this.rate;\n  }\n\n"
                    "  gross(): number {\n    return this.total(3);\n  }\n}\n\n"
                    "console.log(new Order().gross());\nexport {};\n"},
           "a.ts", "Order.total", RUN_TS, "class Base {\n  rate = 2;\n\n  protected total(tax: number): number {")

FIELDS = {
    "java": ({"A.java": "class Base {\n    int rate = 2;\n\n    int twice() { return rate * 2; }\n}\n\n"
                        "class Order extends Base {\n    /** How many. */\n    private int count = 3;\n\n"
                        "    int use() { return count * rate; }\n}\n\nclass A {\n    public static void main(String[] a) {\n"
                        "        System.out.println(new Order().use());\n    }\n}\n"},
             "A.java", "Order.count", ["sh", "-c", "javac -d ../out A.java && java -cp ../out A"],
             "class Base {\n    int rate = 2;\n    /** How many. */\n    protected int count = 3;\n\n"
             "    int twice() { return rate * 2; }\n}\n\nclass Order extends Base {\n    int use()"),
    "csharp": ({"A.csproj": CS_PROJECT,
                "A.cs": "class Base\n{\n    protected int rate = 2;\n}\n\nclass Order : Base\n{\n"
                        "    public int Count { get; set; } = 3;\n\n    public int Use() { return Count * rate; }\n}\n\n"
                        "class A\n{\n    static void Main() { System.Console.WriteLine(new Order().Use()); }\n}\n"},
               "A.cs", "Order.Count", ["sh", "-c", "dotnet run -v q --property:NuGetAudit=false 2>&1"],
               "class Base\n{\n    protected int rate = 2;\n    public int Count { get; set; } = 3;\n}\n\n"
               "class Order : Base\n{\n    public int Use()"),
    "typescript": ({"tsconfig.json": TS_CONFIG,
                    "a.ts": "declare const console: { log(text: unknown): void };\n\nclass Base {\n  rate = 2;\n}\n\n"
                            "class Order extends Base {\n  private count: number = 3;\n"
                            "  use(): number { return this.count * this.rate; }\n}\n\n"
                            "console.log(new Order().use());\nexport {};\n"},
                   "a.ts", "Order.count", RUN_TS,
                   "class Base {\n  rate = 2;\n  protected count: number = 3;\n}\n\nclass Order extends Base {\n  use()"),
    "javascript": ({"a.mjs": "class Base {\n  rate = 2;\n}\n\nclass Order extends Base {\n  items = [];\n"
                             "  use() { this.items.push(1); return this.items; }\n}\n\nconsole.log(new Order().use());\n"},
                   "a.mjs", "Order.items", ["node", "a.mjs"], "class Base {\n  rate = 2;\n  items = [];\n}\n"),
    "python": ({"a.py": "class Base:\n    rate = 2\n\n\nclass Order(Base):\n    count: int = 3\n\n"
                        "    def use(self, count):\n        return self.count * count\n\n\nprint(Order().use(3))\n"},
               "a.py", "Order.count", ["python3", "a.py"],
               "class Base:\n    rate = 2\n    count: int = 3\n\n\nclass Order(Base):\n    def use"),
}

DOWN = {
    "java": ({"A.java": "class Base {\n    int rate = 2;\n\n    int total(int tax) {\n        return tax * rate;\n    }\n}\n\n"
                        "class Order extends Base {\n}\n\nclass Bill extends Base {\n}\n\nclass A {\n"
                        "    public static void main(String[] a) {\n"
                        "        System.out.println(new Order().total(3) + new Bill().total(4));\n    }\n}\n"},
             "A.java", "Base.total", ["sh", "-c", "javac -d ../out A.java && java -cp ../out A"]),
    "typescript": ({"tsconfig.json": TS_CONFIG,
                    "a.ts": "declare const console: { log(text: unknown): void };\n\nclass Base {\n  rate = 2;\n\n"
                            "  total(tax: number): number {\n    return tax * this.rate;\n  }\n}\n\n"
                            "class Order extends Base {}\n\nconsole.log(new Order().total(3));\nexport {};\n"},
                   "a.ts", "Base.total", RUN_TS),
}

REFUSED = {
    "a sibling that has the name": (
        "a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    def total(self):\n        return 1\n\n\n"
                "class Bill(Base):\n    def total(self):\n        return 2\n", "Bill declares total, too"),
    "a member that the base lacks": (
        "a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    rate = 2\n\n    def total(self):\n"
                "        return self.rate\n", "it uses rate (line 9), which Base does not declare"),
    "super": ("a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    def total(self):\n"
                      "        return super().__hash__()\n", "it uses super"),
    "a base of a library": ("a.py", "import threading\n\n\nclass Base(threading.Thread):\n    pass\n\n\nclass Order(Base):\n"
                                    "    def total(self):\n        return 1\n", "the project does not declare Thread"),
    "a name that libraries call": ("a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    def __str__(self):\n"
                                           "        return ''\n", "libraries call methods of that name"),
    "another order of bases": (
        "a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    def total(self):\n        return 1\n\n\n"
                "class Mixin(Base):\n    pass\n\n\nclass Sale(Order, Mixin):\n    pass\n", "Sale extends several classes"),
    "no base": ("a.py", "class Order:\n    def total(self):\n        return 1\n", "Order extends no class that the project declares"),
    "a plain call that would mean it": (
        "A.java", "class A {\n    static int total() { return 1; }\n    static class Base { int use() { return total(); } }\n"
                  "    static class Order extends Base { int total(int x) { return x; } }\n}\n", "Base uses the name"),
    "a hook of the base": (
        "a.py", "class Base:\n    def run(self):\n        return self.total()\n\n\n"
                "class Order(Base):\n    def total(self):\n        return 1\n", "Base names total in its body"),
    "a name in a string": (
        "a.py", "class Base:\n    def run(self):\n        return hasattr(self, 'total')\n\n\n"
                "class Order(Base):\n    def total(self):\n        return 1\n", "a.py:3 names it in a string"),
    "a default that comes later": (
        "a.py", "class Base:\n    pass\n\n\nRATE = 2\n\n\nclass Order(Base):\n    def total(self, rate=RATE):\n"
                "        return rate\n", "its head names RATE, which comes after Base"),
    "a patch from outside": (
        "a.mjs", "class Base {\n}\n\nclass Order extends Base {\n  total() {\n    return 1;\n  }\n}\n\n"
                 "Base.prototype.total = () => 2;\n", "a.mjs:10 gives the name another value"),
    "a class of a function": (
        "a.py", "def make(rate):\n    class Base:\n        pass\n\n    class Order(Base):\n        def total(self):\n"
                "            return rate\n\n    return Order\n", "local to a function"),
    "a condition": (
        "a.py", "FAST = True\n\n\nclass Base:\n    pass\n\n\nclass Order(Base):\n    if FAST:\n        def total(self):\n"
                "            return 1\n", "declared under a condition"),
    "an annotation": (
        "A.java", "class Base {\n}\n\nclass Order extends Base {\n    @SuppressWarnings(\"private\")\n    private int total() { return 1; }\n"
                  "}\n", "`@SuppressWarnings` is attached to it"),
    "a field that hides one": (
        "A.java", "class Base {\n    int rate = 1;\n}\n\nclass Order extends Base {\n    int rate = 2;\n\n"
                  "    int total() { return rate; }\n}\n", "it uses rate, which is another one in Base"),
    "an overload by its own type": (
        "A.java", "class Base {\n}\n\nclass Order extends Base {\n    String total() { return Shown.of(this); }\n}\n\nclass Shown {\n"
                  "    static String of(Base b) { return \"base\"; }\n\n    static String of(Order o) { return \"order\"; }\n}\n",
        "it passes `this` on"),
    "a type parameter": (
        "A.java", "class Base<T> {\n}\n\nclass Order<T> extends Base<String> {\n    Class<?> total(T t) { return t.getClass(); }\n}\n",
        "it uses the type parameter T of Order"),
    "another type of the name": (
        "a.py", "from collections import UserDict\n\n\nclass Order(UserDict):\n    def total(self):\n        return 1\n",
        "it is not certain that UserDict is the one of b.py"),
}
PLACES = {
    "other members on the line of the base": (
        "a.mjs", "class Base { rate = 2; use() { return this.rate; } }\n\nclass Order extends Base {\n  total = 3;\n  more = 4;\n}\n\n"
                 "console.log(new Order().use(), new Order().total);\n", ["node", "a.mjs"],
        "class Base { rate = 2;\n  total = 3;\n  use() { return this.rate; } }\n"),
    "a docstring of the base": (
        "a.py", "class Base:\n    \"\"\"Doc.\"\"\"\n\n    def use(self):\n        return 1\n\n\nclass Order(Base):\n    total = 3\n\n\n"
                "print(Base.__doc__, Order().total)\n", ["python3", "a.py"],
        "class Base:\n    \"\"\"Doc.\"\"\"\n\n    total = 3\n\n    def use(self):"),
    "a comment behind a base on one line": (
        "a.py", "class Base: rate = 2  # per cent\n\n\nclass Order(Base):\n    total = 3\n\n\nprint(Order().total, Order().rate)\n",
        ["python3", "a.py"], "class Base:\n    rate = 2  # per cent\n    total = 3\n"),
    "a raw docstring of the base": (
        "a.py", "class Base:\n    R\"\"\"Doc.\"\"\"\n\n\nclass Order(Base):\n    total = 3\n\n\nprint(Base.__doc__, Order().total)\n",
        ["python3", "a.py"], "class Base:\n    R\"\"\"Doc.\"\"\"\n\n    total = 3\n"),
    "a base on one line": (
        "a.py", "class Base: rate = 2; size = 1\n\n\nclass Order(Base):\n    total = 3\n\n\nprint(Order().total, Order().size)\n",
        ["python3", "a.py"], "class Base:\n    rate = 2; size = 1\n    total = 3\n"),
    "a comment behind it": (
        "a.mjs", "class Base {\n  rate = 2;\n}\n\nclass Order extends Base {\n  total = 3; // cents\n  more = 4;\n}\n\n"
                 "console.log(new Order().total);\n", ["node", "a.mjs"],
        "class Base {\n  rate = 2;\n  total = 3; // cents\n}\n\nclass Order extends Base {\n  more = 4;\n}\n"),
    "another indentation": (
        "a.py", "class Base:\n  rate = 2\n\n\nclass Order(Base):\n        total = 3\n\n\nprint(Order().total)\n", ["python3", "a.py"],
        "class Base:\n  rate = 2\n  total = 3\n"),
}

FIELDS_REFUSED = {
    "other code on its line": ("a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    total = 3; more = 4\n",
                               "other code stands on its line"),
    "a text that documents it": ("a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    total = 3\n    \"\"\"In cents.\"\"\"\n",
                                 "a text behind it documents it"),
    "an assignment of the class body": (
        "a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    total = 3\n    more = [total for _ in range(2)]\n", "uses it (line 7)"),
    "a deleted attribute": ("a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    total = 3\n\n\ndel Order.total\n",
                            "a.py:9 deletes it"),
    "a getter that the constructor reads": (
        "a.mjs", "class Base {\n  constructor() { this.name = this.title; }\n  get title() { return 'a'; }\n}\n\nclass Order extends Base {\n"
                 "  total = 3;\n  get title() { return 'b' + this.total; }\n}\n", "code that makes an object of Base calls methods"),
    "a constructor that gives another object": (
        "a.mjs", "class Base {\n  constructor(o) { return o; }\n}\n\nclass Order extends Base {\n  total = 3;\n}\n",
        "code that makes an object of Base calls methods"),
    "a constructor that sets every field": (
        "a.mjs", "class Base {\n  constructor(o) { for (const k in o) this[k] = o[k]; }\n}\n\nclass Order extends Base {\n  total = 3;\n}\n",
        "code that makes an object of Base calls methods"),
    "an inner class that the constructor makes": (
        "A.java", "class Base {\n    Base() { new Inner(); }\n    class Inner { Inner() { init(); } }\n    void init() {}\n}\n\n"
                  "class Order extends Base {\n    int total = 1;\n    void init() { total = 4; }\n}\n",
        "code that makes an object of Base calls methods"),
    "a constant that sets its class up": (
        "A.java", "class Base {\n}\n\nclass Order extends Base {\n    static final Integer total = 4;\n}\n", "it is `static`"),
    "a value of a prototype": (
        "a.mjs", "class Base {\n}\n\nclass Order extends Base {\n  total = 3;\n}\n\nclass Bill extends Base {\n}\n\nBill.prototype.total = 8;\n",
        "a.mjs:11 gives the name another value"),
    "a class that extends by an alias": (
        "a.mjs", "export class Base {\n}\n\nexport class Order extends Base {\n  total = 3;\n}\n", "b.mjs knows Base by another name"),
    "a hook of a sibling": (
        "a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    total = 3\n\n\nclass Bill(Base):\n    def __getattr__(self, name):\n"
                "        return 5\n", "Bill has __getattr__"),
    "lines that would join": (
        "a.mjs", "class Base {\n}\n\nclass Order extends Base {\n  rate = 2\n  total = 3;\n  ['more'] = 4;\n}\n",
        "no semicolon ends the code above"),
    "a constructor that calls a method": (
        "A.java", "class Base {\n    Base() { init(); }\n    void init() {}\n}\n\nclass Order extends Base {\n    int total = 1;\n"
                  "    void init() { total = 4; }\n}\n", "code that makes an object of Base calls methods"),
    "several names": ("A.java", "class Base {\n}\n\nclass Order extends Base {\n    int total = 1, other = 2;\n}\n",
                      "its declaration declares other names, too"),
    "a static field": ("A.java", "class Base {\n}\n\nclass Order extends Base {\n    static int total = 1;\n}\n", "it is `static`"),
    "a value that is made": ("A.java", "class Base {\n}\n\nclass Order extends Base {\n    int[] total = {1};\n}\n",
                             "its value is more than a constant"),
    "a parameter of the constructor": (
        "a.ts", "class Base {\n}\n\nclass Order extends Base {\n  constructor(private total: number) { super(); }\n}\n",
        "it is not declared in the body of its class"),
    "a constructor of JavaScript": (
        "a.mjs", "class Base {\n  constructor() { this.init(); }\n  init() {}\n}\n\nclass Order extends Base {\n  total = [];\n"
                 "  init() { this.total = [1]; }\n}\n", "code that makes an object of Base calls methods"),
    "a class body that uses it": (
        "a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    total = 3\n    more = total + 1\n",
        "the body of its class uses it (line 7)"),
    "an attribute of a method": (
        "a.py", "class Base:\n    pass\n\n\nclass Order(Base):\n    def __init__(self):\n        self.total = 3\n",
        "it is not declared in the body of its class"),
    "a dataclass": (
        "a.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    rate: int = 2\n\n\n@dataclass\n"
                "class Order(Base):\n    total: int = 3\n", "an annotation or decorator of Order may read its fields"),
    "a property with code": (
        "A.cs", "class Base\n{\n}\n\nclass Order : Base\n{\n    public int total => 1;\n}\n", "it is a property with code"),
}
BESIDE = {"another type of the name": ("b.py", "class UserDict:\n    pass\n"),
          "a class that extends by an alias": (
              "b.mjs", "import { Base as Thing } from './a.mjs';\nexport class Bill extends Thing {\n  get total() { return 5; }\n}\n")}


class MoveMemberTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    def play(self, operation, case):
        files, file, symbol, command, *expected = case
        self.write_all(files)
        before = self.printed(command)
        result = self.stile("refactor", operation, symbol, "--file", file, timeout=600)
        self.assert_exit(result, 0)
        self.assertEqual(self.printed(command), before, result.stdout)
        if expected and expected[0]:
            self.assertIn(expected[0], self.read(file))

    @each(list(UP))
    def test_a_method_goes_to_the_base(self, language):
        self.play("pull_up", UP[language])

    def test_a_private_method_becomes_protected_in_the_base(self):
        self.play("pull_up", PRIVATE)

    def test_the_lines_of_a_docstring_stay(self):
        self.play("pull_up", UP["python"])
        self.assertEqual(self.read("base.py"),
                         "class Base:\n    rate = 2\n\n    def total(self, tax):\n        \"\"\"Twice\n\n        as much.\"\"\"\n"
                         "        return tax * self.rate\n")
        self.assertIn("class Order(Base):\n    pass\n", self.read("a.py"))

    @each(list(FIELDS))
    def test_a_field_goes_to_the_base(self, language):
        self.play("pull_up", FIELDS[language])

    @each(list(PLACES))
    def test_where_a_field_goes(self, case):
        file, text, command, expected = PLACES[case]
        self.play("pull_up", ({file: text}, file, "Order.total", command, expected))

    @each(list(FIELDS_REFUSED))
    def test_a_field_stays(self, case):
        file, text, reason = FIELDS_REFUSED[case]
        self.write(file, text)
        if case in BESIDE:
            self.write(*BESIDE[case])
        result = self.stile("refactor", "pull_up", "Order.total", "--file", file)
        self.assert_exit(result, 2)
        self.assertIn(reason, result.stderr)
        self.assertEqual(self.read(file), text)

    @each(list(DOWN))
    def test_a_method_goes_to_the_derived_classes(self, language):
        self.play("push_down", DOWN[language])
        files, file, *_ = DOWN[language]
        self.assertLess(self.read(file).index("class Order"), self.read(file).index("total(" + ("int" if language == "java" else "tax")))

    def test_what_calls_it_on_the_base_keeps_it_there(self):
        text = DOWN["typescript"][0]["a.ts"].replace("new Order()", "new Base()")
        self.write_all({"tsconfig.json": TS_CONFIG, "a.ts": text})
        result = self.stile("refactor", "push_down", "Base.total", "--file", "a.ts", timeout=600)
        self.assert_exit(result, 2)
        self.assertEqual(self.read("a.ts"), text)

    def test_a_method_stays_if_a_class_extends_its_own_by_another_name(self):
        files = {"tsconfig.json": TS_CONFIG,
                 "a.ts": "export class Base {\n  total(): number {\n    return 1;\n  }\n}\n\nexport class Order extends Base {}\n",
                 "b.ts": "import { Base as Thing } from './a.js';\nexport class Bill extends Thing {}\n"}
        self.write_all(files)
        result = self.stile("refactor", "push_down", "Base.total", "--file", "a.ts", timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("b.ts knows Base by another name", result.stderr)
        self.assertEqual(self.read("a.ts"), files["a.ts"])

    @each(list(REFUSED))
    def test_refused(self, case):
        file, text, reason = REFUSED[case]
        self.write(file, text)
        if case in BESIDE:
            self.write(*BESIDE[case])
        name = "__str__" if "__str__" in text else "total"
        result = self.stile("refactor", "pull_up", "Order." + name, "--file", file)
        self.assert_exit(result, 2)
        self.assertIn(reason, result.stderr)
        self.assertEqual(self.read(file), text)


if __name__ == "__main__":
    main()
