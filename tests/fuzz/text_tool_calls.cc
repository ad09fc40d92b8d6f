// Replies that may hold tool calls in their text.
#include "runtime/model/text_tool_calls.h"

#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const stile::Json properties = {{"path", {{"type", "string"}}},
                                  {"startLine", {{"type", "integer"}}}};
  const std::vector<stile::ToolDefinition> tools = {
      {"file.read", "Reads a file.", {{"type", "object"}, {"properties", properties}}}};
  const auto read = stile::ReadTextToolCalls(text, tools);
  if (!read) return 0;
  STILE_CHECK(read->calls.empty() != read->unparsable.empty());
  for (const stile::ToolCall& call : read->calls) {
    STILE_CHECK(!call.name.empty() && call.arguments.is_object());
  }
  return 0;
}
