#include "runtime/tool/shell_reading.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/tool/shell_command.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 8;
constexpr size_t kMaxForms = 2000;
constexpr size_t kMaxWordsBefore = 50;  // a program, which is looked for no longer than that

bool IsNameChar(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
 public:
  Reader(absl::string_view text, int depth, ShellReading* reading)
      : text_(text), depth_(depth), reading_(reading) {}

  void Read() {
    while (at_ < text_.size()) Step();
    Cut();
  }

 private:
  char Peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void Add(char c) {
    written_ += c;
    plain_ += c;
  }

  void AddUnknown() {
    if (written_.empty() || written_.back() != kUnknownText) written_ += kUnknownText;
    if (plain_.empty() || plain_.back() != kUnknownText) plain_ += kUnknownText;
  }

  void Step() {
    const char c = text_[at_];
    if (c == '\\') {
      written_ += c;
      ++at_;
      if (at_ >= text_.size()) return;
      written_ += text_[at_];
      if (text_[at_] != '\n') plain_ += text_[at_];
      ++at_;
      return;
    }
    if (c == '$') return Dollar();
    if (c == '`') return Backquote();
    if (c == '"') {
      quoted_ = !quoted_;
      written_ += c;
      ++at_;
      return;
    }
    if (quoted_) {
      Add(c);
      ++at_;
      return;
    }
    Unquoted(c);
  }

  void Unquoted(char c) {
    switch (c) {
      case '\'': {
        const size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
        absl::StrAppend(&written_, text_.substr(at_, end - at_ + 1));
        absl::StrAppend(&plain_, text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return;
      }
      case '<':
      case '>':
        if (Peek(1) == '(') {
          ++at_;
          return Substitution();
        }
        Add(c);
        ++at_;
        if (Peek(0) == '&' || Peek(0) == '|') {
          Add(Peek(0));
          ++at_;
        }
        return;
      case '&':
        if (Peek(1) == '>') {
          Add(c);
          ++at_;
          return;
        }
        [[fallthrough]];
      case ';':
      case '|':
      case '\n':
      case '(':
      case ')':
        Cut();
        ++at_;
        return;
      case '*':
      case '?':
      case '[':
      case '{':
        written_ += c;
        // "{" alone is a keyword.
        if (c != '{' || (Peek(1) != ' ' && Peek(1) != '\n')) {
          plain_ += kUnknownText;
          SkipPattern();
        } else {
          plain_ += c;
          ++at_;
        }
        return;
      default:
        Add(c);
        ++at_;
    }
  }

  // The rest of a word that begins to be a pattern may be anything too.
  void SkipPattern() {
    const char open = text_[at_];
    ++at_;
    const char close = open == '[' ? ']' : open == '{' ? '}' : '\0';
    if (close == '\0') return;
    const absl::string_view rest = text_.substr(at_);
    const size_t end = rest.find_first_of(absl::StrCat(std::string(1, close), " \t\n;|&"));
    if (end == absl::string_view::npos || rest[end] != close) return;
    absl::StrAppend(&written_, rest.substr(0, end + 1));
    at_ += end + 1;
  }

  // At the parenthesis: reads what is in it by itself, and takes its output for unknown.
  void Substitution() {
    const size_t begin = ++at_;
    int depth = 1;
    char quote = '\0';
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && quote != '\'') {
        ++at_;
      } else if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        break;
      }
    }
    const size_t end = std::min(at_, text_.size());
    Inner(text_.substr(begin, end - begin));
    at_ = end + 1;
    AddUnknown();
  }

  void Backquote() {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '`') at_ += text_[at_] == '\\' ? 2 : 1;
    const size_t end = std::min(at_, text_.size());
    Inner(text_.substr(begin, end - begin));
    at_ = end + 1;
    AddUnknown();
  }

  void Inner(absl::string_view text) {
    if (depth_ < kMaxDepth) {
      Reader(text, depth_ + 1, reading_).Read();
    } else {
      reading_->possible.emplace_back(1, kUnknownText);
    }
  }

  void Dollar() {
    const char next = Peek(1);
    if (next == '(') {
      ++at_;
      return Substitution();
    }
    if (next == '{') {
      const size_t end = text_.find('}', at_);
      at_ = end == absl::string_view::npos ? text_.size() : end + 1;
      return AddUnknown();
    }
    if (IsNameChar(next)) {
      ++at_;
      while (IsNameChar(Peek(0))) ++at_;
      return AddUnknown();
    }
    if (next != '\0' && absl::StrContains("@*#?-$!'\"", std::string(1, next)) &&
        !(quoted_ && next == '"')) {
      // $'…' and $"…" hold text of their own, which is read on.
      at_ += next == '\'' || next == '"' ? 1 : 2;
      return AddUnknown();
    }
    Add('$');
    ++at_;
  }

  void Cut() {
    const std::string written(absl::StripAsciiWhitespace(written_));
    const std::string plain(absl::StripAsciiWhitespace(plain_));
    written_.clear();
    plain_.clear();
    if (plain.empty()) return;
    if (reading_->possible.size() >= kMaxForms) {
      reading_->possible.back() = std::string(1, kUnknownText);
      return;
    }
    reading_->written.push_back(written);
    AddForms(plain);
  }

  static std::string Program(absl::string_view word) {
    if (const size_t slash = word.rfind('/'); slash != absl::string_view::npos) {
      word.remove_prefix(slash + 1);
    }
    return std::string(word);
  }

  void AddForms(const std::string& plain) {
    std::vector<std::string>* const forms = &reading_->possible;
    bool takes_arguments = false;  // xargs adds what it reads
    for (const absl::string_view word : absl::StrSplit(plain, ' ', absl::SkipEmpty())) {
      takes_arguments = takes_arguments || Program(word) == "xargs" || Program(word) == "parallel";
    }
    for (std::string form : CommandForms(plain)) {
      if (takes_arguments) absl::StrAppend(&form, " ", std::string(1, kUnknownText));
      forms->push_back(std::move(form));
    }
    const std::vector<std::string> words =
        absl::StrSplit(plain, absl::ByAnyChar(" \t\r\n\v\f"), absl::SkipEmpty());
    for (size_t i = 0, found = 0; i < words.size() && found < kMaxWordsBefore; ++i) {
      // find … -exec PROGRAM
      if (words[i] != "-exec" && words[i] != "-execdir" && words[i] != "-ok") continue;
      ++found;
      forms->push_back(
          absl::StrJoin(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end(), " "));
    }
    for (size_t i = 0; i < words.size(); ++i) {
      if (i >= kMaxWordsBefore) {
        forms->emplace_back(1, kUnknownText);
        break;
      }
      const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                          words.end());
      if (RunsText(Program(words[i]), rest)) forms->emplace_back(1, kUnknownText);
      if (!MayPrecedeProgram(words[i])) break;
    }
  }

  // Words after which another one may be the program: assignments, wrappers, their options.
  static bool MayPrecedeProgram(const std::string& word) {
    return CommandForms(absl::StrCat(word, " x")).size() > 2 || absl::StartsWith(word, "-") ||
           absl::StrContains(word, "=") || absl::StrContains(word, "/") ||
           absl::ascii_isdigit(static_cast<unsigned char>(word[0]));
  }

  // Whether a program runs text that does not stand here.
  static bool RunsText(const std::string& program, const std::vector<std::string>& arguments) {
    if (program == "eval" || program == "source" || program == ".") return true;
    for (const char* shell : {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh"}) {
      if (program != shell) continue;
      bool has_script = false;
      for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (word.find_first_of("<>") != std::string::npos) {
          // What follows a bare redirection is its file.
          if (absl::StrContains("<>", word.substr(word.size() - 1))) ++i;
        } else {
          has_script = has_script || !absl::StartsWith(word, "-");
        }
      }
      const auto runs_argument = [](const std::string& word) {
        return absl::StartsWith(word, "-") && !absl::StartsWith(word, "--") &&
               (absl::StrContains(word, "c") || absl::StrContains(word, "s"));
      };
      return !has_script || std::any_of(arguments.begin(), arguments.end(), runs_argument);
    }
    return false;
  }

  const absl::string_view text_;
  const int depth_;
  ShellReading* const reading_;
  size_t at_ = 0;
  bool quoted_ = false;
  std::string written_;
  std::string plain_;
};

}  // namespace

ShellReading ReadShellCommand(absl::string_view command) {
  ShellReading reading;
  Reader(command, 0, &reading).Read();
  if (SplitShellCommand(command).opaque) reading.possible.emplace_back(1, kUnknownText);
  return reading;
}

bool MayMatch(absl::string_view pattern, absl::string_view text) {
  // reachable[t]: what was read of the pattern can be the first t bytes of the text.
  std::vector<char> reachable(text.size() + 1, 0);
  reachable[0] = 1;
  const auto pass_unknown = [&] {
    for (size_t t = 0; t < text.size(); ++t) {
      if (reachable[t] != 0 && text[t] == kUnknownText) reachable[t + 1] = 1;
    }
  };
  pass_unknown();
  for (const char p : pattern) {
    std::vector<char> next(text.size() + 1, 0);
    if (p == '*') {
      bool any = false;
      for (size_t t = 0; t <= text.size(); ++t) {
        any = any || reachable[t] != 0;
        next[t] = any ? 1 : 0;
      }
    } else {
      for (size_t t = 0; t < text.size(); ++t) {
        if (reachable[t] == 0) continue;
        if (text[t] == p) next[t + 1] = 1;
        if (text[t] == kUnknownText) next[t] = 1;  // it holds this one, and may hold more
      }
    }
    reachable = std::move(next);
    pass_unknown();
  }
  return reachable[text.size()] != 0;
}

}  // namespace stile
