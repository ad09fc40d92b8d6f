#ifndef STILE_RUNTIME_STORY_EXPECTATIONS_H_
#define STILE_RUNTIME_STORY_EXPECTATIONS_H_

#include <re2/re2.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/story/story.h"
#include "runtime/validation/validation_service.h"

namespace stile {

struct UnmetExpectation {
  enum class Kind { kCompiles, kTestsPass, kOther } kind = Kind::kOther;
  std::string line;     // for people: "files_exist: src/a.ts does not exist"
  std::string details;  // diagnostics or output in full, for the next attempt; may be empty
};

// Validates all targets of the workspace.
using ValidateAll = std::function<absl::StatusOr<ValidationReport>(Level level)>;

// What of `expect` does not hold in `workspace` (absolute, no symlinks) now, in the order of the
// struct. `tools_used`: successful calls by name. A status means that a validation could not be
// carried out, never that an expectation is unmet.
absl::StatusOr<std::vector<UnmetExpectation>> CheckExpectations(
    const Expectations& expect, const std::string& workspace,
    const std::map<std::string, int>& tools_used, const ValidateAll& validate);

// As expectations read it: '^' and '$' stand for the ends of lines. InvalidArgument with RE2's
// words.
absl::StatusOr<std::unique_ptr<RE2>> CompileExpectedRegex(const std::string& regex);

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_EXPECTATIONS_H_
