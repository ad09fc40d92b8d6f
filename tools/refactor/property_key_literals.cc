#include "tools/refactor/property_key_literals.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 20;

// What the name of a generic type is about: its first argument, for those of the library whose
// members are its members.
bool PassesMembersOn(absl::string_view name) {
  for (const absl::string_view known :
       {"Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit"}) {
    if (name == known) return true;
  }
  return false;
}

absl::string_view LastName(TSNode name, absl::string_view text) {
  const absl::string_view written = TextOf(name, text);
  return written.substr(written.rfind('.') + 1);
}

TSNode FirstArgument(TSNode generic) {
  const TSNode arguments = FieldOf(generic, "type_arguments");
  return ts_node_is_null(arguments) || ts_node_named_child_count(arguments) == 0
             ? TSNode{}
             : ts_node_named_child(arguments, 0);
}

// "Order" of `Order`, `shop.Order<T>`, `Readonly<Order>`, `(Order)`; "" for what has no name.
absl::string_view NamedType(TSNode type, absl::string_view text, int depth = 0) {
  if (ts_node_is_null(type) || depth > kMaxDepth) return "";
  if (IsNode(type, "parenthesized_type") || IsNode(type, "readonly_type")) {
    return NamedType(ts_node_named_child(type, 0), text, depth + 1);
  }
  if (IsNode(type, "generic_type")) {
    const absl::string_view name = LastName(FieldOf(type, "name"), text);
    return PassesMembersOn(name) ? NamedType(FirstArgument(type), text, depth + 1) : name;
  }
  const bool is_name = IsNode(type, "type_identifier") || IsNode(type, "nested_type_identifier");
  return is_name ? LastName(type, text) : "";
}

// The type that the string is a key of.
absl::string_view TypeBeside(TSNode string, absl::string_view text) {
  TSNode node = ts_node_parent(string);
  if (!IsNode(node, "literal_type")) return "";
  TSNode inner = node;
  node = ts_node_parent(node);
  while (IsNode(node, "union_type") || IsNode(node, "parenthesized_type")) {
    inner = node;
    node = ts_node_parent(node);
  }
  if (IsNode(node, "lookup_type")) {
    const TSNode object = ts_node_named_child(node, 0);
    return SameNode(object, inner) ? "" : NamedType(object, text);
  }
  const TSNode generic = ts_node_parent(node);
  if (!IsNode(node, "type_arguments") || !IsNode(generic, "generic_type")) return "";
  const absl::string_view name = TextOf(FieldOf(generic, "name"), text);
  const TSNode first = FirstArgument(generic);
  if (SameNode(first, inner)) return "";
  if (name == "Pick" || name == "Omit") return NamedType(first, text);
  const bool is_of_keys = name == "Exclude" || name == "Extract";
  return is_of_keys && IsNode(first, "index_type_query")
             ? NamedType(ts_node_named_child(first, 0), text)
             : "";
}

// Whether a type consists of names, unions and the like: what has a member of one of them has it
// itself. Lists, maps and functions have other members.
bool HasMembersOfNames(TSNode type, absl::string_view text) {
  bool is_plain = true;
  WalkTree(type, [&](TSNode node) {
    const bool is_known = IsNode(node, "type_annotation") || IsNode(node, "type_identifier") ||
                          IsNode(node, "nested_type_identifier") || IsNode(node, "union_type") ||
                          IsNode(node, "intersection_type") || IsNode(node, "object_type") ||
                          IsNode(node, "parenthesized_type") || IsNode(node, "predefined_type") ||
                          IsNode(node, "literal_type") || !ts_node_is_named(node);
    const bool passes_on =
        IsNode(node, "generic_type") && PassesMembersOn(LastName(FieldOf(node, "name"), text));
    if (!is_known && !passes_on && !IsNode(node, "type_arguments")) is_plain = false;
    return is_plain && !IsNode(node, "object_type") && !IsNode(node, "nested_type_identifier") &&
           !IsNode(node, "literal_type");
  });
  return is_plain;
}

// The text of the type that a parameter or a variable around the node is declared with.
absl::string_view DeclaredType(TSNode node, absl::string_view name, absl::string_view text) {
  for (; !ts_node_is_null(node); node = ts_node_parent(node)) {
    std::vector<TSNode> declarations;
    const TSNode parameters = FieldOf(node, "parameters");
    for (const TSNode around : {parameters, node}) {
      if (ts_node_is_null(around)) continue;
      for (uint32_t i = 0; i < ts_node_named_child_count(around); ++i) {
        const TSNode child = ts_node_named_child(around, i);
        declarations.push_back(child);
        const bool is_list =
            IsNode(child, "lexical_declaration") || IsNode(child, "variable_declaration");
        for (uint32_t k = 0; is_list && k < ts_node_named_child_count(child); ++k) {
          declarations.push_back(ts_node_named_child(child, k));
        }
      }
    }
    for (const TSNode declaration : declarations) {
      const TSNode pattern = FieldOf(declaration, "pattern");
      const TSNode variable = ts_node_is_null(pattern) ? FieldOf(declaration, "name") : pattern;
      const TSNode type = FieldOf(declaration, "type");
      const bool is_it = !ts_node_is_null(variable) && IsNode(variable, "identifier") &&
                         TextOf(variable, text) == name;
      if (is_it) {
        return ts_node_is_null(type) || !HasMembersOfNames(type, text) ? absl::string_view()
                                                                       : TextOf(type, text);
      }
    }
  }
  return "";
}

// What `"name" in object` says of the string; false elsewhere.
bool LooksFor(TSNode string, absl::string_view text, std::string* object_type) {
  const TSNode test = ts_node_parent(string);
  if (!IsNode(test, "binary_expression") || !SameNode(FieldOf(test, "left"), string) ||
      TextOf(FieldOf(test, "operator"), text) != "in") {
    return false;
  }
  const TSNode object = FieldOf(test, "right");
  if (IsNode(object, "identifier")) {
    *object_type = std::string(DeclaredType(test, TextOf(object, text), text));
  }
  return true;
}

}  // namespace

std::vector<PropertyKeyLiteral> FindPropertyKeyLiterals(const SourceFile& file,
                                                        absl::string_view name) {
  std::vector<PropertyKeyLiteral> found;
  const absl::string_view text = file.text;
  const bool may_hold = absl::StrContains(text, absl::StrCat("\"", name, "\"")) ||
                        absl::StrContains(text, absl::StrCat("'", name, "'"));
  if (!may_hold) return found;
  const auto tree = SyntaxTree::Parse(file.grammar, text);
  if (!tree.ok()) return found;
  WalkTree(tree->root(), [&](TSNode node) {
    if (!IsNode(node, "string")) return true;
    const uint32_t begin = BeginOf(node) + 1;
    if (text.substr(begin, EndOf(node) - begin - 1) == name) {
      PropertyKeyLiteral literal{begin, EndOf(node) - 1, std::string(TypeBeside(node, text))};
      literal.is_looked_for = LooksFor(node, text, &literal.object_type);
      found.push_back(std::move(literal));
    }
    return false;
  });
  return found;
}

}  // namespace stile
