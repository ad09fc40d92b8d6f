// Whether a project file (package.json, pyproject.toml, *.csproj, *.sln…) can be parsed at all.
#ifndef STILE_VALIDATORS_INTEGRITY_PROJECT_SYNTAX_H_
#define STILE_VALIDATORS_INTEGRITY_PROJECT_SYNTAX_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/weakening.h"

namespace stile {

// Where a file first breaks the rules of its format.
struct SyntaxFault {
  int line = 0;  // 1-based; 0 where the fault has no place
  std::string what;
};

// The first fault of a project file; nullopt if it parses, or if its name is not one of a project
// file. Any text is fine as input. Thread-safe, like all functions here.
std::optional<SyntaxFault> ProjectSyntaxFault(absl::string_view path, absl::string_view text);

// TOML 1.0, with duplicate keys and tables.
std::optional<SyntaxFault> TomlFault(absl::string_view text);
// Well-formedness of XML 1.0 without a look into its DTD.
std::optional<SyntaxFault> XmlFault(absl::string_view text);

// A file that parsed, or did not exist, and does not parse now. New files in folders of test data
// may be broken on purpose.
std::vector<Weakening> CompareProjectSyntax(const ContentPair& change);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_PROJECT_SYNTAX_H_
