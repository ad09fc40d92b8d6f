// Whether the code that an issue quotes is in the file that it names.
#ifndef STILE_RUNTIME_VERIFY_EVIDENCE_H_
#define STILE_RUNTIME_VERIFY_EVIDENCE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/verify/verify_issue.h"

namespace stile {

// Where the quoted code is. `evidence`: lines of the file `text`, with other blanks and, as prompts
// show them, with a number and '|' before each. Lines of at least five characters count; half of
// them must be in the file. Where the lines of `place` are not in the file, or nothing quoted is
// near them, the result has those at which the first quoted line is, the nearest of several.
// InvalidArgument: too little is quoted, or is in the file; says what.
absl::StatusOr<IssuePlace> FindEvidence(const IssuePlace& place, absl::string_view evidence,
                                        absl::string_view text);

// Whether the file `text` still has every line that `evidence` quotes.
bool HasAllEvidence(absl::string_view evidence, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_EVIDENCE_H_
