// C and C++: GoogleTest, Catch2, Boost.Test and programs that assert.
#include <utility>

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

// Without a header: what is included first can change what later headers declare.
constexpr absl::string_view kMark =
    R"( { extern int dprintf(int, const char *, ...); static int ran; if (ran++ < 2000) dprintf(2, "%s", "$1" "$2\n"); })";
// Of both languages.
constexpr absl::string_view kMarkInHeader =
    R"( { static int ran; if (ran++ < 2000) fputs("$1" "$2\n", stderr); })";
constexpr absl::string_view kHeaderBegin = "#include <stdio.h>\n#line 1\n";
constexpr absl::string_view kCppMark =
    R"( if (!__builtin_is_constant_evaluated()) [] { static int ran; if (ran++ < 2000) std::fputs("$1" "$2\n", stderr); }();)";
constexpr absl::string_view kCppBegin = "#include <cstdio>\n#line 1\n";

constexpr absl::string_view kFailingAssert = "assert(1 > 2)";

TestLanguageFacts Facts() {
  TestLanguageFacts facts;
  facts.assertions = {
      {},
      {"EXPECT_",       "ASSERT_",    "CHECK",    "REQUIRE",     "BOOST_CHECK",
       "BOOST_REQUIRE", "BOOST_TEST", "assert",   "TEST_ASSERT", "TEST_CHECK",
       "cl_assert",     "cl_must",    "cl_git",   "ck_assert",   "cr_",
       "TEST_EQ",       "expect_",    "VERIFY",   "QCOMPARE",    "QVERIFY",
       "STATIC_",       "check_",     "g_assert", "verify",      "static_assert"},
      {},
      {"FAIL", "ADD_FAILURE", "cl_fail", "TEST_FAIL", "TEST_FAIL_MESSAGE", "abort"}};
  facts.failing_calls = {{new RE2(R"(assert)"), "(1 > 2)"}};
  facts.failing_statement = " __builtin_trap();";
  facts.has_test_macros = true;
  facts.tests_need_callers = true;
  facts.forks_processes = true;
  facts.defines_macros = true;
  facts.names_parameters_last = true;
  return facts;
}

TestLanguageFacts CppFacts() {
  TestLanguageFacts facts = Facts();
  facts.failing_calls.insert(
      facts.failing_calls.end(),
      {{new RE2(R"((EXPECT|ASSERT)_EQ|BOOST_(CHECK|REQUIRE)_EQUAL)"), "(1, 2)"},
       {new RE2(R"((EXPECT|ASSERT)_TRUE|BOOST_(CHECK|REQUIRE|TEST)|REQUIRE|CHECK)"), "(1 > 2)"},
       {new RE2(R"((EXPECT|ASSERT)_FALSE|REQUIRE_FALSE|CHECK_FALSE)"), "(1 < 2)"}});
  return facts;
}

class C : public TestLanguage {
 public:
  C() : C(Facts()) {}

  bool IsTestFunction(const TestCode& /*code*/, const FunctionPlace& place, uint32_t /*i*/,
                      const TestFunctionName& name,
                      const std::vector<uint32_t>& /*markers*/) const override {
    return place.is_test && (name.is_macro || !place.has_test_macros);
  }

  bool IsSkipName(const std::string& name) const override {
    static const RE2* const kSkip = new RE2(
        R"((.*\b)?(GTEST_SKIP|GTEST_SKIP_|SKIP|TEST_IGNORE|TEST_IGNORE_MESSAGE|cl_skip|BOOST_TEST_DISABLED|QSKIP)|skip|disabled)");
    return name != "skip" && name != "disabled" && Matches(name, *kSkip);
  }

  bool IsSkipIdentifier(const SkipName& name) const override {
    static const RE2* const kSkips = new RE2(R"(GTEST_SKIP|\bSKIP\b|DISABLED_|TEST_IGNORE)");
    const bool is_disabled = absl::StartsWith(name.own, "DISABLED_");
    if (is_disabled || IsSkipName(name.own)) {
      return name.is_test || is_disabled || name.own == "GTEST_SKIP";
    }
    return name.resolved != name.own && Finds(name.resolved, *kSkips);
  }

  bool PlantInTest(const TestSite& site, TestPlanter* planter) const override {
    return planter->PlantInBlock(site.body,
                                 planter->statements().For(site.body, /*can_return=*/true));
  }

  // `main` runs the tests, and its status is their result.
  bool PlantInProgram(TestPlanter* planter) const override {
    const TestCode& code = planter->code();
    const std::string assertion(
        planter->statements().HasForm(std::string(kFailingAssert)) ? kFailingAssert : "");
    bool any = false;
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (code.Role(i) == NodeRole::kCall && IsExitCall(code, i)) {
        planter->PlantInExit(i, assertion, "(void)");
      }
      if (code.Role(i) != NodeRole::kFunction || NameOfFunction(code, i).name != "main") continue;
      const uint32_t body = code.Child(i, "body");
      if (body == 0 || !absl::StartsWith(code.Text(body), "{")) continue;
      any = true;
      for (const uint32_t leave : planter->ReturnsIn(body)) {
        const std::string value = planter->ValueOf(leave);
        planter->Replace(
            code.BeginByte(leave), code.EndByte(leave),
            assertion.empty()
                ? absl::StrCat("return ((void)(", value.empty() ? "0" : value, "), 1);")
                : absl::StrCat("{ ", assertion, "; ", code.Text(leave), " }"));
      }
      if (!planter->EndsByLeaving(body)) {
        planter->Insert(code.EndByte(body) - 1,
                        assertion.empty() ? " return 1; " : absl::StrCat(" ", assertion, "; "));
      }
    }
    if (!any) planter->DropEdits();
    return any;
  }

  std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& path,
                                     uint32_t body) const override {
    if (!absl::EndsWith(path, ".h")) return MarkInSource(code, body);
    return Including(kHeaderBegin, MarkInBraces(code, body, kMarkInHeader));
  }

  const ConditionSyntax* conditions() const override { return PreprocessorConditions(); }
  const MacroSyntax* macros() const override { return PreprocessorMacros(); }

 protected:
  explicit C(TestLanguageFacts facts) : TestLanguage(std::move(facts)) {}

  // With the lines before all others of the file; without edits where there are none.
  static std::vector<MarkEdit> Including(absl::string_view lines, std::vector<MarkEdit> edits) {
    if (!edits.empty()) edits.insert(edits.begin(), InsertMark(0, lines));
    return edits;
  }

 private:
  virtual std::vector<MarkEdit> MarkInSource(const TestCode& code, uint32_t body) const {
    return MarkInBraces(code, body, kMark);
  }
};

class Cpp : public C {
 public:
  Cpp() : C(CppFacts()) {}

  bool CatchesFailures(const std::string& head) const override {
    return absl::StrContains(head, "...");
  }

 private:
  std::vector<MarkEdit> MarkInSource(const TestCode& code, uint32_t body) const override {
    return Including(kCppBegin, MarkInBraces(code, body, kCppMark));
  }
};

}  // namespace

const TestLanguage* CLanguage() {
  static const auto* const language = new C;
  return language;
}

const TestLanguage* CppLanguage() {
  static const auto* const language = new Cpp;
  return language;
}

}  // namespace stile
