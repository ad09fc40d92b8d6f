#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/process/process_runner.h"
#include "runtime/tool/tool_registry.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tools/code/inspect_tool.h"
#include "tools/code/navigate_tool.h"
#include "tools/code/search_tool.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CodeToolsTest : public ::testing::Test {
 protected:
  CodeToolsTest() {
    dir_.Write("src/order.ts",
               "/** What somebody wants. */\nexport class Order extends Base {\n"
               "  constructor(readonly id: number) { super(); }\n"
               "  /** In cents. */\n  total(tax: number): number { return this.sum() * tax; }\n"
               "  private sum() { return 1; }\n}\n");
    dir_.Write("src/use.ts",
               "import { Order } from './order';\n\n"
               "export const bill = (o: Order) => o.total(2);\nnew Order(1);\n");
  }

  ToolResult Call(std::unique_ptr<Tool> tool, const Json& arguments) {
    std::vector<std::unique_ptr<Tool>> tools;
    tools.push_back(std::move(tool));
    const std::string name = tools[0]->spec().name;
    const ToolRegistry registry(std::move(tools));
    ToolContext context;
    context.workspace = dir_.path();
    context.file_system = DiskFileSystem();
    context.runner = runner_.get();
    context.on_fallback = [this](const std::string& text) { fallbacks_.push_back(text); };
    const auto call = registry.Prepare(name, arguments);
    EXPECT_TRUE(call.ok()) << call.status();
    ToolResult result = call->tool->Run(call->arguments, context);
    EXPECT_TRUE(result.fatal.ok());
    if (result.ok) {
      EXPECT_TRUE(CheckSchema(call->tool->spec().output, result.data).ok())
          << CheckSchema(call->tool->spec().output, result.data) << result.data;
    }
    return result;
  }
  ToolResult Navigate(const Json& arguments) {
    return Call(NewCodeNavigateTool(&index_, nullptr), arguments);
  }
  ToolResult Search(const Json& arguments) { return Call(NewCodeSearchTool(&index_), arguments); }
  ToolResult Inspect(const Json& arguments) { return Call(NewCodeInspectTool(&index_), arguments); }

  TempDir dir_;
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  std::vector<std::string> fallbacks_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex index_{dir_.path(), &languages_, [](const auto& use) {
                     use({"src/order.ts"});
                     use({"src/use.ts"});
                   }};
};

TEST_F(CodeToolsTest, ReferencesComeWithPlaceSymbolLineAndCertainty) {
  const ToolResult result =
      Navigate({{"operation", "references"}, {"symbol", "Order"}, {"limit", 3}});
  EXPECT_EQ(result.text,
            "4 references of class Order (src/order.ts:2)\n"
            "src/order.ts:2:14 in Order: export class Order extends Base {\n"
            "src/use.ts:1:10: import { Order } from './order';\n"
            "src/use.ts:3:25 in bill: export const bill = (o: Order) => o.total(2);\n"
            "[1 more; raise limit]\n"
            "Resolved by: syntax.\n");
  EXPECT_EQ(result.data["total"], 4);
  EXPECT_EQ(result.data["exact"], 4);
}

TEST_F(CodeToolsTest, CallersAreOnlyCalls) {
  const ToolResult result = Navigate({{"operation", "callers"}, {"symbolName", "Order.total"}});
  EXPECT_THAT(result.text, HasSubstr("1 caller of method Order.total (src/order.ts:5)"));
  EXPECT_THAT(result.text, HasSubstr("src/use.ts:3:37 (likely) in bill"));
}

TEST_F(CodeToolsTest, TheOutlineOfAFileShowsSignatures) {
  const ToolResult result = Inspect({{"filePath", "src/order.ts"}});
  EXPECT_THAT(result.text, HasSubstr("src/order.ts: TypeScript, 7 lines"));
  EXPECT_THAT(result.text, HasSubstr("2-7\texport class Order extends Base\n"));
  EXPECT_THAT(result.text, HasSubstr("5\t  total(tax: number): number\n"));
}

TEST_F(CodeToolsTest, ASymbolComesWithDocumentationBasesAndMembers) {
  const ToolResult result = Inspect({{"symbolName", "Order"}});
  EXPECT_THAT(result.text, HasSubstr("  | What somebody wants.\n  bases: Base\n"));
  EXPECT_THAT(result.text, HasSubstr("private sum()"));
  EXPECT_EQ(result.data["symbols"][0]["documentation"], "What somebody wants.");
}

TEST_F(CodeToolsTest, SearchShowsPlaceSignatureDocumentationAndTheBestLine) {
  const ToolResult result = Search({{"query", "the tax of an order"}, {"limit", 2}});
  EXPECT_EQ(result.text,
            "src/order.ts:5 method Order.total\n"
            "  total(tax: number): number\n"
            "  | In cents.\n"
            "src/order.ts:2-7 class Order\n"
            "  export class Order extends Base\n"
            "  | What somebody wants.\n"
            "  5: total(tax: number): number { return this.sum() * tax; }\n");
  EXPECT_EQ(result.data["hits"][0]["symbol"], "Order.total");
  EXPECT_EQ(result.data["hits"][0]["kind"], "method");
  EXPECT_EQ(result.data["files"], 2);
  EXPECT_THAT(Search({{"query", "xylophone"}}).text, HasSubstr("search.grep"));
  EXPECT_FALSE(Search({{"query", "  "}}).ok);
  EXPECT_EQ(Search({{"query", "order"}, {"glob", "*/use.ts"}}).data["files"], 1);
}

TEST_F(CodeToolsTest, ANameThatNoSymbolHasIsFoundAsText) {
  dir_.Write("notes/a.md", "xwidget widget_a widget\nno\n(widget) widget\n");
  dir_.Write("notes/b.bin", std::string("widget\0", 7));
  dir_.Write("notes/c.txt", "\xC3\xBCwidget $widget widget\xC3\xBC\n");
  const ToolResult found =
      Navigate({{"operation", "usages"}, {"symbolName", "Toolkit.widget"}, {"limit", 1}});
  ASSERT_TRUE(found.ok) << found.text;
  EXPECT_EQ(found.data["hits"].size(), 1U);
  EXPECT_EQ(found.data["hits"][0]["file"], "notes/a.md");
  EXPECT_EQ(found.data["hits"][0]["column"], 18);
  EXPECT_EQ(found.data["hits"][0]["certainty"], "text");
  EXPECT_EQ(found.data["total"], 2) << "lines, each once; parts of words and binaries are none";
  EXPECT_THAT(found.text, HasSubstr("[1 more; raise limit]"));
  EXPECT_THAT(fallbacks_, ElementsAre(HasSubstr("No symbol answers to widget")));
}

TEST_F(CodeToolsTest, FailuresSayWhatToDo) {
  EXPECT_FALSE(Inspect(Json::object()).ok);
  const ToolResult nothing = Navigate({{"operation", "definition"}, {"symbolName", "Missing"}});
  EXPECT_FALSE(nothing.ok);
  EXPECT_THAT(nothing.text, HasSubstr("no other text file"));
  EXPECT_THAT(fallbacks_, IsEmpty());
  EXPECT_FALSE(Inspect({{"filePath", "../outside.ts"}}).ok);
  dir_.Write("notes.txt", "Order");
  const ToolResult text = Inspect({{"filePath", "notes.txt"}});
  EXPECT_FALSE(text.ok);
  EXPECT_THAT(text.text, HasSubstr("file.read"));
  EXPECT_THAT(Navigate({{"operation", "usages"}, {"symbolName", "Order"}}).text,
              Not(HasSubstr("class Order extends")));
}

}  // namespace
}  // namespace stile
