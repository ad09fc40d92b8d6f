#include "validators/diagnostics/cmake_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {

std::vector<Diagnostic> ParseCMake(absl::string_view output, absl::string_view base_dir,
                                   absl::string_view workspace) {
  static const Pattern* const kHeader =
      new Pattern(R"(CMake (Error|Warning|Deprecation Error|Deprecation Warning)(?: \(dev\))?)"
                  R"((?: (?:at|in) (.+?)(?::(\d+))?(?: \([^()]*\))?)?:\s*(.*))");
  static const Pattern* const kCaller = new Pattern(R"(  (.+):(\d+) \(.*\))");
  std::vector<Diagnostic> diagnostics;
  const std::vector<absl::string_view> lines = SplitLines(output);
  for (size_t i = 0; i < lines.size();) {
    std::string kind, file, line_number, message;
    if (!kHeader->Matches(lines[i++], &kind, &file, &line_number, &message)) continue;
    Diagnostic diagnostic;
    diagnostic.severity = absl::EndsWith(kind, "Error") ? Severity::kError : Severity::kWarning;
    diagnostic.file = WorkspaceFile(file, base_dir, workspace);
    diagnostic.line = PositiveNumber(line_number);
    bool in_stack = false;
    for (; i < lines.size(); ++i) {
      const absl::string_view line = lines[i];
      if (absl::StartsWith(line, "Call Stack ")) {
        in_stack = true;
        continue;
      }
      if (!absl::StripAsciiWhitespace(line).empty() && !absl::StartsWith(line, "  ")) break;
      if (!in_stack) {
        absl::StrAppend(&message, " ", line);
      } else if (absl::StartsWith(diagnostic.file, "/") &&
                 kCaller->Matches(line, &file, &line_number)) {
        const std::string caller = WorkspaceFile(file, base_dir, workspace);
        if (absl::StartsWith(caller, "/")) continue;
        diagnostic.file = caller;
        diagnostic.line = PositiveNumber(line_number);
      }
    }
    absl::RemoveExtraAsciiWhitespace(&message);
    diagnostic.message = ToUtf8(message);
    diagnostics.push_back(std::move(diagnostic));
  }
  DropDuplicates(&diagnostics);
  return diagnostics;
}

}  // namespace stile
