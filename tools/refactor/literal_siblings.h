// Object literals of one array literal, whose members of one name are one member of the elements.
#ifndef STILE_TOOLS_REFACTOR_LITERAL_SIBLINGS_H_
#define STILE_TOOLS_REFACTOR_LITERAL_SIBLINGS_H_

#include <cstdint>
#include <set>

#include "tools/index/source_file.h"

namespace stile {

// JavaScript, TypeScript: for keys of object literals, the keys of the same name that stand at the
// same path in the other elements of the outermost array literal around: `[{a: {b: 1}}, {a: {b:
// 2}}]` gives one `b` for the other. Keys are offsets of their first byte, without a quote; those
// in `keys` are not among the result.
std::set<uint32_t> SiblingKeys(const SourceFile& file, const std::set<uint32_t>& keys);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_LITERAL_SIBLINGS_H_
