// Text for people and lines for machines, on the way out.
#ifndef STILE_AGENTS_CLI_OUTPUT_H_
#define STILE_AGENTS_CLI_OUTPUT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/process/process_runner.h"

namespace stile {

// What an output stream is connected to.
struct Terminal {
  bool is_tty = false;
  bool color = false;  // a terminal, no NO_COLOR, and TERM is not "dumb"
  int columns = 80;
  bool clears = false;  // a terminal that knows the sequence that clears what is below the cursor
};
Terminal DescribeTerminal(int fd, const Environment& environment);
// Of the terminal as it is now: a person may change its size at any time. `otherwise` where it
// cannot be known.
int TerminalColumns(int fd, int otherwise);

enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };
// `text` in the style, or as it is when the terminal shows no colours.
std::string Styled(const Terminal& terminal, Style style, absl::string_view text);

// `text` from models, tools and files made harmless for a terminal: control characters (also C1,
// and those that turn the direction of writing) become visible, invalid UTF-8 becomes U+FFFD. Line
// breaks and tabs stay in Printable and become blanks in OneLine.
std::string Printable(absl::string_view text);
std::string OneLine(absl::string_view text);
// The first columns of a printable text; ends in "…" when something is left out.
std::string FitColumns(absl::string_view text, int columns);

std::string FormatElapsed(absl::Duration duration);  // "35ms", "4.2s", "3m07s", "1h02m"
std::string FormatCount(int64_t n);                  // "950", "3.4k", "1.2M"

// Writes all of `text`; false when the other end is gone.
bool WriteAll(int fd, absl::string_view text);
// Writes to stdout. False when the text could not be written; StdoutStatus gives the reason.
bool Print(absl::string_view text);
bool PrintJson(const Json& value);  // one line

// Internal when something could not be printed, for instance because the disk is full. A reader
// that closed its pipe has seen enough: that is no error. Any thread may print; ask when all have
// ended.
absl::Status StdoutStatus();

// "stile: " + message on stderr. Returns 2.
int UsageError(absl::string_view message);
// The exit code that an error stands for: 2 for what the user can put right (bad arguments,
// configuration, nothing there, not in this state), 130 when cancelled, else 6.
int ExitCodeOf(const absl::Status& status);
// UsageError for a status. Returns its ExitCodeOf.
int ReportStatus(const absl::Status& status);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_OUTPUT_H_
