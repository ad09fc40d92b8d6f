// Coding agents of others that call a program when a turn begins and when it ends: where their
// settings are, and how they exchange messages with that program. The facts are data
// (hosts/*.json).
#ifndef STILE_AGENTS_HOOKS_AGENT_HOST_H_
#define STILE_AGENTS_HOOKS_AGENT_HOST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/base/ordered_json.h"

namespace stile {

struct AgentHost {
  std::string id;    // "claude"
  std::string name;  // "Claude Code"
  // Its settings: relative to the user's home, and to a project; "": none.
  std::string user_file;
  std::string project_file;
  // Of the environment: the folder in which the user's file is, in place of the one in the home.
  std::string user_folder_variable;
  // What Stile adds to its settings, with kCommandMark in the commands; null where Stile has a file
  // of its own.
  OrderedJson settings;
  // A further file that the host wants beside its settings, relative to their folder; "": none.
  std::string companion;
  std::string companion_text;
  std::string file_text;  // of that file, with kCommandMark; "" where there are `settings`
  // How a refusal is written: a key with the text, beside constant members.
  OrderedJson refusal;  // kTextMark stands for the text
  OrderedJson ending;   // tells that the session has failed; null: there is no way
  OrderedJson notice;   // shows a line to the person; null: there is no way
  size_t max_text = 0;  // bytes of a refusal that reach the model in full
  // A little less than the timeout in `settings`: hosts let a turn end whose hook is late.
  absl::Duration time_limit;
  // Members of the JSON that it writes to the program's standard input. The first that is present
  // counts.
  std::vector<std::string> session_keys;
  std::vector<std::string> folder_keys;
  std::string folder_variable;  // of the environment; goes before the keys; "": none
  // True, or a number over 0, where this end of a turn follows a refusal; "": none.
  std::string again_key;
  // Input with one of these comes from another host, which also reads the settings of this one.
  std::vector<std::string> foreign_keys;
  Json sample;        // an input, with kSessionMark and kFolderMark
  std::string trust;  // what a person has to do before it runs the program; "": nothing
};

inline constexpr char kCommandMark[] = "{{command}}";
inline constexpr char kTextMark[] = "{{text}}";
inline constexpr char kSessionMark[] = "{{session}}";
inline constexpr char kFolderMark[] = "{{folder}}";

// All that Stile knows, by id. They live as long as the process.
const std::vector<AgentHost>& AgentHosts();

// NotFound names those there are.
absl::StatusOr<const AgentHost*> FindAgentHost(const std::string& id);

// Every text of `value` with `mark` replaced by `text`.
OrderedJson WithText(const OrderedJson& value, const std::string& mark, const std::string& text);

}  // namespace stile

#endif  // STILE_AGENTS_HOOKS_AGENT_HOST_H_
