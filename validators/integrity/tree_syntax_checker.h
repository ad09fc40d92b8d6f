// Looks at code by its syntax tree alone.
#ifndef STILE_VALIDATORS_INTEGRITY_TREE_SYNTAX_CHECKER_H_
#define STILE_VALIDATORS_INTEGRITY_TREE_SYNTAX_CHECKER_H_

#include <memory>

#include "runtime/language/language.h"
#include "runtime/validation/syntax_check.h"

namespace stile {

// By the grammars of runtime/syntax. `languages` outlives the checker.
std::unique_ptr<SyntaxChecker> NewSyntaxChecker(const LanguageRegistry* languages);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TREE_SYNTAX_CHECKER_H_
