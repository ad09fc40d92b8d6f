#include "agents/api/tracked_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TrackedFilesTest : public ::testing::Test {
 protected:
  void Git(std::vector<std::string> arguments) {
    ProcessRequest request;
    request.argv = {"git", "-C", dir_.path()};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.env = InheritedEnvironment();
    const auto result = runner_->Run(request);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_TRUE(result->ok()) << result->err;
  }

  std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  TempDir dir_;
  // Stamps of the disk are those of the machine; a minute later they are all old.
  FakeClock clock_{absl::Now() + absl::Minutes(1)};
};

TEST_F(TrackedFilesTest, FollowsTheIndex) {
  Git({"init", "-q"});
  TrackedFiles tracked(runner_.get(), &clock_, dir_.path());
  EXPECT_THAT(tracked.Get(), IsEmpty());
  dir_.Write("b", "x");
  dir_.Write("sub/a", "x");
  Git({"add", "b"});
  EXPECT_THAT(tracked.Get(), ElementsAre("b"));
  Git({"add", "sub/a"});
  EXPECT_THAT(tracked.Get(), ElementsAre("b", "sub/a"));
  TrackedFiles inner(runner_.get(), &clock_, dir_.Path("sub"));
  EXPECT_THAT(inner.Get(), ElementsAre("a"));
}

TEST_F(TrackedFilesTest, IsEmptyWithoutARepository) {
  TrackedFiles tracked(runner_.get(), &clock_, dir_.path());
  EXPECT_THAT(tracked.Get(), IsEmpty());
  EXPECT_THAT(tracked.Get(), IsEmpty());
}

}  // namespace
}  // namespace stile
