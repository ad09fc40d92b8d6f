#include "tools/refactor/declaration_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeclarationFilesTest : public ::testing::Test {
 protected:
  // Adds each declaration of the name in a text.
  void Add(const std::string& path, const std::string& text, const std::string& name) {
    static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
    const Language& language = *languages->OfFile(path);
    const auto file = SourceFile::Parse(path, language, *FindGrammar(language.grammar), text);
    ASSERT_TRUE(file.ok()) << file.status();
    for (size_t i = 0; i < (*file)->symbols.size(); ++i) {
      if ((*file)->symbols[i].name == name) all_.push_back({*file, static_cast<int>(i)});
    }
  }

  // "path" of each twin of the first declaration, "path?" where it may be meant only.
  std::vector<std::string> TwinsOfFirst() {
    std::vector<std::string> found;
    const DeclarationFiles::Twins twins = DeclarationFiles(dir_.path()).Of(all_[0], all_);
    for (const Declaration& twin : twins.same) found.push_back(twin.file->path);
    for (const Declaration& twin : twins.perhaps) found.push_back(twin.file->path + "?");
    return found;
  }

  TempDir dir_;
  std::vector<Declaration> all_;
};

TEST_F(DeclarationFilesTest, FindsTheFileBeside) {
  Add("a/order.js", "export function make() {}\n", "make");
  Add("a/order.d.ts", "export function make(): void;\n", "make");
  Add("b/order.d.ts", "export function make(): void;\n", "make");
  EXPECT_THAT(TwinsOfFirst(), ElementsAre("a/order.d.ts"));
  std::swap(all_[0], all_[1]);
  EXPECT_THAT(TwinsOfFirst(), ElementsAre("a/order.js"));
}

TEST_F(DeclarationFilesTest, FindsWhatAnImportGivesUnderOtherConditions) {
  dir_.Write("package.json",
             R"({"imports": {"#c": {"browser": "./browser.js", "default": "./node.js"},
                             "#d": "./other.js"}})");
  Add("node.js", "export const make = 1;\n", "make");
  Add("browser.js", "export const make = 2;\n", "make");
  Add("other.js", "export const make = 3;\n", "make");
  DeclarationFiles files(dir_.path());
  std::vector<std::string> found;
  for (const Declaration& other : files.OfOtherConditions(all_[0], all_)) {
    found.push_back(other.file->path);
  }
  EXPECT_THAT(found, ElementsAre("browser.js"));
  EXPECT_THAT(files.OfOtherConditions(all_[2], all_), IsEmpty());
}

TEST_F(DeclarationFilesTest, FindsTheStubOfPython) {
  Add("a/order.py", "class Order:\n    def make(self):\n        pass\n", "make");
  Add("a/order.pyi", "def make() -> None: ...\nclass Order:\n    def make(self) -> None: ...\n",
      "make");
  EXPECT_THAT(TwinsOfFirst(), ElementsAre("a/order.pyi"));
}

TEST_F(DeclarationFilesTest, FindsTheDeclarationsOfThePackage) {
  dir_.Write("package.json", R"({"exports": {".": {"types@>=4": "./types/index.d.ts"}}})");
  Add("src/util.js", "function make() {}\nexport { make };\n", "make");
  Add("types/inner/a.d.ts", "export const make: () => void;\n", "make");
  Add("other/a.d.ts", "export const make: () => void;\n", "make");
  EXPECT_THAT(TwinsOfFirst(), ElementsAre("types/inner/a.d.ts"));
}

TEST_F(DeclarationFilesTest, KnowsAssignmentsAndNamedModules) {
  dir_.Write("package.json", R"({"typings": "p.d.ts"})");
  Add("lib/p.js", "class Box {\n  open() {}\n}\nmodule.exports = { Box };\n", "open");
  Add("p.d.ts", "declare module 'p' {\n  class Box {\n    open(): void;\n  }\n}\n", "open");
  Add("p.d.ts", "declare class Lid {\n  open(): void;\n}\n", "open");
  ASSERT_EQ(all_.size(), 3U);
  EXPECT_THAT(TwinsOfFirst(), ElementsAre("p.d.ts"));
}

TEST_F(DeclarationFilesTest, AnotherExportOfTheNameMayBeMeant) {
  dir_.Write("package.json", R"({"types": "index.d.ts"})");
  Add("src/a.js", "export function make() {}\n", "make");
  Add("src/b.js", "export const make = () => {};\n", "make");
  Add("index.d.ts", "export function make(): void;\n", "make");
  EXPECT_THAT(TwinsOfFirst(), ElementsAre("index.d.ts?"));
}

TEST_F(DeclarationFilesTest, LeavesWhatIsNotExportedAndOtherPackages) {
  dir_.Write("package.json", R"({"types": "index.d.ts"})");
  dir_.Write("sub/package.json", R"({"name": "sub"})");
  Add("src/a.js", "function make() {}\nexport function run() { make(); }\n", "make");
  Add("index.d.ts", "export function make(): void;\n", "make");
  EXPECT_THAT(TwinsOfFirst(), IsEmpty());
  all_.clear();
  Add("sub/a.js", "export function make() {}\n", "make");
  Add("index.d.ts", "export function make(): void;\n", "make");
  EXPECT_THAT(TwinsOfFirst(), IsEmpty());
  all_.clear();
  Add("src/a.js", "export function make() {}\n", "make");
  Add("index.d.ts", "export interface make {}\n", "make");
  EXPECT_THAT(TwinsOfFirst(), IsEmpty());
}

TEST_F(DeclarationFilesTest, TakesAManifestThatDoesNotParseForNone) {
  dir_.Write("package.json", "{\"types\": \"index.d.ts\",,");
  Add("src/a.js", "export function make() {}\n", "make");
  Add("index.d.ts", "export function make(): void;\n", "make");
  EXPECT_THAT(TwinsOfFirst(), IsEmpty());
}

}  // namespace
}  // namespace stile
