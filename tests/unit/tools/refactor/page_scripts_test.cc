#include "tools/refactor/page_scripts.h"

#include <gtest/gtest.h>

#include <string>

namespace stile {
namespace {

// The page with `x` in brackets where it stands in code.
std::string Marked(const std::string& page) {
  const PageScripts scripts(page);
  std::string marked;
  for (size_t i = 0; i < page.size(); ++i) {
    const bool is_code = page[i] == 'x' && scripts.Holds(static_cast<uint32_t>(i));
    marked += is_code ? "[x]" : std::string(1, page[i]);
  }
  return marked;
}

TEST(PageScriptsTest, FindsScriptsAndHandlers) {
  EXPECT_EQ(Marked("<p x onclick=\"x(1)\" title=\"x\" onload = 'x()'>x</p>"),
            "<p x onclick=\"[x](1)\" title=\"x\" onload = '[x]()'>x</p>");
  EXPECT_EQ(Marked("<SCRIPT src='x.js'>x < 1 > x</Script> x <script>x"),
            "<SCRIPT src='x.js'>[x] < 1 > [x]</Script> x <script>[x]");
  EXPECT_EQ(Marked("<a @click=\"x\" :y='x' v-if=\"x > 1\" href=\"x\">x"),
            "<a @click=\"[x]\" :y='[x]' v-if=\"[x] > 1\" href=\"x\">x");
}

TEST(PageScriptsTest, LeavesCommentsAndText) {
  EXPECT_EQ(Marked("<!-- <script>x</script> --> x < x"), "<!-- <script>x</script> --> x < x");
  EXPECT_EQ(Marked("<p title=\"a > onclick=x\">x"), "<p title=\"a > onclick=x\">x");
  EXPECT_EQ(Marked("x <"), "x <");
}

TEST(PageScriptsTest, TellsPagesByTheirNames) {
  EXPECT_TRUE(IsPage("a/index.HTML"));
  EXPECT_TRUE(IsPage("App.vue"));
  EXPECT_FALSE(IsPage("html"));
}

}  // namespace
}  // namespace stile
