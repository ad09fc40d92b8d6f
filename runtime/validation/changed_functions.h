// The seam between the gate and the syntax trees that tell which functions a run changed, and where
// a statement fits into them.
#ifndef STILE_RUNTIME_VALIDATION_CHANGED_FUNCTIONS_H_
#define STILE_RUNTIME_VALIDATION_CHANGED_FUNCTIONS_H_

#include <string>
#include <vector>

#include "runtime/validation/weakening.h"

namespace stile {

// A part of a text that is replaced: bytes [begin, end).
struct MarkEdit {
  size_t begin = 0;
  size_t end = 0;
  // "$1" and "$2" stand for the halves of a mark (run_marks.h).
  std::string text;

  friend bool operator==(const MarkEdit& a, const MarkEdit& b) {
    return a.begin == b.begin && a.end == b.end && a.text == b.text;
  }
};

struct ChangedFunction {
  std::string path;
  std::string name;  // with what it is declared in: "Shop.price"
  // 1-based, in the new content.
  int line = 0;
  int last_line = 0;
  // Make it report its mark as it begins: the function throws it, or prints it where a throw would
  // end the tests that come after. Functions of one file can share edits.
  std::vector<MarkEdit> edits;
};

class ChangedFunctionFinder {
 public:
  virtual ~ChangedFunctionFinder() = default;
  // Functions and methods with a body, those of tests left out, whose code differs from that of all
  // functions of the same name in the old contents; and functions that use a constant or variable
  // of their file whose value differs. Comments count as nothing. By path and line. Thread-safe.
  virtual std::vector<ChangedFunction> Find(const std::vector<ContentPair>& changes) const = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_CHANGED_FUNCTIONS_H_
