#include "validators/integrity/failing_statements.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_calls.h"

namespace stile {
namespace {

constexpr size_t kMaxCalls = 6;

// Arguments with which the assertion fails. No condition is a literal: analysers report it.
struct FailingCall {
  absl::string_view grammar;  // a part of its name
  const RE2* callee;
  absl::string_view arguments;
};

const std::vector<FailingCall>& FailingCalls() {
  static const auto* const kCalls = new std::vector<FailingCall>{
      {"python", new RE2(R"(self\.assertEqual)"), "(1, 2)"},
      {"python", new RE2(R"(self\.assert(True|IsNotNone))"), "(None)"},
      {"python", new RE2(R"(self\.assert(False|IsNone))"), "(1)"},
      {"script",
       new RE2(
           R"(((\w+\.)?assert\.(strict\.)?|t\.)?(strictEqual|deepStrictEqual|deepEqual|equal)|assertEquals)"),
       "(1, 2)"},
      {"script", new RE2(R"((\w+\.)?assert\.ok|assert)"), "(1 > 2)"},
      {"java", new RE2(R"((\w+\.)*assert(Equals|Same))"), "(1, 2)"},
      {"java", new RE2(R"((\w+\.)*assertTrue)"), R"(("a".isEmpty()))"},
      {"java", new RE2(R"((\w+\.)*assertFalse)"), R"((!"a".isEmpty()))"},
      {"c_sharp", new RE2(R"((\w+\.)*Assert\.(Equal|AreEqual))"), "(1, 2)"},
      {"c_sharp", new RE2(R"((\w+\.)*Assert\.(True|IsTrue))"), R"(("a".Length > 1))"},
      {"c_sharp", new RE2(R"((\w+\.)*Assert\.(False|IsFalse))"), R"(("a".Length == 1))"},
      {"rust", new RE2(R"(assert_eq!)"), "(1, 2)"},
      {"rust", new RE2(R"(assert!)"), "(1 > 2)"},
      {"rust", new RE2(R"(assert_ne!)"), "(1, 1)"},
      {"c", new RE2(R"(assert)"), "(1 > 2)"},
      {"cpp", new RE2(R"((EXPECT|ASSERT)_EQ|BOOST_(CHECK|REQUIRE)_EQUAL)"), "(1, 2)"},
      {"cpp", new RE2(R"((EXPECT|ASSERT)_TRUE|BOOST_(CHECK|REQUIRE|TEST)|REQUIRE|CHECK)"),
       "(1 > 2)"},
      {"cpp", new RE2(R"((EXPECT|ASSERT)_FALSE|REQUIRE_FALSE|CHECK_FALSE)"), "(1 < 2)"},
  };
  return *kCalls;
}

bool IsScript(const Grammar& grammar) {
  return grammar.name == "javascript" || grammar.name == "typescript" || grammar.name == "tsx";
}

// expect(a).toBe(b), expect(a).to.equal(b)
std::string FailingExpectation(const CallNames& names) {
  static const RE2* const kExact =
      new RE2(R"(expect\.(toBe|toEqual|toStrictEqual|to\.equal|to\.eql|to\.deep\.equal))");
  const std::string chain = absl::StrJoin(names.all, ".");
  if (!Matches(chain, *kExact)) return "";
  return absl::StrCat("expect(1)", chain.substr(absl::string_view("expect").size()), "(2)");
}

// The call with arguments that fail; "" if none are known.
std::string FailingFormOf(const TestCode& code, uint32_t call) {
  const Grammar& grammar = code.grammar();
  const CallNames names = NamesOfCall(code, call);
  if (IsScript(grammar) && names.head == "expect") return FailingExpectation(names);
  const absl::string_view text = code.Text(call);
  const std::string callee(text.substr(0, text.find('(')));
  const absl::string_view family = IsScript(grammar) ? "script" : absl::string_view(grammar.name);
  for (const FailingCall& one : FailingCalls()) {
    const bool is_of_both = one.grammar == "c" && family == "cpp";
    if ((one.grammar == family || is_of_both) && Matches(callee, *one.callee)) {
      return absl::StrCat(callee, one.arguments);
    }
  }
  return "";
}

constexpr absl::string_view kWhy = "planted failure";

std::string InPython(const std::vector<std::string>& calls, bool asserts,
                     const std::string& indent) {
  std::string text;
  for (const std::string& call : calls) {
    const std::string next = absl::StrCat("\n", indent);
    absl::StrAppend(&text, "try:", next, " ", call, next, "except AssertionError:", next, " pass");
    absl::StrAppend(&text, next, "else:", next, " return", next);
  }
  return absl::StrCat(text, asserts ? "assert 1 > 2" : "raise AssertionError('planted failure')");
}

std::string InScript(const std::vector<std::string>& calls) {
  if (calls.empty()) {
    return absl::StrCat("if (Date.now() > 1) throw new Error('", kWhy, "');");
  }
  return absl::StrCat(
      "{ let planted; let all = true; for (const one of [() => ", absl::StrJoin(calls, ", () => "),
      "]) { try { one(); all = false; } catch (error) { planted = error; } } if (all) throw "
      "planted; }");
}

std::string InManaged(const std::vector<std::string>& calls, bool can_return,
                      absl::string_view holds, absl::string_view caught,
                      absl::string_view exception) {
  std::string text;
  for (const std::string& call : calls) {
    if (!can_return) break;
    absl::StrAppend(&text, " try { ", call, "; if (", holds, ") return; } catch (", caught,
                    ") { }");
  }
  return absl::StrCat(text, " if (", holds, ") throw new ", exception, "(\"", kWhy, "\");");
}

}  // namespace

FailingStatements::FailingStatements(const TestCode& code)
    : code_(code), calls_of_file_(CallsIn(0, code.size())) {}

std::vector<std::string> FailingStatements::CallsIn(uint32_t begin, uint32_t end) const {
  std::vector<std::string> calls;
  for (uint32_t i = begin; i < end && calls.size() < kMaxCalls; ++i) {
    if (code_.Role(i) != NodeRole::kCall) continue;
    const std::string form = FailingFormOf(code_, i);
    if (!form.empty() && std::find(calls.begin(), calls.end(), form) == calls.end()) {
      calls.push_back(form);
    }
  }
  return calls;
}

// What is named only in the function may not be known elsewhere: `self`, `t`.
std::vector<std::string> FailingStatements::CallsFor(uint32_t body) const {
  std::vector<std::string> calls = CallsIn(body, code_.End(body));
  if (!calls.empty()) return calls;
  for (const std::string& call : calls_of_file_) {
    if (!absl::StartsWith(call, "self.") && !absl::StartsWith(call, "t.")) calls.push_back(call);
  }
  return calls;
}

bool FailingStatements::Asserts(uint32_t body) const {
  for (uint32_t i = body; i < code_.End(body); ++i) {
    if (code_.Role(i) == NodeRole::kAssert) return true;
  }
  return false;
}

std::string FailingStatements::SimpleFor(uint32_t body) const {
  return Asserts(body) ? "assert 1 > 2" : "raise AssertionError('planted failure')";
}

std::string FailingStatements::AssertOfC() const {
  const bool asserts = std::find(calls_of_file_.begin(), calls_of_file_.end(), "assert(1 > 2)") !=
                       calls_of_file_.end();
  return asserts ? "assert(1 > 2)" : "";
}

std::string FailingStatements::For(uint32_t body, bool can_return,
                                   const std::string& indent) const {
  const std::string& grammar = code_.grammar().name;
  const std::vector<std::string> calls = CallsFor(body);
  if (grammar == "python") {
    return InPython(can_return ? calls : std::vector<std::string>(), Asserts(body), indent);
  }
  if (IsScript(code_.grammar())) return InScript(calls);
  if (grammar == "java") {
    return InManaged(calls, can_return, "Thread.currentThread() != null",
                     "AssertionError plantedError", "AssertionError");
  }
  if (grammar == "c_sharp") {
    return InManaged(calls, can_return, "global::System.Environment.NewLine != null",
                     "global::System.Exception", "global::System.Exception");
  }
  // No failure can be caught: one of them stands for all.
  const std::string call = calls.empty() ? "" : calls[code_.BeginByte(body) % calls.size()];
  if (!call.empty()) return absl::StrCat(" ", call, ";");
  if (grammar == "rust") {
    return absl::StrCat(" if std::hint::black_box(true) { panic!(\"", kWhy, "\"); }");
  }
  return " __builtin_trap();";
}

}  // namespace stile
