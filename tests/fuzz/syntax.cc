// Source code of every language: the errors that an edit introduced, and what the integrity queries
// find. The first line names the grammar; a line "=====" parts the text before from the text after.
#include "runtime/base/check.h"
#include "runtime/syntax/syntax_errors.h"
#include "tests/fuzz/fuzz_input.h"
#include "validators/integrity/source_findings.h"

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
  for (const stile::FileRole role :
       {stile::FileRole::kCode, stile::FileRole::kTest, stile::FileRole::kTestSetup}) {
    for (const stile::SourceFinding& finding : stile::FindInSource(*grammar, after, role)) {
      STILE_CHECK(finding.line >= 1);
    }
  }
  return 0;
}
