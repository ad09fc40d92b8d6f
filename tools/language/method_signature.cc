#include "tools/language/method_signature.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

constexpr size_t kNone = absl::string_view::npos;
constexpr size_t kMaxSignatureBytes = size_t{1} << 20;

std::string Stripped(absl::string_view text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::string_view FirstWord(absl::string_view text) {
  size_t end = 0;
  while (end < text.size() && IsIdentifierByte(text[end])) ++end;
  if (absl::StartsWith(text, "non-sealed")) return text.substr(0, 10);
  return text.substr(0, end);
}

absl::string_view LastWord(absl::string_view text) {
  text = absl::StripTrailingAsciiWhitespace(text);
  size_t begin = text.size();
  while (begin > 0 && IsIdentifierByte(text[begin - 1])) --begin;
  return text.substr(begin);
}

// The first top-level occurrence of a byte.
size_t FindTop(absl::string_view text, char wanted, bool angles = false) {
  size_t found = kNone;
  ScanTop(text, angles, [&](size_t at) {
    if (text[at] == wanted) found = at;
    return found == kNone;
  });
  return found;
}

// "```ts\ncode\n```" → code.
absl::string_view WithoutFence(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (!absl::ConsumePrefix(&text, "```")) {
    if (text.size() > 1 && text.front() == '`' && text.back() == '`') {
      return text.substr(1, text.size() - 2);
    }
    return text;
  }
  const size_t line = text.find('\n');
  text = line == kNone ? text : text.substr(line + 1);
  text = absl::StripTrailingAsciiWhitespace(text);
  absl::ConsumeSuffix(&text, "```");
  return absl::StripAsciiWhitespace(text);
}

// Takes attributes and decorators off the front.
absl::string_view TakeAttributes(absl::string_view text, const LanguageFamily& family,
                                 std::vector<std::string>* attributes) {
  while (true) {
    text = absl::StripLeadingAsciiWhitespace(text);
    size_t end = 0;
    const bool brackets = LanguageBackendOf(family.language).generation.bracket_attributes;
    if (absl::StartsWith(text, "#[") || (brackets && absl::StartsWith(text, "["))) {
      const size_t close = MatchingBracket(text, text.find('['));
      if (close == kNone) return text;
      end = close + 1;
    } else if (absl::StartsWith(text, "@") && !absl::StartsWith(text, "@interface")) {
      end = 1;
      while (end < text.size() && (IsIdentifierByte(text[end]) || text[end] == '.')) ++end;
      if (end < text.size() && text[end] == '(') {
        const size_t close = MatchingBracket(text, end);
        if (close == kNone) return text;
        end = close + 1;
      }
    } else {
      return text;
    }
    attributes->push_back(std::string(text.substr(0, end)));
    text.remove_prefix(end);
  }
}

absl::string_view TakeModifiers(absl::string_view text, const LanguageFamily& family,
                                MethodSignature* header) {
  while (true) {
    text = absl::StripLeadingAsciiWhitespace(text);
    const absl::string_view word = FirstWord(text);
    if (absl::StartsWith(text, "[[")) {
      const size_t close = text.find("]]");
      if (close == kNone) return text;
      header->modifiers.push_back(std::string(text.substr(0, close + 2)));
      text.remove_prefix(close + 2);
      continue;
    }
    const absl::string_view rest = text.substr(word.size());
    const bool is_keyword =
        std::find(family.keywords.begin(), family.keywords.end(), word) != family.keywords.end();
    // `get(key)` is a method of that name, `get size()` is not.
    const bool is_name = !rest.empty() && (absl::StripLeadingAsciiWhitespace(rest)[0] == '(' ||
                                           absl::StripLeadingAsciiWhitespace(rest)[0] == ':' ||
                                           absl::StripLeadingAsciiWhitespace(rest)[0] == '=');
    const bool is_pub_in = word == "pub" && absl::StartsWith(rest, "(");
    if (word.empty() || (!is_keyword && !family.IsModifier(word))) return text;
    if (is_name && !is_pub_in && !is_keyword) return text;
    size_t end = word.size();
    if (is_pub_in) {
      const size_t close = MatchingBracket(text, end);
      if (close == kNone) return text;
      end = close + 1;
    }
    if (!is_keyword) header->modifiers.push_back(std::string(text.substr(0, end)));
    text.remove_prefix(end);
    if (is_keyword && family.layout == HeaderLayout::kGo) return text;
  }
}

// In `(s *Server) Add(a int)` of Go, the first list is the receiver.
absl::string_view TakeReceiver(absl::string_view text, MethodSignature* header) {
  const absl::string_view list = absl::StripLeadingAsciiWhitespace(text);
  if (!absl::StartsWith(list, "(")) return text;
  const size_t close = MatchingBracket(list, 0);
  if (close == kNone) return list;
  const absl::string_view after = absl::StripLeadingAsciiWhitespace(list.substr(close + 1));
  const absl::string_view name = FirstWord(after);
  const bool is_receiver =
      !name.empty() && name != "func" && absl::StartsWith(after.substr(name.size()), "(");
  if (!is_receiver) return list;
  header->receiver = Stripped(list.substr(1, close - 1));
  return after;
}

// In `<T> T first(List<T> list)` of Java, the type parameters stand first.
absl::string_view TakeLeadingGenerics(absl::string_view text, MethodSignature* header) {
  if (!absl::StartsWith(text, "<")) return text;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] != '>' || --depth > 0) continue;
    header->generics = std::string(text.substr(0, i + 1));
    return absl::StripLeadingAsciiWhitespace(text.substr(i + 1));
  }
  return text;
}

// The parameter list is the bracket behind the name; a tuple may stand before it, or a receiver.
size_t FindParameters(absl::string_view text) {
  size_t found = kNone;
  ScanTop(text, /*angles=*/true, [&](size_t at) {
    if (text[at] == '{' || text[at] == ';') return false;
    if (text[at] != '(') return true;
    const size_t close = MatchingBracket(text, at);
    if (close == kNone) return true;
    found = at;
    const absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, at));
    if (!before.empty() && (IsIdentifierByte(before.back()) || before.back() == '>' ||
                            before.back() == ']' || before.back() == '=')) {
      return false;
    }
    // `(int, string) Name(…)`: a name with its own list behind it.
    const absl::string_view after = absl::StripLeadingAsciiWhitespace(text.substr(close + 1));
    const absl::string_view word = FirstWord(after);
    const absl::string_view next = absl::StripLeadingAsciiWhitespace(after.substr(word.size()));
    return !word.empty() && !next.empty() && (next[0] == '(' || next[0] == '<');
  });
  return found;
}

// Name and generics at the end of what stands before the parameters.
void TakeName(absl::string_view before, MethodSignature* header, absl::string_view* rest) {
  before = absl::StripTrailingAsciiWhitespace(before);
  if (!before.empty() && (before.back() == '>' || before.back() == ']')) {
    const char close = before.back();
    const char open = close == '>' ? '<' : '[';
    int depth = 0;
    for (size_t i = before.size(); i > 0; --i) {
      if (before[i - 1] == close) ++depth;
      if (before[i - 1] == open && --depth == 0) {
        header->generics = std::string(before.substr(i - 1));
        before = absl::StripTrailingAsciiWhitespace(before.substr(0, i - 1));
        break;
      }
    }
  }
  absl::string_view name = LastWord(before);
  absl::string_view left = before.substr(0, before.size() - name.size());
  if (absl::ConsumeSuffix(&left, "~")) name = before.substr(left.size());
  header->name = std::string(name);
  // `Server::run`, `Server.run`: who it belongs to is known.
  while (absl::ConsumeSuffix(&left, "::") || absl::ConsumeSuffix(&left, ".")) {
    left.remove_suffix(LastWord(left).size());
  }
  header->touches_type = !left.empty() && absl::StrContains("*&", left.back());
  *rest = absl::StripAsciiWhitespace(left);
}

bool EndsInType(absl::string_view before) {
  before = absl::StripTrailingAsciiWhitespace(before);
  return before.empty() || absl::StrContains(":|&=", before.back()) || absl::EndsWith(before, "=>");
}

// `-> int`, `=> int`, `: int`: what stands behind.
absl::string_view WithoutResultSign(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "->") && !absl::ConsumePrefix(&text, "=>"))
    absl::ConsumePrefix(&text, ":");
  return text;
}

void TakePythonRest(absl::string_view rest, MethodSignature* header) {
  const size_t colon = FindTop(rest, ':');
  absl::string_view result = rest.substr(0, colon);
  if (colon != kNone) {
    const absl::string_view behind = absl::StripAsciiWhitespace(rest.substr(colon + 1));
    if (absl::StripAsciiWhitespace(result).empty() && IsIdentifier(behind)) {
      // `(a): int`, as other languages have it; a body of one name says nothing.
      result = behind;
    } else if (!behind.empty()) {
      header->body = std::string(rest.substr(colon + 1));
    }
  }
  result = absl::StripAsciiWhitespace(result);
  absl::ConsumePrefix(&result, "->");
  header->returns = Stripped(result);
}

// Whether a brace behind `before` opens a type: `: { x: number }`, `interface{}`.
bool BracesAreType(absl::string_view before, bool is_arrow) {
  before = absl::StripAsciiWhitespace(before);
  if (absl::EndsWith(before, "interface") || absl::EndsWith(before, "struct")) return true;
  return !before.empty() && EndsInType(before) && !(is_arrow && absl::EndsWith(before, "=>"));
}

// The brace of a block that ends the text, unless it stands where a type does.
size_t FindBody(absl::string_view text, bool is_arrow) {
  size_t body = kNone;
  ScanTop(text, /*angles=*/false, [&](size_t at) {
    if (text[at] != '{') return true;
    const size_t close = MatchingBracket(text, at);
    const absl::string_view after =
        close == kNone ? "" : absl::StripAsciiWhitespace(text.substr(close + 1));
    const bool ends_text = after.empty() || after == ";";
    if (ends_text && !BracesAreType(text.substr(0, at), is_arrow)) body = at;
    return body == kNone;
  });
  return body;
}

// Takes the body off the end: a block, or what stands behind an arrow.
absl::string_view TakeBody(absl::string_view rest, const LanguageFamily& family, bool is_arrow,
                           MethodSignature* header) {
  if (const size_t body = FindBody(rest, is_arrow); body != kNone) {
    const size_t close = MatchingBracket(rest, body);
    const absl::string_view inside =
        close == kNone ? rest.substr(body + 1) : rest.substr(body + 1, close - body - 1);
    if (close != kNone || !absl::StripAsciiWhitespace(inside).empty())
      header->body = std::string(inside);
    rest = absl::StripTrailingAsciiWhitespace(rest.substr(0, body));
    if (is_arrow) absl::ConsumeSuffix(&rest, "=>");
    return absl::StripAsciiWhitespace(rest);
  }
  absl::ConsumeSuffix(&rest, ";");
  rest = absl::StripTrailingAsciiWhitespace(rest);
  const size_t arrow = rest.find("=>");
  const bool is_body = LanguageBackendOf(family.language).generation.arrow_bodies;
  if (arrow != kNone && (is_body || is_arrow)) {
    const std::string expression = Stripped(rest.substr(arrow + 2));
    header->body = is_body ? expression : absl::StrCat("return ", expression, ";");
    header->body_is_expression = is_body;
    rest = rest.substr(0, arrow);
  }
  return absl::StripAsciiWhitespace(rest);
}

// In a language that writes types first, a result behind the parameters is a slip; a suffix such as
// `: base(x)` is none.
bool IsResult(absl::string_view rest) {
  if (absl::StartsWith(rest, "->") || absl::StartsWith(rest, "=>")) return true;
  return absl::StartsWith(rest, ":") && !absl::StrContains(rest, "base") &&
         !absl::StrContains(rest, "this") && !absl::StrContains(rest, "(");
}

// Splits what stands behind the parameters into result, suffix and body.
void TakeRest(absl::string_view rest, const LanguageFamily& family, bool is_arrow,
              MethodSignature* header) {
  rest = absl::StripAsciiWhitespace(rest);
  if (family.layout == HeaderLayout::kPython) {
    TakePythonRest(rest, header);
    return;
  }
  rest = TakeBody(rest, family, is_arrow, header);
  if (family.layout == HeaderLayout::kTypeFirst) {
    if (header->returns.empty() && IsResult(rest)) {
      header->returns = Stripped(WithoutResultSign(rest));
    } else {
      header->suffix = std::string(rest);
    }
    return;
  }
  if (family.layout == HeaderLayout::kRust) {
    const size_t where = rest.find("where ");
    if (where != kNone) header->suffix = Stripped(rest.substr(where));
    rest = absl::StripAsciiWhitespace(rest.substr(0, where));
  }
  header->returns = Stripped(WithoutResultSign(rest));
}

// Neither brackets nor a body: a name, a result, or parameters.
void TakeWithoutList(absl::string_view text, const LanguageFamily& family, absl::string_view wanted,
                     MethodSignature* header) {
  absl::ConsumeSuffix(&text, ";");
  text = absl::StripAsciiWhitespace(text);
  if (absl::StartsWith(text, "->") || absl::StartsWith(text, "=>") || absl::StartsWith(text, ":")) {
    absl::string_view result = text;
    while (!result.empty() && absl::StrContains("->=:", result[0])) result.remove_prefix(1);
    absl::ConsumeSuffix(&result, ":");
    header->returns = Stripped(result);
    return;
  }
  const absl::string_view last = LastWord(text);
  if (!wanted.empty() && last == wanted) {
    header->name = std::string(last);
    header->returns = Stripped(text.substr(0, text.size() - last.size()));
    return;
  }
  const bool has_two_words = absl::StrContains(text, ' ');
  const bool types_only = family.layout == HeaderLayout::kTypeFirst ||
                          family.layout == HeaderLayout::kGo ||
                          family.layout == HeaderLayout::kRust;
  const bool is_list = FindTop(text, ',', true) != kNone || absl::StrContains(text, ':') ||
                       has_two_words || (!types_only && !text.empty());
  if (!is_list && wanted.empty() && IsIdentifier(text)) {
    header->name = std::string(text);
  } else if (is_list) {
    header->parameters = std::string(text);
    header->only_parameters = true;
  } else {
    header->returns = std::string(text);
  }
}

}  // namespace

bool MethodSignature::HasModifier(absl::string_view word) const {
  return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
}

bool MethodSignature::HasAnyOf(const std::vector<std::string>& words) const {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(modifiers.begin(), modifiers.end(), [&](const std::string& modifier) {
      return modifier == word || absl::StartsWith(modifier, word + "(");
    });
  });
}

absl::StatusOr<MethodSignature> ParseMethodSignature(const LanguageFamily& family,
                                                     absl::string_view signature,
                                                     absl::string_view wanted) {
  MethodSignature header;
  if (signature.size() > kMaxSignatureBytes) {
    return absl::InvalidArgumentError("signature is longer than a mebibyte; put code into body");
  }
  absl::string_view text = WithoutFence(signature);
  text = TakeAttributes(text, family, &header.attributes);
  const absl::string_view whole = text;
  text = TakeModifiers(text, family, &header);
  const bool had_words = whole.size() != text.size();
  if (family.layout == HeaderLayout::kGo) text = TakeReceiver(text, &header);
  if (family.layout == HeaderLayout::kTypeFirst) text = TakeLeadingGenerics(text, &header);
  const size_t open = FindParameters(text);
  if (open == kNone) {
    if (absl::StrContains(text, '(')) {
      return absl::InvalidArgumentError(
          absl::StrCat("the parentheses of the signature do not close: ", text.substr(0, 200)));
    }
    TakeWithoutList(text, family, wanted, &header);
    header.only_parameters = header.only_parameters && !had_words;
    return header;
  }
  const size_t close = MatchingBracket(text, open);
  header.parameters = Stripped(text.substr(open + 1, close - open - 1));
  absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, open));
  bool is_arrow = false;
  if (absl::ConsumeSuffix(&before, "async")) header.modifiers.emplace_back("async");
  before = absl::StripTrailingAsciiWhitespace(before);
  if (family.layout == HeaderLayout::kNameFirst &&
      (absl::ConsumeSuffix(&before, "=") || absl::ConsumeSuffix(&before, ":"))) {
    is_arrow = true;
  }
  absl::string_view type;
  const std::string leading_generics = std::move(header.generics);
  header.generics.clear();
  TakeName(before, &header, &type);
  if (header.generics.empty()) header.generics = leading_generics;
  if (family.layout == HeaderLayout::kTypeFirst) header.returns = std::string(type);
  header.only_parameters = header.name.empty() && !had_words;
  TakeRest(text.substr(close + 1), family, is_arrow, &header);
  return header;
}

}  // namespace stile
