#include "runtime/process/process_runner.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

extern char** environ;

namespace stile {
namespace {

bool IsExecutableFile(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? absl::StrCat("SIG", name) : absl::StrCat("signal ", number);
}

}  // namespace

const Environment& InheritedEnvironment() {
  static const Environment* const environment = [] {
    auto* result = new Environment;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const absl::string_view text = *entry;
      const size_t equals = text.find('=');
      if (equals == absl::string_view::npos || equals == 0) continue;
      result->emplace(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
    }
    return result;
  }();
  return *environment;
}

absl::StatusOr<std::string> FindExecutable(const std::string& name, const Environment& env) {
  if (name.empty()) return absl::InvalidArgumentError("the name of a program is empty");
  if (name.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("the name of a program holds a NUL byte");
  }
  if (name.find('/') != std::string::npos) {
    if (!IsExecutableFile(name)) {
      return absl::NotFoundError(absl::StrCat(name, " is not an executable file"));
    }
    if (name[0] == '/') return name;
    std::error_code error;  // symlinks stay: programs look at the name they are started by
    std::string absolute = std::filesystem::absolute(name, error).string();
    if (error) return absl::NotFoundError(absl::StrCat("cannot resolve ", name));
    return absolute;
  }
  const auto path = env.find("PATH");
  const std::string folders = path == env.end() ? "/usr/local/bin:/usr/bin:/bin" : path->second;
  for (const absl::string_view folder : absl::StrSplit(folders, ':')) {
    // Relative entries would pick programs up from whatever folder is current.
    if (folder.empty() || folder[0] != '/') continue;
    std::string candidate = absl::StrCat(folder, folder.back() == '/' ? "" : "/", name);
    if (IsExecutableFile(candidate)) return candidate;
  }
  return absl::NotFoundError(absl::StrCat("program '", name, "' is not on PATH"));
}

bool IsLimit(ProcessResult::End end) {
  return end == ProcessResult::End::kMemoryLimit || end == ProcessResult::End::kProcessLimit ||
         end == ProcessResult::End::kDiskLimit;
}

std::string ProcessResult::Description() const {
  const absl::Duration unit =
      duration < absl::Seconds(1) ? absl::Milliseconds(1) : absl::Milliseconds(100);
  switch (end) {
    case End::kExited:
      return absl::StrCat("exit status ", exit_code);
    case End::kSignalled:
      return absl::StrCat("killed by ", SignalName(signal));
    case End::kTimedOut:
      return absl::StrCat("timed out after ", absl::FormatDuration(absl::Trunc(duration, unit)));
    case End::kCancelled:
      return "cancelled";
    case End::kProcessLimit:
      return "killed: more processes or threads than allowed";
    case End::kDiskLimit:
      return "killed: wrote more to the disk than allowed";
    case End::kMemoryLimit:
      return "killed because it used more memory than allowed";
  }
  return "";
}

}  // namespace stile
