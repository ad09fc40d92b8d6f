// Runs that have begun: list them, read them, compare, take back and remove what they changed, and
// verify certificates. Resume and retry need a model and a configuration: see agent.h.
#ifndef STILE_AGENTS_API_RUNS_H_
#define STILE_AGENTS_API_RUNS_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/event/event.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_summary.h"

namespace stile {

// Complete in the header behind each: include those whose values are used.
class Cancellation;        // runtime/base/cancellation.h
struct CertificateSource;  // agents/api/certificate_check.h
struct GivenCertificates;  // the same
struct Verification;       // the same
struct VerifyRequest;      // the same
struct PruneOptions;       // runtime/journal/run_prune.h
struct PruneReport;        // the same
struct OpenSession;        // agents/api/open_session.h
struct VerifyState;        // runtime/verify/verify_state.h

// One run as its folder keeps it.
struct RunRecord {
  RunSummary summary;
  std::string folder;         // absolute; where it worked: of a story, the tree with its branch
  std::vector<Event> events;  // of its journal
  bool is_torn = false;       // the process was killed while it wrote the last event
  std::optional<std::vector<RecordedChange>> changes;  // nullopt while a process works on it
  std::optional<UndoRecord> undone;
  std::string certificate;  // path of the file; "": there is none
};

struct UndoneRun {
  std::string id;
  std::string folder;  // as RunRecord::folder
  UndoReport report;   // of this call
};

// Thread-safe. Methods that take an id also take the beginning of one. NotFound: there is no such
// run; InvalidArgument: several begin so. Files are read and written; calls block meanwhile.
class Runs {
 public:
  // `environment` holds STILE_STATE_DIR or HOME (see StateDir) and PATH. Reads nothing yet. Without
  // a state folder, methods that look for a run return InvalidArgument.
  static std::unique_ptr<Runs> Open(const std::map<std::string, std::string>& environment);
  virtual ~Runs() = default;

  // The newest first. `with_steps`: also the runs of steps.
  virtual absl::StatusOr<std::vector<RunSummary>> List(bool with_steps) = 0;
  virtual absl::StatusOr<RunSummary> Find(const std::string& id) = 0;
  // A text that changes whenever the run may have changed: a process began or stopped working on
  // it, its journal has grown, it was undone. Reads no content of files. `id` in full.
  virtual absl::StatusOr<std::string> Stamp(const std::string& id) = 0;
  // DataLoss: a damaged journal.
  virtual absl::StatusOr<RunRecord> Show(const std::string& id) = 0;
  // Calls `on_event` on this thread with every event of the run, from its first on, and waits for
  // further ones until the run has ended, its process is gone, or `cancellation` (not owned, may be
  // null) says so: Cancelled. The run goes on then. Events that are only shown, such as a model's
  // words while it writes, are not among them. The result is the summary at the end. DataLoss: a
  // damaged journal.
  virtual absl::StatusOr<RunSummary> Follow(const std::string& id,
                                            const std::function<void(const Event&)>& on_event,
                                            const Cancellation* cancellation) = 0;
  // What the run changed as a patch that `git apply` takes; "": nothing. Needs git.
  // FailedPrecondition while a process works on the run.
  virtual absl::StatusOr<std::string> Diff(const std::string& id) = 0;
  // The content of a changed file at the end of the run (RunRecord::changes). NotFound: the run
  // deleted it, or the content is not stored any more; DataLoss: it is damaged.
  virtual absl::StatusOr<std::string> Content(const RecordedChange& change) = 0;
  // Takes back what the run and its steps changed. With `alone`, FailedPrecondition while another
  // run works in the same workspace. After an error a second call finishes the work.
  virtual absl::StatusOr<UndoneRun> Undo(const std::string& id, bool alone) = 0;
  // The open sessions (Agent::OpenSession), the newest first. `folder` (absolute): those whose
  // workspace it is, or lies above it; "": all.
  virtual absl::StatusOr<std::vector<OpenSession>> OpenSessions(const std::string& folder) = 0;
  // A verification (Agent::Verify) as its last reply left it, also while a process works on it.
  // NotFound: the run is no verification.
  virtual absl::StatusOr<VerifyState> VerificationState(const std::string& id) = 0;
  virtual absl::StatusOr<PruneReport> Prune(const PruneOptions& options) = 0;

  // InvalidArgument: not exactly one source, or no certificate.
  virtual absl::StatusOr<GivenCertificates> Certificates(const CertificateSource& source) = 0;
  // Whether what certificates say still holds. A difference is a finding; a status means that
  // something could not be read. InvalidArgument: a rerun of a commit, or no public key.
  virtual absl::StatusOr<Verification> Verify(const VerifyRequest& request) = 0;
};

// As `stile runs list --json` prints it.
Json ToJson(const RunSummary& run);

}  // namespace stile

#endif  // STILE_AGENTS_API_RUNS_H_
