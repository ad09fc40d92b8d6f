#include "tools/refactor/literal_siblings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Keys are marked in the text: `^` before the one that is asked about. The lines of the others.
std::vector<int> SiblingsIn(const std::string& marked) {
  static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
  const size_t key = marked.find('^');
  std::string text = marked;
  text.erase(key, 1);
  const auto file =
      SourceFile::Parse("a.ts", *languages->OfFile("a.ts"), *FindGrammar("typescript"), text);
  if (!file.ok()) return {-1};
  std::vector<int> lines;
  ParsedFiles parsed;
  for (const uint32_t sibling : SiblingKeys(**file, {static_cast<uint32_t>(key)}, &parsed)) {
    EXPECT_EQ((*file)->text.substr(sibling, 4), "size");
    lines.push_back((*file)->PlaceOf(sibling).line);
  }
  return lines;
}

TEST(LiteralSiblingsTest, FindsTheKeyInOtherElements) {
  EXPECT_THAT(SiblingsIn("f([\n{^size: 1},\n{name: 2},\n{'size': 3},\n{size},\n{size() {}}\n])"),
              ElementsAre(4, 5, 6));
  EXPECT_THAT(SiblingsIn("f([\n{'^size': 1},\n({size: 2})\n])"), ElementsAre(3));
  EXPECT_THAT(SiblingsIn("f([\n{^size},\n...more, {size: 2}\n])"), ElementsAre(3));
}

TEST(LiteralSiblingsTest, FollowsThePathThroughLiterals) {
  EXPECT_THAT(SiblingsIn("f([\n{a: {^size: 1}, size: 1},\n{a: {size: 2}},\n{b: {size: 3}},\n"
                         "{a: g({size: 4})}\n])"),
              ElementsAre(3));
  EXPECT_THAT(SiblingsIn("f([\n{a: [{^size: 1}]},\n{a: [1,\n{size: 2}]},\n{a: {size: 3}}\n])"),
              ElementsAre(4));
  EXPECT_THAT(SiblingsIn("f([[\n{^size: 1}],\n[{size: 2}]])"), ElementsAre(3));
}

TEST(LiteralSiblingsTest, ElementsOfTuplesAreNotAlike) {
  EXPECT_THAT(SiblingsIn("f([[{^size: 1}, {size: 2}],\n[{size: 3},\n{size: 4}]])"), ElementsAre(2));
  EXPECT_THAT(SiblingsIn("const [a, b] = [{^size: 1},\n{size: 2}]"), IsEmpty());
  EXPECT_THAT(SiblingsIn("[a, b] = [{^size: 1},\n{size: 2}]"), IsEmpty());
  EXPECT_THAT(SiblingsIn("x = [{^size: 1},\n{size: 2}] as const"), IsEmpty());
}

TEST(LiteralSiblingsTest, FindsOtherValuesOfAnExpression) {
  EXPECT_THAT(SiblingsIn("x = c ?\n{^size: 1} :\n({size: 2})"), ElementsAre(3));
  EXPECT_THAT(SiblingsIn("x = a &&\n{^size: 1} ||\n{size: 2}"), ElementsAre(3));
  EXPECT_THAT(SiblingsIn("x = [c ?\n{^size: 1} :\n{size: 2},\n{size: 3}]"), ElementsAre(3, 4));
}

TEST(LiteralSiblingsTest, FindsOtherResultsOfAFunction) {
  EXPECT_THAT(SiblingsIn("function f(c) {\nif (c) return {^size: 1};\ng(() => {\nreturn {size: "
                         "2};});\nreturn [{size: 3}];\nreturn c ? {size: 4} : null;\n}"),
              ElementsAre(6));
  EXPECT_THAT(SiblingsIn("const f = (c) => c ?\n{^size: 1} :\n{size: 2}"), ElementsAre(3));
  EXPECT_THAT(SiblingsIn("const f = () => ({^size: 1})"), IsEmpty());
  EXPECT_THAT(SiblingsIn("class A { f(c) {\nif (c) return {a: {^size: 1}};\nreturn {a: {size: "
                         "2}};\n} }"),
              ElementsAre(3));
}

TEST(LiteralSiblingsTest, LeavesOtherLiterals) {
  EXPECT_THAT(SiblingsIn("f({^size: 1},\n{size: 2})"), IsEmpty());
  EXPECT_THAT(SiblingsIn("f({a: {^size: 1},\nb: {size: 2}})"), IsEmpty());
  EXPECT_THAT(SiblingsIn("f([\n{[^size]: 1},\n{size: 2}])"), IsEmpty());
  EXPECT_THAT(SiblingsIn("f([\n{a: ^size},\n{a: 2, size: 2}])"), IsEmpty());
}

TEST(LiteralSiblingsTest, EndsOnDeepLiterals) {
  std::string deep;
  for (int i = 0; i < 500; ++i) deep += "[{a: ";
  deep += "{^size: 1}";
  for (int i = 0; i < 500; ++i) deep += "}]";
  SiblingsIn(absl::StrCat("f(", deep, ")"));
  std::string choices = "x = {^size: 1}";
  for (int i = 0; i < 5'000; ++i) choices += " ||\n{size: 2}";
  EXPECT_LT(SiblingsIn(choices).size(), 5'000u);
}

}  // namespace
}  // namespace stile
