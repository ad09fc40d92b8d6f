#include "runtime/event/event.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include <set>

namespace stile {
namespace {

Json DataFor(EventType type) {
  Json data = Json::object();
  for (const char* field : RequiredEventFields(type)) data[field] = field;
  return data;
}

TEST(EventTest, EveryTypeHasANameOfItsOwnAndSurvivesTheRoundTrip) {
  std::set<std::string> names;
  for (const EventType type : AllEventTypes()) {
    EXPECT_TRUE(names.insert(std::string(EventTypeName(type))).second);
    Event event{type, 7, absl::FromUnixMillis(1'700'000'000'123), "run-1", DataFor(type)};
    const auto back = EventFromJson(ToJson(event));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(ToJson(*back), ToJson(event));
  }
  EXPECT_EQ(AllEventTypes().back(), EventType::kRunFinished);
}

TEST(EventTest, TheSchemaHasEveryTypeWithItsRequiredFields) {
  const auto schema = ParseJson(EventSchema());
  ASSERT_TRUE(schema.ok()) << schema.status();
  const Json& definitions = (*schema)["definitions"];
  EXPECT_EQ(definitions.size(), AllEventTypes().size());
  EXPECT_EQ((*schema)["oneOf"].size(), AllEventTypes().size());
  for (const EventType type : AllEventTypes()) {
    const std::string name(EventTypeName(type));
    ASSERT_TRUE(definitions.contains(name)) << name;
    const Json& definition = definitions[name];
    std::set<std::string> required = {"type"};
    required.insert(RequiredEventFields(type).begin(), RequiredEventFields(type).end());
    EXPECT_EQ(definition["required"].get<std::set<std::string>>(), required) << name;
    for (const std::string& field : required) {
      EXPECT_TRUE(definition["properties"].contains(field)) << name << " " << field;
    }
  }
}

TEST(EventTest, EventsOfOldJournalsAreReadUnderTheNewNamesOfTheirFields) {
  const auto old = ParseJson(
      R"({"type": "workflow_step_finished", "seq": 3, "time": "2026-01-01T00:00:00.000Z", "run_id": "r",
          "scope": "", "step": "a", "wave": 2, "run": 1, "input_sha256": "", "verdict": "passed",
          "output": {"root": "kept"}, "ms": 5})");
  const auto event = EventFromJson(*old);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->data["iteration"], 2);
  EXPECT_EQ(event->data["duration_ms"], 5);
  EXPECT_EQ(event->data["output"]["root"], "kept");
  EXPECT_FALSE(event->data.contains("ms"));
}

TEST(EventStreamTest, TheStartOfARunNamesTheVersionOfTheFields) {
  Json seen;
  EventStream stream("r", SystemClock());
  stream.AddSink([&](const Event& event) { seen = ToJson(event); });
  stream.Emit(EventType::kRunStarted, {{"task", "t"}, {"workspace", "/w"}});
  EXPECT_EQ(seen["schema_version"], kEventSchemaVersion);
}

TEST(EventTest, DamagedEventsAreRefused) {
  Event event{EventType::kTurnStarted, 1, absl::UnixEpoch(), "r", {{"turn", 1}}};
  for (const char* key : {"type", "seq", "time", "run_id", "turn"}) {
    Json json = ToJson(event);
    json.erase(key);
    EXPECT_FALSE(EventFromJson(json).ok()) << key;
  }
  Json json = ToJson(event);
  json["time"] = "yesterday";
  EXPECT_FALSE(EventFromJson(json).ok());
  EXPECT_FALSE(EventFromJson(Json::array()).ok());
}

TEST(EventStreamTest, NumbersEventsFromWhereItWasTold) {
  std::vector<uint64_t> seen;
  EventStream stream("r", SystemClock(), 41);
  stream.AddSink([&](const Event& event) { seen.push_back(event.seq); });
  stream.Emit(EventType::kTurnStarted, {{"turn", 1}});
  stream.Emit(EventType::kTurnStarted, {{"turn", 2}});
  EXPECT_EQ(seen, (std::vector<uint64_t>{41, 42}));
}

TEST(EventStreamTest, ASinkThatThrowsHarmsNobody) {
  int seen = 0;
  EventStream stream("r", SystemClock());
  stream.AddSink([](const Event&) { throw std::runtime_error("of somebody else"); });
  stream.AddSink([&](const Event&) { ++seen; });
  stream.Emit(EventType::kTurnStarted, {{"turn", 1}});
  stream.Emit(EventType::kTurnStarted, {{"turn", 2}});
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace stile
