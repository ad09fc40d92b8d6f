// Places and edits in the answers of a language server, checked against the files that they name.
#ifndef STILE_TOOLS_RESOLVE_LSP_ANSWER_H_
#define STILE_TOOLS_RESOLVE_LSP_ANSWER_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "tools/resolve/lsp_text.h"
#include "tools/resolve/resolver.h"

namespace stile {

// For one answer: the texts of its files are read once. Errors as in Resolver. Not thread-safe.
class LspAnswer {
 public:
  struct Files {
    std::string workspace;  // absolute, no symlinks
    PositionEncoding encoding = PositionEncoding::kUtf16;
    // Whether a path relative to the workspace is a file of the project.
    std::function<bool(const std::string& path)> has;
    // The text of a file as the server was shown it; null: it reads the file from the disk.
    std::function<const std::string*(const std::string& path)> shown_text;
  };
  explicit LspAnswer(Files files) : files_(std::move(files)) {}

  // Of a URI: the path of a file of the project, or nullopt with `outside` set.
  std::optional<std::string> PathOf(const std::string& uri, std::string* outside);
  // Of a Range in a file that PathOf gave.
  absl::StatusOr<CodeRange> RangeOf(const std::string& path, const Json& range);
  // Of a range that RangeOf gave.
  absl::StatusOr<absl::string_view> TextOf(const CodeRange& range);
  // Of a WorkspaceEdit. FailedPrecondition where it would create, move or delete files, or change
  // one outside of the project; DataLoss for edits that overlap.
  absl::StatusOr<ResolvedEdits> EditsOf(const Json& workspace_edit);

 private:
  struct File {
    std::string own_text;  // where the server reads it from the disk
    absl::string_view text;
    std::optional<LspLines> lines;
  };

  absl::StatusOr<const File*> Open(const std::string& path);
  absl::Status AddEdits(const std::string& uri, const Json& edits, ResolvedEdits* found);

  const Files files_;
  std::unordered_map<std::string, std::string> inside_;  // paths of the project, by URI
  std::map<std::string, File> opened_;
};

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_LSP_ANSWER_H_
