#include "validators/test_runner/cargo_test.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

TEST(CargoTest, CountsAndPlacesTheTests) {
  if (!HasProgram("cargo")) GTEST_SKIP() << "cargo is not installed";
  ValidationFixture fixture(NewCargoTestValidator(), "rust");
  fixture.Write("Cargo.toml",
                "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
  fixture.Write("src/lib.rs",
                "#[test]\nfn good() {}\n#[test]\nfn bad() {\n    assert_eq!(1, "
                "2);\n}\n#[test]\n#[ignore]\nfn later() {}\n");
  const std::string before = fixture.Content({"Cargo.lock"});
  ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(fixture.Content({"Cargo.lock"}), before);
  EXPECT_EQ(result.tests->passed, 1);
  EXPECT_EQ(result.tests->failed, 1);
  EXPECT_EQ(result.tests->skipped, 1);
  EXPECT_EQ(result.diagnostics[0].file, "src/lib.rs");
  EXPECT_EQ(result.diagnostics[0].line, 5);
  EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr("test bad failed"));
  // Passes only when a first run has left its mark.
  fixture.Write(
      "src/lib.rs",
      "#[test]\nfn flaky() {\n    let mark = concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/mark\");\n"
      "    let seen = std::path::Path::new(mark).exists();\n    std::fs::write(mark, "
      "\"\").unwrap();\n"
      "    assert!(seen);\n}\n");
  result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFlakyPass) << Describe(result);
  fixture.Write("src/lib.rs", "fn broken() -> i32 { \"\" }\n");
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_FALSE(result.tests.has_value());
  fixture.FakeProgram("cargo", "test \"$1\" = --version && echo cargo 1.95.0\nexit 0\n");
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kInfraError);
}

TEST(CargoTest, AMarkBelongsToTheTestThatReportsIt) {
  if (!HasProgram("cargo")) GTEST_SKIP() << "cargo is not installed";
  ValidationFixture fixture(NewCargoTestValidator(), "rust");
  fixture.Write("Cargo.toml",
                "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
  fixture.Write("src/lib.rs",
                "#[test]\nfn one() { panic!(concat!(\"ran\", \"0000000000000001\")); }\n"
                "#[test]\nfn two() { panic!(); }\n");
  const ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.named_tests.at("one").marks, testing::ElementsAre("ran0000000000000001"));
  EXPECT_THAT(result.named_tests.at("two").marks, testing::IsEmpty());
}

}  // namespace
}  // namespace stile
