#ifndef STILE_RUNTIME_COVERAGE_INSTALLED_PACKAGES_H_
#define STILE_RUNTIME_COVERAGE_INSTALLED_PACKAGES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// The outermost node_modules that a path goes through, "web/node_modules"; "" for none.
std::string PackageFolderOf(absl::string_view path);

// Of the file "web/node_modules/.pnpm/a@1/node_modules/@b/c/index.d.ts": "@b/c".
std::string PackageNameOf(absl::string_view path);

// Whether a file of this name says which packages belong into node_modules, to the byte.
bool IsLockOfPackages(absl::string_view name);

// Whether the text of such a file names the package.
bool LockNames(absl::string_view text, const std::string& package);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_INSTALLED_PACKAGES_H_
