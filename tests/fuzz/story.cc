// Story files; the first byte chooses YAML or Markdown.
#include "runtime/story/story.h"

#include <set>

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/story/story_markdown.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  const std::string file = input.TakeChoice(2) == 0 ? "story.yaml" : "story.md";
  const auto story = stile::ParseStory(input.rest(), file);
  if (!story.ok()) {
    STILE_CHECK(absl::StrContains(story.status().message(), file));
    return 0;
  }
  STILE_CHECK(!story->steps.empty());
  STILE_CHECK(!stile::Slug(story->title).empty());
  STILE_CHECK(stile::Slug(story->title).size() <= 50);
  std::set<std::string> names;
  for (const stile::StoryStep& step : story->steps) {
    STILE_CHECK(names.insert(step.name).second);
    STILE_CHECK(!step.name.empty() && !absl::StrContains(step.name, "/"));
  }
  return 0;
}
