// What counts as a name in quotes is in tests/golden/scopes/python/quoted.py; here is what does
// not.
#include "runtime/syntax/quoted_names.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/syntax/scopes.h"

namespace stile {
namespace {

size_t Count(absl::string_view text, absl::string_view name) {
  const Grammar& python = *FindGrammar("python");
  const auto tree = SyntaxTree::Parse(python, text);
  if (!tree.ok()) return 0;
  return FindOccurrences(python, AnalyzeScopes(python, *tree, text), text, name).size();
}

TEST(QuotedNamesTest, CallsCountWhereTheFileImportsThem) {
  EXPECT_EQ(Count("from typing import cast\ncast('A', x)\n", "A"), 1u);
  EXPECT_EQ(Count("from typing_extensions import cast as as_\nas_('A', x)\n", "A"), 1u);
  EXPECT_EQ(Count("from typing import *\ncast('A', x)\n", "A"), 1u);
  EXPECT_EQ(Count("import typing\ntyping.cast(typ='A', val=x)\n", "A"), 1u);
  EXPECT_EQ(Count("from database import cast\ncast('A', x)\n", "A"), 0u);
  EXPECT_EQ(Count("def cast(a, b): ...\ncast('A', x)\n", "A"), 0u);
  EXPECT_EQ(Count("import database\ndatabase.cast('A', x)\n", "A"), 0u);
}

TEST(QuotedNamesTest, AnyOtherCallKeepsTheNameOfItsResult) {
  EXPECT_EQ(Count("from typing import TypeVar\nlog = TypeVar('log')\n", "log"), 2u);
  EXPECT_EQ(Count("from logging import getLogger\nlog = getLogger('log')\n", "log"), 1u);
  EXPECT_EQ(Count("from typing import TypeVar\nlog = TypeVar('logs')\n", "logs"), 0u);
}

TEST(QuotedNamesTest, SubscriptsOfValuesHoldNoTypes) {
  EXPECT_EQ(Count("table['A']\n", "A"), 0u);
  EXPECT_EQ(Count("class B(BASES['A']): ...\n", "A"), 0u);
  EXPECT_EQ(Count("class B(bases['A']): ...\n", "A"), 0u);
  EXPECT_EQ(Count("class B(Base['A']): ...\n", "A"), 1u);
}

TEST(QuotedNamesTest, LiteralsAreValuesWhateverTheyAreCalled) {
  EXPECT_EQ(Count("from typing import Literal\nx: Literal['A']\n", "A"), 0u);
  EXPECT_EQ(Count("from typing import Literal as L\nx: L['A']\ny = L['A']\nz: \"L['A']\"\n", "A"),
            0u);
  EXPECT_EQ(Count("from typing import Annotated as N\nx: N['A', 'A']\n", "A"), 1u);
}

TEST(QuotedNamesTest, ListsOfNamesHoldWhatTheFileHas) {
  EXPECT_EQ(Count("__all__ = ['A']\n", "A"), 0u);  // a submodule
  EXPECT_EQ(Count("from .A import b\n__all__ = ['A']\n", "A"), 1u);
  EXPECT_EQ(Count("from .b import *\n__all__ = ['A']\n", "A"), 1u);
  EXPECT_EQ(Count("A = 1\n__all__ = ['A']\nnames = ['A']\n", "A"), 2u);
}

TEST(QuotedNamesTest, QuotedParametersDeclareNothing) {
  const Grammar& python = *FindGrammar("python");
  const std::string text = "def f(a,  # type: A\n      b='A'):\n    return A\n";
  const auto tree = SyntaxTree::Parse(python, text);
  ASSERT_TRUE(tree.ok());
  for (const Binding& binding : AnalyzeScopes(python, *tree, text).bindings) {
    EXPECT_NE(binding.name, "A");
  }
  EXPECT_EQ(Count(text, "A"), 2u);
}

TEST(QuotedNamesTest, OtherLanguagesHaveNone) {
  const Grammar& typescript = *FindGrammar("typescript");
  const std::string text = "const x = cast('A', y); // type: A\n";
  const auto tree = SyntaxTree::Parse(typescript, text);
  ASSERT_TRUE(tree.ok());
  EXPECT_TRUE(
      FindOccurrences(typescript, AnalyzeScopes(typescript, *tree, text), text, "A").empty());
}

// A type in quotes in quotes, types in each other and long texts: bounded, without harm.
TEST(QuotedNamesTest, HostileTextsTakeBoundedWork) {
  std::string nested;
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&nested, "Annotated[");
  Count(absl::StrCat("x: ", nested, "'A'"), "A");
  Count(absl::StrCat("x: '", nested, "'"), "A");
  std::string optional = "from typing import *\ny = ";
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&optional, "Optional[");
  absl::StrAppend(&optional, "'A'", std::string(20000, ']'), "\n");
  Count(optional, "A");
  EXPECT_EQ(Count(absl::StrCat("x: '", std::string(5000, ' '), "A'\n"), "A"), 0u);
  std::string many;
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&many, "x: 'list[A]'\n");
  EXPECT_EQ(Count(many, "A"), 5000u);
}

}  // namespace
}  // namespace stile
