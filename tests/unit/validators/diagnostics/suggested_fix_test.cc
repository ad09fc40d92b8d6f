#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "validators/diagnostics/cargo_json_diagnostics.h"
#include "validators/diagnostics/gcc_diagnostics.h"

namespace stile {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<SuggestedFix> FixOfGcc(absl::string_view place) {
  const auto diagnostics = ParseGcc(
      absl::StrCat("a.c:1:2: error: x\nfix-it:\"a.c\":{", place, "}:\"y\"\n"), "/ws", "/ws");
  return diagnostics.empty() ? std::vector<SuggestedFix>() : diagnostics[0].fixes;
}

std::vector<SuggestedFix> FixOfRustc(int line_start, int line_end) {
  const auto diagnostics = ParseCargoJson(
      absl::StrCat(
          R"({"level":"error","message":"x","spans":[],"children":[{"level":"help","message":"y",)",
          R"("spans":[{"file_name":"a.rs","line_start":)", line_start, R"(,"line_end":)", line_end,
          R"(,"column_start":1,"column_end":2,"suggested_replacement":"z",)",
          R"("suggestion_applicability":"MachineApplicable","text":[]}]}]})"),
      "/ws", "/ws");
  return diagnostics.empty() ? std::vector<SuggestedFix>() : diagnostics[0].fixes;
}

// Found by fuzzing: a fix at line 0 would be told to the model.
TEST(SuggestedFix, IsDroppedWithoutAPlaceToApplyItTo) {
  EXPECT_THAT(FixOfGcc("1:2-1:3"), SizeIs(1));
  EXPECT_THAT(FixOfGcc("1:2-1:2"), SizeIs(1)) << "an insertion";
  for (const char* place : {"0:2-1:3", "1:0-1:3", "1:2-0:3", "1:2-1:0", "1:3-1:2", "2:1-1:5",
                            "99999999999:1-99999999999:2"}) {
    EXPECT_THAT(FixOfGcc(place), IsEmpty()) << place;
  }
  EXPECT_THAT(FixOfRustc(1, 1), SizeIs(1));
  EXPECT_THAT(FixOfRustc(0, 1), IsEmpty());
  EXPECT_THAT(FixOfRustc(2, 1), IsEmpty());
}

}  // namespace
}  // namespace stile
