#ifndef STILE_TOOLS_BUILTIN_TOOLS_H_
#define STILE_TOOLS_BUILTIN_TOOLS_H_

#include <memory>
#include <vector>

#include "runtime/language/language.h"
#include "runtime/tool/tool.h"
#include "runtime/validation/validation_service.h"
#include "tools/index/code_index.h"
#include "tools/pattern/pattern.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// Every tool, in the order in which models see them. No argument is owned; all outlive the tools.
// `resolvers` may be null: names are resolved by syntax then.
// The table itself is in the .cc file.
std::vector<std::unique_ptr<Tool>> NewBuiltinTools(ValidationService* validation,
                                                   const LanguageRegistry* languages,
                                                   CodeIndex* index, ResolverPool* resolvers,
                                                   const std::vector<CodingPattern>* patterns);

}  // namespace stile

#endif  // STILE_TOOLS_BUILTIN_TOOLS_H_
