#include "tools/refactor/member_values.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/case_file.h"

namespace stile {
namespace {

// What shifts if `name` goes from a file of that name and text. `other` is the text of a second
// one.
std::string Shifts(const std::string& path, const std::string& text, const std::string& name,
                   const std::string& other = "") {
  CaseFile files(absl::StrCat("=== ", path, "\n", text, "\n=== other_", path, "\n", other));
  const auto file = files.index.Open(path);
  if (!file.ok()) return file.status().ToString();
  const auto tree = SyntaxTree::Parse((*file)->grammar, (*file)->text);
  if (!tree.ok()) return tree.status().ToString();
  for (const Symbol& symbol : (*file)->symbols) {
    if (symbol.name == name) return MemberThatShifts(**file, *tree, symbol, &files.index);
  }
  return "no such symbol";
}

TEST(MemberValuesTest, EnumeratorsCountFromTheOneBefore) {
  const std::string text = "enum e { A, B, /* c */ C, D = 9, E };";
  EXPECT_EQ(Shifts("a.c", text, "A"), "B");
  EXPECT_EQ(Shifts("a.c", text, "B"), "C");
  EXPECT_EQ(Shifts("a.c", text, "C"), "");
  EXPECT_EQ(Shifts("a.c", text, "D"), "E");
  EXPECT_EQ(Shifts("a.c", text, "E"), "");
  const std::string divided = "enum e {\n  A,\n#ifdef X\n  B,\n#endif\n  C };";
  EXPECT_EQ(Shifts("a.c", divided, "A"), "B");
  EXPECT_EQ(Shifts("a.c", divided, "B"), "C");
  EXPECT_EQ(Shifts("a.cc", "enum class E { A, B };", "A"), "B");
  EXPECT_EQ(Shifts("a.cs", "enum E { A = 1, B }", "A"), "B");
  EXPECT_EQ(Shifts("a.ts", "enum E { a, b = 2, c }", "a"), "");
  EXPECT_EQ(Shifts("a.ts", "enum E { a, b = 2, c }", "b"), "c");
}

TEST(MemberValuesTest, ConstantsOfGoCountTheirLines) {
  const std::string text = "package a\n\nconst (\n\tA = iota\n\tB\n\tC = 5\n\tD = 1 << iota\n)\n";
  EXPECT_EQ(Shifts("a.go", text, "A"), "B");
  EXPECT_EQ(Shifts("a.go", text, "B"), "D");
  EXPECT_EQ(Shifts("a.go", text, "D"), "");
  EXPECT_EQ(Shifts("a.go", "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n", "A"), "");
  EXPECT_EQ(Shifts("a.go", "package a\n\nconst A = 1\n\nconst B = iota\n", "A"), "");
}

TEST(MemberValuesTest, NumbersOfRustCountWhereTheyAreUsed) {
  EXPECT_EQ(Shifts("a.rs", "enum E { A, B }", "A"), "");
  EXPECT_EQ(Shifts("a.rs", "enum E { A = 1, B }", "A"), "B");
  EXPECT_EQ(Shifts("a.rs", "#[repr(u8)]\n#[derive(Clone)]\nenum E { A, B }", "A"), "B");
  EXPECT_EQ(Shifts("a.rs", "enum E { A, B }\nfn f(e: E) -> u8 { e as u8 }", "A"), "B");
  EXPECT_EQ(Shifts("a.rs", "enum E { A, B }", "A", "fn f() -> i32 { E::B as i32 }"), "B");
}

TEST(MemberValuesTest, OthersAreObjects) {
  EXPECT_EQ(Shifts("A.java", "enum E { A, B }", "A"), "");
  EXPECT_EQ(Shifts("A.java", "enum E { A, B }", "A", "class U { int x = E.B.ordinal(); }"), "B");
  EXPECT_EQ(Shifts("a.py", "class E(Enum):\n    A = auto()\n    B = auto()\n", "A"), "B");
  EXPECT_EQ(Shifts("a.py", "class E(Enum):\n    A = 1\n    B = auto()\n", "A"), "B");
  EXPECT_EQ(Shifts("a.py", "class E(Enum):\n    A = auto()\n    B = 2\n", "A"), "");
  EXPECT_EQ(Shifts("a.py", "A = 1\nB = 2\n", "A"), "");
}

}  // namespace
}  // namespace stile
