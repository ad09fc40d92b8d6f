// Walks tests/golden/symbols/<grammar>/<case>.<ext>; STILE_UPDATE_GOLDEN=1 writes the expectations
// anew. A line of an expectation is
//   12:5 method Server.Run [10-20] (declaration) : Base  doc "…"  head "…"
#include "runtime/syntax/symbols.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/text.h"
#include "tests/support/source_golden.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Symbol> Symbols(absl::string_view grammar, absl::string_view text) {
  const auto tree = SyntaxTree::Parse(*FindGrammar(grammar), text);
  if (!tree.ok()) return {};
  return FindSymbols(*FindGrammar(grammar), *tree, text);
}

std::string OneLine(absl::string_view text, uint32_t begin, uint32_t end) {
  std::string line = absl::StrReplaceAll(text.substr(begin, end - begin), {{"\n", "⏎"}});
  constexpr size_t kMaxBytes = 60;
  if (line.size() > kMaxBytes) line = ToUtf8(line.substr(0, kMaxBytes)) + "…";
  return line;
}

int LineAt(absl::string_view text, uint32_t offset) {
  return static_cast<int>(std::count(text.begin(), text.begin() + offset, '\n')) + 1;
}

std::string Print(const std::vector<Symbol>& symbols, absl::string_view text) {
  std::string print;
  for (const Symbol& symbol : symbols) {
    for (int parent = symbol.parent; parent >= 0; parent = symbols[parent].parent) {
      absl::StrAppend(&print, "  ");
    }
    absl::StrAppend(&print, symbol.line, ":", symbol.column, " ", SymbolKindName(symbol.kind), " ",
                    symbol.container, symbol.container.empty() ? "" : ".", symbol.name, " [",
                    LineAt(text, symbol.begin), "-", LineAt(text, symbol.end), "]");
    if (!symbol.is_definition) absl::StrAppend(&print, " (declaration)");
    if (!symbol.bases.empty()) absl::StrAppend(&print, " : ", absl::StrJoin(symbol.bases, ", "));
    if (symbol.doc_end > 0) {
      absl::StrAppend(&print, "  doc \"", OneLine(text, symbol.doc_begin, symbol.doc_end), "\"");
    }
    absl::StrAppend(&print, "  head \"", OneLine(text, symbol.begin, symbol.signature_end), "\"\n");
  }
  return print;
}

// What holds of the symbols of every text.
void ExpectConsistent(const std::vector<Symbol>& symbols, absl::string_view text) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    EXPECT_LT(symbol.parent, static_cast<int>(i));
    EXPECT_LE(symbol.begin, symbol.name_begin);
    EXPECT_LE(symbol.name_end, symbol.end);
    EXPECT_LE(symbol.name_end, symbol.signature_end);
    EXPECT_LE(symbol.signature_end, symbol.end);
    EXPECT_LE(symbol.end, text.size());
    EXPECT_LE(symbols[i > 0 ? i - 1 : 0].begin, symbol.begin);
    EXPECT_GE(symbols[symbol.parent >= 0 ? symbol.parent : i].end, symbol.name_end);
  }
}

class SymbolsGolden : public testing::TestWithParam<std::string> {};

TEST_P(SymbolsGolden, PrintsAsExpected) {
  const SourceGolden golden("symbols", GetParam());
  const std::vector<Symbol> symbols = Symbols(golden.grammar(), golden.text());
  ExpectConsistent(symbols, golden.text());
  golden.Expect(Print(symbols, golden.text()));
}

// Every part of a source is a source like any other.
TEST_P(SymbolsGolden, ReadsBrokenSourceWithoutHarm) {
  const SourceGolden golden("symbols", GetParam());
  const std::string& text = golden.text();
  const size_t step = text.size() / 40 + 1;
  for (size_t at = 0; at < text.size(); at += step) {
    ExpectConsistent(Symbols(golden.grammar(), text.substr(at)), text.substr(at));
    std::string spoilt = text;
    for (size_t i = at; i < spoilt.size(); i += step + 7) spoilt[i] = static_cast<char>(i * 31);
    ExpectConsistent(Symbols(golden.grammar(), spoilt), spoilt);
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, SymbolsGolden, testing::ValuesIn(SourceGolden::Cases("symbols")),
                         SourceGolden::TestName);

TEST(SymbolsTest, EveryGrammarHasItsQueryAndGoldens) {
  const std::vector<std::string> cases = SourceGolden::Cases("symbols");
  for (const Grammar& grammar : Grammars()) {
    EXPECT_THAT(Symbols(grammar.name, ""), IsEmpty()) << grammar.name;
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const std::string& name) {
      return name.rfind(grammar.name + "/", 0) == 0;
    })) << grammar.name;
  }
}

TEST(SymbolsTest, KindsHaveNames) {
  for (int kind = 0; kind <= static_cast<int>(SymbolKind::kMacro); ++kind) {
    EXPECT_FALSE(SymbolKindName(static_cast<SymbolKind>(kind)).empty());
  }
}

TEST(SymbolsTest, OffsetsAreBytesOfTheText) {
  const std::string text = "# é\nclass Ä:\n  '''Doc.'''\n  def run(self): pass\n";
  const std::vector<Symbol> symbols = Symbols("python", text);
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0].name, "Ä");
  EXPECT_EQ(text.substr(symbols[0].doc_begin, symbols[0].doc_end - symbols[0].doc_begin),
            "'''Doc.'''");
  EXPECT_EQ(symbols[1].line, 4);
  EXPECT_EQ(symbols[1].column, 7);
  EXPECT_EQ(symbols[1].container, "Ä");
  EXPECT_EQ(symbols[1].parent, 0);
}

TEST(SymbolsTest, EachDeclaratorHasItsOwnPart) {
  const std::string text = "// Both.\nint a = 1, *b;\n";
  const std::vector<Symbol> symbols = Symbols("c", text);
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(text.substr(symbols[0].begin, symbols[0].end - symbols[0].begin), "a = 1");
  EXPECT_EQ(text.substr(symbols[1].begin, symbols[1].end - symbols[1].begin), "*b;");
  EXPECT_EQ(symbols[1].doc_end, 8u);
}

TEST(SymbolsTest, HostileTextsTakeBoundedWork) {
  const auto check = [](const Grammar& grammar, absl::string_view part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, part);
    ExpectConsistent(Symbols(grammar.name, text), text);
  };
  for (const Grammar& grammar : Grammars()) {
    check(grammar, "(", 100000);
    for (const absl::string_view part : {"{", "[", "class A{", "class A:\n ", "a::", "int a,",
                                         "/*a*/", "@a ", "func a(){", "\xff\xfe"}) {
      check(grammar, part, 1000);
    }
  }
}

}  // namespace
}  // namespace stile
