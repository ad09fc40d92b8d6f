#include "validators/integrity/planted_file.h"

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
using testing::UnorderedElementsAre;

class PlantedFileTest : public testing::Test {
 protected:
  PlantedFile Plant(const std::string& path, const std::string& text) {
    return PlantFailuresIn(languages_, path, text).value_or(PlantedFile());
  }
  std::string TextOf(const std::string& path, const std::string& text) {
    return Plant(path, text).text;
  }
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
};

TEST_F(PlantedFileTest, PythonFailsBehindTheLastStatementAndInsteadOfAReturn) {
  const PlantedFile file = Plant("test_a.py",
                                 "def test_a(x):\n"
                                 "    if x:\n"
                                 "        return f(x)\n"
                                 "    assert x == 2\n"
                                 "\n"
                                 "def helper():\n"
                                 "    return 1\n"
                                 "\n"
                                 "async def test_b():\n"
                                 "    await g()\n");
  EXPECT_THAT(file.tests, UnorderedElementsAre("test_a", "test_b"));
  EXPECT_EQ(file.text,
            "def test_a(x):\n"
            "    if x:\n"
            "        planted = (f(x)); assert 1 > 2\n"
            "    assert x == 2\n"
            "    assert 1 > 2\n"
            "\n"
            "def helper():\n"
            "    return 1\n"
            "\n"
            "async def test_b():\n"
            "    await g()\n"
            "    raise AssertionError('planted failure')\n");
}

TEST_F(PlantedFileTest, PythonAsksTheMethodsOfUnittestWhetherTheyFail) {
  const std::string text = TextOf("test_a.py",
                                  "import unittest\n"
                                  "class A(unittest.TestCase):\n"
                                  "    @deco\n"
                                  "    def test_a(self):\n"
                                  "        self.assertEqual(f(), 2)\n"
                                  "    def test_b(self): self.run_all()\n"
                                  "    def test_c(self):\n"
                                  "        yield 1\n");
  EXPECT_THAT(text, HasSubstr("        self.assertEqual(f(), 2)\n"
                              "        try:\n"
                              "         self.assertEqual(1, 2)\n"
                              "        except AssertionError:\n"
                              "         pass\n"
                              "        else:\n"
                              "         return\n"
                              "        raise AssertionError('planted failure')\n"));
  EXPECT_THAT(text, HasSubstr("self.run_all(); raise AssertionError('planted failure')\n"));
  EXPECT_THAT(text, HasSubstr("        yield 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("yield 1\n  ")));
}

TEST_F(PlantedFileTest, JavaScriptAsksTheAssertionsOfTheTestAndFailsWhenAPromiseIsKept) {
  const PlantedFile file =
      Plant("price.test.js",
            "const test = require('node:test');\n"
            "const assert = require('node:assert');\n"
            "test('a', () => { assert.strictEqual(f(), 1); assert.ok(g()) });\n"
            "test('b', () => expect(f()).toBe(2));\n"
            "test('c', async () => { if (x) return; await run() });\n");
  EXPECT_THAT(file.tests, UnorderedElementsAre("a", "b", "c"));
  EXPECT_FALSE(file.is_program);
  EXPECT_THAT(file.text,
              HasSubstr("assert.ok(g()) ;{ let planted; let all = true; for (const one of "
                        "[() => assert.strictEqual(1, 2), () => assert.ok(1 > 2)]) { try { one(); "
                        "all = false; } catch (error) { planted = error; } } if (all) throw "
                        "planted; } });"));
  EXPECT_THAT(file.text, HasSubstr("() => { const kept = (expect(f()).toBe(2)); const fail = "
                                   "() => { { let planted; let all = true; for (const one of "
                                   "[() => expect(1).toBe(2)])"));
  EXPECT_THAT(file.text, HasSubstr("if (x) { { let planted"));
}

TEST_F(PlantedFileTest, AScriptOfAssertionsFailsAsAWhole) {
  const PlantedFile file = Plant("price.test.js",
                                 "const assert = require('node:assert');\n"
                                 "assert.equal(f(), 1);\n"
                                 "process.exit(failed ? 1 : 0);\n");
  EXPECT_TRUE(file.is_program);
  EXPECT_THAT(file.text, HasSubstr("process.exit(((failed ? 1 : 0), 1));"));
  EXPECT_THAT(file.text, HasSubstr("\n;{ let planted; let all = true; for (const one of [() => "
                                   "assert.equal(1, 2)])"));
  EXPECT_EQ(PlantFailuresIn(languages_, "test/helper.js",
                            "const assert = require('assert');\nassert.equal(1, f());\n"
                            "exports.help = 1;\n"),
            std::nullopt);
}

TEST_F(PlantedFileTest, TypeScriptNamesTheTypeOfWhatIsKept) {
  EXPECT_THAT(TextOf("price.test.ts", "test('a', () => run());\n"),
              HasSubstr("{ const kept: any = (run()); const fail: any = () => {"));
}

TEST_F(PlantedFileTest, GoFailsByTheParameterAlsoInSubtests) {
  const PlantedFile file = Plant("price_test.go",
                                 "package shop\n"
                                 "func TestA(t *testing.T) {\n"
                                 "\tif x {\n"
                                 "\t\treturn\n"
                                 "\t}\n"
                                 "\tt.Run(\"b\", func(tt *testing.T) { check(tt) })\n"
                                 "}\n"
                                 "func TestB(_ *testing.T) { run() }\n"
                                 "func ExampleC() { run() }\n");
  EXPECT_THAT(file.tests, UnorderedElementsAre("TestA", "TestB"));
  EXPECT_EQ(file.text,
            "package shop\n"
            "func TestA(t *testing.T) {\n"
            "\tif x {\n"
            "\t\t{ ;t.Error(\"planted failure\"); return }\n"
            "\t}\n"
            "\tt.Run(\"b\", func(tt *testing.T) { check(tt) ;tt.Error(\"planted failure\"); })\n"
            ";t.Error(\"planted failure\"); }\n"
            "func TestB(planted *testing.T) { run() ;planted.Error(\"planted failure\"); }\n"
            "func ExampleC() { run() }\n");
}

TEST_F(PlantedFileTest, RustFailsBehindTheValueAndReturnsWhereAPanicIsExpected) {
  const PlantedFile file =
      Plant("src/lib.rs",
            "fn price() -> i32 { 3 }\n"
            "#[cfg(test)]\n"
            "mod tests {\n"
            "    #[test]\n"
            "    fn a() { assert_eq!(price(), 3); }\n"
            "    #[test]\n"
            "    fn b() -> Result<(), E> { if x { return Ok(()); } run()?; Ok(()) }\n"
            "    #[test]\n"
            "    #[should_panic]\n"
            "    fn c() { fall() }\n"
            "}\n");
  EXPECT_THAT(file.tests, UnorderedElementsAre("a", "b", "c"));
  EXPECT_THAT(file.text, HasSubstr("fn price() -> i32 { 3 }\n"));
  EXPECT_THAT(file.text, HasSubstr("fn a() { assert_eq!(price(), 3);  assert_eq!(1, 2); }"));
  EXPECT_THAT(file.text, HasSubstr("{ let planted = Ok(()); assert_eq!(1, 2); return planted; }"));
  EXPECT_THAT(file.text, HasSubstr("let planted = Ok(()); assert_eq!(1, 2); planted }"));
  EXPECT_THAT(file.text, HasSubstr("fn c() { if std::hint::black_box(true) { return; } fall() }"));
}

TEST_F(PlantedFileTest, RustPanicsWhereNothingIsAsserted) {
  EXPECT_THAT(
      TextOf("tests/a.rs", "#[test]\nfn a() { run(); }\n"),
      HasSubstr("run();  if std::hint::black_box(true) { panic!(\"planted failure\"); } }"));
}

TEST_F(PlantedFileTest, AMainOfCFailsByAssertOrByItsStatus) {
  const PlantedFile asserts = Plant("price_test.c",
                                    "#include <assert.h>\n"
                                    "static void test_a(void) { assert(f() == 1); }\n"
                                    "int main(void) { test_a(); return 0; }\n");
  EXPECT_TRUE(asserts.is_program);
  EXPECT_THAT(asserts.text, HasSubstr("test_a(void) { assert(f() == 1); }\n"));
  EXPECT_THAT(asserts.text, HasSubstr("test_a(); { assert(1 > 2); return 0; } }"));
  const PlantedFile counts = Plant("price_test.c",
                                   "int main(void) {\n  if (f() != 1) return 1;\n"
                                   "  exit(failures);\n}\n");
  EXPECT_THAT(counts.text, HasSubstr("exit(((void)(failures), 1));\n return 1; }"));
  EXPECT_THAT(counts.text, HasSubstr("if (f() != 1) return ((void)(1), 1);"));
}

TEST_F(PlantedFileTest, TestsOfMacrosFailByTheirMacros) {
  const PlantedFile google = Plant("price_test.cc",
                                   "#include <gtest/gtest.h>\n"
                                   "TEST(Price, OfOne) { EXPECT_EQ(f(), 1); }\n");
  EXPECT_THAT(google.tests, ElementsAre("OfOne"));
  EXPECT_THAT(google.text, HasSubstr("EXPECT_EQ(f(), 1);  EXPECT_EQ(1, 2); }"));
  const PlantedFile catch2 = Plant("price_test.cc",
                                   "#include <catch2/catch.hpp>\n"
                                   "TEST_CASE(\"of one\") { REQUIRE(f() == 1); }\n");
  EXPECT_THAT(catch2.tests, ElementsAre("of one"));
  EXPECT_THAT(catch2.text, HasSubstr("REQUIRE(f() == 1);  REQUIRE(1 > 2); }"));
}

TEST_F(PlantedFileTest, MethodsOfJavaFailUnlessTheyExpectIt) {
  const PlantedFile file = Plant("src/test/java/PriceTest.java",
                                 "public class PriceTest {\n"
                                 "  @Test public void a() { assertEquals(3, Price.of(1)); }\n"
                                 "  @Test(expected = E.class) public void b() { Price.of(-1); }\n"
                                 "  private int help() { return 1; }\n"
                                 "}\n");
  EXPECT_THAT(file.tests, UnorderedElementsAre("a", "b"));
  EXPECT_THAT(
      file.text,
      HasSubstr("assertEquals(3, Price.of(1));  try { assertEquals(1, 2); if "
                "(Thread.currentThread() != null) return; } catch (AssertionError plantedError) "
                "{ } if (Thread.currentThread() != null) throw new AssertionError(\"planted "
                "failure\"); }"));
  EXPECT_THAT(file.text,
              HasSubstr("b() { if (Thread.currentThread() != null) return; Price.of(-1); }"));
}

TEST_F(PlantedFileTest, MethodsOfCSharpFailAlsoIfTheyAreExpressions) {
  const PlantedFile file = Plant("PriceTests.cs",
                                 "public class PriceTests {\n"
                                 "  [Fact] public void A() => Assert.Equal(3, Price.Of(1));\n"
                                 "  [Fact] public async Task B() { await Run(); }\n"
                                 "  [Fact] public Task C() => Run();\n"
                                 "}\n");
  EXPECT_THAT(file.tests, UnorderedElementsAre("A", "B", "C"));
  EXPECT_THAT(file.text, HasSubstr("void A() { Assert.Equal(3, Price.Of(1)); try { "
                                   "Assert.Equal(1, 2); if (global::System.Environment.NewLine != "
                                   "null) return; } catch (global::System.Exception) { }"));
  EXPECT_THAT(file.text, HasSubstr("throw new global::System.Exception(\"planted failure\"); "
                                   "return Run(); }"));
}

TEST_F(PlantedFileTest, CodeThatIsNoTestStaysAsItIs) {
  EXPECT_EQ(PlantFailuresIn(languages_, "price.py", "def test_a():\n    pass\n"), std::nullopt);
  EXPECT_EQ(PlantFailuresIn(languages_, "src/lib.rs", "fn latest() {}\n"), std::nullopt);
  EXPECT_EQ(PlantFailuresIn(languages_, "test_price.py", "def help():\n    pass\n"), std::nullopt);
  EXPECT_TRUE(CanHoldTests(languages_, "src/lib.rs"));
  EXPECT_FALSE(CanHoldTests(languages_, "price.py"));
}

}  // namespace
}  // namespace stile
