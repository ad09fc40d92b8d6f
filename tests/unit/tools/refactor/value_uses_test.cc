#include "tools/refactor/value_uses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ValueUsesTest : public ::testing::Test {
 protected:
  ValueUsesTest()
      : languages_(LanguagesOfThisRepository()),
        file_(*SourceFile::Parse(
            "a.ts", *languages_.OfFile("a.ts"), *FindGrammar("typescript"),
            "const a = { depth: 1 };\nrun(a) + show(a) + keep(a); log(a.depth);\n")) {}

  std::vector<uint32_t> Unblamed(bool is_renamed) const {
    RenameCandidate key{file_};
    key.is_renamed = is_renamed;
    key.occurrence.begin = 12;
    std::vector<uint32_t> begins;
    for (const ValueUse& use : uses_.Unblamed({key})) begins.push_back(use.begin);
    return begins;
  }

  LanguageRegistry languages_;
  std::shared_ptr<const SourceFile> file_;
  ValueUses uses_;
};

TEST_F(ValueUsesTest, GivesThoseThatNoErrorBlames) {
  uses_.Note(file_, {{12}, 28, {38, 48, 56}});
  EXPECT_THAT(Unblamed(/*is_renamed=*/true), ElementsAre(38, 48));
  uses_.Note(file_, {{12}, 38, {28, 48}});
  EXPECT_THAT(Unblamed(/*is_renamed=*/true), ElementsAre(48));
}

TEST_F(ValueUsesTest, GivesNoneOfKeysThatStay) {
  uses_.Note(file_, {{12}, 28, {38}});
  EXPECT_THAT(Unblamed(/*is_renamed=*/false), IsEmpty());
}

}  // namespace
}  // namespace stile
