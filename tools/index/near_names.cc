#include "tools/index/near_names.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr size_t kMaxCandidates = 10'000;
constexpr int kMaxLengthDifference = 2;

// Words of the text that may be a slip of `name`.
void AddWords(absl::string_view text, absl::string_view name, std::set<std::string>* words) {
  for (size_t begin = 0; begin < text.size() && words->size() < kMaxCandidates;) {
    if (!IsIdentifierByte(text[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < text.size() && IsIdentifierByte(text[end])) ++end;
    const absl::string_view word = text.substr(begin, end - begin);
    const int difference = static_cast<int>(word.size()) - static_cast<int>(name.size());
    const bool may_be_slip = std::abs(difference) <= kMaxLengthDifference && word != name &&
                             absl::ascii_tolower(static_cast<unsigned char>(word[0])) ==
                                 absl::ascii_tolower(static_cast<unsigned char>(name[0]));
    if (may_be_slip) words->emplace(word);
    begin = end;
  }
}

}  // namespace

std::string NearIdentifier(const std::string& name, const CodeIndex& index) {
  if (name.empty()) return "";
  std::set<std::string> words;
  size_t bytes = 0;
  index.ListFiles([&](const std::string& path) {
    std::string text;
    if (bytes > kMaxBytes || !index.IsCode(path) ||
        !ReadRegularFile(JoinPath(index.workspace(), path), kMaxCodeBytes, &text)) {
      return;
    }
    bytes += text.size();
    AddWords(text, name, &words);
  });
  for (const std::string& word : words) {
    if (absl::EqualsIgnoreCase(word, name)) return word;
  }
  return Nearest(name, {words.begin(), words.end()});
}

std::string NearPath(const std::string& path, const CodeIndex& index) {
  std::vector<std::string> paths;
  std::vector<std::string> namesakes;
  index.ListFiles([&](const std::string& other) {
    if (paths.size() < kMaxCandidates) paths.push_back(other);
    if (BaseName(other) == BaseName(path)) namesakes.push_back(other);
  });
  return namesakes.size() == 1 ? namesakes[0] : Nearest(path, paths);
}

}  // namespace stile
