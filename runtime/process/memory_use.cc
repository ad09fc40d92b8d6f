#include "runtime/process/memory_use.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stile {
namespace {

constexpr uint64_t kBlockBytes = 512;  // of stat
constexpr size_t kStatusBytes = 8192;

// Shared memory and files in memory of the whole machine; one system call.
uint64_t SharedOfMachine() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? uint64_t{info.sharedram} * info.mem_unit : 0;
}

// What is used on the file system of `path` if that lies in memory; else 0.
uint64_t UsedInMemory(const std::string& path) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0 || info.f_type != TMPFS_MAGIC) return 0;
  return (info.f_blocks - info.f_bfree) * static_cast<uint64_t>(info.f_bsize);
}

uint64_t DeviceOf(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_dev : 0;
}

// "RssAnon:     1234 kB" of proc(5) status, in bytes.
uint64_t Field(absl::string_view status, absl::string_view name) {
  const size_t at = status.find(name);
  if (at == absl::string_view::npos) return 0;
  absl::string_view rest = status.substr(at + name.size());
  rest = rest.substr(0, rest.find("kB"));
  uint64_t kilobytes = 0;
  return absl::SimpleAtoi(rest, &kilobytes) ? kilobytes << 10 : 0;
}

struct Resident {
  uint64_t own = 0;     // anonymous, and mapped files of a disk
  uint64_t shared = 0;  // mapped files of memory
};

Resident ResidentOf(pid_t pid) {
  const int fd = open(absl::StrCat("/proc/", pid, "/status").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char buffer[kStatusBytes];
  const ssize_t size = read(fd, buffer, sizeof(buffer));
  close(fd);
  if (size <= 0) return {};
  const absl::string_view status(buffer, static_cast<size_t>(size));
  return {Field(status, "\nRssAnon:") + Field(status, "\nRssFile:"), Field(status, "\nRssShmem:")};
}

// Files in memory that only descriptors hold, each once.
uint64_t MemfdBytes(pid_t pid, std::set<std::pair<uint64_t, uint64_t>>* seen) {
  uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::directory_iterator entries(absl::StrCat("/proc/", pid, "/fd"), error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::error_code link_error;
    const std::string target = std::filesystem::read_symlink(entries->path(), link_error);
    if (link_error || !absl::StartsWith(target, "/memfd:")) continue;
    struct stat info {};
    if (stat(entries->path().c_str(), &info) != 0) continue;
    if (seen->emplace(info.st_dev, info.st_ino).second) {
      bytes += static_cast<uint64_t>(info.st_blocks) * kBlockBytes;
    }
  }
  return bytes;
}

}  // namespace

MemoryUse::MemoryUse(std::vector<std::string> folders) : shared_at_start_(SharedOfMachine()) {
  std::set<uint64_t> devices;
  for (std::string& folder : folders) {
    struct statfs info {};
    if (statfs(folder.c_str(), &info) != 0 || info.f_type != TMPFS_MAGIC) continue;
    if (!devices.insert(DeviceOf(folder)).second) continue;
    const uint64_t used = UsedInMemory(folder);
    used_at_start_.emplace(std::move(folder), used);
  }
}

bool MemoryUse::Exceeds(uint64_t limit, const ProcessEntry* entries, size_t count) const {
  const uint64_t shared = SharedOfMachine();
  const uint64_t gained = shared > shared_at_start_ ? shared - shared_at_start_ : 0;
  uint64_t at_most = gained;
  for (size_t i = 0; i < count; ++i) at_most += ResidentBytes(entries[i].pid);
  return at_most > limit && Exact(entries, count, gained) > limit;
}

uint64_t MemoryUse::Exact(const ProcessEntry* entries, size_t count, uint64_t gained) const {
  uint64_t own = 0;
  uint64_t mapped = 0;
  uint64_t held = 0;
  std::set<std::pair<uint64_t, uint64_t>> files;
  std::set<uint64_t> devices = {DeviceOf("/dev/shm")};  // the machine's is not theirs
  for (size_t i = 0; i < count; ++i) {
    const pid_t pid = entries[i].pid;
    const Resident resident = ResidentOf(pid);
    own += resident.own;
    mapped += resident.shared;
    held += MemfdBytes(pid, &files);
    const std::string folder = absl::StrCat("/proc/", pid, "/root/dev/shm");
    const uint64_t device = DeviceOf(folder);
    if (device != 0 && devices.insert(device).second) held += UsedInMemory(folder);
  }
  for (const auto& [folder, before] : used_at_start_) {
    const uint64_t used = UsedInMemory(folder);
    held += used > before ? used - before : 0;
  }
  // What is mapped may be what is held, and the same in several processes.
  return own + std::max(held, std::min(mapped, gained));
}

}  // namespace stile
