// What the commands of a validation print, for people to read in full.
#ifndef STILE_VALIDATORS_COMPILER_COMMAND_LOG_H_
#define STILE_VALIDATORS_COMPILER_COMMAND_LOG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/process/process_runner.h"
#include "runtime/validation/validator.h"

namespace stile {

// One command in a ValidationLog: "$ COMMAND", its output as it comes, and how it ended if that was
// not success. Does nothing where the log is empty. Not thread-safe.
class CommandLog {
 public:
  // `readable`: see Command::readable.
  CommandLog(ValidationLog log, const std::string& display,
             std::string (*readable)(absl::string_view line) = nullptr);

  // The process writes into this object, which has to outlive it.
  void Attach(ProcessRequest* process);
  void End(const absl::StatusOr<ProcessResult>& outcome);
  // In place of both, for a process that has ended.
  void Add(const absl::StatusOr<ProcessResult>& outcome);

 private:
  void Write(absl::string_view piece);
  void WriteLine(absl::string_view line);

  const ValidationLog log_;
  std::string (*const readable_)(absl::string_view line);
  std::string partial_;  // of a line to be translated
  bool at_line_start_ = true;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_COMMAND_LOG_H_
