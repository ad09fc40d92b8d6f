// Prompt files and profiles; the first byte chooses.
#include "runtime/agent_loop/prompt.h"
#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  if (input.TakeChoice(2) == 1) {
    stile::ParseProfile(input.rest(), "seed.md").IgnoreError();
    return 0;
  }
  const auto prompt = stile::PromptTemplate::Parse(input.rest(), "seed.prompt");
  if (!prompt.ok()) return 0;
  prompt->Fill({}).IgnoreError();
  prompt->Fill({{"task", "{{task}}"}}).IgnoreError();
  return 0;
}
