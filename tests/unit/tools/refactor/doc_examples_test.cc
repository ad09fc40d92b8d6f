#include "tools/refactor/doc_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/case_file.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The lines of the crate `r` at which an example means the `value` that line `line` declares.
std::vector<int> LinesWithUses(const std::string& text, int line) {
  CaseFile files(absl::StrCat("=== src/lib.rs\n", text));
  SymbolQuery query = ParseSymbolName("value");
  query.file = "src/lib.rs";
  query.line = line;
  const auto resolution = Resolve(query, &files.index);
  if (!resolution.ok()) return {-1};
  const auto file = files.index.Open("src/lib.rs");
  if (!file.ok()) return {-2};
  const DocExamples examples(*resolution, "r");
  std::vector<int> lines;
  for (const uint32_t call : examples.UsesIn(**file)) {
    EXPECT_FALSE(examples.IsOther(**file, call));
    lines.push_back((*file)->PlaceOf(call).line);
  }
  return lines;
}

constexpr absl::string_view kTypes =
    "pub struct A;\nimpl A { pub fn value(&self) -> i32 { 1 } }\n"
    "pub struct B;\nimpl B { pub fn value(&self) -> i32 { 2 } }\n";

TEST(DocExamplesTest, TellsTypesByTheReceiver) {
  const std::string text =
      absl::StrCat(kTypes,
                   "/// ```\n/// assert_eq!(r::A::new().value(), 1);\n"
                   "/// let b = r::B(2);\n/// b.value();\n/// r::A::value(&a);\n"
                   "/// let mut a: r::A = make();\n/// a.value();\n/// ```\n"
                   "pub fn f() {}\n");
  EXPECT_THAT(LinesWithUses(text, 2), ElementsAre(6, 9, 11));
  EXPECT_THAT(LinesWithUses(text, 4), ElementsAre(8));
}

TEST(DocExamplesTest, LeavesWhatTheExampleDoesNotTell) {
  EXPECT_THAT(LinesWithUses(absl::StrCat(kTypes,
                                         "/// ```\n/// let v = make();\n/// v.value();\n"
                                         "/// r::A::new();\n/// ```\npub fn f() {}\n"),
                            2),
              IsEmpty());
  EXPECT_THAT(LinesWithUses(absl::StrCat(kTypes, "/// `A` has a.value()\npub fn f() {}\n"), 2),
              IsEmpty());
}

TEST(DocExamplesTest, AMethodOfATraitNeedsItsImport) {
  const std::string trait = "pub trait T { fn value(&self) -> i32; }\n";
  EXPECT_THAT(LinesWithUses(absl::StrCat(trait,
                                         "/// ```\n/// use r::T;\n/// 5.value();\n/// ```\n"
                                         "pub fn f() {}\n"),
                            1),
              ElementsAre(4));
  EXPECT_THAT(LinesWithUses(absl::StrCat(trait,
                                         "/// ```\n/// let m = 10.0_f32;\n/// m.value();\n"
                                         "/// ```\npub fn f() {}\n"),
                            1),
              IsEmpty());
}

TEST(DocExamplesTest, OtherNamesAreImportedOrHaveAPath) {
  const std::string function = "pub fn value(x: i32) -> i32 { x }\n";
  const auto uses = [&](const std::string& example) {
    return LinesWithUses(absl::StrCat(function, "/// ```\n", example, "/// ```\npub fn f() {}\n"),
                         1);
  };
  EXPECT_THAT(uses("/// use r::{other, value};\n/// value(other(1));\n/// x.value();\n"),
              ElementsAre(3, 4));
  EXPECT_THAT(uses("/// r::value(1);\n/// s::value(2);\n"), ElementsAre(3));
  EXPECT_THAT(uses("/// use r::m;\n/// m::value(1);\n"), ElementsAre(4));
  EXPECT_THAT(uses("/// use s::value;\n/// value(1);\n"), IsEmpty());
  EXPECT_THAT(uses("/// # use r::*;\n/// value(1);\n"), ElementsAre(4));
}

TEST(DocExamplesTest, EndsOnUnfinishedExamples) {
  EXPECT_THAT(LinesWithUses(absl::StrCat(kTypes, "/// ```\n/// A.value("), 2), ElementsAre(6));
  EXPECT_THAT(LinesWithUses(absl::StrCat(kTypes, "/// ```\n/// ))]].value("), 2), IsEmpty());
}

}  // namespace
}  // namespace stile
