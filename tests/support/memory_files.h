// Files of a workspace that are kept in memory, for tests of what the gate finds.
#ifndef STILE_TESTS_SUPPORT_MEMORY_FILES_H_
#define STILE_TESTS_SUPPORT_MEMORY_FILES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/validation/weakening.h"

namespace stile {

class MemoryFiles : public WorkspaceFiles {
 public:
  // `unchanged`: content by path of the files that no change names.
  explicit MemoryFiles(const std::vector<ContentPair>& changes,
                       std::map<std::string, std::string> unchanged = {})
      : files_(std::move(unchanged)) {
    for (const ContentPair& change : changes) {
      if (change.after.has_value()) files_[change.path] = *change.after;
    }
  }

  std::vector<std::string> Paths() const override {
    std::vector<std::string> paths;
    for (const auto& [path, content] : files_) paths.push_back(path);
    return paths;
  }

  absl::StatusOr<std::string> Read(const std::string& path) const override {
    const auto file = files_.find(path);
    if (file == files_.end()) return absl::NotFoundError(path);
    return file->second;
  }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_MEMORY_FILES_H_
