// JavaScript and TypeScript: Jest, Vitest, Mocha and node:test.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/run_plants.h"
#include "validators/integrity/test_languages.h"
#include "validators/integrity/test_planter.h"

namespace stile {
namespace {

// What a module calls while it is loaded goes on, or none of its tests would run.
constexpr absl::string_view kMark =
    R"( { const ran = new Error("$1" + "$2"); if (!/internal.modules/.test(String(ran.stack)) || )"
    R"(/test_runner/.test(String(ran.stack))) throw ran; })";

TestLanguageFacts Facts() {
  TestLanguageFacts facts;
  facts.roles = {{"class", NodeRole::kClass}};  // a class that is an expression
  facts.assertions = {{"expect", "assert", "should", "chai", "sinon", "expectTypeOf", "assertType"},
                      {"assert", "expect", "should", "verify", "check"},
                      {"strictEqual", "deepEqual", "equal", "notEqual", "throws", "rejects",
                       "calledWith", "is", "same", "ok"},
                      {"fail"}};
  facts.failing_calls = {
      {new RE2(
           R"(((\w+\.)?assert\.(strict\.)?|t\.)?(strictEqual|deepStrictEqual|deepEqual|equal)|assertEquals)"),
       "(1, 2)"},
      {new RE2(R"((\w+\.)?assert\.ok|assert)"), "(1 > 2)"},
  };
  facts.tests_are_calls = true;
  facts.runs_on_import = true;
  facts.declarators_define_aliases = true;
  facts.declares_lambdas = true;
  return facts;
}

// expect(a).toBe(b), expect(a).to.equal(b)
std::string FailingExpectation(const CallNames& names) {
  static const RE2* const kExact =
      new RE2(R"(expect\.(toBe|toEqual|toStrictEqual|to\.equal|to\.eql|to\.deep\.equal))");
  const std::string chain = absl::StrJoin(names.all, ".");
  if (!Matches(chain, *kExact)) return "";
  return absl::StrCat("expect(1)", chain.substr(absl::string_view("expect").size()), "(2)");
}

class Script : public TestLanguage {
 public:
  // `type`: how a variable of any type is declared; "" if types are not.
  explicit Script(absl::string_view type) : TestLanguage(Facts()), type_(type) {}

  // Tests are calls.
  bool IsTestFunction(const TestCode& /*code*/, const FunctionPlace& /*place*/, uint32_t /*i*/,
                      const TestFunctionName& /*name*/,
                      const std::vector<uint32_t>& /*markers*/) const override {
    return false;
  }

  TestCall KindOfCall(absl::string_view head, absl::string_view last) const override {
    static const RE2* const kTest = new RE2("it|test|specify|fit|xit|xtest|QUnit|Deno");
    static const RE2* const kGroup = new RE2("describe|suite|context|fdescribe|xdescribe");
    if (Matches(head, *kTest) && last != "each" && last != "extend") return TestCall::kTest;
    return Matches(head, *kGroup) ? TestCall::kGroup : TestCall::kNone;
  }

  // global.it = …
  absl::string_view EffectOfAssignment(const ControlPlace& place,
                                       const std::string& name) const override {
    static const RE2* const kDecides = new RE2(
        R"((global|globalThis|window) \. (it|test|describe|expect|assert)|(it|test|describe|expect) \. \w+|process \. (exit|exitCode)|assert( \. \w+)?)");
    return place.is_test && Matches(name, *kDecides) ? "decides about tests" : "";
  }

  bool IsSkipName(const std::string& name) const override {
    static const RE2* const kSkip = new RE2(
        R"((it|test|describe|suite|context|specify|bench)(\.\w+)*\.(skip|skipIf|runIf|todo|failing|fails|only|fixme)|this\.skip|(t|ctx|context)\.(skip|todo)|pending|x(it|test|describe|specify)|f(it|describe))");
    return Matches(name, *kSkip);
  }

  bool IsSkipDottedName(const SkipName& name) const override {
    return name.is_test && IsSkipName(name.resolved);
  }

  bool IsSkipIdentifier(const SkipName& name) const override {
    const bool is_common_word = name.resolved == name.own && name.own == "pending";
    return name.is_test && !is_common_word && IsSkipName(name.resolved);
  }

  // {skip: true} of node:test
  bool IsSkipOption(const TestCode& code, uint32_t node, bool is_test) const override {
    static const RE2* const kOption = new RE2(R"rx(["']?(skip|todo|only)["']? : (true|["'`].*))rx");
    return is_test && Matches(JoinTokens(code.Tokens(node)), *kOption);
  }

  std::string FailingForm(const CallNames& names, const std::string& callee) const override {
    if (names.head == "expect") return FailingExpectation(names);
    return TestLanguage::FailingForm(names, callee);
  }

  std::string FailingStatement(const FailureSite& site) const override {
    if (site.calls.empty()) return "if (Date.now() > 1) throw new Error('planted failure');";
    return absl::StrCat("{ let planted; let all = true; for (const one of [() => ",
                        absl::StrJoin(site.calls, ", () => "),
                        "]) { try { one(); all = false; } catch (error) { planted = error; } } if "
                        "(all) throw planted; }");
  }

  bool PlantInTest(const TestSite& site, TestPlanter* planter) const override {
    const TestCode& code = planter->code();
    const uint32_t body = site.body;
    const std::string failing = planter->statements().For(body, /*can_return=*/true);
    if (!absl::StartsWith(code.Text(body), "{")) {
      planter->Replace(code.BeginByte(body), code.EndByte(body),
                       FailingAfter(code.Text(body), failing));
      return true;
    }
    for (const uint32_t leave : planter->ReturnsIn(body)) {
      const std::string value = planter->ValueOf(leave);
      planter->Replace(
          code.BeginByte(leave), code.EndByte(leave),
          value.empty() ? absl::StrCat("{ ", failing, " return; }") : FailingAfter(value, failing));
    }
    if (!planter->EndsByLeaving(body)) {
      planter->Insert(code.EndByte(body) - 1, absl::StrCat(";", failing, " "));
    }
    return true;
  }

  // A script that asserts as it runs, and is no part of another one.
  bool PlantInProgram(TestPlanter* planter) const override {
    static const RE2* const kExports = new RE2(R"((?m)^\s*export\b|\bexports\b)");
    const TestCode& code = planter->code();
    const std::vector<TestUnit>& units = planter->tests().units;
    const TestUnit& whole = units[0];
    if (Finds(code.text(), *kExports)) return false;
    bool asserts = !whole.assertions.empty();
    for (const TestUnit& unit : units) {
      if (unit.kind != TestUnit::Kind::kHelper) continue;
      asserts |= std::any_of(whole.calls.begin(), whole.calls.end(),
                             [&unit](const auto& call) { return call.name == unit.last_name; });
    }
    if (!asserts) return false;
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (code.Role(i) == NodeRole::kCall && IsExitCall(code, i)) planter->PlantInExit(i, "", "");
    }
    planter->Insert(code.text().size(),
                    absl::StrCat("\n;", planter->statements().For(0, /*can_return=*/false), "\n"));
    return true;
  }

  std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& /*path*/,
                                     uint32_t body) const override {
    if (IsInBraces(code, body)) return MarkInBraces(code, body, kMark);
    return {InsertMark(code.BeginByte(body), absl::StrCat("{", kMark, " return (")),
            InsertMark(code.EndByte(body), "); }")};
  }

 private:
  // What a test gives back may be a promise: it fails when that is kept.
  std::string FailingAfter(absl::string_view value, const std::string& failing) const {
    return absl::StrCat("{ const kept", type_, " = (", value, "); const fail", type_, " = () => { ",
                        failing, " }; return kept && typeof kept.then === 'function' ? ",
                        "kept.then(fail) : fail(); }");
  }

  const absl::string_view type_;
};

}  // namespace

const TestLanguage* JavaScriptLanguage() {
  static const auto* const language = new Script("");
  return language;
}

const TestLanguage* TypeScriptLanguage() {
  static const auto* const language = new Script(": any");
  return language;
}

}  // namespace stile
