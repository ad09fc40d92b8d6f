// Names the function or type around a line of code.
#ifndef STILE_VALIDATORS_INTEGRITY_SYMBOL_SCOPES_H_
#define STILE_VALIDATORS_INTEGRITY_SYMBOL_SCOPES_H_

#include <memory>

#include "runtime/language/language.h"
#include "runtime/validation/code_scopes.h"

namespace stile {

// By the symbols of runtime/syntax/symbols.h. `languages` outlives the finder.
std::unique_ptr<ScopeFinder> NewScopeFinder(const LanguageRegistry* languages);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_SYMBOL_SCOPES_H_
