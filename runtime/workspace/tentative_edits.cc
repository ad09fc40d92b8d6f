#include "runtime/workspace/tentative_edits.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

std::optional<Sha256Digest> HashOf(const std::optional<std::string>& text) {
  if (!text.has_value()) return std::nullopt;
  return Sha256Of(*text);
}

}  // namespace

TentativeEdits::TentativeEdits(FileSystem* fs, std::string root, std::string journal_dir)
    : fs_(fs), root_(std::move(root)), journal_dir_(std::move(journal_dir)) {}

TentativeEdits::~TentativeEdits() {
  // What cannot be put back now is left to recovery, with its record.
  if (!files_.empty()) TakeBack().IgnoreError();
}

EditRecord TentativeEdits::MakeRecord() const {
  EditRecord record;
  record.root = root_;
  record.new_folders = new_folders_;
  for (const auto& [path, file] : files_) {
    EditRecord::Entry entry;
    entry.relative = path;
    entry.temp_name = absl::StrCat(".stile-", RandomHex(8), ".tmp");
    entry.before = file.before.text;
    entry.before_mode = file.before.mode;
    entry.after = file.tried.empty() ? HashOf(file.now) : file.tried.back();
    entry.tried = file.tried;
    record.entries.push_back(std::move(entry));
  }
  return record;
}

void TentativeEdits::Expect(const std::string& path, std::optional<std::string> text) {
  expected_[path] = std::move(text);
}

// Writes down what is about to be tried, before anything of it is.
absl::Status TentativeEdits::Note(const std::map<std::string, Content>& wanted) {
  if (!lock_.has_value()) {
    const std::string folder = EditJournalFolder(journal_dir_, root_);
    STILE_ASSIGN_OR_RETURN(EditJournalLock lock, EditJournalLock::Share(fs_, folder));
    // What one process tries out must not be what another one starts from.
    FileLock alone(JoinPath(folder, "tentative.lock"), FileLock::Wait::kNo);
    if (!alone.held()) {
      return absl::AbortedError(
          "another process is trying out a change in this workspace; try again when it is done");
    }
    alone_ = std::move(alone);
    lock_.emplace(std::move(lock));
    record_path_ = JoinPath(folder, absl::StrCat(RandomHex(8), ".edit"));
  }
  for (const auto& [path, content] : wanted) {
    STILE_ASSIGN_OR_RETURN(const WorkspacePath place, ResolveInWorkspace(root_, path));
    if (place.relative != path) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(path), " is reached through a symlink"));
    }
    const auto [known, is_new] = files_.try_emplace(path);
    File& file = known->second;
    if (is_new) {
      const auto read = ReadIfExists(fs_, place.absolute);
      if (!read.ok()) {
        files_.erase(known);
        return read.status();
      }
      const auto expected = expected_.find(path);
      if (expected != expected_.end() && expected->second != *read) {
        files_.erase(known);
        return absl::AbortedError(absl::StrCat(ToUtf8(path), " has changed meanwhile"));
      }
      file.before.text = *read;
      file.now = *read;
      struct stat info {};
      if (stat(place.absolute.c_str(), &info) == 0) {
        file.before.mode = static_cast<int>(info.st_mode & 07777);
      }
    }
    if (!content.text.has_value()) continue;
    for (std::string folder = DirName(path); folder != "." && !FileExists(JoinPath(root_, folder));
         folder = DirName(folder)) {
      new_folders_.push_back(folder);
    }
  }
  std::sort(new_folders_.begin(), new_folders_.end());
  new_folders_.erase(std::unique(new_folders_.begin(), new_folders_.end()), new_folders_.end());
  for (auto& [path, file] : files_) {
    const auto content = wanted.find(path);
    file.tried.push_back(HashOf(content == wanted.end() ? file.before.text : content->second.text));
  }
  return WriteFileAtomically(fs_, record_path_, SerializeEditRecord(MakeRecord()), /*mode=*/0600);
}

absl::Status TentativeEdits::Try(const std::map<std::string, Content>& wanted) {
  STILE_RETURN_IF_ERROR(Note(wanted));
  EditTransaction edit(fs_, root_, journal_dir_);
  for (const auto& [path, file] : files_) {
    const auto found = wanted.find(path);
    const Content& content = found == wanted.end() ? file.before : found->second;
    edit.Expect(path, file.now);
    if (content.text == file.now) continue;
    STILE_RETURN_IF_ERROR(content.text.has_value() ? edit.Write(path, *content.text, content.mode)
                                                   : edit.Delete(path));
  }
  STILE_RETURN_IF_ERROR(edit.Commit());
  for (auto& [path, file] : files_) {
    const auto found = wanted.find(path);
    file.now = found == wanted.end() ? file.before.text : found->second.text;
  }
  return absl::OkStatus();
}

absl::Status TentativeEdits::Keep() {
  files_.clear();
  if (!lock_.has_value()) return absl::OkStatus();
  const absl::Status removed = fs_->RemoveFile(record_path_);
  alone_ = FileLock();
  lock_.reset();
  return absl::IsNotFound(removed) ? absl::OkStatus() : removed;
}

absl::StatusOr<std::vector<std::string>> TentativeEdits::TakeBack() {
  if (!lock_.has_value()) return std::vector<std::string>();
  STILE_ASSIGN_OR_RETURN(Restored restored, stile::TakeBack(fs_, MakeRecord()));
  STILE_RETURN_IF_ERROR(Keep());
  return std::move(restored.foreign);
}

}  // namespace stile
