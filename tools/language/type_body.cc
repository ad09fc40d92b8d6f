#include "tools/language/type_body.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

std::string Word(TSNode node, absl::string_view text) {
  return ts_node_is_null(node) ? "" : std::string(TextOf(node, text));
}

// The node that holds the members: mostly the field "body".
TSNode BodyNode(TSNode declaration) {
  TSNode body = FieldOf(declaration, "body");
  if (!ts_node_is_null(body)) return body;
  const TSNode type = FieldOf(declaration, "type");  // Go
  if (IsNode(type, "struct_type")) return ChildOf(type, "field_declaration_list");
  if (IsNode(type, "interface_type")) return type;
  const TSNode value = FieldOf(declaration, "value");  // `type X = {…}`, `const X = class {…}`
  if (IsNode(value, "object_type")) return value;
  if (IsNode(value, "class")) return FieldOf(value, "body");
  for (const absl::string_view name :
       {"declaration_list", "class_body", "enum_body", "interface_body"}) {
    body = ChildOf(declaration, name);
    if (!ts_node_is_null(body)) return body;
  }
  return TSNode{};
}

bool IsTypeNode(TSNode node) {
  const absl::string_view type = TypeOf(node);
  if (absl::StartsWith(type, "function") || absl::StartsWith(type, "method")) return false;
  for (const absl::string_view known :
       {"class", "struct", "interface", "enum", "record", "trait", "union", "type_spec",
        "type_alias", "annotation_type", "impl_item", "variable_declarator"}) {
    if (absl::StartsWith(type, known)) return true;
  }
  return absl::StartsWith(type, "abstract_class");
}

bool HasModifier(TSNode member, absl::string_view word, absl::string_view text) {
  if (HasChildText(member, word, text)) return true;
  const TSNode modifiers = ChildOf(member, "modifiers");
  return !ts_node_is_null(modifiers) && HasChildText(modifiers, word, text);
}

absl::string_view TypeText(TSNode annotation, absl::string_view text) {
  if (ts_node_is_null(annotation)) return "";
  absl::string_view type = TextOf(annotation, text);
  absl::ConsumePrefix(&type, ":");
  return absl::StripAsciiWhitespace(type);
}

class Reader {
 public:
  Reader(absl::string_view text, TypeBody* body) : text_(text), body_(body) {}

  void Read(TSNode node) {
    const absl::string_view type = TypeOf(node);
    if (IsComment(node) || type == "attribute_item" || type == "decorator") return;
    if (type == "access_specifier") {
      is_public_ = absl::StartsWith(TextOf(node, text_), "public");
      return;
    }
    TypeMember member;
    member.begin = BeginOf(node);
    member.end = EndOf(node);
    member.is_public = is_public_;
    TSNode inner = node;
    if (type == "decorated_definition") inner = FieldOf(node, "definition");
    member.name = Word(FieldOf(inner, "name"), text_);
    member.kind = KindOf(inner, &member);
    member.is_abstract = HasModifier(node, "abstract", text_) ||
                         absl::StrContains(TextOf(node, text_).substr(0, 300), "@abstractmethod");
    body_->members.push_back(std::move(member));
  }
  void set_public(bool is_public) { is_public_ = is_public; }

 private:
  MemberKind KindOf(TSNode node, TypeMember* member) {
    const absl::string_view type = TypeOf(node);
    if (absl::StartsWith(type, "constructor") || type == "compact_constructor_declaration" ||
        ((type == "method_definition" || type == "method_signature") &&
         member->name == "constructor") ||
        (type == "function_definition" && member->name == "__init__")) {
      if (type == "function_definition") SelfFields(node);
      return MemberKind::kConstructor;
    }
    if (type == "property_declaration") {
      Field(node, FieldOf(node, "name"), FieldOf(node, "type"), FieldOf(node, "value"), true);
      return MemberKind::kProperty;
    }
    if (type == "field_declaration" || type == "constant_declaration")
      return Declared(node, member);
    if (type == "public_field_definition" || type == "property_signature" ||
        type == "field_definition") {
      TSNode name = FieldOf(node, "name");
      if (ts_node_is_null(name)) name = FieldOf(node, "property");
      if (member->name.empty()) member->name = Word(name, text_);
      const absl::string_view value = TypeOf(FieldOf(node, "value"));
      if (value == "arrow_function" || value == "function_expression") return MemberKind::kMethod;
      Field(node, name, FieldOf(node, "type"), FieldOf(node, "value"), false);
      return MemberKind::kField;
    }
    if (type == "expression_statement") {  // Python
      const TSNode assignment = ts_node_named_child(node, 0);
      const TSNode left = FieldOf(assignment, "left");
      if (!IsNode(assignment, "assignment") || !IsNode(left, "identifier")) {
        return MemberKind::kOther;
      }
      member->name = Word(left, text_);
      Field(node, left, FieldOf(assignment, "type"), FieldOf(assignment, "right"), false);
      return MemberKind::kField;
    }
    if (absl::StartsWith(type, "method") || absl::StartsWith(type, "function") ||
        type == "abstract_method_signature") {
      return MemberKind::kMethod;
    }
    return MemberKind::kOther;
  }

  // C#, Java, Go, Rust, C and C++ call this a field_declaration, each with its own children.
  MemberKind Declared(TSNode node, TypeMember* member) {
    const TSNode variable = ChildOf(node, "variable_declaration");
    const TSNode holder = ts_node_is_null(variable) ? node : variable;
    const TSNode type = FieldOf(holder, "type");
    bool any = false;
    for (const TSNode child : NamedChildren(holder)) {
      TSNode name{};
      TSNode value{};
      if (IsNode(child, "variable_declarator")) {
        name = FieldOf(child, "name");
        value = FieldOf(child, "value");
        // C# has no field for it: what follows the name is the value.
        if (ts_node_is_null(value) && ts_node_named_child_count(child) > 1) {
          value = ts_node_named_child(child, 1);
        }
      } else if (IsNode(child, "field_identifier")) {
        name = child;
      } else if (IsNode(child, "function_declarator")) {
        member->name = Word(FieldOf(child, "declarator"), text_);
        return MemberKind::kMethod;
      }
      if (ts_node_is_null(name)) continue;
      member->name = Word(name, text_);
      Field(node, name, type, value, false);
      any = true;
    }
    return any || !ts_node_is_null(type) ? MemberKind::kField : MemberKind::kOther;
  }

  void Field(TSNode node, TSNode name, TSNode type, TSNode value, bool is_property) {
    if (HasModifier(node, "abstract", text_)) return;
    TypeField field;
    field.name = Word(name, text_);
    field.type = std::string(TypeText(type, text_));
    field.is_property = is_property;
    field.is_static = HasModifier(node, "static", text_) || HasModifier(node, "const", text_) ||
                      absl::StartsWith(field.type, "ClassVar");
    field.has_value = !ts_node_is_null(value);
    field.is_optional = HasChildText(node, "?", text_) || HasChildText(node, "!", text_) ||
                        HasModifier(node, "declare", text_);
    field.is_readonly = HasModifier(node, "readonly", text_) || HasModifier(node, "final", text_);
    // `=> Total` and `{ get { … } }` hold nothing.
    if (is_property && !field.has_value) {
      const TSNode accessors = FieldOf(node, "accessors");
      bool is_auto = !ts_node_is_null(accessors);
      for (const TSNode accessor : NamedChildren(accessors)) {
        if (!ts_node_is_null(FieldOf(accessor, "body"))) is_auto = false;
      }
      if (!is_auto) return;
    }
    body_->fields.push_back(std::move(field));
  }

  // `self.x: int = x` in __init__.
  void SelfFields(TSNode function) {
    WalkTree(FieldOf(function, "body"), [&](TSNode node) {
      if (IsNode(node, "assignment")) {
        const TSNode left = FieldOf(node, "left");
        if (IsNode(left, "attribute") && Word(FieldOf(left, "object"), text_) == "self") {
          TypeField field;
          field.name = Word(FieldOf(left, "attribute"), text_);
          field.type = std::string(TypeText(FieldOf(node, "type"), text_));
          field.has_value = true;
          body_->fields.push_back(std::move(field));
        }
      }
      return !IsNode(node, "function_definition");
    });
  }

  absl::string_view text_;
  TypeBody* body_;
  bool is_public_ = true;
};

}  // namespace

absl::StatusOr<TypeBody> TypeBodyOf(const LanguageFamily& family, TSNode declaration,
                                    absl::string_view text) {
  const TSNode node = BodyNode(declaration);
  const std::string name = Word(FieldOf(declaration, "name"), text);
  if (ts_node_is_null(node)) {
    return absl::NotFoundError(absl::StrCat(name, " has no body"));
  }
  TypeBody body;
  body.declaration_begin = BeginOf(declaration);
  const TSNode name_node = FieldOf(declaration, "name");
  body.name_end = ts_node_is_null(name_node) ? BeginOf(declaration) : EndOf(name_node);
  body.begin = BeginOf(node);
  body.end = EndOf(node);
  const absl::string_view type = TypeOf(declaration);
  body.has_braces = family.blocks != BlockStyle::kColon;
  body.is_interface = absl::StrContains(type, "interface") || type == "trait_item" ||
                      IsNode(node, "interface_type") || IsNode(node, "object_type") ||
                      IsNode(node, "interface_body");
  if (family.blocks == BlockStyle::kColon) {
    const absl::string_view bases = ts_node_is_null(FieldOf(declaration, "superclasses"))
                                        ? ""
                                        : TextOf(FieldOf(declaration, "superclasses"), text);
    body.is_interface = absl::StrContains(bases, "Protocol");
  }
  if (body.has_braces) {
    const size_t open = text.substr(body.begin, body.end - body.begin).find('{');
    if (open == absl::string_view::npos || text[body.end - 1] != '}' ||
        ts_node_is_missing(ts_node_child(node, ts_node_child_count(node) - 1))) {
      return absl::FailedPreconditionError(
          absl::StrCat("the braces of ", name, " do not close; correct the syntax first"));
    }
    body.begin += static_cast<uint32_t>(open);
    --body.end;
  }
  Reader reader(text, &body);
  reader.set_public(!absl::StartsWith(type, "class_specifier"));
  for (const TSNode child : NamedChildren(node)) {
    if (IsNode(child, "enum_body_declarations")) {
      for (const TSNode member : NamedChildren(child)) reader.Read(member);
    } else {
      reader.Read(child);
    }
  }
  return body;
}

absl::StatusOr<TypeBody> FindTypeBody(const LanguageFamily& family, const SyntaxTree& tree,
                                      absl::string_view text, uint32_t name_begin) {
  TSNode node = NodeAt(tree, name_begin, name_begin + 1);
  constexpr int kMaxSteps = 6;  // from a name to its declaration
  for (int i = 0; i < kMaxSteps && !ts_node_is_null(node); ++i) {
    if (IsTypeNode(node)) return TypeBodyOf(family, node, text);
    node = ts_node_parent(node);
  }
  return absl::NotFoundError("what stands there is no type with members");
}

}  // namespace stile
