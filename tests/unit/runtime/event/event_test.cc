#include "runtime/event/event.h"

#include <gtest/gtest.h>

#include <set>

namespace stile {
namespace {

Json DataFor(EventType type) {
  Json data = Json::object();
  for (const std::string& field : RequiredEventFields(type)) data[field] = field;
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

}  // namespace
}  // namespace stile
