#include "runtime/process/proc_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/process/unique_fd.h"

namespace stile {
namespace {

Resolved Describe(const UniqueFd& file) {
  Resolved resolved;
  if (file.get() < 0) {
    resolved.error = errno;
    return resolved;
  }
  resolved.path = LinkText(AT_FDCWD, absl::StrCat("/proc/self/fd/", file.get()).c_str());
  struct stat info {};
  const bool is_known = fstat(file.get(), &info) == 0;
  resolved.is_file = is_known && S_ISREG(info.st_mode);
  resolved.is_folder = is_known && S_ISDIR(info.st_mode);
  resolved.identity = {info.st_ino, info.st_size,
                       int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec};
  return resolved;
}

std::string TextOf(const UniqueFd& file, size_t max_bytes) {
  std::string text;
  char buffer[16 << 10];
  while (file.get() >= 0 && text.size() < max_bytes) {
    const ssize_t size =
        read(file.get(), buffer, std::min(sizeof(buffer), max_bytes - text.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(buffer, static_cast<size_t>(size));
  }
  return text;
}

// Of a path with "..", as many links have it. Each attempt takes microseconds.
constexpr int kMaxAttempts = 10'000;

UniqueFd OpenBelow(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT;
  UniqueFd file;
  // If any process renames or mounts something meanwhile, the kernel refuses ".." with EAGAIN, and
  // asks for another attempt: openat2(2).
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    file.Reset(static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how))));
    if (file.get() >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return file;
}

}  // namespace

std::string LinkText(int folder, const char* name) {
  char buffer[PATH_MAX];
  const ssize_t size = readlinkat(folder, name, buffer, sizeof(buffer));
  return size <= 0 ? "" : std::string(buffer, static_cast<size_t>(size));
}

std::string FileText(int folder, const char* name, size_t max_bytes) {
  const UniqueFd file(openat(folder, name, O_RDONLY | O_CLOEXEC));
  return TextOf(file, max_bytes);
}

ProcessStat StatOf(int folder) {
  const std::string text = FileText(folder, "stat");
  const size_t end_of_name = text.rfind(')');  // field 2, which may hold anything
  ProcessStat stat;
  if (end_of_name == std::string::npos) return stat;
  const std::vector<absl::string_view> fields =
      absl::StrSplit(absl::string_view(text).substr(end_of_name + 1), ' ', absl::SkipEmpty());
  constexpr size_t kStarted = 22 - 3;
  constexpr size_t kStackStart = 28 - 3;
  if (fields.size() <= kStackStart || !absl::SimpleAtoi(fields[kStarted], &stat.started) ||
      !absl::SimpleAtoi(fields[kStackStart], &stat.stack_start)) {
    return ProcessStat();
  }
  return stat;
}

pid_t LeaderOf(int folder) {
  const std::string text = FileText(folder, "status");
  const size_t at = text.find("\nTgid:");
  int leader = -1;
  if (at == std::string::npos) return leader;
  const absl::string_view rest = absl::string_view(text).substr(at + 6);
  return absl::SimpleAtoi(rest.substr(0, rest.find('\n')), &leader) ? leader : -1;
}

Resolved Resolve(int root, const std::string& path) {
  return Describe(OpenBelow(root, path, O_PATH));
}

std::string TextBelow(int root, const std::string& path, size_t max_bytes) {
  const UniqueFd file = OpenBelow(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  return TextOf(file, max_bytes);
}

bool IsOfProcess(absl::string_view path) {
  return absl::StartsWith(path, "/proc/self/") || absl::StartsWith(path, "/proc/thread-self/");
}

bool IsOfOtherProcess(absl::string_view path) {
  return absl::StartsWith(path, "/proc/") && path.size() > 6 && absl::ascii_isdigit(path[6]) &&
         (absl::StrContains(path, "/cwd/") || absl::StrContains(path, "/root/"));
}

Resolved ResolveOfProcess(int folder, absl::string_view path) {
  const size_t slash = path.find('/', 6);  // behind "/proc/"
  const std::string rest(path.substr(slash + 1));
  return Describe(UniqueFd(openat(folder, rest.c_str(), O_PATH | O_CLOEXEC)));
}

std::string ResolveMissing(int root, const std::string& path) {
  size_t slash = path.rfind('/');
  while (slash != std::string::npos) {
    const std::string rest = path.substr(slash + 1);
    if (rest.empty() || rest == "." || rest == ".." || absl::StartsWith(rest, "../")) return "";
    const std::string folder = Resolve(root, path.substr(0, slash + 1)).path;
    if (!folder.empty()) return absl::StrCat(folder.size() == 1 ? "" : folder, "/", rest);
    if (slash == 0) break;
    slash = path.rfind('/', slash - 1);
  }
  return "";
}

}  // namespace stile
