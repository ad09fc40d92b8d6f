#include "runtime/syntax/query.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::HasSubstr;

std::string Found(absl::string_view grammar, absl::string_view source, absl::string_view text) {
  const auto query = SyntaxQuery::Compile(*FindGrammar(grammar), source);
  if (!query.ok()) return std::string(query.status().message());
  const auto tree = SyntaxTree::Parse(*FindGrammar(grammar), text);
  std::string found;
  (*query)->Run(*tree, text, [&](const std::vector<SyntaxQuery::Capture>& captures) {
    for (const auto& capture : captures) {
      absl::StrAppend(&found, capture.name, "=", TextOf(capture.node, text), ";");
    }
  });
  return found;
}

TEST(QueryTest, PredicatesCompareTheTextOfCaptures) {
  const std::string text = "a = 1\nb = 2\nab = 3\n";
  EXPECT_EQ(Found("python", "((identifier) @x (#eq? @x \"b\"))", text), "x=b;");
  EXPECT_EQ(Found("python", "((identifier) @x (#not-eq? @x \"b\"))", text), "x=a;x=ab;");
  EXPECT_EQ(Found("python", "((identifier) @x (#any-of? @x \"a\" \"b\"))", text), "x=a;x=b;");
  EXPECT_EQ(Found("python", "((identifier) @x (#match? @x \"^a\"))", text), "x=a;x=ab;");
  EXPECT_EQ(Found("python", "((identifier) @x (#not-match? @x \"^a\"))", text), "x=b;");
}

TEST(QueryTest, MistakesAreLocated) {
  EXPECT_EQ(Found("python", "(identifier)\n(nothing)", ""), "line 2: unknown node");
  EXPECT_EQ(Found("python", "((identifier) @x (#magic? @x))", ""), "unknown predicate #magic?");
  EXPECT_THAT(Found("python", "((identifier) @x (#match? @x \"(\"))", ""), HasSubstr("#match?: "));
}

TEST(QueryTest, EveryGrammarHasTheQueryOfIntegrity) {
  for (const Grammar& grammar : Grammars()) {
    EXPECT_NE(FindQuery(grammar, "integrity"), nullptr) << grammar.name;
  }
  EXPECT_EQ(FindQuery(Grammars()[0], "no-such"), nullptr);
}

}  // namespace
}  // namespace stile
