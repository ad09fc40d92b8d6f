#ifndef STILE_RUNTIME_TOOL_SHELL_COMMAND_H_
#define STILE_RUNTIME_TOOL_SHELL_COMMAND_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// A shell command cut into the simple commands that it may start.
struct ShellCommand {
  // In order, trimmed, never empty. Cut at ; & && || | newlines, parentheses, $( ), <( ), and
  // backquotes, also inside double quotes; never inside single quotes.
  std::vector<std::string> parts;
  // Set where quoting could hide something from this reader: here-documents, comments, $'…',
  // ${…} with more than a name, an open quote, a NUL. `parts` is then a guess.
  bool opaque = false;
};

// For permission rules, so it errs on the side of more parts. Not a shell parser. Linear.
ShellCommand SplitShellCommand(absl::string_view command);

// Whether the part writes to a file by redirection (">", ">>", "&>", ">|", "<>"); /dev/null and
// descriptors ("2>&1") do not count.
bool HasOutputRedirection(absl::string_view part);

// The forms under which a forbidden program may appear in `part`: as written, without quotes and
// backslashes, behind variable assignments, keywords and wrappers (sudo, env, nohup, …), and with
// the program's folder removed.
std::vector<std::string> CommandForms(absl::string_view part);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_SHELL_COMMAND_H_
