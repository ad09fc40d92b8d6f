#include "validators/compiler/rustc.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

TEST(Rustc, ChecksEachLooseCrateWithItsModulesAndTests) {
  if (!HasProgram("rustc")) GTEST_SKIP() << "rustc is not installed";
  ValidationFixture fixture(NewRustcValidator(), "rust");
  fixture.Write("main.rs", "mod util;\nfn main() { println!(\"{}\", util::f()); }\n");
  fixture.Write("util.rs", "pub fn f() -> i32 { 1 }\n");
  fixture.Write("lib/other.rs", "pub fn g() {}\n#[test]\nfn t() { g() }\n");
  const std::string before = fixture.Content();
  ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture.Content(), before);
  EXPECT_THAT(*result.files_read, testing::ElementsAre("lib/other.rs", "main.rs", "util.rs"));
  fixture.Write("util.rs", "pub fn f() -> i32 { \"\" }\n");
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "util.rs");
  fixture.Write("util.rs", "pub fn f() -> i32 { 1 }\n");
  fixture.Write("lib/other.rs", "pub fn g() {}\n#[test]\nfn t() { h() }\n");
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "lib/other.rs");
  fixture.Write("lib/other.rs", "/*\nmod hidden;\n*/\npub fn g() {}\n");
  fixture.Write("lib/hidden.rs", "/*\nmod other;\n*/\npub fn h() { g() }\n");
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail)
      << "files that a comment names are code: " << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "lib/hidden.rs");
  for (const char* script : {"true", "test \"$1\" = --version && echo rustc 1.80.0"}) {
    fixture.FakeProgram("rustc", absl::StrCat(script, "\nexit 0\n"));
    EXPECT_EQ(fixture.Validate().verdict, Verdict::kInfraError) << script;
  }
  fixture.environment() = EmptyPathEnvironment();
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kNoValidator);
}

}  // namespace
}  // namespace stile
