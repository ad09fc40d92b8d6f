#include "validators/integrity/present_values.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

std::string Merge(const std::string& grammar, const std::string& old, const std::string& present,
                  const std::vector<std::string>& at_failures = {}) {
  return WithPresentValues(*FindGrammar(grammar), old, present, at_failures);
}

TEST(PresentValuesTest, ExpectedValuesHaveTheirPresentForm) {
  EXPECT_EQ(Merge("python", "def test_a():\n    assert fee(1) == 5\n",
                  "def test_a():\n    assert fee(1) == 6\n    assert fee(0) == 0\n"),
            "def test_a():\n    assert fee(1) == 6\n");
  EXPECT_EQ(
      Merge("go",
            "func TestA(t *testing.T) {\n\tif got := Fee(1); got != 5 {\n\t\tt.Fatal()\n\t}\n}\n",
            "func TestA(t *testing.T) {\n\tif got := Fee(1); got != 6 {\n\t\tt.Fatal()\n\t}\n}\n"),
      "func TestA(t *testing.T) {\n\tif got := Fee(1); got != 6 {\n\t\tt.Fatal()\n\t}\n}\n");
}

TEST(PresentValuesTest, WhatIsNoValueKeepsItsOldForm) {
  const std::string old = "def test_a():\n    assert fee(1) == 5\n";
  for (const char* present :
       {"def test_a():\n    assert fee(1) == fee(1)\n",
        "def test_a():\n    def later():\n        assert fee(1) == EXPECTED\n",
        "def test_a():\n    pass\n"}) {
    EXPECT_EQ(Merge("python", old, present), old) << present;
  }
}

TEST(PresentValuesTest, ATableMayGrowAndNotShrink) {
  const std::string old = "CASES = [[1, 5], [2, 6]]\n";
  const std::string more = "CASES = [[1, 6], [2, 7], [3, 8]]\n";
  EXPECT_EQ(Merge("python", old, more), more);
  EXPECT_EQ(Merge("python", old, "CASES = [[1, 6]]\n"), old);
  EXPECT_EQ(Merge("python", old, "CASES = []\n"), old);
}

TEST(PresentValuesTest, WhatDecidesHowOftenCodeRunsIsNoValue) {
  for (const auto& [old, present] : std::vector<std::pair<std::string, std::string>>{
           {"for _ in 'ab':\n    assert f(1) == 5\n", "for _ in '':\n    assert f(1) == 5\n"},
           {"if 1 < 2:\n    assert f(1) == 5\n", "if 3 < 2:\n    assert f(1) == 5\n"},
           {"from a import f\n", "from b import f\n"}}) {
    EXPECT_EQ(Merge("python", old, present), old);
  }
  const std::string require = "const assert = require('assert');\n";
  EXPECT_EQ(Merge("javascript", require, "const assert = require('./assert');\n"), require);
  const std::string range = "fn f() { (0..3).for_each(|i| assert_eq!(g(i), 5)); }\n";
  EXPECT_EQ(Merge("rust", range, "fn f() { (0..0).for_each(|i| assert_eq!(g(i), 5)); }\n"), range);
}

TEST(PresentValuesTest, ATinyNumberDoesNotBecomeALargeOne) {
  EXPECT_EQ(Merge("python", "EPSILON = 1e-9\n", "EPSILON = 100\n"), "EPSILON = 1e-9\n");
  EXPECT_EQ(Merge("python", "RATE = 0.05\n", "RATE = 0.07\n"), "RATE = 0.07\n");
}

TEST(PresentValuesTest, TheTitleOfATestIsNoValue) {
  EXPECT_EQ(Merge("javascript", "test('a', () => { assert.equal(f(1), 5); });\n",
                  "test('b', () => { assert.equal(f(1), 6); });\n"),
            "test('a', () => { assert.equal(f(1), 6); });\n");
}

TEST(PresentValuesTest, AValueThatCameAfterAFailureKeepsItsOldForm) {
  const std::string old = "assert fee(1) == 5\nassert fee(2) == 5\n";
  const std::string failed = "assert fee(1) == 6\nassert fee(2) == 5\n";
  const std::string present = "assert fee(1) == 6\nassert fee(2) == 7\n";
  EXPECT_EQ(Merge("python", old, present, {failed}), failed);
  EXPECT_EQ(Merge("python", old, present, {old}), old);
  EXPECT_EQ(Merge("python", old, present, {present}), present);
}

TEST(PresentValuesTest, DataMayChangeBeforeAFailureAndNotShrink) {
  EXPECT_EQ(DataWithPresentValues("fee 5\n", "fee 6\n", {}), "fee 6\n");
  EXPECT_EQ(DataWithPresentValues("fee 5\n", "fee 6\n", {"fee 5\n"}), "fee 5\n");
  EXPECT_EQ(DataWithPresentValues("[[1, 5], [2, 6]]\n", "[]\n", {}), "[[1, 5], [2, 6]]\n");
}

TEST(PresentValuesTest, TestsThatFollowTakeNoValueAway) {
  const std::string head = "const { run } = require('./run');\n";
  const auto test = [](const char* name, const char* call, const char* value) {
    return absl::StrCat("test('", name, "', () => { assert.deepStrictEqual(", call, ", ", value,
                        "); });\n");
  };
  const std::string good = test("good", "run('a')", "{ status: 0, out: '' }");
  EXPECT_EQ(Merge("javascript", head + good + test("bad", "run('b')", "{ status: 1, out: 'b' }"),
                  "const more = require('./more');\n" + head + good +
                      test("bad", "run('b')", "{ status: 2, out: 'b' }") +
                      test("more", "more('c')", "['c']") + test("none", "more('')", "[]")),
            head + good + test("bad", "run('b')", "{ status: 2, out: 'b' }"));
}

}  // namespace
}  // namespace stile
