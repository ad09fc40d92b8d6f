// Settings files of checkers and test runners, for what they leave loose. The first line is the
// name of the file.
#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"
#include "validators/integrity/loose_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  const absl::string_view name = input.TakeLine();
  const auto facts = stile::LooseSettings(name, input.rest());
  STILE_CHECK(facts == stile::LooseSettings(name, input.rest()));
  return 0;
}
