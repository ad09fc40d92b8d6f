// C#: xUnit, NUnit and MSTest.
#include "validators/integrity/condition_syntax.h"
#include "validators/integrity/managed_language.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/run_plants.h"
#include "validators/integrity/test_languages.h"

namespace stile {
namespace {

constexpr absl::string_view kMark =
    R"( if (global::System.Environment.NewLine != null) throw new global::System.Exception("$1" + "$2");)";
constexpr absl::string_view kMarkAsValue = R"(=> throw new global::System.Exception("$1" + "$2"))";

TestLanguageFacts Facts() {
  TestLanguageFacts facts;
  facts.roles = {{"attribute", NodeRole::kMarker}};
  facts.assertions = {
      {"Assert", "CollectionAssert", "StringAssert", "FileAssert", "ClassicAssert", "Check"},
      {"Assert", "Should", "Verify", "Must", "Expect"},
      {"Received", "DidNotReceive"},
      {"Fail"}};
  facts.failing_calls = {
      {new RE2(R"((\w+\.)*Assert\.(Equal|AreEqual))"), "(1, 2)"},
      {new RE2(R"((\w+\.)*Assert\.(True|IsTrue))"), R"(("a".Length > 1))"},
      {new RE2(R"((\w+\.)*Assert\.(False|IsFalse))"), R"(("a".Length == 1))"},
  };
  facts.tests_are_marked = true;
  facts.names_parameters_last = true;
  return facts;
}

class CSharp : public ManagedLanguage {
 public:
  CSharp()
      : ManagedLanguage(Facts(), {"global::System.Environment.NewLine != null",
                                  "global::System.Exception", "global::System.Exception",
                                  /*tests_give_values=*/true}) {}

  bool CatchesFailures(const std::string& head) const override {
    static const RE2* const kCatches =
        new RE2(R"(\b(Exception|XunitException|AssertionException|AssertFailedException)\b)");
    return head == "catch" || Finds(head, *kCatches);
  }

  bool IsSkipName(const std::string& name) const override {
    static const RE2* const kSkip = new RE2(
        R"((.*\.)?(Ignore|Explicit)(Attribute)?|Assert\.(Ignore|Inconclusive|Pass|Skip|SkipWhen|SkipUnless)|Skip\.(If|IfNot))");
    return Matches(name, *kSkip);
  }

  // Skip = "…" in a constructor of an attribute
  bool IsSkipOption(const TestCode& code, uint32_t node, bool /*is_test*/) const override {
    static const RE2* const kProperty = new RE2(R"(((base|this) \. )?Skip = ".*)");
    return Matches(JoinTokens(code.Tokens(node)), *kProperty);
  }

  std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& /*path*/,
                                     uint32_t body) const override {
    if (code.Type(body) == "arrow_expression_clause") {
      return {{code.BeginByte(body), code.EndByte(body), std::string(kMarkAsValue)}};
    }
    return MarkInBraces(code, body, kMark);
  }

  const ConditionSyntax* conditions() const override { return PreprocessorConditions(); }
};

}  // namespace

const TestLanguage* CSharpLanguage() {
  static const auto* const language = new CSharp;
  return language;
}

}  // namespace stile
