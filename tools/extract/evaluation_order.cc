#include "tools/extract/evaluation_order.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

bool IsShortCircuit(TSNode node, absl::string_view text) {
  if (IsNode(node, "boolean_operator")) return true;
  const TSNode sign = FieldOf(node, "operator");
  return !ts_node_is_null(sign) && IsOneOf(TextOf(sign, text), {"&&", "||", "??", "and", "or"});
}

bool IsComprehension(TSNode node) {
  return absl::EndsWith(TypeOf(node), "_comprehension") || IsNode(node, "generator_expression");
}

// Nodes that evaluate each child once, from the left, or evaluate nothing themselves.
constexpr absl::string_view kPlainParents[] = {"argument_list",
                                               "arguments",
                                               "argument",
                                               "call",
                                               "call_expression",
                                               "invocation_expression",
                                               "method_invocation",
                                               "macro_invocation",
                                               "object_creation_expression",
                                               "new_expression",
                                               "array_creation_expression",
                                               "binary_expression",
                                               "binary_operator",
                                               "boolean_operator",
                                               "comparison_operator",
                                               "unary_expression",
                                               "unary_operator",
                                               "not_operator",
                                               "prefix_unary_expression",
                                               "await_expression",
                                               "await",
                                               "parenthesized_expression",
                                               "cast_expression",
                                               "as_expression",
                                               "type_cast_expression",
                                               "satisfies_expression",
                                               "non_null_expression",
                                               "instanceof_expression",
                                               "conditional_expression",
                                               "ternary_expression",
                                               "attribute",
                                               "member_expression",
                                               "member_access_expression",
                                               "field_access",
                                               "field_expression",
                                               "selector_expression",
                                               "subscript",
                                               "subscript_expression",
                                               "index_expression",
                                               "slice_expression",
                                               "element_access_expression",
                                               "bracketed_argument_list",
                                               "array_access",
                                               "array",
                                               "list",
                                               "tuple",
                                               "set",
                                               "dictionary",
                                               "pair",
                                               "object",
                                               "keyed_element",
                                               "literal_element",
                                               "literal_value",
                                               "composite_literal",
                                               "initializer_expression",
                                               "initializer_list",
                                               "array_initializer",
                                               "array_expression",
                                               "tuple_expression",
                                               "struct_expression",
                                               "field_initializer_list",
                                               "field_initializer",
                                               "anonymous_object_creation_expression",
                                               "keyword_argument",
                                               "spread_element",
                                               "template_string",
                                               "template_substitution",
                                               "string",
                                               "interpolation",
                                               "interpolated_string_expression",
                                               "expression_list",
                                               "reference_expression",
                                               "token_tree",
                                               "query_expression",
                                               "return_statement",
                                               "return_expression",
                                               "throw_statement",
                                               "throw_expression",
                                               "raise_statement",
                                               "expression_statement",
                                               "variable_declarator",
                                               "variable_declaration",
                                               "lexical_declaration",
                                               "local_variable_declaration",
                                               "local_declaration_statement",
                                               "equals_value_clause",
                                               "declaration",
                                               "init_declarator",
                                               "let_declaration",
                                               "short_var_declaration",
                                               "var_declaration",
                                               "var_spec",
                                               "assignment",
                                               "assignment_expression",
                                               "assignment_statement",
                                               "augmented_assignment",
                                               "augmented_assignment_expression",
                                               "compound_assignment_expr",
                                               "arrow_expression_clause",
                                               "if_statement",
                                               "if_expression",
                                               "else_clause",
                                               "elif_clause",
                                               "switch_statement",
                                               "switch_expression",
                                               "expression_switch_statement",
                                               "match_statement",
                                               "match_expression",
                                               "condition_clause",
                                               "global_statement",
                                               "yield_statement",
                                               "go_statement",
                                               "defer_statement",
                                               "export_statement",
                                               "try_expression",
                                               "sequence_expression",
                                               "jsx_expression",
                                               "jsx_attribute",
                                               "jsx_element",
                                               "jsx_opening_element",
                                               "jsx_self_closing_element",
                                               "as_pattern",
                                               "with_item",
                                               "with_clause",
                                               "with_statement",
                                               "send_statement"};

bool IsPlainParent(absl::string_view type) {
  return std::find(std::begin(kPlainParents), std::end(kPlainParents), type) !=
             std::end(kPlainParents) ||
         absl::EndsWith(type, "_comprehension") || type == "generator_expression" ||
         type == "for_in_clause" || type == "range_clause";
}

// A place that an assignment writes to, whole or as one of a list.
bool IsTarget(TSNode node) {
  for (TSNode child = node, parent = ts_node_parent(node); !ts_node_is_null(parent);
       child = parent, parent = ts_node_parent(child)) {
    if (SameNode(FieldOf(parent, "left"), child)) {
      return absl::StrContains(TypeOf(parent), "assignment") ||
             IsNode(parent, "compound_assignment_expr") || IsLoopNode(parent);
    }
    if (!IsOneOf(TypeOf(parent),
                 {"expression_list", "pattern_list", "tuple_pattern", "list_pattern",
                  "array_pattern", "object_pattern", "tuple", "list", "array",
                  "parenthesized_expression", "pair_pattern", "tuple_expression"})) {
      return false;
    }
  }
  return false;
}

// Whether the child of a loop is evaluated once, before the first round.
bool IsOutsideOfRounds(TSNode loop, TSNode child) {
  return SameNode(FieldOf(loop, "right"), child) || SameNode(FieldOf(loop, "value"), child) ||
         SameNode(FieldOf(loop, "initializer"), child) || IsNode(loop, "foreach_statement") ||
         IsNode(loop, "for_in_statement") || IsNode(child, "range_clause");
}

// Whether the child of a comprehension is its first clause, and the expression the collection.
bool IsFirstCollection(TSNode comprehension, TSNode child, TSNode expression) {
  for (const TSNode part : NamedChildren(comprehension)) {
    if (!IsNode(part, "for_in_clause")) continue;
    const TSNode right = FieldOf(part, "right");
    return SameNode(part, child) && BeginOf(expression) >= BeginOf(right) &&
           EndOf(expression) <= EndOf(right);
  }
  return false;
}

bool IsBranch(TSNode node, TSNode child, bool condition_is_second) {
  const absl::string_view type = TypeOf(node);
  if (IsOneOf(type, {"else_clause", "elif_clause", "switch_expression_arm", "case_clause"})) {
    return true;
  }
  if (IsOneOf(type, {"if_statement", "if_expression"})) {
    return SameNode(FieldOf(node, "alternative"), child);
  }
  if (!IsOneOf(type, {"conditional_expression", "ternary_expression"})) return false;
  const TSNode condition =
      condition_is_second ? ts_node_named_child(node, 1) : FieldOf(node, "condition");
  return !SameNode(condition, child);
}

bool IsCallee(TSNode node) {
  const TSNode parent = ts_node_parent(node);
  return SameNode(FieldOf(parent, "function"), node) || SameNode(FieldOf(parent, "name"), node);
}

// Whether a name keeps its value while calls run: a function, or a local with one value.
bool KeepsValue(const SourceFile& file, const SyntaxTree& tree, TSNode name) {
  const absl::string_view text = TextOf(name, file.text);
  for (const BoundUse& use : UsesIn(file, {BeginOf(name), EndOf(name)})) {
    if (use.occurrence.begin != BeginOf(name)) continue;
    const Binding& binding = file.scopes.bindings[static_cast<size_t>(use.binding)];
    const bool is_local = binding.kind == BindingKind::kLocal ||
                          binding.kind == BindingKind::kParameter ||
                          (binding.kind == BindingKind::kVariable && !binding.is_file_level);
    const bool may_change =
        binding.kind == BindingKind::kVariable || binding.kind == BindingKind::kField;
    if (!is_local) return !may_change || IsCallee(name);
    const std::vector<Occurrence> uses = UsesOf(file, use.binding);
    const auto writes = std::count_if(uses.begin(), uses.end(), [&](const Occurrence& other) {
      return other.role == OccurrenceRole::kDefinition || IsWrite(tree, other, file.text);
    });
    if (writes <= 1) return true;
    // No call reaches a local of which no closure and no pointer knows.
    const TSNode function = FunctionAround(name);
    return std::all_of(uses.begin(), uses.end(), [&](const Occurrence& other) {
      const TSNode node = NodeAt(tree, other.begin, other.end);
      const bool is_own =
          SameNode(FunctionAround(node), function) || binding.kind == BindingKind::kParameter;
      return is_own && !absl::StartsWith(TextOf(ts_node_parent(node), file.text), "&");
    });
  }
  // A name of another file: of a function where it is called, of a type, or of a package. Types
  // have a capital.
  const bool has_capital =
      !text.empty() && absl::ascii_isupper(static_cast<unsigned char>(text.front()));
  return IsCallee(name) || has_capital || absl::StrContains(TypeOf(name), "type");
}

// The first thing that evaluating the node reads and that a call could change; null: none.
TSNode ReadWithin(const SourceFile& file, const SyntaxTree& tree, TSNode node) {
  TSNode read{};
  WalkTree(node, [&](TSNode inner) {
    const absl::string_view type = TypeOf(inner);
    if (!ts_node_is_null(read) || IsFunctionNode(inner) || IsComment(inner)) return false;
    const bool is_member =
        IsOneOf(type, {"member_expression", "attribute", "selector_expression", "field_access",
                       "member_access_expression", "field_expression", "subscript",
                       "subscript_expression", "index_expression", "array_access",
                       "element_access_expression", "conditional_access_expression"});
    if (is_member && !IsCallee(inner)) read = inner;
    const TSNode parent = ts_node_parent(inner);
    const bool is_name = type == "identifier" && !SameNode(FieldOf(parent, "attribute"), inner) &&
                         !SameNode(FieldOf(parent, "field"), inner) &&
                         !SameNode(FieldOf(parent, "name"), inner);
    if (is_name && !KeepsValue(file, tree, inner)) read = inner;
    if (IsOneOf(type, {"pointer_expression", "unary_expression"}) &&
        absl::StartsWith(TextOf(inner, file.text), "*")) {
      read = inner;
    }
    return ts_node_is_null(read);
  });
  return read;
}

// Whether the node evaluates its child anew in each round of a loop.
bool IsInRounds(TSNode node, TSNode child, TSNode expression) {
  return (IsLoopNode(node) && !IsOutsideOfRounds(node, child)) ||
         (IsComprehension(node) && !IsFirstCollection(node, child, expression)) ||
         IsOneOf(TypeOf(node), {"query_expression", "for_clause"});
}

// Whether the node evaluates its child only under a condition.
bool IsConditional(const SourceFile& file, TSNode node, TSNode child) {
  const absl::string_view type = TypeOf(node);
  const bool is_right = IsOneOf(type, {"binary_expression", "boolean_operator"}) &&
                        SameNode(FieldOf(node, "right"), child) && IsShortCircuit(node, file.text);
  // `a?.push(x)`, a nullish assignment
  const absl::string_view before =
      absl::string_view(file.text).substr(BeginOf(node), BeginOf(child) - BeginOf(node));
  const bool is_optional = !absl::EndsWith(type, "_statement") &&
                           (absl::StrContains(before, "?.") || absl::StrContains(before, "\?\?=") ||
                            absl::StrContains(before, "&&=") || absl::StrContains(before, "||="));
  // `a < b < x`
  const bool is_chained = type == "comparison_operator" &&
                          !SameNode(ts_node_named_child(node, 0), child) &&
                          !SameNode(ts_node_named_child(node, 1), child);
  return is_right || is_optional || is_chained ||
         IsBranch(node, child, LanguageBackendOf(file.language.id).facts.condition_first);
}

absl::Status UnknownOrder(absl::string_view type) {
  return absl::FailedPreconditionError(
      absl::StrCat("it is not known when code in a place of the kind ", type, " runs"));
}

// Whether the node evaluates `child`, which holds the expression, once whenever it runs itself.
absl::Status CheckEvaluatesOnce(const SourceFile& file, TSNode node, TSNode child,
                                TSNode expression) {
  const absl::string_view type = TypeOf(node);
  if (IsFunctionNode(node)) {
    return absl::FailedPreconditionError(
        "the expression is evaluated when a closure runs, not before its statement: give the "
        "closure a block first");
  }
  if (IsInRounds(node, child, expression)) {
    return absl::FailedPreconditionError(
        "the expression is evaluated anew in each round of the loop");
  }
  if (IsConditional(file, node, child)) {
    return absl::FailedPreconditionError(
        "the expression is evaluated only under a condition: as a variable it always would be");
  }
  if (IsOneOf(type, {"parameters", "formal_parameters", "parameter_list", "decorator",
                     "attribute_list"})) {
    return absl::FailedPreconditionError("the expression stands in the head of a function");
  }
  const bool is_later_item =
      type == "with_clause" && !SameNode(ts_node_named_child(node, 0), child);
  if (is_later_item || (!IsPlainParent(type) && !IsLoopNode(node))) return UnknownOrder(type);
  return absl::OkStatus();
}

}  // namespace

bool ChangesVariable(TSNode value, absl::string_view text) {
  bool found = false;
  WalkTree(value, [&](TSNode node) {
    const absl::string_view type = TypeOf(node);
    const absl::string_view code = TextOf(node, text);
    found = found || absl::StrContains(type, "assignment") || type == "update_expression" ||
            type == "named_expression" ||
            (absl::StrContains(type, "unary") &&
             (absl::StartsWith(code, "++") || absl::StartsWith(code, "--") ||
              absl::EndsWith(code, "++") || absl::EndsWith(code, "--")));
    return !found && !IsFunctionNode(node);
  });
  return found;
}

bool UsesNames(TSNode node) {
  bool found = false;
  WalkTree(node, [&](TSNode inner) {
    const absl::string_view type = TypeOf(inner);
    found = found || absl::StrContains(type, "identifier") ||
            IsOneOf(type, {"this", "this_expression", "self", "super"});
    return !found;
  });
  return found;
}

absl::StatusOr<TSNode> StatementEvaluating(const SourceFile& file, TSNode expression) {
  const TSNode statement = StatementAround(expression);
  if (ts_node_is_null(statement)) {
    return absl::FailedPreconditionError(
        "the expression stands in no block: put braces around its statement first");
  }
  if (ts_node_is_null(FunctionAround(expression)) &&
      IsOneOf(TypeOf(ts_node_parent(statement)), {"source_file", "translation_unit"})) {
    return absl::FailedPreconditionError("the expression stands outside of every function");
  }
  TSNode child = expression;
  for (TSNode node = ts_node_parent(child); !SameNode(child, statement);
       child = node, node = ts_node_parent(node)) {
    STILE_RETURN_IF_ERROR(CheckEvaluatesOnce(file, node, child, expression));
  }
  if (!SameNode(statement, expression) && !IsPlainParent(TypeOf(statement)) &&
      !IsLoopNode(statement)) {
    return UnknownOrder(TypeOf(statement));
  }
  return statement;
}

absl::Status CheckEvaluatedOnce(const SourceFile& file, TSNode part, TSNode whole) {
  for (TSNode child = part; !SameNode(child, whole); child = ts_node_parent(child)) {
    const TSNode node = ts_node_parent(child);
    if (ts_node_is_null(node)) break;
    STILE_RETURN_IF_ERROR(CheckEvaluatesOnce(file, node, child, part));
  }
  return absl::OkStatus();
}

absl::Status CheckNoTarget(TSNode expression) {
  if (!IsTarget(expression)) return absl::OkStatus();
  return absl::FailedPreconditionError("the expression is a place that is written to, not a value");
}

absl::Status CheckEvaluatedFirst(const SourceFile& file, const SyntaxTree& tree, TSNode expression,
                                 TSNode value, TSNode statement) {
  if (ChangesVariable(value, file.text)) {
    return absl::FailedPreconditionError(
        absl::StrCat("`", ShortCode(value, file.text), "` changes a variable"));
  }
  if (!UsesNames(value) && !HasEffects(value, file.text)) return absl::OkStatus();
  return CheckNoEffectBefore(file, expression, statement, IsSettled(file, tree, value));
}

bool IsSettled(const SourceFile& file, const SyntaxTree& tree, TSNode value) {
  return !HasEffects(value, file.text) && !ReadsChangeable(file, tree, value);
}

bool ReadsChangeable(const SourceFile& file, const SyntaxTree& tree, TSNode value) {
  return !ts_node_is_null(ReadWithin(file, tree, value));
}

absl::Status CheckNoEffectBefore(const SourceFile& file, TSNode place, TSNode statement,
                                 bool is_settled) {
  const LanguageFacts& facts = LanguageBackendOf(file.language.id).facts;
  for (TSNode child = place; !SameNode(child, statement);) {
    const TSNode node = ts_node_parent(child);
    if (ts_node_is_null(node)) break;
    const bool later_first =
        facts.condition_first &&
        (IsNode(node, "conditional_expression") || absl::EndsWith(TypeOf(node), "_comprehension"));
    const bool is_in_target = facts.targets_last && SameNode(FieldOf(node, "left"), child) &&
                              absl::StrContains(TypeOf(node), "assignment");
    const bool all_count = facts.unordered_operands || is_in_target ||
                           (facts.arguments_reordered && IsNode(node, "argument_list"));
    for (const TSNode before : NamedChildren(node)) {
      if (BeginOf(before) == BeginOf(child)) continue;
      if (BeginOf(before) > BeginOf(child) && !all_count) break;
      const bool is_later = IsStatementContainer(before) || IsNode(before, "else_clause") ||
                            SameNode(FieldOf(node, "alternative"), before);
      const bool is_behind = BeginOf(before) > BeginOf(child);
      if (is_later || (is_behind && is_settled)) continue;
      if (later_first || IsComment(before) || !HasEffects(before, file.text)) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("the statement may evaluate `", ShortCode(before, file.text),
                       "` before the expression: take that out first"));
    }
    child = node;
  }
  return absl::OkStatus();
}

namespace {

// What a plain assignment writes to, which it does not read: the left side of `=`, not of `+=`.
bool IsPlainTarget(TSNode node, TSNode left, absl::string_view text) {
  if (!SameNode(FieldOf(node, "left"), left) ||
      !IsOneOf(TypeOf(node), {"assignment", "assignment_expression"})) {
    return false;
  }
  const TSNode right = FieldOf(node, "right");
  if (ts_node_is_null(right)) return true;
  const auto between = text.substr(EndOf(left), BeginOf(right) - EndOf(left));
  return absl::StripAsciiWhitespace(between) == "=" || absl::StrContains(between, ":");
}

}  // namespace

absl::Status CheckNothingRead(const SourceFile& file, const SyntaxTree& tree, TSNode place,
                              TSNode statement) {
  TSNode read{};
  for (TSNode child = place; !SameNode(child, statement) && ts_node_is_null(read);) {
    const TSNode node = ts_node_parent(child);
    if (ts_node_is_null(node)) break;
    for (const TSNode before : NamedChildren(node)) {
      if (BeginOf(before) >= BeginOf(child)) break;
      if (!IsPlainTarget(node, before, file.text)) {
        read = ReadWithin(file, tree, before);
      } else if (!LanguageBackendOf(file.language.id).facts.targets_last &&
                 !IsNode(before, "identifier")) {
        // Its object and its index are.
        for (const TSNode part : NamedChildren(before)) {
          const bool is_name = SameNode(FieldOf(before, "property"), part) ||
                               SameNode(FieldOf(before, "field"), part) ||
                               SameNode(FieldOf(before, "name"), part);
          if (!is_name && ts_node_is_null(read)) read = ReadWithin(file, tree, part);
        }
      }
      if (!ts_node_is_null(read)) break;
    }
    child = node;
  }
  if (ts_node_is_null(read)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the statement reads `", ShortCode(read, file.text),
                   "` first, which the call in the value might change"));
}

}  // namespace stile
