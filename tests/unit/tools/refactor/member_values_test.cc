#include "tools/refactor/member_values.h"

#include <gtest/gtest.h>

#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

// What shifts if `name` goes from a file of that name and text.
std::string Shifts(const std::string& path, const std::string& grammar, const std::string& text,
                   const std::string& name) {
  static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
  const auto file = SourceFile::Parse(path, *languages->OfFile(path), *FindGrammar(grammar), text);
  if (!file.ok()) return file.status().ToString();
  const auto tree = SyntaxTree::Parse((*file)->grammar, (*file)->text);
  if (!tree.ok()) return tree.status().ToString();
  for (const Symbol& symbol : (*file)->symbols) {
    if (symbol.name == name) return MemberThatShifts(**file, *tree, symbol);
  }
  return "no such symbol";
}

TEST(MemberValuesTest, EnumeratorsCountFromTheOneBefore) {
  const std::string text = "enum e { A, B, /* c */ C, D = 9, E };";
  EXPECT_EQ(Shifts("a.c", "c", text, "A"), "B");
  EXPECT_EQ(Shifts("a.c", "c", text, "B"), "C");
  EXPECT_EQ(Shifts("a.c", "c", text, "C"), "");
  EXPECT_EQ(Shifts("a.c", "c", text, "D"), "E");
  EXPECT_EQ(Shifts("a.c", "c", text, "E"), "");
  EXPECT_EQ(Shifts("a.cc", "cpp", "enum class E { A, B };", "A"), "B");
  EXPECT_EQ(Shifts("a.cs", "c_sharp", "enum E { A = 1, B }", "A"), "B");
  EXPECT_EQ(Shifts("a.ts", "typescript", "enum E { a, b = 2, c }", "a"), "");
  EXPECT_EQ(Shifts("a.ts", "typescript", "enum E { a, b = 2, c }", "b"), "c");
}

TEST(MemberValuesTest, ConstantsOfGoCountTheirLines) {
  const std::string text = "package a\n\nconst (\n\tA = iota\n\tB\n\tC = 5\n\tD = 1 << iota\n)\n";
  EXPECT_EQ(Shifts("a.go", "go", text, "A"), "B");
  EXPECT_EQ(Shifts("a.go", "go", text, "B"), "D");
  EXPECT_EQ(Shifts("a.go", "go", text, "D"), "");
  EXPECT_EQ(Shifts("a.go", "go", "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n", "A"), "");
  EXPECT_EQ(Shifts("a.go", "go", "package a\n\nconst A = 1\n\nconst B = iota\n", "A"), "");
}

TEST(MemberValuesTest, NumbersOfRustCountWhereTheyAreUsed) {
  EXPECT_EQ(Shifts("a.rs", "rust", "enum E { A, B }", "A"), "");
  EXPECT_EQ(Shifts("a.rs", "rust", "enum E { A = 1, B }", "A"), "B");
  EXPECT_EQ(Shifts("a.rs", "rust", "#[repr(u8)]\n#[derive(Clone)]\nenum E { A, B }", "A"), "B");
  EXPECT_EQ(Shifts("a.rs", "rust", "enum E { A, B }\nfn f(e: E) -> u8 { e as u8 }", "A"), "B");
}

TEST(MemberValuesTest, OthersAreObjects) {
  EXPECT_EQ(Shifts("A.java", "java", "enum E { A, B }", "A"), "");
  EXPECT_EQ(Shifts("a.py", "python", "class E(Enum):\n    A = auto()\n    B = auto()\n", "A"), "B");
  EXPECT_EQ(Shifts("a.py", "python", "class E(Enum):\n    A = 1\n    B = auto()\n", "A"), "B");
  EXPECT_EQ(Shifts("a.py", "python", "class E(Enum):\n    A = auto()\n    B = 2\n", "A"), "");
  EXPECT_EQ(Shifts("a.py", "python", "A = 1\nB = 2\n", "A"), "");
}

}  // namespace
}  // namespace stile
