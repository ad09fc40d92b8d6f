#include "tools/refactor/inline_function.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/extract/constant_expression.h"
#include "tools/extract/evaluation_order.h"
#include "tools/extract/operand_text.h"
#include "tools/extract/variable_types.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/call_arguments.h"
#include "tools/refactor/inline_uses.h"
#include "tools/refactor/inlined_function.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

// A call of the function.
struct Call {
  const SourceFile& file;
  const SyntaxTree& tree;
  TSNode node{};
  TSNode receiver{};  // null: none is written
  TSNode arguments{};
};

// The innermost type around an offset; -1: none.
int TypeAround(const SourceFile& file, uint32_t at) {
  int symbol = file.SymbolAround(at);
  while (symbol >= 0 && !IsType(file.symbols[static_cast<size_t>(symbol)].kind)) {
    symbol = file.symbols[static_cast<size_t>(symbol)].parent;
  }
  return symbol;
}

absl::StatusOr<Call> CallAt(const SourceFile& file, const SyntaxTree& tree, TSNode name) {
  Call call{file, tree};
  const TSNode parent = ts_node_parent(name);
  TSNode whole = name;
  if (IsNode(parent, "method_invocation") && SameNode(FieldOf(parent, "name"), name)) {
    call.node = parent;
    call.receiver = FieldOf(parent, "object");
    if (!ts_node_is_null(call.receiver) && !IsPath(call.receiver)) {
      return RefuseUse(file, name, "calls it on an expression that may have effects");
    }
  } else {
    STILE_ASSIGN_OR_RETURN(whole, WholeUse(file, name));
    call.node = ts_node_parent(whole);
    if (!SameNode(whole, name)) call.receiver = ts_node_child(whole, 0);
    if (!IsOneOf(TypeOf(call.node), {"call", "call_expression", "invocation_expression"}) ||
        !SameNode(FieldOf(call.node, "function"), whole)) {
      return RefuseUse(file, name, "uses it and does not call it");
    }
  }
  call.arguments = FieldOf(call.node, "arguments");
  const bool is_plain = IsOneOf(TypeOf(call.arguments), {"argument_list", "arguments"}) &&
                        ts_node_is_null(FieldOf(call.node, "type_arguments")) &&
                        !absl::StrContains(TextOf(whole, file.text), "?.");
  if (!is_plain) return RefuseUse(file, name, "calls it in a way that cannot be inlined");
  return call;
}

class CallInliner {
 public:
  CallInliner(const InlinedFunction& function, CodeIndex* index, const ProbeEdits& probe)
      : function_(function),
        facts_(function.language().facts),
        text_(function.file().text),
        index_(index),
        probe_(probe) {}

  // Whether the value of the function is the value of its expression.
  absl::Status CheckResult() {
    const std::string& type = function_.head.returns;
    if (!function_.gives_value || type.empty()) return absl::OkStatus();
    if (facts_.untyped_constants) {
      if (absl::StartsWith(type, "(")) {
        return absl::FailedPreconditionError("its results have names, or it has several");
      }
      result_type_ = ConversionTo(type, function_.file(), function_.tree, function_.value);
      return absl::OkStatus();
    }
    if (!facts_.declared_types_convert) return absl::OkStatus();
    if (facts_.constants_convert && IsConstantExpression(function_.value, text_)) {
      return absl::FailedPreconditionError(
          "its value is a constant, which converts in other ways than a call");
    }
    return CheckHasType(function_.file(), function_.tree, function_.value, type,
                        BeginOf(function_.value), probe_);
  }

  absl::StatusOr<TextEdit> Replace(const SourceFile& file, const SyntaxTree& tree,
                                   TSNode name) const {
    STILE_ASSIGN_OR_RETURN(const Call call, CallAt(file, tree, name));
    STILE_RETURN_IF_ERROR(CheckPlace(call));
    STILE_RETURN_IF_ERROR(CheckReceiver(call));
    STILE_RETURN_IF_ERROR(CheckNames(call));
    STILE_ASSIGN_OR_RETURN(const std::string value, Written(call));
    const std::string operand = AsOperand(call, value);
    STILE_RETURN_IF_ERROR(CheckStatementBegin(call, operand));
    return TextEdit{BeginOf(call.node), EndOf(call.node), operand};
  }

 private:
  // Go: the type that the value has to be converted to; "": it has the type already. A number alone
  // would take that of the expression around it.
  static std::string ConversionTo(const std::string& type, const SourceFile& file,
                                  const SyntaxTree& tree, TSNode value) {
    const bool is_constant = IsConstantExpression(value, file.text);
    const std::string own =
        is_constant ? ConstantType(LanguageBackendOfGrammar(file.grammar.name), value, file.text)
                    : ShownType(file, tree, value);
    const bool has_type = !is_constant || own == "string" || own == "bool";
    return own == type && has_type ? "" : type;
  }

  absl::Status No(const Call& call, absl::string_view how) const {
    return RefuseUse(call.file, call.node, how);
  }

  absl::Status CheckPlace(const Call& call) const {
    const TSNode parent = ts_node_parent(call.node);
    const bool is_statement = IsNode(parent, "expression_statement");
    if (!function_.gives_value && !is_statement) {
      return No(call, "uses the result of a function that returns none");
    }
    if (function_.gives_value && is_statement &&
        !absl::StrContains(TypeOf(function_.value), "call") &&
        !absl::StrContains(TypeOf(function_.value), "invocation")) {
      return No(call, "does not use its result");
    }
    for (TSNode node = parent; !ts_node_is_null(node); node = ts_node_parent(node)) {
      const absl::string_view type = TypeOf(node);
      if (IsOneOf(type, {"interpolation", "template_substitution"})) {
        return No(call, "calls it within a string");
      }
      if (absl::StartsWith(type, "preproc_") &&
          IsOneOf(type, {"preproc_def", "preproc_function_def", "preproc_if", "preproc_elif"})) {
        const bool is_in_text =
            EndOf(call.node) <= EndOf(node) && type != "preproc_if" && type != "preproc_elif";
        if (is_in_text) return No(call, "calls it in a directive");
      }
      if (IsOneOf(type, {"go_statement", "defer_statement"})) {
        return No(call, "calls it at another time");
      }
      if (IsStatementContainer(node)) break;
    }
    if (!facts_.constants_convert) return absl::OkStatus();
    const bool is_branch =
        IsOneOf(TypeOf(parent), {"ternary_expression", "conditional_expression"}) &&
        !SameNode(FieldOf(parent, "condition"), call.node);
    return is_branch ? No(call, "is a branch of a condition, whose type may be another one then")
                     : absl::OkStatus();
  }

  // A method is inlined where its caller has the same object.
  absl::Status CheckReceiver(const Call& call) const {
    if (!function_.IsOfObject()) return absl::OkStatus();
    const int owner = function_.declaration.AsSymbol().parent;
    const bool is_same_type = call.file.path == function_.file().path &&
                              TypeAround(call.file, BeginOf(call.node)) == owner;
    if (!is_same_type) return No(call, "calls it outside of its type");
    if (ts_node_is_null(call.receiver)) return absl::OkStatus();
    const absl::string_view text = TextOf(call.receiver, call.file.text);
    if (!facts_.this_is_parameter) {
      return text == "this" ? absl::OkStatus() : No(call, "calls it on another object");
    }
    // The first parameter of the method around it.
    const TSNode caller = MemberAround(call.node);
    const TSNode list =
        FieldOf(IsNode(caller, "decorated_definition") ? FieldOf(caller, "definition") : caller,
                "parameters");
    const bool is_own = !IsNode(caller, "decorated_definition") && !ts_node_is_null(list) &&
                        ts_node_named_child_count(list) > 0 &&
                        TextOf(ts_node_named_child(list, 0), call.file.text) == text;
    return is_own ? absl::OkStatus() : No(call, "calls it on another object");
  }

  // Names of the expression must mean at the call what they mean in the function.
  absl::Status CheckNames(const Call& call) const {
    for (const InlinedFunction::FreeName& name : function_.free_names) {
      const std::string reason = WhyDifferent(call, name);
      if (!reason.empty()) {
        return No(call,
                  absl::StrCat("calls it, and its body uses ", ToUtf8(name.name), ", ", reason));
      }
    }
    return absl::OkStatus();
  }

  std::string WhyDifferent(const Call& call, const InlinedFunction::FreeName& name) const {
    const bool is_same_file = call.file.path == function_.file().path;
    const uint32_t at = BeginOf(call.node);
    const bool is_imported = ImportOf(function_.file(), function_.tree, name.name).has_value();
    const bool is_imported_alike =
        is_imported && (is_same_file || IsImportedAlike(call, name.name));
    for (size_t i = 0; i < call.file.scopes.bindings.size(); ++i) {
      const Binding& other = call.file.scopes.bindings[i];
      const bool is_seen =
          other.name == name.name && at >= other.scope_begin && at < other.scope_end;
      const bool is_same =
          (is_same_file && static_cast<int>(i) == name.binding) ||
          (is_imported_alike && other.is_file_level && other.kind == BindingKind::kImport);
      if (is_seen && !is_same) {
        return absl::StrCat("which line ", call.file.PlaceOf(other.name_begin).line, " of ",
                            ToUtf8(call.file.path), " declares");
      }
    }
    if (function_.language().naming.implicit_this && MayBeMember(call, name)) {
      return "which may be a member of its type";
    }
    if (!is_imported && !is_same_file && ImportOf(call.file, call.tree, name.name).has_value()) {
      return absl::StrCat("which ", ToUtf8(call.file.path), " imports");
    }
    if (is_imported && !is_imported_alike) {
      return absl::StrCat("which ", ToUtf8(call.file.path), " does not import in the same way");
    }
    if (name.binding >= 0 && !is_imported) {
      const Binding& own = BindingOf(name);
      const bool is_known =
          is_same_file ? at >= own.scope_begin && at < own.scope_end : IsSeenIn(call.file, own);
      return is_known ? "" : "which is not declared there";
    }
    const bool may_differ = !is_same_file && !is_imported && IsDeclaredElsewhere(name, call.file);
    return may_differ ? "which the project declares" : "";
  }

  const Binding& BindingOf(const InlinedFunction::FreeName& name) const {
    return function_.file().scopes.bindings[static_cast<size_t>(name.binding)];
  }

  // The import of the file's top that brings the name; nullopt: none does.
  static std::optional<Import> ImportOf(const SourceFile& file, const SyntaxTree& tree,
                                        const std::string& name) {
    for (const Import& import : FindImports(file.grammar, tree, file.text)) {
      std::string local = import.alias.empty() ? import.name : import.alias;
      if (local.empty()) local = import.module.substr(import.module.find_last_of("/.") + 1);
      if (local == name) return import;
    }
    return std::nullopt;
  }

  // Whether a name that the function's file imports is imported in the same way at the call.
  bool IsImportedAlike(const Call& call, const std::string& name) const {
    const auto own = ImportOf(function_.file(), function_.tree, name);
    const auto theirs = ImportOf(call.file, call.tree, name);
    if (!own.has_value() || !theirs.has_value()) return false;
    const bool is_relative = absl::StartsWith(own->module, ".");
    const bool is_same_folder = DirName(call.file.path) == DirName(function_.file().path);
    return own->module == theirs->module && own->name == theirs->name &&
           own->alias == theirs->alias && (!is_relative || is_same_folder);
  }

  // In C# and Java a name alone can be a member, also of a base that is not in the project.
  bool MayBeMember(const Call& call, const InlinedFunction::FreeName& name) const {
    const int owner = function_.declaration.AsSymbol().parent;
    const bool is_same_type = call.file.path == function_.file().path &&
                              TypeAround(call.file, BeginOf(call.node)) == owner;
    if (is_same_type) return false;
    if (!name.is_type) return true;
    const std::vector<Declaration> all = DeclaredAs(name.name);
    return std::any_of(all.begin(), all.end(), [](const Declaration& other) {
      return other.AsSymbol().parent >= 0 && !IsType(other.AsSymbol().kind);
    });
  }

  // Whether what a file declares is known in another one without an import.
  bool IsSeenIn(const SourceFile& file, const Binding& own) const {
    const GenerationFacts& generation = function_.language().generation;
    const bool is_same_folder = DirName(file.path) == DirName(function_.file().path);
    if (generation.imports_packages && is_same_folder) return own.is_file_level;
    // Whoever calls a function of a header has read what stands before it.
    return generation.has_includes && absl::EndsWith(function_.file().path, ".h");
  }

  std::vector<Declaration> DeclaredAs(const std::string& name) const {
    SymbolQuery query;
    query.name = name;
    const auto found = Resolve(query, index_);
    std::vector<Declaration> all;
    for (const Declaration& other : found.ok() ? found->all : std::vector<Declaration>()) {
      const bool sees = SeeEachOther(function_.file().language, other.file->language);
      if (other.symbol >= 0 && sees) all.push_back(other);
    }
    return all;
  }

  // Whether a name that the function's file does not declare may be one of the project.
  bool IsDeclaredElsewhere(const InlinedFunction::FreeName& name, const SourceFile& file) const {
    const GenerationFacts& generation = function_.language().generation;
    if (generation.has_includes) return false;  // both files read the header
    const bool is_same_folder = DirName(file.path) == DirName(function_.file().path);
    if ((generation.imports_packages || generation.imports_types) && is_same_folder) return false;
    return !DeclaredAs(name.name).empty();
  }

  // The expression with the arguments of the call in place of the parameters.
  absl::StatusOr<std::string> Written(const Call& call) const {
    std::vector<Parameter> declared;
    for (const InlinedFunction::Input& input : function_.inputs) declared.push_back(input.declared);
    STILE_ASSIGN_OR_RETURN(const GivenArguments given,
                           ReadArguments(call.file, call.arguments, declared));
    std::vector<TextEdit> edits;
    if (function_.self.has_value()) {
      for (const TSNode use : function_.self->uses) {
        edits.push_back(
            {BeginOf(use), EndOf(use), OperandText(call.receiver, call.file.text, use, text_)});
      }
    }
    uint32_t last = 0;  // where the last argument that is not settled stands
    std::vector<size_t> order = given.written;
    for (size_t i = 0; i < declared.size(); ++i) {
      if (given.values.count(i) == 0) order.push_back(i);
    }
    for (const size_t place : order) {
      const InlinedFunction::Input& input = function_.inputs[place];
      const auto value = given.values.find(place);
      if (value == given.values.end()) {
        STILE_RETURN_IF_ERROR(AddDefault(call, input, &edits));
        continue;
      }
      STILE_RETURN_IF_ERROR(CheckArgument(call, input, value->second, &last));
      for (const TSNode use : input.uses) {
        edits.push_back({BeginOf(use), EndOf(use), ArgumentAt(call, input, value->second, use)});
      }
    }
    return Edited(std::move(edits));
  }

  absl::Status AddDefault(const Call& call, const InlinedFunction::Input& input,
                          std::vector<TextEdit>* edits) const {
    const std::string& value = input.declared.value;
    const bool is_literal = !value.empty() && value.find_first_of("([{`,") == std::string::npos &&
                            (IsOneOf(value, {"None", "True", "False", "null", "true", "false"}) ||
                             absl::StrContains("0123456789\"'-", value.substr(0, 1)));
    // A number may be converted to the type of the parameter.
    const bool may_convert =
        facts_.declared_types_convert && absl::StrContains("0123456789-", value.substr(0, 1));
    if (!is_literal || may_convert) {
      return No(call, absl::StrCat("passes nothing for ", input.declared.name,
                                   value.empty() ? "" : ", whose default is no plain literal"));
    }
    for (const TSNode use : input.uses) {
      edits->push_back({BeginOf(use), EndOf(use),
                        absl::StartsWith(value, "-") ? absl::StrCat("(", value, ")") : value});
    }
    return absl::OkStatus();
  }

  // Whether the argument has the same value where the expression uses the parameter.
  absl::Status CheckArgument(const Call& call, const InlinedFunction::Input& input, TSNode value,
                             uint32_t* last) const {
    const std::string& name = input.declared.name;
    const std::string shown = ShortCode(value, call.file.text);
    if (IsNode(value, "argument") || ChangesVariable(value, call.file.text)) {
      return No(call, absl::StrCat("passes `", shown, "`, which changes a variable"));
    }
    const bool is_constant = IsConstantExpression(value, call.file.text);
    if (!input.declared.value.empty() && facts_.has_arguments_object && !is_constant) {
      return No(call, absl::StrCat("passes `", shown, "` for ", name,
                                   ", which has a default for the case that it is undefined"));
    }
    STILE_RETURN_IF_ERROR(CheckArgumentType(call, input, value));
    const bool is_settled = is_constant || IsSettled(call.file, call.tree, value);
    const bool is_name = IsOneOf(
        TypeOf(value), {"identifier", "this", "true", "false", "none", "null", "undefined", "nil"});
    // A variable that others may write keeps its value while nothing else runs.
    const bool is_still = is_settled || !HasEffects(function_.value, text_);
    if (is_constant || (is_name && is_still)) return absl::OkStatus();
    if (input.uses.size() != 1) {
      return No(call, absl::StrCat("passes `", shown, "` for ", name, ", which its body uses ",
                                   input.uses.size(), " times: give it a variable first"));
    }
    const TSNode use = input.uses[0];
    absl::Status status = CheckEvaluatedOnce(function_.file(), use, function_.value);
    if (status.ok()) {
      status = CheckNoEffectBefore(function_.file(), use, function_.value, is_settled);
    }
    if (status.ok() && HasEffects(value, call.file.text)) {
      status = CheckNothingRead(function_.file(), function_.tree, use, function_.value);
    }
    if (!status.ok() || (!is_settled && BeginOf(use) < *last)) {
      return No(call, absl::StrCat("passes `", shown, "` for ", name,
                                   ", which would be evaluated at another time: give it a variable "
                                   "first"));
    }
    if (!is_settled) *last = BeginOf(use);
    return absl::OkStatus();
  }

  absl::Status CheckArgumentType(const Call& call, const InlinedFunction::Input& input,
                                 TSNode value) const {
    if (!facts_.declared_types_convert || input.uses.empty()) return absl::OkStatus();
    const TSNode statement = StatementAround(call.node);
    const absl::Status status =
        CheckHasType(call.file, call.tree, value, input.declared.type,
                     BeginOf(ts_node_is_null(statement) ? call.node : statement), probe_);
    if (status.ok() || !absl::IsFailedPrecondition(status)) return status;
    return No(call, absl::StrCat("passes `", ShortCode(value, call.file.text), "` for ",
                                 input.declared.name, ": ", status.message()));
  }

  std::string ArgumentAt(const Call& call, const InlinedFunction::Input& input, TSNode value,
                         TSNode use) const {
    if (facts_.untyped_constants) {
      const std::string type = ConversionTo(input.declared.type, call.file, call.tree, value);
      if (!type.empty()) return ConvertedText(type, TextOf(value, call.file.text));
    }
    std::string operand = OperandText(value, call.file.text, use, text_);
    if (IsNode(use, "shorthand_property_identifier")) {
      return absl::StrCat(input.declared.name, ": ", operand);
    }
    return operand;
  }

  // The expression after edits that lie in it.
  std::string Edited(std::vector<TextEdit> edits) const {
    std::sort(edits.begin(), edits.end(),
              [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
    std::string written;
    uint32_t at = BeginOf(function_.value);
    for (const TextEdit& edit : edits) {
      absl::StrAppend(&written, text_.substr(at, edit.begin - at), edit.replacement);
      at = edit.end;
    }
    absl::StrAppend(&written, text_.substr(at, EndOf(function_.value) - at));
    return written;
  }

  // In brackets where operators around the call could bind to a part of it.
  std::string AsOperand(const Call& call, const std::string& value) const {
    const bool is_statement = IsNode(ts_node_parent(call.node), "expression_statement");
    if (!result_type_.empty() && !is_statement) return ConvertedText(result_type_, value);
    const bool has_brackets =
        OperandText(function_.value, text_, call.node, call.file.text).size() >
        TextOf(function_.value, text_).size();
    // `return x` is whatever the call passes.
    const bool is_parameter = IsNode(function_.value, "identifier") &&
                              value.find_first_of(" +-*/%<>=!?:&|^~,\n") != std::string::npos;
    const bool is_body =
        IsNode(ts_node_parent(call.node), "arrow_function") && absl::StartsWith(value, "{");
    // A line may end within the expression, not behind a `return`.
    const bool has_lines = absl::StrContains(value, '\n') && facts_.constants_by_convention &&
                           !absl::StartsWith(value, "(");
    return has_brackets || is_parameter || is_body || has_lines ? absl::StrCat("(", value, ")")
                                                                : value;
  }

  // Without semicolons, a line that begins with a bracket goes on with the statement before it.
  absl::Status CheckStatementBegin(const Call& call, const std::string& value) const {
    if (!facts_.lines_join || value.empty()) return absl::OkStatus();
    const TSNode statement = StatementAround(call.node);
    if (ts_node_is_null(statement) || BeginOf(statement) != BeginOf(call.node)) {
      return absl::OkStatus();
    }
    const bool joins = absl::StrContains("([`/+-{'\"", value.substr(0, 1)) ||
                       absl::StartsWith(value, "function") || absl::StartsWith(value, "class");
    return joins ? No(call, absl::StrCat("begins with it, and with `", value.substr(0, 1),
                                         "` it would begin another statement"))
                 : absl::OkStatus();
  }

  const InlinedFunction& function_;
  const LanguageFacts& facts_;
  const absl::string_view text_;  // of the function's file
  CodeIndex* const index_;
  const ProbeEdits& probe_;
  std::string result_type_;  // that a constant needs; "": none
};

// The only definition among the targets.
absl::StatusOr<Declaration> DefinitionOf(const Resolution& resolution) {
  std::vector<Declaration> found;
  for (const Declaration& target : resolution.targets) {
    if (target.symbol >= 0 && target.AsSymbol().is_definition) found.push_back(target);
  }
  if (found.size() == 1) return found[0];
  return absl::FailedPreconditionError(found.empty() ? "its body is not in the project"
                                                     : "several functions have the name");
}

// Nothing else may be called by the name that goes.
absl::Status CheckAlone(const Resolution& resolution, const InlinedFunction& function,
                        CodeIndex* index) {
  const Symbol& symbol = function.declaration.AsSymbol();
  if (symbol.kind != SymbolKind::kMethod) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckDeclaredOnce(resolution, index));
  const bool is_hidden =
      function.head.HasModifier("private") || function.head.HasModifier("static");
  const LanguageFacts& facts = function.language().facts;
  if (is_hidden || facts.constants_by_convention) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "it is a method that is neither private nor static, and another type may have or call it");
}

}  // namespace

absl::Status InlineCalls(const Resolution& resolution, CodeIndex* index, const ProbeEdits& probe,
                         DeletePlan* plan) {
  const Declaration& first = resolution.targets[0];
  const LanguageFamily* const family = LanguageBackendOf(first.file->language.id).family;
  if (family == nullptr || !family->Supports("inline_function")) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor inline_function is not available for ",
                     first.file->language.name, "; use file.modify"));
  }
  const auto refuse = [&](const absl::Status& status) {
    if (!absl::IsFailedPrecondition(status)) return status;
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(first.name()), " cannot be inlined: ", status.message()));
  };
  const auto definition = DefinitionOf(resolution);
  if (!definition.ok()) return refuse(definition.status());
  const auto function = ReadInlinedFunction(*definition);
  if (!function.ok()) return refuse(function.status());
  absl::Status status = CheckAlone(resolution, *function, index);
  if (!status.ok()) return refuse(status);
  if (plan->uses.empty() && plan->likely.empty()) {
    return refuse(absl::FailedPreconditionError("nothing calls it; safe_delete removes it"));
  }
  CallInliner inliner(*function, index, probe);
  status = inliner.CheckResult();
  if (!status.ok()) return refuse(status);
  return ReplaceUses(
      *definition,
      [&](const SourceFile& file, const SyntaxTree& tree, TSNode name) {
        return inliner.Replace(file, tree, name);
      },
      plan);
}

}  // namespace stile
