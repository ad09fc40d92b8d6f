#include "validators/compiler/dotnet_build.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

constexpr char kProject[] =
    "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup>"
    "<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>"
    "</PropertyGroup></Project>\n";
constexpr char kGood[] = "public class A { public int F() { return 1; } }\n";

class DotnetBuild : public testing::Test {
 protected:
  DotnetBuild() : fixture_(NewDotnetBuildValidator(), "csharp") {}
  void SetUp() override {
    if (!HasProgram("dotnet")) GTEST_SKIP() << "dotnet is not installed";
    fixture_.Write("Lib.csproj", kProject);
    fixture_.Write("A.cs", kGood);
  }
  ValidationFixture fixture_;
};

TEST_F(DotnetBuild, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);

  fixture_.Write("A.cs", "public class A { public int F() { var é = \"x\"; return é; } }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  ASSERT_EQ(CountErrors(result.diagnostics), 1) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "A.cs");
  EXPECT_EQ(result.diagnostics[0].line, 1);
  EXPECT_EQ(result.diagnostics[0].column, 56);  // bytes: an é comes before
  EXPECT_EQ(result.diagnostics[0].code, "CS0029");

  fixture_.Write("A.cs", kGood);
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("B.cs", "class B { Missing m; }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kFail);
  fixture_.Remove("B.cs");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(fixture_.Content(), before);
}

TEST_F(DotnetBuild, PlacesAFaultOfTheProjectFile) {
  fixture_.Write("Lib.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\">\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "Lib.csproj");
}

TEST_F(DotnetBuild, KnowsTheProjectsThatItBuildsOn) {
  fixture_.Write("app/App.csproj",
                 "<Project><ItemGroup><ProjectReference Include=\"..\\Lib.csproj\" />"
                 "<ProjectReference Include=\"../core/Core.csproj\"/></ItemGroup></Project>");
  fixture_.set_root("app");
  EXPECT_THAT(*fixture_.validator().Dependencies(fixture_.Look()),
              testing::ElementsAre(".", "core"));
  fixture_.Write("app/App.csproj",
                 "<Project><ProjectReference Include=\"$(X)/a.csproj\"/></Project>");
  EXPECT_EQ(fixture_.validator().Dependencies(fixture_.Look()), std::nullopt);
}

TEST_F(DotnetBuild, SaysHowToGetWhatIsMissing) {
  fixture_.environment() = EmptyPathEnvironment();
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kNoValidator);
}

TEST_F(DotnetBuild, NeverPassesWithABrokenProgram) {
  for (const BrokenProgram& program : BrokenPrograms()) {
    fixture_.FakeProgram(
        "dotnet", absl::StrCat("test \"$1\" = --version && echo 8.0.1 && exit\n", program.script));
    const ValidationResult result = fixture_.Validate();
    EXPECT_EQ(result.verdict, Verdict::kInfraError) << program.name << "\n" << Describe(result);
  }
  fixture_.FakeProgram("dotnet", "echo 'A.cs(1,1): error CS0001: nonsense'");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
  fixture_.FakeProgram("dotnet", "true");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
}

TEST_F(DotnetBuild, TimesOut) {
  fixture_.FakeProgram("dotnet", "test \"$1\" = --version && echo 8.0.1 || exec sleep 100");
  fixture_.set_timeout(absl::Milliseconds(300));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
}

}  // namespace
}  // namespace stile
