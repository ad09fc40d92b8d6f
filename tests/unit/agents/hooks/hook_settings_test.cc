#include "agents/hooks/hook_settings.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/hooks/hook_protocol.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/ordered_json.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const AgentHost& HostOf(const std::string& id) { return **FindAgentHost(id); }

std::string Installed(const AgentHost& host, const std::string& text) {
  const auto result = WithHook(host, text, HookCommand(host, "/opt/my stile/bin/stile"));
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or("");
}

TEST(AgentHostTest, EveryFileOfFactsIsWhole) {
  ASSERT_THAT(AgentHosts(), Not(IsEmpty()));
  for (const AgentHost& host : AgentHosts()) {
    EXPECT_FALSE(host.name.empty()) << host.id;
    EXPECT_FALSE(host.user_file.empty() && host.project_file.empty()) << host.id;
    EXPECT_NE(host.settings.is_null(), host.file_text.empty()) << host.id;
    EXPECT_TRUE(host.refusal.is_object()) << host.id;
    EXPECT_THAT(RefusalReply(host, "WHY"), HasSubstr("WHY")) << host.id;
    EXPECT_GE(host.max_text, 1000u) << host.id;
    EXPECT_GT(host.time_limit, absl::ZeroDuration()) << host.id;
    EXPECT_THAT(host.session_keys, Not(IsEmpty())) << host.id;
    EXPECT_TRUE(host.sample.is_object()) << host.id;
  }
}

// The hook has to answer before its host stops waiting: a hook that is late counts as none.
TEST(AgentHostTest, TheTimeLimitIsBelowTheTimeoutInTheUnitOfTheHost) {
  const auto timeout_of = [](const std::string& id) {
    const std::string text = Installed(HostOf(id), "");
    const size_t stop = text.find("gate hook " + id + " stop");
    const size_t at = text.find("\"timeout\": ", stop);
    return std::stol(text.substr(at + 11));
  };
  for (const char* id : {"claude", "codex"}) {
    EXPECT_LT(absl::ToInt64Seconds(HostOf(id).time_limit), timeout_of(id)) << id;
  }
  EXPECT_LT(absl::ToInt64Milliseconds(HostOf("gemini").time_limit), timeout_of("gemini"));
  EXPECT_GE(timeout_of("gemini"), 1'000'000);  // it counts milliseconds
}

TEST(HookSettingsTest, EveryHostGetsBothCommandsAndLosesThemAgain) {
  for (const AgentHost& host : AgentHosts()) {
    const std::string text = Installed(host, "");
    const std::vector<std::string> commands = HookCommandsIn(host, text);
    ASSERT_THAT(commands, SizeIs(2)) << host.id << "\n" << text;
    EXPECT_THAT(commands, testing::Contains(EndsWith("gate hook " + host.id + " start")));
    EXPECT_THAT(commands, testing::Contains(EndsWith("gate hook " + host.id + " stop")));
    EXPECT_THAT(commands[0], HasSubstr("'/opt/my stile/bin/stile'"));
    EXPECT_EQ(Installed(host, text), text) << host.id << ": installed twice";
    const auto removed = WithoutHook(host, text);
    ASSERT_TRUE(removed.ok()) << removed.status();
    EXPECT_EQ(*removed, "") << host.id;
    EXPECT_THAT(HookCommandsIn(host, ""), IsEmpty());
  }
}

TEST(HookSettingsTest, WhatElseIsThereStaysInItsOrder) {
  const AgentHost& claude = HostOf("claude");
  const std::string before = R"({
    "model": "opus",
    "hooks": {
        "Stop": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "say done"
                    }
                ]
            }
        ],
        "PreToolUse": []
    },
    "env": {
        "A": "1"
    }
}
)";
  const std::string after = Installed(claude, before);
  EXPECT_LT(after.find("\"model\""), after.find("\"hooks\""));
  EXPECT_LT(after.find("\"hooks\""), after.find("\"env\""));
  EXPECT_LT(after.find("say done"), after.find("gate hook claude stop"));
  EXPECT_THAT(after, HasSubstr("\n    \"model\""));  // the indentation of the file
  const auto removed = WithoutHook(claude, after);
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(*removed, before);
}

TEST(HookSettingsTest, AnotherPathOfTheProgramReplacesTheHook) {
  const AgentHost& codex = HostOf("codex");
  const std::string old = *WithHook(codex, "", HookCommand(codex, "/old/stile"));
  const std::string now = *WithHook(codex, old, HookCommand(codex, "/new/stile"));
  EXPECT_THAT(now, Not(HasSubstr("/old/stile")));
  EXPECT_THAT(HookCommandsIn(codex, now), SizeIs(2));
}

TEST(HookSettingsTest, TheirEntryInTheSameGroupStays) {
  const AgentHost& claude = HostOf("claude");
  const auto removed = WithoutHook(claude, R"({"hooks": {"Stop": [{"hooks": [
      {"type": "command", "command": "stile gate hook claude stop"},
      {"type": "command", "command": "say done"}]}]}})");
  ASSERT_TRUE(removed.ok());
  EXPECT_THAT(*removed, HasSubstr("say done"));
  EXPECT_THAT(*removed, Not(HasSubstr("gate hook")));
}

TEST(HookSettingsTest, RefusesWhatItCannotKeep) {
  const AgentHost& claude = HostOf("claude");
  const std::string command = HookCommand(claude, "/x/stile");
  for (const char* text : {"{ // comment\n}", "[]", "{\"hooks\": []}",
                           "{\"hooks\": {\"Stop\": {}}}", "{\"a\": 1, \"a\": 2}", "{", "nothing"}) {
    EXPECT_EQ(WithHook(claude, text, command).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_THAT(WithHook(claude, "{\"hooks\": []}", command).status().message(),
              HasSubstr("\"hooks\" is not an object"));
}

TEST(HookSettingsTest, AProgramThatIsGoneIsNoRefusal) {
  const std::string command = HookCommand(HostOf("gemini"), "/nowhere/stile");
  EXPECT_THAT(command, HasSubstr("|| exit 1;"));
}

TEST(HookProtocolTest, ReadsWhoCallsAndWhere) {
  const auto call = ReadHookCall(
      HostOf("claude"), R"({"session_id": "s-1", "cwd": "/a", "stop_hook_active": true})", {});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->session, "s-1");
  EXPECT_EQ(call->folder, "/a");
  EXPECT_TRUE(call->is_again);
  EXPECT_FALSE(call->is_foreign);
  const auto cursor = ReadHookCall(
      HostOf("cursor"),
      R"({"conversation_id": "c", "loop_count": 2, "workspace_roots": ["/a", "/b"]})", {});
  EXPECT_EQ(cursor->session, "c");
  EXPECT_EQ(cursor->folder, "/a");
  EXPECT_TRUE(cursor->is_again);
  const auto moved = ReadHookCall(HostOf("claude"), R"({"session_id": "s-1", "cwd": "/a/sub"})",
                                  {{"CLAUDE_PROJECT_DIR", "/a"}});
  EXPECT_EQ(moved->folder, "/a");
}

TEST(HookProtocolTest, AnotherHostThatReadsTheSettingsOfClaude) {
  const auto call = ReadHookCall(
      HostOf("claude"), R"({"conversation_id": "c", "cursor_version": "2.0", "cwd": "/a"})", {});
  EXPECT_TRUE(call->is_foreign);
  const auto copilot = ReadHookCall(
      HostOf("claude"),
      R"({"hook_event_name": "Stop", "session_id": "c", "timestamp": "2026", "cwd": "/a"})", {});
  EXPECT_TRUE(copilot->is_foreign);
}

TEST(HookProtocolTest, HostileInputIsAnError) {
  for (const char* input : {"", "null", "[1]", "{", "\xff\xfe", "{\"a\":\"\xff\"}"}) {
    EXPECT_FALSE(ReadHookCall(HostOf("codex"), input, {}).ok()) << input;
  }
  const auto odd = ReadHookCall(
      HostOf("codex"), R"({"session_id": 7, "cwd": {"a": 1}, "stop_hook_active": "yes"})", {});
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->session, "");
  EXPECT_EQ(odd->folder, "");
  EXPECT_FALSE(odd->is_again);
}

// One host cuts what is longer than 10,000 characters, another one takes strict JSON only.
TEST(HookProtocolTest, ALongRefusalKeepsBothEndsAndIsJson) {
  const std::string text = absl::StrCat("BEGIN \xff\"\\\n", std::string(200'000, 'x'), " END");
  for (const AgentHost& host : AgentHosts()) {
    const auto reply = ParseOrderedJson(RefusalReply(host, text));
    ASSERT_TRUE(reply.ok()) << host.id;
    EXPECT_LT(reply->dump().size(), host.max_text + 1000) << host.id;
    EXPECT_THAT(reply->dump(), HasSubstr("BEGIN"));
    EXPECT_THAT(reply->dump(), HasSubstr("END"));
  }
  const OrderedJson codex = *ParseOrderedJson(RefusalReply(HostOf("codex"), "why"));
  EXPECT_EQ(codex, OrderedJson::parse(R"({"decision": "block", "reason": "why"})"));
  EXPECT_LE(RefusalReply(HostOf("codex"), text).size(), 10'000u);
}

}  // namespace
}  // namespace stile
