#include "tools/code/likely_order.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/code_index.h"
#include "tools/language/language_family.h"

namespace stile {
namespace {

// The identifier before the `.`, `->` or `::` in front of a name; "" if there is none.
absl::string_view ReceiverOf(absl::string_view text, uint32_t begin) {
  absl::string_view before = text.substr(0, begin);
  if (!absl::ConsumeSuffix(&before, "?.") && !absl::ConsumeSuffix(&before, ".") &&
      !absl::ConsumeSuffix(&before, "->") && !absl::ConsumeSuffix(&before, "::")) {
    return "";
  }
  size_t from = before.size();
  while (from > 0 && IsIdentifierByte(before[from - 1])) --from;
  return before.substr(from);
}

class Scorer {
 public:
  explicit Scorer(const Declaration& target)
      : target_(target), module_(BaseName(target.file->path)) {
    module_ = module_.substr(0, module_.find('.'));
    const std::string qualified = target.QualifiedName();
    const size_t dot = qualified.rfind('.');
    if (dot != std::string::npos) owner_ = LastComponent(qualified.substr(0, dot));
    owner_words_ = WordsOf(owner_);
    const LanguageFamily* const family = FindLanguageFamily(target.file->language.id);
    if (family == nullptr) return;
    const auto& members = family->library_members;
    is_of_library_ = std::find(members.begin(), members.end(), target.name()) != members.end();
  }

  int Score(const Hit& hit) {
    const auto [known, is_new] = of_file_.emplace(hit.file->path, 0);
    if (is_new) known->second = ScoreOfFile(*hit.file);
    return known->second + ScoreOfReceiver(ReceiverOf(hit.file->text, hit.offset));
  }

 private:
  int ScoreOfFile(const SourceFile& file) const {
    int score = 0;
    const bool names_owner = !owner_.empty() && HoldsWord(file.text, owner_);
    if (names_owner) score += 4;
    if (HoldsWord(file.text, module_)) score += 2;
    if (DirName(file.path) == DirName(target_.file->path)) score += 1;
    if (is_of_library_ && !names_owner) score -= 4;
    return score;
  }

  int ScoreOfReceiver(absl::string_view receiver) const {
    if (receiver.empty() || owner_words_.empty()) return 0;
    const std::vector<std::string> words = WordsOf(receiver);
    if (words.empty()) return 0;
    if (words == owner_words_) return 6;
    return words.back() == owner_words_.back() ? 4 : 0;
  }

  const Declaration& target_;
  std::string module_;  // the file's name without extension
  std::string owner_;   // the type around; "": none
  std::vector<std::string> owner_words_;
  bool is_of_library_ = false;
  std::map<std::string, int> of_file_;
};

}  // namespace

void OrderHits(const Resolution& resolution, std::vector<Hit>* hits) {
  const auto likely = std::stable_partition(hits->begin(), hits->end(), [](const Hit& hit) {
    return hit.certainty == Certainty::kExact;
  });
  if (hits->end() - likely < 2) return;
  Scorer scorer(resolution.targets[0]);
  std::vector<std::pair<int, Hit>> scored;
  for (auto hit = likely; hit != hits->end(); ++hit) scored.emplace_back(scorer.Score(*hit), *hit);
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::transform(scored.begin(), scored.end(), likely,
                 [](auto& entry) { return std::move(entry.second); });
}

}  // namespace stile
