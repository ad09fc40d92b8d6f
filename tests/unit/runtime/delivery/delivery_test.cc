#include "runtime/delivery/delivery.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/sha256.h"
#include "runtime/certificate/certificate.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

// Whoever asks git for the parents of a commit gets an error.
class ForgetfulRunner : public ProcessRunner {
 public:
  explicit ForgetfulRunner(ProcessRunner* runner) : runner_(runner) {}
  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override {
    const bool asks = std::any_of(
        request.argv.begin(), request.argv.end(),
        [](const std::string& word) { return word == "rev-list" || absl::EndsWith(word, "^"); });
    if (!asks) return runner_->Run(request);
    return absl::UnavailableError("no process could be started");
  }

 private:
  ProcessRunner* const runner_;
};

class DeliveryTest : public ::testing::Test {
 protected:
  DeliveryTest() {
    Git({"init", "-q", "-b", "main"});
    Git({"config", "user.name", "T"});
    Git({"config", "user.email", "t@example.com"});
  }

  std::string Git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "git");
    ProcessRequest request;
    request.argv = std::move(arguments);
    request.cwd = dir_.path();
    request.env = InheritedEnvironment();
    const auto result = runner_->Run(request);
    EXPECT_TRUE(result.ok() && result->ok()) << request.argv[1];
    return result.ok() ? result->out : "";
  }
  void Commit(const std::string& text, const std::string& message) {
    dir_.Write("a", text);
    Git({"add", "-A"});
    Git({"commit", "-q", "-m", message});
  }
  Delivery Find(ProcessRunner* runner) {
    const auto repository = Repository::Open(runner, dir_.path());
    EXPECT_TRUE(repository.ok()) << repository.status();
    return FindDelivered(*repository, {{"a", "same"}, "r1", dir_.path(), {}});
  }

  TempDir dir_;
  std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
};

TEST_F(DeliveryTest, FindsTheCommitOfAStory) {
  Commit("1", "start");
  EXPECT_EQ(Find(runner_.get()).commit, "");
  Commit("2", "title\n\nStile-Run: r1\n");
  const Delivery found = Find(runner_.get());
  EXPECT_EQ(found.commit + "\n", Git({"rev-parse", "HEAD"}));
  EXPECT_EQ(found.files, 1u);
}

TEST_F(DeliveryTest, FindsTheCommitThoughTheIndexStayedBehind) {
  Commit("1", "start");
  Commit("2", "title\n\nStile-Run: r1\n");
  Git({"update-index", "--force-remove", "a"});
  dir_.Write(".git/index.lock", "");
  const Delivery found = Find(runner_.get());
  EXPECT_EQ(found.commit + "\n", Git({"rev-parse", "HEAD"})) << found.problem;
  EXPECT_THAT(found.warning, HasSubstr("git's index was in use"));
}

TEST_F(DeliveryTest, OnlyACommitWithoutParentsIsTakenForTheFirst) {
  Commit("1", "start");
  Commit("2", "title\n\nStile-Run: r1\n");
  dir_.Write("a", "edited since");
  const std::string head = Git({"rev-parse", "HEAD"});
  ForgetfulRunner forgetful(runner_.get());
  const Delivery failed = Find(&forgetful);
  EXPECT_EQ(failed.reason, StopReason::kInternal);
  EXPECT_THAT(failed.problem, HasSubstr("no process could be started"));
  EXPECT_EQ(Git({"rev-parse", "HEAD"}), head);
  const Delivery taken_back = Find(runner_.get());
  EXPECT_EQ(taken_back.reason, StopReason::kGateFailed);
  EXPECT_EQ(Git({"log", "--format=%s"}), "start\n");
}

TEST_F(DeliveryTest, CertificatesThatNobodyCouldReadAreNotAttached) {
  Commit("1", "start");
  const auto repository = Repository::Open(runner_.get(), dir_.path());
  const std::string half(kMaxCertificateBytes / 2 + 1, 'x');
  std::vector<RunResult::CertificateRef> certificates;
  for (const char* name : {"one", "two"}) {
    const std::string text = name + half;
    dir_.Write(name, text);
    certificates.push_back({dir_.Path(name), Sha256Hex(text)});
  }
  EXPECT_TRUE(absl::IsResourceExhausted(AttachCertificates(*repository, "HEAD", certificates)));
  certificates.pop_back();
  EXPECT_TRUE(AttachCertificates(*repository, "HEAD", certificates).ok());
}

}  // namespace
}  // namespace stile
