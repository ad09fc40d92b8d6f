#include "runtime/script/expression.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::HasSubstr;

ScriptOptions Short() {
  ScriptOptions limits;
  limits.time = absl::Milliseconds(200);
  return limits;
}

Json Value(const std::string& text, const ScriptGlobals& globals = {}) {
  const auto value = Evaluate(text, globals);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.value_or(Json("failed"));
}

TEST(ExpressionTest, ComputesWithWhatItIsGiven) {
  const ScriptGlobals globals = {
      {"outputs", {{"tests-ready", {{"ready", true}}}, {"list", {1, 2, 3}}}},
      {"output", {{"failures", "2"}, {"text", "größer 😀 \" \\ \u2028"}}}};
  EXPECT_EQ(Value("outputs['tests-ready'].ready === true", globals), true);
  EXPECT_EQ(Value("output && Number(output.failures||0) > 0", globals), true);
  EXPECT_EQ(Value("outputs.list.map(function (n) { return n * 2; })", globals), Json({2, 4, 6}));
  EXPECT_EQ(Value("output.text", globals), globals.at("output")["text"]);
  EXPECT_EQ(Value("var a = 1; a + 1"), 2);
  EXPECT_EQ(Value("this['out' + 'put'].failures", globals), "2");
  EXPECT_EQ(Value("\\u006futput.failures", globals), "2");
  for (const char* nothing : {"", "undefined", "null", "0/0", "(function () {})", "var x;"}) {
    EXPECT_TRUE(Value(nothing).is_null()) << nothing;
  }
}

TEST(ExpressionTest, KnowsTheLanguageOfToday) {
  const ScriptGlobals globals = {{"outputs", {{"a", {{"n", 2}, {"list", {1, 2, 3}}}}}}};
  EXPECT_EQ(Value("outputs.b?.n ?? outputs.a?.n", globals), 2);
  EXPECT_EQ(Value("`${outputs.a.n} of ${outputs.a.list.length}`", globals), "2 of 3");
  EXPECT_EQ(Value("const {n, list: [first, ...rest]} = outputs.a; ({n, first, rest})", globals),
            Json({{"n", 2}, {"first", 1}, {"rest", {2, 3}}}));
  EXPECT_EQ(Value("outputs.a.list.map(x => x ** 2).flatMap(x => [x, x]).at(-1)", globals), 9);
  EXPECT_EQ(Value("[...new Set([1, 1, 2])]"), Json({1, 2}));
  EXPECT_EQ(Value("class A { #x = 1; get x() { return this.#x; } } new A().x"), 1);
}

TEST(ExpressionTest, TimeIsThatOfTheRun) {
  ScriptOptions options;
  options.now = absl::FromUnixMillis(1'700'000'000'123);
  const std::string text = "[Date.now(), new Date().toISOString(), new Date(0).getHours()]";
  EXPECT_EQ(*Evaluate(text, {}, options), Json({1'700'000'000'123, "2023-11-14T22:13:20.123Z", 0}));
  EXPECT_EQ(Value("typeof Math.random"), "undefined");
}

TEST(ExpressionTest, ScriptsChangeMemoryAndExpressionsReadIt) {
  const ScriptGlobals globals = {
      {std::string(kMemoryGlobal),
       {{"namespace", "default"}, {"spaces", {{"default", {{"n", 1}}}, {"other", {{"n", 5}}}}}}}};
  EXPECT_EQ(
      Value("[memory.n, memory.get('n'), memory.get('n', 'other'), memory.has('m')]", globals),
      Json({1, 1, 5, false}));
  EXPECT_EQ(Value("memory.get('no') === undefined", globals), true);
  const auto script = RunScript(
      "memory.set('m', [1]); memory.append('m', 2); memory.increment('n', 2, 'other');\n"
      "memory.delete('n'); log('seen', memory.getAll('other')); return memory.list();",
      globals);
  ASSERT_TRUE(script.ok()) << script.status();
  EXPECT_EQ(script->value, Json::array({"m"}));
  ASSERT_EQ(script->writes.size(), 4);
  EXPECT_EQ(script->writes[1].value, Json({1, 2}));
  EXPECT_EQ(script->writes[2].space, "other");
  EXPECT_EQ(script->writes[2].value, 7);
  EXPECT_TRUE(script->writes[3].deletes);
  EXPECT_THAT(script->log, testing::ElementsAre("seen {\"n\":7}"));
  EXPECT_THAT(std::string(Evaluate("memory.set('n', 2)", globals).status().message()),
              HasSubstr("only scripts may change memory"));
}

TEST(ExpressionTest, HelpersOfVisor) {
  const ScriptGlobals globals = {
      {"issues", {{{"severity", "error"}, {"file", "src/a.ts"}}, {{"severity", "info"}}}}};
  EXPECT_EQ(
      Value("[hasIssue(issues, 'severity', 'error'), countIssues(issues, 'severity', 'info'), "
            "hasFileMatching(issues, '.ts'), contains('Some Text', 'TEXT'), length({a: 1}), "
            "startsWith('Abc', 'ab'), endsWith('abC', 'bc'), always(), failure()]",
            globals),
      Json({true, 1, true, true, 1, true, true, true, false}));
}

TEST(ExpressionTest, HelpersTakeListsObjectsAndNothing) {
  const ScriptGlobals globals = {{"list", {0, 1, 2}}, {"map", {{"a", true}, {"b", false}}}};
  EXPECT_EQ(Value("[any(list), all(list), none(list), count(list)]", globals),
            Json({true, false, false, 2}));
  EXPECT_EQ(Value("count(list, function (n) { return n < 2; })", globals), 2);
  EXPECT_EQ(Value("[any(map), all(map), count(map)]", globals), Json({true, false, 1}));
  EXPECT_EQ(Value("[any(null), all(undefined), none([]), count()]"), Json({false, true, true, 0}));
  EXPECT_EQ(Value("var count = 5; count"), 5);
}

TEST(ExpressionTest, ScriptsReturn) {
  const ScriptGlobals globals = {{"output", {{"n", 2}}}};
  EXPECT_EQ(RunScript("if (output.n > 1) {\n  return ['a'];\n}\nreturn [];", globals)->value,
            Json(Json::array({"a"})));
  EXPECT_TRUE(RunScript("// nothing", {})->value.is_null());
  // An expression that is a body.
  EXPECT_EQ(Value("const n = output.n;\nif (n > 1) return 'many';\nreturn 'few';", globals),
            "many");
}

TEST(ExpressionTest, WaitsForPromises) {
  const auto gives = [](const char* script) { return RunScript(script, {}, {}); };
  const auto value = gives("async function f() { return {x: await 3}; } return f();");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->value, Json({{"x", 3}}));
  EXPECT_THAT(gives("async function f() { throw new Error('no'); } return f();").status().message(),
              HasSubstr("no"));
  EXPECT_THAT(gives("return import('fs');").status().message(), HasSubstr("import"));
  EXPECT_THAT(gives("async function f() { await {then() {}}; } return f();").status().message(),
              HasSubstr("never settled"));
  ScriptOptions options;
  options.time = absl::Milliseconds(200);
  EXPECT_FALSE(RunScript("async function f() { for (;;) await 1; } return f();", {}, options).ok());
}

TEST(ExpressionTest, ErrorsNameTheLine) {
  const auto thrown = Evaluate("1 +\n\nmissing.name", {});
  EXPECT_EQ(thrown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(thrown.status().message()), HasSubstr("missing is not defined (line 3)"));
  EXPECT_THAT(std::string(CheckExpression("a +\n* b").message()), HasSubstr("line 2"));
  EXPECT_THAT(std::string(CheckScript("var a;\nreturn )").message()), HasSubstr("line 2"));
  EXPECT_TRUE(CheckExpression("missing.name").ok());  // it parses
  EXPECT_TRUE(CheckExpression("return 1").ok());
  EXPECT_THAT(std::string(CheckExpression("return )").message()), HasSubstr("line 1"));
  EXPECT_TRUE(CheckScript("return 1").ok());
  EXPECT_THAT(
      std::string(Evaluate("throw {toString: function () { throw 1; }}", {}).status().message()),
      testing::Not(testing::IsEmpty()));
}

TEST(ExpressionTest, EndsWhatDoesNotEnd) {
  for (const char* endless :
       {"while (true) {}", "for (;;) { try { while (true) {} } catch (e) {} }",
        "(function f() { try { f(); } finally { while (true) {} } })()",
        "var s = 'x'; while (true) { s = s + s.substr(1); }",
        "JSON.stringify({toJSON: function () { while (true) {} }})"}) {
    const auto value = Evaluate(endless, {}, Short());
    EXPECT_EQ(value.status().code(), absl::StatusCode::kDeadlineExceeded)
        << endless << ": " << value.status();
  }
  EXPECT_EQ(Value("1"), 1);
}

TEST(ExpressionTest, LeavesLoopsOfTheEngineToThemselves) {
  // A search that compares half a million bytes at half a million places, without a pause.
  const auto value = Evaluate(
      "var s = 'a'; while (s.length < 1048576) s += s; s.indexOf(s.substr(0, s.length / 2) + 'b')",
      {}, Short());
  EXPECT_EQ(value.status().code(), absl::StatusCode::kDeadlineExceeded) << value.status();
  EXPECT_EQ(Value("1"), 1);
}

TEST(ExpressionTest, BoundsMemoryAndDepth) {
  ScriptOptions limits;
  limits.memory_bytes = size_t{4} << 20;
  for (const char* large : {"var a = []; while (true) { a.push('xxxxxxxxxxxxxxxx' + a.length); }",
                            "var s = 'x'; while (true) { s = s + s; }", "new Uint8Array(1e8)"}) {
    const auto value = Evaluate(large, {}, limits);
    EXPECT_EQ(value.status().code(), absl::StatusCode::kResourceExhausted)
        << large << ": " << value.status();
  }
  EXPECT_FALSE(Evaluate("(function f() { return f(); })()", {}).ok());
  EXPECT_FALSE(Evaluate(std::string(100000, '('), {}).ok());
  EXPECT_FALSE(Evaluate(std::string(100000, '[') + std::string(100000, ']'), {}).ok());
  EXPECT_FALSE(Evaluate("/" + std::string(100000, '(') + "/.test('')", {}).ok());
  EXPECT_FALSE(Evaluate(std::string(1 << 20, ' '), {}).ok());
  Json deep;
  for (int i = 0; i < 1100; ++i) deep = Json::array({deep});
  EXPECT_FALSE(Evaluate("output", {{"output", deep}}).ok());
  EXPECT_FALSE(Evaluate("var a = []; for (var i = 0; i < 1e5; ++i) a = [a]; a", {}).ok());
  EXPECT_FALSE(Evaluate("var a = {}; a.a = a; a", {}).ok());
}

TEST(ExpressionTest, CanOnlyCompute) {
  for (const char* name : {"require", "process", "print", "alert", "Duktape", "module",
                           "performance", "setTimeout", "XMLHttpRequest", "fetch", "WebAssembly",
                           "SharedArrayBuffer", "Promise", "readFile", "load", "quit"}) {
    EXPECT_EQ(Value(std::string("typeof ") + name), "undefined") << name;
  }
  // Nothing stays from one to the next.
  EXPECT_EQ(Value("Array.prototype.map = 1; Object.prototype.x = 2; left = 3"), 3);
  EXPECT_EQ(Value("[typeof left, typeof [].map, typeof {}.x]"),
            Json({"undefined", "function", "undefined"}));
}

TEST(ExpressionTest, GoesOnAfterAnEngineThatWasKilled) {
  EXPECT_EQ(Value("1 + 1"), 2);
  // Of this program: a child of its supervisor.
  const std::string kill =
      absl::StrCat("pkill -KILL -x stile-script -P \"$(pgrep -d, -P ", getpid(), ")\"");
  ASSERT_EQ(std::system(kill.c_str()), 0);  // NOLINT(cert-env33-c)
  const auto killed = Evaluate("2", {});
  EXPECT_TRUE(killed.ok() || absl::IsResourceExhausted(killed.status())) << killed.status();
  EXPECT_EQ(Value("1 + 2"), 3);
}

TEST(ExpressionTest, RunsInSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 20; ++k) {
        EXPECT_EQ(Value("n * 2", {{"n", i}}), 2 * i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ExpressionTest, TruthIsJavaScripts) {
  for (const Json& value : {Json(true), Json(1), Json("0"), Json::array(), Json::object()}) {
    EXPECT_TRUE(IsTrue(value)) << value;
  }
  for (const Json& value : {Json(), Json(false), Json(0), Json("")}) {
    EXPECT_FALSE(IsTrue(value)) << value;
  }
}

}  // namespace
}  // namespace stile
