#include "validators/integrity/symbol_scopes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Scopes(const std::string& path, absl::string_view text,
                                const std::vector<int>& lines) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  return NewScopeFinder(&languages)->ScopesAt(path, text, lines);
}

TEST(SymbolScopesTest, NamesTheDeclarationAroundALine) {
  EXPECT_THAT(Scopes("a.py",
                     "import os\n"
                     "class Shop:\n"
                     "    def price(self):\n"
                     "        return 1\n"
                     "\n"
                     "def main():\n"
                     "    x = 1\n",
                     {1, 4, 7, 0, 99}),
              ElementsAre("", "Shop.price", "main", "", ""));
  EXPECT_THAT(Scopes("a.go", "package a\n\nfunc (s *Shop) Price() int {\n\treturn 1\n}\n", {4}),
              ElementsAre("Shop.Price"));
  EXPECT_THAT(Scopes("a.cc", "int Shop::Price() {\n  return 1;\n}\nint x = 1;\n", {2, 4}),
              ElementsAre("Shop.Price", ""));
  EXPECT_THAT(Scopes("a.ts", "export class Shop {\n  price() {\n    return 1;\n  }\n}\n", {3, 1}),
              ElementsAre("Shop.price", "Shop"));
  EXPECT_THAT(Scopes("a.rs", "impl Shop {\n    fn price() -> i32 {\n        1\n    }\n}\n", {3}),
              ElementsAre("Shop.price"));
}

TEST(SymbolScopesTest, OtherFilesHaveNone) {
  EXPECT_THAT(Scopes("notes.txt", "price\n", {1}), ElementsAre(""));
}

}  // namespace
}  // namespace stile
