// What is generated and extracted, given to real compilers; and programs that must print the same
// before and after.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "runtime/base/text.h"
#include "runtime/process/process_runner.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tests/support/toolchain_env.h"
#include "tools/codegen/generate.h"
#include "tools/extract/extract_interface.h"
#include "tools/extract/extract_method.h"
#include "tools/extract/extract_variable.h"
#include "tools/refactor/change_signature.h"

namespace stile {
namespace {

class RealCode : public testing::Test {
 protected:
  void Write(const std::string& path, absl::string_view text) {
    dir_.Write(path, text);
    if (std::find(paths_.begin(), paths_.end(), path) == paths_.end()) paths_.push_back(path);
  }

  void Apply(const absl::StatusOr<EditPlan>& plan, const std::string& what) {
    ASSERT_TRUE(plan.ok()) << what << ": " << plan.status();
    for (const auto& [path, file] : plan->files()) Write(path, file.After());
  }

  void Generate(const GenerateRequest& request) {
    const auto generated = PlanGenerate({dir_.path(), &languages_, &index_}, request);
    ASSERT_TRUE(generated.ok()) << request.operation << ": " << generated.status();
    Apply(generated->plan, request.operation);
  }

  // The lines from the first that holds `from` to the next that holds `to`.
  void ExtractMethod(const std::string& path, const std::string& from, const std::string& to,
                     const std::string& name) {
    const auto file = index_.Open(path);
    ASSERT_TRUE(file.ok());
    const auto [first, last] = LinesOf(**file, from, to);
    Apply(PlanExtractMethod(**file, first, last, name, Probe()), absl::StrCat("method ", name));
  }
  void ExtractVariable(const std::string& path, const std::string& line, const std::string& text,
                       const std::string& name) {
    const auto file = index_.Open(path);
    ASSERT_TRUE(file.ok());
    const auto [first, last] = LinesOf(**file, line, line);
    Apply(PlanExtractVariable(**file, first, last, 0, text, name, Probe()),
          absl::StrCat("variable ", name));
  }
  void ExtractInterface(const std::string& type, const std::string& name) {
    Apply(PlanExtractInterface({dir_.path(), &languages_, &index_}, "", type, name, nullptr),
          "interface");
  }
  void ChangeSignature(const std::string& name, const std::string& signature) {
    auto resolution = Resolve(ParseSymbolName(name), &index_);
    ASSERT_TRUE(resolution.ok()) << resolution.status();
    Apply(PlanChangeSignature(*std::move(resolution), &index_, signature), "signature");
  }

  // Standard output; a failure of the program is one of the test.
  std::string Run(const std::vector<std::string>& argv) {
    const ProcessResult result = Start(argv, dir_.path());
    EXPECT_TRUE(result.ok()) << absl::StrJoin(argv, " ") << "\n"
                             << result.out << result.err << Texts();
    return result.out;
  }
  bool Has(const std::string& program) const { return HasProgram(program); }

  std::vector<std::string> check_;  // prints errors as FILE:LINE:… or FILE(LINE,…): …

 private:
  ProcessResult Start(const std::vector<std::string>& argv, const std::string& folder) {
    ProcessRequest request;
    request.argv = argv;
    request.cwd = folder;
    request.env = TestEnvironment();
    request.timeout = absl::Minutes(4);
    auto result = runner_->Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ProcessResult();
  }

  std::string Texts() const {
    std::string text;
    for (const std::string& path : paths_) {
      absl::StrAppend(&text, "== ", path, "\n", dir_.Read(path));
    }
    return text;
  }

  static std::pair<int, int> LinesOf(const SourceFile& file, const std::string& from,
                                     const std::string& to) {
    int first = 0;
    const std::vector<absl::string_view> lines = SplitLines(file.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (first == 0 && absl::StrContains(lines[i], from)) first = static_cast<int>(i) + 1;
      if (first > 0 && absl::StrContains(lines[i], to)) return {first, static_cast<int>(i) + 1};
    }
    ADD_FAILURE() << from << " … " << to << " not in " << file.text;
    return {1, 1};
  }

  ProbeEdits Probe() {
    if (check_.empty()) return nullptr;
    return [this](const EditPlan& plan) -> absl::StatusOr<ProbeReport> {
      const TempDir copy;
      for (const std::string& path : paths_) copy.Write(path, dir_.Read(path));
      for (const auto& [path, file] : plan.files()) copy.Write(path, file.After());
      const ProcessResult result = Start(check_, copy.path());
      ProbeReport report;
      report.judged = true;
      static const std::regex error(
          R"(^(?:vet: )?(?:\./)?([\w./]+)[:(](\d+)[^ ]* (?:error[^:]*: )?(.*)$)");
      // Some compilers print whole paths.
      const std::string output = absl::StrReplaceAll(absl::StrCat(result.out, "\n", result.err),
                                                     {{copy.path() + "/", ""}});
      for (const absl::string_view view : SplitLines(output)) {
        const std::string line(absl::StripAsciiWhitespace(view));
        std::smatch match;
        if (!std::regex_match(line, match, error)) continue;
        Diagnostic diagnostic;
        diagnostic.file = match[1];
        diagnostic.line = std::stoi(match[2]);
        diagnostic.message = match[3];
        report.errors.push_back(std::move(diagnostic));
      }
      return report;
    };
  }

  const TempDir dir_;
  std::vector<std::string> paths_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex index_{dir_.path(), &languages_, [this](const auto& use) {
                     for (const std::string& path : paths_) use(path);
                   }};
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
};

TEST_F(RealCode, GoKeepsItsMeaning) {
  if (!Has("go")) GTEST_SKIP() << "go is not installed";
  check_ = {"go", "build", "-gcflags=-e", "./..."};
  Write("go.mod", "module example.com/shop\n\ngo 1.19\n");
  Write("main.go", R"(package main

import "fmt"

type Order struct {
	id    int
	Lines []int
}

func (o *Order) Total(tax int) (int, error) {
	sum := 0
	for _, line := range o.Lines {
		if line < 0 {
			continue
		}
		sum += line * tax
	} // lines
	scaled := float64(sum) * 2
	label := fmt.Sprint(scaled, "x")
	for i := range label {
		sum += i
	} // label
	fmt.Println(label, o.id+1, sum)
	if sum > 1000 {
		return 0, fmt.Errorf("big")
	}
	return sum, nil
}

func main() {
	order := &Order{id: 3, Lines: []int{1, 2, -3, 4}}
	fmt.Println(order.Total(5))
}
)");
  Write("store/store.go", R"(package store

import "context"

type Item struct{ ID int }

type Store interface {
	Get(ctx context.Context, id int) (*Item, error)
	Put(item Item, more ...*Item)
}
)");
  const std::string before = Run({"go", "run", "."});
  ExtractMethod("main.go", "for _, line", "} // lines", "addUp");
  ExtractMethod("main.go", "scaled := ", "label := ", "makeLabel");
  ExtractMethod("main.go", "for i := range", "} // label", "addLabel");
  ExtractMethod("main.go", "if sum > 1000", "return sum, nil", "check");
  ExtractVariable("main.go", "o.id+1", "o.id+1", "next");
  EXPECT_EQ(Run({"go", "run", "."}), before);
  Generate({"constructor", "main.go", "Order", "", "", ""});
  Generate({"method", "main.go", "Order", "Add", "(a, b int) (int, error)", ""});
  Generate({"method", "main.go", "", "Free", "(xs ...string) map[string]int", ""});
  Generate({"property", "main.go", "Order", "Tags", "[]string", ""});
  Generate({"create_type", "item.go", "Item", "", "", "ID int\nName string"});
  Generate({"implement_interface", "item.go", "Item", "", "Store", ""});
  Generate({"tests", "main.go", "Order", "", "", ""});
  ExtractInterface("Order", "Orders");
  ChangeSignature("Order.Total", "(tax int, deep bool = false)");
  Run({"go", "vet", "./..."});
  EXPECT_EQ(Run({"go", "run", "."}), before);
}

constexpr char kPython[] = R"(import asyncio


class Order:
    rate = 2

    def __init__(self, id: int) -> None:
        self.id = id

    def total(self, tax: int, lines: list[int]) -> int:
        total = 0
        for line in lines:
            if line < 0:
                continue
            total += line * tax
        scaled = total * self.rate
        label = """a
  b"""
        print(scaled, label)
        while total > 10:
            total = total - 3
        return total + scaled

    async def load(self, url: str) -> str:
        one = await self.get(url)
        two = await self.get(one)
        return two

    async def get(self, url: str) -> str:
        return url + "!"


def main() -> None:
    order = Order(3)
    print(order.total(2, [1, 2, -1, 30]))
    print(asyncio.run(order.load("x")))


if __name__ == "__main__":
    main()
)";

TEST_F(RealCode, PythonKeepsItsMeaning) {
  if (!Has("python3")) GTEST_SKIP() << "python3 is not installed";
  Write("order.py", kPython);
  Write("store.py",
        "from typing import Optional, Protocol\n\nfrom order import Order\n\n\nclass "
        "Store(Protocol):\n"
        "    def get(self, id: int) -> Optional[Order]: ...\n\n    @property\n    def size(self) "
        "-> int: ...\n");
  const std::string before = Run({"python3", "order.py"});
  ExtractMethod("order.py", "for line in lines", "total += line", "add_up");
  ExtractMethod("order.py", "scaled = total", "print(scaled", "show");
  ExtractMethod("order.py", "total = total - 3", "total = total - 3", "shrink");
  ExtractMethod("order.py", "one = await", "two = await", "twice");
  ExtractVariable("order.py", "order.total(2", "[1, 2, -1, 30]", "lines");
  EXPECT_EQ(Run({"python3", "order.py"}), before);
  Generate({"create_type", "memory.py", "Memory", "", "", ""});
  Generate({"implement_interface", "memory.py", "Memory", "", "Store", ""});
  Generate({"create_type", "item.py", "Item", "", "dataclass", "id: int"});
  Generate({"property", "item.py", "Item", "", "name: str = \"\"", ""});
  Generate({"create_type", "plain.py", "Plain", "", "", "id: int\nname: str"});
  Generate({"constructor", "plain.py", "Plain", "", "", ""});
  Generate({"method", "plain.py", "Plain", "twice", "-> int", "return self.id * 2"});
  Generate({"method", "plain.py", "", "free", "(a: int, *rest: str) -> None", ""});
  Generate({"tests", "plain.py", "", "", "", ""});
  ExtractInterface("Plain", "Plainly");
  ChangeSignature("Order.total", "(self, lines: list[int], tax: int)");
  EXPECT_EQ(Run({"python3", "order.py"}), before);
  Run({"python3", "-c",
       "import memory, item, plain, test_plain; print(plain.Plain(1, 'x').twice())"});
  if (Has("mypy")) Run({"mypy", "--no-incremental", "--cache-dir=/dev/null", "."});
}

constexpr char kTypeScript[] = R"(export class Order {
  private id = 1;
  constructor(readonly lines: number[]) {}

  total(tax: number): number {
    let sum = 0;
    for (const line of this.lines) {
      if (line < 0) continue;
      sum += line * tax;
    } // lines
    const scaled = this.lines.map((line) => ({ line, twice: line * 2 }));
    const names = scaled.map((pair) => `a
  ${pair.twice}`);
    console.log(this.id + 1, names.join());
    return sum + names.length;
  }

  async load<T>(key: T, use: (key: T) => Promise<T>): Promise<T> {
    const one = await use(key);
    const two = await use(one);
    console.log(one === two);
    return two;
  }
}

declare const console: { log(...words: unknown[]): void };

const order = new Order([1, 2, -3]);
console.log(order.total(3));
order.load(1, async (key) => key).then((x) => console.log(x));
)";

TEST_F(RealCode, TypeScriptKeepsItsMeaning) {
  if (!Has("tsc") || !Has("node")) GTEST_SKIP() << "tsc is not in the toolchain folder";
  check_ = {"tsc", "--noEmit", "--pretty", "false", "-p", "."};
  Write(
      "tsconfig.json",
      R"({"compilerOptions": {"strict": true, "target": "es2022", "module": "commonjs", "outDir": "out",
            "lib": ["es2022"], "types": [], "noImplicitOverride": true}, "include": ["*.ts"]})");
  Write("order.ts", kTypeScript);
  Write("store.ts",
        "import { Order } from './order';\n\nexport type Key = string;\n\nexport interface "
        "Store<T> {\n"
        "  readonly name: string;\n  get(key: Key): Promise<T | undefined>;\n"
        "  each(use: (value: T, order: Order) => void): void;\n}\n");
  Run({"tsc", "-p", "."});
  const std::string before = Run({"node", "out/order.js"});
  ExtractMethod("order.ts", "for (const line", "} // lines", "addUp");
  ExtractMethod("order.ts", "const names", "console.log(this.id", "show");
  ExtractMethod("order.ts", "const one = await", "const two", "both");
  ExtractVariable("order.ts", "this.id + 1", "this.id + 1", "next");
  Run({"tsc", "-p", "."});
  EXPECT_EQ(Run({"node", "out/order.js"}), before);
  Generate({"create_type", "memory.ts", "Memory", "", "", ""});
  Generate({"implement_interface", "memory.ts", "Memory", "", "Store<number>", ""});
  Generate({"create_type", "item.ts", "Item", "", "", "id: number;\nname: string;"});
  Generate({"constructor", "item.ts", "Item", "", "", ""});
  Generate({"method", "item.ts", "Item", "add", "(a: number, b?: string) => number", ""});
  Generate({"property", "item.ts", "Item", "price", "number", ""});
  Generate({"property", "item.ts", "Item", "big", "boolean", "this.id > 3"});
  ExtractInterface("Item", "Items");
  ChangeSignature("Order.total", "(tax: number, deep: boolean = false)");
  Run({"tsc", "-p", "."});
  EXPECT_EQ(Run({"node", "out/order.js"}), before);
}

TEST_F(RealCode, JavaKeepsItsMeaning) {
  if (!Has("javac")) GTEST_SKIP() << "javac is not installed";
  check_ = {"javac", "-d", "out", "Order.java"};
  Write("Order.java", R"(import java.util.ArrayList;
import java.util.List;

public class Order {
    private int id = 2;

    int total(int tax, List<Integer> lines) throws Exception {
        int sum = 0;
        for (int line : lines) {
            if (line < 0) {
                continue;
            }
            sum += line * tax;
        } // lines
        String label;
        label = "x" + id;
        var all = new ArrayList<String>(List.of(label));
        var first = all.get(0).length();
        System.out.println(label + first + (id + 1));
        sum += first;
        return sum;
    }

    static <T> T pick(T a, List<T> rest) {
        int n = rest.size();
        System.out.println(n);
        if (n == 0) return a;
        return rest.get(n - 1);
    }

    public static void main(String[] words) throws Exception {
        System.out.println(new Order().total(2, List.of(1, 2, -3)));
        System.out.println(pick(1, List.of(2, 3)));
    }
}
)");
  Write("data/Store.java",
        "package data;\n\nimport java.util.List;\nimport java.io.IOException;\n\n"
        "public interface Store<T> {\n    T get(int id, Key key) throws IOException;\n    List<T> "
        "all();\n"
        "    default int size() { return 1; }\n}\n");
  Write("data/Key.java", "package data;\n\npublic class Key {}\n");
  Run({"javac", "-d", "out", "Order.java"});
  const std::string before = Run({"java", "-cp", "out", "Order"});
  ExtractMethod("Order.java", "for (int line", "} // lines", "addUp");
  ExtractMethod("Order.java", "label = \"x\"", "label = \"x\"", "makeLabel");
  ExtractMethod("Order.java", "var first", "System.out.println(label", "show");
  ExtractMethod("Order.java", "if (n == 0)", "return rest", "choose");
  ExtractVariable("Order.java", "(id + 1)", "id + 1", "next");
  Run({"javac", "-d", "out", "Order.java"});
  EXPECT_EQ(Run({"java", "-cp", "out", "Order"}), before);
  Generate({"create_type", "app/Memory.java", "Memory", "", "", ""});
  Generate({"implement_interface", "app/Memory.java", "Memory", "", "Store<String>", ""});
  Generate({"property", "app/Memory.java", "Memory", "", "private boolean open", ""});
  Generate({"property", "app/Memory.java", "Memory", "", "private final int id", ""});
  Generate({"constructor", "app/Memory.java", "Memory", "", "", ""});
  Generate({"method", "app/Memory.java", "Memory", "", "public <T> T run(T a, int... b)", ""});
  ExtractInterface("Memory", "Memories");
  ChangeSignature("Order.total", "(List<Integer> lines, int tax, boolean deep = false)");
  Run({"javac", "-d", "out", "Order.java", "data/Store.java", "data/Key.java", "app/Memory.java",
       "app/Memories.java"});
  EXPECT_EQ(Run({"java", "-cp", "out", "Order"}), before);
}

TEST_F(RealCode, RustAndCCompile) {
  Write("lib.rs", "pub struct Order {\n    pub id: u32,\n}\n");
  Generate({"method", "lib.rs", "Order", "double", "() -> u32", ""});
  Generate({"method", "lib.rs", "Order", "", "pub fn new(id: u32) -> Self", "Self { id }"});
  Generate(
      {"method", "lib.rs", "", "", "pub fn area(order: &Order) -> u32", "order.id * order.id + 1"});
  Generate({"create_type", "item.rs", "Item", "", "enum", "A,\nB,"});
  Generate({"create_type", "lib.rs", "Run", "", "trait", "fn run(&self);"});
  ExtractVariable("lib.rs", "order.id * order.id", "order.id * order.id", "square");
  if (Has("rustc"))
    Run({"rustc", "--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "lib.rs"});
  check_ = {"gcc", "-std=c17", "-fsyntax-only", "order.c"};
  Write("order.h", "#pragma once\n\nstruct order {\n\tint id;\n};\n");
  Write("order.c",
        "#include \"order.h\"\n\ndouble half(struct order *o)\n{\n\treturn o->id / 2.0;\n}\n");
  Generate({"method", "order.h", "", "", "int total(const struct order *o)", ""});
  Generate({"method", "order.c", "", "", "int total(const struct order *o)", ""});
  Generate({"create_type", "order.h", "line", "", "", "int sku;"});
  if (Has("gcc")) {
    ExtractVariable("order.c", "o->id / 2.0", "o->id / 2.0", "result");
    Run({"gcc", "-std=c17", "-Wall", "-Werror", "-fsyntax-only", "order.c"});
  }
  Write("shop.hpp",
        "#pragma once\n\nclass Shop {\n public:\n  int Size() const;\n\n private:\n  int id_ = "
        "0;\n};\n");
  Write("shop.cc", "#include \"shop.hpp\"\n\nint Shop::Size() const { return id_ * 2 + 1; }\n");
  Generate({"method", "shop.cc", "Shop", "", "virtual int Half(int a) const", ""});
  Generate({"method", "shop.hpp", "Shop", "", "int Third() const { return 3; }", ""});
  Generate({"create_type", "shop.hpp", "Sub", "", "Shop", "int Y() { return 1; }"});
  if (Has("g++")) Run({"g++", "-std=c++20", "-Wall", "-fsyntax-only", "shop.cc"});
}

TEST_F(RealCode, CSharpKeepsItsMeaning) {
  if (!Has("dotnet")) GTEST_SKIP() << "dotnet is not installed";
  const char* const project =
      "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType>"
      "<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</"
      "TargetFramework><Nullable>disable</Nullable>"
      "<ImplicitUsings>disable</ImplicitUsings></PropertyGroup></Project>\n";
  check_ = {"dotnet", "build", "-nologo", "-v:q", "-clp:NoSummary"};
  Write("Shop.csproj", project);
  Write("Order.cs", R"(using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Shop;

public class Order
{
    private int _id = 2;

    public int Total(int tax, List<int> lines)
    {
        int sum = 0;
        foreach (int line in lines)
        {
            if (line < 0) continue;
            sum += line * tax;
        } // lines
        var scaled = sum * 2;
        var text = $"{scaled}!";
        Console.WriteLine(text + (_id + 1));
        return sum + scaled + text.Length;
    }

    public async Task<T> LoadAsync<T>(T key, Func<T, Task<T>> load) where T : class
    {
        T one = await load(key);
        T two = await load(one);
        if (one == two) return one;
        return two;
    }

    public static void Main()
    {
        Console.WriteLine(new Order().Total(2, new List<int> { 1, -2, 3 }));
        Console.WriteLine(new Order().LoadAsync("x", key => Task.FromResult(key + "y")).Result);
    }
}
)");
  Write(
      "Data/IStore.cs",
      "using System.Collections.Generic;\nusing System.Threading.Tasks;\n\nnamespace Shop.Data;\n\n"
      "public interface IStore<T> where T : class\n{\n    int Count { get; }\n    Task<T> "
      "GetAsync(int id, List<T> more = null);\n"
      "    bool Has(int id);\n    bool Has(string name);\n}\n");
  const std::string before = Run({"dotnet", "run"});
  ExtractMethod("Order.cs", "foreach (int line", "} // lines", "AddUp");
  ExtractMethod("Order.cs", "var scaled", "Console.WriteLine(text", "Show");
  ExtractMethod("Order.cs", "T one = await", "T two", "Both");
  ExtractMethod("Order.cs", "if (one == two)", "return two", "Choose");
  ExtractVariable("Order.cs", "(_id + 1)", "_id + 1", "next");
  Generate({"create_type", "Memory.cs", "Memory", "", "", ""});
  Generate({"implement_interface", "Memory.cs", "Memory", "", "IStore<string>", ""});
  Generate({"create_type", "Item.cs", "Item", "", "",
            "private readonly int _id;\npublic string Name { get; set; }"});
  Generate({"constructor", "Item.cs", "Item", "", "", ""});
  Generate({"method", "Item.cs", "Item", "Add", "(int a, string b): int", ""});
  Generate({"property", "Item.cs", "Item", "Twice", "int", "_id * 2"});
  Generate(
      {"create_type", "Pair.cs", "Pair", "", "public sealed record Pair(int A, string B);", ""});
  ExtractInterface("Item", "IItem");
  ChangeSignature("Order.Total", "(List<int> lines, int tax, bool deep = false)");
  EXPECT_EQ(Run({"dotnet", "run"}), before);
}

}  // namespace
}  // namespace stile
