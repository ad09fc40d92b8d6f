#include "runtime/base/json_text.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace stile {

std::string WithoutLoneSurrogates(absl::string_view input) {
  const auto unit_at = [&](size_t i) {
    int unit = -1;
    const bool is_escape = i + 6 <= input.size() && input[i] == '\\' && input[i + 1] == 'u';
    return is_escape && absl::SimpleHexAtoi(input.substr(i + 2, 4), &unit) ? unit : -1;
  };
  const auto is_high = [](int unit) { return unit >= 0xD800 && unit <= 0xDBFF; };
  const auto is_low = [](int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; };
  std::string text;
  for (size_t i = 0; i < input.size();) {
    const int unit = unit_at(i);
    const bool is_pair = is_high(unit) && is_low(unit_at(i + 6));
    size_t size = is_pair ? 12 : unit >= 0 ? 6 : input[i] == '\\' ? 2 : 1;
    size = std::min(size, input.size() - i);
    const bool is_lone = !is_pair && (is_high(unit) || is_low(unit));
    absl::StrAppend(&text, is_lone ? "\\ufffd" : input.substr(i, size));
    i += size;
  }
  return text;
}

}  // namespace stile
