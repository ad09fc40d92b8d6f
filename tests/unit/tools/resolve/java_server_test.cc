#include "tools/resolve/java_server.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::SizeIs;

class JavaServerTest : public testing::Test {
 protected:
  JavaServerTest() {
    workspace_.Write("A.java", "class A { void go() { go(); } }\n");
    host_.workspace = workspace_.path();
    host_.root = workspace_.path();
    host_.runner = runner_.get();
    host_.environment = InheritedEnvironment();
    host_.list_files = [](const auto& use) { use({"A.java"}); };
    const auto javac = FindExecutable("javac", host_.environment);
    if (javac.ok()) spec_.argv = {*javac};
    spec_.name = "Java";
    spec_.language_id = "java";
    spec_.names_files = ".java";
  }

  void SetUp() override {
    if (spec_.argv.empty()) GTEST_SKIP() << "there is no JDK";
  }

  std::vector<std::string> Folders() const { return *ListDirectory(state_.path()); }

  TempDir workspace_;
  TempDir state_;
  LanguageServerSpec spec_;
  LanguageServerHost host_;
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
};

TEST_F(JavaServerTest, AnswersAfterThePreparation) {
  host_.environment["JDK_JAVAC_OPTIONS"] = "-no-such-option";
  host_.environment["JAVA_TOOL_OPTIONS"] = "-XX:+NoSuchOption";
  const absl::Status prepared = PrepareJavaServer(state_.path(), &spec_, &host_);
  ASSERT_TRUE(prepared.ok()) << prepared;
  auto server = LanguageServer::Start(spec_, host_);
  ASSERT_TRUE(server.ok()) << server.status();
  const auto places = (*server)->References({"A.java", 15}, {});
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_THAT(places->ranges,
              testing::ElementsAre(CodeRange{"A.java", 15, 17}, CodeRange{"A.java", 22, 24}));
}

TEST_F(JavaServerTest, SeveralPrepareAtOnceAndOneIsKept) {
  std::vector<std::thread> threads;
  std::vector<absl::Status> results(3);
  for (absl::Status& result : results) {
    threads.emplace_back([&] {
      LanguageServerSpec spec = spec_;
      LanguageServerHost host = host_;
      result = PrepareJavaServer(state_.path(), &spec, &host);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& result : results) EXPECT_TRUE(result.ok()) << result;
  ASSERT_THAT(Folders(), SizeIs(1));
  const std::string mark = state_.Path(Folders()[0] + "/mark");
  ASSERT_TRUE(DiskFileSystem()->WriteFile(mark, "", 0600, false).ok());
  ASSERT_TRUE(PrepareJavaServer(state_.path(), &spec_, &host_).ok());
  EXPECT_TRUE(FileExists(mark));
}

TEST_F(JavaServerTest, AFailedPreparationLeavesNothing) {
  Cancellation cancelled;
  cancelled.Cancel();
  host_.cancellation = [&cancelled] { return &cancelled; };
  EXPECT_TRUE(absl::IsCancelled(PrepareJavaServer(state_.path(), &spec_, &host_)));
  EXPECT_THAT(Folders(), SizeIs(0));
}

}  // namespace
}  // namespace stile
