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

// gcc quotes names in the way of the locale.
TEST(SuggestedFix, IsTheIncludeThatANoteNames) {
  for (const char* quoted : {"'#include <vector>'", "\u2018#include <vector>\u2019"}) {
    const auto diagnostics = ParseGcc(
        absl::StrCat("a.cc:2:8: error: no vector\na.cc:1:1: note: did you forget to ", quoted,
                     "?\nfix-it:\"a.cc\":{1:1-1:1}:\"#include <vector>\\n\"\n"
                     "a.cc:3:1: note: see here\nfix-it:\"a.cc\":{3:1-3:2}:\"z\"\n"),
        "/ws", "/ws");
    ASSERT_THAT(diagnostics, testing::Not(IsEmpty()));
    ASSERT_THAT(diagnostics[0].fixes, SizeIs(1));
    EXPECT_EQ(diagnostics[0].fixes[0].title, "#include <vector>");
    EXPECT_EQ(diagnostics[0].fixes[0].replacement, "#include <vector>\n");
  }
}

TEST(SuggestedFix, IsNotCertainWhereRustcGuesses) {
  const auto span = [](int column, const char* text, const char* applicability) {
    return absl::StrCat(R"({"file_name":"a.rs","byte_start":)", column, R"(,"byte_end":)", column,
                        R"(,"line_start":1,"line_end":1,"column_start":)", column + 1,
                        R"(,"column_end":)", column + 1, R"(,"suggested_replacement":")", text,
                        R"(","suggestion_applicability":")", applicability, R"(","text":[]})");
  };
  const auto fixes_of = [](const std::string& spans) {
    const auto diagnostics =
        ParseCargoJson(absl::StrCat(R"({"level":"error","message":"x","spans":[],"children":[)",
                                    R"({"level":"help","message":"y","spans":[)", spans, "]}]}"),
                       "/ws", "/ws");
    return diagnostics.empty() ? std::vector<SuggestedFix>() : diagnostics[0].fixes;
  };
  const auto guess = fixes_of(span(0, "a", "MaybeIncorrect"));
  ASSERT_THAT(guess, SizeIs(1));
  EXPECT_FALSE(guess[0].is_certain);
  const auto two = fixes_of(
      absl::StrCat(span(0, "a", "MachineApplicable"), ",", span(0, "b", "MachineApplicable")));
  ASSERT_THAT(two, SizeIs(2)) << "each is a way of its own";
  EXPECT_FALSE(two[0].is_certain);
  EXPECT_THAT(fixes_of(absl::StrCat(span(0, "(", "MachineApplicable"), ",",
                                    span(4, ")", "MachineApplicable"))),
              IsEmpty())
      << "parts of one replacement";
}

}  // namespace
}  // namespace stile
