#include "runtime/story/step_retry.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/delivery/work_place.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

constexpr size_t kPathsInFixText = 50;

bool Unmet(const std::vector<UnmetExpectation>& unmet, UnmetExpectation::Kind kind) {
  return std::any_of(unmet.begin(), unmet.end(),
                     [&](const UnmetExpectation& item) { return item.kind == kind; });
}

std::string Why(const RunResult& failed, const std::vector<UnmetExpectation>& unmet) {
  std::string text;
  if (unmet.empty()) absl::StrAppend(&text, failed.message, "\n");
  for (const UnmetExpectation& item : unmet) {
    absl::StrAppend(&text, "- ", item.line, "\n");
  }
  for (const UnmetExpectation& item : unmet) {
    if (!item.details.empty()) absl::StrAppend(&text, "\n```\n", item.details, "```\n");
  }
  return text;
}

}  // namespace

bool MayRetry(const StoryStep& step, const RunResult& failed,
              const std::vector<UnmetExpectation>& unmet) {
  if (failed.reason == StopReason::kCancelled || failed.reason == StopReason::kInternal ||
      failed.is_final) {
    return false;
  }
  switch (step.retry_on) {
    case StoryStep::RetryOn::kAny:
      return true;
    case StoryStep::RetryOn::kBuild:
      return failed.reason == StopReason::kGateFailed ||
             Unmet(unmet, UnmetExpectation::Kind::kCompiles);
    case StoryStep::RetryOn::kTest:
      return Unmet(unmet, UnmetExpectation::Kind::kTestsPass);
  }
  return false;
}

std::string FixText(const StoryStep& step, int attempt, const RunResult& failed,
                    const std::vector<UnmetExpectation>& unmet) {
  std::string text = absl::StrCat(
      "Your previous attempt failed; fix this. What it changed is still in the workspace.\n\n",
      "## Task\n\n", step.description, "\n\n## Why attempt ", attempt, " failed (",
      StopReasonName(failed.reason), ")\n\n");
  absl::StrAppend(&text, Why(failed, unmet), "\n## What was tried\n\n");
  if (!absl::StripAsciiWhitespace(failed.answer).empty()) {
    absl::StrAppend(&text, failed.answer, "\n\n");
  }
  if (failed.changed.empty()) absl::StrAppend(&text, "No file was changed.\n");
  const size_t shown = std::min(failed.changed.size(), kPathsInFixText);
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&text, i == 0 ? "Changed files:\n" : "", "- ", DisplayPath(failed.changed[i]),
                    "\n");
  }
  if (shown < failed.changed.size()) {
    absl::StrAppend(&text, "- … and ", failed.changed.size() - shown, " more\n");
  }
  return text;
}

std::string AgainText(const StoryStep& step, bool has_obstacle, const RunResult& failed,
                      const std::vector<UnmetExpectation>& unmet) {
  return absl::StrCat(
      "You did this task in another working tree, while others did other steps of the story "
      "there. ",
      has_obstacle
          ? "What you did cannot be merged with what they did. Their work is in this workspace, "
            "yours is not: do the task here, on top of theirs.\n\n"
          : "What you did is now in this workspace together with what they did, and the two do not "
            "fit; fix this, and keep what either is for.\n\n",
      "## Task\n\n", step.description, "\n\n## What is in the way\n\n", Why(failed, unmet));
}

}  // namespace stile
