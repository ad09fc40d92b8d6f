#include "runtime/base/status.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/disk_full.h"

namespace stile {
namespace {

// The payload of a status that IsDiskFull.
constexpr char kDiskFull[] = "stile/disk_full";

}  // namespace

absl::Status WithContext(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  absl::Status result(status.code(), absl::StrCat(context, ": ", status.message()));
  if (IsDiskFull(status)) result.SetPayload(kDiskFull, absl::Cord());
  return result;
}

absl::Status ErrnoStatus(int error_number, absl::string_view action, absl::string_view path) {
  absl::Status status(absl::ErrnoToStatusCode(error_number),
                      absl::StrCat("cannot ", action, " ", path, ": ", strerror(error_number)));
  if (error_number == ENOSPC || error_number == EDQUOT) {
    status.SetPayload(kDiskFull, absl::Cord());
  }
  return status;
}

bool IsDiskFull(const absl::Status& status) { return status.GetPayload(kDiskFull).has_value(); }

std::string FailureText(const absl::Status& status, absl::string_view run_id) {
  std::string text(status.message());
  if (!IsDiskFull(status)) return text;
  // Of a step the whole story or workflow goes on.
  return absl::StrCat(text, "; once there is room, `stile runs resume ",
                      run_id.substr(0, run_id.find('.')), "` goes on");
}

}  // namespace stile
