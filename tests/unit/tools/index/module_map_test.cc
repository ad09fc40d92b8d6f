#include "tools/index/module_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using Answer = ModuleMap::Answer;

class ModuleMapTest : public ::testing::Test {
 protected:
  // An importing file, which need not be on the disk.
  const SourceFile& Importer(const std::string& path) {
    static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
    const Language& language = *languages->OfFile(path);
    importer_ = *SourceFile::Parse(path, language, *FindGrammar(language.grammar), "");
    return *importer_;
  }

  std::optional<std::string> File(const std::string& importer, const std::string& written) {
    return ModuleMap(dir_.path()).FileOf(Importer(importer), written);
  }
  Answer Means(const std::string& importer, const std::string& written, const std::string& path) {
    return ModuleMap(dir_.path()).Means(Importer(importer), written, path);
  }
  bool IsForeign(const std::string& importer, const std::string& written,
                 const std::set<std::string>& own = {}) {
    return ModuleMap(dir_.path()).IsForeign(Importer(importer), written, own);
  }

  TempDir dir_;
  std::shared_ptr<const SourceFile> importer_;
};

TEST_F(ModuleMapTest, FindsRelativeFilesInTheOrderOfTheLanguage) {
  dir_.Write("src/order.ts", "");
  dir_.Write("src/order.js", "");
  dir_.Write("src/order/index.js", "");
  EXPECT_THAT(File("src/a.ts", "./order"), Optional(std::string("src/order.ts")));
  EXPECT_THAT(File("src/a.js", "./order"), Optional(std::string("src/order.js")));
  EXPECT_THAT(File("src/a.js", "./order/"), Optional(std::string("src/order/index.js")));
  EXPECT_THAT(File("src/order/a.js", "."), Optional(std::string("src/order/index.js")));
  EXPECT_THAT(File("src/order/a.js", "../order.js"), Optional(std::string("src/order.js")));
  EXPECT_EQ(File("src/a.js", "../../order"), std::nullopt);
  EXPECT_EQ(File("src/a.js", "order"), std::nullopt);
}

TEST_F(ModuleMapTest, TakesADeclarationFileAndItsCodeForOneModule) {
  dir_.Write("order.d.ts", "");
  dir_.Write("order.js", "");
  dir_.Write("order.test.js", "");
  EXPECT_EQ(Means("a.ts", "./order.js", "order.js"), Answer::kYes);
  EXPECT_EQ(Means("a.ts", "./order.js", "order.d.ts"), Answer::kYes);
  EXPECT_EQ(Means("a.ts", "./order.js", "order.test.js"), Answer::kNo);
}

TEST_F(ModuleMapTest, TellsKindsOfModulesOfOneNameApart) {
  for (const char* path : {"lib.mjs", "lib.cjs", "lib.js"}) dir_.Write(path, "");
  EXPECT_EQ(Means("a.mjs", "./lib.mjs", "lib.mjs"), Answer::kYes);
  EXPECT_EQ(Means("a.mjs", "./lib.mjs", "lib.cjs"), Answer::kNo);
  EXPECT_EQ(Means("a.mjs", "./lib.mjs", "lib.js"), Answer::kNo);
  EXPECT_TRUE(AreOneModule("a/x.d.mts", "a/x.mjs"));
  EXPECT_TRUE(AreOneModule("a/x.tsx", "a/x.js"));
  EXPECT_FALSE(AreOneModule("a/x.jsx", "a/x.js"));
  EXPECT_FALSE(AreOneModule("a/x.js", "b/x.js"));
}

TEST_F(ModuleMapTest, FollowsImportsOfThePackage) {
  dir_.Write("package.json", R"({"name": "shop", "imports": {
      "#geometry": "./src/shapes.js", "#lib/*": "./src/lib/*.js", "#lib/special/*": "./other/*.js",
      "#made": "./dist/made.js", "#net": {"node": "./src/net.node.js", "default": ["./src/net.js"]}}})");
  for (const char* path : {"src/shapes.js", "src/lib/a.js", "other/b.js", "src/net.node.js",
                           "src/net.js", "src/made.js", "inner/package.json", "inner/c.js"}) {
    dir_.Write(path, "{}");
  }
  EXPECT_THAT(File("test/t.js", "#geometry"), Optional(std::string("src/shapes.js")));
  EXPECT_THAT(File("test/t.js", "#lib/a"), Optional(std::string("src/lib/a.js")));
  EXPECT_THAT(File("test/t.js", "#lib/special/b"), Optional(std::string("other/b.js")));
  EXPECT_EQ(File("test/t.js", "#net"), std::nullopt);
  EXPECT_EQ(Means("test/t.js", "#net", "src/net.js"), Answer::kPerhaps);
  EXPECT_EQ(Means("test/t.js", "#net", "src/shapes.js"), Answer::kNo);
  EXPECT_EQ(Means("test/t.js", "#made", "src/made.js"), Answer::kPerhaps);
  EXPECT_EQ(Means("inner/t.js", "#geometry", "src/shapes.js"), Answer::kNo);
  EXPECT_FALSE(IsForeign("test/t.js", "#made"));
  EXPECT_THAT(ModuleMap(dir_.path()).AliasesOf("src/shapes.js"), ElementsAre("#geometry"));
  EXPECT_THAT(ModuleMap(dir_.path()).AliasesOf("src/lib/a.js"), IsEmpty());
}

TEST_F(ModuleMapTest, FollowsPathsOfTypeScript) {
  dir_.Write("tsconfig.base.json", R"({"compilerOptions": {"paths": {"@shapes": ["./src/shapes"],
      "@/*": ["./gone/*", "./src/*"],}}} // with a comment)");
  dir_.Write("app/tsconfig.json", R"({"extends": "../tsconfig.base"})");
  dir_.Write("web/tsconfig.json",
             R"({"files": [], "references": [{"path": "./tsconfig.app.json"}]})");
  dir_.Write("web/tsconfig.app.json",
             R"({"compilerOptions": {"baseUrl": "code", "paths": {"~/*": ["*"]}}})");
  dir_.Write("src/shapes/index.ts", "");
  dir_.Write("src/a.ts", "");
  dir_.Write("web/code/b.ts", "");
  EXPECT_THAT(File("app/t.ts", "@shapes"), Optional(std::string("src/shapes/index.ts")));
  EXPECT_THAT(File("app/t.ts", "@/a"), Optional(std::string("src/a.ts")));
  EXPECT_THAT(File("web/t.ts", "~/b"), Optional(std::string("web/code/b.ts")));
  EXPECT_THAT(File("web/t.ts", "b"), Optional(std::string("web/code/b.ts")));
  EXPECT_EQ(File("web/t.ts", "@/a"), std::nullopt);
  EXPECT_FALSE(IsForeign("app/t.ts", "@/gone"));
  EXPECT_TRUE(IsForeign("app/t.ts", "react"));
  EXPECT_THAT(ModuleMap(dir_.path()).AliasesOf("src/shapes/index.ts"), IsEmpty());
  EXPECT_THAT(ModuleMap(dir_.path()).AliasesOf("app/x.ts"), IsEmpty());
}

TEST_F(ModuleMapTest, TakesSettingsOfOtherProjectsOnlyFromOneThatHasNoFiles) {
  dir_.Write("web/tsconfig.json", R"({"references": [{"path": "../shop"}]})");
  dir_.Write("shop/tsconfig.json", R"({"compilerOptions": {"paths": {"~/*": ["./src/*"]}}})");
  dir_.Write("shop/src/b.ts", "");
  EXPECT_EQ(File("web/t.ts", "~/b"), std::nullopt);
  EXPECT_THAT(File("shop/t.ts", "~/b"), Optional(std::string("shop/src/b.ts")));
}

TEST_F(ModuleMapTest, TakesPathsAndBaseOfOneProject) {
  dir_.Write("tsconfig.json", R"({"files": [], "references": [{"path": "./tsconfig.node.json"},
      {"path": "./tsconfig.app.json"}]})");
  dir_.Write("tsconfig.node.json", R"({"compilerOptions": {"baseUrl": "scripts"}})");
  dir_.Write("tsconfig.app.json", R"({"compilerOptions": {"paths": {"@/*": ["./src/*"]}}})");
  dir_.Write("src/b.ts", "");
  dir_.Write("scripts/src/b.ts", "");
  EXPECT_THAT(File("t.ts", "@/b"), Optional(std::string("src/b.ts")));
}

TEST_F(ModuleMapTest, TakesTheBaseOfAProjectWithoutPaths) {
  dir_.Write("tsconfig.json", R"({"files": [], "references": [{"path": "./tsconfig.app.json"}]})");
  dir_.Write("tsconfig.app.json", R"({"compilerOptions": {"baseUrl": "src"}})");
  dir_.Write("src/lib/b.ts", "");
  EXPECT_THAT(File("t.ts", "lib/b"), Optional(std::string("src/lib/b.ts")));
}

TEST_F(ModuleMapTest, ReadsWhatAConfigExtendsHoweverManyProjectsItRefersTo) {
  std::string projects;
  for (int i = 0; i < 60; ++i) {
    dir_.Write(absl::StrCat("p", i, "/tsconfig.json"), "{}");
    absl::StrAppend(&projects, i == 0 ? "" : ", ", R"({"path": "./p)", i, "\"}");
  }
  dir_.Write("base.json", R"({"compilerOptions": {"paths": {"~/*": ["./src/*"]}}})");
  dir_.Write(
      "tsconfig.json",
      absl::StrCat(R"({"files": [], "extends": "./base.json", "references": [)", projects, "]}"));
  dir_.Write("src/b.ts", "");
  EXPECT_THAT(File("t.ts", "~/b"), Optional(std::string("src/b.ts")));
}

TEST_F(ModuleMapTest, LooksBelowTheBaseForWhatNoPathHas) {
  dir_.Write("tsconfig.json",
             R"({"compilerOptions": {"baseUrl": "src", "paths": {"*": ["types/*"]}}})");
  dir_.Write("src/shop/a.ts", "");
  EXPECT_THAT(File("t.ts", "shop/a"), Optional(std::string("src/shop/a.ts")));
  EXPECT_TRUE(IsForeign("t.ts", "react"));
}

TEST_F(ModuleMapTest, TellsDependenciesFromNamesThatABundlerMaps) {
  dir_.Write("package.json",
             R"({"name": "app", "devDependencies": {"@acme/ui": "1", "vite": "5"}})");
  EXPECT_TRUE(IsForeign("a.js", "@acme/ui/button"));
  EXPECT_TRUE(IsForeign("a.js", "vite"));
  EXPECT_TRUE(IsForeign("a.js", "node:fs/promises"));
  EXPECT_FALSE(IsForeign("a.js", "@/button"));
  EXPECT_FALSE(IsForeign("a.js", "/js/raw.js"));
  EXPECT_FALSE(IsForeign("a.js", "app", {"app"}));
  EXPECT_FALSE(IsForeign("a.js", "./button"));
}

TEST_F(ModuleMapTest, TellsPackagesOfTheWorkspaceFromDependencies) {
  dir_.Write("app/package.json", R"({"dependencies": {"@acme/linked": "workspace:*",
      "@acme/facade": "^1.0.0", "react": "18"}})");
  EXPECT_FALSE(IsForeign("app/a.js", "@acme/linked"));
  EXPECT_TRUE(IsForeign("app/a.js", "@acme/facade"));
  // What is not installed may be one of the packages of the project.
  dir_.Write("package.json", R"({"workspaces": ["facade", "app"]})");
  EXPECT_FALSE(IsForeign("app/a.js", "@acme/facade"));
  dir_.Write("node_modules/react/package.json", "{}");
  dir_.Write("facade/package.json", "{}");
  dir_.Write("node_modules/@acme/other", "");
  ASSERT_EQ(
      symlink("../../facade", absl::StrCat(dir_.path(), "/node_modules/@acme/facade").c_str()), 0);
  EXPECT_FALSE(IsForeign("app/a.js", "@acme/facade"));
  EXPECT_TRUE(IsForeign("app/a.js", "react"));
}

TEST_F(ModuleMapTest, TakesTheNameOfAPackageForAnyOfItsFiles) {
  dir_.Write("packages/shop/package.json", R"({"name": "@acme/shop"})");
  dir_.Write("packages/shop/src/a.js", "");
  dir_.Write("packages/web/b.js", "");
  EXPECT_EQ(Means("packages/web/b.js", "@acme/shop", "packages/shop/src/a.js"), Answer::kPerhaps);
  EXPECT_EQ(Means("packages/web/b.js", "@acme/shop/a", "packages/shop/src/a.js"), Answer::kPerhaps);
  EXPECT_EQ(Means("packages/web/b.js", "@acme/shopping", "packages/shop/src/a.js"), Answer::kNo);
  EXPECT_EQ(ModuleMap(dir_.path()).PackageNameOf("packages/shop/src/a.js"), "@acme/shop");
  EXPECT_EQ(ModuleMap(dir_.path()).PackageNameOf("packages/web/b.js"), "");
}

TEST_F(ModuleMapTest, ResolvesInheritedPathsAtTheBaseOfTheHeir) {
  dir_.Write("base.json", R"({"compilerOptions": {"paths": {"~/*": ["./*"]}}})");
  dir_.Write("app/tsconfig.json",
             R"({"extends": "../base.json", "compilerOptions": {"baseUrl": "src"}})");
  dir_.Write("a.ts", "");
  dir_.Write("app/src/b.ts", "");
  EXPECT_THAT(File("app/t.ts", "~/b"), Optional(std::string("app/src/b.ts")));
  EXPECT_EQ(File("app/t.ts", "~/a"), std::nullopt);
}

TEST_F(ModuleMapTest, ReadsSettingsBehindALink) {
  dir_.Write("settings/base.json", R"({"compilerOptions": {"paths": {"~/*": ["./src/*"]}}})");
  ASSERT_EQ(symlink("settings/base.json", absl::StrCat(dir_.path(), "/tsconfig.json").c_str()), 0);
  dir_.Write("src/b.ts", "");
  EXPECT_THAT(File("t.ts", "~/b"), Optional(std::string("src/b.ts")));
}

TEST_F(ModuleMapTest, ReadsNoSettingsOutsideOfTheWorkspace) {
  dir_.Write("base.json", R"({"compilerOptions": {"paths": {"~/*": ["./src/*"]}}})");
  dir_.Write("w/src/b.ts", "");
  ASSERT_EQ(symlink("../base.json", dir_.Path("w/tsconfig.json").c_str()), 0);
  EXPECT_EQ(ModuleMap(dir_.Path("w")).FileOf(Importer("t.ts"), "~/b"), std::nullopt);
}

TEST_F(ModuleMapTest, FindsNothingOutsideOfTheWorkspace) {
  dir_.Write("x.ts", "");
  dir_.Write("w/x.ts", "");
  dir_.Write("w/package.json", R"({"imports": {"#lib/*": "./src/*", "#out": "./../x.ts"}})");
  dir_.Write("w/tsconfig.json",
             R"({"compilerOptions": {"paths": {"y": ["../x.ts"], "z/*": ["./src/*"]}}})");
  ModuleMap map(absl::StrCat(dir_.path(), "/w"));
  for (const char* written : {"../x", "#lib/../../x.ts", "#out", "y", "z/../../x.ts"}) {
    EXPECT_EQ(map.FileOf(Importer("t.ts"), written), std::nullopt) << written;
  }
  EXPECT_THAT(map.FileOf(Importer("t.ts"), "#lib/../x.ts"), Optional(std::string("x.ts")));
}

TEST_F(ModuleMapTest, LivesWithSettingsThatAreWrong) {
  dir_.Write("package.json",
             R"({"imports": {"#a": 7, "#b": "../../etc/x.js", "#c": {"*": "./c*.js"}}})");
  dir_.Write("tsconfig.json",
             R"({"extends": ["./tsconfig.json", "./tsconfig", 3], "compilerOptions":
      {"paths": {"x": 5, "y": [6, "/etc/passwd"], "z": ["../../z"]}}})");
  for (const char* written : {"#a", "#b", "#c", "#d", "x", "y", "z", "", "."}) {
    EXPECT_EQ(File("t.ts", written), std::nullopt) << written;
  }
}

}  // namespace
}  // namespace stile
