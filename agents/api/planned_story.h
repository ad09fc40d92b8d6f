// The file of a story that an agent planned.
#ifndef STILE_AGENTS_API_PLANNED_STORY_H_
#define STILE_AGENTS_API_PLANNED_STORY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/json.h"
#include "runtime/story/story.h"

namespace stile {

// Before a model is asked: whether a story can be written to `file`. AlreadyExists, unless
// `replace`; InvalidArgument: it is no file, has no folder, or would be read as Markdown.
absl::Status CheckPlanFile(const std::string& file, bool replace);

// `workspace` as a story in `file` names it. InvalidArgument if it is not UTF-8.
absl::StatusOr<std::string> WorkspaceSeenFrom(const std::string& file,
                                              const std::string& workspace);

// The story of `outputs`, the outputs of a run of kPlanWorkflow.
absl::StatusOr<Story> PlannedStory(const Json& outputs);

// Writes the story for `workspace` to `file`, after CheckPlanFile.
absl::Status WritePlannedStory(Story story, const std::string& file, const std::string& workspace,
                               bool replace);

}  // namespace stile

#endif  // STILE_AGENTS_API_PLANNED_STORY_H_
