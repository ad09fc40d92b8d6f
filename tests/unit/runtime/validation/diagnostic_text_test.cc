#include "runtime/validation/diagnostic_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/text.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::HasSubstr;

TEST(DiagnosticTextTest, WithoutASourceLineThereIsOnlyTheMessage) {
  TempDir dir;
  dir.Write("ws/a.c", "x\n");
  dir.Write("secret", "s\n");
  SourceLines lines(DiskFileSystem(), dir.Path("ws"));
  const auto text = [&](const std::string& file, int line) {
    return DiagnosticText({Severity::kError, file, line, 1, "", "bad", {}}, &lines);
  };
  EXPECT_EQ(text("", 0), "error: bad\n");
  EXPECT_EQ(text("a.c", 2), "a.c:2:1: error: bad\n");
  EXPECT_EQ(text("gone.c", 1), "gone.c:1:1: error: bad\n");
  EXPECT_EQ(text(dir.Path("secret"), 1), dir.Path("secret") + ":1:1: error: bad\n");
  EXPECT_THAT(text("a.c", 1), HasSubstr("  1 | x\n    | ^\n"));
}

TEST(DiagnosticTextTest, CaretsCountCharactersNotBytes) {
  TempDir dir;
  dir.Write("a.c", "\xC3\xA9\xC3\xA9 x\n");
  SourceLines lines(DiskFileSystem(), dir.path());
  EXPECT_THAT(DiagnosticText({Severity::kError, "a.c", 1, 6, "", "bad", {}}, &lines),
              HasSubstr("    |    ^\n"));
}

TEST(DiagnosticTextTest, LongLinesAndWildColumnsAreBounded) {
  TempDir dir;
  dir.Write("a.js", std::string(1 << 20, 'x') + "!" + std::string(1 << 20, 'y') + "\n");
  dir.Write("short.js", "x\n");
  SourceLines lines(DiskFileSystem(), dir.path());
  const std::string text =
      DiagnosticText({Severity::kError, "a.js", 1, (1 << 20) + 1, "", "bad", {}}, &lines);
  EXPECT_LT(text.size(), 600u);
  EXPECT_THAT(text, HasSubstr("x!y"));
  EXPECT_THAT(DiagnosticText({Severity::kError, "short.js", 1, 99999, "", "bad", {}}, &lines),
              HasSubstr("  1 | x\n    |  ^\n"));
  DiagnosticText({Severity::kError, "short.js", -5, -7, "", std::string(1 << 20, '\xff'), {}},
                 &lines);
}

TEST(DiagnosticTextTest, FixesAreSpelledOut) {
  EXPECT_EQ(FixText({"", "a", 3, 5, 3, 8, "foo"}, "a"),
            "suggested fix: replace line 3 columns 5-7 with `foo`");
  EXPECT_EQ(FixText({"add import", "b", 1, 1, 1, 1, "use x;"}, "a"),
            "suggested fix (add import): in b insert `use x;` at line 1 column 1");
  EXPECT_EQ(FixText({"", "a", 3, 5, 3, 6, ""}, "a"), "suggested fix: delete line 3 column 5");
  EXPECT_THAT(FixText({"", "a", 3, 5, 4, 2, "x"}, "a"), HasSubstr("line 3 column 5 up to line 4"));
}

}  // namespace
}  // namespace stile
