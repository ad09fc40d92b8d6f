#include "runtime/workspace/workspace_path.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel has it

std::vector<std::string> Components(absl::string_view path) {
  return absl::StrSplit(path, '/', absl::SkipEmpty());
}

// Follows a path as the kernel would, but goes on by text where nothing exists yet.
class Walk {
 public:
  Walk(absl::string_view root, absl::string_view path)
      : root_(root),
        path_(path),
        at_(path[0] == '/' ? ""
            : root == "/"  ? ""
                           : root) {
    Push(path);
  }

  absl::StatusOr<WorkspacePath> Resolve() {
    while (!pending_.empty()) {
      const std::string component = std::move(pending_.back());
      pending_.pop_back();
      if (component == ".") continue;
      if (component == "..") {
        const size_t slash = at_.rfind('/');
        at_.resize(slash == std::string::npos ? 0 : slash);
        continue;
      }
      STILE_RETURN_IF_ERROR(Enter(component));
    }
    WorkspacePath result;
    result.absolute = at_.empty() ? "/" : at_;
    if (!Inside()) return Outside();
    const size_t prefix = root_ == "/" ? 0 : root_.size();
    result.relative = at_.size() <= prefix + 1 ? "." : at_.substr(prefix + 1);
    return result;
  }

 private:
  void Push(absl::string_view path) {
    std::vector<std::string> components = Components(path);
    pending_.insert(pending_.end(), std::make_move_iterator(components.rbegin()),
                    std::make_move_iterator(components.rend()));
  }

  absl::Status Enter(const std::string& component) {
    if (absl::EqualsIgnoreCase(component, ".git") && Inside()) {
      return absl::PermissionDeniedError(
          absl::StrCat(ToUtf8(path_), " is in a .git folder, which only git itself may change"));
    }
    std::string next = absl::StrCat(at_, "/", component);
    struct stat info {};
    if (lstat(next.c_str(), &info) != 0) {
      if (errno != ENOENT && errno != ENOTDIR) {
        return ErrnoStatus(errno, "look up", ToUtf8(path_));
      }
    } else if (S_ISLNK(info.st_mode)) {
      return Follow(next);
    }
    at_ = std::move(next);
    return absl::OkStatus();
  }

  absl::Status Follow(const std::string& link) {
    if (++links_ > kMaxLinks) {
      return absl::InvalidArgumentError(absl::StrCat(ToUtf8(path_), " has too many symlinks"));
    }
    STILE_ASSIGN_OR_RETURN(const std::string target, ReadLink(link));
    if (absl::StartsWith(target, "/")) at_.clear();
    Push(target);
    return absl::OkStatus();
  }

  bool Inside() const {
    return root_ == "/" || at_ == root_ || absl::StartsWith(at_, absl::StrCat(root_, "/"));
  }

  absl::Status Outside() const {
    return absl::PermissionDeniedError(
        absl::StrCat(ToUtf8(path_), links_ > 0 ? " leads outside the workspace through a symlink"
                                               : " is outside the workspace"));
  }

  const std::string root_;
  const std::string path_;
  std::string at_;                    // resolved so far, without symlinks; "" is "/"
  std::vector<std::string> pending_;  // the next one last
  int links_ = 0;
};

}  // namespace

absl::StatusOr<WorkspacePath> ResolveInWorkspace(absl::string_view root, absl::string_view path) {
  if (path.empty()) return absl::InvalidArgumentError("the path is empty");
  if (path.find('\0') != absl::string_view::npos) {
    return absl::InvalidArgumentError("the path holds a NUL byte");
  }
  return Walk(root, path).Resolve();
}

absl::StatusOr<std::string> ReadLink(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), target, sizeof(target));
  if (size < 0) return ErrnoStatus(errno, "read link", ToUtf8(path));
  return std::string(target, static_cast<size_t>(size));
}

absl::StatusOr<std::string> RealPath(absl::string_view path) {
  if (path.find('\0') != absl::string_view::npos) {
    return absl::InvalidArgumentError("the path holds a NUL byte");
  }
  const std::string text(path);
  char* real = realpath(text.c_str(), nullptr);
  if (real == nullptr) return ErrnoStatus(errno, "resolve", ToUtf8(path));
  std::string result = real;
  free(real);
  return result;
}

std::string CleanPath(absl::string_view path) {
  const bool absolute = absl::StartsWith(path, "/");
  std::vector<absl::string_view> kept;
  for (const absl::string_view component : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (component == ".") continue;
    if (component != ".." || (kept.empty() && !absolute) ||
        (!kept.empty() && kept.back() == "..")) {
      kept.push_back(component);
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  if (kept.empty()) return absolute ? "/" : ".";
  return absl::StrCat(absolute ? "/" : "", absl::StrJoin(kept, "/"));
}

std::string JoinPath(absl::string_view dir, absl::string_view name) {
  if (dir.empty() || dir == ".") return std::string(name);
  return absl::StrCat(dir, absl::EndsWith(dir, "/") ? "" : "/", name);
}

std::string DirName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::string BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

bool IsWithin(absl::string_view path, absl::string_view dir) {
  if (dir == "." || dir == path) return true;
  if (dir == "/") return absl::StartsWith(path, "/");
  return path.size() > dir.size() && absl::StartsWith(path, dir) && path[dir.size()] == '/';
}

}  // namespace stile
