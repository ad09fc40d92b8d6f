// Files of Visor (https://github.com/probelabs/visor) said in the keys of workflow.h.
#ifndef STILE_RUNTIME_WORKFLOW_VISOR_DIALECT_H_
#define STILE_RUNTIME_WORKFLOW_VISOR_DIALECT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/yaml.h"
#include "runtime/base/yaml_errors.h"

namespace stile {

// The text of a file that the workflow `from` names; `path` as it is written there.
using WorkflowFileReader =
    std::function<absl::StatusOr<std::string>(const std::string& from, const std::string& path)>;

// Where a file uses Visor's keys, says the same in ours: `extends` and `imports` are read and
// merged, `checks` are `steps`, types and keys of steps get our names, defaults of the file go to
// its steps. Keys that mean nothing here are taken out, with one warning for each key. A file with
// such keys, or with types that only Visor has, jumps as there: `routing: {goto: forward}`, unless
// it says otherwise. Our own keys pass through.
//
// What cannot be read or has no counterpart is added to `errors` and left out. `read` may be empty:
// then a file that names others is refused. False where steps may be missing, because a file that
// it extends cannot be read.
bool TranslateVisor(const WorkflowFileReader& read, Yaml* yaml, std::vector<std::string>* warnings,
                    YamlErrors* errors);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_VISOR_DIALECT_H_
