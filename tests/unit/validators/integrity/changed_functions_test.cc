#include "validators/integrity/changed_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "runtime/validation/run_through.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<ChangedFunction> Find(const std::vector<ContentPair>& changes) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  return NewChangedFunctionFinder(&languages)->Find(changes);
}

std::vector<std::string> Names(const std::string& path, const std::string& before,
                               const std::string& after) {
  std::vector<std::string> names;
  for (const ChangedFunction& function : Find({{path, before, after}})) {
    names.push_back(absl::StrCat(function.name, ":", function.line));
  }
  return names;
}

// The new content with "AABB" for the mark of each changed function.
std::string Planted(const std::string& path, const std::string& after) {
  const std::vector<ChangedFunction> functions = Find({{path, std::nullopt, after}});
  MarkedFunctions marked;
  for (size_t i = 0; i < functions.size(); ++i) marked[absl::StrCat("AABB", i)] = &functions[i];
  return WithMarks(path, after, marked);
}

TEST(ChangedFunctionsTest, AreFoundByTheirOwnCode) {
  EXPECT_THAT(Names("a.py",
                    "class Shop:\n    def price(self):\n        return 1\n\n"
                    "    def name(self):\n        return 'a'\n",
                    "class Shop:\n    def price(self):\n        return 2\n\n"
                    "    def name(self):\n        return 'a'\n"),
              ElementsAre("Shop.price:2"));
  EXPECT_THAT(Names("a.go", "package a\n\nfunc (s *Shop) Price() int { return 1 }\n",
                    "package a\n\nfunc (s *Shop) Price() int { return 2 }\n\nfunc New() {}\n"),
              ElementsAre("Shop.Price:3", "New:5"));
  EXPECT_THAT(Names("a.ts", "export const price = (n: number) => n * 3;\n",
                    "export const price = (n: number) => n * 4;\n"),
              ElementsAre("price:1"));
  EXPECT_THAT(Names("A.cs", "class A { int Rate => 3; int Of() { return 1; } }",
                    "class A { int Rate => 4; int Of() { return 1; } }"),
              ElementsAre("A.Rate:1"));
  EXPECT_THAT(Names("A.java", "class A { A() { x = 1; } int of() { return 1; } int x; }",
                    "class A { A() { x = 2; } int of() { return 1; } int x; }"),
              ElementsAre("A.A:1"));
  EXPECT_THAT(Names("a.cc", "int Shop::Price() { return 1; }\nint Name() { return 1; }\n",
                    "int Shop::Price() { return 2; }\nint Name() { return 1; }\n"),
              ElementsAre("Shop.Price:1"));
}

TEST(ChangedFunctionsTest, AFunctionWithinAnotherIsItsOwn) {
  const std::string before = "def outer():\n    def inner():\n        return 1\n    return inner\n";
  const std::string after = "def outer():\n    def inner():\n        return 2\n    return inner\n";
  EXPECT_THAT(Names("a.py", before, after), ElementsAre("outer.inner:2"));
}

TEST(ChangedFunctionsTest, CommentsAndPlacesCountAsNothing) {
  EXPECT_THAT(Names("a.py", "def price():\n    return 1\n",
                    "import os\n\n\ndef price():\n    \"\"\"In euros.\"\"\"\n"
                    "    # one\n    return 1\n"),
              IsEmpty());
  EXPECT_THAT(Names("a.go", "package a\nfunc Price() int { return 1 }\n",
                    "package a\n\n// Price in euros.\nfunc Price() int {\n\treturn 1 // one\n}\n"),
              IsEmpty());
  const std::string code = "pub fn price() -> i32 { 1 }\n";
  EXPECT_THAT(Find({{"src/a.rs", code, ""}, {"src/b.rs", std::nullopt, code}}), IsEmpty());
}

TEST(ChangedFunctionsTest, AChangedValueChangesWhatUsesIt) {
  EXPECT_THAT(Names("a.py", "RATE = 3\n\ndef price():\n    return RATE\n\ndef name():\n    pass\n",
                    "RATE = 4\n\ndef price():\n    return RATE\n\ndef name():\n    pass\n"),
              ElementsAre("price:3"));
  EXPECT_THAT(Names("a.c", "#define RATE 3\nint price(void) { return RATE; }\n",
                    "#define RATE 4\nint price(void) { return RATE; }\n"),
              ElementsAre("price:2"));
}

TEST(ChangedFunctionsTest, TestsAreNone) {
  EXPECT_THAT(Names("test_shop.py", "def test_a():\n    pass\n", "def test_a():\n    return\n"),
              IsEmpty());
  EXPECT_THAT(Names("src/lib.rs",
                    "fn price() -> i32 { 1 }\n#[cfg(test)]\nmod tests {\n"
                    "    fn help() -> i32 { 1 }\n    #[test]\n    fn a() { help(); }\n}\n",
                    "fn price() -> i32 { 2 }\n#[cfg(test)]\nmod tests {\n"
                    "    fn help() -> i32 { 2 }\n    #[test]\n    fn a() { help(); help(); }\n}\n"),
              ElementsAre("price:1"));
  EXPECT_THAT(Names("notes.txt", "a", "b"), IsEmpty());
}

TEST(RunPlantsTest, PythonKeepsItsShape) {
  const std::string planted =
      Planted("a.py", "def price():\n    \"\"\"Doc.\"\"\"\n    if True:\n        return 1\n");
  EXPECT_THAT(planted, HasSubstr("    \"\"\"Doc.\"\"\"\n    \"PYTEST_CURRENT_TEST\" in "));
  EXPECT_THAT(planted, HasSubstr("BaseException(\"AA\" \"BB0\"))\n    if True:\n"));
  EXPECT_THAT(Planted("a.py", "def price(): return 1\n"), HasSubstr("\"BB0\")); return 1\n"));
}

TEST(RunPlantsTest, WhatMustComeFirstStaysFirst) {
  EXPECT_EQ(Planted("a.rs", "fn a() { #![allow(unused)] 1 }\n"),
            "fn a() { #![allow(unused)] if true { panic!(concat!(\"AA\", \"BB0\")); } 1 }\n");
  EXPECT_THAT(Planted("A.java", "class A { A(int x) { this(); y = x; } }"),
              HasSubstr("{ this(); if (Thread.currentThread() != null) throw "));
}

TEST(RunPlantsTest, ValuesBecomeBlocks) {
  const std::string planted = Planted("a.js", "const price = (n) => n * 3;\n");
  EXPECT_THAT(planted, HasSubstr("(n) => { { const ran = new Error(\"AA\" + \"BB0\");"));
  EXPECT_THAT(planted, HasSubstr("return (n * 3); };\n"));
  EXPECT_EQ(Planted("A.cs", "class A { int Rate => 3; }"),
            "class A { int Rate => throw new global::System.Exception(\"AA\" + \"BB0\"); }");
}

TEST(RunPlantsTest, GoAndCPrint) {
  const std::string go = Planted("a.go", "package a\n\nfunc A() {}\n\nfunc B() {}\n");
  EXPECT_THAT(go, HasSubstr("println(\"AA\" + \"BB0\")"));
  EXPECT_EQ(go.find("\nvar timesRan"), go.rfind("\nvar timesRan")) << go;
  EXPECT_THAT(Planted("a.c", "int a(void) { return 1; }\n"), HasSubstr("dprintf(2, \"%s\", "));
  EXPECT_THAT(Planted("a.cc", "int A() { return 1; }\n"),
              HasSubstr("#include <cstdio>\n#line 1\nint A() { if ("));
}

}  // namespace
}  // namespace stile
