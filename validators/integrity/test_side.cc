#include "validators/integrity/test_side.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "absl/strings/match.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/test_controls.h"
#include "validators/integrity/test_functions.h"
#include "validators/integrity/test_language.h"
#include "validators/integrity/test_registry.h"
#include "validators/integrity/test_scripts.h"
#include "validators/integrity/test_tables.h"

namespace stile {
namespace {

constexpr int kMaxHelperDepth = 4;
constexpr size_t kMaxAssertions = 4000;  // of one test with its helpers
constexpr size_t kMinSymbolLength = 3;
constexpr size_t kMaxBagTokens = 4000;
constexpr double kSameBody = 0.6;

std::string Stem(const std::string& path) {
  const std::string name = BaseName(path);
  return name.substr(0, name.find('.'));
}

// The words of a declaration but its name, sorted.
std::vector<std::string> Bag(absl::string_view text, const std::string& name) {
  std::vector<std::string> words;
  size_t at = 0;
  while (at < text.size() && words.size() < kMaxBagTokens) {
    size_t end = at;
    while (end < text.size() && IsIdentifierByte(text[end])) ++end;
    if (end > at) {
      if (text.substr(at, end - at) != name) words.emplace_back(text.substr(at, end - at));
      at = end;
    } else {
      ++at;
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

void AddDeclarations(const TestCode& code, TestSide* side) {
  for (auto& [name, overloads] : ReadSignatures(code)) {
    auto& all = side->signatures[name];
    all.insert(all.end(), overloads.begin(), overloads.end());
  }
  for (const Symbol& symbol : FindSymbols(code.grammar(), code.tree(), code.text())) {
    if (symbol.name.size() < kMinSymbolLength || symbol.kind == SymbolKind::kNamespace) continue;
    auto& bag = side->symbols[symbol.name];
    const absl::string_view text = code.text().substr(symbol.begin, symbol.end - symbol.begin);
    if (bag.empty()) bag = Bag(text, symbol.name);
  }
}

bool AreAlike(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.size() < 4 || b.size() < 4) return a == b && !a.empty();
  std::vector<std::string> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return static_cast<double>(common.size()) >=
         kSameBody * static_cast<double>(std::max(a.size(), b.size()));
}

void Collect(const TestSide& side, const TestPlace& place, int depth, const std::string& dead,
             const std::set<std::string>& conditions, std::set<const TestUnit*>* open,
             std::vector<MadeAssertion>* made) {
  if (!open->insert(place.unit).second) return;
  for (const TestAssertion& assertion : place.unit->assertions) {
    if (made->size() >= kMaxAssertions) break;
    const auto own = side.functions.find(assertion.matcher);  // counts by what it asserts, below
    if (own != side.functions.end() && own->second.front().unit->kind == TestUnit::Kind::kHelper) {
      continue;
    }
    MadeAssertion one;
    one.assertion = &assertion;
    one.text = assertion.Text();
    one.dead = dead.empty() ? assertion.dead : dead;
    one.conditions = conditions;
    one.conditions.insert(assertion.conditions.begin(), assertion.conditions.end());
    made->push_back(std::move(one));
  }
  for (const TestUnit::Call& call : place.unit->calls) {
    if (depth >= kMaxHelperDepth || made->size() >= kMaxAssertions) break;
    const auto found = side.functions.find(call.name);
    if (found == side.functions.end()) continue;
    const TestPlace* helper = &found->second.front();
    for (const TestPlace& other : found->second) {
      if (other.path == place.path) helper = &other;
    }
    if (helper->unit->kind == TestUnit::Kind::kTest && !helper->unit->must_be_referenced) continue;
    std::set<std::string> all = conditions;
    all.insert(call.conditions.begin(), call.conditions.end());
    Collect(side, *helper, depth + 1, dead.empty() ? call.dead : dead, all, open, made);
  }
  open->erase(place.unit);
}

// Skips that hold always: what they are about asserts nothing.
void NoteSkipped(FileTests* file) {
  for (TestUnit& unit : file->units) {
    for (const TestSkip& skip : file->skips) {
      if (skip.is_conditional || skip.is_foreign || skip.of_others) continue;
      if (skip.begin <= unit.begin && unit.end <= skip.end && unit.dead.empty()) {
        unit.dead = "skipped";
      }
    }
  }
}

std::set<std::string> GoneSymbols(const TestSide& before, const TestSide& after) {
  std::vector<const std::vector<std::string>*> fresh;
  for (const auto& [name, bag] : after.symbols) {
    if (before.symbols.count(name) == 0) fresh.push_back(&bag);
  }
  std::set<std::string> gone;
  for (const auto& [name, bag] : before.symbols) {
    if (after.symbols.count(name) > 0) continue;
    const auto& old = bag;
    const bool renamed = std::any_of(fresh.begin(), fresh.end(),
                                     [&old](const auto* other) { return AreAlike(old, *other); });
    if (!renamed) gone.insert(name);
  }
  return gone;
}

// The calls that stand in a test or helper.
void NoteCallForms(const TestCode& code, FileTests* file) {
  for (TestUnit& unit : file->units) {
    if (unit.kind == TestUnit::Kind::kFile) continue;
    for (uint32_t i = 0; i < code.size();) {
      const bool is_outside = code.EndByte(i) <= unit.begin || code.BeginByte(i) >= unit.end;
      const bool is_inside = unit.begin <= code.BeginByte(i) && code.EndByte(i) <= unit.end;
      if (is_inside) unit.forms.merge(CallFormsIn(code.Tokens(i)));
      i = is_outside || is_inside ? code.End(i) : i + 1;
    }
  }
}

}  // namespace

bool IsNamedAsTest(const LanguageRegistry& languages, const std::string& path) {
  const Language* const language = languages.OfFile(path);
  return IsTestPath(path) ||
         (language != nullptr &&
          std::any_of(language->test_names.begin(), language->test_names.end(),
                      [&](const std::string& glob) { return GlobMatch(glob, path); }));
}

std::vector<MadeAssertion> TestSide::Assertions(const TestPlace& place) const {
  std::vector<MadeAssertion> made;
  std::set<const TestUnit*> open;
  Collect(*this, place, 0, place.unit->dead, {}, &open, &made);
  return made;
}

TestSide ReadSide(const LanguageRegistry& languages, const std::vector<ContentPair>& changes,
                  bool after) {
  struct Parsed {
    const std::string* path;
    TestCode code;
    NameAliases aliases;
  };
  TestSide side;
  std::vector<Parsed> parsed;
  std::map<std::string, NameAliases> modules;
  for (const ContentPair& change : changes) {
    const std::optional<std::string>& text = after ? change.after : change.before;
    const Grammar* const grammar = FindGrammar(languages.GrammarOf(change.path));
    if (grammar == nullptr || !text.has_value()) continue;
    std::optional<TestCode> code = TestCode::Parse(*grammar, *text);
    if (!code.has_value()) continue;
    NameAliases aliases = ReadAliases(*code);
    modules[Stem(change.path)] = aliases;
    parsed.push_back({&change.path, *std::move(code), std::move(aliases)});
  }
  for (const Parsed& file : parsed) {
    const bool is_test = IsNamedAsTest(languages, *file.path);
    const SkipNames skips(file.aliases, &modules);
    FileTests tests = ReadTests(file.code, *file.path, is_test, skips);
    NoteSkipped(&tests);
    NoteCallForms(file.code, &tests);
    if (is_test) tests.units[0].tables = FindTables(file.code);
    if (!is_test) AddDeclarations(file.code, &side);
    FindTestControls(file.code, *file.path, is_test, &side.controls);
    const std::optional<std::string> constraint =
        is_test ? file.code.language().BuildConstraint(file.code.text()) : std::nullopt;
    if (constraint.has_value()) side.build_constraints[*file.path] = *constraint;
    for (const TestSkip& skip : tests.skips) ++side.skips[{skip.text, skip.unit}];
    side.files.emplace(*file.path, std::move(tests));
  }
  for (const auto& [path, file] : side.files) {
    for (const TestUnit& unit : file.units) {
      side.tests.push_back({path, &unit});
      if (unit.kind != TestUnit::Kind::kFile) {
        side.functions[unit.last_name].push_back({path, &unit});
      }
    }
  }
  return side;
}

GoneCode::GoneCode(const TestSide& before, const TestSide& after)
    : names_(GoneSymbols(before, after)), calls_(before.signatures, after.signatures) {}

bool GoneCode::IsIn(const CodeTokens& tokens) const {
  return std::any_of(tokens.begin(), tokens.end(),
                     [this](const CodeToken& token) { return token.is_name && Has(token.text); }) ||
         calls_.HasAny(CallFormsIn(tokens));
}

bool GoneCode::IsIn(const TestUnit& unit) const {
  return std::any_of(unit.names.begin(), unit.names.end(),
                     [this](const std::string& name) { return Has(name); }) ||
         calls_.HasAny(unit.forms);
}

TestsTakenOut CompareTestNames(const LanguageRegistry& languages,
                               const std::vector<ContentPair>& changes) {
  TestsTakenOut taken;
  const auto count = [&](bool after) {
    int tests = 0;
    for (const TestPlace& place : ReadSide(languages, changes, after).tests) {
      if (place.unit->kind != TestUnit::Kind::kTest) continue;
      const std::string name = NameInReports(*place.unit);
      if (after) taken.names.erase(name);
      if (!place.unit->dead.empty()) continue;
      if (!after) taken.names.insert(name);
      tests += std::max(1, static_cast<int>(place.unit->rows.size()));
    }
    return tests;
  };
  const int before = count(false);
  taken.count = std::max(0, before - count(true));
  taken.names.merge(ScriptTestsTakenOut(changes));
  return taken;
}

}  // namespace stile
