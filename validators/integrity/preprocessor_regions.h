#ifndef STILE_VALIDATORS_INTEGRITY_PREPROCESSOR_REGIONS_H_
#define STILE_VALIDATORS_INTEGRITY_PREPROCESSOR_REGIONS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/gate/conditional_code.h"

namespace stile {

// The branches of #if, #ifdef, #ifndef, #elif and #else, of text that need not be correct. By
// lines, not by syntax tree: what the branches hold need not be whole declarations. In
// headers the guard and what is for C++ alone are no conditions.
std::vector<ConditionalRegion> PreprocessorRegions(absl::string_view text, bool is_header = true);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_PREPROCESSOR_REGIONS_H_
