// A reply in the text protocol, as a model without native tool calls writes it.
#include "tests/fuzz/text_reply_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzTextReply(stile::TextForm::kReAct, data, size);
  return 0;
}
