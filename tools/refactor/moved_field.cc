#include "tools/refactor/moved_field.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/constant_expression.h"
#include "tools/extract/declared_value.h"
#include "tools/index/references.h"
#include "tools/index/type_relations.h"
#include "tools/language/code_style.h"
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

// Whether the node calls a method or hands `this` on, or may do so: `active` are the names of types
// that the project makes, and of properties with code. `super(…)` is the constructor of a class
// that is looked at by itself.
bool CallsOrHandsOn(TSNode node, const std::set<std::string>& active, absl::string_view text) {
  // Of `pkg.Inner<T>`, the name is Inner.
  const auto is_active = [&](TSNode name) {
    const absl::string_view written = ts_node_is_null(name) ? "" : TextOf(name, text);
    return active.count(LastComponent(std::string(written.substr(0, written.find('<'))))) > 0;
  };
  if (IsNode(node, "call_expression")) return !IsNode(FieldOf(node, "function"), "super");
  if (IsNode(node, "method_invocation")) return true;
  // A constructor of JavaScript can give another object.
  if (IsNode(node, "return_statement")) return ts_node_named_child_count(node) > 0;
  if (IsNode(node, "new_expression")) return is_active(FieldOf(node, "constructor"));
  if (IsNode(node, "object_creation_expression")) return is_active(FieldOf(node, "type"));
  // `this[key] = value` sets any field.
  if (IsNode(node, "subscript_expression")) return IsNode(FieldOf(node, "object"), "this");
  if (IsNode(node, "member_expression")) {
    return IsNode(FieldOf(node, "object"), "this") && is_active(FieldOf(node, "property"));
  }
  if (!IsNode(node, "this")) return false;
  const TSNode parent = ts_node_parent(node);
  return !SameNode(FieldOf(parent, "object"), node) &&
         !IsNode(parent, "explicit_constructor_invocation");
}

// The class runs code of a method while an object of it is made; of `owner`, before its constructor
// runs.
absl::StatusOr<bool> RunsMethodsWhenMade(const ClassSite& site, const ClassSite& owner,
                                         const std::set<std::string>& active) {
  const SourceFile& file = *site.file;
  const bool is_owner = site.Is(*owner.file, owner.symbol);
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  std::vector<TSNode> open;
  const TSNode type = ts_node_parent(NodeAt(tree, site.type().name_begin, site.type().name_end));
  for (const TSNode member : NamedChildren(FieldOf(type, "body"))) {
    const TSNode name = FieldOf(member, "name");
    const bool is_constructor =
        IsNode(member, "constructor_declaration") ||
        (!ts_node_is_null(name) && TextOf(name, file.text) == "constructor");
    const bool is_set_up = IsNode(member, "block") || !ts_node_is_null(FieldAround(member));
    if (is_set_up || (is_constructor && !is_owner)) {
      open.push_back(member);
    }
  }
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    if (CallsOrHandsOn(node, active, file.text)) return true;
    for (const TSNode child : NamedChildren(node)) open.push_back(child);
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

bool IsParameter(TSNode name) {
  const TSNode around = ts_node_parent(name);
  return IsOneOf(TypeOf(around), {"parameters", "lambda_parameters"}) ||
         (absl::EndsWith(TypeOf(around), "_parameter") &&
          !SameNode(FieldOf(around, "value"), name));
}

// The line of the class body that names the field of Python and would not find it in the base; 0:
// none.
int LineOfPlainUse(const ClassSite& owner, const Symbol& field, const SyntaxTree& tree) {
  const SourceFile& file = *owner.file;
  for (const Occurrence& use : FindOccurrences(file.grammar, file.scopes, file.text, field.name)) {
    const bool is_inside = use.begin >= owner.type().begin && use.begin < owner.type().end;
    const bool is_own = use.begin >= field.begin && use.begin < field.end;
    const bool is_of_object =
        use.role == OccurrenceRole::kMember || use.role == OccurrenceRole::kKey;
    const TSNode name = NodeAt(tree, use.begin, use.begin);
    if (!is_inside || is_own || is_of_object || IsParameter(name)) continue;
    if (!IsInFunctionBody(name)) return file.PlaceOf(use.begin).line;
  }
  return 0;
}

// Whether a static field has its value before its class is set up: `static final int MAX = 5`. Its
// name sets up no class, see section 12.4.1 of the Java Language Specification.
bool IsCompiledIn(const SourceFile& file, absl::string_view head, TSNode value) {
  if (ts_node_is_null(value) || !IsConstantExpression(value, file.text)) return false;
  if (LanguageBackendOf(file.language.id).naming.fields_are_keys)
    return HoldsWord(head, "readonly");
  static constexpr absl::string_view kTypes[] = {"byte",  "short",  "int",     "long",  "char",
                                                 "float", "double", "boolean", "String"};
  return HoldsWord(head, "final") &&
         std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](absl::string_view type) { return HoldsWord(head, type); });
}

// Why the text cannot be taken out of its place; "": it can.
std::string WhyNotAlone(const SourceFile& file, const Symbol& field, TSNode member) {
  const absl::string_view text = file.text;
  const size_t end = EndOfField(file, field);
  const size_t line = LineBegin(text, field.begin);
  const absl::string_view before = text.substr(line, field.begin - line);
  const absl::string_view behind = text.substr(end, LineEnd(text, end) - end);
  if (!absl::StripAsciiWhitespace(before).empty() || !absl::StripAsciiWhitespace(behind).empty()) {
    return "other code stands on its line";
  }
  const TSNode next = ts_node_next_named_sibling(member);
  if (IsNode(member, "expression_statement") && IsNode(next, "expression_statement") &&
      IsNode(ts_node_named_child(next, 0), "string")) {
    return "a text behind it documents it";
  }
  if (!LanguageBackendOf(file.language.id).facts.lines_join) return "";
  if (IsOneOf(field.name, {"get", "set", "static", "async", "accessor"})) {
    return "its name is a word of the language before other names";
  }
  // Without semicolons, two lines are one if the second begins so.
  const absl::string_view above = absl::StripTrailingAsciiWhitespace(
      text.substr(0, field.doc_end > 0 ? field.doc_begin : field.begin));
  const absl::string_view below = text.substr(end);
  const bool joins = GoesOn(below) && !absl::EndsWith(above, ";") && !absl::EndsWith(above, "{");
  return joins ? "no semicolon ends the code above, which the code below would continue" : "";
}

// What the words before the name and its value say.
std::string WhyDeclaredSo(const SourceFile& file, const Symbol& field, TSNode value) {
  const auto head =
      absl::string_view(file.text).substr(field.begin, field.name_begin - field.begin);
  for (const absl::string_view word : {"declare", "abstract", "override", "new", "event", "fixed",
                                       "extern", "accessor", "required"}) {
    if (HoldsWord(head, word)) return absl::StrCat("it is declared with `", word, "`");
  }
  if (HoldsWord(head, "static") && !IsCompiledIn(file, head, value)) {
    return "it is `static`, and classes set such fields up at another time";
  }
  if (!ts_node_is_null(value) && !IsSameEverywhere(value, file.text)) {
    return "its value is more than a constant, and would be made at another time";
  }
  return "";
}

}  // namespace

bool GoesOn(absl::string_view behind) {
  behind = absl::StripLeadingAsciiWhitespace(behind);
  return !behind.empty() && absl::StrContains("[(*", behind.substr(0, 1));
}

uint32_t EndOfField(const SourceFile& file, const Symbol& field) {
  const absl::string_view text = file.text;
  const size_t next = text.find_first_not_of(" \t", field.end);
  const bool has_semicolon = next != absl::string_view::npos && text[next] == ';';
  const size_t end = has_semicolon ? next + 1 : field.end;
  const absl::string_view rest =
      absl::StripTrailingAsciiWhitespace(text.substr(end, LineEnd(text, end) - end));
  const absl::string_view comment = absl::StripLeadingAsciiWhitespace(rest);
  const std::string& mark = LanguageBackendOf(file.language.id).facts.line_comment;
  const bool is_comment =
      absl::StartsWith(comment, mark) || (absl::StartsWith(comment, "/*") && comment.size() >= 4 &&
                                          comment.find("*/", 2) == comment.size() - 2);
  return static_cast<uint32_t>(!comment.empty() && is_comment ? end + rest.size() : end);
}

absl::StatusOr<std::string> WhyFieldStays(const ClassSite& owner, const Symbol& field,
                                          const std::vector<ClassSite>& above,
                                          const std::vector<ClassSite>& below) {
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
  const std::string not_alone = WhyNotAlone(file, field, member);
  if (!not_alone.empty()) return not_alone;
  const TSNode value = ValueOfMember(member, name);
  const std::string reason = WhyDeclaredSo(file, field, value);
  if (!reason.empty()) return reason;
  if (IsNode(member, "expression_statement")) {
    const int line = LineOfPlainUse(owner, field, tree);
    if (line > 0) return absl::StrCat("the body of its class uses it (line ", line, ")");
  }
  const bool is_set_earlier = language.naming.base_fields_first &&
                              (!ts_node_is_null(value) || language.naming.fields_are_keys);
  std::set<std::string> active;
  for (const std::vector<ClassSite>* const types : {&above, &below}) {
    for (const ClassSite& type : *types) {
      for (const Symbol& symbol : type.file->symbols) {
        const bool is_active = IsType(symbol.kind) || symbol.kind == SymbolKind::kProperty;
        if (is_active) active.insert(symbol.name);
      }
    }
  }
  for (const ClassSite& type : above) {
    const std::string type_name = ToUtf8(type.type().name);
    if (HasAttribute(type)) {
      return absl::StrCat("an annotation or decorator of ", type_name, " may read its fields");
    }
    if (!is_set_earlier) continue;
    STILE_ASSIGN_OR_RETURN(const bool runs, RunsMethodsWhenMade(type, owner, active));
    if (runs) {
      return absl::StrCat("code that makes an object of ", type_name,
                          " calls methods, which could see it too early");
    }
  }
  return std::string();
}

}  // namespace stile
