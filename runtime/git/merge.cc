// What Repository does with trees and commits that nothing refers to: merging without a working
// tree.
#include <algorithm>

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

std::vector<std::string> SplitNul(absl::string_view text) { return absl::StrSplit(text, '\0'); }

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

// git-merge-tree(1): the tree, then, where there are conflicts, the names of their files; the exit
// status is 0, or 1 for conflicts.
absl::StatusOr<Repository::TreeMerge> Repository::MergeTrees(const std::string& ours,
                                                             const std::string& theirs) const {
  STILE_ASSIGN_OR_RETURN(
      const ProcessResult result,
      Execute({"merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs},
              "", {}));
  const bool is_answer = result.end == ProcessResult::End::kExited && result.exit_code <= 1;
  const std::vector<std::string> fields = SplitNul(result.out);
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
  const std::vector<std::string> fields = SplitNul(text);
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
