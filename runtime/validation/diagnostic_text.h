// Diagnostics as a model reads them: the compiler's words, the line they are about, and the
// compiler's own fix.
#ifndef STILE_RUNTIME_VALIDATION_DIAGNOSTIC_TEXT_H_
#define STILE_RUNTIME_VALIDATION_DIAGNOSTIC_TEXT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/diagnostic.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Lines of workspace files, each file read once. Files that lie outside, are too large or cannot be
// read have no lines. Not thread-safe.
class SourceLines {
 public:
  // `fs` not owned; `workspace` absolute, no symlinks.
  SourceLines(FileSystem* fs, std::string workspace);
  // Without its line ending; nullopt when there is no such line. `line` is 1-based.
  std::optional<std::string> Line(const std::string& file, int line);

 private:
  FileSystem* fs_;
  std::string workspace_;
  std::map<std::string, std::string> files_;
};

// The diagnostic, an excerpt of its line with a caret below the column, and the suggested fixes:
//   src/a.ts:3:5: error: Cannot find name 'foo'. [TS2304]
//     3 | let foo;
//       |     ^
//   suggested fix: replace line 3 columns 5-7 with `food`
std::string DiagnosticText(const Diagnostic& diagnostic, SourceLines* lines);

// "replace line 3 columns 5-7 with `foo`", "insert `x` at line 1 column 1", "delete …". Columns
// inclusive.
std::string FixText(const SuggestedFix& fix, const std::string& diagnostic_file);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_DIAGNOSTIC_TEXT_H_
