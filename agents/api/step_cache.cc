#include "agents/api/step_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/ids.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEntryBytes = size_t{16} << 20;
constexpr char kReply[] = "reply.json";

constexpr const char* kSessionVariables[] = {
    "_",
    "COLORTERM",
    "COLUMNS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "DISPLAY",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "LINES",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "STY",
    "TERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TMUX",
    "TMUX_PANE",
    "WAYLAND_DISPLAY",
    "WINDOWID",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SEAT",
    "XDG_SESSION_CLASS",
    "XDG_SESSION_ID",
    "XDG_SESSION_TYPE",
    "XDG_VTNR",
};

// Links are copied as links; a name that is one itself could lead anywhere.
absl::Status Copy(const std::string& from, const std::string& to) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(from, error);
  if (error || !(fs::is_directory(status) || fs::is_regular_file(status))) {
    return absl::FailedPreconditionError(absl::StrCat(from, " is no file and no folder"));
  }
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  // Folders are made with the umask.
  std::vector<fs::path> folders;
  if (!error && fs::is_directory(status)) {
    folders.emplace_back();
    for (auto entry = fs::recursive_directory_iterator(from, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (fs::is_directory(entry->symlink_status(error))) {
        folders.push_back(entry->path().lexically_relative(from));
      }
    }
  }
  for (auto folder = folders.rbegin(); folder != folders.rend() && !error; ++folder) {
    const fs::perms mode = fs::status(fs::path(from) / *folder, error).permissions();
    if (!error) fs::permissions(fs::path(to) / *folder, mode, error);
  }
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
bool IsAbandoned(const std::string& folder, absl::Time now) {
  struct stat info {};
  return stat(folder.c_str(), &info) == 0 && now - absl::FromTimeT(info.st_mtime) > absl::Hours(1);
}

// Of the file that a path leads to; "" where there is none, or a folder.
std::string Described(const std::string& path, bool follow) {
  struct stat info {};
  if ((follow ? stat : lstat)(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return "";
  return absl::StrCat(path, " ", info.st_mode, " ", info.st_size, " ", info.st_ino, " ",
                      info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, " ", info.st_ctim.tv_sec, ".",
                      info.st_ctim.tv_nsec, "\n");
}

// What git tells of the repository around `folder` besides its files: branches, tags,
// configuration.
void AddRepository(std::string folder, std::vector<std::string>* lines) {
  std::error_code error;
  while (folder.size() > 1 && !fs::exists(JoinPath(folder, ".git"), error)) {
    folder = DirName(folder);
  }
  const std::string git_dir = JoinPath(folder, ".git");
  for (const char* name : {"HEAD", "config", "packed-refs", "info/exclude"}) {
    lines->push_back(Described(JoinPath(git_dir, name), true));
  }
  const std::string refs = JoinPath(git_dir, "refs");
  for (auto ref = fs::recursive_directory_iterator(refs, error);
       !error && ref != fs::recursive_directory_iterator(); ref.increment(error)) {
    lines->push_back(Described(ref->path().string(), true));
  }
}

}  // namespace

Environment WithoutSession(Environment environment) {
  for (const char* name : kSessionVariables) environment.erase(name);
  return environment;
}

std::string FingerprintOf(const std::string& workspace, const Snapshot& content,
                          const std::vector<std::string>& texts, const Environment& environment) {
  std::vector<std::string> lines = {content.RootHash()};
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(workspace, options, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    std::error_code ignored;
    const fs::file_type type = entry->symlink_status(ignored).type();
    if (type == fs::file_type::directory) continue;
    const FileRecord* const known = content.Find(path.substr(workspace.size() + 1));
    if (known != nullptr && type == fs::file_type::regular) continue;
    lines.push_back(absl::StrCat(Described(path, /*follow=*/false), Described(path, true)));
  }
  AddRepository(workspace, &lines);
  std::sort(lines.begin() + 1, lines.end());
  // What could not be listed could have changed.
  if (error) lines.push_back(RandomHex(16));
  for (const std::string& text : texts) {
    for (const absl::string_view word :
         absl::StrSplit(text, absl::ByAnyChar(" \t\n'\"=;|&()<>"), absl::SkipEmpty())) {
      const std::string name(word);
      const FileRecord* const known = content.Find(CleanPath(name));
      if (known != nullptr && known->kind == FileRecord::Kind::kRegular) continue;
      lines.push_back(Described(name[0] == '/' ? name : JoinPath(workspace, name), true));
      if (absl::StrContains(name, "/")) continue;
      const auto program = FindExecutable(name, environment);
      if (program.ok()) lines.push_back(Described(*program, true));
    }
  }
  return Sha256Hex(absl::StrJoin(lines, ""));
}

void StepCache::RemoveOld() {
  const auto keys = ListDirectory(folder_);
  if (!keys.ok()) return;
  for (const std::string& key : *keys) {
    const std::string entry = JoinPath(folder_, key);
    const auto read = ReadEntry(entry);
    bool is_old = !read.ok() || read->until <= absl::ToUnixSeconds(clock_->Now());
    if (absl::IsNotFound(read.status())) is_old = IsAbandoned(entry, clock_->Now());
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
    const std::string beside = absl::StrCat(place, ".", NewRunId(clock_->Now()));
    const bool put_back = Copy(JoinPath(folder, name), beside).ok() && RemoveTree(place).ok() &&
                          DiskFileSystem()->Rename(beside, place).ok();
    if (!put_back) {
      RemoveTree(beside).IgnoreError();
      return std::nullopt;
    }
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
