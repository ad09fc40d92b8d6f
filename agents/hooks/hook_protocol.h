// What a host says to its hook, and what the hook answers.
#ifndef STILE_AGENTS_HOOKS_HOOK_PROTOCOL_H_
#define STILE_AGENTS_HOOKS_HOOK_PROTOCOL_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/hooks/agent_host.h"

namespace stile {

struct HookCall {
  std::string session;               // as the host names it; "": it does not
  std::vector<std::string> folders;  // empty: it does not say
  bool is_again = false;             // this end of a turn follows a refusal
  bool is_foreign = false;           // another host calls, which has a hook of its own
};

// InvalidArgument: the input is no JSON object.
absl::StatusOr<HookCall> ReadHookCall(const AgentHost& host, absl::string_view input,
                                      const std::map<std::string, std::string>& environment);

// Each is what the hook prints; "" lets the turn end without a word.
std::string RefusalReply(const AgentHost& host, const std::string& text);
std::string EndingReply(const AgentHost& host, const std::string& text);
std::string NoticeReply(const AgentHost& host, const std::string& text);

}  // namespace stile

#endif  // STILE_AGENTS_HOOKS_HOOK_PROTOCOL_H_
