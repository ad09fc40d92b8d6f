#ifndef STILE_RUNTIME_STORY_STORY_MARKDOWN_H_
#define STILE_RUNTIME_STORY_STORY_MARKDOWN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

struct MarkdownStep {
  std::string
      name;  // as written: the rest of the heading, or the bold start of an item; may be empty
  std::string description;
  int line = 0;
};

struct MarkdownSteps {
  std::string title;  // of the first "# Heading"; may be empty
  std::vector<MarkdownStep> steps;
};

// The steps in the body of a Markdown story: its "## Step" headings, or else its one numbered list.
// What stands in fenced code is never a heading or an item. `first_line`: of `body` within `file`.
// InvalidArgument for a second list, which could not be told from notes.
absl::StatusOr<MarkdownSteps> ReadMarkdownSteps(absl::string_view body, absl::string_view file,
                                                int first_line);

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_MARKDOWN_H_
