#ifndef STILE_RUNTIME_WORKSPACE_IGNORE_RULES_H_
#define STILE_RUNTIME_WORKSPACE_IGNORE_RULES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Which files of a workspace a snapshot leaves out: the gitignore rules as they stood when this
// object was made. Later edits of .gitignore do not change it. A file that git tracked at that time
// is never ignored. Format: gitignore(5). Immutable, cheap to copy, thread-safe.
class IgnoreRules {
 public:
  class Reader;

  // Ignores nothing.
  IgnoreRules();

  // Reads every .gitignore below `root` (not inside ignored folders). In a git working tree, of
  // which `root` may be a subfolder, also those above it and the repository's info/exclude. Adds
  // `extra_patterns`, which any of those overrides: git's core.excludesFile (see
  // Repository::UserIgnorePatterns), or DefaultIgnorePatterns without git. `tracked` are the paths
  // git tracks, relative to root; empty without git. Errors name a file that cannot be read.
  static absl::StatusOr<IgnoreRules> Load(const std::string& root,
                                          const std::vector<std::string>& extra_patterns,
                                          const std::vector<std::string>& tracked);

  // From texts alone: pairs of folder ("." for the root) and content of its .gitignore.
  static IgnoreRules FromTexts(const std::vector<std::pair<std::string, std::string>>& files,
                               const std::vector<std::string>& tracked);

  // The rules without what is tracked, for another process; Parse reads them again. DataLoss: the
  // text is damaged.
  std::string Serialize() const;
  static absl::StatusOr<IgnoreRules> Parse(absl::string_view text,
                                           const std::vector<std::string>& tracked);

  bool IsIgnoredFile(absl::string_view path) const;
  // Whether the walk may skip the folder: ignored, and nothing tracked below it.
  bool CanSkipFolder(absl::string_view path) const;

  // For a walk that comes down from the root and knows about the folders above `path`: what the
  // rules say of this path alone. Says nothing about tracked files.
  bool Matches(absl::string_view path, bool is_folder) const;
  bool IsTracked(absl::string_view path) const;
  bool HasTrackedBelow(absl::string_view folder) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

// Reads the rules of a workspace folder by folder, for a walk that goes through all of it anyway.
// Not thread-safe.
class IgnoreRules::Reader {
 public:
  // Reads what holds for the whole of `root`, but not its own .gitignore. Arguments and errors as
  // in Load.
  static absl::StatusOr<Reader> Open(const std::string& root,
                                     const std::vector<std::string>& extra_patterns);

  // Reads the .gitignore of `folder` ("" for the root), whose entries are `entries`, sorted by
  // name. Enter parents first, and no ignored folder.
  absl::Status EnterFolder(const std::string& folder, const std::vector<DirectoryEntry>& entries);

  // Whether the rules read so far ignore `path`. Its folder must have been entered.
  bool Matches(absl::string_view path, bool is_folder) const;

  // The rules, with what git tracks. Call it once.
  IgnoreRules Take(const std::vector<std::string>& tracked);

 private:
  explicit Reader(std::string root);

  std::string root_;
  std::shared_ptr<Data> data_;
};

// For workspaces without git: build outputs, dependency and cache folders of the known languages.
std::vector<std::string> DefaultIgnorePatterns();

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_IGNORE_RULES_H_
