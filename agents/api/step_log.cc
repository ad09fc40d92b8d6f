#include "agents/api/step_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

bool IsPlainName(absl::string_view name) {
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ||
                  c == '.';
         });
}

}  // namespace

absl::StatusOr<StepLog> StepLog::Open(const std::string& folder, const std::string& name) {
  if (!IsPlainName(name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "log: '", ToUtf8(name), "' is no name of a log: give letters, digits, '-', '_' and '.'"));
  }
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));
  std::string path = JoinPath(folder, name);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoStatus(errno, "replace", path);
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return ErrnoStatus(errno, "create", path);
  return StepLog(std::move(path), std::move(file));
}

void StepLog::Append(absl::string_view piece) {
  if (bytes_ <= kMaxFileBytes) {
    Write(piece.substr(0, kMaxFileBytes - bytes_));
    if (bytes_ + piece.size() > kMaxFileBytes) {
      Write(absl::StrCat("\n[the log ends here, at ", kMaxFileBytes >> 20, " MiB]\n"));
    }
  }
  bytes_ += piece.size();
  absl::StrAppend(&text_, piece);
  if (text_.size() > 2 * kMaxTextBytes) {
    text_.erase(kMaxTextBytes / 2, text_.size() - kMaxTextBytes);
  }
}

std::string StepLog::Text() const {
  if (bytes_ <= kMaxTextBytes) return ToUtf8(text_);
  const absl::string_view text = text_;
  return ToUtf8(absl::StrCat(text.substr(0, kMaxTextBytes / 2), "\n[… of ", bytes_,
                             " bytes the middle is left out; all of it is in ", path_, " …]\n",
                             text.substr(text.size() - kMaxTextBytes / 2)));
}

void StepLog::Write(absl::string_view piece) {
  while (!piece.empty() && problem_.empty()) {
    const ssize_t written = write(file_.get(), piece.data(), piece.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      problem_ = std::string(ErrnoStatus(errno, "write", path_).message());
      return;
    }
    piece.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace stile
