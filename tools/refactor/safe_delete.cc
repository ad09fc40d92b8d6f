#include "tools/refactor/safe_delete.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "tools/index/type_relations.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Where the line of `at` begins, or `at` when something other than blanks stands before it there.
size_t LineBegin(absl::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && IsBlank(text[begin - 1])) --begin;
  return begin == 0 || text[begin - 1] == '\n' ? begin : at;
}

// Behind the newline after `at`, or `at` when something other than blanks stands before that.
size_t LineEnd(absl::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && IsBlank(text[end])) ++end;
  if (end == text.size()) return end;
  return text[end] == '\n' ? end + 1 : at;
}

bool IsBlankLine(absl::string_view text, size_t begin) {
  return begin < text.size() && LineEnd(text, begin) > begin;
}

bool EndsWithBlankLine(absl::string_view before) {
  if (before.empty()) return true;
  if (before.back() != '\n') return false;
  before.remove_suffix(1);
  while (!before.empty() && IsBlank(before.back())) before.remove_suffix(1);
  return before.empty() || before.back() == '\n';
}

// The members of a type that are defined elsewhere go with it.
void AddMembers(Resolution* resolution, CodeIndex* index) {
  const std::vector<Declaration> types = resolution->targets;
  for (const Declaration& type : types) {
    if (!IsType(type.AsSymbol().kind)) continue;
    const std::string name = type.QualifiedName();
    for (const auto& file : index->FilesWith(type.AsSymbol().name)) {
      if (!SeeEachOther(file->language, type.file->language)) continue;
      for (size_t i = 0; i < file->symbols.size(); ++i) {
        const Symbol& symbol = file->symbols[i];
        if (symbol.container != name) continue;
        const bool is_inside = file->path == type.file->path &&
                               symbol.begin >= type.AsSymbol().begin &&
                               symbol.end <= type.AsSymbol().end;
        if (!is_inside) resolution->targets.push_back({file, static_cast<int>(i), -1});
      }
    }
  }
}

// A body that would be empty where the language wants something in it.
void KeepBody(const SourceFile& file, const Symbol& symbol, TextEdit* edit) {
  if (file.language.id != "python" || symbol.parent < 0) return;
  const Symbol& parent = file.symbols[static_cast<size_t>(symbol.parent)];
  const bool has_sibling =
      std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& other) {
        return other.parent == symbol.parent && other.name_begin != symbol.name_begin;
      });
  const bool has_docstring = parent.doc_end > 0 && parent.doc_begin > parent.begin;
  if (!IsType(parent.kind) || has_sibling || has_docstring) return;
  const size_t line = LineBegin(file.text, symbol.begin);
  edit->replacement = absl::StrCat(file.text.substr(line, symbol.begin - line), "pass",
                                   absl::StrContains(file.text, "\r\n") ? "\r\n" : "\n");
}

}  // namespace

TextEdit DeletionOf(const SourceFile& file, const Symbol& symbol) {
  const absl::string_view text = file.text;
  size_t begin = symbol.begin;
  size_t end = symbol.end;
  if (symbol.doc_end > 0 && symbol.doc_end <= symbol.begin) begin = symbol.doc_begin;
  size_t behind = end;
  while (behind < text.size() && IsBlank(text[behind])) ++behind;
  if (behind < text.size() && (text[behind] == ',' || text[behind] == ';')) {
    end = behind + 1;
  } else {
    // The last of a list takes the comma before it along.
    size_t before = begin;
    while (before > 0 && absl::ascii_isspace(static_cast<unsigned char>(text[before - 1])))
      --before;
    const bool is_listed = symbol.kind == SymbolKind::kEnumMember && before > 0 &&
                           text[before - 1] == ',' && behind < text.size() && text[behind] != '\n';
    if (is_listed) begin = before - 1;
  }
  const size_t line_begin = LineBegin(text, begin);
  const bool at_line_begin = line_begin == 0 || text[line_begin - 1] == '\n';
  size_t line_end = LineEnd(text, end);
  if (at_line_begin && line_end > end) {
    begin = line_begin;
    if (EndsWithBlankLine(text.substr(0, begin)) && IsBlankLine(text, line_end)) {
      line_end = LineEnd(text, line_end);
    }
    end = line_end;
  } else if (at_line_begin && line_end == text.size()) {
    begin = line_begin;
    end = line_end;
  }
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""};
}

absl::StatusOr<DeletePlan> PlanSafeDelete(Resolution resolution, CodeIndex* index) {
  DeletePlan plan;
  if (resolution.targets.empty()) return absl::NotFoundError("nothing to delete");
  if (!resolution.IsUnambiguous()) {
    return absl::FailedPreconditionError(
        "several symbols have that name. Give Owner.name as symbolName, or filePath and line, to "
        "choose one");
  }
  if (resolution.targets[0].symbol < 0) {
    return absl::FailedPreconditionError("a local is not deleted by safe_delete; use file.modify");
  }
  CompleteParts(&resolution);
  Resolution deleted = resolution;
  AddMembers(&deleted, index);
  for (const Declaration& target : deleted.targets) {
    const Symbol& symbol = target.AsSymbol();
    const bool is_nested =
        std::any_of(deleted.targets.begin(), deleted.targets.end(), [&](const Declaration& other) {
          return other.file->path == target.file->path && other.AsSymbol().begin <= symbol.begin &&
                 symbol.end <= other.AsSymbol().end && other.symbol != target.symbol;
        });
    if (is_nested) continue;
    TextEdit edit = DeletionOf(*target.file, symbol);
    KeepBody(*target.file, symbol, &edit);
    plan.edits.Edit(*target.file, std::move(edit));
  }
  for (Reference& reference : FindReferences(resolution)) {
    const uint32_t at = reference.occurrence.begin;
    const auto found = plan.edits.files().find(reference.file->path);
    const bool goes = found != plan.edits.files().end() &&
                      std::any_of(found->second.edits.begin(), found->second.edits.end(),
                                  [&](const TextEdit& e) { return e.begin <= at && at < e.end; });
    if (goes || reference.is_declaration) continue;
    (reference.certainty == Certainty::kExact ? plan.uses : plan.likely)
        .push_back(std::move(reference));
  }
  return plan;
}

}  // namespace stile
