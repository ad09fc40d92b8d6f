#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/text.h"
#include "validators/integrity/project_syntax.h"

namespace stile {
namespace {

bool IsNameByte(char c) { return IsIdentifierByte(c) || c == '-' || c == '.' || c == ':'; }

// Checks XML from front to back and stops at the first fault.
class XmlChecker {
 public:
  explicit XmlChecker(absl::string_view text) : text_(text) {}

  std::optional<SyntaxFault> Run() {
    absl::ConsumePrefix(&text_, "\xEF\xBB\xBF");
    while (fault_.empty() && at_ < text_.size()) Step();
    if (fault_.empty() && !open_.empty()) {
      Fail(absl::StrCat("<", ToUtf8(open_.back()), "> is not closed"));
    }
    if (fault_.empty() && !has_root_) Fail("there is no element");
    if (fault_.empty()) return std::nullopt;
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    return SyntaxFault{static_cast<int>(std::count(text_.begin(), end, '\n')) + 1, fault_};
  }

 private:
  void Fail(std::string what) {
    if (fault_.empty()) fault_ = std::move(what);
  }
  bool Sees(absl::string_view words) const { return absl::StartsWith(text_.substr(at_), words); }
  char At() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void SkipBlanks() {
    while (absl::ascii_isspace(static_cast<unsigned char>(At()))) ++at_;
  }
  void SkipThrough(absl::string_view end, absl::string_view what) {
    const size_t found = text_.find(end, at_);
    if (found == absl::string_view::npos) return Fail(absl::StrCat(what, " is not closed"));
    at_ = found + end.size();
  }
  absl::string_view Name() {
    const size_t begin = at_;
    while (IsNameByte(At())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void Step() {
    if (Sees("<!--")) {
      at_ += 4;
      SkipThrough("-->", "a comment");
    } else if (Sees("<?")) {
      SkipThrough("?>", "an instruction");
    } else if (Sees("<![CDATA[")) {
      if (open_.empty()) return Fail("text stands outside the root element");
      SkipThrough("]]>", "CDATA");
    } else if (Sees("<!DOCTYPE")) {
      DocType();
    } else if (Sees("</")) {
      EndTag();
    } else if (At() == '<') {
      StartTag();
    } else {
      Text();
    }
  }

  void DocType() {
    const size_t end = text_.find('>', at_);
    const size_t subset = text_.find('[', at_);
    if (subset < end) {
      at_ = subset;
      SkipThrough("]", "the document type");
    }
    if (fault_.empty()) SkipThrough(">", "the document type");
  }

  void StartTag() {
    ++at_;
    const absl::string_view name = Name();
    if (name.empty()) return Fail("'<' is followed by no name");
    if (open_.empty() && has_root_) return Fail("there is a second root element");
    has_root_ = true;
    std::set<absl::string_view> attributes;
    for (SkipBlanks(); IsNameByte(At()); SkipBlanks()) {
      const absl::string_view attribute = Name();
      if (!attributes.insert(attribute).second) {
        return Fail(absl::StrCat("the attribute ", ToUtf8(attribute), " stands there twice"));
      }
      SkipBlanks();
      if (At() != '=') return Fail("an attribute has no value");
      ++at_;
      SkipBlanks();
      const char quote = At();
      if (quote != '"' && quote != '\'') return Fail("a value has no quotes");
      const size_t end = text_.find(quote, at_ + 1);
      if (end == absl::string_view::npos) return Fail("a value is not closed");
      const absl::string_view value = text_.substr(at_ + 1, end - at_ - 1);
      if (absl::StrContains(value, '<')) return Fail("'<' stands in a value");
      if (!HasGoodReferences(value)) return Fail("'&' stands alone");
      at_ = end + 1;
    }
    if (Sees("/>")) {
      at_ += 2;
    } else if (At() == '>') {
      ++at_;
      open_.push_back(name);
    } else {
      Fail(absl::StrCat("the tag of ", ToUtf8(name), " is not closed"));
    }
  }

  void EndTag() {
    const size_t begin = at_;
    at_ += 2;
    const absl::string_view name = Name();
    SkipBlanks();
    if (open_.empty() || open_.back() != name || At() != '>') {
      at_ = begin;
      return Fail(absl::StrCat("</", ToUtf8(name), "> closes nothing"));
    }
    ++at_;
    open_.pop_back();
  }

  void Text() {
    const size_t end = std::min(text_.find('<', at_), text_.size());
    const absl::string_view words = text_.substr(at_, end - at_);
    if (open_.empty() && !absl::StripAsciiWhitespace(words).empty()) {
      return Fail("text stands outside the root element");
    }
    if (!HasGoodReferences(words)) return Fail("'&' stands alone");
    at_ = end;
  }

  static bool HasGoodReferences(absl::string_view words) {
    static const RE2* const kReference = new RE2(R"(&(#\d+|#x[0-9A-Fa-f]+|[A-Za-z_][\w.-]*);)");
    for (size_t at = words.find('&'); at != absl::string_view::npos; at = words.find('&', at + 1)) {
      re2::StringPiece rest(words.data() + at, words.size() - at);
      if (!RE2::Consume(&rest, *kReference)) return false;
    }
    return true;
  }

  absl::string_view text_;
  size_t at_ = 0;
  bool has_root_ = false;
  std::vector<absl::string_view> open_;
  std::string fault_;
};

}  // namespace

std::optional<SyntaxFault> XmlFault(absl::string_view text) { return XmlChecker(text).Run(); }

}  // namespace stile
