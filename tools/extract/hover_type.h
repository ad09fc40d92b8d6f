// The type in what a language server shows beside a name.
#ifndef STILE_TOOLS_EXTRACT_HOVER_TYPE_H_
#define STILE_TOOLS_EXTRACT_HOVER_TYPE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tools/language/language_facts.h"

namespace stile {

// `hover`: the Markdown of TypeScript's server ("(method) Order.total(tax: number): number",
// "(property) Order.size: number") or of Pyright ("(method) def total(self: Self@Order) -> int").
// What a function returns, or the type of anything else. "" where it shows none, or cuts it short.
std::string TypeInHover(const LanguageFacts& facts, absl::string_view hover);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_HOVER_TYPE_H_
