// The process that runs scripts: started with the first one, started anew after one that had to be
// ended.
#ifndef STILE_RUNTIME_SCRIPT_SCRIPT_ENGINE_H_
#define STILE_RUNTIME_SCRIPT_SCRIPT_ENGINE_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/process/child_process.h"
#include "runtime/script/expression.h"
#include "runtime/script/script_protocol.h"

namespace stile {

// Thread-safe; scripts run one at a time.
class ScriptEngine {
 public:
  // The one of this process. Never destroyed: its program ends with this process.
  static ScriptEngine& Shared();

  struct Script {
    ScriptRequestHeader::Form form = ScriptRequestHeader::kExpression;
    ScriptRequestHeader::Task task = ScriptRequestHeader::kRun;
    absl::string_view text;
    const ScriptGlobals* globals = nullptr;  // null: none
  };
  // As Evaluate and RunScript of expression.h.
  absl::StatusOr<ScriptResult> Run(const Script& script, const ScriptOptions& options);

 private:
  // Until it is ready.
  absl::Status Start();
  absl::StatusOr<ScriptResult> ReadReply(const ScriptOptions& options);

  std::mutex mutex_;
  std::unique_ptr<ChildProcess> child_;  // under mutex_; null: not started
};

// Where the program is: beside the program that runs, in ../libexec/stile of it, or where it was
// built. NotFound names these places.
absl::StatusOr<std::string> FindScriptProgram();

}  // namespace stile

#endif  // STILE_RUNTIME_SCRIPT_SCRIPT_ENGINE_H_
