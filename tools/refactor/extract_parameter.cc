#include "tools/refactor/extract_parameter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "tools/backend/language_family.h"
#include "tools/backend/method_signature.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/change_signature.h"
#include "tools/refactor/constant_expression.h"
#include "tools/refactor/selection.h"

namespace stile {
namespace {

// The parameter list of a function, with its brackets; "" where it has none.
absl::string_view ListOf(TSNode function, absl::string_view text) {
  TSNode list = FieldOf(function, "parameters");
  const TSNode declarator = FieldOf(function, "declarator");  // of C and C++
  for (TSNode node = declarator; ts_node_is_null(list) && !ts_node_is_null(node);
       node = FieldOf(node, "declarator")) {
    list = FieldOf(node, "parameters");
  }
  if (ts_node_is_null(list)) return {};
  return TextOf(list, text);
}

std::string Declared(const std::string& language, const std::string& name, const std::string& type,
                     absl::string_view value, bool writes_types) {
  if (language == "javascript" || (language == "python" && (!writes_types || type.empty()))) {
    return absl::StrCat(name, language == "python" ? "=" : " = ", value);
  }
  // TypeScript reads the type from the default.
  if (language == "typescript" && type.empty()) return absl::StrCat(name, " = ", value);
  if (type.empty()) return "";
  if (IsOneOf(language, {"typescript", "rust", "python"})) {
    return absl::StrCat(name, ": ", type, " = ", value);
  }
  if (language == "go") return absl::StrCat(name, " ", type, " = ", value);
  return absl::StrCat(type, absl::EndsWith(type, "*") ? "" : " ", name, " = ", value);
}

// By its name: the start of a program, or a method that libraries call.
bool IsCalledFromOutside(const LanguageFamily& family, const Symbol& symbol) {
  if (IsOneOf(symbol.name, {"main", "Main", "init"}) || absl::StartsWith(symbol.name, "__")) {
    return true;
  }
  if (symbol.kind != SymbolKind::kMethod) return false;
  if (family.language == "typescript" || family.language == "javascript") {
    return IsOneOf(symbol.name, {"toString", "valueOf", "toJSON", "then", "next"});
  }
  const std::vector<std::string>& library = family.library_members;
  return std::find(library.begin(), library.end(), symbol.name) != library.end();
}

}  // namespace

absl::StatusOr<EditPlan> PlanExtractParameter(const std::string& path, CodeIndex* index,
                                              int start_line, int end_line,
                                              const std::string& expression,
                                              const std::string& new_name) {
  STILE_ASSIGN_OR_RETURN(const auto file, index->Open(path));
  const std::string& language = file->language.id;
  const LanguageFamily* const family = FindLanguageFamily(language);
  if (family == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_parameter is not available for ", file->language.name,
                     "; use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file->grammar, file->text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  STILE_ASSIGN_OR_RETURN(const TSNode node,
                         ChooseConstant(*file, tree, start_line, end_line, expression));
  const TSNode function = FunctionAround(node);
  const auto symbol =
      std::find_if(file->symbols.begin(), file->symbols.end(), [&](const Symbol& candidate) {
        return !ts_node_is_null(function) && candidate.name_begin >= BeginOf(function) &&
               candidate.name_end <= BeginOf(node) && candidate.end >= EndOf(function) &&
               (candidate.kind == SymbolKind::kFunction || candidate.kind == SymbolKind::kMethod);
      });
  const absl::string_view list =
      symbol == file->symbols.end() ? absl::string_view() : ListOf(function, file->text);
  const TSNode body = ts_node_is_null(function) ? function : FieldOf(function, "body");
  if (!absl::StartsWith(list, "(") || ts_node_is_null(body) || BeginOf(node) < BeginOf(body)) {
    return absl::FailedPreconditionError(
        "the expression stands in the body of no function that has a name and a list of "
        "parameters");
  }
  if (IsCalledFromOutside(*family, *symbol)) {
    return absl::FailedPreconditionError(
        absl::StrCat(symbol->name,
                     " is called by the language or by libraries, which pass no "
                     "such argument"));
  }
  STILE_RETURN_IF_ERROR(CheckFreeName(*file, new_name, {BeginOf(function), EndOf(function)}));
  const absl::string_view value = TextOf(node, file->text);
  std::vector<Parameter> parameters = ParseParameters(*family, list.substr(1, list.size() - 2));
  const bool writes_types =
      std::any_of(parameters.begin(), parameters.end(),
                  [](const Parameter& parameter) { return !parameter.type.empty(); });
  const std::string added =
      Declared(language, new_name, ConstantType(language, node, file->text), value, writes_types);
  if (added.empty()) {
    return absl::FailedPreconditionError(
        "the text of the expression does not show the type that the parameter needs");
  }
  std::string signature = "(";
  for (const Parameter& parameter : parameters) {
    if (parameter.text == "void") continue;  // C: no parameters
    absl::StrAppend(&signature, parameter.text, ", ");
  }
  absl::StrAppend(&signature, added, ")");
  SymbolQuery query;
  query.name = symbol->name;
  query.file = path;
  query.line = symbol->line;
  STILE_ASSIGN_OR_RETURN(Resolution resolution, Resolve(query, index));
  STILE_ASSIGN_OR_RETURN(EditPlan plan,
                         PlanChangeSignature(std::move(resolution), index, signature));
  plan.Edit(*file, {BeginOf(node), EndOf(node), new_name});
  if (plan.HasOverlap()) {
    return absl::FailedPreconditionError(
        "the expression is an argument of a call of the same function: take it out first");
  }
  return plan;
}

}  // namespace stile
