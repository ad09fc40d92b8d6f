// The Maven and Gradle validators.
#include "validators/compiler/jvm_build.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/validation_fixture.h"
#include "validators/compiler/gradle.h"
#include "validators/compiler/maven.h"

namespace stile {
namespace {

constexpr char kPom[] =
    "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n"
    "  <groupId>demo</groupId>\n  <artifactId>demo</artifactId>\n  <version>1</version>\n"
    "  <properties>\n    <maven.compiler.source>11</maven.compiler.source>\n"
    "    <maven.compiler.target>11</maven.compiler.target>\n"
    "    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>\n  </properties>\n"
    "  <dependencies>\n    <dependency><groupId>junit</groupId><artifactId>junit</artifactId>"
    "<version>4.x</version><scope>test</scope></dependency>\n  </dependencies>\n</project>\n";
constexpr char kMain[] = "package a;\npublic class Main {\n  static int f() { return 1; }\n}\n";
constexpr char kBroken[] =
    "package a;\npublic class Main {\n\tstatic int f() { String é = \"\"; return é; }\n}\n";

// The repository of Debian's packages, with which Maven works without a network.
constexpr char kDebianRepository[] = "/usr/share/maven-repo";

bool HasDebianMaven() {
  return HasProgram("mvn") &&
         DirectoryExists(std::string(kDebianRepository) +
                         "/org/apache/maven/plugins/maven-compiler-plugin") &&
         DirectoryExists(std::string(kDebianRepository) +
                         "/org/apache/maven/plugins/maven-surefire-plugin");
}

void WriteMavenProject(ValidationFixture* fixture) {
  fixture->Write(".mvn/maven.config",
                 absl::StrCat("-o\n-Dmaven.repo.local=", kDebianRepository, "\n"));
  fixture->Write("pom.xml", kPom);
  fixture->Write("src/main/java/a/Main.java", kMain);
  fixture->Write(
      "src/test/java/a/MainTest.java",
      "package a;\nimport org.junit.Test;\nimport static org.junit.Assert.assertEquals;\n"
      "public class MainTest {\n  @Test public void good() { assertEquals(1, Main.f()); }\n}\n");
}

TEST(Maven, FollowsTheCodeWithTheSameState) {
  if (!HasDebianMaven()) GTEST_SKIP() << "maven with Debian's plugin packages is not installed";
  ValidationFixture fixture(NewMavenValidator(Level::kBuild), "java");
  WriteMavenProject(&fixture);
  const std::string before = fixture.Content();
  ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture.Content(), before);
  fixture.Write("src/main/java/a/Main.java", kBroken);
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "src/main/java/a/Main.java");
  EXPECT_EQ(result.diagnostics[0].line, 3);
  EXPECT_EQ(result.diagnostics[0].column, 42);
  fixture.Write("src/main/java/a/Main.java", kMain);
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kPass);
}

TEST(MavenTest, CountsAndPlacesTheTests) {
  if (!HasDebianMaven()) GTEST_SKIP() << "maven with Debian's plugin packages is not installed";
  ValidationFixture fixture(NewMavenValidator(Level::kTest), "java");
  WriteMavenProject(&fixture);
  fixture.Write("src/main/java/a/Main.java",
                "package a;\npublic class Main { static int f() { return 2; } }\n");
  const ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.tests->failed, 1);
  EXPECT_EQ(result.diagnostics[0].file, "src/test/java/a/MainTest.java");
  EXPECT_EQ(result.diagnostics[0].line, 5);
}

TEST(Maven, SaysThatItCouldNotGetItsPlugins) {
  if (!HasProgram("mvn")) GTEST_SKIP() << "mvn is not installed";
  ValidationFixture fixture(NewMavenValidator(Level::kBuild), "java");
  WriteMavenProject(&fixture);
  fixture.Write(".mvn/maven.config",
                absl::StrCat("-o\n-Dmaven.repo.local=", fixture.state().path(), "-none\n"));
  const ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kInfraError) << Describe(result);
  EXPECT_THAT(result.message, testing::HasSubstr("could not get what it needs"));
}

TEST(Gradle, FollowsTheCodeWithTheSameState) {
  if (!HasProgram("gradle")) GTEST_SKIP() << "gradle is not installed";
  ValidationFixture fixture(NewGradleValidator(Level::kBuild), "java");
  fixture.Write("settings.gradle", "rootProject.name = 'demo'\n");
  fixture.Write("build.gradle", "apply plugin: 'java'\n");
  fixture.Write("src/main/java/a/Main.java", kMain);
  const std::string before = fixture.Content();
  ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture.Content(), before);
  fixture.Write("src/main/java/a/Main.java", kBroken);
  result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "src/main/java/a/Main.java");
  EXPECT_EQ(result.diagnostics[0].column, 42);
}

TEST(JvmBuilds, NeverPassWithABrokenProgram) {
  for (const BrokenProgram& program : BrokenPrograms()) {
    ValidationFixture maven(NewMavenValidator(Level::kBuild), "java");
    maven.Write("pom.xml", kPom);
    maven.FakeProgram(
        "mvn", absl::StrCat("test \"$1\" = --version && echo 3.8 && exit 0\n", program.script));
    EXPECT_EQ(maven.Validate().verdict, Verdict::kInfraError) << program.name;
    ValidationFixture gradle(NewGradleValidator(Level::kBuild), "java");
    gradle.Write("build.gradle", "");
    gradle.FakeProgram(
        "gradle", absl::StrCat("test \"$1\" = --version && echo 8.1 && exit 0\n", program.script));
    EXPECT_EQ(gradle.Validate().verdict, Verdict::kInfraError) << program.name;
  }
}

TEST(JvmBuilds, SayHowToGetWhatIsMissing) {
  ValidationFixture maven(NewMavenValidator(Level::kBuild), "java");
  maven.Write("pom.xml", kPom);
  maven.environment() = EmptyPathEnvironment();
  EXPECT_EQ(maven.Validate().verdict, Verdict::kNoValidator);
  ValidationFixture gradle(NewGradleValidator(Level::kBuild), "java");
  gradle.Write("build.gradle", "");
  gradle.environment() = EmptyPathEnvironment();
  EXPECT_EQ(gradle.Validate().verdict, Verdict::kNoValidator);
}

}  // namespace
}  // namespace stile
