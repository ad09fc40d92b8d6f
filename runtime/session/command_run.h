// The run of a command of a workflow: what it changed in the workspace, kept as the changes of an
// agent's run are, so that it is shown, compared and undone like those.
#ifndef STILE_RUNTIME_SESSION_COMMAND_RUN_H_
#define STILE_RUNTIME_SESSION_COMMAND_RUN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/journal/heartbeat.h"
#include "runtime/journal/journal.h"
#include "runtime/session/session_services.h"
#include "runtime/session/workspace_state.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// What commands of one workflow know of their workspace, so that each one need not ask git again.
// Copying is cheap.
struct CommandGround {
  std::shared_ptr<const WorkspaceState> state;  // null: not looked at yet
  Snapshot at_state;                            // as it was then; its contents can be had
  Snapshot latest;
};

// From Begin to End. A process that is killed between them leaves a run that was interrupted;
// ChangesOfKilledRun tells what it had changed.
class CommandRun {
 public:
  // Takes the baseline and keeps what could not be had again. `task`: for people. Where a run of
  // that id was interrupted, it goes on from its own baseline. `known`: an earlier snapshot of the
  // workspace, whose hashes are used again; empty is fine. Not owned: `services`.
  static absl::StatusOr<std::unique_ptr<CommandRun>> Begin(
      const SessionServices& services, const std::string& workspace, const std::string& run_id,
      const std::string& task, CommandGround ground, const ProgramWrapper& wrapper);

  // Records what was changed since Begin and gives the paths, sorted. `problem`: why the command
  // failed; "" : it did not. A command that changed nothing leaves no run. To be called once.
  absl::StatusOr<std::vector<std::string>> End(const std::string& problem);

  // For the next command: as End found it; before End, as Begin did.
  const CommandGround& ground() const { return ground_; }

 private:
  CommandRun(const SessionServices& services, std::string workspace, RunPaths run, RunLock lock,
             CommandGround ground)
      : services_(services),
        workspace_(std::move(workspace)),
        run_(std::move(run)),
        lock_(std::move(lock)),
        ground_(std::move(ground)) {}
  absl::Status Open(const std::string& task, const ProgramWrapper& wrapper);
  absl::Status TakeBaseline(const ProgramWrapper& wrapper);

  const SessionServices& services_;
  const std::string workspace_;
  const RunPaths run_;
  const RunLock lock_;
  CommandGround ground_;
  Snapshot baseline_;
  std::unique_ptr<JournalWriter> journal_;
  std::optional<EventStream> events_;
  std::optional<Heartbeat> heartbeat_;
  absl::Duration start_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_COMMAND_RUN_H_
