#ifndef STILE_VALIDATORS_INTEGRITY_SOURCE_FINDINGS_H_
#define STILE_VALIDATORS_INTEGRITY_SOURCE_FINDINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/grammar.h"

namespace stile {

// What a code file holds that bears on how it is judged, by its syntax tree: the same words in a
// string count for nothing. From the captures of the grammar's integrity.scm:
//   suppression.line   silences one place          suppression.file   silences the whole file
//   suppression.top    the latter if nothing but comments stands before it, else the former
//   check              asks for a check that the file would not get otherwise
//   function, annotated   the name of a function, and of one that says its types
struct SourceFinding {
  enum class Kind {
    kSuppressesLine,
    kSuppressesFile,
    kAsksForCheck,
    kFunction,
    kAnnotatedFunction
  } kind;
  int line = 0;      // 1-based
  std::string text;  // first line, blanks collapsed
};

std::vector<SourceFinding> FindInSource(const Grammar& grammar, absl::string_view text);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_SOURCE_FINDINGS_H_
