#include "agents/api/certificate_verifier.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/delivery/delivery.h"
#include "runtime/git/repository.h"
#include "runtime/session/workspace_state.h"
#include "runtime/workspace/snapshot.h"

namespace stile {
namespace {

std::string KindName(uint32_t mode) {
  if (mode == 0100755) return "an executable file";
  if (mode == 0100644) return "a file that is not executable";
  if (mode == 0120000) return "a symbolic link";
  if (mode == 0160000) return "a repository of its own";
  return absl::StrFormat("something of mode %06o", mode);
}

// What is different at one path; "" if nothing.
std::string Difference(const std::optional<CertifiedContent>& accepted,
                       const std::optional<CertifiedContent>& now) {
  if (!accepted.has_value()) return now.has_value() ? "is there, but was deleted" : "";
  if (!now.has_value()) return "is missing";
  if (now->mode != accepted->mode) {
    return absl::StrCat("is ", KindName(now->mode), ", but was accepted as ",
                        KindName(accepted->mode));
  }
  return now->sha256 == accepted->sha256 ? "" : "has other content than was accepted";
}

std::optional<CertifiedContent> ContentAt(const Snapshot& snapshot, const std::string& path) {
  const FileRecord* record = snapshot.Find(path);
  if (record == nullptr) return std::nullopt;
  return CertifiedContent{ToHex(record->hash), record->ContentMode()};
}

Sha256Digest FromHex(const std::string& hex) {
  Sha256Digest digest{};
  const std::string bytes = absl::HexStringToBytes(hex);
  std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
  return digest;
}

// `now` with the accepted content in place of what the changed files hold, and without outputs.
Snapshot WithAccepted(const Snapshot& now, const Certificate& certificate) {
  std::map<std::string, FileRecord> files;
  for (const FileRecord& file : now.files()) files[file.path] = file;
  for (const std::string& path : certificate.outputs) files.erase(path);
  for (const CertifiedFile& file : certificate.changed) {
    files.erase(file.path);
    if (!file.after.has_value()) continue;
    FileRecord& record = files[file.path];
    record.path = file.path;
    record.mode = file.after->mode;
    record.kind = S_ISLNK(record.mode)   ? FileRecord::Kind::kSymlink
                  : S_ISREG(record.mode) ? FileRecord::Kind::kRegular
                                         : FileRecord::Kind::kSpecial;
    record.hash = FromHex(file.after->sha256);
  }
  std::vector<FileRecord> records;
  for (auto& [path, record] : files) records.push_back(std::move(record));
  return Snapshot(std::move(records));
}

struct TreeEntry {
  uint32_t mode = 0;
  std::string blob;
};

// git's objects as they are: replacements would show other content under the same name.
absl::StatusOr<std::string> ReadObjects(const Repository& repository,
                                        std::vector<std::string> arguments,
                                        const std::string& stdin_text = "") {
  arguments.insert(arguments.begin(), "--no-replace-objects");
  return repository.Run(arguments, stdin_text);
}

absl::StatusOr<std::map<std::string, TreeEntry>> EntriesOf(const Repository& repository,
                                                           const std::string& commit) {
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         ReadObjects(repository, {"ls-tree", "-r", "-z", "--full-tree", commit}));
  std::map<std::string, TreeEntry> entries;
  for (const absl::string_view line : absl::StrSplit(text, '\0', absl::SkipEmpty())) {
    // "100644 blob ID\tPATH"
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits('\t', 1));
    const std::vector<std::string> words = absl::StrSplit(parts.first, ' ');
    if (words.size() != 3) return absl::InternalError("git ls-tree printed what it never prints");
    TreeEntry entry;
    for (const char digit : words[0]) entry.mode = entry.mode * 8 + (digit - '0');
    entry.blob = words[2];
    entries[std::string(parts.second)] = entry;
  }
  return entries;
}

// Contents by blob id.
absl::StatusOr<std::map<std::string, std::string>> ReadBlobs(const Repository& repository,
                                                             const std::set<std::string>& blobs) {
  std::string wanted;
  for (const std::string& blob : blobs) absl::StrAppend(&wanted, blob, "\n");
  std::map<std::string, std::string> contents;
  if (wanted.empty()) return contents;
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         ReadObjects(repository, {"cat-file", "--batch"}, wanted));
  // "ID blob SIZE\nCONTENT\n", in the order of the questions
  size_t at = 0;
  for (const std::string& blob : blobs) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) return absl::InternalError("git cat-file printed too little");
    const std::vector<std::string> words = absl::StrSplit(text.substr(at, end - at), ' ');
    size_t size = 0;
    if (words.size() != 3 || words[1] != "blob" || !absl::SimpleAtoi(words[2], &size) ||
        size >= text.size() - end) {
      return absl::FailedPreconditionError(absl::StrCat(
          "git cannot read ", blob, ": ", text.substr(at, std::min<size_t>(end - at, 200))));
    }
    contents[blob] = text.substr(end + 1, size);
    at = end + 1 + size + 1;
  }
  return contents;
}

// Whether git stored the accepted content in another form: with the line ends that it converts, or
// as a pointer of Git LFS (git-lfs/git-lfs, docs/spec.md), which names the content's hash.
bool IsStoredFormOf(const std::string& content, const std::string& sha256) {
  constexpr char kPointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:";
  return Sha256Hex(absl::StrReplaceAll(content, {{"\r\n", "\r\n"}, {"\n", "\r\n"}})) == sha256 ||
         absl::StartsWith(content, absl::StrCat(kPointer, sha256, "\n"));
}

std::string Trimmed(absl::string_view text) { return std::string(absl::StripSuffix(text, "\n")); }

// The values of the commit's Stile-Certificate trailers, in order.
absl::StatusOr<std::vector<std::string>> TrailersOf(const Repository& repository,
                                                    const std::string& commit) {
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         ReadObjects(repository, {"cat-file", "commit", commit}));
  const size_t header = text.find("\n\n");
  std::vector<std::string> values;
  if (header == std::string::npos) return values;
  const std::string message =
      absl::StrCat("\n", Trimmed(absl::string_view(text).substr(header + 2)));
  const size_t block = message.rfind("\n\n");
  const std::string last = message.substr(block == std::string::npos ? 0 : block);
  for (absl::string_view line : SplitLines(last)) {
    if (absl::ConsumePrefix(&line, "Stile-Certificate: sha256:")) values.emplace_back(line);
  }
  return values;
}

}  // namespace

absl::StatusOr<CertificateFindings> CompareWithWorkspace(const Certificate& certificate,
                                                         const std::string& workspace) {
  NeverIgnored never_ignored;
  never_ignored.source_folders = certificate.source_folders;
  for (const CertifiedFile& file : certificate.changed) never_ignored.paths.push_back(file.path);
  const auto runner = NewLocalProcessRunner();
  STILE_ASSIGN_OR_RETURN(const IgnoreRules rules,
                         InspectIgnoreRules(runner.get(), workspace, never_ignored));
  SnapshotTaker taker(workspace, rules, SystemClock());
  STILE_ASSIGN_OR_RETURN(const Snapshot now, taker.Take(Snapshot()));
  CertificateFindings findings;
  for (const CertifiedFile& file : certificate.changed) {
    const std::string what = Difference(file.after, ContentAt(now, file.path));
    if (!what.empty()) findings.push_back({file.path, what});
  }
  if (WithAccepted(now, certificate).RootHash() != certificate.accepted_root) {
    findings.push_back({"workspace",
                        "files that the run did not change are not what they were when it was "
                        "accepted"});
  }
  return findings;
}

CertificateFindings CompareWithValidation(const Certificate& certificate,
                                          const ValidationReport& report) {
  CertificateFindings findings;
  for (const CertifiedTarget& target : certificate.targets) {
    const auto now = std::find_if(
        report.targets.begin(), report.targets.end(), [&](const TargetReport& candidate) {
          return candidate.language == target.language && candidate.validator == target.validator &&
                 ToUtf8(candidate.root) == target.root &&
                 LevelName(candidate.level) == target.level;
        });
    const std::string name =
        absl::StrCat(target.root, " (", target.validator, ", ", target.level, ")");
    if (now == report.targets.end()) {
      findings.push_back({name, "is no target of this workspace any more"});
      continue;
    }
    const std::string verdict(VerdictName(now->result.verdict));
    if (verdict == "pass" || verdict == target.verdict) continue;
    const size_t errors = CountErrors(now->result.diagnostics);
    findings.push_back(
        {name, absl::StrCat("does not pass any more: ", verdict,
                            errors > 0 ? absl::StrCat(", ", Count(errors, "error")) : "",
                            now->result.message.empty() ? "" : ": ", now->result.message,
                            target.rule == "no_new_errors"
                                ? " (it was accepted with errors of before the run)"
                                : "")});
  }
  return findings;
}

absl::StatusOr<CommitCertificates> ReadCommitCertificates(const std::string& folder,
                                                          const std::string& revision) {
  const auto runner = NewLocalProcessRunner();
  STILE_ASSIGN_OR_RETURN(const Repository repository, Repository::Open(runner.get(), folder));
  const auto found = ReadObjects(
      repository, {"rev-parse", "--quiet", "--verify", "--end-of-options", revision + "^{commit}"});
  if (!found.ok()) {
    if (!absl::IsFailedPrecondition(found.status())) return found.status();
    return absl::NotFoundError(absl::StrCat("there is no commit '", ToUtf8(revision), "'"));
  }
  CommitCertificates result;
  result.commit = Trimmed(*found);
  STILE_ASSIGN_OR_RETURN(
      const auto note, repository.ReadNote(kCertificateNotes, result.commit, kMaxCertificateBytes));
  if (!note.has_value()) {
    return absl::NotFoundError(absl::StrCat(
        "commit ", result.commit.substr(0, 12), " has no note under ", kCertificateNotes,
        "; `git fetch origin refs/notes/stile:refs/notes/stile` gets those of a remote"));
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> trailers,
                         TrailersOf(repository, result.commit));
  std::vector<std::string> noted;
  for (absl::string_view rest = *note; !rest.empty();) {
    const size_t end = rest.find('\n');
    const absl::string_view line = rest.substr(0, end == absl::string_view::npos ? end : end + 1);
    rest.remove_prefix(line.size());
    STILE_ASSIGN_OR_RETURN(
        Certificate certificate,
        ReadCertificate(line, absl::StrCat("note of ", result.commit.substr(0, 12), ", line ",
                                           noted.size() + 1)));
    noted.push_back(certificate.sha256);
    result.certificates.push_back(std::move(certificate));
  }
  if (noted.empty()) return absl::InvalidArgumentError("the note of the commit is empty");
  if (noted != trailers) {
    result.findings.push_back(
        {"commit", trailers.empty()
                       ? "names no certificate, so anybody can have written its note"
                       : "names other certificates in its message than those in its note"});
  }
  return result;
}

absl::StatusOr<CertificateFindings> CompareWithCommit(const CommitCertificates& commit,
                                                      const std::string& folder) {
  const auto runner = NewLocalProcessRunner();
  STILE_ASSIGN_OR_RETURN(const Repository repository, Repository::Open(runner.get(), folder));
  STILE_ASSIGN_OR_RETURN(const auto entries, EntriesOf(repository, commit.commit));
  STILE_ASSIGN_OR_RETURN(
      const std::string tree,
      ReadObjects(repository, {"rev-parse", "--verify", commit.commit + "^{tree}"}));
  const std::string& named = commit.certificates.back().tree;
  // git made this very tree of the accepted files: what it stored in another form, it converted.
  const bool is_named = Trimmed(tree) == named;
  std::map<std::string, std::optional<CertifiedContent>> accepted;  // by the last step's word
  for (const Certificate& certificate : commit.certificates) {
    for (const CertifiedFile& file : certificate.changed) {
      accepted[certificate.prefix + file.path] = file.after;
    }
  }
  std::set<std::string> blobs;
  for (const auto& [path, content] : accepted) {
    const auto entry = entries.find(path);
    if (entry != entries.end() && entry->second.mode != 0160000) blobs.insert(entry->second.blob);
  }
  STILE_ASSIGN_OR_RETURN(const auto contents, ReadBlobs(repository, blobs));
  CertificateFindings findings;
  for (const auto& [path, content] : accepted) {
    std::optional<CertifiedContent> now;
    if (const auto entry = entries.find(path); entry != entries.end()) {
      const auto blob = contents.find(entry->second.blob);
      const std::string text = blob == contents.end() ? "" : blob->second;
      const bool converted =
          is_named && content.has_value() && IsStoredFormOf(text, content->sha256);
      now = CertifiedContent{converted ? content->sha256 : Sha256Hex(text), entry->second.mode};
    }
    const std::string what = Difference(content, now);
    if (!what.empty()) findings.push_back({path, what});
  }
  if (named.empty()) {
    // Else a certificate of one file would vouch for a commit of many.
    findings.push_back({"commit", "cannot be compared as a whole: the certificate names no tree"});
  } else if (!is_named && findings.empty()) {
    findings.push_back(
        {"commit", "holds other files than were accepted, besides the changed ones"});
  }
  return findings;
}

}  // namespace stile
