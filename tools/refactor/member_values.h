// Members whose value counts their place: an enumerator without a value, `iota` of Go.
#ifndef STILE_TOOLS_REFACTOR_MEMBER_VALUES_H_
#define STILE_TOOLS_REFACTOR_MEMBER_VALUES_H_

#include <string>

#include "tools/index/code_index.h"
#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// The first member after `member` that would get another value without it; "" where there is none.
// `member` is an enumerator, or a constant of a group. No compiler reports such a change. Members
// of Java and Rust count if code of the project makes numbers of something where it names the
// enumeration; those of Rust also if the enumeration gives numbers or a layout.
std::string MemberThatShifts(const SourceFile& file, const SyntaxTree& tree, const Symbol& member,
                             CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MEMBER_VALUES_H_
