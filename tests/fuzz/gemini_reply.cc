// What Gemini answers, streamed or not: bodies, errors, broken connections.
#include "runtime/model/gemini_model.h"
#include "tests/fuzz/provider_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzProvider("gemini", data, size, stile::NewGeminiModel);
  return 0;
}
