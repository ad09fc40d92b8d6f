#include "tools/extract/variable_types.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/constant_expression.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// A name that no program has; the message that we look for names it.
constexpr char kProbe[] = "stileProbe";

std::string Word(TSNode node, absl::string_view text) {
  if (ts_node_is_null(node)) return "";
  absl::string_view type = TextOf(node, text);
  absl::ConsumePrefix(&type, ":");
  return std::string(absl::StripAsciiWhitespace(type));
}

std::string LiteralType(const LanguageBackend& language, TSNode value, absl::string_view text) {
  const std::string own = language.types->ValueType(value, text);
  if (!own.empty()) return own;
  const LanguageFacts& facts = language.facts;
  const absl::string_view type = TypeOf(value);
  const std::string word = Word(value, text);
  if (type == "int_literal" || type == "integer_literal" || type == "decimal_integer_literal" ||
      type == "number" || type == "number_literal") {
    if (!facts.number_type.empty()) return facts.number_type;
    const bool is_plain = std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return absl::ascii_isdigit(c); });
    return is_plain ? "int" : "";
  }
  if (type == "real_literal" || type == "decimal_floating_point_literal") {
    return absl::ascii_isalpha(static_cast<unsigned char>(word.back())) ? "" : "double";
  }
  if (absl::StrContains(type, "string")) return facts.text_type;
  if (type == "true" || type == "false" || type == "boolean_literal") return facts.truth_type;
  if (type == "object_creation_expression") return Word(FieldOf(value, "type"), text);
  if (type == "new_expression") {
    return absl::StrCat(Word(FieldOf(value, "constructor"), text),
                        Word(FieldOf(value, "type_arguments"), text));
  }
  if (type == "composite_literal") return Word(FieldOf(value, "type"), text);
  if (type == "cast_expression") return Word(FieldOf(value, "type"), text);
  if (type == "as_expression") return Word(ts_node_named_child(value, 1), text);
  return "";
}

std::string TypeOfBinding(const SourceFile& file, const SyntaxTree& tree, int binding, int depth);

// Of a value by its parts: literals, names with declared types, arithmetic of two equal ones.
std::string ValueType(const SourceFile& file, const SyntaxTree& tree, TSNode value, int depth) {
  constexpr int kMaxDepth = 8;
  if (depth > kMaxDepth || ts_node_is_null(value)) return "";
  const LanguageBackend& language = LanguageBackendOf(file.language.id);
  const absl::string_view type = TypeOf(value);
  if (type == "parenthesized_expression") {
    return ValueType(file, tree, ts_node_named_child(value, 0), depth + 1);
  }
  if (type == "concatenated_string")
    return ValueType(file, tree, ts_node_named_child(value, 0), depth + 1);
  if (type == "identifier") {
    const std::string name(TextOf(value, file.text));
    for (const Occurrence& use : FindOccurrences(file.grammar, file.scopes, file.text, name)) {
      if (use.begin != BeginOf(value)) continue;
      return use.binding < 0 ? "" : TypeOfBinding(file, tree, use.binding, depth + 1);
    }
    return "";
  }
  if (type == "binary_expression") {
    const absl::string_view word = TextOf(FieldOf(value, "operator"), file.text);
    for (const absl::string_view compares :
         {"==", "!=", "<", ">", "<=", ">=", "===", "!==", "&&", "||"}) {
      const bool is_operand = language.facts.logic_gives_operand && (word == "&&" || word == "||");
      if (word == compares && !is_operand) return language.facts.comparison_type;
    }
    const std::string left = ValueType(file, tree, FieldOf(value, "left"), depth + 1);
    const std::string right = ValueType(file, tree, FieldOf(value, "right"), depth + 1);
    for (const absl::string_view known :
         {"int", "long", "double", "float64", "int64", "number", "string", "String"}) {
      if (left == known && right == left && absl::StrContains("+-*/%", word)) return left;
    }
    // A constant takes the type of what stands beside it.
    const bool literal = absl::StrContains(TypeOf(FieldOf(value, "right")), "literal");
    if (language.facts.untyped_constants && literal && right == "int" && left == "float64") {
      return left;
    }
    return "";
  }
  return LiteralType(language, value, file.text);
}

std::string TypeOfBinding(const SourceFile& file, const SyntaxTree& tree, int binding, int guard) {
  const Binding& declared = file.scopes.bindings[static_cast<size_t>(binding)];
  const absl::string_view text = file.text;
  const TSNode name = NodeAt(tree, declared.name_begin, declared.name_end);
  const auto beside = LanguageBackendOf(file.language.id).types->DeclaredBeside(name, text);
  if (beside.has_value()) {
    return beside->type.empty() ? ValueType(file, tree, beside->value, guard) : beside->type;
  }
  TSNode node = ts_node_parent(name);
  for (int depth = 0; depth < 3 && !ts_node_is_null(node); ++depth, node = ts_node_parent(node)) {
    const absl::string_view kind = TypeOf(node);
    if (kind == "spread_parameter") {
      return absl::StrCat(Word(ts_node_named_child(node, 0), text), "[]");
    }
    std::string type = Word(FieldOf(node, "type"), text);
    if (kind == "typed_parameter" || kind == "typed_default_parameter") return type;
    if (kind == "optional_parameter" && !type.empty()) return absl::StrCat(type, " | undefined");
    if (!type.empty() && type != "var") {
      const std::string dimensions = Word(FieldOf(node, "dimensions"), text);
      return type + dimensions;
    }
    TSNode value = FieldOf(node, "value");
    if (kind == "variable_declarator") {
      if (ts_node_is_null(value) && ts_node_named_child_count(node) > 1) {
        value = ts_node_named_child(node, ts_node_named_child_count(node) - 1);
      }
      const std::string shown = ts_node_is_null(value) ? "" : ValueType(file, tree, value, guard);
      if (!shown.empty()) return shown;
    }
    if (IsStatementContainer(node) || IsFunctionNode(node)) return "";
  }
  return "";
}

std::string WithoutBlanks(absl::string_view type) {
  return absl::StrReplaceAll(type, {{" ", ""}, {"\t", ""}, {"\n", ""}});
}

}  // namespace

std::string DeclaredType(const SourceFile& file, const SyntaxTree& tree, int binding) {
  return TypeOfBinding(file, tree, binding, 0);
}

std::string ShownType(const SourceFile& file, const SyntaxTree& tree, TSNode value) {
  return ValueType(file, tree, value, 0);
}

absl::StatusOr<std::string> TypeOfExpression(const SourceFile& file, const std::string& expression,
                                             uint32_t at, const ProbeEdits& probe) {
  const LanguageBackend& language = LanguageBackendOf(file.language.id);
  const absl::Status unknown = absl::FailedPreconditionError(
      absl::StrCat("the type of ", ToUtf8(expression.substr(0, 80)), " is not visible",
                   probe == nullptr ? "" : ", and no compiler tells it",
                   ": declare it with its type first, or use file.modify"));
  const auto tree = SyntaxTree::Parse(file.grammar, expression);
  if (tree.ok()) {
    TSNode value = tree->root();
    while (ts_node_named_child_count(value) == 1 &&
           (IsStatementContainer(value) || absl::EndsWith(TypeOf(value), "_statement"))) {
      value = ts_node_named_child(value, 0);
    }
    const std::string shown = LiteralType(language, value, expression);
    if (!shown.empty()) return shown;
  }
  if (probe == nullptr) return unknown;
  const std::string planted = language.types->ProbeOf(kProbe, expression);
  if (planted.empty()) return unknown;
  EditPlan plan;
  // A statement that shares its line with the head of its function stays within it.
  const size_t line_begin = LineBegin(file.text, at);
  const bool is_first =
      absl::StripAsciiWhitespace(absl::string_view(file.text).substr(line_begin, at - line_begin))
          .empty();
  const uint32_t begin = is_first ? static_cast<uint32_t>(line_begin) : at;
  plan.Edit(file, {begin, begin, planted});
  STILE_ASSIGN_OR_RETURN(const ProbeReport report, probe(plan));
  const int line = file.PlaceOf(begin).line;
  for (const Diagnostic& error : report.errors) {
    if (error.file != file.path || error.line != line) continue;
    const std::string type = language.types->TypeInMessage(error.message);
    if (!type.empty() && !absl::StrContains(type, kProbe)) return type;
  }
  return unknown;
}

absl::Status CheckHasType(const SourceFile& file, const SyntaxTree& tree, TSNode value,
                          const std::string& written, absl::string_view subject, uint32_t at,
                          const ProbeEdits& probe) {
  const LanguageBackend& language = LanguageBackendOf(file.language.id);
  if (written.empty()) return absl::OkStatus();
  std::string type = ConstantType(language, value, file.text);
  if (!IsConstantExpression(value, file.text)) {
    type = ShownType(file, tree, value);
    if (type.empty()) {
      const auto told = TypeOfExpression(file, std::string(TextOf(value, file.text)), at, probe);
      if (told.ok()) type = *told;
      if (absl::IsCancelled(told.status())) return told.status();
    }
  }
  const std::string wanted = WithoutBlanks(written);
  // The variable itself may be constant; of a pointer that word means the target.
  std::string without_const = wanted;
  if (!absl::StrContains(wanted, "*")) {
    without_const = std::string(absl::StripPrefix(wanted, "const"));
  }
  if (WithoutBlanks(type) == wanted || WithoutBlanks(type) == without_const) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(subject, " is declared as ", ToUtf8(written),
                   type.empty() ? ", and the type of the value alone is not known"
                                : absl::StrCat(", and the value alone is of type ", type)));
}

}  // namespace stile
