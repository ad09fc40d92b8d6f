#include "tools/refactor/evaluation_order.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

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
    if (!is_local) return binding.kind != BindingKind::kVariable || IsCallee(name);
    const std::vector<Occurrence> uses = UsesOf(file, use.binding);
    const auto writes = std::count_if(uses.begin(), uses.end(), [&](const Occurrence& other) {
      return other.role == OccurrenceRole::kDefinition || IsWrite(tree, other, file.text);
    });
    return writes <= 1;
  }
  // A name of another file: of a function where it is called, of a type, or of a package.
  return IsCallee(name) || (!text.empty() && absl::StrContains(TypeOf(name), "type"));
}

}  // namespace

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
  const bool is_python = file.language.id == "python";
  TSNode child = expression;
  for (TSNode node = ts_node_parent(child); !SameNode(child, statement);
       child = node, node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    if (IsFunctionNode(node)) {
      return absl::FailedPreconditionError(
          "the expression is evaluated when a closure runs, not before its statement: give the "
          "closure a block first");
    }
    const bool in_rounds = (IsLoopNode(node) && !IsOutsideOfRounds(node, child)) ||
                           (IsComprehension(node) && !IsFirstCollection(node, child, expression)) ||
                           type == "query_expression";
    if (in_rounds) {
      return absl::FailedPreconditionError(
          "the expression is evaluated anew in each round of the loop");
    }
    const bool is_right = IsOneOf(type, {"binary_expression", "boolean_operator"}) &&
                          SameNode(FieldOf(node, "right"), child) &&
                          IsShortCircuit(node, file.text);
    if (is_right || IsBranch(node, child, is_python)) {
      return absl::FailedPreconditionError(
          "the expression is evaluated only under a condition: as a variable it always would be");
    }
    if (IsOneOf(type, {"parameters", "formal_parameters", "parameter_list", "decorator",
                       "attribute_list"})) {
      return absl::FailedPreconditionError("the expression stands in the head of a function");
    }
  }
  return statement;
}

absl::Status CheckEvaluatedFirst(const SourceFile& file, TSNode expression, TSNode statement) {
  if (!UsesNames(expression) && !HasEffects(expression, file.text)) return absl::OkStatus();
  for (TSNode child = expression; !SameNode(child, statement);) {
    const TSNode node = ts_node_parent(child);
    if (ts_node_is_null(node)) break;
    const bool later_first =
        file.language.id == "python" &&
        (IsNode(node, "conditional_expression") || absl::EndsWith(TypeOf(node), "_comprehension"));
    for (const TSNode before : NamedChildren(node)) {
      if (BeginOf(before) >= BeginOf(child)) break;
      if (later_first || IsComment(before) || !HasEffects(before, file.text)) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("the statement evaluates `", ShortCode(before, file.text),
                       "` before the expression, which a variable would come before: take that "
                       "out first"));
    }
    child = node;
  }
  return absl::OkStatus();
}

absl::Status CheckNothingRead(const SourceFile& file, const SyntaxTree& tree, TSNode place,
                              TSNode statement) {
  TSNode read{};
  for (TSNode child = place; !SameNode(child, statement) && ts_node_is_null(read);) {
    const TSNode node = ts_node_parent(child);
    if (ts_node_is_null(node)) break;
    for (const TSNode before : NamedChildren(node)) {
      if (BeginOf(before) >= BeginOf(child)) break;
      WalkTree(before, [&](TSNode inner) {
        const absl::string_view type = TypeOf(inner);
        if (!ts_node_is_null(read) || IsFunctionNode(inner) || IsComment(inner)) return false;
        const bool is_member =
            IsOneOf(type, {"member_expression", "attribute", "selector_expression", "field_access",
                           "member_access_expression", "field_expression", "subscript",
                           "subscript_expression", "index_expression", "array_access",
                           "element_access_expression", "conditional_access_expression"});
        if (is_member && !IsCallee(inner)) read = inner;
        const bool is_name = type == "identifier" &&
                             !SameNode(FieldOf(ts_node_parent(inner), "attribute"), inner) &&
                             !SameNode(FieldOf(ts_node_parent(inner), "field"), inner) &&
                             !SameNode(FieldOf(ts_node_parent(inner), "name"), inner);
        if (is_name && !KeepsValue(file, tree, inner)) read = inner;
        return ts_node_is_null(read);
      });
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
