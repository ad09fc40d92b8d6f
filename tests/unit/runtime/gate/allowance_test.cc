#include "runtime/gate/allowance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using testing::HasSubstr;

TEST(AllowanceTest, IsReadFromATextOfKindAndGlob) {
  const auto allowance = ParseAllowance("removed_tests=tests/legacy/**");
  ASSERT_TRUE(allowance.ok());
  EXPECT_EQ(allowance->kind, "removed_tests");
  EXPECT_EQ(allowance->glob, "tests/legacy/**");
  EXPECT_EQ(AllowanceText(*allowance), "removed_tests=tests/legacy/**");
  for (const char* wrong : {"", "removed_tests", "removed_tests=", "tests=a", "settings=/etc/**"}) {
    EXPECT_EQ(ParseAllowance(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(AllowanceTest, IsReadFromListsOfTextsAndMaps) {
  const auto yaml =
      ParseYaml("- settings=tsconfig.json\n- {removed_tests: [a/**, b.py]}\n", "x.yaml");
  ASSERT_TRUE(yaml.ok());
  const auto allowances = ReadAllowances(*yaml);
  ASSERT_TRUE(allowances.ok()) << allowances.status();
  ASSERT_EQ(allowances->size(), 3U);
  EXPECT_EQ(AllowanceText(allowances->at(2)), "removed_tests=b.py");
  const auto wrong = ReadAllowances(*ParseYaml("- settings=a\n- {everything: '**'}\n", "x.yaml"));
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("x.yaml:2"));
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("removed_tests, weakened_tests"));
}

TEST(AllowanceTest, HoldsForItsKindAndFiles) {
  Weakening weakening{Weakening::Weight::kGrave, "tests/legacy/test_a.py", 3, "gone",
                      "test-removed"};
  const std::vector<Allowance> allowances = {{"removed_tests", "tests/legacy/**"}};
  EXPECT_TRUE(IsAllowed(allowances, weakening));
  weakening.path = "tests/test_a.py";
  EXPECT_FALSE(IsAllowed(allowances, weakening));
  weakening.path = "tests/legacy/test_a.py";
  weakening.rule = "assertion-loosened";
  EXPECT_FALSE(IsAllowed(allowances, weakening));
  EXPECT_EQ(KindOf(weakening), "weakened_tests");
  EXPECT_FALSE(IsAllowed({}, weakening));
}

TEST(AllowanceTest, NoKindAllowsTheSettingsOfTheGateAndWhatIsNotKnown) {
  std::vector<Allowance> all;
  for (const char* kind :
       {"removed_tests", "weakened_tests", "suppressions", "settings", "uncovered"}) {
    all.push_back({kind, "**"});
  }
  for (const char* rule : {"gate-settings", "project-file-broken", "another", ""}) {
    const Weakening weakening{Weakening::Weight::kGrave, "stile.yaml", 0, "it", rule};
    EXPECT_FALSE(IsAllowed(all, weakening)) << rule;
    EXPECT_EQ(KindOf(weakening), "") << rule;
  }
}

}  // namespace
}  // namespace stile
