// What a shell command may turn out to run, where parts of it are only known once it runs.
#ifndef STILE_RUNTIME_TOOL_SHELL_READING_H_
#define STILE_RUNTIME_TOOL_SHELL_READING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Stands for any text, of any length: what a variable, a substitution or a file name pattern gives.
constexpr char kUnknownText = '\x01';

struct ShellReading {
  // The simple commands, those in substitutions too, with kUnknownText in place of what is not
  // known.
  std::vector<std::string> written;  // quotes and file name patterns as they stand
  // Without quotes, and in the forms that a restricting rule has to look at: also without wrappers
  // (sudo, xargs), and kUnknownText alone for what runs text that this does not read: eval, source,
  // a shell, an alias of git. See also CommandReading.
  std::vector<std::string> possible;
  std::vector<std::string> certain;  // see CommandReading
};

// Errs on the side of the unknown; what it cannot read at all is kUnknownText alone. Not a shell
// parser. Linear but for nested substitutions, of which it reads a few levels.
ShellReading ReadShellCommand(absl::string_view command);

// Whether some text in place of each kUnknownText makes `text` match `pattern`, in which '*' stands
// for any text.
bool MayMatch(absl::string_view pattern, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_SHELL_READING_H_
