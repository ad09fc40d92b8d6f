#include "tools/refactor/inline_constant.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/constant_expression.h"
#include "tools/extract/declared_value.h"
#include "tools/extract/operand_text.h"
#include "tools/extract/selection.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/inline_uses.h"
#include "tools/refactor/literal_place.h"

namespace stile {
namespace {

// One spelling for a type: without words that say nothing about the value, and single blanks.
std::string PlainType(absl::string_view written) {
  std::vector<absl::string_view> kept;
  const std::string spaced = absl::StrReplaceAll(written, {{"'static ", ""}, {"*", " * "}});
  for (const absl::string_view word :
       absl::StrSplit(spaced, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
    if (!IsOneOf(word, {"static", "const", "constexpr", "inline", "constinit", "auto"})) {
      kept.push_back(word);
    }
  }
  return absl::StrJoin(kept, " ");
}

// The whole declaration that a declarator is a part of.
TSNode StatementAt(TSNode declarator) {
  TSNode node = declarator;
  while (IsOneOf(TypeOf(ts_node_parent(node)),
                 {"lexical_declaration", "variable_declaration", "field_declaration", "declaration",
                  "constant_declaration", "expression_statement", "export_statement"})) {
    node = ts_node_parent(node);
  }
  return node;
}

struct Constant {
  const SourceFile& file;
  const SyntaxTree& tree;
  const Symbol& symbol;
  TSNode value{};
  std::string type;  // that the value has to be converted to; "": it has the right one

  const LanguageBackend& language() const { return LanguageBackendOfGrammar(file.grammar.name); }
  absl::Status No(absl::string_view reason) const {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(symbol.name), " cannot be inlined: ", reason));
  }
  absl::Status CheckDeclared(TSNode declarator) const;
  absl::Status FindType(TSNode declarator, TSNode name);
};

// Whether the declaration says that it is a constant, and that all objects of its type share it.
absl::Status Constant::CheckDeclared(TSNode declarator) const {
  const absl::string_view text = file.text;
  const uint32_t begin = std::min(symbol.begin, BeginOf(StatementAt(declarator)));
  const absl::string_view head = text.substr(begin, BeginOf(value) - begin);
  const LanguageFacts& facts = language().facts;
  const bool is_in_interface =
      symbol.parent >= 0 &&
      file.symbols[static_cast<size_t>(symbol.parent)].kind == SymbolKind::kInterface;
  const bool is_constant = facts.constants_by_convention || is_in_interface ||
                           IsOneOf(TypeOf(declarator), {"const_spec", "const_item"}) ||
                           HoldsWord(head, "const") || HoldsWord(head, "constexpr") ||
                           HoldsWord(head, "final") || HoldsWord(head, "readonly");
  if (!is_constant) return No("its declaration does not say that it is a constant");
  if (facts.const_locals && !HoldsWord(head, "const") && !is_in_interface) {
    return No("a literal converts where a field does not; declare it with `const` first");
  }
  const TSNode statement = StatementAt(declarator);
  if (IsOneOf(TypeOf(ts_node_parent(declarator)), {"assignment", "assignment_expression"})) {
    return No("its declaration gives the value to others, too");
  }
  for (TSNode node = ts_node_parent(statement); !ts_node_is_null(node);
       node = ts_node_parent(node)) {
    if (IsOneOf(TypeOf(node), {"if_statement", "try_statement", "with_statement", "for_statement",
                               "while_statement", "match_statement", "switch_statement"})) {
      return No("it is declared under a condition");
    }
  }
  const bool is_of_each_object = symbol.kind == SymbolKind::kField && !is_in_interface &&
                                 !facts.constants_by_convention && !HoldsWord(head, "static") &&
                                 !HoldsWord(head, "const") && !IsNode(declarator, "const_item");
  if (is_of_each_object) return No("each object has one of its own");
  for (const absl::string_view word : {"volatile", "extern", "thread_local", "declare", "mut"}) {
    if (HoldsWord(head, word)) return No(absl::StrCat("it is declared with `", word, "`"));
  }
  const bool is_annotated =
      absl::StrContains(head, "@") || absl::StrContains(head, "#[") || absl::StartsWith(head, "[");
  return is_annotated ? No("its declaration has an annotation") : absl::OkStatus();
}

absl::Status Constant::FindType(TSNode declarator, TSNode name) {
  const LanguageFacts& facts = language().facts;
  const std::string written =
      PlainType(WrittenType(file, StatementAt(declarator), declarator, name));
  if (written.empty() || (!facts.declared_types_convert && !facts.untyped_constants)) {
    return absl::OkStatus();
  }
  const std::string own = ConstantType(language(), value, file.text);
  if (PlainType(own) == written && !facts.untyped_constants) return absl::OkStatus();
  const auto is_number = [&](const std::string& word) {
    return std::find(facts.number_types.begin(), facts.number_types.end(), word) !=
           facts.number_types.end();
  };
  if (PlainType(own) == written && !is_number(written)) return absl::OkStatus();
  // Other types may have rules of their own, or not be known where the constant is used.
  if (!is_number(own) || !is_number(written)) {
    return No(absl::StrCat("its declaration gives it the type ", ToUtf8(written),
                           own.empty() ? ", and the type of the value alone is not known"
                                       : absl::StrCat(", and the value alone is of type ", own)));
  }
  this->type = written;
  return absl::OkStatus();
}

class UseReplacer {
 public:
  UseReplacer(const Constant& constant, CodeIndex* index) : constant_(constant), index_(index) {}

  absl::StatusOr<TextEdit> Replace(const SourceFile& file, const SyntaxTree& tree,
                                   TSNode name) const {
    STILE_ASSIGN_OR_RETURN(const TSNode whole, WholeUse(file, name));
    const TSNode parent = ts_node_parent(whole);
    STILE_RETURN_IF_ERROR(
        CheckLiteralFits(file, tree, whole, TextOf(constant_.value, constant_.file.text), index_));
    if (IsNode(name, "shorthand_property_identifier")) {
      const absl::string_view value = TextOf(constant_.value, constant_.file.text);
      return TextEdit{EndOf(name), EndOf(name), absl::StrCat(": ", value)};
    }
    const uint32_t begin =
        IsNode(parent, "token_tree") ? PathBegin(file.text, BeginOf(whole)) : BeginOf(whole);
    STILE_ASSIGN_OR_RETURN(std::string value, ValueAt(whole, file));
    return TextEdit{begin, EndOf(whole), std::move(value)};
  }

 private:
  // Converted by the rules of the language that uses it: a header of C serves C++, too.
  absl::StatusOr<std::string> ValueAt(TSNode use, const SourceFile& file) const {
    const TSNode value = constant_.value;
    const absl::string_view own = TextOf(value, constant_.file.text);
    if (constant_.type.empty()) return OperandText(value, constant_.file.text, use, file.text);
    const std::string& conversion = LanguageBackendOfGrammar(file.grammar.name).facts.conversion;
    const bool is_calculated = ts_node_named_child_count(value) > 0;
    const bool is_suffix = absl::EndsWith(conversion, "{type}");
    const bool is_negative = IsNode(value, "unary_expression") && absl::StartsWith(own, "-");
    if (is_calculated && is_suffix && !is_negative) {
      return absl::FailedPreconditionError("its value is a calculation, and its type another one");
    }
    const bool needs_brackets =
        is_calculated && !is_suffix && !absl::StrContains(conversion, "({value})");
    const std::string typed = absl::StrReplaceAll(
        conversion, {{"{type}", constant_.type},
                     {"{value}", needs_brackets ? absl::StrCat("(", own, ")") : std::string(own)}});
    const bool is_plain = absl::ascii_isalnum(static_cast<unsigned char>(typed.front())) != 0;
    return is_plain ? typed : absl::StrCat("(", typed, ")");
  }

  const Constant& constant_;
  CodeIndex* const index_;
};

absl::Status CheckAlone(const Resolution& constant, CodeIndex* index) {
  if (constant.targets.size() != 1) {
    return absl::FailedPreconditionError(
        "several declarations give it a value; inline_constant needs one");
  }
  const SymbolKind kind = constant.targets[0].AsSymbol().kind;
  if (kind != SymbolKind::kConstant && kind != SymbolKind::kVariable &&
      kind != SymbolKind::kField) {
    return absl::FailedPreconditionError(absl::StrCat(
        "inline_constant is for constants of a file or type, and ",
        ToUtf8(constant.targets[0].QualifiedName()), " is declared as ", SymbolKindName(kind)));
  }
  return CheckDeclaredOnce(constant, index);
}

}  // namespace

absl::Status InlineUses(const Resolution& constant, CodeIndex* index, DeletePlan* plan) {
  STILE_RETURN_IF_ERROR(CheckAlone(constant, index));
  const SourceFile& file = *constant.targets[0].file;
  const Symbol& symbol = constant.targets[0].AsSymbol();
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  Constant found{file, tree, symbol};
  const TSNode name = NodeAt(tree, symbol.name_begin, symbol.name_end);
  const TSNode declarator = DeclaratorAround(name);
  found.value = ts_node_is_null(declarator) ? declarator : ValueOf(declarator);
  if (IsNode(ts_node_parent(name), "array_declarator")) {
    return found.No("it is an array, which has a size and an address");
  }
  if (ts_node_is_null(found.value) || BeginOf(found.value) < symbol.name_end) {
    return found.No("its declaration gives it no single value");
  }
  if (!IsConstantExpression(found.value, file.text)) {
    return found.No(absl::StrCat("its value `", ShortCode(found.value, file.text),
                                 "` is not made of literals only"));
  }
  STILE_RETURN_IF_ERROR(found.CheckDeclared(declarator));
  STILE_RETURN_IF_ERROR(found.FindType(declarator, name));
  if (plan->uses.empty() && plan->likely.empty()) {
    return found.No("nothing uses it; safe_delete removes it");
  }
  const UseReplacer replacer(found, index);
  return ReplaceUses(
      constant.targets[0],
      [&](const SourceFile& user, const SyntaxTree& user_tree, TSNode place,
          const std::vector<TextEdit>&) { return replacer.Replace(user, user_tree, place); },
      index, plan);
}

}  // namespace stile
