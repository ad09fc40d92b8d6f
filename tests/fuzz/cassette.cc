// Cassettes: recorded replies, one a line.
#include "runtime/base/check.h"
#include "runtime/model/replay_model.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto lines = stile::ParseCassette("seed.jsonl", stile::FuzzInput(data, size).rest());
  if (!lines.ok()) return 0;
  for (const stile::CassetteLine& line : *lines) {
    const stile::Json json = stile::ToJson(line.reply);
    const auto again = stile::ModelReplyFromJson(json);
    STILE_CHECK(again.ok());
    STILE_CHECK(stile::ToJson(*again) == json);
  }
  return 0;
}
