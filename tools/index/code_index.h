// The code of a workspace, found by the words in it and parsed when asked for. There is no index
// that has to be made first, and nothing can be stale: files are read anew, and what was parsed is
// kept by content.
#ifndef STILE_TOOLS_INDEX_CODE_INDEX_H_
#define STILE_TOOLS_INDEX_CODE_INDEX_H_

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/language/language.h"
#include "tools/index/source_file.h"

namespace stile {

// Whether `text` holds `word` with no character of an identifier on either side.
bool HoldsWord(absl::string_view text, absl::string_view word);

// Not thread-safe; uses two threads inside.
class CodeIndex {
 public:
  // Calls its argument with the paths of the workspace's files, ignored ones left out.
  using FileLister = std::function<void(const std::function<void(const std::string&)>&)>;

  // `languages` is not owned.
  CodeIndex(std::string workspace, const LanguageRegistry* languages, FileLister list_files);

  // The files of code in which `word` stands, by path. `wanted` (a glob, "": all) limits them.
  // Files that cannot be read or parsed are left out and named by unreadable().
  std::vector<std::shared_ptr<const SourceFile>> FilesWith(absl::string_view word,
                                                           absl::string_view wanted = "");

  // NotFound when there is no such file; InvalidArgument when it is of no language with a grammar.
  absl::StatusOr<std::shared_ptr<const SourceFile>> Open(const std::string& path);

  // Every file that the lister names, code or not.
  void ListFiles(const std::function<void(const std::string&)>& use) const { list_files_(use); }

  // Of the last FilesWith.
  const std::vector<std::string>& unreadable() const { return unreadable_; }
  // Whether the language of a file can be parsed.
  bool IsCode(absl::string_view path) const;

 private:
  struct Kept {
    size_t hash = 0;  // of the text
    std::shared_ptr<const SourceFile> file;
    uint64_t used = 0;
  };

  std::shared_ptr<const SourceFile> Known(const std::string& path, size_t hash);
  void Keep(const std::string& path, size_t hash, std::shared_ptr<const SourceFile> file);
  absl::StatusOr<std::shared_ptr<const SourceFile>> ParseText(const std::string& path,
                                                              std::string text) const;

  const std::string workspace_;
  const LanguageRegistry* const languages_;
  const FileLister list_files_;
  std::vector<std::string> unreadable_;
  std::map<std::string, Kept> kept_;  // by path
  size_t kept_bytes_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_CODE_INDEX_H_
