#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/edit_transaction.h"
#include "tools/file/file_access.h"
#include "tools/file/file_tools.h"
#include "tools/report/edit_syntax.h"

namespace stile {
namespace {

class FileWriteTool : public Tool {
 public:
  explicit FileWriteTool(const LanguageRegistry* languages) : languages_(languages) {
    spec_.name = "file.write";
    spec_.description = "Create a file, or replace all of it.";
    spec_.parameters =
        ObjectSchema({Required("path", "string", "File to write; folders are made."),
                      Optional("content", "string", "The whole new text of the file."),
                      Optional("contentBase64", "string", "Raw bytes, in place of content.")});
    spec_.output = ObjectSchema({Required("path", "string"),
                                 Optional("pathBase64", "string"),
                                 Required("created", "boolean"),
                                 Required("changed", "boolean"),
                                 Required("lines", "integer"),
                                 Required("bytes", "integer"),
                                 {"syntaxErrors", EditSyntax::Schema(), false}});
    spec_.permission_argument = "path";
    spec_.argument_aliases = PathAliases();
    for (auto& alias : ContentAliases()) spec_.argument_aliases.push_back(std::move(alias));
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    std::optional<std::string> content = JsonString(arguments, "content");
    const std::optional<std::string> base64 = JsonString(arguments, "contentBase64");
    if (content.has_value() == base64.has_value()) {
      return ToolResult::Error(
          "file.write needs content (or contentBase64 instead), and only one.");
    }
    if (base64.has_value()) {
      auto decoded = Base64Decode(*base64);
      if (!decoded.ok()) return ToolResult::Error("contentBase64 is not valid base64.");
      content = *std::move(decoded);
    }
    if (content->size() > kMaxToolFileBytes) {
      return ToolResult::Error(absl::StrCat("content is larger than ", kMaxToolFileBytes >> 20,
                                            " MiB; write it with a command."));
    }
    auto path = ResolveInWorkspace(context.workspace, *JsonString(arguments, "path"));
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const std::string shown = DisplayPath(path->relative);
    const PathKind kind = KindOf(path->absolute);
    if (kind == PathKind::kFolder) {
      return ToolResult::Error(absl::StrCat(shown, " is a folder; give the path of a file in it."));
    }
    if (kind == PathKind::kOther) {
      return ToolResult::Error(absl::StrCat(shown, " is not a regular file; choose another path."));
    }
    bool changed = true;
    std::string before;
    if (kind == PathKind::kFile) {
      auto old = context.file_system->ReadFile(path->absolute, kMaxToolFileBytes);
      changed = !old.ok() || *old != *content;
      if (old.ok()) before = *std::move(old);
    }

    Json data;
    SetPath(&data, "path", path->relative);
    data["created"] = kind == PathKind::kAbsent;
    data["changed"] = changed;
    data["lines"] = CountLines(*content);
    data["bytes"] = content->size();
    const std::string size = Count(CountLines(*content), "line");
    if (!changed) {
      return ToolResult::Success(absl::StrCat(shown, " already has exactly this content."), data);
    }
    EditSyntax syntax = CheckEdit(*languages_, path->relative, before, *content);
    EditTransaction edit(context.file_system, context.workspace, context.journal_dir);
    absl::Status status = edit.Write(path->relative, *std::move(content));
    if (status.ok()) status = edit.Commit();
    if (!status.ok()) return ToolResult::FromStatus(status);
    data["syntaxErrors"] = std::move(syntax.errors);
    return ToolResult::Success(
        absl::StrCat(kind == PathKind::kAbsent ? "Created " : "Replaced ", shown, " (", size, ").",
                     syntax.text.empty() ? "" : "\n", syntax.text),
        std::move(data));
  }

 private:
  const LanguageRegistry* const languages_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewFileWriteTool(const LanguageRegistry* languages) {
  return std::make_unique<FileWriteTool>(languages);
}

}  // namespace stile
