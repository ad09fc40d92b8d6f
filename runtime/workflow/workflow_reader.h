// Reading one step of a workflow file; see workflow.h for what the keys mean.
#ifndef STILE_RUNTIME_WORKFLOW_WORKFLOW_READER_H_
#define STILE_RUNTIME_WORKFLOW_WORKFLOW_READER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/base/yaml.h"
#include "runtime/base/yaml_errors.h"
#include "runtime/workflow/workflow.h"

namespace stile {

// The step as the file says it; what is wrong in it is added to `errors` and left out. Names of
// other steps are not looked up. `is_whole`: nothing else can give it what it lacks.
WorkflowStep ReadStep(const std::string& name, const Yaml& yaml, bool is_whole, YamlErrors* errors);

// Parts that the head of a file has, too. Each leaves `out` as it is without the key.
absl::Status ReadScript(const Yaml& map, absl::string_view key, std::string* out);
absl::Status ReadExpression(const Yaml& map, absl::string_view key, std::string* out);
absl::Status ReadCount(const Yaml& map, absl::string_view key, int64_t least, int64_t most,
                       int* out);
void ReadSchema(const Yaml& map, YamlErrors* errors, Json* out);
// A template, or, as `env`, any number of them, below `value`.
void CheckTemplates(const Yaml& value, YamlErrors* errors);

// The same failure with the place of `yaml` before it. Failures of the machinery (the program that
// runs scripts is missing) have no place.
absl::Status AtPlace(const Yaml& yaml, const absl::Status& status);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_WORKFLOW_READER_H_
