#include "runtime/process/local_socket.h"

#include <future>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

std::string Doubled(const std::string& request, const Cancellation& /*cancellation*/) {
  return request + request;
}

class LocalSocketTest : public ::testing::Test {
 protected:
  TempDir folder_;
  const std::string path_ = folder_.Path("socket");
};

TEST_F(LocalSocketTest, AnswersOneRequestAfterTheOther) {
  const auto server = LocalServer::Open(path_, Doubled);
  ASSERT_TRUE(server.ok()) << server.status();
  for (const size_t size : {size_t{1}, size_t{100'000}, size_t{8} << 20}) {
    const std::string request(size, 'x');
    const auto answer = AskLocalServer(path_, request, nullptr);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->size(), 2 * size);
  }
}

TEST_F(LocalSocketTest, TakesAPathLongerThanAnAddress) {
  folder_.MakeDir(std::string(120, 'd'));
  const std::string deep = folder_.Path(std::string(120, 'd'));
  const auto server = LocalServer::Open(deep + "/socket", Doubled);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_EQ(*AskLocalServer(deep + "/socket", "ab", nullptr), "abab");
}

TEST_F(LocalSocketTest, ServesManyWhoAskAtOnce) {
  const auto server = LocalServer::Open(path_, Doubled);
  ASSERT_TRUE(server.ok());
  std::vector<std::future<std::string>> answers;
  for (int i = 0; i < 20; ++i) {
    answers.push_back(std::async(std::launch::async, [this, i] {
      return AskLocalServer(path_, std::to_string(i), nullptr).value_or("none");
    }));
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(answers[i].get(), std::to_string(i) + std::to_string(i));
}

TEST_F(LocalSocketTest, GoesAwayWithItsServer) {
  {
    const auto server = LocalServer::Open(path_, Doubled);
    ASSERT_TRUE(server.ok());
    EXPECT_EQ(LocalServer::Open(path_, Doubled).status().code(), absl::StatusCode::kAlreadyExists);
    EXPECT_TRUE(folder_.Exists("socket"));
  }
  EXPECT_FALSE(folder_.Exists("socket"));
  EXPECT_EQ(AskLocalServer(path_, "a", nullptr).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(AskLocalServer(folder_.Path("none/socket"), "a", nullptr).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_FALSE(LocalServer::Open(folder_.Path("none/socket"), Doubled).ok());
}

TEST_F(LocalSocketTest, AnEmptyAnswerIsNone) {
  const auto server = LocalServer::Open(
      path_, [](const std::string&, const Cancellation&) { return std::string(); });
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(AskLocalServer(path_, "a", nullptr).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(LocalSocketTest, AWaitingRequestCanBeCancelled) {
  std::promise<void> asked;
  std::promise<void> go_on;
  const auto server =
      LocalServer::Open(path_, [&](const std::string& request, const Cancellation&) {
        asked.set_value();
        go_on.get_future().wait();
        return request;
      });
  ASSERT_TRUE(server.ok());
  Cancellation cancellation;
  auto answer = std::async(std::launch::async,
                           [&] { return AskLocalServer(path_, "a", &cancellation).status(); });
  asked.get_future().wait();
  cancellation.Cancel();
  EXPECT_EQ(answer.get().code(), absl::StatusCode::kCancelled);
  go_on.set_value();
}

TEST_F(LocalSocketTest, EndsTheWorkForAPeerThatIsGone) {
  const auto server =
      LocalServer::Open(path_, [&](const std::string& request, const Cancellation& cancellation) {
        if (request == "wait") cancellation.WaitFor(absl::Hours(1));
        return request;
      });
  ASSERT_TRUE(server.ok());
  Cancellation gone;
  auto first =
      std::async(std::launch::async, [&] { return AskLocalServer(path_, "wait", &gone).status(); });
  auto second = std::async(std::launch::async,
                           [&] { return AskLocalServer(path_, "next", nullptr).value_or(""); });
  gone.Cancel();
  EXPECT_EQ(first.get().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(second.get(), "next");
}

TEST_F(LocalSocketTest, EndsTheWorkWithTheServer) {
  std::promise<void> asked;
  auto server = LocalServer::Open(path_, [&](const std::string&, const Cancellation& cancellation) {
    asked.set_value();
    cancellation.WaitFor(absl::Hours(1));
    return std::string("late");
  });
  ASSERT_TRUE(server.ok());
  auto answer =
      std::async(std::launch::async, [&] { return AskLocalServer(path_, "a", nullptr).status(); });
  asked.get_future().wait();
  server->reset();
  EXPECT_EQ(answer.get().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace stile
