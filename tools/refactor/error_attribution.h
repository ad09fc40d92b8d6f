// What a compiler's message about a rename says of places and types.
#ifndef STILE_TOOLS_REFACTOR_ERROR_ATTRIBUTION_H_
#define STILE_TOOLS_REFACTOR_ERROR_ATTRIBUTION_H_

#include <string>
#include <vector>

#include "runtime/validation/diagnostic.h"
#include "tools/index/source_file.h"
#include "tools/refactor/rename_plan.h"

namespace stile {

// Quotation marks of other character sets would be taken for letters.
std::string WithPlainQuotes(const std::string& text);

// The message with both names of a symbol, where they stand as words, replaced by one mark: what is
// said before and after a rename can be compared.
std::string WithoutNames(const std::string& message, const std::string& old_name,
                         const std::string& new_name);

// Whether a Go message means type `owner` of this file. Go puts the package before types of other
// packages.
bool NamesTypeOf(const SourceFile& file, const std::string& owner, const Diagnostic& error);

// Whether the line lies in the declaration around the symbol: a type, or a variable whose type is
// written out, at any depth: `const tags: { merge: { symbol(): void } } = …`.
bool LiesBeside(const SourceFile& file, size_t symbol, int line);

// Behind `hasattr(x, "name")`, checkers know that x has it, whatever x is.
bool IsNarrowedByName(const RenameCandidate& candidate, const std::string& name);

// Whether the `size` bytes before the candidate are `Source::`: a compiler that does not find
// what follows may report the path, and name neither (rustc E0782).
bool IsBehindPath(const RenameCandidate& candidate, int size);

// Of object literals that a compiler reports where they are handed on: keys behind the name at the
// place of the error. `const first = { depth: 1 }` for an error at `run(first)`, and what `make`
// returns for one at `run(make())`. `path` is that of the file before the rename. Indexes into
// `candidates`, of keys that are not renamed.
std::vector<size_t> KeysOfNamedValue(const std::vector<RenameCandidate>& candidates,
                                     const std::string& path, const Diagnostic& error);

// With the keys that are one property with those in `blamed` (see SiblingKeys), as far as they have
// the same state.
std::vector<size_t> WithSiblings(const std::vector<RenameCandidate>& candidates,
                                 std::vector<size_t> blamed);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_ERROR_ATTRIBUTION_H_
