#include "validators/integrity/swallowing_macros.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/memory_files.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

class SwallowingMacrosTest : public testing::Test {
 protected:
  // "a.rs:3 " for each call that is refused.
  std::string Refused(const std::vector<ContentPair>& changes,
                      const std::map<std::string, std::string>& unchanged = {}) const {
    std::string places;
    for (const Weakening& weakening :
         CompareMacroCalls(languages_, changes, MemoryFiles(changes, unchanged))) {
      absl::StrAppend(&places, weakening.path, ":", weakening.line, " ");
    }
    return places;
  }
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
};

std::string Repeated(std::string text, const std::string& more, int times) {
  for (int i = 0; i < times; ++i) text += more;
  return text;
}

constexpr char kRust[] = "macro_rules! swallow { ($($t:tt)*) => {}; }\n";
constexpr char kC[] = "#define SKIP(...)\n";

TEST_F(SwallowingMacrosTest, NewCodeInACallIsRefused) {
  const std::string rust = "swallow! {\nfn a() -> i32 { undefined }\n}\n";
  EXPECT_EQ(Refused({{"a.rs", "", kRust + rust}}), "a.rs:3 ");
  EXPECT_EQ(Refused({{"a.rs", "", rust}}, {{"lib/m.rs", kRust}}), "a.rs:2 ");
  const std::string c = "SKIP(\nint a(void) { return undefined; }\n)\n";
  EXPECT_EQ(Refused({{"a.c", "", kC + c}}), "a.c:3 ");
  EXPECT_EQ(Refused({{"a.cc", "", c}}, {{"skip.h", kC}}), "a.cc:2 ");
  EXPECT_EQ(Refused({{"a.c", "", "#define F(a, b) \\\n  a\nF(int x;, int y = z;)\n"}}), "a.c:3 ");
  EXPECT_EQ(Refused({{"a.c", "", "#define T(x) #x\nchar* t = T(int y = z;);\n"}}), "a.c:2 ");
  EXPECT_EQ(Refused({{"a.rs", "",
                      "macro_rules! t { ($b:block) => { stringify!($b) }; }\n"
                      "fn f() { t!({ undefined; }); }\n"}}),
            "a.rs:2 ");
}

TEST_F(SwallowingMacrosTest, CodeThatTheMacroUsesPasses) {
  EXPECT_EQ(Refused({{"a.rs", "",
                      "macro_rules! keep { ($($t:tt)*) => { $($t)* }; }\n"
                      "keep! { fn a() {} }\n"}}),
            "");
  EXPECT_EQ(Refused({{"a.c", "", "#define KEEP(...) __VA_ARGS__\nKEEP(int a = 1;)\n"}}), "");
  EXPECT_EQ(Refused({{"a.c", "", "#define KEEP(x) x##_t\nKEEP(int a = 1;)\n"}}), "");
  EXPECT_EQ(Refused({{"a.rs", "", "swallow!(fn a() {});\n"}}), "") << "no macro of the workspace";
}

TEST_F(SwallowingMacrosTest, ArgumentsWithoutStatementsMayBeDropped) {
  EXPECT_EQ(Refused({{"a.c", "", "#define LOG(...)\nvoid f(int a) { LOG(\"%d;\", a + 1); }\n"}}),
            "");
  EXPECT_EQ(
      Refused({{"a.c", "", "#define CHECK(x)\nvoid f(int a) { CHECK(a == 1 && a <= 2); }\n"}}), "");
  EXPECT_EQ(Refused({{"a.c", "",
                      "#ifdef LOUD\n#define LOG(x) x\n#else\n#define LOG(x)\n#endif\n"
                      "void f(int a) { LOG(a = 1;) }\n"}}),
            "");
  EXPECT_EQ(Refused({{"a.c", "", "#define UNUSED(x)\nvoid f(int UNUSED(a)) { /* ; */ }\n"}}), "");
}

TEST_F(SwallowingMacrosTest, WhatWasSwallowedBeforeIsLeftAlone) {
  const std::string code = "SKIP(int a = 1;)\n";
  EXPECT_EQ(Refused({{"a.c", kC + code, kC + code + "int b;\n"}}), "");
  EXPECT_EQ(Refused({{"a.c", kC + code, std::nullopt}, {"b.c", std::nullopt, kC + code}}), "");
  const std::string keeps = "#define SKIP(...) __VA_ARGS__\n";
  EXPECT_EQ(Refused({{"a.c", keeps + code, kC + code}}), "a.c:2 ");
}

TEST_F(SwallowingMacrosTest, HostileTextIsNoTrouble) {
  for (const std::string& text :
       {std::string("#define A("), std::string("macro_rules! a {"), std::string("macro_rules! a"),
        "macro_rules! a " + std::string(50000, '('), kC + ("SKIP" + std::string(50000, '{')),
        std::string("#define A(x)\nA(\"\\"), Repeated("#define A(x)\n", "A(", 200000),
        Repeated("#define A(x, y) x\n", "A(1, A(1; ", 100000),
        std::string("#define A(x)\nA('/*")}) {
    Refused({{"a.c", "", text}, {"a.rs", "", text}});
  }
}

}  // namespace
}  // namespace stile
