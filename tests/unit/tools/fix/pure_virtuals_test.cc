#include "tools/fix/pure_virtuals.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/case_file.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The file with what its class Derived lacks.
std::string Completed(const std::string& text) {
  CaseFile files(absl::StrCat("=== a.cc\n", text));
  const GenerateContext context{files.dir.path(), &files.languages, &files.index};
  const auto plan = PlanPureVirtuals(context, "Derived", "a.cc");
  if (!plan.ok()) return std::string(plan.status().message());
  return plan->files().at("a.cc").After();
}

TEST(PureVirtualsTest, WritesOverridesOfBases) {
  const std::string text = Completed(
      "struct Base {\n  [[nodiscard]] virtual double area() const noexcept = 0;\n  int count_ = "
      "0;\n"
      "  virtual void draw(int depth = 1) {}\n  virtual ~Base() = 0;\n};\n"
      "struct Middle : Base {\n  void fill() override = 0;\n};\n"
      "class Derived : public Middle {\n public:\n  int own() { return 1; }\n};\n");
  EXPECT_THAT(text, HasSubstr("double area() const noexcept override {"));
  EXPECT_THAT(text, HasSubstr("void fill() override {"));
  EXPECT_THAT(text, Not(HasSubstr("count_ override")));
  EXPECT_THAT(text, Not(HasSubstr("draw(int depth = 1) override")));
  EXPECT_THAT(text, Not(HasSubstr("~Base() override")));
}

TEST(PureVirtualsTest, TellsOverloadsApart) {
  const std::string text = Completed(
      "struct Base {\n  virtual void add(int value) = 0;\n  virtual void add(double value) = 0;\n"
      "  virtual int size() = 0;\n  virtual int size() const = 0;\n};\n"
      "struct Derived : Base {\n  void add(int other) override {}\n"
      "  int size() const override { return 1; }\n};\n");
  EXPECT_THAT(text, Not(HasSubstr("add(int value) override")));
  EXPECT_THAT(text, HasSubstr("void add(double value) override {"));
  EXPECT_THAT(text, HasSubstr("int size() override {"));
  EXPECT_THAT(text, Not(HasSubstr("int size() const override {\n")));
}

TEST(PureVirtualsTest, NamesTypesAsTheClassSeesThem) {
  EXPECT_THAT(Completed("namespace shop {\nstruct Item {};\nstruct Base {\n"
                        "  virtual Item find(const Item& like) = 0;\n};\n}\n"
                        "struct Derived : shop::Base {\n};\n"),
              HasSubstr("shop::Item find(const shop::Item& like) override {"));
  EXPECT_THAT(Completed("namespace shop {\nstruct Item {};\nstruct Base {\n"
                        "  virtual Item find() = 0;\n};\nstruct Derived : Base {\n};\n}\n"),
              HasSubstr("  Item find() override {"));
  EXPECT_THAT(
      Completed(
          "template <typename T, class U>\nstruct Base {\n  virtual T map(const U& from) = 0;\n};\n"
          "struct Derived : Base<int, double> {\n};\n"),
      HasSubstr("int map(const double& from) override {"));
}

TEST(PureVirtualsTest, SaysThatNothingIsMissing) {
  EXPECT_EQ(Completed("struct Base {\n  int count = 0;\n};\nstruct Derived : Base {\n};\n"),
            "Derived lacks no member");
}

}  // namespace
}  // namespace stile
