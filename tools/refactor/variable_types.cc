#include "tools/refactor/variable_types.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/backend/code_style.h"

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

std::string LiteralType(const std::string& language, TSNode value, absl::string_view text) {
  const absl::string_view type = TypeOf(value);
  const std::string word = Word(value, text);
  const bool go = language == "go";
  const bool ts = language == "typescript";
  if (type == "int_literal" || type == "integer_literal" || type == "decimal_integer_literal" ||
      type == "number" || type == "number_literal") {
    if (ts) return "number";
    const bool is_plain = std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return absl::ascii_isdigit(c); });
    return is_plain ? "int" : "";
  }
  if (type == "float_literal") return go ? "float64" : "";
  if (type == "real_literal" || type == "decimal_floating_point_literal") {
    return absl::ascii_isalpha(static_cast<unsigned char>(word.back())) ? "" : "double";
  }
  if (absl::StrContains(type, "string")) {
    if (language == "java") return "String";
    if (language == "c" || language == "cpp") return "const char *";
    return "string";
  }
  if (type == "true" || type == "false" || type == "boolean_literal") {
    if (language == "java" || ts) return "boolean";
    return "bool";
  }
  if (type == "object_creation_expression") return Word(FieldOf(value, "type"), text);
  if (type == "new_expression") {
    return absl::StrCat(Word(FieldOf(value, "constructor"), text),
                        Word(FieldOf(value, "type_arguments"), text));
  }
  if (type == "composite_literal") return Word(FieldOf(value, "type"), text);
  if (type == "cast_expression") return Word(FieldOf(value, "type"), text);
  if (go && type == "unary_expression" && absl::StartsWith(word, "&")) {
    const TSNode operand = FieldOf(value, "operand");
    if (IsNode(operand, "composite_literal")) {
      return absl::StrCat("*", Word(FieldOf(operand, "type"), text));
    }
  }
  if (go && type == "call_expression") {
    const TSNode arguments = FieldOf(value, "arguments");
    const std::string function = Word(FieldOf(value, "function"), text);
    if (function == "make") return Word(ts_node_named_child(arguments, 0), text);
    if (function == "new") return absl::StrCat("*", Word(ts_node_named_child(arguments, 0), text));
    if (function == "len" || function == "cap") return "int";
  }
  if (type == "as_expression") return Word(ts_node_named_child(value, 1), text);
  return "";
}

std::string TypeOfBinding(const SourceFile& file, const SyntaxTree& tree, int binding, int depth);

// Of a value by its parts: literals, names with declared types, arithmetic of two equal ones.
std::string ValueType(const SourceFile& file, const SyntaxTree& tree, TSNode value, int depth) {
  constexpr int kMaxDepth = 8;
  if (depth > kMaxDepth || ts_node_is_null(value)) return "";
  const std::string& language = file.language.id;
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
      const bool values = language == "typescript" && (word == "&&" || word == "||");
      if (word != compares || values) continue;
      if (language == "c") return "int";
      return language == "typescript" || language == "java" ? "boolean" : "bool";
    }
    const std::string left = ValueType(file, tree, FieldOf(value, "left"), depth + 1);
    const std::string right = ValueType(file, tree, FieldOf(value, "right"), depth + 1);
    for (const absl::string_view known :
         {"int", "long", "double", "float64", "int64", "number", "string", "String"}) {
      if (left == known && right == left && absl::StrContains("+-*/%", word)) return left;
    }
    // A constant takes the type of what stands beside it.
    const bool literal = absl::StrContains(TypeOf(FieldOf(value, "right")), "literal");
    if (language == "go" && literal && right == "int" && left == "float64") return left;
    return "";
  }
  return LiteralType(language, value, file.text);
}

std::string GoType(const SourceFile& file, const SyntaxTree& tree, TSNode declaration, TSNode name,
                   int depth) {
  const absl::string_view text = file.text;
  const absl::string_view kind = TypeOf(declaration);
  if (kind == "parameter_declaration" || kind == "var_spec") {
    return Word(FieldOf(declaration, "type"), text);
  }
  if (kind == "variadic_parameter_declaration") {
    return absl::StrCat("[]", Word(FieldOf(declaration, "type"), text));
  }
  if (kind == "expression_list") {
    const TSNode statement = ts_node_parent(declaration);
    const TSNode right = FieldOf(statement, "right");
    if (!IsNode(statement, "short_var_declaration")) return "";
    // As many values as names: the one in its place.
    const std::vector<TSNode> names = NamedChildren(declaration);
    const std::vector<TSNode> values = NamedChildren(right);
    for (size_t i = 0; i < names.size() && names.size() == values.size(); ++i) {
      if (SameNode(names[i], name)) return ValueType(file, tree, values[i], depth);
    }
  }
  return "";
}

std::string TypeOfBinding(const SourceFile& file, const SyntaxTree& tree, int binding, int guard) {
  const Binding& declared = file.scopes.bindings[static_cast<size_t>(binding)];
  const absl::string_view text = file.text;
  const TSNode name = NodeAt(tree, declared.name_begin, declared.name_end);
  const std::string& language = file.language.id;
  TSNode node = ts_node_parent(name);
  if (language == "go") return GoType(file, tree, node, name, guard);
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

}  // namespace

std::string DeclaredType(const SourceFile& file, const SyntaxTree& tree, int binding) {
  return TypeOfBinding(file, tree, binding, 0);
}

std::string ShownType(const SourceFile& file, const SyntaxTree& tree, TSNode value) {
  return ValueType(file, tree, value, 0);
}

std::string TypeInMessage(const std::string& language, const std::string& message) {
  const auto between = [&](absl::string_view before, absl::string_view after) -> std::string {
    const size_t begin = message.find(std::string(before));
    if (begin == std::string::npos) return "";
    const size_t from = begin + before.size();
    const size_t end = message.find(std::string(after), from);
    return end == std::string::npos ? "" : message.substr(from, end - from);
  };
  std::string type;
  if (language == "csharp") type = between("convert type '", "' to");
  if (language == "java") type = between("incompatible types: ", " cannot be converted");
  if (language == "go") {
    type = between(" of type ", ") as ");
  }
  if (language == "typescript") {
    type = between("Type '", "' is not assignable");
    if (type.empty()) type = between("is missing in type '", "' but required");
    if (type.empty()) type = between("no properties in common with type '", "'");
  }
  if (language == "c") {
    type = between("from type '", "'");
    if (type.empty()) type = between("from type \xE2\x80\x98", "\xE2\x80\x99");
    if (type.empty()) type = between("incompatible type '", "'");
  }
  return type;
}

absl::StatusOr<std::string> TypeOfExpression(const SourceFile& file, const std::string& expression,
                                             uint32_t at, const ProbeEdits& probe) {
  const std::string& language = file.language.id;
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
  std::string planted;
  if (language == "go") {
    planted = absl::StrCat("var ", kProbe, " struct{ ", kProbe, " int } = ", expression,
                           "; _ = ", kProbe, "\n");
  } else if (language == "csharp") {
    planted = absl::StrCat("System.Collections.Specialized.BitVector32.Section ", kProbe, " = ",
                           expression, ";\n");
  } else if (language == "java") {
    planted = absl::StrCat("class StileProbe {} StileProbe ", kProbe, " = ", expression, ";\n");
  } else if (language == "typescript") {
    planted = absl::StrCat("const ", kProbe, ": { ", kProbe, ": never } = ", expression, ";\n");
  } else if (language == "c") {
    planted = absl::StrCat("struct ", kProbe, " { int ", kProbe, "; } ", kProbe, "; ", kProbe,
                           " = ", expression, ";\n");
  } else {
    return unknown;
  }
  EditPlan plan;
  const auto begin = static_cast<uint32_t>(LineBegin(file.text, at));
  plan.Edit(file, {begin, begin, planted});
  STILE_ASSIGN_OR_RETURN(const ProbeReport report, probe(plan));
  const int line = file.PlaceOf(begin).line;
  for (const Diagnostic& error : report.errors) {
    if (error.file != file.path || error.line != line) continue;
    const std::string type = TypeInMessage(language, error.message);
    if (!type.empty() && !absl::StrContains(type, kProbe)) return type;
  }
  return unknown;
}

}  // namespace stile
