#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tools/index/references.h"
#include "tools/index/type_relations.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class NavigationTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    dir_.Write(path, text);
    paths_.push_back(path);
  }

  Resolution Find(const std::string& name, const std::string& file = "", int line = 0) {
    SymbolQuery query = ParseSymbolName(name);
    query.file = file;
    query.line = line;
    const auto resolution = Resolve(query, &index_);
    EXPECT_TRUE(resolution.ok()) << resolution.status();
    return resolution.ok() ? *resolution : Resolution();
  }

  // "a.py:3", with "?" behind what is only likely.
  std::vector<std::string> References(const Resolution& resolution) {
    std::vector<std::string> shown;
    for (const Reference& reference : FindReferences(resolution)) {
      shown.push_back(absl::StrCat(reference.file->path, ":",
                                   reference.file->PlaceOf(reference.occurrence.begin).line,
                                   reference.certainty == Certainty::kExact ? "" : "?"));
    }
    return shown;
  }

  std::vector<std::string> Names(const std::vector<RelatedSymbol>& symbols) {
    std::vector<std::string> names;
    for (const RelatedSymbol& symbol : symbols) {
      names.push_back(absl::StrCat(symbol.declaration.QualifiedName(),
                                   symbol.certainty == Certainty::kExact ? "" : "?"));
    }
    return names;
  }

  TempDir dir_;
  std::vector<std::string> paths_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex index_{dir_.path(), &languages_, [this](const auto& use) {
                     for (const std::string& path : paths_) use(path);
                   }};
};

TEST(HoldsWordTest, NeedsBothEnds) {
  EXPECT_TRUE(HoldsWord("a run b", "run"));
  EXPECT_TRUE(HoldsWord("run", "run"));
  EXPECT_FALSE(HoldsWord("runner rerun run_ $run äruns", "run"));
  EXPECT_TRUE(HoldsWord("runrun run", "run"));
  EXPECT_FALSE(HoldsWord("", "run"));
}

TEST(SymbolNameTest, OwnersAreUnderstoodInEverySpelling) {
  for (const char* text : {"net.Server.run", "net::Server::run()", "net.Server#run(int, String)"}) {
    const SymbolQuery query = ParseSymbolName(text);
    EXPECT_EQ(query.name, "run") << text;
    EXPECT_EQ(query.owner, "net.Server") << text;
  }
  EXPECT_EQ(ParseSymbolName("List<int>").name, "List");
  EXPECT_EQ(ParseSymbolName("").name, "");
}

TEST_F(NavigationTest, AnImportedFunctionIsFoundWhereverItIsNamed) {
  Write("shop/price.py", "def total(items):\n    return sum(items)\n\n\nTAX = total([1])\n");
  Write("app.py",
        "from shop.price import total\n\n\ndef main():\n    print(total([]))\n\n\n"
        "def other(total):\n    return total\n");
  Write("text.py", "# total\nname = 'total'\n");
  EXPECT_THAT(References(Find("total")),
              ElementsAre("app.py:1", "app.py:5", "shop/price.py:1", "shop/price.py:5"));
  // The parameter of that name is another thing, and found by its place.
  EXPECT_THAT(References(Find("total", "app.py", 9)), ElementsAre("app.py:8", "app.py:9"));
}

TEST_F(NavigationTest, MembersOfUnknownReceiversAreOnlyLikely) {
  Write("a.ts",
        "export class Server {\n  run() {}\n  twice() { this.run(); }\n}\n"
        "export class Job {\n  run() {}\n  again() { this.run(); }\n}\n");
  Write("b.ts",
        "import { Server } from './a';\nexport function go(thing: any, s: Server) {\n"
        "  thing.run();\n  Server.run();\n}\n");
  EXPECT_THAT(References(Find("Server.run")), ElementsAre("a.ts:2", "a.ts:3", "b.ts:3?", "b.ts:4"));
  const Resolution both = Find("run");
  EXPECT_EQ(both.targets.size(), 2u);
  EXPECT_FALSE(both.IsUnambiguous());
}

TEST_F(NavigationTest, PrototypesAndDefinitionsAreOneFunction) {
  Write("lib.h", "int area(int w, int h);\n");
  Write("lib.c", "#include \"lib.h\"\nint area(int w, int h) { return w * h; }\n");
  Write("main.c", "#include \"lib.h\"\nint main(void) { int area2 = area(1, 2); return area2; }\n");
  const Resolution found = Find("area");
  EXPECT_EQ(found.targets.size(), 2u);
  EXPECT_TRUE(found.IsUnambiguous());
  EXPECT_THAT(References(found), ElementsAre("lib.c:2", "lib.h:1", "main.c:2"));
}

TEST_F(NavigationTest, HeadersOfCppHaveItsRulesThoughTheirLanguageIsC) {
  Write("base.h", "#pragma once\nclass Base {\n public:\n  int size_ = 0;\n};\n");
  Write("derived.h",
        "#pragma once\n#include \"base.h\"\nclass Derived : public Base {\n public:\n"
        "  int Twice() { return size_ * 2; }\n};\n");
  Write("main.cc", "#include \"derived.h\"\nint main() { return Derived().Twice(); }\n");
  EXPECT_THAT(References(Find("Base.size_")), ElementsAre("base.h:4", "derived.h:5?"));
  Write("shop.h", "#pragma once\nnamespace shop {\nint Total();\n}\n");
  Write("use.h", "#pragma once\ninline int Use() { return tax::Total(); }\n");
  EXPECT_THAT(References(Find("shop.Total")), ElementsAre("shop.h:3"));
}

TEST_F(NavigationTest, LanguagesThatDoNotSeeEachOtherAreKeptApart) {
  Write("a.go", "package a\n\nfunc Load() {}\n\nfunc use() { Load() }\n");
  Write("a.py", "def Load():\n    pass\n\n\nLoad()\n");
  EXPECT_THAT(References(Find("Load", "a.go")), ElementsAre("a.go:3", "a.go:5"));
}

TEST_F(NavigationTest, DerivedTypesAreFoundThroughOthers) {
  Write("A.java", "interface Shape { double area(); }\n");
  Write("B.java", "abstract class Base implements Shape {}\n");
  Write("C.java",
        "class Square extends Base {\n  public double area() { return 1; }\n}\n"
        "class Round implements Shape { public double area() { return 2; } }\n");
  EXPECT_THAT(Names(FindDerivedTypes(Find("Shape"), &index_)),
              UnorderedElementsAre("Base", "Square", "Round"));
  EXPECT_THAT(Names(FindImplementations(Find("Shape.area"), &index_)),
              UnorderedElementsAre("Square.area", "Round.area"));
}

TEST_F(NavigationTest, InGoWhoHasTheMethodsImplements) {
  Write("a.go",
        "package a\n\ntype Store interface {\n\tGet(k string) string\n\tPut(k string)\n}\n");
  Write("b.go",
        "package a\n\ntype Disk struct{}\n\nfunc (d *Disk) Get(k string) string { return k }\n"
        "func (d *Disk) Put(k string) {}\n\ntype Half struct{}\n\n"
        "func (h Half) Get(k string) string { return k }\n");
  EXPECT_THAT(Names(FindImplementations(Find("Store"), &index_)), ElementsAre("Disk?"));
}

TEST_F(NavigationTest, WhatIsNotThereIsSaidSo) {
  Write("a.py", "import os\nos.getcwd()\n");
  SymbolQuery query = ParseSymbolName("nothing");
  EXPECT_THAT(std::string(Resolve(query, &index_).status().message()),
              HasSubstr("no code in the workspace uses the name nothing"));
  query = ParseSymbolName("getcwd");
  EXPECT_THAT(std::string(Resolve(query, &index_).status().message()),
              HasSubstr("no declaration of it is found"));
  query.file = "missing.py";
  EXPECT_TRUE(absl::IsNotFound(Resolve(query, &index_).status()));
}

TEST_F(NavigationTest, ChangedFilesAreReadAnewAndOddOnesLeftOut) {
  Write("a.py", "def one():\n    pass\n");
  EXPECT_EQ(Find("one").targets.size(), 1u);
  dir_.Write("a.py", "\n\ndef one():\n    pass\n");
  EXPECT_EQ(Find("one").targets[0].place().line, 3);
  paths_.push_back("gone.py");
  Write("binary.py", std::string("one\0\xff\xfe(((((", 12));
  EXPECT_EQ(Find("one").targets.size(), 1u);
  EXPECT_THAT(index_.unreadable(), ElementsAre("gone.py"));
  dir_.Write("a.py", "x = 1\n");
  EXPECT_THAT(index_.FilesWith("one", "a.*"), IsEmpty());
}

TEST_F(NavigationTest, InRustAFieldAndAMethodOfOneNameAreToldApartByTheCall) {
  Write("a.rs",
        "pub struct Bag { size: usize }\n"
        "impl Bag {\n"
        "    pub fn size(&self) -> usize {\n"
        "        self.size\n"
        "    }\n"
        "}\n"
        "pub fn twice(bag: &Bag) -> usize {\n"
        "    bag.size() * 2\n"
        "}\n");
  EXPECT_THAT(References(Find("size", "a.rs", 3)), ElementsAre("a.rs:3", "a.rs:8?"));
  EXPECT_THAT(References(Find("size", "a.rs", 1)), ElementsAre("a.rs:1", "a.rs:4"));
}

TEST_F(NavigationTest, InGoATypeThatAStructEmbedsIsAFieldOfItsName) {
  Write("ast/node.go",
        "package ast\n\ntype Leaf struct{ Literal string }\n\ntype Text struct {\n\tLeaf\n}\n\n"
        "type Plain struct{ Size int }\n");
  Write("main.go",
        "package main\n\nimport \"example.com/md/ast\"\n\nfunc main() {\n"
        "\ttext := ast.Text{\n\t\tLeaf: ast.Leaf{Literal: \"x\"}}\n"
        "\tprintln(text.Leaf.Literal, ast.Plain{}, text.Plain)\n}\n");
  EXPECT_THAT(
      References(Find("Leaf", "ast/node.go", 3)),
      ElementsAre("ast/node.go:3", "ast/node.go:6", "main.go:7?", "main.go:7", "main.go:8?"));
  EXPECT_THAT(References(Find("Plain", "ast/node.go", 9)), ::testing::Contains("ast/node.go:9"));
}

}  // namespace
}  // namespace stile
