#include "agents/api/mcp_host.h"

#include <deque>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::HasSubstr;

// Answers questions in turn, and keeps them; nobody answers when nothing is left.
class Person {
 public:
  explicit Person(std::deque<std::string> answers) : answers_(std::move(answers)) {}
  std::optional<std::string> operator()(const std::string& question) {
    questions.push_back(question);
    if (answers_.empty()) return std::nullopt;
    std::string answer = answers_.front();
    answers_.pop_front();
    return answer;
  }
  std::vector<std::string> questions;

 private:
  std::deque<std::string> answers_;
};

Json Form(Json properties) {
  return {{"message", "Who are you?"},
          {"requestedSchema", {{"type", "object"}, {"properties", std::move(properties)}}}};
}

TEST(AnswerFormTest, AsksForEachFieldUntilItFits) {
  Person person({"Ada", "many", "36", "yes", "b, a"});
  const Json form = Form(
      {{"a_name", {{"type", "string"}, {"description", "As written"}}},
       {"b_age", {{"type", "integer"}, {"minimum", 0}}},
       {"c_ok", {{"type", "boolean"}}},
       {"d_tags", {{"type", "array"}, {"items", {{"type", "string"}, {"enum", {"a", "b"}}}}}}});
  EXPECT_EQ(AnswerForm("crm", form, std::ref(person)),
            Json({{"action", "accept"},
                  {"content",
                   {{"a_name", "Ada"}, {"b_age", 36}, {"c_ok", true}, {"d_tags", {"b", "a"}}}}}));
  EXPECT_EQ(person.questions[0],
            "The MCP server crm asks: Who are you?\na_name (string): As written");
  EXPECT_THAT(person.questions[2], HasSubstr("That does not fit"));
  EXPECT_THAT(person.questions[4], HasSubstr("One of: a, b"));
}

TEST(AnswerFormTest, AnEmptyAnswerLeavesAFieldOut) {
  Person person({"", "", "", "Ada"});
  Json form = Form({{"a_age", {{"type", "integer"}}},
                    {"b_ok", {{"type", "boolean"}, {"default", true}}},
                    {"c_name", {{"type", "string"}, {"minLength", 1}}}});
  form["requestedSchema"]["required"] = {"c_name"};
  EXPECT_EQ(AnswerForm("x", form, std::ref(person)),
            Json({{"action", "accept"}, {"content", {{"b_ok", true}, {"c_name", "Ada"}}}}));
}

TEST(AnswerFormTest, ASchemaThatExhaustsItsReaderIsNotCompiled) {
  Person person({"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"});
  const Json form = Form({{"a", {{"type", "string"}, {"pattern", "^(a+)+$"}, {"$ref", "#"}}}});
  EXPECT_EQ(AnswerForm("x", form, std::ref(person))["action"], "accept");
}

TEST(AnswerFormTest, CancelsWithoutAnAnswer) {
  Person silent({});
  const Json form = Form({{"age", {{"type", "integer"}}}});
  EXPECT_EQ(AnswerForm("x", form, std::ref(silent)), Json({{"action", "cancel"}}));
  Person vague({"a", "b", "c", "4"});
  EXPECT_EQ(AnswerForm("x", form, std::ref(vague)), Json({{"action", "cancel"}}));
}

TEST(AnswerFormTest, DeclinesWhatIsNoForm) {
  Person person({"x"});
  EXPECT_EQ(AnswerForm("x", {{"mode", "url"}, {"url", "https://h"}}, std::ref(person)),
            Json({{"action", "decline"}}));
  EXPECT_EQ(AnswerForm("x", Form({{"a", {{"type", "string"}}}}), nullptr),
            Json({{"action", "decline"}}));
  EXPECT_EQ(AnswerForm("x", Json(7), std::ref(person)), Json({{"action", "decline"}}));
  EXPECT_TRUE(person.questions.empty());
}

}  // namespace
}  // namespace stile
