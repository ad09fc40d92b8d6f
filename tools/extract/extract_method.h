#ifndef STILE_TOOLS_EXTRACT_EXTRACT_METHOD_H_
#define STILE_TOOLS_EXTRACT_EXTRACT_METHOD_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"

namespace stile {

// Moves whole statements into a method of their own behind the one they were in, and calls it where
// they stood. What they read from around is its parameters, what is used of theirs afterwards its
// result. C#, TypeScript, JavaScript, Python, Go and Java; Unimplemented for others. Types that a
// typed language needs and that are not written down are asked of `probe`. The errors speak to a
// model: InvalidArgument for lines that cut a statement, FailedPrecondition with the reason where
// the statements cannot stand elsewhere.
absl::StatusOr<EditPlan> PlanExtractMethod(const SourceFile& file, int start_line, int end_line,
                                           const std::string& new_name, const ProbeEdits& probe);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_EXTRACT_METHOD_H_
