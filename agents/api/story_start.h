// How a story begins: its file, and what its journal records first.
#ifndef STILE_AGENTS_API_STORY_START_H_
#define STILE_AGENTS_API_STORY_START_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "runtime/base/json.h"
#include "runtime/story/story.h"

namespace stile {

// The data of run_started; `text` is the content of `file`.
Json StoryStart(const AgentOptions& agent, const Story& story, absl::string_view text,
                const std::string& file, const std::string& workspace, const StoryOptions& options);

absl::StatusOr<std::string> ReadStoryFile(const std::string& file);

}  // namespace stile

#endif  // STILE_AGENTS_API_STORY_START_H_
