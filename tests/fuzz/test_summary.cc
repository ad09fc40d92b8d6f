// What test runners print, judged: green only with something that passed and nothing that did not.
#include "validators/diagnostics/test_summary.h"

#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const stile::FuzzInput input(data, size);
  const stile::TestSummary summary = stile::SummarizeTestText(input.rest());
  if (!summary.ready()) return 0;
  STILE_CHECK(summary.found && summary.complete);
  STILE_CHECK(summary.counts.passed > 0);
  STILE_CHECK(summary.failures() == 0);
  return 0;
}
