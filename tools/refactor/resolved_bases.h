// The bases of types, as a resolver tells them.
#ifndef STILE_TOOLS_REFACTOR_RESOLVED_BASES_H_
#define STILE_TOOLS_REFACTOR_RESOLVED_BASES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/index/symbol_query.h"
#include "tools/resolve/resolver.h"

namespace stile {

CodePlace PlaceOf(const Declaration& declaration);
// The type that declares a member; nullopt where no type does.
std::optional<Declaration> OwnerOf(const Declaration& member);
// Whether the status means that the resolver has no answer; later questions are allowed.
bool IsNoAnswer(const absl::Status& status);

// Asks for the bases of a type once. Errors as in Resolver. Not thread-safe.
class ResolvedBases {
 public:
  struct Bases {
    std::vector<Declaration> types;     // in the workspace
    std::vector<OutsidePlace> outside;  // of libraries
  };

  // Not owned; both outlive this.
  ResolvedBases(CodeIndex* index, Resolver* resolver) : index_(index), resolver_(resolver) {}

  // The bases that the declaration of `type` names. Valid as long as this. Blocks while the
  // resolver answers.
  absl::StatusOr<const Bases*> Of(const Declaration& type);
  // Whether `type` has `base` above it, at any distance. Blocks likewise.
  absl::StatusOr<bool> IsBelow(const Declaration& type, const Declaration& base);
  // Types of the project that seem to have `type` above them, by the names of their bases. Searches
  // the project at the first call for a type. Valid as long as this.
  const std::vector<Declaration>& DerivedTypes(const Declaration& type);
  // Whether a type of the project has both above it. Blocks likewise.
  absl::StatusOr<bool> HaveDerivedType(const Declaration& one, const Declaration& other);
  // Names of bases that the resolver could not resolve so far.
  const std::set<std::string>& unknown() const { return unknown_; }
  // Whether code derives the prototype of one method of JavaScript from that of the other; false if
  // there are several constructors of a name. Servers do not know it.
  bool AreOfRelatedPrototypes(const Declaration& a, const Declaration& b);

 private:
  struct Constructor {
    size_t count = 0;  // of the name
    std::set<std::string> above;
  };
  const Constructor& ConstructorOf(const Declaration& method);

  CodeIndex* const index_;
  Resolver* const resolver_;
  std::map<CodePlace, Bases> bases_;                       // by type
  std::map<CodePlace, std::vector<Declaration>> derived_;  // likewise
  std::map<std::string, Constructor> constructors_;        // by name
  std::set<std::string> unknown_;
};

// Whether `member` overrides one of `members` or is overridden by one. Where a method can come from
// any of several bases, also whether a type has both: one comes before the other there. Blocks
// while the resolver answers; errors of it.
absl::StatusOr<bool> IsOfFamily(const Declaration& member,
                                const std::map<CodePlace, Declaration>& members,
                                ResolvedBases* bases, Resolver* resolver);

// Of members of types, by their places: no one can lose, or get, the name of a library's member
// that it overrides. FailedPrecondition if one would; other errors are those of the resolver.
absl::Status CheckLibraryMembers(const std::map<CodePlace, Declaration>& members,
                                 const std::string& old_name, const std::string& new_name,
                                 ResolvedBases* bases, Resolver* resolver);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RESOLVED_BASES_H_
