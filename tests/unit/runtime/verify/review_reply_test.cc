#include "runtime/verify/review_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kVerifier[] = R"json({
  "issues": [{"id": "SEC-01", "category": "security", "severity": "HIGH", "summary": "S",
              "location": "a.py:3-4", "description": "D", "evidence": "os.system(x)"
}],
  "examined": [{"category": "SECURITY", "files": ["a.py"], "notes": "all"}],
  "withdrawn": [{"issueId": "COR-01", "reasoning": "no"}],
  "needs": ["b.py"]
})json";

TEST(ReviewReplyTest, ReadsTheJsonOfTheVerifier) {
  for (const std::string& text :
       {std::string(kVerifier), absl::StrCat("Here it is:\n```json\n", kVerifier, "\n```\nDone {."),
        absl::StrCat("{not json} ", kVerifier)}) {
    const auto reply = ParseReviewReply(ReviewRole::kVerifier, text);
    ASSERT_TRUE(reply.ok()) << reply.status() << text;
    ASSERT_THAT(reply->issues, SizeIs(1));
    EXPECT_EQ(reply->issues[0].id, "SEC-01");
    EXPECT_EQ(reply->issues[0].severity, IssueSeverity::kHigh);
    EXPECT_EQ(IssuePlaceText(reply->issues[0].place), "a.py:3-4");
    ASSERT_THAT(reply->examined, SizeIs(1));
    EXPECT_THAT(reply->examined[0].files, ElementsAre("a.py"));
    ASSERT_THAT(reply->withdrawn, SizeIs(1));
    EXPECT_EQ(reply->withdrawn[0].issue_id, "COR-01");
    EXPECT_THAT(reply->needs, ElementsAre("b.py"));
  }
}

TEST(ReviewReplyTest, ReadsTheJsonOfTheCritic) {
  const auto reply = ParseReviewReply(ReviewRole::kCritic, R"json({
      "verdicts": [{"issueId": "SEC-01", "verdict": "PARTIAL", "reasoning": "R", "severity": "LOW"},
                   {"issueId": "SEC-02", "verdict": "VALID", "reasoning": "R",
                    "mergeInto": "SEC-01"}],
      "newIssues": [{"category": "PERFORMANCE", "severity": "LOW", "summary": "S",
                     "location": "a.py", "evidence": "for x in y:", "splitFrom": "SEC-01"}]})json");
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_THAT(reply->verdicts, SizeIs(2));
  EXPECT_EQ(reply->verdicts[0].verdict, CriticVerdict::kPartial);
  EXPECT_EQ(reply->verdicts[0].severity, IssueSeverity::kLow);
  EXPECT_EQ(reply->verdicts[1].merge_into, "SEC-01");
  ASSERT_THAT(reply->issues, SizeIs(1));
  EXPECT_EQ(reply->issues[0].id, "");
  EXPECT_EQ(reply->issues[0].split_from, "SEC-01");
}

TEST(ReviewReplyTest, NamesEachDefectOfAReply) {
  const auto reply = ParseReviewReply(ReviewRole::kVerifier, R"json({"issues": [
      {"category": "STYLE", "severity": "HIGH", "summary": "S", "location": "a.py", "evidence": "x"},
      {"category": "SECURITY", "severity": 3, "summary": "", "location": "", "evidence": "x"},
      7]})json");
  const std::string message(reply.status().message());
  EXPECT_THAT(message, HasSubstr("issues[0].category has to be one of SECURITY, CORRECTNESS"));
  EXPECT_THAT(message, HasSubstr("issues[1].severity has to be one of CRITICAL"));
  EXPECT_THAT(message, HasSubstr("issues[1].summary has to be a text"));
  EXPECT_THAT(message, HasSubstr("issues[1].location has to be FILE:LINE"));
  EXPECT_THAT(message, HasSubstr("issues[2] has to be an object"));
}

TEST(ReviewReplyTest, WhatIsNoReplyIsAnError) {
  for (const char* text :
       {"", "No issues found.", "[]", "{}", "{\"verdicts\": []}", "{\"issues\":"}) {
    EXPECT_FALSE(ParseReviewReply(ReviewRole::kVerifier, text).ok()) << text;
  }
  EXPECT_FALSE(ParseReviewReply(ReviewRole::kCritic, "{\"issues\": []}").ok());
  EXPECT_TRUE(ParseReviewReply(ReviewRole::kVerifier, "{\"issues\": []}").ok());
  std::string many = "{\"issues\": [";
  for (int i = 0; i < 201; ++i) absl::StrAppend(&many, i > 0 ? "," : "", "{}");
  EXPECT_THAT(std::string(ParseReviewReply(ReviewRole::kVerifier, many + "]}").status().message()),
              HasSubstr("issues has 201 items"));
}

TEST(ReviewReplyTest, ReadsHeadedParagraphsOfTheVerifier) {
  const auto reply = ParseReviewReply(ReviewRole::kVerifier,
                                      "I found one.\n\n"
                                      "### SEC-01 [HIGH] Shell injection\n"
                                      "- **Location:** `a.py:3`\n"
                                      "- **Description:** The name is\n  not quoted.\n"
                                      "- **Evidence:**\n"
                                      "```python\n"
                                      "os.system('rm ' + name)\n"
                                      "```\n"
                                      "Examined: SECURITY: a.py, b.py\n"
                                      "Examined: PERFORMANCE: a.py\n"
                                      "Needs: c.py\n");
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_THAT(reply->issues, SizeIs(1));
  const NamedIssue& issue = reply->issues[0];
  EXPECT_EQ(issue.id, "SEC-01");
  EXPECT_EQ(issue.category, IssueCategory::kSecurity);
  EXPECT_EQ(issue.severity, IssueSeverity::kHigh);
  EXPECT_EQ(issue.summary, "Shell injection");
  EXPECT_EQ(IssuePlaceText(issue.place), "a.py:3");
  EXPECT_EQ(issue.evidence, "os.system('rm ' + name)");
  ASSERT_THAT(reply->examined, SizeIs(2));
  EXPECT_THAT(reply->examined[0].files, ElementsAre("a.py", "b.py"));
  EXPECT_THAT(reply->needs, ElementsAre("c.py"));
}

TEST(ReviewReplyTest, ReadsHeadedParagraphsOfTheCritic) {
  const auto reply = ParseReviewReply(ReviewRole::kCritic,
                                      "**SEC-01**: INVALID - the caller quotes it\n"
                                      "COR-02\nVerdict: VALID\nReasoning: it is so\n");
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_THAT(reply->verdicts, SizeIs(2));
  EXPECT_EQ(reply->verdicts[0].verdict, CriticVerdict::kInvalid);
  EXPECT_EQ(reply->verdicts[0].reasoning, "the caller quotes it");
  EXPECT_EQ(reply->verdicts[1].issue_id, "COR-02");
  EXPECT_EQ(reply->verdicts[1].verdict, CriticVerdict::kValid);
}

TEST(ReviewReplyTest, HostileTextsEnd) {
  const std::string braces(200'000, '{');
  EXPECT_FALSE(ParseReviewReply(ReviewRole::kVerifier, braces).ok());
  std::string lines;
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&lines, "SEC-", i, "\nEvidence: x\n{\"a\":1}\n");
  EXPECT_FALSE(ParseReviewReply(ReviewRole::kVerifier, lines).ok());
}

}  // namespace
}  // namespace stile
