// Where the text of a workflow comes from.
#ifndef STILE_AGENTS_API_WORKFLOW_TEXT_H_
#define STILE_AGENTS_API_WORKFLOW_TEXT_H_

#include <string>

#include "absl/status/statusor.h"

namespace stile {

// The text of the workflow in `file`, or of a name behind kBuiltinPrefix.
absl::StatusOr<std::string> ReadWorkflowText(const std::string& file);
// Of a file that the workflow `from` names.
absl::StatusOr<std::string> ReadWorkflowTextBeside(const std::string& from,
                                                   const std::string& path);

// The file of a workflow that a file in `folder` names: names may be relative to the folder.
std::string WorkflowBeside(const std::string& folder, const std::string& name);

}  // namespace stile

#endif  // STILE_AGENTS_API_WORKFLOW_TEXT_H_
