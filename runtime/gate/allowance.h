// What the task of a run, or the user, lets it weaken.
#ifndef STILE_RUNTIME_GATE_ALLOWANCE_H_
#define STILE_RUNTIME_GATE_ALLOWANCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/yaml.h"
#include "runtime/gate/gate_settings.h"
#include "runtime/validation/weakening.h"

namespace stile {

// "removed_tests=tests/legacy/**". InvalidArgument for anything else.
absl::StatusOr<Allowance> ParseAllowance(absl::string_view text);
std::string AllowanceText(const Allowance& allowance);

// A list of texts as above, or of maps of a kind to a glob or globs. Errors name file and line.
absl::StatusOr<std::vector<Allowance>> ReadAllowances(const Yaml& yaml);

// The kind that allows the weakening; "" if none does: an edit of the gate's own settings, a
// project file that no longer parses.
std::string KindOf(const Weakening& weakening);
bool IsAllowed(const std::vector<Allowance>& allowances, const Weakening& weakening);
// Whether changed code of the file counts though nothing here can compile it.
bool IsAllowedUncovered(const std::vector<Allowance>& allowances, const std::string& path);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_ALLOWANCE_H_
