#ifndef STILE_VALIDATORS_INTEGRITY_PYTHON_REGIONS_H_
#define STILE_VALIDATORS_INTEGRITY_PYTHON_REGIONS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/validation/conditional_code.h"

namespace stile {

// What type checkers may skip of a node (not of those below it): the blocks of a statement, for
// they take some conditions for false, by constants, by the platform, or because of types; what
// stands behind the statements of a block, for some do not return; functions under @no_type_check.
// Which of these they do skip is for the judge to show. Left out is what only leaves a function
// that its types say is left already (assert_never, raise), and imports and assignments that are
// for programs alone, not for checkers.
void AddPythonRegions(TSNode node, absl::string_view text, std::vector<ConditionalRegion>* regions);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_PYTHON_REGIONS_H_
