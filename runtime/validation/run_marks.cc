#include "runtime/validation/run_marks.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace stile {
namespace {

constexpr absl::string_view kBegin = "ran";
constexpr size_t kDigits = 16;

}  // namespace

std::string RunMark(uint64_t random) {
  return absl::StrCat(kBegin, absl::Hex(random, absl::kZeroPad16));
}

std::pair<std::string, std::string> HalvesOfMark(const std::string& mark) {
  const size_t half = mark.size() / 2;
  return {mark.substr(0, half), mark.substr(half)};
}

std::set<std::string> RunMarksIn(absl::string_view text) {
  std::set<std::string> marks;
  for (size_t at = text.find(kBegin); at != absl::string_view::npos;
       at = text.find(kBegin, at + 1)) {
    const absl::string_view mark = text.substr(at, kBegin.size() + kDigits);
    const absl::string_view digits = mark.substr(kBegin.size());
    const bool is_mark =
        digits.size() == kDigits && std::all_of(digits.begin(), digits.end(), [](char c) {
          return absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f');
        });
    if (is_mark) marks.insert(std::string(mark));
  }
  return marks;
}

}  // namespace stile
