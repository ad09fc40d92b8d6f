// Texts for models: prompt files and the profiles of agents.
#ifndef STILE_RUNTIME_AGENT_LOOP_PROMPT_H_
#define STILE_RUNTIME_AGENT_LOOP_PROMPT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/template/template.h"

namespace stile {

// A prompt file: YAML front matter {name, description, holes: [names]}, and a Template whose scope
// holds a text for each hole.
class PromptTemplate {
 public:
  // Located errors: unknown key, a hole that is used but not declared or declared but not used, and
  // those of Template::Parse.
  static absl::StatusOr<PromptTemplate> Parse(absl::string_view text, absl::string_view file);

  // InvalidArgument when `values` names an unknown hole or leaves a hole out.
  absl::StatusOr<std::string> Fill(const std::map<std::string, std::string>& values) const;

  const std::string& name() const { return name_; }

 private:
  PromptTemplate(std::string name, std::string file, Template body, std::vector<std::string> holes)
      : name_(std::move(name)),
        file_(std::move(file)),
        body_(std::move(body)),
        holes_(std::move(holes)) {}

  std::string name_;
  std::string file_;
  Template body_;
  std::vector<std::string> holes_;
};

// A profile file: front matter {name, description, tools, agents, max_turns, temperature, model?}
// and the system prompt.
struct AgentProfile {
  std::string name;
  std::string description;
  std::vector<std::string> tools;   // names or patterns ("file.*"); empty: all
  std::vector<std::string> agents;  // names of sub-agents that agent.spawn may call, beside the
                                    // bundled ones
  int max_turns = 0;                // 0: the configuration's
  double temperature = -1;          // < 0: the provider's
  std::string model;                // "" : the configuration's, of a sub-agent that of the run
  std::string system_prompt;
};
absl::StatusOr<AgentProfile> ParseProfile(absl::string_view text, absl::string_view file);

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_PROMPT_H_
