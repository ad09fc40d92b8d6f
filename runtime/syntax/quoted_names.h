// Names of code that Python has in strings and comments: quoted annotations, arguments of `cast`
// and of calls that make types, `__all__`, type comments. By
// runtime/syntax/queries/<grammar>/quoted.scm, which other grammars lack. Captures:
//
//   @annotation           a type; strings in it are types, except for those of `Literal`
//   @alias, @value        `Name: TypeAlias = "Order"`: the type, and what may be a quoted one
//   @base, @bases         `Repository["Order"]` among the bases of a class, and its name in front
//   @generic, @arguments  `Optional["Order"]` as an expression: its name, and all of it
//   @function, @arguments, @call   a call; it counts if the file imports the function from `typing`
//                         and its arguments are types (`cast`) or its own name (`TypeVar`)
//   @names                a list whose strings are names that the file exports
//   @comment              a type comment
#ifndef STILE_RUNTIME_SYNTAX_QUOTED_NAMES_H_
#define STILE_RUNTIME_SYNTAX_QUOTED_NAMES_H_

#include "absl/strings/string_view.h"
#include "runtime/syntax/scope_captures.h"

namespace stile {

// Adds the quoted names of a text to `captures`, which holds the identifiers outside of strings,
// each once and by begin, and does so afterwards. A region around each keeps it from being
// declared. Strings with escapes, prefixes of bytes or replacement fields, and strings that are put
// together, hold no names. `tree` was parsed from `text`. Thread-safe.
void AddQuotedNames(const Grammar& grammar, const SyntaxTree& tree, absl::string_view text,
                    ScopeCaptures* captures);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_QUOTED_NAMES_H_
