// A story written as a file, and read back.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/story/story.h"

namespace stile {
namespace {

TEST(StoryTextTest, ReadsBackAsTheSameStory) {
  Story story;
  story.title = "It's: a \"story\" # of ü";
  story.workspace = "../x y";
  story.branch = "feature/x";
  story.agent = "lead-agent";
  story.max_turns = 7;
  story.max_parallelism = 5;
  story.on_failure = Story::OnFailure::kCancel;
  for (const char* text :
       {"one line", "yes", "1", "- no list", "two\nlines", "trailing\nnewline\n", "  indented\nx",
        "tab\there\n\nand  \n blank", "blank\n   \nline", "nul-free \x7f\n ü \xF0\x9F\x98\x80 \n\n",
        "a\u0085\u2028\u2029\ufeff\uffff b", "a: b\nc: d", "#\n", "{{x}}", "\\ \" '", "|",
        "&anchor *alias !tag %", "---\n..."}) {
    StoryStep step;
    step.name = absl::StrCat("step ", story.steps.size());
    step.description = text;
    step.wave = static_cast<int>(story.steps.size());
    story.steps.push_back(step);
  }
  story.steps[0].expect.compiles = true;
  story.steps[0].expect.tests_pass = false;
  story.steps[0].expect.files_exist = {"a b", "ü"};
  story.steps[0].expect.file_contains = {{"a", "^x: \"y\"$"}};
  story.steps[0].expect.file_not_contains = {{"b", "\\d+\n"}};
  story.steps[0].expect.tools_used = {"code.refactor"};
  story.steps[1].retry_max = 2;
  story.steps[1].retry_on = StoryStep::RetryOn::kTest;
  story.steps[1].max_turns = 3;
  const std::string text = StoryText(story);
  const auto read = ParseStory(text, "x.yaml");
  ASSERT_TRUE(read.ok()) << read.status() << "\n" << text;
  EXPECT_EQ(StoryText(*read), text);
  ASSERT_EQ(read->steps.size(), story.steps.size());
  EXPECT_EQ(read->title, story.title);
  EXPECT_EQ(read->max_parallelism, 5);
  EXPECT_EQ(read->on_failure, Story::OnFailure::kCancel);
  EXPECT_EQ(read->workspace, story.workspace);
  for (size_t i = 0; i < story.steps.size(); ++i) {
    EXPECT_EQ(read->steps[i].description, story.steps[i].description) << text;
    EXPECT_EQ(read->steps[i].name, story.steps[i].name);
  }
  EXPECT_EQ(read->steps[0].expect.file_not_contains[0].regex, "\\d+\n");
  EXPECT_EQ(read->steps[1].retry_on, StoryStep::RetryOn::kTest);
}

}  // namespace
}  // namespace stile
