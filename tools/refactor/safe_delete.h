// Deleting what nothing uses.
#ifndef STILE_TOOLS_REFACTOR_SAFE_DELETE_H_
#define STILE_TOOLS_REFACTOR_SAFE_DELETE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/references.h"
#include "tools/index/symbol_query.h"

namespace stile {

struct DeletePlan {
  EditPlan edits;
  std::vector<Reference> uses;    // outside of what goes, for certain: then nothing may be deleted
  std::vector<Reference> likely;  // may be uses: a compiler has to say
};

// All declarations of an unambiguous symbol, with their documentation. FailedPrecondition for
// locals and for several symbols of one name.
absl::StatusOr<DeletePlan> PlanSafeDelete(Resolution resolution, CodeIndex* index);

// The bytes that go with a declaration: its documentation, the separator behind or before it, the
// rest of its lines where nothing else stands there, and one of two blank lines that would meet.
TextEdit DeletionOf(const SourceFile& file, const Symbol& symbol);
// Makes one of deletions of a text that meet, and takes the blank lines along that would be left at
// its end, down to the offset `fixed`, before which something else may be edited.
void JoinDeletions(absl::string_view text, uint32_t fixed, std::vector<TextEdit>* deletions);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_SAFE_DELETE_H_
