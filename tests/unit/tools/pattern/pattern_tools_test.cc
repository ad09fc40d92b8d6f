#include "tools/pattern/pattern_tools.h"

#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

using testing::HasSubstr;

class PatternToolsTest : public ToolFixture {};

TEST_F(PatternToolsTest, ListsAndLoads) {
  const std::vector<CodingPattern> patterns = {{"a", "one", "Do a."}, {"b", "two", "Do b."}};
  Add(NewPatternListTool(&patterns));
  Add(NewPatternLoadTool(&patterns));
  EXPECT_THAT(Call("pattern.list", Json::object()).text, HasSubstr("a: one\nb: two\n"));
  EXPECT_EQ(Call("pattern.load", {{"name", "b"}}).text, "Do b.");
  const ToolResult result = Call("pattern.load", {{"name", "c"}});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.text, HasSubstr("'c'; there are a, b."));
}

TEST(PatternTest, SaysWhatIsWrong) {
  const auto pattern = ParseCodingPattern("---\nname: a\ndescription: one\n---\n\nDo a.\n", "f.md");
  ASSERT_TRUE(pattern.ok()) << pattern.status();
  EXPECT_EQ(pattern->text, "Do a.");
  EXPECT_THAT(ParseCodingPattern("---\ndescription: one\n---\nx", "f.md").status().message(),
              HasSubstr("wants `name`"));
  EXPECT_THAT(ParseCodingPattern("---\nname: a\n---\n", "f.md").status().message(),
              HasSubstr("no text"));
  EXPECT_THAT(ParseCodingPattern("---\nnam: a\n---\nx", "f.md").status().message(),
              HasSubstr("f.md:2: unknown key 'nam'"));
}

}  // namespace
}  // namespace stile
