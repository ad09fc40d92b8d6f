#include "validators/integrity/planted_file.h"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/syntax/grammar.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_language.h"
#include "validators/integrity/test_planter.h"
#include "validators/integrity/test_registry.h"
#include "validators/integrity/test_side.h"
#include "validators/integrity/test_units.h"

namespace stile {
namespace {

class FilePlanter {
 public:
  FilePlanter(const TestCode& code, const FileTests& tests, bool is_test)
      : code_(code),
        language_(code.language()),
        tests_(tests),
        is_test_(is_test),
        planter_(code, tests) {}

  std::optional<PlantedFile> Plant() {
    for (const TestUnit& unit : tests_.units) {
      if (unit.kind != TestUnit::Kind::kTest) continue;
      // `main` runs and judges functions that need a caller.
      if (unit.must_be_referenced || unit.last_name == "main") continue;
      if (PlantInTest(unit)) file_.tests.insert(NameInReports(unit));
    }
    if (is_test_) language_.PlantInSubtests(&planter_);
    if (file_.tests.empty() && is_test_) file_.is_program = language_.PlantInProgram(&planter_);
    if (!planter_.has_edits() || (file_.tests.empty() && !file_.is_program)) return std::nullopt;
    file_.text = planter_.WithEdits();
    return std::move(file_);
  }

 private:
  // The function of a test; 0 if none is found.
  uint32_t FunctionOf(const TestUnit& unit) const {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.BeginByte(i) < unit.begin || code_.EndByte(i) > unit.end) continue;
      const NodeRole role = code_.Role(i);
      if (language_.facts().tests_are_calls) {
        if (role == NodeRole::kCall) return planter_.LastFunctionOf(i);
        continue;
      }
      if (role == NodeRole::kFunction && code_.EndByte(i) == unit.end) return i;
    }
    return 0;
  }

  // TEST_CASE("…") { … }: a call and a block to the grammar.
  uint32_t BlockOf(const TestUnit& unit) const {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.BeginByte(i) > unit.begin && code_.EndByte(i) == unit.end &&
          code_.Role(i) == NodeRole::kBlock) {
        return i;
      }
    }
    return 0;
  }

  bool PlantInTest(const TestUnit& unit) {
    TestSite site;
    site.function = FunctionOf(unit);
    site.body = site.function == 0 ? 0 : code_.Child(site.function, "body");
    if (site.body == 0 && language_.facts().has_test_macros) site.body = BlockOf(unit);
    if (site.body == 0) return false;
    if (planter_.Yields(site.body)) return false;
    const size_t head_begin = std::min<size_t>(unit.begin, code_.BeginByte(site.body));
    site.head = code_.text().substr(head_begin, code_.BeginByte(site.body) - head_begin);
    return language_.PlantInTest(site, &planter_);
  }

  const TestCode& code_;
  const TestLanguage& language_;
  const FileTests& tests_;
  const bool is_test_;
  TestPlanter planter_;
  PlantedFile file_;
};

}  // namespace

bool CanHoldTests(const LanguageRegistry& languages, const std::string& path) {
  const std::string grammar = languages.GrammarOf(path);
  if (FindGrammar(grammar) == nullptr) return false;
  const TestLanguage* const language = FindTestLanguage(grammar);
  return (language != nullptr && language->facts().tests_are_marked) ||
         IsNamedAsTest(languages, path);
}

std::optional<PlantedFile> PlantFailuresIn(const LanguageRegistry& languages,
                                           const std::string& path, const std::string& text) {
  const Grammar* const grammar = FindGrammar(languages.GrammarOf(path));
  if (grammar == nullptr) return std::nullopt;
  const bool is_test = IsNamedAsTest(languages, path);
  static const RE2* const kMarker = new RE2(R"((?i)test|fact|theory)");
  if (!is_test && !Finds(text, *kMarker)) return std::nullopt;
  const std::optional<TestCode> code = TestCode::Parse(*grammar, text);
  if (!code.has_value()) return std::nullopt;
  const std::map<std::string, NameAliases> modules;
  const FileTests tests = ReadTests(*code, path, is_test, SkipNames(ReadAliases(*code), &modules));
  return FilePlanter(*code, tests, is_test).Plant();
}

}  // namespace stile
