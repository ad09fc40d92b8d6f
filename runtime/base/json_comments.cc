#include "runtime/base/json_comments.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

std::string StripJsonComments(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  std::string json;
  json.reserve(text.size());
  size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      end = std::min(end + 1, text.size());
      absl::StrAppend(&json, text.substr(i, end - i));
      i = end;
    } else if (absl::StartsWith(text.substr(i), "//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (absl::StartsWith(text.substr(i), "/*")) {
      const size_t end = text.find("*/", i + 2);
      i = end == absl::string_view::npos ? text.size() : end + 2;
    } else {
      if (c == '}' || c == ']') {
        size_t last = json.size();
        while (last > 0 && IsBlank(json[last - 1])) --last;
        if (last > 0 && json[last - 1] == ',') json.erase(last - 1, 1);
      }
      json.push_back(c);
      ++i;
    }
  }
  return json;
}

}  // namespace stile
