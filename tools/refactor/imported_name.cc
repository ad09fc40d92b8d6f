#include "tools/refactor/imported_name.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/selection.h"
#include "tools/language/code_style.h"

namespace stile {
namespace {

bool IsImport(absl::string_view type) {
  return IsOneOf(type, {"import_statement", "import_from_statement", "import_declaration",
                        "use_declaration", "using_declaration", "using_directive"});
}

absl::Status Refuse(const SourceFile& file, TSNode name, absl::string_view how) {
  return absl::FailedPreconditionError(
      absl::StrCat("line ", file.PlaceOf(BeginOf(name)).line, " of ", ToUtf8(file.path), " ", how));
}

// The whole lines of a node; an error where other code stands on them.
absl::StatusOr<TextEdit> LinesOf(const SourceFile& file, TSNode node, std::string replacement) {
  const absl::string_view text = file.text;
  const size_t begin = LineBegin(text, BeginOf(node));
  size_t end = EndOf(node);
  while (end < text.size() && text[end] != '\n' && absl::StrContains(" \t\r;", text[end])) ++end;
  absl::string_view before = text.substr(begin, BeginOf(node) - begin);
  absl::ConsumePrefix(&before, "\xEF\xBB\xBF");  // a byte order mark
  const bool is_alone =
      absl::StripAsciiWhitespace(before).empty() && (end == text.size() || text[end] == '\n');
  if (!is_alone) {
    return absl::FailedPreconditionError(absl::StrCat("line ", file.PlaceOf(BeginOf(node)).line,
                                                      " of ", ToUtf8(file.path),
                                                      " imports it and holds other code"));
  }
  if (!replacement.empty()) return TextEdit{BeginOf(node), EndOf(node), std::move(replacement)};
  end = std::min(end + 1, text.size());
  // Of two blank lines that would meet, one goes.
  const bool is_between = begin == 0 || absl::EndsWith(text.substr(0, begin), "\n\n") ||
                          absl::EndsWith(text.substr(0, begin), "\n\r\n");
  if (is_between && absl::StartsWith(text.substr(end), "\r\n")) {
    end += 2;
  } else if (is_between && absl::StartsWith(text.substr(end), "\n")) {
    ++end;
  }
  return TextEdit{static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""};
}

// The element of a list with its comma and, where it fills lines, these.
TextEdit ElementOf(absl::string_view text, TSNode element, bool is_last, TSNode before) {
  if (is_last && !ts_node_is_null(before)) return {EndOf(before), EndOf(element), ""};
  size_t end = EndOf(element);
  while (end < text.size() && text[end] != ',') ++end;
  end = std::min(end + 1, text.size());
  while (end < text.size() && absl::ascii_isspace(static_cast<unsigned char>(text[end]))) ++end;
  return {BeginOf(element), static_cast<uint32_t>(end), ""};
}

struct ImportedName {
  TSNode list{};  // null: the statement imports nothing else
  TSNode element{};
};

absl::StatusOr<ImportedName> FindImported(const SourceFile& file, TSNode statement, TSNode name) {
  const bool exports = IsNode(statement, "export_statement") ||
                       (IsNode(statement, "use_declaration") &&
                        !ts_node_is_null(ChildOf(statement, "visibility_modifier")));
  if (exports) return Refuse(file, name, "exports it again");
  bool has_comment = false;
  WalkTree(statement, [&](TSNode node) {
    has_comment = has_comment || IsComment(node);
    return !has_comment;
  });
  if (has_comment) return Refuse(file, name, "imports it in a statement with a comment");
  ImportedName found;
  found.element = name;
  for (TSNode node = ts_node_parent(name); !ts_node_is_null(node); node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    const bool renames = IsOneOf(type, {"aliased_import", "use_as_clause"}) ||
                         (type == "import_specifier" && !ts_node_is_null(FieldOf(node, "alias")));
    if (renames) return Refuse(file, name, "imports it under another name");
    if (IsOneOf(type, {"named_imports", "use_list", "import_from_statement"})) {
      found.list = node;
      break;
    }
    if (SameNode(node, statement)) break;
    found.element = node;
  }
  return found;
}

// The edit where other names stay in the list.
std::optional<TextEdit> EditOfList(absl::string_view text, const ImportedName& imported) {
  if (ts_node_is_null(imported.list)) return std::nullopt;
  std::vector<TSNode> elements = NamedChildren(imported.list);
  const TSNode module = FieldOf(imported.list, "module_name");
  elements.erase(std::remove_if(elements.begin(), elements.end(),
                                [&](TSNode node) { return SameNode(node, module); }),
                 elements.end());
  const auto at = std::find_if(elements.begin(), elements.end(),
                               [&](TSNode node) { return SameNode(node, imported.element); });
  if (elements.size() < 2 || at == elements.end()) return std::nullopt;
  const TSNode other = elements[at == elements.begin() ? 1 : 0];
  if (elements.size() == 2 && IsNode(imported.list, "use_list") && !IsNode(other, "self")) {
    // One name needs no brackets.
    return TextEdit{BeginOf(imported.list), EndOf(imported.list), std::string(TextOf(other, text))};
  }
  return ElementOf(text, imported.element, at + 1 == elements.end(),
                   at == elements.begin() ? TSNode{} : *(at - 1));
}

}  // namespace

TSNode ImportAround(TSNode name) {
  for (TSNode node = name; !ts_node_is_null(node); node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    // `export default 5` exports a value, `export const` declares.
    const bool exports =
        type == "export_statement" && !ts_node_is_null(ChildOf(node, "export_clause"));
    if (IsImport(type) || exports) return node;
  }
  return TSNode{};
}

absl::StatusOr<TextEdit> RemoveImportedName(const SourceFile& file, TSNode statement, TSNode name,
                                            bool keeps_load) {
  STILE_ASSIGN_OR_RETURN(const ImportedName imported, FindImported(file, statement, name));
  if (auto edit = EditOfList(file.text, imported)) return *std::move(edit);
  if (IsOnlyStatement(file, statement))
    return Refuse(file, name, "is the only statement of its block");
  const TSNode list = imported.list;
  if (IsNode(list, "named_imports")) {
    const TSNode first = ts_node_named_child(ts_node_parent(list), 0);
    if (!SameNode(first, list)) return TextEdit{EndOf(first), EndOf(list), ""};  // `import d, {x}`
    const TSNode source = FieldOf(statement, "source");
    if (keeps_load && !ts_node_is_null(source)) {
      const bool has_end = absl::EndsWith(TextOf(statement, file.text), ";");
      return LinesOf(file, statement,
                     absl::StrCat("import ", TextOf(source, file.text), has_end ? ";" : ""));
    }
  } else if (IsNode(list, "use_list") &&
             !IsNode(ts_node_parent(ts_node_parent(list)), "use_declaration")) {
    return Refuse(file, name, "imports it in a nested list of one name");
  } else if (keeps_load && IsNode(statement, "import_from_statement")) {
    return Refuse(file, name, "imports nothing else, and loading the module has effects");
  }
  return LinesOf(file, statement, "");
}

}  // namespace stile
