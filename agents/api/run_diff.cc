#include "agents/api/run_diff.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/process/process_runner.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxDiffBytes = size_t{1} << 30;

// A path as git fast-import reads it.
std::string Quoted(absl::string_view path) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(path, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

// Relative, without detours, and not git's own: what a run can have changed.
bool IsPlainPath(const std::string& path) {
  if (path.empty() || path[0] == '/' || path == "." || CleanPath(path) != path) return false;
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  return std::none_of(parts.begin(), parts.end(), [](absl::string_view part) {
    return part == ".." || absl::EqualsIgnoreCase(part, ".git");
  });
}

absl::string_view GitMode(uint32_t mode) {
  return S_ISLNK(mode) ? "120000" : (mode & 0100) != 0 ? "100755" : "100644";
}

// One side of the changes as a commit for git fast-import.
absl::StatusOr<std::string> ImportSide(RunStore* store, const std::vector<RecordedChange>& changes,
                                       bool after) {
  std::string stream = absl::StrCat("commit refs/heads/", after ? "after" : "before",
                                    "\ncommitter Stile <stile@localhost> 0 +0000\ndata 0\n");
  for (const RecordedChange& change : changes) {
    if (!IsPlainPath(change.path)) {
      return absl::DataLossError(absl::StrCat("the run records a change of ",
                                              DisplayPath(change.path), ", which is no path ",
                                              "inside a workspace"));
    }
    const auto& hash = after ? change.after : change.before;
    if (!hash) continue;
    const auto content = store->blobs()->Get(*hash);
    if (!content.ok()) {
      return WithContext(content.status(), absl::StrCat("the content of ", DisplayPath(change.path),
                                                        " is not stored"));
    }
    absl::StrAppend(&stream, "M ", GitMode(after ? change.after_mode : change.before_mode),
                    " inline ", Quoted(change.path), "\ndata ", content->size(), "\n", *content,
                    "\n");
  }
  return stream;
}

// Only what git needs, so that no configuration of the user changes the patch.
Environment GitEnvironment(const Environment& environment) {
  Environment result;
  const auto path = environment.find("PATH");
  if (path != environment.end()) result["PATH"] = path->second;
  result["HOME"] = "/nonexistent";
  result["LC_ALL"] = "C";
  result["GIT_CONFIG_NOSYSTEM"] = "1";
  return result;
}

}  // namespace

absl::StatusOr<std::string> DiffChanges(RunStore* store, const RunPaths& run,
                                        const std::vector<RecordedChange>& changes,
                                        const Environment& environment) {
  const auto git = FindExecutable("git", environment);
  if (!git.ok()) {
    return absl::FailedPreconditionError(
        "git is not installed, and diff needs it: apt-get install git");
  }
  // A repository made for this patch alone: two commits, and what lies between them.
  STILE_ASSIGN_OR_RETURN(const std::string before, ImportSide(store, changes, false));
  STILE_ASSIGN_OR_RETURN(const std::string after, ImportSide(store, changes, true));
  const ScratchFolder scratch(run.folder);
  const std::string folder = scratch.Sub("diff.git");
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));
  const auto call = [&](std::vector<std::string> arguments,
                        std::string input) -> absl::StatusOr<std::string> {
    ProcessRequest request;
    request.argv = {*git, "--git-dir", folder};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.cwd = folder;
    request.env = GitEnvironment(environment);
    request.stdin_text = std::move(input);
    request.max_output_bytes = kMaxDiffBytes;
    STILE_ASSIGN_OR_RETURN(ProcessResult result, NewLocalProcessRunner()->Run(request));
    if (result.ok()) return std::move(result.out);
    return absl::InternalError(absl::StrCat("git ", arguments[0], ": ", result.Description(), ": ",
                                            TruncateMiddle(result.err, 500)));
  };
  STILE_RETURN_IF_ERROR(call({"init", "--quiet", "--bare"}, "").status());
  STILE_RETURN_IF_ERROR(call({"fast-import", "--quiet"}, before + after).status());
  return call({"diff-tree", "-p", "-r", "--binary", "--no-renames", "--no-ext-diff",
               "--no-textconv", "--no-color", "before", "after"},
              "");
}

}  // namespace stile
