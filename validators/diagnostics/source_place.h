// Places in source files, from the forms in which tools name them to the form of Diagnostic: paths
// relative to the workspace, columns in UTF-8 bytes.
#ifndef STILE_VALIDATORS_DIAGNOSTICS_SOURCE_PLACE_H_
#define STILE_VALIDATORS_DIAGNOSTICS_SOURCE_PLACE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/diagnostic.h"

namespace stile {

// `file` as a tool that ran in `base_dir` (absolute) names it: relative to `workspace` (absolute)
// where it lies inside, else as reported. Textual; "" stays "".
std::string WorkspaceFile(absl::string_view file, absl::string_view base_dir,
                          absl::string_view workspace);

// How a tool counts columns.
enum class ColumnUnit {
  kUtf16,      // UTF-16 code units: MSBuild, TypeScript
  kCodePoint,  // Unicode code points: rustc
  kDisplay,    // columns of a terminal with tab stops every 8: gcc
  kUtf16Tab8,  // UTF-16 code units, a tab goes to the next multiple of 8: javac by its API (maven)
};

// The 1-based column `column` of `line` (without its end of line), counted in `unit`, as a 1-based
// column in bytes. Columns past the end of the line go on counting bytes; 0 stays 0.
int ByteColumn(absl::string_view line, int column, ColumnUnit unit);

// Converts the columns of diagnostics that lie in files of `workspace`, reading these files. A
// place that the file does not have (any more) stays as it is. Fixes are left alone.
void ColumnsToBytes(absl::string_view workspace, ColumnUnit unit,
                    std::vector<Diagnostic>* diagnostics);

// "12" → 12; 0 for anything that is no positive number of at most nine digits.
int PositiveNumber(absl::string_view digits);

// Whether a fix says where it begins and where it ends, and does so in this order.
bool HasPlace(const SuggestedFix& fix);

// Drops repeated diagnostics; the first of each stays, in order.
void DropDuplicates(std::vector<Diagnostic>* diagnostics);

}  // namespace stile

#endif  // STILE_VALIDATORS_DIAGNOSTICS_SOURCE_PLACE_H_
