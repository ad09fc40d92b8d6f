#include "tools/search/grep_tool.h"

#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

using testing::HasSubstr;

class GrepTest : public ToolFixture {
 protected:
  GrepTest() { Add(NewSearchGrepTool()); }
};

TEST_F(GrepTest, ShowsFileLineColumnAndText) {
  Write("src/a.go", "package a\nfunc Old() {}\r\n");
  Write("b.go", "var x = Old()\n");
  const ToolResult result = Ok("search.grep", {{"pattern", "Old\\(\\)"}});
  EXPECT_EQ(result.text, "b.go:1:9: var x = Old()\nsrc/a.go:2:6: func Old() {}\n");
  EXPECT_EQ(result.data["totalMatches"], 2);
  EXPECT_EQ(result.data["filesWithMatches"], 2);
  EXPECT_EQ(result.data["matches"][1]["line"], 2);
}

TEST_F(GrepTest, HonoursPathFilePatternAndCase) {
  Write("src/a.ts", "Foo\n");
  Write("src/a.go", "foo\n");
  Write("docs/a.ts", "foo\n");
  const auto total = [&](Json arguments) {
    arguments["pattern"] = "foo";
    return Ok("search.grep", arguments).data["totalMatches"].get<int>();
  };
  EXPECT_EQ(total(Json::object()), 2);
  EXPECT_EQ(total({{"caseSensitive", false}}), 3);
  EXPECT_EQ(total({{"path", "src"}}), 1);
  EXPECT_EQ(total({{"filePattern", "*.ts"}}), 1);
  EXPECT_EQ(total({{"filePattern", "src/**"}}), 1);
  EXPECT_EQ(total({{"path", "src"}, {"filePattern", "*.{ts,go}"}, {"caseSensitive", false}}), 2);
  EXPECT_EQ(total({{"path", "docs/a.ts"}}), 1);
}

TEST_F(GrepTest, TakesAnInvalidOrFruitlessExpressionLiterally) {
  Write("a", "call(x\nitems[0]\n");
  const ToolResult invalid = Ok("search.grep", {{"pattern", "call(x"}});
  EXPECT_EQ(invalid.data["literal"], true);
  EXPECT_THAT(invalid.text, HasSubstr("searched literally"));
  EXPECT_THAT(invalid.text, HasSubstr("a:1:1: call(x"));
  const ToolResult fruitless = Ok("search.grep", {{"pattern", "items[0]"}});
  EXPECT_EQ(fruitless.data["literal"], true);
  EXPECT_THAT(fruitless.text, HasSubstr("a:2:1"));
  const ToolResult none = Ok("search.grep", {{"pattern", "nothing"}});
  EXPECT_EQ(none.data["literal"], false);
  EXPECT_THAT(none.text, HasSubstr("No matches in 1 file"));
}

TEST_F(GrepTest, SkipsBinaryIgnoredAndSpecialFiles) {
  Write(".git/config", "needle\n");
  Write(".gitignore", "out/\n");
  Write("out/a", "needle\n");
  Write("binary", std::string("needle\0", 7));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0644), 0);
  ASSERT_EQ(symlink("a", Path("link").c_str()), 0);
  Write("a", "needle\n");
  EXPECT_EQ(Ok("search.grep", {{"pattern", "needle"}}).data["totalMatches"], 1);
  EXPECT_EQ(Ok("search.grep", {{"pattern", "needle"}, {"path", "out"}}).data["totalMatches"], 1);
  EXPECT_EQ(Ok("search.grep", {{"pattern", "needle"}, {"path", "pipe"}}).data["filesSkipped"], 1);
  Error("search.grep", {{"pattern", "needle"}, {"path", ".git"}});
  Error("search.grep", {{"pattern", "needle"}, {"path", "../x"}});
  Error("search.grep", {{"pattern", "needle"}, {"path", "none"}});
}

TEST_F(GrepTest, ResultsAndLinesAreBounded) {
  std::string text;
  for (int i = 0; i < 250; ++i) absl::StrAppend(&text, "hit ", i, "\n");
  Write("many", text);
  const ToolResult many = Ok("search.grep", {{"pattern", "hit"}});
  EXPECT_EQ(many.data["matches"].size(), 100u);
  EXPECT_EQ(many.data["totalMatches"], 250);
  EXPECT_THAT(many.text, HasSubstr("100 of 250 matching lines in 1 file"));
  EXPECT_EQ(Ok("search.grep", {{"pattern", "hit"}, {"maxResults", 3}}).data["matches"].size(), 3u);

  Write("min.js", std::string(3 << 20, 'x') + "needle" + std::string(3 << 20, 'y'));
  const ToolResult minified = Ok("search.grep", {{"pattern", "needle"}});
  EXPECT_LT(minified.text.size(), 500u);
  EXPECT_THAT(minified.text, HasSubstr("xneedley"));
  EXPECT_EQ(minified.data["matches"][0]["column"], (3 << 20) + 1);
}

TEST_F(GrepTest, ACatastrophicExpressionEndsQuickly) {
  Write("a", std::string(200000, 'a') + "\n");
  Ok("search.grep", {{"pattern", "(a*)*(a*)*(a|aa)+$b"}});
  Ok("search.grep", {{"pattern", "((a{1,100}){1,100}){1,100}"}});
  Ok("search.grep", {{"pattern", "(((((((((("}});
  Error("search.grep", {{"pattern", ""}});
  Error("search.grep", {{"pattern", "a\nb"}});
  Error("search.grep", {{"pattern", std::string(5000, 'a')}});
  Error("search.grep", {{"pattern", "a"}, {"maxResults", 0}});
}

TEST_F(GrepTest, BytesThatAreNotUtf8StillMatchAround) {
  Write("latin", "caf\xe9 needle\n");
  const ToolResult result = Ok("search.grep", {{"pattern", "need.e"}});
  EXPECT_EQ(result.data["matches"][0]["column"], 6);
  EXPECT_TRUE(IsUtf8(result.text));
}

TEST_F(GrepTest, CancellationEndsTheRun) {
  Write("a", "x");
  cancellation_.Cancel();
  EXPECT_TRUE(absl::IsCancelled(Call("search.grep", {{"pattern", "x"}}).fatal));
}

}  // namespace
}  // namespace stile
