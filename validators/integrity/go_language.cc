// Go: package testing, and the libraries beside it.
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "validators/integrity/call_signatures.h"
#include "validators/integrity/condition_syntax.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/run_plants.h"
#include "validators/integrity/test_languages.h"
#include "validators/integrity/test_planter.h"

namespace stile {
namespace {

TestLanguageFacts Facts() {
  TestLanguageFacts facts;
  facts.roles = {{"string", NodeRole::kNone}};
  facts.assertions = {
      {"assert", "require", "Expect", "Ω", "is", "qt", "td"},
      {"assert", "require", "Assert", "Require", "expect", "Expect", "must", "check", "verify"},
      {},
      {"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}};
  facts.arguments_follow_skips = false;
  facts.parameters_share_types = true;
  return facts;
}

uint32_t HashOf(absl::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// func TestMain(m *testing.M) { os.Exit(testMain(m)) }
bool CallsWhatRuns(const TestCode& code, const CodeTokens& tokens) {
  std::set<std::string> called;
  for (const CallForm& form : CallFormsIn(tokens)) called.insert(form.name);
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (code.Role(i) != NodeRole::kFunction) continue;
    const uint32_t name = code.Child(i, "name");
    if (name == 0 || called.count(std::string(code.Text(name))) == 0) continue;
    static const RE2* const kRuns = new RE2(R"(\w+ \* testing \. M\b.*\. Run \( \))");
    if (Finds(JoinTokens(code.Tokens(i)), *kRuns)) return true;
  }
  return false;
}

class Go : public TestLanguage {
 public:
  Go() : TestLanguage(Facts()) {}

  bool IsTestFunction(const TestCode& /*code*/, const FunctionPlace& place, uint32_t /*i*/,
                      const TestFunctionName& name,
                      const std::vector<uint32_t>& /*markers*/) const override {
    static const RE2* const kTest = new RE2("^(Test|Fuzz|Example|Benchmark)([A-Z_0-9]|$)");
    return place.is_test && Finds(name.name, *kTest) && name.name != "TestMain";
  }

  bool IsLeftOut(absl::string_view path) const override {
    static const RE2* const kForeign = new RE2(
        R"(_(windows|darwin|js|wasm|plan9|freebsd|openbsd|netbsd|android|ios|solaris|aix)(_\w+)?_test\.go$|(^|/)[_.][^/]*\.go$)");
    return Finds(path, *kForeign);
  }

  // The constraint above the package clause.
  std::optional<std::string> BuildConstraint(absl::string_view text) const override {
    static const RE2* const kConstraint = new RE2(R"((?m)^//(?:go:build| ?\+build)\s+(.*)$)");
    const size_t package = text.find("\npackage ");
    std::string constraint;
    Finds(text.substr(0, package), *kConstraint, &constraint);
    return constraint;
  }

  // errors.Error() and the like are no methods of a *testing.T.
  bool CanFailTest(absl::string_view head, absl::string_view last) const override {
    return head != last && head != "errors" && head != "fmt" && head != "log" && head != "assert" &&
           head != "require";
  }

  // A TestMain that runs nothing.
  ControlEffect EffectOfFunction(const TestCode& code, uint32_t function,
                                 bool is_test) const override {
    const uint32_t name = code.Child(function, "name");
    if (name == 0 || !is_test || code.Text(name) != "TestMain") return {};
    static const RE2* const kRuns = new RE2(
        R"(\. Run \( \)|(VerifyTestMain|RunTests|RunSpecs|\bMain|\bTestMain|\bSetup\w*|\bsetup\w*|\bRun\w*) \( \w)");
    const uint32_t body = code.Child(function, "body");
    if (body == 0) return {};
    const CodeTokens tokens = code.Tokens(body);
    if (Finds(JoinTokens(tokens), *kRuns) || CallsWhatRuns(code, tokens)) return {};
    return {name, "runs no tests"};
  }

  bool IsSkipDottedName(const SkipName& name) const override {
    static const RE2* const kSkip = new RE2(R"((.+)\.(Skip|Skipf|SkipNow))");
    std::string tester;
    if (!name.is_test || !Matches(name.own, *kSkip, &tester)) return false;
    return name.testers->count(tester) > 0 || absl::EndsWith(tester, "T");
  }

  // Parameters that are a *testing.T under whatever name.
  std::set<std::string> TesterNames(const TestCode& code) const override {
    std::set<std::string> names;
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (code.Type(i) != "parameter_declaration") continue;
      const CodeTokens tokens = code.Tokens(i);
      if (absl::StrContains(JoinTokens(tokens), "testing .")) names.insert(tokens[0].text);
    }
    return names;
  }

  bool PlantInTest(const TestSite& site, TestPlanter* planter) const override {
    const TestCode& code = planter->code();
    const uint32_t parameters = code.Child(site.function, "parameters");
    if (parameters == 0) return false;
    const std::vector<uint32_t> list = code.NamedChildren(parameters);
    if (list.size() != 1) return false;
    const uint32_t type = code.Child(list[0], "type");
    static const RE2* const kOfTests = new RE2(R"(\*\w+\.[TF])");
    if (type == 0 || !Matches(code.Text(type), *kOfTests)) return false;
    const uint32_t name = code.Child(list[0], "name");
    std::string variable = name == 0 ? "" : std::string(code.Text(name));
    if (variable.empty() || variable == "_") {
      variable = "planted";
      if (name == 0) {
        planter->Insert(code.BeginByte(type), "planted ");
      } else {
        planter->Replace(code.BeginByte(name), code.EndByte(name), "planted");
      }
    }
    return planter->PlantInBlock(site.body,
                                 absl::StrCat(";", variable, ".Error(\"planted failure\");"));
  }

  // t.Run(name, func(t *testing.T) { … })
  void PlantInSubtests(TestPlanter* planter) const override {
    const TestCode& code = planter->code();
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (code.Type(i) != "call_expression") continue;
      const CallNames names = NamesOfCall(code, i);
      const uint32_t function = names.last == "Run" ? planter->LastFunctionOf(i) : 0;
      if (function != 0) PlantInTest({function, code.Child(function, "body"), ""}, planter);
    }
  }

  // Go has no static locals, and the variables of a package share one scope.
  std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& path,
                                     uint32_t body) const override {
    const std::string counter = absl::StrCat("timesRan", absl::Hex(HashOf(path)));
    std::vector<MarkEdit> edits = MarkInBraces(
        code, body,
        absl::StrCat(" if ", counter, " < 5000 { ", counter, R"(++; println("$1" + "$2") };)"));
    if (edits.empty()) return {};
    edits.push_back(InsertMark(code.text().size(), absl::StrCat("\nvar ", counter, " int\n")));
    return edits;
  }

  const ConditionSyntax* conditions() const override { return FileConditions(); }
};

}  // namespace

const TestLanguage* GoLanguage() {
  static const auto* const language = new Go;
  return language;
}

}  // namespace stile
