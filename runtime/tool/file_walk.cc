#include "runtime/tool/file_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/ignore_rules.h"

namespace stile {
namespace {

constexpr size_t kMaxEntries = 500'000;

bool InGitTree(std::string folder) {
  while (!FileExists(JoinPath(folder, ".git"))) {
    if (folder == "/") return false;
    folder = DirName(folder);
  }
  return true;
}

// The rules that hold in the folder `start`, read as far as the folders above it. nullopt: `start`
// is ignored itself; then nothing below it is ignored.
absl::StatusOr<std::optional<IgnoreRules::Reader>> RulesAbove(const std::string& workspace,
                                                              const std::string& start) {
  STILE_ASSIGN_OR_RETURN(
      IgnoreRules::Reader rules,
      IgnoreRules::Reader::Open(
          workspace, InGitTree(workspace) ? std::vector<std::string>() : DefaultIgnorePatterns()));
  if (start == ".") return rules;
  for (size_t end = 0; end != std::string::npos;) {
    const std::string above = start.substr(0, end);
    STILE_ASSIGN_OR_RETURN(const auto entries, ListEntries(JoinPath(workspace, above)));
    STILE_RETURN_IF_ERROR(rules.EnterFolder(above, entries));
    end = start.find('/', end + 1);
    if (rules.Matches(start.substr(0, end), /*is_folder=*/true)) return std::nullopt;
  }
  return rules;
}

absl::StatusOr<DirectoryEntries> EntriesOf(const std::string& folder, DirectoryCache* folders) {
  if (folders != nullptr) return folders->List(folder);
  STILE_ASSIGN_OR_RETURN(std::vector<DirectoryEntry> entries, ListEntries(folder));
  return std::make_shared<const std::vector<DirectoryEntry>>(std::move(entries));
}

class Walker {
 public:
  Walker(const ToolContext& context, std::optional<IgnoreRules::Reader> rules, bool recursive,
         const std::function<bool(const WalkEntry&)>& visit, const WalkSources& sources)
      : context_(context),
        rules_(std::move(rules)),
        recursive_(recursive),
        visit_(visit),
        sources_(sources) {}

  // Whether to go on. Of an ignored folder, only tracked files count.
  absl::StatusOr<bool> Folder(const std::string& relative,
                              const std::vector<DirectoryEntry>& entries, bool is_ignored) {
    if (rules_.has_value() && !is_ignored) {
      STILE_RETURN_IF_ERROR(rules_->EnterFolder(relative == "." ? "" : relative, entries));
    }
    for (const DirectoryEntry& entry : entries) {
      if (context_.cancellation != nullptr && context_.cancellation->cancelled()) {
        return absl::CancelledError("cancelled");
      }
      if (absl::EqualsIgnoreCase(entry.name, ".git")) continue;
      STILE_ASSIGN_OR_RETURN(const bool go_on,
                             Entry(JoinPath(relative, entry.name), entry.is_folder, is_ignored));
      if (!go_on) return false;
    }
    return true;
  }

  WalkSummary summary() const { return summary_; }

 private:
  // Whether git tracks the file, or a file below the folder.
  bool IsTracked(const std::string& path, bool is_folder) const {
    if (!sources_.tracked) return false;
    const std::vector<std::string>& tracked = sources_.tracked();
    const std::string wanted = is_folder ? absl::StrCat(path, "/") : path;
    const auto found = std::lower_bound(tracked.begin(), tracked.end(), wanted);
    if (found == tracked.end()) return false;
    return is_folder ? absl::StartsWith(*found, wanted) : *found == wanted;
  }

  absl::StatusOr<bool> Entry(std::string relative, bool is_folder, bool is_ignored) {
    is_ignored = is_ignored || (rules_.has_value() && rules_->Matches(relative, is_folder));
    if (is_ignored && !IsTracked(relative, is_folder)) {
      ++summary_.ignored;
      return true;
    }
    const std::string absolute = JoinPath(context_.workspace, relative);
    struct stat info {};
    if (!is_folder && lstat(absolute.c_str(), &info) != 0) return true;  // gone meanwhile
    if (++seen_ > kMaxEntries) {
      summary_.cut = true;
      return false;
    }
    WalkEntry entry;
    entry.path = std::move(relative);
    entry.kind = is_folder               ? WalkEntry::Kind::kFolder
                 : S_ISREG(info.st_mode) ? WalkEntry::Kind::kFile
                 : S_ISLNK(info.st_mode) ? WalkEntry::Kind::kSymlink
                                         : WalkEntry::Kind::kOther;
    if (entry.kind == WalkEntry::Kind::kFile) entry.stamp = DiskStampOf(info);
    if (!visit_(entry)) return false;
    if (!is_folder || !recursive_) return true;
    const auto entries = EntriesOf(absolute, sources_.folders);
    if (absl::IsNotFound(entries.status())) return true;  // gone meanwhile
    if (!entries.ok()) {
      ++summary_.unreadable;
      return true;
    }
    return Folder(entry.path, **entries, is_ignored);
  }

  const ToolContext& context_;
  std::optional<IgnoreRules::Reader> rules_;  // nullopt: nothing is ignored
  const bool recursive_;
  const std::function<bool(const WalkEntry&)>& visit_;
  const WalkSources& sources_;
  WalkSummary summary_;
  size_t seen_ = 0;
};

}  // namespace

absl::StatusOr<WalkSummary> WalkFiles(const ToolContext& context, const WorkspacePath& start,
                                      bool recursive,
                                      const std::function<bool(const WalkEntry&)>& visit,
                                      const WalkSources& sources) {
  STILE_ASSIGN_OR_RETURN(const DirectoryEntries entries,
                         EntriesOf(start.absolute, sources.folders));
  STILE_ASSIGN_OR_RETURN(auto rules, RulesAbove(context.workspace, start.relative));
  Walker walker(context, std::move(rules), recursive, visit, sources);
  STILE_RETURN_IF_ERROR(walker.Folder(start.relative, *entries, /*is_ignored=*/false).status());
  return walker.summary();
}

}  // namespace stile
