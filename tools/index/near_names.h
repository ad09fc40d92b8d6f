// For a name that nothing has: the one that was probably meant.
#ifndef STILE_TOOLS_INDEX_NEAR_NAMES_H_
#define STILE_TOOLS_INDEX_NEAR_NAMES_H_

#include <string>

#include "tools/index/code_index.h"

namespace stile {

// An identifier in code of the workspace that is a slip away from `name`; "": there is none. Reads
// files until 64 MB are read.
std::string NearIdentifier(const std::string& name, const CodeIndex& index);

// The file whose path is a slip away from `path`, or that is the only one with its last component;
// "": there is none.
std::string NearPath(const std::string& path, const CodeIndex& index);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_NEAR_NAMES_H_
