#include "runtime/tool/tool_registry.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/tool/schema_builder.h"
#include "tests/unit/runtime/tool/tool_fixture.h"

namespace stile {
namespace {

using testing::HasSubstr;
using testing::Not;

Json J(absl::string_view text) {
  auto parsed = ParseJson(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return *parsed;
}

class ToolRegistryTest : public testing::Test {
 protected:
  static std::vector<std::unique_ptr<Tool>> Tools() {
    std::vector<std::unique_ptr<Tool>> tools;
    ToolSpec modify;
    modify.name = "file.modify";
    modify.parameters =
        ObjectSchema({Required("path", "string"), Required("oldText", "string"),
                      Required("newText", "string"), Optional("replaceAll", "boolean")});
    modify.argument_aliases = {
        {"old", "oldText"}, {"search", "oldText"}, {"new", "newText"}, {"file", "path"}};
    tools.push_back(std::make_unique<EchoTool>(modify));
    tools.push_back(
        MakeEcho("file.read", ObjectSchema({Required("path", "string"),
                                            Optional("startLine", "integer"),
                                            {"paths", ArraySchema({{"type", "string"}})},
                                            {"level", EnumSchema({"build", "test"})}})));
    tools.push_back(MakeEcho("code.status", ObjectSchema({})));
    tools.push_back(MakeEcho("git.status", ObjectSchema({})));
    return tools;
  }
  Json Prepared(absl::string_view name, absl::string_view arguments) {
    auto call = registry_.Prepare(name, J(arguments));
    EXPECT_TRUE(call.ok()) << call.status();
    return call.ok() ? call->arguments : Json();
  }
  std::string Refused(absl::string_view name, const Json& arguments) {
    auto call = registry_.Prepare(name, arguments);
    EXPECT_EQ(call.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(call.status().message());
  }
  ToolRegistry registry_{Tools()};
};

TEST_F(ToolRegistryTest, FindsEverySpellingOfAName) {
  for (const char* name : {"file.modify", "file_modify", "file-modify", "FileModify", "FILE.MODIFY",
                           "Modify", "modify", "functions.file_modify"}) {
    Tool* tool = registry_.Find(name);
    ASSERT_NE(tool, nullptr) << name;
    EXPECT_EQ(tool->spec().name, "file.modify") << name;
  }
}

TEST_F(ToolRegistryTest, DoesNotGuessAnAmbiguousOrUnknownName) {
  EXPECT_EQ(registry_.Find("status"), nullptr);
  EXPECT_EQ(registry_.Find(""), nullptr);
  EXPECT_EQ(registry_.Find("."), nullptr);
  EXPECT_EQ(registry_.Find("file"), nullptr);
  EXPECT_EQ(registry_.Find(std::string(100000, 'x')), nullptr);
}

TEST_F(ToolRegistryTest, UnknownToolNamesTheNearestAndAll) {
  const std::string message = Refused("file.reed", Json::object());
  EXPECT_THAT(message, HasSubstr("did you mean 'file.read'"));
  EXPECT_THAT(message, HasSubstr("git.status"));
}

TEST_F(ToolRegistryTest, ReplacesAliasesAndOtherCases) {
  EXPECT_EQ(Prepared("file.modify", R"({"file":"a","search":"x","new_text":"y"})"),
            J(R"({"path":"a","oldText":"x","newText":"y"})"));
  EXPECT_EQ(Prepared("file.modify", R"({"Path":"a","old_text":"x","NEW":"y","replace_all":true})"),
            J(R"({"path":"a","oldText":"x","newText":"y","replaceAll":true})"));
}

TEST_F(ToolRegistryTest, CoercesWhatIsMeantClearly) {
  EXPECT_EQ(Prepared("file.read", R"({"path":"a","startLine":"3"})")["startLine"], 3);
  EXPECT_EQ(Prepared("file.read", R"({"path":"a","startLine":3.0})")["startLine"], 3);
  EXPECT_EQ(Prepared("file.read", R"({"path":42})")["path"], "42");
  EXPECT_EQ(Prepared("file.read", R"({"path":"a","startLine":null})"), J(R"({"path":"a"})"));
  EXPECT_EQ(Prepared("file.read", R"({"path":"a","paths":"b"})")["paths"], J(R"(["b"])"));
  EXPECT_EQ(Prepared("file.read", R"({"path":"a","paths":"[\"b\",\"c\"]"})")["paths"],
            J(R"(["b","c"])"));
  EXPECT_EQ(Prepared("file.read", R"({"path":"a","level":"Test"})")["level"], "test");
  EXPECT_EQ(Prepared("file.modify",
                     R"({"path":"a","old":"x","new":"y","replaceAll":"True"})")["replaceAll"],
            true);
}

TEST_F(ToolRegistryTest, UnwrapsArguments) {
  EXPECT_EQ(Prepared("file.read", R"({"arguments":{"path":"a"}})"), J(R"({"path":"a"})"));
  EXPECT_EQ(Prepared("file.read", R"("{\"path\":\"a\"}")"), J(R"({"path":"a"})"));
  EXPECT_EQ(Prepared("git.status", "null"), Json::object());
}

TEST_F(ToolRegistryTest, NamesEachProblemAndTheArgumentsThereAre) {
  const std::string message =
      Refused("file.read", J(R"({"startLine":"abc","pth":"a","level":"all"})"));
  EXPECT_THAT(message, HasSubstr("missing argument 'path'"));
  EXPECT_THAT(message, HasSubstr("unknown argument 'pth' (did you mean 'path'?)"));
  EXPECT_THAT(message, HasSubstr("'startLine' must be of type integer, not \"abc\""));
  EXPECT_THAT(message, HasSubstr("path (string, required)"));
  EXPECT_THAT(message, HasSubstr("level (build|test)"));
}

TEST_F(ToolRegistryTest, GivesTheSchemasWordsWhereItHasNone) {
  EXPECT_THAT(Refused("file.read", J(R"({"path":"a","level":"all"})")), HasSubstr("level: "));
  EXPECT_THAT(Refused("file.read", J(R"({"path":"a","paths":[1]})")), HasSubstr("paths"));
  EXPECT_THAT(Refused("file.read", J(R"([1,2])")), HasSubstr("must be a JSON object"));
}

TEST_F(ToolRegistryTest, DoesNotChooseBetweenTwoValuesForOneArgument) {
  EXPECT_THAT(Refused("file.modify", J(R"({"path":"a","oldText":"x","old":"z","newText":"y"})")),
              HasSubstr("two values for one argument"));
  EXPECT_EQ(Prepared("file.modify", R"({"path":"a","oldText":"x","old":"x","newText":"y"})"),
            J(R"({"path":"a","oldText":"x","newText":"y"})"));
}

TEST_F(ToolRegistryTest, SurvivesHostileArguments) {
  Json deep = 1;
  for (int i = 0; i < 150; ++i) deep = Json::array({deep});
  Refused("file.read", {{"path", deep}});
  Refused("file.read", {{std::string("\xff\xfe\x00", 3), 1}, {"path", "a"}});
  const std::string message =
      Refused("file.read", {{"path", Json::array({std::string(1 << 20, 'x')})}});
  EXPECT_LT(message.size(), 2000u);
  Refused("file.read", {{"path", "a"}, {"startLine", "99999999999999999999999"}});
}

TEST(CheckSchemaTest, ListsEachViolationWithItsPath) {
  const Json schema = ObjectSchema(
      {Required("files", "array"), {"inner", ObjectSchema({Required("line", "integer")})}});
  EXPECT_TRUE(CheckSchema(schema, J(R"({"files":[]})")).ok());
  const absl::Status status = CheckSchema(schema, J(R"({"files":3,"inner":{"line":"x"}})"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("files: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("inner.line: "));
}

TEST(CheckSchemaTest, AnUnusableSchemaFitsNothing) {
  EXPECT_FALSE(CheckSchema(J(R"({"type":"nonsense"})"), 1).ok());
  EXPECT_FALSE(CheckSchema(J(R"({"$ref":"http://127.0.0.1:1/x"})"), 1).ok());
  EXPECT_FALSE(CheckSchema(3, 3).ok());
}

TEST(ToolResultTest, StatusDecidesWhetherTheModelOrTheRunHandlesIt) {
  EXPECT_TRUE(ToolResult::FromStatus(absl::NotFoundError("no a")).fatal.ok());
  EXPECT_EQ(ToolResult::FromStatus(absl::NotFoundError("no a"), "Try b.").text, "no a. Try b.");
  EXPECT_FALSE(ToolResult::FromStatus(absl::NotFoundError("no a")).ok);
  EXPECT_FALSE(ToolResult::FromStatus(absl::CancelledError("stop")).fatal.ok());
  EXPECT_FALSE(ToolResult::FromStatus(absl::InternalError("bug")).fatal.ok());
}

}  // namespace
}  // namespace stile
