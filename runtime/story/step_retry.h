// When a failed step is tried again, and what its agent is told then.
#ifndef STILE_RUNTIME_STORY_STEP_RETRY_H_
#define STILE_RUNTIME_STORY_STEP_RETRY_H_

#include <string>
#include <vector>

#include "runtime/agent_loop/run_result.h"
#include "runtime/story/expectations.h"
#include "runtime/story/story.h"

namespace stile {

// Whether `retry.on` covers this failure. A cancellation, a failure of ours, or a final refusal by
// the model's provider is never retried.
bool MayRetry(const StoryStep& step, const RunResult& failed,
              const std::vector<UnmetExpectation>& unmet);

// The original task and a fix section: why the attempt failed, in full, and what it had tried.
std::string FixText(const StoryStep& step, int attempt, const RunResult& failed,
                    const std::vector<UnmetExpectation>& unmet);

// For a step whose work, done beside other steps, did not fit theirs. `has_obstacle`: it was not
// even merged; else it stands in the workspace and fails for the reason that `failed` and `unmet`
// tell.
std::string AgainText(const StoryStep& step, bool has_obstacle, const RunResult& failed,
                      const std::vector<UnmetExpectation>& unmet);

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STEP_RETRY_H_
