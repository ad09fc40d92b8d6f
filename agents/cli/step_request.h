#ifndef STILE_AGENTS_CLI_STEP_REQUEST_H_
#define STILE_AGENTS_CLI_STEP_REQUEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/api/config.h"
#include "runtime/base/json.h"

namespace stile {

// One task for a machine to hand over: {id, task, workspace, agent?, model?, limits?, gate?,
// context?}.
struct StepRequest {
  std::string id;
  std::string task;
  std::string workspace;  // existing folder
  std::string context;    // text, or files one after the other under their paths
  Json config;            // the settings among it, in the form of a stile.yaml
  std::string sha256;     // of the whole request, whatever the order of its members

  // A name for the run: the same for the same id, different for different ids.
  std::string RunId() const;
};

// JSON Schema (draft 7) of a request.
const Json& StepRequestSchema();

// InvalidArgument names what is wrong and where, all violations at once. `source` is named in
// messages.
absl::StatusOr<StepRequest> ParseStepRequest(absl::string_view text, absl::string_view source);

// Puts the request's settings on top of `config`.
absl::Status ApplyStepRequest(const StepRequest& request, absl::string_view source, Config* config);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_STEP_REQUEST_H_
