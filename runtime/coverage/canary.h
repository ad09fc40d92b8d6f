#ifndef STILE_RUNTIME_COVERAGE_CANARY_H_
#define STILE_RUNTIME_COVERAGE_CANARY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// A file with an error planted in it: a judge that does not report it there does not check the
// file.
struct Canary {
  std::string content;
  // Lines (1-based) at which a report counts.
  int first_line = 0;
  int last_line = 0;
};

// Plants what the language calls its canary of this kind at the end of `content`, or at its start:
// the end can be unreachable (a script that ends in an exit), the start can be taken (a package
// clause). Which of the language's errors it is, and the names in it, follow from `random`: nobody
// who made a judge forgive an error can know which one will be planted. nullopt when the language
// has no canary that the judge would report.
std::optional<Canary> PlantCanary(const Language& language, CanaryKind kind,
                                  absl::string_view content, uint64_t random, bool at_start);

// Whether an error is reported at the canary's lines of `file`.
bool IsReported(const Canary& canary, const std::string& file, const ValidationResult& result);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_CANARY_H_
