#include "validators/diagnostics/node_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {

std::vector<Diagnostic> ParseNode(absl::string_view output, absl::string_view base_dir,
                                  absl::string_view workspace) {
  static const auto* const place = new Pattern(R"((?:file://)?(/.+):(\d+))");
  static const auto* const caret = new Pattern(R"(([ \t]*)\^+\s*)");
  static const auto* const error =
      new Pattern(R"((?:Uncaught )?(SyntaxError)(?: \[[A-Z_]+\])?: (.*))");
  std::vector<Diagnostic> diagnostics;
  Diagnostic current;
  absl::string_view previous;
  for (absl::string_view line : SplitLines(output)) {
    line = absl::StripSuffix(line, "\r");
    std::string file, row, indent, message;
    if (place->Matches(line, &file, &row)) {
      current = Diagnostic();
      current.file = WorkspaceFile(file, base_dir, workspace);
      current.line = PositiveNumber(row);
    } else if (current.line > 0 && current.column == 0 && caret->Matches(line, &indent)) {
      current.column =
          ByteColumn(previous, static_cast<int>(indent.size()) + 1, ColumnUnit::kUtf16);
    } else if (std::string code; current.line > 0 && error->Matches(line, &code, &message)) {
      current.code = code;
      current.message = ToUtf8(message);
      diagnostics.push_back(std::move(current));
      current = Diagnostic();
    }
    previous = line;
  }
  return diagnostics;
}

}  // namespace stile
