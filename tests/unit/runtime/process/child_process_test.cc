#include "runtime/process/child_process.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::HasSubstr;

std::unique_ptr<ChildProcess> Start(std::vector<std::string> argv) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.env = InheritedEnvironment();
  request.grace = absl::Seconds(5);
  auto child = ChildProcess::Start(NewLocalProcessRunner(), std::move(request));
  EXPECT_TRUE(child.ok()) << child.status();
  return std::move(child).value_or(nullptr);
}

TEST(ChildProcessTest, AnswersWhileItRuns) {
  const auto child = Start({"cat"});
  for (const std::string& word : {std::string("one"), std::string(3 << 20, 'x')}) {
    child->Write(word);
    const auto answer = child->ReadExactly(word.size(), absl::Seconds(60));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(*answer, word);
  }
  EXPECT_FALSE(child->Result().has_value());
}

TEST(ChildProcessTest, KeepsWhatArrivesBeforeTheTimeout) {
  const auto child = Start({"sh", "-c", "printf ab; read line; printf c; read line"});
  EXPECT_TRUE(absl::IsDeadlineExceeded(child->ReadExactly(3, absl::Seconds(1)).status()));
  child->Write("go\n");
  EXPECT_EQ(child->ReadExactly(3, absl::Seconds(60)).value_or(""), "abc");
}

TEST(ChildProcessTest, TellsItsEnd) {
  const auto child = Start({"sh", "-c", "read line; exit 7"});
  child->Write("go\n");
  const auto answer = child->ReadExactly(1, absl::Seconds(60));
  EXPECT_TRUE(absl::IsFailedPrecondition(answer.status())) << answer.status();
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("exit status 7"));
  ASSERT_TRUE(child->Result().has_value());
  EXPECT_EQ((*child->Result())->exit_code, 7);
  child->Write("nobody reads this\n");
}

TEST(ChildProcessTest, TellsThatItCannotStart) {
  const auto child = Start({"/nonexistent/program"});
  EXPECT_TRUE(absl::IsNotFound(child->ReadExactly(1, absl::Seconds(60)).status()));
}

TEST(ChildProcessTest, EndsWhenItIsKilled) {
  const auto child = Start({"sleep", "1000"});
  child->Kill();
  EXPECT_TRUE(absl::IsFailedPrecondition(child->ReadExactly(1, absl::Seconds(60)).status()));
}

TEST(ChildProcessTest, ReadsTheEndOfItsInputWhenTheObjectGoes) {
  // `cat` ends by itself then; what ignores its input is killed after the grace.
  Start({"cat"}).reset();
  ProcessRequest request;
  request.argv = {"sh", "-c", "trap '' TERM; while true; do sleep 1000; done"};
  request.env = InheritedEnvironment();
  request.grace = absl::ZeroDuration();
  auto child = ChildProcess::Start(NewLocalProcessRunner(), std::move(request));
  ASSERT_TRUE(child.ok());
  child->reset();
}

TEST(ChildProcessTest, ReadsThroughAnEnd) {
  const auto child =
      Start({"sh", "-c", "printf 'one\\r\\n\\r\\nrest'; read line; printf 'x\\r\\n'"});
  EXPECT_EQ(child->ReadThrough("\r\n\r\n", 100, absl::Seconds(60)).value_or(""), "one\r\n\r\n");
  EXPECT_EQ(child->ReadExactly(4, absl::Seconds(60)).value_or(""), "rest");
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(child->ReadThrough("\r\n", 100, absl::Milliseconds(100)).status()));
  child->Write("go\n");
  EXPECT_EQ(child->ReadThrough("\r\n", 100, absl::Seconds(60)).value_or(""), "x\r\n");
}

TEST(ChildProcessTest, LooksForAnEndInABoundedPart) {
  const auto child = Start({"sh", "-c", "head -c 5000 /dev/zero; read line"});
  const auto answer = child->ReadThrough("\n", 1000, absl::Seconds(60));
  EXPECT_TRUE(absl::IsInvalidArgument(answer.status())) << answer.status();
  EXPECT_EQ(child->ReadExactly(5000, absl::Seconds(60)).value_or("").size(), 5000);
}

TEST(ChildProcessTest, IsKilledForAFloodThatNobodyReads) {
  ProcessRequest request;
  request.argv = {"yes"};
  request.env = InheritedEnvironment();
  auto child = ChildProcess::Start(NewLocalProcessRunner(), std::move(request), 1 << 20);
  ASSERT_TRUE(child.ok());
  const auto answer = (*child)->ReadExactly(2 << 20, absl::Seconds(60));
  EXPECT_TRUE(absl::IsResourceExhausted(answer.status())) << answer.status();
}

}  // namespace
}  // namespace stile
