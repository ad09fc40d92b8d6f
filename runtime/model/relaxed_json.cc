#include "runtime/model/relaxed_json.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

// Rewrites the value at the start of `text` as strict JSON, byte by byte, until its brackets close.
class Rewriter {
 public:
  explicit Rewriter(absl::string_view text) : text_(text) {}

  // False: the value does not end.
  bool Run() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (!String(c)) return false;
        continue;
      }
      if (absl::ascii_isalpha(static_cast<unsigned char>(c))) {
        Word();
        continue;
      }
      if (c == '}' || c == ']') DropComma();
      strict_.push_back(c);
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return true;
    }
    return false;
  }

  const std::string& strict() const { return strict_; }
  size_t end() const { return at_; }

 private:
  bool String(char quote) {
    strict_.push_back('"');
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) {
        strict_.push_back('"');
        ++at_;
        return true;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        const char next = text_[++at_];
        if (next != '\'') strict_.push_back('\\');  // \' is no JSON escape
        strict_.push_back(next);
      } else if (c == '"') {
        strict_ += "\\\"";
      } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c)) && c != 0x7F) {
        absl::StrAppendFormat(&strict_, "\\u%04x", static_cast<unsigned>(c));
      } else {
        strict_.push_back(c);
      }
    }
    return false;
  }

  void Word() {
    const size_t start = at_;
    while (at_ < text_.size() && absl::ascii_isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    const absl::string_view word = text_.substr(start, at_ - start);
    if (word == "True") {
      strict_ += "true";
    } else if (word == "False") {
      strict_ += "false";
    } else if (word == "None") {
      strict_ += "null";
    } else {
      absl::StrAppend(&strict_, word);
    }
  }

  void DropComma() {
    const absl::string_view before = absl::StripTrailingAsciiWhitespace(strict_);
    if (!before.empty() && before.back() == ',') strict_.resize(before.size() - 1);
  }

  const absl::string_view text_;
  size_t at_ = 0;
  std::string strict_;
};

}  // namespace

std::optional<RelaxedJson> ParseRelaxedJson(absl::string_view text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return std::nullopt;
  Rewriter rewriter(text);
  if (!rewriter.Run()) return std::nullopt;
  // Strict JSON comes out as it went in, so this is its only parse.
  auto value = ParseWireJson(rewriter.strict());
  if (!value.ok()) return std::nullopt;
  return RelaxedJson{*std::move(value), rewriter.end()};
}

}  // namespace stile
