#include "validators/diagnostics/generic_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {

std::vector<Diagnostic> ParseGeneric(absl::string_view output, absl::string_view base_dir,
                                     absl::string_view workspace) {
  static const Pattern* const kColons = new Pattern(
      R"(\s*([^\s:()]*[A-Za-z_./][^:()]*):(\d{1,9})(?::(\d{1,9}))?(?::\s*|\s+-\s+)(\S.*?)\s*)");
  static const Pattern* const kBrackets =
      new Pattern(R"(\s*([^\s:()][^:()]*)\((\d{1,9})(?:,\s*(\d{1,9}))?\)\s*:\s*(\S.*?)\s*)");
  static const Pattern* const kShell =
      new Pattern(R"(\s*([^\s:()][^:()]*): line (\d{1,9}): (\S.*?)\s*)");
  static const Pattern* const kOnLine =
      new Pattern(R"(\s*(\S.*?) in (\S[^:]*) on line (\d{1,9})\s*)");  // PHP
  static const Pattern* const kSeverity = new Pattern(
      R"((?i)(?:fatal )?(error|warning|note|info)(?:\s+([A-Za-z]+-?\d+))?\s*(?::|-)\s*(.+))");
  std::vector<Diagnostic> diagnostics;
  for (absl::string_view line : SplitLines(output)) {
    std::string file, line_number, column, message, severity, code;
    if (!kColons->Matches(line, &file, &line_number, &column, &message) &&
        !kBrackets->Matches(line, &file, &line_number, &column, &message) &&
        !kShell->Matches(line, &file, &line_number, &message) &&
        !kOnLine->Matches(line, &message, &file, &line_number)) {
      continue;
    }
    Diagnostic diagnostic;
    diagnostic.severity = Severity::kNote;
    if (kSeverity->Matches(message, &severity, &code, &message)) {
      absl::AsciiStrToLower(&severity);
      if (severity == "error") diagnostic.severity = Severity::kError;
      if (severity == "warning") diagnostic.severity = Severity::kWarning;
    }
    diagnostic.file = WorkspaceFile(file, base_dir, workspace);
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
