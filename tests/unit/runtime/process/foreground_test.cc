#include "runtime/process/foreground.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

class ForegroundTest : public ::testing::Test {
 protected:
  ForegroundTest() {
    folder_.Write("in", "a line\n");
    streams_.in = open((folder_.path() + "/in").c_str(), O_RDONLY | O_CLOEXEC);
    streams_.out = open((folder_.path() + "/out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    streams_.err = open((folder_.path() + "/err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  }
  ~ForegroundTest() override {
    for (const int fd : {streams_.in, streams_.out, streams_.err}) close(fd);
  }

  absl::StatusOr<ProcessResult> Run(const std::string& script) {
    ProcessRequest request;
    request.argv = {"sh", "-c", script};
    request.env = InheritedEnvironment();
    request.timeout = absl::Seconds(60);
    return RunInForeground(request, streams_);
  }

  TempDir folder_;
  StandardStreams streams_;
};

TEST_F(ForegroundTest, TheProgramHasTheStreams) {
  const auto result = Run("cat; echo problem >&2; exit 3");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->out, "");
  EXPECT_EQ(folder_.Read("out"), "a line\n");
  EXPECT_EQ(folder_.Read("err"), "problem\n");
  EXPECT_GE(fcntl(streams_.out, F_GETFD), 0) << "the streams stay open here";
}

TEST_F(ForegroundTest, NothingOfItIsLeft) {
  const auto result = Run("sleep 1000 & exit 0");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->leftovers, 1);
}

TEST_F(ForegroundTest, AClosedStreamIsAnError) {
  const int out = streams_.out;
  streams_.out = 1000;
  EXPECT_EQ(Run("true").status().code(), absl::StatusCode::kFailedPrecondition);
  streams_.out = out;
}

}  // namespace
}  // namespace stile
