#include "runtime/delivery/work_trees.h"

#include <sys/stat.h>

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/edit_record.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr char kSoFar[] = "The story so far\n";
constexpr size_t kMaxBaseBytes = 100;
constexpr size_t kPathsInText = 20;

// In git's folder of a tree, once that is whole: the commit that it began with.
std::string BaseFile(const Repository& tree) { return JoinPath(tree.git_dir(), "wave-base"); }

bool IsRegular(uint32_t mode) { return mode == 0 || S_ISREG(mode); }

std::string List(const std::vector<std::string>& paths) {
  std::string text;
  for (size_t i = 0; i < std::min(paths.size(), kPathsInText); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", DisplayPath(paths[i]));
  }
  if (paths.size() > kPathsInText) {
    absl::StrAppend(&text, " and ", paths.size() - kPathsInText, " more");
  }
  return text;
}

}  // namespace

WorkTrees::WorkTrees(const WorkPlace* place, std::string worktrees_dir, std::string run_id,
                     ProcessRunner* runner, WorkTreeHost* host)
    : place_(*place),
      worktrees_dir_(std::move(worktrees_dir)),
      run_id_(std::move(run_id)),
      runner_(runner),
      host_(host) {}

std::string WorkTrees::Folder(size_t number) const {
  return JoinPath(worktrees_dir_, absl::StrCat(run_id_, ".", number));
}

std::string WorkTrees::FolderOf(size_t number) const {
  const std::string folder = Folder(number);
  return FileExists(folder) ? folder : "";
}

std::vector<std::string> WorkTrees::InRepository(const std::vector<std::string>& paths) const {
  std::vector<std::string> whole;
  for (const std::string& path : paths) whole.push_back(place_.prefix + path);
  return whole;
}

absl::StatusOr<std::string> WorkTrees::PresentTree(const std::vector<std::string>& changed) const {
  STILE_ASSIGN_OR_RETURN(const std::string head, place_.repository.Head());
  return place_.repository.WriteTree(head, InRepository(changed));
}

absl::StatusOr<Repository> WorkTrees::OpenTree(const std::string& folder) const {
  STILE_ASSIGN_OR_RETURN(const std::string real, RealPath(folder));
  STILE_ASSIGN_OR_RETURN(Repository repository,
                         Repository::Open(runner_, real, [host = host_](const Repository& tree) {
                           return host->WrapPrograms(tree);
                         }));
  if (repository.root() == real) return repository;
  return absl::FailedPreconditionError(absl::StrCat(DisplayPath(folder), " is no working tree"));
}

absl::Status WorkTrees::MakeTree(size_t number, const std::vector<std::string>& changed) const {
  const std::string folder = Folder(number);
  STILE_RETURN_IF_ERROR(place_.repository.RemoveWorktree(folder));  // of one that was killed
  STILE_ASSIGN_OR_RETURN(const std::string head, place_.repository.Head());
  STILE_ASSIGN_OR_RETURN(const std::string tree, PresentTree(changed));
  STILE_ASSIGN_OR_RETURN(const std::string base,
                         place_.repository.CommitTree(tree, {head}, kSoFar));
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(worktrees_dir_));
  STILE_RETURN_IF_ERROR(place_.repository.AddDetachedWorktree(folder, base));
  if (!DirectoryExists(CleanPath(JoinPath(folder, place_.prefix)))) {
    STILE_RETURN_IF_ERROR(place_.repository.RemoveWorktree(folder));
    return absl::FailedPreconditionError(absl::StrCat(
        "the workspace ", DisplayPath(place_.prefix),
        " is not part of the last commit, so a second working tree would not have it"));
  }
  STILE_RETURN_IF_ERROR(
      host_->ShareDependencies(place_.workspace, CleanPath(JoinPath(folder, place_.prefix))));
  STILE_ASSIGN_OR_RETURN(const Repository made, OpenTree(folder));
  return WriteFileAtomically(DiskFileSystem(), BaseFile(made), base, 0600);
}

absl::StatusOr<StepPlace> WorkTrees::Prepare(size_t number,
                                             const std::vector<std::string>& changed) {
  const std::string folder = Folder(number);
  const absl::StatusOr<Repository> earlier = OpenTree(folder);
  if (!earlier.ok() || !FileExists(BaseFile(*earlier))) {
    // A new tree would not hold what the step has done.
    if (host_->WorkspaceOf(absl::StrCat(run_id_, ".", number)).has_value()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the step has begun in ", DisplayPath(folder), ", which is ",
                       FileExists(folder) ? "no working tree" : "gone"));
    }
    STILE_RETURN_IF_ERROR(MakeTree(number, changed));
  }
  STILE_ASSIGN_OR_RETURN(Repository repository, OpenTree(folder));
  STILE_ASSIGN_OR_RETURN(const std::string base,
                         DiskFileSystem()->ReadFile(BaseFile(repository), kMaxBaseBytes));
  const auto made = trees_.insert_or_assign(number, Tree{std::move(repository), base}).first;
  const Repository& tree = made->second.repository;
  return StepPlace{CleanPath(JoinPath(tree.root(), place_.prefix)), &tree, "", base, {}};
}

absl::StatusOr<EditSet> WorkTrees::Merge(size_t number, const std::vector<std::string>& changed,
                                         const std::vector<std::string>& by_step) {
  const auto found = trees_.find(number);
  if (found == trees_.end()) return absl::InternalError("the step has no working tree");
  const auto& [repository, base] = found->second;
  STILE_ASSIGN_OR_RETURN(const std::string theirs,
                         repository.WriteTree(base, InRepository(by_step)));
  std::set<std::string> all(changed.begin(), changed.end());
  all.insert(by_step.begin(), by_step.end());
  STILE_ASSIGN_OR_RETURN(const std::string ours, PresentTree({all.begin(), all.end()}));
  STILE_ASSIGN_OR_RETURN(const std::string our_commit,
                         place_.repository.CommitTree(ours, {base}, kSoFar));
  STILE_ASSIGN_OR_RETURN(const std::string their_commit,
                         place_.repository.CommitTree(theirs, {base}, kSoFar));
  STILE_ASSIGN_OR_RETURN(const Repository::TreeMerge merged,
                         place_.repository.MergeTrees(our_commit, their_commit));
  EditSet merge;
  if (merged.tree.empty()) {
    merge.obstacle = absl::StrCat("git finds conflicts in ", List(merged.conflicts));
    return merge;
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<Repository::TreeChange> changes,
                         place_.repository.CompareTrees(ours, merged.tree));
  std::vector<std::string> paths;
  for (const Repository::TreeChange& change : changes) {
    const bool both = change.before != 0 && change.after != 0;
    if (!IsRegular(change.before) || !IsRegular(change.after) ||
        (both && change.before != change.after)) {
      merge.obstacle = absl::StrCat("it changes what kind of file ", DisplayPath(change.path),
                                    " is (a link, or whether it is executable)");
      return merge;
    }
    if (!absl::StartsWith(change.path, place_.prefix)) {
      return absl::InternalError(
          absl::StrCat(DisplayPath(change.path), " is not in the workspace"));
    }
    PlannedFile file;
    file.path = change.path.substr(place_.prefix.size());
    file.mode = static_cast<int>(change.after & 0777);
    STILE_ASSIGN_OR_RETURN(file.before,
                           ReadIfExists(DiskFileSystem(), JoinPath(place_.workspace, file.path)));
    if (change.after != 0) paths.push_back(change.path);
    merge.files.push_back(std::move(file));
  }
  STILE_RETURN_IF_ERROR(ReadFiles(merged.tree, paths, &merge));
  return merge;
}

std::string WorkTrees::IgnoredFiles(size_t number) const {
  const auto tree = trees_.find(number);
  if (tree == trees_.end()) return "";
  const Repository& repository = tree->second.repository;
  const auto listed = repository.Run(
      {"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"});
  std::vector<std::string> files;
  if (!listed.ok()) return "";
  for (const absl::string_view path : absl::StrSplit(*listed, '\0', absl::SkipEmpty())) {
    struct stat info {};
    const std::string absolute = JoinPath(repository.root(), path);
    const bool is_file = lstat(absolute.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    if (is_file) files.emplace_back(path);
  }
  return files.empty() ? "" : List(files);
}

absl::Status WorkTrees::ReadFiles(const std::string& tree, const std::vector<std::string>& paths,
                                  EditSet* merge) const {
  const ScratchFolder scratch(worktrees_dir_);
  const std::string folder = scratch.Sub("merged");
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));
  STILE_RETURN_IF_ERROR(place_.repository.CheckOutFiles(tree, paths, folder));
  for (PlannedFile& file : merge->files) {
    STILE_ASSIGN_OR_RETURN(
        file.after, ReadIfExists(DiskFileSystem(), JoinPath(folder, place_.prefix + file.path)));
  }
  return absl::OkStatus();
}

absl::Status WorkTrees::Remove(size_t number) {
  trees_.erase(number);
  STILE_RETURN_IF_ERROR(host_->ForgetWorkspace(CleanPath(JoinPath(Folder(number), place_.prefix))));
  const absl::StatusOr<Repository> tree = OpenTree(Folder(number));
  if (tree.ok()) STILE_RETURN_IF_ERROR(RemoveTree(BaseFile(*tree)));
  return place_.repository.RemoveWorktree(Folder(number));
}

}  // namespace stile
