// Rust: #[test] and the macros of the standard library.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "validators/integrity/condition_syntax.h"
#include "validators/integrity/macro_syntax.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/run_plants.h"
#include "validators/integrity/test_languages.h"
#include "validators/integrity/test_planter.h"

namespace stile {
namespace {

constexpr absl::string_view kMark = R"( if true { panic!(concat!("$1", "$2")); })";

TestLanguageFacts Facts() {
  TestLanguageFacts facts;
  facts.assertions = {{},
                      {"assert", "debug_assert", "prop_assert", "expect_", "check", "verify"},
                      {"matches_snapshot"},
                      {"panic", "unreachable"}};
  facts.failing_calls = {
      {new RE2(R"(assert_eq!)"), "(1, 2)"},
      {new RE2(R"(assert!)"), "(1 > 2)"},
      {new RE2(R"(assert_ne!)"), "(1, 1)"},
  };
  facts.failing_statement = R"( if std::hint::black_box(true) { panic!("planted failure"); })";
  facts.tests_are_marked = true;
  facts.looks_into_markers = false;
  facts.arguments_follow_skips = false;
  return facts;
}

class Rust : public TestLanguage {
 public:
  Rust() : TestLanguage(Facts()) {}

  bool IsTestFunction(const TestCode& code, const FunctionPlace& /*place*/, uint32_t /*i*/,
                      const TestFunctionName& /*name*/,
                      const std::vector<uint32_t>& markers) const override {
    static const RE2* const kTest = new RE2(
        R"(^#\[\s*(\w+\s*::\s*)*(test|rstest|test_case|quickcheck|wasm_bindgen_test|gtest|parameterized)\b)");
    return std::any_of(markers.begin(), markers.end(),
                       [&](uint32_t marker) { return Finds(code.Text(marker), *kTest); });
  }

  bool IsSkipMarker(absl::string_view text, const std::string& /*name*/) const override {
    static const RE2* const kSkip = new RE2(
        R"((?s)^#!?\[\s*(ignore\b|should_panic\b|cfg\s*\(\s*(any\s*\(\s*\)|FALSE|not\s*\(\s*(all\s*\(\s*\)|test)\s*\)|false)|cfg_attr\(.*\b(ignore|should_panic)\b|cfg\s*\(\s*(feature|target_os|windows|unix|not|target_\w+)\b))");
    return Finds(text, *kSkip);
  }

  bool PlantInTest(const TestSite& site, TestPlanter* planter) const override {
    const TestCode& code = planter->code();
    const uint32_t body = site.body;
    if (absl::StrContains(site.head, "should_panic")) {
      planter->Insert(code.BeginByte(body) + 1, " if std::hint::black_box(true) { return; }");
      return true;
    }
    const std::string failing = planter->statements().For(body, /*can_return=*/false);
    const std::vector<uint32_t> statements = code.NamedChildren(body);
    const uint32_t last = statements.empty() ? 0 : statements.back();
    for (const uint32_t leave : planter->ReturnsIn(body)) {
      if (leave == last) continue;
      const std::string value = planter->ValueOf(leave);
      planter->Replace(code.BeginByte(leave), code.EndByte(leave),
                       absl::StrCat("{ let planted = ", value.empty() ? "()" : value, ";", failing,
                                    " return planted; }"));
    }
    const bool is_value = last != 0 && !absl::EndsWith(code.Text(last), ";") &&
                          !absl::EndsWith(code.Type(last), "_item") &&
                          code.Type(last) != "let_declaration";
    if (!is_value) {
      planter->Insert(code.EndByte(body) - 1, absl::StrCat(failing, " "));
      return true;
    }
    planter->Insert(code.BeginByte(last), "let planted = ");
    planter->Insert(code.EndByte(last), absl::StrCat(";", failing, " planted"));
    return true;
  }

  std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& /*path*/,
                                     uint32_t body) const override {
    return MarkInBraces(code, body, kMark);
  }

  const ConditionSyntax* conditions() const override { return AttributeConditions(); }
  const MacroSyntax* macros() const override { return RuleMacros(); }
};

}  // namespace

const TestLanguage* RustLanguage() {
  static const auto* const language = new Rust;
  return language;
}

}  // namespace stile
