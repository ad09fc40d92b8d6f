#include "absl/strings/str_cat.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/file/file_access.h"
#include "tools/file/file_tools.h"

namespace stile {
namespace {

absl::string_view KindName(PathKind kind) {
  switch (kind) {
    case PathKind::kAbsent:
      return "none";
    case PathKind::kFile:
      return "file";
    case PathKind::kFolder:
      return "folder";
    case PathKind::kOther:
      return "other";
  }
  return "";
}

class FileExistsTool : public Tool {
 public:
  FileExistsTool() {
    spec_.name = "file.exists";
    spec_.description = "Whether a path exists, and what it is.";
    spec_.parameters = ObjectSchema({Required("path", "string", "File or folder to look for.")});
    spec_.output = ObjectSchema({Required("path", "string"),
                                 Optional("pathBase64", "string"),
                                 Required("exists", "boolean"),
                                 {"type", EnumSchema({"file", "folder", "other", "none"}), true}});
    spec_.read_only = true;
    spec_.permission_argument = "path";
    spec_.argument_aliases = PathAliases();
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    auto path = ResolveInWorkspace(context.workspace, *JsonString(arguments, "path"));
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const PathKind kind = KindOf(path->absolute);
    Json data;
    SetPath(&data, "path", path->relative);
    data["exists"] = kind != PathKind::kAbsent;
    data["type"] = std::string(KindName(kind));
    const std::string shown = DisplayPath(path->relative);
    if (kind == PathKind::kAbsent) {
      return ToolResult::Success(absl::StrCat(shown, " does not exist."), std::move(data));
    }
    return ToolResult::Success(absl::StrCat(shown, " exists (", KindName(kind), ")."),
                               std::move(data));
  }

 private:
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewFileExistsTool() { return std::make_unique<FileExistsTool>(); }

}  // namespace stile
