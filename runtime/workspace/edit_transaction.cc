// Commit, in order: take the lock; read the old contents; write the record (edit_record.h); write
// the new contents beside their targets; rename and delete; sync the folders; remove the record,
// which is the moment at which the transaction holds. Any failure, and any crash, before that leads
// to TakeBack.
#include "runtime/workspace/edit_transaction.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/edit_record.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// From /proc, because asking umask() means setting it for all threads.
int ProcessUmask() {
  const auto text = DiskFileSystem()->ReadFile("/proc/self/status", 1 << 20);
  if (!text.ok()) return 022;
  for (absl::string_view line : SplitLines(*text)) {
    if (!absl::ConsumePrefix(&line, "Umask:")) continue;
    uint32_t mask = 0;
    for (const char c : absl::StripAsciiWhitespace(line)) mask = mask * 8 + (c - '0');
    return static_cast<int>(mask & 0777);
  }
  return 022;
}

int ModeOf(const std::string& path, int otherwise) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<int>(info.st_mode & 07777) : otherwise;
}

bool IsSymlink(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

absl::Status RefuseSymlink(absl::string_view root, absl::string_view path) {
  const std::string named =
      path[0] == '/' ? std::string(path) : JoinPath(root, absl::StripSuffix(path, "/"));
  if (!IsSymlink(named)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(ToUtf8(path), " is a symlink; name the file it leads to instead"));
}

}  // namespace

EditTransaction::EditTransaction(FileSystem* fs, std::string root, std::string journal_dir)
    : fs_(fs), root_(std::move(root)), journal_dir_(std::move(journal_dir)) {}

absl::Status EditTransaction::Add(absl::string_view path, std::optional<std::string> content,
                                  int mode) {
  STILE_ASSIGN_OR_RETURN(WorkspacePath resolved, ResolveInWorkspace(root_, path));
  if (resolved.relative == "." || absl::EndsWith(path, "/")) {
    return absl::InvalidArgumentError(absl::StrCat(ToUtf8(path), " is a folder, not a file"));
  }
  for (const Edit& edit : edits_) {
    if (edit.relative == resolved.relative) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToUtf8(path), " is edited twice in one transaction"));
    }
  }
  Edit edit;
  edit.relative = std::move(resolved.relative);
  edit.absolute = std::move(resolved.absolute);
  edit.content = std::move(content);
  edit.mode = mode;
  edits_.push_back(std::move(edit));
  return absl::OkStatus();
}

absl::Status EditTransaction::Write(absl::string_view path, std::string content, int mode) {
  return Add(path, std::move(content), mode & 0777 & ~ProcessUmask());
}

absl::Status EditTransaction::Delete(absl::string_view path) {
  STILE_RETURN_IF_ERROR(ResolveInWorkspace(root_, path).status());
  STILE_RETURN_IF_ERROR(RefuseSymlink(root_, path));
  return Add(path, std::nullopt, 0);
}

absl::Status EditTransaction::Move(absl::string_view from, absl::string_view to) {
  STILE_ASSIGN_OR_RETURN(const WorkspacePath source, ResolveInWorkspace(root_, from));
  STILE_ASSIGN_OR_RETURN(const WorkspacePath target, ResolveInWorkspace(root_, to));
  if (FileExists(target.absolute)) {
    return absl::AlreadyExistsError(absl::StrCat(ToUtf8(to), " exists already"));
  }
  STILE_ASSIGN_OR_RETURN(std::string content, fs_->ReadFile(source.absolute, kMaxFileBytes));
  STILE_RETURN_IF_ERROR(Delete(from));
  const absl::Status added = Add(to, content, ModeOf(source.absolute, 0644));
  if (!added.ok()) {
    edits_.pop_back();
    return added;
  }
  Expect(from, std::move(content));
  Expect(to, std::nullopt);
  return absl::OkStatus();
}

void EditTransaction::Expect(absl::string_view path, std::optional<std::string> content) {
  expectations_.push_back({std::string(path), std::move(content)});
}

std::vector<std::string> EditTransaction::paths() const {
  std::vector<std::string> result;
  for (const Edit& edit : edits_) result.push_back(edit.relative);
  std::sort(result.begin(), result.end());
  return result;
}

absl::Status EditTransaction::ReadBefore() {
  for (Edit& edit : edits_) {
    STILE_ASSIGN_OR_RETURN(const WorkspacePath now, ResolveInWorkspace(root_, edit.relative));
    if (now.absolute != edit.absolute) {
      return absl::AbortedError(
          absl::StrCat(ToUtf8(edit.relative), " leads elsewhere now: a symlink was put there"));
    }
    STILE_ASSIGN_OR_RETURN(edit.before, ReadIfExists(fs_, edit.absolute));
    if (!edit.before.has_value() && !edit.content.has_value()) {
      return absl::NotFoundError(absl::StrCat(ToUtf8(edit.relative), " does not exist"));
    }
    edit.before_mode = ModeOf(edit.absolute, edit.mode);
  }
  return absl::OkStatus();
}

absl::Status EditTransaction::CheckExpectations() const {
  for (const Expectation& expectation : expectations_) {
    STILE_ASSIGN_OR_RETURN(const WorkspacePath path, ResolveInWorkspace(root_, expectation.path));
    STILE_ASSIGN_OR_RETURN(const auto now, ReadIfExists(fs_, path.absolute));
    if (now == expectation.content) continue;
    return absl::AbortedError(absl::StrCat(ToUtf8(path.relative), !now.has_value() ? " is gone"
                                                                  : !expectation.content.has_value()
                                                                      ? " exists by now"
                                                                      : " has changed meanwhile"));
  }
  return absl::OkStatus();
}

EditRecord EditTransaction::MakeRecord() const {
  EditRecord record;
  record.root = root_;
  std::set<std::string> new_folders;
  for (const Edit& edit : edits_) {
    if (edit.before == edit.content) continue;  // nothing to do, and its mtime may stay
    EditRecord::Entry entry;
    entry.relative = edit.relative;
    entry.before = edit.before;
    entry.before_mode = edit.before_mode;
    entry.temp_name = absl::StrCat(".stile-", RandomHex(8), ".tmp");
    if (edit.content.has_value()) {
      entry.after = Sha256Of(*edit.content);
      for (std::string folder = DirName(edit.relative);
           folder != "." && !FileExists(JoinPath(root_, folder)); folder = DirName(folder)) {
        new_folders.insert(folder);
      }
    }
    record.entries.push_back(std::move(entry));
  }
  record.new_folders.assign(new_folders.begin(), new_folders.end());
  return record;
}

absl::Status EditTransaction::Apply(const EditRecord& record) {
  for (const std::string& folder : record.new_folders) {
    STILE_RETURN_IF_ERROR(fs_->MakeDirs(JoinPath(root_, folder)));
  }
  std::set<std::string> folders;
  std::vector<std::pair<const Edit*, std::string>> steps;  // with the place of the new content
  auto entry = record.entries.begin();
  for (const Edit& edit : edits_) {
    if (edit.before == edit.content) continue;
    const std::string folder = DirName(edit.absolute);
    steps.emplace_back(&edit, JoinPath(folder, entry++->temp_name));
    folders.insert(folder);
    if (!edit.content.has_value()) continue;
    const int mode = edit.before.has_value() ? edit.before_mode : edit.mode;
    STILE_RETURN_IF_ERROR(fs_->WriteFile(steps.back().second, *edit.content, mode, /*sync=*/true));
  }
  for (const auto& [edit, temp] : steps) {
    STILE_RETURN_IF_ERROR(edit->content.has_value() ? fs_->Rename(temp, edit->absolute)
                                                    : fs_->RemoveFile(edit->absolute));
  }
  for (const std::string& folder : folders) STILE_RETURN_IF_ERROR(fs_->SyncDir(folder));
  for (const std::string& folder : record.new_folders) {
    STILE_RETURN_IF_ERROR(fs_->SyncDir(DirName(JoinPath(root_, folder))));
  }
  return absl::OkStatus();
}

absl::Status EditTransaction::Commit() {
  if (committed_) return absl::FailedPreconditionError("the transaction is committed already");
  // Before anything is read, which a recovery may be about to change.
  const std::string journal = EditJournalFolder(journal_dir_, root_);
  STILE_ASSIGN_OR_RETURN(const EditJournalLock lock, EditJournalLock::Share(fs_, journal));
  STILE_RETURN_IF_ERROR(ReadBefore());
  STILE_RETURN_IF_ERROR(CheckExpectations());
  const EditRecord record = MakeRecord();
  if (record.entries.empty()) {
    committed_ = true;
    return absl::OkStatus();
  }
  const std::string record_path = JoinPath(journal, absl::StrCat(RandomHex(8), ".edit"));
  absl::Status status =
      WriteFileAtomically(fs_, record_path, SerializeEditRecord(record), /*mode=*/0600);
  if (status.ok()) status = Apply(record);
  if (status.ok()) status = fs_->RemoveFile(record_path);
  if (status.ok()) {
    committed_ = true;
    // It holds already. Without this sync a power failure could bring the record back, and with it
    // the old state, whole.
    fs_->SyncDir(journal).IgnoreError();
    return absl::OkStatus();
  }
  const auto taken_back = TakeBack(fs_, record);
  if (!taken_back.ok()) {
    return absl::DataLossError(absl::StrCat(
        "some files could not be put back (", taken_back.status().message(),
        ") after: ", status.message(), "; the old contents are in ", ToUtf8(record_path)));
  }
  fs_->RemoveFile(record_path).IgnoreError();
  return status;
}

absl::StatusOr<std::vector<std::string>> EditTransaction::Undo() {
  if (!committed_)
    return absl::FailedPreconditionError("there is no committed transaction to undo");
  EditTransaction inverse(fs_, root_, journal_dir_);
  std::vector<std::string> untouched;
  for (const Edit& edit : edits_) {
    if (edit.before == edit.content) continue;
    const auto resolved = ResolveInWorkspace(root_, edit.relative);
    std::optional<std::string> now;
    bool ours = resolved.ok() && resolved->absolute == edit.absolute;
    if (ours) {
      const auto read = ReadIfExists(fs_, edit.absolute);
      ours = read.ok() && *read == edit.content;
    }
    if (!ours) {
      untouched.push_back(edit.relative);
      continue;
    }
    inverse.Expect(edit.relative, edit.content);
    inverse.edits_.push_back(
        {edit.relative, edit.absolute, edit.before, edit.before_mode, std::nullopt, 0});
  }
  STILE_RETURN_IF_ERROR(inverse.Commit());
  committed_ = false;
  edits_.clear();
  std::sort(untouched.begin(), untouched.end());
  return untouched;
}

}  // namespace stile
