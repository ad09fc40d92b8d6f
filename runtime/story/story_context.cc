#include "runtime/story/story_context.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"
#include "runtime/delivery/delivery.h"

namespace stile {
namespace {

constexpr size_t kMaxSummaryBytes = 2000;
constexpr size_t kMaxContextBytes = 24'000;
constexpr size_t kMaxBesideBytes = 300;

}  // namespace

void StoryContext::Add(size_t number, const std::string& name, const std::string& answer) {
  entries_.push_back(absl::StrCat(
      "Step ", number, " (", name,
      "): ", answer.empty() ? "done" : TruncateMiddle(answer, kMaxSummaryBytes), "\n"));
  bytes_ += entries_.back().size();
  for (; bytes_ > kMaxContextBytes; ++left_out_) {
    bytes_ -= entries_.front().size();
    entries_.pop_front();
  }
}

std::string StoryContext::Text() const {
  if (entries_.empty()) return "";
  return absl::StrCat(
      "Earlier steps of this story, already done in this workspace:\n",
      left_out_ > 0 ? absl::StrCat("(", Count(left_out_, "earlier step"), " left out)\n") : "",
      absl::StrJoin(entries_, ""));
}

std::string StoryContext::TextBeside(const Story& story, size_t first, size_t end,
                                     size_t own) const {
  std::string text = Text();
  if (!text.empty()) text.push_back('\n');
  text +=
      "Others do these steps of the story at the same time, in other working trees; leave what is "
      "theirs to them:\n";
  for (size_t i = first; i < end; ++i) {
    if (i == own) continue;
    absl::StrAppend(&text, "Step ", i + 1, " (", story.steps[i].name,
                    "): ", OneLine(story.steps[i].description, kMaxBesideBytes), "\n");
  }
  return text;
}

}  // namespace stile
