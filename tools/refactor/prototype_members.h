// Methods of JavaScript that are assigned to a prototype: `Shape.prototype.area = function`.
#ifndef STILE_TOOLS_REFACTOR_PROTOTYPE_MEMBERS_H_
#define STILE_TOOLS_REFACTOR_PROTOTYPE_MEMBERS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/code_index.h"
#include "tools/index/references.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"
#include "tools/resolve/resolver.h"

namespace stile {

// The function that gives `this` at the node its meaning; null at the top of the file, and in
// fields of a class.
TSNode FunctionOfThis(TSNode node);

// Whether `this` in the function, which its module exports as `exported`, may be another object
// than the module: the file does more with the function, or with the module, than to call it; or it
// assigns `this.<name>`.
bool MayHaveOwnThis(const SyntaxTree& tree, absl::string_view text, TSNode function,
                    absl::string_view exported, absl::string_view name);

// Whether another file may do so: `const { total } = require("./shapes")`.
bool IsTakenAsValue(const SourceFile& file, absl::string_view exported);

// Whether the declaration is such an assignment, also behind `var proto = Shape.prototype`.
bool IsOfPrototype(const Declaration& member);
// Its constructor, "Shape"; "" for others.
std::string PrototypeOwner(const Declaration& member);

// The constructors, by the last part of their names, from which code derives `constructor`:
//
//   Stack.prototype = Object.create(List.prototype)    Stack.prototype = new List()
//   Object.setPrototypeOf(Stack.prototype, List.prototype)    util.inherits(Stack, List)
//   Stack.prototype.__proto__ = List.prototype
std::set<std::string> PrototypeBases(const SourceFile& file, const std::string& constructor);

// Whether the use is such a member of the same constructor, `Shape.prototype.area.call(this)`:
// TypeScript does not know the prototype of a constructor that another file requires.
bool IsBehindPrototypeOf(const Declaration& member, const Reference& use, CodeIndex* index,
                         Resolver* resolver);

// For a method of a prototype that no resolver knows: leaves renamed only its declaration and
// `this.area` in functions of the same prototype, whose `this` it is; the other candidates are
// likely only. Methods of other prototypes are listed, because one may derive from the other.
void KeepToPrototype(const Resolution& symbol, std::vector<RenameCandidate>* candidates);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PROTOTYPE_MEMBERS_H_
