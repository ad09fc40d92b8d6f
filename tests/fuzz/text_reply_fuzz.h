#ifndef STILE_TESTS_FUZZ_TEXT_REPLY_FUZZ_H_
#define STILE_TESTS_FUZZ_TEXT_REPLY_FUZZ_H_

#include "runtime/base/check.h"
#include "runtime/model/relaxed_json.h"
#include "runtime/model/text_reply_parser.h"
#include "tests/fuzz/fuzz_input.h"

namespace stile {

// The first byte says whether the reply was cut off.
inline void FuzzTextReply(TextForm form, const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const bool cut_off = input.TakeChoice(2) == 1;
  const TextReply reply = ParseTextReply(input.rest(), form, cut_off);
  STILE_CHECK(reply.unparsable.empty() != reply.calls.empty());
  for (const ToolCall& call : reply.calls) {
    STILE_CHECK(!call.name.empty());
    STILE_CHECK(call.arguments.is_object());
  }
  const auto relaxed = ParseRelaxedJson(input.rest());
  if (!relaxed) return;
  STILE_CHECK(relaxed->end <= input.rest().size());
  STILE_CHECK(relaxed->value.is_structured());
  // What was read is JSON, and reads the same again.
  const std::string text = DumpJson(relaxed->value);
  STILE_CHECK(DumpJson(ParseJson(text).value()) == text);
}

}  // namespace stile

#endif  // STILE_TESTS_FUZZ_TEXT_REPLY_FUZZ_H_
