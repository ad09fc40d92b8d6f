"""What scripts/code_figures.py counts."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "scripts"))
import code_figures  # noqa: E402

SOURCE = '''#include <map>
namespace stile {
namespace {

// Braces of texts do not count: }
constexpr char kText[] = "{{{";
constexpr char kRaw[] = R"x(} })x";

int Short(int a) {
  for (int i = 0; i < a; ++i) {
    if (a == '{') return 1'000;
  }
  return 0;
}

}  // namespace

class Big : public Base {
 public:
  explicit Big(int a) : a_(a), c_{a} {}
  int a() const { return a_; }
  std::function<void(int)> Use(const std::map<int, int>& map) const;
  ~Big() override = default;

 private:
  struct Part {
    int x;
  };
  static int Count();
  const int a_;
  std::function<void(int)> b_;
  std::map<int, std::vector<int>> c_{};
  bool d_ = false;
};

Big::Big(
    int a) {
  a_ = a;
}

}  // namespace stile
'''


class FiguresTest(unittest.TestCase):
    def test_functions_and_their_lines(self):
        functions, _ = code_figures.read(SOURCE)
        self.assertIn(("Short", 9, 6), functions)
        self.assertIn(("Big::Big", 36, 4), functions)

    def test_members_and_methods_of_a_class(self):
        _, types = code_figures.read(SOURCE)
        big = next(one for one in types if one.name == "Big")
        self.assertTrue(big.is_class)
        self.assertEqual((4, 5), (big.members, big.methods))
        part = next(one for one in types if one.name == "Part")
        self.assertFalse(part.is_class)
        self.assertEqual(1, part.members)

    def test_a_reason_stands_in_the_comment_above(self):
        lines = ["// A thing.", "// One thing: it has one state.", "class A {", "", "class B {"]
        self.assertTrue(code_figures.reason_above(lines, 3))
        self.assertFalse(code_figures.reason_above(lines, 5))

    def test_comparisons_with_languages(self):
        found = code_figures.COMPARED_LANGUAGE.findall('id == "go" || id != "java" || name == "golf"')
        self.assertEqual(2, len(found))

    def test_the_block_holds_what_does_not_change_with_every_commit(self):
        self.assertEqual("```figures\nfunctions: 1\n```\n", code_figures.block({"lines": 5, "functions": 1}))


if __name__ == "__main__":
    unittest.main()
