#include "runtime/gate/validation_tracker.h"

#include <utility>

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

}  // namespace stile
