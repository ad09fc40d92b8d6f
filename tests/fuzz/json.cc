// JSON, with and without comments, and text that only has to be looked at.
#include "runtime/base/json.h"

#include "runtime/base/check.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/text.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = stile::FuzzInput(data, size).rest();
  for (const std::string& candidate : {std::string(text), stile::StripJsonComments(text)}) {
    const auto json = stile::ParseJson(candidate);
    if (!json.ok()) continue;
    const std::string dumped = stile::DumpJson(*json);
    const auto again = stile::ParseJson(dumped);
    STILE_CHECK(again.ok());
    STILE_CHECK(stile::DumpJson(*again) == dumped);
    STILE_CHECK(stile::ParseJson(stile::DumpJson(*json, 2)).ok());
  }
  STILE_CHECK(stile::IsUtf8(stile::ToUtf8(text)));
  STILE_CHECK(stile::Base64Decode(stile::Base64Encode(text)).value() == text);
  stile::Base64Decode(text).IgnoreError();
  const std::string cut = stile::TruncateMiddle(stile::ToUtf8(text), 64);
  STILE_CHECK(stile::IsUtf8(cut));
  return 0;
}
