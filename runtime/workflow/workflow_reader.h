// Reading one step of a workflow file; see workflow.h for what the keys mean.
#ifndef STILE_RUNTIME_WORKFLOW_WORKFLOW_READER_H_
#define STILE_RUNTIME_WORKFLOW_WORKFLOW_READER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/yaml.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// The step as the file says it. Names of other steps are not looked up. InvalidArgument with the
// place of the first thing that is wrong in it.
absl::StatusOr<WorkflowStep> ReadStep(const std::string& name, const Yaml& yaml);

// Parts that the head of a file has, too. Each leaves `out` as it is without the key.
absl::Status ReadScript(const Yaml& map, absl::string_view key, std::string* out);
absl::Status ReadSchema(const Yaml& map, Json* out);
absl::Status ReadCount(const Yaml& map, absl::string_view key, int64_t least, int64_t most,
                       int* out);

// The same failure with the place of `yaml` before it.
absl::Status AtPlace(const Yaml& yaml, const absl::Status& status);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_WORKFLOW_READER_H_
