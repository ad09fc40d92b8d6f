#include "runtime/session/source_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/workspace/ignore_rules.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SourceFoldersTest : public testing::Test {
 protected:
  std::vector<std::string> Find() {
    const auto found = FindSourceFolders(dir.path(), LanguagesOfThisRepository());
    EXPECT_TRUE(found.ok()) << found.status();
    return found.value_or(std::vector<std::string>());
  }
  TempDir dir;
};

TEST_F(SourceFoldersTest, AreThoseThatHoldAFileOfAKnownLanguage) {
  dir.Write("build/steps/pack.py", "");
  dir.Write("tool/target/main.go", "");
  dir.Write("out/report.txt", "");
  dir.Write("dist/page.html", "");
  EXPECT_THAT(Find(), ElementsAre("build", "tool/target"));
}

TEST_F(SourceFoldersTest, AreThoseThatHoldRulesOfABuild) {
  dir.Write("build/rules.mk", "");
  dir.Write("out/CMakeLists.txt", "");
  dir.Write("dist/package.json", "{}");
  EXPECT_THAT(Find(), ElementsAre("build", "out"));
}

TEST_F(SourceFoldersTest, AreNamedWithThoseAroundThem) {
  dir.Write("build/inner/out/a.c", "");
  EXPECT_THAT(Find(), ElementsAre("build", "build/inner/out"));
}

TEST_F(SourceFoldersTest, AreNoOutputsOfKnownTools) {
  dir.Write("build/CMakeCache.txt", "");
  dir.Write("build/CMakeFiles/x/check.c", "");
  dir.Write("target/.rustc_info.json", "");
  dir.Write("target/debug/build/x/out/gen.rs", "");
  dir.Write("app/obj/project.assets.json", "");
  dir.Write("app/obj/App.AssemblyInfo.cs", "");
  dir.Write("web/package.json", "{}");
  dir.Write("web/src/a.ts", "");
  dir.Write("web/dist/a.js", "");
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(SourceFoldersTest, AreThoseOfAPackageThatHasItsCodeNowhereElse) {
  dir.Write("package.json", "{}");
  dir.Write("dist/a.js", "");
  EXPECT_THAT(Find(), ElementsAre("dist"));
}

TEST_F(SourceFoldersTest, AreNotLookedForInDependencies) {
  dir.Write("node_modules/x/build/a.py", "");
  dir.Write(".venv/lib/build/a.py", "");
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(SourceFoldersTest, ArePatternsThatKeepThem) {
  const std::string strange = "a b/[x]*?!#\\ /build";
  dir.Write(strange + "/a.py", "");
  const auto keeps = [&](const std::string& folder) {
    auto patterns = DefaultIgnorePatterns();
    patterns.push_back(PatternThatKeeps(folder));
    const auto rules = IgnoreRules::Load(dir.path(), patterns, {});
    return rules.ok() && !rules->CanSkipFolder(strange) && !rules->IsIgnoredFile(strange + "/a.py");
  };
  EXPECT_TRUE(keeps(strange));
  EXPECT_FALSE(keeps("other/build"));
}

}  // namespace
}  // namespace stile
