// A template's source, cut at its braces.
#ifndef STILE_RUNTIME_TEMPLATE_TEMPLATE_PIECES_H_
#define STILE_RUNTIME_TEMPLATE_TEMPLATE_PIECES_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// A piece of the source: text, `{{ … }}` or `{% … %}`.
struct TemplatePiece {
  enum class Kind { kText, kOutput, kTag } kind = Kind::kText;
  absl::string_view text;  // without braces, stripped
  int line = 1;
};

// InvalidArgument, with the line: a brace, or a tag "raw" or "comment", is not closed. The pieces
// lie in `text`.
absl::StatusOr<std::vector<TemplatePiece>> SplitTemplate(absl::string_view text);

absl::Status TemplateErrorAt(int line, absl::string_view message);

}  // namespace stile

#endif  // STILE_RUNTIME_TEMPLATE_TEMPLATE_PIECES_H_
