#include "runtime/tool/shell_command.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

constexpr size_t kMaxParts = 1000;

bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '_'; }

class Splitter {
 public:
  explicit Splitter(absl::string_view text) : text_(text) {}

  ShellCommand Split() {
    while (at_ < text_.size()) Step();
    Cut();
    // An open quote or parenthesis: the shell would read on, or refuse.
    if (!contexts_.empty()) result_.opaque = true;
    if (result_.parts.size() >= kMaxParts) result_.opaque = true;
    return std::move(result_);
  }

 private:
  enum class Context { kDoubleQuotes, kParenthesis, kBackquote };

  char Peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool In(Context context) const { return !contexts_.empty() && contexts_.back() == context; }

  void Take(size_t n) {
    n = std::min(n, text_.size() - at_);
    part_.append(text_.data() + at_, n);
    at_ += n;
  }

  void Cut() {
    const absl::string_view part = absl::StripAsciiWhitespace(part_);
    if (!part.empty() && result_.parts.size() < kMaxParts) result_.parts.emplace_back(part);
    part_.clear();
  }

  // Ends the part at an operator of `n` bytes.
  void CutAt(size_t n) {
    Cut();
    at_ += n;
  }

  void Step() {
    const char c = text_[at_];
    if (c == '\0') result_.opaque = true;
    if (c == '\\') return Take(2);
    if (c == '`') return Backquote();
    if (c == '$') return Dollar();
    if (In(Context::kDoubleQuotes)) {
      if (c == '"') contexts_.pop_back();
      return Take(1);
    }
    Unquoted(c);
  }

  void Backquote() {
    if (In(Context::kBackquote)) {
      contexts_.pop_back();
    } else {
      contexts_.push_back(Context::kBackquote);
    }
    CutAt(1);
  }

  void Dollar() {
    if (Peek(1) == '(') {
      contexts_.push_back(Context::kParenthesis);
      return CutAt(2);
    }
    if (Peek(1) == '\'') result_.opaque = true;
    if (Peek(1) == '{') {
      size_t end = 2;
      while (IsNameChar(Peek(end))) ++end;
      if (Peek(end) != '}') result_.opaque = true;
    }
    Take(1);
  }

  void Unquoted(char c) {
    const bool at_word_start =
        part_.empty() || absl::ascii_isspace(static_cast<unsigned char>(part_.back()));
    switch (c) {
      case '\'': {
        const size_t end = text_.find('\'', at_ + 1);
        if (end == absl::string_view::npos) result_.opaque = true;
        return Take(end == absl::string_view::npos ? text_.size() : end - at_ + 1);
      }
      case '"':
        contexts_.push_back(Context::kDoubleQuotes);
        return Take(1);
      case '#':
        if (at_word_start) result_.opaque = true;
        return Take(1);
      case '<':
        if (Peek(1) == '<') result_.opaque = true;
        [[fallthrough]];
      case '>':
        if (Peek(1) == '(') {
          contexts_.push_back(Context::kParenthesis);
          return CutAt(2);
        }
        // ">&" and ">|" belong to the redirection.
        return Take(Peek(1) == '&' || (c == '>' && Peek(1) == '|') ? 2 : 1);
      case '&':
        if (Peek(1) == '>') return Take(2);
        return CutAt(1);
      case '(':
        contexts_.push_back(Context::kParenthesis);
        return CutAt(1);
      case ')':
        if (In(Context::kParenthesis)) contexts_.pop_back();
        return CutAt(1);
      case ';':
      case '|':
      case '\n':
        return CutAt(1);
      default:
        return Take(1);
    }
  }

  absl::string_view text_;
  size_t at_ = 0;
  std::string part_;
  std::vector<Context> contexts_;
  ShellCommand result_;
};

bool IsAssignment(absl::string_view word) {
  const size_t equals = word.find('=');
  if (equals == absl::string_view::npos || equals == 0) return false;
  for (const char c : word.substr(0, equals)) {
    if (!IsNameChar(c) && c != '+') return false;
  }
  return true;
}

// Programs that run their argument as shell text.
bool IsShell(absl::string_view word) {
  if (const size_t slash = word.rfind('/'); slash != absl::string_view::npos) {
    word.remove_prefix(slash + 1);
  }
  return word == "sh" || word == "bash" || word == "dash" || word == "zsh" || word == "ksh" ||
         word == "eval";
}

// Words in front of a program that do not change which program runs.
bool IsPrefixWord(absl::string_view word) {
  static const auto* const kWords = new std::set<std::string>{
      "!",      "{",      "if",     "then",  "elif",    "else",    "do",      "while", "until",
      "time",   "sudo",   "doas",   "env",   "exec",    "command", "builtin", "nohup", "nice",
      "ionice", "setsid", "stdbuf", "xargs", "busybox", "timeout", "coproc"};
  return kWords->count(std::string(word)) > 0;
}

}  // namespace

ShellCommand SplitShellCommand(absl::string_view command) { return Splitter(command).Split(); }

bool HasOutputRedirection(absl::string_view part) {
  char quote = '\0';
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (quote == '\0' && c == '\\') {
      ++i;
    } else if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '>') {
      absl::string_view target = part.substr(i + 1);
      if (!target.empty() && (target[0] == '>' || target[0] == '|')) target.remove_prefix(1);
      if (absl::ConsumePrefix(&target, "&") && !target.empty() &&
          (absl::ascii_isdigit(target[0]) || target[0] == '-')) {
        continue;
      }
      target = absl::StripLeadingAsciiWhitespace(target);
      if (!absl::ConsumePrefix(&target, "/dev/null") ||
          (!target.empty() && !absl::ascii_isspace(target[0]))) {
        return true;
      }
    }
  }
  return false;
}

std::vector<std::string> CommandForms(absl::string_view part) {
  std::vector<std::string> forms = {std::string(part)};
  std::string plain;
  for (const char c : part) {
    if (c != '\'' && c != '"' && c != '\\') plain += c;
  }
  std::vector<std::string> words =
      absl::StrSplit(plain, absl::ByAnyChar(" \t\r\n\v\f"), absl::SkipEmpty());
  forms.push_back(absl::StrJoin(words, " "));
  // Each prefix taken away gives a form of its own; options of wrappers go with them.
  bool after_wrapper = false;
  bool after_shell = false;
  while (!words.empty()) {
    const std::string& first = words.front();
    const bool option =
        after_wrapper &&
        (absl::StartsWith(first, "-") || absl::ascii_isdigit(static_cast<unsigned char>(first[0])));
    const bool shell = IsShell(first);
    if (!IsAssignment(first) && !IsPrefixWord(first) && !option && !shell) break;
    after_shell = after_shell || shell;
    after_wrapper = after_wrapper || shell || IsPrefixWord(first);
    words.erase(words.begin());
    forms.push_back(absl::StrJoin(words, " "));
  }
  if (!words.empty()) {
    const size_t slash = words.front().rfind('/');
    if (slash != std::string::npos) {
      words.front() = words.front().substr(slash + 1);
      forms.push_back(absl::StrJoin(words, " "));
    }
  }
  if (after_shell) {  // what was in its quotes may be a chain
    const std::vector<std::string> pieces = absl::StrSplit(
        absl::StrJoin(words, " "), absl::ByAnyChar(";&|()`"), absl::SkipWhitespace());
    for (const std::string& piece : pieces) {
      forms.emplace_back(absl::StripAsciiWhitespace(piece));
    }
  }
  return forms;
}

}  // namespace stile
