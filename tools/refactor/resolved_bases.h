// The bases of types, as a resolver tells them.
#ifndef STILE_TOOLS_REFACTOR_RESOLVED_BASES_H_
#define STILE_TOOLS_REFACTOR_RESOLVED_BASES_H_

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
// Whether a resolver that was asked has no answer, and can be asked on.
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

  // Those in the head of `type`. Valid as long as this.
  absl::StatusOr<const Bases*> Of(const Declaration& type);
  // Whether `type` has `base` above it, at any distance.
  absl::StatusOr<bool> IsBelow(const Declaration& type, const Declaration& base);
  // Names of bases so far that mean nothing to the resolver.
  const std::set<std::string>& unknown() const { return unknown_; }

 private:
  absl::StatusOr<bool> IsBelow(const Declaration& type, const Declaration& base, int depth);

  CodeIndex* const index_;
  Resolver* const resolver_;
  std::map<CodePlace, Bases> bases_;  // by type
  std::set<std::string> unknown_;
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RESOLVED_BASES_H_
