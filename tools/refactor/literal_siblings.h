// Object literals that are values of one expression, whose members of one name are one member.
#ifndef STILE_TOOLS_REFACTOR_LITERAL_SIBLINGS_H_
#define STILE_TOOLS_REFACTOR_LITERAL_SIBLINGS_H_

#include <cstdint>
#include <set>

#include "tools/index/parsed_files.h"
#include "tools/index/source_file.h"

namespace stile {

// JavaScript, TypeScript: for keys of object literals, the keys of the same name in literals that
// can stand in their place: other elements of an array literal (`[{a: {b: 1}}, {a: {b: 2}}]` gives
// one `b` for the other; of a tuple only the same element), other operands of `?:`, `||`, `&&` and
// `??`, other values that a function returns. Keys are offsets of their first byte, without a
// quote; those in `keys` are not among the result.
std::set<uint32_t> SiblingKeys(const SourceFile& file, const std::set<uint32_t>& keys,
                               ParsedFiles* parsed);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_LITERAL_SIBLINGS_H_
