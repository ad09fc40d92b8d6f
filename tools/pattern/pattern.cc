#include "tools/pattern/pattern.h"

#include "absl/strings/ascii.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"

namespace stile {

absl::StatusOr<CodingPattern> ParseCodingPattern(absl::string_view text, absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(const FrontMatter parts, ParseFrontMatter(text, file));
  STILE_RETURN_IF_ERROR(CheckKeys(parts.front_matter, {"name", "description"}));
  CodingPattern pattern;
  STILE_RETURN_IF_ERROR(ReadKey(parts.front_matter, "name", &pattern.name));
  STILE_RETURN_IF_ERROR(ReadKey(parts.front_matter, "description", &pattern.description));
  pattern.text = std::string(absl::StripAsciiWhitespace(parts.body));
  if (pattern.name.empty()) return parts.front_matter.Error("wants `name`");
  if (pattern.text.empty()) return parts.front_matter.Error("the pattern has no text");
  return pattern;
}

}  // namespace stile
