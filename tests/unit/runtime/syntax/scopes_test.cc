// Walks tests/golden/scopes/<grammar>/<case>.<ext>; STILE_UPDATE_GOLDEN=1 writes the expectations
// anew. A line for each identifier of the source:
//   12:5 count reference call → parameter 10:8 (receiver "…")
#include "runtime/syntax/scopes.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/source_golden.h"

namespace stile {
namespace {

using testing::IsEmpty;

FileScopes Scopes(absl::string_view grammar, absl::string_view text) {
  const auto tree = SyntaxTree::Parse(*FindGrammar(grammar), text);
  if (!tree.ok()) return {};
  return AnalyzeScopes(*FindGrammar(grammar), *tree, text);
}

std::vector<Occurrence> Occurrences(absl::string_view grammar, absl::string_view text,
                                    absl::string_view name) {
  return FindOccurrences(*FindGrammar(grammar), Scopes(grammar, text), text, name);
}

std::string Place(absl::string_view text, uint32_t offset) {
  const absl::string_view before = text.substr(0, offset);
  return absl::StrCat(std::count(before.begin(), before.end(), '\n') + 1, ":",
                      offset - (before.rfind('\n') + 1) + 1);
}

std::string Print(const FileScopes& scopes, absl::string_view grammar, absl::string_view text) {
  std::set<std::string> names;
  for (const FileScopes::Identifier& identifier : scopes.identifiers) {
    const Occurrence& occurrence = identifier.occurrence;
    names.emplace(text.substr(occurrence.begin, occurrence.end - occurrence.begin));
  }
  std::map<uint32_t, std::string> lines;
  for (const std::string& name : names) {
    for (const Occurrence& found : FindOccurrences(*FindGrammar(grammar), scopes, text, name)) {
      std::string& line = lines[found.begin];
      line = absl::StrCat(Place(text, found.begin), " ", name, " ", OccurrenceRoleName(found.role),
                          found.is_call ? " call" : "");
      if (found.binding >= 0) {
        const Binding& binding = scopes.bindings[found.binding];
        absl::StrAppend(&line, " → ", BindingKindName(binding.kind), " ",
                        Place(text, binding.name_begin), binding.is_file_level ? "" : " inner");
      }
      if (found.receiver_end > 0) {
        absl::StrAppend(
            &line, " (receiver \"",
            text.substr(found.receiver_begin, found.receiver_end - found.receiver_begin), "\")");
      }
    }
  }
  std::string print;
  for (const auto& [at, line] : lines) absl::StrAppend(&print, line, "\n");
  return print;
}

void ExpectConsistent(const FileScopes& scopes, absl::string_view grammar, absl::string_view text) {
  uint32_t last_end = 0;
  for (const FileScopes::Identifier& identifier : scopes.identifiers) {
    const Occurrence& occurrence = identifier.occurrence;
    EXPECT_LE(last_end, occurrence.begin);
    EXPECT_LE(occurrence.end, text.size());
    EXPECT_LT(occurrence.binding, static_cast<int>(scopes.bindings.size()));
    last_end = occurrence.end;
  }
  for (const Binding& binding : scopes.bindings) {
    EXPECT_LE(binding.scope_begin, binding.scope_end);
    EXPECT_LE(binding.scope_end, text.size());
  }
  FindOccurrences(*FindGrammar(grammar), scopes, text, "a");
}

class ScopesGolden : public testing::TestWithParam<std::string> {};

TEST_P(ScopesGolden, PrintsAsExpected) {
  const SourceGolden golden("scopes", GetParam());
  const FileScopes scopes = Scopes(golden.grammar(), golden.text());
  EXPECT_TRUE(scopes.is_complete);
  ExpectConsistent(scopes, golden.grammar(), golden.text());
  golden.Expect(Print(scopes, golden.grammar(), golden.text()));
}

// Every part of a source is a source like any other.
TEST_P(ScopesGolden, ReadsBrokenSourceWithoutHarm) {
  const SourceGolden golden("scopes", GetParam());
  const std::string& text = golden.text();
  const size_t step = text.size() / 40 + 1;
  for (size_t at = 0; at < text.size(); at += step) {
    const std::string rest = text.substr(at);
    ExpectConsistent(Scopes(golden.grammar(), rest), golden.grammar(), rest);
    std::string spoilt = text;
    for (size_t i = at; i < spoilt.size(); i += step + 7) spoilt[i] = static_cast<char>(i * 31);
    ExpectConsistent(Scopes(golden.grammar(), spoilt), golden.grammar(), spoilt);
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, ScopesGolden, testing::ValuesIn(SourceGolden::Cases("scopes")),
                         SourceGolden::TestName);

TEST(ScopesTest, EveryGrammarHasItsQueryAndGoldens) {
  const std::vector<std::string> cases = SourceGolden::Cases("scopes");
  for (const Grammar& grammar : Grammars()) {
    EXPECT_THAT(Scopes(grammar.name, "").bindings, IsEmpty()) << grammar.name;
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const std::string& name) {
      return name.rfind(grammar.name + "/", 0) == 0;
    })) << grammar.name;
  }
}

TEST(ScopesTest, CommentsAndStringsAreNeverListed) {
  EXPECT_EQ(Occurrences("python", "x = 'x'  # x\n", "x").size(), 1u);
  EXPECT_EQ(Occurrences("javascript", "/* x */ const s = `x ${x}` // x", "x").size(), 1u);
}

TEST(ScopesTest, HostileTextsTakeBoundedWork) {
  const auto check = [](const Grammar& grammar, absl::string_view part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, part);
    ExpectConsistent(Scopes(grammar.name, text), grammar.name, text);
  };
  for (const Grammar& grammar : Grammars()) {
    check(grammar, "(", 30000);
    for (const absl::string_view part : {"{a", "[a,", "class a{", "class a:\n ", "a::", "int a,",
                                         "let a=1;", "func a(a){", "x=>", "\xff\xfe"}) {
      check(grammar, part, 1000);
    }
  }
}

}  // namespace
}  // namespace stile
