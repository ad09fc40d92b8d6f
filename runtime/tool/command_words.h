// What one simple command may run, judged by its words.
#ifndef STILE_RUNTIME_TOOL_COMMAND_WORDS_H_
#define STILE_RUNTIME_TOOL_COMMAND_WORDS_H_

#include <string>
#include <vector>

namespace stile {

struct CommandReading {
  // The command as it surely runs: without keywords, assignments and git's global options, and with
  // the program's folder removed.
  std::vector<std::string> certain;
  // What else it may run, for restricting rules; kUnknownText alone for what cannot be read.
  std::vector<std::string> possible;
  // Arguments that a shell may read as commands: values of variables, quoted substitutions.
  std::vector<std::string> texts;
};

// `words`: without quotes and redirections, with kUnknownText for what is not known. A closed list
// names the programs whose arguments are data. Of any other program, each argument may begin a
// command. At most quadratic in the size of the words, of which it reads 200.
CommandReading ReadCommandWords(const std::vector<std::string>& words);

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_COMMAND_WORDS_H_
