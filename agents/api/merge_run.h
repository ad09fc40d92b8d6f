// A run in which no model is asked: work done elsewhere is taken over, and the gate judges what
// comes of it.
#ifndef STILE_AGENTS_API_MERGE_RUN_H_
#define STILE_AGENTS_API_MERGE_RUN_H_

#include <memory>

#include "runtime/model/chat_model.h"
#include "runtime/story/story_runner.h"
#include "runtime/tool/tool.h"

namespace stile {

inline constexpr char kMergeModel[] = "merge";  // as journals and certificates name it

// Asks for the work to be taken over, then to finish, and gives up where either is refused, with
// what was said. Knows only the conversation: it goes on wherever a run was interrupted.
std::unique_ptr<ChatModel> NewMergeModel();

// story.merge: changes the files of `work`, all or none; those that hold what they should already
// stay. An error for work with an obstacle. No permission is asked for: there was one where the
// work was done. `work` is not owned.
std::unique_ptr<Tool> NewMergeTool(const MergedWork* work);

}  // namespace stile

#endif  // STILE_AGENTS_API_MERGE_RUN_H_
