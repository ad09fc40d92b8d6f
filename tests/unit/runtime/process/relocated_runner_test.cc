#include "runtime/process/relocated_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Keeps what it is asked to run, and answers with fixed words.
class WordyRunner : public ProcessRunner {
 public:
  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override {
    asked = request;
    ProcessResult result;
    result.out = out;
    result.err = err;
    return result;
  }

  ProcessRequest asked;
  std::string out;
  std::string err;
};

class RelocatedRunnerTest : public ::testing::Test {
 protected:
  ProcessResult Run(const ProcessRequest& request) {
    RelocatedRunner runner(&base_, {{"/state/copy-1/tree", "/home/me/shop"}},
                           {{"/home/me/shop", "/state/copy-1/shown"}});
    return runner.Run(request).value_or(ProcessResult());
  }

  WordyRunner base_;
};

TEST_F(RelocatedRunnerTest, ProgramsGetThePathsOfThePlaces) {
  ProcessRequest request;
  request.argv = {"cc", "-I/state/copy-1/tree/include", "-DROOT=\"/state/copy-1/tree\"",
                  "/state/copy-1/tree2/other.c", "/state/copy-1/tree.c"};
  request.cwd = "/state/copy-1/tree/src";
  request.env = {{"PWD", "/state/copy-1/tree"}};
  request.stdin_text = "/state/copy-1/tree/a.c\n/state/copy-1/tree/b.c\n";
  request.writable = {"/state/copy-1/tree"};
  Run(request);
  EXPECT_THAT(base_.asked.argv,
              ElementsAre("cc", "-I/home/me/shop/include", "-DROOT=\"/home/me/shop\"",
                          "/state/copy-1/tree2/other.c", "/state/copy-1/tree.c"));
  EXPECT_EQ(base_.asked.cwd, "/home/me/shop/src");
  EXPECT_EQ(base_.asked.env["PWD"], "/home/me/shop");
  EXPECT_EQ(base_.asked.stdin_text, "/home/me/shop/a.c\n/home/me/shop/b.c\n");
  EXPECT_THAT(base_.asked.writable, ElementsAre("/state/copy-1/tree"));
  EXPECT_THAT(base_.asked.replaced, ElementsAre(Pair("/home/me/shop", "/state/copy-1/shown")));
}

TEST_F(RelocatedRunnerTest, OutputsGetThePathsOfTheFolders) {
  base_.out = "/home/me/shop/a.c:1:2: error: x\nin /home/me/shop. Or /home/me/shopping/b.c\n";
  base_.err = "('/home/me/shop/c.py') D/home/me/shop";
  const ProcessResult result = Run(ProcessRequest());
  EXPECT_EQ(result.out,
            "/state/copy-1/tree/a.c:1:2: error: x\nin /state/copy-1/tree. Or "
            "/home/me/shopping/b.c\n");
  EXPECT_EQ(result.err, "('/state/copy-1/tree/c.py') D/state/copy-1/tree");
}

}  // namespace
}  // namespace stile
