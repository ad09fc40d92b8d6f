#include "runtime/gate/validation_tracker.h"

#include "absl/strings/str_cat.h"

namespace stile {

void ValidationTracker::SetReference(const TargetKey& target, ContentMap inputs) {
  references_[target] = std::move(inputs);
}

void ValidationTracker::RecordPass(const TargetKey& target, ContentMap inputs) {
  passed_[target] = std::move(inputs);
  refusals_.erase(target);
}

void ValidationTracker::RecordNoPass(const TargetKey& target, Verdict verdict) {
  passed_.erase(target);
  if (IsAgainst(verdict)) refusals_[target] = verdict;
}

void ValidationTracker::RecordValidation(bool failed, bool anything_dirty) {
  if (failed) {
    ++failures_;
    ++failed_validations_;
  } else if (!anything_dirty) {
    failures_ = 0;
  }
}

std::vector<std::string> ValidationTracker::Dirty(const TargetKey& target,
                                                  const ContentMap& inputs) const {
  static const ContentMap* const kNothing = new ContentMap;
  const auto reference = references_.find(target);
  if (reference != references_.end() && reference->second == inputs) return {};
  const auto passed = passed_.find(target);
  if (passed != passed_.end()) return DiffContent(passed->second, inputs);
  return DiffContent(reference == references_.end() ? *kNothing : reference->second, inputs);
}

std::vector<std::string> DiffContent(const ContentMap& a, const ContentMap& b) {
  std::vector<std::string> paths;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      paths.push_back((i++)->first);
    } else if (i == a.end() || j->first < i->first) {
      paths.push_back((j++)->first);
    } else {
      if (i->second != j->second) paths.push_back(i->first);
      ++i;
      ++j;
    }
  }
  return paths;
}

std::string ContentFingerprint(const ContentMap& content) {
  Sha256 hash;
  for (const auto& [path, digest] : content) {
    hash.Update(absl::StrCat(ToHex(digest), " ", path, std::string(1, '\0')));
  }
  return ToHex(hash.Finish());
}

}  // namespace stile
