#include "validators/integrity/managed_language.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_planter.h"

namespace stile {

bool ManagedLanguage::IsTestFunction(const TestCode& code, const FunctionPlace& /*place*/,
                                     uint32_t i, const TestFunctionName& /*name*/,
                                     const std::vector<uint32_t>& /*markers*/) const {
  static const RE2* const kTest = new RE2(
      R"([@\[,]\s*(\w+\.)*(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Fact|Theory|TestCase|TestCaseSource|TestMethod|DataTestMethod|\w+Fact|\w+Theory)(Attribute)?\s*[\](,@\n ])");
  const uint32_t body = code.Child(i, "body");
  const absl::string_view text = code.Text(i);
  const absl::string_view head =
      text.substr(0, body == 0 ? text.size() : code.BeginByte(body) - code.BeginByte(i));
  return Finds(head, *kTest);
}

// [Fact(Skip = "…")], @Test(enabled = false)
bool ManagedLanguage::IsSkipMarker(absl::string_view text, const std::string& name) const {
  static const RE2* const kOption =
      new RE2(R"(\bSkip\s*=\s*[^n]|\benabled\s*=\s*false|\b(Explicit|Ignore|IgnoreReason)\s*=)");
  return IsSkipName(name) || Finds(text, *kOption);
}

std::string ManagedLanguage::FailingStatement(const FailureSite& site) const {
  std::string text;
  for (const std::string& call : site.calls) {
    if (!site.can_return) break;
    absl::StrAppend(&text, " try { ", call, "; if (", words_.holds, ") return; } catch (",
                    words_.caught, ") { }");
  }
  return absl::StrCat(text, " if (", words_.holds, ") throw new ", words_.exception,
                      "(\"planted failure\");");
}

bool ManagedLanguage::PlantInTest(const TestSite& site, TestPlanter* planter) const {
  static const RE2* const kExpects =
      new RE2(R"(\(\s*(timeout\s*=[^,]*,\s*)?expected\s*=|\bExpectedException\s*\()");
  static const RE2* const kVoid = new RE2(R"(\bvoid\s+\w+)");
  static const RE2* const kAsync = new RE2(R"(\basync\s+(\w+\.)*Task\s+\w+)");
  const TestCode& code = planter->code();
  const uint32_t body = site.body;
  const bool can_return = Finds(site.head, *kVoid) || Finds(site.head, *kAsync);
  if (!can_return && !words_.tests_give_values) return false;  // it makes tests, or is none
  const bool is_expression = code.Type(body) == "arrow_expression_clause";
  if (Finds(site.head, *kExpects)) {
    if (is_expression || !can_return) return false;
    planter->Insert(code.BeginByte(body) + 1, absl::StrCat(" if (", words_.holds, ") return;"));
    return true;
  }
  const std::string failing = planter->statements().For(body, can_return);
  if (!is_expression) return planter->PlantInBlock(body, failing);
  const std::vector<uint32_t> value = code.NamedChildren(body);
  if (value.empty()) return false;
  size_t end = code.EndByte(body);
  if (end < code.text().size() && code.text()[end] == ';') ++end;
  const absl::string_view text = code.Text(value[0]);
  planter->Replace(code.BeginByte(body), end,
                   can_return ? absl::StrCat("{ ", text, ";", failing, " }")
                              : absl::StrCat("{", failing, " return ", text, "; }"));
  return true;
}

}  // namespace stile
