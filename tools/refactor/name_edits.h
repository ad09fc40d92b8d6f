// Edits of a rename, as servers send them.
#ifndef STILE_TOOLS_REFACTOR_NAME_EDITS_H_
#define STILE_TOOLS_REFACTOR_NAME_EDITS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/resolve/resolver.h"

namespace stile {

// The same change in whole identifiers: some servers send only the letters that differ. `edits` are
// of one file, sorted, and do not overlap; `text` is the file's.
std::vector<ResolvedEdit> ExpandToWords(const std::vector<ResolvedEdit>& edits,
                                        absl::string_view text);

// Whether a change of `before` to `after` puts the new name for the old one, or writes one beside
// the other as an import, a shorthand property or a keyword argument needs it.
bool IsNameChange(absl::string_view before, absl::string_view after, const std::string& old_name,
                  const std::string& new_name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_NAME_EDITS_H_
