// Which calls of tools are allowed, asked about or denied.
#ifndef STILE_RUNTIME_TOOL_PERMISSION_RULES_H_
#define STILE_RUNTIME_TOOL_PERMISSION_RULES_H_

#include <functional>
#include <string>
#include <vector>

#include "runtime/base/json.h"

namespace stile {

struct ToolSpec;

// Patterns like "shell.execute", "git.*", "shell.execute(npm *)", "file.write(docs/**)". In the
// parentheses '*' matches any text for commands ("npm *" is also "npm" alone), and the pattern is a
// path glob for paths. A shell command that chains others (";", "&&", "|", "$(", a newline, …) is
// decided part by part, and the strictest decision holds: it is allowed by rules only if every part
// is, asked about or denied if any part is. An allow rule matches a part that redirects its output
// to a file only if the rule itself has a '>' (or is without a pattern); a command whose quoting
// may hide something (here-documents, comments, ${…}) is allowed only by a rule without a pattern,
// or one that spells out the whole command. Deny and ask rules also match usual disguises (quotes,
// variables in front, sudo, the program's path). Where a command could turn out to be one that they
// name (a variable, a substitution, a file name pattern, eval, source, a shell with -c or fed by a
// pipe), they ask; an allow rule holds only if its '*' stands for what is not known. They are no
// sandbox. Rules for paths that deny or ask match without regard to case and, where `workspace`
// (absolute, no symlinks) is given, what the path resolves to and every name of the file in the
// workspace.
struct PermissionRules {
  std::vector<std::string> allow;
  std::vector<std::string> ask;
  std::vector<std::string> deny;
};

// Rules of the workspace's folder, or of one above it. What they deny or ask about, they deny or
// ask about for the files of the workspace as well.
struct OuterPermissions {
  std::string folder;  // absolute, no symlinks
  PermissionRules rules;
};

// Asks a person; true means go ahead.
using PermissionPrompt = std::function<bool(const ToolSpec& spec, const Json& arguments)>;

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_PERMISSION_RULES_H_
