#include "runtime/syntax/tree_pattern.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr int kMaxNesting = 100;

class QueryParser {
 public:
  QueryParser(const Grammar& grammar, absl::string_view source)
      : language_(grammar.language), source_(source) {
    patterns_.with_fields.resize(ts_language_symbol_count(language_));
  }

  absl::StatusOr<QueryPatterns> Parse() {
    for (SkipBlanks(); at_ < source_.size(); SkipBlanks()) {
      patterns_.patterns.emplace_back();
      STILE_ASSIGN_OR_RETURN(patterns_.patterns.back().alternatives, Pattern(0));
    }
    return std::move(patterns_);
  }

 private:
  using Alternatives = std::vector<TreePattern>;

  absl::Status Error(absl::string_view message) const {
    const auto line = std::count(source_.begin(), source_.begin() + at_, '\n') + 1;
    return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", message));
  }

  void SkipBlanks() {
    while (at_ < source_.size()) {
      if (source_[at_] == ';') {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (absl::ascii_isspace(static_cast<unsigned char>(source_[at_]))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  char Peek() const { return at_ < source_.size() ? source_[at_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  std::string Word() {
    const size_t begin = at_;
    while (at_ < source_.size() &&
           (absl::ascii_isalnum(static_cast<unsigned char>(source_[at_])) ||
            absl::string_view("_-.?").find(source_[at_]) != absl::string_view::npos)) {
      ++at_;
    }
    return std::string(source_.substr(begin, at_ - begin));
  }

  absl::StatusOr<std::string> Text() {
    std::string text;
    for (++at_; at_ < source_.size(); ++at_) {
      char c = source_[at_];
      if (c == '"') {
        ++at_;
        return text;
      }
      if (c == '\\' && at_ + 1 < source_.size()) {
        c = source_[++at_];
        if (c == 'n') c = '\n';
        if (c == 'r') c = '\r';
        if (c == 't') c = '\t';
        if (c == '0') c = '\0';
      }
      text.push_back(c);
    }
    return Error("a text without an end");
  }

  uint32_t CaptureNumber(const std::string& name) {
    auto& names = patterns_.captures;
    const auto known = std::find(names.begin(), names.end(), name);
    if (known != names.end()) return static_cast<uint32_t>(known - names.begin());
    names.push_back(name);
    return static_cast<uint32_t>(names.size() - 1);
  }

  absl::StatusOr<TSFieldId> Field(const std::string& name) const {
    const TSFieldId field =
        ts_language_field_id_for_name(language_, name.data(), static_cast<uint32_t>(name.size()));
    if (field == 0) return Error(absl::StrCat("unknown field '", name, "'"));
    return field;
  }

  absl::StatusOr<TSSymbol> Symbol(const std::string& name, bool is_named) const {
    const TSSymbol symbol = ts_language_symbol_for_name(
        language_, name.data(), static_cast<uint32_t>(name.size()), is_named);
    if (symbol == 0) return Error(absl::StrCat("unknown node '", name, "'"));
    if (ts_language_symbol_type(language_, symbol) == TSSymbolTypeSupertype) {
      return Error(absl::StrCat("'", name, "' is a supertype"));
    }
    return symbol;
  }

  // One pattern with the captures behind it.
  absl::StatusOr<Alternatives> Pattern(int depth) {
    if (depth > kMaxNesting) return Error("nested too deeply");
    SkipBlanks();
    Alternatives alternatives;
    if (Take('[')) {
      for (SkipBlanks(); !Take(']'); SkipBlanks()) {
        STILE_ASSIGN_OR_RETURN(Alternatives more, Pattern(depth + 1));
        std::move(more.begin(), more.end(), std::back_inserter(alternatives));
      }
      if (alternatives.empty()) return Error("no alternatives");
    } else if (Take('(')) {
      SkipBlanks();
      if (Peek() == '(' || Peek() == '[' || Peek() == '"') {
        STILE_ASSIGN_OR_RETURN(alternatives, Group(depth));
      } else {
        STILE_ASSIGN_OR_RETURN(TreePattern pattern, Node(depth));
        alternatives.push_back(std::move(pattern));
      }
    } else if (Peek() == '"') {
      TreePattern& pattern = alternatives.emplace_back();
      STILE_ASSIGN_OR_RETURN(const std::string text, Text());
      STILE_ASSIGN_OR_RETURN(pattern.symbol, Symbol(text, /*is_named=*/false));
    } else if (Word() == "_") {
      alternatives.emplace_back().kind = TreePattern::Kind::kAny;
    } else {
      return Error("wrong syntax");
    }
    return Captured(std::move(alternatives));
  }

  absl::StatusOr<Alternatives> Captured(Alternatives alternatives) {
    for (SkipBlanks(); Take('@'); SkipBlanks()) {
      const std::string name = Word();
      if (name.empty()) return Error("a capture without a name");
      const uint32_t capture = CaptureNumber(name);
      for (TreePattern& pattern : alternatives) pattern.captures.push_back(capture);
    }
    if (Peek() == '?' || Peek() == '*' || Peek() == '+') return Error("a quantifier");
    return alternatives;
  }

  // One pattern in brackets with predicates behind it; the bracket has been taken.
  absl::StatusOr<Alternatives> Group(int depth) {
    STILE_ASSIGN_OR_RETURN(Alternatives alternatives, Pattern(depth + 1));
    for (SkipBlanks(); !Take(')'); SkipBlanks()) {
      STILE_ASSIGN_OR_RETURN(const bool is_predicate, Predicate());
      if (!is_predicate) return Error("a group of siblings");
    }
    return alternatives;
  }

  // A node with its children; the bracket has been taken.
  absl::StatusOr<TreePattern> Node(int depth) {
    TreePattern node;
    const std::string name = Word();
    if (name == "_") {
      node.kind = TreePattern::Kind::kNamed;
    } else if (name == "ERROR") {
      node.symbol = static_cast<TSSymbol>(-1);
    } else {
      STILE_ASSIGN_OR_RETURN(node.symbol, Symbol(name, /*is_named=*/true));
    }
    bool is_next = false;
    for (SkipBlanks(); !Take(')'); SkipBlanks()) {
      if (at_ >= source_.size()) return Error("a bracket without an end");
      if (Take('.')) {
        is_next = true;
        continue;
      }
      if (Take('!')) {
        STILE_ASSIGN_OR_RETURN(const TSFieldId field, Field(Word()));
        node.absent.push_back(field);
        continue;
      }
      STILE_ASSIGN_OR_RETURN(const bool is_predicate, Predicate());
      if (is_predicate) continue;
      TreePattern::Part part;
      part.is_next = std::exchange(is_next, false);
      if (absl::ascii_isalpha(static_cast<unsigned char>(Peek()))) {
        STILE_ASSIGN_OR_RETURN(part.field, Field(Word()));
        SkipBlanks();
        if (!Take(':')) return Error("wrong syntax");
      }
      STILE_ASSIGN_OR_RETURN(part.alternatives, Pattern(depth + 1));
      part.has_captures = std::any_of(part.alternatives.begin(), part.alternatives.end(), Captures);
      node.parts.push_back(std::move(part));
    }
    NoteFields(node);
    if (is_next) {
      if (node.parts.empty()) return Error("an anchor without a node");
      node.parts.back().is_last = true;
    }
    return node;
  }

  void NoteFields(const TreePattern& node) {
    const bool any = !node.absent.empty() ||
                     std::any_of(node.parts.begin(), node.parts.end(),
                                 [](const TreePattern::Part& part) { return part.field != 0; });
    SymbolSet& all = patterns_.with_fields;
    if (!any) return;
    if (node.kind != TreePattern::Kind::kSymbol) {
      all.assign(all.size(), true);
    } else if (node.symbol < all.size()) {
      all[node.symbol] = true;
    }
  }

  static bool Captures(const TreePattern& pattern) {
    return !pattern.captures.empty() ||
           std::any_of(pattern.parts.begin(), pattern.parts.end(),
                       [](const TreePattern::Part& part) { return part.has_captures; });
  }

  // Takes one where there is one: (#eq? @name "text").
  absl::StatusOr<bool> Predicate() {
    if (source_.substr(at_, 2) != "(#") return false;
    at_ += 2;
    QueryPredicate predicate;
    predicate.name = Word();
    SkipBlanks();
    const std::string place = absl::StrCat("#", predicate.name);
    if (!Take('@')) return Error(absl::StrCat(place, " needs a capture first"));
    predicate.capture = CaptureNumber(Word());
    for (SkipBlanks(); !Take(')'); SkipBlanks()) {
      if (Peek() != '"') return Error(absl::StrCat(place, " compares with texts only"));
      STILE_ASSIGN_OR_RETURN(std::string text, Text());
      predicate.texts.push_back(std::move(text));
    }
    if (predicate.texts.empty()) return Error(absl::StrCat(place, " needs a text"));
    patterns_.patterns.back().predicates.push_back(std::move(predicate));
    return true;
  }

  const TSLanguage* const language_;
  const absl::string_view source_;
  size_t at_ = 0;
  QueryPatterns patterns_;
};

}  // namespace

absl::StatusOr<QueryPatterns> ParseQuery(const Grammar& grammar, absl::string_view source) {
  return QueryParser(grammar, source).Parse();
}

}  // namespace stile
