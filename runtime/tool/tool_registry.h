#ifndef STILE_RUNTIME_TOOL_TOOL_REGISTRY_H_
#define STILE_RUNTIME_TOOL_TOOL_REGISTRY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tool/permissions.h"
#include "runtime/tool/tool.h"

namespace stile {

// A call whose tool was found and whose arguments fit its schema.
struct PreparedCall {
  Tool* tool = nullptr;
  Json arguments;  // aliases replaced, defaults left out
};

// A tool's name without case and separators ("file.read", "file_read", "FileRead" → "fileread").
// Names with equal keys are one name.
std::string ToolNameKey(absl::string_view name);

// The tools of a run. Owns them.
class ToolRegistry {
 public:
  // The ToolNameKeys of the tools must be unique.
  explicit ToolRegistry(std::vector<std::unique_ptr<Tool>> tools);
  ~ToolRegistry();

  const std::vector<std::unique_ptr<Tool>>& tools() const { return tools_; }

  // Exact, or with '_', '-' or nothing for '.', or in another case; null if unknown. "Modify" finds
  // file.modify when no other tool ends so.
  Tool* Find(absl::string_view name) const;

  // Arguments of MCP tools are taken as they are, if they are an object. Otherwise:
  // Finds the tool and makes the arguments fit: aliases of names, "3" for 3, "true" for true, a
  // JSON object given as text. InvalidArgument otherwise, with a message for the model: unknown
  // tool and nearest names; or each argument that is missing, unknown or of the wrong type, and the
  // schema's own words on it.
  absl::StatusOr<PreparedCall> Prepare(absl::string_view name, const Json& arguments) const;

 private:
  struct Entry;
  std::vector<std::unique_ptr<Tool>> tools_;
  std::vector<std::unique_ptr<Entry>> entries_;  // compiled schemas, same order
};

// Whether `value` fits the JSON Schema (draft 7); InvalidArgument lists every violation with its
// path.
absl::Status CheckSchema(const Json& schema, const Json& value);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_TOOL_REGISTRY_H_
