#include "tools/code/generate_tool.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/shipped_languages.h"
#include "tests/unit/tools/tool_fixture.h"

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Answers as a compiler that finds `errors` in what was changed.
class ScriptedService : public ValidationService {
 public:
  absl::StatusOr<ValidationReport> Validate(const ValidateArguments&) override {
    return ValidationReport();
  }
  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>&) override {
    ProbeReport report;
    report.judged = judged;
    report.unjudged = "there is no compiler";
    if (++probes_ == 1) report.errors = errors;  // the next is about the files as they were
    return report;
  }

  bool judged = true;
  std::vector<Diagnostic> errors;

 private:
  int probes_ = 0;
};

class GenerateToolTest : public ToolFixture {
 protected:
  GenerateToolTest() { Add(NewCodeGenerateTool(&service_, &languages_, &index_)); }

  void Write(const std::string& path, absl::string_view text) {
    ToolFixture::Write(path, text);
    paths_.push_back(path);
  }
  ToolResult Generate(const Json& arguments) { return Ok("code.generate", arguments); }
  std::string Fails(const Json& arguments) { return Error("code.generate", arguments); }

  std::vector<std::string> paths_;
  ScriptedService service_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex index_{context_.workspace, &languages_, [this](const auto& use) {
                     for (const std::string& path : paths_) use(path);
                   }};
};

constexpr char kOrder[] = "export class Order {\n  total(): number {\n    return 1;\n  }\n}\n";

TEST_F(GenerateToolTest, ShowsTheLinesItWrote) {
  Write("order.ts", kOrder);
  const ToolResult result = Generate({{"operation", "method"},
                                      {"file", "order.ts"},
                                      {"class", "Order"},
                                      {"name", "add"},
                                      {"signature", "(a: number): number"},
                                      {"code", "return a;"}});
  EXPECT_EQ(
      result.text,
      "Generated method Order.add. It builds as before.\norder.ts:\n6\t  add(a: number): number {\n"
      "7\t    return a;\n8\t  }\n");
  EXPECT_EQ(result.data["files"][0]["lines"], Json::array({6, 8}));
  EXPECT_EQ(result.data["files"][0]["created"], false);
  EXPECT_EQ(Read("order.ts"),
            "export class Order {\n  total(): number {\n    return 1;\n  }\n\n"
            "  add(a: number): number {\n    return a;\n  }\n}\n");
}

TEST_F(GenerateToolTest, WhatDoesNotBuildStaysAndIsSaid) {
  Write("order.ts", kOrder);
  Diagnostic error;
  error.file = "order.ts";
  error.line = 7;
  error.message = "Cannot find name 'missing'.";
  service_.errors = {error};
  const ToolResult result = Generate({{"operation", "method"},
                                      {"className", "Order"},
                                      {"name", "add"},
                                      {"code", "return missing;"}});
  EXPECT_THAT(result.text, HasSubstr("Generated method Order.add. It does not build now:\n"
                                     "order.ts:7: error: Cannot find name 'missing'.\n"));
  EXPECT_EQ(result.data["validation"]["builds"], false);
  EXPECT_THAT(Read("order.ts"), HasSubstr("return missing;"));
}

TEST_F(GenerateToolTest, SaysWhenNothingJudges) {
  Write("order.ts", kOrder);
  service_.judged = false;
  const ToolResult result =
      Generate({{"operation", "method"}, {"className", "Order"}, {"name", "add"}});
  EXPECT_THAT(result.text, HasSubstr("No compiler has judged it: there is no compiler."));
  EXPECT_EQ(result.data["validation"]["builds"], false);
}

TEST_F(GenerateToolTest, TellsTheSyntaxErrorsOfABody) {
  Write("order.ts", kOrder);
  const ToolResult result = Generate({{"operation", "method"},
                                      {"targetFile", "order.ts"},
                                      {"methodName", "add"},
                                      {"body", "if (x {"}});
  EXPECT_THAT(result.text, HasSubstr("This edit breaks the syntax:"));
  EXPECT_FALSE(result.data["syntaxErrors"].empty());
}

TEST_F(GenerateToolTest, CreatesFilesInNewFolders) {
  const ToolResult result = Generate(
      {{"operation", "create_type"}, {"targetFile", "a/b/Item.java"}, {"className", "Item"}});
  EXPECT_EQ(result.data["files"][0]["created"], true);
  EXPECT_EQ(Read("a/b/Item.java"), "public class Item {\n}\n");
}

TEST_F(GenerateToolTest, FindsTheFileByTheClass) {
  Write("order.ts", kOrder);
  Generate({{"operation", "property"}, {"className", "Order"}, {"signature", "id = 1"}});
  EXPECT_THAT(Read("order.ts"), HasSubstr("  id = 1;\n"));
  EXPECT_THAT(Fails({{"operation", "property"}, {"className", "Nobody"}, {"signature", "id = 1"}}),
              HasSubstr("Nobody"));
}

// Line ends, byte order mark, tabs and the missing end of the last line are the file's own.
TEST_F(GenerateToolTest, KeepsWhatFilesLookLike) {
  struct Language {
    const char* file;
    const char* text;
  };
  const Language languages[] = {
      {"Order.cs",
       "using System;\n\nclass Order\n{\n\tint _id;\n\n\tint Id()\n\t{\n\t\treturn 1;\n\t}\n}"},
      {"Order.java", "class Order {\n\tint id;\n\n\tint id() {\n\t\treturn 1;\n\t}\n}"},
      {"order.ts", "class Order {\n\tid: number;\n\n\tget() {\n\t\treturn 1;\n\t}\n}"},
      {"order.js", "class Order {\n\tid = 1;\n\n\tget() {\n\t\treturn 1;\n\t}\n}"},
      {"order.py", "class Order:\n\tid: int\n\n\tdef get(self):\n\t\treturn 1"},
      {"order.go",
       "package a\n\ntype Order struct {\n\tID int\n}\n\nfunc (o *Order) Get() {\n\treturn\n}"},
      {"order.rs",
       "struct Order {\n\tid: u32,\n}\n\nimpl Order {\n\tfn id(&self) -> u32 {\n\t\t1\n\t}\n}"},
      {"order.cpp", "class Order {\n\tint id;\npublic:\n\tint get() {\n\t\treturn 1;\n\t}\n};"},
  };
  for (const Language& language : languages) {
    for (const bool crlf : {false, true}) {
      for (const bool bom : {false, true}) {
        for (const char* operation : {"method", "property", "constructor", "create_type"}) {
          for (const char* end : {"", "\n"}) {
            std::string text = absl::StrCat(bom ? "\xEF\xBB\xBF" : "", language.text, end);
            if (crlf) text = absl::StrReplaceAll(text, {{"\n", "\r\n"}});
            Write(language.file, text);
            const bool is_type = operation == std::string("create_type");
            const bool colon =
                absl::string_view(language.file).find(".ts") != absl::string_view::npos;
            const ToolResult result =
                Call("code.generate",
                     {{"operation", operation},
                      {"targetFile", language.file},
                      {"className", is_type ? "Line" : "Order"},
                      {"methodName",
                       operation == std::string("method") || operation == std::string("property")
                           ? "fresh"
                           : ""},
                      {"signature",
                       operation == std::string("property") ? (colon ? "number" : "int") : ""}});
            if (!result.ok) {
              EXPECT_THAT(result.text, HasSubstr("is not available")) << language.file << operation;
              continue;
            }
            SCOPED_TRACE(absl::StrCat(language.file, " ", operation, crlf ? " crlf" : "",
                                      bom ? " bom" : "", *end != 0 ? " ended" : ""));
            EXPECT_TRUE(result.data["syntaxErrors"].empty()) << result.text;
            const std::string after = Read(language.file);
            EXPECT_EQ(bom, after.compare(0, 3, "\xEF\xBB\xBF") == 0);
            EXPECT_EQ(after.find("\xEF\xBB\xBF", 1), std::string::npos);
            EXPECT_EQ(*end != 0, after.back() == '\n');
            const std::string unix_ends = absl::StrReplaceAll(after, {{"\r\n", "\n"}});
            if (crlf) {
              EXPECT_EQ(absl::StrReplaceAll(unix_ends, {{"\n", "\r\n"}}), after);
            } else {
              EXPECT_EQ(after.find('\r'), std::string::npos);
            }
            EXPECT_THAT(unix_ends, Not(HasSubstr("\n ")));
            EXPECT_THAT(unix_ends, Not(HasSubstr("\t\n")));
            EXPECT_THAT(unix_ends, Not(HasSubstr("\n\n\n\n")));
          }
        }
      }
    }
  }
}

TEST_F(GenerateToolTest, FailuresSayWhatToDo) {
  Write("order.ts", kOrder);
  Write("notes.txt", "text");
  outside_.MakeDir("ws/folder.ts");
  outside_.Write("secret.ts", "class Secret {}");
  EXPECT_THAT(Fails({{"operation", "method"}, {"targetFile", "../secret.ts"}, {"methodName", "x"}}),
              HasSubstr("workspace"));
  EXPECT_THAT(
      Fails({{"operation", "create_type"}, {"targetFile", "/etc/x.ts"}, {"className", "X"}}),
      HasSubstr("workspace"));
  EXPECT_THAT(Fails({{"operation", "method"}, {"targetFile", "notes.txt"}, {"methodName", "x"}}),
              HasSubstr("file.modify"));
  EXPECT_FALSE(Call("code.generate",
                    {{"operation", "method"}, {"targetFile", "folder.ts"}, {"methodName", "x"}})
                   .ok);
  EXPECT_FALSE(Call("code.generate",
                    {{"operation", "create_type"}, {"targetFile", "folder.ts"}, {"className", "X"}})
                   .ok);
  EXPECT_FALSE(Call("code.generate",
                    {{"operation", "method"}, {"targetFile", "gone.ts"}, {"methodName", "x"}})
                   .ok);
  EXPECT_FALSE(Call("code.generate", {{"operation", "method"}, {"methodName", "x"}}).ok);
  EXPECT_FALSE(Call("code.generate", {{"operation", "nonsense"}}).ok);
  EXPECT_EQ(Read("order.ts"), kOrder);
}

TEST_F(GenerateToolTest, HostileFilesEnd) {
  const std::string big(100000, '(');
  const std::vector<std::string> texts = {
      "",
      "class Order {\n",
      "class Order { " + big,
      "class Order {" + std::string(100000, '{') + std::string(100000, '}') + "}",
      "class Order { x = \"" + std::string(1 << 20, 'a') + "\"; }",
      "class Order { \xff\xfe x = '\xc3\x28'; }",
      std::string("class Order {\0}", 15),
      "class Order }{",
      "\n\n\n",
  };
  for (const char* extension : {"ts", "cs", "py", "go"}) {
    for (const std::string& text : texts) {
      for (const char* operation : {"method", "create_type"}) {
        const std::string path = absl::StrCat("hostile.", extension);
        Write(path, text);
        const ToolResult result = Call("code.generate", {{"operation", operation},
                                                         {"targetFile", path},
                                                         {"className", "Order"},
                                                         {"methodName", "fresh"},
                                                         {"signature", "x: int"}});
        EXPECT_TRUE(result.fatal.ok()) << result.fatal;
        if (!result.ok) {
          EXPECT_EQ(Read(path), text);
        }
      }
    }
  }
}

}  // namespace
}  // namespace stile
