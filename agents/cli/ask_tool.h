// How the verbs for code ask a tool and show its answer.
#ifndef STILE_AGENTS_CLI_ASK_TOOL_H_
#define STILE_AGENTS_CLI_ASK_TOOL_H_

#include <string>
#include <vector>

#include "agents/cli/agent_flags.h"
#include "agents/cli/command.h"
#include "runtime/base/json.h"

namespace stile {

// A file as an argument of a tool: its name there, and the path as the user's shell means it.
struct FileArgument {
  const char* name;
  std::string path;  // "": not given; the file need not exist
};

// Prints what the tool answers, as JSON where the flags say so. Returns the exit code.
int AskTool(const CliContext& context, const AgentFlags& flags, const std::string& tool,
            const std::vector<FileArgument>& files, Json arguments);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_ASK_TOOL_H_
