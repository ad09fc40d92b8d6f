#include "validators/compiler/cargo_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr char kManifest[] =
    "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
constexpr char kGood[] = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n";
constexpr char kBad[] =
    "pub fn add(a: i32, b: i32) -> i32 {\n    \"é\"; let s: i32 = \"x\"; a + b\n}\n";

constexpr char kSaysVersion[] = "test \"$1\" = --version && echo cargo 1.95.0 && exit\n";

class CargoCheck : public testing::Test {
 protected:
  CargoCheck() : fixture_(NewCargoCheckValidator(), "rust") {}
  void SetUp() override {
    if (!HasProgram("cargo")) GTEST_SKIP() << "cargo is not installed";
    fixture_.Write("Cargo.toml", kManifest);
    fixture_.Write("src/lib.rs", kGood);
  }
  ValidationFixture fixture_;
};

TEST_F(CargoCheck, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content({"Cargo.lock"});
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content({"Cargo.lock"}), before);
  EXPECT_EQ(result.command, "cargo check --all-targets");

  fixture_.Write("src/lib.rs", kBad);
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(CountErrors(result.diagnostics), 1) << Describe(result);
  const auto error =
      std::find_if(result.diagnostics.begin(), result.diagnostics.end(),
                   [](const Diagnostic& d) { return d.severity == Severity::kError; });
  EXPECT_EQ(error->file, "src/lib.rs");
  EXPECT_EQ(error->line, 2);
  EXPECT_EQ(error->column, 24);  // in bytes
  EXPECT_EQ(error->code, "E0308");

  fixture_.Write("src/lib.rs", kGood);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("src/lib.rs", kBad);
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, fixture_.workspace().Path("src/lib.rs").c_str(), long_ago, 0);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  EXPECT_EQ(fixture_.Validate(true).verdict, Verdict::kFail);
}

TEST_F(CargoCheck, ChecksTestsToo) {
  fixture_.Write("tests/it.rs", "#[test]\nfn t() { let x: i32 = \"s\"; }\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "tests/it.rs");
}

TEST_F(CargoCheck, OffersWhatTheCompilerDeclaresSafe) {
  fixture_.Write("src/lib.rs", "pub fn f() -> i32 {\n    let mut x = 1;\n    x\n}\n");
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass);
  ASSERT_EQ(result.diagnostics.size(), 1) << Describe(result);
  ASSERT_EQ(result.diagnostics[0].fixes.size(), 1);
  EXPECT_EQ(result.diagnostics[0].fixes[0].start_column, 9);
  EXPECT_EQ(result.diagnostics[0].fixes[0].end_column, 13);
}

TEST_F(CargoCheck, JudgesAMemberOfAWorkspaceWithPathsOfTheRepository) {
  fixture_.Remove("src/lib.rs");
  fixture_.Write("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\n  \"crates/*\",\n]\n");
  fixture_.Write("crates/a/Cargo.toml", kManifest);
  fixture_.Write("crates/a/src/lib.rs", kBad);
  fixture_.Write(
      "crates/b/Cargo.toml",
      "[package]\nname = \"b\"\nversion = \"0.1.0\"\n[dependencies]\ndemo = { path = \"../a\" }\n");
  fixture_.Write("crates/b/src/lib.rs", "");
  EXPECT_THAT(*fixture_.validator().Dependencies(fixture_.Look()),
              UnorderedElementsAre("crates/a", "crates/b"));
  fixture_.set_root("crates/b");
  EXPECT_THAT(*fixture_.validator().Dependencies(fixture_.Look()),
              UnorderedElementsAre(".", "crates/a"));
  fixture_.set_root("crates/a");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.diagnostics,
              testing::Contains(testing::Field(&Diagnostic::file, "crates/a/src/lib.rs")));
}

TEST_F(CargoCheck, PlacesAFaultOfTheManifest) {
  fixture_.Write("Cargo.toml", "[package\nname = \"demo\"\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "Cargo.toml");
  EXPECT_EQ(result.diagnostics[0].line, 1);
}

TEST_F(CargoCheck, TakesNoWrapperFromTheProject) {
  fixture_.Write(".cargo/config.toml", "[build]\nrustc-wrapper = \"/bin/true\"\n");
  fixture_.Write("src/lib.rs", kBad);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
}

TEST_F(CargoCheck, TimesOut) {
  fixture_.Write("build.rs",
                 "fn main() { loop { std::thread::sleep(std::time::Duration::from_secs(1)); } }\n");
  fixture_.set_timeout(absl::Seconds(5));
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kTimeout) << Describe(result);
}

TEST_F(CargoCheck, SaysHowToGetWhatIsMissing) {
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kNoValidator);
  EXPECT_THAT(result.message, testing::HasSubstr("rustup"));
}

TEST_F(CargoCheck, RepeatsWhatCargoSaysOfDependenciesThatAreNotThere) {
  fixture_.Write("Cargo.toml",
                 absl::StrCat("[package]\nname = \"x\"\nversion = \"0.1.0\"\n\n[dependencies]\n",
                              // One that cargo has never tried before says other words.
                              "nowhere = { git = \"file:///nowhere/at/", getpid(), "\" }\n"));
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message, testing::HasSubstr("error: failed to get `nowhere`"));
}

TEST_F(CargoCheck, NeverPassesWithABrokenProgram) {
  for (const BrokenProgram& program : BrokenPrograms()) {
    fixture_.FakeProgram("cargo", absl::StrCat(kSaysVersion, program.script));
    const ValidationResult result = fixture_.Validate();
    EXPECT_EQ(result.verdict, Verdict::kInfraError) << program.name << "\n" << Describe(result);
  }
  for (const char* script : {R"(echo '{"level":"error","message":"broken","spans":[]}')", "true",
                             R"(echo '{"reason":"build-finished","success":false}')"}) {
    fixture_.FakeProgram("cargo", absl::StrCat(kSaysVersion, script));
    EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError) << script;
  }
  fixture_.FakeProgram("cargo", "true");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
}

}  // namespace
}  // namespace stile
