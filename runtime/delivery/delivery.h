// The commit at the end of a story.
#ifndef STILE_RUNTIME_DELIVERY_DELIVERY_H_
#define STILE_RUNTIME_DELIVERY_DELIVERY_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/secret_masker.h"
#include "runtime/git/repository.h"
#include "runtime/journal/run_changes.h"

namespace stile {

// Changes when a hook, the place of the hooks, or anything in git's configuration does. What the
// agent was able to edit must not run with the commit.
absl::StatusOr<std::string> FingerprintHooks(const Repository& repository);

// Those of `paths` (relative to the repository's root) that differ from HEAD, ignored ones too: a
// step made them, and they were validated like the others. Sorted. Also finds files that somebody
// told git to take as unchanged; it is told to look again.
absl::StatusOr<std::vector<std::string>> UncommittedOf(const Repository& repository,
                                                       const std::vector<std::string>& paths);

inline constexpr char kChangedSince[] =  // behind the name of a file, see NoLongerHeld
    " was changed after the last step was accepted, and nobody validated that";

struct DeliveryRequest {
  std::vector<std::string> paths;  // from UncommittedOf; not empty
  std::string tree;  // what was judged, by Repository::WriteTree of HEAD and the paths
  std::string message;
  std::string hooks;  // FingerprintHooks before the first step
};

struct Delivery {
  std::string commit;  // "" : refused
  size_t files = 0;    // that it changes
  StopReason reason = StopReason::kNone;
  std::string problem;  // when refused: why, for people
  std::string warning;  // of a commit: what its maker should know
};

// Makes the commit of exactly that tree. When it is refused, HEAD and the working tree are as they
// were.
Delivery Deliver(const Repository& repository, const DeliveryRequest& request);

struct DeliveredRequest {
  std::vector<std::string> paths;  // all that the story changed, relative to the repository's root
  std::string run_id;
  std::string workspace;                 // absolute; the paths of `accepted` are relative to it
  std::vector<RecordedChange> accepted;  // contents that have to be there still
};

// For a story that was killed: the commit that it made at HEAD before, with git's index brought up
// to it; neither commit nor problem when it made none. A problem (kGateFailed) when something else
// than `accepted` is there now, or was committed; such a commit is taken back.
Delivery FindDelivered(const Repository& repository, const DeliveredRequest& request);

// `tip`, a commit, if the story of that id made it; "" otherwise.
absl::StatusOr<std::string> OwnCommit(const Repository& repository, const std::string& tip,
                                      const std::string& run_id);

// Gives git's index what `commit`, which is HEAD, holds at the paths where the index still is at
// the commit before. Not when another process holds the index.
absl::Status FollowCommit(const Repository& repository, const std::string& commit);

// The last lines of a commit message: the run that made the commit, and its certificates.
std::string CommitTrailers(const std::string& run_id,
                           const std::vector<RunResult::CertificateRef>& certificates);

// Title, the steps with their answers in one line each, and the trailers. `secrets` may be null.
std::string CommitMessage(const std::string& title,
                          const std::vector<std::pair<std::string, std::string>>& steps,
                          const std::string& run_id,
                          const std::vector<RunResult::CertificateRef>& certificates,
                          const SecretMasker* secrets);

// Where the certificates of a commit are kept as its note: one a line, in the order of the steps,
// each with its newline exactly the bytes whose hash a trailer names.
inline constexpr char kCertificateNotes[] = "refs/notes/stile";
absl::Status AttachCertificates(const Repository& repository, const std::string& commit,
                                const std::vector<RunResult::CertificateRef>& certificates);

// The first line that says anything, blanks folded, at most `max_bytes` of UTF-8.
std::string OneLine(absl::string_view text, size_t max_bytes);

}  // namespace stile

#endif  // STILE_RUNTIME_DELIVERY_DELIVERY_H_
