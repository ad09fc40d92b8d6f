#include "validators/diagnostics/rustdoc_diagnostics.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kLib[] =
    "#![doc = include_str!(\"../README.md\")]\n"
    "\n"
    "/// ```\n"
    "/// let a = p::Order::new();\n"
    "/// # let ä = a.total();\n"
    "/// ```\n"
    "pub struct Order;\n";

std::vector<std::string> Read(absl::string_view output) {
  const std::map<std::string, std::string> files = {
      {"sub/src/lib.rs", kLib}, {"sub/README.md", "# p\n\n```\nassert!(p::total(1));\n```\n"}};
  std::vector<std::string> shown;
  for (const Diagnostic& diagnostic : ParseRustdocExamples(
           output, "/ws/sub", "/ws", [&](const std::string& path) -> std::optional<std::string> {
             const auto file = files.find(path);
             return file == files.end() ? std::nullopt : std::optional<std::string>(file->second);
           })) {
    shown.push_back(FormatDiagnostic(diagnostic));
  }
  return shown;
}

TEST(RustdocDiagnosticsTest, FindsTheLineThatIsPrinted) {
  EXPECT_THAT(Read("---- src/lib.rs - Order (line 3) stdout ----\n"
                   "error[E0599]: no method named `total` found for struct `Order`\n"
                   "  --> src/lib.rs:6:11\n"
                   "   |\n"
                   "6 | let ä = a.total();\n"
                   "   |           ^^^^^ method not found\n"
                   "   |\n"
                   "  ::: src/other.rs:9:1\n"
                   "\n"
                   "error: aborting due to 1 previous error\n"
                   "\n"
                   "Couldn't compile the test.\n"
                   "\nfailures:\n    src/lib.rs - Order (line 3)\n"
                   "error: doctest failed, to rerun pass `--doc`\n"),
              ElementsAre("sub/src/lib.rs:5:18: error: no method named `total` found for struct "
                          "`Order` [E0599]"));
}

TEST(RustdocDiagnosticsTest, FindsTheLineBehindABar) {
  EXPECT_THAT(Read("---- src/lib.rs - Order (line 3) stdout ----\n"
                   "error[E0599]: no method named `total` found\n"
                   "  --> src/lib.rs:6:11\n"
                   "   |\n"
                   "5 | / let a = p::Order::new();\n"
                   "6 | | let ä = a.total();\n"
                   "  | |           ^^^^^\n"),
              ElementsAre("sub/src/lib.rs:5:18: error: no method named `total` found [E0599]"));
}

TEST(RustdocDiagnosticsTest, FindsTheLineInAnIncludedFile) {
  EXPECT_THAT(Read("---- src/lib.rs - (line 3) stdout ----\n"
                   "error[E0425]: cannot find function `total` in crate `p`\n"
                   " --> src/lib.rs:5:12\n"
                   "  |\n"
                   "5 | assert!(p::total(1));\n"
                   "  |            ^^^^^\n"),
              ElementsAre("sub/README.md:4:12: error: cannot find function `total` in crate `p` "
                          "[E0425]"));
}

TEST(RustdocDiagnosticsTest, NamesTheExampleOfCodeThatIsNowhere) {
  EXPECT_THAT(
      Read("---- src/lib.rs - Order::a (line 3) stdout ----\n"
           "error[E0425]: cannot find value `made` in this scope\n"
           " --> src/lib.rs:5:1\n"
           "  |\n"
           "5 | made();\n"),
      ElementsAre("sub/src/lib.rs: error: src/lib.rs - Order::a (line 3): cannot find value "
                  "`made` in this scope [E0425]"));
}

TEST(RustdocDiagnosticsTest, LeavesWarningsPanicsAndTheBuild) {
  EXPECT_THAT(Read("warning: unused variable: `a`\n --> src/lib.rs:4:5\n"
                   "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:7:1\n"
                   "\nrunning 2 tests\n"
                   "---- src/lib.rs - Order (line 3) stdout ----\n"
                   "warning: unused variable: `a`\n --> src/lib.rs:4:5\n"
                   "Test executable succeeded, but it's marked `should_panic`.\n"
                   "---- src/lib.rs - Order (line 9) stdout ----\n"
                   "thread 'main' panicked at 'error: x'\n"),
              IsEmpty());
  EXPECT_THAT(Read(""), IsEmpty());
  EXPECT_THAT(Read("---- a stdout ----\nerror: x\n --> src/lib.rs:99999999999:1\n"),
              ElementsAre("sub/src/lib.rs: error: a: x"));
}

}  // namespace
}  // namespace stile
