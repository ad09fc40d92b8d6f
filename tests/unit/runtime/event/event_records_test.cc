#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <type_traits>

#include "runtime/event/flow_events.h"
#include "runtime/event/loop_events.h"

namespace stile {
namespace {

using ::testing::ElementsAre;

template <typename T>
class EventRecordTest : public ::testing::Test {};

using Records = ::testing::Types<
    TurnStartedEvent, ModelRequestEvent, ModelDeltaEvent, ModelNoticeEvent, ModelResponseEvent,
    ToolStartedEvent, ToolOutputEvent, ToolFinishedEvent, WorkspaceChangedEvent,
    ValidationStartedEvent, ValidationFinishedEvent, GateRejectedEvent, GateAcceptedEvent,
    BudgetWarningEvent, RepetitionWarningEvent, ContextCompactedEvent, ObservationEvent,
    AgentStartedEvent, AgentFinishedEvent, EditsStartedEvent, EditsFinishedEvent,
    ProgramStartedEvent, ProgramFinishedEvent, LogEvent, StoryStartedEvent, StepStartedEvent,
    StoryFinishedEvent, WorkflowStartedEvent, WorkflowStepStartedEvent, WorkflowStepSkippedEvent,
    WorkflowJumpedEvent, WorkflowFinishedEvent, RoundStartEvent, RoundCompleteEvent,
    IssueRaisedEvent, IssueResolvedEvent, ConvergenceCheckEvent, ErrorEvent>;
TYPED_TEST_SUITE(EventRecordTest, Records);

// Names the fields, whatever their types.
struct Namer {
  template <typename T>
  void operator()(const char* name, const T&) {
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  std::set<std::string> names;
};

TYPED_TEST(EventRecordTest, HasTheRequiredFields) {
  const Json fields = FieldsOf(TypeParam());
  for (const char* name : RequiredEventFields(TypeParam::kEventType)) {
    EXPECT_TRUE(fields.contains(name)) << name;
  }
}

TYPED_TEST(EventRecordTest, IsDescribedByTheSchema) {
  const auto schema = ParseJson(EventSchema());
  ASSERT_TRUE(schema.ok()) << schema.status();
  const std::string type(EventTypeName(TypeParam::kEventType));
  const Json& properties = (*schema)["definitions"][type]["properties"];
  Namer namer;
  const TypeParam record;
  TypeParam::VisitFields(record, namer);
  for (const std::string& name : namer.names) {
    EXPECT_TRUE(properties.contains(name)) << type << " " << name;
  }
}

// Whether each kind of member takes a value: what does not keeps the value that it has.
struct Taker {
  template <typename T>
  void operator()(const char*, const T&) {
    takes_texts |= std::is_same_v<T, std::string>;
    takes_objects |= std::is_same_v<T, Json> || std::is_same_v<T, std::optional<Json>>;
  }
  bool takes_texts = false;
  bool takes_objects = false;
};

TYPED_TEST(EventRecordTest, KeepsItsValuesWhereFieldsHaveOtherTypes) {
  Namer namer;
  Taker taker;
  const TypeParam record;
  TypeParam::VisitFields(record, namer);
  TypeParam::VisitFields(record, taker);
  const auto read = [&](const Json& value) {
    Event event{TypeParam::kEventType, 1, absl::UnixEpoch(), "r", Json::object()};
    for (const std::string& name : namer.names) event.data[name] = value;
    return FieldsOf(ReadRecord<TypeParam>(event));
  };
  const Json empty = FieldsOf(record);
  if (!taker.takes_objects) {
    EXPECT_EQ(read(Json::object({{"a", 1}})), empty);
    EXPECT_EQ(read(Json()), empty);
    EXPECT_EQ(read(Json(1.5)), empty);
    if (!taker.takes_texts) {
      EXPECT_EQ(read("text"), empty);
    }
  }
  const Event none{TypeParam::kEventType, 1, absl::UnixEpoch(), "r", Json::object()};
  EXPECT_EQ(FieldsOf(ReadRecord<TypeParam>(none)), empty);
}

TEST(EventRecordsTest, AreWrittenAndReadUnderTheirNames) {
  const IssueRaisedEvent raised{.issue_id = "I1", .severity = "high", .raised_by = "critic"};
  const Json fields = FieldsOf(raised);
  EXPECT_EQ(fields["issueId"], "I1");
  EXPECT_EQ(fields["raisedBy"], "critic");
  const Event event{EventType::kIssueRaised, 1, absl::UnixEpoch(), "r", fields};
  EXPECT_EQ(ReadRecord<IssueRaisedEvent>(event).issue_id, "I1");
  EXPECT_EQ(FieldsOf(ReadRecord<IssueRaisedEvent>(event)), fields);
}

TEST(EventRecordsTest, LeaveOptionalFieldsOut) {
  EXPECT_FALSE(FieldsOf(LogEvent{.text = "a"}).contains("step"));
  EXPECT_EQ(FieldsOf(LogEvent{.text = "a", .step = 2})["step"], 2);
  const Event event{EventType::kLog, 1, absl::UnixEpoch(), "r", {{"text", "a"}, {"step", 2}}};
  EXPECT_EQ(ReadRecord<LogEvent>(event).step, 2U);
  EXPECT_EQ(ReadRecord<LogEvent>(event).fallback, std::nullopt);
  const Event wrong{EventType::kLog, 1, absl::UnixEpoch(), "r", {{"text", "a"}, {"step", "x"}}};
  EXPECT_EQ(ReadRecord<LogEvent>(wrong).step, std::nullopt);
}

TEST(EventRecordsTest, KeepNumbersInTheirRangeAndTextsOfLists) {
  Event event{EventType::kTurnStarted, 1, absl::UnixEpoch(), "r", {{"turn", int64_t{1} << 40}}};
  EXPECT_EQ(ReadRecord<TurnStartedEvent>(event).turn, std::numeric_limits<int>::max());
  event.data["turn"] = "seven";
  EXPECT_EQ(ReadRecord<TurnStartedEvent>(event).turn, 0);
  event = {EventType::kModelRequest, 1, absl::UnixEpoch(), "r", {{"messages", -3}}};
  EXPECT_EQ(ReadRecord<ModelRequestEvent>(event).messages, 0U);
  event.data["messages"] = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(ReadRecord<ModelRequestEvent>(event).messages, std::numeric_limits<size_t>::max());
  event = {EventType::kTurnStarted, 1, absl::UnixEpoch(), "r", {{"turn", UINT64_MAX}}};
  EXPECT_EQ(ReadRecord<TurnStartedEvent>(event).turn, std::numeric_limits<int>::max());
  event = {EventType::kGateRejected, 1, absl::UnixEpoch(), "r", {{"remaining", {"a", 2, "b"}}}};
  EXPECT_THAT(ReadRecord<GateRejectedEvent>(event).remaining, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace stile
