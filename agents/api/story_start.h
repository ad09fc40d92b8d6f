// How a story begins: its file, and what its journal records first.
#ifndef STILE_AGENTS_API_STORY_START_H_
#define STILE_AGENTS_API_STORY_START_H_

#include <string>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/run_undo.h"
#include "agents/api/session_context.h"
#include "runtime/base/json.h"
#include "runtime/story/story.h"
#include "runtime/story/story_history.h"

namespace stile {

// The data of run_started; `text` is the content of `file`.
Json StoryStart(const AgentOptions& agent, const Story& story, absl::string_view text,
                const std::string& file, const std::string& workspace, const StoryOptions& options);

// Whether every step has a model that can be asked, before a branch is made: one is chosen, its
// provider is known, its key is set. A cassette is not opened. InvalidArgument says what is
// missing.
absl::Status CheckStoryModels(const AgentOptions& agent, const Story& story);

absl::StatusOr<std::string> ReadStoryFile(const std::string& file);

// How many steps of a wave run at the same time: what a flag or a variable says, else what the
// story began with (`begun_with`; 0: it begins now), else what its file says, else the
// configuration's.
int Parallelism(const Config& config, const Story& story, int begun_with);

// InvalidArgument if the story cannot be retried from `first_step` on: the steps before it have to
// be done.
absl::Status CheckCanRetry(const StoryHistory& history, const Story& story, int first_step);

// Before a story that ended without success goes on at step `next`: whether the runs of the steps
// from there on may go on (CheckCanGoOn). What they have changed, they say at their next end.
absl::Status PrepareToGoOn(const SessionContext& context, int next, StoryHistory* history);

// Options with which a story goes on at step `next`, after a kill or without success.
absl::StatusOr<StoryOptions> OptionsToResume(const RunArchive& archive, const StoryHistory& history,
                                             int next, bool other_model);

}  // namespace stile

#endif  // STILE_AGENTS_API_STORY_START_H_
