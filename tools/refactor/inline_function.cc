#include "tools/refactor/inline_function.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/constant_expression.h"
#include "tools/extract/evaluation_order.h"
#include "tools/extract/operand_text.h"
#include "tools/extract/variable_types.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/call_arguments.h"
#include "tools/refactor/inline_uses.h"
#include "tools/refactor/inlined_call.h"
#include "tools/refactor/inlined_function.h"
#include "tools/refactor/inlined_names.h"

namespace stile {
namespace {

// Each builds the project. Types of further arguments are not known.
constexpr int kMaxQuestions = 12;

// Whether the text of a default is one literal, which stands by itself beside any operator.
bool IsPlainLiteral(absl::string_view value) {
  if (IsOneOf(value, {"None", "True", "False", "null", "true", "false"})) return true;
  absl::string_view rest = value;
  absl::ConsumePrefix(&rest, "-");
  const bool is_number = !rest.empty() && absl::ascii_isdigit(static_cast<unsigned char>(rest[0]));
  if (is_number) {
    return std::all_of(rest.begin(), rest.end(),
                       [](char c) { return IsIdentifierByte(c) || c == '.'; });
  }
  const char quote = value.empty() ? ' ' : value.front();
  if ((quote != '"' && quote != '\'') || value.size() < 2 || value.back() != quote) return false;
  const absl::string_view inner = value.substr(1, value.size() - 2);
  return !absl::StrContains(inner, quote) && !absl::StrContains(inner, '\\');
}

// Go: the type that the value has to be converted to; "": it has the type already. A number alone
// would take that of the expression around it.
std::string ConversionTo(const std::string& type, const SourceFile& file, const SyntaxTree& tree,
                         TSNode value) {
  const bool is_constant = IsConstantExpression(value, file.text);
  const std::string own =
      is_constant ? ConstantType(LanguageBackendOfGrammar(file.grammar.name), value, file.text)
                  : ShownType(file, tree, value);
  const bool has_type = !is_constant || own == "string" || own == "bool";
  return own == type && has_type ? "" : type;
}

// The type that the result has to be converted to; "": none. FailedPrecondition where the type of
// the result converts the expression, and no conversion can be written.
absl::StatusOr<std::string> ResultConversion(const InlinedFunction& function,
                                             const ProbeEdits& probe) {
  const std::string& type = function.head.returns;
  const LanguageFacts& facts = function.language().facts;
  if (!function.gives_value || type.empty()) return std::string();
  if (facts.untyped_constants) {
    if (absl::StartsWith(type, "(")) {
      return absl::FailedPreconditionError("its results have names, or it has several");
    }
    return ConversionTo(type, function.file(), function.tree, function.value);
  }
  if (!facts.declared_types_convert) return std::string();
  if (facts.constants_convert && IsConstantExpression(function.value, function.file().text)) {
    return absl::FailedPreconditionError(
        "its value is a constant, which converts in other ways than a call");
  }
  const TSNode statement = StatementAround(function.value);
  const uint32_t at = BeginOf(ts_node_is_null(statement) ? function.value : statement);
  STILE_RETURN_IF_ERROR(
      CheckHasType(function.file(), function.tree, function.value, type, "its result", at, probe));
  return std::string();
}

class CallInliner {
 public:
  // `result_type`: see ResultConversion.
  CallInliner(const InlinedFunction& function, std::string result_type, CodeIndex* index,
              const ProbeEdits& probe)
      : function_(function),
        facts_(function.language().facts),
        text_(function.file().text),
        result_type_(std::move(result_type)),
        has_effects_(HasEffects(function.value, text_)),
        declared_(index),
        probe_(probe) {}

  absl::StatusOr<TextEdit> Replace(const SourceFile& file, const SyntaxTree& tree, TSNode name,
                                   const std::vector<TextEdit>& done) const {
    STILE_ASSIGN_OR_RETURN(InlinedCall call, ReadInlinedCall(file, tree, name));
    call.done = &done;
    STILE_RETURN_IF_ERROR(CheckPlace(call));
    STILE_RETURN_IF_ERROR(CheckReceiver(call));
    STILE_RETURN_IF_ERROR(CheckFreeNames(function_, call, &declared_));
    STILE_RETURN_IF_ERROR(CheckReads(call));
    STILE_ASSIGN_OR_RETURN(const std::string value, Written(call));
    const std::string operand = AsOperand(call, value);
    STILE_RETURN_IF_ERROR(CheckStatementBegin(call, operand));
    return TextEdit{BeginOf(call.node), EndOf(call.node), operand};
  }

 private:
  absl::Status No(const InlinedCall& call, absl::string_view how) const {
    return RefuseUse(call.file, call.node, how);
  }

  // Where the order of operands is open, the expression and arguments that it moves may be read
  // after calls beside them.
  absl::Status CheckReads(const InlinedCall& call) const {
    const bool reads = facts_.unordered_operands &&
                       (ReadsChangeable(function_.file(), function_.tree, function_.value) ||
                        ReadsChangeable(call.file, call.tree, call.arguments));
    if (!reads) return absl::OkStatus();
    const TSNode statement = StatementAround(call.node);
    bool has_call = HasEffects(call.arguments, call.file.text);
    WalkTree(ts_node_is_null(statement) ? call.node : statement, [&](TSNode node) {
      if (SameNode(node, call.node) || IsStatementContainer(node)) return false;
      if (BeginOf(node) <= BeginOf(call.node) && EndOf(node) >= EndOf(call.node)) return true;
      has_call = has_call || HasEffects(node, call.file.text);
      return false;
    });
    return has_call ? No(call, "stands beside another call, which may change what it reads")
                    : absl::OkStatus();
  }

  absl::Status CheckPlace(const InlinedCall& call) const {
    const TSNode parent = ts_node_parent(call.node);
    if (IsOneOf(TypeOf(parent), {"go_statement", "defer_statement"})) {
      return No(call, "calls it with `go` or `defer`");
    }
    const bool is_statement = IsNode(parent, "expression_statement");
    if (!function_.gives_value && !is_statement) {
      return No(call, "calls it where a value may be expected, and it gives none");
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
      if (facts_.has_macros && IsNode(node, "call_expression") &&
          IsMacro(FieldOf(node, "function"), call)) {
        return No(call, "passes its result to what may be a macro");
      }
      if (IsStatementContainer(node)) break;
    }
    for (TSNode node = parent; !ts_node_is_null(node) && !IsFunctionNode(node);
         node = ts_node_parent(node)) {
      if (absl::StartsWith(TypeOf(node), "checked")) return No(call, "calls it in `checked` code");
    }
    return CheckUseOfResult(call, parent);
  }

  absl::Status CheckUseOfResult(const InlinedCall& call, TSNode parent) const {
    if (facts_.call_binds_this && (SameNode(FieldOf(parent, "function"), call.node) ||
                                   absl::StartsWith(TextOf(parent, call.file.text), "delete "))) {
      return No(call, "calls or deletes its result; `this`, or what is deleted, would change");
    }
    const TSNode sign = FieldOf(parent, "operator");
    const bool compares = facts_.compares_identity && !ts_node_is_null(sign) &&
                          IsOneOf(TextOf(sign, call.file.text), {"==", "!="});
    if (compares && absl::StrContains(function_.head.returns, "String")) {
      return No(call, "asks whether its result is the same object");
    }
    if (!facts_.constants_convert) return absl::OkStatus();
    const bool is_branch =
        IsOneOf(TypeOf(parent), {"ternary_expression", "conditional_expression"}) &&
        !SameNode(FieldOf(parent, "condition"), call.node);
    return is_branch
               ? No(call, "uses it as a branch of `?:`, and the type of that expression may change")
               : absl::OkStatus();
  }

  // Whether what is called may be text that is replaced, by its declaration or its spelling.
  bool IsMacro(TSNode callee, const InlinedCall& call) const {
    const std::string name(TextOf(callee, call.file.text));
    const std::vector<Declaration>& all = declared_.Of(function_, name);
    const bool is_declared = std::any_of(all.begin(), all.end(), [](const Declaration& other) {
      return other.AsSymbol().kind == SymbolKind::kMacro;
    });
    return is_declared || std::none_of(name.begin(), name.end(),
                                       [](unsigned char c) { return absl::ascii_islower(c); });
  }

  // A method is inlined where its caller has the same object.
  absl::Status CheckReceiver(const InlinedCall& call) const {
    if (!function_.IsOfObject()) return absl::OkStatus();
    if (!IsInClassOf(function_, call)) return No(call, "calls it outside of its type");
    if (ts_node_is_null(call.receiver)) {
      return facts_.this_is_parameter ? No(call, "calls it without an object") : absl::OkStatus();
    }
    const absl::string_view text = TextOf(call.receiver, call.file.text);
    if (!facts_.this_is_parameter) {
      const bool is_own = text == "this" && !HasOtherThis(call.node);
      return is_own ? absl::OkStatus() : No(call, "calls it on another object");
    }
    // The first parameter of the method around it.
    const TSNode caller = MemberAround(call.node);
    const TSNode list =
        FieldOf(IsNode(caller, "decorated_definition") ? FieldOf(caller, "definition") : caller,
                "parameters");
    const bool is_own = !IsNode(caller, "decorated_definition") && !ts_node_is_null(list) &&
                        ts_node_named_child_count(list) > 0 &&
                        TextOf(ts_node_named_child(list, 0), call.file.text) == text &&
                        SameNode(FunctionAround(call.node), caller) &&
                        !IsWritten(call.receiver, call);
    return is_own ? absl::OkStatus() : No(call, "calls it on another object");
  }

  // JavaScript: whether a function around the call, within the method, has a `this` of its own.
  bool HasOtherThis(TSNode node) const {
    if (!facts_.call_binds_this) return false;
    const TSNode member = MemberAround(node);
    for (TSNode around = FunctionAround(node); !ts_node_is_null(around);
         around = FunctionAround(around)) {
      if (SameNode(around, member)) return false;
      if (!IsNode(around, "arrow_function")) return true;
    }
    return false;
  }

  // Whether a parameter gets another value somewhere.
  static bool IsWritten(TSNode name, const InlinedCall& call) {
    for (const BoundUse& bound : UsesIn(call.file, {BeginOf(name), EndOf(name)})) {
      for (const Occurrence& use : UsesOf(call.file, bound.binding)) {
        if (IsWrite(call.tree, use, call.file.text)) return true;
      }
    }
    return false;
  }

  // The expression with the arguments of the call in place of the parameters.
  absl::StatusOr<std::string> Written(const InlinedCall& call) const {
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
    uint32_t last = 0;  // where the last argument that is evaluated there stands
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
      STILE_RETURN_IF_ERROR(CheckArgument(call, input, value->second.value, &last));
      for (const TSNode use : input.uses) {
        edits.push_back(
            {BeginOf(use), EndOf(use), ArgumentAt(call, input, value->second.value, use)});
      }
    }
    return Edited(std::move(edits));
  }

  absl::Status AddDefault(const InlinedCall& call, const InlinedFunction::Input& input,
                          std::vector<TextEdit>* edits) const {
    const std::string& value = input.declared.value;
    // A number may be converted to the type of the parameter.
    const bool may_convert =
        facts_.declared_types_convert && absl::StrContains("0123456789-", value.substr(0, 1));
    if (!IsPlainLiteral(value) || may_convert) {
      return No(call, absl::StrCat("passes nothing for ", input.declared.name,
                                   value.empty() ? ""
                                   : may_convert ? ", whose default may be converted to its type"
                                                 : ", whose default is no plain literal"));
    }
    for (const TSNode use : input.uses) {
      const bool is_object = BeginOf(ts_node_parent(use)) == BeginOf(use);
      const bool needs_brackets = value.front() == '-' || (is_object && value.front() <= '9');
      const std::string written = needs_brackets ? absl::StrCat("(", value, ")") : value;
      edits->push_back({BeginOf(use), EndOf(use), AsKey(input, use, written)});
    }
    return absl::OkStatus();
  }

  // JavaScript: a member that is called has its object as `this`, and a function that a variable
  // gets has its name.
  absl::Status CheckThis(const InlinedCall& call, const InlinedFunction::Input& input,
                         TSNode value) const {
    if (!facts_.call_binds_this) return absl::OkStatus();
    const bool is_member = IsOneOf(TypeOf(value), {"member_expression", "subscript_expression"});
    for (const TSNode use : input.uses) {
      const TSNode around = ts_node_parent(use);
      const bool is_callee = SameNode(FieldOf(around, "function"), use) ||
                             absl::StartsWith(TextOf(around, text_), "delete ");
      const bool is_named = SameNode(use, function_.value) && IsFunctionNode(value);
      if ((!is_callee || !is_member) && !is_named) continue;
      return No(call, absl::StrCat("passes `", ShortCode(value, call.file.text), "` for ",
                                   input.declared.name,
                                   ", which would be called with another `this`, or get another "
                                   "name"));
    }
    return absl::OkStatus();
  }

  // Whether the argument has the same value where the expression uses the parameter.
  absl::Status CheckArgument(const InlinedCall& call, const InlinedFunction::Input& input,
                             TSNode value, uint32_t* last) const {
    const std::string& name = input.declared.name;
    const std::string shown = ShortCode(value, call.file.text);
    // C#: `ref total` stays an argument.
    if (IsNode(value, "argument") || ChangesVariable(value, call.file.text)) {
      return No(call, absl::StrCat("passes `", shown, "`, which changes a variable"));
    }
    const bool is_constant = IsConstantExpression(value, call.file.text);
    if (!input.declared.value.empty() && facts_.defaults_replace_undefined && !is_constant) {
      return No(call, absl::StrCat("passes `", shown, "` for ", name,
                                   ", which has a default for the case that it is undefined"));
    }
    STILE_RETURN_IF_ERROR(CheckArgumentType(call, input, value));
    STILE_RETURN_IF_ERROR(CheckCopy(call, input, value));
    STILE_RETURN_IF_ERROR(CheckThis(call, input, value));
    const bool is_name = IsOneOf(
        TypeOf(value), {"identifier", "this", "true", "false", "none", "null", "undefined", "nil"});
    // A variable that others may write keeps its value while nothing else runs.
    const bool is_still = !has_effects_ && !HasEffects(call.arguments, call.file.text);
    if (is_constant || (is_name && is_still)) return absl::OkStatus();
    const bool is_settled = IsSettled(call.file, call.tree, value);
    if (is_name && is_settled) return absl::OkStatus();
    if (input.uses.size() != 1) {
      const std::string times =
          input.uses.empty() ? ", which its body does not use"
                             : absl::StrCat(", which its body uses ", input.uses.size(), " times");
      return No(call, absl::StrCat("passes `", shown, "` for ", name, times,
                                   ": give it a variable first"));
    }
    const TSNode use = input.uses[0];
    absl::Status status = CheckEvaluatedOnce(function_.file(), use, function_.value);
    if (status.ok()) {
      status = CheckNoEffectBefore(function_.file(), use, function_.value, is_settled);
    }
    if (status.ok() && HasEffects(value, call.file.text)) {
      status = CheckNothingRead(function_.file(), function_.tree, use, function_.value);
    }
    // Also a value without effects can be an error: `1 / y`.
    if (!status.ok() || BeginOf(use) < *last) {
      return No(call, absl::StrCat("passes `", shown, "` for ", name,
                                   ", which would be evaluated at another time: give it a variable "
                                   "first"));
    }
    *last = BeginOf(use);
    return absl::OkStatus();
  }

  // A parameter of a struct is a copy; what is written to it must not reach the argument.
  absl::Status CheckCopy(const InlinedCall& call, const InlinedFunction::Input& input,
                         TSNode value) const {
    if (!facts_.copies_structs || IsFunctionNode(value) || HasEffects(value, call.file.text) ||
        !IsCopied(input.declared.type)) {
      return absl::OkStatus();
    }
    for (const TSNode use : input.uses) {
      TSNode node = use;
      for (TSNode parent = ts_node_parent(node);
           IsOneOf(TypeOf(parent), {"selector_expression", "field_expression", "index_expression",
                                    "member_access_expression", "subscript_expression",
                                    "element_access_expression", "parenthesized_expression"}) &&
           BeginOf(parent) <= BeginOf(use);
           parent = ts_node_parent(node)) {
        node = parent;
      }
      const TSNode parent = ts_node_parent(node);
      const bool is_called = SameNode(FieldOf(parent, "function"), node) && !SameNode(node, use);
      if (is_called || IsNode(parent, "slice_expression")) {
        return No(call, absl::StrCat("passes `", ShortCode(value, call.file.text), "` for ",
                                     input.declared.name, ", which is a copy that may change"));
      }
    }
    return absl::OkStatus();
  }

  // Whether values of the type are copied, and can be changed by their methods.
  bool IsCopied(absl::string_view type) const {
    if (absl::StartsWith(type, "*") || absl::StartsWith(type, "[]") || absl::EndsWith(type, "*") ||
        absl::StartsWith(type, "map[")) {
      return false;
    }
    if (absl::StartsWith(type, "[") || absl::StrContains(type, '.')) return true;
    const std::vector<Declaration>& all = declared_.Of(function_, std::string(type));
    return std::any_of(all.begin(), all.end(), [](const Declaration& other) {
      return other.AsSymbol().kind == SymbolKind::kStruct ||
             other.AsSymbol().kind == SymbolKind::kTypeAlias;
    });
  }

  absl::Status CheckArgumentType(const InlinedCall& call, const InlinedFunction::Input& input,
                                 TSNode value) const {
    if (!facts_.declared_types_convert || input.uses.empty()) return absl::OkStatus();
    const TSNode statement = StatementAround(call.node);
    const absl::Status status =
        CheckHasType(call.file, call.tree, value, input.declared.type, "the parameter",
                     BeginOf(ts_node_is_null(statement) ? call.node : statement), probe_);
    if (status.ok() || !absl::IsFailedPrecondition(status)) return status;
    return No(call, absl::StrCat("passes `", ShortCode(value, call.file.text), "` for ",
                                 input.declared.name, ": ", status.message()));
  }

  std::string ArgumentAt(const InlinedCall& call, const InlinedFunction::Input& input, TSNode value,
                         TSNode use) const {
    if (facts_.untyped_constants) {
      const std::string type = ConversionTo(input.declared.type, call.file, call.tree, value);
      if (!type.empty()) return ConvertedText(type, TextAfter(call, value));
    }
    std::string operand = TextAfter(call, value);
    const absl::string_view before = TextOf(value, call.file.text);
    const bool is_inlined =
        std::any_of(call.done->begin(), call.done->end(), [&](const TextEdit& inner) {
          return inner.begin == BeginOf(value) && inner.end == EndOf(value);
        });
    const bool has_brackets =
        is_inlined ? !IsIdentifier(operand)
                   : OperandText(value, call.file.text, use, text_).size() > before.size();
    // `5-x` with -1.
    const absl::string_view left = text_.substr(0, BeginOf(use));
    const bool joins = !operand.empty() && absl::StrContains("+-", operand.substr(0, 1)) &&
                       absl::EndsWith(left, operand.substr(0, 1));
    if (has_brackets || joins) operand = absl::StrCat("(", operand, ")");
    return AsKey(input, use, operand);
  }

  // `{ n }` is key and value in one.
  static std::string AsKey(const InlinedFunction::Input& input, TSNode use,
                           const std::string& value) {
    return IsNode(use, "shorthand_property_identifier")
               ? absl::StrCat(input.declared.name, ": ", value)
               : value;
  }

  // An argument, in which calls of the function gave way already.
  static std::string TextAfter(const InlinedCall& call, TSNode value) {
    std::vector<TextEdit> inner;
    for (const TextEdit& edit : *call.done) {
      if (edit.begin < BeginOf(value) || edit.end > EndOf(value)) continue;
      inner.push_back({edit.begin - BeginOf(value), edit.end - BeginOf(value), edit.replacement});
    }
    return ApplyEdits(TextOf(value, call.file.text), std::move(inner));
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
  std::string AsOperand(const InlinedCall& call, const std::string& value) const {
    const bool is_statement = IsNode(ts_node_parent(call.node), "expression_statement");
    if (!result_type_.empty() && !is_statement) return ConvertedText(result_type_, value);
    const bool has_brackets =
        OperandText(function_.value, text_, call.node, call.file.text).size() >
        TextOf(function_.value, text_).size();
    // `return x` is what the call passes.
    const bool is_parameter = IsNode(function_.value, "identifier") && !IsIdentifier(value);
    const bool is_body =
        IsNode(ts_node_parent(call.node), "arrow_function") && absl::StartsWith(value, "{");
    // Brackets keep a line break inside the expression from ending the statement.
    const bool has_lines = absl::StrContains(value, '\n') && facts_.lines_end_statements;
    return has_brackets || is_parameter || is_body || has_lines ? absl::StrCat("(", value, ")")
                                                                : value;
  }

  // Without semicolons, a line that begins with a bracket goes on with the statement before it.
  absl::Status CheckStatementBegin(const InlinedCall& call, const std::string& value) const {
    if (!facts_.lines_join || value.empty()) return absl::OkStatus();
    const TSNode statement = StatementAround(call.node);
    if (ts_node_is_null(statement) || BeginOf(statement) != BeginOf(call.node)) {
      return absl::OkStatus();
    }
    const bool joins = absl::StrContains("([`/+-{'\"", value.substr(0, 1)) ||
                       absl::StartsWith(value, "function") || absl::StartsWith(value, "class");
    return joins ? No(call, absl::StrCat("is a statement that would begin with `",
                                         value.substr(0, 1), "` and continue the line before"))
                 : absl::OkStatus();
  }

  const InlinedFunction& function_;
  const LanguageFacts& facts_;
  const absl::string_view text_;  // of the function's file
  const std::string result_type_;
  const bool has_effects_;  // of the expression
  mutable DeclaredNames declared_;
  const ProbeEdits& probe_;
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
  const bool is_private_by_name =
      function.language().naming.private_by_underscore && absl::StartsWith(symbol.name, "_");
  if (is_hidden || is_private_by_name) return absl::OkStatus();
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
  int asked = 0;
  const ProbeEdits limited = [&](const EditPlan& edits) -> absl::StatusOr<ProbeReport> {
    if (++asked > kMaxQuestions) return absl::ResourceExhaustedError("too many questions");
    return probe(edits);
  };
  const ProbeEdits& ask = probe == nullptr ? probe : limited;
  const auto result_type = ResultConversion(*function, ask);
  if (!result_type.ok()) return refuse(result_type.status());
  const CallInliner inliner(*function, *result_type, index, ask);
  return ReplaceUses(
      *definition,
      [&](const SourceFile& file, const SyntaxTree& tree, TSNode name,
          const std::vector<TextEdit>& done) { return inliner.Replace(file, tree, name, done); },
      index, plan);
}

}  // namespace stile
