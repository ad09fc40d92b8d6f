#include "tools/extract/declared_value.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/language/language_backend.h"

namespace stile {

TSNode DeclaratorAround(TSNode name) {
  for (TSNode node = ts_node_parent(name); !ts_node_is_null(node); node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    if (IsOneOf(type, {"variable_declarator", "init_declarator", "short_var_declaration",
                       "var_spec", "const_spec", "assignment", "const_item", "static_item",
                       "public_field_definition", "field_definition", "field_declaration"})) {
      return node;
    }
    if (!IsOneOf(type, {"expression_list", "pointer_declarator"})) break;
  }
  return TSNode{};
}

TSNode ValueOf(TSNode declarator) {
  for (const char* field : {"value", "right", "default_value"}) {
    TSNode value = FieldOf(declarator, field);
    if (ts_node_is_null(value)) continue;
    if (!IsNode(value, "expression_list")) return value;
    return ts_node_named_child_count(value) == 1 ? ts_node_named_child(value, 0) : TSNode{};
  }
  // Of C#: the value is the last child, behind `=`.
  const std::vector<TSNode> parts = NamedChildren(declarator);
  if (parts.size() < 2) return TSNode{};
  const TSNode last = parts.back();
  return IsNode(last, "equals_value_clause") ? ts_node_named_child(last, 0) : last;
}

std::string WrittenType(const SourceFile& file, TSNode statement, TSNode declarator, TSNode name) {
  const absl::string_view text = file.text;
  for (TSNode node = declarator; !ts_node_is_null(node); node = ts_node_parent(node)) {
    const TSNode type = FieldOf(node, "type");
    if (!ts_node_is_null(type)) {
      std::string word;
      if (LanguageBackendOf(file.language.id).facts.qualifiers_surround_type) {
        // Qualifiers before it and stars behind it belong to it.
        word = absl::StrCat(text.substr(BeginOf(statement), BeginOf(name) - BeginOf(statement)));
      } else {
        word = std::string(TextOf(type, text));
        if (absl::StartsWith(word, ":")) word.erase(0, 1);
      }
      word = std::string(absl::StripAsciiWhitespace(word));
      return word == "var" ? "" : word;
    }
    if (SameNode(node, statement)) break;
  }
  return "";
}

}  // namespace stile
