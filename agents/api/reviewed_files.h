// The files of a workspace that a verification may show to models.
#ifndef STILE_AGENTS_API_REVIEWED_FILES_H_
#define STILE_AGENTS_API_REVIEWED_FILES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/session_context.h"

namespace stile {

// Files that are not ignored, that the permission rules let tools read, of up to 200 kB of text.
// Texts are UTF-8, with the keys of providers masked. Not thread-safe.
class ReviewedFiles {
 public:
  // `context` is not owned. Lists the workspace, which is absolute.
  static absl::StatusOr<ReviewedFiles> Open(const SessionContext* context,
                                            const std::string& workspace);

  // The files that `targets` name, sorted: files themselves, of folders the files in languages that
  // Stile knows. Paths are relative to the workspace, or absolute within it; none at all: ".".
  // Those that fit a glob of `exclude` are left out. InvalidArgument: a target that is not there or
  // outside, a file that cannot be shown, or too many at once.
  absl::StatusOr<std::vector<std::string>> Expand(const std::vector<std::string>& targets,
                                                  const std::vector<std::string>& exclude) const;

  // The present text of the file. NotFound: there is none; FailedPrecondition: it is there, and
  // cannot be shown; says why.
  absl::StatusOr<std::string> Read(const std::string& path) const;
  // The files in languages that Stile knows, 5000 at most.
  std::vector<std::string> SourceFiles() const;

 private:
  ReviewedFiles(const SessionContext* context, std::string workspace, std::set<std::string> paths)
      : context_(context), workspace_(std::move(workspace)), paths_(std::move(paths)) {}

  bool IsSource(const std::string& path) const;
  bool IsReadable(const std::string& path) const;

  const SessionContext* context_;
  std::string workspace_;
  std::set<std::string> paths_;                   // relative to the workspace
  mutable std::map<std::string, bool> readable_;  // by path, as far as it was asked for
};

}  // namespace stile

#endif  // STILE_AGENTS_API_REVIEWED_FILES_H_
