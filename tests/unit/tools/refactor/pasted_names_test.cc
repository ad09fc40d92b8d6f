#include "tools/refactor/pasted_names.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PastedNamesTest, FindsThePartsThatTheNameBeginsOrEndsWith) {
  EXPECT_THAT(FindPastedNames("#define LOG(level, text) log(KIT_##level, text)\n", "KIT_ERROR"),
              ElementsAre(29));
  EXPECT_THAT(FindPastedNames("  # define GET(x) \\\r\n  x ## _get()\n", "size_get"),
              ElementsAre(28));
}

TEST(PastedNamesTest, ParametersAndOtherPartsAreNone) {
  EXPECT_THAT(FindPastedNames("#define JOIN(a, b) a##b\n", "ab"), IsEmpty());
  EXPECT_THAT(FindPastedNames("#define LOG(level) APP_##level\n", "KIT_ERROR"), IsEmpty());
  EXPECT_THAT(FindPastedNames("#define KIT(x) KIT_ERROR##x\n", "KIT_ERROR"), IsEmpty());
}

TEST(PastedNamesTest, OnlyMacrosPasteNames) {
  EXPECT_THAT(FindPastedNames("// KIT_##level\n#if KIT_##level\n", "KIT_ERROR"), IsEmpty());
  EXPECT_THAT(FindPastedNames("##", "KIT_ERROR"), IsEmpty());
  EXPECT_THAT(FindPastedNames("\\\n##", "KIT_ERROR"), IsEmpty());
}

}  // namespace
}  // namespace stile
