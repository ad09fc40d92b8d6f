// Tools outside of a run, and without a gate: those that look, and those that write a file.
#ifndef STILE_AGENTS_API_UNGATED_TOOLS_H_
#define STILE_AGENTS_API_UNGATED_TOOLS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/session_context.h"
#include "agents/api/tracked_files.h"
#include "runtime/sandbox/sandboxed_runner.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/tool_registry.h"
#include "runtime/validation/validation_service.h"
#include "runtime/workspace/directory_cache.h"
#include "tools/index/code_index.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// The index and the language servers are kept between calls; files are seen as they are at each
// call. Not thread-safe.
class UngatedTools {
 public:
  // `context` is not owned, and outlives the tools. Nothing is started yet.
  UngatedTools(const SessionContext* context, std::string workspace);

  const ToolRegistry& registry() const { return *registry_; }

  // Runs a call of registry(). First puts back what a crash left half-written. A status is a
  // defect of ours or of the workspace; Cancelled by the context's cancellation.
  absl::StatusOr<ToolResult> Run(const PreparedCall& call, const ToolContext& context);

 private:
  void ListFiles(const std::function<void(const ListedFile&)>& use);
  absl::StatusOr<ProcessRunner*> OpenRunner();

  const SessionContext& context_;
  const std::string workspace_;
  const ToolContext* call_ = nullptr;             // under way; null: none
  std::optional<std::vector<ListedFile>> files_;  // of this call: one walk is enough
  absl::Status walked_;                           // of this call
  DirectoryCache folders_;
  TrackedFiles tracked_;
  std::unique_ptr<RunSandbox> sandbox_;  // null: none was needed yet
  CodeIndex index_;
  ResolverPool resolvers_;
  const std::unique_ptr<ValidationService> validation_;
  std::unique_ptr<ToolRegistry> registry_;
};

// What tools of `workspace` may touch; ends with context.cancellation.
ToolContext NewToolContext(const SessionContext& context, const std::string& workspace);

// The folder in which the code tools keep their index of a workspace; "": there is no place for
// one, and calls take longer.
std::string IndexFolder(const SessionContext& context, const std::string& workspace);

// Puts `note`, unless it is empty, before the text of the result.
void AddNote(const std::string& note, ToolResult* result);

}  // namespace stile

#endif  // STILE_AGENTS_API_UNGATED_TOOLS_H_
