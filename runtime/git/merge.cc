// What Repository does with trees and commits that nothing refers to: merging without a working
// tree.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/git/repository.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"

namespace stile {
namespace {

std::vector<std::string> FieldsOf(absl::string_view text) { return absl::StrSplit(text, '\0'); }

uint32_t FromOctal(absl::string_view digits) {
  uint32_t value = 0;
  for (const char digit : digits) value = value * 8 + static_cast<uint32_t>(digit - '0');
  return value;
}

}  // namespace

absl::StatusOr<std::string> Repository::CommitTree(const std::string& tree,
                                                   const std::vector<std::string>& parents,
                                                   const std::string& message) const {
  std::vector<std::string> arguments = {"commit-tree", tree, "-F", "-"};
  for (const std::string& parent : parents) arguments.insert(arguments.end(), {"-p", parent});
  STILE_ASSIGN_OR_RETURN(Environment env, IdentityEnvironment());
  for (const char* role : {"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"}) {
    env[role] = "2000-01-01T00:00:00Z";
  }
  STILE_ASSIGN_OR_RETURN(const std::string id, RunIn(env, arguments, message));
  return std::string(absl::StripSuffix(id, "\n"));
}

absl::Status Repository::CanMergeTrees() const {
  STILE_ASSIGN_OR_RETURN(const std::string text, Run({"version"}));
  // "git version 2.39.5", with words of the packager behind it
  const std::vector<std::string> words = absl::StrSplit(absl::StripSuffix(text, "\n"), ' ');
  const std::vector<std::string> numbers = absl::StrSplit(words.size() > 2 ? words[2] : "", '.');
  int major = 0;
  int minor = 0;
  const bool known = numbers.size() > 1 && absl::SimpleAtoi(numbers[0], &major) &&
                     absl::SimpleAtoi(numbers[1], &minor);
  if (!known || major > 2 || (major == 2 && minor >= 38)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "steps that run at the same time need git 2.38 or later to merge their work; this is ",
      words[2]));
}

// Words for git's command line by which no merge driver runs that the repository itself names
// (gitattributes(5)): the file then conflicts. Those of the user's own settings run.
absl::StatusOr<std::vector<std::string>> Repository::WithoutMergeDrivers() const {
  std::vector<std::string> words;
  STILE_ASSIGN_OR_RETURN(const auto answer,
                         Ask({"config", "-z", "--show-scope", "--includes", "--name-only",
                              "--get-regexp", "^merge\\..*\\.driver$"}));
  if (!answer.has_value()) return words;
  // Scope NUL name NUL
  const std::vector<std::string> fields = FieldsOf(*answer);
  for (size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i] != "local" && fields[i] != "worktree") continue;
    if (absl::StrContains(fields[i + 1], '=')) {
      return absl::FailedPreconditionError(
          absl::StrCat("the repository names a merge driver that cannot be turned off: ",
                       ToUtf8(fields[i + 1])));
    }
    words.insert(words.end(), {"-c", absl::StrCat(fields[i + 1], "=false")});
  }
  return words;
}

// git-merge-tree(1): the tree, then, where there are conflicts, the names of their files; the exit
// status is 0, or 1 for conflicts.
absl::StatusOr<Repository::TreeMerge> Repository::MergeTrees(const std::string& ours,
                                                             const std::string& theirs) const {
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> arguments, WithoutMergeDrivers());
  for (const char* word : {"merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"}) {
    arguments.emplace_back(word);
  }
  arguments.insert(arguments.end(), {ours, theirs});
  STILE_ASSIGN_OR_RETURN(const ProcessResult result, Execute(arguments, "", {}));
  if (result.end == ProcessResult::End::kTimedOut) {
    return absl::DeadlineExceededError("git merge-tree took too long");
  }
  const bool is_answer = result.end == ProcessResult::End::kExited && result.exit_code <= 1;
  const std::vector<std::string> fields = FieldsOf(result.out);
  if (!is_answer || fields[0].empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("git merge-tree failed: ", ToUtf8(TruncateMiddle(result.err, 600))));
  }
  TreeMerge merge;
  if (result.exit_code == 0) {
    merge.tree = fields[0];
    return merge;
  }
  for (size_t i = 1; i < fields.size(); ++i) {
    if (!fields[i].empty()) merge.conflicts.push_back(fields[i]);
  }
  std::sort(merge.conflicts.begin(), merge.conflicts.end());
  return merge;
}

absl::StatusOr<std::vector<Repository::TreeChange>> Repository::CompareTrees(
    const std::string& before, const std::string& after) const {
  STILE_ASSIGN_OR_RETURN(const std::string text, Run({"diff-tree", "-r", "-z", "--raw",
                                                      "--no-renames", before, after, "--"}));
  // ":100644 100755 ID ID M", then the path
  const std::vector<std::string> fields = FieldsOf(text);
  std::vector<TreeChange> changes;
  for (size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::vector<std::string> words = absl::StrSplit(fields[i], ' ');
    if (words.size() != 5 || words[0].empty()) {
      return absl::InternalError("git diff-tree printed what it never prints");
    }
    changes.push_back({FromOctal(words[0].substr(1)), FromOctal(words[1]), fields[i + 1]});
  }
  return changes;
}

absl::Status Repository::CheckOutFiles(const std::string& tree,
                                       const std::vector<std::string>& paths,
                                       const std::string& folder) const {
  if (paths.empty()) return absl::OkStatus();
  const ScratchFolder scratch(git_dir_);
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(scratch.Sub("")));
  const Environment env = {{"GIT_INDEX_FILE", scratch.Sub("index")}};
  STILE_RETURN_IF_ERROR(RunIn(env, {"read-tree", tree}, "").status());
  std::string listed;
  for (const std::string& path : paths) listed.append(path).push_back('\0');
  return RunIn(env, {"checkout-index", "-z", "--stdin", absl::StrCat("--prefix=", folder, "/")},
               listed)
      .status();
}

}  // namespace stile
