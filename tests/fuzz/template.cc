// Templates of workflows, on a scope of their own; and what a parsed one writes.
#include "runtime/template/template.h"

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/base/text.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const stile::FuzzInput input(data, size);
  const std::string text = stile::ToUtf8(input.rest());
  const auto parsed = stile::Template::Parse(text);
  if (!parsed.ok()) {
    STILE_CHECK(absl::StartsWith(parsed.status().message(), "line "));
    return 0;
  }
  const stile::Json scope = {
      {"a", {1, "two", nullptr}}, {"o", {{"k", {{"n", true}}}}}, {"s", "größer"}};
  const auto rendered = parsed->Render(scope);
  if (rendered.ok()) {
    STILE_CHECK(stile::IsUtf8(*rendered));
  } else {
    STILE_CHECK(absl::StartsWith(rendered.status().message(), "line "));
  }
  return 0;
}
