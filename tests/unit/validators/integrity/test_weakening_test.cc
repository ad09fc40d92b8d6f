// Size: one table a rule, each in nine languages.
#include "validators/integrity/test_weakening.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using testing::HasSubstr;

struct Case {
  const char* path;
  const char* before;
  const char* after;
};

class TestWeakeningTest : public testing::Test {
 protected:
  // "rule path:line what" a line each; "?" before rules that are grave only after a red verdict,
  // "-" before minor ones.
  std::string Compare(const std::vector<ContentPair>& changes) const {
    std::string text;
    for (const Weakening& weakening : CompareTests(languages_, changes)) {
      const char* const weight = weakening.weight == Weakening::Weight::kGrave         ? ""
                                 : weakening.weight == Weakening::Weight::kExpectation ? "?"
                                                                                       : "-";
      absl::StrAppend(&text, weight, weakening.rule, " ", weakening.path, ":", weakening.line, " ",
                      weakening.what, "\n");
    }
    return text;
  }
  std::string Compare(const Case& c) const { return Compare({{c.path, c.before, c.after}}); }

  void ExpectAll(const std::string& rule, const std::vector<Case>& cases) const {
    for (const Case& c : cases) {
      EXPECT_THAT("\n" + Compare(c), HasSubstr(absl::StrCat("\n", rule, " ")))
          << c.path << ":\n"
          << c.before << "---\n"
          << c.after;
      EXPECT_EQ(Compare({{c.path, c.after, c.after}}), "") << c.after;
    }
  }
  // Nothing grave.
  void ExpectAllHonest(const std::vector<Case>& cases) const {
    for (const Case& c : cases) ExpectHonest({ContentPair{c.path, c.before, c.after}});
  }
  void ExpectHonest(const std::vector<ContentPair>& changes) const {
    for (const Weakening& weakening : CompareTests(languages_, changes)) {
      EXPECT_NE(weakening.weight, Weakening::Weight::kGrave)
          << weakening.rule << ": " << weakening.what << "\n"
          << changes[0].after.value_or("");
    }
  }
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
};

TEST_F(TestWeakeningTest, RemovedAssertionsAreFound) {
  ExpectAll(
      "assertion-removed",
      {
          {"test_a.py", "def test_a():\n    assert f(1) == 2\n    assert f(2) == 4\n",
           "def test_a():\n    assert f(1) == 2\n"},
          {"test_a.py",
           "class TestA(TestCase):\n  def test_a(self):\n    self.assertEqual(f(1), 2)\n",
           "class TestA(TestCase):\n  def test_a(self):\n    f(1)\n"},
          {"a_test.go",
           "package a\nfunc TestA(t *testing.T) {\n\tif got := f(1); got != 2 "
           "{\n\t\tt.Errorf(\"%d\", got)\n\t}\n}\n",
           "package a\nfunc TestA(t *testing.T) {\n\tif got := f(1); got != 2 "
           "{\n\t\tt.Logf(\"%d\", got)\n\t}\n}\n"},
          {"a_test.go",
           "package a\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 2, f(1))\n\tassert.Equal(t, "
           "4, f(2))\n}\n",
           "package a\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 4, f(2))\n}\n"},
          {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); expect(f(2)).toBe(4); });\n",
           "it('a', () => { expect(f(1)).toBe(2); });\n"},
          {"a.test.js", "it('a', () => { expect(f(1)).to.be.ok; expect(f(2)).to.equal(4); });\n",
           "it('a', () => { expect(f(1)).to.be.ok; });\n"},
          {"src/lib.rs",
           "#[cfg(test)]\nmod tests {\n  #[test]\n  fn a() { assert_eq!(f(1), 2); assert!(g()); "
           "}\n}\n",
           "#[cfg(test)]\nmod tests {\n  #[test]\n  fn a() { assert!(g()); }\n}\n"},
          {"ATest.java",
           "class ATest { @Test void a() { assertEquals(2, f(1)); assertThat(f(2)).isEqualTo(4); } "
           "}\n",
           "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n"},
          {"A.cs", "class A { [Fact] void B() { Assert.Equal(2, F(1)); F(2).Should().Be(4); } }\n",
           "class A { [Fact] void B() { F(2).Should().Be(4); } }\n"},
          {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); EXPECT_EQ(f(2), 4); }\n",
           "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n"},
          {"tests/a.cc", "TEST_CASE(\"a\") { REQUIRE(f(1) == 2); CHECK(f(2) == 4); }\n",
           "TEST_CASE(\"a\") { REQUIRE(f(1) == 2); }\n"},
          {"test_a.c",
           "void test_a(void) { assert(f(1) == 2); assert(f(2) == 4); }\nint main(void) { "
           "test_a(); }\n",
           "void test_a(void) { assert(f(1) == 2); }\nint main(void) { test_a(); }\n"},
      });
}

TEST_F(TestWeakeningTest, RemovedTestsAreFound) {
  ExpectAll("test-removed",
            {
                {"test_a.py",
                 "def test_a():\n    assert f(1) == 2\ndef test_b():\n    run(3)\n    go(4)\n",
                 "def test_a():\n    assert f(1) == 2\n"},
                {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
                 "fn a() { assert_eq!(f(1), 2); }\n"},
                {"ATest.java", "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n",
                 "class ATest { void a() { assertEquals(2, f(1)); } }\n"},
                {"A.cs", "class A { [Test] void B() { Assert.AreEqual(2, F(1)); } }\n",
                 "class A { void B() { Assert.AreEqual(2, F(1)); } }\n"},
                {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n", "\n"},
                {"a.test.js", "test('a', async () => { await run(); await stop(); });\n", "\n"},
            });
  // A function that nothing calls is no test.
  ExpectAll("assertion-dead",
            {
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def _test_a():\n    assert f(1) == 2\n"},
                {"a_test.go", "package a\nfunc TestA(t *testing.T) { assert.Equal(t, f(1), 2) }\n",
                 "package a\nfunc testA(t *testing.T) { assert.Equal(t, f(1), 2) }\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "const a = () => { expect(f(1)).toBe(2); };\n"},
            });
}

TEST_F(TestWeakeningTest, AssertionsThatAreNotReachedAreFound) {
  ExpectAll("assertion-dead",
            {
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    return\n    assert f(1) == 2\n"},
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    if False:\n        assert f(1) == 2\n"},
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    for x in []:\n        assert f(1) == 2\n"},
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    try:\n        assert f(1) == 2\n    except Exception:\n       "
                 " pass\n"},
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    with contextlib.suppress(AssertionError):\n        assert "
                 "f(1) == 2\n"},
                {"a_test.go",
                 "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
                 "package a\nfunc TestA(t *testing.T) {\n\tif true {\n\t\treturn\n\t}\n\tif f(1) "
                 "!= 2 {\n\t\tt.Fatal()\n\t}\n}\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { try { expect(f(1)).toBe(2); } catch (e) {} });\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { if (0) { expect(f(1)).toBe(2); } });\n"},
                {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
                 "#[test]\nfn a() { return; assert_eq!(f(1), 2); }\n"},
                {"ATest.java", "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n",
                 "class ATest { @Test void a() { try { assertEquals(2, f(1)); } catch (Throwable "
                 "t) { log(t); } } }\n"},
                {"A.cs", "class A { [Fact] void B() { Assert.Equal(2, F(1)); } }\n",
                 "class A { [Fact] void B() { return; Assert.Equal(2, F(1)); } }\n"},
                {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n",
                 "TEST(A, B) {\n#if 0\n EXPECT_EQ(f(1), 2);\n#endif\n}\n"},
            });
  ExpectAll("assertion-conditional",
            {
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    if f(1) == 2:\n        assert f(1) == 2\n"},
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    if f(1) != 2:\n        return\n    assert f(1) == 2\n"},
                {"a.test.js", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { if (f(1) !== 2) return; expect(f(1)).toBe(2); });\n"},
                {"a_test.go",
                 "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
                 "package a\nfunc TestA(t *testing.T) {\n\tif os.Getenv(\"CI\") == \"\" "
                 "{\n\t\treturn\n\t}\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n"},
                {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n",
                 "TEST(A, B) {\n#ifdef NEVER\n EXPECT_EQ(f(1), 2);\n#endif\n}\n"},
            });
}

TEST_F(TestWeakeningTest, LoosenedAssertionsAreFound) {
  ExpectAll("assertion-loosened",
            {
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    assert f(1)\n"},
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    assert f(1) is not None\n"},
                {"test_a.py",
                 "class TestA(TestCase):\n  def test_a(self):\n    self.assertEqual(f(1), 2)\n",
                 "class TestA(TestCase):\n  def test_a(self):\n    self.assertTrue(f(1))\n"},
                {"test_a.py",
                 "class TestA(TestCase):\n  def test_a(self):\n    self.assertEqual(f(1), 2)\n",
                 "class TestA(TestCase):\n  def test_a(self):\n    self.assertIsNotNone(f(1))\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { expect(f(1)).toBeTruthy(); });\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toEqual([2]); });\n",
                 "it('a', () => { expect(f(1)).toBeDefined(); });\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { expect(f(1)).not.toBe(3); });\n"},
                {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n",
                 "TEST(A, B) { EXPECT_TRUE(f(1)); }\n"},
                {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n",
                 "TEST(A, B) { EXPECT_NE(f(1), 3); }\n"},
                {"a_test.go", "package a\nfunc TestA(t *testing.T) { require.Equal(t, 2, f(1)) }\n",
                 "package a\nfunc TestA(t *testing.T) { require.NotNil(t, f(1)) }\n"},
                {"a_test.go",
                 "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
                 "package a\nfunc TestA(t *testing.T) {\n\tif f(1) < 0 {\n\t\tt.Fatal()\n\t}\n}\n"},
                {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
                 "#[test]\nfn a() { assert!(f(1) > 0); }\n"},
                {"ATest.java", "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n",
                 "class ATest { @Test void a() { assertNotNull(f(1)); } }\n"},
                {"A.cs", "class A { [Fact] void B() { Assert.Equal(2, F(1)); } }\n",
                 "class A { [Fact] void B() { Assert.NotNull(F(1)); } }\n"},
                {"A.cs", "class A { [Test] void B() { Assert.That(F(1), Is.EqualTo(2)); } }\n",
                 "class A { [Test] void B() { Assert.That(F(1), Is.Not.Null); } }\n"},
            });
  // What holds always is no assertion.
  ExpectAll("assertion-removed",
            {
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    assert f(1) == 2 or True\n"},
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    assert (f(1) == 2, 'no')\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { f(1); expect(true).toBe(true); });\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { expect(f(1)); });\n"},
                {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n",
                 "TEST(A, B) { f(1); SUCCEED(); }\n"},
                {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
                 "#[test]\nfn a() { let x = f(1); assert_eq!(x, x); }\n"},
                {"a_test.go",
                 "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
                 "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 && false "
                 "{\n\t\tt.Fatal()\n\t}\n}\n"},
            });
}

TEST_F(TestWeakeningTest, WidenedTolerancesAreFound) {
  const std::vector<Case> cases = {
      {"test_a.py",
       "class TestA(TestCase):\n  def test_a(self):\n    self.assertAlmostEqual(f(1), 2.5, "
       "places=7)\n",
       "class TestA(TestCase):\n  def test_a(self):\n    self.assertAlmostEqual(f(1), 2.5, "
       "places=1)\n"},
      {"test_a.py", "def test_a():\n    assert f(1) == pytest.approx(2.5, abs=1e-6)\n",
       "def test_a():\n    assert f(1) == pytest.approx(2.5, abs=1)\n"},
      {"a.test.ts", "it('a', () => { expect(f(1)).toBeCloseTo(2.5, 5); });\n",
       "it('a', () => { expect(f(1)).toBeCloseTo(2.5, 0); });\n"},
      {"a_test.cc", "TEST(A, B) { EXPECT_NEAR(f(1), 2.5, 1e-6); }\n",
       "TEST(A, B) { EXPECT_NEAR(f(1), 2.5, 10); }\n"},
      {"a_test.go", "package a\nfunc TestA(t *testing.T) { assert.InDelta(t, 2.5, f(1), 0.01) }\n",
       "package a\nfunc TestA(t *testing.T) { assert.InDelta(t, 2.5, f(1), 10) }\n"},
      {"a.rs", "#[test]\nfn a() { assert!((f(1) - 2.5).abs() < 1e-6); }\n",
       "#[test]\nfn a() { assert!((f(1) - 2.5).abs() < 100.0); }\n"},
      {"ATest.java", "class ATest { @Test void a() { assertEquals(2.5, f(1), 0.01); } }\n",
       "class ATest { @Test void a() { assertEquals(2.5, f(1), 10.0); } }\n"},
      {"A.cs", "class A { [Fact] void B() { Assert.Equal(2.5, F(1), 5); } }\n",
       "class A { [Fact] void B() { Assert.Equal(2.5, F(1), 0); } }\n"},
  };
  ExpectAll("tolerance-widened", cases);
  for (const Case& c : cases) ExpectHonest({ContentPair{c.path, c.after, c.before}});
}

TEST_F(TestWeakeningTest, EditedExpectationsAreToldApart) {
  ExpectAll("?expectation-edited",
            {
                {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
                 "def test_a():\n    assert f(1) == 3\n"},
                {"a_test.go",
                 "package a\nfunc TestA(t *testing.T) {\n\twant := 2\n\tif f(1) != want "
                 "{\n\t\tt.Fatal()\n\t}\n}\n",
                 "package a\nfunc TestA(t *testing.T) {\n\twant := 3\n\tif f(1) != want "
                 "{\n\t\tt.Fatal()\n\t}\n}\n"},
                {"a.test.ts", "it('a', () => { expect(f(1)).toBe(2); });\n",
                 "it('a', () => { expect(f(1)).toBe(3); });\n"},
                {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
                 "#[test]\nfn a() { assert_eq!(f(1), 3); }\n"},
                {"ATest.java", "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n",
                 "class ATest { @Test void a() { assertEquals(3, f(1)); } }\n"},
                {"A.cs",
                 "class A { [Theory, InlineData(1, 2)] void B(int x, int y) { Assert.Equal(y, "
                 "F(x)); } }\n",
                 "class A { [Theory, InlineData(1, 3)] void B(int x, int y) { Assert.Equal(y, "
                 "F(x)); } }\n"},
                {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n",
                 "TEST(A, B) { EXPECT_EQ(f(1), 3); }\n"},
            });
  for (const Case& c : std::vector<Case>{
           {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
            "def test_a():\n    assert g(1) == 2\n"},
           {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
            "#[test]\nfn a() { assert_eq!(s.f(1), 2); }\n"},
       }) {
    EXPECT_EQ(Compare(c), "") << "another name, the same value";
  }
}

TEST_F(TestWeakeningTest, RemovedCasesAreFound) {
  ExpectAll(
      "case-removed",
      {
          {"test_a.py",
           "@pytest.mark.parametrize('x, y', [(1, 2), (2, 4)])\ndef test_a(x, y):\n    assert f(x) "
           "== y\n",
           "@pytest.mark.parametrize('x, y', [(1, 2)])\ndef test_a(x, y):\n    assert f(x) == y\n"},
          {"a_test.go",
           "package a\nfunc TestA(t *testing.T) {\n\tfor _, c := range []struct{ x, y int }{{1, "
           "2}, {2, 4}} {\n\t\tif f(c.x) != c.y {\n\t\t\tt.Error()\n\t\t}\n\t}\n}\n",
           "package a\nfunc TestA(t *testing.T) {\n\tfor _, c := range []struct{ x, y int }{{1, "
           "2}} {\n\t\tif f(c.x) != c.y {\n\t\t\tt.Error()\n\t\t}\n\t}\n}\n"},
          {"a.test.ts", "it.each([[1, 2], [2, 4]])('a', (x, y) => { expect(f(x)).toBe(y); });\n",
           "it.each([[1, 2]])('a', (x, y) => { expect(f(x)).toBe(y); });\n"},
          {"A.cs",
           "class A { [Theory]\n[InlineData(1, 2)]\n[InlineData(2, 4)]\nvoid B(int x, int y) { "
           "Assert.Equal(y, F(x)); } }\n",
           "class A { [Theory]\n[InlineData(1, 2)]\nvoid B(int x, int y) { Assert.Equal(y, F(x)); "
           "} }\n"},
          {"ATest.java",
           "class ATest { @ParameterizedTest @CsvSource({\"1, 2\", \"2, 4\"}) void a(int x, int y) "
           "{ assertEquals(y, f(x)); } }\n",
           "class ATest { @ParameterizedTest @CsvSource({\"1, 2\"}) void a(int x, int y) { "
           "assertEquals(y, f(x)); } }\n"},
      });
}

TEST_F(TestWeakeningTest, TestsThatAreTakenOutAreFound) {
  ExpectAll(
      "test-disabled",
      {
          {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
           "def test_a():\n    assert f(1) == 2\ntest_a = None\n"},
          {"test_a.py", "class TestA:\n  def test_a(self):\n    assert f(1) == 2\n",
           "class TestA:\n  __test__ = False\n  def test_a(self):\n    assert f(1) == 2\n"},
          {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
           "def test_a():\n    assert f(1) == 2\ntest_a.__test__ = False\n"},
          {"test_a.c", "void test_a(void) { assert(f(1) == 2); }\nint main(void) { test_a(); }\n",
           "void test_a(void) { assert(f(1) == 2); }\nint main(void) { }\n"},
      });
  ExpectAll("test-emptied",
            {
                {"test_a.py", "def test_a():\n    run(1)\n", "def test_a():\n    pass\n"},
                {"a_test.go", "package a\nfunc TestA(t *testing.T) { run(1) }\n",
                 "package a\nfunc TestA(t *testing.T) { }\n"},
                {"a.test.ts", "it('a', () => { run(1); });\n", "it('a', () => { });\n"},
            });
}

TEST_F(TestWeakeningTest, SkipsAreFoundUnderEveryName) {
  const std::string py = "def test_a():\n    assert f(1) == 2\n";
  const std::string ts =
      "it('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { expect(f(2)).toBe(2); });\n";
  const std::string go = "package a\nfunc TestA(q *testing.T) { assert.Equal(q, f(1), 2) }\n";
  const std::string java = "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n";
  const std::string cs = "class A { [Fact] void B() { Assert.Equal(2, F(1)); } }\n";
  const std::string rs = "#[test]\nfn a() { assert_eq!(f(1), 2); }\n";
  const std::string cc = "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n";
  const std::vector<std::pair<std::string, std::pair<std::string, std::string>>> cases = {
      {"test_a.py", {py, "import pytest\n@pytest.mark.skip\n" + py}},
      {"test_a.py", {py, "from pytest import mark as m\n@m.skip\n" + py}},
      {"test_a.py", {py, "import pytest as p\n@p.mark.xfail\n" + py}},
      {"test_a.py", {py, "import unittest\nlater = unittest.skip\n@later('x')\n" + py}},
      {"test_a.py", {py, "from unittest import skip as later\n@later('x')\n" + py}},
      {"test_a.py", {py, "import pytest\nlater = pytest.mark.skip(reason='x')\n@later\n" + py}},
      {"test_a.py", {py, "from helpers import skip_for_now\n@skip_for_now\n" + py}},
      {"test_a.py", {py, "import pytest\npytestmark = pytest.mark.skip\n" + py}},
      {"test_a.py", {py, "def test_a():\n    pytest.skip('x')\n    assert f(1) == 2\n"}},
      {"test_a.py",
       {py, "def test_a():\n    raise unittest.SkipTest('x')\n    assert f(1) == 2\n"}},
      {"test_a.py",
       {py,
        "import sys\nimport pytest\n@pytest.mark.skipif(sys.platform == 'linux', reason='x')\n" +
            py}},
      {"test_a.py", {py, "import pytest\n@pytest.mark.skipif(True, reason='x')\n" + py}},
      {"a_test.go",
       {go, "package a\nfunc TestA(q *testing.T) { q.SkipNow(); assert.Equal(q, f(1), 2) }\n"}},
      {"a_test.go",
       {go,
        "package a\nfunc TestA(q *testing.T) { later := q.Skip; later(); assert.Equal(q, f(1), 2) "
        "}\n"}},
      {"a_test.go", {go, "//go:build never\n\n" + go}},
      {"a.test.ts",
       {ts,
        "it.skip('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { expect(f(2)).toBe(2); "
        "});\n"}},
      {"a.test.ts",
       {ts,
        "it('a', () => { expect(f(1)).toBe(2); });\nit.only('b', () => { expect(f(2)).toBe(2); "
        "});\n"}},
      {"a.test.ts",
       {ts,
        "const later = it.skip;\nlater('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { "
        "expect(f(2)).toBe(2); });\n"}},
      {"a.test.ts",
       {ts,
        "it['skip']('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { expect(f(2)).toBe(2); "
        "});\n"}},
      {"a.test.js",
       {ts,
        "const {skip: later} = it;\nlater('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { "
        "expect(f(2)).toBe(2); });\n"}},
      {"a.test.js",
       {ts,
        "xit('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { expect(f(2)).toBe(2); });\n"}},
      {"a.test.js",
       {ts,
        "it('a', {skip: true}, () => { expect(f(1)).toBe(2); });\nit('b', () => { "
        "expect(f(2)).toBe(2); });\n"}},
      {"a.test.js",
       {"describe('x', () => {\n" + ts + "});\n", "describe.skip('x', () => {\n" + ts + "});\n"}},
      {"ATest.java",
       {java, "class ATest { @Disabled @Test void a() { assertEquals(2, f(1)); } }\n"}},
      {"ATest.java",
       {java, "@Disabled class ATest { @Test void a() { assertEquals(2, f(1)); } }\n"}},
      {"ATest.java",
       {java, "class ATest { @Test(enabled = false) void a() { assertEquals(2, f(1)); } }\n"}},
      {"ATest.java",
       {java,
        "class ATest { @Test void a() { Assumptions.assumeTrue(false); assertEquals(2, f(1)); } "
        "}\n"}},
      {"A.cs", {cs, "class A { [Fact(Skip = \"later\")] void B() { Assert.Equal(2, F(1)); } }\n"}},
      {"A.cs",
       {cs,
        "using Later = NUnit.Framework.IgnoreAttribute;\nclass A { [Later(\"x\")] [Fact] void B() "
        "{ Assert.Equal(2, F(1)); } }\n"}},
      {"A.cs",
       {cs, "class A { [Fact] void B() { Assert.Inconclusive(); Assert.Equal(2, F(1)); } }\n"}},
      {"a.rs", {rs, "#[test]\n#[ignore]\nfn a() { assert_eq!(f(1), 2); }\n"}},
      {"a.rs", {rs, "#[test]\n#[cfg_attr(all(), ignore)]\nfn a() { assert_eq!(f(1), 2); }\n"}},
      {"a.rs", {rs, "#[cfg(any())]\n#[test]\nfn a() { assert_eq!(f(1), 2); }\n"}},
      {"a.rs", {rs, "#[test]\n#[should_panic]\nfn a() { assert_eq!(f(1), 2); }\n"}},
      {"a_test.cc", {cc, "TEST(A, B) { GTEST_SKIP(); EXPECT_EQ(f(1), 2); }\n"}},
      {"a_test.cc",
       {cc, "#define LATER GTEST_SKIP()\nTEST(A, B) { LATER; EXPECT_EQ(f(1), 2); }\n"}},
  };
  for (const auto& [path, texts] : cases) {
    EXPECT_THAT("\n" + Compare({{path, texts.first, texts.second}}), HasSubstr("\ntest-skipped "))
        << texts.second;
    EXPECT_EQ(Compare({{path, texts.second, texts.second}}), "") << texts.second;
  }
  EXPECT_THAT(Compare({{"a_test.cc", cc, "TEST(A, DISABLED_B) { EXPECT_EQ(f(1), 2); }\n"}}),
              HasSubstr("test-removed"));
}

TEST_F(TestWeakeningTest, AnAliasInAnotherFileIsSeen) {
  const std::string test = "def test_a():\n    assert f(1) == 2\n";
  EXPECT_THAT(
      Compare({{"marks.py", std::nullopt, "import pytest\nquick = pytest.mark.skip(reason='x')\n"},
               {"test_a.py", test, "from marks import quick\n@quick\n" + test}}),
      HasSubstr("test-skipped"));
}

TEST_F(TestWeakeningTest, HooksAndExitsAreFound) {
  ExpectAll(
      "run-controlled",
      {
          {"conftest.py", "", "def pytest_collection_modifyitems(items):\n    items.clear()\n"},
          {"plugin.py", "",
           "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n"},
          {"plugin.py", "",
           "def pytest_runtest_makereport(item, call):\n    outcome = yield\n    "
           "outcome.get_result().outcome = 'passed'\n"},
          {"conftest.py", "",
           "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n"},
          {"conftest.py", "", "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"},
          {"conftest.py", "", "collect_ignore = ['test_a.py']\n"},
          {"conftest.py", "", "import atexit, os\natexit.register(lambda: os._exit(0))\n"},
          {"tests/test_a.py", "import unittest\n",
           "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"},
          {"shop/price.py", "import sys\n", "import sys\nsys.exit(0)\n"},
          {"a_test.go", "package a\n", "package a\nfunc TestMain(m *testing.M) { println(1) }\n"},
          {"a_test.go", "package a\n",
           "package a\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n"},
          {"a.test.ts", "", "process.exit(0);\n"},
          {"test/setup.js", "", "globalThis.it = () => {};\n"},
          {"tests/a.rs", "", "fn setup() { std::process::exit(0); }\n"},
          {"ATest.java", "", "class ATest { void a() { System.exit(0); } }\n"},
          {"ATests.cs", "", "class A { void B() { Environment.Exit(0); } }\n"},
          {"a_test.cc", "", "void f() { std::exit(0); }\n"},
          {"test_a.c", "", "#define NDEBUG\n#include <assert.h>\n"},
          {"test_a.c", "", "#include <assert.h>\n#undef assert\n"},
      });
  ExpectAllHonest({
      {"conftest.py", "",
       "def pytest_collection_modifyitems(items):\n    items.sort(key=lambda i: i.name)\n"},
      {"conftest.py", "",
       "def pytest_collection_modifyitems(config, items):\n    items[:] = sorted(items, "
       "key=cost)\n"},
      {"conftest.py", "",
       "def pytest_collection_modifyitems(items):\n    for item in items:\n        "
       "item.add_marker(pytest.mark.slow)\n"},
      {"conftest.py", "", "def pytest_addoption(parser): pass\n"},
      {"a_test.go", "package a\n",
       "package a\nfunc TestMain(m *testing.M) { setup(); os.Exit(m.Run()) }\n"},
      {"a_test.go", "package a\n",
       "package a\nfunc TestMain(m *testing.M) { setup(); code := m.Run(); os.Exit(code) }\n"},
      {"tests/run.py", "", "import sys\nif __name__ == '__main__':\n    sys.exit(0)\n"},
      {"shop/price.py", "import sys\n",
       "import sys\nif __name__ == '__main__':\n    print(1)\n    sys.exit(0)\n"},
      {"tests/a.c", "", "int main(void) { if (f()) exit(1); return 0; }\n"},
      {"src/cli.ts", "", "export function quit() { process.exit(0); }\n"},
  });
}

TEST_F(TestWeakeningTest, HonestWorkPasses) {
  ExpectAllHonest({
      // Cases become a table.
      {"test_a.py", "def test_a():\n    assert f(1) == 2\ndef test_b():\n    assert f(2) == 4\n",
       "@pytest.mark.parametrize('x, y', [(1, 2), (2, 4)])\ndef test_f(x, y):\n    assert f(x) == "
       "y\n"},
      {"a_test.go",
       "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\nfunc "
       "TestB(t *testing.T) {\n\tif f(3) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
       "package a\nfunc TestF(t *testing.T) {\n\tfor _, c := range []struct{ x, y int }{{1, 2}, "
       "{3, 4}} {\n\t\tif got := f(c.x); got != c.y {\n\t\t\tt.Errorf(\"%d\", "
       "got)\n\t\t}\n\t}\n}\n"},
      {"a.test.ts",
       "it('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { expect(f(3)).toBe(4); });\n",
       "it.each([[1, 2], [3, 4]])('f', (x, y) => { expect(f(x)).toBe(y); });\n"},
      {"A.cs",
       "class A { [Fact] void B() { Assert.Equal(2, F(1)); } [Fact] void C() { Assert.Equal(4, "
       "F(3)); } }\n",
       "class A { [Theory]\n[InlineData(1, 2)]\n[InlineData(3, 4)]\nvoid D(int x, int y) { "
       "Assert.Equal(y, F(x)); } }\n"},
      {"test_a.py",
       "def test_a():\n    assert f(1) == 2\n    assert f(0) == 0\ndef test_b():\n    assert f(2) "
       "== 4\n",
       "@pytest.mark.parametrize('x, y', [(1, 2), (0, 0), (2, 4)])\ndef test_a(x, y):\n    assert "
       "f(x) == y\n"},
      // Merged, renamed, split.
      {"a.rs",
       "#[test]\nfn a() { assert_eq!(f(1), 2); }\n#[test]\nfn b() { assert_eq!(f(2), 4); }\n",
       "#[test]\nfn all() { assert_eq!(f(1), 2); assert_eq!(f(2), 4); }\n"},
      {"ATest.java",
       "class ATest { @Test void a() { assertEquals(2, f(1)); assertEquals(4, f(2)); } }\n",
       "class ATest { @Test void one() { assertEquals(2, f(1)); } @Test void two() { "
       "assertEquals(4, f(2)); } }\n"},
      {"a_test.cc", "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n",
       "TEST(A, Better) { EXPECT_EQ(f(1), 2); EXPECT_EQ(f(3), 1); }\n"},
      // Into a helper.
      {"test_a.py", "def test_a():\n    assert f(1) == 2\n    assert g(1) == 2\n",
       "def check(x):\n    assert f(x) == 2\n    assert g(x) == 2\ndef test_a():\n    check(1)\n"},
      {"a_test.go",
       "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
       "package a\nfunc want(t *testing.T, x, y int) {\n\tif f(x) != y "
       "{\n\t\tt.Fatal()\n\t}\n}\nfunc TestA(t *testing.T) { want(t, 1, 2) }\n"},
      {"a.test.js", "it('a', () => { expect(f(1)).toBe(2); });\n",
       "function same(x, y) { expect(f(x)).toBe(y); }\nit('a', () => { same(1, 2); });\n"},
      {"a_test.go",
       "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
       "package a\nfunc check(t *testing.T, x, y int) {\n\tif f(x) != y "
       "{\n\t\tt.Fatal()\n\t}\n}\nfunc "
       "TestA(t *testing.T) { check(t, 1, 2) }\n"},
      // Platform skips, and skips of tests that are new.
      {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
       "import pytest, sys\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef "
       "test_a():\n    assert f(1) == 2\n"},
      {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
       "def test_a():\n    assert f(1) == 2\n@pytest.mark.skip\ndef test_b():\n    assert f(2) == "
       "2\n"},
      {"a_test.go", "package a\nfunc TestA(t *testing.T) { assert.Equal(t, f(1), 2) }\n",
       "package a\nfunc TestA(t *testing.T) {\n\tif runtime.GOOS == \"windows\" "
       "{\n\t\tt.Skip()\n\t}\n\tassert.Equal(t, f(1), 2)\n}\n"},
      {"a_test.go", "package a\nfunc TestA(t *testing.T) { assert.Equal(t, f(1), 2) }\n",
       "//go:build !windows\n\npackage a\nfunc TestA(t *testing.T) { assert.Equal(t, f(1), 2) }\n"},
      {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
       "#[test]\n#[cfg(unix)]\nfn a() { assert_eq!(f(1), 2); }\n"},
      {"a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }\n",
       "#[test]\n#[cfg_attr(target_os = \"macos\", ignore)]\nfn a() { assert_eq!(f(1), 2); }\n"},
      {"ATest.java", "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n",
       "class ATest { @DisabledOnOs(OS.WINDOWS) @Test void a() { assertEquals(2, f(1)); } }\n"},
      // Other frameworks, the same meaning.
      {"A.cs", "class A { [Fact] void B() { Assert.Equal(1, F(1).Count); } }\n",
       "class A { [Fact] void B() { Assert.Single(F(1)); } }\n"},
      {"a_test.go",
       "package a\nfunc TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
       "package a\nfunc TestA(t *testing.T) { require.Equal(t, 2, f(1)) }\n"},
      {"test_a.py",
       "class TestA(TestCase):\n  def test_a(self):\n    self.assertEqual(f(1), 2)\n    "
       "self.assertTrue(g(1))\n",
       "def test_a():\n    assert f(1) == 2\n    assert g(1)\n"},
      {"ATest.java", "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n",
       "class ATest { @Test void a() { assertThat(f(1)).isEqualTo(2); } }\n"},
      {"a_test.cc", "TEST(A, B) { ASSERT_TRUE(f(1) == 2); }\n",
       "TEST(A, B) { EXPECT_EQ(f(1), 2); }\n"},
  });
}

TEST_F(TestWeakeningTest, ATestMayGoWithWhatItTested) {
  ExpectHonest({{"price.py", "def price(n):\n    return n * 3\ndef total(n):\n    return n\n",
                 "def total(n):\n    return n\n"},
                {"test_price.py",
                 "def test_price():\n    assert price(2) == 6\ndef test_total():\n    assert "
                 "total(2) == 2\n",
                 "def test_total():\n    assert total(2) == 2\n"}});
  ExpectHonest(
      {{"price.go", "package a\nfunc Price(n int) int { return n * 3 }\nfunc Total() {}\n",
        "package a\nfunc Total() {}\n"},
       {"price_test.go",
        "package a\nfunc TestPrice(t *testing.T) {\n\tif Price(2) != 6 {\n\t\tt.Fatal()\n\t}\n}\n",
        std::nullopt}});
  ExpectHonest({{"Price.java",
                 "class Price { int of(int n) { return n; } int legacy(int n) { return n; } }\n",
                 "class Price { int of(int n) { return n; } }\n"},
                {"PriceTest.java",
                 "class PriceTest { @Test void a() { assertEquals(2, p.of(2)); assertEquals(2, "
                 "p.legacy(2)); } }\n",
                 "class PriceTest { @Test void a() { assertEquals(2, p.of(2)); } }\n"}});
  // One that only has another name now is still there.
  EXPECT_THAT(Compare({{"price.py", "def price(n, m):\n    total = n * 3 + m\n    return total\n",
                        "def cost(n, m):\n    total = n * 3 + m\n    return total\n"},
                       {"test_price.py", "def test_price():\n    assert price(2, 0) == 6\n",
                        std::nullopt}}),
              HasSubstr("test-removed"));
  EXPECT_THAT(
      Compare({{"price.py", "def price(n):\n    return n * 3\n", "def price(n):\n    return n\n"},
               {"test_price.py", "def test_price():\n    assert price(2) == 6\n", std::nullopt}}),
      HasSubstr("test-removed"));
}

TEST_F(TestWeakeningTest, ATestMayGoWithAParameterOrAnOverload) {
  const ContentPair option_gone = {
      "price.py", "def price(n, legacy=False):\n    return n if legacy else n * 3\n",
      "def price(n):\n    return n * 3\n"};
  const std::string kept = "def test_price():\n    assert price(2) == 6\n";
  ExpectHonest({option_gone,
                {"test_price.py",
                 kept + "def test_legacy():\n    assert price(2, legacy=True) == 2\n", kept}});
  ExpectHonest(
      {{"Point.cs",
        "class Point { Point Move(int x, int y) => null; Point Move(int both) => null; }\n",
        "class Point { Point Move(int x, int y) => null; }\n"},
       {"PointTests.cs",
        "class PointTests { [Fact] void A() { var p = q.Move(2); Assert.Equal(4, p.Y); } "
        "[Fact] void B() { Assert.Equal(1, q.Move(1, 2).X); } }\n",
        "class PointTests { [Fact] void B() { Assert.Equal(1, q.Move(1, 2).X); } }\n"}});
  ExpectHonest({{"Price.java", "class Price { int of(int n, boolean legacy) { return n; } }\n",
                 "class Price { int of(int n) { return n; } }\n"},
                {"PriceTest.java",
                 "class PriceTest { @Test void a() { assertEquals(2, p.of(2)); } @Test void b() { "
                 "assertEquals(2, p.of(2, true)); } }\n",
                 "class PriceTest { @Test void a() { assertEquals(2, p.of(2)); } }\n"}});
  // What other tests call is still there.
  EXPECT_THAT(Compare({option_gone, {"test_price.py", kept, std::nullopt}}),
              HasSubstr("test-removed"));
  // A parameter more, or another name of one, is no reason.
  for (const char* after :
       {"def price(n, unused):\n    return n\n", "def price(number):\n    return number\n"}) {
    EXPECT_THAT(Compare({{"price.py", "def price(n):\n    return n * 3\n", after},
                         {"test_price.py", kept, std::nullopt}}),
                HasSubstr("test-removed"))
        << after;
  }
}

TEST_F(TestWeakeningTest, ReasonsAndTitlesNameNoSystem) {
  ExpectAll(
      "test-skipped",
      {
          {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
           "import pytest\n@pytest.mark.skipif(True, reason='windows')\ndef test_a():\n    "
           "assert f(1) == 2\n"},
          {"a.test.js", "it('a', () => { expect(f(1)).toBe(2); });\n",
           "it.skip('a', 'windows', () => { expect(f(1)).toBe(2); });\n"},
          {"A.cs", "class A { [Fact] void B() { Assert.Equal(2, F(1)); } }\n",
           "class A { [Fact(Skip = \"Windows\")] void B() { Assert.Equal(2, F(1)); } }\n"},
          {"ATest.java", "class ATest { @Test void a() { assertEquals(2, f(1)); } }\n",
           "class ATest { @Disabled(\"windows\") @Test void a() { assertEquals(2, f(1)); } }\n"},
      });
  ExpectAllHonest({
      {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
       "import pytest, sys\n@pytest.mark.skipif(sys.platform == 'win32', reason='POSIX only')\n"
       "def test_a():\n    assert f(1) == 2\n"},
      {"test_a.py", "def test_a():\n    assert f(1) == 2\n",
       "import pytest, sys\n@pytest.mark.skipif(sys.platform in ('win32', 'cygwin'), reason='no "
       "linux')\ndef test_a():\n    assert f(1) == 2\n"},
  });
}

TEST_F(TestWeakeningTest, AValueMayBeComparedAsAWhole) {
  ExpectAllHonest({
      {"test_a.py", "def test_a():\n    p = f(1)\n    assert p.x == 2\n    assert p.y == 3\n",
       "def test_a():\n    assert f(1) == Point(2, 3)\n"},
      {"a.test.js",
       "test('a', () => { assert.strictEqual(p.x, 2); assert.strictEqual(p.y, 3); });\n",
       "test('a', () => { assert.deepStrictEqual(p, { x: 2, y: 3 }); });\n"},
      {"A.cs", "class A { [Fact] void B() { Assert.Equal(2, p.X); Assert.Equal(3, p.Y); } }\n",
       "class A { [Fact] void B() { Assert.Equal(new Point(2, 3), p); } }\n"},
  });
  ExpectAll(
      "assertion-removed",
      {{"test_a.py", "def test_a():\n    p = f(1)\n    assert p.x == 2\n    assert p.y == 3\n",
        "def test_a():\n    assert f(1) == Point(2, 4)\n"},
       {"test_a.py", "def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n",
        "def test_a():\n    assert f(1) == Point(2, 3)\n"}});
}

TEST_F(TestWeakeningTest, WhatRunsWithoutBeingNamedIsLive) {
  ExpectHonest({{"tests/all_test.c",
                 "static void test_sum(void) {\n  CHECK(sum(1, 2) == 3);\n}\n"
                 "int main(void) {\n  test_sum();\n  return failures;\n}\n",
                 std::nullopt},
                {"tests/sum_test.c", std::nullopt,
                 "int main(void) {\n  CHECK(sum(1, 2) == 3);\n  return failures;\n}\n"}});
  ExpectAllHonest({
      {"CalcTest.java",
       "class CalcTest { @Test void a() { assertEquals(5, c.run(\"2 3 +\")); } @Test void b() { "
       "assertEquals(6, c.run(\"2 3 *\")); } }\n",
       "class CalcTest { @Parameters static Object[][] rows() { return new Object[][] {{\"2 3 +\", "
       "5}, {\"2 3 *\", 6}}; } @Test void runs() { assertEquals(result, c.run(text)); } }\n"},
      {"ago.test.js",
       "const { ago } = require('./ago');\ntest('a', () => { assert.equal(ago(0, 5), '5 s'); });\n"
       "test('b', () => { assert.equal(ago(0, 60), '1 min'); });\n",
       "const { ago } = require('./ago');\nconst CASES = [[5, '5 s'], [60, '1 min']];\nfor (const "
       "[s, text] of CASES) {\n"
       "  test(text, () => { assert.equal(ago(0, s), text); });\n}\n"},
      {"main_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n",
       "package a\nfunc TestMain(m *testing.M) {\n\tos.Exit(all(m))\n}\n"
       "func all(m *testing.M) int {\n\treturn m.Run()\n}\n"},
      {"kv_test.cc", "#define CHECK(c) if (!(c)) std::exit(1)\nint main() { CHECK(kv() == 3); }\n",
       "#define CHECK(condition) \\\n  if (!(condition)) { ++failures; }\nint main() { CHECK(kv() "
       "== "
       "3); }\n"},
      {"die_test.c", "int main(void) {\n  CHECK(die() == 3);\n  return 0;\n}\n",
       "int main(void) {\n  const pid_t child = fork();\n  if (child == 0) {\n    die();\n    "
       "_exit(0);\n  }\n  CHECK(die() == 3);\n  return 0;\n}\n"},
  });
  ExpectAll(
      "run-controlled",
      {{"main_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n",
        "package a\nfunc TestMain(m *testing.M) {\n\tos.Exit(all(m))\n}\n"
        "func all(m *testing.M) int {\n\treturn 0\n}\n"},
       {"kv_test.cc", "#define CHECK(c) if (!(c)) std::exit(1)\nint main() { CHECK(kv() == 3); }\n",
        "#define CHECK(c) (void)(c)\nint main() { CHECK(kv() == 3); }\n"},
       {"kv_test.cc", "#include <check.h>\nint main() { CHECK(kv() == 3); }\n",
        "#include <check.h>\n#define CHECK(c) if (!(c)) ++unused\nint main() { CHECK(kv() == 3); "
        "}\n"},
       {"die_test.c", "int main(void) {\n  CHECK(die() == 3);\n  return 0;\n}\n",
        "int main(void) {\n  int child = 0;\n  if (child == 0) {\n    _exit(0);\n  }\n  "
        "CHECK(die() == 3);\n  return 0;\n}\n"}});
}

TEST_F(TestWeakeningTest, ACaseThatTheTableLacksIsFound) {
  const std::string import = "const { ago } = require('./ago');\n";
  const std::string before = import +
                             "test('a', () => { assert.equal(ago(0, 5), '5 s'); });\n"
                             "test('b', () => { assert.equal(ago(0, 60), '1 min'); });\n"
                             "test('c', () => { assert.equal(ago(0, 90), '2 min'); });\n";
  const std::string after = import +
                            "const CASES = [[5, '5 s'], [61, '1 min'], [91, '2 min']];\n"
                            "for (const [s, text] of CASES) {\n"
                            "  test(text, () => { assert.equal(ago(0, s), text); });\n}\n";
  EXPECT_THAT(Compare({{"ago.test.js", before, after}}), HasSubstr("test-removed"));
}

TEST_F(TestWeakeningTest, TestsMayMoveToAnotherFile) {
  const std::string test = "def test_a():\n    assert f(1) == 2\n";
  EXPECT_EQ(Compare({{"test_a.py", test, std::nullopt}, {"tests/test_b.py", std::nullopt, test}}),
            "");
  EXPECT_THAT(Compare({{"test_a.py", test, std::nullopt}, {"helpers.py", std::nullopt, test}}),
              HasSubstr("test-removed"));
  const std::string go = "package a\nfunc TestA(t *testing.T) { assert.Equal(t, f(1), 2) }\n";
  EXPECT_EQ(Compare({{"a_test.go", go, std::nullopt}, {"b_test.go", std::nullopt, go}}), "");
  EXPECT_NE(Compare({{"a_test.go", go, std::nullopt}, {"a_windows_test.go", std::nullopt, go}}),
            "");
}

TEST_F(TestWeakeningTest, HostileFilesAreNoTrouble) {
  std::string deep = "def test_a():\n    assert ";
  for (int i = 0; i < 300; ++i) deep += "(";
  std::string many;
  for (int i = 0; i < 500; ++i)
    absl::StrAppend(&many, "def test_", i, "():\n    assert f(", i, ") == 1\n");
  for (const char* path : {"test_a.py", "a_test.go", "a.test.ts", "a.rs", "ATest.java", "A.cs",
                           "a_test.cc", "test_a.c"}) {
    for (const std::string& text :
         {std::string("\xff\xfe"), deep, many, std::string("if"), std::string("it(")}) {
      Compare({{path, text, std::nullopt}});
      Compare({{path, std::nullopt, text}});
      Compare({{path, many, text}});
    }
  }
}

}  // namespace
}  // namespace stile
