#include "validators/integrity/test_expression.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "validators/integrity/pattern.h"

namespace stile {
namespace {

bool IsOneOf(absl::string_view text, std::initializer_list<absl::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool IsTrueWord(absl::string_view text) { return IsOneOf(text, {"true", "True", "TRUE"}); }
bool IsFalseWord(absl::string_view text) { return IsOneOf(text, {"false", "False", "FALSE"}); }
bool IsNothing(absl::string_view text) {
  return IsOneOf(text, {"None", "null", "nil", "NULL", "nullptr", "undefined"});
}

// The parts between `operators` that stand in no bracket; one part if there is none.
std::vector<CodeTokens> SplitAt(const CodeTokens& tokens,
                                std::initializer_list<absl::string_view> operators) {
  std::vector<CodeTokens> parts(1);
  int depth = 0;
  for (const CodeToken& token : tokens) {
    if (IsOneOf(token.text, {"(", "[", "{"})) ++depth;
    if (IsOneOf(token.text, {")", "]", "}"})) --depth;
    if (depth == 0 && !token.is_literal && IsOneOf(token.text, operators)) {
      parts.emplace_back();
    } else {
      parts.back().push_back(token);
    }
  }
  return parts;
}

bool Holds(const CodeTokens& tokens, absl::string_view text) {
  int depth = 0;
  for (const CodeToken& token : tokens) {
    if (IsOneOf(token.text, {"(", "[", "{"})) ++depth;
    if (IsOneOf(token.text, {")", "]", "}"})) --depth;
    if (depth == 0 && !token.is_literal && token.text == text) return true;
  }
  return false;
}

bool IsNotIs(const CodeTokens& tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "is" && tokens[i + 1].text == "not") return true;
  }
  return Holds(tokens, "is not");
}

Strength Weaker(Strength a, Strength b) { return std::min(a, b); }
Strength Stronger(Strength a, Strength b) { return std::max(a, b); }

enum class Relation { kEqual, kUnequal, kOther, kNone };

Relation RelationOf(const CodeTokens& tokens) {
  if (Holds(tokens, "==") || Holds(tokens, "===")) return Relation::kEqual;
  if (Holds(tokens, "!=") || Holds(tokens, "!==") || Holds(tokens, "<>")) return Relation::kUnequal;
  if (Holds(tokens, "is") || IsNotIs(tokens)) {
    return IsNotIs(tokens) ? Relation::kUnequal : Relation::kEqual;
  }
  for (const absl::string_view one : {"<", ">", "<=", ">=", "in", "not in", "instanceof", "=~"}) {
    if (Holds(tokens, one)) return Relation::kOther;
  }
  return Relation::kNone;
}

bool ComparesWith(const CodeTokens& tokens, bool (*is)(absl::string_view)) {
  for (const CodeTokens& part :
       SplitAt(tokens, {"==", "===", "!=", "!==", "is", "not", "is not"})) {
    const CodeTokens inner = WithoutBrackets(part);
    if (inner.size() == 1 && is(inner[0].text)) return true;
  }
  return false;
}

bool SameOnBothSides(const CodeTokens& tokens) {
  const auto sides = SplitAt(tokens, {"==", "===", "is"});
  return sides.size() == 2 && !sides[0].empty() && JoinTokens(sides[0]) == JoinTokens(sides[1]) &&
         std::none_of(sides[0].begin(), sides[0].end(),
                      [](const CodeToken& token) { return token.text == "("; });
}

// Of a call that says itself what it compares: reflect.DeepEqual(a, b), s.contains(x).
Strength StrengthOfCall(const CodeTokens& tokens) {
  std::string last;
  for (const CodeToken& token : tokens) {
    if (token.text == "(") break;
    if (token.is_name) last = token.text;
  }
  const std::string plain = absl::AsciiStrToLower(last);
  const bool calls = Holds(tokens, ")") || tokens.back().text == ")";
  if (!calls) return Strength::kWeak;
  if (absl::StrContains(plain, "equal") || plain == "eq" || plain == "same") {
    return Strength::kExact;
  }
  for (const char* word : {"contains", "startswith", "endswith", "prefix", "suffix", "match",
                           "includes", "isinstance", "starts_with", "ends_with"}) {
    if (absl::StrContains(plain, word)) return Strength::kPartial;
  }
  return Strength::kWeak;
}

// Without a leading "not" or "!"; nullopt if there is none.
std::optional<CodeTokens> Denied(const CodeTokens& tokens) {
  if (tokens.empty() || !IsOneOf(tokens[0].text, {"!", "not"}) || tokens[0].is_literal) {
    return std::nullopt;
  }
  return WithoutBrackets(CodeTokens(tokens.begin() + 1, tokens.end()));
}

}  // namespace

bool IsConstant(const CodeTokens& tokens) {
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [](const CodeToken& token) {
    return token.is_literal || IsTrueWord(token.text) || IsFalseWord(token.text) ||
           IsNothing(token.text) || IsOneOf(token.text, {"not", "and", "or", "is", "in"}) ||
           !token.is_name;
  });
}

bool IsConstantFalse(const CodeTokens& tokens) {
  const CodeTokens inner = WithoutBrackets(tokens);
  if (inner.empty()) return false;
  for (const CodeTokens& part : SplitAt(inner, {"&&", "and"})) {
    const CodeTokens one = WithoutBrackets(part);
    if (one.size() == 1 && (IsFalseWord(one[0].text) || one[0].text == "0" ||
                            (IsNothing(one[0].text) && one[0].text != "NULL"))) {
      return true;
    }
    if (const auto denied = Denied(one)) {
      if (denied->size() == 1 && (IsTrueWord((*denied)[0].text) || (*denied)[0].text == "1")) {
        return true;
      }
    }
  }
  // 1 == 2, "a" == "b"
  const auto sides = SplitAt(inner, {"==", "==="});
  return sides.size() == 2 && IsConstant(inner) && JoinTokens(sides[0]) != JoinTokens(sides[1]);
}

bool IsConstantTrue(const CodeTokens& tokens) {
  const CodeTokens inner = WithoutBrackets(tokens);
  if (inner.empty()) return false;
  for (const CodeTokens& part : SplitAt(inner, {"||", "or"})) {
    const CodeTokens one = WithoutBrackets(part);
    if (one.size() == 1 &&
        (IsTrueWord(one[0].text) || (one[0].is_literal && one[0].text != "0" &&
                                     !IsFalseWord(one[0].text) && !IsNothing(one[0].text)))) {
      return true;
    }
    if (const auto denied = Denied(one)) {
      if (denied->size() == 1 && (IsFalseWord((*denied)[0].text) || (*denied)[0].text == "0")) {
        return true;
      }
    }
    if (SameOnBothSides(one)) return true;
  }
  return false;
}

Strength StrengthOfCondition(const CodeTokens& condition) {
  const CodeTokens tokens = WithoutBrackets(condition);
  if (tokens.empty() || IsConstantTrue(tokens)) return Strength::kVacuous;
  const auto either = SplitAt(tokens, {"||", "or"});
  if (either.size() > 1) {
    Strength weakest = Strength::kExact;
    for (const CodeTokens& part : either) weakest = Weaker(weakest, StrengthOfCondition(part));
    return weakest;
  }
  const auto both = SplitAt(tokens, {"&&", "and"});
  if (both.size() > 1) {
    Strength strongest = Strength::kVacuous;
    for (const CodeTokens& part : both) {
      strongest = Stronger(strongest, StrengthOfCondition(part));
    }
    return strongest;
  }
  if (const auto denied = Denied(tokens)) return StrengthOfDenial(*denied);
  switch (RelationOf(tokens)) {
    case Relation::kEqual:
      return ComparesWith(tokens, IsTrueWord) || ComparesWith(tokens, IsFalseWord) ||
                     ComparesWith(tokens, IsNothing)
                 ? Strength::kWeak
                 : Strength::kExact;
    case Relation::kUnequal:
      return Strength::kWeak;
    case Relation::kOther:
      return Strength::kPartial;
    case Relation::kNone:
      break;
  }
  return StrengthOfCall(tokens);
}

Strength StrengthOfDenial(const CodeTokens& condition) {
  const CodeTokens tokens = WithoutBrackets(condition);
  if (tokens.empty() || IsConstantFalse(tokens)) return Strength::kVacuous;
  const auto either = SplitAt(tokens, {"||", "or"});
  if (either.size() > 1) {
    Strength strongest = Strength::kVacuous;
    for (const CodeTokens& part : either) strongest = Stronger(strongest, StrengthOfDenial(part));
    return strongest;
  }
  const auto both = SplitAt(tokens, {"&&", "and"});
  if (both.size() > 1) {
    Strength weakest = Strength::kExact;
    for (const CodeTokens& part : both) weakest = Weaker(weakest, StrengthOfDenial(part));
    return weakest;
  }
  if (const auto denied = Denied(tokens)) return StrengthOfCondition(*denied);
  switch (RelationOf(tokens)) {
    case Relation::kUnequal:
      return ComparesWith(tokens, IsTrueWord) || ComparesWith(tokens, IsFalseWord) ||
                     ComparesWith(tokens, IsNothing)
                 ? Strength::kWeak
                 : Strength::kExact;
    case Relation::kEqual:
      return Strength::kWeak;
    case Relation::kOther:
      return Strength::kPartial;
    case Relation::kNone:
      break;
  }
  // Not equal to one thing is not much.
  const Strength strength = StrengthOfCall(tokens);
  return strength == Strength::kExact ? Strength::kWeak : strength;
}

namespace {

// What a condition says of platforms.
struct PlatformWords {
  explicit PlatformWords(absl::string_view text);
  bool host = false;
  bool foreign = false;
  bool denied = false;
};

// Without texts that nothing is compared with: reasons of skips, titles of tests.
std::string WithoutReasons(absl::string_view condition) {
  static const RE2* const kText =
      new RE2(R"re(("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)(\s*[!=]=)?)re");
  static const RE2* const kCompared = new RE2(
      R"re((?i)([!=]=|\bin|\bcase|\btarget_\w+ ?=|\bmatches ?=|startswith|endswith|equals|contains|includes|indexof|match|isosplatform|create)\s*([(\[{]\s*((".*?"|'.*?')\s*,\s*)*)?[a-z]?$)re");
  std::string kept;
  std::string text;
  std::string comparison;
  size_t at = 0;
  while (Finds(condition.substr(at), *kText, &text, &comparison)) {
    const size_t begin = condition.find(text, at);
    const bool is_compared = !comparison.empty() || Finds(condition.substr(0, begin), *kCompared);
    absl::StrAppend(&kept, condition.substr(at, begin - at), is_compared ? text : "''");
    at = begin + text.size();
  }
  absl::StrAppend(&kept, condition.substr(at));
  return kept;
}

PlatformWords::PlatformWords(absl::string_view text) {
  const std::string condition = WithoutReasons(text);
  static const RE2* const kHost = new RE2(R"((?i)\b(linux|posix|unix|gnu|x86_64|amd64)\b|__linux)");
  static const RE2* const kForeign = new RE2(
      R"((?i)\b(win32|win|windows|darwin|macos|macosx|mac|osx|apple|android|ios|freebsd|openbsd|netbsd|solaris|sunos|plan9|js|wasm|wasip1|nt|cygwin|msys|arm|arm64|aarch64|big_endian|java|s390x|ppc64le|pypy|graalpy|aix|emscripten)\b|_WIN32|_WIN64|_MSC_VER|__APPLE__|is_?(win|mac|windows|macos|pypy|darwin|emscripten|musl|alpine)|on_?(win|mac|windows))");
  static const RE2* const kDenied =
      new RE2(R"((?i)!=|(^|[^=!<>])!\s*[\w(]|\bnot\b|unless|enabledon|supportedonly)");
  host = Finds(condition, *kHost);
  foreign = Finds(condition, *kForeign);
  denied = Finds(condition, *kDenied);
}

}  // namespace

bool IsForeignPlatform(absl::string_view condition) {
  const PlatformWords words(condition);
  if (words.host && words.foreign) return false;
  return words.foreign ? !words.denied : words.host && words.denied;
}

bool IsThisPlatform(absl::string_view condition) {
  const PlatformWords words(condition);
  return (words.host && !words.denied) || (words.foreign && !words.host && words.denied);
}

bool IsUsualCondition(const std::string& condition) {
  static const RE2* const kVersion = new RE2(R"((?i)version|_MSC_VER|__cplusplus)");
  if (IsForeignPlatform(condition)) return false;
  const std::string& text = condition;
  absl::string_view rest = text;
  return Finds(condition, *kVersion) || IsThisPlatform(condition) ||
         IsForeignPlatform(absl::ConsumePrefix(&rest, "not ") ? std::string(rest)
                                                              : absl::StrCat("not ", text)) ||
         (absl::StartsWith(condition, "#if #ifndef ") && IsForeignPlatform(text.substr(12)));
}

bool WidensTolerance(const TestAssertion& before, const TestAssertion& after) {
  if (before.tokens.size() != after.tokens.size()) return false;
  size_t at = before.tokens.size();
  for (size_t i = 0; i < before.tokens.size(); ++i) {
    if (before.tokens[i].text == after.tokens[i].text) continue;
    if (at != before.tokens.size()) return false;
    at = i;
  }
  if (at == before.tokens.size()) return false;
  const auto number = [](std::string text) {
    text = absl::StrReplaceAll(absl::AsciiStrToLower(text), {{"_", ""}});
    while (!text.empty() && absl::StrContains("fdlm", text.back())) text.pop_back();
    double value = 0;
    return absl::SimpleAtod(text, &value) ? std::optional<double>(value) : std::nullopt;
  };
  const std::optional<double> was = number(before.tokens[at].text);
  const std::optional<double> is = number(after.tokens[at].text);
  if (!was.has_value() || !is.has_value() || *was == *is) return false;
  // The nearest name before it in the call says what it is: places=7, delta: 0.1, abs=1e-6.
  const auto is_before = [&](size_t distance, absl::string_view text) {
    return at >= distance && before.tokens[at - distance].text == text;
  };
  std::string name = before.matcher;
  bool is_tolerance = IsNearMatcher(name);
  if ((is_before(1, "=") || is_before(1, ":")) && at >= 2) {
    const std::string& key = before.tokens[at - 2].text;
    static const RE2* const kKey = new RE2(
        R"((?i)^(places|delta|abs|rel|rel_tol|abs_tol|atol|rtol|decimal|precision|epsilon|eps|margin|max_ulps|max_relative|tol|tolerance|significant)$)");
    is_tolerance = Matches(key, *kKey);
    name = key;
  } else if (is_before(1, "<") || is_before(1, "<=") || is_before(1, ">") || is_before(1, ">=")) {
    // assert(fabs(a - b) < 0.1), or if (fabs(a - b) > 0.1) fail();
    is_tolerance = absl::StrContains(absl::AsciiStrToLower(JoinTokens(before.tokens)), "abs");
    name = "delta";
  } else if (is_tolerance) {  // the last of the numbers, behind what is expected
    const auto commas = std::count_if(before.tokens.begin(), before.tokens.begin() + at,
                                      [](const CodeToken& token) { return token.text == ","; });
    const bool is_chained = absl::StrContains(before.tokens.front().text, "expect");
    if (!is_before(1, ",") || commas < (is_chained ? 1 : 2)) return false;
    for (size_t i = at + 1; i < before.tokens.size(); ++i) {
      if (number(before.tokens[i].text).has_value()) return false;
    }
  } else if (before.matcher == "assertEquals" || before.matcher == "Equal" ||
             before.matcher == "AreEqual") {
    // assertEquals(1.5, x, 0.1); Assert.Equal(1.5, x, 3) counts digits
    const auto commas = std::count_if(before.tokens.begin(), before.tokens.begin() + at,
                                      [](const CodeToken& token) { return token.text == ","; });
    is_tolerance = is_before(1, ",") && commas >= 2 && at + 2 >= before.tokens.size();
    name = before.matcher == "Equal" ? "precision" : "delta";
  }
  if (!is_tolerance) return false;
  return CountsDigits(name) ? *is < *was : std::fabs(*is) > std::fabs(*was);
}

}  // namespace stile
