// What stands around the code of a new file: package or namespace, imports, guards, as its
// neighbours have it.
#ifndef STILE_TOOLS_CODEGEN_NEW_FILE_H_
#define STILE_TOOLS_CODEGEN_NEW_FILE_H_

#include <string>
#include <vector>

#include "tools/codegen/generate.h"
#include "tools/language/code_style.h"

namespace stile {

struct NewFile {
  std::string path;
  const Language* language = nullptr;
  const LanguageFamily* family = nullptr;
  const Grammar* grammar = nullptr;
  CodeStyle style;
  std::string space;             // namespace or package; "" for none
  bool space_has_block = false;  // C#: `namespace X { … }`
  bool is_module = true;         // JavaScript: export, not module.exports
  bool has_guard = false;        // C and C++: #ifndef in place of #pragma once

  // The whole text: `code` in pieces, as for Indent. `uses` are whole lines.
  std::string Render(const std::vector<std::string>& uses, absl::string_view code) const;
};

// InvalidArgument for a path of no known language, AlreadyExists where something is at it.
absl::StatusOr<NewFile> PlanNewFile(const GenerateContext& context, const std::string& path);

// The nearest folder at or above the file with a file that matches the glob: its path, relative to
// the workspace; "" if there is none.
std::string FindAbove(const std::string& workspace, const std::string& path,
                      absl::string_view glob);
// A file of the workspace; "" where it cannot be read.
std::string ReadText(const std::string& workspace, const std::string& path);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_NEW_FILE_H_
