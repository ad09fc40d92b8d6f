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
    const auto commands = HookCommandsIn(host, text);
    ASSERT_TRUE(commands.ok()) << commands.status();
    std::vector<std::string> events;
    for (const HookCommandParts& parts : *commands) {
      events.push_back(parts.event);
      EXPECT_EQ(parts.program, "/opt/my stile/bin/stile");
    }
    EXPECT_THAT(events, testing::UnorderedElementsAre("start", "stop")) << host.id << "\n" << text;
    EXPECT_EQ(Installed(host, text), text) << host.id << ": installed twice";
    const auto removed = WithoutHook(host, text);
    ASSERT_TRUE(removed.ok()) << removed.status();
    // A file that is not named after Stile may have been there before, and stays.
    const bool is_own_file = absl::StrContains(host.user_file, "/stile");
    EXPECT_EQ(removed->empty(), is_own_file) << host.id << "\n" << *removed;
    EXPECT_THAT(*removed, Not(HasSubstr("gate hook")));
    EXPECT_THAT(*HookCommandsIn(host, ""), IsEmpty());
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

TEST(HookSettingsTest, IndentationAndLineEndsStay) {
  const AgentHost& claude = HostOf("claude");
  for (const std::string before :
       {"{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n", "{\"a\":1}", "{\"a\":1}\n",
        "{\r\n  \"a\": 1\r\n}\r\n", "{\n   \"a\": 1.10\n}\n"}) {
    const auto after = WithHook(claude, before, HookCommand(claude, "/s"));
    if (absl::StrContains(before, "1.10")) {  // it would become 1.1
      EXPECT_EQ(after.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    ASSERT_TRUE(after.ok()) << after.status();
    const auto removed = WithoutHook(claude, *after);
    ASSERT_TRUE(removed.ok()) << removed.status();
    EXPECT_EQ(*removed, before);
  }
}

TEST(HookSettingsTest, AnIndentationOfAnyWidthIsTaken) {
  const AgentHost& claude = HostOf("claude");
  const std::string before = "{\n" + std::string(30'000, ' ') + "\"a\": 1\n}\n";
  const auto after = WithHook(claude, before, HookCommand(claude, "/s"));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_TRUE(ParseOrderedJson(*after).ok());
  EXPECT_LT(after->size(), 10'000u);
}

TEST(HookSettingsTest, NumbersThatWouldBeRewrittenAreRefused) {
  const AgentHost& claude = HostOf("claude");
  for (const char* number : {"123456789012345678901234567890", "1e400", "1.10", "1E2", "-0.0"}) {
    const std::string text = absl::StrCat("{\"a\": ", number, "}");
    const auto after = WithHook(claude, text, HookCommand(claude, "/s"));
    if (!after.ok()) continue;
    EXPECT_THAT(*after, HasSubstr(absl::StrCat(":", number)));
  }
  EXPECT_FALSE(WithHook(claude, "{\"a\": 123456789012345678901234567890}", "x").ok());
}

// Who tries a hook runs its command: a repository must not be able to choose more than the program.
TEST(HookSettingsTest, CommandsWithAnythingElseInThemAreNotOfStile) {
  const AgentHost& claude = HostOf("claude");
  const std::string own = HookCommand(claude, "/s") + "stop";
  const auto settings = [](const std::string& event, const std::string& command) {
    return OrderedJson{{"hooks", {{event, {{{"hooks", {{{"command", command}}}}}}}}}}.dump();
  };
  EXPECT_THAT(*HookCommandsIn(claude, settings("Stop", own)), SizeIs(1));
  EXPECT_THAT(*HookCommandsIn(claude, settings("PreToolUse", own)), IsEmpty());
  EXPECT_THAT(*HookCommandsIn(claude, settings("UserPromptSubmit", own)), IsEmpty());
  for (const std::string& command : std::vector<std::string>{
           own + " >/dev/null", "x; " + own,
           "[ -x /s ] || exit 1; exec /s; evil gate hook claude stop",
           "[ -x $(evil) ] || exit 1; exec $(evil) gate hook claude stop",
           "[ -x '/s' ] || exit 1; exec '/t' gate hook claude stop",
           "[ -x '/s' ] || exit 1; evil; exec '/s' gate hook claude stop",
           "[ -x '/s'$(evil) ] || exit 1; exec '/s'$(evil) gate hook claude stop"}) {
    EXPECT_THAT(*HookCommandsIn(claude, settings("Stop", command)), IsEmpty()) << command;
  }
  EXPECT_FALSE(HookCommandsIn(claude, "{ // mine\n}").ok());
}

TEST(HookSettingsTest, AFileOfAPersonIsLeftAlone) {
  const AgentHost& opencode = HostOf("opencode");
  const std::string theirs = "// mine\nexport const X = \"stile gate hook opencode stop\";\n";
  EXPECT_FALSE(WithHook(opencode, theirs, "x").ok());
  EXPECT_FALSE(WithoutHook(opencode, theirs).ok());
}

TEST(HookSettingsTest, AnotherPathOfTheProgramReplacesTheHook) {
  const AgentHost& codex = HostOf("codex");
  const std::string old = *WithHook(codex, "", HookCommand(codex, "/old/stile"));
  const std::string now = *WithHook(codex, old, HookCommand(codex, "/new/stile"));
  EXPECT_THAT(now, Not(HasSubstr("/old/stile")));
  EXPECT_THAT(*HookCommandsIn(codex, now), SizeIs(2));
}

TEST(HookSettingsTest, TheirEntryInTheSameGroupStays) {
  const AgentHost& claude = HostOf("claude");
  const std::string own = HookCommand(claude, "/s") + "stop";
  const auto removed = WithoutHook(claude, absl::StrCat(R"({"hooks": {"Stop": [{"hooks": [
      {"type": "command", "command": ")",
                                                        own, R"("},
      {"type": "command", "command": "say done"},
      {"type": "command", "command": "nice stile gate hook claude stop"}]}]},
      "env": {"NOTE": "see: stile gate hook claude stop", "command": "a gate hook claude stop"}})"));
  ASSERT_TRUE(removed.ok());
  EXPECT_THAT(*removed, HasSubstr("say done"));
  EXPECT_THAT(*removed, HasSubstr("nice stile gate hook"));
  EXPECT_THAT(*removed, HasSubstr("NOTE"));
  EXPECT_THAT(*removed, Not(HasSubstr("exit 1")));
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
  EXPECT_THAT(call->folders, ElementsAre("/a"));
  EXPECT_TRUE(call->is_again);
  EXPECT_FALSE(call->is_foreign);
  const auto cursor = ReadHookCall(
      HostOf("cursor"),
      R"({"conversation_id": "c", "loop_count": 2, "workspace_roots": ["/a", "/b"]})", {});
  EXPECT_EQ(cursor->session, "c");
  EXPECT_THAT(cursor->folders, ElementsAre("/a", "/b"));
  EXPECT_TRUE(cursor->is_again);
  const auto moved = ReadHookCall(HostOf("claude"), R"({"session_id": "s-1", "cwd": "/a/sub"})",
                                  {{"CLAUDE_PROJECT_DIR", "/a"}});
  EXPECT_THAT(moved->folders, ElementsAre("/a"));
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

TEST(HookProtocolTest, HalfAPairOfSurrogatesIsNoError) {
  const auto call = ReadHookCall(
      HostOf("claude"),
      R"({"session_id": "s", "cwd": "/a\\ud83d", "last": "\ud83d x \ude00 \ud83d\ude00 \\ud83d"})",
      {});
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_THAT(call->folders, ElementsAre("/a\\ud83d"));
}

TEST(HookProtocolTest, HostileInputIsAnError) {
  for (const char* input : {"", "null", "[1]", "{", "\xff\xfe", "{\"a\":\"\xff\"}"}) {
    EXPECT_FALSE(ReadHookCall(HostOf("codex"), input, {}).ok()) << input;
  }
  const auto odd = ReadHookCall(
      HostOf("codex"), R"({"session_id": 7, "cwd": {"a": 1}, "stop_hook_active": "yes"})", {});
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->session, "");
  EXPECT_THAT(odd->folders, IsEmpty());
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
