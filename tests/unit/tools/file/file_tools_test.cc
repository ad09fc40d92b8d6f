#include "tools/file/file_tools.h"

#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

using testing::HasSubstr;
using testing::Not;

class FileToolsTest : public ToolFixture {
 protected:
  FileToolsTest() {
    Add(NewFileReadTool());
    Add(NewFileWriteTool(&languages_));
    Add(NewFileModifyTool(&languages_));
    Add(NewFileListTool());
    Add(NewFileExistsTool());
    Add(NewFileDeleteTool());
  }
  std::vector<std::string> List(const Json& arguments) {
    std::vector<std::string> paths;
    const ToolResult result = Ok("file.list", arguments);
    for (const Json& entry : result.data["entries"]) {
      paths.push_back(*JsonString(entry, "path"));
    }
    return paths;
  }

  const LanguageRegistry languages_ = *LanguageRegistry::Load(
      {{"python.yaml", "id: python\nname: Python\nextensions: [.py]\ngrammar: python\n"}});
};

TEST_F(FileToolsTest, ReadShowsNumberedLines) {
  Write("a.txt", "one\ntwo\nthree\n");
  const ToolResult result = Ok("file.read", {{"path", "a.txt"}});
  EXPECT_EQ(result.text, "1\tone\n2\ttwo\n3\tthree\n");
  EXPECT_EQ(result.data["content"], "one\ntwo\nthree\n");
  EXPECT_EQ(result.data["totalLines"], 3);
  EXPECT_EQ(result.data["truncated"], false);
}

TEST_F(FileToolsTest, ReadGivesProgramsTheWholeFile) {
  std::string text(60'000, 'x');
  for (int i = 0; i < 3000; ++i) absl::StrAppend(&text, "\n");
  Write("a.txt", text);
  EXPECT_EQ(Ok("file.read", {{"path", "a.txt"}}).data["truncated"], true);
  context_.max_whole_file_bytes = text.size();
  const ToolResult result = Ok("file.read", {{"path", "a.txt"}});
  EXPECT_EQ(result.data["content"], text);
  EXPECT_EQ(result.data["truncated"], false);
  context_.max_whole_file_bytes = text.size() - 1;
  EXPECT_EQ(Ok("file.read", {{"path", "a.txt"}}).data["truncated"], true);
}

TEST_F(FileToolsTest, EditsAnswerWithTheSyntaxErrorsTheyIntroduced) {
  ToolResult result =
      Ok("file.write",
         {{"path", "a.py"}, {"content", "def f():\n    return (1\n\n\ndef g():\n    pass\n"}});
  EXPECT_THAT(result.text, HasSubstr("This edit breaks the syntax:\n"
                                     "line 2, column 12: '(' is never closed\n"
                                     "2\t    return (1\n"));
  EXPECT_EQ(result.data["syntaxErrors"][0]["line"], 2);
  result = Ok("file.modify", {{"path", "a.py"}, {"oldText", "pass"}, {"newText", "return 2"}});
  EXPECT_EQ(result.data["syntaxErrors"], Json::array()) << "it was broken before";
  result = Ok("file.modify", {{"path", "a.py"}, {"oldText", "(1"}, {"newText", "(1)"}});
  EXPECT_EQ(result.data["syntaxErrors"], Json::array());
  result = Ok("file.modify", {{"path", "a.py"}, {"oldText", "def g():"}, {"newText", "def g()"}});
  EXPECT_THAT(result.text, HasSubstr("line 5"));
  EXPECT_EQ(Ok("file.write", {{"path", "a.txt"}, {"content", "def ("}}).data["syntaxErrors"],
            Json::array());
}

TEST_F(FileToolsTest, ReadTakesARangeOfLines) {
  Write("a.txt", "one\ntwo\nthree");
  EXPECT_EQ(Ok("file.read", {{"path", "a.txt"}, {"startLine", 2}}).data["content"], "two\nthree");
  EXPECT_EQ(Ok("file.read", {{"path", "a.txt"}, {"startLine", 2}, {"endLine", 2}}).data["content"],
            "two\n");
  EXPECT_EQ(Ok("file.read", {{"path", "a.txt"}, {"endLine", 99}}).data["endLine"], 3);
  EXPECT_THAT(Error("file.read", {{"path", "a.txt"}, {"startLine", 4}}), HasSubstr("has 3 lines"));
  EXPECT_THAT(Error("file.read", {{"path", "a.txt"}, {"startLine", 0}}), HasSubstr("at least 1"));
  EXPECT_THAT(Error("file.read", {{"path", "a.txt"}, {"startLine", 3}, {"endLine", 2}}),
              HasSubstr("at least startLine"));
  Error("file.read", {{"path", "a.txt"}, {"startLine", 18446744073709551615u}});
}

TEST_F(FileToolsTest, ReadOfAnEmptyFileSaysSo) {
  Write("a.txt", "");
  EXPECT_EQ(Ok("file.read", {{"path", "a.txt"}}).text, "(empty file)");
}

TEST_F(FileToolsTest, ReadCutsABigFileAndSaysHowToReadOn) {
  std::string big;
  for (int i = 0; i < 600000; ++i) absl::StrAppend(&big, "line number ", i, "\n");
  ASSERT_GT(big.size(), 10u << 20);
  Write("big.txt", big);
  const ToolResult first = Ok("file.read", {{"path", "big.txt"}});
  EXPECT_LT(first.text.size(), 100'000u);
  EXPECT_EQ(first.data["truncated"], true);
  const int64_t next = *JsonInt(first.data, "endLine") + 1;
  EXPECT_THAT(first.text, HasSubstr(absl::StrCat("read on with startLine=", next)));
  const ToolResult second = Ok("file.read", {{"path", "big.txt"}, {"startLine", next}});
  EXPECT_THAT(second.text, testing::StartsWith(absl::StrCat(next, "\tline number ", next - 1)));
}

TEST_F(FileToolsTest, ReadCutsAMinifiedFile) {
  Write("min.js", std::string(5 << 20, 'x'));
  const ToolResult result = Ok("file.read", {{"path", "min.js"}});
  EXPECT_LT(result.text.size(), 5000u);
  EXPECT_THAT(result.text, HasSubstr("more bytes in this line"));
  EXPECT_EQ(result.data["truncated"], true);
  EXPECT_LT(DumpJson(result.data).size(), 100'000u);
}

TEST_F(FileToolsTest, ReadShowsAndCarriesBytesThatAreNotUtf8) {
  Write("latin.txt", "caf\xe9\n");
  const ToolResult result = Ok("file.read", {{"path", "latin.txt"}});
  EXPECT_THAT(result.text, HasSubstr("caf\xEF\xBF\xBD"));
  EXPECT_EQ(*Base64Decode(*JsonString(result.data, "contentBase64")), "caf\xe9\n");
  const std::string binary = std::string(
                                 "\x7f"
                                 "ELF\0\1\2",
                                 7) +
                             std::string(1 << 20, '\xfe');
  Write("program", binary);
  const ToolResult shown = Ok("file.read", {{"path", "program"}});
  EXPECT_EQ(shown.data["binary"], true);
  EXPECT_THAT(shown.text, HasSubstr("binary file, 1048583 bytes"));
  EXPECT_LT(shown.text.size(), 5000u);
  EXPECT_TRUE(IsUtf8(shown.text));
}

TEST_F(FileToolsTest, ReadNamesTheNearestFile) {
  Write("src/order.go", "x");
  EXPECT_THAT(Error("file.read", {{"path", "src/ordr.go"}}),
              HasSubstr("Did you mean src/order.go?"));
  EXPECT_THAT(Error("file.read", {{"path", "nowhere/x"}}), HasSubstr("file.list"));
  EXPECT_THAT(Error("file.read", {{"path", "src"}}), HasSubstr("is a folder"));
}

TEST_F(FileToolsTest, NothingLeavesTheWorkspace) {
  outside_.Write("secret", "s");
  ASSERT_EQ(symlink("../secret", Path("link").c_str()), 0);
  ASSERT_EQ(symlink("..", Path("up").c_str()), 0);
  Write(".git/config", "x");
  for (const std::string& path :
       {std::string("../secret"), outside_.Path("secret"), std::string("link"),
        std::string("up/secret"), std::string("a/../../secret"), std::string("/etc/passwd"),
        std::string(".git/config"), std::string(""), std::string("a\0b", 3), std::string(5000, 'x'),
        std::string("up/ws/../secret")}) {
    Error("file.read", {{"path", path}});
    Error("file.write", {{"path", path}, {"content", "x"}});
    Error("file.modify", {{"path", path}, {"oldText", "s"}, {"newText", "x"}});
    if (path != "link") Error("file.delete", {{"path", path}});
  }
  EXPECT_EQ(outside_.Read("secret"), "s");
  EXPECT_EQ(Read(".git/config"), "x");
}

TEST_F(FileToolsTest, APipeIsNeverOpened) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0644), 0);
  EXPECT_THAT(Error("file.read", {{"path", "pipe"}}), HasSubstr("not a regular file"));
  EXPECT_THAT(Error("file.modify", {{"path", "pipe"}, {"oldText", "a"}, {"newText", "b"}}),
              HasSubstr("not a regular file"));
  EXPECT_THAT(Error("file.write", {{"path", "pipe"}, {"content", "a"}}),
              HasSubstr("not a regular file"));
  EXPECT_EQ(Ok("file.exists", {{"path", "pipe"}}).data["type"], "other");
  EXPECT_EQ(List(Json::object()), std::vector<std::string>{"pipe"});
  Ok("file.delete", {{"path", "pipe"}});
}

TEST_F(FileToolsTest, WriteCreatesFoldersAndReports) {
  const ToolResult created = Ok("file.write", {{"path", "a/b/c.txt"}, {"content", "x\ny\n"}});
  EXPECT_EQ(Read("a/b/c.txt"), "x\ny\n");
  EXPECT_EQ(created.text, "Created a/b/c.txt (2 lines).");
  EXPECT_EQ(created.data["created"], true);
  const ToolResult replaced = Ok("file.write", {{"path", Path("a/b/c.txt")}, {"content", ""}});
  EXPECT_EQ(replaced.data["created"], false);
  EXPECT_EQ(Read("a/b/c.txt"), "");
  EXPECT_EQ(Ok("file.write", {{"path", "a/b/c.txt"}, {"content", ""}}).data["changed"], false);
}

TEST_F(FileToolsTest, WriteRefusesWhatItCannotDo) {
  outside_.MakeDir("ws/dir");
  Write("file", "x");
  EXPECT_THAT(Error("file.write", {{"path", "dir"}, {"content", "x"}}), HasSubstr("is a folder"));
  Error("file.write", {{"path", "file/below"}, {"content", "x"}});
  EXPECT_THAT(Error("file.write", {{"path", "a"}}), HasSubstr("needs content"));
  Error("file.write", {{"path", "a"}, {"content", "x"}, {"contentBase64", "eA=="}});
  Error("file.write", {{"path", "a"}, {"contentBase64", "*"}});
  EXPECT_FALSE(Exists("a"));
}

TEST_F(FileToolsTest, WriteTakesExactBytesAndOddNames) {
  Ok("file.write", {{"path", "bin"}, {"contentBase64", Base64Encode(std::string("\0\xff", 2))}});
  EXPECT_EQ(Read("bin"), std::string("\0\xff", 2));
  Ok("file.write", {{"path", "new\nline \"q\".txt"}, {"text", "x"}});
  EXPECT_EQ(Read("new\nline \"q\".txt"), "x");
  EXPECT_THAT(Ok("file.list", Json::object()).text, HasSubstr("\"new\\nline \\\"q\\\".txt\""));
}

TEST_F(FileToolsTest, ModifyReplacesOneOccurrence) {
  Write("a.go", "package a\n\nfunc old() {}\n");
  const ToolResult result =
      Ok("Modify", {{"file", "a.go"}, {"search", "old()"}, {"replace", "fresh()"}});
  EXPECT_EQ(Read("a.go"), "package a\n\nfunc fresh() {}\n");
  EXPECT_EQ(result.data["lines"], Json::array({3}));
  EXPECT_THAT(result.text, HasSubstr("3\tfunc fresh() {}"));
}

TEST_F(FileToolsTest, ModifyListsSeveralOccurrences) {
  Write("a", "x\ny\nx\n");
  EXPECT_THAT(Error("file.modify", {{"path", "a"}, {"oldText", "x"}, {"newText", "z"}}),
              HasSubstr("occurs 2 times in a, at lines 1, 3"));
  EXPECT_EQ(Read("a"), "x\ny\nx\n");
  Ok("file.modify", {{"path", "a"}, {"oldText", "x"}, {"newText", "z"}, {"replaceAll", true}});
  EXPECT_EQ(Read("a"), "z\ny\nz\n");
}

TEST_F(FileToolsTest, ModifyKeepsEndingsMarkAndMode) {
  Write("dos",
        "\xEF\xBB\xBF"
        "a\r\nb\r\nc");
  ASSERT_EQ(chmod(Path("dos").c_str(), 0755), 0);
  Ok("file.modify", {{"path", "dos"}, {"oldText", "a\nb\n"}, {"newText", "A\nB\nB2\n"}});
  EXPECT_EQ(Read("dos"),
            "\xEF\xBB\xBF"
            "A\r\nB\r\nB2\r\nc");
  struct stat info {};
  ASSERT_EQ(stat(Path("dos").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755u);
}

TEST_F(FileToolsTest, ModifyShowsTheNearestTextOnAMiss) {
  Write("a.py", "import os\n\ndef total(items):\n    result = 0\n    return result\n");
  const std::string text =
      Error("file.modify", {{"path", "a.py"},
                            {"oldText", "def total(items):\n\tresult = 0\n\treturn result\n"},
                            {"newText", "x"}});
  EXPECT_THAT(text, HasSubstr("nearest text is at lines 3-5"));
  EXPECT_THAT(text, HasSubstr("Only the indentation differs"));
  EXPECT_THAT(text, HasSubstr("`\\tresult = 0`"));
  EXPECT_THAT(text, HasSubstr("4\t    result = 0"));
  EXPECT_THAT(Error("file.modify",
                    {{"path", "a.py"}, {"oldText", "3\tdef total(items):"}, {"newText", "x"}}),
              HasSubstr("line numbers"));
  EXPECT_THAT(
      Error("file.modify", {{"path", "a.py"}, {"oldText", "zzz qqq www"}, {"newText", "x"}}),
      HasSubstr("Nothing in the file is similar"));
  EXPECT_THAT(Error("file.modify", {{"path", "a.py"}, {"oldText", ""}, {"newText", "x"}}),
              HasSubstr("file.write"));
  EXPECT_THAT(Error("file.modify", {{"path", "a.py"}, {"oldText", "x"}, {"newText", "x"}}),
              HasSubstr("equal"));
}

TEST_F(FileToolsTest, ListIsSortedAndHonoursIgnoreRules) {
  Write(".git/HEAD", "x");
  Write(".gitignore", "build/\n*.log\n");
  Write("build/out.o", "x");
  Write("b.log", "x");
  Write("src/a.ts", "x");
  Write("src/deep/b.ts", "x");
  Write("z.md", "x");
  EXPECT_EQ(List(Json::object()), (std::vector<std::string>{".gitignore", "src", "z.md"}));
  EXPECT_EQ(List({{"recursive", true}}),
            (std::vector<std::string>{".gitignore", "src/a.ts", "src/deep/b.ts", "z.md"}));
  EXPECT_EQ(List({{"pattern", "**/*.ts"}}),
            (std::vector<std::string>{"src/a.ts", "src/deep/b.ts"}));
  EXPECT_EQ(List({{"path", "src"}, {"pattern", "*.ts"}}), (std::vector<std::string>{"src/a.ts"}));
  EXPECT_EQ(List({{"path", "build"}}), (std::vector<std::string>{"build/out.o"}));
  EXPECT_EQ(List({{"pattern", "*.rs"}}), std::vector<std::string>());
  EXPECT_THAT(Ok("file.list", Json::object()).text, HasSubstr("2 ignored"));
  EXPECT_THAT(Error("file.list", {{"path", "z.md"}}), HasSubstr("not a folder"));
  Error("file.list", {{"path", "none"}});
  Error("file.list", {{"path", ".git"}});
  Error("file.list", {{"path", ".."}});
}

TEST_F(FileToolsTest, ListIsBoundedAndCountsTheRest) {
  for (int i = 0; i < 620; ++i) Write(absl::StrCat("f", i), "");
  const ToolResult result = Ok("file.list", Json::object());
  EXPECT_EQ(result.data["entries"].size(), 500u);
  EXPECT_EQ(result.data["total"], 620);
  EXPECT_THAT(result.text, HasSubstr("120 more not shown"));
}

TEST_F(FileToolsTest, ListDoesNotFollowSymlinksAndCarriesExactNames) {
  ASSERT_EQ(symlink("..", Path("loop").c_str()), 0);
  Write("caf\xe9", "x");
  const ToolResult result = Ok("file.list", {{"recursive", true}});
  ASSERT_EQ(result.data["entries"].size(), 2u) << result.text;
  EXPECT_EQ(*Base64Decode(*JsonString(result.data["entries"][0], "pathBase64")), "caf\xe9");
  EXPECT_EQ(result.data["entries"][1]["type"], "symlink");
}

TEST_F(FileToolsTest, ExistsTellsWhatIsThere) {
  Write("d/f", "x");
  EXPECT_EQ(Ok("file.exists", {{"path", "d"}}).data["type"], "folder");
  EXPECT_EQ(Ok("file.exists", {{"path", "d/f"}}).data["type"], "file");
  EXPECT_EQ(Ok("file.exists", {{"path", "d/g"}}).data["exists"], false);
}

TEST_F(FileToolsTest, DeleteRemovesFilesLinksAndEmptyFolders) {
  Write("d/f", "x");
  outside_.Write("secret", "s");
  ASSERT_EQ(symlink("../secret", Path("link").c_str()), 0);
  ASSERT_EQ(symlink("d/f", Path("inner").c_str()), 0);
  EXPECT_THAT(Error("file.delete", {{"path", "d"}}), HasSubstr("not empty"));
  Ok("file.delete", {{"path", "link"}});
  Ok("file.delete", {{"path", "inner"}});
  EXPECT_TRUE(Exists("d/f"));
  EXPECT_TRUE(outside_.Exists("secret"));
  EXPECT_FALSE(Exists("link"));
  Ok("file.delete", {{"path", "d/f"}});
  Ok("file.delete", {{"path", "d"}});
  EXPECT_FALSE(Exists("d"));
  EXPECT_THAT(Error("file.delete", {{"path", "d"}}), HasSubstr("does not exist"));
  Error("file.delete", {{"path", "."}});
  EXPECT_TRUE(outside_.Exists("ws"));
}

}  // namespace
}  // namespace stile
