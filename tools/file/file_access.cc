#include "tools/file/file_access.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

absl::Status Missing(const WorkspacePath& path) {
  const std::string folder = DirName(path.absolute);
  if (!DirectoryExists(folder)) {
    return absl::NotFoundError(absl::StrCat("no file ", DisplayPath(path.relative),
                                            ": its folder does not exist either. ",
                                            "Use file.list to see what there is"));
  }
  std::string hint = "Use file.list to see what there is";
  if (const auto names = ListDirectory(folder); names.ok()) {
    const std::string nearest = Nearest(BaseName(path.relative), *names);
    if (!nearest.empty() && nearest != ".git") {
      hint = absl::StrCat("Did you mean ", DisplayPath(JoinPath(DirName(path.relative), nearest)),
                          "?");
    }
  }
  return absl::NotFoundError(absl::StrCat("no file ", DisplayPath(path.relative), ". ", hint));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> PathAliases() {
  return {{"file", "path"},       {"filePath", "path"}, {"filename", "path"},  {"target", "path"},
          {"targetFile", "path"}, {"folder", "path"},   {"directory", "path"}, {"dir", "path"}};
}

std::vector<std::pair<std::string, std::string>> ContentAliases() {
  return {{"text", "content"}, {"contents", "content"},    {"body", "content"},
          {"data", "content"}, {"fileContent", "content"}, {"fileText", "content"}};
}

PathKind KindOf(const std::string& absolute) {
  struct stat info {};
  if (stat(absolute.c_str(), &info) != 0) return PathKind::kAbsent;
  if (S_ISREG(info.st_mode)) return PathKind::kFile;
  return S_ISDIR(info.st_mode) ? PathKind::kFolder : PathKind::kOther;
}

absl::StatusOr<OpenedFile> OpenWorkspaceFile(const ToolContext& context, const std::string& path) {
  OpenedFile file;
  STILE_ASSIGN_OR_RETURN(file.path, ResolveInWorkspace(context.workspace, path));
  const std::string shown = DisplayPath(file.path.relative);
  switch (KindOf(file.path.absolute)) {
    case PathKind::kAbsent:
      return Missing(file.path);
    case PathKind::kFolder:
      return absl::FailedPreconditionError(
          absl::StrCat(shown, " is a folder. Use file.list to see what is in it"));
    case PathKind::kOther:
      return absl::FailedPreconditionError(
          absl::StrCat(shown, " is not a regular file (a pipe, socket or device)"));
    case PathKind::kFile:
      break;
  }
  auto content = context.file_system->ReadFile(file.path.absolute, kMaxToolFileBytes);
  if (absl::IsResourceExhausted(content.status())) {
    return absl::ResourceExhaustedError(
        absl::StrCat(shown, " is larger than ", kMaxToolFileBytes >> 20,
                     " MiB. Use search.grep, or shell.execute with head, tail or sed"));
  }
  STILE_RETURN_IF_ERROR(content.status());
  file.content = *std::move(content);
  return file;
}

size_t CountLines(absl::string_view text) {
  const auto newlines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return newlines + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

}  // namespace stile
