#include "agents/cli/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace stile {
namespace {

constexpr Terminal kColor{true, true, 80};
constexpr Terminal kPlain{false, false, 80};

TEST(OutputTest, ControlCharactersBecomeVisible) {
  EXPECT_EQ(Printable("\x1b[2J"), "^[[2J");
  EXPECT_EQ(Printable("a\x07\x08\x7f"), "a^G^H^?");
  EXPECT_EQ(Printable(absl::string_view("a\0b", 3)), "a^@b");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "<U+009B>31m");
}

TEST(OutputTest, LineBreaksAndTabsStayInTextAndBecomeBlanksInALine) {
  EXPECT_EQ(Printable("a\tb\nc\r\nd"), "a\tb\nc\nd");
  EXPECT_EQ(Printable("progress\rdone"), "progress^Mdone");
  EXPECT_EQ(OneLine("a\tb\nc\r\nd\re"), "a b c d e");
}

TEST(OutputTest, WritingDirectionCannotBeTurned) {
  EXPECT_EQ(Printable("a\xe2\x80\xae"
                      "b"),
            "a<U+202E>b");
  EXPECT_EQ(Printable("a\xe2\x81\xa6"
                      "b"),
            "a<U+2066>b");
}

TEST(OutputTest, InvalidUtf8IsReplacedAndTextStays) {
  EXPECT_EQ(Printable("\xff"
                      "ä"),
            "\xef\xbf\xbd"
            "ä");
  EXPECT_EQ(Printable("日本 🙂"), "日本 🙂");
}

TEST(OutputTest, StylesAreOnlyForTerminalsThatShowThem) {
  EXPECT_EQ(Styled(kColor, Style::kRed, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(Styled(kPlain, Style::kRed, "x"), "x");
  EXPECT_EQ(Styled(kColor, Style::kRed, ""), "");
}

TEST(OutputTest, ALineIsCutByColumnsNotBytes) {
  EXPECT_EQ(FitColumns("abcdef", 6), "abcdef");
  EXPECT_EQ(FitColumns("abcdefg", 6), "abcde…");
  EXPECT_EQ(FitColumns("äöüäöü", 6), "äöüäöü");
  EXPECT_EQ(FitColumns("日本語", 5), "日本…");
  EXPECT_EQ(FitColumns("日本語", 4), "日…");
  EXPECT_EQ(FitColumns("abc", 1), "…");
  EXPECT_EQ(FitColumns("abc", 0), "");
  EXPECT_EQ(FitColumns("", 0), "");
}

TEST(OutputTest, DurationsAndCountsAreShort) {
  EXPECT_EQ(FormatElapsed(absl::Milliseconds(35)), "35ms");
  EXPECT_EQ(FormatElapsed(absl::Milliseconds(4260)), "4.2s");
  EXPECT_EQ(FormatElapsed(absl::Seconds(187)), "3m07s");
  EXPECT_EQ(FormatElapsed(absl::Seconds(3725)), "1h02m");
  EXPECT_EQ(FormatCount(950), "950");
  EXPECT_EQ(FormatCount(3456), "3.4k");
  EXPECT_EQ(FormatCount(1'250'000), "1.2M");
}

TEST(OutputTest, NoColorAndDumbTerminalsAndPipesHaveNoColour) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Terminal terminal = DescribeTerminal(ends[1], {{"TERM", "xterm"}});
  EXPECT_FALSE(terminal.is_tty);
  EXPECT_FALSE(terminal.color);
  close(ends[0]);
  close(ends[1]);
}

TEST(OutputTest, StatusesHaveTheExitCodesOfTheContract) {
  EXPECT_EQ(ReportStatus(absl::InvalidArgumentError("x")), 2);
  EXPECT_EQ(ReportStatus(absl::NotFoundError("x")), 2);
  EXPECT_EQ(ReportStatus(absl::FailedPreconditionError("x")), 2);
  EXPECT_EQ(ReportStatus(absl::CancelledError("x")), 130);
  EXPECT_EQ(ReportStatus(absl::InternalError("x")), 6);
  EXPECT_EQ(ReportStatus(absl::DataLossError("x")), 6);
}

}  // namespace
}  // namespace stile
