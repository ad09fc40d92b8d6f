#ifndef STILE_RUNTIME_VALIDATION_DIAGNOSTIC_H_
#define STILE_RUNTIME_VALIDATION_DIAGNOSTIC_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

enum class Severity { kError, kWarning, kNote };

// A replacement that the compiler proposes.
struct SuggestedFix {
  std::string title;
  std::string file;      // relative to the workspace
  int start_line = 0;    // 1-based
  int start_column = 0;  // 1-based, UTF-8 bytes
  int end_line = 0;
  int end_column = 0;  // exclusive
  std::string replacement;
  // The compiler declares it safe to apply unseen. Otherwise it is one of several, or has gaps.
  bool is_certain = true;
};

// "The code is wrong", in a compiler's words.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string file;  // relative to the workspace where it lies inside, else as reported; "" if none
  int line = 0;      // 1-based; 0: none given
  int column = 0;    // 1-based, UTF-8 bytes; 0: none given
  std::string code;  // "CS1002", "TS2322", "E0308"; "" if the tool has none
  std::string message;
  std::vector<SuggestedFix> fixes;
  std::string scope;  // the declaration around it, where the gate has asked; see ScopeFinder

  friend bool operator==(const Diagnostic& a, const Diagnostic& b) {
    return a.severity == b.severity && a.file == b.file && a.line == b.line &&
           a.column == b.column && a.code == b.code && a.message == b.message;
  }
};

// "src/a.go:3:5: error: undefined: x [code]"
std::string FormatDiagnostic(const Diagnostic& diagnostic);
Json ToJson(const Diagnostic& diagnostic);
size_t CountErrors(const std::vector<Diagnostic>& diagnostics);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_DIAGNOSTIC_H_
