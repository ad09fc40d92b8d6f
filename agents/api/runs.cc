#include "agents/api/runs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agents/api/agent.h"
#include "agents/api/certificate_check.h"
#include "agents/api/config.h"
#include "agents/api/external_session.h"
#include "agents/api/run_diff.h"
#include "agents/api/run_undo.h"
#include "agents/api/user_folders.h"
#include "agents/api/verification.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/base/ed25519.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_follower.h"
#include "runtime/journal/run_prune.h"
#include "runtime/journal/run_store.h"
#include "runtime/process/process_runner.h"
#include "runtime/story/story_history.h"
#include "runtime/workspace/disk_stamp.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr absl::Duration kFollowPause = absl::Milliseconds(100);

class StoredRuns : public Runs {
 public:
  explicit StoredRuns(Environment environment)
      : environment_(std::move(environment)), runner_(NewLocalProcessRunner()) {
    if (absl::StatusOr<std::string> folder = StateDir(environment_); folder.ok()) {
      store_.emplace(DiskFileSystem(), *std::move(folder));
    } else {
      no_store_ = folder.status();
    }
  }

  absl::StatusOr<std::vector<RunSummary>> List(bool with_steps) override {
    STILE_RETURN_IF_ERROR(no_store_);
    return store_->List(with_steps);
  }

  absl::StatusOr<RunSummary> Find(const std::string& id) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, PathsOf(id));
    return store_->Summarize(paths);
  }

  absl::StatusOr<std::string> Stamp(const std::string& id) override {
    STILE_RETURN_IF_ERROR(no_store_);
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, store_->FindWhole(id));
    std::string stamp = RunLock::IsHeld(paths) ? "at work" : "";
    for (const std::string& file :
         {paths.journal, paths.changes, paths.certificate, paths.report, paths.undone}) {
      DiskStamp disk;
      if (!DiskStampOf(file, &disk)) disk = DiskStamp();
      absl::StrAppend(&stamp, " ", disk.inode, ":", disk.size, ":", disk.mtime_ns);
    }
    return stamp;
  }

  absl::StatusOr<RunRecord> Show(const std::string& id) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, PathsOf(id));
    RunRecord record;
    STILE_ASSIGN_OR_RETURN(record.summary, store_->Summarize(paths));
    record.folder = FolderOf(record.summary, paths);
    if (record.summary.reason != kNotBegun) {
      STILE_ASSIGN_OR_RETURN(JournalContents journal, ReadJournal(paths.journal));
      record.events = std::move(journal.events);
      record.is_torn = journal.torn;
    }
    if (auto changes = ChangesOfRun(Archive(), paths); changes.ok()) {
      record.changes = *std::move(changes);
    }
    STILE_ASSIGN_OR_RETURN(record.undone, ReadUndone(paths));
    if (FileExists(paths.certificate)) record.certificate = paths.certificate;
    return record;
  }

  absl::StatusOr<RunSummary> Follow(const std::string& id,
                                    const std::function<void(const Event&)>& on_event,
                                    const Cancellation* cancellation) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, PathsOf(id));
    JournalFollower journal(paths.journal);
    for (;;) {
      // Looked at before the journal: what the process wrote before it ended is read then.
      STILE_ASSIGN_OR_RETURN(const RunSummary before, store_->Summarize(paths));
      const bool is_over = before.outcome != "running" && before.outcome != "open";
      STILE_ASSIGN_OR_RETURN(const std::vector<Event> events, journal.Next());
      for (const Event& event : events) on_event(event);
      if (!events.empty()) continue;
      if (is_over) return before;
      if (cancellation == nullptr) {
        absl::SleepFor(kFollowPause);
      } else if (cancellation->WaitFor(kFollowPause)) {
        return absl::CancelledError("cancelled; the run goes on");
      }
    }
  }

  absl::StatusOr<std::string> Diff(const std::string& id) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, PathsOf(id));
    STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes,
                           ChangesOfRun(Archive(), paths));
    return DiffChanges(&*store_, paths, changes, environment_);
  }

  absl::StatusOr<std::string> Content(const RecordedChange& change) override {
    STILE_RETURN_IF_ERROR(no_store_);
    if (!change.after.has_value()) {
      return absl::NotFoundError(absl::StrCat("the run deleted ", ToUtf8(change.path)));
    }
    return store_->blobs()->Get(*change.after);
  }

  absl::StatusOr<UndoneRun> Undo(const std::string& id, bool alone) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, PathsOf(id));
    STILE_ASSIGN_OR_RETURN(const RunSummary run, store_->Summarize(paths));
    std::string folder = FolderOf(run, paths);
    STILE_ASSIGN_OR_RETURN(UndoReport report, UndoWholeRun(Archive(), paths, alone));
    return UndoneRun{paths.id, std::move(folder), std::move(report)};
  }

  absl::StatusOr<std::vector<OpenSession>> OpenSessions(const std::string& folder) override {
    STILE_RETURN_IF_ERROR(no_store_);
    return ListOpenSessions(*store_, folder);
  }

  absl::StatusOr<VerifyState> VerificationState(const std::string& id) override {
    STILE_ASSIGN_OR_RETURN(const RunPaths run, PathsOf(id));
    return ReadVerification(run);
  }

  absl::StatusOr<PruneReport> Prune(const PruneOptions& options) override {
    STILE_RETURN_IF_ERROR(no_store_);
    return PruneRuns(&*store_, options);
  }

  absl::StatusOr<GivenCertificates> Certificates(const CertificateSource& source) override {
    if (source.name.empty() == source.revision.empty()) {
      return absl::InvalidArgumentError("name either a run or file, or a commit");
    }
    GivenCertificates given;
    if (!source.revision.empty()) {
      STILE_ASSIGN_OR_RETURN(CommitCertificates commit,
                             ReadCommitCertificates(source.folder, source.revision));
      given.certificates = std::move(commit.certificates);
      given.findings = std::move(commit.findings);
      given.commit = std::move(commit.commit);
      return given;
    }
    STILE_ASSIGN_OR_RETURN(const std::string file, CertificateFile(source.name));
    const auto text = DiskFileSystem()->ReadFile(file, kMaxCertificateBytes);
    // The user can put right what is wrong with the file.
    if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
    STILE_ASSIGN_OR_RETURN(Certificate certificate, ReadCertificate(*text, file));
    given.certificates.push_back(std::move(certificate));
    return given;
  }

  absl::StatusOr<Verification> Verify(const VerifyRequest& request) override {
    const bool is_of_commit = !request.source.revision.empty();
    if (request.rerun != nullptr && is_of_commit) {
      return absl::InvalidArgumentError(
          "a commit cannot be validated again: check it out, and give its certificate as a file");
    }
    Verification result;
    std::optional<Ed25519PublicKey> key;
    if (!request.public_key.empty()) {
      STILE_ASSIGN_OR_RETURN(key, Ed25519PublicKey::FromPem(request.public_key));
      result.key_id = key->Id();
    }
    STILE_ASSIGN_OR_RETURN(result.given, Certificates(request.source));
    result.findings = result.given.findings;
    const auto add = [&result](const CertificateFindings& found) {
      result.findings.insert(result.findings.end(), found.begin(), found.end());
    };
    result.signature = SignatureOf(result.given.certificates, key);
    if (key.has_value()) add(WrongSignatures(result.given.certificates, *key));
    const Certificate& first = result.given.certificates[0];
    if (is_of_commit) {
      STILE_ASSIGN_OR_RETURN(const CertificateFindings found,
                             CompareWithCommit({result.given.commit, result.given.certificates, {}},
                                               request.source.folder));
      add(found);
    } else {
      STILE_ASSIGN_OR_RETURN(const CertificateFindings found,
                             CompareWithWorkspace(first, request.workspace));
      add(found);
    }
    if (request.rerun != nullptr) {
      ValidateArguments arguments;
      arguments.level = first.level == "test" ? Level::kTest : Level::kBuild;
      STILE_ASSIGN_OR_RETURN(const ValidationReport report, request.rerun->Validate(arguments));
      add(CompareWithValidation(first, report));
      result.is_rerun = true;
    }
    return result;
  }

 private:
  absl::StatusOr<RunPaths> PathsOf(const std::string& id) const {
    STILE_RETURN_IF_ERROR(no_store_);
    return store_->Find(id);
  }
  RunArchive Archive() { return {&*store_, runner_.get(), SystemClock()}; }

  std::string FolderOf(const RunSummary& run, const RunPaths& paths) const {
    if (run.kind != "story") return run.workspace;
    const absl::StatusOr<StoryHistory> history = ReadStoryHistory(*store_, paths);
    return history.ok() ? history->workspace : run.workspace;
  }

  // A file if there is one of that name, else the certificate of a run.
  absl::StatusOr<std::string> CertificateFile(const std::string& name) const {
    if (absl::StrContains(name, "/") || FileExists(name)) return name;
    STILE_ASSIGN_OR_RETURN(const RunPaths run, PathsOf(name));
    if (FileExists(run.certificate)) return run.certificate;
    return absl::NotFoundError(absl::StrCat(
        "run ", run.id,
        " has no certificate: only an accepted finish writes one; see stile runs show ", run.id));
  }

  static Verification::Signature SignatureOf(const std::vector<Certificate>& certificates,
                                             const std::optional<Ed25519PublicKey>& key) {
    if (key.has_value()) {
      return WrongSignatures(certificates, *key).empty() ? Verification::Signature::kValid
                                                         : Verification::Signature::kInvalid;
    }
    const bool some = std::any_of(certificates.begin(), certificates.end(),
                                  [](const auto& one) { return !one.envelope.signatures.empty(); });
    return some ? Verification::Signature::kNotChecked : Verification::Signature::kNone;
  }

  static CertificateFindings WrongSignatures(const std::vector<Certificate>& certificates,
                                             const Ed25519PublicKey& key) {
    CertificateFindings findings;
    for (const Certificate& certificate : certificates) {
      if (certificate.envelope.IsSignedBy(key)) continue;
      findings.push_back(
          {"signature",
           certificate.envelope.signatures.empty()
               ? absl::StrCat("the certificate of run ", certificate.run_id, " is not signed")
               : absl::StrCat("none of the certificate of run ", certificate.run_id,
                              " is by the key ", key.Id())});
    }
    return findings;
  }

  const Environment environment_;
  const std::unique_ptr<ProcessRunner> runner_;
  std::optional<RunStore> store_;
  absl::Status no_store_;  // why there is none
};

}  // namespace

std::unique_ptr<Runs> Runs::Open(const std::map<std::string, std::string>& environment) {
  return std::make_unique<StoredRuns>(environment);
}

Json ToJson(const RunSummary& run) {
  Json json = {
      {"id", run.id},
      {"kind", run.kind},
      {"task", run.task},
      {"workspace", run.workspace},
      {"started", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", run.started, absl::UTCTimeZone())},
      {"outcome", run.outcome},
      {"reason", run.reason},
      {"undone", run.undone},
      {"changed", run.changed},
      {"turns", run.turns},
      {"tokens", run.tokens},
      {"cost_usd", run.cost_usd},
      {"duration_ms", absl::ToInt64Milliseconds(run.duration)}};
  if (run.pid > 0) json["pid"] = run.pid;
  return json;
}

}  // namespace stile
