#include "runtime/gate/validation_tracker.h"

#include <utility>

namespace stile {

const ValidationTracker::Record& ValidationTracker::RecordOf(const TargetKey& target) const {
  static const Record* const kUnknown = new Record;
  const auto found = records_.find(target);
  return found == records_.end() ? *kUnknown : found->second;
}

void ValidationTracker::SetReference(const TargetKey& target, ContentMap inputs) {
  records_[target].reference = std::move(inputs);
}

const ContentMap* ValidationTracker::ReferenceOf(const TargetKey& target) const {
  const Record& record = RecordOf(target);
  return record.reference.has_value() ? &*record.reference : nullptr;
}

void ValidationTracker::RecordPass(const TargetKey& target, ContentMap inputs) {
  Record& record = records_[target];
  record.passed = std::move(inputs);
  record.refusal.reset();
}

void ValidationTracker::RecordNoPass(const TargetKey& target, Verdict verdict) {
  Record& record = records_[target];
  record.passed.reset();
  if (IsAgainst(verdict)) record.refusal = verdict;
}

std::map<TargetKey, Verdict> ValidationTracker::Refusals() const {
  std::map<TargetKey, Verdict> refusals;
  for (const auto& [target, record] : records_) {
    if (record.refusal.has_value()) refusals.emplace(target, *record.refusal);
  }
  return refusals;
}

std::optional<Verdict> ValidationTracker::RefusalOf(const TargetKey& target) const {
  return RecordOf(target).refusal;
}

bool ValidationTracker::HasPassed(const TargetKey& target, const ContentMap& inputs) const {
  return RecordOf(target).passed == inputs;
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
  const Record& record = RecordOf(target);
  if (record.reference == inputs) return {};
  if (record.passed.has_value()) return DiffContent(*record.passed, inputs);
  return DiffContent(record.reference.has_value() ? *record.reference : *kNothing, inputs);
}

}  // namespace stile
