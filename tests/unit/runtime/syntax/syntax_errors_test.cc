#include "runtime/syntax/syntax_errors.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {
namespace {

using testing::IsEmpty;
using testing::StartsWith;

// "2:5: missing ')'; …"
std::string Errors(absl::string_view grammar, absl::string_view before, absl::string_view after) {
  std::string text;
  for (const SyntaxError& error : IntroducedErrors(*FindGrammar(grammar), before, after)) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", error.line, ":", error.column, ": ",
                    error.message);
  }
  return text;
}

TEST(SyntaxErrorsTest, CorrectCodeOfEveryGrammarHasNone) {
  const std::vector<std::pair<std::string, std::string>> samples = {
      {"c", "#include <stdio.h>\nint f(int a[]) { return a[0] ? 1 : 2; }\n"},
      {"c_sharp", "namespace A;\npublic record B(int C) { public string D => $\"{C}\"; }\n"},
      {"cpp", "template <class T> struct A { auto f() const -> T { return T{}; } };\n"},
      {"go", "package a\n\nfunc F[T any](x T) (T, error) { return x, nil }\n"},
      {"java",
       "record A(int b) { int c() { return switch (b) { case 1 -> 2; default -> 3; }; } }\n"},
      {"javascript", "export const f = async (a) => `${await a}` ?? <div>{a}</div>;\n"},
      {"python", "def f(a: int) -> str:\n    match a:\n        case 1: return f'{a}'\n"},
      {"rust",
       "#[derive(Debug)]\npub struct A<'a> { b: &'a str }\nimpl A<'_> { fn c(&self) {} }\n"},
      {"tsx", "const a: string = <B c={1}>{d as string}</B>;\n"},
      {"typescript", "function f<T extends object>(a: T): a is T { return <T>a !== null; }\n"},
  };
  EXPECT_EQ(samples.size(), Grammars().size());
  for (const auto& [grammar, text] : samples) EXPECT_EQ(Errors(grammar, "", text), "") << grammar;
}

TEST(SyntaxErrorsTest, TheForgottenBracketIsNamedWhereItOpens) {
  EXPECT_THAT(Errors("python", "print(1)\n", "x = 1\nprint(1\n"),
              StartsWith("2:6: '(' is never closed"));
  const std::string go =
      "package a\n\nfunc F(x int) int {\n\tif x > 0 {\n\t\treturn 1\n\treturn 2\n}\n\nfunc G() "
      "{}\n";
  EXPECT_THAT(Errors("go", "", go), StartsWith("4:11: '{' is never closed"));
  EXPECT_THAT(Errors("c", "", "int f(void) { return 1; }\n}\n"),
              StartsWith("2:1: '}' closes nothing"));
  EXPECT_EQ(Errors("typescript", "", "const a = \"(\"; // {\n"), "") << "strings and comments";
}

TEST(SyntaxErrorsTest, WhatIsMissingOrUnexpectedIsNamed) {
  EXPECT_EQ(Errors("java", "", "class A { int b = 1 }\n"), "1:20: missing ';'");
  EXPECT_THAT(Errors("rust", "", "fn f() { let = 3; }\n"), StartsWith("1:"));
}

TEST(SyntaxErrorsTest, OnlyWhatTheEditIntroducedIsTold) {
  // A macro that no grammar understands, as compiling code has it.
  const std::string old = "BEGIN_NAMESPACE(a) int x; END END\n\n\n\n\nint f() { return 1; }\n";
  ASSERT_NE(Errors("cpp", "", old), "");
  EXPECT_EQ(Errors("cpp", old, absl::StrCat(old, "int g() { return 2; }\n")), "");
  EXPECT_EQ(Errors("cpp", old, absl::StrCat(old, "int g() { return 2 }\n")), "7:19: missing ';'");
  EXPECT_EQ(Errors("cpp", old, absl::StrCat("int h();\n", old)), "") << "errors that moved";
  // An edit in two places has the old error between them.
  const std::string before = "import { a } from 'a';\nf(@#);\na();\n";
  const std::string between = "import { long } from 'a';\nf(@#);\nlong();\n";
  ASSERT_NE(Errors("javascript", "", before), "");
  EXPECT_EQ(Errors("javascript", before, between), "");
  EXPECT_NE(Errors("javascript", before, "import { long } from 'a';\nf(@#);\ng(@#);\nlong();\n"),
            "");
}

TEST(SyntaxErrorsTest, HostileTextsEndSoonWithoutACrash) {
  const int depth = 20'000;
  for (const Grammar& grammar : Grammars()) {
    for (const char* piece :
         {"(", "[", "{", "<", "\"", "\"\"\"", "if (", "/*", "#if\n", "a.", "`${", "\xff", "}"}) {
      std::string text;
      for (int i = 0; i < depth; ++i) text += piece;
      IntroducedErrors(grammar, "", text);
    }
    IntroducedErrors(grammar, "", std::string(200'000, '\0'));
    EXPECT_THAT(IntroducedErrors(grammar, "", std::string(SyntaxTree::kMaxBytes + 1, ' ')),
                IsEmpty());
  }
}

// A tree made from that of another text is the tree of its own text.
TEST(SyntaxTreeTest, ReparsingComesToTheSame) {
  const std::string old = "def f(a):\n    return a\n\n\ndef g():\n    pass\n";
  const Grammar& grammar = *FindGrammar("python");
  const auto tree = SyntaxTree::Parse(grammar, old);
  ASSERT_TRUE(tree.ok());
  const auto text_of = [](const SyntaxTree& parsed) {
    char* text = ts_node_string(parsed.root());
    const std::string copy = text;
    std::free(text);
    return copy;
  };
  for (const std::string& text :
       {old, std::string(), "x\n" + old, old + "x\n", std::string("def f(a):\n    return a\n"),
        std::string("def f(a, \xc3\xa9):\n    return a\n\n\ndef g():\n    pass\n"),
        std::string("class F:\n    def f(a):\n        return a\n")}) {
    const auto anew = SyntaxTree::Parse(grammar, text);
    const auto again = SyntaxTree::Reparse(grammar, *tree, old, text);
    ASSERT_TRUE(anew.ok() && again.ok());
    EXPECT_EQ(text_of(*again), text_of(*anew)) << text;
  }
}

}  // namespace
}  // namespace stile
