// What about a method makes a move to another class of its hierarchy change the program, although
// the code builds. Each function gives the reason, "" for none.
#ifndef STILE_TOOLS_REFACTOR_MEMBER_CHECKS_H_
#define STILE_TOOLS_REFACTOR_MEMBER_CHECKS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"
#include "tools/index/symbol_query.h"

namespace stile {

// A class with its file.
struct ClassSite {
  std::shared_ptr<const SourceFile> file;
  int symbol = -1;

  const Symbol& type() const { return file->symbols[static_cast<size_t>(symbol)]; }
  bool Is(const SourceFile& other, int other_symbol) const {
    return file->path == other.path && symbol == other_symbol;
  }
};

// The method itself: its class is local to a function, it stands under a condition, something is
// attached to it (annotations, decorators), or an argument of a call has the type of its class.
absl::StatusOr<std::string> WhyBoundToClass(const ClassSite& owner, const Symbol& member);

// The class `to`, which would get it: its body names the method, it lists or intercepts its
// members, a type parameter of either class stands in the method, or a member that the method uses
// is a different one there.
std::string WhyDifferentIn(const ClassSite& owner, const Symbol& member, const ClassSite& to);

// The imports of `other` give a name in the method another meaning, or it is of another package.
// What is only missing there, a compiler reports.
absl::StatusOr<std::string> WhyNamesDiffer(const ClassSite& owner, const Symbol& member,
                                           const SourceFile& other);

// Whether the head of `user` names the type `base`, by its file, its imports or its package. Types
// of one simple name are different ones.
bool NamesType(const ClassSite& user, const Declaration& base);

// The project reaches a method of the name otherwise than by its class: it gives the name another
// value, names it in a string, or has an extension method of the name.
std::string WhyReachedOtherwise(const ClassSite& owner, const Symbol& member,
                                const Resolution& named);

// Code of the class, or of its metaclass, runs for each of its members or for each that is missing.
std::string WhyHooked(const ClassSite& site);

// Why classes may extend the type unseen: they have no name, or use another name for the type; "":
// none does. A default export that is imported by another name is not found.
std::string WhyDerivedUnseen(const ClassSite& type, CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MEMBER_CHECKS_H_
