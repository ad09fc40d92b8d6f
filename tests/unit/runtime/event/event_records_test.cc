#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

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

TYPED_TEST(EventRecordTest, ReadsAnythingWithoutAnError) {
  Namer namer;
  const TypeParam record;
  TypeParam::VisitFields(record, namer);
  for (const Json& value : {Json(), Json("text"), Json(-7), Json(1e300), Json::array({1, "a"}),
                            Json::object({{"a", 1}}), Json(true)}) {
    Event event{TypeParam::kEventType, 1, absl::UnixEpoch(), "r", Json::object()};
    for (const std::string& name : namer.names) event.data[name] = value;
    ReadRecord<TypeParam>(event);
  }
  const Event empty{TypeParam::kEventType, 1, absl::UnixEpoch(), "r", Json::object()};
  EXPECT_EQ(FieldsOf(ReadRecord<TypeParam>(empty)), FieldsOf(TypeParam()));
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
}

TEST(EventRecordsTest, KeepNumbersInTheirRangeAndTextsOfLists) {
  Event event{EventType::kTurnStarted, 1, absl::UnixEpoch(), "r", {{"turn", int64_t{1} << 40}}};
  EXPECT_EQ(ReadRecord<TurnStartedEvent>(event).turn, std::numeric_limits<int>::max());
  event.data["turn"] = "seven";
  EXPECT_EQ(ReadRecord<TurnStartedEvent>(event).turn, 0);
  event = {EventType::kModelRequest, 1, absl::UnixEpoch(), "r", {{"messages", -3}}};
  EXPECT_EQ(ReadRecord<ModelRequestEvent>(event).messages, 0U);
  event = {EventType::kGateRejected, 1, absl::UnixEpoch(), "r", {{"remaining", {"a", 2, "b"}}}};
  EXPECT_THAT(ReadRecord<GateRejectedEvent>(event).remaining, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace stile
