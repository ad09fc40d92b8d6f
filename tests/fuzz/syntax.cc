// Source code of every language: the errors that an edit introduced, what the integrity queries
// find, and what the edit weakens. The first line names the grammar; a line "=====" parts the text
// before from the text after.
#include "runtime/base/check.h"
#include "runtime/syntax/syntax_errors.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/memory_files.h"
#include "tests/support/shipped_languages.h"
#include "validators/integrity/source_findings.h"
#include "validators/integrity/weakening_detector.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr absl::string_view kParting = "\n=====\n";
  stile::FuzzInput input(data, size);
  const stile::Grammar* grammar = stile::FindGrammar(input.TakeLine());
  if (grammar == nullptr) return 0;
  const size_t parting = input.rest().find(kParting);
  const absl::string_view before = input.rest().substr(0, parting);
  const absl::string_view after = parting == absl::string_view::npos
                                      ? input.rest()
                                      : input.rest().substr(parting + kParting.size());
  for (const stile::SyntaxError& error : stile::IntroducedErrors(*grammar, before, after)) {
    STILE_CHECK(error.line >= 1 && error.column >= 1 && !error.message.empty());
  }
  STILE_CHECK(stile::IntroducedErrors(*grammar, after, after).empty());
  for (const stile::SourceFinding& finding : stile::FindInSource(*grammar, after)) {
    STILE_CHECK(finding.line >= 1);
  }
  static const auto* const kLanguages =
      new stile::LanguageRegistry(stile::LanguagesOfThisRepository());
  static const auto* const kDetector = stile::NewWeakeningDetector(kLanguages).release();
  for (const stile::Language& language : kLanguages->languages()) {
    if (language.extensions.empty() || language.grammar != grammar->name) continue;
    for (const char* name : {"src/price", "tests/test_price"}) {
      const std::string path = name + language.extensions.front();
      const std::vector<stile::ContentPair> edit = {
          {path, std::string(before), std::string(after)}};
      for (const stile::Weakening& weakening : kDetector->Compare(edit, stile::MemoryFiles(edit))) {
        STILE_CHECK(weakening.line >= 0 && !weakening.what.empty());
      }
      const auto planted = kDetector->PlantFailures(path, std::string(after));
      STILE_CHECK(!planted.has_value() || planted->text != after);
      const std::vector<stile::ContentPair> none = {{path, std::string(after), std::string(after)}};
      STILE_CHECK(kDetector->Compare(none, stile::MemoryFiles(none)).empty());
    }
  }
  return 0;
}
