#include "validators/integrity/test_functions.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_language.h"

namespace stile {

TestFunctionName NameOfFunction(const TestCode& code, uint32_t i) {
  const uint32_t name = code.Child(i, "name");
  if (name != 0) return {std::string(code.Text(name)), false};
  const uint32_t declarator = code.Child(i, "declarator");
  if (declarator == 0) return {};
  const CodeTokens tokens = code.Tokens(declarator);
  std::string text;
  for (size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].text != "(") {
      if (tokens[at].is_name) text = tokens[at].text;
      continue;
    }
    if (!IsTestMacroName(text)) return {text, false};
    std::vector<std::string> parts;
    for (; at < tokens.size(); ++at) {
      if (tokens[at].is_name || tokens[at].is_literal) parts.push_back(tokens[at].text);
    }
    return {absl::StrJoin(parts, "."), true};
  }
  return {text, false};
}

bool IsTestMacroName(absl::string_view name) {
  static const RE2* const kTest = new RE2(
      R"((TYPED_)?TEST(_[A-Z0-9_]+)?|[A-Z0-9_]+_TEST(_CASE|_F|_P)?|BOOST_\w*TEST_CASE\w*|SCENARIO|FUZZ_TEST|TEMPLATE_TEST_CASE|Test|ParameterizedTest|Ensure)");
  return Matches(name, *kTest);
}

bool IsTestFunction(const TestCode& code, const FunctionPlace& place, uint32_t i,
                    const TestFunctionName& name, const std::vector<uint32_t>& markers) {
  return code.language().IsTestFunction(code, place, i, name, markers);
}

// Elements of a list of lists, arguments of [InlineData(…)], strings of @CsvSource.
std::vector<std::string> RowsAt(const TestCode& code, uint32_t i, bool in_marker) {
  std::vector<std::string> rows;
  const absl::string_view type = code.Type(i);
  if (code.Role(i) == NodeRole::kMarker) {
    static const RE2* const kCase =
        new RE2(R"(^(#\[)?\s*(InlineData|TestCase|DataRow|case|test_case)\b)");
    if (Finds(code.Text(i), *kCase)) {
      rows.push_back(JoinTokens(code.Tokens(i)));
    }
    return rows;
  }
  if (type != "list" && type != "array" && type != "literal_value" && type != "tuple" &&
      type != "element_value_array_initializer" && type != "initializer_list" &&
      type != "array_initializer" && type != "array_expression") {
    return rows;
  }
  const auto children = code.NamedChildren(i);
  if (children.empty()) return rows;
  const auto is_composite = [&](uint32_t child) {
    return code.End(child) > child + 2 && code.Role(child) != NodeRole::kString &&
           code.Type(child) != "keyed_element" && code.Type(child) != "pair" &&
           code.Tokens(child).size() > 2;
  };
  if (!(in_marker && type != "tuple") &&
      !std::all_of(children.begin(), children.end(), is_composite))
    return rows;
  for (const uint32_t child : children) rows.push_back(JoinTokens(code.Tokens(child)));
  return rows;
}

bool IsTestPath(absl::string_view path) {
  static const RE2* const kPath = new RE2(
      R"((^|/)(tests?|__tests__|specs?|e2e|unittests?|test_\w+|\w+[-_.]tests?|Tests|\w+\.Tests?)/|(^|/|[._-])(tests?|specs?)([._-][^/]*)?\.\w+$|(^|/)test_[^/]*$|(Tests?|IT)\.(java|cs|kt)$)");
  return Finds(path, *kPath);
}

}  // namespace stile
