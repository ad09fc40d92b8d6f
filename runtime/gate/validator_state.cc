#include "runtime/gate/validator_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/json.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxMemoryBytes = size_t{64} << 20;

// Paths are raw bytes; JSON keys are not.
std::string MemoryText(const ContentMap& inputs) {
  Json json = Json::object();
  for (const auto& [path, hash] : inputs) json[Base64Encode(path)] = ToHex(hash);
  return DumpJson(json);
}

// Null when there is no usable memory.
std::optional<std::map<std::string, std::string>> ReadMemory(FileSystem* fs,
                                                             const std::string& file) {
  const auto text = fs->ReadFile(file, kMaxMemoryBytes);
  if (!text.ok()) return std::nullopt;
  const auto json = ParseJson(*text);
  if (!json.ok() || !json->is_object()) return std::nullopt;
  std::map<std::string, std::string> memory;
  for (const auto& [key, value] : json->items()) {
    const auto path = Base64Decode(key);
    if (!path.ok() || !value.is_string()) return std::nullopt;
    memory[*path] = value.get<std::string>();
  }
  return memory;
}

}  // namespace

absl::StatusOr<ValidatorState> ValidatorState::Open(FileSystem* fs, const std::string& folder,
                                                    const TargetKey& target) {
  ValidatorState state;
  state.fs_ = fs;
  std::string home = JoinPath(folder, Sha256Hex(target).substr(0, 20));
  STILE_RETURN_IF_ERROR(fs->MakeDirs(home));
  state.lock_fd_ = open(JoinPath(home, "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (state.lock_fd_ < 0) return ErrnoStatus(errno, "open", JoinPath(home, "lock"));
  if (flock(state.lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    close(state.lock_fd_);
    state.lock_fd_ = -1;
    state.private_ = true;
    home = JoinPath(folder, absl::StrCat("private-", RandomHex(8)));
  }
  state.memory_file_ = JoinPath(home, "inputs.json");
  state.state_dir_ = JoinPath(home, "state");
  STILE_RETURN_IF_ERROR(fs->MakeDirs(state.state_dir_));
  return state;
}

ValidatorState::ValidatorState(ValidatorState&& other) noexcept
    : fs_(other.fs_),
      memory_file_(std::move(other.memory_file_)),
      state_dir_(std::move(other.state_dir_)),
      private_(std::exchange(other.private_, false)),
      lock_fd_(std::exchange(other.lock_fd_, -1)) {}

ValidatorState::~ValidatorState() {
  // The lock goes with its descriptor. A private folder that cannot be removed is only waste.
  if (lock_fd_ >= 0) close(lock_fd_);
  if (private_) RemoveTree(DirName(state_dir_)).IgnoreError();
}

absl::StatusOr<ValidatorState::Preparation> ValidatorState::Prepare(const std::string& workspace,
                                                                    const ContentMap& inputs,
                                                                    bool force_cold) {
  Preparation result;
  const auto memory = ReadMemory(fs_, memory_file_);
  result.cold = force_cold || !memory.has_value();
  if (FileExists(memory_file_)) STILE_RETURN_IF_ERROR(fs_->RemoveFile(memory_file_));
  if (result.cold) {
    STILE_RETURN_IF_ERROR(RemoveTree(state_dir_));
    STILE_RETURN_IF_ERROR(fs_->MakeDirs(state_dir_));
    for (const auto& [path, hash] : inputs) result.changed.push_back(path);
    return result;
  }
  for (const auto& [path, hash] : inputs) {
    const auto before = memory->find(path);
    if (before != memory->end() && before->second == ToHex(hash)) continue;
    result.changed.push_back(path);
    // What cannot be touched could hide its change from the build: a file of somebody else's, and a
    // link, through which build tools look at a file that may be older than the last output.
    const std::string absolute = JoinPath(workspace, path);
    struct stat info {};
    const bool is_link = lstat(absolute.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
    if (is_link || (utimensat(AT_FDCWD, absolute.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0 &&
                    errno != ENOENT)) {
      return Prepare(workspace, inputs, /*force_cold=*/true);
    }
  }
  for (const auto& [path, hash] : *memory) {
    if (inputs.find(path) == inputs.end()) result.changed.push_back(path);
  }
  std::sort(result.changed.begin(), result.changed.end());
  return result;
}

absl::Status ValidatorState::Finish(const ContentMap& inputs) {
  return WriteFileAtomically(fs_, memory_file_, MemoryText(inputs), 0600);
}

}  // namespace stile
