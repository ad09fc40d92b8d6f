#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/text.h"
#include "validators/integrity/project_syntax.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 100;

bool IsBareKeyByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
}

// Checks TOML from front to back and stops at the first fault.
class TomlChecker {
 public:
  explicit TomlChecker(absl::string_view text) : text_(text) {}

  std::optional<SyntaxFault> Run() {
    absl::ConsumePrefix(&text_, "\xEF\xBB\xBF");
    if (!IsUtf8(text_)) return SyntaxFault{0, "it is not UTF-8"};
    while (fault_.empty() && at_ < text_.size()) Expression();
    if (fault_.empty()) return std::nullopt;
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    return SyntaxFault{static_cast<int>(std::count(text_.begin(), end, '\n')) + 1, fault_};
  }

 private:
  char At(size_t offset = 0) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\0';
  }
  bool Fail(absl::string_view what) {
    if (fault_.empty()) fault_ = std::string(what);
    return false;
  }
  void SkipBlanks() {
    while (At() == ' ' || At() == '\t') ++at_;
  }
  void SkipComment() {
    if (At() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  // Blanks, comments and line ends, as they may stand within an array.
  void SkipLines() {
    for (size_t before = at_ + 1; before != at_;) {
      before = at_;
      SkipBlanks();
      SkipComment();
      while (At() == '\n' || (At() == '\r' && At(1) == '\n')) ++at_;
    }
  }

  void Expression() {
    SkipBlanks();
    if (At() == '[') {
      Header();
    } else if (At() != '#' && At() != '\n' && At() != '\r' && at_ < text_.size()) {
      KeyValue(table_, &keys_);
    }
    if (!fault_.empty()) return;
    SkipBlanks();
    SkipComment();
    if (At() == '\r') ++at_;
    if (at_ < text_.size() && At() != '\n') {
      Fail("a line end is missing");
      return;
    }
    if (at_ < text_.size()) ++at_;
  }

  void Header() {
    const bool is_array = At(1) == '[';
    at_ += is_array ? 2 : 1;
    std::string name;
    if (!Key(&name)) return;
    if (!absl::StartsWith(text_.substr(at_), is_array ? "]]" : "]")) {
      Fail("']' is missing");
      return;
    }
    if (is_array) {
      // Each element has tables of its own.
      const auto is_below = [&name](const std::string& other) {
        return absl::StartsWith(other, name);
      };
      std::erase_if(tables_, is_below);
      std::erase_if(keys_, is_below);
    } else if (!tables_.insert(name).second) {
      Fail("a table stands there twice");
      return;
    }
    at_ += is_array ? 2 : 1;
    table_ = name;
  }

  // A dotted key; its parts are appended to `name`, each behind a NUL.
  bool Key(std::string* name) {
    while (true) {
      SkipBlanks();
      const size_t begin = at_;
      if (At() == '"' || At() == '\'') {
        if (!String(/*may_be_long=*/false)) return false;
        absl::StrAppend(name, std::string(1, '\0'), text_.substr(begin + 1, at_ - begin - 2));
      } else {
        while (IsBareKeyByte(At())) ++at_;
        if (at_ == begin) return Fail("a key is expected");
        absl::StrAppend(name, std::string(1, '\0'), text_.substr(begin, at_ - begin));
      }
      SkipBlanks();
      if (At() != '.') return true;
      ++at_;
    }
  }

  bool KeyValue(const std::string& table, std::set<std::string>* keys) {
    std::string name = table;
    if (!Key(&name)) return false;
    if (At() != '=') return Fail("'=' is missing");
    // Behind the name a mark, so that a name never is the beginning of another.
    if (!keys->insert(absl::StrCat(name, std::string(1, '\0'), "=")).second) {
      return Fail("a key stands there twice");
    }
    ++at_;
    SkipBlanks();
    return Value();
  }

  bool Value() {
    if (depth_ >= kMaxDepth) return Fail("values are nested too deeply");
    if (At() == '"' || At() == '\'') return String(/*may_be_long=*/true);
    if (At() == '[') return Array();
    if (At() == '{') return InlineTable();
    static const RE2* const kScalar = new RE2(
        R"((\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?|0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*|[+-]?(?:inf|nan)|[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?|true|false))");
    const absl::string_view view = text_.substr(at_);
    re2::StringPiece rest(view.data(), view.size());
    if (!RE2::Consume(&rest, *kScalar)) return Fail("a value is expected");
    at_ = text_.size() - rest.size();
    return !IsBareKeyByte(At()) || Fail("a value is followed by more");
  }

  bool Array() {
    ++at_;
    ++depth_;
    for (SkipLines(); At() != ']'; SkipLines()) {
      if (!Value()) return false;
      SkipLines();
      if (At() == ']') break;
      if (At() != ',') return Fail("an array is not closed");
      ++at_;
    }
    ++at_;
    --depth_;
    return true;
  }

  bool InlineTable() {
    ++at_;
    ++depth_;
    std::set<std::string> keys;
    SkipBlanks();
    while (At() != '}') {
      if (!KeyValue("", &keys)) return false;
      SkipBlanks();
      if (At() == '}') break;
      if (At() != ',') return Fail("an inline table is not closed");
      ++at_;
      SkipBlanks();
      if (At() == '}') return Fail("a key is expected");
    }
    ++at_;
    --depth_;
    return true;
  }

  bool String(bool may_be_long) {
    const char quote = At();
    const bool is_long = may_be_long && At(1) == quote && At(2) == quote;
    const std::string end(is_long ? 3 : 1, quote);
    const size_t begin = at_;
    for (at_ += end.size(); !absl::StartsWith(text_.substr(at_), end); ++at_) {
      if (at_ >= text_.size() || (!is_long && At() == '\n')) {
        at_ = begin;
        return Fail("a string is not closed");
      }
      if (quote == '"' && At() == '\\' && !Escape()) return false;
    }
    at_ += end.size();
    // Up to two quotes may stand before the three that close.
    for (int i = 0; is_long && i < 2 && At() == quote; ++i) ++at_;
    return true;
  }

  bool Escape() {
    ++at_;
    if (!absl::StrContains("btnfre\"\\uUx \t\r\n", At()) || At() == '\0') {
      return Fail("an unknown escape sequence");
    }
    return true;
  }

  absl::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string fault_;
  std::string table_;
  std::set<std::string> tables_;
  std::set<std::string> keys_;
};

}  // namespace

std::optional<SyntaxFault> TomlFault(absl::string_view text) { return TomlChecker(text).Run(); }

}  // namespace stile
