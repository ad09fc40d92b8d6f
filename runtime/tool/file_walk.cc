#include "runtime/tool/file_walk.h"

#include <sys/stat.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

absl::StatusOr<IgnoreRules> RulesFor(const ToolContext& context, const std::string& start) {
  STILE_ASSIGN_OR_RETURN(
      IgnoreRules rules,
      IgnoreRules::Load(
          context.workspace,
          InGitTree(context.workspace) ? std::vector<std::string>() : DefaultIgnorePatterns(), {}));
  // Who names an ignored folder wants to see it.
  return start != "." && rules.CanSkipFolder(start) ? IgnoreRules() : rules;
}

class Walker {
 public:
  Walker(const ToolContext& context, IgnoreRules rules, bool recursive,
         const std::function<bool(const WalkEntry&)>& visit)
      : context_(context), rules_(std::move(rules)), recursive_(recursive), visit_(visit) {}

  // Whether to go on.
  absl::StatusOr<bool> Folder(const std::string& relative, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (context_.cancellation != nullptr && context_.cancellation->cancelled()) {
        return absl::CancelledError("cancelled");
      }
      if (absl::EqualsIgnoreCase(name, ".git")) continue;
      STILE_ASSIGN_OR_RETURN(const bool go_on, Entry(JoinPath(relative, name)));
      if (!go_on) return false;
    }
    return true;
  }

  WalkSummary summary() const { return summary_; }

 private:
  absl::StatusOr<bool> Entry(std::string relative) {
    struct stat info {};
    const std::string absolute = JoinPath(context_.workspace, relative);
    if (lstat(absolute.c_str(), &info) != 0) return true;  // gone meanwhile
    const bool folder = S_ISDIR(info.st_mode);
    if (folder ? rules_.CanSkipFolder(relative) : rules_.IsIgnoredFile(relative)) {
      ++summary_.ignored;
      return true;
    }
    if (++seen_ > kMaxEntries) {
      summary_.cut = true;
      return false;
    }
    WalkEntry entry;
    entry.path = std::move(relative);
    entry.kind = folder                  ? WalkEntry::Kind::kFolder
                 : S_ISREG(info.st_mode) ? WalkEntry::Kind::kFile
                 : S_ISLNK(info.st_mode) ? WalkEntry::Kind::kSymlink
                                         : WalkEntry::Kind::kOther;
    if (S_ISREG(info.st_mode)) entry.size = static_cast<uint64_t>(info.st_size);
    if (!visit_(entry)) return false;
    if (!folder || !recursive_) return true;
    const auto names = ListDirectory(absolute);
    if (!names.ok()) {
      ++summary_.unreadable;
      return true;
    }
    return Folder(entry.path, *names);
  }

  const ToolContext& context_;
  const IgnoreRules rules_;
  const bool recursive_;
  const std::function<bool(const WalkEntry&)>& visit_;
  WalkSummary summary_;
  size_t seen_ = 0;
};

}  // namespace

absl::StatusOr<WalkSummary> WalkFiles(const ToolContext& context, const WorkspacePath& start,
                                      bool recursive,
                                      const std::function<bool(const WalkEntry&)>& visit) {
  STILE_ASSIGN_OR_RETURN(const auto names, ListDirectory(start.absolute));
  STILE_ASSIGN_OR_RETURN(IgnoreRules rules, RulesFor(context, start.relative));
  Walker walker(context, std::move(rules), recursive, visit);
  STILE_RETURN_IF_ERROR(walker.Folder(start.relative, names).status());
  return walker.summary();
}

}  // namespace stile
