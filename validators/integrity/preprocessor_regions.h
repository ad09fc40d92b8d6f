#ifndef STILE_VALIDATORS_INTEGRITY_PREPROCESSOR_REGIONS_H_
#define STILE_VALIDATORS_INTEGRITY_PREPROCESSOR_REGIONS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/conditional_code.h"

namespace stile {

enum class CodeDialect { kC, kCpp, kCSharp };

// The branches of #if, #ifdef, #ifndef, #elif and #else, of text that need not be correct. By
// lines, not by syntax tree: what the branches hold need not be whole declarations. The guard of a
// header is one of them: another file can define its macro. Only extern "C" for C++ is none.
std::vector<ConditionalRegion> PreprocessorRegions(absl::string_view text, CodeDialect dialect);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_PREPROCESSOR_REGIONS_H_
