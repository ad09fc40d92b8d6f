#include "tools/refactor/extract_parameter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "tools/extract/constant_expression.h"
#include "tools/extract/selection.h"
#include "tools/index/symbol_query.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"
#include "tools/refactor/change_signature.h"
#include "tools/refactor/symbol_family.h"

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

// The parameter with its default; "" where it needs a type and none is known.
std::string Declared(const LanguageBackend& language, const std::string& name,
                     const std::string& type, absl::string_view value, bool writes_types) {
  const LanguageFacts& facts = language.facts;
  if (!facts.has_annotations || (facts.optional_annotations && type.empty()) ||
      (!facts.requires_types && !writes_types)) {
    return absl::StrCat(name, facts.default_mark, value);
  }
  if (type.empty()) return "";
  return absl::StrCat(language.writer->ParameterText(name, type), " = ", value);
}

// By its name: the start of a program, or a method that libraries call.
bool IsCalledFromOutside(const LanguageBackend& language, const Symbol& symbol) {
  if (IsOneOf(symbol.name, {"main", "Main", "init"}) || absl::StartsWith(symbol.name, "__")) {
    return true;
  }
  if (symbol.kind != SymbolKind::kMethod) return false;
  const std::vector<std::string>& implicit = language.facts.implicit_methods;
  const std::vector<std::string>& library =
      implicit.empty() ? language.family->library_members : implicit;
  return std::find(library.begin(), library.end(), symbol.name) != library.end();
}

// Under another name a function is passed on as a value, and its callers give other arguments.
absl::Status CheckOwnNameEverywhere(const Resolution& resolution, const Symbol& function) {
  const auto refuse = [&](const SourceFile& file, absl::string_view how) {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(file.path), " ", how, " ", ToUtf8(function.name),
                     " under another name, where calls are not found"));
  };
  for (const auto& file : resolution.files) {
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file->grammar, file->text));
    for (const Import& import : FindImports(file->grammar, tree, file->text)) {
      if (import.name == function.name && !import.alias.empty() && import.alias != function.name) {
        return refuse(*file, "imports");
      }
    }
    if (absl::StrContains(file->text, absl::StrCat(function.name, " as "))) {
      return refuse(*file, "exports");
    }
  }
  const SourceFile& own = *resolution.targets[0].file;
  const auto head =
      absl::string_view(own.text).substr(function.begin, function.name_begin - function.begin);
  const bool is_default =
      HoldsWord(head, "default") ||
      absl::StrContains(own.text, absl::StrCat("export default ", function.name)) ||
      absl::StrContains(own.text, absl::StrCat("module.exports = ", function.name));
  return is_default ? refuse(own, "exports") : absl::OkStatus();
}

// The parameter hides what a body of the hierarchy calls so.
absl::Status CheckFreeInOverrides(Resolution family, const std::string& name, CodeIndex* index) {
  CompleteFamily(&family, index);
  for (const Declaration& target : family.targets) {
    if (target.symbol < 0 || !target.AsSymbol().is_definition) continue;
    const Symbol& symbol = target.AsSymbol();
    STILE_RETURN_IF_ERROR(CheckFreeName(*target.file, name, {symbol.begin, symbol.end}));
  }
  return absl::OkStatus();
}

// The function that an expression stands in the body of.
struct Enclosing {
  TSNode node;
  TSNode body;
  const Symbol* symbol;
  absl::string_view parameters;  // without parentheses
};

absl::StatusOr<Enclosing> EnclosingFunction(const SourceFile& file, TSNode expression) {
  const absl::Status none = absl::FailedPreconditionError(
      "the expression stands in the body of no function that has a name and a list of "
      "parameters");
  const TSNode function = FunctionAround(expression);
  if (ts_node_is_null(function)) return none;
  const auto symbol =
      std::find_if(file.symbols.begin(), file.symbols.end(), [&](const Symbol& candidate) {
        return candidate.name_begin >= BeginOf(function) &&
               candidate.name_end <= BeginOf(expression) && candidate.end >= EndOf(function) &&
               (candidate.kind == SymbolKind::kFunction || candidate.kind == SymbolKind::kMethod);
      });
  if (symbol == file.symbols.end()) return none;
  const absl::string_view list = ListOf(function, file.text);
  const TSNode body = FieldOf(function, "body");
  if (!absl::StartsWith(list, "(") || ts_node_is_null(body) ||
      BeginOf(expression) < BeginOf(body)) {
    return none;
  }
  return Enclosing{function, body, &*symbol, list.substr(1, list.size() - 2)};
}

absl::Status CheckTakesParameter(const SourceFile& file, const Enclosing& function,
                                 const std::string& name) {
  if (IsCalledFromOutside(LanguageBackendOf(file.language.id), *function.symbol)) {
    return absl::FailedPreconditionError(
        absl::StrCat(function.symbol->name,
                     " is called by the language or by libraries, which pass no "
                     "such argument"));
  }
  STILE_RETURN_IF_ERROR(CheckFreeName(file, name, {BeginOf(function.node), EndOf(function.node)}));
  const absl::string_view body = TextOf(function.body, file.text);
  if (absl::StrContains(body, "\"use strict\"") || absl::StrContains(body, "'use strict'")) {
    return absl::FailedPreconditionError(
        "a function with \"use strict\" has no parameters with defaults");
  }
  return absl::OkStatus();
}

// The list of parameters with one more, whose default is the value of the expression.
absl::StatusOr<std::string> SignatureWith(const std::string& name, const SourceFile& file,
                                          TSNode expression, absl::string_view list) {
  const LanguageBackend& language = LanguageBackendOf(file.language.id);
  const std::vector<Parameter> parameters = ParseParameters(*language.family, list);
  const bool writes_types =
      std::any_of(parameters.begin(), parameters.end(),
                  [](const Parameter& parameter) { return !parameter.type.empty(); });
  const std::string added = Declared(language, name, ConstantType(language, expression, file.text),
                                     TextOf(expression, file.text), writes_types);
  if (added.empty()) {
    return absl::FailedPreconditionError(
        "the text of the expression does not show the type that the parameter needs");
  }
  std::string signature = "(";
  for (const Parameter& parameter : parameters) {
    if (parameter.text == "void") continue;  // C: no parameters
    absl::StrAppend(&signature, parameter.text, ", ");
  }
  return absl::StrCat(signature, added, ")");
}

}  // namespace

absl::StatusOr<EditPlan> PlanExtractParameter(const std::string& path, CodeIndex* index,
                                              int start_line, int end_line,
                                              const std::string& expression,
                                              const std::string& new_name) {
  STILE_ASSIGN_OR_RETURN(const auto file, index->Open(path));
  if (LanguageBackendOf(file->language.id).family == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_parameter is not available for ", file->language.name,
                     "; use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file->grammar, file->text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  STILE_ASSIGN_OR_RETURN(const TSNode node,
                         ChooseConstant(*file, tree, start_line, end_line, expression));
  STILE_ASSIGN_OR_RETURN(const Enclosing function, EnclosingFunction(*file, node));
  STILE_RETURN_IF_ERROR(CheckTakesParameter(*file, function, new_name));
  STILE_ASSIGN_OR_RETURN(const std::string signature,
                         SignatureWith(new_name, *file, node, function.parameters));
  SymbolQuery query;
  query.name = function.symbol->name;
  query.file = path;
  query.line = function.symbol->line;
  STILE_ASSIGN_OR_RETURN(Resolution resolution, Resolve(query, index));
  STILE_RETURN_IF_ERROR(CheckOwnNameEverywhere(resolution, *function.symbol));
  STILE_RETURN_IF_ERROR(CheckFreeInOverrides(resolution, new_name, index));
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
