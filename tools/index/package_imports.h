// The names by which a Go file may refer to the packages that it imports.
#ifndef STILE_TOOLS_INDEX_PACKAGE_IMPORTS_H_
#define STILE_TOOLS_INDEX_PACKAGE_IMPORTS_H_

#include <functional>
#include <set>
#include <string>

#include "tools/index/source_file.h"

namespace stile {

using PackageNames = std::set<std::string, std::less<>>;

// The names that the file gives packages. For others, the names that their paths suggest, since
// only their source says how they are called: "ast" and "v2" of "example.org/ast/v2", "yaml" of
// "gopkg.in/yaml.v3", "go-ast" and "ast" of "example.org/go-ast", "uuid" of "example.org/go.uuid".
// Empty for a file that has too much syntax to parse.
PackageNames ImportedPackages(const SourceFile& file);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_PACKAGE_IMPORTS_H_
