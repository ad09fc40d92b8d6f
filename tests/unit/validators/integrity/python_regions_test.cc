#include "validators/integrity/python_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"
#include "validators/integrity/conditional_regions.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<ConditionalRegion> Regions(absl::string_view text) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  return NewConditionFinder(&languages)->Find("a.py", text);
}

// "CONDITION @LINE FIRST-LAST" of each region.
std::vector<std::string> Find(absl::string_view text) {
  std::vector<std::string> shown;
  for (const ConditionalRegion& region : Regions(text)) {
    shown.push_back(absl::StrCat(region.condition, " @", region.condition_line, " ",
                                 region.first_line, "-", region.last_line));
  }
  return shown;
}

TEST(PythonRegionsTest, EveryBlockOfAStatement) {
  EXPECT_THAT(Find("import sys\n"                   // 1
                   "if sys.platform == 'win32':\n"  // 2
                   "    a = 1\n"                    // 3
                   "elif FAST:\n"                   // 4
                   "    a = 2\n"                    // 5
                   "else:\n"                        // 6
                   "    a = 3\n"),                  // 7
              ElementsAre("if sys.platform == 'win32' @2 3-3", "if FAST @4 5-5",
                          "else of if sys.platform == 'win32' @6 7-7"));
  EXPECT_THAT(Find("def f(x):\n    while x:  # on\n        f(x)\n    else:\n        f(1)\n"),
              ElementsAre("while x @2 3-3", "else of while x @4 5-5"));
  EXPECT_THAT(Find("match f():\n    case 1:\n        g()\n    case str():\n        h()\n"),
              ElementsAre("case 1 @2 3-3", "case str() @4 5-5"));
  EXPECT_THAT(Find("try:\n    f()\nexcept E:\n    g()\nfinally:\n    h()\n"),
              ElementsAre("try @1 2-2", "except E @3 4-4", "finally @5 6-6"));
}

TEST(PythonRegionsTest, WhatOnlyLeavesMayBeLeftOutWhereTypesSaySo) {
  EXPECT_THAT(Find("def f(x):\n    if x is None:\n        raise TypeError(x)\n"), IsEmpty());
  EXPECT_THAT(Find("match f():\n    case _:\n        assert_never(x)\n"), IsEmpty());
  EXPECT_THAT(Find("def f(x):\n    g(x)\n    raise TypeError(x)\n"), IsEmpty());
  EXPECT_THAT(Find("def f(x):\n    if DEBUG:\n        return 'x'\n"),
              ElementsAre("if DEBUG @2 3-3"));
  EXPECT_THAT(Find("def f(x):\n    if x is None:\n        return x + 1\n"),
              ElementsAre("if x is None @2 3-3"));
}

TEST(PythonRegionsTest, WhatIsForProgramsAlone) {
  EXPECT_THAT(Find("if TYPE_CHECKING:\n    f()\nelse:\n    import g\n    h = g.h\n"),
              ElementsAre("if TYPE_CHECKING @1 2-2"));
  EXPECT_THAT(Find("if not TYPE_CHECKING:\n    import g\n"), IsEmpty());
  EXPECT_THAT(Find("if not TYPE_CHECKING:\n    g(1)\n"),
              ElementsAre("if not TYPE_CHECKING @1 2-2"));
}

TEST(PythonRegionsTest, BehindTheStatementsOfABlock) {
  EXPECT_THAT(Find("def f():\n    return 1\n    b = 2\n"), ElementsAre("return 1 @2 3-3"));
  EXPECT_THAT(Find("def f():\n    return\n    yield\n"), IsEmpty());
  EXPECT_THAT(Find("def f():\n    return\n    yield\n    g()\n"), ElementsAre("return @2 3-4"));
  EXPECT_THAT(Find("def f():\n    return; g()\n"), ElementsAre("return @2 2-2"));
  EXPECT_THAT(Find("def f():\n    assert (False), 'no'\n    g()\n"),
              ElementsAre("assert (False), 'no' @2 3-3"));
  EXPECT_THAT(Find("def f():\n    die()\n    a()\n    # more\n    b()\n    pass\n"),
              ElementsAre("what follows a() @2 3-5"));
  EXPECT_THAT(Find("'text'\nfrom __future__ import annotations\nimport a\na.f()\na.g()\n"),
              ElementsAre("what follows a.f() @4 5-5"));
}

TEST(PythonRegionsTest, OneLineIsEnough) {
  const std::vector<ConditionalRegion> regions =
      Regions("def f(x):\n    if x: g()\n    elif 0: h()\n    else: i()\n");
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_THAT(regions[0].planted, StartsWith("    if x: V"));
  EXPECT_THAT(regions[1].planted, StartsWith("    elif 0: V"));
  EXPECT_THAT(regions[2].planted, StartsWith("    elif True: V"));
  EXPECT_EQ(regions[2].plant_before, 4);
}

TEST(PythonRegionsTest, WithoutTypeCheck) {
  EXPECT_THAT(Find("@typing.no_type_check\ndef f() -> int:\n    return ''\n"),
              ElementsAre("@typing.no_type_check @1 3-3"));
}

TEST(PythonRegionsTest, ConstantsAreNoSettings) {
  for (const char* condition : {"False", "(False)", "0 and f()", "f() and False", "not 1",
                                "(x := False)", "not x and False or 0", "1 == 2"}) {
    EXPECT_TRUE(Regions(absl::StrCat("if ", condition, ":\n    f()\n"))[0].constant) << condition;
  }
  for (const char* condition : {"DEBUG", "sys.version_info < (3,)", "x is y", "f()"}) {
    EXPECT_FALSE(Regions(absl::StrCat("if ", condition, ":\n    f()\n"))[0].constant) << condition;
  }
}

TEST(PythonRegionsTest, HostileTextIsNoTrouble) {
  std::string chain = "if a:\n    b()\n";
  std::string deep;
  for (int i = 0; i < 3000; ++i) absl::StrAppend(&chain, "elif a:\n    b()\n");
  for (size_t i = 0; i < 90; ++i) absl::StrAppend(&deep, std::string(i, ' '), "if a:\n");
  EXPECT_EQ(Regions(chain).size(), 3001u);
  EXPECT_THAT(Find(absl::StrCat("if :\n", deep, "else\n\tmatch case")), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace stile
