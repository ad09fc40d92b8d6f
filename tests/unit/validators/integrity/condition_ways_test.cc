#include "validators/integrity/condition_ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"
#include "validators/integrity/conditional_regions.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Shown(const std::vector<BuildSwitches>& ways) {
  std::vector<std::string> shown;
  for (const BuildSwitches& way : ways) shown.push_back(BuildSwitchText(way));
  return shown;
}

std::vector<std::string> Macros(const std::vector<std::string>& conditions) {
  return Shown(WaysOfMacros(conditions));
}
std::vector<std::string> Cfg(const std::vector<std::string>& predicates) {
  return Shown(WaysOfCfg(predicates));
}

// Of the last region.
std::vector<std::string> WaysIn(const std::string& path, absl::string_view text) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const auto finder = NewConditionFinder(&languages);
  return Shown(finder->Ways(path, text, finder->Find(path, text).back()));
}

TEST(ConditionWaysTest, MacrosAreSetToWhatTheConditionAsksFor) {
  EXPECT_THAT(Macros({"defined(FAST)"}), ElementsAre("-DFAST=1"));
  EXPECT_THAT(Macros({"FAST"}), ElementsAre("-DFAST=1"));
  EXPECT_THAT(Macros({"defined FAST && LEVEL > 2"}), ElementsAre("-DFAST=1 -DLEVEL=3"));
  EXPECT_THAT(Macros({"defined(FAST)", "LEVEL == 0x10"}), ElementsAre("-DFAST=1 -DLEVEL=16"));
  EXPECT_THAT(Macros({"A || B"}), ElementsAre("-DA=1", "-DB=1", "-DA=1 -DB=1"));
  EXPECT_THAT(Macros({"(MODE & 4) != 0"}), ElementsAre("-DMODE=4", "-DMODE=5"));
}

TEST(ConditionWaysTest, MacrosAreTakenAwayWhereTheConditionAsksForThat) {
  EXPECT_THAT(Macros({"!defined(SLOW)"}), ElementsAre("-USLOW"));
  EXPECT_THAT(Macros({"!(defined(SLOW))", "FAST"}), ElementsAre("-DFAST=1", "-DFAST=1 -USLOW"));
}

TEST(ConditionWaysTest, NothingSetsWhatIsCalled) {
  for (const char* condition : {"__has_include(<a.h>)", "QT_VERSION_CHECK(1, 2, 3)"}) {
    EXPECT_THAT(Macros({condition}), IsEmpty()) << condition;
  }
}

// Whether any switch of a way is the system's, by way.
std::vector<bool> OfSystem(const std::vector<BuildSwitches>& ways) {
  std::vector<bool> of_system;
  for (const BuildSwitches& way : ways) {
    bool any = false;
    for (const BuildSwitch& one : way) any = any || one.is_of_system;
    of_system.push_back(any);
  }
  return of_system;
}

TEST(ConditionWaysTest, SwitchesOfTheSystemComeLastAndSaySo) {
  for (const char* condition : {"defined(_WIN32)", "defined(WIN32)", "!defined(__linux__)",
                                "NET8_0_OR_GREATER", "INT_MAX > 5"}) {
    const auto ways = WaysOfMacros({condition});
    ASSERT_FALSE(ways.empty()) << condition;
    EXPECT_TRUE(OfSystem(ways)[0]) << condition;
  }
  EXPECT_EQ(Macros({"defined(_WIN32) || FAST"})[0], "-DFAST=1");
  EXPECT_THAT(OfSystem(WaysOfMacros({"defined(_WIN32) || FAST"})), ElementsAre(false, true, true));
  EXPECT_THAT(Macros({"defined(_WIN32) && FAST"}), ElementsAre("-DFAST=1 -D_WIN32=1"));
  EXPECT_THAT(OfSystem(WaysOfCfg({"windows"})), ElementsAre(true));
  EXPECT_THAT(Cfg({"not(debug_assertions)"}), ElementsAre("-C debug-assertions=no"));
  EXPECT_THAT(OfSystem(WaysOfCfg({"not(debug_assertions)"})), ElementsAre(false));
}

TEST(ConditionWaysTest, WhatCannotBeReadOrCannotHoldHasNoWay) {
  for (const char* condition : {"", "(", "A &&", "A B", "'a'", "1.5", "defined(", "A ? B : C", "0",
                                "A && !A", "f(", "99999999999999999999 == A"}) {
    EXPECT_THAT(Macros({condition}), IsEmpty()) << condition;
  }
  EXPECT_THAT(Macros({}), IsEmpty());
  EXPECT_THAT(Macros({std::string(100'000, '(')}), IsEmpty());
  EXPECT_THAT(Macros({std::string(700, '!') + "A"}), IsEmpty());
  EXPECT_THAT(Macros({"A / 0 == 0 && B % 0 == 0 && C << 99 == 0 && D"}),
              ElementsAre("-DD=1", testing::_, testing::_));
  std::string many = "A";
  for (int i = 0; i < 60; ++i) absl::StrAppend(&many, "&&A", i);
  EXPECT_THAT(Macros({many}), IsEmpty());
}

TEST(ConditionWaysTest, FeaturesAndConfigurationsOfRust) {
  EXPECT_THAT(Cfg({"feature = \"fast\""}), ElementsAre("--features fast"));
  EXPECT_THAT(Cfg({"not(feature = \"std\")"}), ElementsAre("--no-default-features"));
  EXPECT_THAT(
      Cfg({"all(feature = \"a\", any(windows, feature = \"b\"),)"}),
      ElementsAre("--features a,b", "--features a --cfg windows", "--features a,b --cfg windows"));
  EXPECT_THAT(Cfg({"tokio_unstable"}), ElementsAre("--cfg tokio_unstable"));
  EXPECT_THAT(Cfg({"loom = \"deep\""}), ElementsAre("--cfg loom=\"deep\""));
  for (const char* predicate :
       {"not(test)", "any()", "all()", "", "x(", "feature = \"", "feature = \"\\\"\"",
        "x = \"a\x1f-Copt\"", "most(a, b)", "a b", "not(a, b)"}) {
    EXPECT_THAT(Cfg({predicate}), IsEmpty()) << predicate;
  }
}

TEST(ConditionWaysTest, TagsOfGoAreSetAndNeverTakenAway) {
  const auto ways = [](absl::string_view text) {
    const LanguageRegistry languages = LanguagesOfThisRepository();
    return Shown(NewConditionFinder(&languages)->WaysIntoFile("a.go", text));
  };
  EXPECT_THAT(ways("// A.\n\n//go:build extra && !slim\n\npackage a\n"),
              ElementsAre("-tags extra"));
  EXPECT_THAT(ways("//go:build linux && (a || b)\npackage a\n"),
              ElementsAre("-tags a", "-tags b", "-tags a,b"));
  for (const char* text : {"//go:build ignore\npackage a\n", "//go:build !slim\npackage a\n",
                           "//go:build windows\npackage a\n", "package a\n//go:build extra\n",
                           "//go:build\npackage a\n", ""}) {
    EXPECT_THAT(ways(text), IsEmpty()) << text;
  }
}

TEST(ConditionWaysTest, WhatIsMeantToBeAnErrorIsNoCode) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const auto finder = NewConditionFinder(&languages);
  EXPECT_THAT(finder->Find("a.c", "#if defined(A) && defined(B)\n#error \"one of them\"\n#endif\n"),
              IsEmpty());
  EXPECT_THAT(finder->Find("a.c", "#ifdef A\n#error a\nint a;\n#endif\n"), testing::SizeIs(1));
  EXPECT_THAT(finder->Find("a.rs", "#[cfg(all(a, b))]\ncompile_error!(\"one of them\");\n"),
              IsEmpty());
  EXPECT_THAT(finder->Find("a.rs", "#[cfg(a)]\ncompile_error!{ fn f() {} }\n"), testing::SizeIs(1));
}

TEST(ConditionWaysTest, BranchesHoldWhereTheOthersDoNot) {
  const std::string text =
      "#if defined(A)\nint a;\n#elif defined(B)\nint b;\n#else\nint c;\n#ifdef D\nint d;\n";
  EXPECT_THAT(WaysIn("a.c", text), ElementsAre("-DD=1", "-DD=1 -UA -UB"));
  EXPECT_THAT(WaysIn("a.c", "#ifdef A\nint a;\n#elif B > 1\nint b;\n#endif\n"),
              ElementsAre("-DB=2", "-DB=2 -UA"));
  EXPECT_THAT(WaysIn("a.cs", "#if FAST && !NET8_0\nint a;\n#endif\n"),
              ElementsAre("-DFAST=1", "-DFAST=1 -UNET8_0"));
}

TEST(ConditionWaysTest, TheGuardOfAHeaderIsLeftAlone) {
  EXPECT_THAT(WaysIn("a.h", "#ifndef A_H\n#define A_H\n#ifdef FAST\nint a;\n#endif\n#endif\n"),
              ElementsAre("-DFAST=1"));
}

TEST(ConditionWaysTest, ItemsOfRustStandUnderAllThatIsAroundThem) {
  EXPECT_THAT(
      WaysIn("a.rs",
             "#[cfg(feature = \"a\")]\nmod a {\n  #[cfg(feature = \"b\")]\n  fn b() {}\n}\n"),
      ElementsAre("--features a,b"));
  EXPECT_THAT(WaysIn("a.rs", "#![cfg(feature = \"a\")]\n#[cfg(feature = \"b\")]\nfn b() {}\n"),
              ElementsAre("--features a,b"));
  EXPECT_THAT(WaysIn("a.rs", "#[cfg(feature = \"a\")]\n#[cfg(feature = \"b\")]\nfn b() {}\n"),
              ElementsAre("--features a,b"));
  EXPECT_THAT(WaysIn("a.rs", "#[cfg_attr(x, cfg(y))]\nfn b() {}\n"), IsEmpty());
}

TEST(ConditionWaysTest, MacrosAreSetInTheTextAndLinesStay) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const auto finder = NewConditionFinder(&languages);
  const BuildSwitches switches = {{BuildSwitch::Kind::kMacro, "A", "2"},
                                  {BuildSwitch::Kind::kMacro, "B", std::nullopt},
                                  {BuildSwitch::Kind::kFeature, "c", "1"}};
  EXPECT_EQ(finder->Set("a.cc", "int a;\n", switches),
            "#undef A\n#define A 2\n#undef B\n#line 1\nint a;\n");
  EXPECT_EQ(finder->Set("a.h", "int a;\n", switches),
            "#ifndef A\n#define A 2\n#endif\n#undef B\n#line 1\nint a;\n");
  EXPECT_EQ(finder->Set("a.cs", "\xEF\xBB\xBFint a;\n", switches),
            "\xEF\xBB\xBF#define A\n#undef B\n#line 1\nint a;\n");
  EXPECT_EQ(finder->Set("a.rs", "fn a() {}\n", switches), "fn a() {}\n");
  EXPECT_EQ(finder->Set("a.cc", "int a;\n", {switches[2]}), "int a;\n");
}

TEST(ConditionWaysTest, SwitchesJoinUnlessTheyContradict) {
  const BuildSwitches a = {{BuildSwitch::Kind::kMacro, "A", "1"}};
  const BuildSwitches b = {{BuildSwitch::Kind::kMacro, "B", "1"}};
  const BuildSwitches no_a = {{BuildSwitch::Kind::kMacro, "A", std::nullopt}};
  EXPECT_EQ(BuildSwitchText(*JoinSwitches(a, b)), "-DA=1 -DB=1");
  EXPECT_EQ(JoinSwitches(a, a), a);
  EXPECT_EQ(JoinSwitches(a, no_a), std::nullopt);
}

TEST(ConditionWaysTest, ArgumentsOfCargoAndRustc) {
  const BuildSwitches switches = {{BuildSwitch::Kind::kFeature, "a", "1"},
                                  {BuildSwitch::Kind::kFeature, "b", "1"},
                                  {BuildSwitch::Kind::kFeature, "std", std::nullopt},
                                  {BuildSwitch::Kind::kCfg, "loom", "1"}};
  EXPECT_THAT(FeatureArguments(switches), ElementsAre("--no-default-features", "--features=a,b"));
  EXPECT_THAT(CfgArguments(switches, false), ElementsAre("--cfg", "loom"));
  EXPECT_THAT(CfgArguments(switches, true),
              ElementsAre("--cfg", "feature=\"a\"", "--cfg", "feature=\"b\"", "--cfg", "loom"));
}

}  // namespace
}  // namespace stile
