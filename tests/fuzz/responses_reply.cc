// What the Responses API answers, streamed or not: bodies, errors, broken connections.
#include "runtime/model/openai_model.h"
#include "tests/fuzz/provider_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzProvider("openai", data, size, stile::NewOpenAiModel, "responses");
  return 0;
}
