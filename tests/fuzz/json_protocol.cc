// A reply in the json protocol, as a model without native tool calls writes it.
#include "tests/fuzz/text_reply_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzTextReply(stile::TextForm::kJson, data, size);
  return 0;
}
