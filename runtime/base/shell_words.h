// Command lines as people write them.
#ifndef STILE_RUNTIME_BASE_SHELL_WORDS_H_
#define STILE_RUNTIME_BASE_SHELL_WORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// The words of a command line in the quoting of a POSIX shell, without any expansion.
// InvalidArgument for an open quote.
absl::StatusOr<std::vector<std::string>> SplitShellWords(absl::string_view command);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_SHELL_WORDS_H_
