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
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/base/ids.h"
#include "runtime/base/json.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxMemoryBytes = size_t{256} << 20;
constexpr char kMemoryFile[] = "inputs.json";
constexpr char kStateFolder[] = "state";

struct Memory {
  std::map<std::string, std::string> inputs;  // path → hash
  std::optional<ReadSet> read;
};

Json StampJson(const FileStamp& stamp) {
  // The time of a young file proves nothing; its content is compared.
  return Json::array({stamp.size, stamp.inode, stamp.is_young ? 0 : stamp.changed_ns,
                      stamp.content.has_value() ? Json(ToHex(*stamp.content)) : Json()});
}

std::optional<FileStamp> StampFrom(const Json& json) {
  if (!json.is_array() || json.size() != 4 || !json[0].is_number_integer() ||
      !json[1].is_number_integer() || !json[2].is_number_integer()) {
    return std::nullopt;
  }
  FileStamp stamp;
  stamp.size = json[0].get<int64_t>();
  stamp.inode = json[1].get<uint64_t>();
  stamp.changed_ns = json[2].get<int64_t>();
  if (json[3].is_string()) stamp.content = DigestFromHex(json[3].get<std::string>());
  return stamp;
}

Json ListingJson(const FolderListing& listing) {
  Json names = Json::array();
  for (const std::string& name : listing.names) names.push_back(Base64Encode(name));
  return Json::array({listing.inode, listing.changed_ns, listing.enters_folders, std::move(names)});
}

std::optional<FolderListing> ListingFrom(const Json& json) {
  if (!json.is_array() || json.size() != 4 || !json[0].is_number_integer() ||
      !json[1].is_number_integer() || !json[2].is_boolean() || !json[3].is_array()) {
    return std::nullopt;
  }
  FolderListing listing{json[0].get<uint64_t>(), json[1].get<int64_t>(), {}, json[2].get<bool>()};
  for (const Json& item : json[3]) {
    const auto name = Base64Decode(item.is_string() ? item.get<std::string>() : std::string());
    if (!name.ok() || name->empty()) return std::nullopt;
    listing.names.insert(*name);
  }
  return listing;
}

// Paths are raw bytes; JSON keys are not.
std::string MemoryText(const ContentMap& inputs, const std::optional<ReadSet>& read) {
  Json of_inputs = Json::object();
  for (const auto& [path, hash] : inputs) of_inputs[Base64Encode(path)] = ToHex(hash);
  Json of_read;
  Json of_listed;
  Json of_tools;
  if (read.has_value()) {
    of_read = Json::object();
    of_listed = Json::object();
    of_tools = Json::array();
    for (const std::string& path : read->by_tools) of_tools.push_back(Base64Encode(path));
    for (const auto& [path, stamp] : read->files) of_read[Base64Encode(path)] = StampJson(stamp);
    for (const auto& [path, listing] : read->folders) {
      of_listed[Base64Encode(path)] = ListingJson(listing);
    }
  }
  return DumpJson({{"inputs", std::move(of_inputs)},
                   {"read", std::move(of_read)},
                   {"listed", std::move(of_listed)},
                   {"tools", std::move(of_tools)}});
}

// nullopt when there is no usable memory.
std::optional<Memory> ReadMemory(FileSystem* fs, const std::string& file) {
  const auto text = fs->ReadFile(file, kMaxMemoryBytes);
  if (!text.ok()) return std::nullopt;
  const auto json = ParseJson(*text);
  const Json* const inputs = json.ok() ? JsonMember(*json, "inputs") : nullptr;
  if (inputs == nullptr || !inputs->is_object()) return std::nullopt;
  Memory memory;
  for (const auto& [key, value] : inputs->items()) {
    const auto path = Base64Decode(key);
    if (!path.ok() || !value.is_string()) return std::nullopt;
    memory.inputs[*path] = value.get<std::string>();
  }
  const Json* const read = JsonMember(*json, "read");
  const Json* const listed = JsonMember(*json, "listed");
  const Json* const tools = JsonMember(*json, "tools");
  if (read == nullptr || !read->is_object() || listed == nullptr || !listed->is_object() ||
      tools == nullptr || !tools->is_array()) {
    return memory;
  }
  memory.read.emplace();
  for (const Json& item : *tools) {
    const auto path = Base64Decode(item.is_string() ? item.get<std::string>() : std::string());
    if (!path.ok() || path->empty()) return std::nullopt;
    memory.read->by_tools.insert(*path);
  }
  for (const auto& [key, value] : read->items()) {
    const auto path = Base64Decode(key);
    const std::optional<FileStamp> stamp = StampFrom(value);
    if (!path.ok() || !stamp.has_value()) return std::nullopt;
    memory.read->files.emplace(*path, *stamp);
  }
  for (const auto& [key, value] : listed->items()) {
    const auto path = Base64Decode(key);
    std::optional<FolderListing> listing = ListingFrom(value);
    if (!path.ok() || !listing.has_value()) return std::nullopt;
    memory.read->folders.emplace(*path, *std::move(listing));
  }
  return memory;
}

std::string HomeOf(const std::string& folder, const TargetKey& target) {
  return JoinPath(folder, Sha256Hex(target).substr(0, 20));
}

// Gives the file a fresh mtime. Returns false where a build could still miss the change: for a file
// of another user, and for a link, whose target may be older than the last output.
bool Touch(const std::string& path) {
  struct stat info {};
  const bool is_link = lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  return !is_link &&
         (utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT);
}

// When the file was last written; nullopt: there is none, or it is a link.
std::optional<absl::Time> WriteTime(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) return std::nullopt;
  return absl::TimeFromTimespec(info.st_mtim);
}

// Whether a build that compares times sees that the file changed after `last_build`. It may be an
// output of the user's own build, so it must not get the time of a source that is newer than it.
bool SeesByTime(const std::string& path, absl::Time last_build) {
  const std::optional<absl::Time> written = WriteTime(path);
  if (!written.has_value()) return !FileExists(path);
  return *written > last_build && *written <= absl::Now();
}

}  // namespace

absl::StatusOr<ValidatorState> ValidatorState::Open(FileSystem* fs, const std::string& folder,
                                                    const TargetKey& target) {
  ValidatorState state;
  state.fs_ = fs;
  std::string home = HomeOf(folder, target);
  STILE_RETURN_IF_ERROR(fs->MakeDirs(home));
  state.lock_fd_ = open(JoinPath(home, "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (state.lock_fd_ < 0) return ErrnoStatus(errno, "open", JoinPath(home, "lock"));
  if (flock(state.lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    close(state.lock_fd_);
    state.lock_fd_ = -1;
    state.private_ = true;
    home = JoinPath(folder, absl::StrCat("private-", RandomHex(8)));
  }
  state.memory_file_ = JoinPath(home, kMemoryFile);
  state.state_dir_ = JoinPath(home, kStateFolder);
  STILE_RETURN_IF_ERROR(fs->MakeDirs(state.state_dir_));
  return state;
}

std::string ValidatorState::FolderOf(const std::string& folder, const TargetKey& target) {
  return JoinPath(HomeOf(folder, target), kStateFolder);
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
                                                                    bool force_cold,
                                                                    bool observed) {
  Preparation result;
  const std::optional<Memory> memory = ReadMemory(fs_, memory_file_);
  result.cold = force_cold || !memory.has_value() || (observed && !memory->read.has_value());
  const absl::Time last_build = WriteTime(memory_file_).value_or(absl::InfiniteFuture());
  if (FileExists(memory_file_)) STILE_RETURN_IF_ERROR(fs_->RemoveFile(memory_file_));
  if (result.cold) {
    STILE_RETURN_IF_ERROR(RemoveTree(state_dir_));
    STILE_RETURN_IF_ERROR(fs_->MakeDirs(state_dir_));
    for (const auto& [path, hash] : inputs) result.changed.push_back(path);
    return result;
  }
  ReadSet read = memory->read.value_or(ReadSet());
  bool all_seen = true;
  for (const auto& [path, hash] : inputs) {
    const auto before = memory->inputs.find(path);
    if (before != memory->inputs.end() && before->second == ToHex(hash)) continue;
    result.changed.push_back(path);
    all_seen &= Touch(JoinPath(workspace, path));
  }
  for (const auto& [path, stamp] : read.files) {
    const std::string absolute = JoinPath(workspace, path);
    if (inputs.count(path) > 0 || IsUnchanged(absolute, stamp)) continue;
    result.changed.push_back(path);
    all_seen &= SeesByTime(absolute, last_build);
  }
  if (!all_seen) return Prepare(workspace, inputs, /*force_cold=*/true, observed);
  for (const auto& [path, hash] : memory->inputs) {
    if (inputs.find(path) == inputs.end()) result.changed.push_back(path);
  }
  std::sort(result.changed.begin(), result.changed.end());
  result.changed.erase(std::unique(result.changed.begin(), result.changed.end()),
                       result.changed.end());
  result.read = std::move(read);
  return result;
}

absl::Status ValidatorState::Finish(const ContentMap& inputs, const std::optional<ReadSet>& read) {
  return WriteFileAtomically(fs_, memory_file_, MemoryText(inputs, read), 0600);
}

ReadSet ValidatorState::ReadBy(FileSystem* fs, const std::string& folder, const TargetKey& target) {
  const std::optional<Memory> memory =
      ReadMemory(fs, JoinPath(HomeOf(folder, target), kMemoryFile));
  return memory.has_value() && memory->read.has_value() ? *memory->read : ReadSet();
}

}  // namespace stile
