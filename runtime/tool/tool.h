#ifndef STILE_RUNTIME_TOOL_TOOL_H_
#define STILE_RUNTIME_TOOL_TOOL_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/base/json.h"
#include "runtime/process/process_runner.h"
#include "runtime/workspace/file_system.h"

namespace stile {

class Repository;

// What the model gets back. An error is an observation it should read and go on from.
struct ToolResult {
  bool ok = true;
  std::string text;  // compact rendering; what the model reads
  // What it found to look at, for models that take pictures: media type and the file's bytes.
  std::vector<std::pair<std::string, std::string>> pictures;
  Json data;  // structured result, fits the tool's output schema; null for errors
  // Set when our own machinery broke or the run was cancelled: the run cannot go on.
  absl::Status fatal;

  static ToolResult Success(std::string text, Json data = nullptr);
  // `message` says what happened and what to do next.
  static ToolResult Error(std::string message);
  static ToolResult Fatal(absl::Status status);
  // What the status of an operation on the workspace means: an error the model can act on, with
  // `advice` behind the message ("" for none), or Fatal when it is a cancellation or our own
  // defect.
  static ToolResult FromStatus(const absl::Status& status, absl::string_view advice = "");
};

// What a tool may touch while it runs. Everything outlives the call; nothing is owned.
struct ToolContext {
  std::string workspace;    // absolute, no symlinks
  std::string journal_dir;  // for EditTransaction; outside the workspace
  std::string output_dir;   // whole results go here when a tool cuts them; outside the workspace
  FileSystem* file_system = nullptr;
  // Text files up to this size are given whole, for callers that are no model; 0: as models get
  // them.
  size_t max_whole_file_bytes = 0;
  ProcessRunner* runner = nullptr;          // for our own programs: git
  ProcessRunner* command_runner = nullptr;  // for what the model makes up; null: `runner`
  // For programs that a repository names, see ProgramWrapper; may be empty.
  std::function<absl::StatusOr<std::vector<std::string>>(const Repository&)> wrap_programs;
  // Whether command_runner isolates what it runs; empty: it does not.
  std::function<bool()> sandboxed;
  // To be asked before a tool changes files that its arguments do not name, by their paths in the
  // workspace. PermissionDenied says what to do; empty: all may be changed.
  std::function<absl::Status(const std::vector<std::string>&)> may_change;
  // What the run has used of each of its limits: turns, tokens, cost_usd, wall_time_s. Empty
  // function: it is no run.
  struct Spending {
    const char* what;
    double used;
    double limit;  // 0: none
  };
  std::function<std::vector<Spending>()> budget;
  // Gives a task to a sub-agent with the profile of that name ("": the usual one) and waits for
  // what it says. Empty function: there is nobody to give it to.
  std::function<ToolResult(const std::string& profile, const std::string& task)> spawn;
  // Is told when a tool could not answer as asked and answers in a weaker way, in one sentence; may
  // be empty.
  std::function<void(const std::string&)> on_fallback;
  Clock* clock = nullptr;
  Environment environment;  // for commands
  const Cancellation* cancellation = nullptr;
  std::function<void(absl::string_view)> on_output;  // live output for people; may be empty
};

enum class DefaultPermission {
  kAllow,
  kAsk,
  kAllowInSandbox,  // allowed inside an active sandbox, asks outside one
};

struct ToolSpec {
  std::string name;    // "file.read"
  std::string server;  // the MCP server that it belongs to; "": it is Stile's own
  std::string description;
  // JSON Schema of an object. Stile's own are of draft 7, with additionalProperties false; those of
  // MCP servers are as the server gives them, and are never compiled.
  Json parameters;
  Json output;  // JSON Schema of ToolResult::data; null if unstructured
  // Declares that the workspace is unchanged by it: no snapshot is taken afterwards.
  bool read_only = false;
  // A call repeated on top of its own effects, or a part of them, ends as one call does: a resumed
  // run repeats it in place of telling the model that it was interrupted.
  bool idempotent = false;
  DefaultPermission permission = DefaultPermission::kAllow;
  // The argument that permission patterns match: "command", "path"; "" if there is none.
  std::string permission_argument;
  // Other names of arguments that models use: {"old", "oldText"}.
  std::vector<std::pair<std::string, std::string>> argument_aliases;
};

// One thing an agent can do. Stateless between calls unless it says so; calls come one at a time.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolSpec& spec() const = 0;
  // `arguments` fit the schema.
  virtual ToolResult Run(const Json& arguments, const ToolContext& context) = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_TOOL_H_
