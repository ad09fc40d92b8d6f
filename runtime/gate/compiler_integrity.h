#ifndef STILE_RUNTIME_GATE_COMPILER_INTEGRITY_H_
#define STILE_RUNTIME_GATE_COMPILER_INTEGRITY_H_

#include <optional>
#include <string>

#include "absl/time/time.h"

namespace stile {

// A file of the compiler behind `program` (a real path) that was written or put there after
// `start`: the program itself, or one of the package that really holds the compiler, which for a
// launcher in node_modules is its package, and for a script of a virtual environment its module
// there. Times of content or place that nobody can set back (ctime). nullopt: none.
// Whether a file, by its path, came with an installed package: nobody edits it who has not
// something to hide. Packages of names that begin with a dot hold generated files.
bool IsOfInstalledPackage(absl::string_view path);

// Whether the file was made or written to, or its attributes set, after `start`.
bool ChangedSince(const std::string& path, absl::Time start);

std::optional<std::string> CompilerFileChangedSince(const std::string& program, absl::Time start);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_COMPILER_INTEGRITY_H_
