#include "runtime/story/story.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view text, absl::string_view file = "s.yaml") {
  const auto story = ParseStory(text, file);
  EXPECT_TRUE(absl::IsInvalidArgument(story.status())) << story.status();
  return std::string(story.status().message());
}

std::vector<std::string> Names(const Story& story) {
  std::vector<std::string> names;
  for (const StoryStep& step : story.steps) names.push_back(step.name);
  return names;
}

TEST(StoryTest, ReadsEveryKey) {
  const auto story = ParseStory(R"(
story: Rename OrderService to PurchaseService
workspace: app
branch: feature/rename
agent: coder
max_turns: 20
max_parallelism: 64
on_failure: cancel
steps:
  - name: rename
    description: Rename it everywhere.
    max_turns: 15
    agent: other
    expect:
      compiles: true
      tests_pass: false
      files_exist: [a.ts, "b c.ts"]
      file_contains: [{path: a.ts, regex: '^class Purchase'}]
      file_not_contains: {path: a.ts, regex: Order}
      tools_used: [code.refactor]
    retry: {max: 2, on: build}
  - description: No name.
)",
                                "s.yaml");
  ASSERT_TRUE(story.ok()) << story.status();
  EXPECT_EQ(story->title, "Rename OrderService to PurchaseService");
  EXPECT_EQ(story->workspace, "app");
  EXPECT_EQ(story->branch, "feature/rename");
  EXPECT_EQ(story->agent, "coder");
  EXPECT_EQ(story->max_turns, 20);
  EXPECT_EQ(story->max_parallelism, 64);
  EXPECT_EQ(story->on_failure, Story::OnFailure::kCancel);
  ASSERT_THAT(Names(*story), ElementsAre("rename", "step-2"));
  const StoryStep& step = story->steps[0];
  EXPECT_EQ(step.max_turns, 15);
  EXPECT_EQ(step.agent, "other");
  EXPECT_EQ(step.expect.compiles, true);
  EXPECT_EQ(step.expect.tests_pass, false);
  EXPECT_THAT(step.expect.files_exist, ElementsAre("a.ts", "b c.ts"));
  EXPECT_EQ(step.expect.file_contains[0].regex, "^class Purchase");
  EXPECT_EQ(step.expect.file_not_contains[0].path, "a.ts");
  EXPECT_THAT(step.expect.tools_used, ElementsAre("code.refactor"));
  EXPECT_EQ(step.retry_max, 2);
  EXPECT_EQ(step.retry_on, StoryStep::RetryOn::kBuild);
  EXPECT_EQ(story->steps[1].expect.compiles, std::nullopt);
}

TEST(StoryTest, WaysOfWavesAreCheckedInBothForms) {
  const std::string steps = "steps: [{description: x}]\n";
  const auto plain = ParseStory("story: T\non_failure: finish\n" + steps, "s.yaml");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->max_parallelism, 0);
  EXPECT_EQ(plain->on_failure, Story::OnFailure::kFinish);
  for (const char* wrong : {"0", "65", "-1", "many", "[3]", "1.5"}) {
    EXPECT_THAT(ErrorOf(absl::StrCat("story: T\nmax_parallelism: ", wrong, "\n", steps)),
                HasSubstr("s.yaml:2: max_parallelism: "))
        << wrong;
  }
  EXPECT_THAT(ErrorOf("story: T\non_failure: stop\n" + steps),
              HasSubstr("s.yaml:2: on_failure: 'on_failure' is finish or cancel, not 'stop'"));
  const auto markdown =
      ParseStory("---\nmax_parallelism: 2\non_failure: cancel\n---\n# T\n\n1. Do it.\n", "s.md");
  ASSERT_TRUE(markdown.ok()) << markdown.status();
  EXPECT_EQ(markdown->max_parallelism, 2);
  EXPECT_EQ(markdown->on_failure, Story::OnFailure::kCancel);
}

TEST(StoryTest, TestsThatMustPassMayBeNamed) {
  const std::string head = "story: S\nsteps:\n  - description: d\n    expect:\n      tests_pass: ";
  const auto story = ParseStory(head + "[test_a, \"shop::b\"]\n", "s.yaml");
  ASSERT_TRUE(story.ok()) << story.status();
  EXPECT_THAT(story->steps[0].expect.passing_tests, ElementsAre("test_a", "shop::b"));
  EXPECT_EQ(story->steps[0].expect.tests_pass, std::nullopt);
  for (const char* wrong : {"[]\n", "['']\n", "[{a: b}]\n", "maybe\n"}) {
    EXPECT_FALSE(ParseStory(head + wrong, "s.yaml").ok()) << wrong;
  }
}

TEST(StoryTest, WavesComeInOrderAndStepsOfAWaveAsWritten) {
  const auto story = ParseStory(
      "title: T\nsteps:\n- {name: c, description: x, wave: 2}\n- {name: a, description: x}\n"
      "- {name: d, description: x, wave: 2}\n- {name: b, description: x, wave: 1}\n",
      "s.yaml");
  ASSERT_TRUE(story.ok()) << story.status();
  EXPECT_THAT(Names(*story), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(story->workspace, "");
}

TEST(StoryTest, ErrorsNameTheLineAndTheNearestKey) {
  EXPECT_THAT(ErrorOf("story: T\nstepps: []\n"), HasSubstr("s.yaml:2: unknown key 'stepps', did"));
  EXPECT_THAT(ErrorOf("story: T\nsteps:\n- name: a\n  descripton: x\n"),
              HasSubstr("s.yaml:4: unknown key 'descripton', did you mean 'description'"));
  EXPECT_THAT(
      ErrorOf("story: T\nsteps:\n- name: a\n  description: x\n  expect:\n    compile: true\n"),
      HasSubstr("s.yaml:6: unknown key 'compile', did you mean 'compiles'"));
  EXPECT_THAT(ErrorOf("story: T\nsteps: []\n"),
              HasSubstr("s.yaml:2: steps: the story has no steps"));
  EXPECT_THAT(ErrorOf("story: T\n"), HasSubstr("no steps"));
  EXPECT_THAT(ErrorOf("steps:\n- {name: a, description: x}\n"), HasSubstr("no title"));
  EXPECT_THAT(ErrorOf("story: T\ntitle: U\nsteps: [{description: x}]\n"), HasSubstr("s.yaml:2: "));
  EXPECT_THAT(ErrorOf("story: T\nsteps:\n- name: a\n"), HasSubstr("has no description"));
  EXPECT_THAT(ErrorOf("story: T\nsteps:\n- just text\n"), HasSubstr("s.yaml:3"));
  EXPECT_THAT(ErrorOf("story: T\nsteps: {a: b}\n"), HasSubstr("must be a list"));
  EXPECT_THAT(ErrorOf("story: T\nmax_turns: 0\nsteps: [{description: x}]\n"),
              HasSubstr("s.yaml:2"));
  EXPECT_THAT(ErrorOf("story: T\nsteps:\n- description: x\n  retry: {max: 1, on: monday}\n"),
              HasSubstr("any, build or test"));
  EXPECT_THAT(ErrorOf("[1, 2]"), HasSubstr("s.yaml:1"));
  ErrorOf("");
  ErrorOf("story: [");
  ErrorOf("\xff\xfe");
  ErrorOf("story: \"a\\0b\"\nsteps: [{description: x}]\n");
}

TEST(StoryTest, NamesMustBeUniqueAndFitForFiles) {
  EXPECT_THAT(
      ErrorOf("story: T\nsteps:\n- {name: a, description: x}\n- {name: a, description: y}\n"),
      HasSubstr("s.yaml:4: steps[1].name: step name 'a' is used twice"));
  EXPECT_THAT(ErrorOf("story: T\nsteps:\n- {description: x}\n- {name: step-1, description: y}\n"),
              HasSubstr("used twice"));
  for (const std::string name : {"a/b", "..", ".x", "-x", "'a\\b'", "\"a\\nb\"", "'a '"}) {
    EXPECT_THAT(ErrorOf(absl::StrCat("story: T\nsteps:\n- name: ", name, "\n  description: x\n")),
                HasSubstr("s.yaml:3"))
        << name;
  }
  ErrorOf(
      absl::StrCat("story: T\nsteps:\n- {name: ", std::string(101, 'a'), ", description: x}\n"));
}

TEST(StoryTest, ExpressionsAndPathsAreCheckedAtLoad) {
  const auto with = [](absl::string_view match) {
    return ErrorOf(
        absl::StrCat("story: T\nsteps:\n- description: x\n  expect:\n    file_contains:\n",
                     "    - ", match, "\n"));
  };
  EXPECT_THAT(with("{path: a, regex: '(unclosed'}"), HasSubstr("s.yaml:6"));
  EXPECT_THAT(with("{path: a, regex: '(unclosed'}"), HasSubstr("missing ): (unclosed"));
  EXPECT_THAT(with("{path: a, regex: '((a{999}){999}){999}'}"), HasSubstr("no regular expression"));
  EXPECT_THAT(with("{path: a}"), HasSubstr("needs path and regex"));
  EXPECT_THAT(with("{path: ../a, regex: x}"), HasSubstr("inside the workspace"));
  EXPECT_THAT(with("{path: /etc/passwd, regex: x}"), HasSubstr("inside the workspace"));
}

TEST(StoryTest, TakesTenThousandSteps) {
  std::string text = "story: Long\nsteps:\n";
  for (int i = 0; i < 10'000; ++i) {
    absl::StrAppend(&text, "- {name: s", i, ", description: Do part ", i, "}\n");
  }
  const auto story = ParseStory(text, "s.yaml");
  ASSERT_TRUE(story.ok()) << story.status();
  EXPECT_EQ(story->steps.size(), 10'000u);
}

TEST(StoryTest, MarkdownHeadingsAreSteps) {
  const auto story = ParseStory(R"(---
branch: feature/x
max_turns: 9
---
# The title

For people.

## Step 1: Rename the class

Rename it.

```
## Step 9: in code
1. not an item
```

### Detail
1. first
2. second

## Step: Tests
Run them.

## Notes
Not a step.
)",
                                "story.md");
  ASSERT_TRUE(story.ok()) << story.status();
  EXPECT_EQ(story->title, "The title");
  EXPECT_EQ(story->branch, "feature/x");
  EXPECT_EQ(story->max_turns, 9);
  ASSERT_THAT(Names(*story), ElementsAre("rename-the-class", "tests"));
  EXPECT_THAT(story->steps[0].description, HasSubstr("## Step 9: in code"));
  EXPECT_THAT(story->steps[0].description, HasSubstr("2. second"));
  EXPECT_EQ(story->steps[1].description, "Run them.");
}

TEST(StoryTest, AMarkdownListIsSteps) {
  const auto story = ParseStory(
      "---\nstory: T\n---\nIntro.\n\n1. **rename**: Rename the class\n   everywhere.\n\n"
      "   More of it:\n   1. here\n   2. there\n2) Add tests\nlazily continued.\n\n"
      "A paragraph of its own.\n\n3. Add tests\n",
      "story.markdown");
  ASSERT_TRUE(story.ok()) << story.status();
  ASSERT_THAT(Names(*story), ElementsAre("rename", "add-tests", "add-tests-2"));
  EXPECT_EQ(story->steps[0].description,
            "Rename the class\neverywhere.\n\nMore of it:\n1. here\n2. there");
  EXPECT_EQ(story->steps[1].description, "Add tests\nlazily continued.");
}

TEST(StoryTest, MarkdownErrorsAreLocated) {
  EXPECT_THAT(ErrorOf("# T\n\nNothing here.\n", "s.md"),
              HasSubstr("s.md:1: the story has no steps"));
  EXPECT_THAT(ErrorOf("1. a\n", "s.md"), HasSubstr("no title"));
  EXPECT_THAT(ErrorOf("---\nstory: T\nsteps: []\n---\n1. a\n", "s.md"), HasSubstr("s.md:3"));
  EXPECT_THAT(ErrorOf("---\nstory: T\n1. a\n", "s.md"), HasSubstr("never closed"));
  EXPECT_THAT(ErrorOf("# T\n1. a\n## Notes\n1. b\n", "s.md"), HasSubstr("s.md:4: a second"));
  EXPECT_THAT(ErrorOf("# T\n## Step\n## Step 2\nx\n", "s.md"),
              HasSubstr("s.md:2: the step has no"));
  ErrorOf("", "s.md");
  ErrorOf("\xff", "s.md");
  ErrorOf(std::string(2 << 20, 'x'), "s.md");
}

TEST(StoryTest, SlugsAreShortAndPlain) {
  EXPECT_EQ(Slug("Rename OrderService!"), "rename-orderservice");
  EXPECT_EQ(Slug("  Don't -- stop  "), "dont-stop");
  EXPECT_EQ(Slug("Übung für Ärzte"), "bung-f-r-rzte");
  EXPECT_EQ(Slug("…"), "story");
  EXPECT_EQ(Slug(""), "story");
  EXPECT_LE(Slug(std::string(500, 'a')).size(), 50u);
  EXPECT_EQ(Slug(std::string(49, 'a') + " b"), std::string(49, 'a'));
}

}  // namespace
}  // namespace stile
