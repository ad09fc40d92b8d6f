#ifndef STILE_VALIDATORS_DIAGNOSTICS_JAVAC_DIAGNOSTICS_H_
#define STILE_VALIDATORS_DIAGNOSTICS_JAVAC_DIAGNOSTICS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// javac as on the command line: "A.java:4: error: …", the source line, a caret that gives the
// column (converted to bytes with that line), then details, which are joined to the message.
std::vector<Diagnostic> ParseJavac(absl::string_view output, absl::string_view base_dir,
                                   absl::string_view workspace);

// Maven: "[ERROR] /ws/A.java:[4,26] …" and faults of a pom.xml. Columns are javac's, with tabs
// of 8.
std::vector<Diagnostic> ParseMaven(absl::string_view output, absl::string_view base_dir,
                                   absl::string_view workspace);

// Gradle: javac's own output, and faults of a build file ("Build file '…' line: 2").
std::vector<Diagnostic> ParseGradle(absl::string_view output, absl::string_view base_dir,
                                    absl::string_view workspace);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_JAVAC_DIAGNOSTICS_H_
