// Which places of a rename an error is blamed on: with a scripted compiler, that knows one right
// program, in place of a real one.
#include <functional>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/text.h"
#include "tests/support/shipped_languages.h"
#include "tests/unit/tools/tool_fixture.h"
#include "tools/code/refactor_tool.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

// A line of a file, and the name that it must use.
struct Line {
  std::string file;
  int number;
  std::string right;
  std::string wrong;
};

// Reports each line whose file holds the wrong name there, as a compiler of C# does.
class LineCompiler : public ValidationService {
 public:
  explicit LineCompiler(std::function<std::string(const std::string&)> read)
      : read_(std::move(read)) {}

  absl::StatusOr<ValidationReport> Validate(const ValidateArguments&) override {
    return ValidationReport();
  }

  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>&) override {
    ++probes;
    ProbeReport report;
    report.judged = true;
    report.errors = standing;
    for (const Line& line : lines) {
      const std::string text = read_(line.file);
      const std::vector<absl::string_view> all = SplitLines(text);
      const absl::string_view now = all[static_cast<size_t>(line.number) - 1];
      const size_t at = now.find(line.wrong);
      if (at == absl::string_view::npos) continue;
      Diagnostic error;
      error.file = line.file;
      error.line = line.number;
      error.column = static_cast<int>(at) + 1;
      error.severity = Severity::kError;
      error.code = "CS1061";
      error.message = absl::StrCat("there is no definition for '", line.wrong, "'");
      report.errors.push_back(std::move(error));
    }
    return report;
  }

  std::vector<Line> lines;
  std::vector<Diagnostic> standing;  // reported whatever the files hold
  int probes = 0;

 private:
  const std::function<std::string(const std::string&)> read_;
};

class RenameAttributionTest : public ToolFixture {
 protected:
  RenameAttributionTest() {
    Add(NewCodeRefactorTool(&compiler_, &index_, nullptr));
    Put("Order.cs", "class Order {\n  public int Total() { return 1; }\n}\n");
    Put("Bill.cs", "class Bill {\n  public int Total() { return 2; }\n}\n");
  }

  void Put(const std::string& path, absl::string_view text) {
    Write(path, text);
    paths_.push_back(path);
  }
  Json Rename() {
    return {{"operation", "rename"}, {"symbolName", "Order.Total"}, {"newName", "Sum"}};
  }

  std::vector<std::string> paths_;
  LineCompiler compiler_{[this](const std::string& path) { return Read(path); }};
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex index_{context_.workspace, &languages_, [this](const auto& use) {
                     for (const std::string& path : paths_) use(path);
                   }};
};

TEST_F(RenameAttributionTest, AMissedPlaceIsRenamedAndItsNeighbourIsNot) {
  Put("Use.cs",
      "class Use {\n  int A() { return Make().Total(); }\n  int B() { return Other().Total(); "
      "}\n}\n");
  compiler_.lines = {{"Use.cs", 2, "Sum", "Total"}, {"Use.cs", 3, "Total", "Sum"}};
  Ok("code.refactor", Rename());
  EXPECT_EQ(Read("Use.cs"),
            "class Use {\n  int A() { return Make().Sum(); }\n  int B() { return Other().Total(); "
            "}\n}\n");
  EXPECT_THAT(Read("Order.cs"), HasSubstr("int Sum()"));
  EXPECT_THAT(Read("Bill.cs"), HasSubstr("int Total()"));
}

TEST_F(RenameAttributionTest, AWrongGuessByTheReceiverIsTakenBack) {
  Put("Use.cs",
      "class Use {\n  int A(Order order) { return order.Total(); }\n"
      "  int B(Bill order) { return order.Total(); }\n}\n");
  compiler_.lines = {{"Use.cs", 2, "Sum", "Total"}, {"Use.cs", 3, "Total", "Sum"}};
  Ok("code.refactor", Rename());
  EXPECT_THAT(Read("Use.cs"), HasSubstr("(Order order) { return order.Sum(); }"));
  EXPECT_THAT(Read("Use.cs"), HasSubstr("(Bill order) { return order.Total(); }"));
}

TEST_F(RenameAttributionTest, OfTwoPlacesOnALineTheColumnDecides) {
  Put("Use.cs", "class Use {\n  int A() { return One().Total() + Two().Total(); }\n}\n");
  // Only the first one is missed.
  compiler_.lines = {{"Use.cs", 2, "One().Sum", "One().Total"}};
  const ToolResult result = Call("code.refactor", Rename());
  ASSERT_TRUE(result.ok) << result.text;
  EXPECT_EQ(Read("Use.cs"), "class Use {\n  int A() { return One().Sum() + Two().Total(); }\n}\n");
}

TEST_F(RenameAttributionTest, ErrorsFromBeforeAreBlamedOnNoPlace) {
  Put("Use.cs", "class Use {\n  int A() { return Make().Total(); }\n}\n");
  Diagnostic old;
  old.file = "Use.cs";
  old.line = 2;
  old.column = 3;
  old.severity = Severity::kError;
  old.code = "CS0103";
  old.message = "the name 'Make' does not exist";
  compiler_.standing = {old};
  const ToolResult result = Call("code.refactor", Rename());
  ASSERT_TRUE(result.ok) << result.text;
  EXPECT_THAT(Read("Order.cs"), HasSubstr("int Sum()"));
  EXPECT_THAT(Read("Use.cs"), HasSubstr("Make().Total()"));
  EXPECT_THAT(result.text, testing::Not(HasSubstr("builds as before")))
      << "a compiler that stops at an old error has said nothing of new ones";
}

TEST_F(RenameAttributionTest, ACompilerThatIsNeverContentLeavesEverythingAsItWas) {
  Put("Use.cs", "class Use {\n  int A() { return Make().Total(); }\n}\n");
  // The declaration itself must not change: nothing can move out.
  compiler_.lines = {{"Order.cs", 2, "Total", "Sum"}};
  const std::string order = Read("Order.cs");
  const std::string use = Read("Use.cs");
  EXPECT_THAT(Error("code.refactor", Rename()), HasSubstr("Nothing was changed"));
  EXPECT_EQ(Read("Order.cs"), order);
  EXPECT_EQ(Read("Use.cs"), use);
  EXPECT_LE(compiler_.probes, 12) << "the rounds are bounded";
}

}  // namespace
}  // namespace stile
