#include "runtime/delivery/delivery.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/certificate/certificate.h"
#include "runtime/delivery/work_place.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxTitleBytes = 200;
constexpr size_t kMaxAnswerBytes = 120;
constexpr size_t kMaxStepsInMessage = 100;

// What stands at a path, by content; "absent" if nothing does.
std::string ContentMark(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return "absent";
  if (S_ISLNK(info.st_mode)) {
    return absl::StrCat("link ", ReadLink(path).value_or(""));
  }
  if (!S_ISREG(info.st_mode)) return "special";
  const auto content = DiskFileSystem()->ReadFile(path, kMaxFileBytes);
  return absl::StrCat(info.st_mode & 0111, " ",
                      content.ok() ? Sha256Hex(*content) : content.status().ToString());
}

std::map<std::string, std::string> ContentMarks(const Repository& repository,
                                                const std::vector<std::string>& paths) {
  std::map<std::string, std::string> marks;
  for (const std::string& path : paths) {
    marks[path] = ContentMark(JoinPath(repository.root(), path));
  }
  return marks;
}

std::vector<std::string> SplitNul(absl::string_view text) {
  return absl::StrSplit(text, '\0', absl::SkipEmpty());
}

std::string JoinNul(const std::vector<std::string>& paths) {
  std::string joined;
  for (const std::string& path : paths) joined.append(path).push_back('\0');
  return joined;
}

// Where the commit differs from `before`, a commit or a tree ("": from nothing).
absl::StatusOr<std::vector<std::string>> PathsOfCommit(const Repository& repository,
                                                       const std::string& before,
                                                       const std::string& commit) {
  const std::vector<std::string> arguments =
      before.empty() ? std::vector<std::string>{"ls-tree", "-r", "--name-only", "-z", commit}
                     : std::vector<std::string>{"diff-tree", "-r",   "--name-only", "--no-renames",
                                                "-z",        before, commit};
  STILE_ASSIGN_OR_RETURN(const std::string text, repository.Run(arguments));
  return SplitNul(text);
}

// In what the commit, or the working tree since `marks`, is not what was judged; "" if in nothing.
absl::StatusOr<std::string> WhatChanged(const Repository& repository,
                                        const DeliveryRequest& request,
                                        const std::map<std::string, std::string>& marks,
                                        const std::string& commit) {
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> different,
                         PathsOfCommit(repository, request.tree, commit));
  const std::set<std::string> asked(request.paths.begin(), request.paths.end());
  for (const std::string& path : different) {
    if (asked.count(path) == 0) return absl::StrCat("added ", DisplayPath(path), " to the commit");
  }
  if (!different.empty()) return absl::StrCat("changed ", DisplayPath(different[0]));
  const std::map<std::string, std::string> now = ContentMarks(repository, request.paths);
  for (const auto& [path, mark] : marks) {
    if (now.at(path) != mark) return absl::StrCat("changed ", DisplayPath(path));
  }
  return "";
}

// Gives git's index what `commit` has at the paths; not when somebody holds it.
void ResetIndex(const Repository& repository, const std::vector<std::string>& paths,
                const std::string& commit) {
  repository
      .Run({"reset", "--quiet", commit, "--pathspec-from-file=-", "--pathspec-file-nul"},
           JoinNul(paths))
      .status()
      .IgnoreError();
}

absl::Status TakeBack(const Repository& repository, const std::vector<std::string>& paths,
                      const std::string& before) {
  if (before.empty()) return repository.Run({"update-ref", "-d", "HEAD"}).status();
  STILE_RETURN_IF_ERROR(repository.Run({"reset", "--quiet", "--soft", before}).status());
  ResetIndex(repository, paths, before);
  return absl::OkStatus();
}

Delivery Refused(StopReason reason, std::string problem) {
  Delivery delivery;
  delivery.reason = reason;
  delivery.problem = std::move(problem);
  return delivery;
}

// A commit that is what was judged.
absl::StatusOr<Delivery> Committed(const Repository& repository,
                                   const std::vector<std::string>& paths, const std::string& before,
                                   const std::string& commit) {
  Delivery delivery;
  delivery.commit = commit;
  STILE_ASSIGN_OR_RETURN(const auto committed, PathsOfCommit(repository, before, commit));
  delivery.files = committed.size();
  const std::set<std::string> wanted(paths.begin(), paths.end());
  STILE_ASSIGN_OR_RETURN(
      const std::string differing,
      repository.Run({"diff-index", "--cached", "--name-only", "--no-renames", "-z", commit}));
  for (const std::string& path : SplitNul(differing)) {
    if (wanted.count(path) == 0) continue;
    // Whoever commits from such an index takes back what this commit brought.
    delivery.warning = absl::StrCat("git's index was in use and stayed behind commit ",
                                    commit.substr(0, 12), "; `git reset` brings it up to it");
    break;
  }
  return delivery;
}

absl::StatusOr<std::string> HooksFolder(const Repository& repository) {
  STILE_ASSIGN_OR_RETURN(std::string folder, repository.Run({"rev-parse", "--git-path", "hooks"}));
  folder = std::string(absl::StripSuffix(folder, "\n"));
  return absl::StartsWith(folder, "/") ? folder : JoinPath(repository.root(), folder);
}

absl::StatusOr<Delivery> TryDeliver(const Repository& repository, const DeliveryRequest& request) {
  STILE_ASSIGN_OR_RETURN(const std::string hooks, FingerprintHooks(repository));
  if (hooks != request.hooks) {
    return Refused(StopReason::kGateFailed,
                   "git's hooks or configuration were changed during the run, so nothing was "
                   "committed; look at them, then commit the work yourself.");
  }
  const std::map<std::string, std::string> marks = ContentMarks(repository, request.paths);
  STILE_ASSIGN_OR_RETURN(const std::string before, repository.Head());
  const std::string common_link = JoinPath(repository.git_dir(), "commondir");
  const bool is_worktree = FileExists(common_link);
  absl::StatusOr<std::string> commit = repository.Commit(request.paths, request.message);
  // With it git would read settings from elsewhere, whoever made the hook do it.
  if (!is_worktree && FileExists(common_link)) unlink(common_link.c_str());
  if (!commit.ok()) {
    // What went wrong may have done so when the commit was made already.
    STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
    if (head == before) {
      // A hook's no, mostly; git's last words are in the message.
      return Refused(StopReason::kExpectationsUnmet,
                     absl::StrCat("the commit was refused: ", commit.status().message()));
    }
    commit = head;
    ResetIndex(repository, request.paths, head);
  }
  STILE_ASSIGN_OR_RETURN(const std::string changed,
                         WhatChanged(repository, request, marks, *commit));
  if (changed.empty()) return Committed(repository, request.paths, before, *commit);
  STILE_RETURN_IF_ERROR(TakeBack(repository, request.paths, before));
  return Refused(StopReason::kGateFailed,
                 absl::StrCat("a hook or somebody else ", changed,
                              ", which nobody validated; the commit was taken back."));
}

// The commit before; "" when it is the first one.
absl::StatusOr<std::string> ParentOf(const Repository& repository, const std::string& commit) {
  STILE_ASSIGN_OR_RETURN(const std::string line,
                         repository.Run({"rev-list", "--parents", "--max-count=1", commit}));
  const std::vector<std::string> ids = absl::StrSplit(absl::StripSuffix(line, "\n"), ' ');
  if (ids[0] != commit) return absl::InternalError("git rev-list printed what it never prints");
  return ids.size() > 1 ? ids[1] : "";
}

// In what the commit does not hold what is there now at the paths of the story; "" if in nothing.
// Whatever git's index holds: it may have stayed behind.
absl::StatusOr<std::string> WhatIsOtherwise(const Repository& repository,
                                            const DeliveredRequest& request,
                                            const std::string& before, const std::string& commit) {
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> committed,
                         PathsOfCommit(repository, before, commit));
  const std::set<std::string> asked(request.paths.begin(), request.paths.end());
  for (const std::string& path : committed) {
    if (asked.count(path) != 0) continue;
    return absl::StrCat("a hook added ", DisplayPath(path),
                        " to the commit, which nobody validated");
  }
  STILE_ASSIGN_OR_RETURN(const std::string tree, repository.WriteTree(before, committed));
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> different,
                         PathsOfCommit(repository, tree, commit));
  STILE_ASSIGN_OR_RETURN(const auto left, UncommittedOf(repository, request.paths));
  const std::set<std::string> compared(committed.begin(), committed.end());
  for (const std::string& path : left) {
    if (compared.count(path) == 0) different.push_back(path);
  }
  if (different.empty()) return "";
  return absl::StrCat("something else was committed for ", DisplayPath(different[0]));
}

absl::StatusOr<Delivery> TryFindDelivered(const Repository& repository,
                                          const DeliveredRequest& request) {
  STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
  STILE_ASSIGN_OR_RETURN(const std::string commit, OwnCommit(repository, head, request.run_id));
  std::string before;
  std::string problem;
  const std::vector<std::string> strays = NoLongerHeld(request.workspace, request.accepted);
  if (!strays.empty()) problem = absl::StrCat(DisplayPath(strays.front()), kChangedSince);
  if (!commit.empty()) {
    STILE_ASSIGN_OR_RETURN(before, ParentOf(repository, commit));
    ResetIndex(repository, request.paths, commit);
    if (problem.empty()) {
      STILE_ASSIGN_OR_RETURN(problem, WhatIsOtherwise(repository, request, before, commit));
    }
  }
  if (problem.empty()) {
    return commit.empty() ? Delivery() : Committed(repository, request.paths, before, commit);
  }
  if (!commit.empty()) {
    STILE_RETURN_IF_ERROR(TakeBack(repository, request.paths, before));
    problem += "; the commit was taken back";
  }
  return Refused(StopReason::kGateFailed, problem + ".");
}

}  // namespace

absl::StatusOr<std::string> FingerprintHooks(const Repository& repository) {
  STILE_ASSIGN_OR_RETURN(const std::string config, repository.Run({"config", "--list", "--null"}));
  STILE_ASSIGN_OR_RETURN(const std::string folder, HooksFolder(repository));
  Sha256 hash;
  hash.Update(config);
  hash.Update(folder);
  if (DirectoryExists(folder)) {
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(folder));
    for (const std::string& name : names) {
      std::string path = JoinPath(folder, name);
      // A hook may be a link; what it leads to is what runs.
      const absl::StatusOr<std::string> real = RealPath(path);
      hash.Update(absl::StrCat(name, "\n", ContentMark(path), "\n",
                               real.ok() ? ContentMark(*real) : "absent", "\n"));
    }
  }
  return ToHex(hash.Finish());
}

absl::StatusOr<std::vector<std::string>> UncommittedOf(const Repository& repository,
                                                       const std::vector<std::string>& paths) {
  const std::set<std::string> wanted(paths.begin(), paths.end());
  STILE_ASSIGN_OR_RETURN(const std::string listed, repository.Run({"ls-files", "-v", "-z"}));
  std::vector<std::string> hidden;
  for (const std::string& entry : SplitNul(listed)) {
    // A small letter: assume-unchanged; 'S': skip-worktree.
    if (entry.size() < 3 ||
        (!absl::ascii_islower(static_cast<unsigned char>(entry[0])) && entry[0] != 'S')) {
      continue;
    }
    if (wanted.count(entry.substr(2)) != 0) hidden.push_back(entry.substr(2));
  }
  if (!hidden.empty()) {
    for (const char* option : {"--no-assume-unchanged", "--no-skip-worktree"}) {
      STILE_RETURN_IF_ERROR(
          repository.Run({"update-index", option, "-z", "--stdin"}, JoinNul(hidden)).status());
    }
  }
  STILE_ASSIGN_OR_RETURN(const GitStatus status, repository.Status());
  std::vector<std::string> uncommitted;
  for (const GitStatusEntry& entry : status.entries) {
    if (wanted.count(entry.path) != 0) uncommitted.push_back(entry.path);
  }
  STILE_ASSIGN_OR_RETURN(
      const std::string ignored,
      repository.Run({"ls-files", "--others", "--ignored", "--exclude-standard", "-z"}));
  for (const std::string& path : SplitNul(ignored)) {
    if (wanted.count(path) != 0) uncommitted.push_back(path);
  }
  std::sort(uncommitted.begin(), uncommitted.end());
  return uncommitted;
}

Delivery Deliver(const Repository& repository, const DeliveryRequest& request) {
  absl::StatusOr<Delivery> delivery = TryDeliver(repository, request);
  if (delivery.ok()) return *std::move(delivery);
  return Refused(StopReason::kInternal,
                 absl::StrCat("the commit failed: ", delivery.status().message()));
}

Delivery FindDelivered(const Repository& repository, const DeliveredRequest& request) {
  absl::StatusOr<Delivery> delivery = TryFindDelivered(repository, request);
  if (delivery.ok()) return *std::move(delivery);
  return Refused(StopReason::kInternal, absl::StrCat("git failed: ", delivery.status().message()));
}

absl::StatusOr<std::string> OwnCommit(const Repository& repository, const std::string& tip,
                                      const std::string& run_id) {
  if (tip.empty()) return "";
  STILE_ASSIGN_OR_RETURN(const std::string message,
                         repository.Run({"log", "-1", "--no-show-signature", "--format=%B", tip}));
  const std::vector<absl::string_view> lines = SplitLines(message);
  const std::string trailer = absl::StrCat("Stile-Run: ", run_id);
  return std::find(lines.begin(), lines.end(), trailer) == lines.end() ? "" : tip;
}

absl::Status FollowCommit(const Repository& repository, const std::string& commit) {
  STILE_ASSIGN_OR_RETURN(const std::string before, ParentOf(repository, commit));
  if (before.empty()) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> paths, PathsOfCommit(repository, before, commit));
  STILE_ASSIGN_OR_RETURN(
      const std::string text,
      repository.Run({"diff-index", "--cached", "--name-only", "--no-renames", "-z", before}));
  const std::vector<std::string> moved = SplitNul(text);
  const std::set<std::string> own(moved.begin(), moved.end());
  paths.erase(std::remove_if(paths.begin(), paths.end(),
                             [&own](const std::string& path) { return own.count(path) != 0; }),
              paths.end());
  if (!paths.empty()) ResetIndex(repository, paths, commit);
  return absl::OkStatus();
}

std::string OneLine(absl::string_view text, size_t max_bytes) {
  std::string line;
  for (const absl::string_view candidate : SplitLines(text)) {
    line = ToUtf8(candidate);
    absl::RemoveExtraAsciiWhitespace(&line);
    line.erase(std::remove_if(line.begin(), line.end(),
                              [](unsigned char c) { return absl::ascii_iscntrl(c); }),
               line.end());
    if (!line.empty()) break;
  }
  if (line.size() <= max_bytes) return line;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "…";
}

std::string CommitTrailers(const std::string& run_id,
                           const std::vector<RunResult::CertificateRef>& certificates) {
  std::string trailers = absl::StrCat("Stile-Run: ", run_id, "\n");
  std::set<std::string> seen;
  for (const RunResult::CertificateRef& certificate : certificates) {
    if (!seen.insert(certificate.sha256).second) continue;
    absl::StrAppend(&trailers, "Stile-Certificate: sha256:", certificate.sha256, "\n");
  }
  return trailers;
}

std::string CommitMessage(const std::string& title,
                          const std::vector<std::pair<std::string, std::string>>& steps,
                          const std::string& run_id,
                          const std::vector<RunResult::CertificateRef>& certificates,
                          const SecretMasker* secrets) {
  // Masked before it is cut: half a secret would not be found.
  const auto line = [secrets](const std::string& text, size_t max_bytes) {
    return OneLine(secrets == nullptr ? text : secrets->Mask(text), max_bytes);
  };
  std::string message = absl::StrCat(line(title, kMaxTitleBytes), "\n\n");
  const size_t shown = std::min(steps.size(), kMaxStepsInMessage);
  for (size_t i = 0; i < shown; ++i) {
    const std::string answer = line(steps[i].second, kMaxAnswerBytes);
    absl::StrAppend(&message, i + 1, ". ", line(steps[i].first, kMaxAnswerBytes),
                    answer.empty() ? "" : ": ", answer, "\n");
  }
  if (shown < steps.size()) {
    absl::StrAppend(&message, "… and ", Count(steps.size() - shown, "further step"), "\n");
  }
  return absl::StrCat(message, "\n", CommitTrailers(run_id, certificates));
}

absl::Status AttachCertificates(const Repository& repository, const std::string& commit,
                                const std::vector<RunResult::CertificateRef>& certificates) {
  std::string note;
  std::set<std::string> seen;
  for (const RunResult::CertificateRef& certificate : certificates) {
    if (!seen.insert(certificate.sha256).second) continue;
    STILE_ASSIGN_OR_RETURN(const std::string text,
                           DiskFileSystem()->ReadFile(certificate.path, kMaxCertificateBytes));
    if (Sha256Hex(text) != certificate.sha256) {
      return absl::DataLossError(
          absl::StrCat(certificate.path, " is not what the run wrote any more"));
    }
    note += text;
    if (note.size() > kMaxCertificateBytes) {
      return absl::ResourceExhaustedError("they are too many to be read again");
    }
  }
  if (note.empty()) return absl::OkStatus();
  return repository.AddNote(kCertificateNotes, commit, note);
}

}  // namespace stile
