// Whether tests that fail run through functions, by marks that the functions report in a copy.
#ifndef STILE_RUNTIME_VALIDATION_RUN_THROUGH_H_
#define STILE_RUNTIME_VALIDATION_RUN_THROUGH_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/changed_functions.h"
#include "runtime/validation/validator.h"

namespace stile {

// By mark. Points into what the caller keeps.
using MarkedFunctions = std::map<std::string, const ChangedFunction*>;

// The text of the file `path`, with the edits of those functions that lie in it.
std::string WithMarks(const std::string& path, absl::string_view text,
                      const MarkedFunctions& functions);

struct RunThrough {
  struct Reached {
    std::string test;  // as the runner names it
    // One that it reaches; null if it only ended otherwise than before.
    const ChangedFunction* function = nullptr;
  };
  std::vector<Reached> reached;
  std::vector<std::string> lost;  // tests of which the copy's report says nothing
};

// What became of the tests that failed in `now` in a copy with the marks.
RunThrough JudgeRunThrough(const NamedTests& now, const NamedTests& in_copy,
                           const MarkedFunctions& functions);

// Functions that kept the copy from telling: an error is reported within them, or their mark stands
// somewhere in the result.
std::vector<const ChangedFunction*> FunctionsInTheWay(const ValidationResult& in_copy,
                                                      const MarkedFunctions& functions);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_RUN_THROUGH_H_
