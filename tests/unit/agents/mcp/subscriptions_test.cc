#include "agents/mcp/subscriptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// The URIs that a stream got; "end" for its end.
class Received {
 public:
  NoticeStream::Reply Stream() {
    return [this](const Json& message) {
      uris_.push_back(message.is_null() ? "end" : message["params"]["uri"].get<std::string>());
    };
  }
  std::vector<std::string> Take() { return std::exchange(uris_, {}); }

 private:
  std::vector<std::string> uris_;
};

TEST(NoticeStreamTest, UpdatesWaitForAStream) {
  NoticeStream notices;
  Received received;
  notices.SendUpdated("a");
  notices.SendUpdated("b");
  notices.SendUpdated("a");
  notices.Attach(received.Stream());
  EXPECT_THAT(received.Take(), ElementsAre("a", "b"));
  notices.SendUpdated("a");
  EXPECT_THAT(received.Take(), ElementsAre("a"));
}

TEST(NoticeStreamTest, ASecondStreamEndsTheFirstAndGetsItsUpdatesAgain) {
  NoticeStream notices;
  Received first;
  Received second;
  const int name = notices.Attach(first.Stream());
  notices.SendUpdated("a");
  notices.Attach(second.Stream());
  EXPECT_THAT(first.Take(), ElementsAre("a", "end"));
  EXPECT_THAT(second.Take(), ElementsAre("a"));
  notices.Detach(name);  // too late: the second one stays
  EXPECT_TRUE(notices.is_attached());
  notices.SendUpdated("b");
  EXPECT_THAT(first.Take(), IsEmpty());
  EXPECT_THAT(second.Take(), ElementsAre("b"));
}

TEST(NoticeStreamTest, UpdatesOfABrokenStreamAreSentAgain) {
  NoticeStream notices;
  Received first;
  Received second;
  const int name = notices.Attach(first.Stream());
  notices.SendUpdated("a");
  notices.Detach(name);
  EXPECT_FALSE(notices.is_attached());
  notices.SendUpdated("b");
  notices.Attach(second.Stream());
  EXPECT_THAT(second.Take(), UnorderedElementsAre("a", "b"));
}

TEST(NoticeStreamTest, AResourceThatIsForgottenIsNotSent) {
  NoticeStream notices;
  Received received;
  notices.SendUpdated("a");
  notices.Forget("a");
  const int name = notices.Attach(received.Stream());
  EXPECT_THAT(received.Take(), IsEmpty());
  notices.SendUpdated("b");
  notices.Forget("b");
  notices.Detach(name);
  notices.Attach(received.Stream());
  EXPECT_THAT(received.Take(), ElementsAre("b"));
}

TEST(NoticeStreamTest, NoStreamBeginsAfterTheEnd) {
  NoticeStream notices;
  Received first;
  Received second;
  notices.Attach(first.Stream());
  notices.Close();
  notices.SendUpdated("a");
  notices.Attach(second.Stream());
  EXPECT_THAT(first.Take(), ElementsAre("end"));
  EXPECT_THAT(second.Take(), ElementsAre("end"));
}

}  // namespace
}  // namespace stile
