#include "validators/diagnostics/msbuild_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {

std::vector<Diagnostic> ParseMsBuild(absl::string_view output, absl::string_view base_dir,
                                     absl::string_view workspace) {
  // The project at the end differs between target frameworks; it is no part of what is wrong.
  static const Pattern* const kLine = new Pattern(
      R"(\s*(?:\d+>)?(.*?)(?:\((\d+)(?:,(\d+)(?:[,-]\d+)*)?\))?\s*: (?:[a-z]+ )?(error|warning))"
      R"( ?([A-Za-z]+\d+)?\s*: (.*?)(?: \[[^\[\]]*proj(?:::[^\[\]]*)?\])?\s*)");
  std::vector<Diagnostic> diagnostics;
  for (absl::string_view line : SplitLines(output)) {
    std::string origin, line_number, column, severity, code, message;
    if (!kLine->Matches(line, &origin, &line_number, &column, &severity, &code, &message)) continue;
    origin = std::string(absl::StripAsciiWhitespace(origin));
    Diagnostic diagnostic;
    diagnostic.severity = severity == "error" ? Severity::kError : Severity::kWarning;
    // "MSBUILD : error …", "CSC : error …": the tool itself speaks.
    const bool is_file = origin.find_first_of("./\\") != std::string::npos;
    if (is_file) diagnostic.file = WorkspaceFile(origin, base_dir, workspace);
    diagnostic.line = PositiveNumber(line_number);
    diagnostic.column = PositiveNumber(column);
    diagnostic.code = code;
    diagnostic.message = ToUtf8(message);
    diagnostics.push_back(std::move(diagnostic));
  }
  DropDuplicates(&diagnostics);
  return diagnostics;
}

}  // namespace stile
