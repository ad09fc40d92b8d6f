#include "validators/integrity/shadowing_stubs.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/memory_files.h"

namespace stile {
namespace {

using Files = std::map<std::string, std::string>;

// The paths that are refused, a blank behind each.
std::string Refused(const std::vector<ContentPair>& changes, const Files& unchanged) {
  std::string paths;
  for (const Weakening& weakening : CompareStubs(changes, MemoryFiles(changes, unchanged))) {
    EXPECT_EQ(weakening.weight, Weakening::Weight::kGrave);
    absl::StrAppend(&paths, weakening.path, " ");
  }
  return paths;
}

ContentPair New(const std::string& path, const std::string& text = "") {
  return {path, std::nullopt, text};
}

TEST(ShadowingStubsTest, AStubMayNotAppearForAModuleOfTheWorkspace) {
  const Files shop = {{"src/shop/__init__.py", ""}, {"src/shop/price.py", ""}};
  EXPECT_EQ(Refused({New("src/shop/price.pyi")}, shop), "src/shop/price.pyi ");
  EXPECT_EQ(Refused({New("src/shop/__init__.pyi")}, shop), "src/shop/__init__.pyi ");
  EXPECT_EQ(Refused({New("typings/shop/price.pyi")}, shop), "typings/shop/price.pyi ");
  EXPECT_EQ(Refused({New("a/stubs/shop/__init__.pyi")}, shop), "a/stubs/shop/__init__.pyi ");
  EXPECT_EQ(Refused({New("shop-stubs/price.pyi")}, shop), "shop-stubs/price.pyi ");
  EXPECT_EQ(Refused({New("a/price.pyi"), New("a/price.py")}, {}), "a/price.pyi ");
}

TEST(ShadowingStubsTest, AStubOfAnotherModuleMayAppear) {
  const Files shop = {{"src/shop/__init__.py", ""}, {"src/shop/price.py", ""}};
  EXPECT_EQ(Refused({New("typings/yaml/__init__.pyi")}, shop), "");
  EXPECT_EQ(Refused({New("src/shop/native.pyi")}, shop), "");
  EXPECT_EQ(Refused({New("typings/bank/price.pyi")}, shop), "");
  EXPECT_EQ(Refused({New("typings/price.pyi")}, shop), "") << "shop.price is another module";
  EXPECT_EQ(Refused({New("other/shop/price.pyi")}, shop), "") << "no folder of stubs";
}

TEST(ShadowingStubsTest, StubsThatWereThereMayChangeAndMove) {
  const Files shop = {{"price.py", ""}};
  EXPECT_EQ(Refused({{"price.pyi", "", "x: int"}}, shop), "");
  EXPECT_EQ(Refused({{"price.py", "", "x = 1"}}, {{"price.pyi", ""}}), "");
  EXPECT_EQ(
      Refused(
          {{"a.pyi", "", std::nullopt}, {"a.py", "", std::nullopt}, New("b/a.pyi"), New("b/a.py")},
          {}),
      "");
}

TEST(ShadowingStubsTest, SettingsMayNotNameAFolderThatShadows) {
  const Files files = {{"shop/price.py", ""}, {"fake/shop/price.pyi", ""}, {"lib/yaml.pyi", ""}};
  const auto with = [&](const std::string& path, const std::string& before,
                        const std::string& after) {
    return Refused({{path, before, after}}, files);
  };
  const std::string found = "fake/shop/price.pyi ";
  EXPECT_EQ(with("mypy.ini", "[mypy]\n", "[mypy]\nmypy_path = lib:fake\n"), found);
  EXPECT_EQ(with("mypy.ini", "[mypy]\n", "[mypy]\nmypy_path =\n  lib,\n  fake\n"), found);
  EXPECT_EQ(with("mypy.ini", "[mypy]\n", "[mypy]\nmypy_path = $MYPY_CONFIG_FILE_DIR/fake\n"),
            found);
  EXPECT_EQ(with("pyproject.toml", "", "[tool.mypy]\nmypy_path = [\"fake\"]\n"), found);
  EXPECT_EQ(with("pyproject.toml", "", "[tool.pyright]\nstubPath = \"./fake\"\n"), found);
  EXPECT_EQ(with("pyrightconfig.json", "{}", "{\"extraPaths\": [\"lib\", \"fake\"]}"), found);
  EXPECT_EQ(with("mypy.ini", "[mypy]\n", "[mypy]\nmypy_path = lib\n"), "");
  EXPECT_EQ(with("mypy.ini", "[mypy]\nmypy_path = fake\n", "[mypy]\nmypy_path = lib:fake\n"), "");
}

TEST(ShadowingStubsTest, ADeclarationMayNotStandForASourceBesideIt) {
  EXPECT_EQ(Refused({New("src/price.d.ts")}, {{"src/price.ts", ""}}), "src/price.d.ts ");
  EXPECT_EQ(Refused({New("src/price.d.ts")}, {{"src/price.js", ""}}), "src/price.d.ts ");
  EXPECT_EQ(Refused({New("src/price.d.mts")}, {{"src/price.mjs", ""}}), "src/price.d.mts ");
  EXPECT_EQ(Refused({New("src/yaml.d.ts")}, {{"src/price.ts", ""}}), "");
  EXPECT_EQ(Refused({{"a.d.ts", "", "x"}}, {{"a.js", ""}}), "");
  EXPECT_EQ(Refused({{"a.d.ts", "", std::nullopt},
                     {"a.js", "", std::nullopt},
                     New("b/a.d.ts"),
                     New("b/a.js")},
                    {}),
            "");
}

TEST(ShadowingStubsTest, PathsMayNotLeadFromASourceToADeclaration) {
  const Files files = {{"src/price.ts", ""}, {"fake/price.d.ts", ""}, {"types/yaml.d.ts", ""}};
  const auto with = [&](const std::string& before, const std::string& after) {
    const auto options = [](const std::string& paths) {
      return absl::StrCat("{\"compilerOptions\": {\"paths\": {", paths, "}}}");
    };
    return Refused({{"tsconfig.json", options(before), options(after)}}, files);
  };
  EXPECT_EQ(with("", R"("@shop/price": ["./fake/price"])"), "tsconfig.json ");
  EXPECT_EQ(with("", R"("@shop/*": ["fake/*"])"), "tsconfig.json ");
  EXPECT_EQ(with(R"("@a/*": ["src/*"])", R"("@a/*": ["types/*", "src/*"])"), "tsconfig.json ");
  EXPECT_EQ(with("", R"("yaml": ["types/yaml.d.ts"])"), "");
  EXPECT_EQ(with("", R"("@shop/*": ["src/*"])"), "");
  EXPECT_EQ(with(R"("@shop/*": ["fake/*"])", R"("@shop/*": ["fake/*"])"), "");
}

}  // namespace
}  // namespace stile
