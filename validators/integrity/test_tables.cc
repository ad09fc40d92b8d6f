#include "validators/integrity/test_tables.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "validators/integrity/test_functions.h"

namespace stile {
namespace {

// The name that a declaration gives to its value; "" if the node is none.
std::string DeclaredName(const TestCode& code, uint32_t i) {
  for (const absl::string_view field : {"name", "left", "declarator", "pattern"}) {
    const uint32_t child = code.Child(i, field);
    if (child == 0) continue;
    for (uint32_t at = child; at < code.End(child); ++at) {
      if (code.End(at) == at + 1 && code.IsNamed(at) && code.Role(at) == NodeRole::kNone) {
        return std::string(code.Text(at));
      }
    }
  }
  return "";
}

class TableReader {
 public:
  explicit TableReader(const TestCode& code) : code_(code) {}

  std::map<std::string, bool> Read() {
    if (code_.size() > 0) Walk(0, "");
    std::map<std::string, bool> tables;
    for (const std::string& name : tables_) tables[name] = name.empty() || uses_[name] > 1;
    return tables;
  }

 private:
  void Walk(uint32_t i, const std::string& name) {
    const NodeRole role = code_.Role(i);
    if (role == NodeRole::kFunction || role == NodeRole::kComment) return;
    if (!RowsAt(code_, i, /*in_marker=*/false).empty()) tables_.insert(name);
    if (code_.End(i) == i + 1 && role == NodeRole::kNone) ++uses_[std::string(code_.Text(i))];
    const std::string declared = DeclaredName(code_, i);
    for (uint32_t child = i + 1; child < code_.End(i); child = code_.End(child)) {
      Walk(child, declared.empty() ? name : declared);
    }
  }

  const TestCode& code_;
  std::set<std::string> tables_;
  std::map<std::string, int> uses_;
};

bool Calls(const TestUnit& unit, const std::set<std::string>& called) {
  return std::all_of(called.begin(), called.end(),
                     [&](const std::string& name) { return unit.names.count(name) > 0; });
}

bool Asserts(const TestUnit& unit, Strength strength) {
  return std::any_of(unit.assertions.begin(), unit.assertions.end(),
                     [&](const TestAssertion& assertion) {
                       return assertion.dead.empty() && assertion.strength >= strength;
                     });
}

}  // namespace

std::map<std::string, bool> FindTables(const TestCode& code) { return TableReader(code).Read(); }

bool JudgesRows(const TestSide& side, const TestPlace& place, const std::set<std::string>& called,
                Strength strength, const std::function<bool(const TestPlace&)>& is_live) {
  if (place.unit->kind != TestUnit::Kind::kFile) {
    if (Calls(*place.unit, called) && Asserts(*place.unit, strength)) return true;
    return place.unit->kind == TestUnit::Kind::kHelper &&
           std::any_of(side.tests.begin(), side.tests.end(), [&](const TestPlace& other) {
             const TestUnit& unit = *other.unit;
             const bool takes_rows =
                 ProvidesRows(*place.unit) || IsNamedIn(unit, place.unit->last_name);
             return other.path == place.path && unit.kind == TestUnit::Kind::kTest && takes_rows &&
                    is_live(other) && Calls(unit, called) && Asserts(unit, strength);
           });
  }
  const std::map<std::string, bool>& tables = place.unit->tables;
  const bool uses_some =
      std::any_of(tables.begin(), tables.end(), [](const auto& table) { return table.second; });
  if (uses_some && Calls(*place.unit, called)) return true;
  return std::any_of(side.tests.begin(), side.tests.end(), [&](const TestPlace& other) {
    const TestUnit& unit = *other.unit;
    return other.path == place.path && unit.kind != TestUnit::Kind::kFile && is_live(other) &&
           Calls(unit, called) && Asserts(unit, strength) &&
           std::any_of(tables.begin(), tables.end(),
                       [&](const auto& table) { return unit.names.count(table.first) > 0; });
  });
}

std::multiset<std::string> WithoutConstants(const TestSide& side, const TestPlace& place,
                                            const std::set<std::string>& called,
                                            std::multiset<std::string> values) {
  if (called.empty()) return values;
  for (const TestPlace& other : side.tests) {
    if (other.path != place.path || other.unit->kind == TestUnit::Kind::kFile) continue;
    for (const TestAssertion& assertion : other.unit->assertions) {
      const std::set<std::string> names = WordsOf(assertion.tokens, /*literals=*/false);
      const std::multiset<std::string> constants = LiteralsOf(assertion.tokens);
      const bool calls_all =
          std::includes(names.begin(), names.end(), called.begin(), called.end());
      if (!calls_all || !assertion.dead.empty() || constants.size() >= values.size() ||
          !Less(constants, values).empty()) {
        continue;
      }
      values = Less(values, constants);
    }
  }
  return values;
}

bool ProvidesRows(const TestUnit& unit) {
  return unit.kind == TestUnit::Kind::kHelper &&
         (unit.names.count("Parameters") > 0 || unit.names.count("DataProvider") > 0);
}

bool IsNamedIn(const TestUnit& unit, const std::string& function) {
  return unit.names.count(function) > 0 ||
         unit.literals.count(absl::StrCat("\"", function, "\"")) > 0;
}

std::string ValueOfPart(const TestAssertion& assertion) {
  if (assertion.strength != Strength::kExact) return "";
  const CodeTokens& tokens = assertion.tokens;
  std::string value;
  int literals = 0;
  int calls = 0;
  bool has_field = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is_literal) {
      ++literals;
      value = tokens[i].text;
    }
    const bool is_call = tokens[i].is_name && i + 1 < tokens.size() && tokens[i + 1].text == "(";
    calls += is_call && tokens[i].text != assertion.matcher ? 1 : 0;
    has_field |= tokens[i].is_name && !is_call && i > 1 && tokens[i - 1].text == "." &&
                 tokens[i - 2].is_name;
  }
  return literals == 1 && calls == 0 && has_field ? value : "";
}

std::multiset<std::string> PartsOfWhole(const TestAssertion& assertion) {
  const CodeTokens& tokens = assertion.tokens;
  if (assertion.strength != Strength::kExact) return {};
  for (size_t i = 1; i < tokens.size(); ++i) {
    // Point(2, 3), new Point(2, 3), Point{2, 3}, [2, 3], (2, 3), {x: 2, y: 3}
    const std::string& text = tokens[i].text;
    const CodeToken& before = tokens[i - 1];
    const bool is_made = before.is_name &&
                         absl::ascii_isupper(static_cast<unsigned char>(before.text.front())) &&
                         before.text != assertion.matcher;
    const bool is_list = !before.is_name && before.text != ")" && before.text != "]";
    if ((text != "(" && text != "[" && text != "{") || (!is_made && !is_list)) continue;
    CodeTokens inside;
    int depth = 0;
    for (size_t at = i; at < tokens.size(); ++at) {
      const std::string& word = tokens[at].text;
      if (word == "(" || word == "[" || word == "{") ++depth;
      if (word == ")" || word == "]" || word == "}") --depth;
      if (depth == 0) break;
      inside.push_back(tokens[at]);
    }
    std::multiset<std::string> parts = LiteralsOf(inside);
    if (parts.size() > 1) return parts;
  }
  return {};
}

}  // namespace stile
