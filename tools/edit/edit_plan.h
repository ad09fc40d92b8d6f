// Changes of code, planned completely before anything is written.
#ifndef STILE_TOOLS_EDIT_EDIT_PLAN_H_
#define STILE_TOOLS_EDIT_EDIT_PLAN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/workspace/tentative_edits.h"
#include "tools/index/source_file.h"

namespace stile {

// Replaces the bytes [begin, end) of a text.
struct TextEdit {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string replacement;
};

// `edits` in any order, but not overlapping; of several insertions at one place the first comes
// first.
std::string ApplyEdits(absl::string_view text, std::vector<TextEdit> edits);

// What an operation does to files. A file is edited, created, moved (and then edited at its new
// place), or deleted.
class EditPlan {
 public:
  struct File {
    std::string path;  // where it is now; of a new file, where it will be
    // As it was read; nullopt for a new file.
    std::optional<std::string> before;
    std::vector<TextEdit> edits;  // of `before`; of a new file one, at 0
    std::optional<std::string> moved_to;
    bool deleted = false;

    std::string After() const;  // "" when deleted
    const std::string& NewPath() const { return moved_to.has_value() ? *moved_to : path; }
  };

  // Line ends become CRLF if the first line of the file ends so. An edit at offset 0 moves behind a
  // byte order mark.
  void Edit(const SourceFile& file, TextEdit edit);
  void EditText(const std::string& path, absl::string_view before, TextEdit edit);
  void Create(const std::string& path, std::string content);
  // Takes a line back that the plan itself puts into the file; where nothing but blank lines then
  // stand at the beginning of a new file, these too. False when it brings no such line.
  bool DropLine(const std::string& path, absl::string_view line);
  void Move(const SourceFile& file, std::string to);
  void Delete(const SourceFile& file);

  bool empty() const { return files_.empty(); }
  const std::map<std::string, File>& files() const { return files_; }
  // Whether two edits of one file meet, or one lies outside of its text.
  bool HasOverlap() const;
  size_t CountEdits() const;
  // Where the files are now, and where they will be.
  std::vector<std::string> OldPaths() const;
  std::vector<std::string> NewPaths() const;

  // What the workspace `root` holds afterwards, for TentativeEdits; modes move with their files.
  std::map<std::string, TentativeEdits::Content> Contents(const std::string& root) const;
  // As a unified diff, files by path. A moved file begins with the lines that `git apply` wants.
  std::string Diff() const;

 private:
  File& Of(const std::string& path, absl::string_view before);
  std::map<std::string, File> files_;
};

// "--- a/x\n+++ b/x\n@@ …": the lines in which two texts differ, with three lines around. Lines are
// matched at the ends of the edits, not by a search for the smallest difference.
std::string UnifiedDiff(absl::string_view old_path, absl::string_view new_path,
                        absl::string_view before, std::vector<TextEdit> edits);

}  // namespace stile

#endif  // STILE_TOOLS_EDIT_EDIT_PLAN_H_
