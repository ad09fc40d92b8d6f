#include "runtime/syntax/macro_mask.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace stile {
namespace {

bool IsWordByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
 public:
  Reader(absl::string_view text, size_t at) : text_(text), at_(at) {}

  size_t at() const { return at_; }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  absl::string_view Word() {
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && IsWordByte(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // Behind the bracket that closes the one here; false if there is none on the same few lines.
  bool SkipBrackets() {
    constexpr size_t kMaxBytes = 400;
    int depth = 0;
    for (size_t end = std::min(text_.size(), at_ + kMaxBytes); at_ < end; ++at_) {
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')' && --depth == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }

 private:
  absl::string_view text_;
  size_t at_;
};

// By convention: capitals, digits and underscores, and more than one of them.
bool IsMacroName(absl::string_view word) {
  bool has_letter = false;
  for (const char c : word) {
    if (absl::ascii_islower(static_cast<unsigned char>(c))) return false;
    has_letter |= absl::ascii_isupper(static_cast<unsigned char>(c));
  }
  return has_letter && word.size() > 1;
}

}  // namespace

MaskedText MaskMacros(const Grammar& grammar, absl::string_view text) {
  MaskedText masked;
  if (grammar.name != "cpp" && grammar.name != "c") return masked;
  for (const absl::string_view keyword : {"class", "struct", "union", "enum"}) {
    for (size_t at = 0; (at = text.find(keyword, at)) != absl::string_view::npos;) {
      const size_t behind = at + keyword.size();
      const bool is_word = (at == 0 || !IsWordByte(text[at - 1])) && behind < text.size() &&
                           !IsWordByte(text[behind]);
      at = behind;
      if (!is_word) continue;
      Reader reader(text, behind);
      reader.SkipSpace();
      const size_t begin = reader.at();
      const absl::string_view macro = reader.Word();
      if (!IsMacroName(macro)) continue;
      const size_t name_end = reader.at();
      reader.SkipSpace();
      if (reader.Peek() == '(' && !reader.SkipBrackets()) continue;
      const size_t end = reader.at();
      absl::string_view name = reader.Word();
      while (absl::StartsWith(text.substr(reader.at()), "::")) {
        reader = Reader(text, reader.at() + 2);
        name = reader.Word();
      }
      if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) continue;
      reader.SkipSpace();
      if (absl::StartsWith(text.substr(reader.at()), "final")) {
        reader.Word();
        reader.SkipSpace();
      }
      // `struct FOO bar;` declares a variable.
      if (reader.Peek() != '{' && reader.Peek() != ':') continue;
      if (masked.text.empty()) masked.text = std::string(text);
      for (size_t i = begin; i < end; ++i) {
        if (masked.text[i] != '\n' && masked.text[i] != '\r') masked.text[i] = ' ';
      }
      masked.macros.emplace_back(static_cast<uint32_t>(begin), static_cast<uint32_t>(name_end));
    }
  }
  return masked;
}

}  // namespace stile
