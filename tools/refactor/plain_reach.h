// Where a declaration of another file is meant by its plain name, although nothing in the file says
// so: files of one package, wildcard imports, headers.
#ifndef STILE_TOOLS_REFACTOR_PLAIN_REACH_H_
#define STILE_TOOLS_REFACTOR_PLAIN_REACH_H_

#include "tools/index/symbol_query.h"

namespace stile {

// Whether the plain name of `target`, a symbol outside of types, would mean it in `file`. Errs on
// the side of no: re-exports and headers of headers are not followed. Parses the file again.
bool ReachesByPlainName(const Declaration& target, const SourceFile& file);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PLAIN_REACH_H_
