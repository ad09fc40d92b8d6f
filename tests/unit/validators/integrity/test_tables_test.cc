#include "validators/integrity/test_tables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/syntax/grammar.h"

namespace stile {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::map<std::string, bool> Tables(const char* grammar, const char* text) {
  const std::optional<TestCode> code = TestCode::Parse(*FindGrammar(grammar), text);
  return code.has_value() ? FindTables(*code) : std::map<std::string, bool>();
}

TEST(FindTablesTest, KnowsTheirNamesInEachLanguage) {
  EXPECT_THAT(Tables("c", "static const struct { int a, b; } cases[] = {{1, 2}, {3, 4}};\n"),
              UnorderedElementsAre(Pair("cases", false)));
  EXPECT_THAT(Tables("python", "CASES = [(1, 2), (3, 4)]\n"),
              UnorderedElementsAre(Pair("CASES", false)));
  EXPECT_THAT(Tables("go", "package a\n\nvar cases = [][]int{{1, 2}, {3, 4}}\n"),
              UnorderedElementsAre(Pair("cases", false)));
  EXPECT_THAT(Tables("rust", "const CASES: [(i32, i32); 2] = [(1, 2), (3, 4)];\n"),
              UnorderedElementsAre(Pair("CASES", false)));
  EXPECT_THAT(Tables("java", "class T { static final int[][] CASES = {{1, 2}, {3, 4}}; }\n"),
              UnorderedElementsAre(Pair("CASES", false)));
}

TEST(FindTablesTest, TellsWhetherTheFileItselfUsesThem) {
  EXPECT_THAT(
      Tables("javascript", "const cases = [[1, 2], [3, 4]];\nfor (const c of cases) f(c);\n"),
      UnorderedElementsAre(Pair("cases", true)));
  EXPECT_THAT(Tables("python", "CASES = [(1, 2), (3, 4)]\n\n\ndef test_a():\n    f(CASES)\n"),
              UnorderedElementsAre(Pair("CASES", false)));
}

TEST(FindTablesTest, LeavesOutTablesOfFunctions) {
  EXPECT_THAT(Tables("python", "def test_a():\n    cases = [(1, 2), (3, 4)]\n    f(cases)\n"),
              IsEmpty());
}

}  // namespace
}  // namespace stile
