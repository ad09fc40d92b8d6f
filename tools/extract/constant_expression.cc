#include "tools/extract/constant_expression.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxCandidates = 12;

bool IsNumber(absl::string_view type) {
  return IsOneOf(type, {"integer", "float", "number", "number_literal", "int_literal",
                        "float_literal", "integer_literal", "real_literal"}) ||
         absl::EndsWith(type, "_integer_literal") ||
         absl::EndsWith(type, "_floating_point_literal");
}

bool IsText(absl::string_view type) {
  return IsOneOf(type,
                 {"string", "string_literal", "interpreted_string_literal", "raw_string_literal",
                  "verbatim_string_literal", "template_string", "concatenated_string"});
}

bool IsCharacter(absl::string_view type) {
  return IsOneOf(type, {"char_literal", "character_literal", "rune_literal"});
}

bool IsTruth(absl::string_view type) { return IsOneOf(type, {"true", "false", "boolean_literal"}); }

bool IsOperation(absl::string_view type) {
  return IsOneOf(type, {"binary_expression", "binary_operator", "unary_expression",
                        "unary_operator", "prefix_unary_expression", "parenthesized_expression",
                        "not_operator", "boolean_operator", "comparison_operator"});
}

// Whether a call passes its arguments to a macro, as far as the name tells.
bool CallsMacro(absl::string_view name) {
  bool has_letter = false;
  for (const char c : name) {
    const auto sign = static_cast<unsigned char>(c);
    if (!absl::ascii_isupper(sign) && !absl::ascii_isdigit(sign) && c != '_') return false;
    has_letter = has_letter || absl::ascii_isupper(sign);
  }
  return has_letter;
}

// Whether a preprocessor directive reads the node, and does not only enclose code with it.
bool IsReadByPreprocessor(TSNode directive, TSNode node) {
  const absl::string_view type = TypeOf(directive);
  if (!absl::StartsWith(type, "preproc_")) return false;
  if (!IsOneOf(type, {"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif",
                      "preproc_elifdef"})) {
    return true;
  }
  const TSNode condition = FieldOf(directive, "condition");
  return !ts_node_is_null(condition) && BeginOf(node) >= BeginOf(condition) &&
         EndOf(node) <= EndOf(condition);
}

// The reason for which a name may not stand in place of the node; "": it may.
std::string Obstacle(TSNode node, absl::string_view text) {
  const TSNode parent = ts_node_parent(node);
  const absl::string_view type = TypeOf(parent);
  if (type == "expression_statement") {
    return "the literal is a statement of its own: a docstring, or a directive";
  }
  if (SameNode(FieldOf(parent, "key"), node)) return "it is a key";
  if (SameNode(FieldOf(parent, "name"), node)) return "it is a name";
  if (IsOneOf(type, {"concatenated_string", "string_concatenation"})) {
    return "it is one part of a string: give the whole string";
  }
  if (SameNode(FieldOf(parent, "arguments"), node)) return "a function reads the parts of its text";
  if (type == "sizeof_expression") return "its size would be that of the constant";
  if (type == "array_declarator") return "an array of C needs a literal for its size";
  for (TSNode around = parent; !ts_node_is_null(around); around = ts_node_parent(around)) {
    const absl::string_view outer = TypeOf(around);
    // Of Rust: a constant there means its value.
    if (absl::StrContains(outer, "pattern") && outer != "match_pattern") {
      return "in a pattern, a name means something else than a value";
    }
    if (outer == "interpolation") {
      const size_t behind = text.find_first_not_of(' ', EndOf(node));
      if (behind != absl::string_view::npos && text[behind] == '=') {
        return "its text is shown, too";
      }
    }
    if (outer == "token_tree" || IsReadByPreprocessor(around, node)) return "it stands in a macro";
    if (absl::StrContains(outer, "import") || absl::StrContains(outer, "literal_type") ||
        IsOneOf(outer, {"type", "linkage_specification", "tag", "jsx_attribute"}) ||
        SameNode(FieldOf(around, "source"), node)) {
      return "only a literal can stand there";
    }
    const TSNode function = outer == "call_expression" ? FieldOf(around, "function") : TSNode{};
    if (ts_node_is_null(function)) continue;
    const absl::string_view name = TextOf(function, text);
    if (name == "import" || name == "require") return "it names a module";
    if (CallsMacro(name) || name == "assert")
      return absl::StrCat("it may be an argument of the macro ", name);
  }
  return "";
}

}  // namespace

bool IsConstantExpression(TSNode node, absl::string_view text) {
  const absl::string_view type = TypeOf(node);
  if (IsNumber(type) || IsCharacter(type) || IsTruth(type)) return true;
  if (IsText(type)) {
    bool is_plain = true;
    WalkTree(node, [&](TSNode inner) {
      const absl::string_view part = TypeOf(inner);
      is_plain = is_plain && !absl::StrContains(part, "interpolation") &&
                 !absl::StrContains(part, "substitution") && !absl::StrContains(part, "identifier");
      return is_plain;
    });
    // Of C# and Python: a string that is filled in has a sign before it even if nothing is.
    const absl::string_view word = TextOf(node, text);
    return is_plain && !absl::StartsWith(word, "$") && !absl::StartsWithIgnoreCase(word, "f\"") &&
           !absl::StartsWithIgnoreCase(word, "f'");
  }
  if (!IsOperation(type)) return false;
  const std::vector<TSNode> parts = NamedChildren(node);
  return !parts.empty() && !HasEffects(node, text) &&
         std::all_of(parts.begin(), parts.end(),
                     [&](TSNode part) { return IsConstantExpression(part, text); });
}

absl::StatusOr<TSNode> ChooseConstant(const SourceFile& file, const SyntaxTree& tree,
                                      int start_line, int end_line, const std::string& wanted) {
  STILE_ASSIGN_OR_RETURN(const ByteSpan span, SpanOfLines(file, start_line, end_line));
  std::vector<TSNode> whole;  // that are part of no other
  std::vector<TSNode> equal;  // those whose text is wanted
  WalkTree(tree.root(), [&](TSNode node) {
    if (EndOf(node) <= span.begin || BeginOf(node) >= span.end) return false;
    if (BeginOf(node) < span.begin || EndOf(node) > span.end) return true;
    if (!ts_node_is_named(node) || !IsConstantExpression(node, file.text)) return true;
    const TSNode parent = ts_node_parent(node);
    if (!IsConstantExpression(parent, file.text)) whole.push_back(node);
    if (TextOf(node, file.text) == wanted) equal.push_back(node);
    return TextOf(node, file.text) != wanted;
  });
  std::vector<TSNode>& found = wanted.empty() ? whole : equal;
  // One that cannot be replaced is not meant, unless there is no other.
  const auto free_end = std::stable_partition(
      found.begin(), found.end(), [&](TSNode node) { return Obstacle(node, file.text).empty(); });
  if (free_end != found.begin()) found.erase(free_end, found.end());
  if (wanted.empty() ? found.size() == 1 : !found.empty()) {
    const TSNode chosen = found[0];
    if (const std::string why = Obstacle(chosen, file.text); !why.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("`", ShortCode(chosen, file.text), "` cannot be replaced: ", why));
    }
    for (TSNode around = chosen; !ts_node_is_null(around); around = ts_node_parent(around)) {
      if (!IsNode(around, "call_expression")) continue;
      const absl::string_view name = TextOf(FieldOf(around, "function"), file.text);
      const bool is_macro =
          std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
            return symbol.kind == SymbolKind::kMacro && symbol.name == name;
          });
      if (!is_macro) continue;
      return absl::FailedPreconditionError(absl::StrCat("`", ShortCode(chosen, file.text),
                                                        "` cannot be replaced: it is an argument "
                                                        "of the macro ",
                                                        name));
    }
    return chosen;
  }
  std::vector<std::string> names;
  for (const TSNode node : whole) {
    const std::string shown = absl::StrCat("`", ShortCode(node, file.text), "`");
    if (names.size() < kMaxCandidates &&
        std::find(names.begin(), names.end(), shown) == names.end()) {
      names.push_back(shown);
    }
  }
  if (names.empty()) {
    return absl::InvalidArgumentError("the lines hold no expression that is made of literals only");
  }
  return absl::InvalidArgumentError(absl::StrCat(
      wanted.empty()
          ? "which expression is meant?"
          : absl::StrCat("`", ToUtf8(wanted), "` is no expression of literals on the lines."),
      " Give its text in symbolName, one of: ", absl::StrJoin(names, ", ")));
}

std::string ConstantType(const LanguageBackend& language, TSNode node, absl::string_view text) {
  const absl::string_view type = TypeOf(node);
  if (IsNumber(type)) return language.types->NumberType(TextOf(node, text));
  if (IsText(type)) {
    // Of wide characters, bytes, or of a type that a suffix names.
    const char first = TextOf(node, text).front();
    const char last = TextOf(node, text).back();
    const bool is_plain =
        (first == '"' || first == '\'' || first == '`' || first == '@' || first == 'r') &&
        (last == '"' || last == '\'' || last == '`' || last == '#');
    return is_plain ? language.facts.text_type : "";
  }
  if (IsCharacter(type)) {
    // A byte of Rust, a wide character of C.
    const bool has_prefix = !absl::StartsWith(TextOf(node, text), "'");
    return has_prefix ? "" : language.facts.character_type;
  }
  if (IsTruth(type)) return language.facts.truth_type;
  if (type == "not_operator") return "bool";
  const std::vector<TSNode> parts = NamedChildren(node);
  if (parts.empty()) return "";
  const std::string first = ConstantType(language, parts[0], text);
  if (parts.size() == 1) {
    const bool negates = absl::StartsWith(TextOf(node, text), "!");
    return negates && language.facts.truth_is_number ? language.facts.comparison_type : first;
  }
  const TSNode operation = FieldOf(node, "operator");
  if (ts_node_is_null(operation)) return "";  // of Python: it compares
  const absl::string_view sign = TextOf(operation, text);
  const bool is_of_bits = IsOneOf(sign, {"<<", ">>", "&", "|", "^"});
  if ((!is_of_bits && !IsOneOf(sign, {"+", "-", "*", "/", "%"})) || parts.size() != 2) return "";
  if (is_of_bits && language.facts.untyped_constants) return "";  // wide ones do not fit an int
  const std::string second = ConstantType(language, parts[1], text);
  const bool divides = sign == "/" && language.facts.division_gives_float;
  return first == second && !divides ? first : "";
}

}  // namespace stile
