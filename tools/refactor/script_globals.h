// Global names of JavaScript that is no module: scripts share them where one page loads them all.
#ifndef STILE_TOOLS_REFACTOR_SCRIPT_GLOBALS_H_
#define STILE_TOOLS_REFACTOR_SCRIPT_GLOBALS_H_

#include <map>
#include <set>
#include <string>

#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"
#include "tools/resolve/resolver.h"

namespace stile {

// For a function or class at the top of a script, or a member of one. TypeScript takes functions of
// one name in several scripts for one symbol, also where each script is a program of its own. Moves
// the edits in scripts that declare that function or class, too, from `edits` to `unseen`.
void KeepToScript(const Declaration& symbol, CodeIndex* index,
                  std::map<CodeRange, std::string>* edits, std::set<CodeRange>* unseen);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_SCRIPT_GLOBALS_H_
