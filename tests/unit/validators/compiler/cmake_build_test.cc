#include "validators/compiler/cmake_build.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

using testing::UnorderedElementsAre;

class CMakeBuild : public testing::Test {
 protected:
  CMakeBuild() : fixture_(NewCMakeBuildValidator(), "cpp") {}
  void SetUp() override {
    if (!HasProgram("cmake") || !HasProgram("g++")) GTEST_SKIP() << "cmake or g++ is not installed";
    fixture_.Write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(demo CXX)\n"
        "file(GLOB sources *.cc)\nadd_executable(app ${sources})\nadd_subdirectory(lib)\n"
        "target_link_libraries(app lib)\n");
    fixture_.Write("main.cc", "int lib();\nint main() { return lib(); }\n");
    fixture_.Write("lib/CMakeLists.txt", "add_library(lib STATIC lib.cc)\n");
    fixture_.Write("lib/lib.cc", "int lib() { return 0; }\n");
  }
  ValidationFixture fixture_;
};

TEST_F(CMakeBuild, FollowsTheCodeWithTheSameState) {
  const std::string before = fixture_.Content();
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);

  fixture_.Write("lib/lib.cc", "int lib() {\n\tint x = \"é\"; return 0; }\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "lib/lib.cc");
  EXPECT_EQ(result.diagnostics[0].line, 2);
  EXPECT_EQ(result.diagnostics[0].column, 10);  // bytes, not display columns

  fixture_.Write("lib/lib.cc", "int lib() { return 0; }\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("new.cc", "int broken() { return missing; }\n");  // found by file(GLOB) only
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "new.cc");
}

TEST_F(CMakeBuild, AProgramOfTheBuildThatFailsIsTheCodesFault) {
  fixture_.Write(
      "lib/CMakeLists.txt",
      "add_library(lib STATIC lib.cc)\n"
      "add_custom_command(TARGET lib POST_BUILD COMMAND sh -c \"echo 2 of 3 wrong; exit 3\")\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.output, testing::HasSubstr("2 of 3 wrong"));
}

TEST_F(CMakeBuild, NoticesANewHeaderThatHidesAnother) {
  fixture_.Write("lib/CMakeLists.txt",
                 "add_library(lib STATIC lib.cc)\n"
                 "target_include_directories(lib PRIVATE . ../include)\n");
  fixture_.Write("include/util.h", "#define UTIL 0\n");
  fixture_.Write("lib/lib.cc", "#include <util.h>\nint lib() { return UTIL; }\n");
  ASSERT_EQ(fixture_.Validate().verdict, Verdict::kPass);
  fixture_.Write("lib/util.h", "#define UTIL nothing\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
}

TEST_F(CMakeBuild, JudgesASubdirectoryFromTheOutermostList) {
  fixture_.set_root("lib");
  EXPECT_EQ(CMakeTopFolder(fixture_.Look()), fixture_.workspace().path());
  EXPECT_THAT(*fixture_.validator().Dependencies(fixture_.Look()), UnorderedElementsAre("."));
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  fixture_.workspace().Write("apart/CMakeLists.txt", "project(x)\n");
  fixture_.set_root("apart");
  EXPECT_EQ(CMakeTopFolder(fixture_.Look()), fixture_.workspace().Path("apart"));
}

TEST_F(CMakeBuild, PlacesAFaultOfTheList) {
  fixture_.Write("lib/CMakeLists.txt", "add_library(lib STATIC lib.cc)\nnonsense(x)\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(FormatDiagnostic(result.diagnostics[0]),
            "lib/CMakeLists.txt:2: error: Unknown CMake command \"nonsense\".");
}

TEST_F(CMakeBuild, ReportsWhatOnlyTheLinkerNotices) {
  fixture_.Write("lib/lib.cc", "int other() { return 0; }\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr("undefined reference to `lib()'"));
}

TEST_F(CMakeBuild, SaysHowToGetWhatIsMissing) {
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kNoValidator);
  EXPECT_THAT(result.message, testing::HasSubstr("apt install cmake"));
}

TEST_F(CMakeBuild, NeverPassesWithABrokenProgram) {
  for (const BrokenProgram& program : BrokenPrograms()) {
    fixture_.FakeProgram(
        "cmake", absl::StrCat("test \"$1\" = --version && echo cmake 3 && exit\n", program.script));
    const ValidationResult result = fixture_.Validate();
    EXPECT_EQ(result.verdict, Verdict::kInfraError) << program.name << "\n" << Describe(result);
  }
  fixture_.FakeProgram("cmake", "echo 'a.cc:1:1: error: nonsense'");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
  fixture_.FakeProgram("cmake", "true");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kInfraError);
}

TEST_F(CMakeBuild, TimesOut) {
  fixture_.FakeProgram("cmake", "test \"$1\" = --version && echo cmake 3 || exec sleep 100");
  fixture_.set_timeout(absl::Milliseconds(300));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
}

}  // namespace
}  // namespace stile
