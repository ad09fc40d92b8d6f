#include "runtime/process/relocated_runner.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

bool IsNameByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("_-.+@~", c);
}

// Replaces `from` where it stands as a whole path, or as the first folders of one; also behind a
// letter ("-I/folder").
std::string ReplacePath(absl::string_view text, absl::string_view from, absl::string_view to) {
  std::string result;
  size_t done = 0;
  for (size_t at = text.find(from); at != absl::string_view::npos; at = text.find(from, at + 1)) {
    if (at < done) continue;
    const size_t end = at + from.size();
    // A dot ends a sentence as well.
    const bool ends = end == text.size() || !IsNameByte(text[end]) ||
                      (text[end] == '.' && (end + 1 == text.size() || !IsNameByte(text[end + 1])));
    if (!ends) continue;
    absl::StrAppend(&result, text.substr(done, at - done), to);
    done = end;
  }
  absl::StrAppend(&result, text.substr(done));
  return result;
}

}  // namespace

std::string RelocatedRunner::Inside(absl::string_view text) const {
  std::string result(text);
  for (const auto& [folder, place] : relocations_) result = ReplacePath(result, folder, place);
  return result;
}

std::string RelocatedRunner::Outside(absl::string_view text) const {
  std::string result(text);
  for (const auto& [folder, place] : relocations_) result = ReplacePath(result, place, folder);
  return result;
}

absl::StatusOr<ProcessResult> RelocatedRunner::Run(const ProcessRequest& request) {
  ProcessRequest inside = request;
  for (std::string& word : inside.argv) word = Inside(word);
  for (auto& [name, value] : inside.env) value = Inside(value);
  inside.cwd = Inside(inside.cwd);
  inside.stdin_text = Inside(inside.stdin_text);
  inside.replaced.insert(replaced_.begin(), replaced_.end());
  STILE_ASSIGN_OR_RETURN(ProcessResult result, base_->Run(inside));
  result.out = Outside(result.out);
  result.err = Outside(result.err);
  return result;
}

}  // namespace stile
