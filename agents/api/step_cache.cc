#include "agents/api/step_cache.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEntryBytes = size_t{16} << 20;
constexpr char kReply[] = "reply.json";

// Links are copied as links; a name that is one itself could lead anywhere.
absl::Status Copy(const std::string& from, const std::string& to) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(from, error);
  if (error || !(fs::is_directory(status) || fs::is_regular_file(status))) {
    return absl::FailedPreconditionError(absl::StrCat(from, " is no file and no folder"));
  }
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("copy ", from, ": ", error.message()));
}

struct Entry {
  int64_t until = 0;  // seconds since 1970
  Json output;
  std::vector<std::string> names;
};

absl::StatusOr<Entry> ReadEntry(const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         DiskFileSystem()->ReadFile(JoinPath(folder, kReply), kMaxEntryBytes));
  STILE_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  const auto until = JsonInt(json, "until");
  const Json* const output = JsonMember(json, "output");
  const Json* const names = JsonMember(json, "names");
  if (!until || output == nullptr || names == nullptr || !names->is_array()) {
    return absl::DataLossError(absl::StrCat(folder, " is damaged"));
  }
  Entry entry;
  entry.until = *until;
  entry.output = *output;
  for (const Json& name : *names) {
    if (name.is_string()) entry.names.push_back(name.get<std::string>());
  }
  return entry;
}

// An entry that is being made has no reply yet; its maker may have been killed.
bool IsAbandoned(const std::string& folder) {
  std::error_code error;
  const auto changed = fs::last_write_time(folder, error);
  return !error && fs::file_time_type::clock::now() - changed > std::chrono::hours(1);
}

}  // namespace

void StepCache::RemoveOld() {
  const auto keys = ListDirectory(folder_);
  if (!keys.ok()) return;
  for (const std::string& key : *keys) {
    const std::string entry = JoinPath(folder_, key);
    const auto read = ReadEntry(entry);
    bool is_old = !read.ok() || read->until <= absl::ToUnixSeconds(clock_->Now());
    if (absl::IsNotFound(read.status())) is_old = IsAbandoned(entry);
    if (is_old) RemoveTree(entry).IgnoreError();
  }
}

std::optional<StepReply> StepCache::Find(const std::string& key, const std::string& artifacts) {
  RemoveOld();
  const std::string folder = JoinPath(folder_, key);
  const auto entry = ReadEntry(folder);
  if (!entry.ok()) return std::nullopt;
  for (const std::string& name : entry->names) {
    const std::string place = JoinPath(artifacts, name);
    if (!RemoveTree(place).ok() || !Copy(JoinPath(folder, name), place).ok()) return std::nullopt;
  }
  StepReply reply;
  reply.output = entry->output;
  return reply;
}

absl::Status StepCache::Keep(const std::string& key, absl::Duration lifetime, const Json& output,
                             const std::string& artifacts, const std::vector<std::string>& names) {
  const std::string folder = JoinPath(folder_, key);
  const std::string made = absl::StrCat(folder, ".", NewRunId(clock_->Now()));
  absl::Status status = DiskFileSystem()->MakeDirs(made);
  for (const std::string& name : names) {
    if (status.ok()) status = Copy(JoinPath(artifacts, name), JoinPath(made, name));
  }
  const Json reply = {{"until", absl::ToUnixSeconds(clock_->Now() + lifetime)},
                      {"output", output},
                      {"names", names}};
  if (status.ok()) {
    status = DiskFileSystem()->WriteFile(JoinPath(made, kReply), DumpJson(reply), 0600, false);
  }
  if (status.ok()) status = RemoveTree(folder);
  if (status.ok()) status = DiskFileSystem()->Rename(made, folder);
  if (!status.ok()) RemoveTree(made).IgnoreError();
  return status;
}

}  // namespace stile
