#include "validators/integrity/test_scripts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

struct Case {
  const char* path;
  const char* before;
  const char* after;
};

std::string Compare(const ContentPair& change) {
  std::string text;
  for (const Weakening& weakening : CompareTestScripts(change)) text += weakening.what + "\n";
  return text;
}

TEST(TestScriptsTest, ScriptsThatHideFailuresAreFound) {
  const std::vector<Case> cases = {
      {"Makefile", "test:\n\tpytest\n", "test:\n\tpytest || true\n"},
      {"Makefile", "test:\n\tgo test ./...\n", "test:\n\t-go test ./...\n"},
      {"Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test ./... ; true\n"},
      {"Makefile", "test:\n\t./run_tests\n", "test:\n\t./run_tests; exit 0\n"},
      {"Makefile", "test:\n\tpytest\n", ".IGNORE:\ntest:\n\tpytest\n"},
      {"Makefile", "test:\n\tpytest\n", "MAKEFLAGS += -i\ntest:\n\tpytest\n"},
      {"Makefile", "test:\n\tpytest\n", "MAKEFLAGS += ri\ntest:\n\tpytest\n"},
      {"Makefile", "test:\n\tpytest\n", "test:\n\t+-pytest\n"},
      {"Makefile", "a:\n\tcc a.c\n", "S = N\na:\n\tcc -D$(S)DEBUG a.c\n"},
      {".npmrc", "", "ignore-scripts=true\n"},
      {"Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -run TestPrice ./...\n"},
      {"Makefile", "test:\n\tpytest\n", "test:\n\tpytest -k 'not price'\n"},
      {"Makefile", "test:\n\tpytest\n", "export PYTEST_ADDOPTS = -k no\ntest:\n\tpytest\n"},
      {"Makefile", "a:\n\tcc a.c\n", "a:\n\tcc -DNDEBUG a.c\n"},
      {"package.json", R"({"scripts": {"test": "jest"}})",
       R"({"scripts": {"test": "jest || true"}})"},
      {"package.json", R"({"scripts": {"test": "jest"}})",
       R"({"scripts": {"test": "jest; exit 0"}})"},
      {"package.json", R"({"scripts": {"test": "jest"}})", R"({"scripts": {"test": "echo ok"}})"},
      {"package.json", R"({"scripts": {"test": "mocha"}})",
       R"({"scripts": {"test": "mocha --grep slow --invert"}})"},
      {"package.json", R"({"scripts": {"test": "node a.js"}})",
       R"({"scripts": {"test": "NODE_OPTIONS='--require ./quiet.js' node a.js"}})"},
      {"package.json", R"({"jest": {}})", R"({"jest": {"testPathIgnorePatterns": ["price"]}})"},
      {"CMakeLists.txt", "add_test(NAME a COMMAND a)\n",
       "add_test(NAME a COMMAND a)\nset_tests_properties(a PROPERTIES WILL_FAIL TRUE)\n"},
      {"CMakeLists.txt", "\n", "set_tests_properties(a PROPERTIES DISABLED ON)\n"},
      {"CMakeLists.txt", "add_test(NAME a COMMAND a)\n",
       "add_test(NAME b COMMAND a)\nset_tests_properties(b PROPERTIES WILL_FAIL TRUE)\n"},
      {"CMakeLists.txt", "\n",
       "set_tests_properties(a PROPERTIES PASS_REGULAR_EXPRESSION \"FAIL|PASS\")\n"},
      {"CMakeLists.txt", "\n", "add_compile_definitions(NDEBUG)\n"},
      {"CMakeLists.txt", "\n", "add_test(NAME a COMMAND sh -c \"./a_test || true\")\n"},
      {"run_tests.sh", "set -e\npytest\n", "set -e\npytest || :\n"},
      {"run_tests.sh", "set -e\npytest\n", "pytest\n"},
      {".npmrc", "", "node-options=--require ./quiet.js\n"},
      {"sitecustomize.py", "", "import quiet\n"},
      {"lib/quiet.pth", "", "import quiet\n"},
      {"pytest.ini", "[pytest]\ntestpaths = tests more\n", "[pytest]\ntestpaths = tests\n"},
      {"pyproject.toml", "[tool.pytest.ini_options]\n",
       "[tool.pytest.ini_options]\naddopts = \"--collect-only\"\n"},
      {"tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = - pytest\n"},
      {"vitest.config.ts", "export default {test: {}}\n",
       "export default {test: {exclude: ['price.test.ts']}}\n"},
      {"jest.config.js", "module.exports = {testMatch: ['**/*.test.js']}\n",
       "module.exports = {testMatch: ['**/total.test.js']}\n"},
      {"pom.xml", "<project/>", "<project><exclude>**/PriceTest.java</exclude></project>"},
      {"build.gradle", "test {}\n", "test { ignoreFailures = true }\n"},
      {"build.gradle.kts", "\n", "tasks.named(\"test\") { enabled = false }\n"},
      {"a.runsettings", "<R/>", "<R><TestCaseFilter>Name!=Price</TestCaseFilter></R>"},
  };
  for (const Case& c : cases) {
    EXPECT_NE(Compare({c.path, c.before, c.after}), "") << c.path << "\n" << c.after;
    EXPECT_EQ(Compare({c.path, c.after, c.after}), "") << c.path << "\n" << c.after;
  }
}

TEST(TestScriptsTest, UsualScriptsPass) {
  const std::vector<Case> cases = {
      {"Makefile", "test:\n\tpytest\n", "test:\n\tpytest -v\nclean:\n\t-rm -rf out\n"},
      {"Makefile", "test:\n\tpytest\n",
       "MAKEFLAGS += --no-print-directory\ntest:\n\tpytest\nclean:\n\t-rmdir build\n"},
      {"Makefile", "a:\n\tcc a.c\n", "a:\n\tcc -DVERSION=$(V)DEBUG -D$(FEATURE) a.c\n"},
      {"Makefile", "test:\n\tpytest\n",
       "test:\n\tpytest\ntest-fast:\n\tpytest -m fast || true\n"},  // a recipe of its own
      {"package.json", R"({"scripts": {"test": "mocha"}})",
       R"({"scripts": {"test": "vitest run", "lint": "eslint . || true"}})"},
      {"package.json", R"({"scripts": {"test": "jest"}})",
       R"({"scripts": {"test": "NODE_OPTIONS=--experimental-vm-modules jest"}})"},
      {"CMakeLists.txt", "\n", "set(CMAKE_CXX_FLAGS_RELEASE \"-O3 -DNDEBUG\")\n"},
      {"CMakeLists.txt", "\n", "set_tests_properties(a PROPERTIES TIMEOUT 30)\n"},
      {"CMakeLists.txt", "add_test(NAME a COMMAND a)\n",
       "add_test(NAME a COMMAND a)\nadd_test(NAME b COMMAND a x)\n"
       "set_tests_properties(b PROPERTIES PASS_REGULAR_EXPRESSION x)\n"},
      {"pytest.ini", "[pytest]\ntestpaths = tests\n", "[pytest]\ntestpaths = tests more\n"},
      {"pom.xml", "<project/>", "<project><exclude>**/generated/**</exclude></project>"},
      {"README.md", "", "pytest || true\n"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Compare({c.path, c.before, c.after}), "") << c.path << "\n" << c.after;
  }
  EXPECT_EQ(Compare({"run.sh", std::nullopt, "pytest || true\n"}), "") << "a new script";
}

TEST(TestScriptsTest, ScriptsAreReadThoughTheyAreNoCode) {
  EXPECT_TRUE(IsTestScript("scripts/test.sh"));
  EXPECT_TRUE(IsTestScript(".npmrc"));
  EXPECT_FALSE(IsTestScript("README.md"));
}

TEST(TestScriptsTest, ATestOfABuildFileIsTakenOutWithItsProgram) {
  const auto taken = [](const std::string& before, const std::string& after) {
    return ScriptTestsTakenOut({{"CMakeLists.txt", before, after}});
  };
  const std::string before =
      "project(geo)\nadd_library(geo geo.cc)\nadd_executable(geo_test geo_test.cc)\n"
      "add_test(NAME geo COMMAND geo_test)\n";
  EXPECT_THAT(taken(before,
                    "project(geo)\nadd_library(geo geo.cc)\nadd_executable(box_test box_test.cc)\n"
                    "add_test(NAME box COMMAND box_test)\n"),
              testing::ElementsAre("geo"));
  EXPECT_THAT(
      taken(before, "add_executable(geo_test geo_test.cc)\nadd_test(NAME all COMMAND geo_test)\n"),
      testing::ElementsAre("geo"));
  // Built, and no longer run.
  EXPECT_THAT(
      taken(before, "add_executable(geo_test geo_test.cc)\nadd_test(NAME all COMMAND true)\n"),
      testing::IsEmpty());
  // In a list of names.
  EXPECT_THAT(taken(before, "foreach(name IN ITEMS geo)\n  more(${name})\nendforeach()\n"),
              testing::IsEmpty());
}

}  // namespace
}  // namespace stile
