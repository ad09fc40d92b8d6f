// What Anthropic answers, streamed or not: bodies, errors, broken connections.
#include "runtime/model/anthropic_model.h"
#include "tests/fuzz/provider_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzProvider("anthropic", data, size, stile::NewAnthropicModel);
  return 0;
}
