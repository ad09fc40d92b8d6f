#include "validators/integrity/test_roles.h"

#include <initializer_list>
#include <map>
#include <mutex>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

using Words = absl::Span<const absl::string_view>;

struct RoleRow {
  NodeRole role;
  std::initializer_list<absl::string_view> types;
};

// Of all grammars together; TestLanguageFacts::roles goes before.
constexpr RoleRow kRoleRows[] = {
    {NodeRole::kFunction,
     {"function_definition", "function_declaration", "method_declaration", "function_item",
      "method_definition", "constructor_declaration", "local_function_statement",
      "generator_function_declaration"}},
    {NodeRole::kLambda,
     {"lambda", "arrow_function", "function_expression", "func_literal", "lambda_expression",
      "closure_expression", "anonymous_method_expression"}},
    {NodeRole::kClass,
     {"class_definition", "class_declaration", "class_specifier", "struct_specifier", "mod_item",
      "impl_item", "namespace_definition", "struct_declaration", "record_declaration",
      "interface_declaration", "annotation_type_declaration"}},
    {NodeRole::kCall,
     {"call", "call_expression", "invocation_expression", "method_invocation", "macro_invocation"}},
    {NodeRole::kBlock,
     {"block",
      "statement_block",
      "compound_statement",
      "statement_list",
      "module",
      "program",
      "source_file",
      "translation_unit",
      "expression_case",
      "default_case",
      "type_case",
      "communication_case",
      "case_statement",
      "switch_case",
      "switch_default",
      "switch_section",
      "switch_block_statement_group",
      "declaration_list",
      "class_body",
      "compilation_unit",
      "constructor_body",
      "lambda_body"}},
    {NodeRole::kIf, {"if_statement", "if_expression", "elif_clause"}},
    {NodeRole::kLoop,
     {"while_statement", "for_statement", "while_expression", "for_expression",
      "enhanced_for_statement", "foreach_statement", "for_in_statement", "do_statement",
      "for_range_loop"}},
    {NodeRole::kTry, {"try_statement", "try_with_resources_statement"}},
    {NodeRole::kCatch, {"except_clause", "except_group_clause", "catch_clause"}},
    {NodeRole::kElse, {"else_clause"}},
    {NodeRole::kLeave,
     {"return_statement", "break_statement", "continue_statement", "return_expression",
      "break_expression", "continue_expression", "goto_statement", "yield_break"}},
    {NodeRole::kThrow, {"raise_statement", "throw_statement", "throw_expression"}},
    {NodeRole::kAssert, {"assert_statement"}},
    {NodeRole::kString,
     {"string", "template_string", "regex", "interpreted_string_literal", "raw_string_literal",
      "string_literal", "verbatim_string_literal", "interpolated_string_expression",
      "concatenated_string", "text_block"}},
    {NodeRole::kLiteral,
     {"integer",
      "float",
      "number",
      "true",
      "false",
      "none",
      "null",
      "undefined",
      "nil",
      "int_literal",
      "float_literal",
      "imaginary_literal",
      "rune_literal",
      "integer_literal",
      "real_literal",
      "boolean_literal",
      "null_literal",
      "character_literal",
      "char_literal",
      "number_literal",
      "decimal_integer_literal",
      "hex_integer_literal",
      "octal_integer_literal",
      "binary_integer_literal",
      "decimal_floating_point_literal",
      "hex_floating_point_literal"}},
    {NodeRole::kComment,
     {"comment", "line_comment", "block_comment", "doc_comment", "html_comment"}},
    {NodeRole::kMarker,
     {"decorator", "annotation", "marker_annotation", "attribute_item", "inner_attribute_item"}},
    {NodeRole::kConditionalText, {"preproc_if", "preproc_ifdef"}},
};

// Matchers that say nothing by themselves: the argument tells.
constexpr absl::string_view kVacuousMatchers[] = {"assert",
                                                  "asserttrue",
                                                  "assertfalse",
                                                  "assertmsg",
                                                  "debugassert",
                                                  "true",
                                                  "false",
                                                  "istrue",
                                                  "isfalse",
                                                  "expecttrue",
                                                  "expectfalse",
                                                  "check",
                                                  "checkfalse",
                                                  "require",
                                                  "requirefalse",
                                                  "boostcheck",
                                                  "boostrequire",
                                                  "boosttest",
                                                  "testassert",
                                                  "testcheck",
                                                  "classert",
                                                  "ckassert",
                                                  "crassert",
                                                  "crexpect",
                                                  "testassertmessage",
                                                  "testasserttrue",
                                                  "testassertfalse",
                                                  "that",
                                                  "propassert",
                                                  "cmpassert",
                                                  "gassert",
                                                  "gasserttrue",
                                                  "qverify",
                                                  "ok",
                                                  "assertthat",
                                                  "expectthat",
                                                  "staticassert",
                                                  "boostcheckmessage",
                                                  "qverify2",
                                                  "checkmessage",
                                                  "warn",
                                                  "statcrequire",
                                                  "staticrequire"};

NodeRole RoleIn(const TestLanguage* language, absl::string_view type) {
  if (language != nullptr) {
    for (const auto& [one, role] : language->facts().roles) {
      if (type == one) return role;
    }
  }
  for (const RoleRow& row : kRoleRows) {
    for (const absl::string_view one : row.types) {
      if (type == one) return row.role;
    }
  }
  return NodeRole::kNone;
}

bool ContainsAny(absl::string_view text, Words words) {
  for (const absl::string_view word : words) {
    if (absl::StrContains(text, word)) return true;
  }
  return false;
}

bool IsAnyOf(absl::string_view text, Words words) {
  for (const absl::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

bool StartsWithAny(absl::string_view text, Words words) {
  for (const absl::string_view word : words) {
    if (absl::StartsWith(text, word)) return true;
  }
  return false;
}

std::string Plain(absl::string_view name) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"_", ""}, {"!", ""}});
}

}  // namespace

const std::vector<NodeRole>& NodeRoles(const Grammar& grammar) {
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::map<std::string, std::vector<NodeRole>>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto [found, is_new] = known->try_emplace(grammar.name);
  if (is_new) {
    const TestLanguage* const language = FindTestLanguage(grammar.name);
    const uint32_t count = ts_language_symbol_count(grammar.language);
    for (uint32_t symbol = 0; symbol < count; ++symbol) {
      const auto id = static_cast<TSSymbol>(symbol);
      const bool is_named = ts_language_symbol_type(grammar.language, id) == TSSymbolTypeRegular;
      const char* const type = ts_language_symbol_name(grammar.language, id);
      found->second.push_back(is_named ? RoleIn(language, type) : NodeRole::kNone);
    }
  }
  return found->second;
}

Strength StrengthOfMatcher(absl::string_view name) {
  const std::string plain = Plain(name);
  if (IsAnyOf(plain, kVacuousMatchers)) return Strength::kVacuous;
  if (ContainsAny(plain, {"throw", "raise", "rejects", "warns", "panic", "death"})) {
    return ContainsAny(plain, {"nothrow", "notthrow", "notraise"}) ? Strength::kWeak
                                                                   : Strength::kPartial;
  }
  if (IsNearMatcher(name)) return Strength::kPartial;
  const bool negated = (absl::StrContains(plain, "not") && !absl::StrContains(plain, "notation")) ||
                       ContainsAny(plain, {"differ", "never", "unequal"}) ||
                       absl::EndsWith(plain, "ne") || absl::EndsWith(plain, "assertne");
  if (ContainsAny(
          plain, {"truthy",   "falsy",      "defined", "noerror", "nilerror", "exist",    "succeed",
                  "isnull",   "assertnull", "isnil",   "benil",   "isnone",   "tobenull", "called",
                  "instance", "typeof",     "isok",    "beok",    "nonnull",  "oftype"}) &&
      !absl::StrContains(plain, "calledwith") && !absl::StrContains(plain, "calledoncewith")) {
    return Strength::kWeak;
  }
  if (IsAnyOf(plain, {"nil", "null", "error", "notnil", "notnull", "exists", "some", "none"})) {
    return Strength::kWeak;
  }
  const bool is_exact =
      ContainsAny(plain, {"equal", "eq", "same", "snapshot", "identical", "equiv", "calledwith",
                          "oncewith", "areequal", "inline", "compare", "golden"}) ||
      IsAnyOf(plain, {"tobe", "be", "is", "to", "isequalto", "received", "shouldbe"});
  // Exactly so many: Assert.Single, toHaveLength, hasSize.
  const bool is_count = ContainsAny(plain, {"single", "length", "size", "count"}) &&
                        !ContainsAny(plain, {"greater", "less", "least", "most", "min", "max"});
  if (is_count && !negated) return Strength::kExact;
  if (negated) return is_exact ? Strength::kWeak : Strength::kPartial;
  return is_exact ? Strength::kExact : Strength::kPartial;
}

bool IsNearMatcher(absl::string_view name) {
  return ContainsAny(Plain(name), {"near", "close", "almost", "delta", "within", "approx", "float",
                                   "double", "epsilon", "ulp", "margin", "tolerance"});
}

bool CountsDigits(absl::string_view name) {
  return ContainsAny(Plain(name), {"places", "decimal", "digit", "precision", "tobecloseto",
                                   "almost", "significant"});
}

bool IsAssertionCall(const TestLanguage& language, absl::string_view head, absl::string_view last) {
  const AssertionNames& names = language.facts().assertions;
  absl::ConsumeSuffix(&last, "!");
  // Switches of the frameworks, no comparisons.
  if (IsAnyOf(last, {"extend", "assertions", "hasAssertions", "assertion", "config", "use", "soft",
                     "assert_expect", "addSnapshotSerializer", "New", "expect_file"})) {
    return false;
  }
  return IsAnyOf(head, names.heads) || StartsWithAny(last, names.prefixes) ||
         IsAnyOf(last, names.exact);
}

bool IsFailureCall(const TestLanguage& language, absl::string_view head, absl::string_view last) {
  absl::ConsumeSuffix(&last, "!");
  return IsAnyOf(last, language.facts().assertions.failures) && language.CanFailTest(head, last);
}

}  // namespace stile
