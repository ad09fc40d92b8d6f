#include "runtime/coverage/shown_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/sandbox/sandboxed_runner.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class ShownCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"ws", "ws/packages", "copy", "copy/src"}) dir_.MakeDir(folder);
    dir_.Write("ws/packages/a", "package\n");
    dir_.Write("ws/price", "present\n");
    dir_.Write("copy/src/price", "planted\n");
    ASSERT_EQ(symlink(dir_.Path("ws/packages").c_str(), dir_.Path("copy/packages").c_str()), 0);
    ASSERT_EQ(symlink("src/price", dir_.Path("copy/link").c_str()), 0);
  }

  TempDir dir_;
  std::unique_ptr<ProcessRunner> local_ = NewLocalProcessRunner();
};

TEST_F(ShownCopyTest, FoldersOfTheWorkspaceKeepTheirPlaces) {
  const auto places = MirrorCopy(dir_.Path("copy"), dir_.Path("ws"), dir_.Path("mirror"));
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_THAT(*places, ElementsAre(Pair(dir_.Path("ws"), dir_.Path("mirror")),
                                   Pair(dir_.Path("ws/packages"), dir_.Path("ws/packages"))));
  EXPECT_EQ(dir_.Read("mirror/src/price"), "planted\n");
  EXPECT_EQ(ReadLink(dir_.Path("mirror/link")).value_or(""), "src/price");
  EXPECT_TRUE(DirectoryExists(dir_.Path("mirror/packages")));
  EXPECT_FALSE(FileExists(dir_.Path("mirror/packages/a")));
}

TEST_F(ShownCopyTest, ProgramsInASandboxSeeTheMirrorAtTheWorkspace) {
  const auto program = FindExecutable("bwrap", InheritedEnvironment());
  ASSERT_TRUE(program.ok()) << program.status();
  SandboxPolicy policy;
  policy.read_only = {dir_.Path("ws")};
  SandboxedRunner runner(*program, policy, local_.get());
  EXPECT_TRUE(
      CheckReplacement(&runner, InheritedEnvironment(), dir_.Path("ws"), dir_.Path("scratch"))
          .ok());
  const auto places = MirrorCopy(dir_.Path("copy"), dir_.Path("ws"), dir_.Path("mirror"));
  ASSERT_TRUE(places.ok()) << places.status();
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", "cat link packages/a; pwd -P; echo new > src/made"};
  request.cwd = dir_.Path("ws");
  request.env = InheritedEnvironment();
  request.replaced = *places;
  const auto result = runner.Run(request);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->out, "planted\npackage\n" + dir_.Path("ws") + "\n") << result->err;
  EXPECT_EQ(dir_.Read("mirror/src/made"), "new\n");
  EXPECT_FALSE(FileExists(dir_.Path("ws/src")));
  EXPECT_EQ(dir_.Read("ws/price"), "present\n");
}

TEST_F(ShownCopyTest, WithoutASandboxNothingIsReplaced) {
  const absl::Status status =
      CheckReplacement(local_.get(), InheritedEnvironment(), dir_.Path("ws"), dir_.Path("scratch"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

}  // namespace
}  // namespace stile
