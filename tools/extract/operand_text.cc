#include "tools/extract/operand_text.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

// Whether the value stands by itself beside any operator.
bool IsPrimary(TSNode value, absl::string_view text) {
  const absl::string_view type = TypeOf(value);
  if (absl::StrContains(TextOf(value, text), "?.")) return false;
  if (type == "new_expression") return !ts_node_is_null(FieldOf(value, "arguments"));
  return IsOneOf(type, {"identifier",
                        "this",
                        "string",
                        "template_string",
                        "interpreted_string_literal",
                        "raw_string_literal",
                        "string_literal",
                        "verbatim_string_literal",
                        "character_literal",
                        "char_literal",
                        "rune_literal",
                        "true",
                        "false",
                        "boolean_literal",
                        "null",
                        "null_literal",
                        "none",
                        "nil",
                        "number",
                        "integer",
                        "float",
                        "int_literal",
                        "float_literal",
                        "integer_literal",
                        "real_literal",
                        "number_literal",
                        "decimal_integer_literal",
                        "decimal_floating_point_literal",
                        "hex_integer_literal",
                        "call",
                        "call_expression",
                        "invocation_expression",
                        "method_invocation",
                        "object_creation_expression",
                        "member_expression",
                        "member_access_expression",
                        "attribute",
                        "selector_expression",
                        "field_access",
                        "field_expression",
                        "subscript",
                        "subscript_expression",
                        "index_expression",
                        "array_access",
                        "element_access_expression",
                        "parenthesized_expression",
                        "array",
                        "list",
                        "dictionary",
                        "set",
                        "list_comprehension",
                        "set_comprehension",
                        "dictionary_comprehension",
                        "generator_expression"}) ||
         (type == "tuple" && absl::StartsWith(TextOf(value, text), "("));
}

bool IsNumber(TSNode value) {
  const absl::string_view type = TypeOf(value);
  return absl::StrContains(type, "integer") || absl::StrContains(type, "float") ||
         IsOneOf(type, {"number", "int_literal", "real_literal", "number_literal"});
}

// Whether nothing around the use can bind to a part of the value.
bool IsWholeContext(TSNode use) {
  const TSNode parent = ts_node_parent(use);
  const absl::string_view type = TypeOf(parent);
  if (IsOneOf(type, {"arguments", "argument_list", "argument", "return_statement",
                     "parenthesized_expression", "expression_list", "array", "list",
                     "template_substitution", "expression_statement", "throw_statement",
                     "arrow_expression_clause", "equals_value_clause"})) {
    return true;
  }
  if (IsOneOf(type, {"variable_declarator", "init_declarator", "keyword_argument", "pair",
                     "default_parameter"})) {
    return true;
  }
  return IsOneOf(type, {"assignment", "assignment_expression", "assignment_statement"}) &&
         SameNode(FieldOf(parent, "right"), use);
}

// How tightly an operator binds that does so in the same way in every language; -1: others.
int Precedence(TSNode operation, absl::string_view text) {
  const TSNode node = FieldOf(operation, "operator");
  if (IsNode(operation, "comparison_operator")) return 1;
  if (ts_node_is_null(node)) return -1;
  const absl::string_view sign = TextOf(node, text);
  if (IsOneOf(sign, {"*", "/", "%"})) return 3;
  if (IsOneOf(sign, {"+", "-"})) return 2;
  if (IsOneOf(sign, {"<", ">", "<=", ">=", "==", "!="})) return 1;
  return IsOneOf(sign, {"&&", "||", "and", "or"}) ? 0 : -1;
}

bool IsBinary(TSNode node) {
  return IsOneOf(TypeOf(node), {"binary_expression", "binary_operator", "boolean_operator",
                                "comparison_operator"});
}

// Whether the value binds tighter than the operator around the use.
bool BindsTighter(TSNode value, absl::string_view value_text, TSNode use, absl::string_view text) {
  const TSNode parent = ts_node_parent(use);
  if (!IsBinary(value) || !IsBinary(parent)) return false;
  const int around = Precedence(parent, text);
  return around >= 0 && Precedence(value, value_text) > around;
}

// Whether the name is the object of a member access or an index.
bool IsObject(TSNode use) {
  const TSNode parent = ts_node_parent(use);
  return BeginOf(parent) == BeginOf(use) &&
         IsOneOf(TypeOf(parent), {"member_expression", "attribute", "selector_expression",
                                  "field_access", "field_expression", "member_access_expression",
                                  "subscript", "subscript_expression", "method_invocation"});
}

// Whether the name is, or begins, what `new` constructs: `new ns.Thing()`.
bool IsConstructed(TSNode use) {
  TSNode node = use;
  while (IsObject(node)) node = ts_node_parent(node);
  return IsNode(ts_node_parent(node), "new_expression");
}

}  // namespace

std::string OperandText(TSNode value, absl::string_view value_text, TSNode use,
                        absl::string_view text) {
  const bool is_list = IsOneOf(TypeOf(value), {"expression_list", "tuple", "sequence_expression"});
  bool is_plain = false;
  if (IsPrimary(value, value_text)) {
    is_plain = !(IsObject(use) && IsNumber(value)) && !IsConstructed(use);
  } else if (!is_list) {
    is_plain = IsWholeContext(use) || BindsTighter(value, value_text, use, text);
  }
  const absl::string_view code = TextOf(value, value_text);
  return is_plain ? std::string(code) : absl::StrCat("(", code, ")");
}

std::string ConvertedText(absl::string_view type, absl::string_view value) {
  return IsIdentifier(type) ? absl::StrCat(type, "(", value, ")")
                            : absl::StrCat("(", type, ")(", value, ")");
}

}  // namespace stile
