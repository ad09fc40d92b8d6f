#include "tools/resolve/lsp_answer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_uri.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"

namespace stile {

std::optional<std::string> LspAnswer::PathOf(const std::string& uri, std::string* outside) {
  if (const auto known = inside_.find(uri); known != inside_.end()) return known->second;
  const std::optional<std::string> path = PathOfFileUri(uri);
  if (!path.has_value()) {
    *outside = uri;
    return std::nullopt;
  }
  const auto inside = ResolveInWorkspace(files_.workspace, CleanPath(*path));
  if (inside.ok() && files_.has(inside->relative)) {
    return inside_.emplace(uri, inside->relative).first->second;
  }
  *outside = *path;
  return std::nullopt;
}

absl::StatusOr<CodeRange> LspAnswer::RangeOf(const std::string& path, const Json& range) {
  const Json* const start = JsonMember(range, "start");
  const Json* const end = JsonMember(range, "end");
  if (start == nullptr || end == nullptr) return absl::DataLossError("its answer has no range");
  STILE_ASSIGN_OR_RETURN(const File* file, Open(path));
  CodeRange found{path};
  STILE_ASSIGN_OR_RETURN(found.begin, file->lines->OffsetOf(*start));
  STILE_ASSIGN_OR_RETURN(found.end, file->lines->OffsetOf(*end));
  if (found.end < found.begin) return absl::DataLossError("a range of its answer ends early");
  return found;
}

absl::StatusOr<absl::string_view> LspAnswer::TextOf(const CodeRange& range) {
  STILE_ASSIGN_OR_RETURN(const File* file, Open(range.path));
  return file->text.substr(range.begin, range.end - range.begin);
}

absl::StatusOr<const LspAnswer::File*> LspAnswer::Open(const std::string& path) {
  File& file = opened_[path];
  if (file.lines.has_value()) return &file;
  if (const std::string* const shown = files_.shown_text(path); shown != nullptr) {
    file.text = *shown;
  } else if (ReadRegularFile(JoinPath(files_.workspace, path), kMaxCodeBytes, &file.own_text)) {
    file.text = file.own_text;
  } else {
    return absl::DataLossError(absl::StrCat("it names ", path, ", which cannot be read"));
  }
  file.lines.emplace(file.text, files_.encoding);
  return &file;
}

absl::Status LspAnswer::AddEdits(const std::string& uri, const Json& edits, ResolvedEdits* found) {
  std::string outside;
  const auto path = PathOf(uri, &outside);
  if (!path.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(outside, ", which is no file of the project, would have to change"));
  }
  if (!edits.is_array()) return absl::DataLossError("its answer has no list of edits");
  for (const Json& edit : edits) {
    const Json* const range = JsonMember(edit, "range");
    const auto text = JsonString(edit, "newText");
    if (range == nullptr || !text.has_value()) return absl::DataLossError("it sent a broken edit");
    STILE_ASSIGN_OR_RETURN(CodeRange place, RangeOf(*path, *range));
    found->edits.push_back({std::move(place), *text});
  }
  return absl::OkStatus();
}

absl::StatusOr<ResolvedEdits> LspAnswer::EditsOf(const Json& workspace_edit) {
  ResolvedEdits found;
  const Json* const documents = JsonMember(workspace_edit, "documentChanges");
  const Json* const changes = JsonMember(workspace_edit, "changes");
  if (documents != nullptr && documents->is_array()) {
    for (const Json& change : *documents) {
      const Json* const document = JsonMember(change, "textDocument");
      const Json* const edits = JsonMember(change, "edits");
      if (document == nullptr || edits == nullptr) {
        return absl::FailedPreconditionError("it wants to create, move or delete files");
      }
      STILE_RETURN_IF_ERROR(AddEdits(JsonString(*document, "uri").value_or(""), *edits, &found));
    }
  } else if (changes != nullptr && changes->is_object()) {
    for (const auto& [uri, edits] : changes->items()) {
      STILE_RETURN_IF_ERROR(AddEdits(uri, edits, &found));
    }
  }
  // Several insertions at one place keep their order.
  std::stable_sort(found.edits.begin(), found.edits.end(),
                   [](const ResolvedEdit& a, const ResolvedEdit& b) { return a.range < b.range; });
  // Servers name a file twice where two of its projects have it.
  found.edits.erase(std::unique(found.edits.begin(), found.edits.end(),
                                [](const ResolvedEdit& a, const ResolvedEdit& b) {
                                  return a.range == b.range && a.text == b.text;
                                }),
                    found.edits.end());
  for (size_t i = 1; i < found.edits.size(); ++i) {
    const CodeRange& before = found.edits[i - 1].range;
    const CodeRange& range = found.edits[i].range;
    if (before.path == range.path && range.begin < before.end) {
      return absl::DataLossError(absl::StrCat("its edits of ", range.path, " overlap"));
    }
  }
  return found;
}

}  // namespace stile
