// After a rename: whether the new name means the symbol where it was written, and nowhere else. A
// compiler is content with code that quietly means something else.
#ifndef STILE_TOOLS_REFACTOR_CAPTURE_CHECK_H_
#define STILE_TOOLS_REFACTOR_CAPTURE_CHECK_H_

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"
#include "tools/refactor/resolved_symbol.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// Begin, then the edits of the rename are written to the disk, then End. The resolver is asked
// about places of the new name in the files as they are on disk. Not thread-safe.
class CaptureCheck {
 public:
  struct Result {
    std::string capture;     // a place that changed its meaning, as a sentence; "": none was found
    std::string incomplete;  // the places that were not looked up, or the reason; "": all were
  };

  // `index` and `pool` are not owned.
  CaptureCheck(std::string new_name, CodeIndex* index, ResolverPool* pool)
      : name_(std::move(new_name)), index_(index), pool_(pool) {}

  // Remembers the places at which the name means something already. `path`: a file of the symbol.
  // Blocks for `limit` at most, and longer by one answer, as End does. Cancelled; other errors are
  // told by End.
  absl::Status Begin(const std::string& path, absl::Duration limit);
  // Looks up what `plan` wrote at the places that `resolved` names, then the places of Begin.
  // Bodies of macros are left out: clangd guesses there. Cancelled; other errors are told in
  // `incomplete`.
  absl::StatusOr<Result> End(const EditPlan& plan, const ResolvedSymbol& resolved,
                             absl::Duration limit);

 private:
  absl::StatusOr<std::string> LookAtWritten(const CodePlace& place, Resolver* resolver);
  absl::StatusOr<std::string> LookAtOther(const CodePlace& place, Resolver* resolver);
  std::string At(const CodePlace& place) const;
  void NoteFailure(const absl::Status& status);

  const std::string name_;
  CodeIndex* const index_;
  ResolverPool* const pool_;
  std::set<CodePlace> before_;
  std::map<CodePlace, CodePlace> written_;  // by place afterwards: the place before
  std::string incomplete_;
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_CAPTURE_CHECK_H_
