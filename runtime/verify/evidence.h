// Whether the code that an issue quotes is in a file.
#ifndef STILE_RUNTIME_VERIFY_EVIDENCE_H_
#define STILE_RUNTIME_VERIFY_EVIDENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/verify/verify_issue.h"

namespace stile {

// Quoted code as it was found in its file.
struct FoundEvidence {
  IssuePlace place;
  std::vector<std::string> lines;  // the quoted lines that are in the file, without blanks
};

// `evidence`: lines of the file `text`, with other blanks and, as prompts show them, with a number
// and '|' before each. Lines of at least five characters count, 200 at most; half of them must be
// in the file. Blanks and line breaks never count. If `place` is outside the file, or no quoted
// line is within five lines of it, the result names the nearest occurrence of the first quoted
// line. InvalidArgument: too little is quoted, or is in the file; says what.
absl::StatusOr<FoundEvidence> FindEvidence(const IssuePlace& place, absl::string_view evidence,
                                           absl::string_view text);

// Of `lines` (FoundEvidence::lines) those that the file `text` does not have.
std::vector<std::string> MissingLines(const std::vector<std::string>& lines,
                                      absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_VERIFY_EVIDENCE_H_
