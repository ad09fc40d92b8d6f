// What the parts of move_file.h for single languages share.
#ifndef STILE_TOOLS_REFACTOR_FILE_MOVE_H_
#define STILE_TOOLS_REFACTOR_FILE_MOVE_H_

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/source_file.h"
#include "tools/refactor/move_file.h"

namespace stile {

// One move. Not thread-safe.
struct FileMove {
  const GenerateContext& context;
  std::shared_ptr<const SourceFile> file;
  std::string to;
  std::set<std::string> paths;  // of the workspace
  MovedFile* result;            // not owned

  const std::string& from() const { return file->path; }
  bool ChangesFolder() const;
  // Calls `use` with each file of one of the languages that holds `text`, the moved one left out.
  // Skips files that cannot be parsed.
  void ForEachUser(const std::set<std::string>& languages, const std::string& text,
                   const std::function<void(const SourceFile&, const SyntaxTree&)>& use) const;
  void Edit(const SourceFile& in, TSNode node, std::string text) const;
};

absl::Status MoveEcmaModule(const FileMove& move);
// The part of MoveEcmaModule for package.json, tsconfig.json and jsconfig.json: values that are the
// whole path of the file. Skips files that cannot be read or are larger than 1 MiB.
void FollowInManifests(const FileMove& move);
absl::Status MovePythonModule(const FileMove& move);
absl::Status MoveIncluded(const FileMove& move);  // C, C++
absl::Status MoveJavaFile(const FileMove& move);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_FILE_MOVE_H_
