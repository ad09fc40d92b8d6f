#include "validators/test_runner/test_run.h"

#include <gtest/gtest.h>

namespace stile {
namespace {

// Verdicts of the attempts, in order.
class Attempts {
 public:
  explicit Attempts(std::vector<Verdict> verdicts) : verdicts_(std::move(verdicts)) {}
  Verdict Run(bool failure_is_expected) {
    ValidationRequest request;
    request.failure_is_expected = failure_is_expected;
    return WithOneRepeat(request,
                         [this]() -> absl::StatusOr<ValidationResult> {
                           ValidationResult result;
                           result.verdict = verdicts_.at(count++);
                           return result;
                         })
        ->verdict;
  }
  size_t count = 0;

 private:
  const std::vector<Verdict> verdicts_;
};

TEST(WithOneRepeatTest, AFailureIsRepeatedOnce) {
  Attempts flaky({Verdict::kFail, Verdict::kPass});
  EXPECT_EQ(flaky.Run(false), Verdict::kFlakyPass);
  Attempts broken({Verdict::kFail, Verdict::kFail});
  EXPECT_EQ(broken.Run(false), Verdict::kFail);
  EXPECT_EQ(broken.count, 2u);
  Attempts fine({Verdict::kPass});
  EXPECT_EQ(fine.Run(false), Verdict::kPass);
}

TEST(WithOneRepeatTest, AnExpectedFailureIsNotRepeated) {
  Attempts broken({Verdict::kFail, Verdict::kPass});
  EXPECT_EQ(broken.Run(true), Verdict::kFail);
  EXPECT_EQ(broken.count, 1u);
}

}  // namespace
}  // namespace stile
