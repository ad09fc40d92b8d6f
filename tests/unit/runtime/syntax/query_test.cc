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
  EXPECT_EQ(Found("python", "(identifier)\n(nothing)", ""), "line 2: unknown node 'nothing'");
  EXPECT_EQ(Found("python", "((identifier) @x (#magic? @x \"y\"))", ""),
            "unknown predicate #magic?");
  for (const char* source : {"(",
                             "(module",
                             "[",
                             "[]",
                             "\"",
                             "\"+",
                             "(identifier",
                             "(call !)",
                             "(call nothing: (_))",
                             "(call function (_))",
                             "(call .)",
                             "(identifier) @",
                             "(_)?",
                             "(_)*",
                             "((_) (_))",
                             ")",
                             "(#eq? @x \"y\")",
                             "((_) (#eq? \"y\"))",
                             "((_) @x (#eq? @x))",
                             "((_) @x (#eq? @x y))",
                             "(expression)",
                             "(MISSING)",
                             "name: (_)",
                             "(call (#eq? @x"}) {
    EXPECT_THAT(Found("python", source, "f(x)"), HasSubstr("line 1: ")) << source;
  }
  const std::string deep(100'000, '[');
  EXPECT_THAT(Found("python", deep, ""), HasSubstr("nested too deeply"));
  EXPECT_THAT(Found("python", "((identifier) @x (#match? @x \"(\"))", ""), HasSubstr("#match?: "));
}

TEST(QueryTest, EveryGrammarHasTheQueryOfIntegrity) {
  for (const Grammar& grammar : Grammars()) {
    EXPECT_NE(FindQuery(grammar, "integrity"), nullptr) << grammar.name;
  }
  EXPECT_EQ(FindQuery(Grammars()[0], "no-such"), nullptr);
}

TEST(QueryTest, PatternsMatchAsInTreeSitter) {
  const std::string text = "f(a, *b)\n# c\nx.y = g(1)\n";
  EXPECT_EQ(Found("python", "(argument_list (identifier) @x)", text), "x=a;");
  EXPECT_EQ(Found("python", "(argument_list (_) @x)", text), "x=a;x=*b;x=1;");
  EXPECT_EQ(Found("python", "(argument_list . (_) @x)", text), "x=a;x=1;");
  EXPECT_EQ(Found("python", "(argument_list (_) @x .)", text), "x=*b;x=1;");
  EXPECT_EQ(Found("python", "(argument_list . (_) @x .)", text), "x=1;");
  EXPECT_EQ(Found("python", "(argument_list (_) @x . (_) @y)", text), "x=a;y=*b;");
  EXPECT_EQ(Found("python", "(argument_list \",\" @x)", text), "x=,;");
  EXPECT_EQ(Found("python", "(argument_list _ @x)", "f(1)"), "x=(;x=1;x=);");
  EXPECT_EQ(Found("python", "(call function: (identifier) @f) @call", text),
            "call=f(a, *b);f=f;call=g(1);f=g;");
  EXPECT_EQ(Found("python", "(call function: [(identifier) (attribute)] @f @g)", text),
            "f=f;g=f;f=g;g=g;");
  EXPECT_EQ(Found("python", "[(integer) (comment)] @x", text), "x=# c;x=1;");
  EXPECT_EQ(Found("python", "(assignment !type left: (_) @x)", text), "x=x.y;");
  EXPECT_EQ(Found("python", "(assignment !left) @x", text), "");
  // What has no captures is looked for once.
  EXPECT_EQ(Found("python", "(argument_list (identifier)) @x", "f(a, b, c)"), "x=(a, b, c);");
  EXPECT_EQ(Found("python", "(ERROR) @x", "f(a))\n"), "x=f(a));");
}

// tree-sitter knows which patterns can never match.
TEST(QueryTest, TreeSitterAcceptsOurQueries) {
  for (const Grammar& grammar : Grammars()) {
    for (const char* name : {"symbols", "scopes", "imports", "integrity"}) {
      const std::string source = QuerySource(grammar, name);
      EXPECT_NE(source, "") << grammar.name << " " << name;
      uint32_t offset = 0;
      TSQueryError error = TSQueryErrorNone;
      TSQuery* query = ts_query_new(grammar.language, source.data(),
                                    static_cast<uint32_t>(source.size()), &offset, &error);
      EXPECT_NE(query, nullptr) << grammar.name << " " << name << ": " << source.substr(offset, 60);
      if (query == nullptr) continue;
      const SyntaxQuery* ours = FindQuery(grammar, name);
      EXPECT_EQ(ts_query_pattern_count(query), ours->pattern_count());
      EXPECT_EQ(ts_query_capture_count(query), ours->CaptureNames().size());
      ts_query_delete(query);
    }
  }
}

}  // namespace
}  // namespace stile
