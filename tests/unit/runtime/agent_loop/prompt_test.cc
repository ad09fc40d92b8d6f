#include "runtime/agent_loop/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using testing::HasSubstr;

constexpr char kPrompt[] =
    "---\nname: p\nholes: [task, extra]\n---\nDo {{task}}.\n{% if extra != '' %}Also {{extra}}.{% "
    "endif %}\n";

TEST(PromptTest, FillsHolesAndHidesEmptySections) {
  const auto prompt = PromptTemplate::Parse(kPrompt, "p.prompt");
  ASSERT_TRUE(prompt.ok()) << prompt.status();
  EXPECT_EQ(prompt->Fill({{"task", "it"}, {"extra", "that"}}).value(), "Do it.\nAlso that.");
  EXPECT_EQ(prompt->Fill({{"task", "it"}, {"extra", ""}}).value(), "Do it.");
}

TEST(PromptTest, ValuesAreNotTemplates) {
  const auto prompt = PromptTemplate::Parse(kPrompt, "p.prompt");
  EXPECT_EQ(prompt->Fill({{"task", "{{extra}}"}, {"extra", ""}}).value(), "Do {{extra}}.");
}

TEST(PromptTest, AnUnknownHoleIsALocatedError) {
  const auto prompt =
      PromptTemplate::Parse("---\nholes: [task]\n---\n{{task}}\n\n{{taks}}\n", "p.prompt");
  EXPECT_THAT(std::string(prompt.status().message()), HasSubstr("p.prompt:6: unknown hole 'taks'"));
}

TEST(PromptTest, DeclaredButUnusedUnclosedAndMissingAreErrors) {
  EXPECT_FALSE(PromptTemplate::Parse("---\nholes: [a]\n---\nx", "p").ok());
  EXPECT_FALSE(PromptTemplate::Parse("---\nholes: [a]\n---\n{% if a != '' %}x", "p").ok());
  EXPECT_FALSE(PromptTemplate::Parse("---\nholes: [a]\n---\n{{a", "p").ok());
  const auto prompt = PromptTemplate::Parse(kPrompt, "p");
  EXPECT_FALSE(prompt->Fill({{"task", "x"}}).ok());
  EXPECT_FALSE(prompt->Fill({{"task", "x"}, {"extra", ""}, {"more", ""}}).ok());
}

TEST(ProfileTest, ReadsFrontMatterAndPrompt) {
  const auto profile =
      ParseProfile("---\nname: n\ntools: [file.*]\nmax_turns: 7\n---\nBe brief.\n", "n.md");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->system_prompt, "Be brief.");
  EXPECT_EQ(profile->max_turns, 7);
  EXPECT_THAT(std::string(ParseProfile("---\nnmae: n\n---\nx", "n.md").status().message()),
              HasSubstr("did you mean 'name'"));
  EXPECT_FALSE(ParseProfile("---\nname: n\n---\n", "n.md").ok());
}

}  // namespace
}  // namespace stile
