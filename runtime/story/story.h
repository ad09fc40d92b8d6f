#ifndef STILE_RUNTIME_STORY_STORY_H_
#define STILE_RUNTIME_STORY_STORY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/yaml.h"
#include "runtime/gate/allowance.h"

namespace stile {

// What must hold after a step, beyond the gate.
struct Expectations {
  // true: every target of the workspace passes at level build, and there is one. false: it must
  // fail (not merely be impossible to judge).
  std::optional<bool> compiles;
  std::optional<bool> tests_pass;  // … at level test
  // `tests_pass` as a list: tests that must run and pass (IsTestNamed), whatever others do.
  std::vector<std::string> passing_tests;
  std::vector<std::string> files_exist;
  struct Match {
    std::string path;
    std::string regex;  // RE2, found anywhere in the file; ^ and $ stand for the ends of lines
  };
  std::vector<Match> file_contains;
  std::vector<Match> file_not_contains;  // met by a file that does not exist
  std::vector<std::string>
      tools_used;  // tools that were called successfully; '.' and '_' are the same
};

struct StoryStep {
  std::string name;  // unique in the story and usable as a file name
  std::string description;
  int max_turns = 0;  // 0: the story's, then the configuration's
  std::string agent;  // "" : the story's
  // Steps run in order of wave, then of the file. Those of one wave run beside each other, but
  // those of wave 0, which are no wave, one after the other.
  int wave = 0;
  Expectations expect;
  std::vector<Allowance> allow;  // what the step's runs may weaken, beside the configuration's
  int retry_max = 0;
  enum class RetryOn { kAny, kBuild, kTest } retry_on = RetryOn::kAny;
};

// Whether the step (an index) is one of several of its wave.
bool RunsBesideOthers(const std::vector<StoryStep>& steps, size_t step);

constexpr size_t kMaxStoryBytes = size_t{1} << 20;  // of a story's file
constexpr int kMaxParallelism = 64;                 // steps that can run at the same time

// A titled list of steps, run in order on one branch.
struct Story {
  std::string title;
  std::string workspace;  // as written: relative to the story file; "" : the repository of the file
  std::string branch;     // "" : stile/<slug of the title>
  std::string agent;      // "" : the configuration's
  int max_turns = 0;
  int max_parallelism = 0;  // steps of a wave that run at the same time; 0: the configuration's
  // When a step of a wave fails: the other running steps finish, or are cancelled.
  enum class OnFailure { kFinish, kCancel } on_failure = OnFailure::kFinish;
  Json mcp_servers;              // as written, not checked (runtime/mcp); null: none
  std::vector<StoryStep> steps;  // at least one, in the order in which they run
};

// YAML, or Markdown with YAML front matter whose numbered list or "## Step" headings are the steps
// (the text of an item or below a heading is its description; other prose is for people). By the
// ending of `file`: .md, .markdown or anything else. InvalidArgument, with file and line, for
// whatever cannot be run as written: unknown keys, no steps, names twice, regular expressions that
// RE2 refuses.
absl::StatusOr<Story> ParseStory(absl::string_view text, absl::string_view file);

// The keys at the head of a story, or of any YAML file: of Markdown, the front matter. Nothing is
// checked but the syntax.
absl::StatusOr<Yaml> ReadStoryHead(absl::string_view text, absl::string_view file);

// YAML that ParseStory reads as the same story.
std::string StoryText(const Story& story);

// A step without a name is called "step-<n>"; in Markdown, after its heading or first line.

// "Rename OrderService!" → "rename-orderservice". At most 50 characters; "story" if nothing is
// left.
std::string Slug(absl::string_view title);

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_H_
