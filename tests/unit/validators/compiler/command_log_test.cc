#include "validators/compiler/command_log.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

std::string Shout(absl::string_view line) {
  return line == "hidden" ? "" : absl::StrCat(line, "!");
}

class CommandLogTest : public testing::Test {
 protected:
  // What a shell command leaves in the log.
  std::string LogOf(const std::string& script,
                    std::string (*readable)(absl::string_view) = nullptr) {
    CommandLog log([this](absl::string_view piece) { absl::StrAppend(&text_, piece); }, "make it",
                   readable);
    ProcessRequest request;
    request.argv = {"/bin/sh", "-c", script};
    request.env = {{"PATH", "/usr/bin:/bin"}};
    log.Attach(&request);
    log.End(NewLocalProcessRunner()->Run(request));
    return text_;
  }
  std::string text_;
};

TEST_F(CommandLogTest, HoldsBothStreamsAndAnEndWithoutSuccess) {
  EXPECT_EQ(LogOf("echo out; exec >&2; echo err; exit 3"),
            "$ make it\nout\nerr\n[exit status 3]\n");
}

TEST_F(CommandLogTest, AddsTheLastLineBreak) {
  EXPECT_EQ(LogOf("printf word"), "$ make it\nword\n");
}

TEST_F(CommandLogTest, TranslatesWholeLinesOfStdout) {
  EXPECT_EQ(LogOf("printf 'a'; sleep 0.1; printf 'b\\nhidden\\nc'", Shout), "$ make it\nab!\nc!\n");
}

TEST_F(CommandLogTest, IsNotCutAsOutputIs) {
  EXPECT_GT(LogOf("head -c 20000000 /dev/zero | tr '\\0' x").size(), 20'000'000u);
}

TEST_F(CommandLogTest, SaysWhatDidNotStart) {
  CommandLog log([this](absl::string_view piece) { absl::StrAppend(&text_, piece); }, "make it");
  log.Add(absl::NotFoundError("there is no make"));
  EXPECT_EQ(text_, "$ make it\n[there is no make]\n");
  CommandLog(nullptr, "nothing").Add(absl::NotFoundError("nothing"));
}

}  // namespace
}  // namespace stile
