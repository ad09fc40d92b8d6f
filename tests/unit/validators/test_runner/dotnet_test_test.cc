#include "validators/test_runner/dotnet_test.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

TEST(DotnetTest, CountsAndPlacesTheTests) {
  if (!HasProgram("dotnet")) GTEST_SKIP() << "dotnet is not installed";
  const char* source = std::getenv("STILE_TEST_NUGET_SOURCE");
  if (source == nullptr)
    GTEST_SKIP() << "STILE_TEST_NUGET_SOURCE names no package source with xunit";
  ValidationFixture fixture(NewDotnetTestValidator(), "csharp");
  fixture.Write("nuget.config",
                absl::StrCat("<configuration><packageSources><clear/><add key=\"test\" value=\"",
                             source, "\"/></packageSources></configuration>"));
  fixture.Write("T.csproj",
                "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup>"
                "<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>"
                "</PropertyGroup><ItemGroup><PackageReference Include=\"Microsoft.NET.Test.Sdk\" "
                "Version=\"*\"/>"
                "<PackageReference Include=\"xunit\" Version=\"*\"/>"
                "<PackageReference Include=\"xunit.runner.visualstudio\" "
                "Version=\"*\"/></ItemGroup></Project>");
  fixture.Write("T.cs",
                "using Xunit;\npublic class T {\n  [Fact] public void Good() {}\n  [Fact] public "
                "void Bad() {\n"
                "    Assert.Equal(1, 2); }\n  [Fact(Skip = \"no\")] public void Later() {}\n}\n");
  const std::string before = fixture.Content();
  ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(fixture.Content(), before);
  ASSERT_TRUE(result.tests.has_value());
  EXPECT_EQ(result.tests->passed, 1);
  EXPECT_EQ(result.tests->failed, 1);
  EXPECT_EQ(result.tests->skipped, 1);
  EXPECT_THAT(result.diagnostics,
              testing::Contains(testing::AllOf(testing::Field(&Diagnostic::file, "T.cs"),
                                               testing::Field(&Diagnostic::line, 5))));
}

}  // namespace
}  // namespace stile
