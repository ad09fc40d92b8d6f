// Java: JUnit, TestNG and the libraries beside them.
#include "absl/strings/match.h"
#include "validators/integrity/managed_language.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/run_plants.h"
#include "validators/integrity/test_languages.h"

namespace stile {
namespace {

// Not what `catch (Exception e)` takes.
constexpr absl::string_view kMark =
    R"( if (Thread.currentThread() != null) throw new Error("$1" + "$2");)";

TestLanguageFacts Facts() {
  TestLanguageFacts facts;
  facts.assertions = {{"Assert", "Assertions", "assertThat", "Truth", "expect", "StepVerifier"},
                      {"assert", "verify", "expect", "check", "andExpect"},
                      {},
                      {"fail"}};
  facts.failing_calls = {
      {new RE2(R"((\w+\.)*assert(Equals|Same))"), "(1, 2)"},
      {new RE2(R"((\w+\.)*assertTrue)"), R"(("a".isEmpty()))"},
      {new RE2(R"((\w+\.)*assertFalse)"), R"((!"a".isEmpty()))"},
  };
  facts.tests_are_marked = true;
  facts.names_parameters_last = true;
  return facts;
}

class Java : public ManagedLanguage {
 public:
  Java()
      : ManagedLanguage(Facts(), {"Thread.currentThread() != null", "AssertionError plantedError",
                                  "AssertionError"}) {}

  // Also those of JUnit 3: `extends TestCase`.
  bool IsTestFunction(const TestCode& code, const FunctionPlace& place, uint32_t i,
                      const TestFunctionName& name,
                      const std::vector<uint32_t>& markers) const override {
    return ManagedLanguage::IsTestFunction(code, place, i, name, markers) ||
           (place.is_test && place.has_bases && absl::StartsWith(name.name, "test"));
  }

  bool CatchesFailures(const std::string& head) const override {
    static const RE2* const kCatches = new RE2(R"(\b(Throwable|Error|AssertionError)\b)");
    return Finds(head, *kCatches);
  }

  bool IsSkipName(const std::string& name) const override {
    static const RE2* const kSkip = new RE2(
        R"((.*\.)?(Disabled\w*|Ignore|EnabledIf\w*|EnabledOn\w*|assumeTrue|assumeFalse|assumeThat|assumingThat|assumeNotNull|TestAbortedException|SkipException|AssumptionViolatedException))");
    return Matches(name, *kSkip);
  }

  std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& /*path*/,
                                     uint32_t body) const override {
    return MarkInBraces(code, body, kMark);
  }
};

}  // namespace

const TestLanguage* JavaLanguage() {
  static const auto* const language = new Java;
  return language;
}

}  // namespace stile
