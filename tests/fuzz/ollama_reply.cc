// What Ollama answers, streamed or not: bodies, errors, broken connections.
#include "runtime/model/ollama_model.h"
#include "tests/fuzz/provider_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzProvider("ollama", data, size, [](std::unique_ptr<stile::ProviderCaller> caller) {
    return stile::NewOllamaModel(std::move(caller), 4096);
  });
  return 0;
}
