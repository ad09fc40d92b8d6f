#include "tools/index/package_imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

PackageNames Imported(const std::string& imports) {
  static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
  const Language& language = *languages->OfFile("a.go");
  return ImportedPackages(**SourceFile::Parse("a.go", language, *FindGrammar(language.grammar),
                                              "package a\n\n" + imports + "\n"));
}

TEST(PackageImportsTest, TakesTheLastElementOfAPath) {
  EXPECT_THAT(Imported("import \"fmt\""), UnorderedElementsAre("fmt"));
  EXPECT_THAT(Imported("import (\n\t\"go/ast\"\n\t\"example.com/md/html\"\n)"),
              UnorderedElementsAre("ast", "html"));
}

TEST(PackageImportsTest, KnowsVersionsAndAffixes) {
  EXPECT_THAT(Imported("import \"example.org/ast/v2\""), UnorderedElementsAre("ast", "v2"));
  EXPECT_THAT(Imported("import \"k8s.io/api/core/v1\""), UnorderedElementsAre("core", "v1"));
  EXPECT_THAT(Imported("import \"gopkg.in/yaml.v3\""), UnorderedElementsAre("yaml"));
  EXPECT_THAT(Imported("import \"example.org/go-ast\""), UnorderedElementsAre("ast", "go-ast"));
  EXPECT_THAT(Imported("import \"example.org/golang-lru\""),
              UnorderedElementsAre("lru", "golang-lru"));
  EXPECT_THAT(Imported("import \"example.org/go.uuid\""), UnorderedElementsAre("uuid", "go.uuid"));
}

TEST(PackageImportsTest, TakesTheNameThatTheFileGives) {
  EXPECT_THAT(Imported("import tree \"go/ast\""), UnorderedElementsAre("tree"));
}

TEST(PackageImportsTest, IgnoresOtherTexts) {
  EXPECT_THAT(Imported("// import \"go/ast\"\nvar x = \"ast\""), IsEmpty());
}

}  // namespace
}  // namespace stile
