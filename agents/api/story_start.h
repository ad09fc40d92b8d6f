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

// Whether every step has a model that can be asked, before a branch is made: one is chosen, its
// provider is known, its key is set. A cassette is not opened. InvalidArgument says what is
// missing.
absl::Status CheckStoryModels(const AgentOptions& agent, const Story& story);

absl::StatusOr<std::string> ReadStoryFile(const std::string& file);

}  // namespace stile

#endif  // STILE_AGENTS_API_STORY_START_H_
