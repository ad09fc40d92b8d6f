// What Ollama answers, streamed or not: bodies, errors, broken connections.
#include "runtime/model/ollama_model.h"
#include "tests/fuzz/provider_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzProvider("ollama", data, size,
                      [](stile::ProviderEndpoint endpoint, std::unique_ptr<stile::HttpClient> http,
                         stile::Clock* clock) {
                        return stile::NewOllamaModel(std::move(endpoint), 65536, std::move(http),
                                                     clock);
                      });
  return 0;
}
