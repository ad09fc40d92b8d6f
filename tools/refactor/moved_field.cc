#include "tools/refactor/moved_field.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/constant_expression.h"
#include "tools/extract/declared_value.h"
#include "tools/index/references.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

// The member of a class body that a node is a part of; null if code of a method is around it.
TSNode FieldAround(TSNode node) {
  for (; !ts_node_is_null(node); node = ts_node_parent(node)) {
    if (IsOneOf(TypeOf(node), {"field_declaration", "property_declaration",
                               "public_field_definition", "field_definition"})) {
      return node;
    }
    if (IsNode(node, "expression_statement")) {
      const TSNode body = ts_node_parent(node);
      return IsNode(ts_node_parent(body), "class_definition") ? node : TSNode{};
    }
    if (IsOneOf(TypeOf(node), {"block", "statement_block", "required_parameter",
                               "optional_parameter", "formal_parameter", "parameter"})) {
      break;
    }
  }
  return TSNode{};
}

bool DeclaresOneName(TSNode member, TSNode name) {
  const TSNode declaration = IsNode(ts_node_parent(name), "variable_declarator")
                                 ? ts_node_parent(ts_node_parent(name))
                                 : member;
  const std::vector<TSNode> parts = NamedChildren(declaration);
  const auto declarators = std::count_if(
      parts.begin(), parts.end(), [](TSNode part) { return IsNode(part, "variable_declarator"); });
  if (declarators > 1) return false;
  if (!IsNode(member, "expression_statement")) return true;
  const TSNode assignment = ts_node_parent(name);
  return IsNode(assignment, "assignment") && SameNode(ts_node_parent(assignment), member) &&
         !IsNode(FieldOf(assignment, "right"), "assignment");
}

// `{ get; set; }`: accessors without code of their own.
bool IsPlainProperty(TSNode property) {
  const TSNode accessors = ChildOf(property, "accessor_list");
  if (ts_node_is_null(accessors)) return false;
  const std::vector<TSNode> all = NamedChildren(accessors);
  return std::all_of(all.begin(), all.end(), [](TSNode accessor) {
    return ts_node_is_null(FieldOf(accessor, "body")) &&
           ts_node_is_null(ChildOf(accessor, "block")) &&
           ts_node_is_null(ChildOf(accessor, "arrow_expression_clause"));
  });
}

// The value of a member that declares one name; null if it has none.
TSNode ValueOfMember(TSNode member, TSNode name) {
  const TSNode parent = ts_node_parent(name);
  const TSNode value = FieldOf(parent, IsNode(parent, "assignment") ? "right" : "value");
  if (!ts_node_is_null(value) || IsNode(parent, "assignment")) return value;
  const TSNode declarator = IsNode(parent, "variable_declarator") ? parent : member;
  const std::vector<TSNode> parts = NamedChildren(declarator);
  const auto clause = std::find_if(parts.begin(), parts.end(),
                                   [](TSNode part) { return IsNode(part, "equals_value_clause"); });
  if (clause != parts.end()) return ts_node_named_child(*clause, 0);
  const bool is_last_value = IsNode(parent, "variable_declarator") && parts.size() > 1 &&
                             !IsNode(parts.back(), "dimensions");
  return is_last_value ? parts.back() : TSNode{};
}

bool IsSameEverywhere(TSNode value, absl::string_view text) {
  const bool is_nothing = IsOneOf(TypeOf(value), {"null", "null_literal", "none", "undefined"});
  // Each object gets one of its own, as before.
  const bool is_empty_list =
      IsOneOf(TypeOf(value), {"array", "object"}) && ts_node_named_child_count(value) == 0;
  return is_nothing || is_empty_list || IsConstantExpression(value, text);
}

// Whether the node calls a method or hands `this` on. `super(…)` is the constructor of a class that
// is looked at by itself.
bool IsCallOrThis(TSNode node) {
  if (IsNode(node, "call_expression")) return !IsNode(FieldOf(node, "function"), "super");
  if (IsOneOf(TypeOf(node), {"method_invocation", "invocation_expression"})) return true;
  return IsOneOf(TypeOf(node), {"this", "this_expression"}) &&
         !IsOneOf(TypeOf(ts_node_parent(node)),
                  {"field_access", "member_expression", "member_access_expression",
                   "explicit_constructor_invocation"});
}

bool CallsSomething(TSNode code) {
  std::vector<TSNode> open = {code};
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    if (IsCallOrThis(node)) return true;
    for (const TSNode child : NamedChildren(node)) open.push_back(child);
  }
  return false;
}

// The class runs code of a method while an object of it is made.
absl::StatusOr<bool> RunsMethodsWhenMade(const ClassSite& site) {
  const SourceFile& file = *site.file;
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  TSNode body =
      FieldOf(ts_node_parent(NodeAt(tree, site.type().name_begin, site.type().name_end)), "body");
  for (const TSNode member : NamedChildren(body)) {
    const TSNode name = FieldOf(member, "name");
    const bool is_constructor =
        IsNode(member, "constructor_declaration") ||
        (!ts_node_is_null(name) && TextOf(name, file.text) == "constructor");
    const bool runs =
        is_constructor || IsNode(member, "block") || !ts_node_is_null(FieldAround(member));
    if (runs && CallsSomething(member)) return true;
  }
  return false;
}

bool HasAttribute(const ClassSite& site) {
  const Symbol& type = site.type();
  const auto head =
      absl::string_view(site.file->text).substr(type.begin, type.signature_end - type.begin);
  return absl::StartsWith(head, "[") || absl::StrContains(head, "@") || HoldsWord(head, "record");
}

bool IsInFunctionBody(TSNode node) {
  for (; !ts_node_is_null(node) && !IsNode(node, "class_definition"); node = ts_node_parent(node)) {
    if (IsNode(node, "block") && IsNode(ts_node_parent(node), "function_definition")) return true;
  }
  return false;
}

// The line of the class body that names the field of Python and would not find it in the base; 0:
// none.
int LineOfPlainUse(const ClassSite& owner, const Symbol& field, const SyntaxTree& tree) {
  const SourceFile& file = *owner.file;
  for (const Occurrence& use : FindOccurrences(file.grammar, file.scopes, file.text, field.name)) {
    const bool is_inside = use.begin >= owner.type().begin && use.begin < owner.type().end;
    const bool is_own = use.begin >= field.begin && use.begin < field.end;
    if (!is_inside || is_own || use.role != OccurrenceRole::kReference) continue;
    if (!IsInFunctionBody(NodeAt(tree, use.begin, use.begin))) return file.PlaceOf(use.begin).line;
  }
  return 0;
}

// What the words before the name and its value say.
std::string WhyDeclaredSo(const SourceFile& file, const Symbol& field, TSNode value) {
  const auto head =
      absl::string_view(file.text).substr(field.begin, field.name_begin - field.begin);
  for (const absl::string_view word : {"declare", "abstract", "override", "new", "event", "fixed",
                                       "extern", "accessor", "required"}) {
    if (HoldsWord(head, word)) return absl::StrCat("it is declared with `", word, "`");
  }
  const bool is_constant =
      !ts_node_is_null(value) && (HoldsWord(head, "final") || HoldsWord(head, "readonly"));
  if (HoldsWord(head, "static") && !is_constant) {
    return "it is `static`, and classes set such fields up at another time";
  }
  if (!ts_node_is_null(value) && !IsSameEverywhere(value, file.text)) {
    return "its value is more than a constant, and would be made at another time";
  }
  return "";
}

}  // namespace

uint32_t EndOfField(const SourceFile& file, const Symbol& field) {
  const size_t next = file.text.find_first_not_of(" \t", field.end);
  return next != std::string::npos && file.text[next] == ';' ? static_cast<uint32_t>(next) + 1
                                                             : field.end;
}

absl::StatusOr<std::string> WhyFieldStays(const ClassSite& owner, const Symbol& field,
                                          const std::vector<ClassSite>& above) {
  const SourceFile& file = *owner.file;
  const LanguageBackend& language = LanguageBackendOf(file.language.id);
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  const TSNode name = NodeAt(tree, field.name_begin, field.name_end);
  const TSNode member = FieldAround(name);
  if (ts_node_is_null(member)) return std::string("it is not declared in the body of its class");
  if (!DeclaresOneName(member, name)) {
    return std::string("its declaration declares other names, too");
  }
  if (IsNode(member, "property_declaration") && !IsPlainProperty(member)) {
    return std::string("it is a property with code");
  }
  const TSNode value = ValueOfMember(member, name);
  const std::string reason = WhyDeclaredSo(file, field, value);
  if (!reason.empty()) return reason;
  if (HasAttribute(owner)) {
    return absl::StrCat("an annotation of ", ToUtf8(owner.type().name), " may read its fields");
  }
  if (IsNode(member, "expression_statement")) {
    const int line = LineOfPlainUse(owner, field, tree);
    if (line > 0) return absl::StrCat("the body of its class uses it (line ", line, ")");
  }
  const bool is_set_earlier = language.naming.base_fields_first &&
                              (!ts_node_is_null(value) || language.naming.fields_are_keys);
  for (const ClassSite& base : above) {
    if (HasAttribute(base)) {
      return absl::StrCat("an annotation of ", ToUtf8(base.type().name), " may read its fields");
    }
    if (!is_set_earlier) continue;
    STILE_ASSIGN_OR_RETURN(const bool runs, RunsMethodsWhenMade(base));
    if (runs) {
      return absl::StrCat("code that makes a ", ToUtf8(base.type().name),
                          " calls methods, which could see it too early");
    }
  }
  return std::string();
}

}  // namespace stile
