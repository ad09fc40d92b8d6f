// Runs that have begun: list them, read them, compare, take back and remove what they changed, and
// verify certificates. Resume and retry need a model and a configuration: see agent.h.
#ifndef STILE_AGENTS_API_RUNS_H_
#define STILE_AGENTS_API_RUNS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/certificate_verifier.h"
#include "runtime/event/event.h"
#include "runtime/journal/run_changes.h"
#include "runtime/journal/run_prune.h"
#include "runtime/journal/run_store.h"

namespace stile {

class Agent;

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

// Which certificate is meant: exactly one of `name` and `revision` is set.
struct CertificateSource {
  std::string name;      // a file, a run id, or the beginning of one
  std::string revision;  // of a commit that Stile made
  std::string folder;    // absolute; in the repository of `revision`
};

struct GivenCertificates {
  std::vector<Certificate> certificates;  // at least one
  CertificateFindings findings;           // see CommitCertificates
  std::string commit;                     // full id; "": not from a commit
};

struct VerifyRequest {
  CertificateSource source;
  std::string workspace;   // absolute; compared with the certificate, where `source` is no commit
  std::string public_key;  // text of a PEM file; "": signatures are not checked
  Agent* rerun = nullptr;  // not owned; validates its workspace again. Null: not done
};

struct Verification {
  enum class Signature { kNone, kNotChecked, kValid, kInvalid };
  GivenCertificates given;
  CertificateFindings findings;  // empty: everything that was compared matches
  Signature signature = Signature::kNone;
  std::string key_id;  // of the public key; "": none was given
  bool is_rerun = false;
};

// Thread-safe. Methods that take an id also take the beginning of one. NotFound: there is no such
// run; InvalidArgument: several begin so. Files are read and written; calls block meanwhile.
class Runs {
 public:
  // `environment` holds STILE_STATE_DIR or HOME, see StateDir, and PATH. InvalidArgument without a
  // state folder. Reads nothing yet.
  static absl::StatusOr<std::unique_ptr<Runs>> Open(const Environment& environment);
  virtual ~Runs() = default;

  // The newest first. `with_steps`: also the runs of steps.
  virtual absl::StatusOr<std::vector<RunSummary>> List(bool with_steps) = 0;
  virtual absl::StatusOr<RunSummary> Find(const std::string& id) = 0;
  // DataLoss: a damaged journal.
  virtual absl::StatusOr<RunRecord> Show(const std::string& id) = 0;
  // What the run changed as a patch that `git apply` takes; "": nothing. Needs git.
  // FailedPrecondition while a process works on the run.
  virtual absl::StatusOr<std::string> Diff(const std::string& id) = 0;
  // Takes back what the run and its steps changed. With `alone`, FailedPrecondition while another
  // run works in the same workspace. After an error a second call finishes the work.
  virtual absl::StatusOr<UndoneRun> Undo(const std::string& id, bool alone) = 0;
  virtual absl::StatusOr<PruneReport> Prune(const PruneOptions& options) = 0;

  // InvalidArgument: not exactly one source, or no certificate.
  virtual absl::StatusOr<GivenCertificates> Certificates(const CertificateSource& source) = 0;
  // Whether what certificates say still holds. A difference is a finding; a status means that
  // something could not be read. InvalidArgument: a rerun of a commit, or no public key.
  virtual absl::StatusOr<Verification> Verify(const VerifyRequest& request) = 0;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_RUNS_H_
