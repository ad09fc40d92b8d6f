#include "agents/cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

// Decodes the code point at the start of valid UTF-8 text.
uint32_t CodePoint(absl::string_view text, size_t* length) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  *length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (*length == 1) return byte(0);
  uint32_t point = byte(0) & (0xFF >> (*length + 1));
  for (size_t i = 1; i < *length; ++i) point = point << 6 | (byte(i) & 0x3F);
  return point;
}

bool TurnsDirection(uint32_t point) {
  return point == 0x061C || point == 0x200E || point == 0x200F ||
         (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

int ColumnsOf(uint32_t point) {
  const bool combining = (point >= 0x0300 && point <= 0x036F) || point == 0x200B ||
                         point == 0x200D || (point >= 0xFE00 && point <= 0xFE0F);
  if (combining) return 0;
  const bool wide = (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0xA4CF) ||
                    (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0xF900 && point <= 0xFAFF) ||
                    (point >= 0xFE30 && point <= 0xFE6F) || (point >= 0xFF00 && point <= 0xFF60) ||
                    (point >= 0x1F300 && point <= 0x1FAFF) ||
                    (point >= 0x20000 && point <= 0x3FFFD);
  return wide ? 2 : 1;
}

std::string Harmless(absl::string_view raw, bool one_line) {
  const std::string text = ToUtf8(raw);
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0, length = 0; i < text.size(); i += length) {
    const uint32_t point = CodePoint(absl::string_view(text).substr(i), &length);
    if (point == '\n' || point == '\t') {
      result += one_line ? ' ' : static_cast<char>(point);
    } else if (point == '\r') {
      if (i + 1 >= text.size() || text[i + 1] != '\n') result += one_line ? " " : "^M";
    } else if (point < 0x20) {
      absl::StrAppend(&result, "^", std::string(1, static_cast<char>(point + 0x40)));
    } else if (point == 0x7F) {
      result += "^?";
    } else if ((point >= 0x80 && point < 0xA0) || TurnsDirection(point)) {
      absl::StrAppendFormat(&result, "<U+%04X>", point);
    } else {
      result.append(text, i, length);
    }
  }
  return result;
}

std::atomic<int> print_error{0};  // errno of the last failure

const char* CodeOf(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kRed:
      return "\x1b[31m";
    case Style::kGreen:
      return "\x1b[32m";
    case Style::kYellow:
      return "\x1b[33m";
    case Style::kCyan:
      return "\x1b[36m";
  }
  return "";
}

}  // namespace

Terminal DescribeTerminal(int fd, const Environment& environment) {
  Terminal terminal;
  terminal.is_tty = isatty(fd) != 0;
  if (!terminal.is_tty) return terminal;
  const auto no_color = environment.find("NO_COLOR");
  const auto term = environment.find("TERM");
  terminal.clears = term != environment.end() && !term->second.empty() && term->second != "dumb";
  terminal.color = terminal.clears && (no_color == environment.end() || no_color->second.empty());
  terminal.columns = TerminalColumns(fd, terminal.columns);
  return terminal;
}

int TerminalColumns(int fd, int otherwise) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

std::string Styled(const Terminal& terminal, Style style, absl::string_view text) {
  if (!terminal.color || style == Style::kPlain || text.empty()) return std::string(text);
  return absl::StrCat(CodeOf(style), text, "\x1b[0m");
}

std::string Printable(absl::string_view text) { return Harmless(text, false); }
std::string OneLine(absl::string_view text) { return Harmless(text, true); }

std::string FitColumns(absl::string_view text, int columns) {
  int used = 0;
  size_t last_fit = 0;  // where to cut so that "…" fits behind
  for (size_t i = 0, length = 0; i < text.size(); i += length) {
    const int width = ColumnsOf(CodePoint(text.substr(i), &length));
    if (used + width > columns)
      return absl::StrCat(text.substr(0, last_fit), columns > 0 ? "…" : "");
    used += width;
    if (used <= columns - 1) last_fit = i + length;
  }
  return std::string(text);
}

std::string FormatElapsed(absl::Duration duration) {
  const int64_t ms = absl::ToInt64Milliseconds(duration);
  if (ms < 1000) return absl::StrFormat("%dms", ms);
  if (ms < 60'000) return absl::StrFormat("%d.%ds", ms / 1000, ms % 1000 / 100);
  const int64_t seconds = ms / 1000;
  if (seconds < 3600) return absl::StrFormat("%dm%02ds", seconds / 60, seconds % 60);
  return absl::StrFormat("%dh%02dm", seconds / 3600, seconds % 3600 / 60);
}

std::string FormatCount(int64_t n) {
  if (n < 1000) return absl::StrCat(n);
  if (n < 1'000'000) return absl::StrFormat("%d.%dk", n / 1000, n % 1000 / 100);
  return absl::StrFormat("%d.%dM", n / 1'000'000, n % 1'000'000 / 100'000);
}

bool WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool Print(absl::string_view text) {
  const bool written = WriteAll(STDOUT_FILENO, text);
  if (!written && errno != EPIPE) print_error = errno;
  return written;
}

absl::Status StdoutStatus() {
  const int error = print_error;
  if (error == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("cannot write to standard output: ", strerror(error)));
}

bool PrintJson(const Json& value) { return Print(absl::StrCat(DumpJson(value), "\n")); }

int UsageError(absl::string_view message) {
  WriteAll(STDERR_FILENO, absl::StrCat("stile: ", Printable(message), "\n"));
  return 2;
}

int ReportStatus(const absl::Status& status) {
  UsageError(status.message().empty() ? absl::StatusCodeToString(status.code())
                                      : std::string(status.message()));
  return ExitCodeOf(status);
}

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kOutOfRange:
      return 2;
    case absl::StatusCode::kCancelled:
      return 130;
    default:
      return 6;
  }
}

}  // namespace stile
