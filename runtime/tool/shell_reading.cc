#include "runtime/tool/shell_reading.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/tool/command_words.h"
#include "runtime/tool/shell_command.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 8;
constexpr size_t kMaxForms = 4000;

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
    AddToWord(c);
  }

  void AddToWord(char c) {
    word_ += c;
    in_word_ = true;
  }

  // A word that follows a redirection names its file.
  void EndWord() {
    if (in_word_ && !in_redirection_ && !word_.empty()) words_.push_back(word_);
    if (in_word_) in_redirection_ = false;
    in_word_ = false;
    word_.clear();
  }

  // The descriptor in front of it belongs to it.
  void BeginRedirection() {
    const bool named = word_ == std::string(1, kUnknownText) && at_ > 0 && text_[at_ - 1] == '}';
    const bool numbered = !word_.empty() && std::all_of(word_.begin(), word_.end(), [](char c) {
      return absl::ascii_isdigit(static_cast<unsigned char>(c));
    });
    if (named || numbered) {
      word_.clear();
      in_word_ = false;
    }
    EndWord();
    in_redirection_ = true;
  }

  void AddUnknown() {
    if (written_.empty() || written_.back() != kUnknownText) written_ += kUnknownText;
    if (plain_.empty() || plain_.back() != kUnknownText) plain_ += kUnknownText;
    if (word_.empty() || word_.back() != kUnknownText) AddToWord(kUnknownText);
  }

  void Step() {
    const char c = text_[at_];
    if (c == '\\') {
      written_ += c;
      ++at_;
      if (at_ >= text_.size()) return;
      written_ += text_[at_];
      if (text_[at_] != '\n') {
        plain_ += text_[at_];
        AddToWord(text_[at_]);
      }
      ++at_;
      return;
    }
    if (c == '$') return Dollar();
    if (c == '`') return Backquote();
    if (c == '"') {
      quoted_ = !quoted_;
      in_word_ = true;
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
      case '\'':
        return SingleQuoted();
      case '<':
      case '>':
        return Redirection(c);
      case '&':
        if (Peek(1) == '>') {
          EndWord();
          return AddSign(c);
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
        if (!IsWordByItself(c)) return Pattern(c);
        break;
      case ' ':
      case '\t':
      case '\r':
      case '\v':
      case '\f':
        EndWord();
        return AddSign(c);
      default:
        break;
    }
    Add(c);
    ++at_;
  }

  // What belongs to no word.
  void AddSign(char c) {
    written_ += c;
    plain_ += c;
    ++at_;
  }

  void SingleQuoted() {
    const size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
    absl::StrAppend(&written_, text_.substr(at_, end - at_ + 1));
    const absl::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    absl::StrAppend(&plain_, inner);
    absl::StrAppend(&word_, inner);
    in_word_ = true;
    at_ = end + 1;
  }

  void Redirection(char c) {
    if (Peek(1) == '(') {
      ++at_;
      return Substitution();
    }
    BeginRedirection();
    AddSign(c);
    if (Peek(0) == '&' || Peek(0) == '|') AddSign(Peek(0));
  }

  void Pattern(char c) {
    written_ += c;
    plain_ += kUnknownText;
    AddToWord(kUnknownText);
    SkipPattern();
  }

  // "{" and "[" alone, and "[[".
  bool IsWordByItself(char c) const {
    const auto ends = [this](size_t ahead) {
      return Peek(ahead) == ' ' || Peek(ahead) == '\t' || Peek(ahead) == '\n';
    };
    if (c != '{' && c != '[') return false;
    if (c == '[' && word_ == "[") return ends(1);
    return word_.empty() && (ends(1) || (c == '[' && Peek(1) == '[' && ends(2)));
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
    EndWord();
    in_redirection_ = false;
    const std::vector<std::string> words = std::exchange(words_, {});
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
    AddForms(plain, words);
  }

  static std::string Program(absl::string_view word) {
    if (const size_t slash = word.rfind('/'); slash != absl::string_view::npos) {
      word.remove_prefix(slash + 1);
    }
    return std::string(word);
  }

  void AddForms(const std::string& plain, const std::vector<std::string>& words) {
    CommandReading command = ReadCommandWords(words);
    std::vector<std::string> forms = CommandForms(plain);
    forms.insert(forms.end(), command.certain.begin(), command.certain.end());
    forms.insert(forms.end(), command.possible.begin(), command.possible.end());
    // xargs adds what it reads.
    const bool takes_arguments = std::any_of(words.begin(), words.end(), [](const auto& word) {
      return Program(word) == "xargs" || Program(word) == "parallel";
    });
    for (std::string& form : forms) {
      if (takes_arguments) absl::StrAppend(&form, " ", std::string(1, kUnknownText));
      reading_->possible.push_back(std::move(form));
    }
    for (std::string& form : command.certain) reading_->certain.push_back(std::move(form));
    for (const std::string& text : command.texts) {
      ShellReading inner;
      std::swap(inner, *reading_);
      Inner(text);
      std::swap(inner, *reading_);
      // Written nowhere as a command, so it is none for sure.
      reading_->possible.insert(reading_->possible.end(), inner.possible.begin(),
                                inner.possible.end());
    }
  }

  const absl::string_view text_;
  const int depth_;
  ShellReading* const reading_;
  size_t at_ = 0;
  bool quoted_ = false;
  std::string written_;
  std::string plain_;
  std::vector<std::string> words_;  // of this command, without quotes and redirections
  std::string word_;
  bool in_word_ = false;         // also of an empty one in quotes
  bool in_redirection_ = false;  // the next word is its file
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
