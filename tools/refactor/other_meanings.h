// Uses that mean something else as well as the symbol that is renamed.
#ifndef STILE_TOOLS_REFACTOR_OTHER_MEANINGS_H_
#define STILE_TOOLS_REFACTOR_OTHER_MEANINGS_H_

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/index/code_index.h"
#include "tools/resolve/resolver.h"

namespace stile {

// Of one symbol. A use of a union's member has several definitions; those that are not renamed keep
// the old name. Each question blocks as the resolver does. Errors of both methods:
//
//   FailedPrecondition  Check: a renamed place has another meaning; the message names both places
//   Unavailable, Cancelled  as in Resolver
//   DataLoss            the answer lies outside of a file
class OtherMeanings {
 public:
  // `edits`: what is renamed. `partial` gets the reason where a question has no answer, unless it
  // has one. All must outlive this object.
  OtherMeanings(std::string old_name, CodeIndex* index, Resolver* resolver,
                const std::map<CodeRange, std::string>* edits, std::string* partial)
      : old_name_(std::move(old_name)),
        index_(index),
        resolver_(resolver),
        edits_(edits),
        partial_(partial) {}

  // A definition of the use that has the old name and is not renamed; nullopt: none. After `end`
  // nothing is asked.
  absl::StatusOr<std::optional<CodeRange>> Of(const CodeRange& use, absl::Time end);
  // OK if no renamed place has one.
  absl::Status Check(absl::Time end);

 private:
  const std::string old_name_;
  CodeIndex* const index_;
  Resolver* const resolver_;
  const std::map<CodeRange, std::string>* const edits_;
  std::string* const partial_;
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_OTHER_MEANINGS_H_
