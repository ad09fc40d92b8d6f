// ctest and make-test.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"
#include "validators/test_runner/ctest.h"
#include "validators/test_runner/make_test.h"

namespace stile {
namespace {

TEST(CTest, CountsAndPlacesTheTests) {
  if (!HasProgram("cmake") || !HasProgram("g++")) GTEST_SKIP() << "cmake or g++ is not installed";
  ValidationFixture fixture(NewCTestValidator(), "cpp");
  fixture.Write(
      "CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.13)\nproject(demo CXX)\nenable_testing()\n"
      "add_executable(t t.cc)\nadd_test(NAME good COMMAND t)\nadd_test(NAME bad COMMAND t x)\n");
  fixture.Write(
      "t.cc",
      "#include <cassert>\nint main(int argc, char**) {\n  assert(argc == 1);\n  return 0;\n}\n");
  const std::string before = fixture.Content();
  ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(fixture.Content(), before);
  EXPECT_EQ(result.tests->passed, 1);
  EXPECT_EQ(result.tests->failed, 1);
  EXPECT_EQ(result.diagnostics[0].file, "t.cc");
  EXPECT_EQ(result.diagnostics[0].line, 3);
  fixture.Write("t.cc", "int main() { return 0; }\n");
  result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(result.tests->passed, 2);
  fixture.Write("t.cc", "int main() { return missing; }\n");
  EXPECT_EQ(fixture.Validate().verdict, Verdict::kFail);
}

TEST(CTest, AMarkBelongsToTheTestThatReportsIt) {
  if (!HasProgram("cmake") || !HasProgram("g++")) GTEST_SKIP() << "cmake or g++ is not installed";
  ValidationFixture fixture(NewCTestValidator(), "cpp");
  fixture.Write("CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.13)\nproject(demo CXX)\nenable_testing()\n"
                "add_executable(t t.cc)\nadd_test(NAME plain COMMAND t)\n"
                "add_test(NAME suite COMMAND t x)\n");
  fixture.Write("t.cc",
                "#include <cstdio>\nint main(int argc, char**) {\n"
                "  if (argc > 1) std::puts(\"[ RUN      ] S.Good\");\n"
                "  std::puts(\"ran\" \"0000000000000001\");\n"
                "  if (argc > 1) std::puts(\"[       OK ] S.Good (0 ms)\\n[ RUN      ] S.Bad\\n\"\n"
                "                          \"[  FAILED  ] S.Bad (0 ms)\");\n  return 1;\n}\n");
  const ValidationResult result = fixture.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_THAT(result.named_tests.at("plain").marks, testing::ElementsAre("ran0000000000000001"));
  EXPECT_THAT(result.named_tests.at("S.Good").marks, testing::ElementsAre("ran0000000000000001"));
  EXPECT_THAT(result.named_tests.at("S.Bad").marks, testing::IsEmpty());
  // The program speaks for both.
  EXPECT_THAT(result.named_tests.at("suite").marks, testing::IsEmpty());
}

TEST(MakeTest, RunsTheTestTargetInTheCopy) {
  if (!HasProgram("make") || !HasProgram("gcc")) GTEST_SKIP() << "make or gcc is not installed";
  ValidationFixture fixture(NewMakeTestValidator(), "c");
  fixture.Write("Makefile", "app: app.c\n\t$(CC) -o app app.c\ntest: app\n\t./app\n");
  fixture.Write("app.c", "int main(void) { return 1; }\n");
  const std::string before = fixture.Content();
  EXPECT_TRUE(fixture.validator().Applies(fixture.Look()));
  ValidationResult result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(fixture.Content(), before);
  fixture.Write("app.c", "int main(void) { return 0; }\n");
  result = fixture.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
}

}  // namespace
}  // namespace stile
