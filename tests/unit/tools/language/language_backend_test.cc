#include "tools/language/language_backend.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using ::testing::Each;

const LanguageBackend& Of(const char* language) { return LanguageBackendOf(language); }

TEST(LanguageBackend, EachLanguageOfTheFamiliesHasOne) {
  for (const char* language :
       {"c", "cpp", "csharp", "go", "java", "javascript", "python", "rust", "typescript"}) {
    ASSERT_NE(Of(language).family, nullptr) << language;
    EXPECT_EQ(Of(language).family->language, language);
  }
  const LanguageBackend& other = Of("cobol");
  EXPECT_EQ(other.family, nullptr);
  EXPECT_EQ(other.writer->DeclareLocal("a", "int", "1"), "");
  EXPECT_EQ(other.types->NumberType("1"), "");
}

TEST(LanguageBackend, GrammarsLeadToTheLanguageThatTheyRead) {
  for (const auto& [grammar, language] :
       {std::pair("c_sharp", "csharp"), {"tsx", "typescript"}, {"cpp", "cpp"}, {"c", "c"}}) {
    EXPECT_EQ(&LanguageBackendOfGrammar(grammar), &Of(language)) << grammar;
  }
}

TEST(LanguageBackend, TypesAreReadFromWhatCompilersSay) {
  const auto type = [](const char* language, const char* message) {
    return Of(language).types->TypeInMessage(message);
  };
  EXPECT_EQ(type("csharp", "Cannot implicitly convert type 'List<int>' to 'System.X'"),
            "List<int>");
  EXPECT_EQ(
      type("java", "incompatible types: Map<String,Integer> cannot be converted to StileProbe"),
      "Map<String,Integer>");
  EXPECT_EQ(type("go",
                 "cannot use c (variable of type []string) as struct{x int} value in variable "
                 "declaration"),
            "[]string");
  EXPECT_EQ(type("typescript", "Type 'number' is not assignable to type '{ stileProbe: never; }'."),
            "number");
  EXPECT_EQ(type("c", "incompatible types when assigning to type 'struct x' from type 'double'"),
            "double");
  EXPECT_EQ(type("go", "undefined: x"), "");
  EXPECT_EQ(type("python", "incompatible types: a cannot be converted"), "");
}

TEST(LanguageBackend, NumbersHaveTheTypeThatTheirTextShows) {
  const auto type = [](const char* language, const char* word) {
    return Of(language).types->NumberType(word);
  };
  EXPECT_EQ(type("python", "0x1e"), "int");
  EXPECT_EQ(type("python", "1e3"), "float");
  EXPECT_EQ(type("go", "0x1p-2"), "float64");
  EXPECT_EQ(type("rust", "7u8"), "u8");
  EXPECT_EQ(type("rust", "7.0"), "f64");
  EXPECT_EQ(type("typescript", "7n"), "bigint");
  EXPECT_EQ(type("java", "7L"), "long");
  EXPECT_EQ(type("java", "7f"), "float");
  EXPECT_EQ(type("java", "0xffL"), "long");
  EXPECT_EQ(type("csharp", "7ul"), "ulong");
  EXPECT_EQ(type("csharp", "7m"), "decimal");
  EXPECT_EQ(type("csharp", "7u"), "uint");
  EXPECT_EQ(type("c", "7ul"), "unsigned long");
  EXPECT_EQ(type("c", "7ll"), "");
  EXPECT_EQ(type("c", "0xfd"), "int");
  EXPECT_EQ(type("c", "12345678901"), "") << "it may be of a wider type";
}

TEST(LanguageBackend, DeclarationsAreWrittenAsTheLanguageWritesThem) {
  EXPECT_EQ(Of("go").writer->DeclareLocal("a", "", "f()"), "a := f()");
  EXPECT_EQ(Of("c").writer->DeclareLocal("a", "", "f()"), "") << "a type is needed";
  EXPECT_EQ(Of("c").writer->DeclareLocal("a", "char *", "f()"), "char *a = f();");
  EXPECT_EQ(Of("cpp").writer->DeclareConstant("kA", "", "\"x\"", false),
            "constexpr auto& kA = \"x\";");
  EXPECT_EQ(Of("java").writer->DeclareConstant("A", "int", "1", true), "int A = 1;");
  EXPECT_EQ(Of("java").writer->DeclareConstant("A", "int", "1", false),
            "private static final int A = 1;");
  EXPECT_EQ(Of("rust").writer->DeclareConstant("A", "", "1", false), "");
  EXPECT_EQ(Of("javascript").writer->ParameterText("a", "number"), "a");
  EXPECT_EQ(Of("typescript").writer->DeclareUnset("a", "number"), "let a: number;");
  EXPECT_EQ(Of("python").writer->DeclareUnset("a", "int"), "");
}

TEST(LanguageBackend, ResultsAreTakenByDeclaredAndFreshVariables) {
  const ResultTaking fresh{{{"a", "int", true}, {"b", "int", true}}, "f()", "  ", false};
  const ResultTaking mixed{{{"a", "int", true}, {"b", "int", false}}, "f()", "  ", true};
  EXPECT_EQ(Of("python").writer->TakeResults(fresh), "a, b = f()");
  EXPECT_EQ(Of("go").writer->TakeResults(fresh), "a, b := f()");
  EXPECT_EQ(Of("go").writer->TakeResults(mixed), "var a int\n  a, b = f()");
  EXPECT_EQ(Of("typescript").writer->TakeResults(fresh), "const { a, b } = f();");
  EXPECT_EQ(Of("typescript").writer->TakeResults(mixed), "let a;\n  ({ a, b } = f());");
  EXPECT_EQ(Of("csharp").writer->TakeResults(fresh), "var (a, b) = f();");
  EXPECT_EQ(Of("csharp").writer->TakeResults(mixed), "(var a, b) = f();");
  EXPECT_EQ(Of("java").writer->TakeResults({{{"a", "int", true}}, "f()", "", false}),
            "int a = f();");
}

TEST(LanguageBackend, FactsThatSeveralOperationsShare) {
  std::vector<std::string> ends;
  for (const char* language : {"c", "cpp", "csharp", "java", "javascript", "rust", "typescript"}) {
    ends.push_back(Of(language).facts.statement_end);
  }
  EXPECT_THAT(ends, Each(";"));
  EXPECT_EQ(Of("go").facts.statement_end, "");
  EXPECT_EQ(Of("csharp").facts.no_result, "void") << "of the family";
  EXPECT_EQ(Of("python").facts.no_result, "None");
  EXPECT_EQ(Of("go").facts.no_result, "");
}

}  // namespace
}  // namespace stile
