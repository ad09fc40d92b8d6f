// Code of Rust that a build may leave out: items under #[cfg], files and modules under #![cfg].
#ifndef STILE_VALIDATORS_INTEGRITY_RUST_REGIONS_H_
#define STILE_VALIDATORS_INTEGRITY_RUST_REGIONS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/validation/conditional_code.h"

namespace stile {

// Adds the regions of a node, not of those below it: what an attribute stands for, and "cfg(x)"
// among the tokens that a macro is given.
void AddRustRegions(TSNode node, absl::string_view text, std::vector<ConditionalRegion>* regions);

// What has to hold for each region of a file: its own predicate, those of the items around it, and
// those beside it.
void AddPredicatesAround(std::vector<ConditionalRegion>* regions);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_RUST_REGIONS_H_
