// Names that scripts use and do not define.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/script/expression.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Lines(const absl::StatusOr<ScriptNames>& names) {
  if (!names.ok()) return {std::string(names.status().message())};
  std::vector<std::string> lines;
  for (const ScriptNames::Use& use : names->uses) {
    lines.push_back(absl::StrCat(use.line > 1 ? absl::StrCat(use.line, ": ") : "",
                                 absl::StrJoin(use.path, "."), use.is_guarded ? "?" : ""));
  }
  return lines;
}
// Of an expression: the paths that begin outside of it.
std::vector<std::string> Uses(const std::string& text) { return Lines(NamesInExpression(text)); }
std::vector<std::string> UsesOfBody(const std::string& text) { return Lines(NamesInScript(text)); }

std::vector<std::string> Returned(const std::string& text) {
  const auto names = NamesInScript(text);
  if (!names.ok()) return {std::string(names.status().message())};
  std::vector<std::string> texts;
  for (const ScriptNames::Text& one : names->returned) {
    texts.push_back(absl::StrCat(one.line, ": ", one.text));
  }
  return texts;
}

TEST(ScriptNamesTest, PathsEndWhereTheyAreNoConstants) {
  EXPECT_THAT(Uses("outputs.build.x + outputs['a-b'].y"),
              ElementsAre("outputs.build.x", "outputs.a-b.y"));
  EXPECT_THAT(Uses("outputs?.build?.['x']?.[0].y"), ElementsAre("outputs.build.x.0.y"));
  EXPECT_THAT(Uses("outputs[`build`].x"), ElementsAre("outputs.build.x"));
  EXPECT_THAT(Uses("outputs[name].x"), ElementsAre("outputs", "name"));
  EXPECT_THAT(Uses("outputs[`${name}`][other.x].y"), ElementsAre("outputs", "other.x", "name"));
  EXPECT_THAT(Uses("ask(1).x.y + (a || b).c"), ElementsAre("ask", "a", "b"));
  EXPECT_THAT(Uses("outputs.build.map(n => n.x + m)"), ElementsAre("outputs.build.map", "m"));
  EXPECT_THAT(Uses("1 +\n x.y"), ElementsAre("2: x.y"));
  EXPECT_THAT(Uses("delete a.b, ++c.d, e.f = g, h += 1, new I.J(k), [...l]"),
              ElementsAre("a.b", "c.d", "e.f", "g", "h", "I.J", "k", "l"));
}

TEST(ScriptNamesTest, WhatTheLanguageAndThePreludeDefineIsKnown) {
  EXPECT_THAT(Uses("Math.max(1, NaN, Infinity, undefined, JSON.stringify({}), globalThis, Date)"),
              IsEmpty());
  EXPECT_THAT(Uses("any([1]) && contains('a', 'b') && log('x') && toString"), IsEmpty());
  // What the prelude takes away is not there.
  EXPECT_THAT(Uses("Promise.all([]), Intl, require('fs'), process.env, console.log(1), memory"),
              ElementsAre("Promise.all", "Intl", "require", "process.env", "memory"));
}

TEST(ScriptNamesTest, WhatTheScriptDeclaresIsItsOwn) {
  for (const char* text : {"var a = 1; a",
                           "let a = 1; { const b = a; b }",
                           "f(); function f() { return f; }",
                           "(a, b = a, {c, d: [e] = []}, ...f) => [a, b, c, e, f]",
                           "(function g(a) { if (a) { var h = arguments; } return g(h); })",
                           "class A extends Object { #p = 1; static s = 2; m(x) { return #p in "
                           "this && this.#p + x; } } new A().m",
                           "try { 1 } catch ({message}) { message }",
                           "try { 1 } catch { 2 }",
                           "for (const [k, v] of []) k + v",
                           "for (let i = 0; i < 1; ++i) { i }",
                           "for (var k in {}) k; k",
                           "for (own of []) own",
                           "made = 1; made + 1",
                           "[x, y.z] = [1]; x",
                           "switch (1) { case 1: let a; a }",
                           "out: for (;;) { break out; }",
                           "const {a: {b, ...c}, ['d']: e = b} = {}; [b, c, e]",
                           "({key: 1, method() {}, get g() {}})",
                           "async function f(x) { for await (const y of x) await y; }",
                           "function* f() { yield* [new.target]; }",
                           "`a${1}` + String.raw`b`",
                           "(class Named { static n = Named; })",
                           "var {length} = 'x'; length",
                           "let later = () => last; const last = 1; later()"}) {
    std::vector<std::string> uses = Uses(text);
    // `y.z` of a pattern is assigned to, and has to be there.
    if (std::string(text).find("y.z") != std::string::npos) {
      EXPECT_THAT(uses, ElementsAre("y.z"));
      continue;
    }
    EXPECT_THAT(uses, IsEmpty()) << text;
  }
  EXPECT_THAT(Uses("{ let a = 1; } a"), ElementsAre("a"));
  EXPECT_THAT(Uses("(a => a)(a)"), ElementsAre("a"));
  EXPECT_THAT(Uses("(function g() {}); g"), ElementsAre("g"));
  EXPECT_THAT(Uses("for (const x of []) x; x"), ElementsAre("x"));
  EXPECT_THAT(Uses("try {} catch (e) {} e"), ElementsAre("e"));
  EXPECT_THAT(Uses("({a, [b]: c, d: e, f() { return g; }})"), ElementsAre("a", "b", "c", "e", "g"));
  EXPECT_THAT(Uses("(a = b) => ({c = d}) => e"), ElementsAre("b", "d", "e"));
  EXPECT_THAT(Uses("class A extends B { [c]() { return d; } e = f; static { g; } }"),
              ElementsAre("B", "c", "d", "f", "g"));
  EXPECT_THAT(Uses("`${a}${b.c}` + tag`${d}`"), ElementsAre("a", "b.c", "tag", "d"));
}

TEST(ScriptNamesTest, PatternsNameMembers) {
  EXPECT_THAT(Uses("const {build, test: {ok}, ...rest} = outputs; build"),
              ElementsAre("outputs.build", "outputs.test", "outputs.test.ok", "outputs"));
  EXPECT_THAT(Uses("let {gone = 1} = outputs || {}; gone"), ElementsAre("outputs.gone", "outputs"));
  EXPECT_THAT(Uses("var a; ({a} = outputs.b)"), ElementsAre("outputs.b.a", "outputs.b"));
}

TEST(ScriptNamesTest, ATypeofGuards) {
  EXPECT_THAT(Uses("typeof x !== 'undefined' && x.y"), ElementsAre("x.y?"));
  EXPECT_THAT(Uses("typeof x"), IsEmpty());
  EXPECT_THAT(Uses("typeof x.y === 'string'"), ElementsAre("x.y"));
  EXPECT_THAT(Uses("eval('x'); y"), IsEmpty());
  EXPECT_THAT(Uses("with ({a: 1}) a + b"), IsEmpty());
}

TEST(ScriptNamesTest, BodiesReturnConstants) {
  EXPECT_THAT(UsesOfBody("if (x) return y.z;\nreturn w;"), ElementsAre("x", "y.z", "2: w"));
  EXPECT_THAT(Uses("return x.y"), ElementsAre("x.y")) << "an expression may be a body";
  EXPECT_THAT(Returned("if (x) return 'a';\nreturn y ? 'b' : z && `c` || null;"),
              ElementsAre("1: a", "2: b", "2: c"));
  EXPECT_THAT(Returned("return ['a', f('no'), x ?? 'b', (1, 'c')];"),
              ElementsAre("1: a", "1: b", "1: c"));
  EXPECT_THAT(Returned("const f = () => { return 'no'; }; function g() { return 'no'; } return 7;"),
              IsEmpty());
  EXPECT_THAT(Returned("return a + 'no' + `${b}`"), IsEmpty());
}

TEST(ScriptNamesTest, ErrorsAreThoseOfACheck) {
  EXPECT_TRUE(absl::IsInvalidArgument(NamesInExpression("1 +").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(NamesInScript("return (").status()));
  std::string deep = "x";
  for (int i = 0; i < 20'000; ++i) deep = absl::StrCat("(", deep, ")");
  NamesInExpression(deep).status().IgnoreError();
  EXPECT_THAT(Uses("alive"), ElementsAre("alive"));
}

}  // namespace
}  // namespace stile
