#include "tools/fix/fix.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stile {
namespace {

const char kText[] = "one\ntwo\nthree\n";

Diagnostic ErrorAt(int line, const std::string& message) {
  Diagnostic error;
  error.file = "a.x";
  error.line = line;
  error.message = message;
  return error;
}

Fix FixOf(const std::string& title, FixKind kind) {
  Fix fix{title, "test", kind};
  fix.plan.EditText("a.x", kText, {4, 7, title});
  return fix;
}

// A compiler that says, for each text, what a test wants it to say.
class ChooseFixTest : public testing::Test {
 protected:
  FixChoice Choose(const std::vector<Fix>& fixes) {
    const ProbeEdits probe = [&](const EditPlan& plan) -> absl::StatusOr<ProbeReport> {
      ProbeReport report;
      report.judged = true;
      report.errors = errors_[plan.files().begin()->second.edits[0].replacement];
      return report;
    };
    auto choice = ChooseFix(error_, {error_}, fixes, probe);
    EXPECT_TRUE(choice.ok()) << choice.status();
    return *std::move(choice);
  }

  const Diagnostic error_ = ErrorAt(2, "no two");
  std::map<std::string, std::vector<Diagnostic>> errors_;
};

TEST_F(ChooseFixTest, TakesTheFirstThatMends) {
  errors_["a"] = {error_};
  errors_["b"] = {ErrorAt(2, "no b")};
  const FixChoice choice = Choose({FixOf("a", FixKind::kOther), FixOf("b", FixKind::kOther),
                                   FixOf("c", FixKind::kOther), FixOf("d", FixKind::kOther)});
  ASSERT_EQ(choice.fixes.size(), 1U);
  EXPECT_EQ(choice.fixes[0].title, "c");
  EXPECT_EQ(choice.tried, 3);
}

TEST_F(ChooseFixTest, FindsAllMeaningsOfAName) {
  errors_["b"] = {error_};
  const FixChoice choice = Choose({FixOf("a", FixKind::kImport), FixOf("b", FixKind::kImport),
                                   FixOf("c", FixKind::kImport), FixOf("d", FixKind::kOther)});
  ASSERT_EQ(choice.fixes.size(), 2U);
  EXPECT_EQ(choice.fixes[1].title, "c");
}

TEST_F(ChooseFixTest, AllowsErrorsThatComeToLight) {
  errors_["a"] = {ErrorAt(3, "no three")};
  errors_["b"] = {ErrorAt(2, "no b")};
  const FixChoice choice = Choose({FixOf("a", FixKind::kSpelling), FixOf("b", FixKind::kSpelling)});
  ASSERT_EQ(choice.fixes.size(), 1U);
  EXPECT_EQ(choice.fixes[0].revealed, errors_["a"]);
}

TEST_F(ChooseFixTest, TakesTheFirstOfThoseThatBringErrorsToLight) {
  errors_["a"] = errors_["b"] = {ErrorAt(3, "no three")};
  const FixChoice choice = Choose({FixOf("a", FixKind::kOther), FixOf("b", FixKind::kOther)});
  ASSERT_EQ(choice.fixes.size(), 1U);
  EXPECT_EQ(choice.fixes[0].title, "a");
  EXPECT_EQ(Choose({FixOf("a", FixKind::kImport), FixOf("b", FixKind::kImport)}).fixes.size(), 2U);
}

TEST_F(ChooseFixTest, PrefersOneThatBringsNoErrorToLight) {
  errors_["a"] = {ErrorAt(3, "no three")};
  const FixChoice choice = Choose({FixOf("a", FixKind::kSpelling), FixOf("b", FixKind::kSpelling)});
  ASSERT_EQ(choice.fixes.size(), 1U);
  EXPECT_EQ(choice.fixes[0].title, "b");
}

TEST_F(ChooseFixTest, TakesTheNearestNames) {
  Fix far = FixOf("far", FixKind::kSpelling);
  far.distance = 2;
  Fix near = FixOf("near", FixKind::kSpelling);
  near.distance = 1;
  Fix farther = FixOf("farther", FixKind::kSpelling);
  farther.distance = 3;
  const FixChoice one = Choose({far, near, farther});
  ASSERT_EQ(one.fixes.size(), 1U);
  EXPECT_EQ(one.fixes[0].title, "near");
  EXPECT_EQ(one.tried, 2);
  EXPECT_EQ(Choose({near, far, near}).fixes.size(), 2U);
}

TEST_F(ChooseFixTest, TakesOneWayToWriteAnImport) {
  Fix way = FixOf("a", FixKind::kImport);
  way.meaning = "shape.h";
  Fix other_way = FixOf("b", FixKind::kImport);
  other_way.meaning = "shape.h";
  EXPECT_EQ(Choose({way, other_way}).fixes.size(), 1U);
  other_way.meaning = "circle.h";
  EXPECT_EQ(Choose({way, other_way}).fixes.size(), 2U);
}

TEST_F(ChooseFixTest, NamesWhatItCouldNotTry) {
  std::vector<Fix> fixes = {FixOf("good", FixKind::kImport)};
  for (int i = 0; i < 30; ++i) {
    fixes.push_back(FixOf("bad", FixKind::kImport));
  }
  fixes.push_back(FixOf("last", FixKind::kImport));
  errors_["bad"] = {error_};
  const FixChoice choice = Choose(fixes);
  EXPECT_EQ(choice.fixes.size(), 1U);
  ASSERT_FALSE(choice.untried.empty());
  EXPECT_EQ(choice.untried.back(), "last");
}

TEST_F(ChooseFixTest, RefusesAnImportThatLacksTheMember) {
  Fix import = FixOf("import code", FixKind::kImport);
  import.plan = EditPlan();
  import.plan.EditText("a.x", kText, {0, 0, "import code\n"});
  errors_["import code\n"] = {ErrorAt(3, "Module has no attribute \"split\"")};
  EXPECT_TRUE(Choose({import}).fixes.empty());
  errors_["import code\n"] = {ErrorAt(3, "Argument 1 to \"floor\" has incompatible type \"str\"")};
  EXPECT_EQ(Choose({import}).fixes.size(), 1U);
  errors_["import code\n"] = {ErrorAt(4, "Module has no attribute \"split\"")};
  EXPECT_EQ(Choose({import}).fixes.size(), 1U);
}

}  // namespace
}  // namespace stile
