#include "validators/diagnostics/tsc_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {

std::vector<Diagnostic> ParseTsc(absl::string_view output, absl::string_view base_dir,
                                 absl::string_view workspace) {
  static const auto* const located =
      new Pattern(R"((.+?)\((\d+),(\d+)\): (error|warning|message) (TS\d+): (.*))");
  static const auto* const global = new Pattern(R"((error|warning|message) (TS\d+): (.*))");
  std::vector<Diagnostic> diagnostics;
  bool goes_on = false;  // whether indented lines belong to the last diagnostic
  for (absl::string_view line : SplitLines(output)) {
    line = absl::StripSuffix(line, "\r");
    if (goes_on && absl::StartsWith(line, "  ")) {
      absl::StrAppend(&diagnostics.back().message, "\n", ToUtf8(line));
      continue;
    }
    std::string file, row, column, severity, code, message;
    goes_on = located->Matches(line, &file, &row, &column, &severity, &code, &message) ||
              global->Matches(line, &severity, &code, &message);
    if (!goes_on) continue;
    Diagnostic diagnostic;
    diagnostic.severity = severity == "error"     ? Severity::kError
                          : severity == "warning" ? Severity::kWarning
                                                  : Severity::kNote;
    diagnostic.file = WorkspaceFile(file, base_dir, workspace);
    diagnostic.line = PositiveNumber(row);
    diagnostic.column = PositiveNumber(column);
    diagnostic.code = code;
    diagnostic.message = ToUtf8(message);
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace stile
