#include "tools/refactor/marked_uses.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kMark[] = "#[deprecated(note = \"stile asks for uses\")] ";

class MarkedUsesTest : public ::testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) {
    dir_.Write(path, text);
    texts_[path] = text;
  }

  // Asks about the symbol on a line, with these warnings as the answer.
  absl::StatusOr<MarkedUses> Ask(const std::string& name, int line) {
    auto resolution = Resolve({name, "", "src/lib.rs", line}, &index_);
    EXPECT_TRUE(resolution.ok()) << resolution.status();
    auto plan = RenamePlan::Make(*std::move(resolution), "other", &index_);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return ResolveByMarks(
        *plan,
        [&](const EditPlan& marks) -> absl::StatusOr<ProbeReport> {
          for (const auto& [path, file] : marks.files()) marked_[path] = file.After();
          return report_;
        },
        &index_);
  }

  void Warn(const std::string& path, int line, int column, const std::string& symbol) {
    Diagnostic warning;
    warning.severity = Severity::kWarning;
    warning.file = path;
    warning.line = line;
    warning.column = column;
    warning.code = "deprecated";
    warning.message = absl::StrCat("use of deprecated method `", symbol, "`: stile asks for uses");
    report_.warnings.push_back(std::move(warning));
  }

  // "line:column text" of the edits in a file.
  std::vector<std::string> Edits(const ResolvedSymbol& resolved, const std::string& path) {
    std::vector<std::string> shown;
    const auto file = index_.Open(path);
    for (const auto& [range, text] : resolved.edits) {
      if (range.path != path) continue;
      const TextPlace place = (*file)->PlaceOf(range.begin);
      shown.push_back(absl::StrCat(place.line, ":", place.column, " ", text));
    }
    return shown;
  }

  TempDir dir_;
  std::map<std::string, std::string> texts_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex index_{dir_.path(), &languages_, [this](const auto& use) {
                     for (const auto& [path, text] : texts_) use(path);
                   }};
  ProbeReport report_ = [] {
    ProbeReport report;
    report.judged = true;
    report.files_read = {"src/lib.rs", "src/use.rs"};
    return report;
  }();
  std::map<std::string, std::string> marked_;
};

TEST_F(MarkedUsesTest, TakesThePlacesOfTheWarnings) {
  Put("src/lib.rs",
      "pub struct A;\nimpl A { pub fn size(&self) -> u8 { 1 } pub fn all(&self) -> u8 { "
      "self.size() } }\n");
  Put("src/use.rs", "fn f(x: &crate::A) { assert_eq!(x.size(), 1); vec![0u8].size(); }\n");
  // On the line of the mark, columns are those of the marked text.
  const int mark = static_cast<int>(sizeof(kMark)) - 1;
  Warn("src/lib.rs", 2, 72 + mark, "A::size");
  Warn("src/use.rs", 1, 35, "crate::A::size");
  const auto resolved = Ask("size", 2);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->symbol.resolver, "rustc");
  EXPECT_THAT(marked_["src/lib.rs"], HasSubstr(absl::StrCat("{ ", kMark, "pub fn size")));
  EXPECT_THAT(Edits(resolved->symbol, "src/lib.rs"), ElementsAre("2:17 other", "2:72 other"));
  EXPECT_THAT(Edits(resolved->symbol, "src/use.rs"), ElementsAre("1:35 other"));
  EXPECT_EQ(resolved->symbol.others.size(), 1U);
}

TEST_F(MarkedUsesTest, AWarningMayNameThePathOrAnAlias) {
  Put("src/lib.rs", "pub fn size() {}\npub mod m { pub use super::size as wide; }\n");
  Put("src/use.rs", "fn f() { crate::m::wide(); crate :: size(); size2(); }\n");
  Warn("src/use.rs", 1, 10, "size");
  Warn("src/use.rs", 1, 28, "size");
  Warn("src/use.rs", 1, 45, "size");
  const auto resolved = Ask("size", 1);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(Edits(resolved->symbol, "src/use.rs"), ElementsAre("1:37 other"));
}

TEST_F(MarkedUsesTest, BelievesNoWarningThatNamesSomethingElse) {
  Put("src/lib.rs", "pub fn size() {}\n");
  Put("src/use.rs", "fn f() { size(); }\n");
  Warn("src/use.rs", 1, 10, "other::length");
  Warn("src/use.rs", 99, 10, "size");
  Warn("src/use.rs", 1, 2000000000, "size");
  Warn("src/use.rs", -1, -1, "size");
  Warn("src/use.rs", 1, 0, "size");
  Warn("/etc/passwd", 1, 1, "size");
  Warn("../up.rs", 1, 1, "size");
  report_.warnings[0].message = "`";
  const auto resolved = Ask("size", 1);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(Edits(resolved->symbol, "src/use.rs"), IsEmpty());
}

TEST_F(MarkedUsesTest, LeavesWhatTheCompilerDoesNotWarnOf) {
  Put("src/lib.rs",
      "pub struct A;\nimpl A {\n    pub fn size(&self) -> u8 { self.size() }\n}\n"
      "#[cfg(windows)]\nfn g(a: &A, b: &B) { a.size(); b.size(); }\n"
      "macro_rules! m { ($a:expr) => { $a.size() } }\n");
  Put("src/away.rs", "fn f(b: &B) { b.size(); }\n");
  const auto resolved = Ask("size", 3);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(resolved->symbol.others, IsEmpty());
}

TEST_F(MarkedUsesTest, TheMethodOfATraitIsMarkedInTheTrait) {
  Put("src/lib.rs",
      "pub trait T { fn size(&self) -> u8; }\nimpl T for u8 { fn size(&self) -> u8 { 1 } }\n");
  const auto resolved = Ask("size", 2);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(
      marked_["src/lib.rs"],
      absl::StrCat("pub trait T { ", kMark,
                   "fn size(&self) -> u8; }\nimpl T for u8 { fn size(&self) -> u8 { 1 } }\n"));
  EXPECT_THAT(Edits(resolved->symbol, "src/lib.rs"), ElementsAre("1:18 other", "2:20 other"));
}

TEST_F(MarkedUsesTest, ErrorsMeanNoAnswerForFilesThatWereNotRead) {
  Put("src/lib.rs", "pub fn size() {}\n");
  Put("src/use.rs", "pub fn f() {\n  size()\n}\n");
  Warn("src/use.rs", 2, 3, "size");
  Diagnostic error;
  error.file = "examples/bad.rs";
  error.message = "expected one of";
  report_.errors.push_back(error);
  const auto resolved = Ask("size", 1);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(Edits(resolved->symbol, "src/use.rs"), ElementsAre("2:3 other"));
  report_.files_read = {"src/use.rs"};
  EXPECT_TRUE(absl::IsUnavailable(Ask("size", 1).status()));
  report_ = ProbeReport();
  report_.unjudged = "no compiler";
  EXPECT_TRUE(absl::IsUnavailable(Ask("size", 1).status()));
}

TEST_F(MarkedUsesTest, WarningsOfADeprecatedFunctionAreThoseOfItsPath) {
  Put("src/lib.rs", "#[deprecated(note = \"no\")]\npub fn size() {}\n");
  Put("src/use.rs", "pub fn f(a: &str) {\n  size();\n  a.size();\n}\n");
  Warn("src/use.rs", 2, 3, "p::size");
  Warn("src/use.rs", 3, 5, "core::str::<impl str>::size");
  report_.warnings[0].message = "use of deprecated function `p::size`: no";
  report_.warnings[1].message = "use of deprecated method `core::str::<impl str>::size`: no";
  const auto resolved = Ask("size", 2);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(Edits(resolved->symbol, "src/use.rs"), ElementsAre("2:3 other"));
}

TEST_F(MarkedUsesTest, ADeprecatedFunctionThatNothingUsesIsAsked) {
  Put("src/lib.rs", "#[deprecated]\npub fn size() {}\n");
  const auto resolved = Ask("size", 2);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_THAT(Edits(resolved->symbol, "src/lib.rs"), ElementsAre("2:8 other"));
}

TEST_F(MarkedUsesTest, OtherLanguagesHaveNoMark) {
  Put("src/lib.rs", "pub fn size() {}\n");
  Put("a.go", "package a\n\nfunc size() {}\n");
  auto resolution = Resolve({"size", "", "a.go", 3}, &index_);
  ASSERT_TRUE(resolution.ok());
  auto plan = RenamePlan::Make(*std::move(resolution), "other", &index_);
  ASSERT_TRUE(plan.ok());
  const auto resolved = ResolveByMarks(
      *plan, [](const EditPlan&) { return absl::InternalError("asked"); }, &index_);
  EXPECT_TRUE(absl::IsUnimplemented(resolved.status()));
}

}  // namespace
}  // namespace stile
