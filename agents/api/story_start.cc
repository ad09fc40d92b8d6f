#include "agents/api/story_start.h"

#include "agents/api/run_session.h"
#include "runtime/base/sha256.h"
#include "runtime/base/text.h"
#include "runtime/story/story_history.h"
#include "runtime/workspace/file_system.h"

namespace stile {

Json StoryStart(const AgentOptions& agent, const Story& story, absl::string_view text,
                const std::string& file, const std::string& workspace,
                const StoryOptions& options) {
  Json data = ToJson(options);
  data["kind"] = "story";
  data["task"] = story.title;
  data["story_file"] = ToUtf8(file);
  data["story_sha256"] = Sha256Hex(text);
  data["workspace"] = ToUtf8(workspace);
  data["model"] = agent.config.model;
  data["base_url"] = PublicUrl(agent.config.base_url);
  return data;
}

absl::StatusOr<std::string> ReadStoryFile(const std::string& file) {
  return DiskFileSystem()->ReadFile(file, kMaxStoryBytes);
}

}  // namespace stile
