#include "tools/index/package_imports.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// "v2".
bool IsMajorVersion(absl::string_view part) {
  return absl::ConsumePrefix(&part, "v") && !part.empty() &&
         std::all_of(part.begin(), part.end(),
                     [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
}

void AddNames(const std::string& path, PackageNames* names) {
  std::string last = BaseName(path);
  if (IsMajorVersion(last)) {
    names->insert(last);  // k8s.io/api/core/v1 is called v1
    last = BaseName(DirName(path));
  }
  const size_t dot = last.rfind('.');
  if (dot != std::string::npos && IsMajorVersion(absl::string_view(last).substr(dot + 1))) {
    last.resize(dot);
  }
  names->insert(last);
  // `golang-lru` and `go.uuid` are called lru and uuid.
  absl::string_view plain = last;
  if (absl::ConsumePrefix(&plain, "go-") || absl::ConsumePrefix(&plain, "golang-") ||
      absl::ConsumePrefix(&plain, "go.") || absl::ConsumeSuffix(&plain, "-go") ||
      absl::ConsumeSuffix(&plain, ".go")) {
    names->insert(std::string(plain));
  }
}

}  // namespace

PackageNames ImportedPackages(const SourceFile& file) {
  PackageNames names;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return names;
  for (const Import& import : FindImports(file.grammar, *tree, file.text)) {
    if (import.alias.empty()) {
      AddNames(import.module, &names);
    } else {
      names.insert(import.alias);
    }
  }
  return names;
}

}  // namespace stile
