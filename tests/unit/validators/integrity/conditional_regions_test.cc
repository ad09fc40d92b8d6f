#include "validators/integrity/conditional_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"
#include "validators/integrity/preprocessor_regions.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "CONDITION LINE FIRST-LAST <PLANTED" of each region.
std::vector<std::string> Shown(const std::vector<ConditionalRegion>& regions) {
  std::vector<std::string> shown;
  for (const ConditionalRegion& region : regions) {
    shown.push_back(absl::StrCat(region.condition, " @", region.condition_line, " ",
                                 region.first_line, "-", region.last_line, " <",
                                 region.plant_before));
  }
  return shown;
}

std::vector<std::string> Find(const std::string& path, absl::string_view text) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  return Shown(NewConditionFinder(&languages)->Find(path, text));
}

TEST(PreprocessorRegionsTest, BranchesAndTheirConditions) {
  EXPECT_THAT(Find("a.c",
                   "#ifdef FAST\n"                  // 1
                   "int a;\n"                       // 2
                   "#  if X \\\n"                   // 3
                   "     && Y\n"                    // 4
                   "int b;\n"                       // 5
                   "#  endif\n"                     // 6
                   "#elif defined(SLOW) // slow\n"  // 7
                   "int c;\n"                       // 8
                   "#else\n"                        // 9
                   "int d;\n"                       // 10
                   "#endif\n"),
              ElementsAre("#ifdef FAST @1 2-6 <2", "#if X && Y @3 5-5 <5",
                          "#elif defined(SLOW) of #ifdef FAST @7 8-8 <8",
                          "#else of #ifdef FAST @9 10-10 <10"));
}

TEST(PreprocessorRegionsTest, GuardsAreConditionsAndLinkageIsNone) {
  const std::string linkage = "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n";
  EXPECT_THAT(Find("a.h", absl::StrCat("// prices\n#ifndef A_H\n#define A_H\n", linkage,
                                       "#ifdef __cplusplus\n}\n#endif\n#endif  // A_H\n")),
              ElementsAre("#ifndef A_H @2 3-10 <3"));
  EXPECT_THAT(Find("a.h",
                   "#ifdef __cplusplus\nextern \"C\" {\n#endif\n#ifdef __cplusplus\n#include "
                   "<a>\n}\n#endif\n"),
              IsEmpty());
  EXPECT_THAT(Find("a.h", "#ifdef __cplusplus\nextern \"C\" {\nint b;\n#endif\n"),
              ElementsAre("#ifdef __cplusplus @1 2-3 <2"));
}

TEST(PreprocessorRegionsTest, LinkageThatStaysOpenIsCode) {
  EXPECT_THAT(Find("a.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n"),
              ElementsAre("#ifdef __cplusplus @1 2-2 <2"));
}

TEST(PreprocessorRegionsTest, DirectivesUnderOtherSpellings) {
  for (const char* zero : {"\xEF\xBB\xBF#if 0", "%:if 0", "\?\?=if 0"}) {
    EXPECT_THAT(Find("a.c", absl::StrCat(zero, "\nint b;\n#endif\n")),
                ElementsAre("#if 0 @1 2-2 <2"))
        << zero;
  }
  const std::string null = std::string(1, '\0') + "#if 0\nint b;\n#endif\n";
  EXPECT_THAT(Find("a.c", null), ElementsAre("#if 0 @1 2-2 <2"));
}

TEST(PreprocessorRegionsTest, DirectivesInCommentsAndStringsAreNone) {
  EXPECT_THAT(Find("a.cc",
                   "/* #if 0\n#if 0\n*/ int a;\n// #if 0\nconst char* s = \"/*\";\n#if 1\nint b;\n"
                   "#endif\nint c = 1'000'000; /* ' */\n#if 2 /* two\n*/\nint d;\n#endif\n"),
              ElementsAre("#if 1 @6 7-7 <7", "#if 2 @10 12-12 <12"));
}

TEST(PreprocessorRegionsTest, StringsHideNoDirectiveAndHoldNone) {
  const std::string zero = "#if 0\nint b;\n#endif\n";
  for (const char* line : {
           "auto a = L'\"'; const char* b = \"/*\";",
           "auto a = R\"x(\" /*)x\";",
           "auto a = u8R\"(\\\")\" \"/*\";",
           "int a = 1'000 + 0xf'f; char b = '\"'; auto c = \"/*\";",
           "#include <a/*b.h>",
           "int a; // don't /*",
           "char a = '\\''; const char* b = \"/*\";",
       }) {
    EXPECT_THAT(Find("a.cc", absl::StrCat(line, "\n", zero)), ElementsAre("#if 0 @2 3-3 <3"))
        << line;
  }
  EXPECT_THAT(Find("a.cc", absl::StrCat("auto a = R\"(\n", zero, ")\";\n", zero)),
              ElementsAre("#if 0 @6 7-7 <7"));
  EXPECT_THAT(Find("a.cc", absl::StrCat("int a; // b \\\n#if 1\n", zero)),
              ElementsAre("#if 0 @3 4-4 <4"));
  // C has raw strings in some of its standards.
  EXPECT_THAT(
      Find("a.c", absl::StrCat("#define R\nconst char* a = R\"x(\";\n", zero, "/* )x\" */")),
      ElementsAre("#if 0 @3 4-4 <4"));
  EXPECT_THAT(Find("a.cs", absl::StrCat("var a = @\"\\\" + \"/*\";\nvar b = @\"\"\"/*\";\n", zero)),
              ElementsAre("#if 0 @3 4-4 <4"));
  EXPECT_THAT(Find("a.cs", absl::StrCat("var a = \"\"\"\n\" /*\n\"\"\";\n", zero)),
              ElementsAre("#if 0 @4 5-5 <5"));
}

TEST(PreprocessorRegionsTest, ConstantsAreNoSettings) {
  const auto is_constant = [](absl::string_view text) {
    return PreprocessorRegions(text, CodeDialect::kCpp).back().constant;
  };
  for (const char* text : {"#if 0\na\n#endif", "#if (1 == 2)\na\n#endif", "#if 0 && X\na\n#endif",
                           "#if X && 0\na\n#endif", "#if 1\n#else\na\n#endif"}) {
    EXPECT_TRUE(is_constant(text)) << text;
  }
  for (const char* text : {"#if X\na\n#endif", "#ifdef X\na\n#endif", "#if X == 0\na\n#endif",
                           "#if __has_include(<a>)\na\n#endif"}) {
    EXPECT_FALSE(is_constant(text)) << text;
  }
}

TEST(PreprocessorRegionsTest, HostileTextIsNoTrouble) {
  EXPECT_THAT(Find("a.c", "#else\n#endif\n#elif\n#if\nint a;"), ElementsAre("#if @4 5-5 <5"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "#if 1\n";
  EXPECT_FALSE(PreprocessorRegions(deep, CodeDialect::kCpp).empty());
  EXPECT_THAT(PreprocessorRegions("# \\", CodeDialect::kC), IsEmpty());
  EXPECT_THAT(PreprocessorRegions(std::string(100'000, '\\'), CodeDialect::kC), IsEmpty());
  EXPECT_THAT(Shown(PreprocessorRegions(absl::StrCat("#if ", std::string(1000, 'x'), "\ny\n#endif"),
                                        CodeDialect::kC)),
              ElementsAre(HasSubstr("@1 2-2 <2")));
}

TEST(PreprocessorRegionsTest, NoSpellingHidesACondition) {
  EXPECT_THAT(Find("a.c", "%:if 0\nint a;\n%:endif\n"), ElementsAre("#if 0 @1 2-2 <2"));
  EXPECT_THAT(Find("a.c", "/*\n*/ #if 0\nint a;\n#endif\n"), ElementsAre("#if 0 @2 3-3 <3"));
  EXPECT_THAT(Find("a.c", "#i\\\nf 0\nint a;\n#endif\n"), ElementsAre("#if 0 @1 3-3 <3"));
  EXPECT_THAT(Find("a.h", "#ifndef A_H\n#define A_H\nint a;\n#else\nint b;\n#endif\n"),
              ElementsAre("#ifndef A_H @1 2-3 <2", "#else of #ifndef A_H @4 5-5 <5"));
  EXPECT_THAT(Find("a.h", "#if defined(__cplusplus)\nextern \"C\" {\n#else\nint b;\n#endif\n"),
              ElementsAre("#if defined(__cplusplus) @1 2-2 <2",
                          "#else of #if defined(__cplusplus) @3 4-4 <4"));
  EXPECT_THAT(Find("a.c", "#ifdef __cplusplus\nint b;\n#endif\n"),
              ElementsAre("#ifdef __cplusplus @1 2-2 <2"));
}

TEST(ConditionalRegionsTest, NoPlaceHidesACfg) {
  EXPECT_THAT(Find("a.rs", "#[inline] #[cfg(any())]\nfn f() {}\n"),
              ElementsAre("#[cfg(any())] @1 2-2 <3"));
  EXPECT_THAT(Find("a.rs", "#[ cfg (any())]\nfn f() {}\n"),
              ElementsAre("#[ cfg (any())] @1 2-2 <3"));
  EXPECT_THAT(Find("a.rs", "fn f() { match x {\n#[cfg(any())]\n1 => {}\n_ => {} } }\n"),
              ElementsAre("#[cfg(any())] @2 3-3 <5"));
  for (const char* attribute :
       {"#[cfg_attr(all(), cfg(any()))]", "#[cfg_attr(all(), inline, cfg_attr(all(), cfg(any())))]",
        "#[cfg/**/(any())]", "#[r#cfg(any())]"}) {
    EXPECT_THAT(Find("a.rs", absl::StrCat(attribute, "\nfn f() {}\n")),
                ElementsAre(absl::StrCat(attribute, " @1 2-2 <3")));
  }
}

TEST(ConditionalRegionsTest, AttributesOfRustUnderACondition) {
  EXPECT_THAT(Find("a.rs", "#[cfg_attr(unix, derive(Debug))]\nstruct A;\n"),
              ElementsAre("#[cfg_attr(unix, derive(Debug))] @1 2-2 <3"));
  EXPECT_THAT(Find("a.rs", "#![cfg_attr(feature = \"x\", no_std)]\nstruct A;\n"),
              ElementsAre("#![cfg_attr(feature = \"x\", no_std)] @1 2-2 <3"));
  for (const char* harmless : {"doc(hidden)", "feature(doc_cfg)", "allow(dead_code)"}) {
    EXPECT_THAT(Find("a.rs", absl::StrCat("#[cfg_attr(docsrs, ", harmless, ")]\nstruct A;\n")),
                IsEmpty());
  }
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const auto regions =
      NewConditionFinder(&languages)
          ->Find("a.rs", "#![cfg_attr(all(a, b), no_std)]\n#[cfg(c)]\nfn f() {}\n");
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_TRUE(regions[0].is_attribute);
  EXPECT_THAT(regions[0].holds, ElementsAre("all(a, b)"));
  EXPECT_THAT(regions[1].holds, ElementsAre("c"));
}

TEST(ConditionalRegionsTest, CfgAmongTheTokensOfAMacroOfRust) {
  EXPECT_THAT(Find("a.rs", "pass! {\n#[cfg(feature = \"x\")]\nfn f() {}\n}\n"),
              ElementsAre("#[cfg(feature = \"x\")] @2 2-4 <5"));
  EXPECT_THAT(Find("a.rs", "pass!(#[cfg($a)] fn f() {});\n"), IsEmpty());
}

// The code of the first region.
std::string CodeOfFirst(const std::string& path, absl::string_view text) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  return NewConditionFinder(&languages)->Find(path, text).front().code;
}

TEST(ConditionalRegionsTest, CodeIsWhatCompilersSee) {
  const auto c = [](absl::string_view lines) {
    return CodeOfFirst("a.c", absl::StrCat("#ifdef A\n", lines, "\n#endif\n"));
  };
  EXPECT_EQ(c("int  f(int a)\n{ return a; } // one"),
            c("int f( int a )\n  { return a ; } /* 2 */"));
  EXPECT_NE(c("{ return a; }"), c("{ returna; }"));
  EXPECT_NE(c("{ return a;\n}"), c("{ return a;\n"));
  EXPECT_NE(c("char* a = \"//x\";"), c("char* a = \"//y\";"));
  EXPECT_NE(c("#if B\nint a;\n#endif\nint c;"), c("#if C\nint a;\n#endif\nint c;"));
  const auto rust = [](absl::string_view item) {
    return CodeOfFirst("a.rs", absl::StrCat("#[cfg(x)]\n", item, "\n"));
  };
  EXPECT_EQ(rust("fn f() { 1 }"), rust("fn f()  {\n  1 // one\n}"));
  EXPECT_NE(rust("fn f() { \"a\" }"), rust("fn f() { \"b\" }"));
}

TEST(ConditionalRegionsTest, DeclarationsAreNamesAndHeads) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const auto finder = NewConditionFinder(&languages);
  EXPECT_EQ(finder->Declared("a.c", "int f(int a) { return a; }\n"),
            finder->Declared("a.c", "int  f(int a) {\n  return a + 1;\n}\n"));
  EXPECT_NE(finder->Declared("a.c", "int f(int a) { return a; }\n"),
            finder->Declared("a.c", "int f(long a) { return a; }\n"));
  EXPECT_NE(finder->Declared("a.c", "#define F(a) a\n"),
            finder->Declared("a.c", "#define F(a) b\n"));
  EXPECT_TRUE(finder->Declared("a.py", "def f(): pass\n").empty());
}

TEST(ConditionalRegionsTest, WhatNoFeatureDecidesIsConstant) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const auto is_constant = [&](absl::string_view text) {
    return NewConditionFinder(&languages)->Find("a.rs", text).at(0).constant;
  };
  EXPECT_TRUE(is_constant("#[cfg(any())] fn f() {}"));
  EXPECT_TRUE(is_constant("#[cfg_attr(all(), cfg(not(all())))] fn f() {}"));
  EXPECT_FALSE(is_constant("#[cfg(unix)] fn f() {}"));
}

TEST(ConditionalRegionsTest, CSharpHasThePreprocessorToo) {
  EXPECT_THAT(Find("A.cs", "class A {\n#if DEBUG\n  int a;\n#endif\n}\n"),
              ElementsAre("#if DEBUG @2 3-3 <3"));
}

TEST(ConditionalRegionsTest, RustItemsAndModules) {
  EXPECT_THAT(Find("lib.rs",
                   "use a::b;\n"                        // 1
                   "#[cfg(feature = \"fast\")]\n"       // 2
                   "#[inline]\n"                        // 3
                   "pub fn f() -> u8 {\n"               // 4
                   "    1\n"                            // 5
                   "}\n"                                // 6
                   "impl A {\n"                         // 7
                   "    #[cfg(unix)]\n"                 // 8
                   "    fn g() {}\n"                    // 9
                   "}\n"                                // 10
                   "struct B { #[cfg(unix)] c: u8 }\n"  // 11
                   "mod m {\n"                          // 12
                   "    #![cfg(any())]\n"               // 13
                   "    fn h() {}\n"                    // 14
                   "}\n"),                              // 15
              ElementsAre("#[cfg(feature = \"fast\")] @2 4-6 <16", "#[cfg(unix)] @8 9-9 <16",
                          "#[cfg(unix)] @11 11-11 <16", "#![cfg(any())] @13 14-15 <15"));
  EXPECT_THAT(Find("x.rs", "#![cfg(any())]\nfn h() {}\n"), ElementsAre("#![cfg(any())] @1 2-2 <3"));
  EXPECT_THAT(Find("x.rs", "fn f() { if cfg!(unix) { g() } }\n"), IsEmpty());
}

TEST(ConditionalRegionsTest, OthersHaveNone) {
  EXPECT_THAT(Find("a.ts", "if (false) { f(); }\n"), IsEmpty());
  EXPECT_THAT(Find("a.txt", "#if 0\nx\n#endif\n"), IsEmpty());
}

}  // namespace
}  // namespace stile
