// Text form: one line of JSON, then the old contents one after the other, raw.
#include "runtime/workspace/edit_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr int kFormat = 1;

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the record of a transaction is damaged: ", what));
}

// Paths may hold any byte, so they are in base64.
absl::StatusOr<std::string> PathMember(const Json& value, absl::string_view key) {
  const std::optional<std::string> encoded = JsonString(value, key);
  if (!encoded.has_value()) return Damaged(absl::StrCat("no ", key));
  return Base64Decode(*encoded);
}

absl::StatusOr<Sha256Digest> ParseHash(const std::string& hex) {
  const std::string bytes = absl::HexStringToBytes(hex);
  if (hex.size() != 64 || bytes.size() != 32) return Damaged("a hash");
  Sha256Digest digest;
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

absl::StatusOr<EditRecord::Entry> ParseEntry(const Json& value, absl::string_view* contents) {
  EditRecord::Entry entry;
  STILE_ASSIGN_OR_RETURN(entry.relative, PathMember(value, "path"));
  STILE_ASSIGN_OR_RETURN(entry.temp_name, PathMember(value, "temp"));
  if (entry.temp_name.empty() || entry.temp_name.find('/') != std::string::npos) {
    return Damaged("a temporary name");
  }
  if (const std::optional<int64_t> size = JsonInt(value, "before_bytes")) {
    if (*size < 0 || static_cast<uint64_t>(*size) > contents->size()) return Damaged("too short");
    entry.before = std::string(contents->substr(0, static_cast<size_t>(*size)));
    contents->remove_prefix(static_cast<size_t>(*size));
  }
  entry.before_mode = static_cast<int>(JsonInt(value, "before_mode").value_or(0644) & 07777);
  if (const std::optional<std::string> hex = JsonString(value, "after_sha256")) {
    STILE_ASSIGN_OR_RETURN(entry.after, ParseHash(*hex));
  }
  if (const Json* tried = JsonMember(value, "tried_sha256"); tried != nullptr) {
    if (!tried->is_array()) return Damaged("the attempts");
    for (const Json& hash : *tried) {
      entry.tried.emplace_back();
      if (hash.is_null()) continue;
      if (!hash.is_string()) return Damaged("a hash");
      STILE_ASSIGN_OR_RETURN(entry.tried.back(), ParseHash(hash.get<std::string>()));
    }
  }
  return entry;
}

// NotFound is what we want: gone. Looked up first, because a read-only disk refuses even that.
absl::Status RemoveIfExists(FileSystem* fs, const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 && errno == ENOENT) return absl::OkStatus();
  const absl::Status status = fs->RemoveFile(path);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

// True when the file was changed.
absl::Status TakeBackOne(FileSystem* fs, const EditRecord::Entry& entry,
                         const std::string& absolute, Restored* restored) {
  STILE_ASSIGN_OR_RETURN(const std::optional<std::string> now, ReadIfExists(fs, absolute));
  if (now == entry.before) return absl::OkStatus();
  std::optional<Sha256Digest> hash;
  if (now.has_value()) hash = Sha256Of(*now);
  const bool is_ours = hash == entry.after ||
                       std::find(entry.tried.begin(), entry.tried.end(), hash) != entry.tried.end();
  if (!is_ours) {
    restored->foreign.push_back(entry.relative);
    return absl::OkStatus();
  }
  if (!entry.before.has_value()) {
    STILE_RETURN_IF_ERROR(fs->RemoveFile(absolute));
    restored->changed.push_back(entry.relative);
    return absl::OkStatus();
  }
  // By the recorded name: a crash in here leaves nothing that the next attempt does not know of.
  const std::string folder = DirName(absolute);
  const std::string temp = JoinPath(folder, entry.temp_name);
  STILE_RETURN_IF_ERROR(fs->WriteFile(temp, *entry.before, entry.before_mode, /*sync=*/true));
  STILE_RETURN_IF_ERROR(fs->Rename(temp, absolute));
  STILE_RETURN_IF_ERROR(fs->SyncDir(folder));
  restored->changed.push_back(entry.relative);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReadIfExists(FileSystem* fs, const std::string& path) {
  absl::StatusOr<std::string> bytes = fs->ReadFile(path, kMaxFileBytes);
  if (bytes.ok()) return std::optional<std::string>(*std::move(bytes));
  if (absl::IsNotFound(bytes.status())) return std::optional<std::string>();
  return bytes.status();
}

std::string SerializeEditRecord(const EditRecord& record) {
  Json entries = Json::array();
  std::string contents;
  for (const EditRecord::Entry& entry : record.entries) {
    Json value = {{"path", Base64Encode(entry.relative)},
                  {"temp", Base64Encode(entry.temp_name)},
                  {"before_mode", entry.before_mode}};
    if (entry.before.has_value()) {
      value["before_bytes"] = entry.before->size();
      contents += *entry.before;
    }
    if (entry.after.has_value()) value["after_sha256"] = ToHex(*entry.after);
    for (const auto& hash : entry.tried) {
      value["tried_sha256"].push_back(hash.has_value() ? Json(ToHex(*hash)) : Json());
    }
    entries.push_back(std::move(value));
  }
  Json folders = Json::array();
  for (const std::string& folder : record.new_folders) folders.push_back(Base64Encode(folder));
  const Json header = {{"format", kFormat},
                       {"root", Base64Encode(record.root)},
                       {"entries", std::move(entries)},
                       {"new_folders", std::move(folders)}};
  return absl::StrCat(DumpJson(header), "\n", contents);
}

absl::StatusOr<EditRecord> ParseEditRecord(absl::string_view text) {
  const size_t end = text.find('\n');
  if (end == absl::string_view::npos) return Damaged("no header");
  const absl::StatusOr<Json> header = ParseJson(text.substr(0, end));
  if (!header.ok()) return Damaged(header.status().message());
  if (JsonInt(*header, "format") != kFormat) return Damaged("unknown format");
  EditRecord record;
  STILE_ASSIGN_OR_RETURN(record.root, PathMember(*header, "root"));
  if (!absl::StartsWith(record.root, "/")) return Damaged("the root is not absolute");
  const Json* entries = JsonMember(*header, "entries");
  const Json* folders = JsonMember(*header, "new_folders");
  if (entries == nullptr || !entries->is_array() || folders == nullptr || !folders->is_array()) {
    return Damaged("no entries");
  }
  absl::string_view contents = text.substr(end + 1);
  for (const Json& value : *entries) {
    STILE_ASSIGN_OR_RETURN(EditRecord::Entry entry, ParseEntry(value, &contents));
    record.entries.push_back(std::move(entry));
  }
  if (!contents.empty()) return Damaged("bytes left over");
  for (const Json& value : *folders) {
    STILE_ASSIGN_OR_RETURN(std::string folder, PathMember(Json{{"folder", value}}, "folder"));
    record.new_folders.push_back(std::move(folder));
  }
  return record;
}

absl::StatusOr<Restored> TakeBack(FileSystem* fs, const EditRecord& record) {
  Restored restored;
  absl::Status first_error;
  const auto note = [&first_error](const absl::Status& status) {
    if (first_error.ok()) first_error = status;
  };
  for (const EditRecord::Entry& entry : record.entries) {
    const auto resolved = ResolveInWorkspace(record.root, entry.relative);
    // A folder above it is a symlink now: what lies there is not what the transaction wrote.
    if (!resolved.ok() || resolved->relative != entry.relative) {
      restored.foreign.push_back(entry.relative);
      continue;
    }
    note(RemoveIfExists(fs, JoinPath(DirName(resolved->absolute), entry.temp_name)));
    note(TakeBackOne(fs, entry, resolved->absolute, &restored));
  }
  // Best effort: a folder that somebody else uses by now stays.
  for (auto folder = record.new_folders.rbegin(); folder != record.new_folders.rend(); ++folder) {
    const auto resolved = ResolveInWorkspace(record.root, *folder);
    if (resolved.ok() && resolved->relative == *folder && DirectoryExists(resolved->absolute)) {
      fs->RemoveDir(resolved->absolute).IgnoreError();
    }
  }
  if (!first_error.ok()) return first_error;
  return restored;
}

std::string EditJournalFolder(const std::string& journal_dir, const std::string& root) {
  return JoinPath(journal_dir, Sha256Hex(root).substr(0, 32));
}

absl::StatusOr<EditJournalLock> EditJournalLock::Share(FileSystem* fs, const std::string& folder) {
  STILE_RETURN_IF_ERROR(fs->MakeDirs(folder));
  const std::string path = JoinPath(folder, "lock");
  EditJournalLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.fd_ < 0) return ErrnoStatus(errno, "open", ToUtf8(path));
  while (flock(lock.fd_, LOCK_SH) != 0) {
    if (errno != EINTR) return ErrnoStatus(errno, "lock", ToUtf8(path));
  }
  return lock;
}

absl::StatusOr<EditJournalLock> EditJournalLock::TakeAlone(FileSystem* fs, Clock* clock,
                                                           const std::string& folder,
                                                           absl::Duration patience) {
  STILE_RETURN_IF_ERROR(fs->MakeDirs(folder));
  const std::string path = JoinPath(folder, "lock");
  EditJournalLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.fd_ < 0) return ErrnoStatus(errno, "open", ToUtf8(path));
  for (const absl::Duration end = clock->Monotonic() + patience;;) {
    if (flock(lock.fd_, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK && errno != EINTR) return ErrnoStatus(errno, "lock", ToUtf8(path));
    if (clock->Monotonic() > end) {
      return absl::UnavailableError(
          "another process is editing files of this workspace; try again when it is done");
    }
    clock->Sleep(absl::Milliseconds(2), nullptr);
  }
}

EditJournalLock::~EditJournalLock() {
  if (fd_ >= 0) close(fd_);
}

namespace {

bool IsTentative(const EditRecord& record) {
  return std::any_of(record.entries.begin(), record.entries.end(),
                     [](const EditRecord::Entry& entry) { return !entry.tried.empty(); });
}

}  // namespace

absl::StatusOr<Restored> RecoverTransactions(FileSystem* fs, Clock* clock,
                                             const std::string& journal_dir,
                                             const std::string& root) {
  std::set<std::string> changed;
  std::set<std::string> foreign;
  const std::string folder = EditJournalFolder(journal_dir, root);
  if (!DirectoryExists(folder)) return Restored{};
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> names, ListDirectory(folder));
  const auto is_leftover = [](const std::string& name) {
    return absl::EndsWith(name, ".edit") || absl::EndsWith(name, ".tmp");
  };
  if (std::none_of(names.begin(), names.end(), is_leftover)) return Restored{};
  // What is there may belong to transactions under way. Those of live processes end in a moment.
  STILE_ASSIGN_OR_RETURN(const EditJournalLock lock,
                         EditJournalLock::TakeAlone(fs, clock, folder, absl::Seconds(5)));
  STILE_ASSIGN_OR_RETURN(names, ListDirectory(folder));
  std::vector<std::pair<std::string, EditRecord>> records;
  for (const std::string& name : names) {
    const std::string path = JoinPath(folder, name);
    if (absl::EndsWith(name, ".tmp")) {  // a record that was never finished: nothing was changed
      STILE_RETURN_IF_ERROR(RemoveIfExists(fs, path));
    }
    if (!absl::EndsWith(name, ".edit")) continue;
    STILE_ASSIGN_OR_RETURN(const std::string text, fs->ReadFile(path, SIZE_MAX - 1));
    absl::StatusOr<EditRecord> record = ParseEditRecord(text);
    if (!record.ok()) return WithContext(record.status(), ToUtf8(path));
    if (record->root != root) return WithContext(Damaged("another root"), ToUtf8(path));
    records.emplace_back(path, *std::move(record));
  }
  // An attempt is a transaction inside of TentativeEdits: it goes first, or it would bring back the
  // attempt before it.
  std::stable_partition(records.begin(), records.end(),
                        [](const auto& record) { return !IsTentative(record.second); });
  for (const auto& [path, record] : records) {
    STILE_ASSIGN_OR_RETURN(const Restored restored, TakeBack(fs, record));
    changed.insert(restored.changed.begin(), restored.changed.end());
    // What holds something else for one record may be as it was for the next.
    for (const EditRecord::Entry& entry : record.entries) foreign.erase(entry.relative);
    foreign.insert(restored.foreign.begin(), restored.foreign.end());
    STILE_RETURN_IF_ERROR(RemoveIfExists(fs, path));
  }
  return Restored{{changed.begin(), changed.end()}, {foreign.begin(), foreign.end()}};
}

}  // namespace stile
