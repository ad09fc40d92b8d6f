#include "tools/refactor/value_uses.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "runtime/base/text.h"

namespace stile {

void ValueUses::Note(const std::shared_ptr<const SourceFile>& file, const NamedValue& value) {
  if (value.keys.empty()) return;
  blamed_.insert({file->path, value.name});
  for (const uint32_t begin : value.uses) {
    // `first.depth` is a place of its own, about which the compiler was asked.
    size_t end = begin;
    while (end < file->text.size() && IsIdentifierByte(file->text[end])) ++end;
    const absl::string_view behind = absl::string_view(file->text).substr(end);
    if (absl::StartsWith(behind, ".") || absl::StartsWith(behind, "?.")) continue;
    Use& use = uses_[{file->path, begin}];
    use.file = file;
    for (const uint32_t key : value.keys) use.keys.insert({file->path, key});
  }
}

std::vector<ValueUse> ValueUses::Unblamed(const std::vector<RenameCandidate>& candidates) const {
  std::vector<ValueUse> found;
  for (const auto& [place, use] : uses_) {
    if (blamed_.count(place) > 0) continue;
    const std::set<Place>& keys = use.keys;
    const bool is_changed =
        std::any_of(candidates.begin(), candidates.end(), [&](const RenameCandidate& candidate) {
          return candidate.is_renamed &&
                 keys.count({candidate.file->path, candidate.occurrence.begin}) > 0;
        });
    if (is_changed) found.push_back({use.file, place.second});
  }
  return found;
}

}  // namespace stile
