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
#include "tests/support/shipped_languages.h"
#include "tools/refactor/extract_method.h"
#include "tools/refactor/extract_variable.h"
#include "tools/refactor/variable_types.h"

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

TEST_F(ExtractTest, TypesAreReadFromWhatCompilersSay) {
  EXPECT_EQ(TypeInMessage("csharp", "Cannot implicitly convert type 'List<int>' to 'System.X'"),
            "List<int>");
  EXPECT_EQ(
      TypeInMessage("java",
                    "incompatible types: Map<String,Integer> cannot be converted to StileProbe"),
      "Map<String,Integer>");
  EXPECT_EQ(TypeInMessage("go",
                          "cannot use c (variable of type []string) as struct{x int} value in "
                          "variable declaration"),
            "[]string");
  EXPECT_EQ(TypeInMessage("typescript",
                          "Type 'number' is not assignable to type '{ stileProbe: never; }'."),
            "number");
  EXPECT_EQ(
      TypeInMessage("c", "incompatible types when assigning to type 'struct x' from type 'double'"),
      "double");
  EXPECT_EQ(TypeInMessage("go", "undefined: x"), "");
}

}  // namespace
}  // namespace stile
