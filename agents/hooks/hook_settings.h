// The settings file of a host with Stile's hook in it, and without.
#ifndef STILE_AGENTS_HOOKS_HOOK_SETTINGS_H_
#define STILE_AGENTS_HOOKS_HOOK_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/hooks/agent_host.h"

namespace stile {

// The shell command by which a host calls the program of that absolute path, without the name of
// the event, which kCommandMark stands before. If the program is gone, its exit status is 1, which
// every host reports and none takes for a refusal.
std::string HookCommand(const AgentHost& host, const std::string& program);

// `text` of the host's settings ("": there is no file) with the hook, which replaces an older one;
// everything else stays, with the order of keys, indentation and line ends; escapes in texts may be
// written otherwise. InvalidArgument: the text is not plain JSON, holds a number that would be
// rewritten, or has something else where the hook belongs; of a file of Stile's own: it holds
// something else.
absl::StatusOr<std::string> WithHook(const AgentHost& host, const std::string& text,
                                     const std::string& command);
// Without it; "": nothing is left of a file that is named after Stile, so that it can go.
absl::StatusOr<std::string> WithoutHook(const AgentHost& host, const std::string& text);

struct HookCommandParts {
  std::string program;  // path
  std::string event;    // "start" or "stop"
};

// The commands of the hook in the host's settings, where the host calls them for that event; empty:
// it is not installed. Nothing in them but the program is chosen by who wrote the settings.
// InvalidArgument: the text is not plain JSON.
absl::StatusOr<std::vector<HookCommandParts>> HookCommandsIn(const AgentHost& host,
                                                             const std::string& text);

}  // namespace stile

#endif  // STILE_AGENTS_HOOKS_HOOK_SETTINGS_H_
