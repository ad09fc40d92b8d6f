// What a compiler's message about a rename says of places and types.
#ifndef STILE_TOOLS_REFACTOR_ERROR_ATTRIBUTION_H_
#define STILE_TOOLS_REFACTOR_ERROR_ATTRIBUTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/validation/diagnostic.h"
#include "tools/index/parsed_files.h"
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

// A compiler may report an object literal where it is passed on, not where it is written. Offsets
// of `key` in the literal, or the literal type, that the name at the error is declared with:
// `const first = { depth: 1 }` for `run(first)`, what `make` returns for `run(make())`. Line and
// column of the error are those of `file`.
struct NamedValue {
  std::vector<uint32_t> keys;
  uint32_t name = 0;           // at the error
  std::vector<uint32_t> uses;  // other places of the file that name the value
};
NamedValue KeysOfNamedValue(const SourceFile& file, const std::string& key, const Diagnostic& error,
                            ParsedFiles* parsed);

// Whether a note on an error names an expression that a constraint of C++ requires and that is not
// valid. The error itself is reported where the constrained template is used.
bool IsUnmetRequirement(const Diagnostic& note);

// The functions below find places that an error may blame although it is reported elsewhere. They
// return indexes into the candidates of the plan, of those in `open`, in its order. `path` is that
// of the error's file before the rename.

// Keys of the nearest literal, or methods of an anonymous class, on the line of the error or below:
// the compiler names where the literal or the class begins.
std::vector<size_t> KeysBehind(const std::vector<RenameCandidate>& candidates,
                               const std::vector<size_t>& open, const std::string& path,
                               const Diagnostic& error);

// Names that are written where a macro is used: the compiler blames a line of the macro.
std::vector<size_t> MacroArguments(const RenamePlan& plan, const std::vector<size_t>& open,
                                   const std::string& path, const Diagnostic& error);

// `blamed`, with the keys that are one property with those in it (see SiblingKeys) and are renamed,
// or not, like them.
std::vector<size_t> WithSiblings(const std::vector<RenameCandidate>& candidates,
                                 const std::vector<size_t>& open, std::vector<size_t> blamed,
                                 ParsedFiles* parsed);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_ERROR_ATTRIBUTION_H_
