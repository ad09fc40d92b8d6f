#include "runtime/language/language.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/source_folder.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<LanguageRegistry::Source> ShippedSources() {
  std::vector<LanguageRegistry::Source> sources;
  const std::filesystem::path folder = SourceFolder() + "/agents/languages";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    sources.push_back(
        {entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(file), {})});
  }
  std::sort(sources.begin(), sources.end(),
            [](const auto& a, const auto& b) { return a.file < b.file; });
  return sources;
}

LanguageRegistry Shipped() {
  absl::StatusOr<LanguageRegistry> registry = LanguageRegistry::Load(ShippedSources());
  EXPECT_TRUE(registry.ok()) << registry.status();
  return *std::move(registry);
}

std::vector<std::string> Ids(const std::vector<const Language*>& languages) {
  std::vector<std::string> ids;
  for (const Language* language : languages) ids.push_back(language->id);
  return ids;
}

std::string ErrorOf(absl::string_view yaml) {
  return std::string(ParseLanguage(yaml, "x.yaml").status().message());
}

TEST(LanguageTest, AllShippedLanguagesLoad) {
  std::vector<std::string> ids;
  const LanguageRegistry registry = Shipped();
  for (const Language& language : registry.languages()) {
    ids.push_back(language.id);
    EXPECT_FALSE(language.build_validators.empty()) << language.id;
    EXPECT_FALSE(language.test_validators.empty()) << language.id;
    EXPECT_FALSE(language.test_names.empty()) << language.id;
    EXPECT_FALSE(language.install_hint.empty()) << language.id;
  }
  EXPECT_THAT(ids, ElementsAre("c", "cpp", "csharp", "go", "java", "javascript", "python", "rust",
                               "typescript"));
}

TEST(LanguageTest, FileIsMappedByItsExtensionWhateverTheCase) {
  const LanguageRegistry registry = Shipped();
  const auto id = [&](absl::string_view path) {
    const Language* language = registry.OfFile(path);
    return language == nullptr ? "" : language->id;
  };
  EXPECT_EQ(id("src/a.cs"), "csharp");
  EXPECT_EQ(id("a.tsx"), "typescript");
  EXPECT_EQ(id("types/a.d.ts"), "typescript");
  EXPECT_EQ(id("A.PY"), "python");
  EXPECT_EQ(id("x.c++"), "cpp");
  EXPECT_EQ(id("x.h"), "c");
  EXPECT_EQ(id("README.md"), "");
  EXPECT_EQ(id("dir.go/README"), "");
  EXPECT_EQ(id(""), "");
}

TEST(LanguageTest, BuildFilesBelongToEveryLanguageThatReadsThem) {
  const LanguageRegistry registry = Shipped();
  EXPECT_THAT(Ids(registry.OfBuildFile("web/package.json")),
              ElementsAre("javascript", "typescript"));
  EXPECT_THAT(Ids(registry.OfBuildFile("tsconfig.build.json")),
              ElementsAre("javascript", "typescript"));
  EXPECT_THAT(Ids(registry.OfBuildFile("a/.cargo/config.toml")), ElementsAre("rust"));
  EXPECT_THAT(Ids(registry.OfBuildFile(".cargo/config.toml")), ElementsAre("rust"));
  EXPECT_THAT(Ids(registry.OfBuildFile("cmake/find.cmake")), ElementsAre("c", "cpp"));
  EXPECT_THAT(Ids(registry.OfBuildFile("x/My.csproj")), ElementsAre("csharp"));
  EXPECT_THAT(Ids(registry.OfBuildFile("Directory.Build.props")), ElementsAre("csharp"));
  EXPECT_THAT(Ids(registry.OfBuildFile("app/build.gradle.kts")), ElementsAre("java"));
  EXPECT_THAT(Ids(registry.OfBuildFile("README.md")), IsEmpty());
}

TEST(LanguageTest, OnlyProjectFilesMarkAProject) {
  const LanguageRegistry registry = Shipped();
  const Language& rust = *registry.Find("rust");
  EXPECT_TRUE(registry.IsProjectFile(rust, "a/Cargo.toml"));
  EXPECT_FALSE(registry.IsProjectFile(rust, "a/Cargo.lock"));
  EXPECT_FALSE(registry.IsProjectFile(rust, "go.mod"));
  EXPECT_FALSE(registry.IsProjectFile(rust, "a/Cargo.toml/x"));
}

TEST(LanguageTest, LaterSourceReplacesEarlierOfTheSameId) {
  const auto registry =
      LanguageRegistry::Load({{"a.yaml", "id: x\nname: One\nextensions: [.x]\n"},
                              {"b.yaml", "id: x\nname: Two\nextensions: [.y]\n"}});
  ASSERT_TRUE(registry.ok());
  ASSERT_EQ(registry->languages().size(), 1u);
  EXPECT_EQ(registry->Find("x")->name, "Two");
  EXPECT_EQ(registry->OfFile("f.x"), nullptr);
}

TEST(LanguageTest, MistakesAreNamedWithTheirPlace) {
  EXPECT_THAT(ErrorOf("id: x\nname: X\nextensons: [.x]\n"), HasSubstr("x.yaml:3"));
  EXPECT_THAT(ErrorOf("id: x\nname: X\nextensons: [.x]\n"), HasSubstr("extensions"));
  EXPECT_THAT(ErrorOf("name: X\nextensions: [.x]\n"), HasSubstr("'id' is missing"));
  EXPECT_THAT(ErrorOf("id: X\nname: X\nextensions: [.x]\n"), HasSubstr("is no id"));
  EXPECT_THAT(ErrorOf("id: x\nname: X\n"), HasSubstr("'extensions' is missing"));
  EXPECT_THAT(ErrorOf("id: x\nname: X\nextensions: [x]\n"), HasSubstr("is no extension"));
  EXPECT_THAT(ErrorOf("id: x\nname: X\nextensions: [.x]\nroot: top\n"), HasSubstr("x.yaml:4"));
  EXPECT_THAT(ErrorOf("id: x\nname: [a]\nextensions: [.x]\n"), HasSubstr("x.yaml:2"));
  EXPECT_THAT(ErrorOf("id: x\nname: X\nextensions: [.x]\nvalidators: 3\n"),
              HasSubstr("expected keys and values"));
  EXPECT_THAT(ErrorOf("id: x\nname: X\nextensions: [.x]\nsandbox: {caches: [/etc]}\n"),
              HasSubstr("x.yaml:4: sandbox.caches: '/etc' must begin with '~/'"));
  EXPECT_FALSE(ParseLanguage("", "x.yaml").ok());
  EXPECT_FALSE(ParseLanguage("- 1\n", "x.yaml").ok());
  EXPECT_FALSE(ParseLanguage("\xff\xfe", "x.yaml").ok());
}

TEST(LanguageTest, SaysWhatSandboxesHaveToLeaveToIt) {
  const auto language = ParseLanguage(
      "id: x\nname: X\nextensions: [.x]\nvalidators: {build: [a, b]}\n"
      "sandbox: {read: [~/sdk, $X_HOME], caches: [$X_HOME/cache], network: [a]}\n",
      "x.yaml");
  ASSERT_TRUE(language.ok()) << language.status();
  EXPECT_THAT(language->sandbox.read, ElementsAre("~/sdk", "$X_HOME"));
  EXPECT_THAT(language->sandbox.caches, ElementsAre("$X_HOME/cache"));
  EXPECT_TRUE(NeedsNetwork(*language, "a"));
  EXPECT_FALSE(NeedsNetwork(*language, "b"));
}

TEST(ProjectFinderTest, NestedProjectTakesItsOwnFiles) {
  const LanguageRegistry registry = Shipped();
  const ProjectFinder finder(registry, {"go.mod", "main.go", "services/api/go.mod",
                                        "services/api/x/y.go", "services/web/z.go"});
  const Language& go = *registry.Find("go");
  EXPECT_THAT(finder.Roots(go), ElementsAre(".", "services/api"));
  EXPECT_EQ(finder.RootOf(go, "services/api/x/y.go"), "services/api");
  EXPECT_EQ(finder.RootOf(go, "services/web/z.go"), ".");
  EXPECT_EQ(finder.RootOf(go, "main.go"), ".");
  // The file need not exist (any more).
  EXPECT_EQ(finder.RootOf(go, "services/api/new/n.go"), "services/api");
}

TEST(ProjectFinderTest, FileOutsideEveryProjectIsLoose) {
  const LanguageRegistry registry = Shipped();
  const ProjectFinder finder(registry, {"scripts/a.py", "svc/pyproject.toml"});
  const Language& python = *registry.Find("python");
  EXPECT_EQ(finder.RootOf(python, "scripts/a.py"), "");
  EXPECT_EQ(finder.RootOf(python, "svcs/a.py"), "");
  EXPECT_EQ(finder.RootOf(*registry.Find("go"), "a.go"), "");
  EXPECT_THAT(finder.Roots(*registry.Find("go")), IsEmpty());
}

TEST(ProjectFinderTest, PartsOfACmakeTreeBelongToItsTop) {
  const LanguageRegistry registry = Shipped();
  const ProjectFinder finder(
      registry, {"Makefile", "cpp/CMakeLists.txt", "cpp/src/CMakeLists.txt",
                 "cpp/src/lib/CMakeLists.txt", "cpp/third_party/z/Makefile", "tool/Makefile"});
  const Language& cpp = *registry.Find("cpp");
  EXPECT_EQ(finder.RootOf(cpp, "cpp/src/lib/a.cc"), "cpp");
  EXPECT_EQ(finder.RootOf(cpp, "other/a.cc"), ".");
  EXPECT_THAT(finder.Roots(cpp), ElementsAre(".", "cpp"));
}

TEST(ProjectFinderTest, MavenModulesBelongToTheReactorAndSeparateBuildsStaySeparate) {
  const LanguageRegistry registry = Shipped();
  const ProjectFinder finder(registry, {"a/core/pom.xml", "a/pom.xml", "b/app/build.gradle",
                                        "b/settings.gradle.kts", "c/pom.xml"});
  EXPECT_THAT(finder.Roots(*registry.Find("java")), ElementsAre("a", "b", "c"));
}

TEST(NameMatcherTest, AlternativesAreExpanded) {
  EXPECT_THAT(ExpandAlternatives("{a,b}.{c,d}"), ElementsAre("a.c", "a.d", "b.c", "b.d"));
  EXPECT_THAT(ExpandAlternatives("{a"), ElementsAre("{a"));
  EXPECT_THAT(ExpandAlternatives("{a,{b,c}}"), ElementsAre("{a,{b,c}}"));
  EXPECT_THAT(ExpandAlternatives("x"), ElementsAre("x"));
}

TEST(NameMatcherTest, EachKindOfGlobMatches) {
  NameMatcher matcher;
  matcher.Add("Makefile", 1);
  matcher.Add("*.props", 2);
  matcher.Add("tsconfig*.json", 3);
  matcher.Add("**/.mvn/*", 4);
  matcher.Add("*.props", 5);
  matcher.Add("Makefile", 1);
  EXPECT_THAT(matcher.Match("a/Makefile"), ElementsAre(1));
  EXPECT_THAT(matcher.Match("a.b.props"), ElementsAre(2, 5));
  EXPECT_THAT(matcher.Match("x/tsconfig.app.json"), ElementsAre(3));
  EXPECT_THAT(matcher.Match("x/.mvn/jvm.config"), ElementsAre(4));
  EXPECT_THAT(matcher.Match("xMakefile"), IsEmpty());
  EXPECT_THAT(matcher.Match(""), IsEmpty());
}

TEST(LanguageRegistry, FilesNameFurtherCodeFiles) {
  const auto parsed = LanguageRegistry::Load(
      {{"py.yaml", "id: python\nname: Python\nextensions: [.py]\n"},
       {"docker.yaml", "id: docker\nname: Docker\nfiles: [Dockerfile, 'deploy/*.py']\n"}});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  Language lint;
  lint.id = "lint";
  lint.declared = true;
  lint.files = {"**/*.py", "*.conf"};
  std::vector<Language> languages = parsed->languages();
  languages.push_back(lint);
  const LanguageRegistry registry = LanguageRegistry::Of(std::move(languages));
  ASSERT_NE(registry.OfFile("app/Dockerfile"), nullptr);
  EXPECT_EQ(registry.OfFile("app/Dockerfile")->id, "docker");
  EXPECT_EQ(registry.OfFile("deploy/a.py")->id, "python") << "an extension comes first";
  EXPECT_EQ(registry.OfFile("a.conf"), nullptr) << "a declared validator is no language";
  EXPECT_THAT(Ids(registry.AllOfFile("deploy/a.py")), ElementsAre("python", "docker", "lint"));
  EXPECT_THAT(Ids(registry.AllOfFile("a.conf")), ElementsAre("lint"));
  EXPECT_THAT(registry.AllOfFile("a.txt"), IsEmpty());
}

}  // namespace
}  // namespace stile
