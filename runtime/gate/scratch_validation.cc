#include "runtime/gate/scratch_validation.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::string_view kPrefix = "scratch-";
constexpr absl::string_view kLockSuffix = ".lock";

// A lock that goes with the process, however it ends. -1: somebody holds it.
int LockFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(fd);
  return -1;
}

// Removes what killed processes left: copies of whole workspaces. Their makers hold a lock beside
// them.
void Sweep(const std::string& folder) {
  const auto names = ListDirectory(folder);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!absl::StartsWith(name, kPrefix) || absl::EndsWith(name, kLockSuffix)) continue;
    const std::string path = JoinPath(folder, name);
    const std::string lock = absl::StrCat(path, kLockSuffix);
    const int fd = LockFile(lock);
    if (fd < 0) continue;
    RemoveTree(path).IgnoreError();
    unlink(lock.c_str());
    close(fd);
  }
}

// A folder that goes with this object. One that cannot be removed is only waste, for the next to
// sweep.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& folder)
      : path_(JoinPath(folder, absl::StrCat(kPrefix, RandomHex(8)))) {
    DiskFileSystem()->MakeDirs(folder).IgnoreError();  // whoever writes into it says what is wrong
    Sweep(folder);
    lock_ = LockFile(absl::StrCat(path_, kLockSuffix));
  }
  ~ScratchFolder() {
    RemoveTree(path_).IgnoreError();
    unlink(absl::StrCat(path_, kLockSuffix).c_str());
    if (lock_ >= 0) close(lock_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string Sub(const char* name) const { return JoinPath(path_, name); }

 private:
  const std::string path_;
  int lock_ = -1;
};

absl::StatusOr<ValidationResult> Run(const ScratchContext& context, const Validator& validator,
                                     const Project& project, const std::string& state_dir) {
  STILE_RETURN_IF_ERROR(context.file_system->MakeDirs(state_dir));
  ValidationRequest request;
  request.project = &project;
  request.changed = project.files;
  request.cold = true;
  request.state_dir = state_dir;
  request.environment = *context.environment;
  request.runner = context.runner;
  request.clock = context.clock;
  request.cancellation = context.cancellation;
  return validator.Validate(request);
}

}  // namespace

absl::StatusOr<ValidationResult> ValidateCopy(const ScratchContext& context,
                                              const Validator& validator, const Project& project,
                                              const Snapshot& content, BaselineContent* source) {
  const ScratchFolder scratch(context.folder);
  Project copy = project;
  copy.workspace = scratch.Sub("workspace");
  const absl::Status status = CheckOutBaseline(context.file_system, content, context.workspace,
                                               *context.ignore_rules, source, copy.workspace);
  if (!status.ok()) return absl::FailedPreconditionError(status.message());
  return Run(context, validator, copy, scratch.Sub("state"));
}

absl::StatusOr<ValidationResult> ValidateInPlace(const ScratchContext& context,
                                                 const Validator& validator,
                                                 const Project& project) {
  const ScratchFolder scratch(context.folder);
  return Run(context, validator, project, scratch.Sub("state"));
}

}  // namespace stile
