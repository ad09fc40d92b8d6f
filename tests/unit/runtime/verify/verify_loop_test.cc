#include "runtime/verify/verify_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "runtime/verify/verify_prompt.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_model.h"

namespace stile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kVerifierPrompt[] =
    "---\nname: v\nholes: [round, max_rounds, requirements, target_files, files, other_files, "
    "previous_rounds, rejected, issues]\n---\n{{round}}/{{max_rounds}} {{requirements}}\n"
    "{{target_files}}\n{{files}}\nothers: {{other_files}}\n{{previous_rounds}}\nrejected: "
    "{{rejected}}\nissues: {{issues}}\n";
constexpr char kCriticPrompt[] =
    "---\nname: c\nholes: [round, max_rounds, requirements, files, other_files, previous_rounds, "
    "rejected, issues, open_issues]\n---\n{{round}}/{{max_rounds}} {{requirements}}\n{{files}}\n"
    "{{other_files}}\n{{previous_rounds}}\nrejected: {{rejected}}\nissues: {{issues}}\n"
    "judge: {{open_issues}}\n";

constexpr char kCode[] =
    "import os\n"
    "def remove(name):\n"
    "    os.system('rm ' + name)\n";

Json Issue(const std::string& id, const std::string& severity,
           const std::string& evidence = "os.system('rm ' + name)") {
  const std::string category = id.substr(0, 3) == "SEC" ? "SECURITY" : "CORRECTNESS";
  return {{"id", id},
          {"category", category},
          {"severity", severity},
          {"summary", id},
          {"location", "a.py:3"},
          {"description", "D"},
          {"evidence", evidence}};
}

Json AllExamined(const std::vector<std::string>& files = {"a.py"}) {
  Json examined = Json::array();
  for (const IssueCategory category : kIssueCategories) {
    examined.push_back(
        {{"category", std::string(IssueCategoryName(category))}, {"files", files}, {"notes", "n"}});
  }
  return examined;
}

ModelReply Verifier(Json issues, Json examined = AllExamined(), Json more = Json::object()) {
  more["issues"] = std::move(issues);
  more["examined"] = std::move(examined);
  return TextReply(DumpJson(more));
}

ModelReply Critic(const std::string& id, const std::string& verdict, Json more = Json::object()) {
  Json judged = {{"issueId", id}, {"verdict", verdict}, {"reasoning", "because"}};
  judged.update(more);
  return TextReply(DumpJson({{"verdicts", Json::array({judged})}}));
}

constexpr char kHidden[] = "hidden";  // content of a file that cannot be shown

class VerifyLoopTest : public testing::Test {
 protected:
  VerifyLoopTest()
      : verifier_(PromptTemplate::Parse(kVerifierPrompt, "v").value()),
        critic_(PromptTemplate::Parse(kCriticPrompt, "c").value()),
        events_("run", &clock_) {
    files_["a.py"] = kCode;
    state_.id = "run";
    state_.files.push_back({"a.py", "", false, {}});
    events_.AddSink([this](const Event& event) {
      types_.emplace_back(EventTypeName(event.type));
      all_.push_back(event);
    });
  }

  VerifyEnd Run(std::vector<ModelReply> replies) {
    model_ = std::make_unique<ScriptedModel>(std::move(replies));
    VerifyParts parts;
    parts.model = model_.get();
    parts.verifier = &verifier_;
    parts.critic = &critic_;
    parts.code = Code();
    parts.keep = [this](const VerifyState& state) {
      kept_.push_back(ToJson(state));
      return keep_status_;
    };
    parts.events = &events_;
    parts.clock = &clock_;
    parts.cancellation = &cancellation_;
    parts.limits = limits_;
    return VerifyLoop(std::move(parts), &state_).Run();
  }

  ReviewedCode Code() {
    ReviewedCode code;
    code.read = [this](const std::string& path) -> absl::StatusOr<std::string> {
      const auto found = files_.find(path);
      if (found == files_.end()) return absl::NotFoundError("there is no file " + path);
      if (found->second == kHidden) return absl::FailedPreconditionError(path + " is hidden");
      return found->second;
    };
    code.list = [this] {
      std::vector<std::string> paths;
      for (const auto& [path, text] : files_) paths.push_back(path);
      return paths;
    };
    return code;
  }

  std::string Prompt(size_t request) const {
    return model_->requests().at(request).messages.front().text;
  }

  const PromptTemplate verifier_;
  const PromptTemplate critic_;
  FakeClock clock_;
  EventStream events_;
  Cancellation cancellation_;
  RunLimits limits_;
  std::map<std::string, std::string> files_;
  VerifyState state_;
  std::unique_ptr<ScriptedModel> model_;
  absl::Status keep_status_;
  std::vector<Json> kept_;
  std::vector<std::string> types_;
  std::vector<Event> all_;
};

TEST_F(VerifyLoopTest, TwoRoundsWithoutAnIssueConverge) {
  const VerifyEnd end = Run({Verifier(Json::array()), Verifier(Json::array())});
  EXPECT_EQ(end.reason, StopReason::kNone);
  EXPECT_EQ(state_.status, VerifyStatus::kConverged);
  EXPECT_EQ(state_.round, 2);
  EXPECT_THAT(types_, ElementsAre("round_start", "round_complete", "convergence_check",
                                  "round_start", "round_complete", "convergence_check"));
  EXPECT_THAT(Prompt(0), HasSubstr("   3 |     os.system('rm ' + name)"));
  EXPECT_EQ(model_->requests()[0].max_output_tokens, 4000);
  EXPECT_THAT(kept_, SizeIs(2));
}

TEST_F(VerifyLoopTest, ARefutedIssueIsResolvedAndTheSessionConverges) {
  const VerifyEnd end = Run({Verifier({Issue("SEC-01", "CRITICAL")}), Critic("SEC-01", "INVALID"),
                             Verifier(Json::array()), Verifier(Json::array())});
  EXPECT_EQ(end.reason, StopReason::kNone) << end.message;
  EXPECT_EQ(state_.round, 3);
  const VerifyIssue& issue = state_.issues.at(0);
  EXPECT_EQ(issue.status, IssueStatus::kResolved);
  EXPECT_EQ(issue.resolution, "False positive: because");
  EXPECT_EQ(issue.resolved_in_round, 1);
  EXPECT_THAT(types_, Contains("issue_raised"));
  EXPECT_THAT(types_, Contains("issue_resolved"));
  const Json result = ResultOf(state_);
  EXPECT_EQ(result["issues"], Json({{"total", 1}, {"critical", 1}, {"high", 0}, {"resolved", 1}}));
  EXPECT_THAT(result["consolidatedPlan"]["wontFix"], SizeIs(1));
  EXPECT_EQ(result["consolidatedPlan"]["totalEffort"], "Low");
}

TEST_F(VerifyLoopTest, AValidCriticalIssueNeverConverges) {
  const VerifyEnd end = Run({Verifier({Issue("SEC-01", "CRITICAL")}), Critic("SEC-01", "VALID"),
                             Verifier(Json::array()), Verifier(Json::array())});
  EXPECT_EQ(end.reason, StopReason::kNotConverged);
  EXPECT_EQ(state_.status, VerifyStatus::kStopped);
  EXPECT_THAT(end.message,
              HasSubstr("Verifier and critic agree: 1 critical or high issue is open"));
  EXPECT_EQ(state_.issues[0].status, IssueStatus::kUnresolved);
  EXPECT_THAT(ResultOf(state_)["consolidatedPlan"]["mustFix"], SizeIs(1));
}

TEST_F(VerifyLoopTest, ListingAValidIssueAsWithdrawnDoesNotCloseIt) {
  Run({Verifier({Issue("SEC-01", "HIGH")}), Critic("SEC-01", "VALID"),
       Verifier(Json::array(), AllExamined(),
                {{"withdrawn", {{{"issueId", "SEC-01"}, {"reasoning", "never mind"}}}}}),
       Verifier(Json::array())});
  EXPECT_TRUE(state_.issues[0].is_active());
  EXPECT_THAT(state_.rounds[2].rejected,
              ElementsAre("SEC-01 was found valid, and cannot be withdrawn"));
}

TEST_F(VerifyLoopTest, AChallengedIssueCanBeWithdrawn) {
  const VerifyEnd end =
      Run({Verifier({Issue("SEC-01", "HIGH")}), Critic("SEC-01", "PARTIAL", {{"severity", "LOW"}}),
           Verifier(Json::array(), AllExamined(),
                    {{"withdrawn", {{{"issueId", "SEC-01"}, {"reasoning", "no harm"}}}}}),
           Verifier(Json::array())});
  EXPECT_EQ(end.reason, StopReason::kNone) << end.message;
  const VerifyIssue& issue = state_.issues[0];
  EXPECT_EQ(issue.severity, IssueSeverity::kLow);
  EXPECT_EQ(issue.resolution, "Withdrawn: no harm");
  ASSERT_THAT(issue.transitions, SizeIs(3));
  EXPECT_EQ(issue.transitions[0].reason, "Severity HIGH becomes LOW: because");
  EXPECT_EQ(issue.transitions[1].to, IssueStatus::kChallenged);
  EXPECT_EQ(issue.transitions[2].by, "verifier");
}

TEST_F(VerifyLoopTest, WithoutAnExaminationOfAllItGoesOnToTheLastRound) {
  state_.options.max_rounds = 3;
  Json four = AllExamined();
  four.erase(4);
  const VerifyEnd end = Run({Verifier(Json::array(), four), Verifier(Json::array(), four),
                             Verifier(Json::array(), four)});
  EXPECT_EQ(end.reason, StopReason::kNotConverged);
  EXPECT_THAT(end.message,
              HasSubstr("Max rounds (3) reached: the verifier has not examined a.py for PERF"));
}

TEST_F(VerifyLoopTest, StopsOnACriticalIssueIfItIsToldTo) {
  state_.options.stop_on_critical = true;
  const VerifyEnd end = Run({Verifier({Issue("SEC-01", "CRITICAL")})});
  EXPECT_EQ(end.message, "Stopped: 1 CRITICAL issue found");
  EXPECT_EQ(state_.round, 1);
  // It goes on with the critic.
  state_.options.stop_on_critical = false;
  const VerifyEnd rest =
      Run({Critic("SEC-01", "INVALID"), Verifier(Json::array()), Verifier(Json::array())});
  EXPECT_EQ(rest.reason, StopReason::kNone) << rest.message;
}

TEST_F(VerifyLoopTest, WhatHasNoEvidenceIsNotTaken) {
  Run({Verifier({Issue("SEC-01", "HIGH", "subprocess.run(name)"),
                 [] {
                   Json issue = Issue("COR-01", "HIGH");
                   issue["location"] = "gone.py:1";
                   return issue;
                 }()}),
       Verifier(Json::array())});
  EXPECT_THAT(state_.issues, IsEmpty());
  EXPECT_THAT(state_.rounds[0].rejected, ElementsAre("SEC-01: 0 of 1 quoted line are in a.py",
                                                     "COR-01: there is no file gone.py"));
  EXPECT_THAT(Prompt(1), HasSubstr("rejected: - SEC-01: 0 of 1 quoted line"));
}

TEST_F(VerifyLoopTest, IdsThatAreTakenOrWrongAreReplacedAndRepeatsAreNotTaken) {
  Json second = Issue("SEC-01", "LOW", "def remove(name):");
  second["summary"] = "another";
  second["location"] = "a.py:2";
  Json third = Issue("COR-01", "LOW", "import os");
  third["id"] = "SEC-7";
  third["location"] = "a.py:1";
  Run({Verifier({Issue("SEC-01", "LOW"), second, third, Issue("SEC-01", "LOW")}),
       TextReply(DumpJson({{"verdicts",
                            {{{"issueId", "SEC-01"}, {"verdict", "INVALID"}, {"reasoning", "r"}},
                             {{"issueId", "SEC-99"}, {"verdict", "VALID"}, {"reasoning", "r"}},
                             {{"issueId", "SEC-01"}, {"verdict", "VALID"}, {"reasoning", "r"}}}}})),
       // A refuted issue is not raised again.
       Verifier({Issue("SEC-01", "LOW")})});
  ASSERT_THAT(state_.issues, SizeIs(3));
  EXPECT_EQ(state_.issues[1].id, "SEC-02");
  EXPECT_EQ(state_.issues[2].id, "COR-01");
  EXPECT_THAT(state_.rounds[0].rejected, ElementsAre("SEC-01: was raised before as SEC-01"));
  EXPECT_THAT(state_.rounds[1].rejected,
              ElementsAre("a verdict on SEC-99: there is no such issue",
                          "a verdict on SEC-01: it is closed: False positive: r"));
  EXPECT_THAT(state_.rounds[2].rejected,
              ElementsAre("SEC-01: is closed as SEC-01: False positive: r"));
}

TEST_F(VerifyLoopTest, IssuesAreMergedAndSplit) {
  Json other = Issue("COR-01", "HIGH", "def remove(name):");
  other["location"] = "a.py:2";
  Json part = Issue("SEC-05", "HIGH", "import os");
  part["location"] = "a.py:1";
  part["splitFrom"] = "SEC-01";
  Run({Verifier({Issue("SEC-01", "HIGH"), other}),
       TextReply(DumpJson({{"verdicts",
                            {{{"issueId", "COR-01"},
                              {"verdict", "VALID"},
                              {"reasoning", "same"},
                              {"mergeInto", "SEC-01"}}}},
                           {"newIssues", {part}}}))});
  EXPECT_EQ(state_.issues[0].status, IssueStatus::kSplit);
  EXPECT_EQ(state_.issues[0].resolution, "Split into SEC-05");
  EXPECT_EQ(state_.issues[1].status, IssueStatus::kMerged);
  EXPECT_TRUE(state_.issues[2].is_discovered_during_debate);
  EXPECT_TRUE(state_.issues[2].is_agreed());
}

TEST_F(VerifyLoopTest, MergingAndSplittingHideNothing) {
  Json mild = Issue("COR-01", "LOW", "def remove(name):");
  mild["location"] = "a.py:2";
  Json part = Issue("COR-05", "LOW", "import os");
  part["location"] = "a.py:1";
  part["splitFrom"] = "COR-01";
  state_.options.max_rounds = 2;
  const VerifyEnd end = Run({Verifier({Issue("SEC-01", "CRITICAL"), mild}),
                             TextReply(DumpJson({{"verdicts",
                                                  {{{"issueId", "SEC-01"},
                                                    {"verdict", "VALID"},
                                                    {"reasoning", "same"},
                                                    {"mergeInto", "COR-01"}}}},
                                                 {"newIssues", {part}}})),
                             Verifier(Json::array()), Critic("COR-01", "INVALID")});
  EXPECT_EQ(end.reason, StopReason::kNotConverged);
  // The worst severity of both; a milder part does not close it.
  EXPECT_EQ(state_.issues[1].severity, IssueSeverity::kCritical);
  EXPECT_THAT(state_.rounds[1].rejected,
              ElementsAre("COR-01 stays open: COR-05 is less severe, or in another file"));
  EXPECT_TRUE(state_.issues[1].is_active());
}

TEST_F(VerifyLoopTest, WhatWasMergedIntoARefutedIssueIsOpenAgain) {
  Json other = Issue("COR-01", "LOW", "def remove(name):");
  other["location"] = "a.py:2";
  state_.options.max_rounds = 2;
  Run({Verifier({Issue("SEC-01", "HIGH"), other}),
       Critic("SEC-01", "PARTIAL", {{"mergeInto", "COR-01"}}), Verifier(Json::array()),
       Critic("COR-01", "INVALID")});
  EXPECT_EQ(state_.issues[1].status, IssueStatus::kResolved);
  EXPECT_TRUE(state_.issues[0].is_active());
  EXPECT_EQ(state_.issues[0].merged_into, "");
}

TEST_F(VerifyLoopTest, FilesThatAreAskedForAreShownInTheNextRound) {
  files_["b.py"] = "def helper():\n    return 1\n";
  Run({Verifier(Json::array(), AllExamined(), {{"needs", {"b.py", "../secret", "c.py"}}}),
       Verifier(Json::array())});
  EXPECT_THAT(Prompt(0), Not(HasSubstr("### b.py")));
  EXPECT_THAT(Prompt(1), HasSubstr("### b.py (2 lines)"));
  EXPECT_TRUE(state_.rounds[0].context_expanded);
  EXPECT_THAT(state_.rounds[0].new_files_discovered, ElementsAre("b.py"));
  EXPECT_THAT(state_.rounds[0].rejected, SizeIs(2));
  EXPECT_THAT(state_.rounds[1].context, ElementsAre("b.py", "a.py"));
  // Only targets have to be examined.
  EXPECT_EQ(state_.status, VerifyStatus::kConverged);
}

TEST_F(VerifyLoopTest, ChangedCodeHasToBeExaminedAgain) {
  state_.options.max_rounds = 2;
  Run({Verifier(Json::array()), Verifier(Json::array(), Json::array())});
  EXPECT_EQ(state_.status, VerifyStatus::kConverged);
  files_["a.py"] = "import os\n";
  state_.options.max_rounds = 3;
  Run({Verifier(Json::array(), Json::array())});
  EXPECT_THAT(state_.convergence_reason, HasSubstr("has not examined a.py"));
}

TEST_F(VerifyLoopTest, LargeTargetsAreShownInParts) {
  state_.files.clear();
  for (const char* name : {"a.py", "b.py", "c.py"}) {
    files_[name] = std::string(150'000, 'x') + "\n";
    state_.files.push_back({name, "", false, {}});
  }
  state_.options.max_rounds = 4;
  Run({Verifier(Json::array(), AllExamined({"a.py", "b.py"})),
       Verifier(Json::array(), AllExamined({"b.py"})),
       Verifier(Json::array(), AllExamined({"c.py"}))});
  EXPECT_THAT(state_.rounds[0].context, ElementsAre("a.py"));
  EXPECT_THAT(Prompt(0), HasSubstr("others: - b.py\n- c.py"));
  // What was not shown cannot have been examined.
  EXPECT_THAT(state_.rounds[0].rejected, SizeIs(5));
  EXPECT_THAT(state_.rounds[1].context, ElementsAre("b.py"));
  EXPECT_THAT(state_.rounds[2].context, ElementsAre("c.py"));
  EXPECT_EQ(state_.status, VerifyStatus::kConverged);
}

TEST_F(VerifyLoopTest, AReplyThatCannotBeReadIsAskedForAgainOnce) {
  const VerifyEnd end =
      Run({TextReply("I like it."), Verifier(Json::array()), Verifier(Json::array())});
  EXPECT_EQ(end.reason, StopReason::kNone) << end.message;
  const std::vector<Message>& again = model_->requests()[1].messages;
  ASSERT_THAT(again, SizeIs(3));
  EXPECT_THAT(again[2].text, HasSubstr("This reply cannot be used: there is no JSON object"));
  EXPECT_EQ(state_.replies, 3);
}

TEST_F(VerifyLoopTest, TwoSuchRepliesEndTheSessionAndItCanGoOn) {
  ModelReply cut = TextReply("{\"issues\": [");
  cut.finish_reason = FinishReason::kLength;
  const VerifyEnd end = Run({TextReply("I like it."), cut});
  EXPECT_EQ(end.reason, StopReason::kUnparsable);
  EXPECT_EQ(state_.status, VerifyStatus::kError);
  EXPECT_THAT(end.message, HasSubstr("--reply-tokens"));
  EXPECT_THAT(types_, Contains("error"));
  EXPECT_EQ(state_.round, 0);
  EXPECT_EQ(Run({Verifier(Json::array()), Verifier(Json::array())}).reason, StopReason::kNone);
}

TEST_F(VerifyLoopTest, ErrorsOfTheModelAndOfTheDiskEndIt) {
  EXPECT_EQ(Run({}).reason, StopReason::kModelError);
  EXPECT_EQ(state_.status, VerifyStatus::kError);
  keep_status_ = absl::ResourceExhaustedError("disk full");
  EXPECT_EQ(Run({Verifier(Json::array())}).reason, StopReason::kInternal);
  EXPECT_EQ(state_.error, "disk full");
}

TEST_F(VerifyLoopTest, LimitsAndCancellationEndIt) {
  limits_.tokens = 20;
  const VerifyEnd end = Run({Verifier(Json::array(), Json::array()),
                             Verifier(Json::array(), Json::array()), Verifier(Json::array())});
  EXPECT_EQ(end.reason, StopReason::kTokenBudget);
  EXPECT_EQ(state_.status, VerifyStatus::kStopped);
  EXPECT_EQ(state_.round, 2);
  limits_.tokens = 0;
  cancellation_.Cancel();
  EXPECT_EQ(Run({Verifier(Json::array())}).reason, StopReason::kCancelled);
  EXPECT_EQ(state_.status, VerifyStatus::kRunning);
  EXPECT_EQ(state_.round, 2);
}

TEST_F(VerifyLoopTest, TheStateSurvivesItsJson) {
  files_["b.py"] = "x = 1\n";
  Run({Verifier({Issue("SEC-01", "HIGH")}, AllExamined(), {{"needs", {"b.py"}}}),
       Critic("SEC-01", "PARTIAL"), Verifier(Json::array())});
  const Json json = ToJson(state_);
  const auto again = VerifyStateFromJson(ParseJson(DumpJson(json)).value());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ToJson(*again), json);
  for (const char* key : {"sessionId", "options", "files", "issues", "rounds", "status", "usage"}) {
    Json damaged = json;
    damaged[key] = 7;
    EXPECT_TRUE(absl::IsDataLoss(VerifyStateFromJson(damaged).status())) << key;
  }
}

TEST_F(VerifyLoopTest, AgreedIssuesCloseWhenTheirCodeIsGone) {
  Json other = Issue("COR-01", "LOW", "def remove(name):");
  other["location"] = "a.py:2";
  Run({Verifier({Issue("SEC-01", "HIGH"), other}), Critic("SEC-01", "VALID")});
  EXPECT_FALSE(HasChanged(Code(), state_));
  EXPECT_THAT(CloseMended(Code(), "run 1", &state_), IsEmpty());
  files_["a.py"] = "import os\n";
  EXPECT_TRUE(HasChanged(Code(), state_));
  EXPECT_THAT(CloseMended(Code(), "run 1", &state_), ElementsAre("SEC-01"));
  EXPECT_EQ(state_.issues[0].resolution, "The quoted code has changed, and run 1 passed");
  // Nobody has agreed to this one.
  EXPECT_TRUE(state_.issues[1].is_active());
  // The code is back.
  files_["a.py"] = kCode;
  EXPECT_TRUE(HasChanged(Code(), state_));
  EXPECT_THAT(ReopenReturned(Code(), &state_), ElementsAre("SEC-01"));
  EXPECT_TRUE(state_.issues[0].is_active());
}

TEST_F(VerifyLoopTest, CodeThatHidesOrMovesIsNotMended) {
  Run({Verifier({Issue("SEC-01", "HIGH", "os.system('rm ' + name)\nnot in the file")}),
       Critic("SEC-01", "VALID")});
  for (const char* text : {kCode, kHidden, "os.system(\n  'rm '+name)\n"}) {
    files_["a.py"] = text;
    EXPECT_FALSE(HasChanged(Code(), state_)) << text;
    EXPECT_THAT(CloseMended(Code(), "run 1", &state_), IsEmpty()) << text;
  }
  files_.erase("a.py");
  files_["b.py"] = kCode;
  EXPECT_THAT(CloseMended(Code(), "run 1", &state_), IsEmpty());
  EXPECT_EQ(state_.issues[0].place.file, "b.py");
  EXPECT_FALSE(HasChanged(Code(), state_));
  files_["b.py"] = "import os\n";
  EXPECT_THAT(CloseMended(Code(), "run 1", &state_), ElementsAre("SEC-01"));
}

TEST_F(VerifyLoopTest, AMendedDefectCanBeNamedAgain) {
  Run({Verifier({Issue("SEC-01", "HIGH")}), Critic("SEC-01", "VALID")});
  files_["a.py"] = "import os\nos.system(name)\n";
  CloseMended(Code(), "run 1", &state_);
  Json again = Issue("SEC-01", "HIGH", "os.system(name)");
  again["location"] = "a.py:2";
  Run({Verifier({again})});
  ASSERT_THAT(state_.issues, SizeIs(2));
  EXPECT_EQ(state_.issues[1].id, "SEC-02");
}

TEST_F(VerifyLoopTest, AVerdictIsGivenOnce) {
  Json low = Issue("COR-01", "LOW", "import os");
  low["location"] = "a.py:1";
  const Json both = {{"verdicts",
                      {{{"issueId", "SEC-01"}, {"verdict", "VALID"}, {"reasoning", "so"}},
                       {{"issueId", "SEC-01"}, {"verdict", "INVALID"}, {"reasoning", "not so"}}}}};
  Json later = {
      {"verdicts",
       {{{"issueId", "COR-01"}, {"verdict", "VALID"}, {"reasoning", "so"}},
        {{"issueId", "SEC-01"}, {"verdict", "PARTIAL"}, {"reasoning", "no"}, {"severity", "LOW"}}}},
      {"newIssues", {Issue("SEC-09", "HIGH", "def remove(name):")}}};
  Run({Verifier({Issue("SEC-01", "CRITICAL")}), TextReply(DumpJson(both)), Verifier({low}),
       TextReply(DumpJson(later)),
       Verifier(Json::array(), AllExamined(),
                {{"withdrawn", {{{"issueId", "SEC-09"}, {"reasoning", "never mind"}}}}})});
  EXPECT_TRUE(state_.issues[0].is_active());
  EXPECT_EQ(state_.issues[0].severity, IssueSeverity::kCritical);
  EXPECT_THAT(state_.rounds[1].rejected,
              ElementsAre("a verdict on SEC-01: it was judged in an earlier round"));
  EXPECT_THAT(state_.rounds[3].rejected, SizeIs(1));
  // What the critic found stays, whatever the verifier says.
  EXPECT_TRUE(state_.issues[2].is_active());
}

TEST_F(VerifyLoopTest, AnIssueThatIsNamedAsAWorseOneBecomesWorse) {
  const VerifyEnd end = Run({Verifier({Issue("SEC-01", "LOW")}), Critic("SEC-01", "VALID"),
                             Verifier({Issue("SEC-01", "CRITICAL")}), Verifier(Json::array()),
                             Verifier(Json::array())});
  EXPECT_EQ(end.reason, StopReason::kNotConverged);
  EXPECT_EQ(state_.issues[0].severity, IssueSeverity::kCritical);
  EXPECT_EQ(state_.round, 4);
}

TEST_F(VerifyLoopTest, AnotherDefectUnderTheSameIdIsAnother) {
  Json whole = Issue("SEC-01", "LOW", "def remove(name):");
  whole["location"] = "a.py";
  whole["summary"] = "something else";
  Run({Verifier({whole}), Critic("SEC-01", "INVALID"), Verifier({Issue("SEC-01", "CRITICAL")})});
  ASSERT_THAT(state_.issues, SizeIs(2));
  EXPECT_EQ(state_.issues[1].severity, IssueSeverity::kCritical);
}

TEST_F(VerifyLoopTest, TargetsThatAreGoneOrHiddenAreNotExamined) {
  state_.options.max_rounds = 2;
  files_["b.py"] = "x = 1\n";
  state_.files.push_back({"b.py", "", false, {}});
  Run({Verifier(Json::array(), AllExamined({"a.py", "b.py"})), Verifier(Json::array())});
  EXPECT_EQ(state_.status, VerifyStatus::kConverged);
  files_["b.py"] = kHidden;
  state_.options.max_rounds = 3;
  Run({Verifier(Json::array())});
  EXPECT_THAT(state_.convergence_reason, HasSubstr("has not examined b.py"));
  files_ = {{"c.py", "x = 1\n"}};
  state_.files.push_back({"c.py", "", true, {}});
  state_.options.max_rounds = 4;
  Run({Verifier(Json::array())});
  EXPECT_THAT(state_.convergence_reason, HasSubstr("none of them is there any more"));
}

TEST(VerifyOptionsTest, NumbersHaveRanges) {
  EXPECT_TRUE(CheckVerifyOptions({}).ok());
  EXPECT_FALSE(CheckVerifyOptions({0, 1, false, 4000, true}).ok());
  EXPECT_FALSE(CheckVerifyOptions({101, 1, false, 4000, true}).ok());
  EXPECT_FALSE(CheckVerifyOptions({2, 3, false, 4000, true}).ok());
  EXPECT_FALSE(CheckVerifyOptions({2, 2, false, 0, true}).ok());
}

}  // namespace
}  // namespace stile
