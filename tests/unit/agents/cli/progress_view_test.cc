#include "agents/cli/progress_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_clock.h"

namespace stile {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class ProgressViewTest : public ::testing::Test {
 protected:
  void Start(bool tty, bool verbose = false, bool color = false) {
    ProgressView::Options options;
    options.terminal = {tty, color, 80};
    options.verbose = verbose;
    options.max_turns = 9;
    options.terminal.clears = true;
    options.columns = [this] { return columns_; };
    view_.emplace(options, &clock_, [this](absl::string_view text) {
      text_.append(text.data(), text.size());
      ++writes_;
    });
  }
  void Emit(EventType type, Json data) {
    view_->OnEvent({type, ++seq_, clock_.Now(), "run-1", std::move(data)});
  }
  void Tool(const std::string& tool, Json arguments, bool ok, const std::string& observation = "") {
    Emit(EventType::kToolStarted,
         {{"turn", 1}, {"call", 0}, {"tool", tool}, {"arguments", std::move(arguments)}});
    Emit(EventType::kToolFinished, {{"turn", 1},
                                    {"call", 0},
                                    {"tool", tool},
                                    {"ok", ok},
                                    {"observation", observation},
                                    {"duration_ms", 12}});
  }
  void Validation(const std::string& verdict, int failures) {
    Emit(EventType::kValidationFinished,
         {{"verdict", verdict},
          {"failures", failures},
          {"duration_ms", 5},
          {"targets", Json::array({{{"validator", "py-compile"},
                                    {"root", "."},
                                    {"errors", failures},
                                    {"message", ""},
                                    {"first_errors", Json::array({"a.py:1: error: bad"})}}})}});
  }

  FakeClock clock_;
  std::string text_;
  int writes_ = 0;
  int columns_ = 80;
  uint64_t seq_ = 0;
  std::optional<ProgressView> view_;
};

TEST_F(ProgressViewTest, EachToolCallIsALine) {
  Start(false);
  Tool("file.write", {{"path", "a.py"}, {"content", "x"}}, true);
  Tool("shell.execute", {{"command", "make\nall"}}, false, "exit status 2\nmore");
  EXPECT_EQ(text_, "✓ file.write a.py  12ms\n✗ shell.execute make all  12ms\n    exit status 2\n");
}

TEST_F(ProgressViewTest, ValidationsShowTheirFirstErrors) {
  Start(false);
  Validation("fail", 2);
  EXPECT_EQ(text_, "✗ validation fail: py-compile 2 errors  5ms\n    a.py:1: error: bad\n");
}

TEST_F(ProgressViewTest, WhatTheGateSaysOfACallIsSaidOnce) {
  Start(false);
  Emit(EventType::kToolStarted,
       {{"call", 0}, {"tool", "code.validate"}, {"arguments", Json::object()}});
  Validation("pass", 0);
  Emit(EventType::kToolFinished, {{"call", 0}, {"tool", "code.validate"}, {"ok", true}});
  EXPECT_THAT(text_, testing::Not(HasSubstr("code.validate")));
  text_.clear();
  Tool("file.write", {{"path", "a.py"}}, true);
  EXPECT_EQ(text_, "✓ file.write a.py  12ms\n");
}

TEST_F(ProgressViewTest, RejectionsNameWhatRemains) {
  Start(false);
  Emit(EventType::kGateRejected,
       {{"reason", "not validated"}, {"remaining", {"1", "2", "3", "4", "5", "6", "7"}}});
  EXPECT_THAT(text_, HasSubstr("✗ gate rejected: not validated\n    1\n"));
  EXPECT_THAT(text_, EndsWith("    5\n    … and 2 more\n"));
}

TEST_F(ProgressViewTest, WithoutATerminalThereIsNoStatusLine) {
  Start(false);
  clock_.Advance(absl::Seconds(5));
  view_->Tick();
  EXPECT_EQ(text_, "");
}

TEST_F(ProgressViewTest, TheStatusLineTellsTurnToolGateTimeAndTokens) {
  Start(true);
  Emit(EventType::kTurnStarted, {{"turn", 3}});
  Emit(EventType::kModelResponse,
       {{"turn", 3}, {"reply", {{"usage", {{"input_tokens", 1500}, {"output_tokens", 100}}}}}});
  Emit(EventType::kWorkspaceChanged, {{"changes", Json::array()}, {"workspace_sha256", ""}});
  Emit(EventType::kToolStarted, {{"turn", 3},
                                 {"call", 0},
                                 {"tool", "shell.execute"},
                                 {"arguments", {{"command", "npm test"}}}});
  clock_.Advance(absl::Seconds(65));
  view_->Tick();
  EXPECT_THAT(text_,
              EndsWith("turn 3/9 · shell.execute npm test · gate dirty · 65s · 1.6k tokens\r"));
}

TEST_F(ProgressViewTest, TheStatusLineCountsFailuresAndFits) {
  Start(true);
  Validation("fail", 2);
  Emit(EventType::kToolStarted, {{"turn", 3},
                                 {"call", 0},
                                 {"tool", "shell.execute"},
                                 {"arguments", {{"command", std::string(300, 'x')}}}});
  text_.clear();
  clock_.Advance(absl::Seconds(1));
  view_->Tick();
  EXPECT_THAT(text_, EndsWith("1s · 0 tokens\r"));
  text_.pop_back();
  const std::string line = text_.substr(text_.rfind('\r') + 1);
  EXPECT_LT(line.size(), 90u);
}

TEST_F(ProgressViewTest, ItIsDrawnAtMostTenTimesASecond) {
  Start(true);
  view_->Tick();
  const int drawn = writes_;
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(absl::Microseconds(500));
    view_->Tick();
  }
  EXPECT_EQ(writes_, drawn);
}

TEST_F(ProgressViewTest, NoEscapeSequenceIsNeededForTheStatusLine) {
  Start(true);
  view_->Tick();
  Tool("file.read", {{"path", "a"}}, true);
  clock_.Advance(absl::Seconds(1));
  view_->Tick();
  view_.reset();
  EXPECT_THAT(text_, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text_, EndsWith("\r"));
}

TEST_F(ProgressViewTest, UntilTheFirstTurnTheWorkspaceIsRead) {
  Start(true);
  view_->Tick();
  EXPECT_EQ(text_, "reading the workspace · 0s · 0 tokens\r");
  clock_.Advance(absl::Seconds(1));
  Emit(EventType::kRunStarted, {{"workspace", "/w"}});
  EXPECT_THAT(text_, EndsWith("reading the workspace · 1s · 0 tokens\r"));
  clock_.Advance(absl::Seconds(1));
  Emit(EventType::kTurnStarted, {{"turn", 1}});
  EXPECT_THAT(text_, EndsWith("\rturn 1/9 · gate clean · 2s · 0 tokens\r"));
}

TEST_F(ProgressViewTest, EachStepOfAStoryReadsTheWorkspace) {
  Start(true);
  for (int step : {1, 2}) {
    clock_.Advance(absl::Seconds(1));
    Emit(EventType::kStepStarted, {{"step", step}, {"name", "add"}});
    EXPECT_THAT(text_, EndsWith(absl::StrCat("step ", step, " add · reading the workspace · ",
                                             2 * step - 1, "s · 0 tokens\r")));
    clock_.Advance(absl::Seconds(1));
    Emit(EventType::kTurnStarted, {{"step", step}, {"turn", 1}});
    EXPECT_THAT(text_, HasSubstr(absl::StrCat("step ", step, " add · turn 1/9")));
    Emit(EventType::kStepFinished, {{"step", step}, {"name", "add"}, {"outcome", "succeeded"}});
  }
}

TEST_F(ProgressViewTest, AWindowThatBecameNarrowerIsCleared) {
  Start(true);
  view_->Tick();
  text_.clear();
  columns_ = 20;
  clock_.Advance(absl::Seconds(1));
  view_->Tick();
  // The old line may stand on four lines now.
  EXPECT_EQ(text_,
            "\r\x1b[K\x1b[B\x1b[K\x1b[B\x1b[K\x1b[B\x1b[K\x1b[3A"
            "reading t… · 1s · …\r");
  // Wider again: the line is as long as it may be, and nothing needs an escape sequence.
  text_.clear();
  columns_ = 60;
  clock_.Advance(absl::Seconds(1));
  view_->Tick();
  EXPECT_EQ(text_,
            absl::StrCat("\r", std::string(19, ' '), "\rreading the workspace · 2s · 0 tokens\r"));
}

// A terminal may be narrower already than it says: then nothing may wrap.
TEST_F(ProgressViewTest, WhereEscapeSequencesAreFineNothingWraps) {
  Start(true, /*verbose=*/false, /*color=*/true);
  view_->Tick();
  EXPECT_EQ(text_.substr(0, 5), "\x1b[?7l");
  EXPECT_THAT(text_, EndsWith("\x1b[?7h\r"));
  text_.clear();
  view_.reset();
  EXPECT_EQ(text_, "\r\x1b[K");
}

TEST_F(ProgressViewTest, AVeryNarrowWindowShowsWhatFits) {
  Start(true);
  for (const int columns : {12, 3, 1, 0}) {
    text_.clear();
    columns_ = columns;
    clock_.Advance(absl::Seconds(1));
    view_->Tick();
    EXPECT_THAT(text_, EndsWith("\r"));
    Tool("file.read", {{"path", "a"}}, true);
  }
}

TEST_F(ProgressViewTest, AStopIsSaidAtOnce) {
  Start(true);
  Emit(EventType::kTurnStarted, {{"turn", 1}});
  view_->SetStopping();
  clock_.Advance(absl::Seconds(1));
  view_->Tick();
  EXPECT_THAT(
      text_,
      EndsWith("stopping; Ctrl-C again ends it at once · turn 1/9 · gate cle… · 1s · 0 tokens\r"));
}

TEST_F(ProgressViewTest, NothingIsDrawnWhileSuspended) {
  Start(true);
  view_->Suspend();
  clock_.Advance(absl::Seconds(1));
  view_->Tick();
  EXPECT_EQ(text_, "");
  view_->Resume();
  EXPECT_THAT(text_, HasSubstr("reading the workspace"));
}

TEST_F(ProgressViewTest, WhatTheModelSaysIsShownWhenVerboseAndMadeHarmless) {
  Start(false, /*verbose=*/true);
  Emit(EventType::kModelDelta, {{"text", "I will \x1b[31m"}});
  Tool("file.read", {{"path", "a\x1b"}}, true);
  EXPECT_EQ(text_, "I will ^[[31m\n✓ file.read a^[  12ms\n");
  text_.clear();
  Start(false, /*verbose=*/false);
  Emit(EventType::kModelDelta, {{"text", "words"}});
  EXPECT_EQ(text_, "");
}

TEST_F(ProgressViewTest, TextOfAReplyThatBrokeOffIsMarkedAsNotCounting) {
  for (const bool discards : {true, false}) {
    text_.clear();
    Start(false, /*verbose=*/true);
    Emit(EventType::kModelDelta, {{"text", "I read"}});
    Emit(EventType::kModelNotice, {{"text", "the reply broke off"}, {"discard_text", discards}});
    Emit(EventType::kModelDelta, {{"text", "I read"}});
    EXPECT_EQ(text_, absl::StrCat("I read\n! the reply broke off",
                                  discards ? "; the text above does not count" : "", "\nI read"));
  }
}

TEST_F(ProgressViewTest, EventsOfAnyShapeAreSurvived) {
  Start(true, /*verbose=*/true);
  for (const EventType type : AllEventTypes()) {
    for (const Json& value : std::vector<Json>{nullptr,
                                               3,
                                               "x",
                                               Json::array({1, nullptr}),
                                               {{"targets", 1}},
                                               {{"targets", {1, "x"}}}}) {
      Json data = Json::object();
      for (const char* field : RequiredEventFields(type)) data[field] = value;
      Emit(type, data);
    }
    Emit(type, nullptr);
  }
}

TEST(DescribeCallTest, ShowsTheArgumentThatSaysMost) {
  EXPECT_EQ(DescribeCall("file.read", {{"path", "a"}, {"startLine", 1}}), "file.read a");
  EXPECT_EQ(DescribeCall("code.validate", Json::object()), "code.validate");
  EXPECT_EQ(DescribeCall("x", nullptr), "x");
  EXPECT_EQ(DescribeCall("code.refactor", {{"operation", "rename"}, {"symbolName", "Order"}}),
            "code.refactor rename Order");
}

}  // namespace
}  // namespace stile
