// Edits of a rename, as servers send them.
#ifndef STILE_TOOLS_REFACTOR_NAME_EDITS_H_
#define STILE_TOOLS_REFACTOR_NAME_EDITS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"
#include "tools/index/source_file.h"
#include "tools/resolve/resolver.h"

namespace stile {

// The same change in whole identifiers: some servers send only the letters that differ. `edits` are
// of one file, sorted, and do not overlap; `text` is the file's.
std::vector<ResolvedEdit> ExpandToWords(const std::vector<ResolvedEdit>& edits,
                                        absl::string_view text);

// Edits that change several names and leave the text between them, as one for each name. `text` is
// the file's.
std::vector<ResolvedEdit> SplitAtNames(const std::vector<ResolvedEdit>& edits,
                                       absl::string_view text, const std::string& old_name,
                                       const std::string& new_name);

// Whether a change of `before` to `after` puts the new name for the old one, or writes one beside
// the other as an import, a shorthand property or a keyword argument needs it.
bool IsNameChange(absl::string_view before, absl::string_view after, const std::string& old_name,
                  const std::string& new_name);

// An edit that writes `size: total` for the short form `total`. In a pattern of Rust, the words
// before the name go with the variable: `ref mut total` becomes `size: ref mut total`. Others stay.
TextEdit WithPatternWords(const SourceFile& file, TextEdit edit);

// Rust: whether the name at [begin, end) is the short form of a field, which names a variable as
// well: `Point { total }`, `Point { ref total, .. }`. For the arguments of macros, where the syntax
// tree does not tell.
bool IsShortField(absl::string_view text, size_t begin, size_t end);

// Returns the new name if `after` is an alias that a server adds to keep the old one
// (`export { New as Old }`); otherwise `after`.
std::string WithoutAlias(const std::string& before, const std::string& after,
                         const std::string& old_name, const std::string& new_name);

// Whether an edit touches the range: it may be larger than the name.
bool TouchesEdit(const std::map<CodeRange, std::string>& edits, const CodeRange& range);

// DataLoss if the range lies outside of its file; errors of CodeIndex::Open.
absl::StatusOr<std::string> TextAt(const CodeRange& range, CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_NAME_EDITS_H_
