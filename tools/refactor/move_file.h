// A file to another name or folder, with the imports that name it.
#ifndef STILE_TOOLS_REFACTOR_MOVE_FILE_H_
#define STILE_TOOLS_REFACTOR_MOVE_FILE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/codegen/generate.h"
#include "tools/edit/edit_plan.h"

namespace stile {

// Other text that names the moved file.
struct FileMention {
  std::string path;
  int line = 0;      // 1-based
  int column = 0;    // 1-based, in bytes
  std::string text;  // the line, cut
};

struct MovedFile {
  EditPlan plan;
  // Imports were changed whose meaning only a compiler knows, such as "@/shop/order".
  bool needs_compiler = false;
  // At most 50, left as they are. Files above 1 MiB, and what comes after 64 MiB, are not read.
  std::vector<FileMention> mentions;
  std::set<std::string> other_names;  // by which text may name it: "shop.order"
};

// Moves `from` to `to` (both relative to the workspace; nothing is at `to`). Both are files of one
// language, or of two that import each other.
// TypeScript, JavaScript: import and export paths, require, mocks, in other files and in the moved
// one; paths in package.json and tsconfig.json. Python: import statements and dotted names. C, C++:
// #include, and the lists of sources of CMake, Make and Meson. Java: the package and its imports.
// C#, Go within a folder: no code names the file. FailedPrecondition, fit for a model, for a move
// that changes more than imports; Unimplemented for other languages; NotFound and InvalidArgument
// as of CodeIndex::Open.
absl::StatusOr<MovedFile> PlanMoveFile(const GenerateContext& context, const std::string& from,
                                       const std::string& to);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_MOVE_FILE_H_
