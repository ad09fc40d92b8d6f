// Which of the places that may mean a symbol are shown first.
#ifndef STILE_TOOLS_CODE_LIKELY_ORDER_H_
#define STILE_TOOLS_CODE_LIKELY_ORDER_H_

#include <vector>

#include "tools/code/navigate_hits.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Exact hits in their order, then likely ones, the more probable before the less. Signs of a use:
// the receiver is called after the type that declares the symbol, the file names that type or
// imports the file that declares it, or lies next to it. A sign against it: many types of the
// standard library have a member of the name.
void OrderHits(const Resolution& resolution, std::vector<Hit>* hits);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_LIKELY_ORDER_H_
