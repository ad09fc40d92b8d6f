#include "runtime/template/template_pieces.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

// Where the brace ends, strings passed over.
size_t EndOfBrace(absl::string_view text, size_t from, absl::string_view end) {
  char quote = 0;
  for (size_t i = from; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (absl::StartsWith(text.substr(i), end)) {
      return i;
    }
  }
  return absl::string_view::npos;
}

// Splits a source into its pieces.
class Splitter {
 public:
  explicit Splitter(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<TemplatePiece>> Split() {
    for (size_t open = NextBrace(); open != absl::string_view::npos; open = NextBrace()) {
      STILE_RETURN_IF_ERROR(TakeBrace(open));
      const TemplatePiece& piece = pieces_.back();
      const bool is_raw = piece.kind == TemplatePiece::Kind::kTag &&
                          (piece.text == "raw" || piece.text == "comment");
      if (!is_raw) continue;
      const absl::string_view word = piece.text;
      pieces_.pop_back();
      STILE_RETURN_IF_ERROR(PassRaw(word));
    }
    AddText(text_.size(), false);
    return std::move(pieces_);
  }

 private:
  // The second character of the next "{{" or "{%".
  size_t NextBrace() const {
    for (size_t open = text_.find('{', at_); open != absl::string_view::npos;
         open = text_.find('{', open)) {
      if (++open >= text_.size()) break;
      if (text_[open] == '{' || text_[open] == '%') return open;
    }
    return absl::string_view::npos;
  }

  int LinesBetween(size_t begin, size_t end) const {
    return static_cast<int>(std::count(text_.begin() + begin, text_.begin() + end, '\n'));
  }

  void AddText(size_t end, bool strip_end) {
    absl::string_view part = text_.substr(at_, end - at_);
    if (strip_next_) part = absl::StripLeadingAsciiWhitespace(part);
    if (strip_end) part = absl::StripTrailingAsciiWhitespace(part);
    if (!part.empty()) pieces_.push_back({TemplatePiece::Kind::kText, part, line_});
    line_ += LinesBetween(at_, end);
  }

  // Takes the text before a brace, and the brace.
  absl::Status TakeBrace(size_t open) {
    const bool is_tag = text_[open] == '%';
    const bool strips_before = absl::StartsWith(text_.substr(open + 1), "-");
    AddText(open - 1, strips_before);
    const size_t begin = open + (strips_before ? 2 : 1);
    const size_t close = EndOfBrace(text_, begin, is_tag ? "%}" : "}}");
    if (close == absl::string_view::npos) {
      return TemplateErrorAt(line_, absl::StrCat("'", is_tag ? "{%" : "{{", "' is not closed"));
    }
    absl::string_view inside = text_.substr(begin, close - begin);
    strip_next_ = absl::ConsumeSuffix(&inside, "-");
    pieces_.push_back({is_tag ? TemplatePiece::Kind::kTag : TemplatePiece::Kind::kOutput,
                       absl::StripAsciiWhitespace(inside), line_});
    line_ += LinesBetween(begin, close);
    at_ = close + 2;
    return absl::OkStatus();
  }

  // Behind a tag "raw" or "comment": up to its end nothing is looked at.
  absl::Status PassRaw(absl::string_view word) {
    const std::string end_word = absl::StrCat("end", word);
    for (size_t end = text_.find("{%", at_); end != absl::string_view::npos;
         end = text_.find("{%", end + 1)) {
      const size_t tag_end = text_.find("%}", end);
      absl::string_view tag =
          text_.substr(end + 2, tag_end == absl::string_view::npos ? 0 : tag_end - end - 2);
      absl::ConsumePrefix(&tag, "-");
      absl::ConsumeSuffix(&tag, "-");
      if (absl::StripAsciiWhitespace(tag) != end_word) continue;
      if (word == "raw") {
        AddText(end, false);
      } else {
        line_ += LinesBetween(at_, end);
      }
      at_ = tag_end + 2;
      strip_next_ = text_[tag_end - 1] == '-';
      return absl::OkStatus();
    }
    return TemplateErrorAt(line_, absl::StrCat("'", end_word, "' is missing"));
  }

  const absl::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  bool strip_next_ = false;  // the text behind the brace
  std::vector<TemplatePiece> pieces_;
};

}  // namespace

absl::Status TemplateErrorAt(int line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", message));
}

absl::StatusOr<std::vector<TemplatePiece>> SplitTemplate(absl::string_view text) {
  return Splitter(text).Split();
}

}  // namespace stile
