#include "agents/cli/step_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace stile {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string ParseError(absl::string_view text) {
  const auto request = ParseStepRequest(text, "stdin");
  EXPECT_EQ(request.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(request.status().message());
}

TEST(StepRequestTest, ReadsEveryField) {
  const auto request = ParseStepRequest(
      R"({"id": "7", "task": "t", "workspace": "/w", "agent": "build-fixer", "model": "openai:m",
          "limits": {"max_turns": 3}, "gate": {"level": "test"}, "context": "words"})",
      "stdin");
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->id, "7");
  EXPECT_EQ(request->task, "t");
  EXPECT_EQ(request->workspace, "/w");
  EXPECT_EQ(request->context, "words");
  Config config;
  config.limits.tokens = 5;
  ASSERT_TRUE(ApplyStepRequest(*request, "stdin", &config).ok());
  EXPECT_EQ(config.agent, "build-fixer");
  EXPECT_EQ(config.model, "openai:m");
  EXPECT_EQ(config.limits.max_turns, 3);
  EXPECT_EQ(config.limits.tokens, 5);
  EXPECT_EQ(config.gate.level, Level::kTest);
}

TEST(StepRequestTest, FilesOfTheContextStandUnderTheirPaths) {
  const auto request = ParseStepRequest(
      R"({"id": "7", "task": "t", "workspace": "/w",
          "context": [{"path": "a", "text": "1"}, {"path": "b", "text": "2"}]})",
      "stdin");
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->context, "File a:\n1\n\nFile b:\n2\n\n");
}

TEST(StepRequestTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(ParseError(""), HasSubstr("stdin: "));
  EXPECT_THAT(ParseError("{\n\"id\": }"), HasSubstr("2"));
  EXPECT_THAT(ParseError("[]"), HasSubstr("stdin: "));
  EXPECT_THAT(ParseError(R"({"id": "1", "task": "t"})"), HasSubstr("workspace"));
  EXPECT_EQ(ParseError(R"({"id": 1, "task": "t", "workspace": "w"})"),
            "stdin: id: must be a string, not 1");
  EXPECT_EQ(ParseError(R"({"id": "1", "task": "t", "workspace": "w", "context": [{"path": 1}]})"),
            "stdin: context: must be a string or an array, not [{\"path\":1}]; context[0].path: "
            "must be a string, not 1; context[0]: 'text' is missing");
  EXPECT_EQ(ParseError(R"({"id": "1", "task": "t", "workspace": "w", "modle": ""})"),
            "stdin: unknown key 'modle', did you mean 'model'?");
  EXPECT_THAT(ParseError(R"({"id": "1", "task": "", "workspace": "w"})"), HasSubstr("task"));
  EXPECT_THAT(ParseError(R"({"id": "1", "task": "t", "workspace": "w", "tsk": 1})"),
              HasSubstr("tsk"));
}

TEST(StepRequestTest, WhatOnlyWorkersServeIsRefused) {
  EXPECT_THAT(ParseError(R"({"id": "1", "task": "t", "repo": {"url": "u"}})"),
              HasSubstr("repo is served by workers only"));
  EXPECT_THAT(
      ParseError(R"({"id": "1", "task": "t", "workspace": "w", "deliver": {"branch": "b"}})"),
      HasSubstr("deliver is served by workers only"));
}

TEST(StepRequestTest, UnknownSettingsNameTheNearest) {
  const auto request = ParseStepRequest(
      R"({"id": "1", "task": "t", "workspace": "w", "limits": {"max_turn": 1}})", "stdin");
  ASSERT_TRUE(request.ok()) << request.status();
  Config config;
  const absl::Status status = ApplyStepRequest(*request, "stdin", &config);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("unknown key 'max_turn', did you mean 'max_turns'?"));
}

TEST(StepRequestTest, RunIdsAreValidAndDifferWhereIdsDo) {
  std::set<std::string> seen;
  const std::vector<std::string> ids = {"a/b",
                                        "a-b",
                                        "a.b",
                                        "A-B",
                                        "a b",
                                        std::string(500, 'x'),
                                        std::string(501, 'x'),
                                        "ä",
                                        "\n",
                                        "a-b-H",
                                        StepRequest{.id = "a/b"}.RunId().substr(5)};
  for (const std::string& id : ids) {
    const std::string run_id = StepRequest{.id = id}.RunId();
    EXPECT_THAT(run_id, MatchesRegex("step-[A-Za-z0-9-]{1,100}"));
    EXPECT_TRUE(seen.insert(run_id).second) << id;
    EXPECT_EQ(run_id, StepRequest{.id = id}.RunId());
  }
  EXPECT_EQ(StepRequest{.id = "ticket-42"}.RunId(), "step-ticket-42");
}

}  // namespace
}  // namespace stile
