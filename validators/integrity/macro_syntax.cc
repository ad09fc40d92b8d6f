#include "validators/integrity/macro_syntax.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "re2/re2.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

bool Closes(absl::string_view text) { return text == ")" || text == "]" || text == "}"; }

// See ReadMacroTokens.
class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  MacroTokens Run() {
    while (at_ < text_.size()) Step();
    Index();
    return std::move(tokens_);
  }

 private:
  bool Sees(absl::string_view words) const { return absl::StartsWith(text_.substr(at_), words); }
  void Skip(size_t end) {
    end = std::min(end, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }
  void Take(size_t end) {
    const size_t begin = at_;
    const int line = line_;
    Skip(end);
    tokens_.push_back({std::string(text_.substr(begin, at_ - begin)), line});
  }

  void Step() {
    const char c = text_[at_];
    if (c == '\n') {
      if (in_directive_) tokens_.push_back({"\n", line_});
      in_directive_ = false;
      at_line_start_ = true;
      return Skip(at_ + 1);
    }
    if (Sees("\\\n")) return Skip(at_ + 2);
    if (Sees("\\\r\n")) return Skip(at_ + 3);
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) return Skip(at_ + 1);
    if (Sees("//")) return Skip(text_.find('\n', at_));
    if (Sees("/*")) {
      const size_t end = text_.find("*/", at_ + 2);
      return Skip(end == absl::string_view::npos ? end : end + 2);
    }
    if (c == '#' && at_line_start_) in_directive_ = true;
    at_line_start_ = false;
    if (c == '"') return Take(EndOfString(at_ + 1));
    if (c == '\'') return Quote();
    if (IsIdentifierByte(c) && c != '$') {
      size_t end = at_;
      while (end < text_.size() && IsIdentifierByte(text_[end]) && text_[end] != '$') ++end;
      return Take(end);
    }
    Take(at_ + 1);
  }

  size_t EndOfString(size_t at) const {
    for (; at < text_.size() && text_[at] != '"'; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return at + 1;
  }

  // A character, or a lifetime of Rust.
  void Quote() {
    static const RE2* const kCharacter = new RE2(R"('(\\[^\n]{1,10}?|[^'\\\n]{1,4})')");
    const absl::string_view view = text_.substr(at_);
    re2::StringPiece rest(view.data(), view.size());
    if (RE2::Consume(&rest, *kCharacter)) return Take(text_.size() - rest.size());
    Take(at_ + 1);
  }

  // ';', '{' and '=', but no comparison.
  bool IsOfStatement(size_t i) const {
    const std::string& text = tokens_[i].text;
    if (text != "=") return text == ";" || text == "{";
    const std::string& before = i > 0 ? tokens_[i - 1].text : text;
    const bool compares = before == "=" || before == "<" || before == ">" || before == "!";
    return !compares && (i + 1 >= tokens_.size() || tokens_[i + 1].text != "=");
  }

  void Index() {
    std::vector<size_t> open;
    size_t code = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      tokens_[i].close = tokens_.size();
      tokens_[i].code_before = code;
      if (IsOfStatement(i)) ++code;
      if (OpensBracket(tokens_[i].text)) open.push_back(i);
      if (Closes(tokens_[i].text) && !open.empty()) {
        tokens_[open.back()].close = i;
        open.pop_back();
      }
    }
  }

  const absl::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  bool in_directive_ = false;
  MacroTokens tokens_;
};

// Whether one rule of macro_rules! takes code in and uses none of it.
bool RuleSwallows(const MacroTokens& tokens, size_t pattern, size_t pattern_end, size_t body_end) {
  static const auto* const kCode = new std::set<std::string>{"tt", "item", "block", "stmt", "expr"};
  std::set<std::string> taken;
  for (size_t i = pattern; i + 3 < pattern_end; ++i) {
    if (TextAt(tokens, i) == "$" && TextAt(tokens, i + 2) == ":" &&
        kCode->count(TextAt(tokens, i + 3)) > 0) {
      taken.insert(TextAt(tokens, i + 1));
    }
  }
  if (taken.empty()) return false;
  int as_text = 0;  // the end of stringify!(…)
  for (size_t i = pattern_end; i < body_end; ++i) {
    if (TextAt(tokens, i) == "stringify" && TextAt(tokens, i + 1) == "!") {
      as_text = static_cast<int>(CloseOf(tokens, i + 2));
    }
    if (static_cast<int>(i) > as_text && TextAt(tokens, i) == "$" &&
        taken.count(TextAt(tokens, i + 1)) > 0) {
      return false;
    }
  }
  return true;
}

// macro_rules! name { (pattern) => { body }; … }
void AddRuleMacros(const MacroTokens& tokens, SwallowedParameters* swallowed) {
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (TextAt(tokens, i) != "macro_rules" || TextAt(tokens, i + 1) != "!") continue;
    const std::string name = TextAt(tokens, i + 2);
    const size_t end = CloseOf(tokens, i + 3);
    for (size_t at = i + 4; at < end;) {
      if (!OpensBracket(TextAt(tokens, at))) {
        ++at;
        continue;
      }
      const size_t pattern_end = CloseOf(tokens, at);
      const size_t body = pattern_end + 3;  // behind "=>"
      if (body >= end || !OpensBracket(TextAt(tokens, body))) break;
      const size_t body_end = CloseOf(tokens, body);
      if (RuleSwallows(tokens, at, pattern_end, body_end))
        (*swallowed)[name].insert(kAllParameters);
      at = body_end + 1;
    }
    i = std::min(end, tokens.size());
  }
}

// #define NAME(a, ...) body
void AddDefinedMacros(const MacroTokens& tokens, SwallowedParameters* swallowed) {
  for (size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (TextAt(tokens, i) != "#" || TextAt(tokens, i + 1) != "define" ||
        TextAt(tokens, i + 3) != "(")
      continue;
    const size_t close = CloseOf(tokens, i + 3);
    std::vector<std::string> parameters;
    for (size_t at = i + 4; at < close; ++at) {
      if (IsMacroName(TextAt(tokens, at))) parameters.push_back(TextAt(tokens, at));
      if (TextAt(tokens, at) == "." && TextAt(tokens, at - 1) != ".")
        parameters.push_back("__VA_ARGS__");
    }
    std::set<std::string> used;
    size_t at = close + 1;
    for (; at < tokens.size() && TextAt(tokens, at) != "\n"; ++at) {
      const bool as_text = TextAt(tokens, at - 1) == "#" && TextAt(tokens, at - 2) != "#";
      if (!as_text) used.insert(TextAt(tokens, at));
    }
    std::set<size_t> dropped;
    for (size_t n = 0; n < parameters.size(); ++n) {
      if (used.count(parameters[n]) > 0) continue;
      dropped.insert(parameters[n] == "__VA_ARGS__" ? kAllParameters : n);
    }
    // A log that is a call in one configuration and nothing in another is judged in one of them.
    const auto [entry, is_new] = swallowed->emplace(TextAt(tokens, i + 2), dropped);
    if (!is_new) {
      std::erase_if(entry->second, [&](size_t n) { return dropped.count(n) == 0; });
    }
    i = at;
  }
}

class RuleSyntax : public MacroSyntax {
 public:
  absl::string_view DefinitionWord() const override { return "macro_rules"; }
  absl::string_view CallSign() const override { return "!"; }
  bool HasArguments() const override { return false; }
  void AddMacros(const MacroTokens& tokens, SwallowedParameters* swallowed) const override {
    AddRuleMacros(tokens, swallowed);
  }
};

class PreprocessorSyntax : public MacroSyntax {
 public:
  absl::string_view DefinitionWord() const override { return "define"; }
  absl::string_view CallSign() const override { return ""; }
  bool HasArguments() const override { return true; }
  void AddMacros(const MacroTokens& tokens, SwallowedParameters* swallowed) const override {
    AddDefinedMacros(tokens, swallowed);
  }
};

}  // namespace

MacroTokens ReadMacroTokens(absl::string_view text) { return Lexer(text).Run(); }

bool OpensBracket(absl::string_view text) { return text == "(" || text == "[" || text == "{"; }

bool IsMacroName(absl::string_view text) {
  return !text.empty() && IsIdentifierByte(text[0]) &&
         !absl::ascii_isdigit(static_cast<unsigned char>(text[0]));
}

size_t CloseOf(const MacroTokens& tokens, size_t open) {
  return open < tokens.size() ? tokens[open].close : tokens.size();
}

const std::string& TextAt(const MacroTokens& tokens, size_t i) {
  static const auto* const kNone = new std::string();
  return i < tokens.size() ? tokens[i].text : *kNone;
}

bool MacroSyntax::IsCall(const MacroTokens& tokens, size_t i) const {
  return (CallSign().empty() || TextAt(tokens, i + 1) == CallSign()) &&
         OpensBracket(TextAt(tokens, OpenOfCall(i)));
}

const MacroSyntax* RuleMacros() {
  static const auto* const syntax = new RuleSyntax;
  return syntax;
}
const MacroSyntax* PreprocessorMacros() {
  static const auto* const syntax = new PreprocessorSyntax;
  return syntax;
}

}  // namespace stile
