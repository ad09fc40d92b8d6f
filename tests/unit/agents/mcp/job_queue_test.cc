#include "agents/mcp/job_queue.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using ::testing::ElementsAre;

TEST(JobQueueTest, JobsOfALaneComeInTheirOrder) {
  std::vector<int> order;
  {
    JobQueue queue(4);
    for (int i = 0; i < 5; ++i) queue.Add("a", [&order, i] { order.push_back(i); });
  }
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(JobQueueTest, ALaneThatIsBusyHoldsUpNoOther) {
  absl::Notification other_ran;
  std::atomic<bool> second_of_lane_ran{false};
  JobQueue queue(4);
  queue.Add("a", [&] { other_ran.WaitForNotification(); });
  queue.Add("a", [&] { second_of_lane_ran = true; });
  queue.Add("b", [&] {
    EXPECT_FALSE(second_of_lane_ran);
    other_ran.Notify();
  });
  other_ran.WaitForNotification();
}

TEST(JobQueueTest, JobsWithoutALaneRunAtOnce) {
  absl::Notification met;
  JobQueue queue(2);
  queue.Add("", [&] { met.WaitForNotification(); });
  queue.Add("", [&] { met.Notify(); });
  met.WaitForNotification();
}

}  // namespace
}  // namespace stile
