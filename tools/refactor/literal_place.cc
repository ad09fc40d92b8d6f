#include "tools/refactor/literal_place.h"

#include <algorithm>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/selection.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

class LiteralPlace {
 public:
  LiteralPlace(const SourceFile& file, const SyntaxTree& tree, TSNode use,
               absl::string_view literal, CodeIndex* index)
      : file_(file),
        tree_(tree),
        facts_(LanguageBackendOfGrammar(file.grammar.name).facts),
        use_(use),
        literal_(literal),
        index_(index) {}

  absl::Status Check() const {
    const TSNode parent = ts_node_parent(use_);
    const absl::string_view type = TypeOf(parent);
    const Occurrence place{BeginOf(use_), EndOf(use_)};
    if (IsWrite(tree_, place, file_.text)) return No("gives it another value");
    if (SameNode(FieldOf(parent, "key"), use_) || IsNode(use_, "property_identifier") ||
        IsNode(use_, "shorthand_property_identifier_pattern") ||
        (IsNode(use_, "type_identifier") &&
         !IsOneOf(type, {"type_arguments", "parameter_declaration"})) ||
        (type == "keyword_argument" && SameNode(FieldOf(parent, "name"), use_))) {
      return No("has its name as that of a member");
    }
    const bool is_addressed =
        IsOneOf(type, {"unary_expression", "pointer_expression", "prefix_unary_expression"}) &&
        absl::StartsWith(TextOf(parent, file_.text), "&");
    if (is_addressed) return No("takes its address");
    if (absl::StrContains(type, "sizeof") || absl::StrContains(type, "typeof") ||
        absl::StrContains(type, "nameof") || absl::StrContains(type, "type_query") ||
        absl::StrContains(type, "decltype") || absl::StrContains(type, "alignof")) {
      return No("asks for its type, size or name");
    }
    if (type == "expression_statement") return No("is a statement of its name alone");
    const TSNode statement = StatementAround(use_);
    const bool begins = !ts_node_is_null(statement) && BeginOf(statement) == BeginOf(use_) &&
                        absl::EndsWith(TypeOf(statement), "_statement");
    if (facts_.lines_join && begins && absl::StrContains("([`/+-", literal_.substr(0, 1))) {
      return No("begins with it, and could go on with the line before it");
    }
    for (TSNode node = parent; !ts_node_is_null(node) && !IsStatementContainer(node);
         node = ts_node_parent(node)) {
      STILE_RETURN_IF_ERROR(CheckAround(node));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status No(absl::string_view how) const {
    return absl::FailedPreconditionError(absl::StrCat("line ", file_.PlaceOf(BeginOf(use_)).line,
                                                      " of ", ToUtf8(file_.path), " ", how));
  }

  absl::Status CheckAround(TSNode around) const {
    const absl::string_view type = TypeOf(around);
    if (type == "interpolation" && literal_.find_first_of("\"'") != absl::string_view::npos) {
      return No("uses it within a string, where its value would end the string");
    }
    // Of Python: `f"{MAX=}"` shows the name.
    if (type == "interpolation" && HasChildText(around, "=", file_.text)) {
      return No("shows its name in a string");
    }
    const bool binds = type == "init_declarator" || type == "return_statement";
    if (facts_.has_value_categories && binds && BindsReference(around)) {
      return No("may bind a reference to it");
    }
    if (type == "comparison_operator" &&
        FindWord(TextOf(around, file_.text), "is") != absl::string_view::npos) {
      return No("asks whether something is the same object");
    }
    if (absl::StartsWith(type, "preproc_def") || absl::StartsWith(type, "preproc_function")) {
      return No("uses it in a macro");
    }
    if (type == "token_tree" && !IsPlainToken(use_, around)) {
      return No("gives it to a macro");
    }
    if (type == "invocation_expression" &&
        TextOf(FieldOf(around, "function"), file_.text) == "nameof") {
      return No("asks for its name");
    }
    const absl::string_view function =
        type == "call_expression" ? TextOf(FieldOf(around, "function"), file_.text) : "";
    if (!function.empty() && facts_.has_value_categories && TakesTemporaries(function)) {
      return No(
          absl::StrCat("gives it to ", function, ", which may do another thing for a literal"));
    }
    if (!function.empty() && facts_.takes_addresses) {
      if (function == "assert" || IsShouted(function) || IsMacro(function)) {
        return No(absl::StrCat("gives it to ", function, ", which may be a macro that shows it"));
      }
    }
    return absl::OkStatus();
  }

  // Whether the declarator, or that of the function around a `return`, is a reference.
  static bool BindsReference(TSNode around) {
    TSNode declared = around;
    if (IsNode(around, "return_statement")) declared = FunctionAround(around);
    return IsNode(FieldOf(declared, "declarator"), "reference_declarator");
  }

  bool IsMacro(absl::string_view name) const {
    return AnySymbol(name, [](const SourceFile&, const Symbol& symbol) {
      return symbol.kind == SymbolKind::kMacro;
    });
  }

  // A literal chooses an overload for temporary values.
  bool TakesTemporaries(absl::string_view function) const {
    size_t begin = function.size();
    while (begin > 0 && IsIdentifierByte(function[begin - 1])) --begin;
    return AnySymbol(function.substr(begin), [](const SourceFile& file, const Symbol& symbol) {
      const absl::string_view head =
          absl::string_view(file.text).substr(symbol.begin, symbol.signature_end - symbol.begin);
      return absl::StrContains(head, "&&");
    });
  }

  bool AnySymbol(absl::string_view name,
                 absl::FunctionRef<bool(const SourceFile&, const Symbol&)> matches) const {
    for (const auto& file : index_->FilesWith(std::string(name))) {
      for (const Symbol& symbol : file->symbols) {
        if (symbol.name == name && matches(*file, symbol)) return true;
      }
    }
    return false;
  }

  static bool IsShouted(absl::string_view name) {
    return !name.empty() && std::none_of(name.begin(), name.end(), absl::ascii_islower);
  }

  // Whether a macro of the standard library reads the token as an expression, and does not show it.
  bool IsPlainToken(TSNode token, TSNode tree) const {
    const absl::string_view text = file_.text;
    const absl::string_view before =
        absl::StripTrailingAsciiWhitespace(text.substr(0, PathBegin(text, BeginOf(token))));
    const absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(EndOf(token)));
    while (IsNode(ts_node_parent(tree), "token_tree")) tree = ts_node_parent(tree);
    const TSNode macro = FieldOf(ts_node_parent(tree), "macro");
    return !absl::EndsWith(before, ":") && !absl::EndsWith(before, ".") &&
           !absl::StartsWith(behind, ":") &&
           IsOneOf(ts_node_is_null(macro) ? absl::string_view() : TextOf(macro, text),
                   {"print", "println", "eprint", "eprintln", "format", "write", "writeln", "vec",
                    "panic", "assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"});
  }

  const SourceFile& file_;
  const SyntaxTree& tree_;
  const LanguageFacts& facts_;
  const TSNode use_;
  const absl::string_view literal_;
  CodeIndex* const index_;
};

}  // namespace

absl::Status CheckLiteralFits(const SourceFile& file, const SyntaxTree& tree, TSNode use,
                              absl::string_view literal, CodeIndex* index) {
  return LiteralPlace(file, tree, use, literal, index).Check();
}

uint32_t PathBegin(absl::string_view text, uint32_t end) {
  size_t begin = end;
  while (begin > 2 && text.substr(begin - 2, 2) == "::") {
    size_t word = begin - 2;
    while (word > 0 && IsIdentifierByte(text[word - 1])) --word;
    if (word == begin - 2) break;
    begin = word;
  }
  return static_cast<uint32_t>(begin);
}

}  // namespace stile
