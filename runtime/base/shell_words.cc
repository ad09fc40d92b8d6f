#include "runtime/base/shell_words.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"

namespace stile {

absl::StatusOr<std::vector<std::string>> SplitShellWords(absl::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      const char next = command[++i];
      if (quote == '"' && !absl::StrContains("\"\\$`\n", next)) word += '\\';
      word += next;
    } else {
      word += c;
    }
  }
  if (quote != '\0') return absl::InvalidArgumentError("a command with an open quote");
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace stile
