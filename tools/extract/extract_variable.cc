#include "tools/extract/extract_variable.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/codegen/insert_code.h"
#include "tools/extract/evaluation_order.h"
#include "tools/extract/variable_types.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

constexpr size_t kMaxCandidates = 12;

// What has a value and is more than a name or a literal would need.
bool IsExpression(TSNode node) {
  const absl::string_view type = TypeOf(node);
  if (IsOneOf(type, {"expression_statement", "expression_list", "expression_case",
                     "assignment_expression", "augmented_assignment_expression",
                     "compound_assignment_expr", "spread_element", "argument_list",
                     "declaration_expression"})) {
    return false;
  }
  return absl::EndsWith(type, "_expression") || absl::EndsWith(type, "_literal") ||
         IsOneOf(type, {"call",
                        "binary_operator",
                        "boolean_operator",
                        "comparison_operator",
                        "unary_operator",
                        "not_operator",
                        "subscript",
                        "attribute",
                        "list",
                        "tuple",
                        "dictionary",
                        "set",
                        "string",
                        "integer",
                        "float",
                        "list_comprehension",
                        "dictionary_comprehension",
                        "set_comprehension",
                        "generator_expression",
                        "await",
                        "method_invocation",
                        "field_access",
                        "array_access",
                        "array",
                        "object",
                        "template_string",
                        "number",
                        "identifier",
                        "true",
                        "false",
                        "interpreted_string_literal",
                        "composite_literal",
                        "identifier",
                        "interpolated_string_expression",
                        "object_creation_expression",
                        "concatenated_string",
                        "macro_invocation",
                        "conditional_expression"});
}

bool IsAtom(TSNode node) {
  return IsOneOf(TypeOf(node),
                 {"identifier", "number", "integer", "float", "true", "false", "string",
                  "int_literal", "float_literal", "integer_literal", "decimal_integer_literal",
                  "string_literal", "real_literal", "boolean_literal", "number_literal",
                  "char_literal", "character_literal", "interpreted_string_literal"});
}

// A name behind a dot, which may be a getter.
bool ReadsProperty(TSNode node) {
  bool found = false;
  WalkTree(node, [&](TSNode inner) {
    found = found || IsOneOf(TypeOf(inner), {"member_access_expression", "member_expression",
                                             "attribute", "conditional_access_expression"});
    return !found;
  });
  return found;
}

bool IsMemberAccess(TSNode node) {
  return IsOneOf(TypeOf(node), {"member_expression", "subscript_expression", "field_expression",
                                "member_access_expression"});
}

// Each evaluation gives another one.
bool MakesObject(TSNode node) {
  bool found = false;
  WalkTree(node, [&](TSNode inner) {
    found = found || absl::StrContains(TypeOf(inner), "array_creation") ||
            absl::EndsWith(TypeOf(inner), "_comprehension") ||
            IsOneOf(TypeOf(inner), {"array", "object", "list", "dictionary", "set", "regex",
                                    "generator_expression", "slice", "composite_literal",
                                    "slice_expression", "initializer_list"}) ||
            IsFunctionNode(inner);
    return !found;
  });
  return found;
}

class Extraction {
 public:
  Extraction(const SourceFile& file, const SyntaxTree& tree, ByteSpan span)
      : file_(file), tree_(tree), text_(file.text), span_(span) {}

  absl::StatusOr<TSNode> Find(const std::string& wanted, int start_line, int start_column) {
    if (!wanted.empty()) return FindText(wanted, start_line, start_column);
    std::vector<TSNode> whole;
    std::vector<TSNode> arguments;
    WalkTree(tree_.root(), [&](TSNode node) {
      if (EndOf(node) <= span_.begin || BeginOf(node) >= span_.end) return false;
      if (BeginOf(node) < span_.begin || EndOf(node) > span_.end) return true;
      if (!IsExpression(node) || IsAtom(node)) return true;
      (IsWhole(node) ? whole : arguments).push_back(node);
      return !IsWhole(node);
    });
    if (whole.size() == 1) return whole[0];
    if (whole.empty() && arguments.size() == 1) return arguments[0];
    if (!whole.empty()) arguments.insert(arguments.begin(), whole.begin(), whole.end());
    if (arguments.empty()) {
      return absl::InvalidArgumentError(
          "the lines hold no whole expression; give its text in symbolName");
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "which expression is meant? Give its text in symbolName, one of: ", List(arguments)));
  }

  absl::Status CheckNames(TSNode expression, TSNode statement) const {
    const ByteSpan inner{BeginOf(expression), EndOf(expression)};
    for (const BoundUse& use : UsesIn(file_, inner)) {
      const Binding& binding = file_.scopes.bindings[static_cast<size_t>(use.binding)];
      const bool declared_here =
          binding.name_begin >= BeginOf(statement) && binding.name_begin < EndOf(statement);
      const bool local = binding.kind == BindingKind::kLocal ||
                         binding.kind == BindingKind::kParameter ||
                         (binding.kind == BindingKind::kVariable && !binding.is_file_level);
      if (declared_here && local && !inner.Holds(binding.name_begin) &&
          binding.scope_begin >= BeginOf(statement)) {
        return absl::FailedPreconditionError(absl::StrCat(
            "the expression uses ", ToUtf8(binding.name), ", which its own statement declares"));
      }
      if (inner.Holds(binding.name_begin) && use.occurrence.role == OccurrenceRole::kDefinition) {
        for (const Occurrence& other : UsesOf(file_, use.binding)) {
          if (!inner.Holds(other.begin)) {
            return absl::FailedPreconditionError(absl::StrCat(
                "the expression declares ", ToUtf8(binding.name), ", which is used outside of it"));
          }
        }
      }
    }
    TSNode node = expression;
    const TSNode parent = ts_node_parent(node);
    const bool by_reference =
        (IsOneOf(TypeOf(parent),
                 {"unary_expression", "pointer_expression", "reference_expression"}) &&
         absl::StartsWith(TextOf(parent, text_), "&")) ||
        absl::StrContains(TypeOf(parent), "update_expression") ||
        (IsNode(parent, "argument") && (absl::StartsWith(TextOf(parent, text_), "ref ") ||
                                        absl::StartsWith(TextOf(parent, text_), "out ")));
    STILE_RETURN_IF_ERROR(CheckNoTarget(node));
    if (by_reference) {
      return absl::FailedPreconditionError(
          "the expression is a place that is written to, not a value");
    }
    return absl::OkStatus();
  }

  // Equal ones in the same statement, where evaluating once is the same.
  std::vector<TSNode> Equal(TSNode expression, TSNode statement) const {
    std::vector<TSNode> equal;
    if (HasEffects(expression, text_)) return {expression};
    if (MakesObject(expression)) return {expression};
    if (LanguageBackendOf(file_.language.id).facts.has_getters && ReadsProperty(expression)) {
      return {expression};
    }
    const absl::string_view wanted = TextOf(expression, text_);
    WalkTree(statement, [&](TSNode node) {
      if (IsFunctionNode(node)) return false;
      if (IsExpression(node) && TextOf(node, text_) == wanted && IsEvaluatedBy(node, statement) &&
          CheckNames(node, statement).ok() &&
          CheckEvaluatedFirst(file_, tree_, node, node, statement).ok()) {
        equal.push_back(node);
        return false;
      }
      return true;
    });
    if (equal.empty()) equal.push_back(expression);
    return equal;
  }

 private:
  bool IsEvaluatedBy(TSNode node, TSNode statement) const {
    const auto around = StatementEvaluating(file_, node);
    return around.ok() && SameNode(*around, statement);
  }

  // The right side of something, a result, a condition.
  bool IsWhole(TSNode node) const {
    const TSNode parent = ts_node_parent(node);
    const absl::string_view type = TypeOf(parent);
    if (IsOneOf(type,
                {"return_statement", "variable_declarator", "init_declarator", "let_declaration",
                 "equals_value_clause", "throw_statement", "raise_statement", "assert_statement",
                 "return_expression", "expression_statement", "arrow_expression_clause"})) {
      return type != "expression_statement";
    }
    for (const char* field : {"right", "value", "condition"}) {
      const bool holds = SameNode(FieldOf(parent, field), node);
      if (holds && !IsOneOf(type, {"binary_expression", "binary_operator", "boolean_operator",
                                   "field_expression", "subscript", "attribute"})) {
        return true;
      }
    }
    return type == "expression_list" || (type == "parenthesized_expression" && IsWhole(parent)) ||
           (type == "parenthesized_expression" &&
            SameNode(FieldOf(ts_node_parent(parent), "condition"), parent));
  }

  absl::StatusOr<TSNode> FindText(const std::string& wanted, int start_line, int start_column) {
    std::vector<TSNode> found;
    for (size_t at = text_.find(wanted, span_.begin); at < span_.end;
         at = text_.find(wanted, at + 1)) {
      const auto begin = static_cast<uint32_t>(at);
      const uint32_t end = begin + static_cast<uint32_t>(wanted.size());
      const TextPlace place = file_.PlaceOf(begin);
      if (place.line == start_line && place.column < start_column) continue;
      TSNode node = NodeAt(tree_, begin, end);
      if (BeginOf(node) != begin || EndOf(node) != end) continue;
      while (!ts_node_is_null(ts_node_parent(node)) && BeginOf(ts_node_parent(node)) == begin &&
             EndOf(ts_node_parent(node)) == end && IsExpression(ts_node_parent(node))) {
        node = ts_node_parent(node);
      }
      if (IsExpression(node)) found.push_back(node);
    }
    if (!found.empty()) return found[0];
    std::vector<TSNode> all;
    WalkTree(tree_.root(), [&](TSNode node) {
      if (EndOf(node) <= span_.begin || BeginOf(node) >= span_.end) return false;
      if (BeginOf(node) >= span_.begin && EndOf(node) <= span_.end && IsExpression(node) &&
          !IsAtom(node)) {
        all.push_back(node);
      }
      return true;
    });
    return absl::InvalidArgumentError(
        absl::StrCat("no expression ", ToUtf8(wanted), " on the lines",
                     all.empty() ? "" : absl::StrCat("; there are ", List(all))));
  }

  std::string List(const std::vector<TSNode>& nodes) const {
    std::vector<std::string> names;
    for (const TSNode node : nodes) {
      const std::string shown = absl::StrCat("`", ShortCode(node, text_), "`");
      if (std::find(names.begin(), names.end(), shown) != names.end()) continue;
      if (names.size() == kMaxCandidates) break;
      names.push_back(shown);
    }
    return absl::StrJoin(names, ", ");
  }

  const SourceFile& file_;
  const SyntaxTree& tree_;
  const absl::string_view text_;
  const ByteSpan span_;
};

absl::StatusOr<std::string> DeclarationOf(const SourceFile& file, const SyntaxTree& tree,
                                          TSNode node, TSNode statement, const std::string& name,
                                          const std::string& value, const ProbeEdits& probe) {
  const CodeWriter& writer = *LanguageBackendOf(file.language.id).writer;
  std::string declaration = writer.DeclareLocal(name, "", value);
  if (declaration.empty()) {
    std::string type = ShownType(file, tree, node);
    if (type.empty()) {
      STILE_ASSIGN_OR_RETURN(type, TypeOfExpression(file, value, BeginOf(statement), probe));
    }
    declaration = writer.DeclareLocal(name, type, value);
  }
  if (!declaration.empty()) return declaration;
  return absl::UnimplementedError(
      absl::StrCat("code.refactor extract_variable is not available for ", file.language.name,
                   "; use file.modify"));
}

absl::Status CheckCanBeVariable(const SourceFile& file, TSNode node) {
  if (SameNode(FieldOf(ts_node_parent(node), "function"), node) && IsMemberAccess(node)) {
    return absl::FailedPreconditionError(
        "the expression is a method that is called: alone it could lose its object");
  }
  if (LanguageBackendOf(file.language.id).facts.has_value_categories &&
      IsNode(node, "call_expression")) {
    return absl::FailedPreconditionError(
        "a variable would copy what the call gives, or mean another overload where it is passed "
        "on: write it with file.modify");
  }
  return absl::OkStatus();
}

// Of the function around the node; of the whole file where there is none.
ByteSpan FunctionSpanAround(const SourceFile& file, TSNode node) {
  const TSNode function = FunctionAround(node);
  if (ts_node_is_null(function)) return {0, static_cast<uint32_t>(file.text.size())};
  return {BeginOf(function), EndOf(function)};
}

// The text of an expression; what a pair of parentheses held needs none as a right side.
std::string RightSideOf(TSNode node, absl::string_view text) {
  std::string value(TextOf(node, text));
  if (absl::StartsWith(value, "(") && IsNode(node, "parenthesized_expression") &&
      !absl::StrContains(value, "\n")) {
    value = value.substr(1, value.size() - 2);
  }
  return value;
}

}  // namespace

absl::StatusOr<EditPlan> PlanExtractVariable(const SourceFile& file, int start_line, int end_line,
                                             int start_column, const std::string& expression,
                                             const std::string& new_name, const ProbeEdits& probe) {
  const LanguageFamily* family = FindLanguageFamily(file.language.id);
  if (family == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_variable is not available for ", file.language.name,
                     "; use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const ByteSpan span, SpanOfLines(file, start_line, end_line));
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  Extraction extraction(file, tree, span);
  STILE_ASSIGN_OR_RETURN(const TSNode node, extraction.Find(expression, start_line, start_column));
  STILE_ASSIGN_OR_RETURN(const TSNode statement, StatementEvaluating(file, node));
  STILE_RETURN_IF_ERROR(CheckCanBeVariable(file, node));
  STILE_RETURN_IF_ERROR(extraction.CheckNames(node, statement));
  STILE_RETURN_IF_ERROR(CheckEvaluatedFirst(file, tree, node, node, statement));
  STILE_RETURN_IF_ERROR(CheckFreeName(file, new_name, FunctionSpanAround(file, node)));
  const std::string value = RightSideOf(node, file.text);
  STILE_ASSIGN_OR_RETURN(const std::string declaration,
                         DeclarationOf(file, tree, node, statement, new_name, value, probe));
  const CodeStyle style = StyleOf(file.text, *family);
  EditPlan plan;
  const uint32_t at = BeginOf(statement);
  const absl::string_view indent = IndentationAt(file.text, at);
  const TSNode parent = ts_node_parent(node);
  // `f(x);` alone: the statement is the expression, and the declaration replaces it.
  if (IsNode(parent, "expression_statement") && SameNode(parent, statement)) {
    plan.Edit(file, {at, EndOf(statement), declaration});
    return plan;
  }
  plan.Edit(file, {at, at, absl::StrCat(declaration, style.newline, indent)});
  const bool keeps_parentheses = IsNode(node, "parenthesized_expression") &&
                                 SameNode(FieldOf(parent, "condition"), node) &&
                                 LanguageBackendOf(file.language.id).facts.condition_in_parentheses;
  for (const TSNode equal : extraction.Equal(node, statement)) {
    plan.Edit(file, {BeginOf(equal), EndOf(equal),
                     keeps_parentheses ? absl::StrCat("(", new_name, ")")
                                       : WordFor(equal, new_name, file.text)});
  }
  return plan;
}

}  // namespace stile
