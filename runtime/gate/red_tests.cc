#include "runtime/gate/red_tests.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

void RedTests::RecordFailure(const TargetKey& target, const std::string& root,
                             const std::vector<Weakening>& edits) {
  Edits present;
  for (const Weakening& edit : edits) {
    if (edit.weight == Weakening::Weight::kExpectation) present.insert({edit.path, edit.what});
  }
  const auto [known, is_new] = failures_.try_emplace(target, Failure{root, present});
  if (is_new) return;
  Edits both;
  std::set_intersection(known->second.edits.begin(), known->second.edits.end(), present.begin(),
                        present.end(), std::inserter(both, both.end()));
  known->second.edits = std::move(both);
}

void RedTests::RecordTexts(const std::string& root, TextsByPath texts) {
  constexpr size_t kMaxMoments = 40;
  if (moments_.size() >= kMaxMoments) texts.clear();
  std::pair<std::string, TextsByPath> moment{root, std::move(texts)};
  if (std::find(moments_.begin(), moments_.end(), moment) == moments_.end()) {
    moments_.push_back(std::move(moment));
  }
}

std::vector<TextsByPath> RedTests::TextsAtFailures(const std::string& root) const {
  std::vector<TextsByPath> texts;
  for (const auto& [project, moment] : moments_) {
    if (IsWithin(project, root) || IsWithin(root, project)) texts.push_back(moment);
  }
  return texts;
}

std::vector<Weakening> RedTests::Judge(std::vector<Weakening> weakenings) const {
  std::vector<Weakening> judged;
  for (Weakening& weakening : weakenings) {
    if (weakening.weight == Weakening::Weight::kExpectation) {
      const bool came_later =
          std::any_of(failures_.begin(), failures_.end(), [&weakening](const auto& failure) {
            return IsWithin(weakening.path, failure.second.root) &&
                   failure.second.edits.count({weakening.path, weakening.what}) == 0;
          });
      if (!came_later) continue;
      weakening.weight = Weakening::Weight::kGrave;
      absl::StrAppend(&weakening.what, " (edited after the tests had failed)");
    }
    judged.push_back(std::move(weakening));
  }
  return judged;
}

}  // namespace stile
