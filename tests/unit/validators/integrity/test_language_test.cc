#include "validators/integrity/test_language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/syntax/grammar.h"
#include "tests/support/shipped_languages.h"
#include "validators/integrity/condition_syntax.h"
#include "validators/integrity/macro_syntax.h"

namespace stile {
namespace {

const TestLanguage& Known(absl::string_view grammar) {
  const TestLanguage* const language = FindTestLanguage(grammar);
  EXPECT_NE(language, nullptr) << grammar;
  return *language;
}

// Code in a grammar without a class would be read by no rule at all.
TEST(TestLanguageTest, KnowsEveryGrammar) {
  for (const Grammar& grammar : Grammars()) {
    EXPECT_NE(FindTestLanguage(grammar.name), nullptr) << grammar.name;
    EXPECT_TRUE(TestCode::Parse(grammar, "").has_value()) << grammar.name;
  }
  EXPECT_EQ(FindTestLanguage("cobol"), nullptr);
  EXPECT_EQ(FindTestLanguage(""), nullptr);
}

TEST(TestLanguageTest, KnowsEveryShippedLanguageUnderBothNames) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  ASSERT_FALSE(languages.languages().empty());
  for (const Language& language : languages.languages()) {
    const TestLanguage* const known = FindTestLanguageById(language.id);
    EXPECT_NE(known, nullptr) << language.id;
    EXPECT_EQ(known, FindTestLanguage(language.grammar)) << language.id;
  }
  EXPECT_EQ(FindTestLanguageById("cobol"), nullptr);
  EXPECT_EQ(FindTestLanguageById(""), nullptr);
}

// Of the named node of that type.
NodeRole RoleOf(absl::string_view name, absl::string_view type) {
  const Grammar* const grammar = FindGrammar(name);
  const TSSymbol symbol = ts_language_symbol_for_name(
      grammar->language, type.data(), static_cast<uint32_t>(type.size()), /*is_named=*/true);
  return NodeRoles(*grammar)[symbol];
}

TEST(TestLanguageTest, OwnRolesGoBeforeThoseOfAllGrammars) {
  EXPECT_EQ(RoleOf("python", "string"), NodeRole::kString);
  EXPECT_EQ(RoleOf("typescript", "class"), NodeRole::kClass);
  EXPECT_EQ(RoleOf("c_sharp", "attribute"), NodeRole::kMarker);
  EXPECT_EQ(RoleOf("python", "attribute"), NodeRole::kNone);
  EXPECT_EQ(RoleOf("java", "class_declaration"), NodeRole::kClass);
}

TEST(TestLanguageTest, FailuresAreCallsOfTheTester) {
  EXPECT_TRUE(IsFailureCall(Known("go"), "t", "Errorf"));
  EXPECT_FALSE(IsFailureCall(Known("go"), "fmt", "Errorf"));
  EXPECT_FALSE(IsFailureCall(Known("go"), "Error", "Error"));
  EXPECT_TRUE(IsFailureCall(Known("rust"), "panic", "panic!"));
  EXPECT_TRUE(IsFailureCall(Known("java"), "fail", "fail"));
  EXPECT_FALSE(IsFailureCall(Known("java"), "t", "Errorf"));
}

TEST(TestLanguageTest, HandlersThatCatchFailures) {
  EXPECT_TRUE(Known("python").CatchesFailures("except :"));
  EXPECT_FALSE(Known("python").CatchesFailures("except ValueError :"));
  EXPECT_FALSE(Known("java").CatchesFailures("catch ( IOException e )"));
  EXPECT_TRUE(Known("c_sharp").CatchesFailures("catch"));
  EXPECT_FALSE(Known("cpp").CatchesFailures("catch ( const Error & e )"));
  EXPECT_TRUE(Known("cpp").CatchesFailures("catch ( ... )"));
  EXPECT_TRUE(Known("typescript").CatchesFailures("catch ( error )"));
}

TEST(TestLanguageTest, AssertionsThatFailAreKnownByLanguage) {
  CallNames names;
  names.all = {"expect", "toBe"};
  names.head = "expect";
  names.last = "toBe";
  EXPECT_EQ(Known("tsx").FailingForm(names, "expect"), "expect(1).toBe(2)");
  EXPECT_EQ(Known("cpp").FailingForm({}, "EXPECT_EQ"), "EXPECT_EQ(1, 2)");
  EXPECT_EQ(Known("cpp").FailingForm({}, "assert"), "assert(1 > 2)");
  EXPECT_EQ(Known("c").FailingForm({}, "EXPECT_EQ"), "");
  EXPECT_EQ(Known("go").FailingForm({}, "assert"), "");
}

TEST(TestLanguageTest, FailingStatements) {
  FailureSite site;
  EXPECT_EQ(Known("c").FailingStatement(site), " __builtin_trap();");
  EXPECT_EQ(Known("python").FailingStatement(site), "raise AssertionError('planted failure')");
  EXPECT_EQ(Known("java").FailingStatement(site),
            " if (Thread.currentThread() != null) throw new AssertionError(\"planted failure\");");
  site.calls = {"assert!(1 > 2)", "assert_eq!(1, 2)"};
  site.begin = 3;
  EXPECT_EQ(Known("rust").FailingStatement(site), " assert_eq!(1, 2);");
}

TEST(TestLanguageTest, ConditionsAndMacrosHaveInterfacesOfTheirOwn) {
  EXPECT_EQ(Known("java").conditions(), nullptr);
  EXPECT_EQ(Known("c_sharp").conditions(), PreprocessorConditions());
  EXPECT_FALSE(Known("python").conditions()->TellsConditions());
  EXPECT_EQ(Known("rust").macros(), RuleMacros());
  EXPECT_EQ(Known("c").macros(), Known("cpp").macros());
  EXPECT_EQ(Known("c_sharp").macros(), nullptr);
}

}  // namespace
}  // namespace stile
