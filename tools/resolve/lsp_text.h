// How the Language Server Protocol names files and places: lines with characters.
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
#ifndef STILE_TOOLS_RESOLVE_LSP_TEXT_H_
#define STILE_TOOLS_RESOLVE_LSP_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// The text of a Hover's contents: MarkupContent, MarkedString, or a list of these.
std::string HoverText(const Json& contents);

// The unit of Position.character.
enum class PositionEncoding { kUtf8, kUtf16 };

// Lines of one text. Lines end with "\n", "\r\n" or "\r".
class LspLines {
 public:
  // `text` is not owned.
  LspLines(absl::string_view text, PositionEncoding encoding);

  // A Position. `offset` in bytes, at most the size of the text.
  Json PositionOf(size_t offset) const;
  // DataLoss for a Position that the text does not have, or in the middle of a character.
  absl::StatusOr<uint32_t> OffsetOf(const Json& position) const;

 private:
  absl::string_view text_;
  PositionEncoding encoding_;
  std::vector<size_t> starts_;  // of lines; the first is 0
};

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_LSP_TEXT_H_
