#include "validators/diagnostics/make_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {

std::vector<Diagnostic> ParseMake(absl::string_view output, absl::string_view base_dir,
                                  absl::string_view workspace) {
  static const Pattern* const kFault =
      new Pattern(R"((?:(\S+):(\d+): )?(?:\S*make(?:\[\d+\])?: )?\*\*\* (.*?)(?:  Stop\.)?\r?)");
  std::vector<Diagnostic> diagnostics = ParseGcc(output, base_dir, workspace);
  for (absl::string_view line : SplitLines(output)) {
    std::string file, line_number, message;
    if (!absl::StrContains(line, "*** ") || !kFault->Matches(line, &file, &line_number, &message)) {
      continue;
    }
    const bool states_a_fault =
        !file.empty() || absl::StartsWith(message, "No rule to make target") ||
        absl::StartsWith(message, "No targets") || absl::StartsWith(message, "Circular ");
    if (!states_a_fault) continue;  // "[Makefile:5: b] Error 1"
    Diagnostic diagnostic;
    diagnostic.file = WorkspaceFile(file, base_dir, workspace);
    diagnostic.line = PositiveNumber(line_number);
    diagnostic.message = ToUtf8(message);
    diagnostics.push_back(std::move(diagnostic));
  }
  DropDuplicates(&diagnostics);
  return diagnostics;
}

}  // namespace stile
