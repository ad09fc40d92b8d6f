// What holds of extraction in every language: the look of files is kept, and nothing that files
// hold brings it down.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/syntax/syntax_errors.h"
#include "tests/support/case_file.h"
#include "tests/support/shipped_languages.h"
#include "tools/extract/extract_method.h"
#include "tools/extract/extract_variable.h"
#include "tools/extract/variable_types.h"
#include "tools/refactor/change_signature.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

class ExtractTest : public testing::Test {
 protected:
  std::shared_ptr<const SourceFile> Parse(const std::string& path, const std::string& text) {
    auto file = SourceFile::Parse(path, *languages_.OfFile(path),
                                  *FindGrammar(languages_.GrammarOf(path)), text);
    return file.ok() ? *file : nullptr;
  }

  const LanguageRegistry languages_ = LanguagesOfThisRepository();
};

struct Sample {
  const char* path;
  const char* text;  // line 4 holds `c = a + b * 2`, which is used after it
};

constexpr Sample kSamples[] = {
    {"a.cs", "class A\n{\n\tint F(int a, int b) {\n\t\tint c = a + b * 2;\n\t\treturn c;\n\t}\n}"},
    {"A.java",
     "class A {\n\n\tint f(int a, int b) {\n\t\tint c = a + b * 2;\n\t\treturn c;\n\t}\n}"},
    {"a.ts",
     "class A {\n\n\tf(a: number, b: number) {\n\t\tconst c = a + b * 2;\n\t\treturn c;\n\t}\n}"},
    {"a.js", "class A {\n\n\tf(a, b) {\n\t\tconst c = a + b * 2;\n\t\treturn c;\n\t}\n}"},
    {"a.py", "class A:\n\n\tdef f(self, a, b):\n\t\tc = a + b * 2\n\t\treturn c"},
    {"a.go", "package a\n\nfunc f(a, b int) int {\n\tc := a + b * 2\n\treturn c\n}"},
    {"a.rs", "\n\nfn f(a: i32, b: i32) -> i32 {\n\tlet c = a + b * 2;\n\treturn c;\n}"},
    {"a.cc", "\n\nint f(int a, int b) {\n\tint c = a + b * 2;\n\treturn c;\n}"},
};

TEST_F(ExtractTest, KeepsWhatFilesLookLike) {
  for (const Sample& sample : kSamples) {
    for (const bool crlf : {false, true}) {
      for (const bool bom : {false, true}) {
        for (const char* end : {"", "\n"}) {
          std::string text = absl::StrCat(bom ? "\xEF\xBB\xBF" : "", sample.text, end);
          if (crlf) text = absl::StrReplaceAll(text, {{"\n", "\r\n"}});
          const auto file = Parse(sample.path, text);
          ASSERT_NE(file, nullptr);
          const bool has_methods =
              !absl::EndsWith(sample.path, ".rs") && !absl::EndsWith(sample.path, ".cc");
          for (const bool method : {false, true}) {
            SCOPED_TRACE(absl::StrCat(sample.path, method ? " method" : " variable",
                                      crlf ? " crlf" : "", bom ? " bom" : ""));
            const auto plan = method
                                  ? PlanExtractMethod(*file, 4, 4, "part", nullptr)
                                  : PlanExtractVariable(*file, 4, 4, 0, "b * 2", "part", nullptr);
            if (method && !has_methods) {
              EXPECT_TRUE(absl::IsUnimplemented(plan.status()));
              continue;
            }
            ASSERT_TRUE(plan.ok()) << plan.status();
            const std::string after = plan->files().begin()->second.After();
            EXPECT_TRUE(IntroducedErrors(file->grammar, text, after).empty()) << after;
            EXPECT_EQ(bom, absl::StartsWith(after, "\xEF\xBB\xBF"));
            EXPECT_EQ(*end != 0, after.back() == '\n');
            const std::string unix_ends = absl::StrReplaceAll(after, {{"\r\n", "\n"}});
            EXPECT_EQ(crlf ? absl::StrReplaceAll(unix_ends, {{"\n", "\r\n"}}) : unix_ends, after);
            EXPECT_FALSE(absl::StrContains(unix_ends, "\n ")) << after;
            EXPECT_THAT(after, HasSubstr("part"));
          }
        }
      }
    }
  }
}

// What a plan writes, or why there is none.
std::string AfterOf(const absl::StatusOr<EditPlan>& plan) {
  if (plan.ok()) return plan->files().begin()->second.After();
  EXPECT_TRUE(absl::IsFailedPrecondition(plan.status())) << plan.status();
  return std::string(plan.status().message());
}

TEST_F(ExtractTest, WhatTheNextRoundReadsComesBack) {
  const auto python = Parse("a.py",
                            "def f(xs):\n    s = 0\n    n = 0\n    for x in xs:\n"
                            "        n += 1\n        s += x * n\n    return s\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*python, 5, 6, "step", nullptr)),
              HasSubstr("n, s = step(n, s, x)"));
  const auto java = Parse("A.java",
                          "class A {\n  int f(int[] xs) {\n    int s = 0;\n    int n = 0;\n"
                          "    for (int x : xs) {\n      n++;\n      s += x * n;\n    }\n"
                          "    return s;\n  }\n}\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*java, 6, 7, "step", nullptr)), HasSubstr("n, s"));
  // Set anew in each round: nothing to bring back.
  const auto anew = Parse("a.py",
                          "def f(xs):\n    t = 0\n    for x in xs:\n        t = x * 2\n"
                          "        print(t)\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*anew, 4, 5, "step", nullptr)),
              HasSubstr("        step(x)"));
}

TEST_F(ExtractTest, CopiesAreNotChangedInTheirPlace) {
  const auto go = [&](const std::string& type, const std::string& line, const std::string& more) {
    const auto file =
        Parse("a.go", absl::StrCat("package a\n\ntype T struct{ n int }\n\n"
                                   "func (t *T) Add(i int) { t.n += i }\n\n"
                                   "func f(t ",
                                   type, ", i int) int {\n\t", line, "\n\t", more, "\n}\n"));
    return AfterOf(PlanExtractMethod(*file, 8, 8, "step", nullptr));
  };
  const char* copy = "of which a method would get a copy";
  EXPECT_THAT(go("T", "t.n += i", "return t.n"), HasSubstr(copy));
  EXPECT_THAT(go("T", "t.n++", "return t.n"), HasSubstr(copy));
  EXPECT_THAT(go("[3]int", "t[0] = i", "return t[0]"), HasSubstr(copy));
  EXPECT_THAT(go("T", "t.Add(i)", "return t.n"), HasSubstr(copy));
  EXPECT_THAT(go("int", "t += i", "p := &t; return *p + t"), HasSubstr(copy));
  EXPECT_THAT(go("*T", "t.n += i", "return t.n"), HasSubstr("\tstep(t, i)"));
  EXPECT_THAT(go("[]int", "t[0] = i", "return t[0]"), HasSubstr("\tstep(t, i)"));
  EXPECT_THAT(go("map[string]int", "t[\"a\"]++", "return t[\"a\"]"), HasSubstr("\tstep(t)"));
  const auto csharp = [&](const std::string& kind) {
    const auto file =
        Parse("a.cs", absl::StrCat(kind, " P { public int N; }\nclass A {\n  int F(P p) {\n",
                                   "    p.N += 1;\n    return p.N;\n  }\n}\n"));
    return AfterOf(PlanExtractMethod(*file, 4, 4, "Step", nullptr));
  };
  EXPECT_THAT(csharp("struct"), HasSubstr(copy));
  EXPECT_THAT(csharp("class"), HasSubstr("Step(p);"));
}

TEST_F(ExtractTest, WhatFunctionsInsideShareStays) {
  const auto outside = Parse("a.js",
                             "function f(xs) {\n  let n = 0;\n  const show = () => n;\n"
                             "  n += xs.length;\n  return show() + n;\n}\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*outside, 4, 4, "step", nullptr)),
              HasSubstr("n is shared with a function inside"));
  const auto inside = Parse("a.py",
                            "def f(xs):\n    n = 0\n    n = len(xs)\n    g = lambda: n\n"
                            "    n = 2\n    return g() + n\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*inside, 3, 5, "step", nullptr)),
              HasSubstr("is shared with a function inside"));
  const auto read = Parse("a.js",
                          "function f(xs) {\n  let n = 0;\n  const up = () => { n++; };\n"
                          "  up(); log(n);\n  return n;\n}\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*read, 4, 4, "step", nullptr)),
              HasSubstr("n is shared with a function inside"));
  const auto only_reads = Parse("a.js",
                                "function f(xs, n) {\n  const part = xs.map((x) => x * n);\n"
                                "  return part;\n}\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*only_reads, 2, 2, "step", nullptr)),
              HasSubstr("const part = step(xs, n);"));
  const auto around = Parse("a.js",
                            "function f(xs) {\n  let n = 0;\n  xs.forEach((x) => {\n"
                            "    n += x;\n  });\n  return n;\n}\n");
  EXPECT_THAT(AfterOf(PlanExtractMethod(*around, 4, 4, "step", nullptr)),
              HasSubstr("n is shared with a function around"));
}

TEST_F(ExtractTest, NothingIsEvaluatedAheadOfWhatComesBeforeIt) {
  const auto extract = [&](const char* path, const std::string& text, const char* expression) {
    const auto file = Parse(path, text);
    return AfterOf(PlanExtractVariable(*file, 2, 2, 0, expression, "part", nullptr));
  };
  const char* before = "before the expression";
  EXPECT_THAT(extract("a.py", "def f(x):\n    return bump(x) + len(x)\n", "len(x)"),
              HasSubstr(before));
  EXPECT_THAT(extract("a.js", "function f(i) {\n  return t() + i * 100;\n}\n", "i * 100"),
              HasSubstr(before));
  EXPECT_THAT(extract("a.js", "function f(i) {\n  return g(i++, i * 2);\n}\n", "i * 2"),
              HasSubstr(before));
  EXPECT_THAT(extract("a.go", "package a; func f(i int) int {\n\treturn <-c + i*2\n}\n", "i*2"),
              HasSubstr(before));
  EXPECT_THAT(extract("a.py", "def f(x):\n    return len(x) + bump(x)\n", "len(x)"),
              HasSubstr("return part + bump(x)"));
  EXPECT_THAT(extract("a.py", "def f(x):\n    return bump(x) + (60 * 60)\n", "60 * 60"),
              HasSubstr("return bump(x) + (part)"));
  EXPECT_THAT(extract("a.js", "function f(s) {\n  return s.next + s.next;\n}\n", "s.next"),
              HasSubstr("return part + s.next;"));
  EXPECT_THAT(extract("a.js", "function f(s) {\n  return g() * 2 + g() * 2;\n}\n", "g() * 2"),
              HasSubstr("return part + g() * 2;"));
  EXPECT_THAT(extract("a.py", "def f():\n    return g([], [])\n", "[]"),
              HasSubstr("return g(part, [])"));
  EXPECT_THAT(extract("A.java", "class A { int f(S s) {\n  return s.n + s.n;\n} }\n", "s.n"),
              HasSubstr("return part + part;"));
}

TEST_F(ExtractTest, ArgumentsThatDoSomethingKeepTheirOrder) {
  const auto swap = [](const std::string& arguments) {
    CaseFile test(
        absl::StrCat("=== a.js\nfunction f(a, b) {\n  return a - b;\n}\n\n"
                     "function g(x, y) {\n  return f(",
                     arguments, ");\n}\n"));
    auto resolution = Resolve(ParseSymbolName("f"), &test.index);
    EXPECT_TRUE(resolution.ok()) << resolution.status();
    return AfterOf(PlanChangeSignature(*std::move(resolution), &test.index, "(b, a)"));
  };
  EXPECT_THAT(swap("x(), y()"), HasSubstr("the call at a.js:6 would evaluate arguments"));
  EXPECT_THAT(swap("x++, y = 2"), HasSubstr("in another order"));
  EXPECT_THAT(swap("x(), y"), HasSubstr("return f(y, x());"));
  EXPECT_THAT(swap("() => x(), () => y()"), HasSubstr("return f(() => y(), () => x());"));
}

TEST_F(ExtractTest, HostileFilesAndPlacesEnd) {
  const std::vector<std::string> texts = {
      "",
      "\n\n",
      "class A {",
      std::string(100000, '('),
      "void f() {" + std::string(100000, '{') + "x = 1;" + std::string(100000, '}') + "}",
      "let x = \"" + std::string(1 << 20, 'a') + "\";",
      "int f() { \xff\xfe = \xc3\x28; }",
      std::string("a\0b = c\0d", 9),
      "def f(:\n  x = = 1\n",
  };
  for (const char* path : {"a.cs", "a.ts", "a.py", "a.go", "A.java"}) {
    for (const std::string& text : texts) {
      const auto file = Parse(path, text);
      if (file == nullptr) continue;
      for (const auto& [first, last] : std::vector<std::pair<int, int>>{
               {1, 1}, {0, 0}, {2, 1}, {1, 9}, {-3, 4}, {1 << 30, 1 << 30}}) {
        (void)PlanExtractMethod(*file, first, last, "part", nullptr).ok();
        (void)PlanExtractVariable(*file, first, last, 0, "", "part", nullptr).ok();
        (void)PlanExtractVariable(*file, first, last, 7, "x", "not a name", nullptr).ok();
      }
    }
  }
}

}  // namespace
}  // namespace stile
