#include "agents/cli/runs_prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using ::testing::HasSubstr;

TEST(ParseAgeTest, ReadsSecondsToWeeks) {
  EXPECT_EQ(*ParseAge("--older-than", "90s"), absl::Seconds(90));
  EXPECT_EQ(*ParseAge("--older-than", "5m"), absl::Minutes(5));
  EXPECT_EQ(*ParseAge("--older-than", "12h"), absl::Hours(12));
  EXPECT_EQ(*ParseAge("--older-than", "30d"), absl::Hours(720));
  EXPECT_EQ(*ParseAge("--older-than", "2w"), absl::Hours(336));
  EXPECT_EQ(*ParseAge("--older-than", "0d"), absl::ZeroDuration());
}

TEST(ParseAgeTest, RefusesWhatIsNoAge) {
  for (const char* text : {"", "d", "3", "3x", "-1d", "1.5h", "9999999999999d", "1d2h", "\xff"}) {
    EXPECT_EQ(ParseAge("--older-than", text).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(FormatPruneTest, SaysWhatWentAndWhatStays) {
  PruneReport report;
  RunSummary run;
  run.id = "r1";
  run.outcome = "succeeded";
  run.task = "Rename\x1b[2J it";
  report.removed = {run};
  report.contents = 2;
  report.workspaces = 1;
  report.bytes = 1500;
  report.kept = {{"s1", "its working tree is still there: /t"}};
  report.is_partial = true;
  EXPECT_EQ(FormatPrune(report, false),
            "Removed 1 run, 2 stored files, the memory of 1 lost workspace: 1.5kB\n"
            "  r1  succeeded  Rename^[[2J it\n"
            "Kept:\n"
            "  s1: its working tree is still there: /t\n"
            "A run is at work: stored files stay until a later `stile runs prune`.\n");
  EXPECT_THAT(FormatPrune(report, true), HasSubstr("Would remove 1 run"));
}

}  // namespace
}  // namespace stile
