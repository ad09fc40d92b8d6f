
#include "validators/integrity/run_plants.h"

#include "absl/strings/match.h"
#include "validators/integrity/test_language.h"

namespace stile {

std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& path, uint32_t body) {
  return code.language().PlantRunMark(code, path, body);
}

MarkEdit InsertMark(size_t at, absl::string_view text) { return {at, at, std::string(text)}; }

bool IsInBraces(const TestCode& code, uint32_t body) {
  return absl::StartsWith(code.Text(body), "{");
}

size_t BeginOfBlock(const TestCode& code, uint32_t body) {
  size_t at = code.BeginByte(body) + 1;
  for (const uint32_t child : code.NamedChildren(body)) {
    const absl::string_view type = code.Type(child);
    if (type != "inner_attribute_item" && type != "explicit_constructor_invocation") break;
    at = code.EndByte(child);
  }
  return at;
}

std::vector<MarkEdit> MarkInBraces(const TestCode& code, uint32_t body,
                                   absl::string_view statement) {
  if (!IsInBraces(code, body)) return {};
  return {InsertMark(BeginOfBlock(code, body), statement)};
}

}  // namespace stile
