#include "agents/api/workflow_text.h"

#include "absl/strings/match.h"
#include "agents/api/catalog.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxWorkflowBytes = size_t{2} << 20;

}  // namespace

absl::StatusOr<std::string> ReadWorkflowText(const std::string& file) {
  if (absl::StartsWith(file, kBuiltinPrefix)) {
    return LoadBuiltinWorkflow(file.substr(kBuiltinPrefix.size()));
  }
  auto text = DiskFileSystem()->ReadFile(file, kMaxWorkflowBytes);
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  return text;
}

absl::StatusOr<std::string> ReadWorkflowTextBeside(const std::string& from,
                                                   const std::string& path) {
  return ReadWorkflowText(absl::StartsWith(path, "/") ? path : JoinPath(DirName(from), path));
}

std::string WorkflowBeside(const std::string& folder, const std::string& name) {
  const bool as_written = absl::StartsWith(name, "/") || absl::StartsWith(name, kBuiltinPrefix);
  return as_written ? name : JoinPath(folder, name);
}

}  // namespace stile
