#include "validators/integrity/swallowing_macros.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

// Words, literals and signs, without comments and blanks.
struct Token {
  std::string text;
  int line = 0;
  size_t close = 0;        // of an opening bracket: the index of the one that closes it
  size_t code_before = 0;  // how many tokens before this one are those of statements
};
using Tokens = std::vector<Token>;

bool Opens(absl::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool Closes(absl::string_view text) { return text == ")" || text == "]" || text == "}"; }

// Enough of the tokens of Rust, C and C++ to tell brackets from text. A line that begins with '#'
// ends with the token "\n", so that a definition has an end.
class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  Tokens Run() {
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
      if (Opens(tokens_[i].text)) open.push_back(i);
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
  Tokens tokens_;
};

bool IsName(absl::string_view text) {
  return !text.empty() && IsIdentifierByte(text[0]) &&
         !absl::ascii_isdigit(static_cast<unsigned char>(text[0]));
}

// The bracket that closes the one at `open`; the end if there is none.
size_t CloseOf(const Tokens& tokens, size_t open) {
  return open < tokens.size() ? tokens[open].close : tokens.size();
}

const std::string& At(const Tokens& tokens, size_t i) {
  static const auto* const kNone = new std::string();
  return i < tokens.size() ? tokens[i].text : *kNone;
}

// Parameters that each macro drops, by its name. "*": all of them.
using Swallowed = std::map<std::string, std::set<size_t>>;
constexpr size_t kAll = static_cast<size_t>(-1);

// Whether one rule of macro_rules! takes code in and uses none of it.
bool RuleSwallows(const Tokens& tokens, size_t pattern, size_t pattern_end, size_t body_end) {
  static const auto* const kCode = new std::set<std::string>{"tt", "item", "block", "stmt", "expr"};
  std::set<std::string> taken;
  for (size_t i = pattern; i + 3 < pattern_end; ++i) {
    if (At(tokens, i) == "$" && At(tokens, i + 2) == ":" && kCode->count(At(tokens, i + 3)) > 0) {
      taken.insert(At(tokens, i + 1));
    }
  }
  if (taken.empty()) return false;
  int as_text = 0;  // the end of stringify!(…)
  for (size_t i = pattern_end; i < body_end; ++i) {
    if (At(tokens, i) == "stringify" && At(tokens, i + 1) == "!") {
      as_text = static_cast<int>(CloseOf(tokens, i + 2));
    }
    if (static_cast<int>(i) > as_text && At(tokens, i) == "$" &&
        taken.count(At(tokens, i + 1)) > 0) {
      return false;
    }
  }
  return true;
}

// macro_rules! name { (pattern) => { body }; … }
void AddRustMacros(const Tokens& tokens, Swallowed* swallowed) {
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (At(tokens, i) != "macro_rules" || At(tokens, i + 1) != "!") continue;
    const std::string name = At(tokens, i + 2);
    const size_t end = CloseOf(tokens, i + 3);
    for (size_t at = i + 4; at < end;) {
      if (!Opens(At(tokens, at))) {
        ++at;
        continue;
      }
      const size_t pattern_end = CloseOf(tokens, at);
      const size_t body = pattern_end + 3;  // behind "=>"
      if (body >= end || !Opens(At(tokens, body))) break;
      const size_t body_end = CloseOf(tokens, body);
      if (RuleSwallows(tokens, at, pattern_end, body_end)) (*swallowed)[name].insert(kAll);
      at = body_end + 1;
    }
    i = std::min(end, tokens.size());
  }
}

// #define NAME(a, ...) body
void AddCMacros(const Tokens& tokens, Swallowed* swallowed) {
  for (size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (At(tokens, i) != "#" || At(tokens, i + 1) != "define" || At(tokens, i + 3) != "(") continue;
    const size_t close = CloseOf(tokens, i + 3);
    std::vector<std::string> parameters;
    for (size_t at = i + 4; at < close; ++at) {
      if (IsName(At(tokens, at))) parameters.push_back(At(tokens, at));
      if (At(tokens, at) == "." && At(tokens, at - 1) != ".") parameters.push_back("__VA_ARGS__");
    }
    std::set<std::string> used;
    size_t at = close + 1;
    for (; at < tokens.size() && At(tokens, at) != "\n"; ++at) {
      const bool as_text = At(tokens, at - 1) == "#" && At(tokens, at - 2) != "#";
      if (!as_text) used.insert(At(tokens, at));
    }
    std::set<size_t> dropped;
    for (size_t n = 0; n < parameters.size(); ++n) {
      if (used.count(parameters[n]) > 0) continue;
      dropped.insert(parameters[n] == "__VA_ARGS__" ? kAll : n);
    }
    // A log that is a call in one configuration and nothing in another is judged in one of them.
    const auto [entry, is_new] = swallowed->emplace(At(tokens, i + 2), dropped);
    if (!is_new) {
      std::erase_if(entry->second, [&](size_t n) { return dropped.count(n) == 0; });
    }
    i = at;
  }
}

struct Call {
  std::string macro;
  std::string words;  // what is dropped
  int line = 0;
};

// Of tokens [begin, end) that are dropped, if they hold a statement, a block or an assignment.
void AddCall(const Tokens& tokens, const std::string& macro, size_t begin, size_t end,
             std::vector<Call>* calls) {
  if (begin >= end || tokens[begin].code_before == tokens[end].code_before) return;
  Call call{macro, "", tokens[begin].line};
  for (size_t i = begin; i < end; ++i) absl::StrAppend(&call.words, tokens[i].text, " ");
  calls->push_back(std::move(call));
}

std::vector<Call> CallsOf(const Tokens& tokens, const Swallowed& swallowed, bool rust) {
  std::vector<Call> calls;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto macro = swallowed.find(tokens[i].text);
    if (macro == swallowed.end() || macro->second.empty() ||
        (i > 0 && At(tokens, i - 1) == "define"))
      continue;
    const size_t open = i + (rust ? 2 : 1);
    if ((rust && At(tokens, i + 1) != "!") || !Opens(At(tokens, open))) continue;
    const size_t close = CloseOf(tokens, open);
    const size_t found = calls.size();
    size_t number = 0;
    size_t begin = open + 1;
    for (size_t at = open + 1; at <= close && close < tokens.size(); ++at) {
      if (at < close && Opens(At(tokens, at))) at = CloseOf(tokens, at);
      if (rust ? at != close : (at != close && At(tokens, at) != ",")) continue;
      const bool dropped = macro->second.count(number) > 0 || macro->second.count(kAll) > 0;
      if (dropped) AddCall(tokens, macro->first, begin, at, &calls);
      begin = at + 1;
      ++number;
    }
    if (calls.size() > found) i = close;  // calls inside it are dropped, too
  }
  return calls;
}

// Names of calls, with brackets around code, that could be calls of macros.
std::set<std::string> CodeCallsOf(const Tokens& tokens, bool rust) {
  static const auto* const kKeywords =
      new std::set<std::string>{"if", "for", "while", "switch", "catch"};
  std::set<std::string> names;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const size_t open = i + (rust ? 2 : 1);
    if (!IsName(tokens[i].text) || kKeywords->count(tokens[i].text) > 0 ||
        (rust && At(tokens, i + 1) != "!") || !Opens(At(tokens, open))) {
      continue;
    }
    const size_t close = CloseOf(tokens, open);
    if (close < tokens.size() && tokens[open].code_before != tokens[close].code_before) {
      names.insert(tokens[i].text);
    }
  }
  return names;
}

enum class Kind { kNone, kRust, kC };

Kind KindOf(const LanguageRegistry& languages, const std::string& path) {
  const std::string grammar = languages.GrammarOf(path);
  if (grammar == "rust") return Kind::kRust;
  if (grammar == "c" || grammar == "cpp") return Kind::kC;
  return GlobMatch("*.{inc,inl,ipp,tcc,def}", path) ? Kind::kC : Kind::kNone;
}

// The macros of all files, of one language. Reads them all, and looks closely at those that name
// one of `calls`.
Swallowed MacrosOf(const LanguageRegistry& languages, const WorkspaceFiles& files, Kind kind,
                   const std::set<std::string>& calls) {
  Swallowed swallowed;
  for (const std::string& path : files.Paths()) {
    if (KindOf(languages, path) != kind) continue;
    const absl::StatusOr<std::string> text = files.Read(path);
    const bool defines =
        text.ok() && absl::StrContains(*text, kind == Kind::kRust ? "macro_rules" : "define") &&
        std::any_of(calls.begin(), calls.end(),
                    [&text](const std::string& name) { return absl::StrContains(*text, name); });
    if (!defines) continue;
    const Tokens tokens = Lexer(*text).Run();
    kind == Kind::kRust ? AddRustMacros(tokens, &swallowed) : AddCMacros(tokens, &swallowed);
  }
  return swallowed;
}

void CompareCalls(const LanguageRegistry& languages, const std::vector<ContentPair>& changes,
                  const Swallowed& now, Kind kind, std::vector<Weakening>* result) {
  std::map<std::string, int> known;
  const bool rust = kind == Kind::kRust;
  // What a call held before its macro began to drop it was judged then.
  Swallowed before = now;
  Swallowed old;
  Swallowed present;
  for (const ContentPair& change : changes) {
    if (KindOf(languages, change.path) != kind) continue;
    const Tokens was = Lexer(change.before.value_or("")).Run();
    const Tokens is = Lexer(change.after.value_or("")).Run();
    rust ? AddRustMacros(was, &old) : AddCMacros(was, &old);
    rust ? AddRustMacros(is, &present) : AddCMacros(is, &present);
  }
  for (const auto& [name, parameters] : present) {
    const auto was = old.find(name);
    if (was == old.end() || was->second.empty()) before.erase(name);
  }
  for (const ContentPair& change : changes) {
    if (KindOf(languages, change.path) != kind || !change.before.has_value()) continue;
    for (const Call& call : CallsOf(Lexer(*change.before).Run(), before, rust)) {
      ++known[call.words];
    }
  }
  for (const ContentPair& change : changes) {
    if (KindOf(languages, change.path) != kind || !change.after.has_value()) continue;
    for (const Call& call : CallsOf(Lexer(*change.after).Run(), now, rust)) {
      if (known[call.words]-- > 0) continue;
      result->push_back({Weakening::Weight::kGrave, change.path, call.line,
                         absl::StrCat("the macro '", ToUtf8(call.macro), rust ? "!" : "",
                                      "' drops this code, so that no compiler judges it; write it "
                                      "outside the macro, or take it out"),
                         "code-swallowed"});
    }
  }
}

}  // namespace

std::vector<Weakening> CompareMacroCalls(const LanguageRegistry& languages,
                                         const std::vector<ContentPair>& changes,
                                         const WorkspaceFiles& files) {
  std::vector<Weakening> result;
  for (const Kind kind : {Kind::kRust, Kind::kC}) {
    std::set<std::string> calls;
    for (const ContentPair& change : changes) {
      if (!change.after.has_value() || KindOf(languages, change.path) != kind) continue;
      calls.merge(CodeCallsOf(Lexer(*change.after).Run(), kind == Kind::kRust));
    }
    if (calls.empty()) continue;
    const Swallowed now = MacrosOf(languages, files, kind, calls);
    if (!now.empty()) CompareCalls(languages, changes, now, kind, &result);
  }
  return result;
}

}  // namespace stile
