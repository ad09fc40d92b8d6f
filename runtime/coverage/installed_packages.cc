#include "runtime/coverage/installed_packages.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr absl::string_view kFolder = "node_modules/";

// Where a component of the path begins that is called so.
size_t FindFolder(absl::string_view path, bool last) {
  size_t at = last ? path.rfind(kFolder) : path.find(kFolder);
  while (at != absl::string_view::npos && at > 0 && path[at - 1] != '/') {
    if (last) {
      at = path.rfind(kFolder, at - 1);
    } else {
      at = path.find(kFolder, at + 1);
    }
  }
  return at;
}

}  // namespace

std::string PackageFolderOf(absl::string_view path) {
  const size_t at = FindFolder(path, /*last=*/false);
  if (at == absl::string_view::npos) return "";
  return std::string(path.substr(0, at + kFolder.size() - 1));
}

std::string PackageNameOf(absl::string_view path) {
  const size_t at = FindFolder(path, /*last=*/true);
  if (at == absl::string_view::npos) return "";
  const absl::string_view rest = path.substr(at + kFolder.size());
  size_t end = rest.find('/');
  if (absl::StartsWith(rest, "@") && end != absl::string_view::npos) end = rest.find('/', end + 1);
  return std::string(rest.substr(0, end));
}

bool IsLockOfPackages(absl::string_view name) {
  return GlobMatch("{package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml,yarn.lock,bun.lock}",
                   name);
}

bool LockNames(absl::string_view text, const std::string& package) {
  if (package.empty()) return false;
  // "node_modules/a": of npm, a@1: of the others.
  if (absl::StrContains(text, absl::StrCat("node_modules/", package, "\""))) return true;
  const RE2 entry(absl::StrCat("(?m)(^|[\\s\"'/,])", RE2::QuoteMeta(package), "@"));
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), entry);
}

}  // namespace stile
