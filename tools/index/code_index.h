// The code of a workspace, found by the words in it and parsed when asked for. There is no index
// that has to be made first, and nothing can be stale: files are read anew unless their stamps say
// that they still lack what is asked for, and what was parsed is kept by content.
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
#include "tools/index/file_cache.h"
#include "tools/index/identifier_filter.h"
#include "tools/index/source_file.h"

namespace stile {

// Where `word` stands at or behind `from` with no character of an identifier on either side; npos.
size_t FindWord(absl::string_view text, absl::string_view word, size_t from = 0);
bool HoldsWord(absl::string_view text, absl::string_view word);

// Not thread-safe; uses two threads inside.
class CodeIndex {
 public:
  // Where what was learned of files is kept between processes, see FileCache.
  struct Memory {
    std::string folder;  // outside of the workspace; "": nowhere
    Clock* clock = SystemClock();
  };
  // `languages` is not owned.
  CodeIndex(std::string workspace, const LanguageRegistry* languages, FileLister list_files);
  CodeIndex(std::string workspace, const LanguageRegistry* languages, FileLister list_files,
            Memory memory);
  ~CodeIndex();

  // The files of code in which `word` stands, by path. `wanted` (a glob, "": all) limits them.
  // Files that cannot be read or parsed are left out and named by unreadable().
  std::vector<std::shared_ptr<const SourceFile>> FilesWith(absl::string_view word,
                                                           absl::string_view wanted = "");

  // NotFound when there is no such file; InvalidArgument when it is of no language with a grammar.
  absl::StatusOr<std::shared_ptr<const SourceFile>> Open(const std::string& path);

  // Every file that the lister names, code or not.
  void ListFiles(const std::function<void(const std::string&)>& use) const {
    list_files_([&use](const ListedFile& file) { use(file.path); });
  }

  // Of the last FilesWith.
  const std::vector<std::string>& unreadable() const { return unreadable_; }
  size_t files_read() const { return files_read_; }  // the others could not hold the word
  // Whether the language of a file can be parsed.
  bool IsCode(absl::string_view path) const;
  const std::string& workspace() const { return workspace_; }
  const Memory& memory() const { return memory_; }
  const LanguageRegistry& languages() const { return *languages_; }

 private:
  struct Kept {
    SeenFile seen;
    size_t hash = 0;  // of the text
    std::shared_ptr<const SourceFile> file;
    uint64_t used = 0;
  };

  struct Candidate;
  std::vector<Candidate> Candidates(absl::string_view wanted);
  void Look(const IdentifierProbe& probe, absl::string_view word, int64_t now_ns,
            Candidate* candidate) const;
  void Learn(std::vector<Candidate>* candidates);
  std::shared_ptr<const SourceFile> Known(const std::string& path, size_t hash);
  void Keep(const std::string& path, const SeenFile& seen, size_t hash,
            std::shared_ptr<const SourceFile> file);
  absl::StatusOr<std::shared_ptr<const SourceFile>> ParseText(const std::string& path,
                                                              std::string text) const;

  const std::string workspace_;
  const LanguageRegistry* const languages_;
  const FileLister list_files_;
  const Memory memory_;
  FileCache identifiers_;  // filters; empty ones of files that were looked at only once
  size_t listed_ = 0;      // files of code
  mutable std::map<std::string, bool, std::less<>> is_code_;  // by extension
  std::vector<std::string> unreadable_;
  size_t files_read_ = 0;
  std::map<std::string, Kept> kept_;  // by path
  size_t kept_bytes_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_CODE_INDEX_H_
