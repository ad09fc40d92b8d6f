// The other half of method_header.h: heads written, and parameters taken apart.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"

namespace stile {
namespace {

constexpr size_t kNone = absl::string_view::npos;

std::string Stripped(absl::string_view text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

// The last word, with what stands before and behind it: "int a", "char *a[]", "T... a".
void TakeLastName(absl::string_view text, Parameter* parameter) {
  size_t end = text.size();
  while (end > 0 && text[end - 1] == ']') {
    const size_t open = text.rfind('[', end - 1);
    if (open == kNone) break;
    end = open;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && (absl::ascii_isalnum(static_cast<unsigned char>(text[begin - 1])) ||
                       text[begin - 1] == '_' || text[begin - 1] == '$' ||
                       static_cast<unsigned char>(text[begin - 1]) >= 0x80)) {
    --begin;
  }
  parameter->name = std::string(text.substr(begin, end - begin));
  parameter->type = absl::StrCat(Stripped(text.substr(0, begin)), text.substr(end));
}

// `names` of Go share the type that the last of them has.
void ShareTypes(std::vector<Parameter>* parameters) {
  std::string type;
  for (auto parameter = parameters->rbegin(); parameter != parameters->rend(); ++parameter) {
    if (parameter->type.empty()) {
      parameter->type = type;
    } else {
      type = parameter->type;
    }
  }
}

Parameter ParseParameter(const LanguageFamily& family, absl::string_view text) {
  Parameter parameter;
  parameter.text = std::string(text);
  // `=` and not `==`, `=>`, `<=`; in no brackets.
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    const bool assigns = c == '=' && depth == 0 && (i + 1 == text.size() || text[i + 1] != '>');
    if (!assigns) continue;
    parameter.value = Stripped(text.substr(i + 1));
    text = absl::StripAsciiWhitespace(text.substr(0, i));
    break;
  }
  switch (family.layout) {
    case HeaderLayout::kTypeFirst: {
      // Words before the type that are no part of it.
      for (bool again = true; again;) {
        again = false;
        for (const absl::string_view word : {"final ", "this ", "params ", "in ", "scoped "}) {
          if (absl::ConsumePrefix(&text, word)) again = true;
        }
      }
      TakeLastName(text, &parameter);
      return parameter;
    }
    case HeaderLayout::kGo: {
      const size_t space = text.find(' ');
      parameter.name = std::string(text.substr(0, space));
      if (space != kNone) parameter.type = Stripped(text.substr(space + 1));
      return parameter;
    }
    case HeaderLayout::kRust:
      absl::ConsumePrefix(&text, "mut ");
      break;
    case HeaderLayout::kPython:
    case HeaderLayout::kNameFirst:
      break;
  }
  const bool is_pattern = absl::StartsWith(text, "{") || absl::StartsWith(text, "[");
  const size_t from = is_pattern ? MatchingBracket(text, 0) : 0;
  const size_t colon = from == kNone ? kNone : text.find(':', from);
  absl::string_view name = absl::StripAsciiWhitespace(text.substr(0, colon));
  if (colon != kNone) parameter.type = Stripped(text.substr(colon + 1));
  absl::ConsumeSuffix(&name, "?");
  if (!is_pattern) {
    const size_t space = name.rfind(' ');  // `private readonly name`
    if (space != kNone) name = name.substr(space + 1);
  }
  while (absl::ConsumePrefix(&name, "*") || absl::ConsumePrefix(&name, ".")) {
  }
  parameter.name = std::string(name);
  const absl::string_view bare = absl::StripPrefix(name, "&");
  parameter.is_self =
      (family.layout == HeaderLayout::kPython && (name == "self" || name == "cls")) ||
      (family.layout == HeaderLayout::kRust && (bare == "self" || absl::EndsWith(text, " self")));
  return parameter;
}

std::string Spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) absl::StrAppend(&text, word, " ");
  return text;
}

}  // namespace

std::vector<Parameter> ParseParameters(const LanguageFamily& family, absl::string_view parameters) {
  std::vector<Parameter> result;
  for (const std::string& part : SplitAtCommas(parameters)) {
    if (!part.empty()) result.push_back(ParseParameter(family, part));
  }
  if (family.layout == HeaderLayout::kGo) ShareTypes(&result);
  return result;
}

std::string WriteSignature(const LanguageFamily& family, const MethodSignature& header) {
  const std::string list = absl::StrCat("(", header.parameters, ")");
  const std::string suffix = header.suffix.empty() ? "" : absl::StrCat(" ", header.suffix);
  std::string text;
  for (const std::string& attribute : header.attributes) absl::StrAppend(&text, attribute, "\n");
  switch (family.layout) {
    case HeaderLayout::kTypeFirst: {
      const bool leads =
          LanguageBackendOf(family.language).generation.generics_lead && !header.generics.empty();
      absl::StrAppend(&text, Spaced(header.modifiers), leads ? header.generics + " " : "",
                      header.returns);
      absl::StrAppend(&text, header.returns.empty() || header.touches_type ? "" : " ", header.name,
                      leads ? "" : header.generics, list, suffix);
      break;
    }
    case HeaderLayout::kNameFirst:
      absl::StrAppend(&text, Spaced(header.modifiers), header.name, header.generics, list,
                      header.returns.empty() ? "" : ": ", header.returns);
      break;
    case HeaderLayout::kPython:
      absl::StrAppend(&text, Spaced(header.modifiers), "def ", header.name, header.generics, list,
                      header.returns.empty() ? "" : " -> ", header.returns);
      break;
    case HeaderLayout::kGo:
      absl::StrAppend(
          &text, "func ", header.receiver.empty() ? "" : absl::StrCat("(", header.receiver, ") "),
          header.name, header.generics, list, header.returns.empty() ? "" : " ", header.returns);
      break;
    case HeaderLayout::kRust:
      absl::StrAppend(&text, Spaced(header.modifiers), "fn ", header.name, header.generics, list,
                      header.returns.empty() ? "" : " -> ", header.returns, suffix);
      break;
  }
  return text;
}

}  // namespace stile
