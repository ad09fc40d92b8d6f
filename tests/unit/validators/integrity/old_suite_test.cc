#include "validators/integrity/old_suite.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class MemoryFiles : public WorkspaceFiles {
 public:
  std::map<std::string, std::string> texts;
  std::vector<std::string> Paths() const override {
    std::vector<std::string> paths;
    for (const auto& [path, text] : texts) paths.push_back(path);
    return paths;
  }
  absl::StatusOr<std::string> Read(const std::string& path) const override {
    const auto found = texts.find(path);
    if (found == texts.end()) return absl::NotFoundError(path);
    return found->second;
  }
};

class OldSuiteTest : public testing::Test {
 protected:
  OldSuite Read(const std::vector<ContentPair>& changes) {
    for (const ContentPair& change : changes) {
      if (change.after.has_value()) files_.texts[change.path] = *change.after;
    }
    return ReadOldSuite(languages_, changes, {}, files_);
  }
  // "path part", with "-" where the file is left out.
  static std::vector<std::string> Shown(const OldSuite& suite) {
    std::vector<std::string> shown;
    for (const OldSuite::File& file : suite.files) {
      const char* const part = file.part == OldSuite::Part::kCode   ? "code"
                               : file.part == OldSuite::Part::kData ? "data"
                                                                    : "settings";
      shown.push_back(absl::StrCat(file.text.has_value() ? "" : "-", file.path, " ", part));
    }
    return shown;
  }
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  MemoryFiles files_;
};

TEST_F(OldSuiteTest, TestsDataAndSettingsBelongToItAndProductCodeDoesNot) {
  files_.texts["load.py"] = "open('rates.json')\n";
  files_.texts["test_cases.py"] = "open('cases.json')\n";
  EXPECT_THAT(Shown(Read({{"fee.py", "a = 1\n", "a = 2\n"},
                          {"test_fee.py", "def test_a(): pass\n", "def test_b(): pass\n"},
                          {"tests/new_help.py", std::nullopt, "x = 1\n"},
                          {"cases.json", "[1]", "[2]"},
                          {"rates.json", "[1]", "[2]"},
                          {"tests/page.golden", "1", "2"},
                          {"notes.txt", "1", "2"},
                          {"pytest.ini", "[pytest]\n", "[pytest]\naddopts = -x\n"}})),
              ElementsAre("cases.json data", "pytest.ini settings", "test_fee.py code",
                          "-tests/new_help.py code", "tests/page.golden data"));
}

TEST_F(OldSuiteTest, NewCodeThatNoProductNamesIsLeftOut) {
  files_.texts["fee.py"] = "from steps import step\n";
  EXPECT_THAT(Shown(Read({{"steps.py", std::nullopt, "def step(): pass\n"},
                          {"pytest.py", std::nullopt, "def raises(x): pass\n"},
                          {"fee/__init__.py", std::nullopt, "def fee(): return 5\n"}})),
              ElementsAre("-fee/__init__.py settings", "-pytest.py settings"));
}

TEST_F(OldSuiteTest, AModuleOfConstantsThatOnlyTestsNameIsTheirs) {
  files_.texts["fee.test.js"] = "require('./wanted'); require('./fee');\n";
  EXPECT_THAT(Shown(Read({{"wanted.js", "exports.W = { a: 5 };\n", "exports.W = { b: f(5) };\n"},
                          {"fee.js", "exports.fee = (g) => 5;\n", "exports.fee = (g) => 6;\n"}})),
              ElementsAre("wanted.js code"));
}

TEST_F(OldSuiteTest, AHelperThatImportsATestLibraryIsOfTheTests) {
  files_.texts["fee_test.go"] = "package post\n\nimport \"post/check\"\n";
  EXPECT_THAT(
      Shown(Read({{"check/check.go",
                   "package check\n\nimport \"testing\"\n\nfunc Is(t *testing.T) { t.Fail() }\n",
                   "package check\n\nimport \"testing\"\n\nfunc Is(t *testing.T) {}\n"},
                  {"fee.go", "package post\n\nfunc Fee() int { return 5 }\n",
                   "package post\n\nfunc Fee() int { return 6 }\n"}})),
      ElementsAre("check/check.go code"));
}

TEST_F(OldSuiteTest, OldTestsStandBesideThePresentCode) {
  const OldSuite suite = Read({{"src/lib.rs",
                                "fn fee() -> u32 { 5 }\n#[cfg(test)]\nmod tests {\n    #[test]\n"
                                "    fn a() { assert_eq!(super::fee(), 5); }\n}\n",
                                "fn fee() -> u32 { 6 }\n#[cfg(test)]\nmod tests {\n    #[test]\n"
                                "    fn a() {}\n}\n"}});
  ASSERT_EQ(suite.files.size(), 1u);
  EXPECT_EQ(*suite.files[0].text,
            "fn fee() -> u32 { 6 }\n#[cfg(test)]\nmod tests {\n    #[test]\n"
            "    fn a() { assert_eq!(super::fee(), 5); }\n}\n");
}

TEST_F(OldSuiteTest, TestsOfWhatIsGoneOrCalledOtherwiseMayBreak) {
  const OldSuite suite =
      Read({{"fee.py", "def fee(g):\n    return 5\n\ndef express(g):\n    return 6\n",
             "def fee(g, country):\n    return 5\n"},
            {"test_fee.py",
             "def test_fee():\n    assert fee(1) == 5\n\ndef test_express():\n"
             "    assert express(1) == 6\n\ndef test_other():\n    assert other(1) == 7\n",
             "def test_fee():\n    assert fee(1, 'de') == 5\n\ndef test_other():\n    pass\n"}});
  ASSERT_EQ(suite.tests.size(), 3u);
  EXPECT_THAT(suite.tests[0].may_break, HasSubstr("called otherwise"));
  EXPECT_FALSE(suite.tests[0].is_gone);
  EXPECT_THAT(suite.tests[1].may_break, HasSubstr("no longer declared"));
  EXPECT_TRUE(suite.tests[1].is_gone);
  EXPECT_THAT(suite.tests[2].may_break, IsEmpty());
}

TEST_F(OldSuiteTest, ResultsThatAreAwaitedOrUnwrappedMayBreakTests) {
  const auto may_break = [&](const std::string& code, const std::string& before,
                             const std::string& after, const std::string& test) {
    const OldSuite suite =
        Read({{code, before, after}, {test, "def test_a():\n    assert fee(1) == 5\n", ""}});
    return !suite.tests.at(0).may_break.empty();
  };
  EXPECT_TRUE(may_break("fee.py", "def fee(g):\n    return 5\n",
                        "async def fee(g):\n    return 5\n", "test_fee.py"));
  EXPECT_TRUE(may_break("fee.rs", "pub fn fee(g: u32) -> u32 { 5 }\n",
                        "pub fn fee(g: u32) -> Result<u32, Error> { Ok(5) }\n", "test_fee.py"));
  EXPECT_TRUE(may_break("fee.go", "package p\nfunc fee(g int) int { return 5 }\n",
                        "package p\nfunc fee(g int) (int, error) { return 5, nil }\n",
                        "test_fee.py"));
  EXPECT_FALSE(may_break("fee.rs", "pub fn fee(g: u32) -> u32 { 5 }\n",
                         "pub fn fee(g: u32) -> u64 { 6 }\n", "test_fee.py"));
  EXPECT_FALSE(may_break("fee.py", "def fee(g):\n    return 5\n", "def fee(g):\n    return 6\n",
                         "test_fee.py"));
}

TEST_F(OldSuiteTest, ATestBesideItsCodeIsNotGoneBecauseItMoves) {
  const OldSuite suite = Read({{"src/fee.rs",
                                "fn fee() -> u32 { 5 }\n#[cfg(test)]\nmod tests {\n    #[test]\n"
                                "    fn price() { assert_eq!(super::fee(), 5); }\n}\n",
                                "#[cfg(test)]\nmod tests;\nfn fee() -> u32 { 6 }\n"}});
  ASSERT_EQ(suite.tests.size(), 1u);
  EXPECT_THAT(suite.tests[0].may_break, IsEmpty());
}

TEST_F(OldSuiteTest, AParameterThatMayBeLeftOutBreaksNothing) {
  const OldSuite suite =
      Read({{"fee.py", "def fee(g):\n    return 5\n", "def fee(g, country='de'):\n    return 5\n"},
            {"test_fee.py", "def test_fee():\n    assert fee(1) == 5\n",
             "def test_fee():\n    assert fee(1)\n"}});
  ASSERT_EQ(suite.tests.size(), 1u);
  EXPECT_THAT(suite.tests[0].may_break, IsEmpty());
}

TEST_F(OldSuiteTest, OneTestIsTakenOutAndTheLinesStay) {
  const auto cut = TextWithoutTestAt(
      languages_, "fee_test.go",
      "package p\n\nfunc TestA(t *testing.T) {\n\tA()\n}\n\nfunc TestB(t *testing.T) {\n\tB()\n}\n",
      4);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->name, "TestA");
  EXPECT_THAT(cut->text, Not(HasSubstr("TestA")));
  EXPECT_EQ(std::count(cut->text.begin(), cut->text.begin() + cut->text.find("TestB"), '\n'), 6);
  EXPECT_FALSE(TextWithoutTestAt(languages_, "fee_test.go", "package p\n", 1).has_value());
}

}  // namespace
}  // namespace stile
