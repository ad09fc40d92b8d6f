#include "validators/integrity/present_values.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_code.h"

namespace stile {
namespace {

constexpr size_t kMaxCells = 4'000'000;  // of the table of one alignment

struct ValueToken {
  std::string key;  // its text; "" for a value
  uint32_t begin = 0;
  uint32_t end = 0;
  int leaves = 0;  // of a value: how many literals it holds
};

class TokenReader {
 public:
  explicit TokenReader(const TestCode& code) : code_(code) {}

  std::vector<ValueToken> Read() {
    if (code_.size() > 0) Walk(0, Fixed::kNothing);
    return std::move(tokens_);
  }

 private:
  // What keeps its old form: nothing, single literals, or everything.
  enum class Fixed { kNothing, kLiterals, kAll };

  void Walk(uint32_t i, Fixed fixed) {
    const NodeRole role = code_.Role(i);
    if (role == NodeRole::kComment) return;
    const absl::string_view type = code_.Type(i);
    if (absl::StrContains(type, "import") || absl::StrContains(type, "include") ||
        absl::StrContains(type, "range") || type == "slice" || IsImportCall(i, role) ||
        (role == NodeRole::kMarker && !IsTable(i))) {
      fixed = Fixed::kAll;
    }
    if (role == NodeRole::kCall) NoteTitle(i);
    const bool is_whole = role == NodeRole::kString || role == NodeRole::kLiteral;
    if (is_whole || code_.End(i) == i + 1) {
      if (code_.Text(i).empty()) return;
      const bool is_value = is_whole && fixed == Fixed::kNothing && i != title_;
      return Add(i, is_value ? 1 : 0);
    }
    if (fixed != Fixed::kAll) {
      if (const int leaves = LeavesOfTable(i); leaves > 0) return Add(i, leaves);
    }
    const uint32_t body = HeadEndsAt(i, role);
    for (uint32_t child = i + 1; child < code_.End(i); child = code_.End(child)) {
      const bool in_head = body != 0 && child < body;
      Walk(child, in_head && fixed == Fixed::kNothing ? Fixed::kLiterals : fixed);
    }
  }

  // Where the body begins of something whose head decides how often it runs, or whether; else 0.
  uint32_t HeadEndsAt(uint32_t i, NodeRole role) const {
    if (role != NodeRole::kLoop && role != NodeRole::kIf) return 0;
    uint32_t body = code_.Child(i, role == NodeRole::kLoop ? "body" : "consequence");
    if (body == 0 && role == NodeRole::kLoop) body = code_.End(i);
    if (role == NodeRole::kLoop || body == 0) return body;
    // `if got != 6 { t.Fatal() }` expects a value; `if run { assert … }` decides.
    static const RE2* const kAsserts = new RE2(R"((?i)\b(assert|expect|check|require)\w*[\s.(!])");
    return Finds(code_.Text(body), *kAsserts) ? body : 0;
  }

  // The text that names a test is no value.
  void NoteTitle(uint32_t i) {
    static const RE2* const kTest = new RE2(
        R"(^(test|it|specify|describe|suite|context|TEST_CASE|SCENARIO|\w+\.(Run|test|subTest))[.\w]*\s*\()");
    if (!Finds(code_.Text(i), *kTest)) return;
    for (uint32_t at = i + 1; at < code_.End(i); ++at) {
      if (code_.Role(at) != NodeRole::kString) continue;
      title_ = at;
      return;
    }
  }

  bool IsImportCall(uint32_t i, NodeRole role) const {
    static const RE2* const kImport = new RE2(R"(^(require|import|jest\.\w+|vi\.mock)\s*\()");
    return role == NodeRole::kCall && Finds(code_.Text(i), *kImport);
  }

  // An annotation that holds cases or the words of an expected failure.
  bool IsTable(uint32_t i) const {
    static const RE2* const kTable = new RE2(
        R"re(\b(InlineData|TestCase|DataRow|case|test_case|CsvSource|ValueSource|parametrize)\b|should_panic\s*\(\s*expected\s*=\s*"[^"]{4,})re");
    return Finds(code_.Text(i), *kTable);
  }

  // The literals of a list or map that holds nothing else; 0 if it does, or is none.
  int LeavesOfTable(uint32_t i) const {
    const absl::string_view type = code_.Type(i);
    static const RE2* const kTypes = new RE2(
        "list|array|tuple|set|dictionary|object|literal_value|initializer_list|array_expression|"
        "tuple_expression|array_initializer|element_value_array_initializer|array_creation_"
        "expression|collection_expression");
    if (!Matches(type, *kTypes)) return 0;
    int leaves = 0;
    for (uint32_t at = i + 1; at < code_.End(i); ++at) {
      const NodeRole role = code_.Role(at);
      if (role == NodeRole::kComment) {
        at = code_.End(at) - 1;
      } else if (role == NodeRole::kString || role == NodeRole::kLiteral) {
        ++leaves;
        at = code_.End(at) - 1;
      } else if (code_.End(at) == at + 1 && code_.IsNamed(at) &&
                 code_.Type(at) != "property_identifier" && code_.Type(at) != "field_identifier") {
        return 0;
      }
    }
    return leaves;
  }

  void Add(uint32_t i, int leaves) {
    tokens_.push_back({leaves > 0 ? "" : std::string(code_.Text(i)), code_.BeginByte(i),
                       code_.EndByte(i), leaves});
  }

  const TestCode& code_;
  uint32_t title_ = 0;
  std::vector<ValueToken> tokens_;
};

std::optional<std::vector<ValueToken>> TokensOf(const Grammar& grammar, const std::string& text) {
  const std::optional<TestCode> code = TestCode::Parse(grammar, text);
  if (!code.has_value()) return std::nullopt;
  return TokenReader(*code).Read();
}

// For each token of `a` the one of `b` that stands for it; -1 for none. What stands once on either
// side holds the rest in place, so that tests that are new keep to themselves; between these, a
// longest common subsequence.
class Alignment {
 public:
  Alignment(const std::vector<ValueToken>& a, const std::vector<ValueToken>& b)
      : a_(a), b_(b), partner_(a.size(), -1) {}

  std::vector<int> Run() {
    AlignRange({0, a_.size(), 0, b_.size()}, 0);
    return std::move(partner_);
  }

 private:
  struct Range {
    size_t begin_a, end_a, begin_b, end_b;
  };

  bool IsSame(size_t i, size_t j) const { return a_[i].key == b_[j].key; }
  void Join(size_t i, size_t j) { partner_[i] = static_cast<int>(j); }

  void AlignRange(Range range, int depth) {
    while (range.begin_a < range.end_a && range.begin_b < range.end_b &&
           IsSame(range.begin_a, range.begin_b)) {
      Join(range.begin_a++, range.begin_b++);
    }
    const auto anchors =
        depth < kMaxDepth ? Anchors(range) : std::vector<std::pair<size_t, size_t>>();
    if (anchors.empty()) return AlignLongest(range);
    size_t begin_a = range.begin_a;
    size_t begin_b = range.begin_b;
    for (const auto& [i, j] : anchors) {
      AlignRange({begin_a, i, begin_b, j}, depth + 1);
      Join(i, j);
      begin_a = i + 1;
      begin_b = j + 1;
    }
    AlignRange({begin_a, range.end_a, begin_b, range.end_b}, depth + 1);
  }

  // Pairs of tokens that stand once in either part, in an order that both have.
  std::vector<std::pair<size_t, size_t>> Anchors(const Range& range) const {
    struct Places {
      int in_a = 0, in_b = 0;
      size_t at_b = 0;
    };
    std::map<absl::string_view, Places> places;
    for (size_t i = range.begin_a; i < range.end_a; ++i) ++places[a_[i].key].in_a;
    for (size_t j = range.begin_b; j < range.end_b; ++j) {
      Places& place = places[b_[j].key];
      ++place.in_b;
      place.at_b = j;
    }
    // The longest increasing subsequence: piles[n] ends the best one of n + 1 pairs.
    std::vector<std::pair<size_t, size_t>> pairs;
    std::vector<size_t> piles;
    std::vector<int> previous;
    for (size_t i = range.begin_a; i < range.end_a; ++i) {
      const Places& place = places[a_[i].key];
      if (a_[i].key.empty() || place.in_a != 1 || place.in_b != 1) continue;
      const auto pile =
          std::lower_bound(piles.begin(), piles.end(), place.at_b,
                           [&pairs](size_t pair, size_t at) { return pairs[pair].second < at; });
      previous.push_back(pile == piles.begin() ? -1 : static_cast<int>(*std::prev(pile)));
      pairs.emplace_back(i, place.at_b);
      if (pile == piles.end()) {
        piles.push_back(pairs.size() - 1);
      } else {
        *pile = pairs.size() - 1;
      }
    }
    std::vector<std::pair<size_t, size_t>> chosen;
    for (int at = piles.empty() ? -1 : static_cast<int>(piles.back()); at >= 0;
         at = previous[static_cast<size_t>(at)]) {
      chosen.push_back(pairs[static_cast<size_t>(at)]);
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
  }

  void AlignLongest(Range range) {
    while (range.end_a > range.begin_a && range.end_b > range.begin_b &&
           IsSame(range.end_a - 1, range.end_b - 1)) {
      Join(--range.end_a, --range.end_b);
    }
    const size_t rows = range.end_a - range.begin_a;
    const size_t columns = range.end_b - range.begin_b;
    if (rows == 0 || columns == 0 || rows > kMaxCells / columns) return;
    std::vector<uint32_t> length((rows + 1) * (columns + 1), 0);
    const auto at = [&](size_t i, size_t j) -> uint32_t& { return length[i * (columns + 1) + j]; };
    const auto same = [&](size_t i, size_t j) {
      return IsSame(range.begin_a + i, range.begin_b + j);
    };
    for (size_t i = rows; i-- > 0;) {
      for (size_t j = columns; j-- > 0;) {
        at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (same(i, j)) {
        Join(range.begin_a + i++, range.begin_b + j++);
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  static constexpr int kMaxDepth = 30;
  const std::vector<ValueToken>& a_;
  const std::vector<ValueToken>& b_;
  std::vector<int> partner_;
};

std::string TextOf(const ValueToken& token, const std::string& text) {
  return text.substr(token.begin, token.end - token.begin);
}

// A very small number that becomes a much larger one.
bool LooksLikeWiderTolerance(const std::string& was, const std::string& is) {
  constexpr double kSmall = 1e-3;
  double old_number = 0;
  double number = 0;
  return absl::SimpleAtod(was, &old_number) && absl::SimpleAtod(is, &number) && old_number > 0 &&
         old_number <= kSmall && number >= 10 * old_number;
}

// What stands in `other` for each value of the old tokens, by index.
std::map<size_t, std::string> ValuesIn(const Grammar& grammar, const std::vector<ValueToken>& old,
                                       const std::string& text, const std::string& other) {
  std::map<size_t, std::string> values;
  const std::optional<std::vector<ValueToken>> tokens = TokensOf(grammar, other);
  if (!tokens.has_value()) return values;
  const std::vector<int> partner = Alignment(old, *tokens).Run();
  for (size_t i = 0; i < old.size(); ++i) {
    if (old[i].leaves == 0 || partner[i] < 0) continue;
    // The same stands before it.
    if (i > 0 && (partner[i - 1] < 0 || partner[i - 1] + 1 != partner[i])) continue;
    const ValueToken& token = (*tokens)[static_cast<size_t>(partner[i])];
    if (token.leaves < old[i].leaves) continue;
    const std::string value = TextOf(token, other);
    if (!LooksLikeWiderTolerance(TextOf(old[i], text), value)) values[i] = value;
  }
  return values;
}

size_t CountWords(absl::string_view text) {
  size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_word = !absl::ascii_isspace(static_cast<unsigned char>(c)) && c != ',' &&
                         c != '[' && c != ']' && c != '{' && c != '}' && c != ':';
    words += is_word && !in_word ? 1 : 0;
    in_word = is_word;
  }
  return words;
}

}  // namespace

std::string WithPresentValues(const Grammar& grammar, const std::string& old,
                              const std::string& present,
                              const std::vector<std::string>& at_failures) {
  if (old == present) return old;
  const std::optional<std::vector<ValueToken>> tokens = TokensOf(grammar, old);
  if (!tokens.has_value()) return old;
  std::map<size_t, std::string> values = ValuesIn(grammar, *tokens, old, present);
  for (const std::string& failed : at_failures) {
    const std::map<size_t, std::string> then = ValuesIn(grammar, *tokens, old, failed);
    for (auto it = values.begin(); it != values.end();) {
      const auto was = then.find(it->first);
      const bool stood = was != then.end() && was->second == it->second;
      it = stood ? std::next(it) : values.erase(it);
    }
  }
  std::string result;
  size_t at = 0;
  for (const auto& [i, text] : values) {
    const ValueToken& token = (*tokens)[i];
    absl::StrAppend(&result, absl::string_view(old).substr(at, token.begin - at), text);
    at = token.end;
  }
  absl::StrAppend(&result, absl::string_view(old).substr(at));
  return result;
}

std::string DataWithPresentValues(const std::string& old, const std::string& present,
                                  const std::vector<std::string>& at_failures) {
  const bool stood = std::all_of(at_failures.begin(), at_failures.end(),
                                 [&](const std::string& text) { return text == present; });
  return stood && CountWords(present) >= CountWords(old) ? present : old;
}

}  // namespace stile
