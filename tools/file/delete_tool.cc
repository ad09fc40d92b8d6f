#include <sys/stat.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/edit_transaction.h"
#include "tools/file/file_access.h"
#include "tools/file/file_tools.h"

namespace stile {
namespace {

// The path of the symlink, relative to the workspace, that `path` names itself; "" if it names
// none.
std::string SymlinkAt(const ToolContext& context, absl::string_view path) {
  while (absl::EndsWith(path, "/")) path.remove_suffix(1);
  const std::string name = BaseName(path);
  if (name.empty() || name == "." || name == ".." || absl::EqualsIgnoreCase(name, ".git") ||
      absl::StrContains(path, '\0')) {
    return "";
  }
  // Only the folder is resolved: the link itself must lie in the workspace, not what it leads to.
  const auto folder = ResolveInWorkspace(context.workspace, DirName(path));
  if (!folder.ok()) return "";
  struct stat info {};
  if (lstat(JoinPath(folder->absolute, name).c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) {
    return "";
  }
  return JoinPath(folder->relative, name);
}

class FileDeleteTool : public Tool {
 public:
  FileDeleteTool() {
    spec_.name = "file.delete";
    spec_.description = "Delete a file or an empty folder.";
    spec_.parameters =
        ObjectSchema({Required("path", "string", "File or empty folder to delete.")});
    spec_.output = ObjectSchema({Required("path", "string"), Optional("pathBase64", "string"),
                                 Required("deleted", "boolean")});
    spec_.permission_argument = "path";
    spec_.argument_aliases = PathAliases();
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    // A symlink is deleted itself, wherever it leads.
    if (const std::string link = SymlinkAt(context, *JsonString(arguments, "path"));
        !link.empty()) {
      return Done(context.file_system->RemoveFile(JoinPath(context.workspace, link)), link,
                  "symlink ");
    }
    auto path = ResolveInWorkspace(context.workspace, *JsonString(arguments, "path"));
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const std::string shown = DisplayPath(path->relative);
    switch (KindOf(path->absolute)) {
      case PathKind::kAbsent:
        return ToolResult::Error(
            absl::StrCat(shown, " does not exist: there is nothing to delete."));
      case PathKind::kFolder:
        return Folder(*path, context);
      case PathKind::kOther:
        return Done(context.file_system->RemoveFile(path->absolute), path->relative, "");
      case PathKind::kFile:
        break;
    }
    EditTransaction edit(context.file_system, context.workspace, context.journal_dir);
    absl::Status status = edit.Delete(path->relative);
    if (status.ok()) status = edit.Commit();
    return Done(status, path->relative, "");
  }

 private:
  static ToolResult Folder(const WorkspacePath& path, const ToolContext& context) {
    const std::string shown = DisplayPath(path.relative);
    if (path.relative == ".") {
      return ToolResult::Error("this is the workspace itself, which cannot be deleted.");
    }
    const auto names = ListDirectory(path.absolute);
    if (!names.ok()) return ToolResult::FromStatus(names.status());
    if (!names->empty()) {
      return ToolResult::Error(absl::StrCat(
          shown,
          " is a folder and not empty. Delete its files first, or use shell.execute (rm -r)."));
    }
    return Done(context.file_system->RemoveDir(path.absolute), path.relative, "folder ");
  }

  static ToolResult Done(const absl::Status& status, const std::string& relative,
                         absl::string_view kind) {
    if (!status.ok()) return ToolResult::FromStatus(status);
    Json data = {{"deleted", true}};
    SetPath(&data, "path", relative);
    return ToolResult::Success(absl::StrCat("Deleted ", kind, DisplayPath(relative), "."),
                               std::move(data));
  }

  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewFileDeleteTool() { return std::make_unique<FileDeleteTool>(); }

}  // namespace stile
