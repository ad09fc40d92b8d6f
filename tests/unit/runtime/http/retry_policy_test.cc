#include "runtime/http/retry_policy.h"

#include <gtest/gtest.h>

namespace stile {
namespace {

FailedExchange Failed(int status, std::map<std::string, std::string> headers = {},
                      int retries = 0) {
  FailedExchange exchange;
  exchange.status = status;
  exchange.headers = std::move(headers);
  exchange.retries_done = retries;
  exchange.now = absl::FromUnixSeconds(1'763'719'200);  // Fri, 21 Nov 2025 10:00:00 GMT
  return exchange;
}

TEST(RetryPolicyTest, RetriesWhatMayPassAndNothingElse) {
  for (const int status : {0, 408, 409, 429, 500, 502, 503, 504, 529}) {
    EXPECT_TRUE(RetryWait(Failed(status)).has_value()) << status;
  }
  for (const int status : {301, 400, 401, 402, 403, 404, 413, 422}) {
    EXPECT_FALSE(RetryWait(Failed(status)).has_value()) << status;
  }
}

TEST(RetryPolicyTest, GivesUpAfterAsManyRetriesAsTheTroubleIsWorth) {
  const struct {
    int status;
    int retries;
  } cases[] = {{0, 3}, {408, 5}, {500, 5}, {502, 5}, {429, 12}, {503, 12}, {529, 12}};
  for (const auto& [status, retries] : cases) {
    EXPECT_TRUE(RetryWait(Failed(status, {}, retries - 1)).has_value()) << status;
    EXPECT_FALSE(RetryWait(Failed(status, {}, retries)).has_value()) << status;
  }
  EXPECT_FALSE(RetryWait(Failed(500, {{"x-should-retry", "true"}}, 5)).has_value());
}

TEST(RetryPolicyTest, GivesUpEarlyWhereSomethingElseCanAnswer) {
  FailedExchange exchange = Failed(529, {}, 1);
  exchange.has_alternative = true;
  EXPECT_TRUE(RetryWait(exchange).has_value());
  exchange.retries_done = 2;
  EXPECT_FALSE(RetryWait(exchange).has_value());
}

TEST(RetryPolicyTest, WaitsGrowToTwoMinutes) {
  EXPECT_EQ(RetryWait(Failed(429, {}, 6)), absl::Seconds(32));
  EXPECT_EQ(RetryWait(Failed(429, {}, 8)), absl::Seconds(120));
  EXPECT_EQ(RetryWait(Failed(429, {}, 11)), absl::Seconds(120));
}

TEST(RetryPolicyTest, BacksOffTwiceAsLongEachTimeLessJitter) {
  EXPECT_EQ(RetryWait(Failed(500)), absl::Milliseconds(500));
  EXPECT_EQ(RetryWait(Failed(500, {}, 1)), absl::Milliseconds(1000));
  FailedExchange jittered = Failed(500);
  jittered.jitter = 1;
  EXPECT_EQ(RetryWait(jittered), absl::Milliseconds(375));
}

TEST(RetryPolicyTest, TheServersVerdictOverrulesTheStatus) {
  EXPECT_FALSE(RetryWait(Failed(500, {{"x-should-retry", "false"}})).has_value());
  EXPECT_TRUE(RetryWait(Failed(400, {{"x-should-retry", "true"}})).has_value());
}

TEST(RetryPolicyTest, WaitsAsLongAsTheServerSays) {
  EXPECT_EQ(RetryWait(Failed(429, {{"retry-after", "7"}})), absl::Seconds(7));
  EXPECT_EQ(RetryWait(Failed(429, {{"retry-after-ms", "1500"}, {"retry-after", "7"}})),
            absl::Milliseconds(1500));
  EXPECT_EQ(RetryWait(Failed(429, {{"retry-after", "Fri, 21 Nov 2025 10:00:30 GMT"}})),
            absl::Seconds(30));
  EXPECT_EQ(RetryWait(Failed(429, {{"retry-after", "600"}})), absl::Minutes(10));
}

bool IsWaitedFor(const FailedExchange& exchange) { return MayWait(exchange, *RetryWait(exchange)); }

TEST(RetryPolicyTest, WithoutALimitOfTimeAnHourIsTheLongestWait) {
  EXPECT_TRUE(IsWaitedFor(Failed(429, {{"retry-after", "601"}})));
  EXPECT_TRUE(IsWaitedFor(Failed(429, {{"retry-after", "3600"}})));
  EXPECT_TRUE(IsWaitedFor(Failed(429, {{"retry-after", "Fri, 21 Nov 2025 11:00:00 GMT"}})));
  EXPECT_FALSE(IsWaitedFor(Failed(429, {{"retry-after", "3601"}})));
  EXPECT_FALSE(IsWaitedFor(Failed(429, {{"retry-after", "Fri, 21 Nov 2025 11:00:01 GMT"}})));
  EXPECT_FALSE(IsWaitedFor(Failed(429, {{"retry-after", "1e300"}})));
}

TEST(RetryPolicyTest, WithALimitOfTimeEveryWaitThatEndsBeforeItIsMade) {
  FailedExchange exchange = Failed(429, {{"retry-after", "20000"}});
  exchange.time_left = absl::Seconds(20001);
  EXPECT_TRUE(IsWaitedFor(exchange));
  exchange.time_left = absl::Seconds(20000);
  EXPECT_FALSE(IsWaitedFor(exchange));
  FailedExchange backoff = Failed(429, {}, 6);
  backoff.time_left = absl::Seconds(32);
  EXPECT_FALSE(IsWaitedFor(backoff));
  backoff.time_left = absl::Seconds(33);
  EXPECT_TRUE(IsWaitedFor(backoff));
}

TEST(RetryPolicyTest, WhereSomethingElseCanAnswerTenMinutesAreTheLongestWait) {
  FailedExchange exchange = Failed(429, {{"retry-after", "601"}});
  exchange.has_alternative = true;
  EXPECT_FALSE(IsWaitedFor(exchange));
  exchange.time_left = absl::Hours(9);
  EXPECT_FALSE(IsWaitedFor(exchange));
  exchange.headers["retry-after"] = "600";
  EXPECT_TRUE(IsWaitedFor(exchange));
}

TEST(RetryPolicyTest, IgnoresWaitsThatMakeNoSense) {
  for (const char* value : {"-5", "0", "soon", "nan", "inf", "", "Fri, 21 Nov 2025 09:00:00 GMT"}) {
    EXPECT_EQ(RetryWait(Failed(429, {{"retry-after", value}})), absl::Milliseconds(500)) << value;
  }
}

}  // namespace
}  // namespace stile
